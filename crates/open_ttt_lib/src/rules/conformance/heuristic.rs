use core::fmt::Debug;

use super::{Laws, walk};
use crate::random::Rng;
use crate::rules::{Heuristic, Outcome, Side, Symmetry, TwoPlayerGame};

/// A search clamps values beyond this, so that it can't tell them apart.
const MAX_EVALUATION: i32 = 1_000_000;

/// The number of random games whose winners are compared with the evaluations.
const GAMES: usize = 400;

/// The fewest won and lost games that are compared.
const FEWEST: usize = 20;

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The laws of [`Heuristic`] except the one about symmetries.
    ///
    /// That a value is for the side to move is checked on random games: the last
    /// evaluations of a side in the games that it wins aren't lower, on the whole,
    /// than in those that it loses. An evaluation that has nothing to do with
    /// winning passes.
    #[track_caller]
    pub fn heuristic(self) -> Self
    where
        G: Heuristic,
    {
        for position in &self.positions {
            let value = position.heuristic();
            assert!(
                (-MAX_EVALUATION..=MAX_EVALUATION).contains(&value),
                "{value} is within ±{MAX_EVALUATION}: {position:?}"
            );
        }
        for [one, other] in walk::transpositions(&self.start) {
            assert_eq!(
                one.heuristic(),
                other.heuristic(),
                "equal positions have equal values: {one:?}, {other:?}"
            );
        }
        let mut rng = Rng::new(4);
        // By side: its last evaluations in games that it won and that it lost.
        let mut values = [const { [const { Vec::new() }; 2] }; 2];
        for _ in 0..GAMES {
            let game = walk::random_game(&self.start, &mut rng);
            let Some(Outcome::Win(winner)) = game.outcome else {
                continue;
            };
            for side in Side::BOTH {
                let mut positions = game.positions.iter().rev();
                let last =
                    positions.find(|last| last.outcome().is_none() && last.to_move() == side);
                let last = last.map(Heuristic::heuristic);
                values[side.index()][usize::from(side != winner)].extend(last);
            }
        }
        for side in Side::BOTH {
            let [won, lost] = &values[side.index()];
            assert!(
                !is_lower(won, lost),
                "a value is for the side to move: {side:?} values its positions in games \
                 that it wins lower than in games that it loses"
            );
        }
        self
    }

    /// The law of [`Heuristic`] about symmetries: a position and its images have
    /// equal values.
    #[track_caller]
    pub fn heuristic_images(self) -> Self
    where
        G: Heuristic + Symmetry,
    {
        for position in &self.positions {
            for &transform in self.start.symmetries() {
                assert_eq!(
                    position.image(transform).heuristic(),
                    position.heuristic(),
                    "an image has the position's value: {transform:?} of {position:?}"
                );
            }
        }
        self
    }
}

/// Whether some numbers are lower than others, on the whole, and not by chance.
///
/// It is the test of Mann and Whitney (1947), at five standard deviations: chance
/// alone exceeds it once in three million times.
fn is_lower(some: &[i32], others: &[i32]) -> bool {
    if some.len().min(others.len()) < FEWEST {
        return false;
    }
    let balance: i64 = some
        .iter()
        .flat_map(|one| others.iter().map(move |other| one.cmp(other) as i64))
        .sum();
    let (n, m) = (some.len() as f64, others.len() as f64);
    // The balance is twice the statistic U, centred.
    let deviation = 2.0 * (n * m * (n + m + 1.0) / 12.0).sqrt();
    (balance as f64) < -5.0 * deviation
}
