//! How much a game's evaluations promise: the factor by which they are too bold or too shy,
//! by the results of games.

use std::num::NonZero;

use open_ttt_catalog::DynGame;
use open_ttt_coach::Judge;
use open_ttt_lib::random::{Probability, Rng};
use open_ttt_lib::rules::{History, Outcome, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::Budget;

/// The search of each position.
const BUDGET: Budget = Budget::nodes(3_000);

/// How often a side plays any move instead of the best one, so that games differ and are
/// decided.
const RANDOM_MOVES: f64 = 0.15;

/// Games are broken off after so many moves, as draws.
const MAX_MOVES: usize = 300;

/// What was expected of a position and what came of it, both for the side to move.
struct Sample {
    /// The logarithm of the odds.
    log_odds: f64,
    points: f64,
}

/// The factor that fits what evaluations promise to the results of so many games, by maximum
/// likelihood, and the number of positions. `None` if nothing was estimated.
pub(crate) fn factor(
    start: &DynGame,
    games: u32,
    mut played: impl FnMut(),
) -> Option<(f64, usize)> {
    let mut samples = Vec::new();
    for seed in 0..games {
        samples.extend(play(start, u64::from(seed)));
        played();
    }
    let loss = |factor: f64| {
        let loss = |sample: &Sample| {
            let odds = factor * sample.log_odds;
            // The negative logarithm of the likelihood of the result.
            (1.0 + (-odds).exp()).ln() + (1.0 - sample.points) * odds
        };
        samples.iter().map(loss).sum::<f64>()
    };
    // The loss has one minimum: golden-section search of the factor's logarithm.
    let (mut low, mut high) = (-7.0_f64, 7.0_f64);
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    for _ in 0..40 {
        let [a, b] = [high - golden * (high - low), low + golden * (high - low)];
        if loss(a.exp()) < loss(b.exp()) {
            high = b;
        } else {
            low = a;
        }
    }
    (!samples.is_empty()).then(|| (f64::midpoint(low, high).exp(), samples.len()))
}

/// One game: a few random moves, then mostly the best.
fn play(start: &DynGame, seed: u64) -> Vec<Sample> {
    let mut rng = Rng::new(seed);
    let mut judge = start.judge(NonZero::<usize>::MIN);
    let mut game = History::new(start.clone());
    let mut estimates = Vec::new();
    let random = Probability::new(RANDOM_MOVES).unwrap_or(Probability::NEVER);
    while game.outcome().is_none() && game.moves().len() < MAX_MOVES {
        let turn = Turn::of(&game);
        let side = turn.side;
        let values = judge.judge(&turn, &BUDGET, &mut |_| ());
        let best = values.best().copied();
        if let Some(best) = best.filter(|best| !best.is_proved()) {
            estimates.push((side, best.expected.clamp(1e-9, 1.0 - 1e-9)));
        }
        let any = rng.pick(game.position().moves());
        let is_random = game.moves().len() < 4 || rng.chance(random);
        let Some(m) = best.map(|best| best.m).filter(|_| !is_random).or(any) else {
            break;
        };
        game.play_unchecked(m);
    }
    let outcome = game.outcome().unwrap_or(Outcome::Draw);
    let sample = |(side, expected): (_, f64)| Sample {
        log_odds: (expected / (1.0 - expected)).ln(),
        points: match outcome {
            Outcome::Draw => 0.5,
            Outcome::Win(winner) if winner == side => 1.0,
            Outcome::Win(_) => 0.0,
        },
    };
    estimates.into_iter().map(sample).collect()
}
