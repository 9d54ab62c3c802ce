//! The laws every store obeys, as checks for your own tests (feature
//! `conformance`).
//!
//! Open an empty store and hand it to [`check_all`], inside a tokio runtime:
//!
//! ```
//! use std::sync::Arc;
//!
//! use open_ttt_net::log::{MemoryLog, conformance};
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! conformance::check_all(&[Arc::new(MemoryLog::new())]).await;
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Where others append to the same logs too ([`MatchLog::is_shared`]), open it
//! several times: the checks go from one to the other, so that what one of them
//! acknowledges is asked of another.
//!
//! Each check panics at the first broken law and says which. They use matches
//! of their own, so that they can be called one by one on the same store.
//! Durability they cannot see: kill your store and look.

mod appending;
mod lobby;
mod watching;

use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use open_ttt_lib::random::Rng;

pub use appending::{bytes, conflicts, dropped_futures, names, racing_writers, reading};
pub use lobby::{closing, notices};
pub use watching::watching;

use super::{AppendError, MAX_ENTRY, MatchLog};
use crate::MatchId;
use crate::replication::Sequence;

/// The same logs, opened once or more often.
pub type Handles = [Arc<dyn MatchLog>];

/// After so long a store that says nothing is taken to say nothing ever: a
/// broken one fails instead of waiting for good.
const PATIENCE: Duration = Duration::from_mins(1);

/// Every law. The store is closed afterwards.
///
/// # Panics
///
/// If a law is broken, or without a handle.
pub async fn check_all(handles: &Handles) {
    bytes(handles).await;
    conflicts(handles).await;
    reading(handles).await;
    names(handles).await;
    racing_writers(handles).await;
    dropped_futures(handles).await;
    watching(handles).await;
    notices(handles).await;
    closing(handles).await;
}

/// The handle whose turn it is.
fn handle(handles: &Handles, turn: usize) -> &Arc<dyn MatchLog> {
    assert!(!handles.is_empty(), "the laws need a store");
    &handles[turn % handles.len()]
}

fn id(text: &str) -> MatchId {
    text.parse().expect("a name of a match")
}

/// What a test writes as the entry with this number.
fn text(id: &MatchId, number: u64) -> Bytes {
    Bytes::from(format!("{id} {number}"))
}

/// Adds the entries up to the one numbered `last`, each by another handle.
async fn fill(handles: &Handles, id: &MatchId, last: u64) {
    for number in 1..=last {
        let before = Sequence::new(number - 1);
        handle(handles, number as usize)
            .append(id, before, text(id, number))
            .await
            .unwrap_or_else(|error| panic!("entry {number} of {id} is the next: {error}"));
    }
}

/// All entries of a match, by the handle whose turn it is.
async fn entries(handles: &Handles, turn: usize, id: &MatchId) -> Vec<Bytes> {
    handle(handles, turn)
        .read(id, Sequence::START, usize::MAX)
        .await
        .unwrap_or_else(|error| panic!("{id} cannot be read: {error}"))
}

/// Bytes of every kind, reproducibly.
fn noise(rng: &mut Rng, length: usize) -> Bytes {
    (0..length).map(|_| rng.next_u64() as u8).collect()
}

/// The result of what must come sometime.
async fn sooner_or_later<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("{what}: nothing has come for {PATIENCE:?}"))
}
