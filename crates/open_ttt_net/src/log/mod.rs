//! Where matches are kept: a log of entries for each.
//!
//! A [`MatchLog`] promises three things, and everything else rests on them:
//!
//! - **Nothing acknowledged is lost.** An entry that was
//!   [appended](MatchLog::append) is read for ever after, whatever is killed.
//! - **No sequence number is taken twice.** Of several appends at one place at
//!   most one succeeds, whoever makes them.
//! - **No gaps.** An entry stands only behind the one before it.
//!
//! | store | for |
//! |---|---|
//! | [`MemoryLog`] | tests, and matches that nobody will miss |
//! | `SqliteLog` (feature `sqlite`) | one server: a file |
//! | `NatsLog` (feature `nats`) | any number of servers: a NATS `JetStream` cluster |
//!
//! What an entry says is not the log's business: it is bytes.

#[cfg(feature = "conformance")]
pub mod conformance;
mod memory;
#[cfg(feature = "nats")]
mod nats;
#[cfg(feature = "sqlite")]
mod sqlite;
mod watchers;

use core::error::Error;
use core::fmt::{self, Debug};

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

pub use memory::MemoryLog;
#[cfg(feature = "nats")]
pub use nats::{NatsConnectError, NatsLog, NatsOptions};
#[cfg(feature = "sqlite")]
pub use sqlite::{SqliteLog, SqliteOpenError};

use crate::MatchId;
use crate::replication::Sequence;

/// The longest entry and the longest notice, in bytes.
pub const MAX_ENTRY: usize = 4096;

/// Logs of entries, one for each match.
///
/// Whatever is asked of it goes on to its end, also where the future that
/// waits for the answer is dropped.
pub trait MatchLog: Send + Sync + Debug {
    /// Adds an entry behind the one with the sequence number `last`, where
    /// [`Sequence::START`] begins a match.
    ///
    /// When it returns `Ok` the entry is durable and has the number
    /// [`last.next()`](Sequence::next).
    ///
    /// # Errors
    ///
    /// - [`AppendError::Conflict`], if `last` is not the last entry;
    /// - [`AppendError::Unknown`], if the entry may have been added and may be
    ///   yet: read on to see;
    /// - [`AppendError::Refused`], if it has not been added and will not be: a
    ///   full disk, an entry of more than [`MAX_ENTRY`] bytes.
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>>;

    /// The entries behind the one with the sequence number `after`, in order
    /// and without gaps, at most `limit` of them; none for a match that has not
    /// begun.
    ///
    /// It sees every entry that was acknowledged before it was called.
    ///
    /// # Errors
    ///
    /// If the store cannot be read now.
    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>>;

    /// The entries of one match behind the one with the sequence number
    /// `after`, those there are and then each that is added, by whomever, in
    /// order and without gaps.
    ///
    /// The stream ends only with an error, after which one may watch anew.
    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>>;

    /// Whether others than this value append to the same logs, so that a match
    /// has to be [watched](Self::watch) by whoever holds a copy of it.
    fn is_shared(&self) -> bool;

    /// Puts up a notice about a match in place of the one there may be, or takes
    /// it down. Notices are for the lobby: they outlive a restart, but nothing
    /// rests on them, and of those put up last, a crash may lose some.
    ///
    /// # Errors
    ///
    /// If the store cannot take it now, or it has more than [`MAX_ENTRY`] bytes.
    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>>;

    /// Notices, the latest first, at most `limit` of them.
    ///
    /// # Errors
    ///
    /// If the store cannot be read now.
    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>>;

    /// Whether the store can be read and written now.
    ///
    /// # Errors
    ///
    /// What stands against it.
    fn check(&self) -> BoxFuture<'_, Result<(), LogError>>;

    /// Words between those who share the store; none where nobody does.
    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        None
    }

    /// Ends the store's own work, after all that was asked of it before. What
    /// is asked afterwards is refused.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// What those who share a store tell each other about the moment: who is
/// connected, say. It is not stored, and may be lost or come late; nothing that
/// matters may rest on it.
pub trait Broadcast: Send + Sync + Debug {
    /// Tells it to everybody, oneself included. At most [`MAX_ENTRY`] bytes.
    fn send(&self, message: Bytes);

    /// What is told from now on. The stream may end, after which one may listen
    /// anew.
    fn subscribe(&self) -> BoxStream<'static, Bytes>;
}

/// Why an entry was not added, or may not have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppendError {
    /// Another entry stands there, or the one before it is missing.
    Conflict,
    /// Nobody knows whether the entry was added.
    Unknown(LogError),
    /// The entry was not added.
    Refused(LogError),
}

/// A store cannot do its work now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogError {
    cause: String,
}

impl LogError {
    /// Says what stands against it, in words for the operator.
    pub fn new(cause: impl fmt::Display) -> Self {
        Self {
            cause: cause.to_string(),
        }
    }

    fn closed() -> Self {
        Self::new("the store is closed")
    }

    fn too_long(length: usize) -> Self {
        Self::new(format_args!(
            "{length} bytes are more than {MAX_ENTRY}, the most that a store takes at once"
        ))
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl Error for LogError {}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => f.write_str("another entry stands there"),
            Self::Unknown(cause) => write!(f, "the entry may not have been stored: {cause}"),
            Self::Refused(cause) => write!(f, "the entry was not stored: {cause}"),
        }
    }
}

impl Error for AppendError {}
