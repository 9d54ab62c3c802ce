//! The tests of `open_ttt_learn`.
#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod gradients;
mod learner;
mod perceptron;
mod progress;
mod report;
mod run;
mod self_play;
mod strip;
mod teach;
mod trainer;
#[cfg(feature = "nats")]
mod workers;

#[cfg(feature = "nats")]
#[expect(dead_code, reason = "only the tests of log stores use all of it")]
#[path = "../../../open_ttt_net/tests/it/log/nats_server.rs"]
mod nats_server;
#[path = "../../../open_ttt_nn/tests/it/randomized.rs"]
mod randomized;
#[path = "../../../open_ttt_nn/tests/it/reference.rs"]
mod reference;
