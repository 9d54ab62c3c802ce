use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
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
    current: RefCell<Option<CurrentFile>>,
}

/// The file of an unfinished game, locked.
#[derive(Debug)]
pub(super) struct CurrentFile {
    pub(super) file: File,
    pub(super) path: PathBuf,
    /// The bytes of its whole lines.
    pub(super) length: u64,
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
            let Some(current) = &mut *current else {
                return Ok(());
            };
            current.length = 0;
            return current.file.set_len(0);
        }
        let current = match &mut *current {
            Some(current) => current,
            none => none.insert(self.games.create_unfinished()?),
        };
        current.add_line(&record.to_string())
    }
}

impl CurrentFile {
    fn add_line(&mut self, line: &str) -> io::Result<()> {
        // A disk that was full may have taken a part of the last one.
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        let line = format!("{line}\n");
        // One call: a program that is killed has written the line or not.
        self.file.write_all(line.as_bytes())?;
        self.length += line.len() as u64;
        Ok(())
    }
}

impl Drop for GameKeeper {
    fn drop(&mut self) {
        if let Some(CurrentFile { file, path, .. }) = self.current.get_mut()
            && file.metadata().is_ok_and(|data| data.len() == 0)
        {
            // The next start removes what is left.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use open_ttt_catalog::Catalog;
    use open_ttt_lib::rules::Notation;

    use super::*;

    /// A folder with games of tic-tac-toe, which is removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = format!("open_ttt-kept-{}-{name}", process::id());
            Self(env::temp_dir().join(folder))
        }

        fn games(&self) -> KeptGames {
            KeptGames::new(&self.0)
        }

        #[track_caller]
        fn unfinished(&self) -> Option<UnfinishedGame> {
            let (mut games, problems) = self.games().unfinished(&Catalog::bundled());
            assert!(problems.is_empty(), "{problems:?}");
            games.pop()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn write(keeper: &GameKeeper, moves: &str, end: &str) {
        let record = format!("ttt\thuman\thuman\t{moves}\t{end}");
        let record = record.parse().expect("a record");
        keeper.write(&record, false).expect("a file");
    }

    fn move_texts(game: &UnfinishedGame) -> Vec<String> {
        let moves = game.moves().iter();
        moves.map(|&m| game.game().move_text(m)).collect()
    }

    #[test]
    fn a_game_is_kept_until_it_is_over() {
        let folder = Folder::new("until it is over");
        let keeper = GameKeeper::new(folder.games());
        write(&keeper, "a1", "*");
        write(&keeper, "a1 b2", "*");
        assert!(folder.unfinished().is_none(), "its file is locked");
        drop(keeper);

        let game = folder.unfinished().expect("an unfinished game");
        assert_eq!(game.summary(), "Tic-tac-toe, 2 moves, two people");
        let keeper = GameKeeper::of(folder.games(), game);
        write(&keeper, "a1 b2 a2", "*");
        write(&keeper, "a1 b2 a2", "1-0 resigned");
        // The next game begins in the same file.
        write(&keeper, "c3", "*");
        drop(keeper);
        let finished = fs::read_to_string(folder.0.join("games-v1/finished.tsv"));
        let expected = "ttt\thuman\thuman\ta1 b2 a2\t1-0 resigned\n";
        assert_eq!(finished.expect("a file"), expected);
        let game = folder.unfinished().expect("an unfinished game");
        assert_eq!(move_texts(&game), ["c3"]);
        game.remove().expect("its file can be removed");
        drop(game);
        assert!(folder.unfinished().is_none());
    }

    #[test]
    fn a_game_goes_on_behind_its_last_whole_line() {
        let folder = Folder::new("behind a whole line");
        let keeper = GameKeeper::new(folder.games());
        write(&keeper, "a1", "*");
        let part = b"ttt\thuman\thum";
        let write_part = |keeper: &GameKeeper| {
            let mut current = keeper.current.borrow_mut();
            let file = &mut current.as_mut().expect("a file").file;
            file.write_all(part).expect("a file");
        };
        // A full disk, on which there is room again.
        write_part(&keeper);
        write(&keeper, "a1 b2", "*");
        // A program that is killed.
        write_part(&keeper);
        drop(keeper);
        let game = folder.unfinished().expect("an unfinished game");
        assert_eq!(move_texts(&game), ["a1", "b2"]);
        let keeper = GameKeeper::of(folder.games(), game);
        write(&keeper, "a1 b2 c3", "*");
        drop(keeper);
        let game = folder.unfinished().expect("an unfinished game");
        assert_eq!(move_texts(&game), ["a1", "b2", "c3"]);
        let text = fs::read_to_string(&game.into_file().path).expect("a file");
        assert_eq!(text.lines().count(), 3, "{text}");
    }
}
