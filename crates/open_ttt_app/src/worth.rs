//! What moves are worth, in words.

use open_ttt_coach::{GameValue, MoveValue, SolvedValue};

/// The result under best play as the end of a sentence whose subject is the side to move:
/// `wins in 5`, `loses by 2`, `draws`, `has won`, `unknown`.
///
/// ```
/// use open_ttt_app::solved_clause;
/// use open_ttt_coach::{GameValue, SolvedValue};
///
/// let win = SolvedValue::only(GameValue::Win).with_plies(Some(5));
/// assert_eq!(solved_clause(win), "wins in 5");
/// ```
pub fn solved_clause(value: SolvedValue) -> String {
    let points = value.margin.filter(|&margin| margin != 0);
    let points = points.map_or_else(String::new, |margin| format!(" by {}", margin.abs()));
    let verb = match (value.result, value.plies) {
        (GameValue::Win, Some(0)) => "has won",
        (GameValue::Loss, Some(0)) => "has lost",
        (GameValue::Win, _) => "wins",
        (GameValue::Loss, _) => "loses",
        (GameValue::Draw, _) => "draws",
        (GameValue::Unknown, _) => return "unknown".to_owned(),
    };
    let distance = match value.plies {
        Some(plies) if plies > 0 && points.is_empty() => format!(" in {plies}"),
        _ => String::new(),
    };
    format!("{verb}{points}{distance}")
}

/// What a move is worth, as [`solved_clause`] if its result is proved, and otherwise an
/// estimate: `48 of 100 points, give or take 2`.
///
/// ```
/// use open_ttt_app::worth_clause;
/// use open_ttt_coach::MoveValue;
///
/// let value = MoveValue::estimated('a', 0.48, 0.02);
/// assert_eq!(worth_clause(&value), "48 of 100 points, give or take 2");
/// ```
pub fn worth_clause<M>(value: &MoveValue<M>) -> String {
    if value.is_proved() {
        return solved_clause(value.solved);
    }
    let [points, give_or_take] = [value.expected, value.uncertainty].map(|share| 100.0 * share);
    if give_or_take >= 50.0 {
        return "unknown".to_owned();
    }
    format!("{points:.0} of 100 points, give or take {give_or_take:.0}")
}

/// What a move is worth to the side that plays it: `X wins in 5`, `48 of 100 points, give
/// or take 2`.
pub fn worth_text<M>(name: &str, value: &MoveValue<M>) -> String {
    let clause = worth_clause(value);
    if value.is_proved() {
        format!("{name} {clause}")
    } else {
        clause
    }
}
