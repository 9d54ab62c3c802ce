use super::Position;
use super::outcomes::Outcomes;
use crate::games::tic_tac_toe::cells;
use crate::games::{Cell, TicTacToe};
use crate::rules::{Outcome, Tactics, TwoPlayerGame};
use alloc::vec::Vec;

/// What marking a free square leads to, with best play afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SquareValue {
    /// The position of the square.
    pub position: Position,
    /// The outcome for the player who marks the square.
    pub outcome: BestOutcome,
    /// The number of moves to the end of the game, 1 to 9, the mark on this square
    /// included: the winner wins as soon as possible, and the loser delays it.
    pub plies: u32,
}

/// The best outcome that a player can reach, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BestOutcome {
    /// The opponent wins.
    Loss,
    /// A full board without a winner.
    CatsGame,
    /// The player wins.
    Win,
}

/// The values of free squares.
pub(super) fn square_values(
    game: &TicTacToe,
    free: impl Iterator<Item = Position>,
) -> Vec<SquareValue> {
    let value = |position| {
        let cell = Cell::try_from(position).ok()?;
        game.check(cell).ok()?;
        let (of_opponent, plies) = best(&game.after(cell));
        Some(SquareValue {
            position,
            outcome: match of_opponent {
                BestOutcome::Win => BestOutcome::Loss,
                BestOutcome::CatsGame => BestOutcome::CatsGame,
                BestOutcome::Loss => BestOutcome::Win,
            },
            plies: 1 + plies,
        })
    };
    free.filter_map(value).collect()
}

/// The best outcome of the side to move, and the number of moves to it.
///
/// A win takes few moves, so the search below the table's outcomes is small.
fn best(game: &TicTacToe) -> (BestOutcome, u32) {
    let plies = |moves| cells(moves).map(|cell| 1 + best(&game.after(cell)).1);
    match (game.outcome(), Outcomes::of(game).best_first()) {
        (Some(Outcome::Draw), _) => (BestOutcome::CatsGame, 0),
        // Only the side that moved last can have won.
        (Some(Outcome::Win(_)), _) => (BestOutcome::Loss, 0),
        (None, [0, 0, losing]) => (BestOutcome::Loss, plies(losing).max().unwrap_or(0)),
        (None, [0, _, _]) => (BestOutcome::CatsGame, game.plies_left()),
        (None, [winning, _, _]) => (BestOutcome::Win, plies(winning).min().unwrap_or(0)),
    }
}
