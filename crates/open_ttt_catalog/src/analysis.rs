use core::num::NonZero;

use super::dyn_move::dyn_move;
use super::{CatalogGame, DynMove};
use open_ttt_lib::rules::Side;
use open_ttt_search::{Budget, Evaluator, Grade, Score, StopFlag};

/// What a position is worth, for the side to move under best play: the
/// fastest win, the slowest loss, the most points.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Analysis {
    /// The side it is told for.
    pub to_move: Side,
    /// How the game ends.
    pub verdict: Verdict,
    /// In how many moves it ends, where that is proved.
    pub plies: Option<u32>,
    /// By how many points, in a scoring game, where that is proved.
    pub margin: Option<i32>,
    /// Every move that keeps the best value; none exactly when the game is
    /// over. A guess unless `exact`.
    pub best: Vec<DynMove>,
    /// What happens under best play.
    pub line: Vec<DynMove>,
    /// Whether all this is proved.
    pub exact: bool,
    /// How many plies the search looked ahead.
    pub depth: u32,
    /// How many positions it looked at.
    pub nodes: u64,
}

/// How a game ends for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It wins.
    Win,
    /// Nobody wins.
    Draw,
    /// It loses.
    Loss,
    /// The search did not get that far.
    Unknown,
}

impl Verdict {
    /// What a proved score comes to.
    pub(super) fn of(score: Score) -> Self {
        match score.grade() {
            Grade::Win | Grade::Judged(1..) => Self::Win,
            Grade::Judged(0) => Self::Draw,
            Grade::Loss | Grade::Judged(_) => Self::Loss,
        }
    }
}

pub(super) fn analyze<G: CatalogGame>(
    game: &G,
    threads: NonZero<usize>,
    budget: &Budget,
    stop: &StopFlag,
) -> Analysis {
    let answer = CatalogGame::analyze(game, threads, budget, stop);
    let exact = answer.proved;
    let verdict = if exact {
        Verdict::of(answer.score)
    } else {
        Verdict::Unknown
    };
    Analysis {
        to_move: game.to_move(),
        verdict,
        // A proved line runs to the end of the game.
        plies: exact.then_some(answer.line.len() as u32),
        margin: G::Evaluator::default()
            .margin(answer.score)
            .filter(|_| exact),
        best: answer.best.iter().map(|&m| dyn_move(game, m)).collect(),
        line: answer.line.iter().map(|&m| dyn_move(game, m)).collect(),
        exact,
        depth: answer.depth,
        nodes: answer.nodes,
    }
}
