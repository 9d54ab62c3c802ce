//! Positions that come back.
//!
//! A search follows the positions on its path. The first return to one of them counts
//! as the rule says, which keeps the value of the root: a side that can win has a
//! way without detours, and a side that can hold the draw by repeating can do so for
//! as long as the rule wants. The positions before the root are counted exactly.

use crate::Score;
use crate::position_key::{PositionKey, Salt};
use alloc::{vec, vec::Vec};
use open_ttt_lib::rules::{Outcome, Repetition, Side, TwoPlayerGame};

/// The positions before the root of a search, the oldest first; none for a game
/// without a rule about repetition.
#[derive(Clone, Debug)]
pub(crate) struct Earlier<G> {
    positions: Vec<G>,
    /// A Bloom filter of them with one bit for each (B. H. Bloom, "Space/time trade-offs in
    /// hash coding with allowable errors", 1970): a node is not compared with each
    /// position of a long game. A power of two of words, at least [`MIN_BITS`] for each
    /// position.
    filter: Vec<u64>,
}

/// The least number of bits of the filter for each position. So at most one in eight bits
/// is set, and at most one in eight new positions is compared with the earlier ones.
const MIN_BITS: usize = 8;

/// A position that has come back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeated {
    pub(crate) outcome: Outcome,
    /// The ply of its earlier occurrence on the path, the root's being 0; also 0 if
    /// it occurred before the root.
    pub(crate) ply: u32,
    /// Whether the rule itself ends the game here, and not only this search.
    pub(crate) is_final: bool,
}

impl<G: TwoPlayerGame> Earlier<G> {
    pub(crate) const NONE: Self = Self {
        positions: Vec::new(),
        filter: Vec::new(),
    };

    /// The positions before `root`.
    pub(crate) fn before(root: &G, positions: &[G]) -> Self {
        let mut earlier = Self::NONE;
        if root.repetition().is_some() {
            for position in positions {
                earlier.push(position);
            }
        }
        earlier
    }

    /// Adds the root when the search moves on from it.
    pub(crate) fn push_root(&mut self, root: &G) {
        if root.repetition().is_some() {
            self.push(root);
        }
    }

    fn push(&mut self, position: &G) {
        self.positions.push(position.clone());
        if self.positions.len() * MIN_BITS > self.filter.len() * 64 {
            let words = (2 * self.filter.len()).max(16);
            self.filter = vec![0; words];
            for at in 0..self.positions.len() {
                self.mark(at);
            }
        } else {
            self.mark(self.positions.len() - 1);
        }
    }

    fn mark(&mut self, at: usize) {
        let (word, bit) = self.place(&self.positions[at]);
        self.filter[word] |= bit;
    }

    /// The bit of the filter that is set if there is such a position.
    fn place(&self, position: &G) -> (usize, u64) {
        let key = PositionKey::of(position, Salt::NONE).index;
        let word = (key >> 6) as usize & (self.filter.len() - 1);
        (word, 1 << (key & 63))
    }

    /// How many of them equal this one.
    fn count(&self, position: &G) -> u32 {
        if self.positions.is_empty() {
            return 0;
        }
        let (word, bit) = self.place(position);
        if self.filter[word] & bit == 0 {
            return 0;
        }
        self.positions.iter().filter(|&one| one == position).count() as u32
    }

    /// Whether a move of `mover` has brought this position back. `path` gives the
    /// positions from the root to the one before it.
    pub(crate) fn repeated<'a>(
        &self,
        position: &G,
        mover: Side,
        mut path: impl Iterator<Item = &'a G>,
    ) -> Option<Repeated>
    where
        G: 'a,
    {
        let rule = position.repetition()?;
        let before_root = self.count(position);
        let on_path = path.position(|one| one == position);
        let occurrences = 1 + before_root + u32::from(on_path.is_some());
        let by_rule = rule.outcome(occurrences, mover);
        let outcome = match (by_rule, on_path, rule) {
            (Some(outcome), _, _) => outcome,
            (None, Some(_), Repetition::Draw { .. }) => Outcome::Draw,
            (None, _, _) => return None,
        };
        Some(Repeated {
            outcome,
            ply: match before_root {
                0 => on_path.unwrap_or(0) as u32,
                _ => 0,
            },
            is_final: by_rule.is_some(),
        })
    }
}

impl Repeated {
    /// The score for this side, `plies` after the root.
    pub(crate) fn score(self, side: Side, plies: u32) -> Score {
        match self.outcome {
            Outcome::Draw => Score::DRAW,
            Outcome::Win(winner) if winner == side => Score::win_in(plies),
            Outcome::Win(_) => Score::loss_in(plies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use open_ttt_lib::games::Morris;
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::FromName;

    #[test]
    fn positions_are_counted_as_by_comparing_each() {
        let mut rng = Rng::new(1);
        let start = Morris::from_name("morris(men=3)").expect("it is a game");
        let (mut earlier, mut positions) = (Earlier::NONE, Vec::new());
        let (mut unknown, mut repeated) = (0, 0);
        for _ in 0..400 {
            let mut position = start;
            while let Some(m) = rng.pick(position.moves()).filter(|_| rng.below(60) > 0) {
                let expected = positions.iter().filter(|&one| *one == position).count();
                assert_eq!(earlier.count(&position), expected as u32);
                unknown += usize::from(expected == 0);
                repeated += usize::from(expected > 1);
                earlier.push_root(&position);
                positions.push(position);
                position.play_unchecked(m);
            }
        }
        assert!(positions.len() > 3_000 && unknown > 300 && repeated > 300);
        assert_eq!(Earlier::before(&start, &positions).filter, earlier.filter);
    }
}
