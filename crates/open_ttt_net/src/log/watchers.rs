use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use tokio::sync::watch;

use super::LogError;
use crate::MatchId;
use crate::replication::Sequence;

/// The most entries that a watcher holds which nobody has asked for yet.
const PAGE: usize = 64;

/// Who waits for entries of which match.
///
/// A watcher is only told that there is something behind a number. What it is,
/// it reads from the store, so that nothing is missed, doubled or out of order
/// however late or often it is told.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    matches: HashMap<MatchId, watch::Sender<()>>,
}

/// One watcher of one match.
struct Watcher<R> {
    watchers: Arc<Watchers>,
    id: MatchId,
    told: watch::Receiver<()>,
    after: Sequence,
    read: R,
    fetched: VecDeque<Bytes>,
    /// Whether there may be more in the store than was fetched.
    more: bool,
}

impl Watchers {
    /// Tells those who watch these matches that they have got longer.
    pub(super) fn tell<'a>(&self, ids: impl IntoIterator<Item = &'a MatchId>) {
        let state = self.state();
        if state.matches.is_empty() {
            return;
        }
        for id in ids {
            if let Some(sender) = state.matches.get(id) {
                sender.send_replace(());
            }
        }
    }

    /// Tells all to look again.
    #[cfg(feature = "nats")]
    pub(super) fn tell_all(&self) {
        for sender in self.state().matches.values() {
            sender.send_replace(());
        }
    }

    /// Ends all watching, now and later.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.matches.clear();
    }

    /// The entries behind `after` as `read` finds them: those there are, and
    /// more whenever it is [told](Self::tell).
    pub(super) fn watch<R>(
        self: &Arc<Self>,
        id: &MatchId,
        after: Sequence,
        read: R,
    ) -> BoxStream<'static, Result<Bytes, LogError>>
    where
        R: Fn(Sequence, usize) -> BoxFuture<'static, Result<Vec<Bytes>, LogError>>,
        R: Send + Unpin + 'static,
    {
        let Some(told) = self.enter(id) else {
            return stream::iter([Err(LogError::closed())]).boxed();
        };
        let watcher = Watcher {
            watchers: Arc::clone(self),
            id: id.clone(),
            told,
            after,
            read,
            fetched: VecDeque::new(),
            more: true,
        };
        stream::unfold(Some(watcher), |watcher| async {
            let mut watcher = watcher?;
            match watcher.next().await {
                Ok(entry) => Some((Ok(entry), Some(watcher))),
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed()
    }

    fn enter(&self, id: &MatchId) -> Option<watch::Receiver<()>> {
        let mut state = self.state();
        if state.closed {
            return None;
        }
        let sender = state.matches.entry(id.clone()).or_default();
        Some(sender.subscribe())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R> Watcher<R>
where
    R: Fn(Sequence, usize) -> BoxFuture<'static, Result<Vec<Bytes>, LogError>>,
{
    async fn next(&mut self) -> Result<Bytes, LogError> {
        loop {
            if let Some(entry) = self.fetched.pop_front() {
                self.after = self.after.next();
                return Ok(entry);
            }
            if !self.more {
                let told = self.told.changed().await;
                told.map_err(|_closed| LogError::closed())?;
            }
            // Seen before reading: what is told in between is read next time.
            self.told.mark_unchanged();
            self.fetched = (self.read)(self.after, PAGE).await?.into();
            self.more = self.fetched.len() >= PAGE;
        }
    }
}

impl<R> Drop for Watcher<R> {
    fn drop(&mut self) {
        let mut state = self.watchers.state();
        if let Some(sender) = state.matches.get(&self.id)
            && sender.receiver_count() <= 1
        {
            state.matches.remove(&self.id);
        }
    }
}
