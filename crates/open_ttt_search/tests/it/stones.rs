//! An artificial game for the tests of searchers.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Side, TwoPlayerGame};

/// A game that exists only as numbers, in which the same position is reached in
/// many ways, and after different numbers of plies: a walk over stones in a
/// row, one, two or three ahead at a time, that ends at the last stone or on
/// the way. How, and how good it looks, is drawn from the stone's hash; there
/// are few different values, so that many moves are as good as each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stones {
    seed: u64,
    stone: u32,
    last: u32,
    to_move: Side,
}

impl Stones {
    pub(crate) fn new(seed: u64, last: u32) -> Self {
        Self {
            seed,
            stone: 0,
            last,
            to_move: Side::First,
        }
    }

    fn draw(&self, salt: u64, bound: usize) -> usize {
        let place = u64::from(self.stone) << 1 | self.to_move.index() as u64;
        let mixed = Rng::new(self.seed << 32 ^ place << 8 ^ salt).next_u64();
        Rng::new(mixed).below(bound)
    }
}

impl TwoPlayerGame for Stones {
    type Move = u32;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        let ends = self.stone >= self.last || (self.stone > 2 && self.draw(1, 7) == 0);
        ends.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = u32> {
        let count = match self.outcome() {
            Some(_) => 0,
            None => 1 + self.draw(2, 3) as u32,
        };
        1..=count
    }

    fn play_unchecked(&mut self, stones: u32) {
        self.stone += stones;
        self.to_move = !self.to_move;
    }
}

impl Margin for Stones {
    fn margin(&self) -> i32 {
        self.draw(3, 3) as i32 - 1
    }
}

impl Heuristic for Stones {
    fn heuristic(&self) -> i32 {
        self.draw(4, 5) as i32 - 2
    }
}
