use super::edges::STRIDE;
use super::{BySides, DotsAndBoxes};
use crate::rules::{Heuristic, TwoPlayerGame};

impl Heuristic for DotsAndBoxes {
    /// An estimate of the final margin in hundredths of a box: the side to move completes every box
    /// it can. If each edge then lets the opponent complete a box, the chains and loops
    /// of boxes are counted for those who will get them; otherwise the rest counts for
    /// nobody.
    fn heuristic(&self) -> i32 {
        let mut game = *self;
        let mut sides = BySides::of(&game);
        while let Some(edge) = sides.completing(&game).iter().next() {
            game.play_unchecked(edge);
            sides = BySides::of(&game);
        }
        let lead = game.points(self.to_move) as i32 - game.points(!self.to_move) as i32;
        let is_quiet = sides.safe(&game).iter().next().is_some();
        let rest = if is_quiet { 0 } else { game.opening_value() };
        100 * (lead + rest)
    }
}

impl DotsAndBoxes {
    /// How many boxes more than its opponent a side gets of those that are open, if
    /// it has to open a chain or a loop and both sides keep or yield control as is
    /// best (Berlekamp, "The Dots-and-Boxes Game", 2000), opening short ones first.
    fn opening_value(&self) -> i32 {
        let mut regions = [(0, 0); (Self::MAX_SIDE as usize).pow(2)];
        let mut count = 0;
        let mut open = self.open_boxes();
        while open != 0 {
            let region = self.region(open & open.wrapping_neg());
            open &= !region;
            // The boxes left to the opponent, who then opens the next region:
            // two of a chain, four of a loop.
            let length = region.count_ones() as i32;
            let left = if self.is_loop(region) { 4 } else { 2 };
            regions[count] = (length, left);
            count += 1;
        }
        let regions = &mut regions[..count];
        regions.sort_unstable();
        regions.iter().rev().fold(0, |rest, &(length, left)| {
            let all = length + rest;
            let control = length - 2 * left - rest;
            if length > left {
                -all.max(control)
            } else {
                -all
            }
        })
    }

    /// The open boxes that are connected by edges that aren't drawn.
    const fn region(&self, start: u64) -> u64 {
        let mut region = start;
        loop {
            let up = (region << STRIDE) & !self.edges.horizontal;
            let down = (region & !self.edges.horizontal) >> STRIDE;
            let right = (region << 1) & !self.edges.vertical;
            let left = (region & !self.edges.vertical) >> 1;
            let larger = (region | up | down | right | left) & self.open_boxes();
            if larger == region {
                return region;
            }
            region = larger;
        }
    }

    /// Whether each box of a region is open to two others, and none to the outside.
    fn is_loop(&self, region: u64) -> bool {
        let open = self.free_edges().by_box();
        let around = [region << STRIDE, region << 1, region >> STRIDE, region >> 1];
        let closed = (0..4).all(|side| region & open[side] & !around[side] == 0);
        let sides: u32 = open.iter().map(|open| (open & region).count_ones()).sum();
        closed && sides == 2 * region.count_ones()
    }
}
