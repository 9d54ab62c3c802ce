use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::PathBuf;

use open_ttt_app::draw::{Size, draw};
use open_ttt_app::result_text;
use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_lib::rules::{Drawing, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::{Termination, TextRecord};
use serde::Serialize;

use super::{count, join_moves, line_texts, read_line, write_json};
use crate::args;
use crate::failure::{Failure, path_text};

/// Show games saved by arena or archived by serve, move by move
///
/// Each line of the file is a game of five fields, separated by tabs: game, first
/// player, second player, moves, result. Every move is checked; an invalid line is an
/// error.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// The file with the games
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Show only game number N, from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = args::game_count)]
    pub(crate) game: Option<u32>,
    /// Show only the final board of each game
    #[arg(long)]
    pub(crate) end: bool,
    /// Print a JSON object for each game
    #[arg(long, conflicts_with = "end")]
    pub(crate) json: bool,
}

/// The output of `--json`; a stable format.
#[derive(Serialize)]
struct ReplayReport<'a> {
    /// The line of the file, from 1.
    number: u32,
    game: &'a str,
    first: &'a str,
    second: &'a str,
    moves: String,
    plies: usize,
    /// `first`, `second`, or null for a draw and an unfinished game.
    winner: Option<&'static str>,
    /// `finished` by the rules; `resigned`, `forfeited` or `abandoned` by the loser,
    /// who lost by `time`; `agreed`, a draw; or `unfinished`.
    ending: &'static str,
}

pub(crate) fn run(args: &ReplayArgs, catalog: &Catalog) -> Result<(), Failure> {
    let path = args.file.as_path();
    let unreadable = Failure::file("read", path);
    let mut input = BufReader::new(File::open(path).map_err(&unreadable)?);
    let mut output = BufWriter::new(io::stdout().lock());
    let mut number = 0;
    while let Some(line) = read_line(&mut input, TextRecord::MAX_LENGTH).map_err(&unreadable)? {
        number += 1;
        if args.game.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let replay = line.and_then(|line| Replay::new(number, &line, catalog));
        let replay = replay.or_else(|Failure { message, .. }| {
            // The earlier games precede the error.
            output.flush()?;
            let path = path_text(path);
            Err(Failure::failed(format_args!(
                "{path}, line {number}: {message}"
            )))
        })?;
        if args.json {
            write_json(&mut output, &replay.report())?;
        } else {
            replay.show(args, &mut output)?;
        }
        if args.game.is_some() {
            break;
        }
    }
    output.flush()?;
    match args.game {
        Some(wanted) if wanted != number => Err(Failure::usage(format_args!(
            "{} has only {}",
            path_text(path),
            count(number, "game", "games")
        ))),
        _ => Ok(()),
    }
}

/// A game of the file, with its moves checked.
struct Replay {
    number: u32,
    record: TextRecord,
    start: DynGame,
    moves: Vec<DynMove>,
}

impl Replay {
    /// Parses a line and checks its moves.
    fn new(number: u32, line: &str, catalog: &Catalog) -> Result<Self, Failure> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let record: TextRecord = line.parse().map_err(Failure::failed)?;
        let (start, moves) = record
            .replay(|name| catalog.game(name))
            .map_err(Failure::failed)?;
        Ok(Self {
            number,
            record,
            start,
            moves,
        })
    }

    fn show(&self, args: &ReplayArgs, output: &mut impl Write) -> Result<(), Failure> {
        let side = |side| self.start.side_name(side);
        if self.number > 1 && args.game.is_none() {
            writeln!(output)?;
        }
        writeln!(output, "Game {}: {}", self.number, self.record.game())?;
        for seat in Side::BOTH {
            writeln!(output, "{}: {}", side(seat), self.record.player(seat))?;
        }
        let board = |position: &DynGame| draw(&position.picture(), Size::default()).to_string();
        let mut position = self.start.clone();
        for (ply, &m) in (1..).zip(&self.moves) {
            let (mover, text) = (side(position.to_move()), position.move_text(m));
            position.play_unchecked(m);
            if !args.end {
                writeln!(output, "\n{ply}. {mover} plays {text}")?;
                write!(output, "{}", board(&position))?;
            }
        }
        if args.end {
            write!(output, "\n{}", board(&position))?;
        }
        Ok(writeln!(output, "\n{}", self.result(&position))?)
    }

    /// The end of the game: `O resigns; X wins`.
    fn result(&self, position: &DynGame) -> String {
        let winner = self.record.outcome().and_then(Outcome::winner);
        let loser = position.side_name(winner.map_or(position.to_move(), Side::other));
        let (how, points) = match self.record.termination() {
            Termination::Finished => (String::new(), position.picture().points),
            Termination::Resigned => (format!("{loser} resigns; "), None),
            Termination::Forfeited => (format!("{loser} forfeits; "), None),
            Termination::Time => (format!("{loser} runs out of time; "), None),
            Termination::Abandoned => (format!("{loser} leaves; "), None),
            Termination::Agreed => ("By agreement: ".to_owned(), None),
            Termination::Unfinished => (String::new(), None),
        };
        let names = Side::BOTH.map(|side| position.side_name(side));
        match self.record.outcome() {
            Some(outcome) => format!("{how}{}", result_text(names, outcome, points)),
            None => "Unfinished".to_owned(),
        }
    }

    fn report(&self) -> ReplayReport<'_> {
        let record = &self.record;
        ReplayReport {
            number: self.number,
            game: record.game(),
            first: record.player(Side::First),
            second: record.player(Side::Second),
            moves: join_moves(&line_texts(&self.start, &self.moves)),
            plies: self.moves.len(),
            winner: record
                .outcome()
                .and_then(Outcome::winner)
                .map(|side| ["first", "second"][side.index()]),
            ending: match record.termination() {
                Termination::Finished => "finished",
                Termination::Resigned => "resigned",
                Termination::Forfeited => "forfeited",
                Termination::Time => "time",
                Termination::Abandoned => "abandoned",
                Termination::Agreed => "agreed",
                Termination::Unfinished => "unfinished",
            },
        }
    }
}
