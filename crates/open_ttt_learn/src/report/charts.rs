//! The plots of a run.

use core::fmt;

use super::format::{count, percent, signed};
use super::plot::{Curve, Kind, Plot, Point};
use crate::training::Losses;
use crate::{BaselineResult, Evaluation, LinesLost, Metrics, SelfPlaySpeed};

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
            let result = baselines.find(|result| result.opponent == opponent)?;
            Some((iteration, result))
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
    type Share = fn(&Evaluation) -> Option<f64>;
    let shares: [(_, Share); 4] = [
        ("policy alone, all", |it| it.policy?.share()),
        ("policy alone, critical", |it| it.policy?.critical_share()),
        ("with search, all", |it| it.search?.share()),
        ("with search, critical", |it| it.search?.critical_share()),
    ];
    let curves = shares.map(|(name, share)| {
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
    let lines: [(_, Lines); 2] = [
        ("policy alone", |evaluation| evaluation.policy_lines),
        ("with search", |evaluation| evaluation.search_lines),
    ];
    let curves = lines.map(|(name, lines)| {
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
    let losses: [(_, _, Loss); 3] = [
        (
            "Policy loss",
            "The cross entropy, in nats, of the network's policy and the search's.",
            |losses| losses.policy,
        ),
        (
            "Value loss",
            "The mean squared error of the predicted result, from 0 to 4.",
            |losses| losses.value,
        ),
        (
            "Plies error",
            "The root mean squared error of the predicted number of plies left.",
            |losses| 100.0 * losses.auxiliary.sqrt(),
        ),
    ];
    losses.map(|(title, about, loss)| {
        let points = metrics
            .iter()
            .filter_map(|metrics| Some((metrics.iteration, loss(metrics.losses.as_ref()?))));
        let points = points.filter(|(_, loss)| loss.is_finite());
        Plot::lines(title, about, vec![Curve::new("loss", points)])
    })
}

fn results(metrics: &[&Metrics]) -> Plot {
    type Part = fn(&Metrics) -> u32;
    let parts: [(_, Part); 3] = [
        ("first player wins", |metrics| metrics.results.first),
        ("draws", |metrics| metrics.results.draws),
        ("second player wins", |metrics| metrics.results.second),
    ];
    let curves = parts.map(|(name, part)| {
        let points = metrics.iter().map(|metrics| {
            let games: f64 = parts.iter().map(|(_, part)| f64::from(part(metrics))).sum();
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
    let finite = metrics.iter().filter(|metrics| metrics.plies.is_finite());
    let points = finite.map(|metrics| (metrics.iteration, metrics.plies));
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
            let speed = SelfPlaySpeed::of(metrics, previous)?;
            let iteration = metrics.iteration;
            Some(((iteration, speed.games), (iteration, speed.positions)))
        });
    let (games, positions): (Vec<_>, Vec<_>) = speeds.unzip();
    Plot::lines(
        "Speed",
        "Games and searched positions per second of self-play.",
        vec![
            Curve::new("positions/s", positions),
            Curve::new("games/s", games),
        ],
    )
}
