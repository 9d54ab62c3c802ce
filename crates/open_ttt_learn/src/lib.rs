#![doc = include_str!("../README.md")]

pub mod report;
pub mod training;
#[cfg(feature = "nats")]
pub mod workers;

mod baseline;
mod checkpoint;
mod config;
mod learner;
mod metrics;
mod progress;
mod replay_buffer;
mod run;
mod self_play;
mod symmetries;
mod teach;
mod test_set;

/// A small game for unit tests.
#[cfg(test)]
#[path = "../tests/it/strip.rs"]
mod strip;

pub use baseline::BaselineResult;
pub use checkpoint::{CheckpointError, checkpoint_game};
pub use config::{Config, ConfigError, LearningConfig, Preset};
pub use learner::{IterationSummary, Learnable, Learner, LearnerError};
pub use metrics::{Evaluation, GameResults, Metrics, PhaseTimes};
pub use progress::{SelfPlaySpeed, seconds_left, training_share};
pub use run::{Run, RunEnd, RunError, RunEvent, RunOptions, RunPhase, read_metrics};
pub use self_play::{
    GameBatch, GameRequest, GameRunner, GameSource, Interrupted, LocalSource, SearchTarget,
    SelfPlayConfig, SelfPlayGame, SelfPlayGameError, TaskSlice, WorkerNotice, WorkerStats,
    game_runner,
};
pub use symmetries::Symmetries;
pub use teach::{TeachError, teach};
pub use test_set::{Accuracy, LinesLost, TestSet, lines_lost};
