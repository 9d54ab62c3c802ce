use super::functions::{gumbel, weights};
use super::halving::Halving;
use super::improvement::improved_logits;
use super::nodes::Nodes;
use super::{Estimate, Estimates, GumbelAnswer, GumbelOptions, InvalidEstimate, PolicyValue};
use crate::outcome_bounds::OutcomeBounds;
use crate::repetition::Earlier;
use crate::tree::{ROOT, moves_between};
use alloc::vec;
use alloc::vec::Vec;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IllegalMove, Objective, Side, TwoPlayerGame};

/// Gumbel `AlphaZero`: a tree search that improves a policy even with fewer
/// simulations than moves (Danihelka, Guez, Schrittwieser and Silver, "Policy
/// improvement by planning with Gumbel", 2022).
///
/// At the root it samples moves without replacement (Gumbel top-k) and applies
/// sequential halving. Below, it visits moves in proportion to the improved policy.
///
/// The search does not call a model: [`leaf`](Self::leaf) gives the position to
/// estimate, and [`submit`](Self::submit) takes its estimate, so many searches can
/// run at once and share batches ([`LockStep`](super::LockStep)). The same options,
/// random numbers and estimates give the same answer.
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_lib::rules::{Notation, Outcome, Side, TwoPlayerGame, play_text};
/// use open_ttt_search::{Estimate, GumbelOptions, GumbelSearch};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 b1 a2")?;
/// let mut search = GumbelSearch::new(&game, GumbelOptions::playing(64), &mut Rng::new(1));
/// while let Some(leaf) = search.leaf() {
///     let logits = vec![0.0; leaf.moves().count()];
///     search.submit(Estimate { value: 0.0, logits: &logits })?;
/// }
/// let answer = search.answer();
/// assert_eq!(answer.chosen.map(|m| game.move_text(m)), Some("a3".to_owned()));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[doc(alias = "AlphaZero")]
#[doc(alias = "MuZero")]
#[derive(Clone, Debug)]
pub struct GumbelSearch<G: TwoPlayerGame> {
    pub(super) options: GumbelOptions,
    pub(super) game: G,
    /// The positions before it.
    earlier: Earlier<G>,
    objective: Objective<G>,
    pub(super) nodes: Nodes<G::Move>,
    pub(super) root: Root,
    /// The edges of the current path, each with its node.
    path: Vec<(u32, u32)>,
    /// The positions of the path's nodes, if positions can come back.
    positions: Vec<G>,
    /// The position at the end of the path.
    position: G,
    /// Its moves, and the bounds of those that end the game, by index.
    moves: Vec<G::Move>,
    proofs: Vec<(usize, OutcomeBounds)>,
    /// Whether the position waits for its estimate.
    is_pending: bool,
    /// A buffer for the scores of moves.
    scores: Vec<f32>,
}

/// The state of the root that other nodes do not have.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    is_estimated: bool,
    /// The proved bounds for the side to move.
    pub(super) bounds: OutcomeBounds,
    /// The Gumbel noise of the moves.
    pub(super) noise: Vec<f32>,
    /// The visits of the moves before this search.
    pub(super) visits_before: Vec<u32>,
    /// Which moves are excluded.
    pub(super) excluded: Vec<bool>,
    halving: Halving,
}

impl<G: TwoPlayerGame> GumbelSearch<G> {
    /// A search that has not begun. Noise takes one random number per move.
    pub fn new(game: &G, options: GumbelOptions, rng: &mut Rng) -> Self {
        let mut search = Self {
            options: options.clamped(),
            game: game.clone(),
            earlier: Earlier::NONE,
            objective: Objective::WinLoss,
            nodes: Nodes::new(),
            root: Root::default(),
            path: Vec::new(),
            positions: Vec::new(),
            position: game.clone(),
            moves: Vec::new(),
            proofs: Vec::new(),
            is_pending: false,
            scores: Vec::new(),
        };
        search.restart(game, rng);
        search
    }

    /// Sets the objective; call it before the search begins.
    ///
    /// With [`Objective::Margin`] no wins and losses are proved, since a better
    /// margin may exist.
    #[must_use]
    pub fn with_objective(mut self, objective: Objective<G>) -> Self {
        self.options.proves &= matches!(objective, Objective::WinLoss);
        self.objective = objective;
        self.root.bounds = self.root_bounds();
        self
    }

    /// Sets the positions before the one that is searched, the oldest first. Only a
    /// game in which positions come back needs its history;
    /// [`advance`](Self::advance) adds to it.
    pub fn set_history(&mut self, earlier: &[G]) {
        self.earlier = Earlier::before(&self.game, earlier);
    }

    /// Restarts with another position, without history, reusing the memory.
    pub fn restart(&mut self, game: &G, rng: &mut Rng) {
        self.earlier = Earlier::NONE;
        self.restart_tree(game, rng);
    }

    fn restart_tree(&mut self, game: &G, rng: &mut Rng) {
        self.game.clone_from(game);
        self.position.clone_from(game);
        self.nodes.clear();
        self.moves.clear();
        self.moves.extend(game.moves());
        let simulations = self.options.simulations as usize;
        self.nodes.reserve(simulations + 1, self.moves.len());
        self.scores.clear();
        self.scores.resize(self.moves.len(), 0.0);
        let side = game.to_move();
        self.nodes
            .add(None, side, &self.moves, &[], &self.scores, 0.0);
        self.root.is_estimated = false;
        self.plan(rng);
    }

    /// The position that is searched.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The position to estimate next, until it is estimated; `None` when the search
    /// is done. The first is the root. Finished games need no estimate.
    #[must_use]
    pub fn leaf(&mut self) -> Option<&G> {
        self.run_until_leaf(u64::MAX);
        self.pending()
    }

    /// The position that [`leaf`](Self::leaf) gave last, if it still waits for its
    /// estimate.
    pub fn pending(&self) -> Option<&G> {
        self.is_pending.then_some(&self.position)
    }

    /// Whether all simulations were made or the root is proved.
    pub fn is_done(&self) -> bool {
        let is_over = self.root.excluded.is_empty();
        let is_settled = self.root.halving.is_over() || self.root.bounds.is_proved();
        is_over || self.root.is_estimated && !self.is_pending && is_settled
    }

    /// Submits the estimate of the pending position.
    ///
    /// # Errors
    ///
    /// [`InvalidEstimate`] if no position is pending, or the estimate is not one of
    /// the pending position, which then stays pending.
    pub fn submit(&mut self, estimate: Estimate<'_>) -> Result<(), InvalidEstimate> {
        if !self.is_pending {
            return Err(InvalidEstimate::NotPending);
        }
        estimate.check(self.moves.len())?;
        if self.root.is_estimated {
            self.submit_leaf(estimate);
        } else {
            self.submit_root(estimate);
        }
        self.is_pending = false;
        Ok(())
    }

    /// Submits a uniform policy and value 0 for the pending position.
    pub fn submit_uniform(&mut self) {
        let logits = vec![0.0; self.moves.len()];
        let uniform = Estimate {
            value: 0.0,
            logits: &logits,
        };
        // Refused only if no position is pending.
        let _ = self.submit(uniform);
    }

    /// Searches to the end with this model, one estimate at a time.
    ///
    /// # Errors
    ///
    /// [`InvalidEstimate`] if an estimate is refused. The search can continue with
    /// another.
    pub fn run<P: PolicyValue<G> + ?Sized>(
        &mut self,
        model: &mut P,
    ) -> Result<(), InvalidEstimate> {
        let mut estimates = Estimates::new();
        while let Some(leaf) = self.leaf() {
            estimates.clear();
            model.estimate(&[leaf], &mut estimates);
            self.submit(estimates.get(0).ok_or(InvalidEstimate::Missing)?)?;
        }
        Ok(())
    }

    /// The answer so far.
    pub fn answer(&self) -> GumbelAnswer<G::Move> {
        GumbelAnswer::new(self)
    }

    /// Plays a move, and plans new simulations. The subtree below it is kept and
    /// counts.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] with the reason; the search is then unchanged.
    pub fn advance(&mut self, m: G::Move, rng: &mut Rng) -> Result<(), IllegalMove<G::Move>> {
        self.game.check(m)?;
        let edge = self.nodes.edges(ROOT).find(|&edge| self.nodes.m(edge) == m);
        let next = self.game.after(m);
        self.earlier.push_root(&self.game);
        if let Some(child) = edge.and_then(|edge| self.nodes.child(edge)) {
            self.nodes.keep_subtree(child);
            self.game = next;
            self.plan(rng);
        } else {
            self.restart_tree(&next, rng);
        }
        Ok(())
    }

    /// Advances to a position at most two moves ahead, or restarts if it is not in
    /// the tree, with this many simulations per move.
    pub fn advance_to(&mut self, game: &G, simulations: u32, rng: &mut Rng) {
        self.options.simulations = simulations;
        self.options = self.options.clamped();
        if self.game == *game {
            return self.plan(rng);
        }
        let edges = self.nodes.edges(ROOT);
        let searched = edges.filter(|&edge| self.nodes.child(edge).is_some());
        let first_moves = searched.map(|edge| self.nodes.m(edge));
        let moves = moves_between(&self.game, game, first_moves);
        if !moves.is_some_and(|moves| moves.into_iter().all(|m| self.advance(m, rng).is_ok())) {
            self.restart(game, rng);
        }
    }

    /// Starts another round after a search is done: twice the simulations, up to
    /// `most`, for the moves that are not excluded. Returns whether there is
    /// anything left to search.
    pub fn begin_round(&mut self, most: u32, rng: &mut Rng) -> bool {
        let simulations = self.options.simulations;
        let most = most.min(GumbelOptions::MAX_SIMULATIONS);
        let is_settled = self.root.excluded.is_empty() || self.root.bounds.is_proved();
        if simulations >= most || is_settled {
            return false;
        }
        self.options.simulations = simulations.saturating_mul(2).min(most);
        let excluded = core::mem::take(&mut self.root.excluded);
        self.plan(rng);
        self.set_excluded(excluded);
        true
    }

    /// Excludes moves of the root, and plans new simulations for the others.
    pub fn exclude(&mut self, moves: &[G::Move], rng: &mut Rng) {
        self.plan(rng);
        let edges = self.nodes.edges(ROOT);
        let excluded = edges.map(|edge| moves.contains(&self.nodes.m(edge)));
        self.set_excluded(excluded.collect());
    }

    /// Excludes these moves of the root and no others.
    fn set_excluded(&mut self, excluded: Vec<bool>) {
        self.root.excluded = excluded;
        self.root.bounds = self.root_bounds();
        self.root.halving = self.halving();
    }

    fn plan(&mut self, rng: &mut Rng) {
        let visits = self.nodes.view(ROOT).visits;
        let scale = self.options.noise;
        self.root.noise.clear();
        self.root.noise.extend(visits.iter().map(|_| match scale {
            0.0 => 0.0,
            _ => scale * gumbel(rng),
        }));
        self.root.visits_before.clear();
        self.root.visits_before.extend_from_slice(visits);
        let nothing_excluded = vec![false; visits.len()];
        self.set_excluded(nothing_excluded);
        self.is_pending = false;
    }

    fn halving(&self) -> Halving {
        let excluded = self.root.excluded.iter();
        let moves = excluded.filter(|&&excluded| !excluded).count();
        let simulations = self.options.simulations;
        // Kept simulations leave room for a tree twice as large.
        let room = (2 * simulations).saturating_sub(self.nodes.view(ROOT).all_visits);
        let simulations = simulations.min(room.max(1));
        Halving::new(moves.min(self.options.considered.get()), simulations)
    }

    /// The bounds for the side to move, by the moves that are not excluded.
    fn root_bounds(&self) -> OutcomeBounds {
        if self.root.excluded.is_empty() || !self.options.proves {
            return OutcomeBounds::Unknown;
        }
        let edges = self.nodes.edges(ROOT).zip(&self.root.excluded);
        OutcomeBounds::best_of(edges.map(|(edge, &excluded)| {
            if excluded {
                OutcomeBounds::Loss
            } else {
                self.nodes.bounds(edge)
            }
        }))
    }

    /// Makes up to `most` simulations, until an estimate is needed.
    pub(super) fn run_until_leaf(&mut self, most: u64) {
        for _ in 0..most {
            if self.is_pending || self.is_done() {
                return;
            }
            if self.root.is_estimated {
                self.is_pending = self.descend();
            } else {
                self.position.clone_from(&self.game);
                self.is_pending = true;
            }
        }
    }

    /// Descends to a leaf. Returns whether it is to be estimated; if not, its value
    /// is backed up.
    fn descend(&mut self) -> bool {
        self.position.clone_from(&self.game);
        self.path.clear();
        self.positions.clear();
        let mut node = ROOT;
        let mut edge = self.select_at_root();
        loop {
            self.path.push((node as u32, edge as u32));
            if self.position.repetition().is_some() {
                self.positions.push(self.position.clone());
            }
            self.position.play_unchecked(self.nodes.m(edge));
            if let Some(value) = self.nodes.bounds(edge).value() {
                self.back_up(value);
                return false;
            }
            let Some(child) = self.nodes.child(edge) else {
                break;
            };
            node = child;
            edge = self.select_below(node);
        }
        let outcome = self.position.outcome();
        if let Objective::Margin(margin) = self.objective
            && outcome.is_some()
        {
            let value = margin(&self.position).clamp(-1.0, 1.0);
            self.back_up(match self.nodes.side(node) {
                Side::First => value,
                Side::Second => -value,
            });
            return false;
        }
        if outcome.is_none() && self.position.repetition().is_some() {
            let mover = self.nodes.side(node);
            let path = self.positions.iter();
            if let Some(repeated) = self.earlier.repeated(&self.position, mover, path) {
                let bounds = OutcomeBounds::terminal(repeated.outcome, mover);
                // The first return is a draw on this path, but not on every other.
                if repeated.is_final && self.options.proves {
                    self.prove(bounds);
                }
                self.back_up(bounds.value().unwrap_or(0.0));
                return false;
            }
        }
        let bounds = match outcome {
            Some(outcome) => OutcomeBounds::terminal(outcome, self.nodes.side(node)),
            None => self.list_moves().for_mover(self.keeps_turn(node)),
        };
        if bounds != OutcomeBounds::Unknown {
            self.prove(bounds);
        }
        let value = bounds.value();
        if let Some(value) = value {
            self.back_up(value);
        }
        value.is_none()
    }

    /// The edge of the root that sequential halving selects: the best score, noise
    /// included, of those with the scheduled number of visits.
    fn select_at_root(&mut self) -> usize {
        let edges = self.nodes.edges(ROOT);
        let view = self.nodes.view(ROOT);
        improved_logits(&self.options, &view, &mut self.scores);
        let visits = self.root.halving.visits;
        let (mut most, mut chosen) = (f32::NEG_INFINITY, None);
        for (index, &logit) in self.scores.iter().enumerate() {
            let is_scheduled = view.visits[index] - self.root.visits_before[index] == visits;
            let score = logit + self.root.noise[index];
            if is_scheduled && !self.root.excluded[index] && score > most {
                most = score;
                chosen = Some(index);
            }
        }
        edges.start + chosen.unwrap_or(0)
    }

    /// The edge of a node whose share of visits falls most behind the improved
    /// policy. If proofs count, proved moves are not visited again, so every
    /// simulation reduces what is unknown of a finite game.
    fn select_below(&mut self, node: usize) -> usize {
        let edges = self.nodes.edges(node);
        let view = self.nodes.view(node);
        improved_logits(&self.options, &view, &mut self.scores);
        let share = 1.0 / weights(&mut self.scores);
        let visit_share = 1.0 / (1.0 + view.all_visits as f32);
        let (mut most, mut chosen) = (f32::NEG_INFINITY, edges.start);
        for ((edge, &weight), &visits) in edges.zip(&self.scores).zip(view.visits) {
            let behind = weight * share - visits as f32 * visit_share;
            if behind > most && !(self.options.proves && self.nodes.bounds(edge).is_proved()) {
                most = behind;
                chosen = edge;
            }
        }
        chosen
    }

    /// Lists the moves of the leaf and, if proofs count, those that end the game.
    /// Returns its side's bounds.
    fn list_moves(&mut self) -> OutcomeBounds {
        self.moves.clear();
        self.moves.extend(self.position.moves());
        self.proofs.clear();
        if !self.options.proves {
            return OutcomeBounds::Unknown;
        }
        let side = self.position.to_move();
        let mut best = OutcomeBounds::Loss;
        for (place, &m) in self.moves.iter().enumerate() {
            let Some(outcome) = self.position.after(m).outcome() else {
                continue;
            };
            let bounds = OutcomeBounds::terminal(outcome, side);
            self.proofs.push((place, bounds));
            best = best.max(bounds);
            if best == OutcomeBounds::Win {
                return best;
            }
        }
        if self.proofs.len() < self.moves.len() {
            best = best.max(OutcomeBounds::Unknown);
        }
        best
    }

    fn submit_root(&mut self, estimate: Estimate<'_>) {
        let value = estimate.value.clamp(-1.0, 1.0);
        self.nodes.set_estimate(ROOT, estimate.logits, value);
        self.root.is_estimated = true;
        // Without simulations the policy alone chooses.
        if self.options.simulations > 0 {
            self.list_moves();
            let first = self.nodes.edges(ROOT).start;
            for &(place, bounds) in &self.proofs {
                self.nodes.set_bounds(first + place, bounds);
            }
            self.root.bounds = self.root_bounds();
        }
    }

    fn submit_leaf(&mut self, estimate: Estimate<'_>) {
        let value = estimate.value.clamp(-1.0, 1.0);
        let Some(&(node, edge)) = self.path.last() else {
            return;
        };
        // A position without room is estimated but not expanded.
        self.nodes.add(
            Some(edge as usize),
            self.position.to_move(),
            &self.moves,
            &self.proofs,
            estimate.logits,
            value,
        );
        self.back_up(if self.keeps_turn(node as usize) {
            value
        } else {
            -value
        });
    }

    /// Whether the side to move in a node is also the side to move in the position
    /// after the path's last move, which was made there.
    fn keeps_turn(&self, node: usize) -> bool {
        !G::ALTERNATES && self.nodes.side(node) == self.position.to_move()
    }

    /// Whether one side is to move in a node of the path and in the one before it.
    fn have_one_side(&self, before: u32, node: u32) -> bool {
        !G::ALTERNATES && self.nodes.side(before as usize) == self.nodes.side(node as usize)
    }

    /// Backs up a value for the side that made the last move of the path.
    fn back_up(&mut self, value: f32) {
        let mut value = value;
        let mut path = self.path.iter().rev().peekable();
        while let Some(&(node, edge)) = path.next() {
            value = self.nodes.add_visit(node as usize, edge as usize, value);
            if let Some(&&(before, _)) = path.peek()
                && !self.have_one_side(before, node)
            {
                value = -value;
            }
        }
        self.root.halving.count();
    }

    /// Sets the bounds of the last move of the path and updates those before it
    /// (Winands, Björnsson and Saito, "Monte-Carlo tree search solver", 2008).
    fn prove(&mut self, bounds: OutcomeBounds) {
        let mut bounds = bounds;
        let mut path = self.path.iter().rev().peekable();
        while let Some(&(node, edge)) = path.next() {
            if self.nodes.bounds(edge as usize) == bounds {
                return;
            }
            self.nodes.set_bounds(edge as usize, bounds);
            if !self.options.proves {
                return;
            }
            let Some(&&(before, _)) = path.peek() else {
                break;
            };
            let keeps_turn = self.have_one_side(before, node);
            bounds = self.nodes.secured(node as usize).for_mover(keeps_turn);
        }
        self.root.bounds = self.root_bounds();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UniformPolicy;
    use crate::threats::random_line_game::RandomLineGame;

    #[test]
    fn a_position_in_the_tree_is_kept() {
        let mut rng = Rng::new(1);
        let start = RandomLineGame::new(1, 8, 3, 5..=6);
        let moves: Vec<_> = start.moves().collect();
        for plies in 0..4 {
            let options = GumbelOptions::playing(400);
            let mut search = GumbelSearch::new(&start, options, &mut rng);
            assert_eq!(search.run(&mut UniformPolicy), Ok(()));
            let mut game = start.clone();
            for &m in &moves[..plies] {
                game.play_unchecked(m);
            }
            search.advance_to(&game, 400, &mut rng);
            assert_eq!(search.game(), &game);
            assert_eq!(search.answer().simulations > 0, plies <= 2, "{plies} plies");
        }
    }
}
