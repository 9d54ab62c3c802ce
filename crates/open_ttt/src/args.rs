use std::ops::RangeInclusive;
use std::time::Duration;

use clap::builder::RangedI64ValueParser;
use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::rules::quoted;

pub(crate) const PLAYERS: &str = "\
Players:
  human
  perfect(threads=N, mistakes=0..1, seed=N)
                  cannot be beaten; ttt, pegs, connect4, small mnk boards
  negamax(ms=N, depth=N, nodes=N, threads=N, mistakes=0..1, seed=N)
                  looks ahead; a second a move if nothing is said
  mcts(ms=N, iterations=N, threads=N, mistakes=0..1, seed=N)
                  plays random games; 10,000 a move if nothing is said
  random(seed=N)  plays anything
  net:FILE(simulations=N, ms=N, mistakes=0..1, seed=N)
                  has learned the game, and plays by the network in this file, or
                  net:pretrained by its own: ttt, pegs, connect4; 128 simulations a
                  move if nothing is said, with 0 it does not look ahead

A move is worked out by at most so many threads, 1 to 64; by one in arena and analyze,
and in play by one for each processor where the player has neither a seed nor a number of
nodes or iterations, if nothing is said.

Give a shell quotes around the parentheses: 'perfect(mistakes=0.2)'.";

/// A position, by the moves that lead to it.
#[derive(Debug, clap::Args)]
pub(crate) struct PositionArgs {
    /// The game, such as ttt, connect4 or 'pegs(lines=38)'
    #[arg(long, value_name = "KEY", value_parser = open_ttt_catalog::game)]
    pub(crate) game: DynGame,
    /// The moves that lead to the position, from the start of the game:
    /// 'a1 b2 c3', or 4453 where a move is one character
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) moves: String,
}

pub(crate) fn computer(name: &str) -> Result<PlayerSpec, String> {
    match name.parse::<PlayerSpec>() {
        Ok(spec) if spec.is_human() => {
            let computers: Vec<_> = PlayerSpec::NAMES
                .iter()
                .filter(|&&name| name != "human")
                .copied()
                .collect();
            Err(format!(
                "a human plays no match here; there is {}",
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

/// From 1 to 1024.
pub(crate) fn thread_count() -> RangedI64ValueParser<u16> {
    clap::value_parser!(u16).range(1..=1024)
}

fn whole_number(text: &str, allowed: RangeInclusive<u32>) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if allowed.contains(&number) => Ok(number),
        _ => Err(format!(
            "{} is no whole number from {} to {}",
            quoted(text),
            allowed.start(),
            allowed.end()
        )),
    }
}

/// Reads a time with its unit: `500ms`, `10s`, `1.5m`. At most a day.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    const DAY: f64 = 86_400.0;
    let read = || {
        let (unit, seconds) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        let seconds = number * seconds;
        (seconds > 0.0 && seconds <= DAY).then(|| Duration::from_secs_f64(seconds))
    };
    read().ok_or_else(|| {
        format!(
            "{} is no time; write a number and ms, s, m or h, as in 500ms, at most 24h",
            quoted(text)
        )
    })
}
