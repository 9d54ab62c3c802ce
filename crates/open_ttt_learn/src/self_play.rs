//! Games of a network against itself.

use core::error::Error;
use core::fmt;
use core::num::NonZero;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use open_ttt_lib::random::{Probability, Rng, nth_seed};
use open_ttt_lib::rules::{Encode, TwoPlayerGame};
use open_ttt_nn::Network;
use open_ttt_players::NetworkModel;
use open_ttt_search::{
    GumbelOptions, GumbelSearch, InvalidEstimate, LockStep, LockStepOptions, StopFlag,
};
use serde::{Deserialize, Serialize};

use crate::{BadRecord, Record, Thought};

/// How a network plays against itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlay {
    /// How many lines are looked along for each move.
    pub simulations: u32,
    /// How many moves are looked at, at most.
    pub considered: NonZero<usize>,
    /// How much values count against logits in what is to be learned: targets
    /// are the softer the smaller it is.
    pub value_scale: f32,
    /// Each game begins with so many moves drawn by chance, or fewer: how many
    /// is drawn as well. Without them a network plays the same few games.
    pub random_plies: usize,
    /// How likely each move behind these is drawn by chance as well, from 0 to 1, once
    /// it has been thought about; but in every other game only. So it learns about
    /// positions that it would not lead to, and still about those that it does.
    /// What such a move spoils is not held against those before it.
    pub random_moves: f64,
}

/// Why something has ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interrupted {
    /// The flag was raised.
    Stopped,
    /// The network's answers, or what it was to learn, are no numbers.
    NotFinite,
    /// What it was to learn from is no game.
    BadRecord(BadRecord),
}

/// So many games are played in lock-step, and make a piece of work for one
/// thread.
const GAMES: usize = 64;

impl SelfPlay {
    /// Plays the games with these numbers of a run with this seed.
    ///
    /// A game depends on the network, the options, the seed and its number, and
    /// on nothing else: whoever plays it, on however many threads, gets the same.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] if the flag is raised, or the network has gone bad.
    pub fn play<G>(
        &self,
        start: &G,
        network: &Network,
        seed: u64,
        numbers: Range<u64>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Result<Vec<Record>, Interrupted>
    where
        G: Encode + TwoPlayerGame<Move: Send> + Send + Sync + 'static,
    {
        let pieces: Vec<Vec<u64>> = numbers
            .collect::<Vec<_>>()
            .chunks(GAMES)
            .map(<[u64]>::to_vec)
            .collect();
        let next = AtomicUsize::new(0);
        let played = Mutex::new(vec![None; pieces.len()]);
        thread::scope(|scope| {
            let work = || {
                let guide = NetworkModel::new(network);
                let mut lock_step = LockStep::new(guide, LockStepOptions::default());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(numbers) = pieces.get(index) else {
                        return;
                    };
                    let records = self.piece(start, &mut lock_step, seed, numbers, stop);
                    let failed = records.is_err();
                    let mut played = played.lock().unwrap_or_else(PoisonError::into_inner);
                    played[index] = Some(records);
                    if failed {
                        // The others need not begin anything more.
                        next.store(pieces.len(), Ordering::Relaxed);
                    }
                }
            };
            let helpers = threads.get().min(pieces.len()).saturating_sub(1);
            for _ in 0..helpers {
                scope.spawn(work);
            }
            work();
        });
        let played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Who has gone bad makes the others stop.
        let bad = |piece: &Option<Result<_, Interrupted>>| match piece {
            Some(Err(error)) if *error != Interrupted::Stopped => Some(error.clone()),
            _ => None,
        };
        if let Some(error) = played.iter().find_map(bad) {
            return Err(error);
        }
        let mut records = Vec::new();
        for piece in played {
            records.extend(piece.unwrap_or(Err(Interrupted::Stopped))?);
        }
        Ok(records)
    }

    fn piece<G: Encode + 'static>(
        &self,
        start: &G,
        lock_step: &mut LockStep<NetworkModel<&Network>>,
        seed: u64,
        numbers: &[u64],
        stop: &StopFlag,
    ) -> Result<Vec<Record>, Interrupted> {
        let random_moves = Probability::new(self.random_moves).unwrap_or(Probability::NEVER);
        let options = GumbelOptions {
            considered: self.considered,
            value_scale: self.value_scale,
            ..GumbelOptions::exploring(self.simulations)
        };
        let mut games = Vec::new();
        let mut searches = Vec::new();
        for (index, &number) in numbers.iter().enumerate() {
            let mut rng = Rng::new(nth_seed(seed, number));
            let (game, record) = self.open(start, &mut rng);
            let search = GumbelSearch::new(&game, options, &mut rng);
            searches.push(search.with_objective(G::objective()));
            games.push((index, game, record, rng));
        }
        let mut finished = vec![Record::default(); numbers.len()];
        while !games.is_empty() {
            if stop.is_raised() {
                return Err(Interrupted::Stopped);
            }
            lock_step.run(&mut searches).map_err(Interrupted::from)?;
            let mut seat = 0;
            while let Some((index, game, record, rng)) = games.get_mut(seat) {
                let search = &mut searches[seat];
                let answer = search.answer();
                let Some(m) = answer.chosen else {
                    // Over: the last game takes its place.
                    finished[*index] = std::mem::take(record);
                    games.swap_remove(seat);
                    searches.swap_remove(seat);
                    continue;
                };
                let strays = rng.chance(random_moves) && numbers[*index] % 2 == 1;
                let m = if strays {
                    rng.pick(game.moves()).unwrap_or(m)
                } else {
                    m
                };
                let index_of = |m| u16::try_from(game.move_index(m)).unwrap_or(u16::MAX);
                let policy = answer
                    .moves
                    .iter()
                    .map(|seen| (index_of(seen.m), seen.policy));
                record.thoughts.push(Thought {
                    policy: policy.collect(),
                    value: answer.value.clamp(-1.0, 1.0),
                    is_followed: !strays,
                });
                record.moves.push(index_of(m));
                game.play_unchecked(m);
                search.restart(game, rng);
                seat += 1;
            }
        }
        Ok(finished)
    }

    /// A game with some moves drawn by chance, but not to its end.
    fn open<G: Encode>(&self, start: &G, rng: &mut Rng) -> (G, Record) {
        let plies = rng.below(self.random_plies + 1);
        let (mut game, mut record) = (start.clone(), Record::default());
        for _ in 0..plies {
            let Some(m) = rng.pick(game.moves()) else {
                break;
            };
            let next = game.after(m);
            if next.outcome().is_some() {
                break;
            }
            record
                .moves
                .push(u16::try_from(game.move_index(m)).unwrap_or(u16::MAX));
            record.opening += 1;
            game = next;
        }
        (game, record)
    }
}

impl From<InvalidEstimate> for Interrupted {
    fn from(_: InvalidEstimate) -> Self {
        // A network gives as many answers as it is asked for; what can be wrong
        // with them is that they are no numbers.
        Self::NotFinite
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped"),
            Self::NotFinite => f.write_str(
                "the network has gone bad: it has numbers that are infinite or none; \
                 a lower learning rate may help",
            ),
            Self::BadRecord(error) => error.fmt(f),
        }
    }
}

impl Error for Interrupted {}
