//! Measures how strong computers are: the perfect player with each probability of a mistake
//! from 0.0 to 1.0, against the perfect player without mistakes and against the random
//! player; and each level against the one below.
//!
//! Results are stored in `difficulty.tsv` and `levels.tsv`, one line a match, and only missing
//! matches are played, or games that a match between levels lacks; `difficulty.md` and
//! `difficulty.svg` are generated from them.
#![expect(clippy::print_stderr, reason = "a program talks to its user")]

mod calibrate;
mod ladder;
mod levels;
mod measure;
mod page;
mod picture;
mod results;
mod scale;

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::thread;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_catalog::Catalog;
use open_ttt_lib::rules::Named;
use open_ttt_players::{Level, MatchScore};
use open_ttt_search::StopFlag;

use crate::calibrate::Calibration;
use crate::levels::Levels;
use crate::measure::{Computers, Setting};
use crate::results::Results;

/// Measure how strong computers are at each difficulty
#[derive(Debug, Parser)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
struct Args {
    /// The folder of difficulty.tsv, .md and .svg
    #[arg(long, value_name = "FOLDER", default_value = "docs")]
    out: PathBuf,
    /// Games per match [default: by game, 200 to 10,000]; with --levels, matches with fewer are
    /// continued
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: Option<u32>,
    /// Measure instead by which factor the scale of a game's evaluations is off: the scale in
    /// the catalog divided by the factor fits the results of games
    #[arg(long)]
    scale: bool,
    /// Measure instead which skills the levels of a game need
    #[arg(long, conflicts_with = "scale")]
    calibrate: bool,
    /// Measure instead how far the levels of a game are apart; master only where it needs no
    /// time limit, unless --masters is given
    #[arg(long, conflicts_with_all = ["scale", "calibrate"])]
    levels: bool,
    /// Also the masters that think for a second
    #[arg(long, requires = "levels")]
    masters: bool,
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
    if args.calibrate {
        return calibrations(args);
    }
    let mut results = read(&args.out, "difficulty.tsv")?;
    let mut levels = read(&args.out, "levels.tsv")?;
    if args.levels {
        for name in &args.names {
            measure_levels(args, name, &results, &mut levels)?;
        }
        return keep(&args.out, &results, &levels);
    }
    for name in &args.names {
        match Computers::of(name) {
            Ok(computers) => measure(args, &computers, &mut results, &levels)?,
            Err(error) => eprintln!("difficulty: {name} is left out: {error}"),
        }
    }
    keep(&args.out, &results, &levels)
}

/// Prints the skills that the levels of each game need.
fn calibrations(args: &Args) -> Result<(), String> {
    /// Games of each match.
    const GAMES: u32 = 200;
    let games = args.games.unwrap_or(GAMES);
    let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    for name in &args.names {
        let start = Catalog::bundled().game(name);
        let start = start.map_err(|error| error.to_string())?;
        let bar = ProgressBar::new(0);
        let calibration = Calibration {
            start: &start,
            games,
            threads,
            bar: &bar,
        };
        let (skills, gap) = calibration.run().map_err(|error| error.to_string())?;
        bar.finish_and_clear();
        eprintln!("{name}: skills {skills:?}, {gap:.0} Elo apart");
    }
    Ok(())
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

/// Writes all files.
fn keep(out: &Path, results: &Results, levels: &Levels) -> Result<(), String> {
    for (name, text) in [
        ("difficulty.tsv", results.to_string()),
        ("levels.tsv", levels.to_string()),
        ("difficulty.md", page::page(results, levels)),
        ("difficulty.svg", picture::picture(results)),
    ] {
        let file = out.join(name);
        // Whole or not at all: hours of matches are in it.
        let new = file.with_extension("new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &file))
            .inspect_err(|_| drop(fs::remove_file(&new)))
            .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    }
    Ok(())
}

/// Plays the missing matches of a game, and saves each result at once.
fn measure(
    args: &Args,
    computers: &Computers,
    results: &mut Results,
    levels: &Levels,
) -> Result<(), String> {
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
        keep(&args.out, results, levels)?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Plays the missing matches between the levels of a game, or the games that they lack of as
/// many as are asked for, and saves the result after each pair of games.
fn measure_levels(
    args: &Args,
    name: &str,
    results: &Results,
    levels: &mut Levels,
) -> Result<(), String> {
    /// Games of each match.
    const GAMES: u32 = 200;
    let threads = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    let start = Catalog::bundled().game(name);
    let start = start.map_err(|error| error.to_string())?;
    let name = start.name();
    let masters = args.masters || start.strongest() == "perfect";
    // What has been begun is enough, unless more is asked for.
    let games = |before: MatchScore| match before.games() {
        0 => args.games.unwrap_or(GAMES),
        _ => args.games.unwrap_or(0),
    };
    let missing: Vec<_> = Level::ALL
        .into_iter()
        .filter(|&level| masters || level != Level::Master)
        .map(|level| (level, levels.score(&name, level).unwrap_or_default()))
        .filter(|&(_, before)| before.games() < games(before))
        .collect();
    let lacks = |&(_, before): &(_, MatchScore)| u64::from(games(before) - before.games());
    let bar = ProgressBar::new(missing.iter().map(lacks).sum());
    for (level, before) in missing {
        let players = [level.name(), levels::opponent(level)];
        let (games, stop, mut kept) = (games(before), StopFlag::new(), Ok(()));
        let after_game = |score: MatchScore| {
            bar.inc(1);
            levels.add(&name, level, score);
            let is_pair = score.games().is_multiple_of(2) || score.games() == games;
            if is_pair && kept.is_ok() {
                kept = keep(&args.out, results, levels);
            }
            if kept.is_err() {
                stop.raise();
            }
        };
        ladder::play(&start, players, before, games, threads, &stop, after_game)
            .map_err(|error| error.to_string())?;
        kept?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// The results stored in a file; none if there is no file.
fn read<T: FromStr<Err = String> + Default>(folder: &Path, file: &str) -> Result<T, String> {
    let file = folder.join(file);
    if !file.exists() {
        return Ok(T::default());
    }
    let text = fs::read_to_string(&file)
        .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    text.parse()
        .map_err(|error| format!("{}, {error}", file.display()))
}
