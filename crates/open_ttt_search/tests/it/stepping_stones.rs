//! An artificial game for the tests of searchers.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Side, TwoPlayerGame};

/// A game in which transpositions are frequent, also between different plies. The
/// sides step along a row of stones, one, two or three at a time, until the last
/// stone or an earlier end. If they don't alternate, a stone may give the turn back.
///
/// Outcome and heuristic of a stone are drawn from its hash. They have few different
/// values, so that many moves are equally good.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SteppingStones<const ALTERNATES: bool = true> {
    seed: u64,
    stone: u32,
    last: u32,
    to_move: Side,
}

impl<const ALTERNATES: bool> SteppingStones<ALTERNATES> {
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

impl<const ALTERNATES: bool> TwoPlayerGame for SteppingStones<ALTERNATES> {
    type Move = u32;
    const ALTERNATES: bool = ALTERNATES;

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
        // The turn depends on the stone alone, so that transpositions stay frequent.
        if ALTERNATES || self.draw(5, 2) == 0 {
            self.to_move = !self.to_move;
        }
    }
}

impl<const ALTERNATES: bool> Margin for SteppingStones<ALTERNATES> {
    fn margin(&self) -> i32 {
        self.draw(3, 3) as i32 - 1
    }
}

impl<const ALTERNATES: bool> Heuristic for SteppingStones<ALTERNATES> {
    fn heuristic(&self) -> i32 {
        self.draw(4, 5) as i32 - 2
    }
}
