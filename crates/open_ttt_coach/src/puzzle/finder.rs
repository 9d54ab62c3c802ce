use open_ttt_lib::random::{Probability, Rng};
use open_ttt_lib::rules::{History, TwoPlayerGame};
use open_ttt_search::{Budget, StopFlag};

use super::{Puzzle, judged, only_move, puzzle_of_values};
use crate::{Judge, PositionValues};

/// Finds puzzles in games of weak players.
///
/// ```
/// use open_ttt_coach::{PuzzleFinder, SolvedJudge};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_search::{Budget, StopFlag, WinLoss};
///
/// let judge = SolvedJudge::new(WinLoss, 1.0);
/// let mut finder = PuzzleFinder::new(TicTacToe::new(), judge);
/// let stop = StopFlag::new();
/// let puzzles = (0..10).flat_map(|seed| finder.game(seed, &Budget::UNLIMITED, &stop));
/// assert!(puzzles.count() > 3);
/// ```
#[derive(Debug)]
pub struct PuzzleFinder<G: TwoPlayerGame, J> {
    start: G,
    judge: J,
}

/// What a player of the games considers.
const GLANCE: Budget = Budget {
    nodes: Some(200),
    ..Budget::depth(2)
};

/// The most moves of a random opening.
const MAX_OPENING: usize = 10;

/// The longest game in which puzzles are looked for.
const MAX_MOVES: usize = 90;

/// The most positions of a game that are judged: the last ones, which are proved soonest.
const MAX_JUDGED: usize = 14;

/// Positions that the budget doesn't decide, after which earlier ones of a game aren't
/// tried.
const MAX_UNDECIDED: usize = 4;

impl<G: TwoPlayerGame, J: Judge<G>> PuzzleFinder<G, J> {
    /// A finder of puzzles that begin at this position, by the proofs of a judge of the
    /// game.
    pub fn new(start: G, mut judge: J) -> Self {
        // A judge that solves whole games does so now, not from a later position.
        let history = History::new(start.clone());
        let _ = judged(&history, &mut judge, &GLANCE, &StopFlag::new());
        Self { start, judge }
    }

    /// Plays a game and returns the puzzles in it, the first one first. No two of them overlap.
    /// The judge may spend the budget on each position. The same seed gives the same
    /// puzzles, as far as the judge and the budget do.
    pub fn game(&mut self, seed: u64, budget: &Budget, stop: &StopFlag) -> Vec<Puzzle<G::Move>> {
        let played = self.play(seed, stop);
        let positions = self.decisive_positions(&played, budget, stop);
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

    /// The positions of a game in which one move keeps the result, the last first, with the
    /// values of their moves.
    fn decisive_positions(
        &mut self,
        played: &History<G>,
        budget: &Budget,
        stop: &StopFlag,
    ) -> Vec<(History<G>, PositionValues<G::Move>)> {
        let mut positions = Vec::new();
        let mut undecided = 0;
        let last = played.moves().len();
        for plies in (last.saturating_sub(MAX_JUDGED)..last).rev() {
            if undecided == MAX_UNDECIDED || stop.is_raised() {
                break;
            }
            let mut game = History::new(self.start.clone());
            for &m in &played.moves()[..plies] {
                game.play_unchecked(m);
            }
            if let Some(values) = judged(&game, &mut self.judge, budget, stop) {
                undecided += usize::from(!values.is_proved());
                if only_move(&values).is_some() {
                    positions.push((game, values));
                }
            }
        }
        positions
    }

    /// A game of players who err more or less often, and otherwise look a move or two ahead.
    fn play(&mut self, seed: u64, stop: &StopFlag) -> History<G> {
        const ERRORS: [f64; 4] = [0.05, 0.15, 0.3, 0.6];
        let mut rng = Rng::new(seed);
        let opening = rng.below(MAX_OPENING + 1);
        let error = rng
            .pick(ERRORS)
            .and_then(|error| Probability::new(error).ok());
        let error = error.unwrap_or(Probability::NEVER);
        let mut game = History::new(self.start.clone());
        while game.moves().len() < MAX_MOVES && !stop.is_raised() {
            let is_random = game.moves().len() < opening || rng.chance(error);
            let m = if is_random && game.outcome().is_none() {
                rng.pick(game.position().moves())
            } else {
                let values = judged(&game, &mut self.judge, &GLANCE, stop);
                values.and_then(|values| rng.pick(values.best_moves().map(|best| best.m)))
            };
            match m {
                Some(m) => game.play_unchecked(m),
                None => break,
            }
        }
        game
    }
}
