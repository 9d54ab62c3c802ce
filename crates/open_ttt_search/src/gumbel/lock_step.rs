use core::hash::BuildHasherDefault;
use core::mem;
use core::num::NonZero;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::cache::EstimateCache;
use super::{Estimates, GumbelSearch, InvalidEstimate, PolicyValue};
use crate::position_key::{PositionKey, Salt, TwinHasher};
use open_ttt_lib::rules::TwoPlayerGame;

/// The options of searches in lock-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockStepOptions {
    /// The most positions estimated in one batch.
    pub batch: NonZero<usize>,
    /// The most memory of the estimate cache, in bytes, which is taken at once; 0 for no cache.
    pub cache_bytes: usize,
}

impl Default for LockStepOptions {
    /// Batches of 64 positions and 16 MiB.
    fn default() -> Self {
        Self {
            batch: NonZero::<usize>::MIN.saturating_add(63),
            cache_bytes: 16 << 20,
        }
    }
}

/// Drives many searches at once: the model estimates their positions in batches,
/// equal positions once, and cached ones not at all.
///
/// Each search gives the answer it would give alone. (Positions are identified by
/// two 64-bit hashes: two different ones collide with a probability of about
/// 2⁻¹²⁸.)
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
    pending: Batch,
    estimated: u64,
}

/// The most estimates a search takes from the cache in one step, and the most
/// simulations before each.
const SLICE: u64 = 64;

/// The positions of a batch, and the searches that wait for them.
#[derive(Clone, Debug, Default)]
struct Batch {
    /// The index of each position by its key.
    indices: HashMap<PositionKey, usize, BuildHasherDefault<TwinHasher>>,
    /// The key of each position, and the first search that waits for it.
    positions: Vec<(PositionKey, usize)>,
    /// Searches, each with the index of the position it waits for.
    waiting: Vec<(usize, usize)>,
}

impl<P> LockStep<P> {
    /// A driver for this model.
    pub fn new(model: P, options: LockStepOptions) -> Self {
        Self {
            model,
            batch: options.batch,
            cache: EstimateCache::new(options.cache_bytes),
            estimates: Estimates::new(),
            pending: Batch::default(),
            estimated: 0,
        }
    }

    /// The model.
    pub fn model(&self) -> &P {
        &self.model
    }

    /// The model, to be changed. The cache is cleared.
    pub fn model_mut(&mut self) -> &mut P {
        self.cache.clear();
        &mut self.model
    }

    /// The number of estimates requested from the model.
    pub fn estimated(&self) -> u64 {
        self.estimated
    }

    /// Searches until all searches are done.
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

    /// Advances every search by one estimate of the model and what it can do
    /// without, at most some thousands of simulations. Returns whether all are
    /// done.
    ///
    /// Searches that are done can be restarted between two steps, so none waits for
    /// the longest.
    ///
    /// # Errors
    ///
    /// [`InvalidEstimate`] if an estimate is refused. The searches that wait for it
    /// can continue with another.
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
                search.run_until_leaf(SLICE);
                let Some(position) = search.pending() else {
                    break;
                };
                let key = PositionKey::of(position, salt);
                if let Some(estimate) = self.cache.get(key) {
                    search.submit(estimate)?;
                } else {
                    self.pending.push(key, index);
                    break;
                }
            }
            all_are_done &= search.is_done();
            if self.pending.positions.len() >= self.batch.get() {
                self.flush(searches)?;
            }
        }
        self.flush(searches)?;
        Ok(all_are_done)
    }

    /// Estimates the positions of the batch and empties it.
    fn flush<G: TwoPlayerGame>(
        &mut self,
        searches: &mut [GumbelSearch<G>],
    ) -> Result<(), InvalidEstimate>
    where
        P: PolicyValue<G>,
    {
        let mut batch = mem::take(&mut self.pending);
        if batch.positions.is_empty() {
            return Ok(());
        }
        let position = |&(_, first): &(PositionKey, usize)| searches[first].pending();
        let positions: Vec<_> = batch.positions.iter().filter_map(position).collect();
        self.estimates.clear();
        self.model.estimate(&positions, &mut self.estimates);
        self.estimated += positions.len() as u64;
        for &(search, index) in &batch.waiting {
            let estimate = self.estimates.get(index).ok_or(InvalidEstimate::Missing)?;
            searches[search].submit(estimate)?;
        }
        for (index, &(key, _)) in batch.positions.iter().enumerate() {
            if let Some(estimate) = self.estimates.get(index) {
                self.cache.insert(key, estimate);
            }
        }
        batch.clear();
        self.pending = batch;
        Ok(())
    }
}

impl Batch {
    fn push(&mut self, key: PositionKey, search: usize) {
        let index = match self.indices.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                self.positions.push((key, search));
                *place.insert(self.positions.len() - 1)
            }
        };
        self.waiting.push((search, index));
    }

    fn clear(&mut self) {
        self.indices.clear();
        self.positions.clear();
        self.waiting.clear();
    }
}
