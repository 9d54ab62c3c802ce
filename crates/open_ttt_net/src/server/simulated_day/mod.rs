//! A day of mixed play in simulated time.
//!
//! Persons meet in the lobby, by links, or are paired; they play rated and casual
//! games, with and without clocks, against each other and computers, watch, flag,
//! resign, agree on draws, take moves back, lose connections and tabs, and leave.
//! Servers are stopped and killed, and restarted on the same store, whose replies are
//! lost now and then, and which is full for moments. Their clocks differ a little, and of
//! two that share the store each learns of the other's changes late now and then. All
//! parts of the server run as they are, except that connections are pipes in memory.
//!
//! The clients follow the matches with a [model](model) of their own, and a
//! [ledger](ledger) has what they were told. Invariants:
//!
//! - No acknowledged act is lost or doubled, and no refused one is stored.
//! - All clients of a match, and the store, know the same changes and the same states.
//! - An act counts from when it was sent, a clock runs out when it should, and no
//!   player is charged for a time in which no server served, nor given any other.
//! - The lobby lists exactly the matches that wait, servers hold exactly the matches
//!   that are in use, and nothing is left of a server that has ended.
//! - The histories of the players have every game once, and their ratings follow.
//! - In the night all matches are deleted, and every game is in the archive once.
//!
//! A seed determines what persons and machines do, but not the servers' own random
//! numbers: ids, who begins a paired match, and which of two events that happen in
//! the same millisecond is first. `OPEN_TTT_SEED=n` runs one day, `OPEN_TTT_DAYS=n`
//! that many.

mod client;
mod histories;
mod ledger;
mod model;
mod node;
mod person;
mod store;
mod verify;
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use open_ttt_lib::random::{Rng, nth_seed};
use tokio::sync::mpsc;
use tokio::time::sleep;

use person::Person;
use world::{Plan, World};

/// How long matches are kept after their last change.
const KEEP: Duration = Duration::from_hours(3);

/// How often servers note that they serve.
const SERVICE_INTERVAL: Duration = Duration::from_secs(3);

/// Events that must occur in a test, where they are frequent: a simulation proves nothing
/// about what never happens.
const REQUIRED_EVENTS: [&str; 29] = [
    "against a computer",
    "archived",
    "by abandonment",
    "by agreement",
    "by resignation",
    "by rules",
    "by time",
    "claims rejected",
    "created",
    "disconnected",
    "duplicates",
    "fell silent",
    "from a position",
    "inspected",
    "joined by a link",
    "killed",
    "left for good",
    "listed",
    "lost the answer",
    "lost the tab",
    "moves",
    "moves taken back",
    "profiles",
    "rated games",
    "refused",
    "rematches",
    "stopped",
    "store full",
    "watched",
];

/// A folder that is removed on drop.
struct Scratch(PathBuf);

impl Scratch {
    fn new(plan: &Plan) -> Self {
        let name = format!(
            "open_ttt-day-{}-{}-{}",
            std::process::id(),
            plan.nodes,
            plan.seed
        );
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Says which day failed.
struct Announced(u64);

impl Drop for Announced {
    #[expect(
        clippy::print_stderr,
        reason = "for whoever reads the failure of a test"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(seed) = self;
            std::eprintln!("OPEN_TTT_SEED={seed} reproduces this day");
        }
    }
}

/// Lives a day and the night after it. Returns how often everything happened.
async fn day(plan: Plan) -> BTreeMap<&'static str, u64> {
    let _announced = Announced(plan.seed);
    let scratch = Scratch::new(&plan);
    let mut senders = Vec::new();
    let mut receivers = Vec::new();
    for _ in 0..plan.persons {
        let (sender, receiver) = mpsc::unbounded_channel();
        senders.push(sender);
        receivers.push(receiver);
    }
    let world = World::new(plan, scratch.0.clone(), senders);
    for index in 0..world.plan.nodes {
        world.start_node(index).await;
    }
    let persons = receivers.into_iter().enumerate().map(|(index, receiver)| {
        let rng = Rng::new(nth_seed(world.plan.seed, index as u64));
        Person::new(&world, index, rng, receiver).live()
    });
    let inspecting = async {
        while !world.is_over() {
            sleep(Duration::from_mins(17)).await;
            world.inspect().await;
        }
    };
    tokio::join!(join_all(persons), Rc::clone(&world).operate(), inspecting);
    // The machines that were down serve again, and complete what was left.
    world.load_all().await;
    sleep(Duration::from_mins(6)).await;
    world.check_rest().await;
    world.verify_histories().await;
    // Two passes over the store later.
    sleep(KEEP + Duration::from_hours(13)).await;
    assert_eq!(world.stored().await, [], "old matches");
    let logs = world.store.all().await;
    world.verify_logs(&logs);
    world.verify_archive(&logs, &scratch.0);
    world.end().await;
    let mut counts = world.ledger.take().counts().clone();
    counts.insert("told late", world.store.told_late.load(Ordering::Relaxed));
    counts
}

fn number_from(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

/// Lives days on so many servers that share a store.
async fn days(nodes: usize) {
    let plan = |seed| Plan {
        seed,
        nodes,
        persons: 12,
        length: Duration::from_hours(24),
    };
    if let Some(seed) = number_from("OPEN_TTT_SEED") {
        day(plan(seed)).await;
        return;
    }
    let mut counts = BTreeMap::<_, u64>::new();
    for seed in 0..number_from("OPEN_TTT_DAYS").unwrap_or(1) {
        for (event, times) in day(plan(seed)).await {
            *counts.entry(event).or_default() += times;
        }
    }
    let shared_store = (nodes > 1).then_some("told late");
    for event in REQUIRED_EVENTS.into_iter().chain(shared_store) {
        let times = counts.get(event).copied().unwrap_or(0);
        assert!(times > 0, "never {event}: {counts:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_day_of_mixed_play() {
    days(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_day_of_mixed_play_on_two_servers() {
    days(2).await;
}
