mod broker;
mod follower;
mod last_entries;
mod options;

use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::sync::Arc;

use async_nats::Client;
use bytes::Bytes;
use futures_util::future::{self, BoxFuture};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use broker::{Broker, Published};
use last_entries::{LastEntries, LastEntry};
pub use options::{NatsConnectError, NatsOptions};

use super::watchers::Watchers;
use super::{AppendError, Broadcast, LogError, MAX_ENTRY, MatchLog};
use crate::MatchId;
use crate::replication::Sequence;

/// The most that is asked of the broker at the same time.
const IN_FLIGHT: usize = 8192;

/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(20);

/// A store in NATS `JetStream`, for any number of servers.
///
/// All matches are one stream, `NAME`, with a subject for each match,
/// `NAME.entry.MATCH`. An entry names the place of the one before it
/// (`Nats-Expected-LastEntry-Subject-Sequence`), so that of several at one place one
/// is stored. Each has its number in a header, and a gap shows when it is read.
/// Notices are in a second stream, `NAME_notices`, one a match.
///
/// What an answer means:
///
/// - a time-out is [`AppendError::Unknown`]: only reading tells;
/// - the errors 10071 and 10164 say that the place is not free, or that somebody
///   is about to take it: the last entry is read, and then there is a conflict
///   or another try;
/// - reading asks the leader of the stream how far a match goes, and takes the
///   entries from whichever server has them. A leader that has been cut off and
///   does not know it yet may say too little; what this value itself has heard
///   of, it does not miss.
///
/// # What the broker has to be told
///
/// - **`sync_interval: always`** in the `jetstream` part of each server's
///   configuration. Otherwise a server acknowledges what is not on its disk
///   yet, and when power fails everywhere at once, some of it is gone. No client
///   can see how it is set.
/// - **Three servers or five**, each with a disk of its own: as many replicas
///   are made, unless [`NatsOptions::replicas`] says otherwise.
/// - **Version 2.14 or later in a cluster**; 2.9 was seen to take two entries at
///   one place. Earlier ones are refused. This is asked of the server that one
///   is connected to: all should have the same version.
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
pub struct NatsLog {
    shared: Arc<Shared>,
    runtime: Handle,
    follower: JoinHandle<()>,
    closed: AtomicBool,
    /// Heard by all that is under way.
    under_way: watch::Sender<()>,
}

#[derive(Debug)]
struct Shared {
    broker: Broker,
    known: LastEntries,
    watchers: Arc<Watchers>,
    patience: Duration,
}

impl NatsLog {
    /// Connects to a broker, and makes the streams where there are none.
    ///
    /// It has to be called in a tokio runtime, which has to last as long as the
    /// store.
    ///
    /// # Errors
    ///
    /// If the broker cannot be reached, does not let us in, has a version that
    /// loses entries, or has a stream of that name with other properties.
    pub async fn connect(options: &NatsOptions) -> Result<Self, NatsConnectError> {
        let client = options.connect().await?;
        let broker = Broker::open(options, client).await?;
        let unreachable = |error| NatsConnectError::Unreachable(format!("{error}"));
        let info = broker.entries().get_info().await.map_err(unreachable)?;
        let shared = Arc::new(Shared {
            broker,
            known: LastEntries::default(),
            watchers: Arc::default(),
            patience: options.timeout,
        });
        let following = follower::run(Arc::clone(&shared), info.state.last_sequence);
        Ok(Self {
            shared,
            runtime: Handle::current(),
            follower: tokio::spawn(following),
            closed: AtomicBool::new(false),
            under_way: watch::Sender::new(()),
        })
    }

    /// Lets something go on to its end, whether its answer is waited for or not.
    fn ask<T, E>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
        refused: impl FnOnce(LogError) -> E + Send + 'static,
        lost: impl FnOnce(LogError) -> E + Send + 'static,
    ) -> BoxFuture<'static, Result<T, E>>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        // First this, so that closing waits for it or it is not begun.
        let under_way = self.under_way.subscribe();
        if self.closed.load(Ordering::SeqCst) {
            return future::ready(Err(refused(LogError::closed()))).boxed();
        }
        if self.under_way.receiver_count() > IN_FLIGHT {
            let cause = LogError::new("too much is waiting for the broker");
            return future::ready(Err(refused(cause))).boxed();
        }
        let task = self.runtime.spawn(async move {
            let result = work.await;
            drop(under_way);
            result
        });
        async move {
            match task.await {
                Ok(result) => result,
                Err(error) => Err(lost(LogError::new(error))),
            }
        }
        .boxed()
    }
}

impl MatchLog for NatsLog {
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>> {
        if entry.len() > MAX_ENTRY {
            let refused = AppendError::Refused(LogError::too_long(entry.len()));
            return future::ready(Err(refused)).boxed();
        }
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        let work = async move { shared.append(&id, last, entry).await };
        self.ask(work, AppendError::Refused, AppendError::Unknown)
    }

    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>> {
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        let work = async move { shared.read(&id, after, limit).await };
        self.ask(work, |cause| cause, |cause| cause)
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>> {
        let (shared, of) = (Arc::clone(&self.shared), id.clone());
        let read = move |after, limit| {
            let (shared, of) = (Arc::clone(&shared), of.clone());
            async move { shared.read_news(&of, after, limit).await }.boxed()
        };
        self.shared.watchers.watch(id, after, read)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>> {
        if let Some(notice) = &notice
            && notice.len() > MAX_ENTRY
        {
            return future::ready(Err(LogError::too_long(notice.len()))).boxed();
        }
        let (shared, id) = (Arc::clone(&self.shared), id.clone());
        let work = async move { shared.broker.set_notice(&id, notice).await };
        self.ask(work, |cause| cause, |cause| cause)
    }

    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>> {
        let shared = Arc::clone(&self.shared);
        let work = async move {
            let notices = shared.broker.notices().await?;
            Ok(notices.into_iter().rev().take(limit).collect())
        };
        self.ask(work, |cause| cause, |cause| cause)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), LogError>> {
        let shared = Arc::clone(&self.shared);
        let work = async move {
            // One may have come to another server since.
            options::check_version(&shared.broker.client).map_err(LogError::new)?;
            shared.broker.probe().await
        };
        self.ask(work, |cause| cause, |cause| cause)
    }

    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        let (client, subject) = self.shared.broker.gossip();
        Some(Arc::new(Whispers {
            client,
            subject,
            runtime: self.runtime.clone(),
        }))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closed.store(true, Ordering::SeqCst);
        self.shared.watchers.close();
        self.follower.abort();
        self.under_way.closed().boxed()
    }
}

/// Messages that no stream keeps.
#[derive(Debug)]
struct Whispers {
    client: Client,
    subject: String,
    runtime: Handle,
}

impl Broadcast for Whispers {
    fn send(&self, message: Bytes) {
        let (client, subject) = (self.client.clone(), self.subject.clone());
        self.runtime.spawn(async move {
            // It may be lost, after all.
            let _ = client.publish(subject, message).await;
        });
    }

    fn subscribe(&self) -> BoxStream<'static, Bytes> {
        let (client, subject) = (self.client.clone(), self.subject.clone());
        stream::once(async move { client.subscribe(subject).await })
            .filter_map(|subscribed| future::ready(subscribed.ok()))
            .flatten()
            .map(|message| message.payload)
            .boxed()
    }
}

impl Shared {
    async fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> Result<(), AppendError> {
        let until = Instant::now() + self.patience;
        let mut before = self.known.last(id);
        let mut asked = false;
        loop {
            let found = before.as_ref().map_or(Sequence::START, |last| last.number);
            // What has been heard of may be old: then the leader knows more.
            if found != last && (asked || found > last) {
                return Err(AppendError::Conflict);
            }
            let why = if found == last {
                let behind = before.as_ref().map_or(0, |last| last.place);
                let next = last.next();
                match self.broker.publish(id, next, behind, entry.clone()).await {
                    Published::At(place) => {
                        let last = LastEntry {
                            number: next,
                            place,
                            entry,
                        };
                        self.known.hear(id, last);
                        self.watchers.tell([id]);
                        return Ok(());
                    }
                    Published::Unknown(cause) => return Err(AppendError::Unknown(cause)),
                    Published::Never(cause) => return Err(AppendError::Refused(cause)),
                    Published::NotNow(cause) => cause,
                    Published::Overtaken => {
                        LogError::new("others are adding at the same place, none succeeds")
                    }
                }
            } else {
                LogError::new("not asked yet")
            };
            if asked {
                // None of these was stored, so there may be another try.
                if Instant::now() >= until {
                    return Err(AppendError::Refused(why));
                }
                sleep(PAUSE).await;
            }
            asked = true;
            before = self.broker.last(id).await.map_err(AppendError::Refused)?;
            if let Some(last) = &before {
                self.known.hear(id, last.clone());
            }
        }
    }

    /// As the leader knows it, now.
    async fn read(
        &self,
        id: &MatchId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<Bytes>, LogError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let known = self.known.last(id);
        let last = self.last_from(id, known.as_ref()).await?;
        let Some(last) = last.filter(|last| last.number > after) else {
            return Ok(Vec::new());
        };
        if last.number == after.next() {
            return Ok(vec![last.entry]);
        }
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        let end = Sequence::new(after.get().saturating_add(limit)).min(last.number);
        let from = known.filter(|known| known.number <= after);
        let from = from.map(|known| (known.number, known.place));
        self.broker.entries_between(id, after, end, from).await
    }

    /// What there is behind an entry, once there is something: mostly what has
    /// just been heard of.
    async fn read_news(
        &self,
        id: &MatchId,
        after: Sequence,
        limit: usize,
    ) -> Result<Vec<Bytes>, LogError> {
        match self.known.last(id) {
            Some(last) if last.number == after.next() => Ok(vec![last.entry]),
            _ => self.read(id, after, limit).await,
        }
    }

    /// The last entry, which is not before the one that is known.
    async fn last_from(
        &self,
        id: &MatchId,
        known: Option<&LastEntry>,
    ) -> Result<Option<LastEntry>, LogError> {
        let until = Instant::now() + self.patience;
        let number = |last: Option<&LastEntry>| last.map_or(Sequence::START, |last| last.number);
        loop {
            let last = self.broker.last(id).await?;
            if number(last.as_ref()) >= number(known) {
                if let Some(last) = &last {
                    self.known.hear(id, last.clone());
                }
                return Ok(last);
            }
            if Instant::now() >= until {
                return Err(LogError::new(format_args!(
                    "the broker has {} entries of {id} and had {}",
                    number(last.as_ref()),
                    number(known)
                )));
            }
            sleep(PAUSE).await;
        }
    }
}

impl fmt::Debug for NatsLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsLog").finish_non_exhaustive()
    }
}

impl Drop for NatsLog {
    fn drop(&mut self) {
        self.shared.watchers.close();
        self.follower.abort();
    }
}
