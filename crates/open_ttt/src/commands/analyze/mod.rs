mod batch;
mod chooser;

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_app::clock;
use open_ttt_catalog::{Analysis, DynGame, DynMove, PlayerSpec, Verdict};
use open_ttt_lib::rules::{Named, Notation, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};
use serde::Serialize;

use super::{list, milliseconds, position_after, texts, threads};
use crate::args::{self, PositionArgs};
use crate::failure::Failure;
use crate::interrupt;
use chooser::Chooser;

/// Find out what a position is worth and which moves are best
///
/// The result, and the moves to the end, are told for the side to move under
/// best play: the fastest win, the slowest loss, the most points. Where a game
/// can be proved (ttt, pegs, connect4, mnk on up to 12 cells) the search goes on
/// until it is, minutes at worst; in others, or with --time, what it could not
/// prove in its time is called unknown, and the best move is then a guess. So it
/// is where Ctrl-C ends it.
#[derive(Debug, clap::Args)]
#[command(after_help = args::PLAYERS)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How long to think about a position: 500ms, 10s, 2m; if nothing is said,
    /// until the answer is exact, and 10s where that may take for ever
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = args::duration)]
    pub(crate) time: Option<Duration>,
    /// Prove nothing, but say what this computer plays
    #[arg(long, value_name = "SPEC", value_parser = args::computer, conflicts_with = "time")]
    pub(crate) player: Option<PlayerSpec>,
    /// Read positions from standard input, the moves of one a line
    #[arg(long, conflicts_with = "moves")]
    pub(crate) batch: bool,
    /// How many threads work on it, or on the positions of a batch, one on each;
    /// one for each processor if nothing is said
    #[arg(long, value_name = "N",
        value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    /// Print one JSON object a position
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `--json` prints; a stable format.
#[derive(Serialize)]
struct AnalysisReport {
    game: String,
    moves: String,
    to_move: &'static str,
    result: &'static str,
    plies: Option<u32>,
    margin: Option<i32>,
    best: Vec<String>,
    pv: Vec<String>,
    exact: bool,
    nodes: u64,
    ms: f64,
    /// Who has chosen the best move, if it was not found by an analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<String>,
}

/// How long a position is thought about if nobody says it and its game cannot
/// be proved.
const USUAL_TIME: Duration = Duration::from_secs(10);

/// How positions are analyzed.
#[derive(Clone)]
struct Analyst {
    /// How many threads think about one position.
    threads: NonZero<usize>,
    /// How long, if that was said.
    time: Option<Duration>,
    /// Who chooses instead.
    chooser: Option<Arc<Chooser>>,
    stop: StopFlag,
}

pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let chooser = args.player.as_ref();
    let chooser = chooser.map(|spec| Chooser::new(&args.position.game, spec));
    let analyst = Analyst {
        threads: threads(args.threads),
        time: args.time,
        chooser: chooser.transpose()?.map(Arc::new),
        stop: interrupt::flag(),
    };
    if args.batch {
        return batch::run(args, &analyst);
    }
    let PositionArgs { game, moves } = &args.position;
    let report = with_spinner(|| analyst.analyze(game, moves))?;
    let mut answer = Vec::new();
    write_report(&mut answer, args.json, &report)?;
    Ok(io::stdout().write_all(&answer)?)
}

impl Analyst {
    fn budget(&self, game: &DynGame) -> Budget {
        match self.time {
            Some(time) => Budget::time(time, clock()),
            None if game.can_be_proved() => Budget::UNLIMITED,
            None => Budget::time(USUAL_TIME, clock()),
        }
    }

    fn analyze(&self, start: &DynGame, moves: &str) -> Result<AnalysisReport, Failure> {
        let (game, moves) = position_after(start, moves)?;
        let since = Instant::now();
        if let Some(chooser) = &self.chooser
            && game.outcome().is_none()
        {
            let chosen = chooser.choose(&game, &self.stop);
            let ms = milliseconds(since.elapsed());
            return Ok(choice(start, &game, &moves, chooser, chosen, ms));
        }
        let analysis = game.analyze(self.threads, &self.budget(&game), &self.stop);
        let ms = milliseconds(since.elapsed());
        Ok(report(start, &game, &moves, &analysis, ms))
    }
}

/// Does what may take long, and shows on a terminal that it goes on once it
/// takes more than a second.
fn with_spinner<T>(work: impl FnOnce() -> T) -> T {
    const PATIENCE: Duration = Duration::from_secs(1);
    const TICK: Duration = Duration::from_millis(100);
    let (working, over) = channel::<()>();
    let show = move || {
        if over.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let spinner = ProgressBar::new_spinner().with_elapsed(PATIENCE);
            let template = "{spinner} thinking for {elapsed}; Ctrl-C asks for what is known so far";
            if let Ok(style) = ProgressStyle::with_template(template) {
                spinner.set_style(style);
            }
            spinner.enable_steady_tick(TICK);
            // Nothing is sent: it ends when the work does.
            let _ = over.recv();
            spinner.finish_and_clear();
        }
    };
    thread::scope(|scope| {
        // Where no thread is to be had, nothing is shown.
        let _ = thread::Builder::new().spawn_scoped(scope, show);
        let done = work();
        drop(working);
        done
    })
}

fn report(
    start: &DynGame,
    game: &DynGame,
    moves: &[DynMove],
    analysis: &Analysis,
    ms: f64,
) -> AnalysisReport {
    AnalysisReport {
        game: start.name(),
        moves: list(&texts(game, moves)),
        to_move: game.side_name(analysis.to_move),
        result: match analysis.verdict {
            Verdict::Win => "win",
            Verdict::Draw => "draw",
            Verdict::Loss => "loss",
            Verdict::Unknown => "unknown",
        },
        plies: analysis.plies,
        margin: analysis.margin,
        best: texts(game, &analysis.best),
        pv: texts(game, &analysis.line),
        exact: analysis.exact,
        nodes: analysis.nodes,
        ms,
        player: None,
    }
}

/// What a player chose, without any claim.
fn choice(
    start: &DynGame,
    game: &DynGame,
    moves: &[DynMove],
    chooser: &Chooser,
    chosen: Option<DynMove>,
    ms: f64,
) -> AnalysisReport {
    let chosen = texts(game, chosen.as_slice());
    AnalysisReport {
        game: start.name(),
        moves: list(&texts(game, moves)),
        to_move: game.side_name(game.to_move()),
        result: "unknown",
        plies: None,
        margin: None,
        best: chosen.clone(),
        pv: chosen,
        exact: false,
        nodes: 0,
        ms,
        player: Some(chooser.name.clone()),
    }
}

/// Writes a report as one line.
fn write_report(
    output: &mut impl Write,
    json: bool,
    report: &AnalysisReport,
) -> Result<(), Failure> {
    if json {
        serde_json::to_writer(&mut *output, report)?;
        return Ok(writeln!(output)?);
    }
    let to_move = report.to_move;
    let plies = report.plies.unwrap_or_default();
    let moves = if plies == 1 { "move" } else { "moves" };
    let points = match report.margin {
        Some(margin) if margin != 0 => format!(" by {}", margin.abs()),
        _ => String::new(),
    };
    match (report.result, plies) {
        ("win", 0) => write!(output, "{to_move} has won{points}")?,
        ("loss", 0) => write!(output, "{to_move} has lost{points}")?,
        ("draw", 0) => write!(output, "the game is drawn")?,
        ("win", _) => write!(output, "{to_move} wins{points} in {plies} {moves}")?,
        ("loss", _) => write!(output, "{to_move} loses{points} in {plies} {moves}")?,
        ("draw", _) => write!(output, "{to_move} draws in {plies} {moves}")?,
        _ => write!(output, "{to_move} to move, not proved")?,
    }
    if let Some(player) = &report.player {
        let best = report.best.first().map_or("nothing", String::as_str);
        write!(output, "; {player} plays {best}")?;
    } else if !report.best.is_empty() {
        let guess = if report.exact { "best" } else { "perhaps" };
        write!(output, "; {guess}: {}", report.best.join(" "))?;
        write!(output, "; line: {}", list(&report.pv))?;
    }
    writeln!(output)?;
    Ok(())
}
