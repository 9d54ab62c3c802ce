use alloc::boxed::Box;
use alloc::vec::Vec;
use std::collections::HashMap;

use super::board_symmetries::BoardSymmetries;
use super::cell_set::Cell;
use super::four_search::FourSearch;
use super::line_masks::{Bitboards, LineMasks, bit, cells};
use super::lines::occupied;
use super::mask_board::MaskBoard;
use super::proof_table::Pieces;
use super::solution_tree::forced_move;
use crate::budget::BudgetMeter;
use crate::{Budget, StopFlag};
use open_ttt_lib::rules::{CompactKey, LineGame, Side, Symmetry};

/// The positions that were met while a solution tree was searched, one of each set of
/// symmetric ones. The attacker, whose win the tree proves, is to move in all of them.
///
/// Pieces are those of the attacker and those of the defender.
#[derive(Debug)]
pub(super) struct SolutionNodes<G> {
    pub(super) attacker: Side,
    pub(super) symmetries: BoardSymmetries,
    nodes: Vec<Node>,
    ids: HashMap<Pieces, NodeId>,
    fours: FourSearch<MaskBoard>,
    /// The empty board.
    empty: G,
}

pub(super) type NodeId = u32;

/// A position in its canonical image.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) pieces: Pieces,
    /// Whether the attacker must block a five, so that it has no choice of a move.
    pub(super) is_forced: bool,
    /// Whether a win by threats was looked for.
    is_tested: bool,
    pub(super) solution: Option<NodeSolution>,
    /// No solution has a smaller size.
    pub(super) min_size: u32,
    /// The moves that make threats, once they are needed.
    pub(super) threats: Option<Box<[Candidate]>>,
}

/// How the attacker wins.
#[derive(Debug)]
pub(super) struct NodeSolution {
    /// The move to play; `None` if a search of threats finds the win.
    pub(super) cell: Option<Cell>,
    pub(super) replies: Box<[NodeId]>,
    /// The number of moves chosen in the whole tree, where a position counts each time
    /// it is reached.
    pub(super) size: u32,
}

/// A move of the attacker, and the positions after the defender's replies that aren't won
/// by fours.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) cell: Cell,
    pub(super) replies: Box<[NodeId]>,
}

/// Which moves of the attacker are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moves {
    /// Those that make a five or threaten to win by fours.
    Threats,
    /// All moves.
    All,
}

impl<G: LineGame + Symmetry + CompactKey> SolutionNodes<G> {
    /// `None` if the board is too large or isn't empty.
    pub(super) fn new(empty: G) -> Option<Self> {
        let masks = LineMasks::new(&empty).filter(|_| occupied(&empty).next().is_none())?;
        Some(Self {
            attacker: empty.to_move(),
            symmetries: BoardSymmetries::new(&empty),
            nodes: Vec::new(),
            ids: HashMap::new(),
            fours: FourSearch::new(MaskBoard::new(masks)),
            empty,
        })
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// The node of a position, if it was met.
    pub(super) fn find(&self, pieces: Pieces) -> Option<NodeId> {
        self.ids.get(&self.symmetries.canonical(pieces).0).copied()
    }

    /// The node of a position.
    pub(super) fn id(&mut self, pieces: Pieces) -> NodeId {
        let (pieces, _) = self.symmetries.canonical(pieces);
        let next = self.nodes.len() as NodeId;
        let id = *self.ids.entry(pieces).or_insert(next);
        if id == next {
            self.nodes.push(Node {
                pieces,
                is_forced: self.must_block(pieces) != 0,
                is_tested: false,
                solution: None,
                min_size: 0,
                threats: None,
            });
        }
        id
    }

    /// The cells by which the defender would complete a line.
    fn must_block(&self, [attacker, defender]: Pieces) -> u64 {
        let masks = &self.fours.board.masks;
        masks.fives(Bitboards::new(defender, attacker), None)
    }

    /// The size of the smallest solution known, or of the smallest one possible.
    pub(super) fn size(&self, id: NodeId) -> u32 {
        let node = self.node(id);
        let solution = node.solution.as_ref();
        solution.map_or(node.min_size, |solution| solution.size)
    }

    /// The size of a solution that begins with a move and goes on like this.
    pub(super) fn size_with(&self, id: NodeId, replies: &[NodeId]) -> u32 {
        let own = u32::from(!self.node(id).is_forced);
        let sizes = replies.iter().map(|&reply| self.size(reply));
        sizes.fold(own, u32::saturating_add)
    }

    /// Looks for a win by threats, which is a solution of size 0. False if the position
    /// is solved, or was looked at before.
    pub(super) fn test_threats(&mut self, id: NodeId) -> bool {
        let node = self.node_mut(id);
        if node.is_tested || node.solution.is_some() {
            return false;
        }
        node.is_tested = true;
        let pieces = node.pieces;
        let never = StopFlag::new();
        if forced_move(&self.game(pieces), &never).is_some() {
            self.node_mut(id).solution = Some(NodeSolution {
                cell: None,
                replies: Box::default(),
                size: 0,
            });
        } else {
            let node = self.node_mut(id);
            node.min_size = node.min_size.max(u32::from(!node.is_forced));
        }
        true
    }

    /// A game in this position.
    fn game(&self, pieces: Pieces) -> G {
        let mut game = self.empty.clone();
        let [mut own, mut other] = pieces;
        while own != 0 || other != 0 {
            for cell in [&mut own, &mut other] {
                if let Some(m) = cells(*cell)
                    .next()
                    .and_then(|cell| game.indexed_move(cell.into()))
                {
                    game.play_unchecked(m);
                    *cell &= *cell - 1;
                }
            }
        }
        game
    }

    /// The replies of the defender, to move, after which no win by fours is found; `None`
    /// if the attacker has missed a five, or has made no threat and was to make one.
    pub(super) fn replies(&mut self, [attacker, defender]: Pieces, moves: Moves) -> Option<u64> {
        let pieces = Bitboards::new(attacker, defender);
        let masks = &self.fours.board.masks;
        if masks.fives(pieces.swapped(), None) != 0 {
            return None;
        }
        let fives = masks.fives(pieces, None);
        let board = masks.board();
        let never = StopFlag::new();
        let mut meter = BudgetMeter::new(&Budget::UNLIMITED, &never);
        let replies = match fives.count_ones() {
            0 => match self.fours.defences(pieces, None, &mut meter) {
                Some(defences) => return Some(defences),
                None if moves == Moves::Threats => return None,
                None => pieces.free() & board,
            },
            1 => fives,
            _ => 0,
        };
        let is_open = |&cell: &Cell| {
            let pieces = pieces.with_pair(0, bit(cell));
            !self.fours.wins(pieces, None, &mut meter)
        };
        Some(
            cells(replies)
                .filter(is_open)
                .fold(0, |open, cell| open | bit(cell)),
        )
    }

    /// A move of the attacker in a position with what the defender can reply; `None` if it
    /// isn't one of `moves`, or loses at once.
    fn candidate(
        &mut self,
        [attacker, defender]: Pieces,
        cell: Cell,
        moves: Moves,
    ) -> Option<Candidate> {
        let attacker = attacker | bit(cell);
        let mut replies = Vec::new();
        for reply in cells(self.replies([attacker, defender], moves)?) {
            let pieces = [attacker, defender | bit(reply)];
            if self.must_block(pieces).count_ones() > 1 {
                return None;
            }
            let id = self.id(pieces);
            if !replies.contains(&id) {
                replies.push(id);
            }
        }
        let replies = replies.into();
        Some(Candidate { cell, replies })
    }

    /// The moves to choose from in a position: the forced one, or those that make threats,
    /// one of each set of symmetric ones.
    pub(super) fn candidates(&mut self, id: NodeId) -> Box<[Candidate]> {
        let Node {
            pieces, is_forced, ..
        } = *self.node(id);
        let (moves, free) = if is_forced {
            (Moves::All, self.must_block(pieces))
        } else {
            let [attacker, defender] = pieces;
            let pieces = Bitboards::new(attacker, defender);
            let masks = &self.fours.board.masks;
            (Moves::Threats, masks.live(pieces) & pieces.free())
        };
        let is_symmetric = self.symmetries.is_symmetric(pieces);
        let mut seen = Vec::new();
        let mut candidates = Vec::new();
        for cell in cells(free) {
            if is_symmetric {
                let [attacker, defender] = pieces;
                let (after, _) = self.symmetries.canonical([attacker | bit(cell), defender]);
                if seen.contains(&after) {
                    continue;
                }
                seen.push(after);
            }
            candidates.extend(self.candidate(pieces, cell, moves));
        }
        candidates.into()
    }
}

/// The pieces of the attacker and those of the defender.
pub(super) fn pieces<G: LineGame>(game: &G, attacker: Side) -> Pieces {
    let mut pieces = [0; 2];
    for (cell, side) in occupied(game) {
        pieces[usize::from(side != attacker)] |= bit(cell);
    }
    pieces
}
