//! Stores with one defect each, and the conformance check that detects it.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{self, BoxFuture};
use futures_util::stream;
use futures_util::{FutureExt, StreamExt};
use open_ttt_net::MatchId;
use open_ttt_net::log::conformance::{self, Handles};
use open_ttt_net::log::{AppendError, LogFuture, LogStream, MAX_ENTRY, MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;

/// The defect of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    None,
    LosesEntries,
    TruncatesAtZeroByte,
    TruncatesLongEntries,
    FillsGaps,
    IgnoresConflicts,
    StoresDespiteConflict,
    HasRaces,
    ReadsStaleData,
    IgnoresTheStartOfReads,
    IgnoresLimitZero,
    IgnoresCase,
    TruncatesIds,
    CancelsDroppedAppends,
    IgnoresTheStartOfWatches,
    SkipsAWatchedEntry,
    RepeatsAWatchedEntry,
    WatchesOnlyExistingEntries,
    ListsOldestNoticesFirst,
    IgnoresRemovedNotices,
    AcceptsLongNotices,
    ListsMatchesFromTheFirst,
    KeepsRemovedEntries,
    KeepsRemovedNotices,
    RemovesOthers,
    AppendsWhenClosed,
    ReadsWhenClosed,
    WatchesWhenClosed,
}

#[derive(Debug)]
struct DefectiveLog {
    inner: Arc<MemoryLog>,
    defect: Defect,
}

impl DefectiveLog {
    fn stored_id(&self, id: &MatchId) -> MatchId {
        match self.defect {
            Defect::IgnoresCase => id.as_str().to_lowercase().parse().unwrap(),
            Defect::TruncatesIds => id.as_str()[..id.as_str().len().min(31)].parse().unwrap(),
            _ => id.clone(),
        }
    }

    fn is_closed(&self) -> bool {
        self.inner.check().now_or_never() != Some(Ok(()))
    }

    /// The last sequence number. A correct store would lock it until the append.
    async fn end(&self, id: &MatchId) -> Sequence {
        let entries = self.inner.read(id, Sequence::START, usize::MAX).await;
        Sequence::new(entries.unwrap().len() as u64)
    }

    async fn append_with_defect(
        &self,
        id: MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> Result<(), AppendError> {
        let append = |last, entry| self.inner.append(&id, last, entry);
        match self.defect {
            Defect::LosesEntries if last == Sequence::new(130) => Ok(()),
            Defect::TruncatesAtZeroByte => {
                let length = entry.iter().position(|&byte| byte == 0);
                append(last, entry.slice(..length.unwrap_or(entry.len()))).await
            }
            Defect::TruncatesLongEntries if entry.len() > MAX_ENTRY => {
                append(last, entry.slice(..MAX_ENTRY)).await
            }
            Defect::FillsGaps if last > self.end(&id).await => {
                append(self.end(&id).await, entry).await
            }
            Defect::IgnoresConflicts if last < self.end(&id).await => Ok(()),
            Defect::StoresDespiteConflict => {
                let answer = append(last, entry.clone()).await;
                if answer == Err(AppendError::Conflict) {
                    append(self.end(&id).await, entry).await?;
                }
                answer
            }
            Defect::HasRaces => {
                if last != self.end(&id).await {
                    return Err(AppendError::Conflict);
                }
                tokio::task::yield_now().await;
                append(self.end(&id).await, entry).await
            }
            Defect::CancelsDroppedAppends => {
                tokio::task::yield_now().await;
                append(last, entry).await
            }
            Defect::AppendsWhenClosed if self.is_closed() => Ok(()),
            _ => append(last, entry).await,
        }
    }
}

impl MatchLog for DefectiveLog {
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        self.append_with_defect(self.stored_id(id), last, entry)
            .boxed()
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        let id = self.stored_id(id);
        async move {
            match self.defect {
                Defect::ReadsStaleData => {
                    let end = self.end(&id).await.get() as usize;
                    let shown = (end.saturating_sub(1)).saturating_sub(after.get() as usize);
                    self.inner.read(&id, after, limit.min(shown)).await
                }
                Defect::IgnoresTheStartOfReads => {
                    self.inner.read(&id, Sequence::START, limit).await
                }
                Defect::IgnoresLimitZero => self.inner.read(&id, after, limit.max(1)).await,
                Defect::ReadsWhenClosed if self.is_closed() => Ok(Vec::new()),
                _ => self.inner.read(&id, after, limit).await,
            }
        }
        .boxed()
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        let id = self.stored_id(id);
        let watch = |after| self.inner.watch(&id, after).enumerate();
        match self.defect {
            Defect::IgnoresTheStartOfWatches => self.inner.watch(&id, Sequence::START),
            Defect::SkipsAWatchedEntry => watch(after)
                .filter_map(|(index, entry)| future::ready((index != 69).then_some(entry)))
                .boxed(),
            Defect::RepeatsAWatchedEntry => watch(after)
                .flat_map(|(index, entry)| {
                    stream::iter(vec![entry; if index == 69 { 2 } else { 1 }])
                })
                .boxed(),
            Defect::WatchesOnlyExistingEntries => {
                let existing = self.inner.read(&id, after, usize::MAX).now_or_never();
                let existing = existing.unwrap().unwrap_or_default();
                stream::iter(existing.into_iter().map(Ok))
                    .chain(stream::pending())
                    .boxed()
            }
            Defect::WatchesWhenClosed => self
                .inner
                .watch(&id, after)
                .take_while(|entry| future::ready(entry.is_ok()))
                .chain(stream::pending())
                .boxed(),
            _ => self.inner.watch(&id, after),
        }
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>> {
        match (self.defect, after) {
            (Defect::ListsMatchesFromTheFirst, Some(_)) => self.inner.matches(None, limit),
            _ => self.inner.matches(after, limit),
        }
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        let removed = id.clone();
        match self.defect {
            Defect::KeepsRemovedEntries => self.inner.set_notice(id, None),
            Defect::KeepsRemovedNotices => async move {
                let notices = self.inner.notices(usize::MAX).await?;
                self.inner.remove(&removed).await?;
                for (of, notice) in notices.into_iter().rev() {
                    self.inner.set_notice(&of, Some(notice)).await?;
                }
                Ok(())
            }
            .boxed(),
            Defect::RemovesOthers => async move {
                let next = self.inner.matches(Some(&removed), 1).await?;
                if let Some(next) = next.first() {
                    self.inner.remove(next).await?;
                }
                self.inner.remove(&removed).await
            }
            .boxed(),
            _ => self.inner.remove(id),
        }
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        match (self.defect, &notice) {
            (Defect::IgnoresRemovedNotices, None) => async { Ok(()) }.boxed(),
            (Defect::AcceptsLongNotices, Some(long)) if long.len() > MAX_ENTRY => {
                async { Ok(()) }.boxed()
            }
            _ => self.inner.set_notice(id, notice),
        }
    }

    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>> {
        if self.defect == Defect::ListsOldestNoticesFirst {
            let notices = self.inner.notices(limit);
            return notices
                .map(|notices| notices.map(|all| all.into_iter().rev().collect()))
                .boxed();
        }
        self.inner.notices(limit)
    }

    fn check(&self) -> LogFuture<'_, ()> {
        self.inner.check()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

type Check = for<'a> fn(&'a Handles) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

const CHECKS: [(&str, Check); 11] = [
    ("bytes", |logs| Box::pin(conformance::bytes(logs))),
    ("conflicts", |logs| Box::pin(conformance::conflicts(logs))),
    ("reading", |logs| Box::pin(conformance::reading(logs))),
    ("names", |logs| Box::pin(conformance::names(logs))),
    ("racing_writers", |logs| {
        Box::pin(conformance::racing_writers(logs))
    }),
    ("dropped_futures", |logs| {
        Box::pin(conformance::dropped_futures(logs))
    }),
    ("watching", |logs| Box::pin(conformance::watching(logs))),
    ("notices", |logs| Box::pin(conformance::notices(logs))),
    ("listing", |logs| Box::pin(conformance::listing(logs))),
    ("removing", |logs| Box::pin(conformance::removing(logs))),
    ("closing", |logs| Box::pin(conformance::closing(logs))),
];

/// The checks that a store with this defect fails.
async fn failed_checks(defect: Defect) -> Vec<&'static str> {
    let mut failed = Vec::new();
    for (name, check) in CHECKS {
        let inner = Arc::new(MemoryLog::new());
        let log: Arc<dyn MatchLog> = Arc::new(DefectiveLog { inner, defect });
        let checked = tokio::spawn(async move { check(&[log]).await }).await;
        if checked.is_err() {
            failed.push(name);
        }
    }
    failed
}

/// With a paused clock, which advances when all tasks wait: the hang guard of the
/// suite fires at once.
fn failed_checks_without_waiting(defect: Defect) -> Vec<&'static str> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(failed_checks(defect))
}

#[track_caller]
fn detects(defect: Defect, check: &str) {
    let failed = failed_checks_without_waiting(defect);
    assert!(failed.contains(&check), "{defect:?} fails {failed:?}");
}

#[test]
fn a_store_without_defect_passes() {
    assert_eq!(
        failed_checks_without_waiting(Defect::None),
        Vec::<&str>::new()
    );
}

#[test]
fn content_is_checked() {
    detects(Defect::TruncatesAtZeroByte, "bytes");
    detects(Defect::TruncatesLongEntries, "bytes");
    detects(Defect::StoresDespiteConflict, "conflicts");
}

#[test]
fn positions_are_checked() {
    detects(Defect::FillsGaps, "conflicts");
    detects(Defect::IgnoresConflicts, "conflicts");
    detects(Defect::HasRaces, "racing_writers");
    detects(Defect::CancelsDroppedAppends, "dropped_futures");
}

#[test]
fn ids_are_checked() {
    detects(Defect::IgnoresCase, "names");
    detects(Defect::TruncatesIds, "names");
}

#[test]
fn reading_is_checked() {
    detects(Defect::LosesEntries, "reading");
    detects(Defect::ReadsStaleData, "reading");
    detects(Defect::IgnoresTheStartOfReads, "reading");
    detects(Defect::IgnoresLimitZero, "reading");
    detects(Defect::ReadsWhenClosed, "closing");
}

#[test]
fn watching_is_checked() {
    detects(Defect::IgnoresTheStartOfWatches, "watching");
    detects(Defect::SkipsAWatchedEntry, "watching");
    detects(Defect::RepeatsAWatchedEntry, "watching");
    detects(Defect::WatchesOnlyExistingEntries, "watching");
    detects(Defect::WatchesWhenClosed, "closing");
}

#[test]
fn notices_are_checked() {
    detects(Defect::ListsOldestNoticesFirst, "notices");
    detects(Defect::IgnoresRemovedNotices, "notices");
    detects(Defect::AcceptsLongNotices, "notices");
}

#[test]
fn listing_and_removing_are_checked() {
    detects(Defect::ListsMatchesFromTheFirst, "listing");
    detects(Defect::KeepsRemovedEntries, "removing");
    detects(Defect::KeepsRemovedNotices, "removing");
    detects(Defect::RemovesOthers, "removing");
}

#[test]
fn closing_is_checked() {
    detects(Defect::AppendsWhenClosed, "closing");
}
