//! How strong a network plays, against opponents that never change.

use core::fmt;
use core::num::NonZero;
use std::sync::Arc;

use open_ttt_lib::random::nth_seed;
use open_ttt_lib::rules::{Encode, TwoPlayerGame};
use open_ttt_nn::Network;
use open_ttt_players::difficulty::Difficulty;
use open_ttt_players::{
    GumbelPlayer, Match, MatchEnd, MonteCarlo, Negamax, NetworkModel, Openings, Participant,
    Player, Random,
};
use open_ttt_search::{Budget, StopFlag, WinLoss};
use serde::{Deserialize, Serialize};

/// An opponent that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Opponent {
    /// Any move.
    Random,
    /// Alpha-beta search that sees wins and losses so many plies ahead; with one
    /// ply, whoever wins if it can at once.
    AlphaBeta {
        /// How many plies.
        depth: u32,
    },
    /// Monte-Carlo tree search.
    TreeSearch {
        /// How many random games for each move.
        iterations: u64,
    },
}

impl Opponent {
    /// Those that every network is measured against, from the weakest on.
    pub const ALL: [Self; 5] = [
        Self::Random,
        Self::AlphaBeta { depth: 1 },
        Self::AlphaBeta { depth: 4 },
        Self::TreeSearch { iterations: 100 },
        Self::TreeSearch { iterations: 1000 },
    ];

    fn player<G>(self, seed: u64) -> Box<dyn Player<G> + Send>
    where
        G: Encode + TwoPlayerGame<Move: Send + Sync> + Send + Sync + 'static,
    {
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

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::AlphaBeta { depth } => write!(f, "alpha-beta {depth}"),
            Self::TreeSearch { iterations } => write!(f, "tree search {iterations}"),
        }
    }
}

/// How a network did against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strength {
    /// Who, as [`Opponent`] is written.
    pub opponent: String,
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
    /// The difference in strength that explains it, in Elo, and between what it
    /// lies in 19 cases of 20; none where the games do not bound it.
    pub elo: Option<[f64; 3]>,
}

impl Strength {
    /// The difference in strength, in Elo: that which was found, and where the games
    /// do not bound it, that of their share of the points, which is infinite if one
    /// side won all. `None` without games.
    pub fn difference(&self) -> Option<f64> {
        let points = f64::from(self.wins) + 0.5 * f64::from(self.draws);
        let lost = f64::from(self.losses) + 0.5 * f64::from(self.draws);
        let found = self.elo.map(|[difference, ..]| difference);
        // Elo's logistic curve.
        let difference = found.unwrap_or_else(|| 400.0 * (points / lost).log10());
        (!difference.is_nan()).then_some(difference)
    }
}

/// A match of a network against one that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Who.
    pub opponent: Opponent,
    /// How many lines the network looks along for each move.
    pub simulations: u32,
    /// How many games.
    pub games: u32,
    /// How many moves of each game are drawn by chance, the same for both sides.
    pub random_plies: u32,
    /// What makes it reproducible.
    pub seed: u64,
}

impl Trial {
    /// Plays it; `None` if the flag was raised.
    pub fn play<G>(
        &self,
        start: &G,
        network: &Arc<Network>,
        threads: NonZero<usize>,
        stop: &StopFlag,
    ) -> Option<Strength>
    where
        G: Encode + TwoPlayerGame<Move: Send + Sync> + Send + Sync + 'static,
    {
        let (opponent, simulations) = (self.opponent, self.simulations);
        let learned = move |seed| -> Box<dyn Player<G> + Send> {
            let player = GumbelPlayer::new(NetworkModel::new(Arc::clone(network)), simulations);
            Box::new(player.with_difficulty(Difficulty::seeded(seed)))
        };
        let report = Match {
            start: start.clone(),
            a: Participant::new(nth_seed(self.seed, 1), learned),
            b: Participant::new(nth_seed(self.seed, 2), move |seed| opponent.player(seed)),
            games: self.games,
            openings: Openings::random(self.random_plies, nth_seed(self.seed, 3)),
            sprt: None,
        }
        .play(threads, stop, |_, _| {});
        if report.end == MatchEnd::Stopped {
            return None;
        }
        let score = report.statistics.score;
        let elo = report
            .statistics
            .elo()
            .map(|elo| [elo.difference, elo.low, elo.high]);
        Some(Strength {
            opponent: opponent.to_string(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            elo: elo.filter(|elo| elo.iter().all(|number| number.is_finite())),
        })
    }
}
