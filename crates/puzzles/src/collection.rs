use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use open_ttt_catalog::{DynGame, DynMove, Puzzles};
use open_ttt_coach::Puzzle;
use open_ttt_lib::rules::{Named, Outcome, TwoPlayerGame};

/// The puzzles found, in memory and in a file to which new ones are appended: none twice by
/// symmetry.
#[derive(Debug)]
pub(crate) struct Collection {
    start: DynGame,
    /// Those that take a thought.
    lines: Vec<Rated>,
    /// Those that are plain to see.
    plain: Vec<Rated>,
    positions: HashSet<DynGame>,
    /// The games searched so far.
    games: u64,
    file: File,
}

/// The rating and the line of a puzzle.
type Rated = (u32, String);

/// One puzzle in so many may be plain to see.
const PLAIN_SHARE: usize = 10;

/// The most moves to the position, so that the files stay small.
const MAX_MOVES: usize = 120;

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
            plain: Vec::new(),
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
        self.lines.len() + self.plain.len().min(self.lines.len() / (PLAIN_SHARE - 1))
    }

    /// Adds the puzzles of a game, also to the file.
    pub(crate) fn append_game(&mut self, game: u64, puzzles: &[Puzzle<DynMove>]) -> io::Result<()> {
        puzzles.iter().try_for_each(|puzzle| self.append(puzzle))?;
        self.games = self.games.max(game + 1);
        writeln!(self.file, "{GAME}{game}")
    }

    /// Adds a puzzle, also to the file.
    pub(crate) fn append(&mut self, puzzle: &Puzzle<DynMove>) -> io::Result<()> {
        if self.insert(puzzle) {
            let mut line = self.start.puzzle_line(puzzle);
            line.push('\n');
            self.file.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// Adds a puzzle; returns whether it is new.
    fn insert(&mut self, puzzle: &Puzzle<DynMove>) -> bool {
        let mut position = self.start.clone();
        for &m in &puzzle.moves {
            position.play_unchecked(m);
        }
        let is_new = puzzle.moves.len() <= MAX_MOVES && self.positions.insert(position.canonical());
        if is_new {
            let line = self.start.puzzle_line(puzzle);
            let lines = if is_plain(&position, puzzle) {
                &mut self.plain
            } else {
                &mut self.lines
            };
            lines.push((puzzle.rating, line));
        }
        is_new
    }

    /// Writes at most so many puzzles, of all stars alike, the easiest first; returns how many.
    pub(crate) fn write(&self, path: &Path, count: usize) -> io::Result<usize> {
        let lines = choose(&self.plain, &self.lines, count);
        let name = self.start.name();
        let mut text = format!("# {name}: rating, goal, moves to the win | moves | solution\n");
        for line in &lines {
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

/// At most so many lines, the easiest first: of those that take a thought as many of each
/// number of stars, and few plain ones unless there are too few others.
fn choose<'a>(plain: &'a [Rated], others: &'a [Rated], count: usize) -> Vec<&'a str> {
    let [plain, others] = [plain, others].map(|lines| {
        let mut lines: Vec<_> = lines.iter().collect();
        lines.sort();
        lines
    });
    let plain_count = (count / PLAIN_SHARE).max(count.saturating_sub(others.len()));
    let mut chosen = evenly(&plain, plain_count);
    let stars = |line: &&Rated| Puzzle::stars_of(line.0);
    let mut alike: Vec<_> = others.chunk_by(|a, b| stars(a) == stars(b)).collect();
    // What there are few of leaves more for the others.
    alike.sort_by_key(|lines| lines.len());
    for (done, some) in alike.iter().enumerate() {
        let left = count - chosen.len();
        chosen.extend(evenly(some, left / (alike.len() - done)));
    }
    chosen.sort();
    chosen.into_iter().map(|(_, line)| &**line).collect()
}

/// Whether the win is the next move, or stops the opponent's next one.
fn is_plain(position: &DynGame, puzzle: &Puzzle<DynMove>) -> bool {
    let wins_at_once = |position: &DynGame| {
        let side = position.to_move();
        let mut after = position.moves().map(|m| position.after(m));
        after.any(|next| next.outcome() == Some(Outcome::Win(side)))
    };
    if puzzle.goal.is_win() {
        return puzzle.plies == Some(1);
    }
    let mut others = position
        .moves()
        .filter(|m| Some(m) != puzzle.solution.first());
    others.all(|m| wins_at_once(&position.after(m)))
}

/// At most so many items from all parts of a list.
fn evenly<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    let count = count.min(items.len());
    let item = |at| items[at * items.len() / count];
    (0..count).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many lines with this rating, which tell it and their number.
    fn rated(rating: u32, count: usize) -> impl Iterator<Item = Rated> {
        (0..count).map(move |number| (rating, format!("{rating} {number}")))
    }

    /// How many of the lines have this rating.
    fn with(lines: &[&str], rating: u32) -> usize {
        let start = format!("{rating} ");
        lines.iter().filter(|line| line.starts_with(&start)).count()
    }

    #[test]
    fn all_stars_are_chosen_alike() {
        let plain: Vec<_> = rated(510, 50).collect();
        let others: Vec<_> = rated(2_000, 5)
            .chain(rated(900, 400))
            .chain(rated(1_200, 60))
            .collect();
        let chosen = choose(&plain, &others, 100);
        assert_eq!(chosen.len(), 100);
        let counts = [510, 900, 1_200, 2_000].map(|rating| with(&chosen, rating));
        // A tenth is plain, and the rest is divided, as far as there are enough.
        assert_eq!(counts, [10, 43, 42, 5]);
        let rating = |line: &&str| line.split(' ').next().map(str::parse::<u32>);
        assert!(
            chosen
                .iter()
                .map(rating)
                .is_sorted_by_key(|rating| rating.and_then(Result::ok))
        );
    }

    #[test]
    fn plain_ones_take_the_place_of_others_that_are_missing() {
        let plain: Vec<_> = rated(510, 300).collect();
        let others: Vec<_> = rated(900, 30).collect();
        let chosen = choose(&plain, &others, 100);
        assert_eq!([510, 900].map(|rating| with(&chosen, rating)), [70, 30]);
        let all = choose(&plain[..20], &others, 100);
        assert_eq!([510, 900].map(|rating| with(&all, rating)), [20, 30]);
    }
}
