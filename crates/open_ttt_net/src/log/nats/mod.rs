mod broker;
mod follower;
mod last_entries;
mod options;

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{self, BoxFuture};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use broker::{Broker, PublishOutcome, REMOVED};
use last_entries::{LastEntries, LastEntry};
pub use options::{NatsConnectError, NatsOptions};

use super::watchers::Watchers;
use super::{AppendError, Broadcast, LogError, LogFuture, LogStream, MatchLog, check_length};
use crate::MatchId;
use crate::replication::Sequence;

/// Maximum number of concurrent operations.
const MAX_IN_FLIGHT: usize = 8192;

/// Maximum number of concurrent requests of one operation.
const CONCURRENT_READS: usize = 64;

/// Pause before a retry.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// A store in NATS `JetStream`, for any number of servers.
///
/// All matches share one stream, `NAME`, with one subject per match,
/// `NAME.entry.MATCH`. Each append expects the stream sequence of its
/// predecessor (`Nats-Expected-Last-Subject-Sequence`), so the broker stores at
/// most one entry per position. The entry's number is in a header, so a reader
/// detects gaps. A removed match leaves a mark for a day, which tells the other
/// servers. A second stream, `NAME_notices`, has one notice per match, which
/// expires.
///
/// A stream `NAME` that was created before matches could be removed keeps them:
/// the broker does not allow to change that later.
///
/// The broker's replies:
///
/// - A time-out is [`AppendError::Unknown`]. Only a read can tell.
/// - The errors 10071 and 10164 say that the position is taken, or is being
///   taken by a concurrent append. The store then reads the last entry, and
///   either reports a conflict or tries again.
/// - A read asks the stream leader for the end of the match, and fetches the
///   entries from any server. A partitioned leader may report too early an end,
///   but never one before the entries that this store has seen.
///
/// # Configuration of the broker
///
/// - **`sync_interval: always`** in the `jetstream` section of each server.
///   Otherwise servers acknowledge entries that are not on the disk yet, and a
///   power failure of all servers loses some. A client cannot check this.
/// - **Three or five servers**, each with its own disk. Each match has as many
///   replicas, unless [`NatsOptions::replicas`] says otherwise.
/// - **Version 2.14 or later in a cluster.** Version 2.9 was observed to accept
///   two entries at one position. Earlier versions are refused; only the server
///   connected to is checked, so all should have the same version.
///
/// ```no_run
/// use open_ttt_net::log::{MatchLog, NatsLog, NatsOptions};
/// use open_ttt_net::replication::Sequence;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let options = NatsOptions::new("nats://one:4222,nats://two:4222,nats://three:4222");
/// let log = NatsLog::connect(&options).await?;
/// let id = "k3h9zq4m2x7d".parse()?;
/// log.append(&id, Sequence::START, "b2".into()).await?;
/// assert_eq!(log.read(&id, Sequence::START, 10).await?, ["b2"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct NatsLog {
    shared: Arc<Shared>,
    follower: JoinHandle<()>,
    closed: AtomicBool,
    /// Each operation in flight holds a receiver.
    in_flight: watch::Sender<()>,
}

#[derive(Debug)]
struct Shared {
    broker: Broker,
    last_entries: LastEntries,
    watchers: Arc<Watchers>,
    runtime: Handle,
}

impl NatsLog {
    /// Connects to a broker, and creates the streams that do not exist.
    ///
    /// Must be called in a tokio runtime, which has to outlive the store.
    ///
    /// # Errors
    ///
    /// If the broker is unreachable, rejects the credentials, has a version
    /// that loses entries, or has a stream of that name with another
    /// configuration.
    pub async fn connect(options: &NatsOptions) -> Result<Self, NatsConnectError> {
        let client = options.connect().await?;
        let broker = Broker::open(options, client).await?;
        let info = broker.entries().get_info().await;
        let info = info.map_err(|error| NatsConnectError::Unreachable(error.to_string()))?;
        let shared = Arc::new(Shared {
            broker,
            last_entries: LastEntries::default(),
            watchers: Arc::default(),
            runtime: Handle::current(),
        });
        let following = follower::run(Arc::clone(&shared), info.state.last_sequence);
        Ok(Self {
            shared,
            follower: tokio::spawn(following),
            closed: AtomicBool::new(false),
            in_flight: watch::Sender::new(()),
        })
    }

    /// Runs an operation in a task of its own: it completes even if the
    /// returned future is dropped.
    fn spawn<T: Send + 'static, E: From<AppendError> + Send + 'static>(
        &self,
        operation: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> LogFuture<'static, T, E> {
        // Subscribed before the check: either `close` waits for the operation,
        // or the operation sees `closed`.
        let in_flight = self.in_flight.subscribe();
        if self.closed.load(Ordering::SeqCst) {
            return future::ready(Err(AppendError::Refused(LogError::closed()).into())).boxed();
        }
        if self.in_flight.receiver_count() > MAX_IN_FLIGHT {
            let cause = LogError::new("too many operations are waiting for the broker");
            return future::ready(Err(AppendError::Refused(cause).into())).boxed();
        }
        let task = self.shared.runtime.spawn(async move {
            let result = operation.await;
            drop(in_flight);
            result
        });
        async move {
            // The task has panicked or was aborted.
            let lost = |error| Err(AppendError::Unknown(LogError::new(error)).into());
            task.await.unwrap_or_else(lost)
        }
        .boxed()
    }
}

impl MatchLog for NatsLog {
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        self.spawn(async move { shared.append(&id, last, entry).await })
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        self.spawn(async move { shared.read(&id, after, limit).await })
    }

    fn last(&self, id: &MatchId) -> LogFuture<'_, Option<(Sequence, Bytes)>> {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        self.spawn(async move {
            let known = shared.last_entries.get(&id);
            let last = shared.last_since(&id, known.as_ref()).await?;
            let last = last.filter(|last| last.number != REMOVED);
            Ok(last.map(|last| (last.number, last.entry)))
        })
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        let (shared, watched) = (Arc::clone(&self.shared), id.clone());
        let read = move |after, limit| {
            let (shared, id) = (Arc::clone(&shared), watched.clone());
            async move { shared.read_new(&id, after, limit).await }.boxed()
        };
        self.shared.watchers.watch(id, after, read)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>> {
        let (shared, after) = (Arc::clone(&self.shared), after.cloned());
        self.spawn(async move { shared.matches(after.as_ref(), limit).await })
    }

    fn can_remove(&self) -> bool {
        self.shared.broker.can_remove
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        self.spawn(async move { shared.remove(&id).await })
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        self.spawn(async move {
            notice.as_ref().map_or(Ok(()), check_length)?;
            shared.broker.set_notice(&id, notice).await
        })
    }

    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>> {
        let shared = Arc::clone(&self.shared);
        self.spawn(async move {
            if limit == 0 {
                return Ok(Vec::new());
            }
            shared.broker.notices(limit).await
        })
    }

    fn check(&self) -> LogFuture<'_, ()> {
        let shared = Arc::clone(&self.shared);
        self.spawn(async move {
            // The client may have reconnected to another server.
            options::check_version(&shared.broker.client).map_err(LogError::new)?;
            shared.broker.probe().await
        })
    }

    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        Some(Arc::clone(&self.shared) as _)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closed.store(true, Ordering::SeqCst);
        self.shared.watchers.close();
        self.follower.abort();
        self.in_flight.closed().boxed()
    }
}

/// Core NATS messages, which no stream stores.
impl Broadcast for Shared {
    fn send(&self, message: Bytes) {
        let (client, subject) = self.broker.broadcast();
        self.runtime.spawn(async move {
            // Delivery is not guaranteed.
            let _ = client.publish(subject, message).await;
        });
    }

    fn subscribe(&self) -> BoxStream<'static, Bytes> {
        let (client, subject) = self.broker.broadcast();
        stream::once(async move { client.subscribe(subject).await })
            .filter_map(|subscribed| future::ready(subscribed.ok()))
            .flatten()
            .map(|message| message.payload)
            .boxed()
    }
}

impl Shared {
    async fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> Result<(), AppendError> {
        check_length(&entry).map_err(AppendError::Refused)?;
        let deadline = Instant::now() + self.broker.timeout;
        let mut end = self.last_entries.get(id);
        // Whether `end` comes from the leader, not from the cache.
        let mut is_current = false;
        loop {
            let found = end.as_ref().map_or(Sequence::START, |end| end.number);
            // The cache may be behind the stream, but is ahead of it only after
            // the match was removed. Then it can be created again.
            if found != last && (is_current || (found > last && last != Sequence::START)) {
                return Err(AppendError::Conflict);
            }
            if found == last {
                let behind = end.as_ref().map_or(0, |end| end.stream_sequence);
                let number = last.next();
                let published = self.broker.publish(id, number, behind, entry.clone());
                let cause = match published.await {
                    PublishOutcome::Stored(stream_sequence) => {
                        let end = LastEntry {
                            number,
                            stream_sequence,
                            entry,
                        };
                        self.last_entries.update(id, end);
                        self.watchers.notify([id]);
                        return Ok(());
                    }
                    PublishOutcome::Unknown(cause) => return Err(AppendError::Unknown(cause)),
                    PublishOutcome::Refused(cause) => return Err(AppendError::Refused(cause)),
                    PublishOutcome::NotStored(cause) => cause,
                    PublishOutcome::WrongSequence => {
                        LogError::new("concurrent appends at this position keep failing")
                    }
                };
                if is_current {
                    // The broker has stored none of the attempts.
                    if Instant::now() >= deadline {
                        return Err(AppendError::Refused(cause));
                    }
                    sleep(RETRY_PAUSE).await;
                }
            }
            is_current = true;
            end = self.last(id).await.map_err(AppendError::Refused)?;
        }
    }

    /// Reads up to the end that the leader reports now.
    async fn read(
        &self,
        id: &MatchId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<Bytes>, LogError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let known = self.last_entries.get(id);
        let last = self.last_since(id, known.as_ref()).await?;
        let Some(last) = last.filter(|last| last.number > after) else {
            return Ok(Vec::new());
        };
        if last.number == after.next() {
            return Ok(vec![last.entry]);
        }
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let end = Sequence::new(after.get().saturating_add(limit)).min(last.number);
        let from = known.filter(|known| known.number <= after);
        self.broker.entries_between(id, after, end, from).await
    }

    /// The matches behind `after` that have entries.
    async fn matches(
        &self,
        after: Option<&MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchId>, LogError> {
        let mut found = self.broker.matches().await?;
        found.retain(|(id, _)| Some(id) > after);
        found.sort_unstable();
        // A single message may be the mark of a removal.
        let exists = async |(id, messages): (MatchId, usize)| -> Result<_, LogError> {
            let exists = messages > 1 || number(self.last(&id).await?.as_ref()) != REMOVED;
            Ok(exists.then_some(id))
        };
        let mut existing = stream::iter(found).map(exists).buffered(CONCURRENT_READS);
        let mut page = Vec::new();
        while page.len() < limit
            && let Some(id) = existing.next().await
        {
            page.extend(id?);
        }
        Ok(page)
    }

    async fn remove(&self, id: &MatchId) -> Result<(), LogError> {
        self.broker.set_notice(id, None).await?;
        if number(self.last(id).await?.as_ref()) != REMOVED {
            self.broker.remove(id).await?;
            // Not to be found in the cache of this store from now on.
            self.last(id).await?;
        }
        Ok(())
    }

    /// Reads after a notification. The new entry is usually the cached one.
    async fn read_new(
        &self,
        id: &MatchId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<Bytes>, LogError> {
        match self.last_entries.get(id) {
            Some(last) if last.number == after.next() => Ok(vec![last.entry]),
            _ => self.read(id, after, limit).await,
        }
    }

    /// The last entry of a match, according to the stream leader.
    async fn last(&self, id: &MatchId) -> Result<Option<LastEntry>, LogError> {
        let last = self.broker.last(id).await?;
        if let Some(last) = &last {
            self.last_entries.update(id, last.clone());
        }
        Ok(last)
    }

    /// The last entry of a match. Waits for a leader that has `known`.
    async fn last_since(
        &self,
        id: &MatchId,
        known: Option<&LastEntry>,
    ) -> Result<Option<LastEntry>, LogError> {
        let deadline = Instant::now() + self.broker.timeout;
        let sequence = |last: Option<&LastEntry>| last.map_or(0, |last| last.stream_sequence);
        loop {
            let last = self.last(id).await?;
            // The mark of a removal expires, and the match is removed with or without it.
            let is_expired = last.is_none() && number(known) == REMOVED;
            if is_expired || sequence(last.as_ref()) >= sequence(known) {
                return Ok(last);
            }
            if Instant::now() >= deadline {
                return Err(LogError::new(format_args!(
                    "the broker has {} entries of {id} and had {}",
                    number(last.as_ref()),
                    number(known)
                )));
            }
            sleep(RETRY_PAUSE).await;
        }
    }
}

/// The number of a last entry; [`REMOVED`] without one.
fn number(last: Option<&LastEntry>) -> Sequence {
    last.map_or(REMOVED, |last| last.number)
}

impl Drop for NatsLog {
    fn drop(&mut self) {
        self.shared.watchers.close();
        self.follower.abort();
    }
}
