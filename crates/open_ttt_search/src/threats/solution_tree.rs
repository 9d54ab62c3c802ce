use alloc::vec;
use alloc::vec::Vec;
use std::collections::{HashMap, HashSet};

use super::cell_set::Cell;
use super::forced_win::forced_win;
use super::line_masks::cells;
use super::proof_number_search::ProofNumberSearch;
use super::proof_table::Pieces;
use super::solution_nodes::{Moves, NodeId, NodeSolution, SolutionNodes, pieces};
use super::tree_reduction::Reduction;
use crate::turns::RequiresAlternation;
use crate::{Budget, StopFlag};
use open_ttt_lib::rules::{CompactKey, LineGame, Outcome, Symmetry, TwoPlayerGame};

/// A solution tree of a line game that the side to move wins: one winning move in each
/// position that it can meet, whatever its opponent plays (Stockman, "A minimax algorithm
/// better than alpha-beta?", 1979).
///
/// Left out are the positions that the winner [wins by threats](super::forced_move), and
/// those in which it must block a line. Positions that are images of one another are one.
/// What remains can be small enough to ship with a game, as its
/// [`SolutionBook`](open_ttt_lib::rules::SolutionBook).
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_search::{ProofNumberSearch, SolutionTree, StopFlag};
///
/// // Four in a row on five by six: X has a win that needs more than threats.
/// let game = Mnk::new(6, 5, 4).expect("a board");
/// let mut tree = SolutionTree::new(game).expect("a small board");
/// let mut proofs = ProofNumberSearch::new(1 << 20);
/// let never = StopFlag::new();
/// assert_eq!(tree.solve(&game, &mut proofs, &never, |_| {}), Some(true));
/// assert!(!tree.moves().is_empty());
/// ```
#[doc(alias = "proof tree")]
#[doc(alias = "strategy")]
#[derive(Debug)]
pub struct SolutionTree<G: TwoPlayerGame> {
    start: G,
    nodes: SolutionNodes<G>,
    /// The moves to play instead of looking for one.
    given: HashMap<NodeId, Cell>,
    /// The number of positions solved.
    solved: usize,
}

/// The limits of [`forced_move`]: some milliseconds.
const FORCED_WINS: Budget = Budget {
    nodes: Some(20_000),
    ..Budget::depth(1)
};

/// The first move of a [`forced_win`] that needs no [`SolutionTree`]: of one by fours and a
/// three that is found among 20,000 positions. `None` if there is none.
///
/// The canonical image of the position is searched, so a win is found in all images of a
/// position or in none.
pub fn forced_move<G: LineGame + Symmetry + CompactKey>(
    game: &G,
    stop: &StopFlag,
) -> Option<G::Move> {
    let transform = game.canonical_transform()?;
    let line = forced_win(&game.image(transform), &FORCED_WINS, stop).line?;
    let first = *line.first()?;
    game.moves()
        .find(|&m| game.move_image(m, transform) == first)
}

impl<G: LineGame + Symmetry + CompactKey> SolutionTree<G> {
    /// A tree of which nothing is known yet, of the wins of the side that begins. `None` if
    /// [`ProofNumberSearch`] doesn't support the game, or if its board isn't empty.
    pub fn new(start: G) -> Option<Self> {
        let () = RequiresAlternation::<G>::CHECK;
        Some(Self {
            nodes: SolutionNodes::new(start.clone())?,
            start,
            given: HashMap::new(),
            solved: 0,
        })
    }

    /// Chooses the move in a position, which [`solve`](Self::solve) then doesn't look for.
    /// It is ignored if it isn't legal, or if the position is won by threats.
    pub fn set_move(&mut self, game: &G, m: G::Move) {
        if game.check(m).is_ok() {
            let pieces = self.pieces(game);
            let id = self.nodes.id(pieces);
            let (_, map) = self.nodes.symmetries.canonical(pieces);
            self.given.insert(id, map[game.move_index(m)].into());
        }
    }

    /// Solves a position in which the winner is to move. False if it doesn't win, or not
    /// by the moves that were [chosen](Self::set_move); `None` if the flag was raised.
    ///
    /// `progress` receives the number of positions solved, from time to time.
    pub fn solve(
        &mut self,
        game: &G,
        proofs: &mut ProofNumberSearch,
        stop: &StopFlag,
        mut progress: impl FnMut(usize),
    ) -> Option<bool> {
        if game.to_move() != self.nodes.attacker {
            return Some(false);
        }
        match game.outcome() {
            Some(outcome) => Some(outcome == Outcome::Win(self.nodes.attacker)),
            None => self.solve_node(game, proofs, stop, &mut progress),
        }
    }

    /// Looks for smaller solutions of a solved position and of all those that its solution
    /// leads to. The larger the effort, the more moves are tried in each of them. False
    /// if the flag was raised first; the solution is then as small as it was found.
    ///
    /// `progress` receives the number of positions done and of those to do.
    pub fn reduce(
        &mut self,
        game: &G,
        effort: u32,
        stop: &StopFlag,
        mut progress: impl FnMut(usize, usize),
    ) -> bool {
        let mut reachable = self.reachable(game);
        // Those with most pieces first: what leads to them profits.
        reachable.sort_by_key(|&id| {
            self.nodes
                .node(id)
                .pieces
                .map(u64::count_zeros)
                .iter()
                .sum::<u32>()
        });
        let count = reachable.len();
        for (done, id) in reachable.into_iter().enumerate() {
            if stop.is_raised() {
                return false;
            }
            Reduction::new(&mut self.nodes, effort).reduce(id);
            progress(done + 1, count);
        }
        true
    }

    /// The solved positions that can be reached from the start with the move to play in
    /// each, one of each set of symmetric ones.
    pub fn moves(&self) -> Vec<(G, G::Move)> {
        self.moves_from(&self.start)
    }

    /// As [`moves`](Self::moves), from a solved position.
    pub fn moves_from(&self, game: &G) -> Vec<(G, G::Move)> {
        let mut moves = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![game.clone()];
        while let Some(game) = open.pop() {
            let solution = self.solution(&game).filter(|_| game.outcome().is_none());
            let Some((id, solution)) = solution.filter(|&(id, _)| seen.insert(id)) else {
                continue;
            };
            let Some(m) = solution.cell.and_then(|cell| self.real_move(&game, cell)) else {
                continue;
            };
            let after = game.after(m);
            for reply in after.moves() {
                let later = after.after(reply);
                if self
                    .nodes
                    .find(self.pieces(&later))
                    .is_some_and(|id| solution.replies.contains(&id))
                {
                    open.push(later);
                }
            }
            if !self.nodes.node(id).is_forced {
                moves.push((game, m));
            }
        }
        moves
    }

    fn pieces(&self, game: &G) -> Pieces {
        pieces(game, self.nodes.attacker)
    }

    fn solution(&self, game: &G) -> Option<(NodeId, &NodeSolution)> {
        let id = self.nodes.find(self.pieces(game))?;
        Some((id, self.nodes.node(id).solution.as_ref()?))
    }

    /// The move on a cell of the canonical image of a position.
    fn real_move(&self, game: &G, cell: Cell) -> Option<G::Move> {
        let (_, map) = self.nodes.symmetries.canonical(self.pieces(game));
        let index = map.iter().position(|&to| Cell::from(to) == cell)?;
        game.indexed_move(index)
    }

    fn reachable(&self, game: &G) -> Vec<NodeId> {
        let mut open: Vec<_> = self.solution(game).map(|(id, _)| id).into_iter().collect();
        let mut seen: HashSet<_> = open.iter().copied().collect();
        let mut reachable = Vec::new();
        while let Some(id) = open.pop() {
            reachable.push(id);
            if let Some(solution) = &self.nodes.node(id).solution {
                open.extend(solution.replies.iter().filter(|&&reply| seen.insert(reply)));
            }
        }
        reachable
    }

    fn solve_node(
        &mut self,
        game: &G,
        proofs: &mut ProofNumberSearch,
        stop: &StopFlag,
        progress: &mut dyn FnMut(usize),
    ) -> Option<bool> {
        let pieces = self.pieces(game);
        let id = self.nodes.id(pieces);
        self.nodes.test_threats(id);
        if self.nodes.node(id).solution.is_some() {
            return Some(true);
        }
        let m = if let Some(&cell) = self.given.get(&id) {
            self.real_move(game, cell)
        } else {
            let proved = proofs.prove(game, &Budget::UNLIMITED, stop, |_| {})?;
            proved.winning_move
        };
        let Some(m) = m else {
            return Some(false);
        };
        let after = game.after(m);
        let Some(replies) = self.nodes.replies(self.pieces(&after), Moves::All) else {
            return Some(false);
        };
        let mut ids = Vec::new();
        for cell in cells(replies) {
            let later = game
                .indexed_move(cell.into())
                .map(|reply| after.after(reply));
            let Some(later) = later.filter(|later| later.outcome().is_none()) else {
                return Some(false);
            };
            if !self.solve_node(&later, proofs, stop, progress)? {
                return Some(false);
            }
            ids.push(self.nodes.id(self.pieces(&later)));
        }
        ids.sort_unstable();
        ids.dedup();
        let size = self.nodes.size_with(id, &ids);
        let (_, map) = self.nodes.symmetries.canonical(pieces);
        let cell = Some(map[game.move_index(m)].into());
        let replies = ids.into();
        self.nodes.node_mut(id).solution = Some(NodeSolution {
            cell,
            replies,
            size,
        });
        self.solved += 1;
        progress(self.solved);
        Some(true)
    }
}
