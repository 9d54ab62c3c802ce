/// The number that a text of decimal digits with at most one point stands for, rounded to the
/// nearest `f64`, as in `"0.25"` or `"3"`; `None` if it isn't one, or its whole part isn't less
/// than 2 to the 64th. Of the fraction, so many digits count that there are 19 with the whole
/// part's.
///
/// Programs for browsers read the settings of players with it, because the standard library's
/// way brings tables for the largest and smallest numbers along.
///
/// ```
/// use open_ttt_lib::rules::parse_decimal;
///
/// assert_eq!(parse_decimal("0.25"), Some(0.25));
/// assert_eq!(parse_decimal("-1"), None);
/// ```
pub fn parse_decimal(text: &str) -> Option<f64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let counted = 19_usize.saturating_sub(whole.trim_start_matches('0').len());
    let (fraction, rest) = fraction.split_at_checked(counted).unwrap_or((fraction, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let is_decimal = digits()
        .chain(rest.bytes())
        .all(|byte| byte.is_ascii_digit());
    if !is_decimal || digits().next().is_none() {
        return None;
    }
    // Both are less than 2 to the 64th.
    let denominator = 10_u64.checked_pow(fraction.len().try_into().ok()?)?;
    let number = digits().try_fold(0_u64, |number, digit| {
        let digit = u64::from(digit.wrapping_sub(b'0'));
        number.checked_mul(10)?.checked_add(digit)
    })?;
    if number == 0 {
        return Some(0.0);
    }
    // A quotient of 64 bits or more, of which the lowest tells of any remainder, is rounded
    // once.
    let shift = u128::from(number).leading_zeros();
    let (shifted, denominator) = (u128::from(number) << shift, u128::from(denominator));
    let has_remainder = shifted % denominator != 0;
    let quotient = (shifted / denominator) | u128::from(has_remainder);
    let scale = f64::from_bits(u64::from(1023 - shift) << 52);
    Some(quotient as f64 * scale)
}

#[cfg(test)]
mod tests {
    use super::parse_decimal;
    use crate::random::Rng;

    #[test]
    fn numbers_are_read_as_the_standard_library_reads_them() {
        let mut rng = Rng::new(1);
        for _ in 0..20_000 {
            let digits = 1 + rng.below(19) as u32;
            let number = rng.next_u64() % 10_u64.pow(digits);
            let point = rng.below(digits as usize + 1);
            let mut text = format!("{number:0width$}", width = digits as usize);
            text.insert(point, '.');
            assert_eq!(parse_decimal(&text), text.parse().ok(), "{text}");
        }
        // Some of them lie nearly in the middle between two numbers.
        for _ in 0..200_000 {
            let text = format!("0.{:019}", rng.next_u64() % 10_u64.pow(19));
            assert_eq!(parse_decimal(&text), text.parse().ok(), "{text}");
        }
        for _ in 0..20_000 {
            // As numbers are written, with as many digits as tell them apart.
            let number = rng.next_u64() as f64 / u64::MAX as f64;
            let text = number.to_string();
            let read = parse_decimal(&text).expect(&text);
            assert!((read - number).abs() < 1e-19, "{text}");
            assert!(
                text.len() > 21 || read.to_bits() == number.to_bits(),
                "{text}"
            );
        }
        for text in [
            "0",
            "1",
            "7.",
            ".5",
            "0.0",
            "9999999999999999999",
            "0.1",
            "6.00",
            "3.5000000000000000000",
            "000.2500000000000000000000",
            "12345678901234567890.5",
        ] {
            assert_eq!(parse_decimal(text), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let texts = [
            "",
            ".",
            "-1",
            "+1",
            "1e3",
            "1,5",
            "1.2.3",
            " 1",
            "inf",
            "NaN",
            "٣",
            "1_000",
            "18446744073709551616",
            "0.1234567890123456789x",
        ];
        for text in texts {
            assert_eq!(parse_decimal(text), None, "{text}");
        }
    }
}
