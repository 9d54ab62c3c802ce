use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use open_ttt_catalog::{DynGame, DynMove, Puzzles};
use open_ttt_coach::Puzzle;
use open_ttt_lib::rules::{Named, TwoPlayerGame};

/// The puzzles found, in memory and in a file to which new ones are appended: none twice by
/// symmetry.
#[derive(Debug)]
pub(crate) struct Collection {
    start: DynGame,
    /// The rating and the line of each.
    lines: Vec<(u32, String)>,
    /// How many are won at once.
    plain: usize,
    positions: HashSet<DynGame>,
    /// The games searched so far.
    games: u64,
    file: File,
}

/// One puzzle in so many may be won at once.
const PLAIN_SHARE: usize = 10;

/// The most moves to the position, so that the files stay small.
const MAX_MOVES: usize = 70;

/// What begins the line after the puzzles of a game.
const GAME: &str = "# game ";

impl Collection {
    /// Reads the puzzles that earlier runs have found.
    pub(crate) fn open(start: &DynGame, path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // A line that was not written to its end is removed.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64)?;
        text.truncate(whole);
        let mut collection = Self {
            start: start.clone(),
            lines: Vec::new(),
            plain: 0,
            positions: HashSet::new(),
            games: 0,
            file,
        };
        for (number, line) in (1..).zip(text.lines()) {
            let invalid = |cause: &dyn core::fmt::Display| {
                let message = format!("{}, line {number}: {cause}", path.display());
                io::Error::new(ErrorKind::InvalidData, message)
            };
            if let Some(game) = line.strip_prefix(GAME) {
                let game: u64 = game.parse().map_err(|error| invalid(&error))?;
                collection.games = collection.games.max(game + 1);
                continue;
            }
            let puzzle = Puzzles::read(start, line).map_err(|error| invalid(&error))?;
            collection.insert(&puzzle);
        }
        Ok(collection)
    }

    /// The number of the first game that hasn't been searched.
    pub(crate) const fn games(&self) -> u64 {
        self.games
    }

    /// The number of puzzles to choose from.
    pub(crate) fn len(&self) -> usize {
        let plain = self.plain.min(self.lines.len() / PLAIN_SHARE);
        self.lines.len() - self.plain + plain
    }

    /// Adds the puzzles of a game, also to the file.
    pub(crate) fn append(&mut self, game: u64, puzzles: &[Puzzle<DynMove>]) -> io::Result<()> {
        let mut text = String::new();
        for puzzle in puzzles {
            if self.insert(puzzle) {
                text += &self.start.puzzle_line(puzzle);
                text.push('\n');
            }
        }
        self.games = self.games.max(game + 1);
        for part in [GAME, &game.to_string(), "\n"] {
            text.push_str(part);
        }
        self.file.write_all(text.as_bytes())
    }

    /// Adds a puzzle; returns whether it is new.
    fn insert(&mut self, puzzle: &Puzzle<DynMove>) -> bool {
        let mut position = self.start.clone();
        for &m in &puzzle.moves {
            position.play_unchecked(m);
        }
        let is_new = puzzle.moves.len() <= MAX_MOVES && self.positions.insert(position.canonical());
        if is_new {
            self.plain += usize::from(puzzle.plies == Some(1));
            let line = self.start.puzzle_line(puzzle);
            self.lines.push((puzzle.rating, line));
        }
        is_new
    }

    /// Writes at most so many puzzles, the easiest first; returns how many.
    pub(crate) fn write(&self, path: &Path, count: usize) -> io::Result<usize> {
        let is_plain = |line: &str| line.split(' ').nth(2) == Some("1");
        let (mut plain, mut chosen): (Vec<_>, Vec<_>) =
            self.lines.iter().partition(|(_, line)| is_plain(line));
        for lines in [&mut plain, &mut chosen] {
            lines.sort();
        }
        let plain_count = (count / PLAIN_SHARE).min(chosen.len() / (PLAIN_SHARE - 1));
        let mut lines = evenly(&plain, plain_count);
        lines.extend(evenly(&chosen, count - lines.len()));
        lines.sort();
        let name = self.start.name();
        let mut text = format!("# {name}: rating, goal, moves to the win | moves | solution\n");
        for (_, line) in &lines {
            text += line;
            text.push('\n');
        }
        // As a whole: the catalog would not build with half of it.
        let new = path.with_extension("new");
        fs::write(&new, text)?;
        fs::rename(new, path)?;
        Ok(lines.len())
    }
}

/// At most so many items from all parts of a list.
fn evenly<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    let count = count.min(items.len());
    let item = |at| items[at * items.len() / count];
    (0..count).map(item).collect()
}
