#![doc = include_str!("../README.md")]

pub mod report;
pub mod training;
#[cfg(feature = "nats")]
pub mod workers;

mod checkpoint;
mod config;
mod exam;
mod learner;
mod metrics;
mod progress;
mod record;
mod run;
mod self_play;
mod source;
mod strength;
mod symmetries;
mod teach;
mod window;

/// A game of the tests alone.
#[cfg(test)]
#[path = "../tests/it/strip.rs"]
mod strip;

pub use checkpoint::{CheckpointError, saved_game};
pub use config::{Config, ConfigError, Learning, Preset};
pub use exam::{Exam, LinesLost, Marks, lines_lost};
pub use learner::{BeginError, Iteration, Learnable, Learner};
pub use metrics::{Metrics, Parts, Proof, Results};
pub use progress::{Speed, learning_share, seconds_left};
pub use record::{BadRecord, Record, Thought};
pub use run::{End, Event, Phase, Plan, Run, RunError, read_metrics};
pub use self_play::{Interrupted, SelfPlay};
pub use source::{Harvest, Help, Notice, Order, Source, ThisMachine};
pub use strength::{Opponent, Strength, Trial};
pub use symmetries::Symmetries;
pub use teach::{TeachError, teach};
