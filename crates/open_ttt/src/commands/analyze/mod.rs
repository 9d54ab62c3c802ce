mod batch;

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use open_ttt_app::clock;
use open_ttt_catalog::{AnalysisResult, DynGame, PlayerSpec};
use open_ttt_coach::{GameValue, Judge, PositionValues, SolvedValue, hint};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{History, Named, Notation, TwoPlayerGame};
use open_ttt_players::{PlayerFactory, Turn, request_move};
use open_ttt_search::{Budget, StopFlag};
use serde::Serialize;

use super::values::{HintReport, MoveReport};
use super::{
    ValueReport, join_moves, line_texts, milliseconds, move_list, move_texts, played,
    progress_style, threads,
};
use crate::args::{self, PositionArgs};
use crate::computers;
use crate::failure::Failure;
use crate::interrupt;

/// Show the result of a position under best play, and the best moves
///
/// The result is for the side to move: the fastest win, the slowest loss, the most
/// points. In games for which that is quick enough the search runs until the result is
/// proved, which can take minutes. In other games, or with --time, the result can
/// remain unknown and the best move a guess. Ctrl-C stops the search and prints what is
/// known so far.
#[derive(Debug, clap::Args)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) position: PositionArgs,
    /// How long to search each position: 500ms, 10s, 2m [default: until the result is
    /// proved, or 10s in games that can't be proved]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = args::duration)]
    pub(crate) time: Option<Duration>,
    /// Show this player's move instead of an analysis
    #[arg(long, value_name = "SPEC", value_parser = args::computer, conflicts_with = "time")]
    pub(crate) player: Option<PlayerSpec>,
    /// Show what every legal move is worth, too, and why one of the best is good
    #[arg(long, conflicts_with = "player")]
    pub(crate) values: bool,
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
#[derive(Default, Serialize)]
struct AnalysisReport {
    game: String,
    moves: String,
    to_move: &'static str,
    #[serde(flatten)]
    value: ValueReport,
    best: Vec<String>,
    pv: Vec<String>,
    exact: bool,
    nodes: u64,
    ms: f64,
    /// With `--values` every legal move, the best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<MoveReport>>,
    /// With `--values` a good move and why, unless the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<HintReport>,
    /// The player whose move `best` is; `None` for an analysis.
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<String>,
}

/// The time for a position without a limit in a game that cannot be solved.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

/// How each position is analyzed.
struct Analyzer {
    start: DynGame,
    /// The threads for a position.
    threads: NonZero<usize>,
    time: Option<Duration>,
    /// The player whose moves replace the analysis, with its seed.
    player: Option<(String, PlayerFactory<'static, DynGame>, u64)>,
    values: bool,
    json: bool,
    stop: StopFlag,
}

pub(crate) fn run(args: &AnalyzeArgs) -> Result<(), Failure> {
    let PositionArgs { game, moves } = &args.position;
    let player = args.player.as_ref().map(|spec| {
        let seed = spec.seed.unwrap_or_else(|| Rng::from_entropy().next_u64());
        let players = computers::players("--player", spec, game)?;
        Ok::<_, Failure>((spec.to_string(), players, seed))
    });
    let analyzer = Analyzer {
        start: game.clone(),
        threads: threads(args.threads),
        time: args.time,
        player: player.transpose()?,
        values: args.values,
        json: args.json,
        stop: interrupt::flag(),
    };
    if args.batch {
        return batch::run(analyzer);
    }
    let line = with_spinner(|| analyzer.line(moves))?;
    Ok(writeln!(io::stdout(), "{line}")?)
}

impl Analyzer {
    /// The report on the position after these moves as one line.
    fn line(&self, moves: &str) -> Result<String, Failure> {
        let report = self.report(moves)?;
        if self.json {
            return Ok(serde_json::to_string(&report)?);
        }
        Ok(report.text())
    }

    fn report(&self, moves: &str) -> Result<AnalysisReport, Failure> {
        let history = played(&self.start, moves)?;
        let game = history.position();
        let player = self.player.as_ref();
        let player = player.filter(|_| history.outcome().is_none());
        let started = Instant::now();
        let mut report = AnalysisReport {
            game: self.start.name(),
            moves: move_list(&history),
            to_move: game.side_name(game.to_move()),
            player: player.map(|(name, ..)| name.clone()),
            ..AnalysisReport::default()
        };
        if let Some((_, players, seed)) = player {
            // A new player: other positions of a batch don't affect its move.
            let turn = Turn::of(&history).with_stop(self.stop.clone());
            let mut player = players(*seed);
            let chosen = request_move(turn, &mut player).ok();
            if let Some(failure) = player.failure() {
                return Err(Failure::failed(failure));
            }
            report.best = move_texts(game, chosen.as_slice());
            report.pv.clone_from(&report.best);
        } else if self.values {
            self.add_values(&history, &mut report);
        } else {
            let budget = self.budget(game);
            let analysis = AnalysisResult::of_game(&history, self.threads, &budget, &self.stop);
            report.value = ValueReport::new(analysis.value);
            report.best = move_texts(game, &analysis.best);
            report.pv = line_texts(game, &analysis.principal_variation);
            report.exact = analysis.exact;
            report.nodes = analysis.nodes;
        }
        report.ms = milliseconds(started.elapsed());
        Ok(report)
    }

    /// Adds what every move is worth. The best one tells the value of the position.
    fn add_values(&self, history: &History<DynGame>, report: &mut AnalysisReport) {
        let game = history.position();
        let turn = Turn::of(history).with_stop(self.stop.clone());
        let is_over = history.outcome();
        let values = if is_over.is_some() {
            PositionValues::new(Vec::new(), Vec::new(), 0)
        } else {
            let mut judge = game.judge(self.threads);
            judge.judge(&turn, &self.budget(game), &mut |_| ())
        };
        let value = match is_over {
            Some(outcome) => SolvedValue::finished(outcome, game.to_move()),
            None => values.result(),
        };
        // A draw lasts as long as best play that ends the game.
        let mut end = history.clone();
        values.line.iter().for_each(|&m| end.play_unchecked(m));
        let to_end = end.outcome().map(|_| values.line.len() as u32);
        let value = match value.result {
            GameValue::Draw => value.with_plies(value.plies.or(to_end)),
            _ => value,
        };
        report.value = ValueReport::new(value);
        let best: Vec<_> = values.best_moves().map(|value| value.m).collect();
        report.best = move_texts(game, &best);
        report.pv = line_texts(game, &values.line);
        report.exact = is_over.is_some() || value.is_proved();
        report.nodes = values.nodes;
        report.hint = hint(game, &values).map(|hint| HintReport::new(game, &hint));
        let moves = values.moves.iter();
        report.values = Some(moves.map(|value| MoveReport::new(game, value)).collect());
    }

    fn budget(&self, game: &DynGame) -> Budget {
        match self.time {
            Some(time) => Budget::time(time, clock()),
            None if game.can_be_proved() => Budget::UNLIMITED,
            None => Budget::time(DEFAULT_TIME, clock()),
        }
    }
}

impl AnalysisReport {
    fn text(&self) -> String {
        let to_move = self.to_move;
        if let Some(player) = &self.player {
            let choice = self.best.first();
            let action = choice.map_or_else(|| "resigns".to_owned(), |m| format!("plays {m}"));
            return format!("{to_move} to move; {player} {action}");
        }
        let result = match self.value.result {
            GameValue::Unknown => format!("{to_move} to move, result unknown"),
            _ => self.value.sentence(to_move),
        };
        if self.best.is_empty() {
            return result;
        }
        let label = if self.exact { "best" } else { "best guess" };
        let (best, line) = (self.best.join(" "), join_moves(&self.pv));
        let mut lines = vec![format!("{result}; {label}: {best}; line: {line}")];
        let values = self.values.iter().flatten();
        let width = values.clone().map(|value| value.text.chars().count()).max();
        let width = width.unwrap_or(0);
        lines.extend(values.map(|value| format!("{:width$}  {}", value.text, value.worth)));
        lines.extend(self.hint.iter().map(|hint| hint.sentence.clone()));
        lines.join("\n")
    }
}

/// Runs `work`, with a spinner on a terminal if it takes more than a second.
fn with_spinner<T>(work: impl FnOnce() -> T) -> T {
    const DELAY: Duration = Duration::from_secs(1);
    const TICK: Duration = Duration::from_millis(100);
    let (running, done) = channel::<()>();
    let spin = move || {
        if done.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
            let template = "{spinner} searching for {elapsed}; Ctrl-C shows what is known so far";
            let spinner = ProgressBar::new_spinner().with_elapsed(DELAY);
            spinner.set_style(progress_style(template));
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
