//! Measures the strength at each difficulty: the perfect player with each probability
//! of a mistake from 0.0 to 1.0, against the perfect player without mistakes and against
//! the random player.
//!
//! Results are stored in `difficulty.tsv`, one line a match, and only missing matches are
//! played; `difficulty.md` and `difficulty.svg` are generated from it.
#![expect(clippy::print_stderr, reason = "a program talks to its user")]

mod measure;
mod page;
mod picture;
mod results;
mod scale;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_catalog::Catalog;

use crate::measure::{Computers, Setting};
use crate::results::Results;

/// Measure how strong computers are at each difficulty
#[derive(Debug, Parser)]
struct Args {
    /// The folder of difficulty.tsv, .md and .svg
    #[arg(long, value_name = "FOLDER", default_value = "docs")]
    out: PathBuf,
    /// Games per match [default: by game, 20 to 10,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: Option<u32>,
    /// Measure instead by which factor the scale of a game's evaluations is off: the scale in
    /// the catalog divided by the factor fits the results of games
    #[arg(long)]
    scale: bool,
    /// The games to measure
    #[arg(value_name = "GAME", default_values = ["ttt", "pegs", "connect4"])]
    names: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("difficulty: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    if args.scale {
        return scales(args);
    }
    let mut results = read(&args.out.join("difficulty.tsv"))?;
    for name in &args.names {
        match Computers::of(name) {
            Ok(computers) => measure(args, &computers, &mut results)?,
            Err(error) => eprintln!("difficulty: {name} is left out: {error}"),
        }
    }
    keep(&args.out, &results)
}

/// Prints the factor of each game.
fn scales(args: &Args) -> Result<(), String> {
    /// Games of each.
    const GAMES: u32 = 200;
    let games = args.games.unwrap_or(GAMES);
    for name in &args.names {
        let start = Catalog::bundled().game(name);
        let start = start.map_err(|error| error.to_string())?;
        let bar = ProgressBar::new(u64::from(games));
        let factor = scale::factor(&start, games, || bar.inc(1));
        bar.finish_and_clear();
        match factor {
            Some((factor, positions)) => eprintln!("{name}: {factor:.3} ({positions} positions)"),
            None => eprintln!("{name}: every value is exact"),
        }
    }
    Ok(())
}

/// Writes all three files.
fn keep(out: &Path, results: &Results) -> Result<(), String> {
    for (name, text) in [
        ("difficulty.tsv", results.to_string()),
        ("difficulty.md", page::page(results)),
        ("difficulty.svg", picture::picture(results)),
    ] {
        let file = out.join(name);
        fs::write(&file, text)
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    }
    Ok(())
}

/// Plays the missing matches of a game, and saves each result at once.
fn measure(args: &Args, computers: &Computers, results: &mut Results) -> Result<(), String> {
    let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let games = args.games.unwrap_or(computers.games());
    let missing: Vec<_> = Setting::all()
        .filter(|setting| results.score(&computers.name, *setting).is_none())
        .collect();
    // On standard error, hidden unless that is a terminal.
    let bar = ProgressBar::new(missing.len() as u64 * u64::from(games));
    let template = "{wide_bar} {msg}, {pos}/{len} games, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    for setting in missing {
        bar.set_message(format!("{} {setting}", computers.name));
        let score = computers
            .play(setting, games, threads, || bar.inc(1))
            .map_err(|error| error.to_string())?;
        results.add(&computers.name, setting, score);
        keep(&args.out, results)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// The stored results; none if there is no file.
fn read(file: &Path) -> Result<Results, String> {
    if !file.exists() {
        return Ok(Results::default());
    }
    let text = fs::read_to_string(file)
        .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    text.parse()
        .map_err(|error| format!("{}, {error}", file.display()))
}
