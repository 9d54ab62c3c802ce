use core::fmt::Debug;

use super::{Laws, walk};
use crate::random::Rng;
use crate::rules::{Outcome, Side, TwoPlayerGame};

/// The number of positions whose chances are computed exactly.
const EXACT_POSITIONS: usize = 20;

/// The number of playouts of each of them, and of each side to move.
const PLAYOUTS: u32 = 1_000;

/// The number of positions that may follow one whose chances are computed.
const TREE: u32 = 1_000;

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The law of [`TwoPlayerGame::play_out`]: it plays uniformly random moves.
    ///
    /// Near the end of the game the chances of each outcome are computed. From
    /// other positions, playouts are compared with random games move by move. Where
    /// positions can come back, neither is.
    #[track_caller]
    pub(super) fn playouts(&self) {
        self.playouts_depend_on_position_and_bits();
        if self.start.repetition().is_some() {
            // A playout has no history, so it ends some games later than the rule does.
            return;
        }
        self.playouts_have_exact_chances();
        for side in Side::BOTH {
            self.playouts_match_random_games(side);
        }
    }

    #[track_caller]
    fn playouts_depend_on_position_and_bits(&self) {
        for (seed, position) in (0..).zip(&self.positions) {
            let play_out = || {
                let mut rng = Rng::new(seed);
                position.clone().play_out(&mut || rng.next_u64())
            };
            if let Some(outcome) = position.outcome() {
                assert_eq!(
                    play_out(),
                    outcome,
                    "a playout of a finished game has its outcome: {position:?}"
                );
            } else if seed % 16 == 0 {
                assert_eq!(
                    play_out(),
                    play_out(),
                    "a playout depends on the position and the bits alone: {position:?}"
                );
            }
        }
    }

    #[track_caller]
    fn playouts_have_exact_chances(&self) {
        let unfinished = self.positions.iter().rev();
        let unfinished = unfinished.filter(|position| position.outcome().is_none());
        let known = unfinished.step_by(7).take(10 * EXACT_POSITIONS);
        let known = known.filter_map(|position| {
            let chances = chances(position, &mut TREE.clone())?;
            Some((position, chances))
        });
        for (seed, (position, chances)) in (1 << 32..).zip(known.take(EXACT_POSITIONS)) {
            let mut rng = Rng::new(seed);
            let mut counts = [0_u32; 3];
            for _ in 0..PLAYOUTS {
                counts[index(position.clone().play_out(&mut || rng.next_u64()))] += 1;
            }
            for (count, chance) in counts.into_iter().zip(chances) {
                let share = f64::from(count) / f64::from(PLAYOUTS);
                assert!(
                    count == 0 || chance > 0.0,
                    "a playout ends as a game can: {position:?}"
                );
                assert!(
                    (share - chance).abs() <= deviation(chance * (1.0 - chance)),
                    "a playout draws its moves uniformly: {share} of the playouts of \
                     {position:?} end as a share of {chance} of the games do"
                );
            }
        }
    }

    /// Compares playouts with random games from the positions with this side to
    /// move.
    #[track_caller]
    fn playouts_match_random_games(&self, side: Side) {
        let positions = self.positions.iter();
        let positions: Vec<_> = positions
            .filter(|position| position.outcome().is_none() && position.to_move() == side)
            .collect();
        if positions.is_empty() {
            return;
        }
        let mut rng = Rng::new(3);
        let mut counts = [[0_u32; 3]; 2];
        for _ in 0..PLAYOUTS {
            let position = positions[rng.below(positions.len())];
            let outcome = position.clone().play_out(&mut || rng.next_u64());
            counts[0][index(outcome)] += 1;
            counts[1][index(walk::random_outcome(position, &mut rng))] += 1;
        }
        for outcome in 0..3 {
            let [playouts, games] = counts.map(|counts| f64::from(counts[outcome]));
            let share = (playouts + games) / f64::from(2 * PLAYOUTS);
            let difference = (playouts - games).abs() / f64::from(PLAYOUTS);
            assert!(
                difference <= deviation(2.0 * share * (1.0 - share)),
                "playouts end as random games do: {playouts} and {games} of {PLAYOUTS} \
                 with {side:?} to move"
            );
        }
    }
}

/// By how much a share among [`PLAYOUTS`] of this variance may deviate.
///
/// By Bernstein's inequality (1924) chance exceeds it once in a thousand million
/// times.
fn deviation(variance: f64) -> f64 {
    let exponent = 2e9_f64.ln() / f64::from(PLAYOUTS);
    (2.0 * variance * exponent).sqrt() + exponent
}

/// A win of the first side, a draw, a win of the second side.
const fn index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Side::First) => 0,
        Outcome::Draw => 1,
        Outcome::Win(Side::Second) => 2,
    }
}

/// The chances of each outcome of a random game; `None` if more positions than
/// `left` would have to be visited.
fn chances<G: TwoPlayerGame>(position: &G, left: &mut u32) -> Option<[f64; 3]> {
    let mut chances = [0.0; 3];
    if let Some(outcome) = position.outcome() {
        chances[index(outcome)] = 1.0;
        return Some(chances);
    }
    *left = left.checked_sub(1)?;
    let mut moves = 0.0;
    for m in position.moves() {
        let next = self::chances(&position.after(m), left)?;
        for (sum, chance) in chances.iter_mut().zip(next) {
            *sum += chance;
        }
        moves += 1.0;
    }
    Some(chances.map(|sum| sum / moves))
}
