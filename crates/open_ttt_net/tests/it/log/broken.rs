//! Stores that break one promise each, and the law that catches them.

use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{self, BoxFuture};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use open_ttt_net::MatchId;
use open_ttt_net::log::conformance::{self, Handles};
use open_ttt_net::log::{AppendError, LogError, MAX_ENTRY, MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;

/// What a store does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    LosesEntries,
    CutsAtZero,
    TakesTooMuch,
    TakesGaps,
    TakesAnyPlace,
    SaysConflictAndStores,
    LetsTwoWin,
    ReadsLate,
    ReadsFromTheStart,
    ReadsTooMuch,
    IgnoresCase,
    CutsNames,
    ForgetsTheDropped,
    WatchesFromTheStart,
    SkipsWhenWatched,
    RepeatsWhenWatched,
    WatchesOnlyWhatIsThere,
    OldestNoticesFirst,
    KeepsNotices,
    TakesLongNotices,
    AppendsWhenClosed,
    ReadsWhenClosed,
    WatchesWhenClosed,
}

#[derive(Debug)]
struct Broken {
    inner: Arc<MemoryLog>,
    fault: Fault,
}

impl Broken {
    fn name(&self, id: &MatchId) -> MatchId {
        match self.fault {
            Fault::IgnoresCase => id.as_str().to_lowercase().parse().unwrap(),
            Fault::CutsNames => id.as_str()[..id.as_str().len().min(31)].parse().unwrap(),
            _ => id.clone(),
        }
    }

    fn is_closed(&self) -> bool {
        self.inner.check().now_or_never() != Some(Ok(()))
    }

    /// The end of a match, which a sound store would ask for and change at once.
    async fn end(&self, id: &MatchId) -> Sequence {
        let entries = self.inner.read(id, Sequence::START, usize::MAX).await;
        Sequence::new(entries.unwrap().len() as u64)
    }

    async fn append_wrongly(
        &self,
        id: MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> Result<(), AppendError> {
        let append = |last, entry| self.inner.append(&id, last, entry);
        match self.fault {
            Fault::LosesEntries if last == Sequence::new(130) => Ok(()),
            Fault::CutsAtZero => {
                let length = entry.iter().position(|&byte| byte == 0);
                append(last, entry.slice(..length.unwrap_or(entry.len()))).await
            }
            Fault::TakesTooMuch if entry.len() > MAX_ENTRY => {
                append(last, entry.slice(..MAX_ENTRY)).await
            }
            Fault::TakesGaps if last > self.end(&id).await => {
                append(self.end(&id).await, entry).await
            }
            Fault::TakesAnyPlace if last < self.end(&id).await => Ok(()),
            Fault::SaysConflictAndStores => {
                let answer = append(last, entry.clone()).await;
                if answer == Err(AppendError::Conflict) {
                    append(self.end(&id).await, entry).await?;
                }
                answer
            }
            Fault::LetsTwoWin => {
                if last != self.end(&id).await {
                    return Err(AppendError::Conflict);
                }
                tokio::task::yield_now().await;
                append(self.end(&id).await, entry).await
            }
            Fault::ForgetsTheDropped => {
                tokio::task::yield_now().await;
                append(last, entry).await
            }
            Fault::AppendsWhenClosed if self.is_closed() => Ok(()),
            _ => append(last, entry).await,
        }
    }
}

impl MatchLog for Broken {
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>> {
        self.append_wrongly(self.name(id), last, entry).boxed()
    }

    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>> {
        let id = self.name(id);
        async move {
            match self.fault {
                Fault::ReadsLate => {
                    let end = self.end(&id).await.get() as usize;
                    let shown = (end.saturating_sub(1)).saturating_sub(after.get() as usize);
                    self.inner.read(&id, after, limit.min(shown)).await
                }
                Fault::ReadsFromTheStart => self.inner.read(&id, Sequence::START, limit).await,
                Fault::ReadsTooMuch => self.inner.read(&id, after, limit.max(1)).await,
                Fault::ReadsWhenClosed if self.is_closed() => Ok(Vec::new()),
                _ => self.inner.read(&id, after, limit).await,
            }
        }
        .boxed()
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>> {
        let id = self.name(id);
        let watch = |after| self.inner.watch(&id, after).enumerate();
        match self.fault {
            Fault::WatchesFromTheStart => self.inner.watch(&id, Sequence::START),
            Fault::SkipsWhenWatched => watch(after)
                .filter_map(|(index, entry)| future::ready((index != 69).then_some(entry)))
                .boxed(),
            Fault::RepeatsWhenWatched => watch(after)
                .flat_map(|(index, entry)| {
                    stream::iter(vec![entry; if index == 69 { 2 } else { 1 }])
                })
                .boxed(),
            Fault::WatchesOnlyWhatIsThere => {
                let there = self.inner.read(&id, after, usize::MAX).now_or_never();
                let there = there.unwrap().unwrap_or_default();
                stream::iter(there.into_iter().map(Ok))
                    .chain(stream::pending())
                    .boxed()
            }
            Fault::WatchesWhenClosed => self
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

    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>> {
        match (self.fault, &notice) {
            (Fault::KeepsNotices, None) => async { Ok(()) }.boxed(),
            (Fault::TakesLongNotices, Some(long)) if long.len() > MAX_ENTRY => {
                async { Ok(()) }.boxed()
            }
            _ => self.inner.set_notice(id, notice),
        }
    }

    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>> {
        if self.fault == Fault::OldestNoticesFirst {
            let notices = self.inner.notices(limit);
            return notices
                .map(|notices| notices.map(|all| all.into_iter().rev().collect()))
                .boxed();
        }
        self.inner.notices(limit)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), LogError>> {
        self.inner.check()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

type Law = for<'a> fn(&'a Handles) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

const LAWS: [(&str, Law); 9] = [
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
    ("closing", |logs| Box::pin(conformance::closing(logs))),
];

/// The laws that a store with this fault breaks.
async fn broken_by(fault: Fault) -> Vec<&'static str> {
    let mut broken = Vec::new();
    for (name, law) in LAWS {
        let inner = Arc::new(MemoryLog::new());
        let log: Arc<dyn MatchLog> = Arc::new(Broken { inner, fault });
        let checked = tokio::spawn(async move { law(&[log]).await }).await;
        if checked.is_err() {
            broken.push(name);
        }
    }
    broken
}

/// Time stands still and passes when nobody has anything to do, so that a store
/// that says nothing is found out at once.
fn broken_in_no_time(fault: Fault) -> Vec<&'static str> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(broken_by(fault))
}

#[track_caller]
fn check(fault: Fault, law: &str) {
    let broken = broken_in_no_time(fault);
    assert!(broken.contains(&law), "{fault:?} breaks {broken:?}");
}

#[test]
fn a_sound_store_breaks_no_law() {
    assert_eq!(broken_in_no_time(Fault::None), Vec::<&str>::new());
}

#[test]
fn what_is_stored_is_checked() {
    check(Fault::CutsAtZero, "bytes");
    check(Fault::TakesTooMuch, "bytes");
    check(Fault::SaysConflictAndStores, "conflicts");
}

#[test]
fn places_are_checked() {
    check(Fault::TakesGaps, "conflicts");
    check(Fault::TakesAnyPlace, "conflicts");
    check(Fault::LetsTwoWin, "racing_writers");
    check(Fault::ForgetsTheDropped, "dropped_futures");
}

#[test]
fn names_are_checked() {
    check(Fault::IgnoresCase, "names");
    check(Fault::CutsNames, "names");
}

#[test]
fn reading_is_checked() {
    check(Fault::LosesEntries, "reading");
    check(Fault::ReadsLate, "reading");
    check(Fault::ReadsFromTheStart, "reading");
    check(Fault::ReadsTooMuch, "reading");
    check(Fault::ReadsWhenClosed, "closing");
}

#[test]
fn watching_is_checked() {
    check(Fault::WatchesFromTheStart, "watching");
    check(Fault::SkipsWhenWatched, "watching");
    check(Fault::RepeatsWhenWatched, "watching");
    check(Fault::WatchesOnlyWhatIsThere, "watching");
    check(Fault::WatchesWhenClosed, "closing");
}

#[test]
fn notices_are_checked() {
    check(Fault::OldestNoticesFirst, "notices");
    check(Fault::KeepsNotices, "notices");
    check(Fault::TakesLongNotices, "notices");
}

#[test]
fn closing_is_checked() {
    check(Fault::AppendsWhenClosed, "closing");
}
