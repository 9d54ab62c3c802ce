//! Which curves are shown of a run.

use core::fmt;

use super::plot::{Curve, Kind, Plot, Point};
use super::words::{count, number, percent, signed};
use crate::{LinesLost, Marks, Metrics, Proof, Speed, Strength};

/// So many opponents are told apart by their colours.
const MOST_OPPONENTS: usize = 8;

pub(super) fn write(f: &mut fmt::Formatter<'_>, metrics: &[&Metrics]) -> fmt::Result {
    if metrics.is_empty() {
        return Ok(());
    }
    let proofs: Vec<_> = metrics
        .iter()
        .filter_map(|metrics| Some((metrics.iteration, metrics.proof.as_ref()?)))
        .collect();
    if !proofs.is_empty() {
        write_section(
            f,
            "What it has learned",
            &[strength(&proofs), best_moves(&proofs), lines_lost(&proofs)],
        )?;
    }
    write_section(f, "How it learned", &errors(metrics))?;
    write_section(
        f,
        "The games",
        &[results(metrics), plies(metrics), speed(metrics)],
    )
}

/// Plots under a heading; nothing without any.
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

fn strength(proofs: &[(u32, &Proof)]) -> Plot {
    let mut opponents: Vec<&str> = Vec::new();
    for strength in proofs.iter().flat_map(|(_, proof)| &proof.strength) {
        if opponents.len() < MOST_OPPONENTS && !opponents.contains(&strength.opponent.as_str()) {
            opponents.push(&strength.opponent);
        }
    }
    let curves = opponents.into_iter().map(|opponent| {
        let met = proofs.iter().filter_map(|&(iteration, proof)| {
            let strength = proof.strength.iter().find(|met| met.opponent == opponent)?;
            Some((iteration, strength))
        });
        let met: Vec<_> = met.collect();
        let points = met.iter().filter_map(|&(iteration, strength)| {
            let band = strength.elo.map(|[_, low, high]| [low, high]);
            Some(Point {
                x: f64::from(iteration),
                y: strength.difference()?,
                band: band.filter(|[low, high]| low.is_finite() && high.is_finite()),
            })
        });
        Curve {
            name: opponent.to_owned(),
            points: points.collect(),
            last: met.last().map(|(_, strength)| elo_words(strength)),
        }
    });
    Plot {
        title: "Strength",
        about: "Elo above each opponent, who never changes, and between what it lies in 19 cases \
                of 20. An arrow at the edge: it won every game, or lost every one.",
        curves: curves.collect(),
        kind: Kind::Lines,
        always: vec![0.0],
        least_step: 10.0,
        words: |elo| signed(elo, 0),
    }
}

/// The strength in words: `+120 (+80 to +160)`.
pub(super) fn elo_words(strength: &Strength) -> String {
    match strength.elo {
        Some([elo, low, high]) => format!(
            "{} ({} to {})",
            signed(elo, 0),
            signed(low, 0),
            signed(high, 0)
        ),
        None => match (strength.wins, strength.draws, strength.losses) {
            (0, 0, 0) => "no games".to_owned(),
            (wins, 0, 0) => format!("won all {}", count(wins.into())),
            (0, draws, 0) => format!("drew all {}", count(draws.into())),
            (0, 0, losses) => format!("lost all {}", count(losses.into())),
            (wins, draws, losses) => format!(
                "won {}, drew {}, lost {}",
                count(wins.into()),
                count(draws.into()),
                count(losses.into())
            ),
        },
    }
}

fn best_moves(proofs: &[(u32, &Proof)]) -> Plot {
    type Asked = fn(&Proof) -> Option<Marks>;
    type Share = fn(&Marks) -> Option<f64>;
    let policy: Asked = |proof| proof.policy;
    let searching: Asked = |proof| proof.searching;
    let all: Share = Marks::share;
    let critical: Share = Marks::critical_share;
    let curves = [
        ("policy alone, all", policy, all),
        ("policy alone, critical", policy, critical),
        ("with search, all", searching, all),
        ("with search, critical", searching, critical),
    ]
    .map(|(name, asked, share)| {
        let points = proofs
            .iter()
            .filter_map(|&(iteration, proof)| Some((iteration, 100.0 * share(&asked(proof)?)?)));
        Curve::new(name, points)
    });
    Plot {
        title: "Best moves",
        about: "How many positions in a hundred it answers with a move that keeps the result. \
                Critical are those in which some move is worse than the best.",
        curves: curves.into(),
        kind: Kind::Lines,
        always: vec![95.0, 100.0],
        least_step: 0.1,
        words: |share| percent(share / 100.0),
    }
}

fn lines_lost(proofs: &[(u32, &Proof)]) -> Plot {
    type Walked = fn(&Proof) -> Option<LinesLost>;
    let policy: Walked = |proof| proof.policy_lines;
    let searching: Walked = |proof| proof.searching_lines;
    let curves = [("policy alone", policy), ("with search", searching)].map(|(name, walked)| {
        let mut walks = proofs
            .iter()
            .filter_map(|&(iteration, proof)| Some((iteration, walked(proof)?)));
        let lost = walks
            .clone()
            .map(|(iteration, walk)| (iteration, walk.lost as f64));
        Curve {
            last: walks.next_back().map(|(_, walk)| walk_words(walk)),
            ..Curve::new(name, lost)
        }
    });
    Plot {
        title: "Lines lost",
        about: "The opponent tries every move there is, on both sides, against the moves of the \
                network: so many of these games it loses. At none it cannot be beaten.",
        curves: curves.into(),
        kind: Kind::Lines,
        always: vec![0.0],
        least_step: 1.0,
        words: number,
    }
}

pub(super) fn walk_words(walk: LinesLost) -> String {
    format!("{} of {}", count(walk.lost), count(walk.lines))
}

fn errors(metrics: &[&Metrics]) -> Vec<Plot> {
    type Error = fn(&crate::training::Losses) -> f64;
    let policy: Error = |losses| losses.policy;
    let value: Error = |losses| losses.value;
    let plies: Error = |losses| 100.0 * losses.auxiliary.sqrt();
    [
        (
            "Error of the policy",
            "The cross entropy in nats between the network's moves and those of the search; what \
             remains is what the search itself is undecided about.",
            policy,
        ),
        (
            "Error of the value",
            "The mean square of the error about who wins, from 0 to 4.",
            value,
        ),
        (
            "Error of the plies",
            "How far off it is in telling how many plies are left: the root of the mean square.",
            plies,
        ),
    ]
    .map(|(title, about, error)| {
        let points = metrics
            .iter()
            .filter_map(|metrics| Some((metrics.iteration, error(metrics.losses.as_ref()?))));
        Plot {
            title,
            about,
            curves: vec![Curve::new(
                "error",
                points.filter(|(_, error)| error.is_finite()),
            )],
            kind: Kind::Lines,
            always: vec![0.0],
            least_step: 0.0,
            words: number,
        }
    })
    .into()
}

fn results(metrics: &[&Metrics]) -> Plot {
    type Part = fn(&Metrics) -> u32;
    let first: Part = |metrics| metrics.results.first;
    let draws: Part = |metrics| metrics.results.draws;
    let second: Part = |metrics| metrics.results.second;
    let curves = [
        ("won by the side that began", first),
        ("drawn", draws),
        ("won by the other", second),
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
        title: "How games ended",
        about: "Of a hundred games that the network played against itself in an iteration.",
        curves: curves.into(),
        kind: Kind::Areas,
        always: vec![0.0, 100.0],
        least_step: 0.0,
        words: |share| percent(share / 100.0),
    }
}

fn plies(metrics: &[&Metrics]) -> Plot {
    let points = metrics
        .iter()
        .map(|metrics| (metrics.iteration, metrics.plies));
    Plot {
        title: "Length of the games",
        about: "Plies on average, those drawn by chance at the beginning included.",
        curves: vec![Curve::new(
            "plies",
            points.filter(|(_, plies)| plies.is_finite()),
        )],
        kind: Kind::Lines,
        always: vec![0.0],
        least_step: 0.0,
        words: number,
    }
}

/// Games and positions for each second of playing.
fn speed(metrics: &[&Metrics]) -> Plot {
    let before = std::iter::once(None).chain(metrics.iter().map(|&metrics| Some(metrics)));
    let speeds = metrics
        .iter()
        .zip(before)
        .filter_map(|(metrics, before)| Some((metrics.iteration, Speed::of(metrics, before)?)));
    let (games, positions): (Vec<_>, Vec<_>) = speeds
        .map(|(iteration, speed)| ((iteration, speed.games), (iteration, speed.positions)))
        .unzip();
    Plot {
        title: "Speed",
        about: "Positions and games for each second that it played against itself; positions \
                drawn by chance do not count.",
        curves: vec![
            Curve::new("positions a second", positions),
            Curve::new("games a second", games),
        ],
        kind: Kind::Lines,
        always: vec![0.0],
        least_step: 0.0,
        words: number,
    }
}
