use std::collections::HashSet;

use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::{CompactKey, Notation, Symmetry, Tactics, TwoPlayerGame};

/// The positions of the book by plies from the start, without mirror images and those
/// that are won at once, each with the moves to it.
pub(crate) fn layers() -> Vec<Vec<(ConnectFour, String)>> {
    let mut layers = vec![vec![(ConnectFour::new(), String::new())]];
    for ply in 0..ConnectFour::BOOK_PLIES as usize {
        let mut keys = HashSet::new();
        let mut layer = Vec::new();
        for (game, moves) in &layers[ply] {
            for m in game.moves() {
                let next = game.after(m);
                if next.outcome().is_none() && keys.insert(next.canonical().key()) {
                    layer.push((next, format!("{moves}{}", game.move_text(m))));
                }
            }
        }
        layers.push(layer);
    }
    // One leads to others, so these go last.
    for layer in &mut layers {
        layer.retain(|(game, _)| !game.wins_at_once());
    }
    layers
}

/// The positions after each move.
pub(crate) fn successors(game: &ConnectFour) -> impl Iterator<Item = ConnectFour> {
    game.moves().map(|m| game.after(m))
}
