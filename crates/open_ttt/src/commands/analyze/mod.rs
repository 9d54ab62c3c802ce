mod batch;
mod move_chooser;

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use open_ttt_app::clock;
use open_ttt_catalog::{DynGame, GameValue, PlayerSpec};
use open_ttt_lib::rules::{Named, Notation, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};
use serde::{Serialize, Serializer};

use super::{
    join_moves, milliseconds, move_list, move_texts, position_after, result_sentence, threads,
    write_json,
};
use crate::args::{self, PositionArgs};
use crate::failure::Failure;
use crate::interrupt;
use move_chooser::MoveChooser;

/// Show the result of a position under best play, and the best moves
///
/// The result is for the side to move: the fastest win, the slowest loss, the most
/// points. In games that can be solved (ttt, pegs, connect4, mnk on up to 12 cells)
/// the search runs until the result is proved, which can take minutes. In other
/// games, or with --time, the result can remain unknown and the best move a guess.
/// Ctrl-C stops the search and prints what is known so far.
#[derive(Debug, clap::Args)]
#[command(after_help = args::COMPUTERS)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How long to search each position: 500ms, 10s, 2m [default: until the result is
    /// proved, or 10s in games that can't be solved]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = args::duration)]
    pub(crate) time: Option<Duration>,
    /// Show this player's move instead of an analysis
    #[arg(long, value_name = "SPEC", value_parser = args::computer, conflicts_with = "time")]
    pub(crate) player: Option<PlayerSpec>,
    /// Read positions from standard input, each a line of moves
    #[arg(long, conflicts_with = "moves")]
    pub(crate) batch: bool,
    /// Number of threads for a position, or of positions at a time in a batch
    /// [default: all cores]
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    pub(crate) threads: Option<u16>,
    /// Print a JSON object for each position
    #[arg(long)]
    pub(crate) json: bool,
}

/// The output of `--json`; a stable format.
#[derive(Serialize)]
struct AnalysisReport {
    game: String,
    moves: String,
    to_move: &'static str,
    #[serde(serialize_with = "serialize_value")]
    result: GameValue,
    plies: Option<u32>,
    margin: Option<i32>,
    best: Vec<String>,
    pv: Vec<String>,
    exact: bool,
    nodes: u64,
    ms: f64,
    /// The player whose move `best` is; `None` for an analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<String>,
}

/// The time for a position without a limit in a game that cannot be solved.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// The settings for the analysis of each position.
#[derive(Clone)]
struct Analyzer {
    /// The threads for a position.
    threads: NonZero<usize>,
    time: Option<Duration>,
    /// Replaces the analysis.
    chooser: Option<Arc<MoveChooser>>,
    json: bool,
    stop: StopFlag,
}

pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let chooser = args.player.as_ref();
    let chooser = chooser.map(|spec| MoveChooser::new(&args.position.game, spec));
    let analyzer = Analyzer {
        threads: threads(args.threads),
        time: args.time,
        chooser: chooser.transpose()?.map(Arc::new),
        json: args.json,
        stop: interrupt::flag(),
    };
    if args.batch {
        return batch::run(args, &analyzer);
    }
    let PositionArgs { game, moves } = &args.position;
    let report = with_spinner(|| analyzer.analyze(game, moves))?;
    let mut output = Vec::new();
    analyzer.write_report(&mut output, &report)?;
    Ok(io::stdout().write_all(&output)?)
}

impl Analyzer {
    fn budget(&self, game: &DynGame) -> Budget {
        match self.time {
            Some(time) => Budget::time(time, clock()),
            None if game.can_be_proved() => Budget::UNLIMITED,
            None => Budget::time(DEFAULT_TIME, clock()),
        }
    }

    fn analyze(&self, start: &DynGame, moves: &str) -> Result<AnalysisReport, Failure> {
        let (game, moves) = position_after(start, moves)?;
        let started = Instant::now();
        let chooser = self.chooser.as_ref();
        let mut report = match chooser.filter(|_| game.outcome().is_none()) {
            Some(chooser) => self.choose(&game, chooser),
            None => self.analyze_position(&game),
        };
        report.ms = milliseconds(started.elapsed());
        report.game = start.name();
        report.moves = move_list(&game, &moves);
        Ok(report)
    }

    fn analyze_position(&self, game: &DynGame) -> AnalysisReport {
        let analysis = game.analyze(self.threads, &self.budget(game), &self.stop);
        AnalysisReport {
            to_move: game.side_name(analysis.to_move),
            result: analysis.result,
            plies: analysis.plies,
            margin: analysis.margin,
            best: move_texts(game, &analysis.best),
            pv: move_texts(game, &analysis.principal_variation),
            exact: analysis.exact,
            nodes: analysis.nodes,
            ..AnalysisReport::unknown(game)
        }
    }

    fn choose(&self, game: &DynGame, chooser: &MoveChooser) -> AnalysisReport {
        let chosen = chooser.choose(game, &self.stop);
        let chosen = move_texts(game, chosen.as_slice());
        AnalysisReport {
            best: chosen.clone(),
            pv: chosen,
            player: Some(chooser.name.clone()),
            ..AnalysisReport::unknown(game)
        }
    }

    /// Writes a report as one line.
    fn write_report(
        &self,
        output: &mut impl Write,
        report: &AnalysisReport,
    ) -> Result<(), Failure> {
        if self.json {
            return write_json(output, report);
        }
        let to_move = report.to_move;
        if let Some(player) = &report.player {
            let choice = report.best.first();
            let action = choice.map_or_else(|| "resigns".to_owned(), |m| format!("plays {m}"));
            return Ok(writeln!(output, "{to_move} to move; {player} {action}")?);
        }
        let result = match report.result {
            GameValue::Unknown => format!("{to_move} to move, result unknown"),
            result => result_sentence(to_move, result, report.margin, report.plies),
        };
        write!(output, "{result}")?;
        if !report.best.is_empty() {
            let label = if report.exact { "best" } else { "best guess" };
            let (best, line) = (report.best.join(" "), join_moves(&report.pv));
            write!(output, "; {label}: {best}; line: {line}")?;
        }
        Ok(writeln!(output)?)
    }
}

impl AnalysisReport {
    /// A report that claims nothing.
    fn unknown(game: &DynGame) -> Self {
        Self {
            game: String::new(),
            moves: String::new(),
            to_move: game.side_name(game.to_move()),
            result: GameValue::Unknown,
            plies: None,
            margin: None,
            best: Vec::new(),
            pv: Vec::new(),
            exact: false,
            nodes: 0,
            ms: 0.0,
            player: None,
        }
    }
}

/// Runs `work`, with a spinner on a terminal if it takes more than a second.
fn with_spinner<T>(work: impl FnOnce() -> T) -> T {
    const DELAY: Duration = Duration::from_secs(1);
    const TICK: Duration = Duration::from_millis(100);
    let (running, done) = channel::<()>();
    let spin = move || {
        if done.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
            let spinner = ProgressBar::new_spinner().with_elapsed(DELAY);
            let template = "{spinner} searching for {elapsed}; Ctrl-C shows what is known so far";
            if let Ok(style) = ProgressStyle::with_template(template) {
                spinner.set_style(style);
            }
            spinner.enable_steady_tick(TICK);
            // Returns when `running` is dropped.
            let _ = done.recv();
            spinner.finish_and_clear();
        }
    };
    thread::scope(|scope| {
        // Without a thread there is no spinner.
        let _ = thread::Builder::new().spawn_scoped(scope, spin);
        let result = work();
        drop(running);
        result
    })
}

fn serialize_value<S: Serializer>(value: &GameValue, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(value.as_str())
}
