//! A game judged move by move.

mod quality;

use open_ttt_lib::rules::{History, Outcome, Side, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};

pub use quality::Quality;

use crate::remaining::Remaining;
use crate::{GameValue, Judge, MoveValue, PositionValues, SolvedValue};

/// A game judged move by move.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Review<M> {
    /// Each move of the game.
    pub moves: Vec<ReviewedMove<M>>,
    /// The accuracy of each side in percent; `None` for a side that made no move.
    pub accuracy: [Option<f64>; 2],
}

/// A move of a game, judged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReviewedMove<M> {
    /// The side that played it.
    pub side: Side,
    /// The move and what it is worth.
    pub played: MoveValue<M>,
    /// The best move in its position and what that is worth: the move itself if none is
    /// better.
    pub best: MoveValue<M>,
    /// How good the move was.
    pub quality: Quality,
    /// The points of 1 that the side expected and gave away.
    pub lost: f64,
    /// The moves of both sides that seem best, from the position before the move on.
    pub line: Vec<M>,
    /// What is known of the position before the move, for its side.
    result: SolvedValue,
}

/// Judges every move of a game, from the last to the first, within one budget: what late
/// positions don't need is left for early ones.
///
/// `moves` has the values of the moves, as far as the budget reaches: each is at least an
/// estimate. `progress` is called with the number of moves judged.
///
/// ```
/// use open_ttt_coach::{Quality, SolvedJudge, review};
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::History;
/// use open_ttt_search::{Budget, StopFlag, WinLoss};
///
/// // An edge is a bad answer to a corner, and nothing helps after it.
/// let mut game = History::new(TicTacToe::new());
/// game.play_text("a1 b1 b2 c3 a3 c1 a2")?;
/// let mut judge = SolvedJudge::new(WinLoss, 1.0);
/// let review = review(&game, &mut judge, &Budget::UNLIMITED, &StopFlag::new(), |_| ());
/// let outcome = game.outcome().expect("X has won");
/// assert_eq!(review.turning_point(outcome), Some(1));
/// assert_eq!(review.moves[1].quality, Quality::Mistake);
/// assert_eq!(review.accuracy[0], Some(100.0));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
pub fn review<G: TwoPlayerGame>(
    game: &History<G>,
    judge: &mut (impl Judge<G> + ?Sized),
    budget: &Budget,
    stop: &StopFlag,
    mut progress: impl FnMut(usize),
) -> Review<G::Move> {
    let remaining = Remaining::new(budget);
    let positions = positions(game);
    let count = game.moves().len();
    let mut moves: Vec<ReviewedMove<G::Move>> = Vec::with_capacity(count);
    let mut nodes = 0;
    for (index, &m) in game.moves().iter().enumerate().rev() {
        let turn = Turn::new(&positions[index])
            .with_earlier(earlier(&positions, index))
            .with_stop(stop.clone());
        let share = share(&remaining, nodes, index + 1);
        let values = judge.judge(&turn, &share, &mut |_| ());
        nodes += values.nodes;
        let end = game.outcome().filter(|_| index + 1 == count);
        let next = moves.last();
        if let Some(reviewed) = judged(values, m, turn.side, end, next) {
            moves.push(reviewed);
        }
        progress(count - index);
    }
    moves.reverse();
    Review {
        accuracy: Side::BOTH.map(|side| quality::accuracy(&moves, side)),
        moves,
    }
}

/// The positions of a game, the first and the last included.
fn positions<G: TwoPlayerGame>(game: &History<G>) -> Vec<G> {
    let mut position = game.start().clone();
    let mut positions = vec![position.clone()];
    for &m in game.moves() {
        position.play_unchecked(m);
        positions.push(position.clone());
    }
    positions
}

/// The positions before this one, as far as the rules ask for them.
fn earlier<G: TwoPlayerGame>(positions: &[G], index: usize) -> &[G] {
    match positions[index].repetition() {
        Some(_) => &positions[..index],
        None => &[],
    }
}

/// The budget of a position, if so many are left.
fn share(remaining: &Remaining, nodes: u64, positions: usize) -> Budget {
    let Some(mut left) = remaining.after(nodes) else {
        // A value for each move, and no more.
        return Budget {
            depth: Some(1),
            ..Budget::nodes(1)
        };
    };
    if let Some(all) = &mut left.nodes {
        *all = (*all / positions as u64).max(1);
    }
    if let Some(time) = &mut left.time {
        time.limit /= positions as u32;
    }
    left
}

/// A move with its values, and what is known of it from the position after it: `end`, or
/// the next move.
fn judged<M: Copy + Eq>(
    mut values: PositionValues<M>,
    m: M,
    side: Side,
    end: Option<Outcome>,
    next: Option<&ReviewedMove<M>>,
) -> Option<ReviewedMove<M>> {
    let known = match (end, next) {
        (Some(outcome), _) => Some(SolvedValue::finished(outcome, side)),
        (None, Some(next)) => Some(for_side(next.result, next.side, side)),
        (None, None) => None,
    };
    let known = known.filter(SolvedValue::is_proved);
    if let Some(solved) = known
        && let Some(value) = values.moves.iter_mut().find(|value| value.m == m)
        && !value.is_proved()
    {
        let plies = solved.plies.map(|plies| plies + 1);
        *value = MoveValue::proved(m, solved.with_plies(plies));
        values = PositionValues::new(values.moves, values.line, values.nodes);
    }
    let result = values.result();
    let played = *values.get(m)?;
    let best = match values.best() {
        Some(best) if !played.is_as_good_as(best) => *best,
        _ => played,
    };
    let lost = (best.expected - played.expected).max(0.0);
    let line = match values.line.first() {
        Some(&first) if first == best.m => values.line,
        _ => vec![best.m],
    };
    Some(ReviewedMove {
        side,
        quality: Quality::of(&played, &best),
        played,
        best,
        lost,
        line,
        result,
    })
}

/// The value of one side for the other, or for itself.
fn for_side(solved: SolvedValue, of: Side, side: Side) -> SolvedValue {
    if of == side {
        return solved;
    }
    SolvedValue {
        result: match solved.result {
            GameValue::Win => GameValue::Loss,
            GameValue::Loss => GameValue::Win,
            other => other,
        },
        margin: solved.margin.map(|margin| -margin),
        ..solved
    }
}

impl<M> Review<M> {
    /// The index of the move with which the game turned to the result that it had in the
    /// end: the last mistake after which, and not before, that result was to be expected.
    /// `None` if there is no such move.
    pub fn turning_point(&self, result: Outcome) -> Option<usize> {
        /// The least that a move gives away to decide a game.
        const DECISIVE: f64 = 0.1;
        let end = GameValue::of_outcome(result, Side::First).points()?;
        let is_near = |expected: f64| (expected - end).abs() < 0.25;
        self.moves.iter().rposition(|reviewed| {
            reviewed.lost >= DECISIVE
                && !is_near(reviewed.expected_before(Side::First))
                && is_near(reviewed.expected_after(Side::First))
        })
    }
}

impl<M> ReviewedMove<M> {
    /// The points that a side could expect before the move.
    pub fn expected_before(&self, side: Side) -> f64 {
        for_this_side(self.best.expected, self.side == side)
    }

    /// The points that a side can expect after the move.
    pub fn expected_after(&self, side: Side) -> f64 {
        for_this_side(self.played.expected, self.side == side)
    }
}

fn for_this_side(expected: f64, is_own: bool) -> f64 {
    if is_own { expected } else { 1.0 - expected }
}
