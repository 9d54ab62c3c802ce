use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt, ready};
use futures_util::stream::{BoxStream, StreamExt, once, unfold};
use open_ttt_lib::random::Rng;
use tokio::sync::broadcast;
use tokio::time::sleep;

use super::node::work_in_no_time;
use super::world::Time;
use crate::MatchId;
use crate::lock::lock;
use crate::log::{
    AppendError, Broadcast, ForwardingLog, LogError, LogFuture, LogStream, MatchLog, MemoryLog,
};
use crate::replication::Sequence;
use crate::server::Shared;

/// The store that outlives the servers, and what they have removed from it.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) log: MemoryLog,
    /// The entries of removed matches, and when they were removed, in milliseconds.
    pub(super) removed: Mutex<BTreeMap<MatchId, (u64, Vec<Bytes>)>>,
    channel: broadcast::Sender<Bytes>,
    /// Whether it refuses to append anything now.
    pub(super) is_full: AtomicBool,
    /// How often a server was told of an entry late.
    pub(super) told_late: AtomicU64,
}

/// A server's connection to the store: it takes time, its replies can be lost, it tells of
/// the entries of other servers late now and then, and it is cut when the server is killed.
#[derive(Clone, Debug)]
pub(super) struct StoreLink {
    store: Arc<Store>,
    is_shared: bool,
    is_cut: Arc<AtomicBool>,
    rng: Arc<Mutex<Rng>>,
    time: Time,
    server: Arc<OnceLock<Weak<Shared>>>,
}

impl Store {
    pub(super) fn new() -> Self {
        Self {
            log: MemoryLog::new(),
            removed: Mutex::default(),
            channel: broadcast::Sender::new(1024),
            is_full: AtomicBool::new(false),
            told_late: AtomicU64::new(0),
        }
    }

    /// All logs that were ever stored, also removed ones.
    pub(super) async fn all(&self) -> BTreeMap<MatchId, Vec<Bytes>> {
        let removed = lock(&self.removed).clone();
        let mut all: BTreeMap<_, _> = removed
            .into_iter()
            .map(|(id, (_, entries))| (id, entries))
            .collect();
        for id in self.log.matches(None, usize::MAX).await.expect("a list") {
            let entries = self.log.read(&id, Sequence::START, usize::MAX).await;
            all.insert(id, entries.expect("entries"));
        }
        all
    }
}

impl StoreLink {
    pub(super) fn new(store: Arc<Store>, is_shared: bool, seed: u64, time: Time) -> Self {
        Self {
            store,
            is_shared,
            is_cut: Arc::default(),
            rng: Arc::new(Mutex::new(Rng::new(seed))),
            time,
            server: Arc::default(),
        }
    }

    /// The server that uses it. Whatever this reads for its threads, they work on in no
    /// time.
    pub(super) fn set_server(&self, server: &Arc<Shared>) {
        let _ = self.server.set(Arc::downgrade(server));
    }

    /// From now on the server's operations change nothing.
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    fn open(&self) -> Result<(), LogError> {
        if self.is_cut.load(Ordering::Relaxed) {
            Err(LogError::new("the server was killed"))
        } else {
            Ok(())
        }
    }

    fn random(&self, bound: usize) -> u64 {
        lock(&self.rng).below(bound) as u64
    }
}

impl ForwardingLog for StoreLink {
    fn inner(&self) -> &dyn MatchLog {
        &self.store.log
    }

    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        let (link, id) = (self.clone(), id.clone());
        let [there, back] = [self.random(4), self.random(4)].map(Duration::from_millis);
        let fault = self.random(500);
        // It completes although its future is dropped.
        let appending = tokio::spawn(async move {
            sleep(there).await;
            link.open().map_err(AppendError::Refused)?;
            if link.store.is_full.load(Ordering::Relaxed) {
                return Err(AppendError::Refused(LogError::new("no space")));
            }
            let lost = || Err(AppendError::Unknown(LogError::new("no reply")));
            if fault == 0 {
                return lost();
            }
            link.store.log.append(&id, last, entry).await?;
            sleep(back).await;
            if fault == 1 { lost() } else { Ok(()) }
        });
        async { appending.await.expect("no panic") }.boxed()
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        if let Some(server) = self
            .server
            .get()
            .and_then(Weak::upgrade)
            .filter(|_| limit > 1)
        {
            tokio::spawn(async move { work_in_no_time(&server).await });
        }
        match self.open() {
            Ok(()) => self.store.log.read(id, after, limit),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        if let Err(error) = self.open() {
            return once(ready(Err(error))).boxed();
        }
        let link = self.clone();
        let entries = self.store.log.watch(id, after).then(move |entry| {
            let is_late = link.random(50) == 0;
            let ms = link.random(if is_late { 10_000 } else { 4 });
            link.store
                .told_late
                .fetch_add(is_late.into(), Ordering::Relaxed);
            sleep(Duration::from_millis(ms)).map(|()| entry)
        });
        entries.boxed()
    }

    fn is_shared(&self) -> bool {
        self.is_shared
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        let (link, id) = (self.clone(), id.clone());
        async move {
            link.open()?;
            let entries = link
                .store
                .log
                .read(&id, Sequence::START, usize::MAX)
                .await?;
            let removed = (link.time.now(), entries);
            lock(&link.store.removed).insert(id.clone(), removed);
            link.store.log.remove(&id).await
        }
        .boxed()
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        match self.open() {
            Ok(()) => self.store.log.set_notice(id, notice),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        self.is_shared.then(|| Arc::new(self.clone()) as _)
    }

    /// The store outlives the server.
    fn close(&self) -> BoxFuture<'_, ()> {
        self.cut();
        ready(()).boxed()
    }
}

impl Broadcast for StoreLink {
    fn send(&self, message: Bytes) {
        if self.open().is_ok() {
            let _ = self.store.channel.send(message);
        }
    }

    fn subscribe(&self) -> BoxStream<'static, Bytes> {
        let messages = unfold(self.store.channel.subscribe(), async |mut receiver| {
            let next = receiver.recv().await.ok()?;
            Some((next, receiver))
        });
        messages.boxed()
    }
}
