//! Self-play on other machines, over NATS `JetStream`.
//!
//! A [`Coordinator`] is a [`GameSource`](crate::GameSource): it publishes tasks, collects
//! the workers' answers, and plays games itself, so the run continues without workers
//! too. [`run_worker`] is a worker.
//!
//! # At the broker
//!
//! With `NAME` from [`BrokerOptions::name`]:
//!
//! | | |
//! |---|---|
//! | stream `NAME_tasks`, subjects `NAME.task.RUN` | a work queue; a task is redelivered when its worker stays silent |
//! | stream `NAME_answers`, subjects `NAME.answer.RUN` | the games, one or more messages per task |
//! | bucket `NAME_models` | networks and settings, by their SHA-256 |
//! | subjects `NAME.word.WORKER` | why a worker is banned |
//!
//! # Trust
//!
//! A game is determined by network, settings and number, so any answer can be verified
//! by playing it again. The coordinator verifies the first answer of each worker and a
//! random sample of the others. A worker with a wrong answer is banned, and its games of
//! that iteration are discarded. All input is bounded and must be legal games. Who may
//! connect is up to the broker.

mod answer;
mod broker;
mod coordinator;
mod options;
mod registry;
mod task;
#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
mod tests;
mod tracker;
mod worker;

pub use coordinator::{Coordinator, CoordinatorOptions};
pub use options::{BrokerOptions, ConnectError};
pub use worker::{FindRunner, WorkerError, WorkerOptions, WorkerStatus, run_worker};
