//! The strength of a network, measured against fixed opponents.

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

use crate::{Learnable, RunOptions};

type NewPlayer<G> = fn(u64) -> Box<dyn Player<G> + Send>;

/// The opponents by name, the weakest first. Alpha-beta search has its depth in plies and
/// knows only wins and losses; tree search has its random games per move.
fn opponents<G: Learnable>() -> [(&'static str, NewPlayer<G>); 5] {
    [
        ("random", |seed| Box::new(Random::seeded(seed))),
        ("alpha-beta 1", |seed| alpha_beta(1, seed)),
        ("alpha-beta 4", |seed| alpha_beta(4, seed)),
        ("tree search 100", |seed| tree_search(100, seed)),
        ("tree search 1000", |seed| tree_search(1000, seed)),
    ]
}

fn alpha_beta<G: Learnable>(depth: u32, seed: u64) -> Box<dyn Player<G> + Send> {
    let player = Negamax::new(WinLoss, Budget::depth(depth));
    Box::new(player.with_difficulty(Difficulty::seeded(seed)))
}

fn tree_search<G: Learnable>(games: u64, seed: u64) -> Box<dyn Player<G> + Send> {
    let player = MonteCarlo::new(Budget::nodes(games));
    Box::new(player.with_difficulty(Difficulty::seeded(seed)))
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

/// Plays a match of a network against each opponent; `None` if the flag was raised.
pub(crate) fn play_baselines<G: Learnable>(
    start: &G,
    network: &Arc<Network>,
    options: &RunOptions,
    stop: &StopFlag,
) -> Option<Vec<BaselineResult>> {
    const SEED: u64 = 1;
    const RANDOM_PLIES: u32 = 2;
    let learned = |seed| -> Box<dyn Player<G> + Send> {
        let model = NetworkModel::new(Arc::clone(network));
        let player = GumbelPlayer::new(model, options.eval_simulations);
        Box::new(player.with_difficulty(Difficulty::seeded(seed)))
    };
    let results = opponents().into_iter().map(|(opponent, new_player)| {
        let report = Match {
            start: start.clone(),
            a: Participant::new(nth_seed(SEED, 1), learned),
            b: Participant::new(nth_seed(SEED, 2), new_player),
            games: options.eval_games,
            openings: Openings::random(RANDOM_PLIES, nth_seed(SEED, 3)),
            sprt: None,
        }
        .play(options.threads, stop, |_, _| {});
        if report.end == MatchEnd::Stopped {
            return None;
        }
        let score = report.statistics.score;
        let elo = report.statistics.elo();
        let elo = elo.map(|elo| [elo.difference, elo.low, elo.high]);
        Some(BaselineResult {
            opponent: opponent.to_owned(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            elo: elo.filter(|elo| elo.iter().all(|number| number.is_finite())),
        })
    });
    results.collect()
}
