//! Elementary functions made of additions and multiplications alone: those of the
//! platforms differ in their last bits, and a game must be the same on all
//! platforms.

use open_ttt_lib::random::Rng;

use crate::float::ln;

/// eˣ with a relative error of about 2⁻²²; nearly 0 below -87.
///
/// Splits eˣ = 2ⁿ·eʳ with |r| ≤ ln 2 / 2, with the Taylor polynomial of eʳ. A loop
/// over it has no branch and no call.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    /// Adding it to a small number leaves the rounded number in the low bits.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts, the first with so few bits that n times it is exact.
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

/// The maximum; negative infinity if there are no numbers.
#[inline]
pub(super) fn max_of(numbers: &[f32]) -> f32 {
    let greater = |most, &number| if number > most { number } else { most };
    numbers.iter().fold(f32::NEG_INFINITY, greater)
}

/// Replaces each number by eˣ, shifted so that the maximum becomes 1, and returns
/// the sum: softmax without the division.
#[inline]
pub(super) fn weights(logits: &mut [f32]) -> f32 {
    let most = max_of(logits);
    for logit in &mut *logits {
        *logit = exp(*logit - most);
    }
    logits.iter().sum()
}

/// A random number from the standard Gumbel distribution: the index of the maximum
/// of logits plus such numbers is distributed as their softmax (Gumbel, 1954).
pub(super) fn gumbel(rng: &mut Rng) -> f32 {
    // Strictly between 0 and 1: both logarithms are finite.
    let unit = ((rng.next_u64() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
    -ln(-ln(unit)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_accurate() {
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
