//! A game of tic-tac-toe in this library and in the one published as
//! `open_ttt_lib` 0.2.2, side by side.

use std::collections::HashSet;

use open_ttt_lib::tic_tac_toe::{Game, Position};

/// The same game in both libraries.
#[derive(Clone)]
#[expect(
    missing_debug_implementations,
    reason = "the published game has no Debug"
)]
pub struct Pair {
    /// In this library.
    pub ours: Game,
    /// In the published one.
    pub theirs: published::game::Game,
}

impl Pair {
    /// The first game, or with player O to begin, the second.
    pub fn new(begun_by: Beginner) -> Self {
        let mut pair = Self {
            ours: Game::new(),
            theirs: published::game::Game::new(),
        };
        if begun_by == Beginner::PlayerO {
            pair.ours.start_next_game();
            pair.theirs.start_next_game();
        }
        pair
    }

    /// Both games after a move on a free square.
    ///
    /// # Panics
    ///
    /// If one of the libraries refuses it.
    pub fn after(&self, position: Position) -> Self {
        let mut next = self.clone();
        next.ours.do_move(position);
        let moved = next.theirs.do_move(theirs(position));
        assert!(moved.is_ok(), "the published crate refuses {position}");
        next
    }
}

/// Who has the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginner {
    /// Player X.
    PlayerX,
    /// Player O.
    PlayerO,
}

/// A position as the published crate writes it.
pub fn theirs(position: Position) -> published::board::Position {
    let Position { row, column } = position;
    published::board::Position { row, column }
}

/// Every position that a game of up to `plies` moves can reach, once, the
/// earlier ones first.
pub fn positions(begun_by: Beginner, plies: usize) -> Vec<Pair> {
    let mut found = vec![Pair::new(begun_by)];
    let mut known = HashSet::from([found[0].ours.clone()]);
    let mut layer = 0..1;
    for _ in 0..plies {
        for index in layer.clone() {
            let pair = found[index].clone();
            for square in pair.ours.board().free_squares() {
                if pair.ours.can_move(square.position) {
                    let next = pair.after(square.position);
                    if known.insert(next.ours.clone()) {
                        found.push(next);
                    }
                }
            }
        }
        layer = layer.end..found.len();
    }
    found
}
