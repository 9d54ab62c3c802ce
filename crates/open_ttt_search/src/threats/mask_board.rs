use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::cell_set::{Cell, CellSet};
use super::four_search::{Four, FourBoard, FourSearch, ThreatResult};
use super::line_masks::{Bitboards, LineMasks, bit, cells, is_pair};
use super::proof_table::hash;
use crate::budget::BudgetMeter;

/// A board of at most 64 cells for a search of fours, as fast as a proof needs it.
///
/// It carries along the lines on which the attacker can make a four, each as its
/// two free cells: a four removes those that it or its block touches, and adds
/// those through its own cell. A four that neither adds one nor blocks the
/// defender is left out, so the search may miss a win.
#[derive(Debug)]
pub(super) struct MaskBoard {
    pub(super) masks: LineMasks,
    /// The free cells of the lines to make a four on, those of each node above
    /// those of its parent.
    pairs: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MaskNode {
    /// The pieces, seen from the attacker.
    pieces: Bitboards,
    /// The cell by which the defender would complete a line; 0 if there is none.
    must_block: u64,
    /// The index of the node's first pair.
    first_pair: usize,
}

impl MaskNode {
    const fn root(pieces: Bitboards, must_block: u64) -> Self {
        Self {
            pieces,
            must_block,
            first_pair: 0,
        }
    }
}

/// The fours to try: those on one pair, then those on the pairs from an index on.
pub(super) struct PairFours {
    pair: u64,
    left: u64,
    pairs: core::ops::Range<usize>,
}

impl MaskBoard {
    pub(super) fn new(masks: LineMasks) -> Self {
        Self {
            masks,
            pairs: Vec::new(),
        }
    }
}

impl FourBoard for MaskBoard {
    type Node = MaskNode;
    type Fours = PairFours;

    /// Finds double fours at once: they are the cells that two pairs share.
    fn expand(&self, node: MaskNode, line: &mut Vec<Cell>) -> ControlFlow<ThreatResult, PairFours> {
        let pairs = &self.pairs[node.first_pair..];
        let [mut once, mut twice] = [0; 2];
        for &pair in pairs {
            twice |= once & pair;
            once |= pair;
        }
        if node.must_block != 0 {
            once &= node.must_block;
            twice &= node.must_block;
        }
        if once == 0 {
            return ControlFlow::Break(ThreatResult::NoWin);
        }
        for four in cells(twice) {
            let through = pairs.iter().filter(|&pair| pair & bit(four) != 0);
            let ends = through.fold(0, |ends, pair| ends | pair) & !bit(four);
            if !ends.is_power_of_two() {
                let mut ends = cells(ends);
                if let (Some(first), Some(second)) = (ends.next(), ends.next()) {
                    line.extend([second, first, four]);
                }
                return ControlFlow::Break(ThreatResult::Win);
            }
        }
        ControlFlow::Continue(PairFours {
            pair: 0,
            left: 0,
            pairs: node.first_pair..self.pairs.len(),
        })
    }

    fn key(&self, node: MaskNode) -> u64 {
        hash([node.pieces.own, node.pieces.opponent])
    }

    fn play_next(&mut self, node: MaskNode, fours: &mut PairFours) -> Option<Four<MaskNode>> {
        let end = fours.pairs.end;
        loop {
            while fours.left == 0 {
                fours.pair = self.pairs[fours.pairs.next()?];
                fours.left = match node.must_block {
                    0 => fours.pair,
                    cell => fours.pair & cell,
                };
            }
            let four = fours.left.trailing_zeros() as Cell;
            fours.left &= fours.left - 1;
            let block = fours.pair & !bit(four);
            let pieces = node.pieces.with_pair(bit(four), block);
            let gained = self.masks.open(pieces, Some(four));
            self.pairs.extend(gained.filter(|&free| is_pair(free)));
            if self.pairs.len() == end && node.must_block == 0 {
                continue;
            }
            let block = block.trailing_zeros() as Cell;
            let must_block = self.masks.fives(pieces.swapped(), Some(block));
            if must_block & must_block.wrapping_sub(1) != 0 {
                self.pairs.truncate(end);
                continue;
            }
            for kept in node.first_pair..end {
                let pair = self.pairs[kept];
                if pair & fours.pair == 0 {
                    self.pairs.push(pair);
                }
            }
            let child = MaskNode {
                pieces,
                must_block,
                first_pair: end,
            };
            return Some(Four::Blocked([four, block], child));
        }
    }

    fn undo_pair(&mut self, _: [Cell; 2], child: MaskNode) {
        self.pairs.truncate(child.first_pair);
    }

    fn play_pair(&mut self, [four, block]: [Cell; 2], node: MaskNode) -> MaskNode {
        MaskNode {
            pieces: node.pieces.with_pair(bit(four), bit(block)),
            must_block: 0,
            first_pair: self.pairs.len(),
        }
    }

    fn defender_fours(&self, node: MaskNode, through: Option<Cell>) -> CellSet {
        CellSet::from(self.masks.fours(node.pieces.swapped(), through))
    }
}

/// The most positions that one search for a win by fours visits.
const MAX_NODES: u32 = 2_000;

impl FourSearch<MaskBoard> {
    /// Whether the own side, to move, is found to win by fours.
    ///
    /// If `using` is a cell, only a win that needs the own piece there is looked
    /// for: without the piece there was none.
    pub(super) fn wins(
        &mut self,
        pieces: Bitboards,
        using: Option<Cell>,
        meter: &mut BudgetMeter<'_>,
    ) -> bool {
        let MaskBoard { masks, pairs } = &mut self.board;
        pairs.clear();
        let mut fives = 0;
        let mut reached = pieces.own;
        for free in masks.open(pieces, None) {
            if free.is_power_of_two() {
                fives |= free;
            } else if is_pair(free) {
                pairs.push(free);
                reached |= free;
            }
        }
        if let Some(five) = cells(fives).next() {
            self.line.clear();
            self.line.push(five);
            return true;
        }
        let must_block = masks.fives(pieces.swapped(), None);
        if pairs.is_empty() || must_block & must_block.wrapping_sub(1) != 0 {
            return false;
        }
        if let Some(cell) = using {
            let others = reached & !bit(cell);
            let is_useful = |&line: &u64| line & pieces.opponent == 0 && line & others != 0;
            if !masks.through(cell).iter().any(is_useful) {
                return false;
            }
        }
        let root = MaskNode::root(pieces, must_block);
        self.search(root, MAX_NODES, meter) == ThreatResult::Win
    }

    /// The defences of the opponent, to move, against a win by fours that the own
    /// side threatens: every move after which no such win is found; `None` if none
    /// is found to be threatened. Neither side may be able to complete a line at
    /// once.
    pub(super) fn defences(
        &mut self,
        pieces: Bitboards,
        using: Option<Cell>,
        meter: &mut BudgetMeter<'_>,
    ) -> Option<u64> {
        if !self.wins(pieces, using, meter) {
            return None;
        }
        let mut defences = self.blocking_mask(pieces) & pieces.free();
        let mut tried = 0;
        while let Some(cell) = cells(defences & !tried).next() {
            tried |= bit(cell);
            if self.wins(pieces.with_pair(0, bit(cell)), None, meter) {
                // A defence must stop this win as well, which holds without the
                // piece on the cell, too.
                defences &= self.blocking_mask(pieces) & !bit(cell);
            }
        }
        Some(defences)
    }

    fn blocking_mask(&mut self, pieces: Bitboards) -> u64 {
        self.blocking_cells(MaskNode::root(pieces, 0)).first_word()
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::occupied;
    use super::super::random_line_game::RandomLineGame;
    use super::*;
    use crate::{Budget, StopFlag};
    use open_ttt_lib::random::Rng;
    use open_ttt_lib::rules::{LineGame, Side, TwoPlayerGame};

    /// The places that complete a line for a side.
    fn fives(game: &RandomLineGame, side: Side) -> Vec<usize> {
        let lines = game.winning_lines();
        let mut places: Vec<_> = game.moves().collect();
        places.retain(|&m| {
            let done = |&place: &usize| place == m || game.owner_of(place) == Some(side);
            let through = lines.iter().filter(|line| line.contains(&m));
            through.clone().any(|line| line.iter().all(done))
        });
        places
    }

    /// Whether the side to move wins by fours, found by trying every move.
    fn wins_by_fours(game: &RandomLineGame) -> bool {
        let attacker = game.to_move();
        if !fives(game, attacker).is_empty() {
            return true;
        }
        let must_block = fives(game, !attacker);
        game.moves().any(|m| {
            let next = game.after(m);
            if must_block.iter().any(|&place| place != m) || next.outcome().is_some() {
                return false;
            }
            match fives(&next, attacker)[..] {
                [] => false,
                [answer] => {
                    let later = next.after(answer);
                    later.outcome().is_none() && wins_by_fours(&later)
                }
                [_, _, ..] => true,
            }
        })
    }

    fn bitboards(game: &RandomLineGame, side: Side) -> Bitboards {
        let of = |side| {
            let owned = occupied(game).filter(|&(_, owner)| owner == side);
            owned.fold(0, |pieces, (cell, _)| pieces | bit(cell))
        };
        Bitboards::new(of(side), of(!side))
    }

    /// The numbers of wins found and missed, and of moves that are defences or not.
    #[derive(Debug, Default)]
    struct Counts {
        found: usize,
        missed: usize,
        defences: usize,
        pruned: usize,
    }

    /// Compares wins and defences in a position with the exhaustive search.
    #[track_caller]
    fn check(game: &RandomLineGame, counts: &mut Counts) {
        let stop = StopFlag::new();
        let mut meter = BudgetMeter::new(&Budget::UNLIMITED, &stop);
        let masks = LineMasks::new(game).expect("the game is small");
        let mut search = FourSearch::new(MaskBoard::new(masks));
        let (own, other) = (game.to_move(), !game.to_move());
        let expected = wins_by_fours(game);
        let wins = search.wins(bitboards(game, own), None, &mut meter);
        assert!(expected || !wins, "{game:?}");
        counts.found += usize::from(wins);
        counts.missed += usize::from(expected && !wins);
        if !fives(game, own).is_empty() || !fives(game, other).is_empty() {
            return;
        }
        let Some(defences) = search.defences(bitboards(game, other), None, &mut meter) else {
            return;
        };
        for m in game.moves() {
            let next = game.after(m);
            let is_defence = defences >> m & 1 == 1;
            assert!(is_defence || wins_by_fours(&next), "{m} in {game:?}");
            counts.pruned += usize::from(!is_defence);
            counts.defences += usize::from(is_defence);
        }
    }

    #[test]
    fn wins_and_defences_match_an_exhaustive_search() {
        let mut rng = Rng::new(1);
        let mut counts = Counts::default();
        for seed in 0..150 {
            let (places, lines, lengths) =
                [(12, 12, 3..=3), (14, 24, 3..=4), (16, 50, 4..=4)][seed % 3].clone();
            let mut game = RandomLineGame::new(seed as u64, places, lines, lengths);
            while let Some(m) = rng.pick(game.moves()) {
                check(&game, &mut counts);
                game.play_unchecked(m);
            }
        }
        assert!(counts.found > 500, "{counts:?}");
        assert!(counts.missed < counts.found / 20, "{counts:?}");
        assert!(counts.defences > 500, "{counts:?}");
        assert!(counts.pruned > 500, "{counts:?}");
    }
}
