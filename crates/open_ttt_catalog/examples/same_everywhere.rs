//! Positions of every game, what computers play there and what their moves are worth: the
//! same on every platform.
//!
//! The expected answers are those of Linux on x86-64. They are a test there, and with
//! `cargo xtask platform` on other platforms; in WebAssembly this program runs by itself.

use std::error::Error;
use std::fmt::Write as _;
use std::num::NonZero;

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_players::{Decision, Turn};
use open_ttt_search::{Budget, Clock};

/// Written with `UPDATE=1`.
const EXPECTED: &str = include_str!("same_everywhere.txt");

/// What is asked in each position.
const COMPUTERS: [&str; 3] = [
    "mcts(iterations=200,seed=1)",
    "negamax(nodes=2000,seed=1)",
    "net:pretrained(simulations=16,seed=1)",
];

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let found = answers()?;
    let differs = found.lines().zip(EXPECTED.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None);
    assert_eq!(found, EXPECTED);
    Ok(())
}

/// A line for each question: the position, who is asked, and the answer.
pub(crate) fn answers() -> Result<String, Box<dyn Error>> {
    let mut answers = String::new();
    let catalog = Catalog::bundled();
    for entry in catalog.games() {
        for seed in 0..3 {
            let (game, moves) = position(&catalog.game(entry.key)?, seed);
            let place = format!("{} {moves}", entry.key);
            for name in COMPUTERS {
                if name.starts_with("net") && !game.has_network() {
                    continue;
                }
                let answer = answer(&game, name)?;
                writeln!(answers, "{place}: {name}: {answer}")?;
            }
            writeln!(answers, "{place}: values: {}", values(&game))?;
        }
    }
    Ok(answers)
}

/// A position after random moves, with the moves.
fn position(start: &DynGame, seed: u64) -> (DynGame, String) {
    let mut rng = Rng::new(seed);
    let mut game = start.clone();
    let mut moves = Vec::new();
    for _ in 0..4 + 5 * seed {
        let after = rng.pick(game.moves()).map(|m| (m, game.after(m)));
        let Some((m, next)) = after.filter(|(_, next)| next.outcome().is_none()) else {
            break;
        };
        moves.push(game.move_text(m));
        game = next;
    }
    (game, moves.join(" "))
}

fn answer(game: &DynGame, name: &str) -> Result<String, Box<dyn Error>> {
    let clock = Clock::new(|| std::time::Duration::ZERO);
    let mut player = game.player(&name.parse()?, clock)?;
    match player.take_turn(&Turn::new(game)) {
        Decision::Play(m) => Ok(game.move_text(m)),
        Decision::Resign => Ok("resigns".to_owned()),
    }
}

/// The moves from the best on, with proved results or hundredths of a point.
fn values(game: &DynGame) -> String {
    let mut judge = game.judge(NonZero::<usize>::MIN);
    let values = judge.judge(&Turn::new(game), &Budget::nodes(500), &mut |_| ());
    let text = values.moves.iter().take(12).map(|value| {
        let m = game.move_text(value.m);
        match (value.is_proved(), value.solved.plies) {
            (true, Some(plies)) => format!("{m} {} {plies}", value.solved.result.as_str()),
            (true, None) => format!("{m} {}", value.solved.result.as_str()),
            (false, _) => format!("{m} {:.2}", value.expected),
        }
    });
    text.collect::<Vec<_>>().join(", ")
}
