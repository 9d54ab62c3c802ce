//! When no server served the matches of a store.
//!
//! A server notes the time in its store every few seconds. The next one to start
//! finds the last note and so knows how long nobody served: an outage. Players
//! cannot move in an outage, so it is not charged to their clocks.
//!
//! Servers that share a store also tell each other the time, and each sets its clock
//! forward to the latest time that it is told (L. Lamport, "Time, Clocks, and the Ordering
//! of Events in a Distributed System", 1978). A message that arrives late tells an earlier
//! time, so no clock gets ahead of the fastest one, and none is behind it for longer than
//! the fastest message takes. Time that a clock skips so is charged to nobody.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use super::commands::MatchCommand;
use super::{Shared, broadcasts};
use crate::MatchId;
use crate::log::LogError;

/// The notice with the [`ServiceNote`]. No match has this id.
const NOTE: &str = "_service";

/// Time after a start within which clients are expected to reconnect, in
/// milliseconds. It belongs to the outage.
const RECONNECTING_MS: u64 = 5_000;

/// Shortest time for which a clock is said to skip it, in milliseconds. Less is what
/// messages take.
pub(super) const MIN_SKIPPED_MS: u64 = 1_000;

/// Maximum number of outages remembered: the latest.
const MAX_OUTAGES: usize = 64;

/// Pause before a failed operation of the store is repeated.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// A time in which no server served, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outage {
    /// When a server last noted that it served.
    from: u64,
    /// When the next server started.
    to: u64,
}

/// What servers note in their store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ServiceNote {
    /// The time of the note, in milliseconds since 1970.
    at: u64,
    /// The earlier outages, in order.
    outages: Vec<Outage>,
}

/// The outages before the start of a server; `None` until they are known.
pub(super) type KnownOutages = tokio::sync::watch::Sender<Option<Arc<[Outage]>>>;

impl Outage {
    /// The part of the time from `changed`, when a match last changed, to `now`
    /// that is not charged to its players, in milliseconds.
    fn uncharged(self, changed: u64, now: u64) -> u64 {
        if changed >= self.to {
            return 0;
        }
        let end = self.to.saturating_add(RECONNECTING_MS).min(now);
        end.saturating_sub(self.from.max(changed))
    }

    /// When clients are expected to have reconnected.
    const fn end(self) -> u64 {
        self.to.saturating_add(RECONNECTING_MS)
    }
}

/// The time since `changed`, when a match last changed, that is not charged to its
/// players, in milliseconds.
pub(super) fn uncharged(outages: &[Outage], changed: u64, now: u64) -> u64 {
    let each = outages.iter().map(|outage| outage.uncharged(changed, now));
    each.fold(0, u64::saturating_add)
        .min(now.saturating_sub(changed))
}

/// When all clients are expected to have reconnected; 0 without outages.
pub(super) fn end(outages: &[Outage]) -> u64 {
    outages.last().map_or(0, |outage| outage.end())
}

/// Finds out about outages, then notes the service until the shutdown.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut shutdown = pin!(shared.shutdown());
    let outages = tokio::select! {
        outages = find(&shared) => outages,
        () = &mut shutdown => {
            // Nobody may wait for them any longer.
            shared.outages.send_replace(Some(Arc::default()));
            return;
        }
    };
    // A new store knows of no time when it was served.
    if let Some(outage) = outages.last().filter(|outage| outage.from > 0) {
        let seconds = outage.to.saturating_sub(outage.from).div_ceil(1_000);
        tracing::info!(seconds, "no server served the matches for this time");
    }
    shared.outages.send_replace(Some(outages.into()));
    loop {
        note(&shared).await;
        if let Some(broadcast) = &shared.broadcast {
            broadcast.send(broadcasts::time(&shared.client, shared.clock.now_ms()));
        }
        tokio::select! {
            () = sleep(shared.config.service_interval) => {}
            () = &mut shutdown => return,
        }
    }
}

/// Notes that the matches are served now.
pub(super) async fn note(shared: &Shared) {
    let Some(outages) = shared.outages.borrow().clone() else {
        return;
    };
    let note = ServiceNote {
        at: shared.clock.now_ms(),
        outages: outages.to_vec(),
    };
    // This type always serializes.
    let note = serde_json::to_vec(&note).unwrap_or_default();
    let noting = async {
        let id = note_id()?;
        shared.log.set_notice(&id, Some(note.into())).await
    };
    if let Err(cause) = noting.await {
        tracing::warn!(%cause, "failed to note the service");
    }
}

/// Sets this server's clock forward to the time of another server, if that is later. To
/// the matches, what it skips is an outage.
pub(super) fn keep_up_with(shared: &Shared, their_now: u64) {
    let now = shared.clock.now_ms();
    let skipped_ms = their_now.saturating_sub(now);
    // This server may not know the time yet.
    let Some(known) = shared.outages.borrow().clone() else {
        return;
    };
    if skipped_ms < MIN_SKIPPED_MS {
        shared.clock.set_forward(their_now);
        return;
    }
    tracing::warn!(skipped_ms, "this server's clock is behind another one's");
    let skipped = Outage {
        from: now,
        to: their_now,
    };
    // Known before the clock is set: then no match is loaded with only the time.
    shared
        .outages
        .send_replace(Some(with_last(known.to_vec(), skipped).into()));
    shared.clock.set_forward(their_now);
    shared.matches.send_all(|| MatchCommand::KeepTime);
}

/// The latest outages, this one included.
fn with_last(mut outages: Vec<Outage>, last: Outage) -> Vec<Outage> {
    let first = (outages.len() + 1).saturating_sub(MAX_OUTAGES);
    outages.drain(..first);
    outages.push(last);
    outages
}

/// The outages until now. Sets the clock to that of servers that serve already.
async fn find(shared: &Shared) -> Vec<Outage> {
    let found = read(shared).await;
    let now = shared.clock.now_ms();
    let Some(found) = found else {
        // A new store, or nobody served for so long that the note has expired, or
        // the last servers made no notes.
        return vec![Outage { from: 0, to: now }];
    };
    // Longer than the pause between two notes.
    let tolerance = 2 * super::clock::milliseconds(shared.config.service_interval);
    if shared.log.is_shared() {
        if found.at.abs_diff(now) <= tolerance {
            return found.outages;
        }
        // Either nobody serves, or the clocks of the servers differ.
        let deadline = Instant::now() + 3 * shared.config.service_interval;
        while Instant::now() < deadline {
            sleep(shared.config.service_interval / 10).await;
            let Some(again) = read(shared).await else {
                continue;
            };
            if again.at != found.at {
                let ahead_ms = i128::from(now) - i128::from(again.at);
                tracing::warn!(ahead_ms, "this server's clock differs from the others'");
                shared.clock.set(again.at);
                return again.outages;
            }
        }
    }
    let now = shared.clock.now_ms();
    if now < found.at {
        // The system's clock has been set back.
        shared.clock.set(found.at);
        return found.outages;
    }
    let outage = Outage {
        from: found.at,
        to: now,
    };
    with_last(found.outages, outage)
}

/// The latest note; `None` if there is none.
async fn read(shared: &Shared) -> Option<ServiceNote> {
    loop {
        match read_once(shared).await {
            Ok(note) => return note,
            Err(cause) => {
                tracing::warn!(%cause, "failed to read when the matches were served");
                sleep(RETRY_PAUSE).await;
            }
        }
    }
}

async fn read_once(shared: &Shared) -> Result<Option<ServiceNote>, LogError> {
    let id = note_id()?;
    let notices = shared.log.notices(usize::MAX).await?;
    let note = notices.iter().find(|(match_id, _)| *match_id == id);
    Ok(note.and_then(|(_, note)| serde_json::from_slice(note).ok()))
}

fn note_id() -> Result<MatchId, LogError> {
    NOTE.parse().map_err(LogError::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(outages: &[(u64, u64)], changed: u64, now: u64, expected: u64) {
        let outages: Vec<_> = outages
            .iter()
            .map(|&(from, to)| Outage { from, to })
            .collect();
        assert_eq!(uncharged(&outages, changed, now), expected);
    }

    /// A note that anything can have damaged.
    #[test]
    fn any_note_gives_time_that_has_passed() {
        let mut rng = open_ttt_lib::random::Rng::new(1);
        let mut time = || match rng.below(4) {
            0 => rng.next_u64(),
            1 => u64::MAX - rng.below(3) as u64,
            _ => rng.below(200_000) as u64,
        };
        for _ in 0..50_000 {
            let outages: Vec<_> = (0..3).map(|_| (time(), time())).collect();
            let json = serde_json::json!({
                "at": time(),
                "outages": outages.iter().map(|(from, to)| serde_json::json!({"from": from, "to": to})).collect::<Vec<_>>(),
            });
            let text = json.to_string();
            let note: ServiceNote = serde_json::from_str(&text).expect("a note");
            let (changed, now) = (time(), time());
            let returned = uncharged(&note.outages, changed, now);
            assert!(returned <= now.saturating_sub(changed), "{text}");
            end(&note.outages);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_that_the_clock_skips_is_an_outage() {
        let log = Arc::new(crate::log::MemoryLog::new());
        let catalog = open_ttt_catalog::Catalog::bundled();
        let server = crate::server::Server::new(catalog, crate::server::Config::default(), log);
        let shared = &server.expect("a server").shared;
        shared.clock.set(1_000_000);
        let told = |now| {
            keep_up_with(shared, now);
            let outages = shared.outages.borrow().clone();
            (shared.clock.now_ms(), outages.expect("known").to_vec())
        };
        // A message takes time, and the other clock may be behind.
        assert_eq!(told(999_995), (1_000_000, vec![]));
        assert_eq!(told(100_000), (1_000_000, vec![]));
        assert_eq!(told(1_000_999), (1_000_999, vec![]));
        let skipped = Outage {
            from: 1_000_999,
            to: 8_000_000,
        };
        assert_eq!(told(8_000_000), (8_000_000, vec![skipped]));
        assert_eq!(told(8_000_001), (8_000_001, vec![skipped]));
        for hours in 3..99 {
            let (_, outages) = told(hours * 3_600_000);
            assert!(outages.len() <= MAX_OUTAGES);
            assert_eq!(outages.last().map(|last| last.to), Some(hours * 3_600_000));
        }
        // While the server finds out about the time.
        shared.outages.send_replace(None);
        keep_up_with(shared, 1_000_000_000);
        assert_eq!(shared.clock.now_ms(), 98 * 3_600_000);
    }

    #[test]
    fn outages_are_not_charged() {
        let outage = [(100_000, 108_000)];
        // Before it, within the time to reconnect, and after that.
        check(&outage, 90_000, 110_000, 10_000);
        check(&outage, 90_000, 113_000, 13_000);
        check(&outage, 90_000, 500_000, 13_000);
        // The last change was stored after the last note.
        check(&outage, 101_500, 500_000, 11_500);
        // Changes after the outage are not affected, not even at once.
        check(&outage, 108_000, 109_000, 0);
        check(&outage, 120_000, 500_000, 0);
        // Several outages, and one of unknown beginning.
        check(
            &[(100_000, 108_000), (200_000, 201_000)],
            90_000,
            500_000,
            19_000,
        );
        check(&[(0, 108_000)], 90_000, 500_000, 23_000);
        // Never more than has passed, although the two outages overlap.
        check(
            &[(100_000, 108_000), (109_000, 120_000)],
            99_000,
            121_000,
            22_000,
        );
    }
}
