//! Self-play: the games a network is trained on.

mod game;
mod runner;
mod source;

use core::num::NonZero;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use open_ttt_lib::random::{Probability, Rng, nth_seed};
use open_ttt_lib::rules::{Encode, History, TwoPlayerGame};
use open_ttt_nn::Network;
use open_ttt_players::NetworkModel;
use open_ttt_search::{
    GumbelOptions, GumbelSearch, InvalidEstimate, LockStep, LockStepOptions, StopFlag,
};
use serde::{Deserialize, Serialize};

use crate::ConfigError;
use crate::config::check;

pub use game::{SearchTarget, SelfPlayGame, SelfPlayGameError};
pub use runner::{GameRunner, game_runner};
pub use source::{GameBatch, GameRequest, GameSource, LocalSource, WorkerNotice, WorkerStats};

/// How a network plays against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlayConfig {
    /// Simulations per move.
    pub simulations: u32,
    /// The number of moves considered at the root, at most.
    pub considered: NonZero<usize>,
    /// The weight of values against logits in the improved policy (`c_scale`); smaller
    /// values make softer policy targets.
    pub value_scale: f32,
    /// Each game begins with a random number of random moves, at most this many, for
    /// variety.
    pub random_plies: usize,
    /// The probability, from 0 to 1, that a later move is drawn at random after its
    /// search; in every other game only. The network thereby learns positions that it
    /// would avoid. Positions before a random move take their result from the search.
    pub random_moves: f64,
}

/// Why self-play or training ended early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Interrupted {
    /// The flag was raised.
    #[error("stopped")]
    Stopped,
    /// The network's output or its loss is NaN or infinite.
    #[error(
        "the network has diverged: its numbers are NaN or infinite; a lower learning rate may help"
    )]
    NotFinite,
    /// A training game is invalid.
    #[error(transparent)]
    InvalidGame(#[from] SelfPlayGameError),
}

/// A range of a run's self-play games.
///
/// A game depends on its start position, the network, the configuration, the seed and
/// its number alone: any machine with any number of threads plays the same game.
#[derive(Clone, Debug)]
pub struct TaskSlice<'a> {
    /// The network that plays.
    pub network: &'a Network,
    /// How it plays.
    pub self_play: &'a SelfPlayConfig,
    /// The seed of the run's games.
    pub seed: u64,
    /// The numbers of the games.
    pub numbers: Range<u64>,
}

/// How many games a thread plays in lock-step.
const LOCK_STEP_GAMES: usize = 64;

impl SelfPlayConfig {
    /// Checks that all numbers are within bounds.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Range`] for the first that isn't.
    pub fn check(&self) -> Result<(), ConfigError> {
        let fits = self.simulations <= 1 << 16;
        check(fits, "simulations", "at most 65,536")?;
        let fits = (0.0..=1e3).contains(&self.value_scale);
        check(fits, "value_scale", "from 0 to 1,000")?;
        let fits = self.random_plies <= 1000;
        check(fits, "random_plies", "at most 1,000")?;
        let fits = Probability::new(self.random_moves).is_ok();
        check(fits, "random_moves", "from 0 to 1")
    }

    /// A game after its random opening, which doesn't end it.
    fn open<G: Encode>(&self, start: &G, rng: &mut Rng) -> (History<G>, SelfPlayGame) {
        let plies = rng.below(self.random_plies + 1);
        let (mut history, mut game) = (History::new(start.clone()), SelfPlayGame::default());
        for _ in 0..plies {
            let position = history.position();
            let Some(m) = rng.pick(position.moves()) else {
                break;
            };
            let index = index_of(position, m);
            history.play_unchecked(m);
            if SelfPlayGame::outcome(&history).is_some() {
                history.undo();
                break;
            }
            game.moves.push(index);
            game.opening += 1;
        }
        (history, game)
    }
}

impl TaskSlice<'_> {
    /// Plays the games.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised or the network's output isn't finite.
    pub fn play<G>(
        &self,
        start: &G,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted>
    where
        G: Encode + TwoPlayerGame<Move: Send> + Send + Sync + 'static,
    {
        let numbers: Vec<u64> = self.numbers.clone().collect();
        let chunks: Vec<&[u64]> = numbers.chunks(LOCK_STEP_GAMES).collect();
        let next = AtomicUsize::new(0);
        let played = Mutex::new(vec![None; chunks.len()]);
        thread::scope(|scope| {
            let work = || {
                let guide = NetworkModel::new(self.network);
                let mut lock_step = LockStep::new(guide, LockStepOptions::default());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(numbers) = chunks.get(index) else {
                        return;
                    };
                    let games = self.play_chunk(start, &mut lock_step, numbers, stop);
                    if games.is_err() {
                        // The other threads begin no further chunk.
                        next.store(chunks.len(), Ordering::Relaxed);
                    }
                    let mut played = played.lock().unwrap_or_else(PoisonError::into_inner);
                    played[index] = Some(games);
                }
            };
            let helpers = threads.get().min(chunks.len()).saturating_sub(1);
            for _ in 0..helpers {
                scope.spawn(work);
            }
            work();
        });
        let played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Another error takes precedence over the chunks that it stopped.
        let error = played.iter().flatten().find_map(|chunk| match chunk {
            Err(error) if *error != Interrupted::Stopped => Some(error.clone()),
            _ => None,
        });
        if let Some(error) = error {
            return Err(error);
        }
        let mut games = Vec::new();
        for chunk in played {
            games.extend(chunk.unwrap_or(Err(Interrupted::Stopped))?);
        }
        Ok(games)
    }

    /// Plays the games with these numbers in lock-step.
    fn play_chunk<G: Encode + 'static>(
        &self,
        start: &G,
        lock_step: &mut LockStep<NetworkModel<&Network>>,
        numbers: &[u64],
        stop: &StopFlag,
    ) -> Result<Vec<SelfPlayGame>, Interrupted> {
        let config = self.self_play;
        let random_moves = Probability::new(config.random_moves).unwrap_or(Probability::NEVER);
        let options = GumbelOptions {
            considered: config.considered,
            value_scale: config.value_scale,
            ..GumbelOptions::exploring(config.simulations)
        };
        let mut running = Vec::new();
        let mut searches = Vec::new();
        for (index, &number) in numbers.iter().enumerate() {
            let mut rng = Rng::new(nth_seed(self.seed, number));
            let (history, game) = config.open(start, &mut rng);
            let mut search = GumbelSearch::new(history.position(), options, &mut rng)
                .with_objective(start.objective());
            search.set_history(history.earlier());
            searches.push(search);
            running.push((index, history, game, rng));
        }
        let mut finished = vec![SelfPlayGame::default(); numbers.len()];
        while !running.is_empty() {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            lock_step.run(&mut searches)?;
            let mut slot = 0;
            while let Some((index, history, game, rng)) = running.get_mut(slot) {
                let search = &mut searches[slot];
                let answer = search.answer();
                let chosen = match SelfPlayGame::outcome(history) {
                    Some(_) => None,
                    None => answer.chosen,
                };
                let Some(chosen) = chosen else {
                    // The game is over; the last one takes its slot.
                    finished[*index] = std::mem::take(game);
                    running.swap_remove(slot);
                    searches.swap_remove(slot);
                    continue;
                };
                let position = history.position();
                let is_random = rng.chance(random_moves) && numbers[*index] % 2 == 1;
                let m = if is_random {
                    rng.pick(position.moves()).unwrap_or(chosen)
                } else {
                    chosen
                };
                let moves = answer.moves.iter();
                let policy = moves.map(|seen| (index_of(position, seen.m), seen.policy));
                game.targets.push(SearchTarget {
                    policy: policy.collect(),
                    value: answer.value.clamp(-1.0, 1.0),
                    is_followed: !is_random,
                });
                game.moves.push(index_of(position, m));
                history.play_unchecked(m);
                search.restart(history.position(), rng);
                search.set_history(history.earlier());
                slot += 1;
            }
        }
        Ok(finished)
    }
}

fn index_of<G: Encode>(position: &G, m: G::Move) -> u16 {
    u16::try_from(position.move_index(m)).unwrap_or(u16::MAX)
}

impl From<InvalidEstimate> for Interrupted {
    /// A network returns one estimate per position, so only its numbers can be bad.
    fn from(_: InvalidEstimate) -> Self {
        Self::NotFinite
    }
}
