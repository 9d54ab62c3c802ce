//! The strength of a network, measured against fixed opponents.

use core::fmt;
use core::num::NonZero;
use std::sync::Arc;

use open_ttt_lib::random::nth_seed;
use open_ttt_nn::Network;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    GumbelPlayer, Match, MatchEnd, MonteCarlo, Negamax, NetworkModel, Openings, Participant,
    Player, Random,
};
use open_ttt_search::{Budget, StopFlag, WinLoss};
use serde::{Deserialize, Serialize};

use crate::Learnable;

/// An opponent of fixed strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Baseline {
    /// Plays random moves.
    Random,
    /// Alpha-beta search to this depth, in plies, that knows only wins and losses.
    AlphaBeta { depth: u32 },
    /// Monte-Carlo tree search with this many random games per move.
    TreeSearch { iterations: u64 },
}

impl Baseline {
    /// All opponents, the weakest first.
    pub(crate) const ALL: [Self; 5] = [
        Self::Random,
        Self::AlphaBeta { depth: 1 },
        Self::AlphaBeta { depth: 4 },
        Self::TreeSearch { iterations: 100 },
        Self::TreeSearch { iterations: 1000 },
    ];

    fn player<G: Learnable>(self, seed: u64) -> Box<dyn Player<G> + Send> {
        let seeded = Difficulty::seeded(seed);
        match self {
            Self::Random => Box::new(Random::seeded(seed)),
            Self::AlphaBeta { depth } => {
                Box::new(Negamax::new(WinLoss, Budget::depth(depth)).with_difficulty(seeded))
            }
            Self::TreeSearch { iterations } => {
                Box::new(MonteCarlo::new(Budget::nodes(iterations)).with_difficulty(seeded))
            }
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::AlphaBeta { depth } => write!(f, "alpha-beta {depth}"),
            Self::TreeSearch { iterations } => write!(f, "tree search {iterations}"),
        }
    }
}

/// The result of a match of a network against a baseline opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaselineResult {
    /// The opponent.
    pub opponent: String,
    /// Games won by the network.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// The Elo difference and its 95 % confidence interval; `None` where the games don't
    /// bound it.
    pub elo: Option<[f64; 3]>,
}

impl BaselineResult {
    /// The Elo difference. Where the games don't bound it, it follows from the score
    /// and is infinite if one side won all games. `None` without games.
    pub fn elo_difference(&self) -> Option<f64> {
        let won = f64::from(self.wins) + 0.5 * f64::from(self.draws);
        let lost = f64::from(self.losses) + 0.5 * f64::from(self.draws);
        let bounded = self.elo.map(|[difference, ..]| difference);
        // Elo's logistic curve.
        let difference = bounded.unwrap_or_else(|| 400.0 * (won / lost).log10());
        (!difference.is_nan()).then_some(difference)
    }
}

/// A match of a network against a baseline opponent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaselineMatch<'a, G> {
    pub(crate) start: &'a G,
    pub(crate) network: &'a Arc<Network>,
    /// Simulations of the network per move.
    pub(crate) simulations: u32,
    pub(crate) games: u32,
}

impl<G: Learnable> BaselineMatch<'_, G> {
    /// Plays the match; `None` if the flag was raised.
    pub(crate) fn play(
        &self,
        opponent: Baseline,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Option<BaselineResult> {
        const SEED: u64 = 1;
        const RANDOM_PLIES: u32 = 2;
        let (network, simulations) = (self.network, self.simulations);
        let learned = move |seed| -> Box<dyn Player<G> + Send> {
            let player = GumbelPlayer::new(NetworkModel::new(Arc::clone(network)), simulations);
            Box::new(player.with_difficulty(Difficulty::seeded(seed)))
        };
        let report = Match {
            start: self.start.clone(),
            a: Participant::new(nth_seed(SEED, 1), learned),
            b: Participant::new(nth_seed(SEED, 2), move |seed| opponent.player(seed)),
            games: self.games,
            openings: Openings::random(RANDOM_PLIES, nth_seed(SEED, 3)),
            sprt: None,
        }
        .play(threads, stop, |_, _| {});
        if report.end == MatchEnd::Stopped {
            return None;
        }
        let score = report.statistics.score;
        let elo = report.statistics.elo();
        let elo = elo.map(|elo| [elo.difference, elo.low, elo.high]);
        Some(BaselineResult {
            opponent: opponent.to_string(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            elo: elo.filter(|elo| elo.iter().all(|number| number.is_finite())),
        })
    }
}
