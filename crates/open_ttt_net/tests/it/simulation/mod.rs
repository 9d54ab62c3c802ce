//! Replication under a network that does what it likes: thousands of schedules,
//! each from one seed, with virtual time.
//!
//! Clients propose at random, several transitions at once. Messages are lost,
//! doubled, late and out of order; connections are cut and clients go to other
//! nodes; nodes crash with what they had in memory, before and after it was
//! stored; several nodes share a log and lag behind it; an append answers that
//! nobody knows; copies are corrupted. What must hold:
//!
//! - a copy is the state of the log with its number, or is found to be corrupt;
//! - what is shown is what is certain and what is hoped for;
//! - what is confirmed stands in the log once, and what is taken back never
//!   stands there, before or after;
//! - when all is well again every proposal has ended in exactly one way, and
//!   all copies are the same.
//!
//! `OPEN_TTT_SEED=n` runs one schedule, `OPEN_TTT_SCHEDULES=n` that many.

mod client;
mod fault_plan;
mod node;
mod store;
mod subject;
mod tally;
mod world;

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};

use open_ttt_lib::games::{ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::state_machine::GameMachine;

use self::subject::{Ledger, Subject};
use self::tally::Tally;
use self::world::World;

/// What a simulation must contain to show anything.
const HAPPENS: [&str; 20] = [
    "appends in conflict",
    "appends unknown",
    "behind",
    "confirmed",
    "confirmed after doubt",
    "crashed",
    "crashed while storing",
    "duplicates",
    "healed",
    "judged and never stored",
    "out of step",
    "overtaken",
    "overtaken after doubt",
    "proposed",
    "refused",
    "refused by one's own copy",
    "snapshots",
    "stored",
    "stored and never acknowledged",
    "schedules",
];

fn number_from(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

fn run<M: Subject>(seed: u64) -> Tally {
    let mut world = World::<M>::new(seed, false);
    if catch_unwind(AssertUnwindSafe(|| world.run())).is_ok() {
        return world.tally;
    }
    let mut again = World::<M>::new(seed, true);
    let _ = catch_unwind(AssertUnwindSafe(|| again.run()));
    panic!("OPEN_TTT_SEED={seed} fails again\n{}", again.trace());
}

#[track_caller]
fn check<M: Subject>(schedules: u64) {
    if let Some(seed) = number_from("OPEN_TTT_SEED") {
        run::<M>(seed);
        return;
    }
    let schedules = number_from("OPEN_TTT_SCHEDULES").unwrap_or(schedules);
    let mut tally = Tally::default();
    for seed in 0..schedules {
        tally.add(&run::<M>(seed));
    }
    for what in HAPPENS {
        assert!(tally.of(what) > 0, "never {what}: {tally:?}");
    }
}

#[test]
fn a_ledger_survives_everything() {
    check::<Ledger>(2000);
}

#[test]
fn tic_tac_toe_survives_everything() {
    check::<GameMachine<TicTacToe>>(1000);
}

#[test]
fn connect_four_survives_everything() {
    check::<GameMachine<ConnectFour>>(1000);
}

#[test]
fn pegs_survives_everything() {
    check::<GameMachine<Pegs>>(1000);
}

#[test]
fn a_seed_is_one_schedule() {
    let entries = || {
        let mut world = World::<Ledger>::new(7, false);
        world.run();
        (world.now, world.store.entries().to_vec())
    };
    assert_eq!(entries(), entries());
}
