//! A conformance suite for implementations of [`MatchLog`] (feature
//! `conformance`).
//!
//! Open an empty store and pass it to [`check_all`], inside a tokio runtime:
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
//! Open a shared store ([`MatchLog::is_shared`]) several times: the checks
//! alternate between the handles, and read through one what another has
//! acknowledged.
//!
//! Each check panics at the first violation. Each uses its own matches, so the
//! checks can also be called one by one on the same store. They cannot test
//! durability: kill your store for that.

#![expect(clippy::missing_panics_doc, reason = "each check panics if it fails")]

mod appending;
mod lobby;
mod removing;
mod watching;

use core::ops::RangeInclusive;
use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use open_ttt_lib::random::Rng;

pub use appending::{bytes, conflicts, dropped_futures, names, racing_writers, reading};
pub use lobby::{closing, notices};
pub use removing::{listing, removing};
pub use watching::watching;

use super::{AppendError, MAX_ENTRY, MatchLog};
use crate::MatchId;
use crate::replication::Sequence;

/// Handles of one store.
pub type Handles = [Arc<dyn MatchLog>];

/// Hang guard: a store that does not reply within this time fails the check.
const HANG_GUARD: Duration = Duration::from_mins(10);

/// Runs every check. The store is closed afterwards.
///
/// # Panics
///
/// If a check fails, or without a handle.
pub async fn check_all(handles: &Handles) {
    bytes(handles).await;
    conflicts(handles).await;
    reading(handles).await;
    names(handles).await;
    racing_writers(handles).await;
    dropped_futures(handles).await;
    watching(handles).await;
    notices(handles).await;
    listing(handles).await;
    removing(handles).await;
    closing(handles).await;
}

/// The handle for a step: they take turns.
fn handle(handles: &Handles, turn: usize) -> &Arc<dyn MatchLog> {
    assert!(!handles.is_empty(), "the checks need a store");
    &handles[turn % handles.len()]
}

fn match_id(text: &str) -> MatchId {
    text.parse().expect("an identifier")
}

/// The entry that the checks write under this number.
fn text(id: &MatchId, number: u64) -> Bytes {
    Bytes::from(format!("{id} {number}"))
}

fn texts(id: &MatchId, numbers: RangeInclusive<u64>) -> Vec<Bytes> {
    numbers.map(|number| text(id, number)).collect()
}

/// Appends the entries of these numbers, each through another handle.
async fn fill(handles: &Handles, id: &MatchId, numbers: RangeInclusive<u64>) {
    for number in numbers {
        let before = Sequence::new(number - 1);
        handle(handles, number as usize)
            .append(id, before, text(id, number))
            .await
            .unwrap_or_else(|error| panic!("append entry {number} of {id}: {error}"));
    }
}

/// All entries of a match.
async fn entries(handles: &Handles, turn: usize, id: &MatchId) -> Vec<Bytes> {
    handle(handles, turn)
        .read(id, Sequence::START, usize::MAX)
        .await
        .unwrap_or_else(|error| panic!("read {id}: {error}"))
}

/// Reproducible random bytes.
fn random_bytes(rng: &mut Rng, length: usize) -> Bytes {
    (0..length).map(|_| rng.next_u64() as u8).collect()
}

/// The output of a future that must complete.
async fn guarded<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANG_GUARD, future)
        .await
        .unwrap_or_else(|_| panic!("{what}: no result within {HANG_GUARD:?}"))
}
