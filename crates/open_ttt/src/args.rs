//! Arguments that several commands share, and the parsers of their values.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::builder::RangedI64ValueParser;
use open_ttt_catalog::{Catalog, DynGame, PlayerSpec};
use open_ttt_lib::rules::quoted;

use crate::games;

/// The help for the computer players of a catalog's games.
pub(crate) fn computers_help(catalog: &Catalog) -> String {
    let networks = games::keys_where(catalog, DynGame::has_network);
    let solved = games::keys_where(catalog, DynGame::can_be_proved);
    let solved = match &*solved {
        "" => "small games".to_owned(),
        keys => format!("{keys}, and small games"),
    };
    let pretrained = match &*networks {
        "" => String::new(),
        keys => format!("\n  net:pretrained  the network that comes with {keys}"),
    };
    COMPUTERS
        .replace("SOLVED", &solved)
        .replace("PRETRAINED", &pretrained)
}

const COMPUTERS: &str = "\
Players:
  beginner, easy, medium, hard, expert (seed=N), master (threads=N, seed=N)
                  levels: they overlook things as people do, a master nothing
  level(strength=S, seed=N)
                  between the levels, from 1, a beginner, to 6, a master
  fallible(skill=P, seed=N)
                  errs as the levels do, from 0 to 1, alike in every game
  perfect(threads=N, mistakes=P, seed=N)
                  never makes a mistake; SOLVED
  negamax(ms=N, depth=N, nodes=N, threads=N, mistakes=P, seed=N)
                  alpha-beta search; default: 1 second per move
  mcts(ms=N, iterations=N, threads=N, mistakes=P, seed=N)
                  Monte Carlo tree search; default: 10,000 iterations per move
  random(seed=N)  random moves
  net:FILE(simulations=N, ms=N, mistakes=P, seed=N)
                  the trained network in a file; default: 128 simulations per move, 0 for no
                  searchPRETRAINED
  engine:COMMAND  a program of its own, which is told the moves and answers with one
                  (docs/engines.md)

mistakes is the probability of a mistake on each move, from 0 to 1: missing the best
result within reach and playing the best of the rest. threads is 1 to 64; the default is
1 in arena and analyze, and all cores in play and join unless seed, nodes or iterations
is set, as iterations are of mcts without ms.

Quote parentheses in a shell: 'perfect(mistakes=0.2)'.";

/// A position, by the moves that lead to it.
#[derive(Debug, clap::Args)]
pub(crate) struct PositionArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    pub(crate) game: DynGame,
    /// The moves from the start of the game: 'a1 b2 c3', or 4453 if each move is a
    /// single character
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) moves: String,
}

/// A player that is not human.
pub(crate) fn computer(name: &str) -> Result<PlayerSpec, String> {
    match name.parse::<PlayerSpec>() {
        Ok(spec) if spec.is_human() => {
            let names = PlayerSpec::NAMES.iter();
            let computers: Vec<_> = names.filter(|&&name| name != "human").copied().collect();
            Err(format!(
                "only computers can play here: {}",
                computers.join(", ")
            ))
        }
        spec => spec.map_err(|error| error.to_string()),
    }
}

pub(crate) fn plies(text: &str) -> Result<u32, String> {
    whole_number(text, 0..=400)
}

pub(crate) fn game_count(text: &str) -> Result<u32, String> {
    whole_number(text, 1..=10_000_000)
}

pub(crate) fn thread_count() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}

fn whole_number(text: &str, allowed: RangeInclusive<u32>) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if allowed.contains(&number) => Ok(number),
        _ => Err(format!(
            "{} isn't a whole number from {} to {}",
            quoted(text),
            allowed.start(),
            allowed.end()
        )),
    }
}

/// Parses the time between moves: as [`duration`], or 0.
pub(crate) fn pace(text: &str) -> Result<Duration, String> {
    match text {
        "0" | "0ms" | "0s" => Ok(Duration::ZERO),
        _ => duration(text),
    }
}

/// Parses a time with its unit: `500ms`, `10s`, `1.5m`. At most a day.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    const DAY: f64 = 86_400.0;
    let parse = || {
        let (unit, seconds) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        let seconds = number * seconds;
        (seconds > 0.0 && seconds <= DAY).then(|| Duration::from_secs_f64(seconds))
    };
    parse().ok_or_else(|| {
        format!(
            "{} isn't a time; write a number with ms, s, m or h, such as 500ms (at most 24h)",
            quoted(text)
        )
    })
}
