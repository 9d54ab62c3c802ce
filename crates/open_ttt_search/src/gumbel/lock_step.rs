use core::hash::{BuildHasherDefault, Hasher};
use core::mem;
use core::num::NonZero;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::cache::EstimateCache;
use super::search::Progress;
use super::{Estimates, GumbelSearch, InvalidEstimate, PolicyValue};
use crate::position_key::{PositionKey, Salt};
use open_ttt_lib::rules::TwoPlayerGame;

/// How searches go in lock-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockStepOptions {
    /// How many positions are estimated together, at most.
    pub batch: NonZero<usize>,
    /// How much memory is used to keep estimates, at most; with none, none is
    /// kept.
    pub cache_bytes: usize,
}

impl Default for LockStepOptions {
    /// 64 positions together, and 16 MiB.
    fn default() -> Self {
        Self {
            batch: NonZero::<usize>::MIN.saturating_add(63),
            cache_bytes: 16 << 20,
        }
    }
}

/// Drives many searches at once, so that their positions are estimated
/// together, those that several wait for once, and those that were estimated
/// before not at all.
///
/// None of this makes a difference to any search: each gives the answer it
/// would give alone. (Positions are known by two 64-bit hashes; that two
/// different ones share both has a probability of about 2⁻¹²⁸.)
///
/// ```
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::random::Rng;
/// use open_ttt_search::{
///     GumbelOptions, GumbelSearch, LockStep, LockStepOptions, UniformPolicy,
/// };
///
/// let mut rng = Rng::new(1);
/// let options = GumbelOptions::exploring(16);
/// let search = |_| GumbelSearch::new(&TicTacToe::new(), options, &mut rng);
/// let mut searches: Vec<_> = (0..100).map(search).collect();
/// let mut lock_step = LockStep::new(UniformPolicy, LockStepOptions::default());
/// lock_step.run(&mut searches)?;
/// assert!(searches.iter().all(|search| search.answer().simulations == 16));
/// assert!(lock_step.estimated() < 100 * 17);
/// # Ok::<(), open_ttt_search::InvalidEstimate>(())
/// ```
#[derive(Clone, Debug)]
pub struct LockStep<P> {
    model: P,
    batch: NonZero<usize>,
    cache: EstimateCache,
    estimates: Estimates,
    queue: Queue,
    estimated: u64,
}

/// How many estimates a search takes from the cache in one step, and how many
/// simulations it makes before each.
const SLICE: u64 = 64;

/// Who waits for which position.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// The positions by their keys: the number of each.
    numbers: HashMap<PositionKey, usize, BuildHasherDefault<PlaceHasher>>,
    /// The key of each, and the first search that waits for it.
    positions: Vec<(PositionKey, usize)>,
    /// Searches, each with the number of the position it waits for.
    waiting: Vec<(usize, usize)>,
}

impl<P> LockStep<P> {
    /// Searches that ask this model.
    pub fn new(model: P, options: LockStepOptions) -> Self {
        Self {
            model,
            batch: options.batch,
            cache: EstimateCache::new(options.cache_bytes),
            estimates: Estimates::new(),
            queue: Queue::default(),
            estimated: 0,
        }
    }

    /// Who is asked.
    pub fn model(&self) -> &P {
        &self.model
    }

    /// Who is asked, to be changed: all estimates are forgotten.
    pub fn model_mut(&mut self) -> &mut P {
        self.cache.clear();
        &mut self.model
    }

    /// How many estimates the model was asked for so far.
    pub fn estimated(&self) -> u64 {
        self.estimated
    }

    /// Searches until all are done.
    ///
    /// # Errors
    ///
    /// As for [`step`](Self::step).
    pub fn run<G>(&mut self, searches: &mut [GumbelSearch<G>]) -> Result<(), InvalidEstimate>
    where
        G: TwoPlayerGame,
        P: PolicyValue<G>,
    {
        while !self.step(searches)? {}
        Ok(())
    }

    /// Brings every search on by one estimate of the model and what it can do
    /// without, which is some thousands of simulations at most. Returns whether
    /// all are done.
    ///
    /// Between two steps searches that are done can be set going again, so that
    /// none waits for the longest.
    ///
    /// # Errors
    ///
    /// [`InvalidEstimate`] if an estimate is none. Searches that wait for it can go
    /// on with a better one.
    pub fn step<G>(&mut self, searches: &mut [GumbelSearch<G>]) -> Result<bool, InvalidEstimate>
    where
        G: TwoPlayerGame,
        P: PolicyValue<G>,
    {
        let salt = Salt::of::<G>();
        let mut all_are_done = true;
        for index in 0..searches.len() {
            let search = &mut searches[index];
            for _ in 0..SLICE {
                if search.go_on(SLICE) != Progress::Leaf {
                    break;
                }
                let Some(position) = search.pending() else {
                    break;
                };
                let key = PositionKey::of(position, salt);
                if let Some(estimate) = self.cache.get(key) {
                    search.submit(estimate)?;
                } else {
                    self.queue.push(key, index);
                    break;
                }
            }
            all_are_done &= search.is_done();
            if self.queue.positions.len() >= self.batch.get() {
                self.ask(searches)?;
            }
        }
        self.ask(searches)?;
        Ok(all_are_done)
    }

    /// Has the positions in the queue estimated, and empties it.
    fn ask<G>(&mut self, searches: &mut [GumbelSearch<G>]) -> Result<(), InvalidEstimate>
    where
        G: TwoPlayerGame,
        P: PolicyValue<G>,
    {
        let mut queue = mem::take(&mut self.queue);
        let result = self.answer(&queue, searches);
        queue.clear();
        self.queue = queue;
        result
    }

    fn answer<G>(
        &mut self,
        queue: &Queue,
        searches: &mut [GumbelSearch<G>],
    ) -> Result<(), InvalidEstimate>
    where
        G: TwoPlayerGame,
        P: PolicyValue<G>,
    {
        if queue.positions.is_empty() {
            return Ok(());
        }
        let wanted = |&(_, first): &(PositionKey, usize)| searches[first].pending();
        let positions: Vec<_> = queue.positions.iter().filter_map(wanted).collect();
        self.estimates.clear();
        self.model.estimate(&positions, &mut self.estimates);
        self.estimated += positions.len() as u64;
        for &(search, number) in &queue.waiting {
            let estimate = self.estimates.get(number).ok_or(InvalidEstimate::Missing)?;
            searches[search].submit(estimate)?;
        }
        for (number, &(key, _)) in queue.positions.iter().enumerate() {
            if let Some(estimate) = self.estimates.get(number) {
                self.cache.insert(key, estimate);
            }
        }
        Ok(())
    }
}

impl Queue {
    fn push(&mut self, key: PositionKey, search: usize) {
        let number = match self.numbers.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.positions.push((key, search));
                *place.insert(self.positions.len() - 1)
            }
        };
        self.waiting.push((search, number));
    }

    fn clear(&mut self) {
        self.numbers.clear();
        self.positions.clear();
        self.waiting.clear();
    }
}

/// Takes the last word it is told, which is well mixed, for the hash.
#[derive(Clone, Copy, Debug, Default)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}
