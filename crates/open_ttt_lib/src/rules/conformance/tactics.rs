use core::fmt::Debug;

use super::Laws;
use crate::rules::{Outcome, Side, Tactics, TwoPlayerGame};

impl<G: TwoPlayerGame + Debug> Laws<G> {
    /// Wins and threats are what the rules say they are.
    ///
    /// # Panics
    ///
    /// If a law is broken.
    #[track_caller]
    pub fn tactics(self) -> Self
    where
        G: Tactics,
    {
        let wins = |game: &G| {
            game.moves()
                .any(|m| game.after(m).outcome() == Some(Outcome::Win(game.to_move())))
        };
        for position in &self.positions {
            for side in Side::BOTH {
                let won = position.outcome() == Some(Outcome::Win(side));
                assert!(
                    !won || position.can_still_win(side),
                    "who has won could still win: {position:?}"
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
                wins(position),
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
                        "hope does not come back by {m:?}: {position:?}"
                    );
                }
            }
            if position.wins_at_once() {
                continue;
            }
            let mut promising: Vec<_> = position.non_losing_moves().collect();
            for m in position.moves() {
                let next = position.after(m);
                let loses = next.outcome().is_none() && wins(&next);
                let at = promising.iter().position(|&p| p == m);
                assert_eq!(
                    at.is_none(),
                    loses,
                    "{m:?} is promising unless it loses at once: {position:?}"
                );
                at.map(|at| promising.remove(at));
            }
            assert!(promising.is_empty(), "{promising:?} too: {position:?}");
        }
        self
    }
}
