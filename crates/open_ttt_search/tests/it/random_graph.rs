//! An artificial game for the tests of searchers.

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Heuristic, Margin, Outcome, Repetition, Side, TwoPlayerGame};

/// A game in which positions come back: the sides move a token along a random graph
/// until it reaches a node that ends the game. The side to move, the moves and the
/// outcome of a node are drawn from its hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RandomGraph {
    seed: u64,
    node: u32,
    nodes: u32,
    rule: Repetition,
}

impl RandomGraph {
    pub(crate) fn new(seed: u64, nodes: u32, rule: Repetition) -> Self {
        Self {
            seed,
            node: 0,
            nodes,
            rule,
        }
    }

    fn draw(&self, salt: u64, bound: usize) -> usize {
        let mixed = Rng::new(self.seed << 32 ^ u64::from(self.node) << 8 ^ salt).next_u64();
        Rng::new(mixed).below(bound)
    }
}

impl TwoPlayerGame for RandomGraph {
    /// The node to move to.
    type Move = u32;

    fn to_move(&self) -> Side {
        Side::BOTH[self.draw(1, 2)]
    }

    fn outcome(&self) -> Option<Outcome> {
        let ends = self.node > 0 && self.draw(2, 4) == 0;
        ends.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = u32> {
        let count = match self.outcome() {
            Some(_) => 0,
            None => 1 + self.draw(3, 3),
        };
        let mut targets: Vec<_> = (0..count)
            .map(|index| self.draw(10 + index as u64, self.nodes as usize) as u32)
            .filter(|&target| target != self.node)
            .collect();
        targets.sort_unstable();
        targets.dedup();
        if count > 0 && targets.is_empty() {
            targets.push((self.node + 1) % self.nodes);
        }
        targets.into_iter()
    }

    fn play_unchecked(&mut self, target: u32) {
        self.node = target;
    }

    fn repetition(&self) -> Option<Repetition> {
        Some(self.rule)
    }
}

impl Margin for RandomGraph {
    fn margin(&self) -> i32 {
        self.draw(4, 7) as i32 - 3
    }
}

impl Heuristic for RandomGraph {
    fn heuristic(&self) -> i32 {
        self.draw(5, 5) as i32 - 2
    }
}
