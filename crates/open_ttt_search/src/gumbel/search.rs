use super::functions::{gumbel, weights};
use super::halving::Halving;
use super::improvement::Improvement;
use super::nodes::Nodes;
use super::{
    Estimate, Estimates, GumbelAnswer, GumbelOptions, InvalidEstimate, PolicyValue, UniformPolicy,
};
use crate::outcome_bounds::OutcomeBounds;
use crate::tree::{ROOT, moves_between};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IllegalMove, Objective, Side, TwoPlayerGame};

/// A tree search that makes a policy better with few simulations, even with
/// fewer than there are moves: Gumbel `AlphaZero` (Danihelka, Guez,
/// Schrittwieser and Silver, "Policy improvement by planning with Gumbel",
/// 2022).
///
/// At the root it draws moves as the policy says, without drawing one twice,
/// and halves them until the best is left. Below it follows the improved policy,
/// so that each move is visited as often as that says.
///
/// It asks nobody. It tells which position is to be estimated, and goes on when
/// it learns what is thought of it; so many searches can be driven at once and
/// their positions be estimated together ([`LockStep`](super::LockStep)). The
/// same options, random numbers and estimates give the same answer.
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
    pub(super) improvement: Improvement,
    pub(super) game: G,
    objective: Objective<G>,
    pub(super) nodes: Nodes<G::Move>,
    pub(super) root: Root,
    /// The edges of the current line, each with the node it belongs to.
    path: Vec<(u32, u32)>,
    /// The position at the end of the line.
    position: G,
    /// Its moves, and those that end the game, by their place among them.
    moves: Vec<G::Move>,
    proofs: Vec<(usize, OutcomeBounds)>,
    wanted: Wanted,
    /// What moves are compared by.
    scores: Vec<f32>,
}

/// What the root has more than other nodes, and what is planned for it.
#[derive(Clone, Debug)]
pub(super) struct Root {
    is_estimated: bool,
    /// What is proved of it, for the side to move.
    pub(super) bounds: OutcomeBounds,
    /// What chance adds to the logits of the moves.
    pub(super) noise: Vec<f32>,
    /// The visits of the moves before this search.
    pub(super) visits_before: Vec<u32>,
    /// Which moves are left out.
    pub(super) excluded: Vec<bool>,
    halving: Halving,
}

/// Whose estimate a search waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Nothing,
    Root,
    Leaf,
}

/// How far a search came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It waits for an estimate.
    Leaf,
    /// It could go on at once.
    Paused,
    /// It is done.
    Done,
}

impl<G: TwoPlayerGame> GumbelSearch<G> {
    /// A search that has not begun. Where the options ask for noise, it takes a
    /// random number for each move.
    pub fn new(game: &G, options: GumbelOptions, rng: &mut Rng) -> Self {
        let options = options.bounded();
        let mut search = Self {
            options,
            improvement: Improvement::new(&options),
            game: game.clone(),
            objective: Objective::WinLoss,
            nodes: Nodes::new(),
            root: Root {
                is_estimated: false,
                bounds: OutcomeBounds::Unknown,
                noise: Vec::new(),
                visits_before: Vec::new(),
                excluded: Vec::new(),
                halving: Halving::new(0, 0),
            },
            path: Vec::new(),
            position: game.clone(),
            moves: Vec::new(),
            proofs: Vec::new(),
            wanted: Wanted::Nothing,
            scores: Vec::new(),
        };
        search.restart(game, rng);
        search
    }

    /// Sets what finished games count for; call it before the search begins.
    ///
    /// With [`Objective::Margin`] wins and losses are not proved, since a better
    /// margin may exist.
    #[must_use]
    pub fn with_objective(mut self, objective: Objective<G>) -> Self {
        self.options.proves &= matches!(objective, Objective::WinLoss);
        self.objective = objective;
        self.root.bounds = self.root_bounds();
        self
    }

    /// Begins anew with another position, as a new search would, in the same
    /// memory.
    pub fn restart(&mut self, game: &G, rng: &mut Rng) {
        self.game.clone_from(game);
        self.position.clone_from(game);
        self.nodes.clear();
        self.moves.clear();
        self.moves.extend(game.moves());
        let simulations = self.options.simulations as usize;
        self.nodes.reserve(simulations + 1, self.moves.len());
        self.scores.clear();
        self.scores.resize(self.moves.len(), 0.0);
        self.nodes.add(None, &self.moves, &[], &self.scores, 0.0);
        self.root.is_estimated = false;
        self.plan(rng);
    }

    /// The position that is searched.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The position that is to be estimated next, until it is; `None` when the
    /// search is done. The first is the position searched itself. Games that are
    /// over need no estimate.
    #[must_use]
    pub fn leaf(&mut self) -> Option<&G> {
        match self.go_on(u64::MAX) {
            Progress::Leaf => Some(&self.position),
            Progress::Paused | Progress::Done => None,
        }
    }

    /// What [`leaf`](Self::leaf) told last, if it still waits for its estimate.
    pub fn pending(&self) -> Option<&G> {
        (self.wanted != Wanted::Nothing).then_some(&self.position)
    }

    /// Whether all simulations were made, or the result is known.
    pub fn is_done(&self) -> bool {
        let is_over = self.root.excluded.is_empty();
        let is_settled = self.root.halving.is_over() || self.root.bounds.is_proved();
        is_over || self.root.is_estimated && self.wanted == Wanted::Nothing && is_settled
    }

    /// Takes the estimate of the position that waits for it.
    ///
    /// # Errors
    ///
    /// [`InvalidEstimate`] if none does, or if it is no estimate of that position,
    /// which then still waits.
    pub fn submit(&mut self, estimate: Estimate<'_>) -> Result<(), InvalidEstimate> {
        match self.wanted {
            Wanted::Nothing => return Err(InvalidEstimate::NotPending),
            Wanted::Root => {
                estimate.check(self.root.excluded.len())?;
                self.learn_root(estimate);
            }
            Wanted::Leaf => {
                estimate.check(self.moves.len())?;
                self.learn_leaf(estimate);
            }
        }
        self.wanted = Wanted::Nothing;
        Ok(())
    }

    /// Takes it that nothing is known of the position that waits for its
    /// estimate.
    pub fn submit_uniform(&mut self) {
        let mut nothing = Estimates::new();
        if let Some(position) = self.pending() {
            UniformPolicy.estimate(&[position], &mut nothing);
        }
        if let Some(estimate) = nothing.get(0) {
            // As many logits as moves, all of them finite: it is taken.
            let _ = self.submit(estimate);
        }
    }

    /// Searches to the end, one estimate at a time.
    ///
    /// # Errors
    ///
    /// [`InvalidEstimate`] if an estimate is none. The search can go on with a
    /// better one.
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

    /// What is known so far.
    pub fn answer(&self) -> GumbelAnswer<G::Move> {
        GumbelAnswer::read(self)
    }

    /// Goes on from the position after a move, for which it makes simulations
    /// anew. What was seen of it is kept and counts on.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] with the reason; the search is then unchanged.
    pub fn advance(&mut self, m: G::Move, rng: &mut Rng) -> Result<(), IllegalMove<G::Move>> {
        self.game.check(m)?;
        let mut edges = self.nodes.edges(ROOT);
        let child = edges
            .find(|&edge| self.nodes.m(edge) == m)
            .and_then(|edge| self.nodes.child(edge));
        let next = self.game.after(m);
        match child {
            Some(child) => {
                self.nodes.keep_subtree(child);
                self.game = next;
                self.plan(rng);
            }
            None => self.restart(&next, rng),
        }
        Ok(())
    }

    /// Goes on from a position at most two moves ahead, anew where it is not in
    /// the tree, with so many simulations a move from there on.
    pub fn advance_to(&mut self, game: &G, simulations: u32, rng: &mut Rng) {
        self.options.simulations = simulations;
        self.options = self.options.bounded();
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

    /// Begins another round where a search is done: twice as many simulations for
    /// the moves that are not left out, but no more than so many. Returns whether
    /// there is anything left to find out.
    pub fn begin_round(&mut self, most: u32, rng: &mut Rng) -> bool {
        let simulations = self.options.simulations;
        let most = most.min(GumbelOptions::MOST_SIMULATIONS);
        let is_settled = self.root.excluded.is_empty() || self.root.bounds.is_proved();
        if simulations >= most || is_settled {
            return false;
        }
        self.options.simulations = simulations.saturating_mul(2).min(most);
        let excluded = core::mem::take(&mut self.root.excluded);
        self.plan(rng);
        self.leave_out(excluded);
        true
    }

    /// Leaves moves of this position out, and makes simulations anew for the
    /// others.
    pub fn exclude(&mut self, moves: &[G::Move], rng: &mut Rng) {
        self.plan(rng);
        let edges = self.nodes.edges(ROOT);
        self.leave_out(
            edges
                .map(|edge| moves.contains(&self.nodes.m(edge)))
                .collect(),
        );
    }

    /// Leaves out these moves of the position searched and no others.
    fn leave_out(&mut self, excluded: Vec<bool>) {
        self.root.excluded = excluded;
        self.root.bounds = self.root_bounds();
        self.root.halving = self.halving();
    }

    /// Plans the simulations of the position searched.
    fn plan(&mut self, rng: &mut Rng) {
        let visits = self.nodes.seen(ROOT).visits;
        let scale = self.options.noise;
        self.root.noise.clear();
        self.root.noise.extend(visits.iter().map(|_| match scale {
            0.0 => 0.0,
            _ => scale * gumbel(rng),
        }));
        self.root.visits_before.clear();
        self.root.visits_before.extend_from_slice(visits);
        self.root.excluded.clear();
        self.root.excluded.resize(visits.len(), false);
        self.root.bounds = self.root_bounds();
        self.root.halving = self.halving();
        self.wanted = Wanted::Nothing;
    }

    fn halving(&self) -> Halving {
        let seen = self.root.excluded.iter();
        let moves = seen.filter(|&&excluded| !excluded).count();
        let simulations = self.options.simulations;
        // What was kept of earlier moves takes room of a tree twice as large.
        let room = (2 * simulations).saturating_sub(self.nodes.seen(ROOT).all_visits);
        let simulations = simulations.min(room.max(1));
        Halving::new(moves.min(self.options.considered.get()), simulations)
    }

    /// What the side to move has for certain by the moves that are not left
    /// out.
    fn root_bounds(&self) -> OutcomeBounds {
        if self.root.excluded.is_empty() || !self.options.proves {
            return OutcomeBounds::Unknown;
        }
        let seen = self.nodes.edges(ROOT).zip(&self.root.excluded);
        OutcomeBounds::best_of(seen.map(|(edge, &excluded)| {
            if excluded {
                OutcomeBounds::Loss
            } else {
                self.nodes.bounds(edge)
            }
        }))
    }

    /// Makes simulations, at most so many, until an estimate is needed.
    pub(super) fn go_on(&mut self, most: u64) -> Progress {
        for _ in 0..most {
            if self.wanted != Wanted::Nothing {
                return Progress::Leaf;
            }
            if self.is_done() {
                return Progress::Done;
            }
            if !self.root.is_estimated {
                self.position.clone_from(&self.game);
                self.wanted = Wanted::Root;
            } else if self.leads_to_leaf() {
                self.wanted = Wanted::Leaf;
            }
        }
        match self.wanted {
            Wanted::Nothing => Progress::Paused,
            Wanted::Root | Wanted::Leaf => Progress::Leaf,
        }
    }

    /// Looks along a line. Returns whether its end is to be estimated; if not,
    /// it is counted.
    fn leads_to_leaf(&mut self) -> bool {
        self.position.clone_from(&self.game);
        self.path.clear();
        let mut node = ROOT;
        let mut edge = self.choose_at_root();
        loop {
            self.path.push((node as u32, edge as u32));
            self.position.play_unchecked(self.nodes.m(edge));
            if let Some(points) = self.nodes.bounds(edge).points() {
                self.count(2.0 * points - 1.0);
                return false;
            }
            let Some(child) = self.nodes.child(edge) else {
                break;
            };
            node = child;
            edge = self.choose_below(node);
        }
        let outcome = self.position.outcome();
        if let Objective::Margin(margin) = self.objective
            && outcome.is_some()
        {
            let value = margin(&self.position).clamp(-1.0, 1.0);
            // Counted for the side that made the last move.
            self.count(match self.position.to_move() {
                Side::First => -value,
                Side::Second => value,
            });
            return false;
        }
        let bounds = match outcome {
            Some(outcome) => OutcomeBounds::terminal(outcome, !self.position.to_move()),
            None => self.look_ahead().of_opponent(),
        };
        if bounds != OutcomeBounds::Unknown {
            self.prove(bounds);
        }
        let points = bounds.points();
        if let Some(points) = points {
            self.count(2.0 * points - 1.0);
        }
        points.is_none()
    }

    /// The move of the root that sequential halving asks for: of those with so
    /// many visits in this search the best, chance included.
    fn choose_at_root(&mut self) -> usize {
        let edges = self.nodes.edges(ROOT);
        let seen = self.nodes.seen(ROOT);
        self.improvement.logits(&seen, &mut self.scores);
        let visits = self.root.halving.visits();
        let (mut most, mut chosen) = (f32::NEG_INFINITY, None);
        for (index, &logit) in self.scores.iter().enumerate() {
            let is_asked_for = seen.visits[index] - self.root.visits_before[index] == visits;
            let score = logit + self.root.noise[index];
            if is_asked_for && !self.root.excluded[index] && score > most {
                most = score;
                chosen = Some(index);
            }
        }
        edges.start + chosen.unwrap_or(0)
    }

    /// The move of a node that is most behind the share of visits that the
    /// improved policy gives it. Where proofs count, those of which everything is
    /// known are not tried again: so what is not known of a finite game becomes
    /// less with every simulation.
    fn choose_below(&mut self, node: usize) -> usize {
        let edges = self.nodes.edges(node);
        let seen = self.nodes.seen(node);
        self.improvement.logits(&seen, &mut self.scores);
        let share = 1.0 / weights(&mut self.scores);
        let visit_share = 1.0 / (1.0 + seen.all_visits as f32);
        let (mut most, mut chosen) = (f32::NEG_INFINITY, edges.start);
        for ((edge, &weight), &visits) in edges.zip(&self.scores).zip(seen.visits) {
            let behind = weight * share - visits as f32 * visit_share;
            if behind > most && !(self.options.proves && self.nodes.bounds(edge).is_proved()) {
                most = behind;
                chosen = edge;
            }
        }
        chosen
    }

    /// Lists the moves of the position at the end of the line and, where proofs
    /// count, what is seen of them at once. Returns what its side has in hand.
    fn look_ahead(&mut self) -> OutcomeBounds {
        self.moves.clear();
        self.moves.extend(self.position.moves());
        self.proofs.clear();
        if !self.options.proves {
            return OutcomeBounds::Unknown;
        }
        let side = self.position.to_move();
        let mut in_hand = OutcomeBounds::Loss;
        for (place, &m) in self.moves.iter().enumerate() {
            let Some(outcome) = self.position.after(m).outcome() else {
                continue;
            };
            let bounds = OutcomeBounds::terminal(outcome, side);
            self.proofs.push((place, bounds));
            in_hand = in_hand.max(bounds);
            if in_hand == OutcomeBounds::Win {
                return in_hand;
            }
        }
        if self.proofs.len() < self.moves.len() {
            in_hand = in_hand.max(OutcomeBounds::Unknown);
        }
        in_hand
    }

    fn learn_root(&mut self, estimate: Estimate<'_>) {
        let value = estimate.value.clamp(-1.0, 1.0);
        self.nodes.weigh(ROOT, estimate.logits, value);
        self.root.is_estimated = true;
        // Without simulations the policy is to decide alone.
        if self.options.simulations > 0 {
            self.look_ahead();
            let first = self.nodes.edges(ROOT).start;
            for &(place, bounds) in &self.proofs {
                self.nodes.prove(first + place, bounds);
            }
            self.root.bounds = self.root_bounds();
        }
    }

    fn learn_leaf(&mut self, estimate: Estimate<'_>) {
        let value = estimate.value.clamp(-1.0, 1.0);
        let edge = self.path.last().map(|&(_, edge)| edge as usize);
        // Where there is no room the position is estimated, but not looked into.
        self.nodes
            .add(edge, &self.moves, &self.proofs, estimate.logits, value);
        self.count(-value);
    }

    /// Counts a simulation along the path that brought `value` to the side that
    /// made its last move.
    fn count(&mut self, value: f32) {
        let mut value = value;
        for &(node, edge) in self.path.iter().rev() {
            value = -self.nodes.count(node as usize, edge as usize, value);
        }
        self.root.halving.count();
    }

    /// Writes down what is proved of the path's last move, and what follows for
    /// the moves before it (Winands, Björnsson and Saito, "Monte-Carlo tree
    /// search solver", 2008).
    fn prove(&mut self, bounds: OutcomeBounds) {
        let mut bounds = bounds;
        for &(node, edge) in self.path.iter().rev() {
            if self.nodes.bounds(edge as usize) == bounds {
                return;
            }
            self.nodes.prove(edge as usize, bounds);
            if !self.options.proves {
                return;
            }
            bounds = self.nodes.in_hand(node as usize).of_opponent();
        }
        self.root.bounds = self.root_bounds();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threats::random_line_game::RandomLineGame;

    #[test]
    fn a_position_in_the_tree_is_gone_on_from() {
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
