//! Games on disk, kept as they are played.
//!
//! A folder has one file for each unfinished game and one for all finished ones. A game is a
//! line, as [`TextRecord`] has it. The file of an unfinished game gets a line after every move,
//! and the last whole line counts: so a program that is killed loses nothing. The program that
//! plays a game has a lock on its file, which ends with the program.
//!
//! ```text
//! games-v1/unfinished-4711-1.tsv    the game of process 4711, a line for each move
//! games-v1/finished.tsv             the last 1000 games, a line each
//! games-v1/finished.lock            locked by whoever writes finished.tsv
//! ```

mod finished;
mod keeper;
mod unfinished;

use std::fs::{self, File};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use open_ttt_app::{Screen, SessionEnd};
use open_ttt_catalog::Catalog;
use open_ttt_players::TextRecord;

use keeper::CurrentFile;
pub(crate) use keeper::GameKeeper;
pub(crate) use unfinished::UnfinishedGame;
use unfinished::Unreadable;

use crate::failure::path_text;
use crate::folders::data_folder;

/// The folder, whose name has the version of the format.
const FOLDER: &str = "games-v1";
/// How the names of files with unfinished games begin.
const UNFINISHED: &str = "unfinished-";
/// The most unfinished games; older ones are put to the finished ones.
const MAX_UNFINISHED: usize = 20;

/// The user's games, if they are to be kept: only those of a terminal are, not those of a
/// script.
pub(crate) fn of_user(saves: bool) -> Option<KeptGames> {
    let is_wanted = saves && io::stdin().is_terminal();
    let folder = is_wanted.then(data_folder).flatten();
    folder.map(|folder| KeptGames::new(&folder))
}

/// Tells of the files that can't be read.
pub(crate) fn show_problems(screen: &mut Screen, problems: &[String]) -> Result<(), SessionEnd> {
    if problems.is_empty() {
        return Ok(());
    }
    screen.show("Saved games", &problems.join("\n\n"))
}

/// The kept games of a user.
#[derive(Clone, Debug)]
pub(crate) struct KeptGames {
    folder: PathBuf,
}

impl KeptGames {
    /// The games in the program's data folder.
    pub(crate) fn new(data_folder: &Path) -> Self {
        Self {
            folder: data_folder.join(FOLDER),
        }
    }

    /// The unfinished games that nobody plays, the latest first, and a sentence for each file
    /// that can't be read. A damaged file is put aside.
    pub(crate) fn unfinished(&self, catalog: &Catalog) -> (Vec<UnfinishedGame>, Vec<String>) {
        let (mut games, mut problems) = (Vec::new(), Vec::new());
        for path in self.unfinished_paths() {
            match UnfinishedGame::open(&path, catalog) {
                Ok(Some(game)) if games.len() < MAX_UNFINISHED => games.push(game),
                Ok(Some(game)) => {
                    // If that fails it is tried again the next time.
                    let _ = self.put_away(&game);
                }
                Ok(None) => {}
                Err(Unreadable::System(error)) => problems.push(format!(
                    "The unfinished game in {} can't be read: {error}.",
                    path_text(&path)
                )),
                Err(Unreadable::Damaged(error)) => {
                    let aside = path.with_extension("damaged");
                    let _ = fs::rename(&path, &aside);
                    problems.push(format!(
                        "An unfinished game can't be read: {error}. Its file is now {}.",
                        path_text(&aside)
                    ));
                }
            }
        }
        (games, problems)
    }

    /// Puts an unfinished game to the finished ones, as it is.
    pub(crate) fn put_away(&self, game: &UnfinishedGame) -> io::Result<()> {
        self.add_finished(game.record())?;
        game.remove()
    }

    /// The files of unfinished games, the latest first.
    fn unfinished_paths(&self) -> Vec<PathBuf> {
        // Without the folder there are no games.
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut paths: Vec<(SystemTime, PathBuf)> = entries
            .filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                name.starts_with(UNFINISHED) && name.ends_with(".tsv")
            })
            .map(|entry| {
                let changed = entry.metadata().and_then(|data| data.modified());
                (changed.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
            })
            .collect();
        paths.sort();
        paths.into_iter().rev().map(|(_, path)| path).collect()
    }

    fn add_finished(&self, record: &TextRecord) -> io::Result<()> {
        finished::add(&self.folder, record)
    }

    /// A new file for an unfinished game, locked.
    fn create_unfinished(&self) -> io::Result<CurrentFile> {
        fs::create_dir_all(&self.folder)?;
        let process = std::process::id();
        for number in 1.. {
            let path = self
                .folder
                .join(format!("{UNFINISHED}{process}-{number}.tsv"));
            let mut options = File::options();
            // Windows locks and truncates only what is opened for writing anywhere.
            match options.write(true).create_new(true).open(&path) {
                Ok(file) => {
                    file.lock()?;
                    let length = 0;
                    return Ok(CurrentFile { file, path, length });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}
