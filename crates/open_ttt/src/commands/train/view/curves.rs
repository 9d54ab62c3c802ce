//! The curves of the charts.

use open_ttt_learn::training::Losses;
use open_ttt_learn::{BaselineResult, Evaluation, Metrics, SelfPlaySpeed};

use super::{COLOURS, Chart, State};

/// A series of values by iteration, and the text of the last.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) last: String,
}

/// The curves of the current chart that have values.
pub(super) fn curves(state: &State) -> Vec<Curve> {
    let curves = match state.chart {
        Chart::Loss => losses(&state.metrics),
        Chart::Strength => strengths(&state.metrics),
        Chart::BestMoves => best_moves(&state.metrics),
        Chart::Speed => speeds(&state.metrics),
    };
    curves
        .into_iter()
        .filter(|curve| !curve.last.is_empty())
        .collect()
}

fn curve<'a>(
    name: &str,
    metrics: &'a [Metrics],
    mut value: impl FnMut(&'a Metrics) -> Option<f64>,
    format: impl Fn(f64) -> String,
) -> Curve {
    let points = metrics.iter().filter_map(|metrics| {
        let y = value(metrics).filter(|y| y.is_finite())?;
        Some((f64::from(metrics.iteration), y))
    });
    let points: Vec<_> = points.collect();
    Curve {
        name: name.to_owned(),
        last: points.last().map(|&(_, y)| format(y)).unwrap_or_default(),
        points,
    }
}

fn losses(metrics: &[Metrics]) -> Vec<Curve> {
    let curve = |name, part: fn(&Losses) -> f64| {
        let of = |metrics: &Metrics| metrics.losses.as_ref().map(part);
        curve(name, metrics, of, |error| format!("{error:.4}"))
    };
    vec![
        curve("policy", |losses| losses.policy),
        curve("value", |losses| losses.value),
    ]
}

fn strengths(metrics: &[Metrics]) -> Vec<Curve> {
    let mut opponents: Vec<&str> = Vec::new();
    for result in metrics.iter().flat_map(baselines) {
        if opponents.len() < COLOURS.len() && !opponents.contains(&result.opponent.as_str()) {
            opponents.push(&result.opponent);
        }
    }
    let curves = opponents.into_iter().map(|opponent| {
        let against = |metrics| baselines(metrics).find(|result| result.opponent == opponent);
        let of = |metrics| against(metrics)?.elo_difference();
        let last = metrics.iter().rev().find_map(against);
        Curve {
            last: last.map(elo).unwrap_or_default(),
            ..curve(opponent, metrics, of, |_| String::new())
        }
    });
    curves.collect()
}

fn baselines(metrics: &Metrics) -> impl Iterator<Item = &BaselineResult> {
    metrics
        .evaluation
        .iter()
        .flat_map(|evaluation| &evaluation.baselines)
}

fn best_moves(metrics: &[Metrics]) -> Vec<Curve> {
    let curve = |name, share: fn(&Evaluation) -> Option<f64>| {
        let of = |metrics: &Metrics| Some(100.0 * share(metrics.evaluation.as_ref()?)?);
        curve(name, metrics, of, |share| format!("{share:.1}"))
    };
    vec![
        curve("policy", |latest| latest.policy?.share()),
        curve("policy, critical", |latest| latest.policy?.critical_share()),
        curve("search", |latest| latest.search?.share()),
        curve("search, critical", |latest| latest.search?.critical_share()),
    ]
}

fn speeds(metrics: &[Metrics]) -> Vec<Curve> {
    let mut previous = None;
    let of = |metrics| Some(SelfPlaySpeed::of(metrics, previous.replace(metrics))?.games);
    vec![curve("games/s", metrics, of, number)]
}

pub(super) fn number(number: f64) -> String {
    let decimals = usize::from(number < 10.0);
    format!("{number:.decimals$}")
}

/// An Elo difference: `+70 (+12..+131)`.
pub(super) fn elo(strength: &BaselineResult) -> String {
    match (strength.elo, strength.elo_difference()) {
        (Some([elo, low, high]), _) => format!("{elo:+.0} ({low:+.0}..{high:+.0})"),
        (None, Some(f64::INFINITY)) => "won all".to_owned(),
        (None, Some(f64::NEG_INFINITY)) => "lost all".to_owned(),
        (None, Some(elo)) => format!("{elo:+.0}"),
        (None, None) => "no games".to_owned(),
    }
}
