//! Types whose JSON form is a text.

/// The conversions through which serde reads and writes a type: from a text by its
/// `FromStr`, and to `$text`.
macro_rules! text_form {
    ($type:ident, |$value:ident| $text:expr) => {
        impl TryFrom<String> for $type {
            type Error = <Self as core::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from($value: $type) -> Self {
                $text
            }
        }
    };
}

pub(crate) use text_form;

/// Bytes as lower-case hexadecimal digits, two a byte.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect()
}

/// The bytes that [`to_hex`] has written; `None` for any other text.
pub(crate) fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let bytes = text.as_bytes().chunks(2).map(|digits| match *digits {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    });
    bytes.collect::<Option<Vec<u8>>>()?.try_into().ok()
}
