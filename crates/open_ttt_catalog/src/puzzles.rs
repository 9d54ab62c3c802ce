use core::error::Error;
use core::fmt;
use core::ops::Range;

use super::{DynGame, DynMove};
use open_ttt_coach::{Goal, Puzzle};
use open_ttt_lib::rules::{History, PlayTextError, quoted};

/// The puzzles that come with a game, the easiest first.
///
/// They are a text with a puzzle a line: its rating, its [goal](Goal::as_str), the number of
/// moves to the win or `-`, and after bars the moves to the position and the solution. Lines that
/// begin with `#` are comments.
///
/// ```
/// use open_ttt_catalog::{Catalog, Puzzles};
/// use open_ttt_coach::Goal;
/// use open_ttt_lib::rules::Notation;
///
/// let game = Catalog::bundled().game("ttt")?;
/// let puzzles = Puzzles::of_text(&game, "510 win 1 | a1 b1 a2 a3 c3 c2 | b2");
/// let puzzle = puzzles.get(0).expect("a puzzle").expect("a well-formed one");
/// assert_eq!((puzzle.goal, puzzle.rating, puzzle.moves.len()), (Goal::Win, 510, 6));
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Puzzles {
    start: DynGame,
    lines: Vec<&'static str>,
}

/// The most bytes of a line: longer ones aren't puzzles.
const MAX_LINE: usize = 4_096;

impl Puzzles {
    /// The puzzles in a text, whose moves begin at this position.
    pub fn of_text(start: &DynGame, text: &'static str) -> Self {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self {
            start: start.clone(),
            lines: lines.collect(),
        }
    }

    /// The number of puzzles.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The puzzle with this index; `None` if there is none.
    pub fn get(&self, index: usize) -> Option<Result<Puzzle<DynMove>, ReadPuzzleError>> {
        let line = self.lines.get(index)?;
        Some(Self::read(&self.start, line))
    }

    /// Reads one line, a puzzle whose moves begin at this position.
    ///
    /// # Errors
    ///
    /// [`ReadPuzzleError`] if it isn't a puzzle of the game.
    pub fn read(start: &DynGame, line: &str) -> Result<Puzzle<DynMove>, ReadPuzzleError> {
        read_puzzle(start, line)
    }

    /// The index of the puzzle of a day, by the days since the start of 1970; `None` if
    /// there are no puzzles. Days in a row have different ones, until all have had their
    /// turn.
    pub fn daily(&self, day: u64) -> Option<usize> {
        let count = self.lines.len() as u64;
        // A step of about the golden ratio mixes easy and hard days. It must have no
        // divisor in common with the number, or some puzzles would be left out.
        let golden = (count as f64 * 0.618).round() as u64;
        let mut steps = golden.max(1)..=count;
        let step = steps.find(|&step| greatest_common_divisor(step, count) == 1)?;
        let day = day % count;
        Some(((day * step) % count) as usize)
    }

    /// The indices of the puzzles with so many stars, 1 to 5.
    pub fn with_stars(&self, stars: u32) -> Range<usize> {
        let below = |limit: u32| {
            let stars_of = |line: &&str| Puzzle::stars_of(rating_of(line).unwrap_or(0));
            self.lines.partition_point(|line| stars_of(line) < limit)
        };
        below(stars)..below(stars.saturating_add(1))
    }

    /// The index of the puzzle whose rating is nearest; `None` if there are no puzzles.
    pub fn nearest(&self, rating: u32) -> Option<usize> {
        let ratings = self.lines.iter().map(|line| rating_of(line).unwrap_or(0));
        let distances = ratings.map(|one| one.abs_diff(rating)).enumerate();
        distances
            .min_by_key(|&(_, distance)| distance)
            .map(|(index, _)| index)
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

fn rating_of(line: &str) -> Option<u32> {
    line.split_whitespace().next()?.parse().ok()
}

/// A puzzle as a line of text, as [`Puzzles`] reads it.
pub(super) fn puzzle_line(start: &DynGame, puzzle: &Puzzle<DynMove>) -> String {
    let mut game = History::new(start.clone());
    for &m in puzzle.moves.iter().chain(&puzzle.solution) {
        game.play_unchecked(m);
    }
    let texts = game.move_texts();
    let (moves, solution) = texts.split_at(puzzle.moves.len());
    // One-character moves can be told apart without spaces.
    let is_short = texts.iter().all(|text| text.chars().count() == 1);
    let separator = if is_short { "" } else { " " };
    let [moves, solution] = [moves, solution].map(|texts| texts.join(separator));
    let plies = puzzle
        .plies
        .map_or_else(|| "-".to_owned(), |plies| plies.to_string());
    let (rating, goal) = (puzzle.rating, puzzle.goal.as_str());
    format!("{rating} {goal} {plies} | {moves} | {solution}")
}

/// Reads a line of text.
fn read_puzzle(start: &DynGame, line: &str) -> Result<Puzzle<DynMove>, ReadPuzzleError> {
    let malformed = || ReadPuzzleError::Malformed { line: quoted(line) };
    let fields: Vec<_> = line.split('|').collect();
    let [head, moves, solution] = fields[..] else {
        return Err(malformed());
    };
    let head: Vec<_> = head.split_whitespace().collect();
    let ([rating, goal, plies], true) = (&head[..], line.len() <= MAX_LINE) else {
        return Err(malformed());
    };
    let goal = Goal::named(goal).ok_or_else(malformed)?;
    let plies = match *plies {
        "-" => None,
        plies => Some(plies.parse().map_err(|_| malformed())?),
    };
    let rating = rating.parse().map_err(|_| malformed())?;
    let mut game = History::new(start.clone());
    game.play_text(moves).map_err(ReadPuzzleError::Moves)?;
    let before = game.moves().len();
    game.play_text(solution).map_err(ReadPuzzleError::Moves)?;
    let (moves, solution) = game.moves().split_at(before);
    if solution.is_empty() {
        return Err(malformed());
    }
    Ok(Puzzle {
        moves: moves.to_vec(),
        goal,
        plies,
        rating,
        solution: solution.to_vec(),
    })
}

/// A text that isn't a puzzle of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadPuzzleError {
    /// The line isn't of the form of a puzzle.
    Malformed {
        /// The line, shortened and in quotes.
        line: String,
    },
    /// A move can't be played.
    Moves(PlayTextError),
}

impl fmt::Display for ReadPuzzleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { line } => write!(f, "{line} isn't a puzzle"),
            Self::Moves(error) => error.fmt(f),
        }
    }
}

impl Error for ReadPuzzleError {}
