use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use open_ttt_app::PlayedGame;
use open_ttt_catalog::DynGame;
use open_ttt_players::{Termination, TextRecord};

use super::{KeptGames, UnfinishedGame};

/// The name of a person in the records.
pub(super) const PERSON: &str = "human";

/// Keeps the games of one session.
#[derive(Debug)]
pub(crate) struct GameKeeper {
    games: KeptGames,
    /// The file of the game that is played.
    current: RefCell<Option<(File, PathBuf)>>,
}

impl GameKeeper {
    /// Keeps new games.
    pub(crate) const fn new(games: KeptGames) -> Self {
        Self {
            games,
            current: RefCell::new(None),
        }
    }

    /// Keeps a game that is gone on with, and the games after it.
    pub(crate) fn of(games: KeptGames, unfinished: UnfinishedGame) -> Self {
        Self {
            games,
            current: RefCell::new(Some(unfinished.into_file())),
        }
    }

    /// Keeps a game after a move or at its end. Games between computers aren't kept.
    ///
    /// # Errors
    ///
    /// If a file can't be written, as a sentence without its full stop.
    pub(crate) fn keep(&self, game: &PlayedGame<'_, DynGame>) -> Result<(), String> {
        if game.computers.iter().all(Option::is_some) {
            return Ok(());
        }
        let players = game.computers.map(|name| name.unwrap_or(PERSON));
        let end = match game.end {
            Some((outcome, termination)) => (Some(outcome), termination),
            None => (None, Termination::Unfinished),
        };
        let (start, moves) = (game.history.start(), game.history.moves());
        let record = TextRecord::of_moves(start, moves, players, end);
        let record = record.map_err(|error| error.to_string())?;
        self.write(&record, moves.is_empty())
            .map_err(|error| error.to_string())
    }

    fn write(&self, record: &TextRecord, is_empty: bool) -> io::Result<()> {
        let mut current = self.current.borrow_mut();
        if record.termination() != Termination::Unfinished {
            self.games.add_finished(record)?;
        }
        if is_empty || record.termination() != Termination::Unfinished {
            // The next game begins in the same file.
            return current.as_ref().map_or(Ok(()), |(file, _)| file.set_len(0));
        }
        let (file, _) = match &mut *current {
            Some(current) => current,
            none => none.insert(self.games.create_unfinished()?),
        };
        // One call: a program that is killed has written the line or not.
        file.write_all(format!("{record}\n").as_bytes())
    }
}

impl Drop for GameKeeper {
    fn drop(&mut self) {
        if let Some((file, path)) = self.current.get_mut()
            && file.metadata().is_ok_and(|data| data.len() == 0)
        {
            // The next start removes what is left.
            let _ = fs::remove_file(path);
        }
    }
}
