//! Puzzles in words.

use open_ttt_coach::{Goal, PositionValues, Puzzle};
use open_ttt_lib::rules::{Drawing, Notation};

use crate::worth_text;

/// What a puzzle asks of the side to move, as a sentence.
///
/// ```
/// use open_ttt_app::puzzle_task;
/// use open_ttt_coach::{Goal, Puzzle};
///
/// let puzzle = Puzzle {
///     moves: Vec::new(),
///     goal: Goal::Win,
///     plies: Some(5),
///     rating: 900,
///     solution: vec!['a'],
/// };
/// assert_eq!(puzzle_task(&puzzle, "X"), "X to move: find the only move that wins, in 5.");
/// ```
pub fn puzzle_task<M>(puzzle: &Puzzle<M>, name: &str) -> String {
    let distance = match puzzle.plies {
        Some(1) if puzzle.goal.is_win() => return format!("{name} to move and win at once."),
        Some(plies) => format!(", in {plies}"),
        None => String::new(),
    };
    let wanted = match puzzle.goal {
        Goal::Win => "the only move that wins",
        Goal::FastestWin => "the fastest win",
        Goal::Draw | Goal::Defend => "the only move that doesn't lose",
    };
    format!("{name} to move: find {wanted}{distance}.")
}

/// Why a move isn't the solution of a puzzle, as a sentence: what it fails to do, and the
/// reply to it if the values of the position after it are given.
pub fn wrong_move_text<G: Notation + Drawing>(
    goal: Goal,
    position: &G,
    wrong: G::Move,
    values: Option<&PositionValues<G::Move>>,
) -> String {
    let text = position.move_text(wrong);
    let fails = match goal {
        Goal::Win => "doesn't win",
        Goal::FastestWin => "isn't the fastest win",
        Goal::Draw => "doesn't hold the draw",
        Goal::Defend => "loses",
    };
    let Some(best) = values.and_then(PositionValues::best) else {
        return format!("{text} {fails}.");
    };
    let after = position.after(wrong);
    let name = after.side_name(after.to_move());
    let reply = after.move_text(best.m);
    let worth = if best.is_proved() {
        format!(", and {}", worth_text(name, best))
    } else {
        String::new()
    };
    format!("{text} {fails}: {name} plays {reply}{worth}.")
}
