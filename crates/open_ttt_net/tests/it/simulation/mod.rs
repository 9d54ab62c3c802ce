//! Deterministic simulation of the replication with injected faults: thousands of
//! schedules in virtual time, each generated from one seed.
//!
//! Clients propose random transitions, several at a time. Messages are lost,
//! duplicated, delayed and reordered; connections break and clients switch nodes;
//! nodes crash and lose their memory, before or after a write is stored; several
//! nodes share a log and lag behind it; appends have an unknown outcome; copies are
//! corrupted. Nodes keep few entries or all. An adversary proposes for states that never existed, and under the ids
//! and numbers of other clients. Invariants:
//!
//! - A copy equals the log's state with the same number, or is detected as corrupt.
//! - The optimistic state is the confirmed state with the pending proposals applied.
//! - A confirmed proposal is in the log exactly once; one that was rolled back is
//!   never in the log.
//! - After the faults end, every proposal ends in exactly one way and all copies
//!   are equal.
//!
//! `OPEN_TTT_SEED=n` runs one schedule, `OPEN_TTT_SCHEDULES=n` that many.

mod client;
mod event_counts;
mod fault_plan;
mod node;
mod store;
mod subject;
mod world;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};

use self::event_counts::EventCounts;
use self::subject::{Journal, SignedGame, Subject};
use self::world::World;

/// Events that must occur at least once over all schedules.
const REQUIRED_EVENTS: [&str; 23] = [
    "appends in conflict",
    "appends unknown",
    "behind",
    "confirmed",
    "confirmed after doubt",
    "crashed",
    "crashed while storing",
    "decided and never stored",
    "duplicates",
    "forged before the own",
    "forged entries",
    "healed",
    "looked up",
    "out of sync",
    "overtaken",
    "overtaken after doubt",
    "proposed",
    "refused",
    "refused locally",
    "snapshots",
    "stored",
    "stored and never acknowledged",
    "schedules",
];

fn number_from(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

fn run<M: Subject>(seed: u64) -> EventCounts {
    let mut world = World::<M>::new(seed);
    if catch_unwind(AssertUnwindSafe(|| world.run())).is_ok() {
        return world.counts;
    }
    let mut again = World::<M>::new(seed).with_trace();
    let _ = catch_unwind(AssertUnwindSafe(|| again.run()));
    panic!("OPEN_TTT_SEED={seed} reproduces this\n{}", again.trace());
}

#[track_caller]
fn check<M: Subject>(schedules: u64) {
    if let Some(seed) = number_from("OPEN_TTT_SEED") {
        run::<M>(seed);
        return;
    }
    let schedules = number_from("OPEN_TTT_SCHEDULES").unwrap_or(schedules);
    let mut counts = EventCounts::default();
    for seed in 0..schedules {
        counts.add(&run::<M>(seed));
    }
    for event in REQUIRED_EVENTS {
        assert!(counts.of(event) > 0, "never {event}: {counts:?}");
    }
}

#[test]
fn journal_survives_all_faults() {
    check::<Journal>(2000);
}

#[test]
fn tic_tac_toe_survives_all_faults() {
    check::<SignedGame<TicTacToe>>(1000);
}

#[test]
fn connect_four_survives_all_faults() {
    check::<SignedGame<ConnectFour>>(1000);
}

#[test]
fn pegs_survives_all_faults() {
    check::<SignedGame<Pegs>>(1000);
}

#[test]
fn seed_determines_the_schedule() {
    let entries = || {
        let mut world = World::<Journal>::new(7);
        world.run();
        (world.now, world.store.entries().to_vec())
    };
    assert_eq!(entries(), entries());
}
