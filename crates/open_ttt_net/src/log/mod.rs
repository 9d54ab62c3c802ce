//! Storage of matches: one append-only log of entries per match.
//!
//! A [`MatchLog`] guarantees three things:
//!
//! - **Durability.** Once [`append`](MatchLog::append) has acknowledged an
//!   entry, every later read returns it, whatever process is killed.
//! - **Unique sequence numbers.** Of several appends at one position, at most
//!   one succeeds, whichever process sends them.
//! - **No gaps.** An entry is stored only directly behind its predecessor.
//!
//! | store | use |
//! |---|---|
//! | [`MemoryLog`] | tests, and matches that need not survive the process |
//! | `SqliteLog` (feature `sqlite`) | one server: a file |
//! | `NatsLog` (feature `nats`) | any number of servers: a NATS `JetStream` cluster |
//!
//! To the log an entry is opaque bytes.

#[cfg(feature = "conformance")]
pub mod conformance;
mod forwarding;
mod memory;
#[cfg(feature = "nats")]
mod nats;
#[cfg(feature = "sqlite")]
mod sqlite;
mod watchers;

use core::fmt::{self, Debug};
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

pub use forwarding::ForwardingLog;
pub use memory::MemoryLog;
#[cfg(feature = "nats")]
pub use nats::{NatsConnectError, NatsLog, NatsOptions};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteFile, SqliteLog, SqliteOpenError};

use crate::MatchId;
use crate::replication::Sequence;

/// Maximum length of an entry, a notice or a broadcast message, in bytes.
pub const MAX_ENTRY: usize = 4096;

/// How long a store keeps a notice that is not set again. A store without expiry
/// keeps the latest [`MAX_NOTICES`] instead.
pub const NOTICE_LIFETIME: Duration = Duration::from_mins(5);

/// The number of notices that a store keeps at least, the latest ones, within
/// their [lifetime](NOTICE_LIFETIME).
pub const MAX_NOTICES: usize = 10_000;

/// How much a store has stored, and how much it can store at most, in bytes.
///
/// A store that fills up takes no new matches first and no moves then. So there is room for
/// what has to be written to delete old matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreRoom {
    /// The size of what is stored. Deleted matches don't count.
    pub used: u64,
    /// The largest size; [`u64::MAX`] if only the disk limits it.
    pub limit: u64,
}

impl StoreRoom {
    /// Whether new matches can begin: an eighth is kept for those that are being played.
    pub const fn fits_matches(self) -> bool {
        self.used < self.limit - self.limit / 8
    }

    /// Whether matches can go on: a sixteenth is kept for the store itself.
    pub const fn fits_acts(self) -> bool {
        self.used < self.limit - self.limit / 16
    }
}

/// The result of an operation of a [`MatchLog`].
pub type LogFuture<'a, T, E = LogError> = BoxFuture<'a, Result<T, E>>;

/// The entries of a match, in order.
pub type LogStream = BoxStream<'static, Result<Bytes, LogError>>;

/// A store of logs, one per match.
///
/// An operation runs to completion even if its future is dropped.
pub trait MatchLog: Send + Sync + Debug {
    /// Appends an entry behind the one with the sequence number `last`;
    /// [`Sequence::START`] creates the match.
    ///
    /// `Ok` means that the entry is durable and has the number
    /// [`last.next()`](Sequence::next).
    ///
    /// # Errors
    ///
    /// - [`AppendError::Conflict`] if `last` is not the last entry;
    /// - [`AppendError::Unknown`] if the entry may have been stored, or may
    ///   still be: read the log to find out;
    /// - [`AppendError::Refused`] if the entry was not stored and never will
    ///   be: the disk is full, or the entry is longer than [`MAX_ENTRY`].
    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError>;

    /// At most `limit` entries behind the sequence number `after`, in order and
    /// without gaps. Empty if the match does not exist.
    ///
    /// Returns every entry that was acknowledged before the call.
    ///
    /// # Errors
    ///
    /// If the store cannot be read now.
    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>>;

    /// The last entry and its number; `None` if the match does not exist.
    ///
    /// By default this is a search by [`read`](Self::read), with a number of reads that
    /// grows with the logarithm of the number of entries.
    ///
    /// # Errors
    ///
    /// If the store cannot be read now.
    fn last(&self, id: &MatchId) -> LogFuture<'_, Option<(Sequence, Bytes)>> {
        let id = id.clone();
        Box::pin(async move {
            let read = async |number: u64| {
                let page = self.read(&id, Sequence::new(number - 1), 1).await;
                page.map(|page| page.into_iter().next())
            };
            let Some(mut last) = read(1).await? else {
                return Ok(None);
            };
            // The log has the entry `found`; whether it has `found + step`, is asked.
            let (mut found, mut step, mut is_bounded) = (1, 1, false);
            while step > 0 {
                if let Some(entry) = read(found + step).await? {
                    (found, last) = (found + step, entry);
                } else {
                    is_bounded = true;
                }
                step = if is_bounded { step / 2 } else { step * 2 };
            }
            Ok(Some((Sequence::new(found), last)))
        })
    }

    /// A stream of the entries behind the sequence number `after`: those stored
    /// already, then each new one, in order and without gaps.
    ///
    /// The stream ends only with an error. The caller may then watch again.
    fn watch(&self, id: &MatchId, after: Sequence) -> LogStream;

    /// Whether other processes append to the same logs. If so, the owner of a
    /// copy of a match has to [`watch`](Self::watch) it.
    fn is_shared(&self) -> bool;

    /// The matches behind `after` in the order of their identifiers' bytes, at
    /// most `limit`; `None` begins with the first.
    ///
    /// Each call may cost as much as listing all matches, so pages should be
    /// large.
    ///
    /// # Errors
    ///
    /// If the store cannot be read now.
    fn matches(&self, after: Option<&MatchId>, limit: usize) -> LogFuture<'_, Vec<MatchId>>;

    /// Whether matches can be [removed](Self::remove). If not, they never can.
    fn can_remove(&self) -> bool {
        true
    }

    /// Removes a match: all its entries, and its notice. Succeeds if there is
    /// no such match. Once acknowledged, the removal is durable.
    ///
    /// An append behind a removed entry is a conflict. An append at
    /// [`Sequence::START`] creates the match again, without the old entries.
    /// A [`watch`](Self::watch) of the removed match waits for entries behind
    /// those that it has delivered.
    ///
    /// # Errors
    ///
    /// If the store cannot be written now, or does not allow removal. The match
    /// may have been removed all the same; removing it again does no harm.
    fn remove(&self, id: &MatchId) -> LogFuture<'_, ()>;

    /// Sets, replaces or removes the lobby notice of a match. Notices survive a
    /// restart; a crash may lose the latest ones.
    ///
    /// A notice has to be set again within [`NOTICE_LIFETIME`], or it may be
    /// dropped.
    ///
    /// # Errors
    ///
    /// If the store cannot be written now, or the notice is longer than
    /// [`MAX_ENTRY`].
    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()>;

    /// At most `limit` notices, the latest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read now.
    fn notices(&self, limit: usize) -> LogFuture<'_, Vec<(MatchId, Bytes)>>;

    /// Checks that the store can be read and written now.
    ///
    /// # Errors
    ///
    /// If it cannot.
    fn check(&self) -> LogFuture<'_, ()>;

    /// How full the store is; `None` if it doesn't know.
    fn room(&self) -> Option<StoreRoom> {
        None
    }

    /// A broadcast channel between the processes that share the store; `None`
    /// for a store that is not shared.
    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        None
    }

    /// Shuts the store down after all operations that were started before.
    /// Later operations are refused.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// A broadcast channel for transient state, such as presence. Messages are not
/// stored; they may be lost or delayed.
pub trait Broadcast: Send + Sync + Debug {
    /// Sends a message of at most [`MAX_ENTRY`] bytes to all subscribers,
    /// including those of this process.
    fn send(&self, message: Bytes);

    /// The messages sent from now on. The stream may end; the caller may then
    /// subscribe again.
    fn subscribe(&self) -> BoxStream<'static, Bytes>;
}

/// Why [`MatchLog::append`] did not acknowledge an entry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The position is taken, or its predecessor is missing.
    #[error("the log already has an entry at this position")]
    Conflict,
    /// The entry may or may not have been stored.
    #[error("the entry may not have been stored: {0}")]
    Unknown(LogError),
    /// The entry was not stored.
    #[error("the entry was not stored: {0}")]
    Refused(LogError),
}

/// The store failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct LogError {
    cause: String,
    damaged: bool,
}

impl LogError {
    /// An error with this cause, written for the operator. A retry may succeed.
    pub fn new(cause: impl fmt::Display) -> Self {
        Self {
            cause: cause.to_string(),
            damaged: false,
        }
    }

    /// What is stored cannot be right, with the damage found. Every retry will
    /// fail.
    pub fn damaged(cause: impl fmt::Display) -> Self {
        Self {
            damaged: true,
            ..Self::new(cause)
        }
    }

    /// Whether what is stored is [damaged](Self::damaged).
    pub const fn is_damaged(&self) -> bool {
        self.damaged
    }

    fn closed() -> Self {
        Self::new("the store is closed")
    }
}

/// For operations that have no conflicts.
impl From<AppendError> for LogError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Refused(cause) | AppendError::Unknown(cause) => cause,
            AppendError::Conflict => Self::new(error),
        }
    }
}

/// Refuses data longer than [`MAX_ENTRY`].
fn check_length(data: &Bytes) -> Result<(), LogError> {
    let length = data.len();
    if length > MAX_ENTRY {
        return Err(LogError::new(format_args!(
            "{length} bytes exceed the maximum of {MAX_ENTRY}"
        )));
    }
    Ok(())
}
