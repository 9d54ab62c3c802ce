//! The sequential test against other ways of computing it.

use open_ttt_lib::random::Rng;
use open_ttt_players::{Hypothesis, PentanomialScore, Sprt, SprtError};

/// The share of the points for each count.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn share_at(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

fn ratio(elo0: f64, elo1: f64, counts: [u32; 5]) -> f64 {
    let sprt = Sprt::new(elo0, elo1).unwrap();
    sprt.log_likelihood_ratio(&PentanomialScore { counts })
}

#[test]
fn the_bounds_are_those_of_wald() {
    let sprt = Sprt::new(0.0, 5.0).unwrap();
    assert!((sprt.upper_bound() - 19.0_f64.ln()).abs() < 1e-12);
    assert!((sprt.lower_bound() + 19.0_f64.ln()).abs() < 1e-12);
    let sprt = sprt.with_error_rates(0.01, 0.2).unwrap();
    assert!((sprt.upper_bound() - 80.0_f64.ln()).abs() < 1e-12);
    assert!((sprt.lower_bound() - (20.0_f64 / 99.0).ln()).abs() < 1e-12);
    assert_eq!((sprt.elo0(), sprt.elo1()), (0.0, 5.0));
}

/// For pairs won or lost outright this is Wald's test of a coin. The stand-in for
/// unseen results makes a difference of a few thousandths.
#[test]
fn decided_pairs_are_tested_like_a_coin() {
    for (elo0, elo1) in [(0.0, 10.0), (-20.0, 20.0), (100.0, 300.0)] {
        for (lost, won) in [(50, 50), (10, 90), (700, 1_300), (1, 1)] {
            let (s0, s1) = (share_at(elo0), share_at(elo1));
            let expected =
                f64::from(won) * (s1 / s0).ln() + f64::from(lost) * ((1.0 - s1) / (1.0 - s0)).ln();
            let found = ratio(elo0, elo1, [lost, 0, 0, 0, won]);
            assert!((found - expected).abs() < 0.02, "{found} {expected}");
        }
    }
}

/// The greatest log-likelihood of these weights over all distributions with this
/// mean, by coordinate ascent: each step moves probability between three
/// neighbours without changing the mean.
fn climb(weights: [f64; 5], mean: f64) -> f64 {
    let likelihood = |chances: &[f64; 5]| -> f64 {
        let terms = weights.iter().zip(chances);
        terms.map(|(weight, chance)| weight * chance.ln()).sum()
    };
    // Start with this mean and no zeros.
    let mut chances = [0.0; 5];
    for (cell, chance) in chances.iter_mut().enumerate() {
        *chance = 0.01 + 0.95 * [1.0 - mean, 0.0, 0.0, 0.0, mean][cell];
    }
    let shift: f64 = chances.iter().zip(SHARES).map(|(p, a)| p * a).sum();
    chances[4] += mean - shift;
    chances[0] -= mean - shift;
    for _ in 0..3_000 {
        for cell in 0..3 {
            let moved = |by: f64| {
                let mut next = chances;
                next[cell] += by;
                next[cell + 1] -= 2.0 * by;
                next[cell + 2] += by;
                next
            };
            let mut low = -chances[cell].min(chances[cell + 2]);
            let mut high = chances[cell + 1] / 2.0;
            for _ in 0..60 {
                let (one, other) = ((2.0 * low + high) / 3.0, (low + 2.0 * high) / 3.0);
                if likelihood(&moved(one)) < likelihood(&moved(other)) {
                    low = one;
                } else {
                    high = other;
                }
            }
            chances = moved(f64::midpoint(low, high));
        }
    }
    likelihood(&chances)
}

#[test]
fn the_ratio_uses_the_maximum_likelihood_distributions() {
    for counts in [
        [10, 20, 40, 20, 10],
        [3, 17, 60, 41, 9],
        [40, 10, 5, 30, 100],
        [1, 1, 1, 1, 1],
    ] {
        for (elo0, elo1) in [(0.0, 10.0), (-50.0, 80.0)] {
            let weights = counts.map(f64::from);
            let expected = climb(weights, share_at(elo1)) - climb(weights, share_at(elo0));
            let found = ratio(elo0, elo1, counts);
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }
}

/// With three results the maximum-likelihood distribution with mean s is the root
/// of a quadratic equation: draws have probability 2u, wins s - u, losses
/// 1 - s - u, and for W wins, D draws and L losses the likelihood is greatest at
/// W/(s - u) + L/(1 - s - u) = D/u.
#[test]
fn three_results_have_a_closed_form() {
    let likelihood = |[losses, draws, wins]: [f64; 3], s: f64| {
        // Cleared of fractions: a u² - b u + c = 0.
        let a = wins + draws + losses;
        let b = draws + wins * (1.0 - s) + losses * s;
        let c = draws * s * (1.0 - s);
        let u = (b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
        wins * (s - u).ln() + draws * (2.0 * u).ln() + losses * (1.0 - s - u).ln()
    };
    for [l, d, w] in [[300, 500, 200], [10, 980, 40], [800, 100, 900]] {
        let seen = [l, d, w].map(f64::from);
        let expected = likelihood(seen, share_at(15.0)) - likelihood(seen, share_at(-5.0));
        let found = ratio(-5.0, 15.0, [l, 0, d, 0, w]);
        assert!((found - expected).abs() < 0.02, "{found} {expected}");
    }
}

#[test]
fn the_ratio_follows_the_results() {
    assert!(ratio(0.0, 10.0, [0; 5]).abs() < 1e-12);
    assert!(ratio(0.0, 10.0, [0, 0, 0, 0, 500]) > 3.0);
    assert!(ratio(0.0, 10.0, [500, 0, 0, 0, 0]) < -3.0);
    // Drawn pairs favour the difference of zero.
    assert!(ratio(0.0, 10.0, [0, 0, 500, 0, 0]) < -3.0);
    // Mirrored pairs and mirrored differences mirror the ratio.
    let one = ratio(-5.0, 15.0, [3, 17, 60, 41, 9]);
    let other = ratio(-15.0, 5.0, [9, 41, 60, 17, 3]);
    assert!((one + other).abs() < 1e-9);
    let most = u32::MAX / 5;
    assert!(ratio(-1_000.0, 1_000.0, [most; 5]).is_finite());
    assert!(ratio(-1_000.0, 1_000.0, [0, 0, 0, 0, most]).is_finite());
}

/// How many of `tries` simulated matches at this Elo difference accept the wrong
/// hypothesis, and the mean number of pairs.
fn wrong(sprt: &Sprt, elo: f64, right: Hypothesis, tries: u32) -> (u32, u64) {
    let mean = share_at(elo);
    // Half of the pairs are drawn, a quarter won, a quarter lost.
    let base: [f64; 5] = [0.06, 0.19, 0.5, 0.19, 0.06];
    let tilt = (mean - 0.5) / 0.2;
    let chances: Vec<f64> = (0..5)
        .map(|cell| base[cell] + tilt * [-0.1, -0.2, 0.0, 0.2, 0.1][cell])
        .collect();
    let found: f64 = chances.iter().zip(SHARES).map(|(p, a)| p * a).sum();
    assert!((found - mean).abs() < 0.001, "{found} {mean}");
    let mut rng = Rng::new(1);
    let (mut wrong, mut pairs) = (0, 0);
    for _ in 0..tries {
        let mut score = PentanomialScore::default();
        let accepted = loop {
            let throw = rng.below(1_000_000) as f64 / 1e6;
            let mut sum = 0.0;
            let cell = chances.iter().position(|chance| {
                sum += chance;
                throw < sum
            });
            score.counts[cell.unwrap_or(4)] += 1;
            if let Some(accepted) = sprt.accepted(&score) {
                break accepted;
            }
        };
        wrong += u32::from(accepted != right);
        pairs += u64::from(score.pairs());
    }
    (wrong, pairs / u64::from(tries))
}

#[test]
fn error_rates_hold() {
    let sprt = Sprt::new(0.0, 40.0).unwrap();
    for (elo, right) in [(0.0, Hypothesis::Elo0), (40.0, Hypothesis::Elo1)] {
        let (wrong, pairs) = wrong(&sprt, elo, right, 400);
        // At most 20 of 400 expected; four standard deviations more is 37.
        assert!(wrong <= 37, "{wrong} of 400 at {elo}");
        assert!(wrong > 0, "a test without errors plays too long");
        assert!((20..2_000).contains(&pairs), "{pairs}");
    }
}

#[test]
fn invalid_parameters() {
    for (elo0, elo1) in [(5.0, 5.0), (5.0, 0.0), (0.0, 1_001.0), (-1_001.0, 0.0)] {
        let error = Sprt::new(elo0, elo1).unwrap_err();
        assert_eq!(error, SprtError::Elo { elo0, elo1 });
    }
    assert!(Sprt::new(f64::NAN, 0.0).is_err());
    assert!(Sprt::new(0.0, f64::INFINITY).is_err());
    assert_eq!(
        Sprt::new(5.0, 0.0).unwrap_err().to_string(),
        "5 and 0 aren't two Elo differences from -1000 to 1000, the smaller one first"
    );
    let sprt = Sprt::new(0.0, 5.0).unwrap();
    for chance in [0.0, 0.6, -0.1] {
        assert_eq!(
            sprt.with_error_rates(chance, 0.1),
            Err(SprtError::ErrorRate { rate: chance })
        );
        assert_eq!(
            sprt.with_error_rates(0.1, chance),
            Err(SprtError::ErrorRate { rate: chance })
        );
    }
    assert_eq!(
        sprt.with_error_rates(0.7, 0.1).unwrap_err().to_string(),
        "0.7 isn't an error rate above 0 and at most 0.5"
    );
}
