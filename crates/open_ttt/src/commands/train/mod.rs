//! `open_ttt train`: a computer teaches itself a game.

mod args;
mod exam;
mod progress;
mod team;
mod view;
mod watcher;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use open_ttt_catalog::CatalogGame;
use open_ttt_learn::report::{Opinion, Report};
use open_ttt_learn::{
    Config, End, Event, Exam, Learner, Plan, Preset, Run, RunError, Symmetries, saved_game,
};
use open_ttt_lib::games::{ConnectFour, Mnk, Pegs, Qubic, TicTacToe, Ultimate};
use open_ttt_lib::rules::{Encode, Named, Symmetry};

use crate::failure::{Failure, path_text};
use crate::interrupt;
pub(crate) use args::TrainArgs;
use team::Remarks;
use watcher::Watcher;

/// How it went, for people to look at.
const REPORT: &str = "report.html";

pub(crate) fn run(args: &TrainArgs) -> Result<(), Failure> {
    let game = match (&args.game, &args.resume) {
        (Some(game), None) => game.clone(),
        (named, Some(folder)) => {
            let saved = saved_game(folder).map_err(Failure::failed)?;
            let saved = open_ttt_catalog::game(&saved).map_err(Failure::failed)?;
            if let Some(named) = named.as_ref().filter(|named| **named != saved) {
                return Err(Failure::usage(format_args!(
                    "{} is of {}, not of {}",
                    path_text(folder),
                    saved.name(),
                    named.name()
                )));
            }
            saved
        }
        (None, None) => {
            return Err(Failure::usage(
                "what is to be learned? Say --game KEY, or --resume FOLDER",
            ));
        }
    };
    // The games themselves, for what is behind a catalog's face costs time.
    macro_rules! any_of {
        ($($game:ty),*) => {
            $(if let Some(game) = game.downcast_ref::<$game>() {
                return teach(game, args);
            })*
        };
    }
    any_of!(TicTacToe, Pegs, ConnectFour, Mnk, Qubic, Ultimate);
    Err(Failure::failed(format_args!(
        "nobody knows how {} is learned",
        game.name()
    )))
}

fn teach<G>(game: &G, args: &TrainArgs) -> Result<(), Failure>
where
    G: CatalogGame + Encode + Symmetry + Named,
{
    let config = configuration(game, args)?;
    if args.show {
        write!(io::stdout().lock(), "{config}")?;
        return Ok(());
    }
    watcher::check(args.watch)?;
    let threads = super::threads(args.threads);
    let (learner, folder) = if let Some(folder) = &args.resume {
        let learner = Learner::load(game.clone(), Symmetries::of(game), folder);
        (learner.map_err(Failure::failed)?, folder.clone())
    } else {
        let folder = args.folder.clone();
        let folder = folder.unwrap_or_else(|| usual_folder(game));
        if saved_game(&folder).is_ok() {
            return Err(Failure::usage(format_args!(
                "in {0} there is a run already; go on with --resume {0}, or name another \
                 folder with --folder",
                quoted_path(&folder)
            )));
        }
        let seed = args.seed.unwrap_or(1);
        let learner = Learner::new(game.clone(), Symmetries::of(game), config, seed);
        (learner.map_err(Failure::usage)?, folder)
    };
    if learner.is_done() {
        return Err(Failure::failed(format_args!(
            "all {} iterations of {} are done",
            learner.iteration(),
            path_text(&folder)
        )));
    }
    let team = team::connect(args)?;
    let stop = interrupt::flag();
    let plan = Plan {
        threads,
        time: args
            .minutes
            .map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
        proof_every: args.proof_every,
        ..Plan::default()
    };
    let exam = if plan.proof_every > 0 {
        exam::prepare(game, threads, &stop)
    } else {
        Exam::default()
    };
    let mut run = Run::new(learner, &folder)
        .map_err(Failure::failed)?
        .with_exam(exam);
    if let Some(team) = team {
        run = run.with_source(Box::new(team));
    }
    let mut remarks = Remarks::default();
    let watcher = Watcher::new(args.watch, &run, &stop)?;
    let config = run.learner().config().clone();
    let seed = run.learner().network().card.seed;
    let mut reported = Ok(());
    let end = run.go_on(&plan, &stop, |event| {
        if let Event::Saved {
            folder,
            network,
            metrics,
        } = &event
        {
            let report = Report {
                title: G::TITLE,
                game: &game.name(),
                seed,
                command: &command(),
                config: &config,
                metrics,
                opinions: &Opinion::on_the_way(game, network),
            };
            reported = fs::write(folder.join(REPORT), report.html());
        }
        remarks.hear(&event);
        watcher.tell(&event);
    });
    let watched = watcher.finish();
    if let Err(error) = reported {
        let path = folder.join(REPORT);
        return Err(Failure::failed(format_args!(
            "{}: {error}",
            path_text(&path)
        )));
    }
    finish(end, &run, &folder, &remarks)?;
    watched
}

fn finish<G>(
    end: Result<End, RunError>,
    run: &Run<G>,
    folder: &Path,
    remarks: &Remarks,
) -> Result<(), Failure>
where
    G: CatalogGame + Encode + Symmetry + Named,
{
    let again = format!("open_ttt train --resume {}", quoted_path(folder));
    let learner = run.learner();
    let end = end.map_err(|error| {
        Failure::failed(format_args!(
            "{error}; the last good state is kept: {again}"
        ))
    })?;
    let network = folder.join("network.safetensors");
    let mut output = io::stdout().lock();
    writeln!(
        output,
        "{} games, {} of {} iterations, weights {}",
        learner.games(),
        learner.iteration(),
        learner.config().iterations,
        learner.weights()
    )?;
    write!(output, "{}", remarks.summary(run.history()))?;
    let mut latest = run.history().iter().rev();
    if let Some(proof) = latest.find_map(|metrics| metrics.proof.as_ref()) {
        write!(output, "{}", progress::proof(proof))?;
    }
    writeln!(
        output,
        "play against it: open_ttt play --game '{}' --second 'net:{}'",
        learner.start().name(),
        network.display()
    )?;
    writeln!(output, "how it went: {}", folder.join(REPORT).display())?;
    match end {
        End::Done => Ok(()),
        End::TimeUp => {
            writeln!(output, "the time is up; go on with: {again}")?;
            Ok(())
        }
        End::Stopped => Err(Failure::failed(format_args!(
            "stopped; go on with: {again}"
        ))),
    }
}

fn configuration<G: Encode>(game: &G, args: &TrainArgs) -> Result<Config, Failure> {
    let mut config = if let Some(path) = &args.config {
        let config = read(path)?.parse();
        config.map_err(|error| Failure::usage(format_args!("{}: {error}", path_text(path))))?
    } else {
        let preset = match &*args.preset {
            "strong" => Preset::Strong,
            _ => Preset::Fast,
        };
        Config::preset(preset, &game.encoding())
    };
    if let Some(iterations) = args.iterations {
        config.iterations = iterations;
    }
    Ok(config)
}

/// The text of a configuration, which is never long.
fn read(path: &Path) -> Result<String, Failure> {
    const LONGEST: u64 = 64 * 1024;
    let mut text = String::new();
    let file = File::open(path);
    let read = file.and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    read.map_err(|error| Failure::failed(format_args!("{}: {error}", path_text(path))))?;
    Ok(text)
}

/// What was asked for, to be said again.
fn command() -> String {
    let words = std::env::args().skip(1);
    let words = words.map(|word| quoted_path(Path::new(&without_secret(&word))));
    format!("open_ttt {}", words.collect::<Vec<_>>().join(" "))
}

/// An address as anybody may see it: without name and password.
fn without_secret(word: &str) -> String {
    let addresses = word.split(',').map(|address| {
        let Some((scheme, rest)) = address.split_once("://") else {
            return address.to_owned();
        };
        let (_, host) = rest.rsplit_once('@').unwrap_or(("", rest));
        format!("{scheme}://{host}")
    });
    addresses.collect::<Vec<_>>().join(",")
}

/// A folder named for the game, in which nothing has a special meaning.
fn usual_folder<G: Named>(game: &G) -> PathBuf {
    let name = game.name();
    let plain = name.split(|c: char| !c.is_ascii_alphanumeric());
    let plain: Vec<_> = plain.filter(|part| !part.is_empty()).collect();
    PathBuf::from(format!("learned-{}", plain.join("-")))
}

fn quoted_path(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
