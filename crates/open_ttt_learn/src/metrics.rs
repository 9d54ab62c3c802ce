use open_ttt_lib::rules::{Outcome, Side};
use serde::{Deserialize, Serialize};

use crate::training::Losses;
use crate::{Help, LinesLost, Marks, Strength};

/// One line of `metrics.jsonl`: what one iteration of a run was like.
///
/// A stable format: fields may come to it, none goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// The number of the iteration, from 1.
    pub iteration: u32,
    /// How many there will be.
    pub iterations: u32,
    /// How many games were played so far.
    pub games: u64,
    /// How many positions came in this iteration.
    pub positions: u64,
    /// How many plies its games had on average, the opening included.
    pub plies: f64,
    /// How its games ended for the side that began.
    pub results: Results,
    /// How many steps were learned so far.
    pub steps: u64,
    /// The errors of the network while it learned, on average; none while there
    /// is too little to learn from.
    pub losses: Option<Losses>,
    /// How long the run has taken so far, in seconds, all its sittings together.
    pub seconds: f64,
    /// How much of these seconds was playing, how much learning and how much
    /// measuring.
    pub parts: Parts,
    /// The sum of the weights: the first sixteen digits of their SHA-256.
    pub weights: String,
    /// What other machines did in this iteration, where there could be others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<Help>,
    /// How strong the network was found to be behind it, if that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// How games ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Results {
    /// Won by the side that began.
    pub first: u32,
    /// Drawn.
    pub draws: u32,
    /// Won by the other.
    pub second: u32,
}

impl Results {
    pub(crate) const fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win(Side::First) => self.first += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Win(Side::Second) => self.second += 1,
        }
    }
}

/// Where the time of a run went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// Games against itself.
    pub playing: f64,
    /// Learning from them.
    pub learning: f64,
    /// Finding out how strong it is.
    pub measuring: f64,
}

/// What shows that something was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// How many lines the network looked along for each move, where it did.
    pub simulations: u32,
    /// Against opponents that never change.
    pub strength: Vec<Strength>,
    /// The policy alone, in positions whose best moves are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Marks>,
    /// The same with search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searching: Option<Marks>,
    /// Against every line of play, the policy alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_lines: Option<LinesLost>,
    /// The same with search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searching_lines: Option<LinesLost>,
}
