//! Games played by other machines, over NATS `JetStream`.
//!
//! A [`Team`] is a [`Source`](crate::Source) of games: it hands out tasks, takes
//! answers, and plays as well, so that a run gets on whatever becomes of the others.
//! [`work`] is one of the others.
//!
//! | file | what is in it |
//! |---|---|
//! | `task` | a task: some games of an iteration, by their numbers; the terms of a run |
//! | `answer` | the games of a task as messages, and messages as games |
//! | `ledger` | what has been asked for and given in an iteration, and by whom |
//! | `roster` | the workers that are known, and what is thought of them |
//! | `broker` | what NATS is asked |
//! | `options` | where it is |
//! | `team` | the side of the learner |
//! | `worker` | the other side |
//! | `hands` | who plays a game that is known by its name only |
//!
//! # What is kept where
//!
//! With `NAME` from [`BrokerOptions::name`]:
//!
//! | | |
//! |---|---|
//! | stream `NAME_tasks`, subjects `NAME.task.RUN` | the tasks, each taken by one worker; again by another if that one is not heard of |
//! | stream `NAME_answers`, subjects `NAME.answer.RUN` | the games, in one message a task or several |
//! | bucket `NAME_models` | networks and terms, under their SHA-256 |
//! | subjects `NAME.word.WORKER` | why a worker is refused |
//!
//! # Whom one trusts
//!
//! Since a game follows from network, terms and number, any answer can be computed
//! again. The first of each worker is, and one in so many of the others, drawn by
//! chance that no worker knows of; whoever has given something else gives no more,
//! and what it gave in this iteration is thrown away. What comes in is bounded and
//! checked to be games. Who may connect at all the broker decides.

mod answer;
mod broker;
mod hands;
mod ledger;
mod options;
mod roster;
mod task;
mod team;
#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]
mod tests;
mod worker;

pub use hands::{Find, Hands, Share, hands};
pub use options::{BrokerOptions, ConnectError};
pub use team::{Team, TeamOptions};
pub use worker::{Work, WorkError, WorkOptions, work};
