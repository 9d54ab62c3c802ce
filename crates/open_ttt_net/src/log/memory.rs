use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};

use super::watchers::Watchers;
use super::{AppendError, LogError, LogFuture, LogStream, MAX_NOTICES, MatchLog, check_length};
use crate::MatchId;
use crate::lock::lock;
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
    matches: BTreeMap<MatchId, Vec<Bytes>>,
    /// In the order in which they were set.
    notices: Vec<(MatchId, Bytes)>,
}

impl MemoryLog {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl MatchLog for MemoryLog {
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        future::ready(self.shared.append(id, last, &entry)).boxed()
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        future::ready(self.shared.read(id, after, limit)).boxed()
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        let (shared, watched) = (Arc::clone(&self.shared), id.clone());
        let read = move |after, limit| future::ready(shared.read(&watched, after, limit)).boxed();
        self.shared.watchers.watch(id, after, read)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>> {
        let page = |state: MutexGuard<'_, State>| {
            let first = after.map_or(Bound::Unbounded, Bound::Excluded);
            let behind = state.matches.range((first, Bound::Unbounded));
            behind.map(|(id, _)| id.clone()).take(limit).collect()
        };
        future::ready(self.shared.open().map(page)).boxed()
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        let remove = |mut state: MutexGuard<'_, State>| {
            state.matches.remove(id);
            state.notices.retain(|(other, _)| other != id);
        };
        future::ready(self.shared.open().map(remove)).boxed()
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        future::ready(self.shared.set_notice(id, notice)).boxed()
    }

    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>> {
        let latest = |state: MutexGuard<'_, State>| {
            let latest = state.notices.iter().rev().take(limit);
            latest.cloned().collect()
        };
        let notices = self.shared.open().map(latest);
        future::ready(notices).boxed()
    }

    fn check(&self) -> LogFuture<'_, ()> {
        future::ready(self.shared.open().map(|_state| ())).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        lock(&self.shared.state).closed = true;
        self.shared.watchers.close();
        future::ready(()).boxed()
    }
}

impl Shared {
    fn append(&self, id: &MatchId, last: Sequence, entry: &Bytes) -> Result<(), AppendError> {
        let mut state = self.open().map_err(AppendError::Refused)?;
        check_length(entry).map_err(AppendError::Refused)?;
        // Without the spare room that the buffer it was written into may have.
        let entry = Bytes::copy_from_slice(entry);
        match state.matches.get_mut(id) {
            Some(entries) if last == Sequence::new(entries.len() as u64) => entries.push(entry),
            None if last == Sequence::START => {
                state.matches.insert(id.clone(), vec![entry]);
            }
            _ => return Err(AppendError::Conflict),
        }
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
        state.notices.retain(|(other, _)| other != id);
        state
            .notices
            .extend(notice.map(|notice| (id.clone(), notice)));
        let surplus = state.notices.len().saturating_sub(MAX_NOTICES);
        state.notices.drain(..surplus);
        Ok(())
    }

    /// The state, unless the store is closed.
    fn open(&self) -> Result<MutexGuard<'_, State>, LogError> {
        let state = lock(&self.state);
        if state.closed {
            Err(LogError::closed())
        } else {
            Ok(state)
        }
    }
}
