//! Attacks on a server by strangers, each from an address of its own, while honest
//! players play beside them.
//!
//! Each attack once took a server away from everybody else. A server passes if no
//! honest player notices: the 99th percentile of the time in which both players receive
//! a move, no failure, and the server's memory are within bounds.

mod attackers;

use core::time::Duration;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use clap::builder::TypedValueParser;
use open_ttt_lib::random::Rng;
use open_ttt_net::client::{Link, ServerAddress};
use open_ttt_net::protocol::{CreateMatch, SeatRequest, UpdateShape};
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::connection::Connection;
use crate::match_player::{MatchPlayer, Measurements};
use crate::measure::{milliseconds, quantile};
use crate::process::usage;
use crate::progress::progress_bar;
use crate::source::Source;
pub use attackers::Attack;

/// The arguments of an attack.
#[derive(Clone, Debug, clap::Args)]
pub struct Attacks {
    /// The attacks, all at once [default: all]
    #[arg(value_name = "NAME")]
    pub attacks: Vec<Attack>,
    /// The number of honest matches, each with two players of one address
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u8).range(1..=200))]
    pub honest: u8,
    /// The number of addresses that attack, with each attack
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=50))]
    pub addresses: u8,
    /// The duration of the attack in seconds
    #[arg(long = "seconds", value_name = "S", default_value = "30",
        value_parser = clap::value_parser!(u64).range(1..=86_400).map(Duration::from_secs))]
    pub time: Duration,
    /// The time in which whatever a newcomer does must be done.
    #[arg(skip = PATIENCE)]
    pub patience: Duration,
    /// The time after which the server's memory must be back.
    #[arg(skip = REST)]
    pub rest: Duration,
}

/// The results of an attack; a stable format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The attacks.
    pub attacks: Vec<Attack>,
    /// The duration, in seconds.
    pub seconds: f64,
    /// What the attackers did: requests, connections, messages.
    pub attempts: u64,
    /// The number of honest matches.
    pub honest: u8,
    /// The number of moves that both honest players received.
    pub moves: u64,
    /// The median time from sending a move until both have received it, in milliseconds.
    pub p50_ms: f64,
    /// The 99th percentile of that time, in milliseconds.
    pub p99_ms: f64,
    /// The maximum of that time, in milliseconds.
    pub max_ms: f64,
    /// The longest time in which a computer answered an honest player's move, in
    /// milliseconds.
    pub computer_max_ms: f64,
    /// The server's memory with the honest players before the attack, in KiB.
    pub before_kib: u64,
    /// The most memory during the attack, in KiB.
    pub peak_kib: u64,
    /// The memory a minute after it, in KiB.
    pub after_kib: u64,
    /// What honest players could not do, as messages.
    pub failures: Vec<String>,
}

/// The bound on the 99th percentile of the honest players' times, in milliseconds.
const MAX_P99_MS: f64 = 250.0;

/// What a server may need beside twice its memory before the attack, in KiB: answers that
/// are not read, histories, and a solver's million positions for each thread.
const MEMORY_BUDGET_KIB: u64 = 256 * 1024;

/// What it may keep a minute later beside twice its memory before: the caches of the store
/// and of the allocator, in KiB.
const MEMORY_KEPT_KIB: u64 = 64 * 1024;

/// The time between two moves of an honest match.
const PACE: Duration = Duration::from_secs(1);

/// The time that a newcomer waits, unless a test has more.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time for the server's memory to come back, unless a test has none.
const REST: Duration = Duration::from_mins(1);

/// What attackers and honest players share.
pub(crate) struct Scene {
    pub(crate) server: ServerAddress,
    /// When the attack ends.
    pub(crate) end: Instant,
    /// The link that an honest player has sent to spectators.
    pub(crate) watched: Link,
    /// The number of attempts.
    pub(crate) attempts: core::sync::atomic::AtomicU64,
}

/// The honest side's observations.
#[derive(Default)]
struct Honest {
    latencies: Vec<Duration>,
    computer: Duration,
    failures: Vec<String>,
}

impl Report {
    /// Whether no honest player noticed anything.
    pub fn is_sound(&self) -> bool {
        self.failures.is_empty()
            && self.p99_ms <= MAX_P99_MS
            && self.peak_kib <= 2 * self.before_kib + MEMORY_BUDGET_KIB
            && self.after_kib <= 2 * self.before_kib + MEMORY_KEPT_KIB
    }
}

/// An honest table's address.
const fn honest_address(table: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 2, 0, table + 1))
}

impl Attacks {
    /// Attacks a server on this machine that has the default limits.
    pub async fn run(&self, server: &ServerAddress, process: u32) -> Result<Report, String> {
        let attacks = if self.attacks.is_empty() {
            Attack::ALL.to_vec()
        } else {
            self.attacks.clone()
        };
        let memory = || usage(process).map_or(0, |usage| usage.memory_kib);

        let mut players = Vec::new();
        for table in 0..self.honest {
            let source = Source::of_address(server.clone(), honest_address(table));
            players.push(MatchPlayer::open(&source, "connect4", u64::from(table), false).await?);
        }
        let watched = players[0].link();
        sleep(Duration::from_secs(1)).await;
        let before_kib = memory();

        let end = Instant::now() + self.time;
        let scene = Arc::new(Scene {
            server: server.clone(),
            end,
            watched,
            attempts: 0.into(),
        });
        let honest = Arc::new(Mutex::new(Honest::default()));
        let mut playing = JoinSet::new();
        for (table, player) in players.into_iter().enumerate() {
            let honest = Arc::clone(&honest);
            let offset = PACE.mul_f64(table as f64 / f64::from(self.honest));
            playing.spawn(play(player, end, offset, honest));
        }
        // These come from addresses that nobody else has.
        let newcomer = Source::of_address(server.clone(), honest_address(220));
        let arriving = keep_arriving(newcomer, end, self.patience, Arc::clone(&honest));
        playing.spawn(arriving);
        let against_computer = Source::of_address(server.clone(), honest_address(221));
        playing.spawn(play_computer(against_computer, end, Arc::clone(&honest)));

        // A thread of their own, so that attackers do not delay the honest players here.
        let attackers = spawn_attackers(&attacks, self.addresses, &scene);
        let progress = progress_bar(
            self.time.as_secs(),
            "attacking {wide_bar} {pos}/{len} seconds",
        );
        let mut peak_kib = before_kib;
        while Instant::now() < end {
            sleep(Duration::from_millis(100)).await;
            peak_kib = peak_kib.max(memory());
            progress.set_position(progress.elapsed().as_secs());
        }
        progress.finish_and_clear();
        while playing.join_next().await.is_some() {}
        attackers.join().map_err(|_| "an attacker has panicked")?;
        let rested = Instant::now() + self.rest;
        let mut after_kib = memory();
        while Instant::now() < rested && after_kib > before_kib {
            sleep(Duration::from_millis(500)).await;
            after_kib = after_kib.min(memory());
        }
        let mut honest = honest.lock().await;
        honest.latencies.sort_unstable();
        let latencies = &honest.latencies;
        Ok(Report {
            attacks,
            seconds: self.time.as_secs_f64(),
            attempts: scene.attempts.load(core::sync::atomic::Ordering::Relaxed),
            honest: self.honest,
            moves: latencies.len() as u64,
            p50_ms: quantile(latencies, 0.5),
            p99_ms: quantile(latencies, 0.99),
            max_ms: quantile(latencies, 1.0),
            computer_max_ms: milliseconds(honest.computer),
            before_kib,
            peak_kib,
            after_kib,
            failures: core::mem::take(&mut honest.failures),
        })
    }
}

fn spawn_attackers(
    attacks: &[Attack],
    addresses: u8,
    scene: &Arc<Scene>,
) -> std::thread::JoinHandle<()> {
    let (attacks, scene) = (attacks.to_vec(), Arc::clone(scene));
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let mut running = JoinSet::new();
            for (kind, attack) in (1..).zip(attacks) {
                for number in 0..addresses {
                    let address = IpAddr::V4(Ipv4Addr::new(127, 66, kind, number + 1));
                    let source = Source::of_address(scene.server.clone(), address);
                    let scene = Arc::clone(&scene);
                    running.spawn(async move {
                        let attacking = attack.run(source, Arc::clone(&scene));
                        let _ = tokio::time::timeout_at(scene.end, attacking).await;
                    });
                }
            }
            while running.join_next().await.is_some() {}
        });
    })
}

/// An honest match at the pace of people.
async fn play(mut player: MatchPlayer, end: Instant, offset: Duration, honest: Arc<Mutex<Honest>>) {
    player.measurements = Measurements::default();
    let played = player.play_until(end, Some((PACE, offset))).await;
    let mut honest = honest.lock().await;
    honest.latencies.extend(player.measurements.latencies);
    if let Err(text) = played {
        honest.failures.push(format!("a match ended: {text}"));
    }
}

/// An honest player who arrives again and again: opens the page, looks at the lobby,
/// creates a listed match, finds it there, and takes the seat.
async fn keep_arriving(
    source: Source,
    end: Instant,
    patience: Duration,
    honest: Arc<Mutex<Honest>>,
) {
    let mut seed = Rng::new(9);
    while Instant::now() < end {
        let arriving = timeout(patience, arrive(&source, &mut seed)).await;
        let arrived = arriving.unwrap_or_else(|_| Err("it took too long".to_owned()));
        if let Err(text) = arrived {
            let mut honest = honest.lock().await;
            honest.failures.push(format!("a newcomer failed: {text}"));
        }
        // A game that nobody joins is listed for a while after its creator has left, and an
        // address has only a few of them.
        sleep(Duration::from_secs(5)).await;
    }
}

async fn arrive(source: &Source, seed: &mut Rng) -> Result<(), String> {
    for path in ["/", "/assets/main.js", "/api/v1/games", "/api/v1/matches"] {
        let reply = source.request("GET", path, "").await?;
        if reply.status != 200 {
            return Err(format!("{path}: {} {}", reply.status, reply.body));
        }
    }
    let wanted = CreateMatch {
        game: "ttt".to_owned(),
        clock: None,
        first: None,
        seats: [Some(SeatRequest::Person("Newcomer".to_owned())), None],
        listed: true,
        rated: false,
        moves: Vec::new(),
        key: None,
    };
    let created = source.create(&wanted).await?;
    let link = source.server().clone().link(created.id.clone());
    let client = format!("newcomer-{:016x}", seed.next_u64());
    let client = client.parse().map_err(|_| "invalid client id")?;
    let link = link.with_token(created.token);
    let (_connection, _) = Connection::open(source, link, client, UpdateShape::Views).await?;
    // Among however many, page by page; it is listed a moment later.
    let mut from = 0;
    loop {
        let path = format!("/api/v1/matches?game=ttt&from={from}");
        let list = source.request("GET", &path, "").await?;
        if list.body.contains(created.id.as_str()) {
            return Ok(());
        }
        let entries = list.body.matches("\"match\":").count();
        from = if entries == 0 { 0 } else { from + entries };
        sleep(Duration::from_millis(50)).await;
    }
}

/// An honest player against a computer.
async fn play_computer(source: Source, end: Instant, honest: Arc<Mutex<Honest>>) {
    let mut seed = 0;
    while Instant::now() < end {
        seed += 1;
        let computer = "mcts(iterations=1000)";
        let played = MatchPlayer::play_computer(&source, "connect4", computer, seed, end).await;
        let mut honest = honest.lock().await;
        match played {
            Ok(longest) => honest.computer = honest.computer.max(longest),
            Err(text) => {
                let text = format!("a game against a computer ended: {text}");
                honest.failures.push(text);
            }
        }
        drop(honest);
        // No faster than an address may create matches.
        sleep(Duration::from_secs(2)).await;
    }
}

impl core::fmt::Display for Report {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let names: Vec<_> = self.attacks.iter().map(|attack| attack.name()).collect();
        writeln!(
            f,
            "{}: {} attempts in {:.0} s beside {} honest matches",
            names.join(", "),
            self.attempts,
            self.seconds,
            self.honest
        )?;
        writeln!(
            f,
            "{} honest moves after {:.2} ms (p50), {:.2} ms (p99), {:.2} ms (max); a computer's \
             after at most {:.0} ms",
            self.moves, self.p50_ms, self.p99_ms, self.max_ms, self.computer_max_ms
        )?;
        write!(
            f,
            "server memory: {} KiB before, at most {} KiB, {} KiB after",
            self.before_kib, self.peak_kib, self.after_kib
        )?;
        for failure in &self.failures {
            write!(f, "\nfailure: {failure}")?;
        }
        let verdict = if self.is_sound() {
            "no honest player noticed"
        } else {
            "the honest players noticed"
        };
        write!(f, "\n{verdict}")
    }
}
