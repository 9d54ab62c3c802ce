//! Measures the cost of idle connections.

use core::time::Duration;

use futures_util::{StreamExt, TryStreamExt, future, stream};
use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::match_player::MatchPlayer;
use crate::process::usage;
use crate::source::Source;

/// The most matches that are created concurrently.
const MAX_OPENING: usize = 32;

/// The cost of idle connections; a stable format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The number of connections.
    pub connections: u32,
    /// The connections that were still open at the end.
    pub held: u32,
    /// The server's memory before the connections, in KiB.
    pub before_kib: u64,
    /// The server's memory with the connections, in KiB.
    pub with_kib: u64,
    /// The memory per connection with its half of a match, in KiB.
    pub kib_per_connection: f64,
    /// The server's CPU time while the connections were idle, in seconds per second.
    pub cpu_per_second: f64,
}

/// Opens connections, two per match, holds them for a time and measures the server.
pub async fn idle(
    server: &ServerAddress,
    process: u32,
    connections: u32,
    time: Duration,
) -> Result<Report, String> {
    let measure = || usage(process).ok_or("the server's process cannot be measured");
    let before = measure()?;
    let mut held = JoinSet::new();
    let source = Source::of_system(server.clone());
    let opening = stream::iter(0..connections.div_ceil(2))
        .map(|index| MatchPlayer::open(&source, "ttt", u64::from(index), false))
        .buffer_unordered(MAX_OPENING);
    let hold = |player: MatchPlayer| {
        held.spawn(player.idle());
        future::ready(Ok(()))
    };
    opening.try_for_each(hold).await?;
    let begun = measure()?;
    sleep(time).await;
    let with = measure()?;
    // A task ends when its connection is closed.
    let mut closed = 0;
    while held.try_join_next().is_some() {
        closed += 1;
    }
    let grown = with.memory_kib.saturating_sub(before.memory_kib);
    Ok(Report {
        connections,
        held: connections.saturating_sub(2 * closed),
        before_kib: before.memory_kib,
        with_kib: with.memory_kib,
        kib_per_connection: grown as f64 / f64::from(connections),
        cpu_per_second: with.cpu.saturating_sub(begun.cpu).as_secs_f64() / time.as_secs_f64(),
    })
}

impl core::fmt::Display for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{} of {} connections held; {:.2} KiB each with half a match ({} to {} KiB); {:.3} CPU seconds per second",
            self.held,
            self.connections,
            self.kib_per_connection,
            self.before_kib,
            self.with_kib,
            self.cpu_per_second
        )
    }
}
