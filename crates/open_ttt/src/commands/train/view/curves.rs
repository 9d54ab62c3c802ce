//! What the charts show of a run.

use open_ttt_learn::training::Losses;
use open_ttt_learn::{Metrics, Proof, Speed, Strength};

use super::{COLOURS, Chart, State};

/// What changed from iteration to iteration, and its last value in words.
pub(super) struct Curve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    pub(super) last: String,
}

/// The curves of the chart that is shown, without those of which nothing is known.
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

fn curve(
    name: &str,
    metrics: &[Metrics],
    of: impl Fn(&Metrics) -> Option<f64>,
    words: impl Fn(f64) -> String,
) -> Curve {
    let points = metrics.iter().filter_map(|metrics| {
        let y = of(metrics).filter(|y| y.is_finite())?;
        Some((f64::from(metrics.iteration), y))
    });
    let points: Vec<_> = points.collect();
    Curve {
        name: name.to_owned(),
        last: points.last().map(|&(_, y)| words(y)).unwrap_or_default(),
        points,
    }
}

fn losses(metrics: &[Metrics]) -> Vec<Curve> {
    type Part = fn(&Losses) -> f64;
    let policy: Part = |losses| losses.policy;
    let value: Part = |losses| losses.value;
    [("policy", policy), ("value", value)]
        .map(|(name, part)| {
            let of = |metrics: &Metrics| metrics.losses.as_ref().map(part);
            curve(name, metrics, of, |error| format!("{error:.4}"))
        })
        .into()
}

fn strengths(metrics: &[Metrics]) -> Vec<Curve> {
    let proofs = || metrics.iter().filter_map(|metrics| metrics.proof.as_ref());
    let mut opponents: Vec<&str> = Vec::new();
    for strength in proofs().flat_map(|proof| &proof.strength) {
        if opponents.len() < COLOURS.len() && !opponents.contains(&strength.opponent.as_str()) {
            opponents.push(&strength.opponent);
        }
    }
    let found = |proof: &Proof, opponent: &str| {
        let found = proof
            .strength
            .iter()
            .find(|strength| strength.opponent == opponent);
        found.cloned()
    };
    let curves = opponents.into_iter().map(|opponent| {
        let of = |metrics: &Metrics| found(metrics.proof.as_ref()?, opponent)?.difference();
        let last = proofs().rev().find_map(|proof| found(proof, opponent));
        Curve {
            last: last.as_ref().map(elo).unwrap_or_default(),
            ..curve(opponent, metrics, of, |_| String::new())
        }
    });
    curves.collect()
}

fn best_moves(metrics: &[Metrics]) -> Vec<Curve> {
    type Share = fn(&Proof) -> Option<f64>;
    let curves: [(&str, Share); 4] = [
        ("policy", |proof| proof.policy?.share()),
        ("policy, critical", |proof| proof.policy?.critical_share()),
        ("search", |proof| proof.searching?.share()),
        ("search, critical", |proof| {
            proof.searching?.critical_share()
        }),
    ];
    curves
        .map(|(name, share)| {
            let of = |metrics: &Metrics| Some(100.0 * share(metrics.proof.as_ref()?)?);
            curve(name, metrics, of, |share| format!("{share:.1}"))
        })
        .into()
}

fn speeds(metrics: &[Metrics]) -> Vec<Curve> {
    let before = std::iter::once(None).chain(metrics.iter().map(Some));
    let speeds = metrics.iter().zip(before).filter_map(|(metrics, before)| {
        let speed = Speed::of(metrics, before)?;
        Some((f64::from(metrics.iteration), speed.games))
    });
    let points: Vec<_> = speeds.collect();
    let last = points.last().map(|&(_, speed)| number(speed));
    vec![Curve {
        name: "games/s".to_owned(),
        last: last.unwrap_or_default(),
        points,
    }]
}

pub(super) fn number(number: f64) -> String {
    if number < 10.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}

/// The strength in words: `+70 (+12..+131)`.
pub(super) fn elo(strength: &Strength) -> String {
    match (strength.elo, strength.difference()) {
        (Some([elo, low, high]), _) => format!("{elo:+.0} ({low:+.0}..{high:+.0})"),
        (None, Some(f64::INFINITY)) => "won all".to_owned(),
        (None, Some(f64::NEG_INFINITY)) => "lost all".to_owned(),
        (None, Some(elo)) => format!("{elo:+.0}"),
        (None, None) => "no games".to_owned(),
    }
}
