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
#[cfg(feature = "nats")]
mod workers;

#[path = "../../../open_ttt_nn/tests/it/naive.rs"]
mod naive;
#[cfg(feature = "nats")]
#[expect(dead_code, reason = "the tests of stores use all of it")]
#[path = "../../../open_ttt_net/tests/it/log/nats_server.rs"]
mod nats_server;
#[path = "../../../open_ttt_nn/tests/it/shaken.rs"]
mod shaken;
