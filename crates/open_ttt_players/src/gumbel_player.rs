use core::num::NonZero;
use core::slice;

use super::difficulty::{Difficulty, MoveQuality, moves_to_exclude};
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    GumbelAnswer, GumbelOptions, GumbelSearch, LockStep, LockStepOptions, PolicyValue, StopFlag,
    TimeLimit,
};

/// Plays by a policy-value model, such as a [`NetworkModel`](super::NetworkModel),
/// and a tree search that improves its policy ([`GumbelSearch`]).
///
/// The tree and the model's estimates are kept between turns: visits of the moves
/// played since still count. In an unrelated position the search starts over. A
/// model and the turns since the player was made always give the same move, unless the
/// flag or the time limit ends the search, the player pondered, or it is to make mistakes or
/// noise without a seed.
///
/// An invalid estimate, such as one with an infinite number, is replaced by a
/// uniform policy.
///
/// ```
/// use std::num::NonZero;
///
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::{GumbelPlayer, Random, WinStatus, play_game};
/// use open_ttt_search::RandomPlayouts;
///
/// // A model without training.
/// let model = RandomPlayouts { playouts: NonZero::<u32>::MIN, seed: 1 };
/// let mut computer = GumbelPlayer::new(model, 200);
/// let record = play_game(&ConnectFour::new(), &mut computer, &mut Random::seeded(1));
/// assert_eq!(record.result().player1, WinStatus::Winner);
/// ```
#[doc(alias = "AlphaZero")]
#[derive(Clone, Debug)]
pub struct GumbelPlayer<G: TwoPlayerGame, P> {
    options: GumbelOptions,
    time: Option<TimeLimit>,
    lock_step: LockStep<P>,
    difficulty: Difficulty,
    search: Option<GumbelSearch<G>>,
}

/// The simulations of the first round of a search that a time limit ends.
const FIRST_ROUND: u32 = 32;

impl<G: TwoPlayerGame, P: PolicyValue<G>> GumbelPlayer<G, P> {
    /// A player with this number of simulations for each move; with none it
    /// plays by the policy alone. The model counts as
    /// [trusted](GumbelOptions::trusting); for a weak one use
    /// [`with_options`](Self::with_options).
    pub fn new(model: P, simulations: u32) -> Self {
        Self::with_options(model, GumbelOptions::trusting(simulations))
    }

    /// A player with these search options.
    pub fn with_options(model: P, options: GumbelOptions) -> Self {
        let single = LockStepOptions {
            batch: NonZero::<usize>::MIN,
            cache_bytes: 4 << 20,
        };
        Self {
            options,
            time: None,
            lock_step: LockStep::new(model, single),
            difficulty: Difficulty::without_mistakes(),
            search: None,
        }
    }

    /// Sets the difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }

    /// Sets a time limit for each move. The number of simulations becomes a
    /// maximum.
    ///
    /// Sequential halving needs the number of simulations in advance. A search
    /// with a time limit runs in rounds in the same tree, each with twice the
    /// simulations of the one before, and plays the choice of the last round
    /// begun. The model is evaluated at least once.
    pub fn with_time(self, time: TimeLimit) -> Self {
        Self {
            time: Some(time),
            search: None,
            ..self
        }
    }

    /// The search at this position.
    fn search_at(&mut self, turn: &Turn<'_, G>) -> GumbelSearch<G> {
        let mut search = self.search_without_history(turn.game);
        search.set_history(turn.earlier);
        search
    }

    fn search_without_history(&mut self, game: &G) -> GumbelSearch<G> {
        let simulations = match self.time {
            Some(_) => self.options.simulations.min(FIRST_ROUND),
            None => self.options.simulations,
        };
        let rng = &mut self.difficulty.rng;
        if let Some(mut search) = self.search.take() {
            search.advance_to(game, simulations, rng);
            return search;
        }
        let options = GumbelOptions {
            simulations,
            ..self.options
        };
        let search = GumbelSearch::new(game, options, rng);
        search.with_objective(self.lock_step.model().objective(game))
    }

    /// Searches until the simulations, the time or the flag end it.
    fn run(&mut self, search: &mut GumbelSearch<G>, stop: &StopFlag) {
        let deadline = self.time.map(|TimeLimit { limit, clock }| {
            let end = clock.now().saturating_add(limit);
            (clock, end)
        });
        let (max_simulations, rng) = (self.options.simulations, &mut self.difficulty.rng);
        loop {
            match self.lock_step.step(slice::from_mut(search)) {
                Ok(true) if !search.begin_round(max_simulations, rng) => return,
                Ok(_) => {}
                Err(_) => search.submit_uniform(),
            }
            // The first step has evaluated the root, so there is a policy to play by.
            if stop.is_raised() || deadline.is_some_and(|(clock, end)| clock.now() >= end) {
                return;
            }
        }
    }

    /// The answer without the best moves and without all that turn out to have
    /// the same proved outcome; `best` itself if no others are left.
    fn mistake(
        &mut self,
        search: &mut GumbelSearch<G>,
        best: GumbelAnswer<G::Move>,
        stop: &StopFlag,
    ) -> GumbelAnswer<G::Move> {
        let mut excluded = best_moves(&best);
        while excluded.len() < best.moves.len() {
            search.exclude(&excluded, &mut self.difficulty.rng);
            if best.proved.is_some() {
                // The proof ended the search before it visited the other moves.
                self.run(search, stop);
            }
            let next = search.answer();
            if best.proved.is_none() || next.proved != best.proved {
                return next;
            }
            let equal = best_moves(&next);
            excluded.retain(|m| !equal.contains(m));
            excluded.extend(equal);
        }
        best
    }
}

impl<G: TwoPlayerGame, P: PolicyValue<G>> Player<G> for GumbelPlayer<G, P> {
    fn player_name(&self) -> &'static str {
        "net"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let quality = self.difficulty.draw();
        let mut search = self.search_at(turn);
        self.run(&mut search, &turn.stop);
        let mut answer = search.answer();
        if quality == MoveQuality::Mistake {
            answer = self.mistake(&mut search, answer, &turn.stop);
        }
        self.search = Some(search);
        Decision::play_or_resign(answer.chosen)
    }

    /// Searches from the opponent's position; the subtrees of the most promising
    /// replies are reused.
    fn ponder(&mut self, turn: &Turn<'_, G>) -> bool {
        let mut search = self.search_at(turn);
        self.run(&mut search, &turn.stop);
        self.search = Some(search);
        true
    }
}

fn best_moves<M: Copy + Eq>(answer: &GumbelAnswer<M>) -> Vec<M> {
    let moves = answer.moves.iter().map(|found| (found.m, found.proved));
    moves_to_exclude(answer.chosen, moves)
}
