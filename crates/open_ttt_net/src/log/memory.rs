use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};
use futures_util::stream::BoxStream;

use super::watchers::Watchers;
use super::{AppendError, LogError, MatchLog, check_length};
use crate::MatchId;
use crate::replication::Sequence;

/// A store in memory. It is lost when the process ends.
///
/// ```
/// use futures_util::FutureExt;
/// use open_ttt_net::log::{AppendError, MatchLog, MemoryLog};
/// use open_ttt_net::replication::Sequence;
///
/// let log = MemoryLog::new();
/// let id = "k3h9zq4m2x7d".parse()?;
/// // The futures of a store in memory are ready at once.
/// let append = |entry: &'static str| log.append(&id, Sequence::START, entry.into());
/// assert_eq!(append("b2").now_or_never(), Some(Ok(())));
/// assert_eq!(append("a1").now_or_never(), Some(Err(AppendError::Conflict)));
/// # Ok::<(), open_ttt_net::ParseIdError>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryLog {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    watchers: Arc<Watchers>,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    matches: HashMap<MatchId, Vec<Bytes>>,
    notices: Notices,
}

/// Notices, ordered by when they were set.
#[derive(Debug, Default)]
struct Notices {
    last_key: u64,
    keys: HashMap<MatchId, u64>,
    by_key: BTreeMap<u64, (MatchId, Bytes)>,
}

impl MemoryLog {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl MatchLog for MemoryLog {
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>> {
        let appended = self.shared.append(id, last, entry);
        future::ready(appended).boxed()
    }

    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>> {
        future::ready(self.shared.read(id, after, limit)).boxed()
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>> {
        let (shared, watched) = (Arc::clone(&self.shared), id.clone());
        let read = move |after, limit| future::ready(shared.read(&watched, after, limit)).boxed();
        self.shared.watchers.watch(id, after, read)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>> {
        future::ready(self.shared.set_notice(id, notice)).boxed()
    }

    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>> {
        let notices = self.shared.open().map(|state| state.notices.latest(limit));
        future::ready(notices).boxed()
    }

    fn check(&self) -> BoxFuture<'_, Result<(), LogError>> {
        future::ready(self.shared.open().map(|_state| ())).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.shared.state().closed = true;
        self.shared.watchers.close();
        future::ready(()).boxed()
    }
}

impl Shared {
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> Result<(), AppendError> {
        let mut state = self.open().map_err(AppendError::Refused)?;
        check_length(&entry).map_err(AppendError::Refused)?;
        let length = state.matches.get(id).map_or(0, Vec::len);
        if last != Sequence::new(length as u64) {
            return Err(AppendError::Conflict);
        }
        state.matches.entry(id.clone()).or_default().push(entry);
        drop(state);
        self.watchers.notify([id]);
        Ok(())
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> Result<Vec<Bytes>, LogError> {
        let state = self.open()?;
        let entries = state.matches.get(id).map_or(&[][..], Vec::as_slice);
        let first = usize::try_from(after.get()).unwrap_or(usize::MAX);
        let behind = entries.get(first..).unwrap_or_default();
        Ok(behind.iter().take(limit).cloned().collect())
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> Result<(), LogError> {
        let mut state = self.open()?;
        notice.as_ref().map_or(Ok(()), check_length)?;
        state.notices.set(id, notice);
        Ok(())
    }

    /// The state, unless the store is closed.
    fn open(&self) -> Result<MutexGuard<'_, State>, LogError> {
        let state = self.state();
        if state.closed {
            Err(LogError::closed())
        } else {
            Ok(state)
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notices {
    fn set(&mut self, id: &MatchId, notice: Option<Bytes>) {
        if let Some(key) = self.keys.remove(id) {
            self.by_key.remove(&key);
        }
        if let Some(notice) = notice {
            self.last_key += 1;
            self.keys.insert(id.clone(), self.last_key);
            self.by_key.insert(self.last_key, (id.clone(), notice));
        }
    }

    fn latest(&self, limit: usize) -> Vec<(MatchId, Bytes)> {
        self.by_key.values().rev().take(limit).cloned().collect()
    }
}
