//! Values by plain minimax over whole games, independent of every search.

use std::collections::HashMap;

use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};

/// The result for the first side, 1, 0 or -1, and the plies to the end: the fastest win, the
/// slowest loss, and any way to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) first: i8,
    pub(crate) plies: u32,
}

impl Value {
    /// The result for a side.
    pub(crate) fn result(self, side: Side) -> i8 {
        match side {
            Side::First => self.first,
            Side::Second => -self.first,
        }
    }
}

/// Minimax with a memory of positions.
pub(crate) struct Minimax<G>(HashMap<G, Value>);

impl<G: TwoPlayerGame> Minimax<G> {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    pub(crate) fn value(&mut self, game: &G) -> Value {
        if let Some(&known) = self.0.get(game) {
            return known;
        }
        let value = if let Some(outcome) = game.outcome() {
            let first = match outcome {
                Outcome::Win(Side::First) => 1,
                Outcome::Draw => 0,
                Outcome::Win(Side::Second) => -1,
            };
            Value { first, plies: 0 }
        } else {
            let moves: Vec<_> = game.moves().collect();
            let values = moves.into_iter().map(|m| self.after(game, m));
            let mover = game.to_move();
            let promise = |value: &Value| {
                let plies = i64::from(value.plies);
                let result = i64::from(value.result(mover));
                (result, -result * plies)
            };
            values.max_by_key(promise).expect("a move")
        };
        self.0.insert(game.clone(), value);
        value
    }

    /// The value of a move, counted from the position before it.
    pub(crate) fn after(&mut self, game: &G, m: G::Move) -> Value {
        let value = self.value(&game.after(m));
        Value {
            plies: value.plies + 1,
            ..value
        }
    }
}

/// Whether a side can win within so many moves of both sides, by trying everything.
pub(crate) fn wins_within<G: TwoPlayerGame>(position: &G, side: Side, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(side);
    }
    let Some(left) = plies.checked_sub(1) else {
        return false;
    };
    let mut after = position.moves().map(|m| position.after(m));
    if position.to_move() == side {
        after.any(|next| wins_within(&next, side, left))
    } else {
        after.all(|next| wins_within(&next, side, left))
    }
}
