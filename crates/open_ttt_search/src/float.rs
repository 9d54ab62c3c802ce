//! Elementary functions made of additions and multiplications alone: those of the
//! platforms differ in their last bits, and some platforms have none.

/// The natural logarithm of a normal positive number.
///
/// Splits x = 2ⁿ·m with m about 1, with the series of 2·artanh((m - 1) / (m + 1)).
pub(crate) fn ln(x: f64) -> f64 {
    /// √½, whose bits are the boundary between two powers.
    const BELOW_ONE: u64 = 0x3FE6_A09E_667F_3BCD;

    let n = (x.to_bits().wrapping_sub(BELOW_ONE) as i64) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((n << 52) as u64));
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let mut sum = 0.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        sum = square * (sum + 1.0 / odd);
    }
    n as f64 * core::f64::consts::LN_2 + 2.0 * (s + s * sum)
}

/// The square root, correctly rounded; 0 for negative numbers.
#[cfg(feature = "std")]
#[inline]
pub(crate) fn sqrt(x: f32) -> f32 {
    x.max(0.0).sqrt()
}

#[cfg(not(feature = "std"))]
pub(crate) use self::by_newton::sqrt;

/// Where the platform has no square root.
#[cfg(any(test, not(feature = "std")))]
mod by_newton {
    /// Newton's method in double precision, from half the exponent. Rounding twice is exact
    /// here, because double precision has more than twice the bits (Figueroa, 1995).
    pub(crate) fn sqrt(x: f32) -> f32 {
        if x <= 0.0 {
            return 0.0;
        }
        let x = f64::from(x);
        let mut root = f64::from_bits((x.to_bits() >> 1) + (1023 << 51));
        for _ in 0..5 {
            root = 0.5 * (root + x / root);
        }
        root as f32
    }
}

#[cfg(test)]
mod tests {
    use open_ttt_lib::random::Rng;

    use super::*;

    #[test]
    fn ln_is_accurate() {
        let mut rng = Rng::new(1);
        for power in -60..=60 {
            for _ in 0..100 {
                let unit = (rng.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
                let x = (1.0 + unit) * f64::powi(2.0, power);
                let error = (ln(x) - x.ln()).abs();
                assert!(error < 2e-15 * x.ln().abs().max(1.0), "ln {x}: {error:e}");
            }
        }
        assert!(ln(1.0).abs() < 1e-18);
    }

    #[test]
    fn both_square_roots_agree() {
        let mut rng = Rng::new(2);
        let numbers = (0..100_000).map(|_| f32::from_bits(rng.next_u64() as u32 & 0x7F7F_FFFF));
        for x in numbers.chain([0.0, 1.0, 4.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, -1.0]) {
            assert_eq!(by_newton::sqrt(x).to_bits(), sqrt(x).to_bits(), "{x}");
        }
    }
}
