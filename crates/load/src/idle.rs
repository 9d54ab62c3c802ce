//! What connections cost that do nothing.

use core::time::Duration;

use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::process::usage;
use crate::table::Pair;

/// How many matches are made at a time.
const AT_A_TIME: usize = 32;

/// What connections cost that do nothing; a stable format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// How many there were.
    pub connections: u32,
    /// How many of them were still there at the end.
    pub held: u32,
    /// The server's memory before, in KiB.
    pub before_kib: u64,
    /// And with them.
    pub with_kib: u64,
    /// For each connection, with its half of a match.
    pub kib_per_connection: f64,
    /// The server's processor time while they did nothing, in seconds for each
    /// second.
    pub cpu_per_second: f64,
}

/// Opens connections, two for each match, holds them for a time and tells what
/// they cost the server.
///
/// # Errors
///
/// A sentence, if they cannot be opened or the process cannot be looked at.
pub async fn idle(
    server: &ServerAddress,
    process: u32,
    connections: u32,
    time: Duration,
) -> Result<Report, String> {
    let look = || usage(process).ok_or("the server's process cannot be looked at");
    let before = look()?;
    let mut opening = JoinSet::new();
    let mut held = JoinSet::new();
    for index in 0..connections.div_ceil(2) {
        if opening.len() >= AT_A_TIME {
            hold(&mut opening, &mut held).await?;
        }
        let server = server.clone();
        opening.spawn(async move { Pair::open(&server, "ttt", u64::from(index), false).await });
    }
    while !opening.is_empty() {
        hold(&mut opening, &mut held).await?;
    }
    let begun = look()?;
    sleep(time).await;
    let with = look()?;
    // One that has ended has been cut off.
    let mut gone = 0;
    while held.try_join_next().is_some() {
        gone += 1;
    }
    let grown = with.memory_kib.saturating_sub(before.memory_kib);
    Ok(Report {
        connections,
        held: connections.saturating_sub(2 * gone),
        before_kib: before.memory_kib,
        with_kib: with.memory_kib,
        kib_per_connection: grown as f64 / f64::from(connections),
        cpu_per_second: with.cpu.saturating_sub(begun.cpu).as_secs_f64() / time.as_secs_f64(),
    })
}

async fn hold(
    opening: &mut JoinSet<Result<Pair, String>>,
    held: &mut JoinSet<String>,
) -> Result<(), String> {
    if let Some(opened) = opening.join_next().await {
        let pair = opened.map_err(|error| error.to_string())??;
        held.spawn(pair.idle());
    }
    Ok(())
}

impl core::fmt::Display for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "{} of {} connections held; {:.2} KiB each with half a match ({} to {} KiB); {:.3} CPU seconds a second",
            self.held,
            self.connections,
            self.kib_per_connection,
            self.before_kib,
            self.with_kib,
            self.cpu_per_second
        )
    }
}
