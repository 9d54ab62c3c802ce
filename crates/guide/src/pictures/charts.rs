//! What searches cost and what they find, as bars.

use std::num::NonZero;

use open_ttt_lib::games::{Column, ConnectFour, Pegs};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Tactics, TwoPlayerGame, perft, play_text};
use open_ttt_search::{
    Budget, GumbelOptions, GumbelSearch, HeuristicEvaluator, LayerOptions, Playout, Prover,
    RandomPlayouts, RootMoves, StopFlag, TreeOptions, TreeSearch, alpha_beta, deepen,
    solve_by_layers,
};

use super::svg::{Anchor, Svg, ink};
use super::watched::Watched;

const WIDTH: u32 = 680;
const LEFT: f64 = 120.0;
const BARS: f64 = 430.0;

/// A row of bars: its name, and the length of each with its text and colour.
struct Row {
    name: String,
    bars: Vec<Bar>,
}

struct Bar {
    /// From 0 to 1.
    length: f64,
    text: String,
    color: &'static str,
}

fn draw(title: &str, legend: &[(&str, &str)], rows: &[Row]) -> String {
    let bars: usize = rows.iter().map(|row| row.bars.len()).sum();
    let height = 60 + 15 * bars as u32 + 8 * rows.len() as u32;
    let mut svg = Svg::new(WIDTH, height);
    svg.text((12.0, 22.0), Anchor::Start, 14, ink::TEXT, title);
    let mut x = LEFT;
    for (name, color) in legend {
        svg.rectangle((x, 32.0), (9.0, 9.0), color, color);
        svg.text((x + 14.0, 41.0), Anchor::Start, 11, ink::TEXT, name);
        x += 30.0 + 6.4 * name.len() as f64;
    }
    let mut y = 54.0;
    for row in rows {
        let middle = y + 7.5 * row.bars.len() as f64 + 3.0;
        svg.text((LEFT - 8.0, middle), Anchor::End, 11, ink::TEXT, &row.name);
        for bar in &row.bars {
            let length = (BARS * bar.length).max(1.0);
            svg.rectangle((LEFT, y), (length, 11.0), bar.color, bar.color);
            let end = (LEFT + length + 6.0, y + 10.0);
            svg.text(end, Anchor::Start, 10, ink::QUIET, &bar.text);
            y += 15.0;
        }
        y += 8.0;
    }
    svg.finish(title)
}

/// A bar whose length is the logarithm of a number, from 1 to `max`.
fn logarithmic(number: u64, max: u64, color: &'static str) -> Bar {
    let length = (number.max(1) as f64).ln() / (max as f64).ln();
    let text = grouped(number);
    Bar {
        length,
        text,
        color,
    }
}

/// A number with commas between its thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many positions searches visit to look so many moves ahead in Connect Four.
pub(crate) fn deepening() -> String {
    let game = ConnectFour::new();
    let max = (0..=9).map(|depth| perft(&game, depth)).sum();
    let rows = (1..=9).map(|depth| {
        let full: u64 = (0..=depth).map(|depth| perft(&game, depth)).sum();
        let evaluator = HeuristicEvaluator;
        let watched = Watched::new(game);
        let _ = alpha_beta(&watched, depth, &evaluator);
        let pruned = watched.visits().len() as u64 + 1;
        let (budget, stop) = (Budget::depth(depth), StopFlag::new());
        let deepened = deepen(&game, RootMoves::BestOnly, &evaluator, &budget, &stop).nodes;
        Row {
            name: format!("{depth} moves"),
            bars: vec![
                logarithmic(full, max, ink::DRAW),
                logarithmic(pruned, max, ink::SECOND),
                logarithmic(deepened, max, ink::FIRST),
            ],
        }
    });
    let legend = [
        ("every position", ink::DRAW),
        ("alpha-beta", ink::SECOND),
        (
            "iterative deepening with a table, all depths together",
            ink::FIRST,
        ),
    ];
    draw(
        "Connect Four from the empty board: positions visited (logarithmic)",
        &legend,
        &rows.collect::<Vec<_>>(),
    )
}

/// How many positions it takes to prove the exact value of a position, by how far the game is.
pub(crate) fn prover() -> String {
    let mut rng = Rng::new(1);
    let mut rows = Vec::new();
    for plies in [14, 18, 22, 26, 30, 34] {
        let mut nodes: Vec<u64> = (0..40)
            .map(|_| {
                let game = random_position(plies, &mut rng);
                let proved =
                    Prover::new(1 << 24).score(&game, &Budget::UNLIMITED, &StopFlag::new());
                proved.map_or(0, |(_, nodes)| nodes)
            })
            .collect();
        nodes.sort_unstable();
        rows.push(Row {
            name: format!("{plies} discs"),
            bars: vec![
                logarithmic(nodes[20], 1_000_000, ink::FIRST),
                logarithmic(nodes[39], 1_000_000, ink::SECOND),
            ],
        });
    }
    draw(
        "Connect Four: positions visited to prove an exact value (logarithmic)",
        &[
            ("median of 40 random positions", ink::FIRST),
            ("the hardest of them", ink::SECOND),
        ],
        &rows,
    )
}

/// A position of Connect Four after so many random moves, in which nobody wins at once.
fn random_position(plies: u32, rng: &mut Rng) -> ConnectFour {
    loop {
        let mut game = ConnectFour::new();
        while game.plies() < plies && game.outcome().is_none() {
            let moves: Vec<Column> = game.moves().collect();
            game = game.after(moves[rng.below(moves.len())]);
        }
        if game.outcome().is_none() && !game.wins_at_once() {
            return game;
        }
    }
}

/// How many positions of eight pegs there are after each number of moves.
pub(crate) fn layers() -> String {
    let mut sizes = Vec::new();
    let options = LayerOptions::default();
    let solution = solve_by_layers(&Pegs::default(), &options, &StopFlag::new(), |layer| {
        sizes.push((layer.plies(), layer.positions() as u64));
    });
    solution.expect("the game fits into the limits");
    sizes.sort_unstable();
    let all: u64 = sizes.iter().map(|(_, positions)| positions).sum();
    let max = sizes.iter().map(|&(_, positions)| positions).max();
    let max = max.unwrap_or(1) as f64;
    let rows = sizes.into_iter().map(|(plies, positions)| Row {
        name: format!("{plies} moves"),
        bars: vec![Bar {
            length: positions as f64 / max,
            text: grouped(positions),
            color: ink::BAR,
        }],
    });
    let title = format!(
        "Eight pegs: {} positions by the number of moves made",
        grouped(all)
    );
    draw(&title, &[], &rows.collect::<Vec<_>>())
}

/// How the visits of a tree search move to the good columns.
pub(crate) fn tree_search() -> String {
    let mut game = ConnectFour::new();
    play_text(&mut game, "4 4 5").expect("a legal game");
    let stages = [(100, ink::DRAW), (1_000, ink::SECOND), (20_000, ink::FIRST)];
    let mut search = TreeSearch::new(&game, Playout, TreeOptions::default(), Rng::new(1));
    let mut answers = Vec::new();
    let mut done = 0;
    for (iterations, color) in stages {
        search.step(&Budget::nodes(iterations - done), &StopFlag::new());
        done = iterations;
        answers.push((search.answer(), color));
    }
    let rows = game.moves().map(|m| Row {
        name: format!("column {}", m.index() + 1),
        bars: answers
            .iter()
            .map(|(answer, color)| {
                let about = answer.moves.iter().find(|about| about.m == m);
                let (visits, value) = about.map_or((0, 0.0), |about| (about.visits, about.value));
                let share = visits as f64 / answer.iterations as f64;
                Bar {
                    length: share,
                    text: format!("{:.0} % of the visits, value {value:.2}", 100.0 * share),
                    color,
                }
            })
            .collect(),
    });
    draw(
        "Connect Four after 4 4 5: what tree search with random games visits",
        &[
            ("after 100 iterations", ink::DRAW),
            ("1,000", ink::SECOND),
            ("20,000", ink::FIRST),
        ],
        &rows.collect::<Vec<_>>(),
    )
}

/// How Gumbel search spends a few simulations.
pub(crate) fn gumbel() -> String {
    let mut game = ConnectFour::new();
    play_text(&mut game, "4 3").expect("a legal game");
    let mut rng = Rng::new(1);
    let mut model = RandomPlayouts {
        playouts: NonZero::new(50).expect("not zero"),
        seed: 1,
    };
    let mut search = GumbelSearch::new(&game, GumbelOptions::playing(64), &mut rng);
    search.run(&mut model).expect("valid estimates");
    let answer = search.answer();
    let most = answer.moves.iter().map(|about| about.visits).max();
    let most = f64::from(most.unwrap_or(1));
    let rows = answer.moves.iter().map(|about| Row {
        name: format!("column {}", about.m.index() + 1),
        bars: vec![
            Bar {
                length: f64::from(about.visits) / most,
                text: format!("{} simulations", about.visits),
                color: ink::BAR,
            },
            Bar {
                length: f64::from(about.policy),
                text: format!("{:.0} % of the new policy", 100.0 * about.policy),
                color: ink::FIRST,
            },
        ],
    });
    draw(
        "Connect Four after 4 3: Gumbel search with 64 simulations",
        &[("simulations", ink::BAR), ("improved policy", ink::FIRST)],
        &rows.collect::<Vec<_>>(),
    )
}
