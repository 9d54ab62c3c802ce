//! How many entries a second a store takes, how long each waits and what it
//! costs this process: `cargo run --release --features nats,sqlite --example
//! append_rate`, with the store as an argument, as `open_ttt serve --store` has
//! it: a file, `memory` or `nats://..`. A temporary file if nothing is said.
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog, NatsLog, NatsOptions, SqliteLog};
use open_ttt_net::replication::Sequence;

/// How long is measured.
const TIME: Duration = Duration::from_secs(5);

/// As many bytes as an entry has when it is a move.
const ENTRY: usize = 90;

/// After so many moves a match is over and another one begins.
const MATCH: u64 = 40;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = std::env::args().nth(1);
    let temporary = std::env::temp_dir().join(format!("append_rate-{}.db", std::process::id()));
    let log: Arc<dyn MatchLog> = match store.as_deref() {
        None => Arc::new(SqliteLog::open(&temporary)?),
        Some("memory") => Arc::new(MemoryLog::new()),
        Some(urls) if urls.starts_with("nats://") || urls.starts_with("tls://") => {
            Arc::new(NatsLog::connect(&NatsOptions::new(urls)).await?)
        }
        Some(path) => Arc::new(SqliteLog::open(path)?),
    };
    let measured = measure_all(&log).await;
    log.close().await;
    if store.is_none() {
        remove(&temporary);
    }
    measured
}

async fn measure_all(log: &Arc<dyn MatchLog>) -> Result<(), Box<dyn Error>> {
    println!("in flight  appends/s  p50 ms  p99 ms  max ms  CPU us/append");
    for in_flight in [1, 50, 200, 800] {
        println!("{in_flight:9}  {}", measure(log, in_flight).await?);
    }
    Ok(())
}

/// Removes a store in a file.
fn remove(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        // Not all of them are there.
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
}

/// Appends with so many matches at a time, each waiting for its answer.
async fn measure(log: &Arc<dyn MatchLog>, in_flight: u64) -> Result<String, Box<dyn Error>> {
    // What stands in the store from before has other names.
    let begun = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64;
    let (start, cpu) = (Instant::now(), cpu_time()?);
    let players: Vec<_> = (0..in_flight)
        .map(|player| tokio::spawn(play(Arc::clone(log), begun ^ player, start + TIME)))
        .collect();
    let mut waits = Vec::new();
    for player in players {
        waits.extend(player.await?.map_err(|error| error.to_string())?);
    }
    let (elapsed, cpu) = (start.elapsed(), cpu_time()?.saturating_sub(cpu));
    waits.sort_unstable();
    let wait = |share: f64| {
        let index = (waits.len() as f64 * share) as usize;
        waits[index.min(waits.len() - 1)].as_secs_f64() * 1e3
    };
    Ok(format!(
        "{:9.0}  {:6.2}  {:6.2}  {:6.2}  {:13.2}",
        waits.len() as f64 / elapsed.as_secs_f64(),
        wait(0.5),
        wait(0.99),
        wait(1.0),
        cpu.as_secs_f64() * 1e6 / waits.len() as f64,
    ))
}

/// One match after the other, and how long each entry took.
async fn play(
    log: Arc<dyn MatchLog>,
    player: u64,
    until: Instant,
) -> Result<Vec<Duration>, Box<dyn Error + Send + Sync>> {
    let entry = Bytes::from(vec![b'x'; ENTRY]);
    let mut waits = Vec::new();
    for number in 0_u64.. {
        // Names that stand in no order, as those of real matches.
        let name = number
            .wrapping_mul(1_000_003)
            .wrapping_add(player)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id: MatchId = format!("{name:016x}").parse()?;
        for last in 0..MATCH {
            let asked = Instant::now();
            if asked >= until {
                return Ok(waits);
            }
            log.append(&id, Sequence::new(last), entry.clone()).await?;
            waits.push(asked.elapsed());
        }
    }
    Ok(waits)
}

/// The processor time of this process as Linux tells it, to a hundredth of a
/// second.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<u64> = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok(Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}
