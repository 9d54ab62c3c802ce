//! How many entries a second the store in a file takes, how long each waits and
//! what it costs: `cargo run --release --features sqlite --example append_rate`,
//! with the folder to write in as an argument.
#![expect(clippy::print_stdout, reason = "a program talks to its user")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, SqliteLog};
use open_ttt_net::replication::Sequence;

/// How long is measured.
const TIME: Duration = Duration::from_secs(5);

/// As many bytes as an entry has when it is a move.
const ENTRY: usize = 90;

/// After so many moves a match is over and another one begins.
const MATCH: u64 = 40;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    println!("in flight  appends/s  p50 ms  p99 ms  max ms  CPU us/append");
    for in_flight in [1, 50, 200, 800] {
        let path = folder.join(format!("append_rate-{}-{in_flight}.db", std::process::id()));
        let measured = measure(&path, in_flight).await;
        for suffix in ["", "-wal", "-shm", "-lock"] {
            let mut name = path.clone().into_os_string();
            name.push(suffix);
            // Not all of them are there.
            let _ = std::fs::remove_file(name);
        }
        println!("{in_flight:9}  {}", measured?);
    }
    Ok(())
}

/// Appends with so many matches at a time, each waiting for its answer.
async fn measure(path: &Path, in_flight: usize) -> Result<String, Box<dyn Error>> {
    let log = Arc::new(SqliteLog::open(path)?);
    let (start, cpu) = (Instant::now(), cpu_time()?);
    let players: Vec<_> = (0..in_flight)
        .map(|player| tokio::spawn(play(Arc::clone(&log), player, start + TIME)))
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
    log: Arc<SqliteLog>,
    player: usize,
    until: Instant,
) -> Result<Vec<Duration>, Box<dyn Error + Send + Sync>> {
    let entry = Bytes::from(vec![b'x'; ENTRY]);
    let mut waits = Vec::new();
    for number in 0_u64.. {
        // Names that stand in no order, as those of real matches.
        let name = (number * 1_000_003 + player as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
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
