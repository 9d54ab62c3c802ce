use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use open_ttt_app::draw::{Size, draw};
use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_lib::rules::{Drawing, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::{Ending, TextRecord};
use serde::Serialize;

use super::{list, read_line, texts};
use crate::args;
use crate::failure::{Failure, shown};

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
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = args::game_count)]
    pub(crate) game: Option<u32>,
    /// Show only the last board of a game
    #[arg(long)]
    pub(crate) end: bool,
    /// Print one JSON object a game
    #[arg(long, conflicts_with = "end")]
    pub(crate) json: bool,
}

/// What `--json` prints; a stable format.
#[derive(Serialize)]
struct ReplayReport<'a> {
    /// Which line of the file it is.
    number: u32,
    game: &'a str,
    first: &'a str,
    second: &'a str,
    moves: String,
    plies: usize,
    /// `first`, `second`, or null for a draw.
    winner: Option<&'static str>,
    /// `finished` by the rules, `resigned` or `forfeited` by the loser.
    ending: &'static str,
}

/// A game of the file, played again.
struct Replay {
    number: u32,
    record: TextRecord,
    start: DynGame,
    moves: Vec<DynMove>,
}

pub(crate) fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let path = args.file.as_path();
    let unreadable =
        |error: io::Error| Failure::failed(format_args!("{} cannot be read: {error}", shown(path)));
    let mut input = BufReader::new(File::open(path).map_err(unreadable)?);
    let mut output = BufWriter::new(io::stdout().lock());
    let mut number = 0;
    while let Some(line) = read_line(&mut input).map_err(unreadable)? {
        number += 1;
        if args.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let replay = line.and_then(|line| replay(number, &line));
        let result = replay.map(|replay| show(args, &replay, &mut output));
        // What was shown before the failure is seen before it.
        result.or_else(|failure| {
            output.flush()?;
            Err(in_line(path, number, &failure))
        })??;
        if args.game.is_some() {
            break;
        }
    }
    output.flush()?;
    match args.game {
        Some(wanted) if wanted != number => Err(Failure::usage(format_args!(
            "{} has no game {wanted}, only {number}",
            shown(path)
        ))),
        _ => Ok(()),
    }
}

fn in_line(path: &Path, number: u32, failure: &Failure) -> Failure {
    Failure::failed(format_args!(
        "{}, line {number}: {}",
        shown(path),
        failure.message
    ))
}

/// Reads a line, and plays its game by the rules.
fn replay(number: u32, line: &str) -> Result<Replay, Failure> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let record: TextRecord = line.parse().map_err(Failure::failed)?;
    let (start, moves) = record.replay().map_err(Failure::failed)?;
    Ok(Replay {
        number,
        record,
        start,
        moves,
    })
}

fn show(args: &ReplayArgs, replay: &Replay, output: &mut impl Write) -> Result<(), Failure> {
    if args.json {
        serde_json::to_writer(&mut *output, &report(replay))?;
        return Ok(writeln!(output)?);
    }
    let Replay {
        number,
        record,
        start,
        moves,
    } = replay;
    let side = |side| start.side_name(side);
    if *number > 1 && args.game.is_none() {
        writeln!(output)?;
    }
    writeln!(output, "Game {number}: {}", record.game())?;
    for seat in Side::BOTH {
        writeln!(output, "{}: {}", side(seat), record.seat(seat))?;
    }
    let mut position = start.clone();
    for (ply, &m) in moves.iter().enumerate() {
        let (mover, text) = (side(position.to_move()), position.move_text(m));
        position.play_unchecked(m);
        if !args.end {
            writeln!(output, "\n{}. {mover} plays {text}", ply + 1)?;
            write!(output, "{}", board(&position))?;
        }
    }
    if args.end {
        write!(output, "\n{}", board(&position))?;
    }
    writeln!(output, "\n{}", end(replay, &position))?;
    Ok(())
}

fn board(position: &DynGame) -> String {
    draw(&position.picture(), Size::default()).to_string()
}

/// How the game ended, as a sentence.
fn end(replay: &Replay, position: &DynGame) -> String {
    let record = &replay.record;
    let loser = position.side_name(position.to_move());
    let how = match record.ending() {
        Ending::Finished => String::new(),
        Ending::Resigned => format!("{loser} resigns; "),
        Ending::Forfeited => format!("{loser} goes on with illegal moves; "),
    };
    let points = position.picture().points;
    let result = match (record.outcome(), points) {
        (Outcome::Draw, None) => "Draw".to_owned(),
        (Outcome::Draw, Some([first, second])) => format!("Draw, {first} to {second}"),
        (Outcome::Win(side), Some(points)) if record.ending() == Ending::Finished => format!(
            "{} wins {} to {}",
            position.side_name(side),
            points[side.index()],
            points[side.other().index()]
        ),
        (Outcome::Win(side), _) => format!("{} wins", position.side_name(side)),
    };
    format!("{how}{result}")
}

fn report(replay: &Replay) -> ReplayReport<'_> {
    let record = &replay.record;
    ReplayReport {
        number: replay.number,
        game: record.game(),
        first: record.seat(Side::First),
        second: record.seat(Side::Second),
        moves: list(&texts(&replay.start, &replay.moves)),
        plies: replay.moves.len(),
        winner: record.outcome().winner().map(|side| match side {
            Side::First => "first",
            Side::Second => "second",
        }),
        ending: match record.ending() {
            Ending::Finished => "finished",
            Ending::Resigned => "resigned",
            Ending::Forfeited => "forfeited",
        },
    }
}
