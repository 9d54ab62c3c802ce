use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};
use open_ttt_search::{Budget, RootMoves, SearchOptions, Searcher, StopFlag, WinLoss};

use super::Puzzle;

/// The most positions that are searched to see how hard a puzzle is.
const MAX_NODES: u64 = 50_000;

/// The size of that search's table, in bytes.
const TABLE_BYTES: usize = 1 << 24;

/// The most moves tried in these positions: on a large board fewer are searched.
const MAX_MOVES_TRIED: u64 = 3_000_000;

/// How often the effort doubles at most, once for each move of the winner.
const MAX_DOUBLINGS: u32 = 8;

/// The random playouts of each move, by which a move looks good or bad at first sight.
const PLAYOUTS: u32 = 32;

/// How hard it is to find the move, from how many positions a search without knowledge of
/// the game visits for each legal move until it stands alone, and from how many wrong moves
/// look about as good. A win that takes this search too long, in so many plies, is harder
/// the longer it takes.
pub(super) fn rating<G: TwoPlayerGame>(
    position: &G,
    m: G::Move,
    plies: Option<u32>,
    stop: &StopFlag,
) -> u32 {
    let moves = position.moves().count().max(1);
    let nodes = nodes_to_find(position, m, stop).unwrap_or_else(|| {
        let doublings = plies.unwrap_or(0).saturating_sub(3) / 2;
        MAX_NODES << doublings.min(MAX_DOUBLINGS)
    });
    let effort = nodes as f64 / moves as f64;
    let tempting = tempting_moves(position, m) as f64;
    let rating = 400.0
        + 110.0 * effort.ln_1p() / core::f64::consts::LN_2
        + 60.0 * tempting.ln_1p() / core::f64::consts::LN_2;
    let tens = 10 * (rating / 10.0).round() as u32;
    tens.clamp(Puzzle::<()>::MIN_RATING, Puzzle::<()>::MAX_RATING)
}

/// The positions that an alpha-beta search visits until the move is better than all others;
/// `None` if that is too many.
fn nodes_to_find<G: TwoPlayerGame>(position: &G, m: G::Move, stop: &StopFlag) -> Option<u64> {
    let moves = position.moves().count().max(1) as u64;
    let max_nodes = MAX_NODES.min(MAX_MOVES_TRIED / moves);
    let options = SearchOptions {
        table_bytes: TABLE_BYTES,
        root_moves: RootMoves::All,
    };
    let mut searcher = Searcher::new(position, WinLoss, options);
    for depth in 1.. {
        let budget = Budget {
            nodes: Some(max_nodes.saturating_sub(searcher.result().nodes)),
            ..Budget::depth(depth)
        };
        if !searcher.step(&budget, stop) {
            break;
        }
        let result = searcher.result();
        if result.best == [m] {
            return Some(result.nodes);
        }
        if result.proved {
            break;
        }
    }
    None
}

/// How many other moves promise about as much in random playouts.
fn tempting_moves<G: TwoPlayerGame>(position: &G, m: G::Move) -> usize {
    /// Less than a playout of 32 may say.
    const MARGIN: u32 = 1;
    let side = position.to_move();
    let mut rng = Rng::new(0);
    // A win counts two points, a draw one.
    let mut points = |m: G::Move| {
        let after = position.after(m);
        let playout = |_| match after.clone().play_out(&mut || rng.next_u64()) {
            Outcome::Draw => 1,
            Outcome::Win(winner) => 2 * u32::from(winner == side),
        };
        (0..PLAYOUTS).map(playout).sum::<u32>()
    };
    let right = points(m);
    let wrong = position.moves().filter(|&other| other != m);
    let wrong: Vec<_> = wrong.map(points).collect();
    wrong
        .iter()
        .filter(|&&wrong| wrong + MARGIN >= right)
        .count()
}
