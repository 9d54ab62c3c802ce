//! The functions that the search needs, made of additions and multiplications
//! alone: those of the platform differ in their last bits from one to the next,
//! and a game must come out the same on all of them.

use open_ttt_lib::random::Rng;

/// eˣ to within some 2⁻²² of it; below -87 what is nearly nothing.
///
/// Split as eˣ = 2ⁿ·eʳ with |r| ≤ ln 2 / 2, and eʳ from its Taylor polynomial,
/// so that a loop over many takes no branch and no call.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    /// Added to a small number, it leaves the number rounded in the low bits.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts, the first with few enough bits that n times it is
    /// exact.
    const LN_2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);

    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 88.0 { x } else { 88.0 };
    let shifted = x * core::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2.0) - n * LN_2.1;
    let tail = 1.0 / 120.0 + r * (1.0 / 720.0);
    let tail = 1.0 / 24.0 + r * tail;
    let tail = 1.0 / 6.0 + r * tail;
    let power = 1.0 + (r + r * r * (0.5 + r * tail));
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// The greatest of these; negative infinity if there are none.
#[inline]
pub(super) fn greatest(numbers: &[f32]) -> f32 {
    let greater = |most, &number| if number > most { number } else { most };
    numbers.iter().fold(f32::NEG_INFINITY, greater)
}

/// Puts eˣ in place of each of these, and says what they come to. The greatest
/// of them becomes 1, as if it were subtracted from all: softmax, but for the
/// division.
#[inline]
pub(super) fn weights(logits: &mut [f32]) -> f32 {
    let most = greatest(logits);
    for logit in &mut *logits {
        *logit = exp(*logit - most);
    }
    logits.iter().sum()
}

/// The natural logarithm of a normal positive number.
///
/// Split as x = 2ⁿ·m with m about 1, and ln m from the series of
/// 2·artanh((m - 1) / (m + 1)).
pub(super) fn ln(x: f64) -> f64 {
    /// √½, whose bits are taken for the boundary between two powers.
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

/// A number drawn from the standard Gumbel distribution: the place of the
/// greatest of such numbers, each shifted by a logit, is distributed as softmax
/// of the logits says (Gumbel, 1954).
pub(super) fn gumbel(rng: &mut Rng) -> f32 {
    // Strictly between 0 and 1, so that both logarithms are finite.
    let unit = ((rng.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
    -ln(-ln(unit)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_that_of_mathematics() {
        for step in -8_700..=8_800 {
            let x = step as f32 / 100.0 + 0.003;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact) / exact;
            assert!(x > 88.0 || error.abs() < 3e-7, "e^{x}: {error:e}");
        }
        assert!((exp(0.0) - 1.0).abs() < 1e-9);
        assert!(exp(-1e9) < 1e-37 && exp(-1e9) > 0.0);
        assert!(exp(f32::NEG_INFINITY) < 1e-37);
        assert!(exp(1e9).is_finite());
    }

    #[test]
    fn ln_is_that_of_mathematics() {
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
    fn gumbel_numbers_have_their_mean_and_variance() {
        let mut rng = Rng::new(7);
        let count = 200_000;
        let drawn: Vec<_> = (0..count).map(|_| f64::from(gumbel(&mut rng))).collect();
        let mean = drawn.iter().sum::<f64>() / f64::from(count);
        let squares = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        // Euler's constant, and π²/6.
        assert!((mean - 0.577_215_66).abs() < 0.01, "{mean}");
        assert!((squares / f64::from(count) - 1.644_934).abs() < 0.03);
        assert!(drawn.iter().all(|x| x.is_finite()));
    }
}
