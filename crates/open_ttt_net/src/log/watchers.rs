use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use tokio::sync::watch;

use super::{LogError, LogFuture, LogStream};
use crate::MatchId;
use crate::lock::lock;
use crate::replication::Sequence;

/// Maximum number of entries that a watcher prefetches.
const PAGE: usize = 64;

/// The watchers of a store, by match.
///
/// A notification says only that a log has grown. The watcher then reads the
/// new entries from the store, so late or repeated notifications neither lose,
/// duplicate nor reorder entries.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    /// One, of a store that servers don't share: a comparison costs less than a hash.
    matches: BTreeMap<MatchId, watch::Sender<()>>,
}

/// Reads entries behind a sequence number, at most so many.
type Read = Box<dyn Fn(Sequence, usize) -> LogFuture<'static, Vec<Bytes>> + Send>;

/// One watcher of one match.
struct Watcher {
    watchers: Arc<Watchers>,
    id: MatchId,
    notified: watch::Receiver<()>,
    after: Sequence,
    read: Read,
    fetched: VecDeque<Bytes>,
    /// Whether the store may have more entries than were fetched.
    more: bool,
}

impl Watchers {
    /// Notifies the watchers of these matches that the logs have grown.
    pub(super) fn notify<'a>(&self, ids: impl IntoIterator<Item = &'a MatchId>) {
        let state = lock(&self.state);
        if state.matches.is_empty() {
            return;
        }
        for id in ids {
            if let Some(sender) = state.matches.get(id) {
                sender.send_replace(());
            }
        }
    }

    /// Makes every watcher read its log again.
    #[cfg(any(feature = "nats", feature = "sqlite"))]
    pub(super) fn notify_all(&self) {
        for sender in lock(&self.state).matches.values() {
            sender.send_replace(());
        }
    }

    /// Ends all watching, now and in future.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.matches.clear();
    }

    /// The entries behind `after`, fetched by `read`: those stored already, and
    /// new ones after each [notification](Self::notify).
    pub(super) fn watch(
        self: &Arc<Self>,
        id: &MatchId,
        after: Sequence,
        read: impl Fn(Sequence, usize) -> LogFuture<'static, Vec<Bytes>> + Send + 'static,
    ) -> LogStream {
        let Some(notified) = self.subscribe(id) else {
            return stream::iter([Err(LogError::closed())]).boxed();
        };
        let watcher = Watcher {
            watchers: Arc::clone(self),
            id: id.clone(),
            notified,
            after,
            read: Box::new(read),
            fetched: VecDeque::new(),
            more: true,
        };
        // Ends after an error.
        stream::try_unfold(watcher, async |mut watcher| {
            Ok(Some((watcher.next().await?, watcher)))
        })
        .boxed()
    }

    fn subscribe(&self, id: &MatchId) -> Option<watch::Receiver<()>> {
        let mut state = lock(&self.state);
        if state.closed {
            return None;
        }
        let sender = state.matches.entry(id.clone()).or_default();
        Some(sender.subscribe())
    }
}

impl Watcher {
    async fn next(&mut self) -> Result<Bytes, LogError> {
        loop {
            if let Some(entry) = self.fetched.pop_front() {
                self.after = self.after.next();
                return Ok(entry);
            }
            if !self.more {
                let changed = self.notified.changed().await;
                changed.map_err(|_closed| LogError::closed())?;
            }
            // Cleared before the read: an entry stored during it notifies again.
            self.notified.mark_unchanged();
            self.fetched = (self.read)(self.after, PAGE).await?.into();
            self.more = self.fetched.len() >= PAGE;
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut state = lock(&self.watchers.state);
        if let Some(sender) = state.matches.get(&self.id)
            && sender.receiver_count() <= 1
        {
            state.matches.remove(&self.id);
        }
    }
}
