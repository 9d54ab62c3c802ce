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
                assert!(
                    position.can_still_win(side) || !position.can_force_win(side),
                    "a side that can't win can't force a win: {position:?}"
                );
                if position.can_still_win(side) && position.plies_left() <= FORCED_PLIES {
                    assert!(
                        position.can_force_win(side) || !forces_win(position, side, FORCED_PLIES),
                        "a side that can't force a win doesn't win by force: {position:?}"
                    );
                }
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
            for side in Side::BOTH {
                for plies in 0..=position.plies_left().min(FORCED_PLIES) {
                    assert!(
                        !position.wins_within(side, plies) || forces_win(position, side, plies),
                        "a side wins within {plies} plies if it says so: {position:?}"
                    );
                }
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
            if let Some(wins) = position.wins_with_second_move() {
                let found = position.moves().any(|m| loses_soon(&position.after(m)));
                assert_eq!(
                    wins, found,
                    "a win with the second move is seen: {position:?}"
                );
            }
        }
        self
    }
}

/// With more plies left, an exhaustive search would take too long.
const FORCED_PLIES: u32 = 6;

/// Whether a side wins by force within so many plies, by exhaustive search.
fn forces_win<G: TwoPlayerGame>(position: &G, side: Side, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(side);
    }
    let Some(plies) = plies.checked_sub(1) else {
        return false;
    };
    let mut moves = position.moves().map(|m| position.after(m));
    if position.to_move() == side {
        moves.any(|next| forces_win(&next, side, plies))
    } else {
        moves.all(|next| forces_win(&next, side, plies))
    }
}

/// Whether the side to move can neither win at once nor prevent the opponent's win with
/// the move after next.
fn loses_soon<G: TwoPlayerGame>(position: &G) -> bool {
    let falls = |next: G| next.outcome().is_none() && wins_at_once(&next);
    position.outcome().is_none()
        && !wins_at_once(position)
        && position.moves().all(|m| falls(position.after(m)))
}
