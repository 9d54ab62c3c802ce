use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use open_ttt_app::draw::{Size, draw};
use open_ttt_app::winning_lines;
use open_ttt_catalog::{Catalog, DynGame};
use open_ttt_lib::rules::{Drawing, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::Termination;
use serde::Serialize;

use super::records::{GameOnFile, for_each_game};
use super::{join_moves, line_texts, write_json};
use crate::args;
use crate::failure::Failure;

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
    #[arg(long, value_name = "N", value_parser = args::game_count)]
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
    let mut output = BufWriter::new(io::stdout().lock());
    let read = for_each_game(&args.file, args.game, catalog, |saved| {
        if args.json {
            write_json(&mut output, &ReplayReport::new(&saved))
        } else {
            show(&saved, args, &mut output)
        }
    });
    // The earlier games precede the error.
    output.flush()?;
    read
}

fn show(saved: &GameOnFile, args: &ReplayArgs, output: &mut impl Write) -> Result<(), Failure> {
    if saved.number > 1 && args.game.is_none() {
        writeln!(output)?;
    }
    write!(output, "{}", saved.heading())?;
    let board = |position: &DynGame| draw(&position.picture(), Size::default()).to_string();
    let mut position = saved.start.clone();
    for (ply, &m) in (1..).zip(&saved.moves) {
        let mover = saved.start.side_name(position.to_move());
        let text = position.move_text(m);
        position.play_unchecked(m);
        if !args.end {
            writeln!(output, "\n{ply}. {mover} plays {text}")?;
            write!(output, "{}", board(&position))?;
        }
    }
    if args.end {
        write!(output, "\n{}", board(&position))?;
    }
    writeln!(output)?;
    let lines = |outcome| winning_lines(&position.picture(), outcome);
    if let Some(text) = position.outcome().and_then(lines) {
        writeln!(output, "{text}")?;
    }
    Ok(writeln!(output, "{}", saved.result())?)
}

impl<'a> ReplayReport<'a> {
    fn new(saved: &'a GameOnFile) -> Self {
        let record = &saved.record;
        Self {
            number: saved.number,
            game: record.game(),
            first: record.player(Side::First),
            second: record.player(Side::Second),
            moves: join_moves(&line_texts(&saved.start, &saved.moves)),
            plies: saved.moves.len(),
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
