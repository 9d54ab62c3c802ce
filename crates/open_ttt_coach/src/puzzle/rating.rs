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

/// The most moves that a person looks at in a position: of more, most don't come to mind.
const MAX_MOVES_SEEN: usize = 12;

/// The own moves up to which a person looks at all of those; of the later ones, at fewer.
const FULL_AHEAD: f64 = 3.0;

/// The own moves to look ahead where nothing tells how many.
const UNKNOWN_AHEAD: u32 = 2;

/// The random playouts of each move, by which a move looks good or bad at first sight.
const PLAYOUTS: u32 = 32;

/// How hard it is to find the move, from how many positions a person has to look at for each
/// move that comes to mind, and how many wrong moves look about as good.
///
/// A search without knowledge of the game tells how many positions those are. Where it
/// doesn't see the end, the number of moves tells it, `plies`: to the win, or to the loss
/// that the move avoids.
pub(super) fn rating<G: TwoPlayerGame>(
    position: &G,
    m: G::Move,
    plies: Option<u32>,
    stop: &StopFlag,
) -> u32 {
    let moves = position.moves().count().max(1);
    let max_nodes = MAX_NODES.min(MAX_MOVES_TRIED / moves as u64);
    let own_moves = plies.map_or(UNKNOWN_AHEAD, |plies| plies.saturating_sub(1) / 2);
    let effort = match nodes_to_find(position, m, max_nodes, stop) {
        Some(nodes) => effort(moves, own_moves_searched(moves, nodes)),
        None => effort_beyond(moves, own_moves_searched(moves, max_nodes), own_moves),
    };
    let share_seen = seen(moves) / moves as f64;
    let tempting = share_seen * tempting_moves(position, m) as f64;
    let rating = 400.0
        + 110.0 * effort.ln_1p() / core::f64::consts::LN_2
        + 60.0 * tempting.ln_1p() / core::f64::consts::LN_2;
    let tens = 10 * (rating / 10.0).round() as u32;
    tens.clamp(Puzzle::<()>::MIN_RATING, Puzzle::<()>::MAX_RATING)
}

/// How many of the moves come to mind.
fn seen(moves: usize) -> f64 {
    moves.min(MAX_MOVES_SEEN) as f64
}

/// The positions for each move that comes to mind, so many own moves ahead. One or two moves
/// count like three: they take some thought, too.
fn effort(moves: usize, own_moves: f64) -> f64 {
    (own_moves * seen(moves).ln().max(1.0)).exp()
}

/// The own moves ahead that a search has looked at with so many positions.
fn own_moves_searched(moves: usize, nodes: u64) -> f64 {
    let per_move = (nodes as f64 / moves as f64).max(1.0);
    per_move.ln() / (moves as f64).ln().max(1.0)
}

/// The effort where so many own moves ahead have been searched in vain, and the end comes
/// after so many.
fn effort_beyond(moves: usize, searched: f64, own_moves: u32) -> f64 {
    let own_moves = f64::from(own_moves);
    let full = searched.max(own_moves.min(FULL_AHEAD));
    let later = (own_moves - full).max(0.0);
    effort(moves, full) * (later / 2.0).exp2()
}

/// The positions that an alpha-beta search visits until the move is better than all others;
/// `None` if that is too many.
fn nodes_to_find<G: TwoPlayerGame>(
    position: &G,
    m: G::Move,
    max_nodes: u64,
    stop: &StopFlag,
) -> Option<u64> {
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
