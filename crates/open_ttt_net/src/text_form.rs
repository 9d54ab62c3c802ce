//! Types whose JSON form is a text.

/// How serde writes a type, as the text that `$text` makes of a reference, and the
/// conversion through which it reads it, by `FromStr`.
macro_rules! text_form {
    ($type:ident, |$value:ident| $text:expr) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                serializer.serialize_str($text)
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> Self {
                let $value = &value;
                Self::from($text)
            }
        }

        impl TryFrom<String> for $type {
            type Error = <Self as core::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    };
}

pub(crate) use text_form;

/// Bytes as lower-case hexadecimal digits, two a byte.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let digit = |bits: u8| b"0123456789abcdef"[usize::from(bits)];
    let digits = bytes
        .iter()
        .map(|byte| [digit(byte >> 4), digit(byte & 0xf)]);
    let digits: Vec<[u8; 2]> = digits.collect();
    // Digits are text, so this cannot fail.
    String::from_utf8(digits.into_flattened()).unwrap_or_default()
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
