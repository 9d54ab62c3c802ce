use alloc::vec::Vec;
use core::cmp::Reverse;

use super::solution_nodes::{Candidate, NodeId, NodeSolution, SolutionNodes};
use open_ttt_lib::rules::{CompactKey, LineGame, Symmetry};

/// Looks for a smaller solution of a position: iterative deepening by the size of the
/// tree. Of the moves that the winner can choose, those that make threats are tried.
pub(super) struct Reduction<'a, G> {
    nodes: &'a mut SolutionNodes<G>,
    /// How many positions may still be searched for threats or moves.
    effort: u32,
}

/// The size of a tree that doesn't exist.
const NO_TREE: u32 = 1 << 24;

impl<'a, G: LineGame + Symmetry + CompactKey> Reduction<'a, G> {
    pub(super) fn new(nodes: &'a mut SolutionNodes<G>, effort: u32) -> Self {
        Self { nodes, effort }
    }

    /// Reduces the solution of a solved position.
    pub(super) fn reduce(mut self, id: NodeId) {
        // What it leads to may have become smaller.
        let Some(solution) = &self.nodes.node(id).solution else {
            return;
        };
        if solution.cell.is_none() {
            return;
        }
        let mut size = self.nodes.size_with(id, &solution.replies);
        loop {
            if let Some(solution) = &mut self.nodes.node_mut(id).solution {
                solution.size = size;
            }
            if size <= self.nodes.node(id).min_size || !self.deepen(id, size - 1) {
                return;
            }
            size = self.nodes.size(id);
        }
    }

    /// Whether a solution of at most this size is found, by looking for small ones first.
    fn deepen(&mut self, id: NodeId, max_size: u32) -> bool {
        let mut size = self.nodes.node(id).min_size.min(max_size);
        loop {
            if self.search(id, size) {
                return true;
            }
            let min_size = self.nodes.node(id).min_size;
            if self.effort == 0 || min_size > max_size {
                return false;
            }
            size = (size + size / 2 + 1).max(min_size).min(max_size);
        }
    }

    /// Whether a solution of at most this size is known or found. If there is none and
    /// the effort sufficed to see that, the position's least size says so.
    fn search(&mut self, id: NodeId, max_size: u32) -> bool {
        if self.effort > 0 && self.nodes.test_threats(id) {
            self.effort -= 1;
        }
        if self.is_solved(id, max_size) {
            return true;
        }
        if self.effort == 0 || self.nodes.node(id).min_size > max_size {
            return false;
        }
        let candidates = self.nodes.node_mut(id).threats.take();
        let candidates = candidates.unwrap_or_else(|| {
            self.effort -= 1;
            self.nodes.candidates(id)
        });
        let found = self.try_candidates(id, &candidates, max_size);
        let node = self.nodes.node_mut(id);
        if !found && (candidates.is_empty() || self.effort > 0) {
            let least = if candidates.is_empty() {
                NO_TREE
            } else {
                max_size + 1
            };
            node.min_size = node.min_size.max(least);
        }
        node.threats = Some(candidates);
        found
    }

    fn is_solved(&self, id: NodeId, max_size: u32) -> bool {
        let solution = self.nodes.node(id).solution.as_ref();
        solution.is_some_and(|solution| solution.size <= max_size)
    }

    fn try_candidates(&mut self, id: NodeId, candidates: &[Candidate], max_size: u32) -> bool {
        let sized = candidates
            .iter()
            .map(|candidate| (self.nodes.size_with(id, &candidate.replies), candidate));
        let mut promising: Vec<_> = sized.filter(|&(size, _)| size <= max_size).collect();
        promising.sort_by_key(|&(size, _)| size);
        promising.into_iter().any(|(_, candidate)| {
            let Some(size) = self.size_after(id, candidate, max_size) else {
                return false;
            };
            self.nodes.node_mut(id).solution = Some(NodeSolution {
                cell: Some(candidate.cell),
                replies: candidate.replies.clone(),
                size,
            });
            true
        })
    }

    /// The size of a solution that begins with this move, if it is at most `max_size`.
    fn size_after(&mut self, id: NodeId, candidate: &Candidate, max_size: u32) -> Option<u32> {
        let mut size = self.nodes.size_with(id, &candidate.replies);
        let mut replies = candidate.replies.to_vec();
        // The hardest first: the sum exceeds the limit soon.
        replies.sort_by_key(|&reply| Reverse(self.nodes.size(reply)));
        for reply in replies {
            let others = size - self.nodes.size(reply);
            if others > max_size || !self.deepen(reply, max_size - others) {
                return None;
            }
            size = others + self.nodes.size(reply);
        }
        (size <= max_size).then_some(size)
    }
}
