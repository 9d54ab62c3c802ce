//! How a computer errs: one notion for every player and game.
//!
//! A difficulty is the probability of a mistake on each move. With this
//! probability the computer overlooks the best result it could reach: it leaves
//! out every move of that [`Grade`](open_ttt_search::Grade), and plays the best of
//! the rest. A move that wins in five is no mistake where another wins in three.
//! Where all moves are of one grade there is no mistake to make.
//!
//! At 0 it never errs; at 1 it overlooks the best result each time. How much
//! that hurts depends on what the player knows: one that sees the end of the
//! game gives wins away, one that only judges by points gives points away.

use super::Decision;
use open_ttt_lib::random::{Probability, Rng};
use open_ttt_search::Score;

/// How often a computer errs, and the chance by which it does and by which it
/// chooses among equals.
#[derive(Clone, Debug, PartialEq)]
pub struct Difficulty {
    /// The probability of a mistake on each move.
    pub mistakes: Probability,
    /// Where chance comes from.
    pub rng: Rng,
}

impl Difficulty {
    /// Never errs, and chooses among equals differently from run to run.
    pub fn unerring() -> Self {
        Self {
            mistakes: Probability::NEVER,
            rng: Rng::from_entropy(),
        }
    }

    /// Never errs, and chooses among equals as this seed says.
    pub const fn seeded(seed: u64) -> Self {
        Self {
            mistakes: Probability::NEVER,
            rng: Rng::new(seed),
        }
    }

    /// Whether it errs on the move to be made now.
    pub(super) fn errs_now(&mut self) -> bool {
        self.rng.chance(self.mistakes)
    }

    /// One of the best moves of a list sorted by score, or of the best that
    /// are left when those of the best grade are overlooked.
    pub(super) fn choose<M: Copy>(&mut self, moves: &[(M, Score)], errs: bool) -> Decision<M> {
        let Some(&(_, best)) = moves.first() else {
            return Decision::Resign;
        };
        let overlooked = moves.partition_point(|(_, score)| score.grade() == best.grade());
        let seen = match &moves[overlooked..] {
            rest if errs && !rest.is_empty() => rest,
            _ => moves,
        };
        let equals = seen.iter().take_while(|(_, score)| *score == seen[0].1);
        self.rng
            .pick(equals)
            .map_or(Decision::Resign, |&(m, _)| Decision::Play(m))
    }
}
