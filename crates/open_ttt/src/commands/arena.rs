use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_app::clock;
use open_ttt_catalog::{DynGame, PlayerSpec};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Named, quoted};
use open_ttt_players::{
    Contender, Contestant, Hypothesis, Match, MatchEnd, MatchGame, MatchReport, MatchScore,
    Openings, Sprt, Standing, TextRecord,
};
use serde::Serialize;

use super::{count, milliseconds, print_json, threads};
use crate::args;
use crate::failure::{Failure, shown};
use crate::interrupt;
use crate::networks;

/// Let two computers play a match
///
/// They change sides after each game, and each two games begin with the same
/// opening. With a seed, and players that do not look at the clock, the match
/// is the same each time, however many threads play it. Ctrl-C ends it and
/// reports the games played so far.
#[derive(Debug, clap::Args)]
#[command(after_help = args::PLAYERS)]
pub(crate) struct ArenaArgs {
    /// The game, such as ttt or connect4
    #[arg(long, value_name = "KEY", value_parser = open_ttt_catalog::game)]
    pub(crate) game: DynGame,
    /// The player whose score is reported
    #[arg(long, value_name = "SPEC", value_parser = args::computer)]
    pub(crate) a: PlayerSpec,
    /// Its opponent
    #[arg(long, value_name = "SPEC", value_parser = args::computer)]
    pub(crate) b: PlayerSpec,
    /// How many games; with --sprt at most so many, 100,000 if nothing is said
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100,
        default_value_if("sprt", clap::builder::ArgPredicate::IsPresent, "100000"),
        value_parser = args::game_count)]
    pub(crate) games: u32,
    /// How many games are played at a time; one for each processor if nothing
    /// is said
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    /// How many random moves each two games begin with
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0,
        value_parser = args::plies)]
    pub(crate) openings: u32,
    /// Makes openings and players reproducible; a player's own seed comes first
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Stop as soon as it is clear which of two Elo differences is nearer, with
    /// one error in twenty: 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = sprt)]
    pub(crate) sprt: Option<Sprt>,
    /// Add the games to this file, one a line; the command replay shows them
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `--json` prints; a stable format. Wins are those of `a`, and `elo` is
/// how much stronger it is; null where the games do not say.
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
    /// How many pairs of games came to 0, a half, 1, one and a half, 2 points.
    pairs: [u32; 5],
    /// `played`, `accepted` or `stopped`.
    end: &'static str,
    sprt: Option<SprtReport>,
    openings: u32,
    seed: u64,
    threads: usize,
    ms: f64,
}

/// How a sequential test stands.
#[derive(Serialize)]
struct SprtReport {
    elo0: f64,
    elo1: f64,
    /// The log-likelihood ratio, and the bounds at which one is accepted.
    llr: f64,
    llr_low: f64,
    llr_high: f64,
    /// The difference that is accepted, if one is.
    accepted: Option<f64>,
}

pub(crate) fn run(args: &ArenaArgs) -> Result<(), Failure> {
    let seed = args.seed.unwrap_or_else(|| Rng::from_entropy().next_u64());
    let mut seeds = Rng::new(seed);
    let mut contestant = |flag: &str, spec: &PlayerSpec| {
        let own = seeds.next_u64();
        let spec = networks::given(flag, spec)?;
        match args.game.players(&spec, clock()) {
            Ok(make) => Ok(Contestant::new(spec.seed.unwrap_or(own), make)),
            Err(error) => Err(Failure::usage(format_args!("{flag}: {error}"))),
        }
    };
    let of = Match {
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
    let bar = progress_bar(args.games);
    let since = Instant::now();
    let played = of.play(threads(args.threads), &stop, |game, standing| {
        if let Some(saved) = &mut saved
            && let Err(error) = saved.add(args, game)
        {
            failure = Some(error);
            stop.raise();
        }
        if !bar.is_hidden() {
            bar.set_message(so_far(standing, args.sprt.as_ref()));
        }
        bar.inc(1);
    });
    bar.finish_and_clear();
    report(args, seed, &played, milliseconds(since.elapsed()))?;
    failure.map_or(Ok(()), Err)
}

/// A file that games are added to, one a line.
struct SavedGames<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> SavedGames<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        let file = Self::open_at_a_line(path).map_err(|error| Self::failure(path, &error))?;
        Ok(Self { path, file })
    }

    /// A line that somebody left unended is ended, so that it spoils no other.
    fn open_at_a_line(path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        if file.metadata()?.is_file() && file.seek(SeekFrom::End(0))? > 0 {
            let mut last = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                file.write_all(b"\n")?;
            }
        }
        Ok(file)
    }

    fn add(&mut self, args: &ArenaArgs, game: &MatchGame<DynGame>) -> Result<(), Failure> {
        let (a, b) = (args.a.to_string(), args.b.to_string());
        let seats = match game.first {
            Contender::A => [&*a, &*b],
            Contender::B => [&*b, &*a],
        };
        let line = TextRecord::new(&game.record, seats).map_err(Failure::failed)?;
        // Whole lines at a time, so that others may write to the file as well.
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        written.map_err(|error| Self::failure(self.path, &error))
    }

    fn failure(path: &Path, error: &io::Error) -> Failure {
        Failure::failed(format_args!("{} cannot be written: {error}", shown(path)))
    }
}

/// The score as the bar tells it.
fn so_far(standing: &Standing, sprt: Option<&Sprt>) -> String {
    let MatchScore {
        wins,
        draws,
        losses,
    } = standing.score;
    let elo = standing.elo().map_or_else(String::new, |elo| {
        format!(", Elo {} to {}", signed(elo.low), signed(elo.high))
    });
    let llr = sprt.map_or_else(String::new, |sprt| format!(", {}", ratio(sprt, standing)));
    format!("{wins}-{draws}-{losses}{elo}{llr}")
}

/// A test's log-likelihood ratio and its bounds.
fn ratio(sprt: &Sprt, standing: &Standing) -> String {
    let llr = sprt.log_likelihood_ratio(&standing.pairs);
    format!(
        "LLR {:.2} of {:.2} to {:.2}",
        rounded(llr, 100.0).unwrap_or_default(),
        sprt.lower_bound(),
        sprt.upper_bound()
    )
}

fn report(args: &ArenaArgs, seed: u64, played: &MatchReport, ms: f64) -> Result<(), Failure> {
    let standing = &played.standing;
    let score = standing.score;
    let elo = standing.elo();
    if args.json {
        return print_json(&ArenaReport {
            game: args.game.name(),
            a: args.a.to_string(),
            b: args.b.to_string(),
            games: score.games(),
            wins: score.wins,
            draws: score.draws,
            losses: score.losses,
            elo: elo.and_then(|elo| rounded(elo.difference, 10.0)),
            elo_low: elo.and_then(|elo| rounded(elo.low, 10.0)),
            elo_high: elo.and_then(|elo| rounded(elo.high, 10.0)),
            pairs: standing.pairs.counts,
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
    let MatchScore {
        wins,
        draws,
        losses,
    } = score;
    writeln!(
        output,
        "{} against {}: {}, {}, {}",
        args.a,
        args.b,
        count(wins, "win", "wins"),
        count(draws, "draw", "draws"),
        count(losses, "loss", "losses")
    )?;
    match elo {
        Some(elo) => writeln!(
            output,
            "Elo difference {}, 95 % between {} and {}",
            signed(elo.difference),
            signed(elo.low),
            signed(elo.high)
        )?,
        None => writeln!(output, "Elo difference: more games are needed to tell")?,
    }
    if let Some(sprt) = &args.sprt {
        let between = format!("between {} and {} Elo", sprt.elo0(), sprt.elo1());
        let verdict = match accepted(sprt, played.end) {
            Some(elo) => format!("{elo} accepted"),
            None => "undecided".to_owned(),
        };
        writeln!(
            output,
            "test {between}: {verdict}, {}",
            ratio(sprt, standing)
        )?;
    }
    if played.end == MatchEnd::Stopped {
        writeln!(
            output,
            "stopped after {} of {} games",
            score.games(),
            args.games
        )?;
    }
    Ok(())
}

fn test_report(sprt: &Sprt, played: &MatchReport) -> SprtReport {
    let llr = sprt.log_likelihood_ratio(&played.standing.pairs);
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

/// The Elo difference that a test has accepted, if it has.
fn accepted(sprt: &Sprt, end: MatchEnd) -> Option<f64> {
    match end {
        MatchEnd::Accepted(Hypothesis::Elo0) => Some(sprt.elo0()),
        MatchEnd::Accepted(Hypothesis::Elo1) => Some(sprt.elo1()),
        MatchEnd::Played | MatchEnd::Stopped => None,
    }
}

/// A number to a part of `parts`; nothing where it is not bounded.
fn rounded(value: f64, parts: f64) -> Option<f64> {
    // Adding zero makes a negative one positive.
    value
        .is_finite()
        .then(|| (value * parts).round() / parts + 0.0)
}

/// A bar on standard error; nothing where that is no terminal.
fn progress_bar(games: u32) -> ProgressBar {
    let bar = ProgressBar::new(games.into());
    let template = "{wide_bar} {pos}/{len} games, {msg}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A difference as people write it; one that the games do not bound is ∞.
fn signed(elo: f64) -> String {
    if elo.is_infinite() {
        let sign = if elo > 0.0 { '+' } else { '-' };
        return format!("{sign}∞");
    }
    // Adding zero takes the sign from a negative zero.
    format!("{:+.0}", elo.round() + 0.0)
}

fn sprt(text: &str) -> Result<Sprt, String> {
    let numbers = text
        .split_once(',')
        .and_then(|(elo0, elo1)| Some((elo0.trim().parse().ok()?, elo1.trim().parse().ok()?)));
    match numbers {
        Some((elo0, elo1)) => Sprt::new(elo0, elo1).map_err(|error| error.to_string()),
        None => Err(format!(
            "{} is not two Elo differences; write them as in 0,10",
            quoted(text)
        )),
    }
}
