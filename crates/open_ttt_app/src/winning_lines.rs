use std::collections::HashMap;

use open_ttt_lib::rules::{Layout, Outcome, Picture, Place};

use crate::move_reader::place_names;

/// The places by which a game is won, for a board that can't show them in colour:
/// `Winning line: a1 b2 c3`. Where only columns have names, rows are counted from the bottom:
/// `Winning line (column/row): 4/1 4/2 4/3 4/4`.
///
/// `None` for a game that isn't won by a line, or whose places have no names, and for one of
/// points: its lines are counted.
///
/// ```
/// use open_ttt_app::winning_lines;
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{Drawing, TwoPlayerGame, play_text};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b1 b2 c1 c3")?;
/// let outcome = game.outcome().expect("a win");
/// let text = winning_lines(&game.picture(), outcome);
/// assert_eq!(text.as_deref(), Some("Winning line: a1 b2 c3"));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn winning_lines<M>(picture: &Picture<M>, outcome: Outcome) -> Option<String> {
    let winner = outcome.winner()?;
    if picture.points.is_some() {
        return None;
    }
    let (names, order) = match columns_and_rows(picture) {
        Some(names) => (names, " (column/row)"),
        None => (place_names(picture), ""),
    };
    let won = picture.lines.iter();
    let won = won.filter(|line| line.side.is_none_or(|side| side == winner));
    let texts = won.map(|line| {
        let names = line.places.iter().map(|place| names.get(place));
        let names: Option<Vec<_>> = names.map(|name| name.map(String::as_str)).collect();
        names.map(|names| names.join(" "))
    });
    let texts: Option<Vec<_>> = texts.collect();
    match &*texts? {
        [] => None,
        [line] => Some(format!("Winning line{order}: {line}")),
        lines => Some(format!("Winning lines{order}: {}", lines.join("; "))),
    }
}

/// The names of the places of a board on which only the columns have names.
fn columns_and_rows<M>(picture: &Picture<M>) -> Option<HashMap<Place, String>> {
    let Layout::Grid { columns, rows, .. } = &picture.layout else {
        return None;
    };
    let is_unnamed = |labels: &[String]| labels.iter().all(String::is_empty);
    if !is_unnamed(rows) || is_unnamed(columns) {
        return None;
    }
    let name = |place: Place| {
        let column = columns.get(usize::from(place.x))?;
        Some((place, format!("{column}/{}", place.y + 1)))
    };
    let cells = picture.cells.iter();
    Some(cells.filter_map(|cell| name(cell.place)).collect())
}
