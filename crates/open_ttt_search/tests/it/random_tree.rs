//! An artificial game for the tests of searchers.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Side, TwoPlayerGame};

/// A random game tree: the number of moves, the outcome and the heuristic of a node
/// are drawn from the hash of the path to it. It has forced moves, early ends and
/// misleading heuristics. If the sides don't
/// alternate, the side to move is drawn as well, also where the game is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RandomTree<const ALTERNATES: bool> {
    hash: u64,
    plies: u32,
    deepest: u32,
}

impl<const ALTERNATES: bool> RandomTree<ALTERNATES> {
    pub(crate) fn new(seed: u64, deepest: u32) -> Self {
        Self {
            hash: Rng::new(seed).next_u64(),
            plies: 0,
            deepest,
        }
    }

    fn draw(&self, salt: u64, bound: usize) -> usize {
        Rng::new(self.hash ^ salt).below(bound)
    }
}

impl<const ALTERNATES: bool> TwoPlayerGame for RandomTree<ALTERNATES> {
    type Move = usize;
    const ALTERNATES: bool = ALTERNATES;

    fn to_move(&self) -> Side {
        if ALTERNATES {
            Side::after(self.plies)
        } else {
            Side::after(self.draw(5, 2) as u32)
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let ends = self.plies >= self.deepest || (self.plies > 1 && self.draw(1, 6) == 0);
        // The margin decides, as in a scoring game.
        ends.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        let count = match self.outcome() {
            Some(_) => 0,
            None => 1 + self.draw(2, 4),
        };
        0..count
    }

    fn play_unchecked(&mut self, m: usize) {
        self.hash = Rng::new(self.hash.wrapping_add(m as u64 + 1)).next_u64();
        self.plies += 1;
    }
}

impl<const ALTERNATES: bool> Margin for RandomTree<ALTERNATES> {
    fn margin(&self) -> i32 {
        self.draw(3, 7) as i32 - 3
    }
}

impl<const ALTERNATES: bool> Heuristic for RandomTree<ALTERNATES> {
    fn heuristic(&self) -> i32 {
        self.draw(4, 21) as i32 - 10
    }
}
