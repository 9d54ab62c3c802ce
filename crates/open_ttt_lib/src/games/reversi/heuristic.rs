use super::{Reversi, STRIDE, board};
use crate::rules::{Heuristic, Side};

impl Heuristic for Reversi {
    /// In hundredths of a disc. Weighs, for each side, the squares where it can put a disc, those where the
    /// opponent may later, next to its discs, its corners, its discs on the edge
    /// that can't be turned over because own discs connect them to a corner, and
    /// its discs that may give a free corner away.
    fn heuristic(&self) -> i32 {
        let own = self.to_move;
        let features = [own, !own].map(|side| self.features(side));
        let moves = [self.mobility, self.opponent_mobility()].map(u64::count_ones);
        features[0] - features[1] + MOBILITY_WEIGHT * (moves[0] as i32 - moves[1] as i32)
    }
}

// In hundredths of a disc, as found by matches between variants.
const MOBILITY_WEIGHT: i32 = 100;
const FRONTIER_WEIGHT: i32 = 40;
const CORNER_WEIGHT: i32 = 400;
const STABLE_WEIGHT: i32 = 250;
const DIAGONAL_TO_CORNER_WEIGHT: i32 = 500;
const BESIDE_CORNER_WEIGHT: i32 = 80;

impl Reversi {
    /// The part of the heuristic that depends on one side's discs.
    fn features(&self, side: Side) -> i32 {
        let own = self.discs[side.index()];
        let free = self.free();
        let corners = self.corners();
        let count = |squares: u64| squares.count_ones() as i32;
        let edges = self.board() & !self.inner();
        let mut stable = own & corners;
        for _ in 1..self.size {
            stable |= own & edges & orthogonal(stable);
        }
        let diagonal = |squares: u64| {
            let beside = horizontal(squares);
            beside << STRIDE | beside >> STRIDE
        };
        let neighbours = |squares: u64| orthogonal(squares) | diagonal(squares);
        CORNER_WEIGHT * count(own & corners) + STABLE_WEIGHT * count(stable)
            - FRONTIER_WEIGHT * count(free & neighbours(own))
            - DIAGONAL_TO_CORNER_WEIGHT * count(own & diagonal(free & corners))
            - BESIDE_CORNER_WEIGHT * count(own & orthogonal(free & corners) & edges)
    }

    const fn corners(&self) -> u64 {
        let last = self.size - 1;
        (1 | 1 << last) | (1 | 1 << last) << (STRIDE * last)
    }

    /// The squares that aren't on the edge.
    const fn inner(&self) -> u64 {
        board(self.size - 2) << (STRIDE + 1)
    }
}

/// The squares to the left and right of others.
const fn horizontal(squares: u64) -> u64 {
    const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
    squares << 1 & !FIRST_COLUMN | (squares & !FIRST_COLUMN) >> 1
}

/// The squares to the left and right of others, above and below.
const fn orthogonal(squares: u64) -> u64 {
    horizontal(squares) | squares << STRIDE | squares >> STRIDE
}
