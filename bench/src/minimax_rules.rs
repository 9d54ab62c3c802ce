use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use minimax::Winner;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};

/// The rules of a game for `minimax`, apart from the board.
pub struct MinimaxRules<G>(PhantomData<fn() -> G>);

impl<G: TwoPlayerGame + Hash> minimax::Game for MinimaxRules<G> {
    type S = G;
    type M = G::Move;

    fn generate_moves(game: &G, moves: &mut Vec<G::Move>) -> Option<Winner> {
        let winner = Self::get_winner(game);
        if winner.is_none() {
            moves.extend(game.moves());
        }
        winner
    }

    fn apply(game: &mut G, m: G::Move) -> Option<G> {
        Some(game.after(m))
    }

    fn get_winner(game: &G) -> Option<Winner> {
        let side = game.to_move();
        game.outcome().map(|outcome| match outcome {
            Outcome::Win(winner) if winner == side => Winner::PlayerToMove,
            Outcome::Win(_) => Winner::PlayerJustMoved,
            Outcome::Draw => Winner::Draw,
        })
    }

    fn zobrist_hash(game: &G) -> u64 {
        let mut hasher = Mixer(0);
        game.hash(&mut hasher);
        hasher.finish()
    }
}

/// A quick hash that is good enough for a few thousand positions.
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(21) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
