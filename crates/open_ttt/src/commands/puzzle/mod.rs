mod solving;

use std::io;

use open_ttt_catalog::{DynGame, DynMove, Puzzles};
use open_ttt_coach::Puzzle;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{History, Named, Notation, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};
use serde::Serialize;

use super::{join_moves, line_texts, now_ms, print_json};
use crate::failure::Failure;
use crate::games;
use crate::interrupt;
use solving::{Answered, Solving};

/// Solve puzzles: find the only move that wins, or the only one that saves the draw
///
/// The puzzles that come with a game are proved to have one solution. In other games they
/// are looked for while you wait. Type a move, hint, solution, next or quit.
///
/// Examples:
///   open_ttt puzzle --game connect4 --daily
///   open_ttt puzzle --game ttt --rating 1200
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct PuzzleArgs {
    /// The game, with any parameters in quotes: 'KEY(NAME=VALUE)'
    #[arg(long, value_name = games::KEY, value_parser = games::bundled)]
    game: DynGame,
    /// Only the puzzle of the day, the same for everyone
    #[arg(long, conflicts_with_all = ["rating", "number"])]
    daily: bool,
    /// Begin with the puzzle nearest to this rating, from 400 to 2400
    #[arg(long, value_name = "N", conflicts_with = "number")]
    rating: Option<u32>,
    /// Begin with puzzle number N, from 1, the easiest
    #[arg(long, value_name = "N")]
    number: Option<usize>,
    /// Print a puzzle as a JSON object instead
    #[arg(long)]
    json: bool,
}

/// The output of `--json`; a stable format.
#[derive(Serialize)]
struct PuzzleReport {
    game: String,
    /// The number among the puzzles that come with the game, from 1; null for a new one.
    number: Option<usize>,
    /// How many come with the game.
    count: usize,
    rating: u32,
    stars: u32,
    /// `win` or `draw`.
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
struct Numbered {
    index: Option<usize>,
    puzzle: Puzzle<DynMove>,
}

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

pub(crate) fn run(args: &PuzzleArgs) -> Result<(), Failure> {
    let mut source = Source::new(args)?;
    let mut first = Some(source.first(args)?);
    if args.json {
        let first = first.as_ref().map(|first| source.report(first));
        return first.map_or(Ok(()), |report| print_json(&report));
    }
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(numbered) = first.take() {
        let title = source.title(&numbered);
        let mut solving = Solving::new(&source.start, &numbered.puzzle);
        let answered = solving.ask(&title, &mut input, &mut output)?;
        if answered == Answered::Next && !args.daily {
            first = Some(source.next(numbered.index)?);
        }
    }
    Ok(())
}

/// Where the puzzles come from: those of the game, or new ones.
struct Source {
    start: DynGame,
    puzzles: Puzzles,
    stop: StopFlag,
}

impl Source {
    fn new(args: &PuzzleArgs) -> Result<Self, Failure> {
        let start = args.game.clone();
        let puzzles = start.puzzles();
        let count = puzzles.len();
        match args.number {
            _ if !puzzles.is_empty() => (),
            Some(_) => return Err(none(&start, "--number")),
            None if args.daily => return Err(none(&start, "--daily")),
            None if args.rating.is_some() => return Err(none(&start, "--rating")),
            None => (),
        }
        if let Some(number) = args.number
            && !(1..=count).contains(&number)
        {
            let message = format!("--number must be 1 to {count}, not {number}");
            return Err(Failure::usage(message));
        }
        let stop = match count {
            0 => interrupt::flag(),
            // Ctrl-C ends the program.
            _ => StopFlag::new(),
        };
        Ok(Self {
            start,
            puzzles,
            stop,
        })
    }

    /// The puzzle that the arguments ask for, or one by chance.
    fn first(&self, args: &PuzzleArgs) -> Result<Numbered, Failure> {
        let index = match (args.number, args.rating) {
            (Some(number), _) => Some(number - 1),
            (None, Some(rating)) => self.puzzles.nearest(rating),
            (None, None) if args.daily => self.puzzles.daily(now_ms() / DAY),
            (None, None) => Rng::from_entropy().pick(0..self.puzzles.len()),
        };
        self.puzzle(index)
    }

    /// The next harder puzzle, and after the hardest the easiest.
    fn next(&mut self, index: Option<usize>) -> Result<Numbered, Failure> {
        let next = index.map(|index| (index + 1) % self.puzzles.len().max(1));
        self.puzzle(next)
    }

    fn puzzle(&self, index: Option<usize>) -> Result<Numbered, Failure> {
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
        /// What a position of a game is worth.
        const BUDGET: Budget = Budget::nodes(60_000);
        let mut rng = Rng::from_entropy();
        let mut finder = self.start.puzzle_finder();
        for _ in 0..GAMES {
            if self.stop.is_raised() {
                break;
            }
            let found = finder.game(rng.next_u64(), &BUDGET, &self.stop);
            // The first of a game takes the most moves.
            if let Some(puzzle) = found.into_iter().next() {
                return Ok(puzzle);
            }
        }
        let name = self.start.name();
        Err(Failure::failed(format_args!("no puzzle found for {name}")))
    }

    /// The heading of a puzzle.
    fn title(&self, numbered: &Numbered) -> String {
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

    fn report(&self, numbered: &Numbered) -> PuzzleReport {
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
