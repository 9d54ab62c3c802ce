//! Measures the throughput and latency of moves.

use core::time::Duration;

use clap::builder::TypedValueParser as _;
use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::match_player::{MatchPlayer, Measurements};
use crate::process::usage;
use crate::source::Source;

/// The arguments of a measurement.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct Measure {
    /// The number of concurrent matches
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub tables: u32,
    /// The game
    #[arg(long, value_name = "KEY", default_value = "ttt")]
    pub game: String,
    /// The duration in seconds
    #[arg(long = "seconds", value_name = "S", default_value = "10",
        value_parser = clap::value_parser!(u64).range(1..=3_600).map(Duration::from_secs))]
    pub time: Duration,
    /// The duration of the warm-up in seconds
    #[arg(long, value_name = "S", default_value = "2",
        value_parser = clap::value_parser!(u64).range(0..=3_600).map(Duration::from_secs))]
    pub warm_up: Duration,
    /// The total rate in moves per second [default: unlimited]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rate: Option<u32>,
    /// The seed of the random moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The results of a measurement; a stable format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The number of concurrent matches.
    pub tables: u32,
    /// The game.
    pub game: String,
    /// The target rate, in moves per second.
    pub rate: Option<u32>,
    /// The duration, in seconds.
    pub seconds: f64,
    /// The number of moves received by both seats.
    pub moves: u64,
    /// The number of moves and rematch requests.
    pub changes: u64,
    /// The rate, in moves per second.
    pub moves_per_second: f64,
    /// The median time from sending a move until both seats have received it, in
    /// milliseconds.
    pub p50_ms: f64,
    /// The 99th percentile of that time, in milliseconds.
    pub p99_ms: f64,
    /// The maximum of that time, in milliseconds.
    pub max_ms: f64,
    /// The longest delay of a move behind its schedule, in milliseconds.
    pub late_ms: f64,
    /// The server's CPU time, in seconds, if known.
    pub server_cpu_seconds: Option<f64>,
    /// Moves per CPU second of the server.
    pub moves_per_cpu_second: Option<f64>,
    /// Changes per CPU second of the server.
    pub changes_per_cpu_second: Option<f64>,
    /// The server's memory at the end, in KiB.
    pub server_memory_kib: Option<u64>,
    /// The generator's CPU time, in seconds.
    pub own_cpu_seconds: Option<f64>,
    /// The number of states whose digest was checked.
    pub checked: u64,
}

impl Measure {
    /// Runs the measurement, including the server's process if it is on this machine.
    pub async fn run(
        &self,
        server: &ServerAddress,
        process: Option<u32>,
    ) -> Result<Report, String> {
        let source = Source::of_system(server.clone());
        let mut players = Vec::new();
        for index in 0..self.tables {
            let seed = self.seed.wrapping_add(u64::from(index));
            let player = MatchPlayer::open(&source, &self.game, seed, index == 0);
            players.push(player.await?);
        }
        let players = self.play(players, self.warm_up).await?;
        let own = std::process::id();
        let cpu = |id: Option<u32>| Some(usage(id?)?.cpu);
        let before = (cpu(process), cpu(Some(own)));
        let begun = Instant::now();
        let players = self.play(players, self.time).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let used =
            |before: Option<Duration>, id| Some(cpu(id)?.saturating_sub(before?).as_secs_f64());
        let server_cpu_seconds = used(before.0, process);
        let own_cpu_seconds = used(before.1, Some(own));

        let mut latencies = Vec::new();
        let (mut changes, mut checked, mut late) = (0, 0, Duration::ZERO);
        for player in players {
            let measured = player.measurements;
            latencies.extend(measured.latencies);
            changes += measured.changes;
            checked += measured.checked;
            late = late.max(measured.late);
        }
        latencies.sort_unstable();
        let moves = latencies.len() as u64;
        let each = |count: u64| server_cpu_seconds.map(|cpu| count as f64 / cpu);
        Ok(Report {
            tables: self.tables,
            game: self.game.clone(),
            rate: self.rate,
            seconds,
            moves,
            changes,
            moves_per_second: moves as f64 / seconds,
            p50_ms: quantile(&latencies, 0.5),
            p99_ms: quantile(&latencies, 0.99),
            max_ms: quantile(&latencies, 1.0),
            late_ms: milliseconds(late),
            server_cpu_seconds,
            moves_per_cpu_second: each(moves),
            changes_per_cpu_second: each(changes),
            server_memory_kib: process.and_then(usage).map(|usage| usage.memory_kib),
            own_cpu_seconds,
            checked,
        })
    }

    /// Plays all matches for a time.
    async fn play(
        &self,
        players: Vec<MatchPlayer>,
        time: Duration,
    ) -> Result<Vec<MatchPlayer>, String> {
        let end = Instant::now() + time;
        let tables = f64::from(self.tables);
        let mut playing = JoinSet::new();
        for (index, mut player) in players.into_iter().enumerate() {
            player.measurements = Measurements::default();
            let pace = self.rate.map(|rate| {
                let every = Duration::from_secs_f64(tables / f64::from(rate));
                (every, every.mul_f64(index as f64 / tables))
            });
            playing.spawn(async move {
                player.play_until(end, pace).await?;
                Ok::<_, String>(player)
            });
        }
        let mut players = Vec::new();
        while let Some(played) = playing.join_next().await {
            players.push(played.map_err(|error| error.to_string())??);
        }
        Ok(players)
    }
}

/// Milliseconds, rounded to microseconds.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A quantile of sorted times, in milliseconds; not a number if there are none.
pub(crate) fn quantile(sorted: &[Duration], share: f64) -> f64 {
    let index = (share * sorted.len() as f64).ceil() as usize;
    sorted
        .get(index.saturating_sub(1))
        .map_or(f64::NAN, |&time| milliseconds(time))
}

impl core::fmt::Display for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        writeln!(
            f,
            "{} tables of {}, {:.1} s: {:.0} moves/s, {} changes ({} of them checked)",
            self.tables, self.game, self.seconds, self.moves_per_second, self.changes, self.checked
        )?;
        write!(
            f,
            "both seats received a move after {:.2} ms (p50), {:.2} ms (p99), {:.2} ms (max)",
            self.p50_ms, self.p99_ms, self.max_ms
        )?;
        if self.rate.is_some() {
            write!(f, "; at most {:.2} ms behind schedule", self.late_ms)?;
        }
        if let (Some(cpu), Some(moves), Some(memory)) = (
            self.server_cpu_seconds,
            self.moves_per_cpu_second,
            self.server_memory_kib,
        ) {
            write!(
                f,
                "\nserver: {cpu:.2} CPU seconds, {moves:.0} moves per CPU second, {memory} KiB"
            )?;
        }
        if let Some(cpu) = self.own_cpu_seconds {
            write!(f, "\ngenerator: {cpu:.2} CPU seconds")?;
        }
        Ok(())
    }
}
