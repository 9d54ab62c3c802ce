//! The plots of a run.

use core::fmt;

use super::format::{count, percent, signed};
use super::plot::{Curve, Kind, Plot, Point};
use crate::training::Losses;
use crate::{Accuracy, BaselineResult, Evaluation, LinesLost, Metrics, SelfPlaySpeed};

/// The number of opponents with a colour of their own.
const MAX_OPPONENTS: usize = 8;

pub(super) fn write(f: &mut fmt::Formatter<'_>, metrics: &[&Metrics]) -> fmt::Result {
    let evaluations: Vec<_> = metrics
        .iter()
        .filter_map(|metrics| Some((metrics.iteration, metrics.evaluation.as_ref()?)))
        .collect();
    let strength = [
        strength(&evaluations),
        best_moves(&evaluations),
        lines_lost(&evaluations),
    ];
    write_section(f, "Evaluation", &strength)?;
    write_section(f, "Training", &losses(metrics))?;
    let games = [results(metrics), plies(metrics), speed(metrics)];
    write_section(f, "Self-play", &games)
}

/// Writes plots under a heading; nothing if all are empty.
fn write_section(f: &mut fmt::Formatter<'_>, title: &str, plots: &[Plot]) -> fmt::Result {
    let has_points = |plot: &Plot| plot.curves.iter().any(|curve| !curve.points.is_empty());
    if !plots.iter().any(has_points) {
        return Ok(());
    }
    write!(f, "<section>\n<h2>{title}</h2>\n<div class=\"plots\">\n")?;
    for plot in plots {
        plot.write(f)?;
    }
    f.write_str("</div>\n</section>\n")
}

fn strength(evaluations: &[(u32, &Evaluation)]) -> Plot {
    let mut opponents: Vec<&str> = Vec::new();
    for result in evaluations.iter().flat_map(|(_, e)| &e.baselines) {
        if opponents.len() < MAX_OPPONENTS && !opponents.contains(&result.opponent.as_str()) {
            opponents.push(&result.opponent);
        }
    }
    let curves = opponents.into_iter().map(|opponent| {
        let results = evaluations.iter().filter_map(|&(iteration, evaluation)| {
            let mut baselines = evaluation.baselines.iter();
            Some((
                iteration,
                baselines.find(|result| result.opponent == opponent)?,
            ))
        });
        let results: Vec<_> = results.collect();
        let points = results.iter().filter_map(|&(iteration, result)| {
            let interval = result.elo.map(|[_, low, high]| [low, high]);
            Some(Point {
                x: f64::from(iteration),
                y: result.elo_difference()?,
                interval: interval.filter(|[low, high]| low.is_finite() && high.is_finite()),
            })
        });
        Curve {
            name: opponent.to_owned(),
            points: points.collect(),
            last: results.last().map(|(_, result)| elo_text(result)),
        }
    });
    Plot {
        least_step: 10.0,
        format: |elo| signed(elo, 0),
        ..Plot::lines(
            "Strength",
            "Elo difference to each baseline opponent, with its 95 % confidence interval. An \
             arrow at the edge: all games won, or all lost.",
            curves.collect(),
        )
    }
}

/// The strength as text: `+120 (+80 to +160)`.
pub(super) fn elo_text(result: &BaselineResult) -> String {
    match result.elo {
        Some([elo, low, high]) => format!(
            "{} ({} to {})",
            signed(elo, 0),
            signed(low, 0),
            signed(high, 0)
        ),
        None => match [result.wins, result.draws, result.losses].map(|n| count(n.into())) {
            _ if result.wins + result.draws + result.losses == 0 => "no games".to_owned(),
            [wins, ..] if result.draws + result.losses == 0 => format!("won all {wins}"),
            [_, draws, _] if result.wins + result.losses == 0 => format!("drew all {draws}"),
            [.., losses] if result.wins + result.draws == 0 => format!("lost all {losses}"),
            [wins, draws, losses] => format!("won {wins}, drew {draws}, lost {losses}"),
        },
    }
}

fn best_moves(evaluations: &[(u32, &Evaluation)]) -> Plot {
    type Tested = fn(&Evaluation) -> Option<Accuracy>;
    type Share = fn(&Accuracy) -> Option<f64>;
    let policy: Tested = |evaluation| evaluation.policy;
    let search: Tested = |evaluation| evaluation.search;
    let all: Share = Accuracy::share;
    let critical: Share = Accuracy::critical_share;
    let curves = [
        ("policy alone, all", policy, all),
        ("policy alone, critical", policy, critical),
        ("with search, all", search, all),
        ("with search, critical", search, critical),
    ]
    .map(|(name, tested, share)| {
        let share = |evaluation| share(&tested(evaluation)?);
        let points = evaluations
            .iter()
            .filter_map(|&(iteration, evaluation)| Some((iteration, 100.0 * share(evaluation)?)));
        Curve::new(name, points)
    });
    Plot {
        always: vec![95.0, 100.0],
        least_step: 0.1,
        format: |share| percent(share / 100.0),
        ..Plot::lines(
            "Best moves",
            "How many test positions in a hundred it answers with a best move. In critical ones \
             some move is worse than the best.",
            curves.into(),
        )
    }
}

fn lines_lost(evaluations: &[(u32, &Evaluation)]) -> Plot {
    type Lines = fn(&Evaluation) -> Option<LinesLost>;
    let policy: Lines = |evaluation| evaluation.policy_lines;
    let search: Lines = |evaluation| evaluation.search_lines;
    let curves = [("policy alone", policy), ("with search", search)].map(|(name, lines)| {
        let mut found = evaluations
            .iter()
            .filter_map(|&(iteration, evaluation)| Some((iteration, lines(evaluation)?)));
        let points = found.clone();
        let points = points.map(|(iteration, lines)| (iteration, lines.lost as f64));
        Curve {
            last: found.next_back().map(|(_, lines)| lines_text(lines)),
            ..Curve::new(name, points)
        }
    });
    Plot {
        least_step: 1.0,
        ..Plot::lines(
            "Lines lost",
            "How many of all lines of play the network loses, on both sides, when the opponent \
             tries every move. At 0 it is unbeatable.",
            curves.into(),
        )
    }
}

pub(super) fn lines_text(lines: LinesLost) -> String {
    format!("{} of {}", count(lines.lost), count(lines.lines))
}

fn losses(metrics: &[&Metrics]) -> [Plot; 3] {
    type Loss = fn(&Losses) -> f64;
    let policy: Loss = |losses| losses.policy;
    let value: Loss = |losses| losses.value;
    let plies: Loss = |losses| 100.0 * losses.auxiliary.sqrt();
    [
        (
            "Policy loss",
            "The cross entropy, in nats, of the network's policy and the search's.",
            policy,
        ),
        (
            "Value loss",
            "The mean squared error of the predicted result, from 0 to 4.",
            value,
        ),
        (
            "Plies error",
            "The root mean squared error of the predicted number of plies left.",
            plies,
        ),
    ]
    .map(|(title, about, loss)| {
        let points = metrics
            .iter()
            .filter_map(|metrics| Some((metrics.iteration, loss(metrics.losses.as_ref()?))));
        let points = points.filter(|(_, loss)| loss.is_finite());
        Plot::lines(title, about, vec![Curve::new("loss", points)])
    })
}

fn results(metrics: &[&Metrics]) -> Plot {
    type Part = fn(&Metrics) -> u32;
    let first: Part = |metrics| metrics.results.first;
    let draws: Part = |metrics| metrics.results.draws;
    let second: Part = |metrics| metrics.results.second;
    let curves = [
        ("first player wins", first),
        ("draws", draws),
        ("second player wins", second),
    ]
    .map(|(name, part)| {
        let points = metrics.iter().map(|metrics| {
            let games = [first, draws, second].map(|part| f64::from(part(metrics)));
            let games: f64 = games.iter().sum();
            (metrics.iteration, 100.0 * f64::from(part(metrics)) / games)
        });
        Curve::new(name, points)
    });
    Plot {
        kind: Kind::Areas,
        always: vec![0.0, 100.0],
        format: |share| percent(share / 100.0),
        ..Plot::lines(
            "Results",
            "The results of each iteration's self-play games, in per cent.",
            curves.into(),
        )
    }
}

fn plies(metrics: &[&Metrics]) -> Plot {
    let points = metrics
        .iter()
        .map(|metrics| (metrics.iteration, metrics.plies));
    let points = points.filter(|(_, plies)| plies.is_finite());
    Plot::lines(
        "Game length",
        "Mean plies per game, random opening plies included.",
        vec![Curve::new("plies", points)],
    )
}

fn speed(metrics: &[&Metrics]) -> Plot {
    let previous = std::iter::once(None).chain(metrics.iter().map(|&metrics| Some(metrics)));
    let speeds = metrics
        .iter()
        .zip(previous)
        .filter_map(|(metrics, previous)| {
            Some((metrics.iteration, SelfPlaySpeed::of(metrics, previous)?))
        });
    let (games, positions): (Vec<_>, Vec<_>) = speeds
        .map(|(iteration, speed)| ((iteration, speed.games), (iteration, speed.positions)))
        .unzip();
    Plot::lines(
        "Speed",
        "Games and searched positions per second of self-play.",
        vec![
            Curve::new("positions/s", positions),
            Curve::new("games/s", games),
        ],
    )
}
