//! Games on file.

use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use open_ttt_app::result_text;
use open_ttt_catalog::{Catalog, DynGame, DynMove};
use open_ttt_lib::rules::{Drawing, Notation, Outcome, Side, TwoPlayerGame};
use open_ttt_players::{Termination, TextRecord};

use super::{count, read_line};
use crate::failure::{Failure, path_text};

/// A game of a file, with its moves checked.
pub(super) struct GameOnFile {
    /// The line of the file, from 1.
    pub(super) number: u32,
    pub(super) record: TextRecord,
    pub(super) start: DynGame,
    pub(super) moves: Vec<DynMove>,
}

/// Calls `work` with each game of a file, or with one of them.
pub(super) fn for_each_game(
    path: &Path,
    wanted: Option<u32>,
    catalog: &Catalog,
    mut work: impl FnMut(GameOnFile) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let unreadable = Failure::file("read", path);
    let mut input = BufReader::new(File::open(path).map_err(&unreadable)?);
    let mut number = 0;
    while let Some(line) = read_line(&mut input, TextRecord::MAX_LENGTH).map_err(&unreadable)? {
        number += 1;
        if wanted.is_some_and(|wanted| wanted != number) {
            continue;
        }
        let saved = line.and_then(|line| GameOnFile::new(number, &line, catalog));
        let saved = saved.map_err(|Failure { message, .. }| {
            let path = path_text(path);
            Failure::failed(format_args!("{path}, line {number}: {message}"))
        })?;
        work(saved)?;
        if wanted.is_some() {
            break;
        }
    }
    match wanted {
        Some(wanted) if wanted != number => Err(Failure::usage(format_args!(
            "{} has only {}",
            path_text(path),
            count(number, "game", "games")
        ))),
        _ => Ok(()),
    }
}

impl GameOnFile {
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

    /// The game and its players, a line each.
    pub(super) fn heading(&self) -> String {
        let mut heading = format!("Game {}: {}\n", self.number, self.record.game());
        for side in Side::BOTH {
            let (name, player) = (self.start.side_name(side), self.record.player(side));
            // Writing to a string can't fail.
            let _ = writeln!(heading, "{name}: {player}");
        }
        heading
    }

    /// The end of the game: `O resigns; X wins`.
    pub(super) fn result(&self) -> String {
        let position = self
            .moves
            .iter()
            .fold(self.start.clone(), |position, &m| position.after(m));
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
}
