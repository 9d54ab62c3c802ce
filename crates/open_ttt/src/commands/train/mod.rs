//! `open_ttt train`: trains a network by self-play.

mod args;
mod display;
mod progress;
mod test_set;
mod view;
mod workers;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_learn::report::{PositionPrediction, Report};
use open_ttt_learn::{
    CheckpointError, Config, Learner, Preset, Run, RunEnd, RunError, RunEvent, RunOptions,
    Symmetries, TestSet, checkpoint_game,
};
use open_ttt_lib::rules::{Encode as _, Named as _};

use super::self_play::own_runner;
use crate::failure::{Failure, path_text};
use crate::interrupt;
pub(crate) use args::TrainArgs;
use display::Display;
use workers::WorkerLog;

const REPORT: &str = "report.html";

pub(crate) fn run(args: &TrainArgs, catalog: &Catalog) -> Result<(), Failure> {
    let game = match (&args.game, &args.resume) {
        (Some(game), None) => game.clone(),
        (named, Some(folder)) => {
            let saved = checkpoint_game(folder).map_err(|error| match error {
                CheckpointError::None(_) => Failure::failed(format_args!(
                    "{error}; begin the run with --game KEY --folder {}",
                    quoted_path(folder)
                )),
                error => Failure::failed(error),
            })?;
            let saved = catalog.game(&saved).map_err(Failure::failed)?;
            if let Some(named) = named.as_ref().filter(|named| **named != saved) {
                return Err(Failure::usage(format_args!(
                    "the run in {} is for {}, not {}",
                    path_text(folder),
                    saved.name(),
                    named.name()
                )));
            }
            saved
        }
        (None, None) => {
            return Err(Failure::usage(
                "name a game with --game KEY, or a run with --resume FOLDER",
            ));
        }
    };
    train(&game, args)
}

fn train(game: &DynGame, args: &TrainArgs) -> Result<(), Failure> {
    let config = configuration(game, args)?;
    if args.show && args.resume.is_none() {
        write!(io::stdout().lock(), "{config}")?;
        return Ok(());
    }
    if args.watch {
        display::check_terminal()?;
    }
    let threads = super::threads(args.threads);
    let symmetries = Symmetries::of(game);
    let (learner, folder) = if let Some(folder) = &args.resume {
        let learner = Learner::load(game.clone(), symmetries, folder);
        let learner = learner.map_err(Failure::failed)?;
        if args.show {
            write!(io::stdout().lock(), "{}", learner.config())?;
            return Ok(());
        }
        (learner, folder.clone())
    } else {
        let folder = args.folder.clone();
        let folder = folder.unwrap_or_else(|| default_folder(game));
        match checkpoint_game(&folder) {
            Err(CheckpointError::None(_)) => {}
            Err(error) => return Err(Failure::failed(error)),
            Ok(_) => {
                return Err(Failure::usage(format_args!(
                    "{0} already has a run; resume it with --resume {0}, or name another \
                     folder with --folder",
                    quoted_path(&folder)
                )));
            }
        }
        let seed = args.seed.unwrap_or(1);
        let learner = Learner::new(game.clone(), symmetries, config, seed);
        (learner.map_err(Failure::usage)?, folder)
    };
    let learner = learner.with_runner(own_runner(game));
    let coordinator = workers::connect(args)?;
    let stop = interrupt::flag();
    let options = RunOptions {
        threads,
        time_limit: args.minutes,
        eval_every: args.eval_every,
        ..RunOptions::default()
    };
    // Refuses a folder that another run uses before it prepares anything.
    let run = Run::new(learner, &folder).map_err(Failure::failed)?;
    let test_set = if options.eval_every > 0 {
        test_set::prepare(game, threads, &stop)
    } else {
        TestSet::default()
    };
    let mut run = run.with_test_set(test_set);
    if let Some(coordinator) = coordinator {
        run = run.with_game_source(Box::new(coordinator));
    }
    let mut worker_log = WorkerLog::default();
    let display = if args.watch {
        Display::charts(&run, &stop)?
    } else {
        Display::line(&run)
    };
    let config = run.learner().config().clone();
    let seed = run.learner().network().card.seed;
    let mut reported = Ok(());
    let end = run.train(&options, &stop, |event| {
        if let RunEvent::Saved {
            folder,
            network,
            metrics,
        } = &event
        {
            let report = Report {
                title: game.entry().title,
                game: &game.name(),
                seed,
                command: &command(),
                config: &config,
                metrics,
                predictions: &PositionPrediction::along_greedy_game(game, network),
            };
            reported = fs::write(folder.join(REPORT), report.html());
        }
        worker_log.record(&event);
        display.update(&event);
    });
    let displayed = display.close();
    if let Err(error) = reported {
        let path = path_text(&folder.join(REPORT));
        return Err(Failure::failed(format_args!("{path}: {error}")));
    }
    print_result(end, &run, &folder, &worker_log)?;
    displayed
}

fn print_result(
    end: Result<RunEnd, RunError>,
    run: &Run<DynGame>,
    folder: &Path,
    worker_log: &WorkerLog,
) -> Result<(), Failure> {
    let program = crate::program_name();
    let resume = format!("{program} train --resume {}", quoted_path(folder));
    let learner = run.learner();
    let end = end.map_err(|error| {
        if checkpoint_game(folder).is_err() {
            return Failure::failed(format_args!("{error}; nothing has been saved"));
        }
        Failure::failed(format_args!(
            "{error}; resume from the last valid state with: {resume}"
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
        learner.weights_hash()
    )?;
    write!(output, "{}", worker_log.summary(run.history()))?;
    let mut latest = run.history().iter().rev();
    if let Some(evaluation) = latest.find_map(|metrics| metrics.evaluation.as_ref()) {
        write!(output, "{}", progress::evaluation_text(evaluation))?;
    }
    writeln!(
        output,
        "play against it: {program} play --game '{}' --second {}",
        learner.start().name(),
        quoted_path(Path::new(&format!("net:{}", network.display())))
    )?;
    writeln!(output, "report: {}", folder.join(REPORT).display())?;
    match end {
        RunEnd::Done => {}
        RunEnd::TimeUp => writeln!(output, "time is up; resume with: {resume}")?,
        RunEnd::Stopped => {
            let message = format_args!("stopped; resume with: {resume}");
            return Err(Failure::failed(message));
        }
    }
    Ok(())
}

fn configuration(game: &DynGame, args: &TrainArgs) -> Result<Config, Failure> {
    let mut config = if let Some(path) = &args.config {
        let config = read(path)?.parse();
        config.map_err(|error| Failure::usage(format_args!("{}: {error}", path_text(path))))?
    } else {
        let preset = match args.preset.as_deref() {
            Some("strong") => Preset::Strong,
            _ => Preset::Fast,
        };
        Config::preset(preset, &game.encoding())
    };
    if let Some(iterations) = args.iterations {
        config.iterations = iterations;
    }
    Ok(config)
}

/// The beginning of a file, as long as any configuration.
fn read(path: &Path) -> Result<String, Failure> {
    const MAX_LENGTH: u64 = 64 * 1024;
    let mut text = String::new();
    let file = File::open(path);
    let read = file.and_then(|file| file.take(MAX_LENGTH).read_to_string(&mut text));
    read.map_err(|error| Failure::failed(format_args!("{}: {error}", path_text(path))))?;
    Ok(text)
}

/// The command line, without secrets.
fn command() -> String {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let words = without_secrets(&words).into_iter();
    let words = words.map(|word| quoted_path(Path::new(&word)));
    let words = words.collect::<Vec<_>>().join(" ");
    format!("{} {words}", crate::program_name())
}

/// The words of a command line, of which the addresses of brokers have no names and passwords.
fn without_secrets(words: &[String]) -> Vec<String> {
    const OPTION: &str = "--workers";
    let mut is_value = false;
    let words = words.iter().map(|word| {
        let joined = word
            .strip_prefix(OPTION)
            .and_then(|rest| rest.strip_prefix('='));
        let shown = match joined {
            Some(addresses) => format!("{OPTION}={}", without_names(addresses)),
            None if is_value => without_names(word),
            None => word.clone(),
        };
        is_value = word == OPTION;
        shown
    });
    words.collect()
}

/// Addresses, with or without a scheme, without what is before `@`.
fn without_names(addresses: &str) -> String {
    let addresses = addresses.split(',').map(|address| {
        let (scheme, rest) = match address.split_once("://") {
            Some((scheme, rest)) => (format!("{scheme}://"), rest),
            None => (String::new(), address),
        };
        let (_, host) = rest.rsplit_once('@').unwrap_or(("", rest));
        scheme + host
    });
    addresses.collect::<Vec<_>>().join(",")
}

/// A folder named after the game, without special characters.
fn default_folder(game: &DynGame) -> PathBuf {
    let name = game.name();
    let plain = name.split(|c: char| !c.is_ascii_alphanumeric());
    let plain: Vec<_> = plain.filter(|part| !part.is_empty()).collect();
    PathBuf::from(format!("learned-{}", plain.join("-")))
}

/// A path as a shell takes it.
fn quoted_path(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = if cfg!(windows) { "-_./\\:" } else { "-_./" };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || plain.contains(c);
    if text.chars().all(is_plain) {
        text
    } else if cfg!(windows) {
        // No name has a quote there.
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_no_password() {
        for (given, shown) in [
            (
                "--workers nats://ann:pw@host:4222",
                "--workers nats://host:4222",
            ),
            ("--workers ann:pw@host:4222", "--workers host:4222"),
            ("--workers=ann:p@w@host", "--workers=host"),
            (
                "--workers tls://a:b@one,c:d@two --minutes 1",
                "--workers tls://one,two --minutes 1",
            ),
            ("--folder a@b --workers host", "--folder a@b --workers host"),
        ] {
            let words: Vec<_> = given.split(' ').map(str::to_owned).collect();
            assert_eq!(without_secrets(&words).join(" "), shown, "{given}");
        }
    }
}
