//! Numbers of half precision, 16 bits: a sign, five bits of an exponent and ten of a fraction
//! (IEEE 754, binary16).

/// The bits of the sign, of the exponent and of the fraction.
const SIGN: u16 = 0x8000;
const EXPONENT: u16 = 0x7c00;
const FRACTION: u16 = 0x03ff;

/// One that is not a number.
const NAN: u16 = 0x7e00;

/// The bits of a fraction in half and in single precision.
const FRACTION_BITS: u32 = 10;
const SINGLE_FRACTION_BITS: u32 = 23;

/// The largest finite number.
const MAX: f32 = 65_504.0;

/// The least number with all bits of its fraction, 2^-14. Those below it, and zero, are
/// multiples of [`STEP`].
const MIN_NORMAL: f32 = 1.0 / 16_384.0;
const STEP: f32 = 1.0 / 16_777_216.0;

/// The difference between the exponents of both precisions.
const EXPONENT_OFFSET: u32 = 127 - 15;

/// The number with these bits.
pub(crate) fn value(bits: u16) -> f32 {
    let fraction = bits & FRACTION;
    let magnitude = match bits & EXPONENT {
        0 => f32::from(fraction) * STEP,
        EXPONENT if fraction == 0 => f32::INFINITY,
        EXPONENT => f32::NAN,
        _ => {
            let bits = u32::from(bits & !SIGN) << (SINGLE_FRACTION_BITS - FRACTION_BITS);
            f32::from_bits(bits + (EXPONENT_OFFSET << SINGLE_FRACTION_BITS))
        }
    };
    if bits & SIGN == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The bits of the nearest number, of two equally near ones of that with an even fraction.
/// A finite number becomes a finite one.
pub(crate) fn nearest(number: f32) -> u16 {
    let sign = if number.is_sign_negative() { SIGN } else { 0 };
    if number.is_nan() {
        return sign | NAN;
    }
    if number.is_infinite() {
        return sign | EXPONENT;
    }
    let magnitude = number.abs().min(MAX);
    if magnitude < MIN_NORMAL {
        // The number above the greatest of these is the least normal one, also in its bits.
        sign | (magnitude / STEP).round_ties_even() as u16
    } else {
        let dropped = SINGLE_FRACTION_BITS - FRACTION_BITS;
        let bits = magnitude.to_bits() - (EXPONENT_OFFSET << SINGLE_FRACTION_BITS);
        let even = (bits >> dropped) & 1;
        // A fraction that is rounded up to one more is carried into the exponent.
        sign | ((bits + (1 << (dropped - 1)) - 1 + even) >> dropped) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of 65,504.
    const LARGEST: u16 = 0x7bff;

    /// The value by the formula of the standard.
    fn defined(bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let exponent = i32::from(bits >> 10 & 31);
        let fraction = f64::from(bits & 1023) / 1024.0;
        match exponent {
            0 => sign * fraction * 2_f64.powi(-14),
            31 if fraction == 0.0 => sign * f64::INFINITY,
            31 => f64::NAN,
            _ => sign * (1.0 + fraction) * 2_f64.powi(exponent - 15),
        }
    }

    #[test]
    fn every_number_has_the_value_of_the_standard() {
        for bits in 0..=u16::MAX {
            let (found, expected) = (f64::from(value(bits)), defined(bits));
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
        }
    }

    #[test]
    fn every_number_is_its_own_nearest() {
        for bits in (0..=u16::MAX).filter(|&bits| !value(bits).is_nan()) {
            assert_eq!(nearest(value(bits)), bits);
        }
        assert!(value(nearest(f32::NAN)).is_nan());
    }

    #[test]
    fn numbers_between_two_become_the_nearer_or_the_even_one() {
        for bits in 0..LARGEST {
            let (low, high) = (value(bits), value(bits + 1));
            let middle = f32::midpoint(low, high);
            let even = bits + bits % 2;
            assert_eq!(nearest(middle), even);
            assert_eq!(nearest(middle.next_down()), bits);
            assert_eq!(nearest(middle.next_up()), bits + 1);
            assert_eq!(nearest(-middle), SIGN | even);
        }
    }

    #[test]
    fn what_is_too_large_becomes_the_largest_and_what_is_too_small_zero() {
        for number in [65_520.0, 1e9, f32::MAX] {
            assert_eq!(nearest(number), LARGEST);
            assert_eq!(nearest(-number), SIGN | LARGEST);
        }
        assert_eq!(nearest(f32::MIN_POSITIVE), 0);
    }
}
