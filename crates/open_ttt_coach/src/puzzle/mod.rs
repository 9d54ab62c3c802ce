//! Positions in which exactly one move is right.

mod fastest_win;
mod finder;
mod rating;

use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};

pub(crate) use fastest_win::longest_defence;
pub use fastest_win::{FastestWin, fastest_win};
pub use finder::PuzzleFinder;
use rating::rating;

use crate::{GameValue, Judge, PositionValues};

/// A position in which exactly one move reaches a [`Goal`], by proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle<M> {
    /// The moves from the start of the game to the position.
    pub moves: Vec<M>,
    /// What the side to move has to achieve.
    pub goal: Goal,
    /// The number of moves of both sides to the win, if a win is the goal and it is known.
    pub plies: Option<u32>,
    /// How hard it is, on a scale like Elo's: from [`MIN_RATING`](Self::MIN_RATING), for a
    /// win at once, to [`MAX_RATING`](Self::MAX_RATING).
    pub rating: u32,
    /// The moves of both sides that solve it, from the position on: as long as only one move
    /// of the solver reaches the goal, with the best replies. The first and the last one
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
    /// One move wins; no other one wins as fast.
    FastestWin,
    /// Every move but one loses. Whether that one does isn't known.
    Defend,
}

impl Goal {
    /// Every goal.
    pub const ALL: [Self; 4] = [Self::Win, Self::Draw, Self::FastestWin, Self::Defend];

    /// `win`, `draw`, `fastest` or `defend`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::FastestWin => "fastest",
            Self::Defend => "defend",
        }
    }

    /// The goal with this name; `None` if there is none.
    ///
    /// ```
    /// use open_ttt_coach::Goal;
    ///
    /// assert_eq!(Goal::named("fastest"), Some(Goal::FastestWin));
    /// assert_eq!(Goal::named("lose"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|goal| goal.as_str() == name)
    }

    /// Whether the solver wins.
    pub const fn is_win(self) -> bool {
        matches!(self, Self::Win | Self::FastestWin)
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
        Puzzle::<()>::stars_of(self.rating)
    }
}

impl Puzzle<()> {
    /// The stars of puzzles with this rating, 1 to 5.
    pub const fn stars_of(rating: u32) -> u32 {
        match rating {
            ..800 => 1,
            800..1_100 => 2,
            1_100..1_400 => 3,
            1_400..1_700 => 4,
            1_700.. => 5,
        }
    }
}

/// The only move that keeps the result of a position, and the goal that it reaches: a win or
/// a draw by proof, or [`Defend`](Goal::Defend) if only this move isn't proved to lose. `None`
/// if there are several such moves or no other moves, if the position is lost, or if it isn't
/// known.
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
        GameValue::Unknown => Goal::Defend,
        GameValue::Loss => return None,
    };
    let fails = |result| match result {
        GameValue::Loss => true,
        GameValue::Draw => goal == Goal::Win,
        GameValue::Win | GameValue::Unknown => false,
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
    let (goal, m, plies) = right_move(game, values, judge, budget, stop)?;
    let refuted = values.moves.iter().filter(|value| value.m != m);
    let longest = refuted.filter_map(|value| value.solved.plies).max();
    let rating = rating(game.position(), m, plies.or(longest), stop);
    let solution = match (goal, plies) {
        (Goal::FastestWin, Some(plies)) => fastest_solution(game, m, plies, judge, budget, stop),
        _ => solution(game, goal, m, judge, budget, stop),
    };
    Some(Puzzle {
        moves: game.moves().to_vec(),
        goal,
        plies,
        rating,
        solution,
    })
}

/// The only move that reaches a goal, and the moves of both sides to the win if that is the
/// goal and they are known.
fn right_move<G: TwoPlayerGame>(
    game: &History<G>,
    values: &PositionValues<G::Move>,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Option<(Goal, G::Move, Option<u32>)> {
    match only_move(values) {
        Some((Goal::Defend, m)) => {
            // The move gets as much attention as the position did.
            let mut next = game.clone();
            next.play_unchecked(m);
            let replies = judged(&next, judge, budget, stop)?;
            let reply = replies.best()?.solved.result;
            (reply != GameValue::Win).then_some((Goal::Defend, m, None))
        }
        Some((goal, m)) => {
            let plies = values.get(m).and_then(|value| value.solved.plies);
            Some((goal, m, plies.filter(|_| goal == Goal::Win)))
        }
        // Where everything is known, a slow win is as good as a fast one.
        None if values.is_proved() => None,
        None => {
            let turn = Turn::of(game).with_stop(stop.clone());
            let FastestWin { m, plies } = judge.fastest_win(&turn, budget)?;
            Some((Goal::FastestWin, m, Some(plies)))
        }
    }
}

/// The values of the moves; `None` if the game is over.
fn judged<G: TwoPlayerGame>(
    game: &History<G>,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Option<PositionValues<G::Move>> {
    let turn = Turn::of(game).with_stop(stop.clone());
    (game.outcome().is_none()).then(|| judge.prove(&turn, budget))
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
        let next = values.and_then(|values| right_move(&line, &values, judge, budget, stop));
        match next {
            Some((next_goal, m, _)) if next_goal == goal => line.play_unchecked(m),
            _ => break,
        }
        end = line.moves().len();
    }
    line.moves()[game.moves().len()..end].to_vec()
}

/// The moves from the solver's first one to the last that alone wins as fast, with replies
/// that hold out as long as any.
fn fastest_solution<G: TwoPlayerGame>(
    game: &History<G>,
    first: G::Move,
    plies: u32,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
) -> Vec<G::Move> {
    let solver = game.position().to_move();
    let mut line = game.clone();
    line.play_unchecked(first);
    let mut end = line.moves().len();
    let mut left = plies - 1;
    let mut steps = 1;
    while left > 0 && steps < Puzzle::<G::Move>::MAX_STEPS {
        let turn = Turn::of(&line).with_stop(stop.clone());
        let m = if line.position().to_move() == solver {
            steps += 1;
            judge.fastest_win(&turn, budget).map(|win| win.m)
        } else {
            judge.longest_defence(&turn, left, budget)
        };
        let Some(m) = m else { break };
        if line.position().to_move() == solver {
            end = line.moves().len() + 1;
        }
        line.play_unchecked(m);
        left -= 1;
    }
    line.moves()[game.moves().len()..end].to_vec()
}
