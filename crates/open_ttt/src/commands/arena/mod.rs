mod display;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use open_ttt_app::{Screen, elo_text};
use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Named, quoted};
use open_ttt_players::{
    Hypothesis, Match, MatchEnd, MatchGame, MatchReport, MatchScore, MatchStatistics, Openings,
    Participant, ParticipantId, Sprt, TextRecord,
};
use serde::Serialize;

use super::{count, milliseconds, print_json, threads};
use crate::append::open_to_append;
use crate::args;
use crate::computers;
use crate::failure::Failure;
use crate::games;
use crate::interrupt;
use crate::settings::DisplayArgs;
use display::Display;

/// Play a match between two computers
///
/// The players swap sides after each game, and every pair of games has the same
/// opening. With a seed, and without players that have a time limit, the match is
/// reproducible on any number of threads. On a terminal the figures and a chart of the
/// Elo difference fill the screen while it is played; q or Ctrl-C stops it. The report
/// is then that of the games so far.
#[derive(Debug, clap::Args)]
pub(crate) struct ArenaArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    pub(crate) game: DynGame,
    /// The player whose score is reported
    #[arg(long, value_name = "SPEC", value_parser = args::computer)]
    pub(crate) a: PlayerSpec,
    /// Its opponent
    #[arg(long, value_name = "SPEC", value_parser = args::computer)]
    pub(crate) b: PlayerSpec,
    /// Number of games; with --sprt the maximum, by default 100,000
    #[arg(long, value_name = "N", default_value_t = 100,
        default_value_if("sprt", clap::builder::ArgPredicate::IsPresent, "100000"),
        value_parser = args::game_count)]
    pub(crate) games: u32,
    /// Number of games at a time [default: all cores]
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    /// Number of random moves that open each pair of games
    #[arg(long, value_name = "N", default_value_t = 0,
        value_parser = args::plies)]
    pub(crate) openings: u32,
    /// Make openings and players reproducible; a player's own seed takes precedence
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Stop when a sequential probability ratio test accepts one of two Elo
    /// differences (5 % errors): 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = sprt)]
    pub(crate) sprt: Option<Sprt>,
    /// Append the games to a file for open_ttt replay
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Show a line of progress instead of the full screen
    #[arg(long)]
    pub(crate) plain: bool,
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
}

/// The output of `--json`; a stable format. Wins are those of `a`, and `elo` is how
/// much stronger `a` is; null if the games do not tell.
#[derive(Serialize)]
struct ArenaReport {
    game: String,
    a: String,
    b: String,
    games: u32,
    wins: u32,
    draws: u32,
    losses: u32,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    /// The number of pairs of games with 0, ½, 1, 1½ and 2 points for `a`.
    pairs: [u32; 5],
    /// `played`, `accepted` or `stopped`.
    end: &'static str,
    sprt: Option<SprtReport>,
    openings: u32,
    seed: u64,
    threads: usize,
    ms: f64,
}

/// The state of a sequential probability ratio test.
#[derive(Serialize)]
struct SprtReport {
    elo0: f64,
    elo1: f64,
    /// The log-likelihood ratio, and the bounds at which the test ends.
    llr: f64,
    llr_low: f64,
    llr_high: f64,
    /// The accepted Elo difference.
    accepted: Option<f64>,
}

pub(crate) fn run(args: &ArenaArgs) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or_else(|| Rng::from_entropy().next_u64());
    let mut seeds = Rng::new(seed);
    let mut contestant = |flag: &str, spec: &PlayerSpec| {
        let seed = seeds.next_u64();
        let players = computers::players(flag, spec, &args.game)?;
        Ok::<_, Failure>(Participant::new(spec.seed.unwrap_or(seed), players))
    };
    let planned = Match {
        start: args.game.clone(),
        a: contestant("--a", &args.a)?,
        b: contestant("--b", &args.b)?,
        games: args.games,
        openings: Openings::random(args.openings, seeds.next_u64()),
        sprt: args.sprt,
    };
    let mut saved = args.save.as_deref().map(SavedGames::open).transpose()?;
    let mut failure = None;
    let stop = interrupt::flag();
    let display = if args.plain || args.json || !Screen::is_available() {
        Display::line(args)
    } else {
        Display::screen(args, &stop)
    };
    let started = Instant::now();
    let played = planned.play(threads(args.threads), &stop, |game, statistics| {
        if let Some(saved) = &mut saved
            && let Err(error) = saved.add(args, game)
        {
            failure = Some(error);
            stop.raise();
        }
        display.count(game, statistics, args.sprt.as_ref());
    });
    let closed = display.close();
    report(args, seed, &played, milliseconds(started.elapsed()))?;
    failure.map_or(closed, Err)
}

/// A file to which games are appended, each as a line.
struct SavedGames<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> SavedGames<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        let file = open_to_append(path).map_err(Failure::file("write", path))?;
        Ok(Self { path, file })
    }

    fn add(&mut self, args: &ArenaArgs, game: &MatchGame<DynGame>) -> Result<(), Failure> {
        let (a, b) = (args.a.to_string(), args.b.to_string());
        let seats = match game.first {
            ParticipantId::A => [&*a, &*b],
            ParticipantId::B => [&*b, &*a],
        };
        let line = TextRecord::new(&game.record, seats).map_err(Failure::failed)?;
        // One write per line: other processes may append to the file, too.
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(Failure::file("write", self.path))
    }
}

/// Wins, draws and losses.
const fn counts(score: MatchScore) -> [u32; 3] {
    [score.wins, score.draws, score.losses]
}

/// A test's log-likelihood ratio and its bounds.
fn llr_text(sprt: &Sprt, statistics: &MatchStatistics) -> String {
    let llr = sprt.log_likelihood_ratio(&statistics.pairs);
    let llr = rounded(llr, 100.0).unwrap_or_default();
    let (low, high) = (sprt.lower_bound(), sprt.upper_bound());
    format!("LLR {llr:.2} ({low:.2} to {high:.2})")
}

fn report(args: &ArenaArgs, seed: u64, played: &MatchReport, ms: f64) -> Result<(), Failure> {
    let statistics = &played.statistics;
    let games = statistics.score.games();
    let [wins, draws, losses] = counts(statistics.score);
    let elo = statistics.elo();
    if args.json {
        return print_json(&ArenaReport {
            game: args.game.name(),
            a: args.a.to_string(),
            b: args.b.to_string(),
            games,
            wins,
            draws,
            losses,
            elo: elo.and_then(|elo| rounded(elo.difference, 10.0)),
            elo_low: elo.and_then(|elo| rounded(elo.low, 10.0)),
            elo_high: elo.and_then(|elo| rounded(elo.high, 10.0)),
            pairs: statistics.pairs.counts,
            end: match played.end {
                MatchEnd::Played => "played",
                MatchEnd::Accepted(_) => "accepted",
                MatchEnd::Stopped => "stopped",
            },
            sprt: args.sprt.as_ref().map(|sprt| test_report(sprt, played)),
            openings: args.openings,
            seed,
            threads: threads(args.threads).get(),
            ms,
        });
    }
    let mut output = io::stdout().lock();
    let wins = count(wins, "win", "wins");
    let draws = count(draws, "draw", "draws");
    let losses = count(losses, "loss", "losses");
    writeln!(
        output,
        "{} vs {}: {wins}, {draws}, {losses}",
        args.a, args.b
    )?;
    match elo {
        Some(elo) => {
            let [elo, low, high] = [elo.difference, elo.low, elo.high].map(elo_text);
            writeln!(
                output,
                "Elo difference {elo}, 95 % interval {low} to {high}"
            )?;
        }
        None => writeln!(output, "Elo difference: not enough games")?,
    }
    if let Some(sprt) = &args.sprt {
        let result = accepted(sprt, played.end)
            .map_or_else(|| "undecided".to_owned(), |elo| format!("{elo} accepted"));
        let (elo0, elo1, llr) = (sprt.elo0(), sprt.elo1(), llr_text(sprt, statistics));
        writeln!(output, "SPRT {elo0} vs {elo1} Elo: {result}, {llr}")?;
    }
    if played.end == MatchEnd::Stopped {
        writeln!(output, "stopped after {games} of {} games", args.games)?;
    }
    Ok(())
}

fn test_report(sprt: &Sprt, played: &MatchReport) -> SprtReport {
    let llr = sprt.log_likelihood_ratio(&played.statistics.pairs);
    let rounded = |value| rounded(value, 1_000.0).unwrap_or_default();
    SprtReport {
        elo0: sprt.elo0(),
        elo1: sprt.elo1(),
        llr: rounded(llr),
        llr_low: rounded(sprt.lower_bound()),
        llr_high: rounded(sprt.upper_bound()),
        accepted: accepted(sprt, played.end),
    }
}

/// The Elo difference that the test accepted.
fn accepted(sprt: &Sprt, end: MatchEnd) -> Option<f64> {
    match end {
        MatchEnd::Accepted(Hypothesis::Elo0) => Some(sprt.elo0()),
        MatchEnd::Accepted(Hypothesis::Elo1) => Some(sprt.elo1()),
        MatchEnd::Played | MatchEnd::Stopped => None,
    }
}

/// A number rounded to a fraction `1 / parts`; `None` if it is not finite.
fn rounded(value: f64, parts: f64) -> Option<f64> {
    // Adding zero turns -0 into 0.
    value
        .is_finite()
        .then(|| (value * parts).round() / parts + 0.0)
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let numbers = text
        .split_once(',')
        .and_then(|(elo0, elo1)| Some((elo0.trim().parse().ok()?, elo1.trim().parse().ok()?)));
    let (elo0, elo1) = numbers.ok_or_else(|| {
        let text = quoted(text);
        format!("{text} isn't two Elo differences; write them like 0,10")
    })?;
    Sprt::new(elo0, elo1).map_err(|error| error.to_string())
}
