use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::cell_set::{Cell, CellSet};
use super::direct_mapped_table::DirectMappedTable;
use crate::budget::BudgetMeter;

/// A position for the search of fours. The attacker is to move.
pub(super) trait FourBoard {
    /// The part of a position that the search passes from node to node; the rest
    /// is in the board.
    type Node: Copy;
    /// The fours of a node that are still to be tried.
    type Fours;

    /// The fours to try at a node; or the result, if no four needs to be played to
    /// know it. For a win, appends its moves to `line`, the last one first.
    fn expand(
        &self,
        node: Self::Node,
        line: &mut Vec<Cell>,
    ) -> ControlFlow<ThreatResult, Self::Fours>;

    /// A hash of the pieces and the side to move.
    fn key(&self, node: Self::Node) -> u64;

    /// Plays the next four, and the block if there is only one.
    fn play_next(&mut self, node: Self::Node, fours: &mut Self::Fours) -> Option<Four<Self::Node>>;

    /// Takes back a four and its block.
    fn undo_pair(&mut self, pair: [Cell; 2], child: Self::Node);

    /// Plays a four and its block where the fours that follow are known.
    fn play_pair(&mut self, pair: [Cell; 2], node: Self::Node) -> Self::Node;

    /// The cells by which the defender could make a four: at least those on lines
    /// through a given cell.
    fn defender_fours(&self, node: Self::Node, through: Option<Cell>) -> CellSet;
}

/// A four of the attacker.
pub(super) enum Four<N> {
    /// One cell blocks it: both moves are played and lead to this node.
    Blocked([Cell; 2], N),
    /// Two cells complete a line, so no move blocks it: the four and these cells.
    /// Nothing is left on the board.
    Double(Cell, [Cell; 2]),
}

/// The slots of a table of positions without a win.
pub(super) const NO_WIN_SLOTS: usize = 1 << 16;

/// The result of a search for a win by threats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreatResult {
    Win,
    /// There is no win by the threats that were searched.
    NoWin,
    /// A limit ended the search.
    Unknown,
}

/// Continuous-four search (VCF): looks for a win in which every move of the
/// attacker is a four, so that the defender has one answer to each.
///
/// A win found is one against every defence.
#[derive(Debug)]
pub(super) struct FourSearch<B> {
    pub(super) board: B,
    /// The line of the last win found, the last move first. It ends with the move
    /// that completes a line; before it stand a double four and one of its blocks,
    /// unless it is the only move.
    pub(super) line: Vec<Cell>,
    /// The positions without a win by fours.
    no_wins: DirectMappedTable<()>,
    nodes_left: u32,
}

impl<B: FourBoard> FourSearch<B> {
    pub(super) fn new(board: B) -> Self {
        Self {
            board,
            line: Vec::new(),
            no_wins: DirectMappedTable::new(NO_WIN_SLOTS),
            nodes_left: 0,
        }
    }

    /// Searches a position for a win of the side to move.
    pub(super) fn search(
        &mut self,
        root: B::Node,
        max_nodes: u32,
        meter: &mut BudgetMeter<'_>,
    ) -> ThreatResult {
        self.line.clear();
        self.nodes_left = max_nodes;
        self.visit(root, meter)
    }

    fn visit(&mut self, node: B::Node, meter: &mut BudgetMeter<'_>) -> ThreatResult {
        let mut fours = match self.board.expand(node, &mut self.line) {
            ControlFlow::Continue(fours) => fours,
            ControlFlow::Break(result) => return result,
        };
        let key = self.board.key(node);
        if self.no_wins.get(key).is_some() {
            return ThreatResult::NoWin;
        }
        meter.count(1);
        if self.nodes_left == 0 || meter.is_spent() {
            return ThreatResult::Unknown;
        }
        self.nodes_left -= 1;
        while let Some(four) = self.board.play_next(node, &mut fours) {
            match four {
                Four::Double(four, [first, second]) => {
                    self.line.extend([second, first, four]);
                    return ThreatResult::Win;
                }
                Four::Blocked(pair @ [four, block], child) => {
                    let result = self.visit(child, meter);
                    self.board.undo_pair(pair, child);
                    if result == ThreatResult::Win {
                        self.line.extend([block, four]);
                    }
                    if result != ThreatResult::NoWin {
                        return result;
                    }
                }
            }
        }
        self.no_wins.insert(key, ());
        ThreatResult::NoWin
    }

    /// The cells by which the defender could stop the win last found, if it were
    /// the attacker's turn at `root`: those of the win's own moves, and those by
    /// which the defender gets fours while it is played.
    ///
    /// With a piece on any other cell the line still wins: its fours are the same,
    /// and each block is as forced as before.
    pub(super) fn blocking_cells(&mut self, root: B::Node) -> CellSet {
        let mut cells = self.board.defender_fours(root, None);
        for &cell in &self.line {
            cells.insert(cell);
        }
        // After the double four, a four of the defender's comes too late.
        let single_fours = self.line.len().saturating_sub(3) / 2;
        let pairs = self.line.rchunks_exact(2).map(|pair| [pair[1], pair[0]]);
        let mut node = root;
        for pair in pairs.clone().take(single_fours) {
            node = self.board.play_pair(pair, node);
            let [_, block] = pair;
            cells = cells.union(&self.board.defender_fours(node, Some(block)));
        }
        for pair in pairs.take(single_fours).rev() {
            self.board.undo_pair(pair, node);
        }
        cells
    }
}
