use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use open_ttt_lib::catalog::{self, DynGame, PlayerSpec};
use open_ttt_lib::players::Sprt;
use open_ttt_lib::rules::{SpecError, quoted};

use crate::commands::join::{Target, Time};
use crate::commands::serve::Settings;

/// Play two-player board games in the terminal, against people and computers.
///
/// Without a command a menu opens. Games are named by key and parameters, as
/// the command games lists them; moves are written as in the game: a1 in ttt,
/// mnk and ultimate, A in pegs, 4 in connect4, 2c4 in qubic.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Play(PlayArgs),
    Games(GamesArgs),
    Perft(PerftArgs),
    Analyze(AnalyzeArgs),
    Solve(SolveArgs),
    Arena(ArenaArgs),
    Replay(ReplayArgs),
    Serve(Box<ServeArgs>),
    Join(Box<JoinArgs>),
    Train(Box<TrainArgs>),
    Work(WorkArgs),
}

const PLAYERS: &str = "\
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

/// Let a computer teach itself a game, by playing against itself
///
/// It knows nothing but the rules. All that it learns is kept in a folder, from
/// which it goes on after Ctrl-C, a power cut or the end of the time. What comes
/// of it depends on the game, the configuration and the seed alone.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct TrainArgs {
    /// The game, such as ttt or 'mnk(m=5,n=5,k=4)'
    #[arg(long, value_name = "KEY", value_parser = game)]
    pub(crate) game: Option<DynGame>,
    /// A player soon, or a strong one with patience
    #[arg(long, value_name = "NAME", default_value = "fast", value_parser = ["fast", "strong"])]
    pub(crate) preset: String,
    /// The configuration in a file, as --show prints it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["preset", "resume"])]
    pub(crate) config: Option<PathBuf>,
    /// Print the configuration and do nothing
    #[arg(long, requires = "game")]
    pub(crate) show: bool,
    /// Stop after so many minutes; the iteration begun then is finished
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub(crate) minutes: Option<f64>,
    /// How many iterations in all; learning slows down towards the last
    #[arg(long, value_name = "N", conflicts_with = "resume",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) iterations: Option<u32>,
    /// Where everything is kept; learned-KEY here if nothing is said
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    pub(crate) folder: Option<PathBuf>,
    /// Go on with what is in this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) resume: Option<PathBuf>,
    /// What makes the run reproducible; 1 if nothing is said
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub(crate) seed: Option<u64>,
    /// On how many threads, one for each processor if nothing is said; the result
    /// is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Measure how strong it is after every so many iterations; never if 0
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) proof_every: u32,
    /// Watch it on the whole terminal, with charts; Tab shows the next, q stops
    #[arg(long)]
    pub(crate) watch: bool,
    /// Have games played by others too, which run the command work: they meet at the
    /// broker with this address, a server of NATS with JetStream
    #[arg(
        long,
        env = "OPEN_TTT_WORKERS",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub(crate) workers: Option<String>,
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
}

/// Play games for those who let a computer teach itself elsewhere
///
/// A worker takes tasks from a NATS broker with JetStream, where train --workers
/// puts them, plays their games and gives them back. It works for one run after
/// the other until Ctrl-C ends it. It can come and go at any time.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct WorkArgs {
    /// Where the broker is: nats://host:4222, or tls://..; with a name and password
    /// nats://name:password@host, with a token nats://token@host
    #[arg(env = "OPEN_TTT_WORKERS", hide_env_values = true)]
    pub(crate) url: String,
    /// What this worker is called; no two have the same name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How many tasks at a time, one for each processor if nothing is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    #[command(flatten)]
    pub(crate) broker: BrokerArgs,
}

/// How the broker is spoken to by those who share the work.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct BrokerArgs {
    /// Which group of workers, where several share a broker [default: open_ttt_learn]
    #[arg(long, env = "OPEN_TTT_GROUP", value_name = "NAME")]
    pub(crate) group: Option<String>,
    /// A file of credentials for the broker
    #[arg(long, env = "OPEN_TTT_NATS_CREDENTIALS", value_name = "FILE")]
    pub(crate) nats_credentials: Option<PathBuf>,
    /// A file of certificates that the broker is checked by
    #[arg(long, env = "OPEN_TTT_NATS_AUTHORITIES", value_name = "FILE")]
    pub(crate) nats_authorities: Option<PathBuf>,
}

/// Play a game in the terminal
///
/// A side that is not given a player is asked for.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub(crate) struct PlayArgs {
    /// The game, such as ttt or 'mnk(m=5,n=5,k=4)'
    #[arg(long, value_name = "KEY", default_value = "ttt", value_parser = game)]
    pub(crate) game: DynGame,
    /// Who has the first move
    #[arg(long, value_name = "SPEC", value_parser = player)]
    pub(crate) first: Option<PlayerSpec>,
    /// Who answers
    #[arg(long, value_name = "SPEC", value_parser = player)]
    pub(crate) second: Option<PlayerSpec>,
}

/// List the games there are
#[derive(Debug, clap::Args)]
pub(crate) struct GamesArgs {
    /// Print one JSON object a game
    #[arg(long)]
    pub(crate) json: bool,
}

/// Let people play in the browser and over the network
///
/// The matches are kept in a file; a server that was killed goes on where it
/// was. What is not given on the command line is taken from the environment,
/// OPEN_TTT_LISTEN and so on, and then from the file of settings, where the
/// names are the same: listen = "0.0.0.0:7878".
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// A file of settings, in TOML
    #[arg(long, env = "OPEN_TTT_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Play or watch a match on a server
///
/// The link of a match, http://HOST:PORT/m/ID, takes the seat that is open
/// there, or goes on with yours: the secret of a seat is kept in your folder of
/// states, ~/.local/state/open_ttt or what XDG_STATE_HOME says. A seat's own
/// link, with its secret behind a #, takes that seat from anywhere. The address
/// of a server alone lists the matches that wait for somebody; with --game it
/// makes a new match and shows the link for the other side.
///
/// While you play, write help to see what else you can say. A connection that
/// breaks comes back by itself, and so do you with the same command.
#[expect(clippy::doc_markdown, reason = "the comments are the help texts")]
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub(crate) struct JoinArgs {
    /// The link of a match, or the address of a server
    #[arg(value_name = "LINK")]
    pub(crate) target: Target,
    /// What the others call you [default: Guest, or the player]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Watch, and take no seat
    #[arg(long, conflicts_with_all = ["player", "game"])]
    pub(crate) watch: bool,
    /// Let a computer play for you, by itself, and as many games as the other
    /// side wants
    #[arg(long, value_name = "SPEC", value_parser = computer)]
    pub(crate) player: Option<PlayerSpec>,
    /// Let it ask for more games until it has played so many, and leave then
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "player",
        value_parser = games)]
    pub(crate) games: Option<u32>,
    /// Make a match of this game
    #[arg(long, value_name = "KEY", value_parser = game)]
    pub(crate) game: Option<DynGame>,
    /// Which side to be in the first game, first or second; by lot if nothing is
    /// said
    #[arg(long, value_name = "SIDE", requires = "game")]
    pub(crate) side: Option<Order>,
    /// Let a computer of the server's take the other seat: perfect(mistakes=0.2)
    #[arg(long, value_name = "SPEC", requires = "game", value_parser = opponent)]
    pub(crate) opponent: Option<PlayerSpec>,
    /// Give each side so much time, and so much more after each move: 5m+3s
    #[arg(long, value_name = "TIME", requires = "game")]
    pub(crate) clock: Option<Time>,
}

/// Which side somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Order {
    First,
    Second,
}

/// A position, by the moves that lead to it.
#[derive(Debug, clap::Args)]
pub(crate) struct PositionArgs {
    /// The game, such as ttt, connect4 or 'pegs(lines=38)'
    #[arg(long, value_name = "KEY", value_parser = game)]
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

/// Count the ways to play on, ply by ply
///
/// The counts of a game are known from elsewhere, so this checks its rules.
#[derive(Debug, clap::Args)]
pub(crate) struct PerftArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How many plies to count
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = depth)]
    pub(crate) depth: u32,
    /// Count by first move, at the full depth only
    #[arg(long)]
    pub(crate) divide: bool,
    /// Print one JSON object a count
    #[arg(long)]
    pub(crate) json: bool,
}

/// Find out what a position is worth and which moves are best
///
/// The result, and the moves to the end, are told for the side to move under
/// best play: the fastest win, the slowest loss, the most points. Where a game
/// can be proved (ttt, pegs, connect4, mnk on up to 12 cells) the search goes on
/// until it is, minutes at worst; in others, or with --time, what it could not
/// prove in its time is called unknown, and the best move is then a guess. So it
/// is where Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How long to think about a position: 500ms, 10s, 2m; if nothing is said,
    /// until the answer is exact, and 10s where that may take for ever
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// Prove nothing, but say what this computer plays
    #[arg(long, value_name = "SPEC", value_parser = computer, conflicts_with = "time")]
    pub(crate) player: Option<PlayerSpec>,
    /// Read positions from standard input, the moves of one a line
    #[arg(long, conflicts_with = "moves")]
    pub(crate) batch: bool,
    /// How many threads work on it, or on the positions of a batch, one on each;
    /// one for each processor if nothing is said
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object a position
    #[arg(long)]
    pub(crate) json: bool,
}

/// Solve a game outright: what it is worth, and each of its moves
///
/// Nothing is guessed, so only games that are small, or can be solved layer by
/// layer from their end, are solved. For qubic, in minutes, and for k in a row on
/// up to 64 cells it is found out who wins, not how soon; on some boards nobody has
/// waited for the end. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How many threads work on it; one for each processor if nothing is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Let two computers play a match
///
/// They change sides after each game, and each two games begin with the same
/// opening. With a seed, and players that do not look at the clock, the match
/// is the same each time, however many threads play it. Ctrl-C ends it and
/// reports the games played so far.
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub(crate) struct ArenaArgs {
    /// The game, such as ttt or connect4
    #[arg(long, value_name = "KEY", value_parser = game)]
    pub(crate) game: DynGame,
    /// The player whose score is reported
    #[arg(long, value_name = "SPEC", value_parser = computer)]
    pub(crate) a: PlayerSpec,
    /// Its opponent
    #[arg(long, value_name = "SPEC", value_parser = computer)]
    pub(crate) b: PlayerSpec,
    /// How many games; with --sprt at most so many, 100,000 if nothing is said
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100,
        default_value_if("sprt", clap::builder::ArgPredicate::IsPresent, "100000"),
        value_parser = games)]
    pub(crate) games: u32,
    /// How many games are played at a time; one for each processor if nothing
    /// is said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// How many random moves each two games begin with
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0,
        value_parser = openings)]
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

/// Show games that arena has saved, move by move
///
/// Each line of the file is a game: its name, who had the first move, who
/// answered, the moves and the result, parted by tabs. Every move is checked by
/// the rules; a line that is no game ends it.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// The file with the games
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Show only this game, counting from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = games)]
    pub(crate) game: Option<u32>,
    /// Show only the last board of a game
    #[arg(long)]
    pub(crate) end: bool,
    /// Print one JSON object a game
    #[arg(long, conflicts_with = "end")]
    pub(crate) json: bool,
}

fn game(name: &str) -> Result<DynGame, SpecError> {
    catalog::game(name)
}

fn player(name: &str) -> Result<PlayerSpec, SpecError> {
    name.parse()
}

fn computer(name: &str) -> Result<PlayerSpec, String> {
    match player(name) {
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

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if (0.0..=100_000.0).contains(&minutes) => Ok(minutes),
        _ => Err(format!(
            "{} is no number of minutes from 0 to 100,000",
            quoted(text)
        )),
    }
}

fn opponent(name: &str) -> Result<PlayerSpec, String> {
    let spec = computer(name)?;
    match spec.network_file() {
        Some(_) => Err("a server plays by no file of yours; --player does".to_owned()),
        None => Ok(spec),
    }
}

fn depth(text: &str) -> Result<u32, String> {
    whole_number(text, 0..=400)
}

fn games(text: &str) -> Result<u32, String> {
    whole_number(text, 1..=10_000_000)
}

fn openings(text: &str) -> Result<u32, String> {
    whole_number(text, 0..=400)
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
