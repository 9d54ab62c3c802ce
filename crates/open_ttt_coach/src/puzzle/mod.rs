//! Positions in which exactly one move keeps the result.

mod finder;
mod rating;

use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};

pub use finder::PuzzleFinder;
use rating::rating;

use crate::{GameValue, Judge, PositionValues};

/// A position in which exactly one move keeps the result, by proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle<M> {
    /// The moves from the start of the game to the position.
    pub moves: Vec<M>,
    /// What the side to move has to achieve.
    pub goal: Goal,
    /// The number of moves of both sides to the win, if that is the goal and it is known.
    pub plies: Option<u32>,
    /// How hard it is, on a scale like Elo's: from [`MIN_RATING`](Self::MIN_RATING), for a
    /// win at once, to [`MAX_RATING`](Self::MAX_RATING).
    pub rating: u32,
    /// The moves of both sides that solve it, from the position on: as long as only one move
    /// of the solver keeps the result, with the best replies. The first and the last one
    /// are the solver's.
    pub solution: Vec<M>,
}

/// What a puzzle asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// One move wins; every other one draws or loses.
    Win,
    /// One move draws; every other one loses.
    Draw,
}

impl Goal {
    /// `win` or `draw`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
        }
    }
}

impl<M> Puzzle<M> {
    /// The lowest rating.
    pub const MIN_RATING: u32 = 400;

    /// The highest rating.
    pub const MAX_RATING: u32 = 2400;

    /// The most moves that the solver has to find.
    pub const MAX_STEPS: usize = 4;

    /// The difficulty in stars, 1 to 5.
    pub const fn stars(&self) -> u32 {
        match self.rating {
            ..800 => 1,
            800..1_100 => 2,
            1_100..1_400 => 3,
            1_400..1_700 => 4,
            1_700.. => 5,
        }
    }
}

/// The only move that keeps the result of a position, and that result. `None` if there are
/// several such moves or no other moves, if the position is lost, or if that isn't proved.
///
/// ```
/// use open_ttt_coach::{Goal, Judge, SolvedJudge, only_move};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{Notation, play_text};
/// use open_ttt_players::Turn;
/// use open_ttt_search::{Budget, WinLoss};
///
/// // The only answer to a corner is the middle.
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1")?;
/// let mut judge = SolvedJudge::new(WinLoss, 1.0);
/// let values = judge.judge(&Turn::new(&game), &Budget::UNLIMITED, &mut |_| ());
/// let (goal, m) = only_move(&values).expect("all others lose");
/// assert_eq!((goal, game.move_text(m).as_str()), (Goal::Draw, "b2"));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn only_move<M: Copy + Eq>(values: &PositionValues<M>) -> Option<(Goal, M)> {
    let (best, others) = values.moves.split_first()?;
    let goal = match best.solved.result {
        GameValue::Win => Goal::Win,
        GameValue::Draw => Goal::Draw,
        GameValue::Loss | GameValue::Unknown => return None,
    };
    let fails = |result| match goal {
        Goal::Win => matches!(result, GameValue::Draw | GameValue::Loss),
        Goal::Draw => result == GameValue::Loss,
    };
    let is_only = others.iter().all(|other| fails(other.solved.result));
    (is_only && !others.is_empty()).then_some((goal, best.m))
}

/// The current position of a game as a puzzle, if it is one. The judge may spend the budget
/// on each position of the solution.
///
/// ```
/// use open_ttt_coach::{Goal, SolvedJudge, puzzle};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::History;
/// use open_ttt_search::{Budget, StopFlag, WinLoss};
///
/// let mut game = History::new(TicTacToe::new());
/// game.play_text("a1 b1 a2 a3 c3 c2")?;
/// let mut judge = SolvedJudge::new(WinLoss, 1.0);
/// let puzzle = puzzle(&game, &mut judge, &Budget::UNLIMITED, &StopFlag::new());
/// let puzzle = puzzle.expect("only the middle wins");
/// assert_eq!((puzzle.goal, puzzle.plies), (Goal::Win, Some(1)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn puzzle<G: TwoPlayerGame>(
    game: &History<G>,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Option<Puzzle<G::Move>> {
    let values = judged(game, judge, budget, stop)?;
    puzzle_of_values(game, &values, judge, budget, stop)
}

/// As [`puzzle`], with the values of the position.
fn puzzle_of_values<G: TwoPlayerGame>(
    game: &History<G>,
    values: &PositionValues<G::Move>,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Option<Puzzle<G::Move>> {
    let (goal, m) = only_move(values)?;
    let plies = values.get(m).and_then(|value| value.solved.plies);
    Some(Puzzle {
        moves: game.moves().to_vec(),
        goal,
        plies: plies.filter(|_| goal == Goal::Win),
        rating: rating(game.position(), m, stop),
        solution: solution(game, goal, m, judge, budget, stop),
    })
}

/// The values of the moves; `None` if the game is over.
fn judged<G: TwoPlayerGame>(
    game: &History<G>,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Option<PositionValues<G::Move>> {
    let turn = Turn::of(game).with_stop(stop.clone());
    (game.outcome().is_none()).then(|| judge.judge(&turn, budget, &mut |_| ()))
}

/// The moves from the solver's first one to the last that is the only one.
fn solution<G: TwoPlayerGame>(
    game: &History<G>,
    goal: Goal,
    first: G::Move,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Vec<G::Move> {
    /// Replies in a row, in games where a side may move several times.
    const MAX_REPLIES: usize = 4;
    let solver = game.position().to_move();
    let mut line = game.clone();
    line.play_unchecked(first);
    let mut end = line.moves().len();
    for _ in 1..Puzzle::<G::Move>::MAX_STEPS {
        for _ in 0..MAX_REPLIES {
            if line.position().to_move() == solver {
                break;
            }
            let values = judged(&line, judge, budget, stop);
            match values.as_ref().and_then(PositionValues::best) {
                Some(reply) => line.play_unchecked(reply.m),
                None => break,
            }
        }
        let is_solvers = line.position().to_move() == solver;
        let values = judged(&line, judge, budget, stop).filter(|_| is_solvers);
        match values.as_ref().and_then(only_move) {
            Some((next_goal, m)) if next_goal == goal => line.play_unchecked(m),
            _ => break,
        }
        end = line.moves().len();
    }
    line.moves()[game.moves().len()..end].to_vec()
}
