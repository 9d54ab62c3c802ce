use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};

use super::{Puzzle, judged, only_move, puzzle_of_values};
use crate::{Judge, PositionValues};

/// Finds puzzles in games, best in those of players who err.
///
/// ```
/// use open_ttt_coach::{Goal, PuzzleFinder, SolvedJudge};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::History;
/// use open_ttt_search::{Budget, StopFlag, WinLoss};
///
/// let start = TicTacToe::new();
/// let mut finder = PuzzleFinder::new(&start, SolvedJudge::new(WinLoss, 1.0));
/// let mut game = History::new(start);
/// game.play_text("a1 b1 a3 c1 b2 c3 a2")?;
/// let puzzles = finder.in_game(&game, &Budget::UNLIMITED, &StopFlag::new());
/// assert!(puzzles.iter().any(|puzzle| puzzle.goal == Goal::Win));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PuzzleFinder<J> {
    judge: J,
}

/// For a judge that doesn't solve the game, as little as possible.
const GLANCE: Budget = Budget {
    nodes: Some(1),
    ..Budget::depth(1)
};

/// The most positions of a game that are judged: the last ones, which are proved soonest.
const MAX_JUDGED: usize = 14;

/// Positions that the budget doesn't decide, after which earlier ones of a game aren't
/// tried.
const MAX_UNDECIDED: usize = 4;

impl<J> PuzzleFinder<J> {
    /// A finder of puzzles in games from this position, by the proofs of a judge.
    pub fn new<G: TwoPlayerGame>(start: &G, mut judge: J) -> Self
    where
        J: Judge<G>,
    {
        // A judge that solves whole games does so now, not from a later position.
        let start = History::new(start.clone());
        let _ = judged(&start, &mut judge, &GLANCE, &StopFlag::new());
        Self { judge }
    }

    /// The puzzles near the end of a game, the first one first: in its last 14 positions, back to
    /// the fourth that the budget doesn't decide. No two of them overlap. The judge may spend the
    /// budget on each position.
    pub fn in_game<G: TwoPlayerGame>(
        &mut self,
        played: &History<G>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Vec<Puzzle<G::Move>>
    where
        J: Judge<G>,
    {
        let positions = self.decisive_positions(played, budget, stop);
        let mut found: Vec<Puzzle<G::Move>> = Vec::new();
        let mut end = 0;
        // From the earliest, whose solution is the longest.
        for (game, values) in positions.into_iter().rev() {
            if game.moves().len() < end || stop.is_raised() {
                continue;
            }
            let puzzle = puzzle_of_values(&game, &values, &mut self.judge, budget, stop);
            if let Some(puzzle) = puzzle {
                end = puzzle.moves.len() + puzzle.solution.len();
                found.push(puzzle);
            }
        }
        // What an interrupted judge says isn't final.
        if stop.is_raised() {
            found.clear();
        }
        found
    }

    /// The positions of a game in which one move keeps the result, or one may win faster than
    /// the others, the last first, with the values of their moves.
    fn decisive_positions<G: TwoPlayerGame>(
        &mut self,
        played: &History<G>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Vec<(History<G>, PositionValues<G::Move>)>
    where
        J: Judge<G>,
    {
        let mut positions = Vec::new();
        let mut undecided = 0;
        let last = played.moves().len();
        for plies in (last.saturating_sub(MAX_JUDGED)..last).rev() {
            if undecided == MAX_UNDECIDED || stop.is_raised() {
                break;
            }
            let mut game = History::new(played.start().clone());
            for &m in &played.moves()[..plies] {
                game.play_unchecked(m);
            }
            if let Some(values) = judged(&game, &mut self.judge, budget, stop) {
                let is_spent = budget.nodes.is_none_or(|nodes| values.nodes >= nodes);
                undecided += usize::from(!values.is_proved() && is_spent);
                if only_move(&values).is_some() || !values.is_proved() {
                    positions.push((game, values));
                }
            }
        }
        positions
    }
}
