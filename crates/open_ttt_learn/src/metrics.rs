use open_ttt_lib::rules::{Outcome, Side};
use serde::{Deserialize, Serialize};

use crate::training::Losses;
use crate::{Accuracy, BaselineResult, LinesLost, WorkerStats};

/// The metrics of one iteration: a line of `metrics.jsonl`.
///
/// The format is stable: fields may be added, and none is removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The number of the iteration, from 1.
    pub iteration: u32,
    /// The number of iterations of the whole run.
    pub iterations: u32,
    /// Games played since the run began.
    pub games: u64,
    /// Positions added in this iteration.
    pub positions: u64,
    /// Mean plies per game in this iteration, random opening plies included.
    pub plies: f64,
    /// How the games of this iteration ended.
    pub results: GameResults,
    /// Training steps since the run began.
    pub steps: u64,
    /// Mean training losses of this iteration; `None` if it made no step.
    pub losses: Option<Losses>,
    /// Seconds since the run began, interruptions excluded.
    pub seconds: f64,
    /// Those seconds by phase.
    #[serde(rename = "parts")]
    pub times: PhaseTimes,
    /// The first sixteen hexadecimal digits of the weights' SHA-256.
    #[serde(rename = "weights")]
    pub weights_hash: String,
    /// What remote workers contributed, in runs that accept them.
    #[serde(rename = "help", skip_serializing_if = "Option::is_none")]
    pub worker_stats: Option<WorkerStats>,
    /// The evaluation after this iteration, if there was one.
    #[serde(rename = "proof", skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
}

/// How many games ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResults {
    /// Wins of the first player.
    pub first: u32,
    /// Draws.
    pub draws: u32,
    /// Wins of the second player.
    pub second: u32,
}

impl GameResults {
    pub(crate) const fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win(Side::First) => self.first += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Win(Side::Second) => self.second += 1,
        }
    }
}

/// Seconds spent in each phase of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// Self-play.
    #[serde(rename = "playing")]
    pub self_play: f64,
    /// Training on the games.
    #[serde(rename = "learning")]
    pub training: f64,
    /// Evaluation of the network's strength.
    #[serde(rename = "measuring")]
    pub evaluation: f64,
}

/// The measured strength of a network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Simulations per move wherever the network searched.
    pub simulations: u32,
    /// Matches against fixed opponents.
    #[serde(rename = "strength")]
    pub baselines: Vec<BaselineResult>,
    /// Accuracy of the policy alone on the [`TestSet`](crate::TestSet).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Accuracy>,
    /// Accuracy with search.
    #[serde(rename = "searching", skip_serializing_if = "Option::is_none")]
    pub search: Option<Accuracy>,
    /// The policy alone against every line of play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_lines: Option<LinesLost>,
    /// The same with search.
    #[serde(rename = "searching_lines", skip_serializing_if = "Option::is_none")]
    pub search_lines: Option<LinesLost>,
}
