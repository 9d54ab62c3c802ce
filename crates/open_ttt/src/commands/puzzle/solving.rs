use std::io::{BufRead, Write};
use std::num::NonZero;
use std::time::Duration;

use open_ttt_app::draw::{Size, draw};
use open_ttt_app::{InputLine, clock, puzzle_task, wrong_move_text};
use open_ttt_catalog::{DynGame, DynMove};
use open_ttt_coach::{Judge, PositionValues, Puzzle, hint};
use open_ttt_lib::rules::{Drawing, History, Notation, Side, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::Budget;

use crate::commands::{join_moves, line_texts, read_line};
use crate::failure::Failure;

/// How the solver leaves a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answered {
    /// Solved, or skipped for the next one.
    Next,
    /// No more puzzles.
    Quit,
}

/// A puzzle while somebody solves it.
pub(super) struct Solving<'a> {
    puzzle: &'a Puzzle<DynMove>,
    /// The game up to the solver's next move.
    game: History<DynGame>,
    /// How many moves of the solution have been played.
    played: usize,
}

/// How long the reply to a wrong move is looked for.
const LOOK: Duration = Duration::from_secs(1);

impl<'a> Solving<'a> {
    pub(super) fn new(start: &DynGame, puzzle: &'a Puzzle<DynMove>) -> Self {
        let mut game = History::new(start.clone());
        for &m in &puzzle.moves {
            game.play_unchecked(m);
        }
        Self {
            puzzle,
            game,
            played: 0,
        }
    }

    /// Asks for moves until the puzzle is solved or left.
    pub(super) fn ask(
        &mut self,
        title: &str,
        input: &mut impl BufRead,
        output: &mut impl Write,
    ) -> Result<Answered, Failure> {
        writeln!(output, "{title}\n")?;
        self.show(output)?;
        writeln!(output, "{}", self.task())?;
        while let Some(wanted) = self.wanted() {
            write!(output, "Your move: ")?;
            output.flush()?;
            let Some(line) = read_line(input, InputLine::CONSOLE_LIMIT)? else {
                writeln!(output)?;
                return Ok(Answered::Quit);
            };
            let line = match line {
                Ok(line) => line.trim().to_owned(),
                Err(failure) => {
                    writeln!(output, "{}", failure.message)?;
                    continue;
                }
            };
            match line.to_ascii_lowercase().as_str() {
                "" | "help" => {
                    writeln!(output, "Type a move, hint, solution, next or quit.")?;
                }
                "quit" => return Ok(Answered::Quit),
                "next" => return Ok(Answered::Next),
                "hint" => writeln!(output, "{}", self.hint(wanted))?,
                "solution" => {
                    writeln!(output, "{}\n", self.explanation(wanted))?;
                    return Ok(Answered::Next);
                }
                _ => self.answer(&line, wanted, output)?,
            }
        }
        writeln!(output, "Solved!\n")?;
        Ok(Answered::Next)
    }

    /// The move that is to be found; `None` if the puzzle is solved.
    fn wanted(&self) -> Option<DynMove> {
        self.puzzle.solution.get(self.played).copied()
    }

    fn solver(&self) -> Side {
        self.game.position().to_move()
    }

    fn task(&self) -> String {
        let name = self.game.position().side_name(self.solver());
        puzzle_task(self.puzzle, name)
    }

    fn show(&self, output: &mut impl Write) -> Result<(), Failure> {
        let board = draw(&self.game.position().picture(), Size::default());
        Ok(writeln!(output, "{board}")?)
    }

    /// Plays the move of a line of text, or says why it isn't the right one.
    fn answer(
        &mut self,
        line: &str,
        wanted: DynMove,
        output: &mut impl Write,
    ) -> Result<(), Failure> {
        let position = self.game.position();
        let parsed = position.parse_move(line).map_err(|error| error.to_string());
        let legal = parsed.and_then(|m| match position.check(m) {
            Ok(()) => Ok(m),
            Err(illegal) => Err(format!("{line:?} can't be played: {}", illegal.reason)),
        });
        match legal {
            Err(cause) => writeln!(output, "{cause}.")?,
            Ok(m) if m == wanted => self.go_on(output)?,
            Ok(m) => writeln!(output, "{} Try again.", self.refutation(m))?,
        }
        Ok(())
    }

    /// Plays the right move and the replies.
    fn go_on(&mut self, output: &mut impl Write) -> Result<(), Failure> {
        let solver = self.solver();
        let mut is_first = true;
        while let Some(m) = self.wanted()
            && (is_first || self.solver() != solver)
        {
            let position = self.game.position();
            let (name, text) = (position.side_name(self.solver()), position.move_text(m));
            if is_first {
                writeln!(output, "{text} is right.")?;
            } else {
                writeln!(output, "{name} replies {text}.")?;
            }
            self.game.play_unchecked(m);
            self.played += 1;
            is_first = false;
        }
        writeln!(output)?;
        self.show(output)
    }

    /// What a wrong move allows.
    fn refutation(&self, wrong: DynMove) -> String {
        let mut next = self.game.clone();
        next.play_unchecked(wrong);
        let values = (next.outcome().is_none()).then(|| judged(&next));
        wrong_move_text(
            self.puzzle.goal,
            self.game.position(),
            wrong,
            values.as_ref(),
        )
    }

    /// A few moves of which one is right.
    fn hint(&self, wanted: DynMove) -> String {
        let position = self.game.position();
        let moves: Vec<_> = position.moves().collect();
        let right = moves.iter().position(|&m| m == wanted).unwrap_or(0);
        // The right one and two a third of the list further on each.
        let third = moves.len().div_ceil(3);
        let mut shown: Vec<_> = (0..3).map(|n| (right + n * third) % moves.len()).collect();
        shown.sort_unstable();
        shown.dedup();
        let texts: Vec<_> = shown
            .iter()
            .map(|&at| position.move_text(moves[at]))
            .collect();
        format!("It's one of these: {}.", texts.join(", "))
    }

    /// The right move and why, with the rest of the solution.
    fn explanation(&self, wanted: DynMove) -> String {
        let position = self.game.position();
        let values = judged(&self.game);
        let why = hint(position, &values).filter(|hint| hint.m == wanted);
        let why = match why {
            Some(hint) => hint.sentence(position),
            None => format!("{} is the move.", position.move_text(wanted)),
        };
        let line = join_moves(&line_texts(position, &self.puzzle.solution[self.played..]));
        format!("{why}\nSolution: {line}")
    }
}

/// What the moves of a position are worth, as far as a short search tells.
fn judged(game: &History<DynGame>) -> PositionValues<DynMove> {
    let mut judge = game.start().judge(NonZero::<usize>::MIN);
    let budget = Budget::time(LOOK, clock());
    judge.judge(&Turn::of(game), &budget, &mut |_| ())
}
