use super::cell_set::Cell;
use alloc::vec::Vec;
use open_ttt_lib::rules::{LineGame, Side};

/// The most lines a board may have: the sum of their weights fits in 32 bits.
const MAX_LINES: usize = 1 << 14;

/// The cells of each winning line; `None` if there are too many lines.
pub(super) fn line_cells<G: LineGame>(game: &G) -> Option<Vec<Vec<Cell>>> {
    let lines = game.winning_lines();
    let cells = |line: Vec<G::Move>| {
        line.into_iter()
            .map(|m| game.move_index(m) as Cell)
            .collect()
    };
    (lines.len() <= MAX_LINES).then(|| lines.into_iter().map(cells).collect())
}

pub(super) fn occupied<G: LineGame>(game: &G) -> impl Iterator<Item = (Cell, Side)> {
    (0..game.move_count()).filter_map(|cell| {
        let owner = game.owner_of(game.indexed_move(cell)?)?;
        Some((cell as Cell, owner))
    })
}

/// The weight of an open line by the number of pieces it lacks, for the order of
/// moves and the evaluation.
pub(super) fn line_weight(missing: usize) -> i32 {
    const WEIGHTS: [i32; 7] = [0, 400, 80, 20, 5, 1, 0];
    WEIGHTS[missing.min(WEIGHTS.len() - 1)]
}
