use open_ttt_catalog::{DynGame, DynMove, DynPuzzleFinder, Puzzles};
use open_ttt_coach::Puzzle;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{History, Named, Notation, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};
use serde::Serialize;

use super::PuzzleArgs;
use crate::commands::{join_moves, line_texts, now_ms};
use crate::failure::Failure;

/// The output of `--json`; a stable format.
#[derive(Serialize)]
pub(super) struct PuzzleReport {
    game: String,
    /// The number among the puzzles that come with the game, from 1; null for a new one.
    number: Option<usize>,
    /// How many come with the game.
    count: usize,
    rating: u32,
    stars: u32,
    /// `win`, `draw`, `fastest` or `defend`.
    goal: &'static str,
    /// The moves of both sides to the win, if known.
    plies: Option<u32>,
    /// The moves from the start of the game to the position.
    moves: String,
    to_move: &'static str,
    /// The moves of both sides that solve it.
    solution: String,
}

/// A puzzle with its number, if it has one.
pub(super) struct Numbered {
    pub(super) index: Option<usize>,
    pub(super) puzzle: Puzzle<DynMove>,
}

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// Where the puzzles come from: those of the game, or new ones.
pub(super) struct Source {
    pub(super) start: DynGame,
    pub(super) puzzles: Puzzles,
}

impl Source {
    pub(super) fn new(args: &PuzzleArgs) -> Result<Self, Failure> {
        let source = Self::of(args.game.clone());
        let (start, count) = (&source.start, source.puzzles.len());
        match args.number {
            _ if count > 0 => (),
            Some(_) => return Err(none(start, "--number")),
            None if args.daily => return Err(none(start, "--daily")),
            None if args.rating.is_some() => return Err(none(start, "--rating")),
            None => (),
        }
        if let Some(number) = args.number
            && !(1..=count).contains(&number)
        {
            let message = format!("--number must be 1 to {count}, not {number}");
            return Err(Failure::usage(message));
        }
        Ok(source)
    }

    /// The puzzle that the arguments ask for, or one by chance.
    pub(super) fn first(&self, args: &PuzzleArgs) -> Result<Numbered, Failure> {
        let index = match (args.number, args.rating) {
            (Some(number), _) => Some(number - 1),
            (None, Some(rating)) => self.puzzles.nearest(rating),
            (None, None) if args.daily => self.daily(),
            (None, None) => Rng::from_entropy().pick(0..self.puzzles.len()),
        };
        self.puzzle(index)
    }

    /// The puzzles that come with a game.
    pub(super) fn of(start: DynGame) -> Self {
        Self {
            puzzles: start.puzzles(),
            start,
        }
    }

    /// The index of the puzzle of the day.
    pub(super) fn daily(&self) -> Option<usize> {
        self.puzzles.daily(now_ms() / DAY)
    }

    /// The next harder puzzle, and after the hardest the easiest.
    pub(super) fn next(&self, index: Option<usize>) -> Result<Numbered, Failure> {
        self.puzzle(self.following(index))
    }

    /// The index of the next harder puzzle.
    pub(super) fn following(&self, index: Option<usize>) -> Option<usize> {
        index.map(|index| (index + 1) % self.puzzles.len().max(1))
    }

    pub(super) fn puzzle(&self, index: Option<usize>) -> Result<Numbered, Failure> {
        let shipped = index.and_then(|index| self.puzzles.get(index));
        let puzzle = match shipped {
            Some(puzzle) => puzzle.map_err(Failure::failed)?,
            None => self.find()?,
        };
        Ok(Numbered { index, puzzle })
    }

    /// A new puzzle.
    fn find(&self) -> Result<Puzzle<DynMove>, Failure> {
        /// The most games to search.
        const GAMES: usize = 1_000;
        const BUDGET: Budget = Budget::nodes(DynPuzzleFinder::NODES);
        let mut rng = Rng::from_entropy();
        let mut finder = self.start.puzzle_finder();
        for _ in 0..GAMES {
            // Ctrl-C ends the program, which has nothing to save.
            let found = finder.game(rng.next_u64(), &BUDGET, &StopFlag::new());
            // The first of a game takes the most moves.
            if let Some(puzzle) = found.into_iter().next() {
                return Ok(puzzle);
            }
        }
        let name = self.start.name();
        Err(Failure::failed(format_args!("no puzzle found for {name}")))
    }

    /// The heading of a puzzle.
    pub(super) fn title(&self, numbered: &Numbered) -> String {
        let Puzzle { rating, .. } = numbered.puzzle;
        let stars = "*".repeat(numbered.puzzle.stars() as usize);
        let title = self.start.entry().title;
        match numbered.index {
            Some(index) => {
                let (number, count) = (index + 1, self.puzzles.len());
                format!("{title}, puzzle {number} of {count} ({rating} {stars})")
            }
            None => format!("{title}, a new puzzle ({rating} {stars})"),
        }
    }

    pub(super) fn report(&self, numbered: &Numbered) -> PuzzleReport {
        let puzzle = &numbered.puzzle;
        let mut game = History::new(self.start.clone());
        for &m in &puzzle.moves {
            game.play_unchecked(m);
        }
        let position = game.position();
        PuzzleReport {
            game: self.start.name(),
            number: numbered.index.map(|index| index + 1),
            count: self.puzzles.len(),
            rating: puzzle.rating,
            stars: puzzle.stars(),
            goal: puzzle.goal.as_str(),
            plies: puzzle.plies,
            moves: join_moves(&game.move_texts()),
            to_move: position.side_name(position.to_move()),
            solution: join_moves(&line_texts(position, &puzzle.solution)),
        }
    }
}

fn none(game: &DynGame, option: &str) -> Failure {
    Failure::usage(format_args!(
        "no puzzles come with {}; leave {option} out for a new one",
        game.name()
    ))
}
