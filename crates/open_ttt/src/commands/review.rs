use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use open_ttt_app::{clock, worth_text};
use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_coach::{Quality, Review, ReviewedMove, review};
use open_ttt_lib::rules::{History, Notation, Side, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};
use serde::Serialize;

use super::records::{GameOnFile, for_each_game};
use super::values::MoveReport;
use super::{count, join_moves, line_texts, milliseconds, progress_bar, threads, write_json};
use crate::args;
use crate::failure::Failure;
use crate::interrupt;

/// Judge the moves of saved games: what was best, what gave points away, where a game turned
///
/// Each line of the file is a game, as for `replay`. A move is `best`, `good` if it keeps the
/// result, an `inaccuracy`, a `mistake` that gives the result away, or a `blunder`. Values
/// that are not proved within the time are estimates. Ctrl-C ends the command with the games
/// judged so far.
#[derive(Debug, clap::Args)]
pub(crate) struct ReviewArgs {
    /// The file with the games
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Review only game number N, from 1
    #[arg(long, value_name = "N", value_parser = args::game_count)]
    game: Option<u32>,
    /// How long to search each game: 500ms, 10s, 2m
    #[arg(
        long,
        value_name = "TIME",
        default_value = "4s",
        allow_hyphen_values = true,
        value_parser = args::duration
    )]
    time: Duration,
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = args::thread_count())]
    threads: Option<u16>,
    /// Print a JSON object for each game
    #[arg(long)]
    json: bool,
}

/// The output of `--json`; a stable format.
#[derive(Serialize)]
struct ReviewReport<'a> {
    /// The line of the file, from 1.
    number: u32,
    game: &'a str,
    first: &'a str,
    second: &'a str,
    /// The accuracy of the first and the second side in percent.
    accuracy: [Option<f64>; 2],
    /// The number of the move with which the game turned, from 1.
    turning_point: Option<usize>,
    moves: Vec<ReviewedMoveReport>,
    ms: f64,
}

#[derive(Serialize)]
struct ReviewedMoveReport {
    /// `first` or `second`.
    side: &'static str,
    quality: &'static str,
    /// The points, from 0 to 1, that the side gave away.
    lost: f64,
    played: MoveReport,
    best: MoveReport,
    /// What was best, from the position before the move on.
    line: String,
    /// The points that the first side could expect after the move.
    first_expects: f64,
}

pub(crate) fn run(args: &ReviewArgs, catalog: &Catalog) -> Result<(), Failure> {
    let stop = interrupt::flag();
    let mut output = BufWriter::new(io::stdout().lock());
    let mut games = 0;
    let read = for_each_game(&args.file, args.game, catalog, |saved| {
        let started = Instant::now();
        let reviewed = Reviewed::new(saved, args, &stop);
        if stop.is_raised() {
            // Since then its moves have been judged at first sight only.
            return Err(Failure::failed(format_args!(
                "interrupted after {}",
                count(games, "game", "games")
            )));
        }
        games += 1;
        if args.json {
            write_json(&mut output, &reviewed.report(started.elapsed()))?;
        } else {
            if reviewed.saved.number > 1 && args.game.is_none() {
                writeln!(output)?;
            }
            output.write_all(reviewed.text().as_bytes())?;
        }
        Ok(output.flush()?)
    });
    // The earlier games precede the error.
    output.flush()?;
    read
}

/// A game of a file and its review.
struct Reviewed {
    saved: GameOnFile,
    game: History<DynGame>,
    review: Review<DynMove>,
}

impl Reviewed {
    fn new(saved: GameOnFile, args: &ReviewArgs, stop: &StopFlag) -> Self {
        let mut game = History::new(saved.start.clone());
        saved.moves.iter().for_each(|&m| game.play_unchecked(m));
        let mut judge = saved.start.judge(threads(args.threads));
        let template = "{wide_bar} {pos} of {len} moves judged";
        let bar = progress_bar(saved.moves.len() as u64, template);
        let budget = Budget::time(args.time, clock());
        let review = review(&game, &mut judge, &budget, stop, |judged| {
            bar.set_position(judged as u64);
        });
        bar.finish_and_clear();
        Self {
            saved,
            game,
            review,
        }
    }

    /// The number of the move with which the game turned, from 1.
    fn turning_point(&self) -> Option<usize> {
        let outcome = self.saved.record.outcome()?;
        Some(self.review.turning_point(outcome)? + 1)
    }

    /// The positions before each move.
    fn positions(&self) -> impl Iterator<Item = DynGame> {
        let mut position = self.game.start().clone();
        self.saved.moves.iter().map(move |&m| {
            let before = position.clone();
            position.play_unchecked(m);
            before
        })
    }

    fn text(&self) -> String {
        let Self { saved, review, .. } = self;
        let mut lines = vec![saved.heading().trim_end().to_owned()];
        let texts = self.game.move_texts();
        let width = texts.iter().map(|text| text.chars().count()).max();
        let names = Side::BOTH.map(|side| saved.start.side_name(side));
        let side_width = names.iter().map(|name| name.chars().count()).max();
        let (width, side_width) = (width.unwrap_or(0), side_width.unwrap_or(0));
        lines.push(String::new());
        let rows = (1..).zip(&review.moves).zip(self.positions()).zip(&texts);
        for (((ply, reviewed), position), text) in rows {
            let name = names[reviewed.side.index()];
            let remark = remark(&position, reviewed);
            let quality = reviewed.quality;
            let line =
                format!("{ply:3}. {name:side_width$}  {text:width$}  {quality:10}  {remark}");
            lines.push(line.trim_end().to_owned());
        }
        if !review.moves.is_empty() {
            lines.push(String::new());
            lines.push(format!("{}'s chances  {}", names[0], self.graph()));
        }
        for side in Side::BOTH {
            let name = names[side.index()];
            if let Some(accuracy) = review.accuracy[side.index()] {
                let count = |quality| {
                    let own = review.moves.iter().filter(|one| one.side == side);
                    own.filter(|one| one.quality == quality).count()
                };
                let counts: Vec<_> = Quality::ALL
                    .iter()
                    .map(|&quality| (quality, count(quality)))
                    .filter(|&(_, count)| count > 0)
                    .map(|(quality, count)| format!("{count} {quality}"))
                    .collect();
                lines.push(format!(
                    "{name}: accuracy {accuracy:.0} %, {}",
                    counts.join(", ")
                ));
            }
        }
        if let Some(number) = self.turning_point() {
            let name = names[review.moves[number - 1].side.index()];
            let text = &texts[number - 1];
            lines.push(format!(
                "The game turned with move {number}, {name}'s {text}."
            ));
        }
        lines.push(saved.result());
        lines.join("\n") + "\n"
    }

    /// What the first side could expect, before the first move and after each: a bar each.
    fn graph(&self) -> String {
        const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let bar = |expected: f64| BARS[((expected * 7.0).round() as usize).min(7)];
        let moves = &self.review.moves;
        let start = moves
            .first()
            .map(|first| first.expected_before(Side::First));
        let after = moves.iter().map(|one| one.expected_after(Side::First));
        start.into_iter().chain(after).map(bar).collect()
    }

    fn report(&self, took: Duration) -> ReviewReport<'_> {
        let record = &self.saved.record;
        let moves = self.review.moves.iter().zip(self.positions());
        let moves = moves.map(|(reviewed, position)| ReviewedMoveReport {
            side: ["first", "second"][reviewed.side.index()],
            quality: reviewed.quality.as_str(),
            lost: reviewed.lost,
            played: MoveReport::new(&position, &reviewed.played),
            best: MoveReport::new(&position, &reviewed.best),
            line: join_moves(&line_texts(&position, &reviewed.line)),
            first_expects: reviewed.expected_after(Side::First),
        });
        ReviewReport {
            number: self.saved.number,
            game: record.game(),
            first: record.player(Side::First),
            second: record.player(Side::Second),
            accuracy: self.review.accuracy,
            turning_point: self.turning_point(),
            moves: moves.collect(),
            ms: milliseconds(took),
        }
    }
}

/// What a move gave away: `X draws instead of wins in 5; better: b2 a1`.
fn remark(position: &DynGame, reviewed: &ReviewedMove<DynMove>) -> String {
    if reviewed.quality <= Quality::Good {
        return String::new();
    }
    let name = position.side_name(reviewed.side);
    let line = join_moves(&line_texts(position, &reviewed.line));
    let (played, best) = (
        worth_text(name, &reviewed.played),
        worth_text(name, &reviewed.best),
    );
    format!("{played}; better: {line} ({best})")
}
