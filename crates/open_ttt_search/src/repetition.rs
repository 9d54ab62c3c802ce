//! Positions that come back.
//!
//! A search follows the positions on its path. The first return to one of them counts
//! as the rule says, which keeps the value of the root: a side that can win has a
//! way without detours, and a side that can hold the draw by repeating can do so for
//! as long as the rule wants. The positions before the root are counted exactly.

use crate::Score;
use alloc::vec::Vec;
use open_ttt_lib::rules::{Outcome, Repetition, Side, TwoPlayerGame};

/// The positions before the root of a search, the oldest first; none for a game
/// without a rule about repetition.
#[derive(Clone, Debug)]
pub(crate) struct Earlier<G>(Vec<G>);

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
    pub(crate) const NONE: Self = Self(Vec::new());

    /// The positions before `root`.
    pub(crate) fn before(root: &G, positions: &[G]) -> Self {
        match root.repetition() {
            Some(_) => Self(positions.to_vec()),
            None => Self::NONE,
        }
    }

    /// Adds the root when the search moves on from it.
    pub(crate) fn push_root(&mut self, root: &G) {
        if root.repetition().is_some() {
            self.0.push(root.clone());
        }
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
        let before_root = self.0.iter().filter(|&one| one == position).count() as u32;
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
