//! The tests of `open_ttt_learn`.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

mod gradients;
mod learner;
mod learning;
mod progress;
mod record;
mod report;
mod run;
mod steps;
mod strip;
mod teach;

#[path = "../../../open_ttt_lib/tests/it/network/naive.rs"]
mod naive;
