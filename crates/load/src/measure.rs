//! How many moves a server takes, and how soon they are seen.

use core::time::Duration;

use open_ttt_net::client::ServerAddress;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::process::usage;
use crate::table::{Pair, Tally};

/// What is measured.
#[derive(Clone, Debug)]
pub struct Measure {
    /// How many matches are played at a time, by two connections each.
    pub tables: u32,
    /// The game, by its name in the catalog.
    pub game: String,
    /// For how long it is measured.
    pub time: Duration,
    /// For how long it is played before.
    pub warm_up: Duration,
    /// How many moves are made a second, on all tables together; as many as
    /// can be if nothing is said.
    pub rate: Option<u32>,
    /// What makes the moves reproducible.
    pub seed: u64,
}

/// What was measured; a stable format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// How many matches were played at a time.
    pub tables: u32,
    /// The game.
    pub game: String,
    /// How many moves a second were asked for.
    pub rate: Option<u32>,
    /// For how long, in seconds.
    pub seconds: f64,
    /// How many moves were seen by both seats.
    pub moves: u64,
    /// Moves, and wishes for another game.
    pub changes: u64,
    /// Moves a second.
    pub moves_per_second: f64,
    /// From sending a move until both seats had seen the new state, in
    /// milliseconds: half of the moves took at most so long,
    pub p50_ms: f64,
    /// 99 of 100,
    pub p99_ms: f64,
    /// and all.
    pub max_ms: f64,
    /// By how much a move was sent too late at worst, in milliseconds.
    pub late_ms: f64,
    /// The processor time of the server, in seconds, where it is known.
    pub server_cpu_seconds: Option<f64>,
    /// Moves for each of them.
    pub moves_per_cpu_second: Option<f64>,
    /// Changes for each of them.
    pub changes_per_cpu_second: Option<f64>,
    /// The server's memory at the end, in KiB.
    pub server_memory_kib: Option<u64>,
    /// The processor time of the generator, in seconds.
    pub own_cpu_seconds: Option<f64>,
    /// How many states were worked out here too, and had the server's sum.
    pub checked: u64,
}

impl Measure {
    /// Plays, and tells how it went. The server's process, if it is on this
    /// machine, is looked at as well.
    ///
    /// # Errors
    ///
    /// A sentence, if any table comes to a halt.
    pub async fn run(
        &self,
        server: &ServerAddress,
        process: Option<u32>,
    ) -> Result<Report, String> {
        let mut pairs = Vec::new();
        for index in 0..self.tables {
            let seed = self.seed.wrapping_add(u64::from(index));
            pairs.push(Pair::open(server, &self.game, seed, index == 0).await?);
        }
        let pairs = self.play(pairs, self.warm_up).await?;
        let own = std::process::id();
        let cpu = |id: Option<u32>| Some(usage(id?)?.cpu);
        let before = (cpu(process), cpu(Some(own)));
        let begun = Instant::now();
        let pairs = self.play(pairs, self.time).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let used =
            |before: Option<Duration>, id| Some(cpu(id)?.saturating_sub(before?).as_secs_f64());
        let server_cpu_seconds = used(before.0, process);
        let own_cpu_seconds = used(before.1, Some(own));

        let mut latencies = Vec::new();
        let (mut changes, mut checked, mut late) = (0, 0, Duration::ZERO);
        for pair in pairs {
            let tally = pair.tally;
            latencies.extend(tally.latencies);
            changes += tally.changes;
            checked += tally.checked;
            late = late.max(tally.late);
        }
        latencies.sort_unstable();
        let moves = latencies.len() as u64;
        let milliseconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        let quantile = |share: f64| {
            let index = (share * latencies.len() as f64).ceil() as usize;
            latencies
                .get(index.saturating_sub(1))
                .map_or(f64::NAN, |&time| milliseconds(time))
        };
        let each = |count: u64| server_cpu_seconds.map(|cpu| count as f64 / cpu);
        Ok(Report {
            tables: self.tables,
            game: self.game.clone(),
            rate: self.rate,
            seconds,
            moves,
            changes,
            moves_per_second: moves as f64 / seconds,
            p50_ms: quantile(0.5),
            p99_ms: quantile(0.99),
            max_ms: quantile(1.0),
            late_ms: milliseconds(late),
            server_cpu_seconds,
            moves_per_cpu_second: each(moves),
            changes_per_cpu_second: each(changes),
            server_memory_kib: process.and_then(usage).map(|usage| usage.memory_kib),
            own_cpu_seconds,
            checked,
        })
    }

    /// Lets all tables play for a time.
    async fn play(&self, pairs: Vec<Pair>, time: Duration) -> Result<Vec<Pair>, String> {
        let end = Instant::now() + time;
        let tables = f64::from(self.tables);
        let mut playing = JoinSet::new();
        for (index, mut pair) in pairs.into_iter().enumerate() {
            pair.tally = Tally::default();
            let pace = self.rate.map(|rate| {
                let every = Duration::from_secs_f64(tables / f64::from(rate));
                (every, every.mul_f64(index as f64 / tables))
            });
            playing.spawn(async move {
                pair.play_until(end, pace).await?;
                Ok::<_, String>(pair)
            });
        }
        let mut pairs = Vec::new();
        while let Some(played) = playing.join_next().await {
            pairs.push(played.map_err(|error| error.to_string())??);
        }
        Ok(pairs)
    }
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
            "both seats have seen a move after {:.2} ms (p50), {:.2} ms (p99), {:.2} ms at most",
            self.p50_ms, self.p99_ms, self.max_ms
        )?;
        if self.rate.is_some() {
            write!(f, "; sent too late by {:.2} ms at most", self.late_ms)?;
        }
        if let (Some(cpu), Some(moves), Some(memory)) = (
            self.server_cpu_seconds,
            self.moves_per_cpu_second,
            self.server_memory_kib,
        ) {
            write!(
                f,
                "\nserver: {cpu:.2} CPU seconds, {moves:.0} moves for each, {memory} KiB"
            )?;
        }
        if let Some(cpu) = self.own_cpu_seconds {
            write!(f, "\ngenerator: {cpu:.2} CPU seconds")?;
        }
        Ok(())
    }
}
