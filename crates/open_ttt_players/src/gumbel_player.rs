use core::num::NonZero;
use core::slice;

use super::difficulty::Difficulty;
use super::{Decision, Player, Turn};
use open_ttt_lib::rules::TwoPlayerGame;
use open_ttt_search::{
    GumbelAnswer, GumbelOptions, GumbelSearch, LockStep, LockStepOptions, PolicyValue, StopFlag,
    TimeLimit,
};

/// Chooses by what it has learned, say by a network, and by a tree search that
/// makes that better.
///
/// It keeps its tree and what it was told of positions between its turns: what
/// it saw of the moves played since counts on. In another position it begins
/// anew. The same model and position give the same move, unless the flag or the
/// time ends its search, it pondered, or its options ask for noise.
///
/// A mistake is to overlook the best move and play the next; where the best is
/// proved to win or to draw, all moves that are proved to do the same are
/// overlooked.
///
/// An estimate that is none, say because a number in it is infinite, counts as
/// knowing nothing.
///
/// ```
/// use std::num::NonZero;
///
/// use open_ttt_lib::games::ConnectFour;
/// use open_ttt_players::{GumbelPlayer, Random, WinStatus, play_game};
/// use open_ttt_search::RandomPlayouts;
///
/// // Nobody taught it anything: it has to try things out.
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

/// How many simulations the first round makes, where time limits them.
const FIRST_ROUND: u32 = 32;

impl<G: TwoPlayerGame, P: PolicyValue<G>> GumbelPlayer<G, P> {
    /// A player with this model that makes so many simulations for a move; with
    /// none it plays by the policy alone, and does not look ahead. The model is
    /// [trusted](GumbelOptions::trusting); for one that knows little take
    /// [`with_options`](Self::with_options).
    pub fn new(model: P, simulations: u32) -> Self {
        Self::with_options(model, GumbelOptions::trusting(simulations))
    }

    /// A player with this model that searches in this way.
    pub fn with_options(model: P, options: GumbelOptions) -> Self {
        let alone = LockStepOptions {
            batch: NonZero::<usize>::MIN,
            cache_bytes: 4 << 20,
        };
        Self {
            options,
            time: None,
            lock_step: LockStep::new(model, alone),
            difficulty: Difficulty::unerring(),
            search: None,
        }
    }

    /// The same player with this difficulty.
    pub fn with_difficulty(self, difficulty: Difficulty) -> Self {
        Self { difficulty, ..self }
    }

    /// The same player with so long for each move: its simulations are the most
    /// that it makes then.
    ///
    /// Sequential halving has to know beforehand how many simulations there will
    /// be. So there are rounds of it, each in the tree of those before and with
    /// twice as many simulations, and the last that was begun decides. Whatever the
    /// time, the model is asked once.
    pub fn with_time(self, time: TimeLimit) -> Self {
        Self {
            time: Some(time),
            search: None,
            ..self
        }
    }

    /// How many simulations are made at first.
    fn first_round(&self) -> u32 {
        match self.time {
            Some(_) => self.options.simulations.min(FIRST_ROUND),
            None => self.options.simulations,
        }
    }

    /// Goes on to this position.
    fn turn_to(&mut self, game: &G) {
        let simulations = self.first_round();
        let rng = &mut self.difficulty.rng;
        if let Some(search) = &mut self.search {
            search.advance_to(game, simulations, rng);
        } else {
            let options = GumbelOptions {
                simulations,
                ..self.options
            };
            let search = GumbelSearch::new(game, options, rng);
            self.search = Some(search.with_objective(self.lock_step.model().objective()));
        }
    }

    /// Searches to the end, until its time is over, or until the flag is raised.
    fn think(&mut self, stop: &StopFlag) {
        let Some(search) = &mut self.search else {
            return;
        };
        let end = self.time.map(|TimeLimit { limit, clock }| {
            let end = clock.now().saturating_add(limit);
            (clock, end)
        });
        let (most, rng) = (self.options.simulations, &mut self.difficulty.rng);
        loop {
            match self.lock_step.step(slice::from_mut(search)) {
                Ok(true) if !search.begin_round(most, rng) => return,
                Ok(_) => {}
                Err(_) => search.submit_uniform(),
            }
            // The first step has told the policy.
            if stop.is_raised() || end.is_some_and(|(clock, end)| clock.now() >= end) {
                return;
            }
        }
    }

    fn answer(&self) -> Option<GumbelAnswer<G::Move>> {
        self.search.as_ref().map(GumbelSearch::answer)
    }

    /// The answer when the best moves are overlooked, and all that turn out to
    /// be proved to do the same; this one if there are no others.
    fn mistake(&mut self, best: GumbelAnswer<G::Move>, stop: &StopFlag) -> GumbelAnswer<G::Move> {
        let mut overlooked = best_moves(&best);
        while overlooked.len() < best.moves.len() {
            if let Some(search) = &mut self.search {
                search.exclude(&overlooked, &mut self.difficulty.rng);
            }
            if best.proved.is_some() {
                // The others were hardly looked at.
                self.think(stop);
            }
            let Some(next) = self.answer() else {
                break;
            };
            if best.proved.is_none() || next.proved != best.proved {
                return next;
            }
            let seen = best_moves(&next);
            overlooked.retain(|m| !seen.contains(m));
            overlooked.extend(seen);
        }
        best
    }
}

impl<G: TwoPlayerGame, P: PolicyValue<G>> Player<G> for GumbelPlayer<G, P> {
    fn player_name(&self) -> &'static str {
        "net"
    }

    fn take_turn(&mut self, turn: &Turn<'_, G>) -> Decision<G::Move> {
        let errs = self.difficulty.errs_now();
        self.turn_to(turn.game);
        self.think(&turn.stop);
        let answer = self.answer().and_then(|answer| {
            let answer = if errs {
                self.mistake(answer, &turn.stop)
            } else {
                answer
            };
            answer.chosen
        });
        answer.map_or(Decision::Resign, Decision::Play)
    }

    /// Searches from the opponent's position, so that a part of the tree is there
    /// for the replies that look best.
    fn ponder(&mut self, game: &G, stop: &StopFlag) -> bool {
        self.turn_to(game);
        self.think(stop);
        true
    }
}

/// The moves that are overlooked by a mistake.
fn best_moves<M: Copy + Eq>(answer: &GumbelAnswer<M>) -> Vec<M> {
    let chosen = answer.moves.iter().find(|m| Some(m.m) == answer.chosen);
    let equals = answer.moves.iter().filter(|m| {
        chosen.is_some_and(|chosen| {
            m.m == chosen.m || chosen.proved.is_some() && m.proved == chosen.proved
        })
    });
    equals.map(|m| m.m).collect()
}
