//! An artificial game for the tests of searchers.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Side, TwoPlayerGame};

/// A game in which transpositions are frequent, also between different plies. The
/// sides step along a row of stones, one, two or three at a time, until the last
/// stone or an earlier end.
///
/// Outcome and heuristic of a stone are drawn from its hash. They have few different
/// values, so that many moves are equally good.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SteppingStones {
    seed: u64,
    stone: u32,
    last: u32,
    to_move: Side,
}

impl SteppingStones {
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

impl TwoPlayerGame for SteppingStones {
    type Move = u32;
    const ALTERNATES: bool = true;

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

impl Margin for SteppingStones {
    fn margin(&self) -> i32 {
        self.draw(3, 3) as i32 - 1
    }
}

impl Heuristic for SteppingStones {
    fn heuristic(&self) -> i32 {
        self.draw(4, 5) as i32 - 2
    }
}
