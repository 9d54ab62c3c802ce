use super::alpha_beta::Walk;
use super::budget::Meter;
use super::{Budget, Evaluator, Grade, Score, StopFlag};
use crate::rules::TwoPlayerGame;

/// What a search found out about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<M> {
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Every move that keeps this score, in the game's order; none exactly
    /// when the game is over.
    pub best: Vec<M>,
    /// What happens if both sides play their best: the principal variation. It
    /// begins with one of the best moves and goes as far as the search saw.
    pub line: Vec<M>,
    /// Each move looked at with its score, the best first. With
    /// [`RootMoves::BestOnly`] a score below the best is a limit: the move is
    /// worth that much at most.
    pub moves: Vec<(M, Score)>,
    /// How many plies the search looked ahead everywhere.
    pub depth: u32,
    /// How many positions it looked at.
    pub nodes: u64,
    /// Whether score and best moves are certain: no deeper search would change
    /// them.
    pub proved: bool,
}

/// Which moves of the first position get an exact score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootMoves {
    /// The best ones. Fast: the rest need only be shown to be worse.
    #[default]
    BestOnly,
    /// All of them.
    All,
}

/// Searches one ply deeper each time, until the budget is spent, the flag is
/// raised or the answer is proved.
///
/// An answer is always that of the last depth searched *completely*: what a
/// deeper search left unfinished is not mixed in. Depth 1 is always completed.
///
/// A win or loss is proved as soon as it is seen, for the depth before has
/// shown that there is no faster win and no slower loss; anything else, once
/// no line is cut off by the depth.
///
/// ```
/// use open_ttt_lib::games::Mnk;
/// use open_ttt_lib::search::{Budget, RootMoves, Score, StopFlag, WinLoss, deepen};
///
/// // Three in a row on four columns of three: the first player wins.
/// let game = Mnk::new(4, 3, 3).expect("a board that exists");
/// let answer = deepen(&game, RootMoves::BestOnly, &WinLoss, &Budget::UNLIMITED, &StopFlag::new());
/// assert!(answer.proved);
/// assert_eq!(answer.score, Score::win_in(7));
/// assert_eq!(answer.line.len(), 7);
/// ```
pub fn deepen<G, E>(
    game: &G,
    wanted: RootMoves,
    evaluator: &E,
    budget: &Budget,
    stop: &StopFlag,
) -> Answer<G::Move>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut answer = Answer {
        score: Score::DRAW,
        best: Vec::new(),
        line: Vec::new(),
        moves: game.moves().map(|m| (m, Score::DRAW)).collect(),
        depth: 0,
        nodes: 0,
        proved: false,
    };
    if let Some(outcome) = game.outcome() {
        answer.score = evaluator.finished(game, outcome, 0);
        answer.proved = true;
        return answer;
    }
    let mut walk = Walk::new(evaluator, Meter::new(budget, stop));
    let deepest = budget.depth.unwrap_or(u32::MAX).max(1);
    for depth in 1..=deepest {
        walk.saw_horizon = false;
        walk.may_stop = depth > 1;
        let Some(()) = search_root(game, wanted, depth, &mut walk, &mut answer) else {
            break;
        };
        let decided = !matches!(answer.score.grade(), Grade::Judged(_));
        // With every score wanted, the others are only certain once all lines
        // have been followed to their end.
        answer.proved = !walk.saw_horizon || (decided && wanted == RootMoves::BestOnly);
        if answer.proved {
            break;
        }
        walk.meter.look();
    }
    answer.nodes = walk.meter.nodes();
    answer
}

/// Searches every move to one depth; on success the answer is that depth's.
fn search_root<G, E>(
    game: &G,
    wanted: RootMoves,
    depth: u32,
    walk: &mut Walk<'_, G, E>,
    answer: &mut Answer<G::Move>,
) -> Option<()>
where
    G: TwoPlayerGame,
    E: Evaluator<G>,
{
    let mut best = Score::MIN;
    let mut line = Vec::new();
    let mut moves = Vec::with_capacity(answer.moves.len());
    // The moves come in the order of their last scores, so that the likely
    // best one sets the mark for the others.
    for &(m, _) in &answer.moves {
        let floor = match wanted {
            RootMoves::BestOnly => best.just_below(),
            RootMoves::All => Score::MIN,
        };
        let score = walk.score_of_move(game, m, depth, floor)?;
        moves.push((m, score));
        if score > best {
            best = score;
            line.clear();
            line.push(m);
            line.extend_from_slice(walk.line(1));
        }
    }
    moves.sort_by_key(|&(_, score)| core::cmp::Reverse(score));
    answer.score = best;
    answer.line = line;
    answer.best = game
        .moves()
        .filter(|m| moves.contains(&(*m, best)))
        .collect();
    answer.moves = moves;
    answer.depth = depth;
    Some(())
}
