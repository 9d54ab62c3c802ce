use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use crate::MatchId;
use crate::log::{AppendError, ForwardingLog, LogFuture, MAX_ENTRY, MatchLog};
use crate::replication::Sequence;

/// A store that tells the operator when it begins to refuse what is appended, and when it
/// stores again. On a full disk it refuses every move of everybody, which is not told one by
/// one.
#[derive(Debug)]
pub(super) struct RefusalLog {
    inner: Arc<dyn MatchLog>,
    /// Whether it has refused the last append.
    refuses: AtomicBool,
}

impl RefusalLog {
    pub(super) fn new(inner: Arc<dyn MatchLog>) -> Self {
        Self {
            inner,
            refuses: AtomicBool::new(false),
        }
    }

    fn note(&self, id: &MatchId, appended: &Result<(), AppendError>) {
        match appended {
            // Most often there is nothing to change.
            Ok(()) if self.refuses.load(Ordering::Relaxed) => {
                if self.refuses.swap(false, Ordering::Relaxed) {
                    tracing::info!("the store takes what is appended again");
                }
            }
            Err(AppendError::Refused(cause)) => {
                if self.refuses.swap(true, Ordering::Relaxed) {
                    tracing::debug!(%id, %cause, "an append was refused");
                } else {
                    let text = "the store refuses what is appended; moves are delayed until it \
                                takes them again, which will be told";
                    tracing::error!(%id, %cause, "{text}");
                }
            }
            Ok(()) | Err(AppendError::Conflict | AppendError::Unknown(_)) => {}
        }
    }
}

impl ForwardingLog for RefusalLog {
    fn inner(&self) -> &dyn MatchLog {
        &*self.inner
    }

    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        // Says nothing about the store.
        let is_too_long = entry.len() > MAX_ENTRY;
        let appending = self.inner.append(id, last, entry);
        let id = id.clone();
        Box::pin(async move {
            let appended = appending.await;
            if !is_too_long {
                self.note(&id, &appended);
            }
            appended
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Level, Metadata, Subscriber};

    use super::*;
    use crate::lock::lock;
    use crate::log::{LogError, MemoryLog};

    /// A store that can be full.
    #[derive(Debug, Default)]
    struct FullLog {
        inner: MemoryLog,
        is_full: AtomicBool,
    }

    impl ForwardingLog for FullLog {
        fn inner(&self) -> &dyn MatchLog {
            &self.inner
        }

        fn append(
            &self,
            id: &MatchId,
            last: Sequence,
            entry: Bytes,
        ) -> LogFuture<'_, (), AppendError> {
            if self.is_full.load(Ordering::Relaxed) {
                let full = AppendError::Refused(LogError::new("no space"));
                return Box::pin(async { Err(full) });
            }
            self.inner.append(id, last, entry)
        }
    }

    /// The texts that are logged, but those for developers.
    #[derive(Clone, Default)]
    struct Logged(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Logged {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            *metadata.level() <= Level::INFO
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            event.record(&mut Message(&self.0));
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    struct Message<'a>(&'a Mutex<Vec<String>>);

    impl Visit for Message<'_> {
        fn record_debug(&mut self, field: &Field, value: &dyn core::fmt::Debug) {
            if field.name() == "message" {
                lock(self.0).push(format!("{value:?}"));
            }
        }
    }

    #[tokio::test]
    async fn a_store_that_refuses_is_told_once_until_it_works_again() {
        let logged = Logged::default();
        let _guard = tracing::subscriber::set_default(logged.clone());
        let full = Arc::new(FullLog::default());
        let log = RefusalLog::new(Arc::clone(&full) as _);
        let id = "a".parse().expect("an identifier");
        let mut told = Vec::new();
        for is_full in [false, true, true, true, false, false, true] {
            full.is_full.store(is_full, Ordering::Relaxed);
            let last = MatchLog::last(&log, &id).await.expect("readable");
            let last = last.map_or(Sequence::START, |(last, _)| last);
            let appended = MatchLog::append(&log, &id, last, Bytes::new()).await;
            assert_eq!(appended.is_err(), is_full);
            let too_long = Bytes::from(vec![0; MAX_ENTRY + 1]);
            assert!(MatchLog::append(&log, &id, last, too_long).await.is_err());
            told.push(std::mem::take(&mut *lock(&logged.0)).len());
        }
        assert_eq!(told, [0, 1, 0, 0, 1, 0, 1]);
    }
}
