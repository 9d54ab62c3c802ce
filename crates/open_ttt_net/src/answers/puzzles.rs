//! The puzzles that come with games.

use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_lib::rules::History;
use serde::Deserialize;

use super::bad_request;
use crate::matches::Seat;
use crate::protocol::{BoardView, ErrorCode, ErrorReport, GamePuzzle};

/// Which puzzle is wanted: that of the day if nothing is given.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct PuzzleParameters {
    /// The number, from 1.
    number: Option<usize>,
    /// The rating that its own is to be near.
    rating: Option<u32>,
}

impl PuzzleParameters {
    /// The puzzle with this number; that of the day without one.
    pub(crate) const fn numbered(number: Option<usize>) -> Self {
        Self {
            number,
            rating: None,
        }
    }
}

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// A puzzle of the game with this name, at this time in milliseconds since 1970.
pub(crate) fn puzzle(
    catalog: &Catalog,
    name: &str,
    wanted: PuzzleParameters,
    now_ms: u64,
) -> Result<GamePuzzle, ErrorReport> {
    let missing = |text: &str| ErrorReport::new(ErrorCode::NotFound, text);
    let start = catalog.game(name).map_err(bad_request)?;
    let puzzles = start.puzzles();
    let index = match (wanted.number, wanted.rating) {
        (Some(number), _) => number.checked_sub(1),
        (None, Some(rating)) => puzzles.nearest(rating),
        (None, None) => puzzles.daily(now_ms / DAY),
    };
    let puzzle = index.and_then(|index| Some((index, puzzles.get(index)?)));
    let Some((index, puzzle)) = puzzle else {
        return Err(missing(match puzzles.len() {
            0 => "There are no puzzles for this game.",
            _ => "There is no puzzle with this number.",
        }));
    };
    let puzzle =
        puzzle.map_err(|error| ErrorReport::new(ErrorCode::NotFound, error.to_string()))?;
    let view = |position: &DynGame, last: Option<(&DynGame, DynMove)>| {
        BoardView::of(position, last, |side| Seat::ALL[side.index()])
    };
    let mut game = History::new(start.clone());
    let mut before = start;
    for &m in &puzzle.moves {
        before = game.position().clone();
        game.play_unchecked(m);
    }
    let last = puzzle.moves.last().map(|&m| (&before, m));
    let mut boards = vec![view(game.position(), last)];
    for &m in &puzzle.solution {
        let before = game.position().clone();
        game.play_unchecked(m);
        boards.push(view(game.position(), Some((&before, m))));
    }
    if game.outcome().is_some()
        && let Some(board) = boards.last_mut()
    {
        board.end();
    }
    let mut moves = game.move_texts();
    let solution = moves.split_off(puzzle.moves.len());
    Ok(GamePuzzle {
        game: name.to_owned(),
        number: index + 1,
        count: puzzles.len(),
        rating: puzzle.rating,
        stars: puzzle.stars(),
        goal: puzzle.goal.as_str().to_owned(),
        plies: puzzle.plies,
        moves,
        solution,
        boards,
    })
}
