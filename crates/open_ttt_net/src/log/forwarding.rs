use core::fmt::Debug;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::{AppendError, Broadcast, LogFuture, LogStream, MatchLog, StoreRoom};
use crate::MatchId;
use crate::replication::Sequence;

/// A store that forwards every operation to another one, except those that it
/// overrides: to inject faults, to measure, or to encrypt. It is a [`MatchLog`].
///
/// ```
/// use futures_util::FutureExt;
/// use open_ttt_net::MatchId;
/// use open_ttt_net::log::{ForwardingLog, LogError, LogFuture, MatchLog, MemoryLog};
///
/// #[derive(Debug, Default)]
/// struct UnreadyLog(MemoryLog);
///
/// impl ForwardingLog for UnreadyLog {
///     fn inner(&self) -> &dyn MatchLog {
///         &self.0
///     }
///
///     fn check(&self) -> LogFuture<'_, ()> {
///         Box::pin(async { Err(LogError::new("not ready")) })
///     }
/// }
///
/// let log = UnreadyLog::default();
/// let log: &dyn MatchLog = &log;
/// assert!(log.check().now_or_never().is_some_and(|checked| checked.is_err()));
/// assert_eq!(log.matches(None, 10).now_or_never(), Some(Ok(Vec::<MatchId>::new())));
/// ```
pub trait ForwardingLog: Send + Sync + Debug {
    /// The other store.
    fn inner(&self) -> &dyn MatchLog;

    /// [`MatchLog::append`]
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        self.inner().append(id, last, entry)
    }

    /// [`MatchLog::read`]
    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        self.inner().read(id, after, limit)
    }

    /// [`MatchLog::last`]
    fn last(&self, id: &MatchId) -> LogFuture<'_, Option<(Sequence, Bytes)>> {
        self.inner().last(id)
    }

    /// [`MatchLog::watch`]
    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        self.inner().watch(id, after)
    }

    /// [`MatchLog::is_shared`]
    fn is_shared(&self) -> bool {
        self.inner().is_shared()
    }

    /// [`MatchLog::matches`]
    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>> {
        self.inner().matches(after, limit)
    }

    /// [`MatchLog::can_remove`]
    fn can_remove(&self) -> bool {
        self.inner().can_remove()
    }

    /// [`MatchLog::remove`]
    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        self.inner().remove(id)
    }

    /// [`MatchLog::set_notice`]
    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        self.inner().set_notice(id, notice)
    }

    /// [`MatchLog::notices`]
    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>> {
        self.inner().notices(limit)
    }

    /// [`MatchLog::check`]
    fn check(&self) -> LogFuture<'_, ()> {
        self.inner().check()
    }

    /// [`MatchLog::room`]
    fn room(&self) -> Option<StoreRoom> {
        self.inner().room()
    }

    /// [`MatchLog::broadcast`]
    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        self.inner().broadcast()
    }

    /// [`MatchLog::close`]
    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner().close()
    }
}

impl<L: ForwardingLog> MatchLog for L {
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        ForwardingLog::append(self, id, last, entry)
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        ForwardingLog::read(self, id, after, limit)
    }

    fn last(&self, id: &MatchId) -> LogFuture<'_, Option<(Sequence, Bytes)>> {
        ForwardingLog::last(self, id)
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream {
        ForwardingLog::watch(self, id, after)
    }

    fn is_shared(&self) -> bool {
        ForwardingLog::is_shared(self)
    }

    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>> {
        ForwardingLog::matches(self, after, limit)
    }

    fn can_remove(&self) -> bool {
        ForwardingLog::can_remove(self)
    }

    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()> {
        ForwardingLog::remove(self, id)
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        ForwardingLog::set_notice(self, id, notice)
    }

    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>> {
        ForwardingLog::notices(self, limit)
    }

    fn check(&self) -> LogFuture<'_, ()> {
        ForwardingLog::check(self)
    }

    fn room(&self) -> Option<StoreRoom> {
        ForwardingLog::room(self)
    }

    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        ForwardingLog::broadcast(self)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        ForwardingLog::close(self)
    }
}
