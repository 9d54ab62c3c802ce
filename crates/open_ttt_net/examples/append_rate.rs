//! Benchmark of a store: appends per second, latency, and CPU time of this
//! process.
//!
//! `cargo run --profile dist --features nats,sqlite --example append_rate -- STORE`,
//! with the store as for `open_ttt serve --store`: a file, `memory` or
//! `nats://..`. The default is a temporary file.
#![expect(clippy::print_stdout, reason = "the output of a program")]

use std::error::Error;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog, NatsLog, NatsOptions, SqliteLog};
use open_ttt_net::replication::Sequence;

/// Duration of each measurement.
const TIME: Duration = Duration::from_secs(5);

/// Length of an entry in bytes: that of a move.
const ENTRY_LENGTH: usize = 90;

/// Length of a match, in moves.
const MATCH_LENGTH: u64 = 40;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = std::env::args().nth(1);
    let temporary = std::env::temp_dir().join(format!("append_rate-{}", std::process::id()));
    let log: Arc<dyn MatchLog> = match store.as_deref() {
        None => {
            fs::create_dir(&temporary)?;
            Arc::new(SqliteLog::open(temporary.join("matches.db"))?)
        }
        Some("memory") => Arc::new(MemoryLog::new()),
        Some(urls) if urls.starts_with("nats://") || urls.starts_with("tls://") => {
            Arc::new(NatsLog::connect(&NatsOptions::new(urls)).await?)
        }
        Some(path) => Arc::new(SqliteLog::open(path)?),
    };
    println!("in flight  appends/s  p50 ms  p99 ms  max ms  CPU us/append");
    for in_flight in [1, 50, 200, 800] {
        println!("{in_flight:9}  {}", measure(&log, in_flight).await?);
    }
    log.close().await;
    if store.is_none() {
        fs::remove_dir_all(&temporary)?;
    }
    Ok(())
}

/// Appends to `in_flight` matches concurrently, and waits for each append.
async fn measure(log: &Arc<dyn MatchLog>, in_flight: u64) -> Result<String, Box<dyn Error>> {
    // The store may have matches of earlier runs.
    let run = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as u64;
    let (start, cpu) = (Instant::now(), cpu_time()?);
    let players: Vec<_> = (0..in_flight)
        .map(|player| tokio::spawn(play(Arc::clone(log), run ^ player, start + TIME)))
        .collect();
    let mut latencies = Vec::new();
    for player in players {
        latencies.extend(player.await?.map_err(|error| error.to_string())?);
    }
    let (elapsed, cpu) = (start.elapsed(), cpu_time()?.saturating_sub(cpu));
    latencies.sort_unstable();
    let percentile = |share: f64| {
        let index = (latencies.len() as f64 * share) as usize;
        latencies[index.min(latencies.len() - 1)].as_secs_f64() * 1e3
    };
    Ok(format!(
        "{:9.0}  {:6.2}  {:6.2}  {:6.2}  {:13.2}",
        latencies.len() as f64 / elapsed.as_secs_f64(),
        percentile(0.5),
        percentile(0.99),
        percentile(1.0),
        cpu.as_secs_f64() * 1e6 / latencies.len() as f64,
    ))
}

/// Plays matches until the end. Returns the latencies of the appends.
async fn play(
    log: Arc<dyn MatchLog>,
    player: u64,
    until: Instant,
) -> Result<Vec<Duration>, Box<dyn Error + Send + Sync>> {
    let entry = Bytes::from(vec![b'x'; ENTRY_LENGTH]);
    let mut latencies = Vec::new();
    for number in 0_u64.. {
        // Ids in random order, like those of real matches.
        let name = number
            .wrapping_mul(1_000_003)
            .wrapping_add(player)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id: MatchId = format!("{name:016x}").parse()?;
        for last in 0..MATCH_LENGTH {
            let started = Instant::now();
            if started >= until {
                return Ok(latencies);
            }
            log.append(&id, Sequence::new(last), entry.clone()).await?;
            latencies.push(started.elapsed());
        }
    }
    Ok(latencies)
}

/// The CPU time of this process on Linux, in units of 10 ms.
fn cpu_time() -> Result<Duration, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<u64> = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    Ok(Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}
