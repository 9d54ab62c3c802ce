use core::fmt::Debug;

use super::Laws;
use crate::rules::decisive_moves::wins_at_once;
use crate::rules::{Outcome, Side, Tactics, TwoPlayerGame};

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// The laws of [`Tactics`].
    #[track_caller]
    pub fn tactics(self) -> Self
    where
        G: Tactics,
    {
        for position in &self.positions {
            for side in Side::BOTH {
                let won = position.outcome() == Some(Outcome::Win(side));
                assert!(
                    !won || position.can_still_win(side),
                    "a side that has won could still win: {position:?}"
                );
            }
            if let Some(outcome) = position.outcome() {
                let full = position.plies_left() == 0;
                assert!(
                    full || outcome != Outcome::Draw,
                    "a draw leaves no plies: {position:?}"
                );
                continue;
            }
            assert_eq!(
                position.wins_at_once(),
                wins_at_once(position),
                "a win with the next move is seen: {position:?}"
            );
            for m in position.moves() {
                let next = position.after(m);
                assert_eq!(
                    next.plies_left() + 1,
                    position.plies_left(),
                    "{m:?} takes one ply: {position:?}"
                );
                for side in Side::BOTH {
                    assert!(
                        position.can_still_win(side) || !next.can_still_win(side),
                        "a side that can't win can't after {m:?} either: {position:?}"
                    );
                }
            }
            if position.wins_at_once() {
                continue;
            }
            let mut non_losing: Vec<_> = position.non_losing_moves().collect();
            for m in position.moves() {
                let next = position.after(m);
                let loses = next.outcome().is_none() && wins_at_once(&next);
                let at = non_losing.iter().position(|&p| p == m);
                assert_eq!(
                    at.is_none(),
                    loses,
                    "{m:?} is non-losing unless the opponent wins at once: {position:?}"
                );
                at.map(|at| non_losing.remove(at));
            }
            assert!(non_losing.is_empty(), "{non_losing:?} too: {position:?}");
        }
        self
    }
}
