use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag, WinLoss};

use super::Puzzle;
use crate::{Judge, SearchJudge};

/// The most positions that are searched to see how hard a puzzle is.
const MAX_NODES: u64 = 50_000;

/// The random playouts of each move, by which a move looks good or bad at first sight.
const PLAYOUTS: u32 = 32;

/// How hard it is to find the move, from how many positions a search without knowledge of
/// the game visits for each legal move until it stands alone, and from how many wrong moves
/// look about as good.
pub(super) fn rating<G: TwoPlayerGame>(position: &G, m: G::Move, stop: &StopFlag) -> u32 {
    let moves = position.moves().count().max(1);
    let effort = nodes_to_find(position, m, stop) as f64 / moves as f64;
    let tempting = tempting_moves(position, m) as f64;
    let rating = 400.0
        + 110.0 * effort.ln_1p() / core::f64::consts::LN_2
        + 60.0 * tempting.ln_1p() / core::f64::consts::LN_2;
    let tens = 10 * (rating / 10.0).round() as u32;
    tens.clamp(Puzzle::<()>::MIN_RATING, Puzzle::<()>::MAX_RATING)
}

/// The positions that an alpha-beta search visits until the move is better than all others.
fn nodes_to_find<G: TwoPlayerGame>(position: &G, m: G::Move, stop: &StopFlag) -> u64 {
    // Reports can't end a search, so each depth is asked for on its own; the judge keeps
    // what it found.
    let mut judge = SearchJudge::new(WinLoss, 1.0);
    let turn = Turn::new(position).with_stop(stop.clone());
    for depth in 1.. {
        let budget = Budget {
            nodes: Some(MAX_NODES),
            ..Budget::depth(depth)
        };
        let values = judge.judge(&turn, &budget, &mut |_| ());
        let mut best = values.best_moves();
        let stands_alone = best.next().is_some_and(|best| best.m == m) && best.next().is_none();
        if stands_alone {
            return values.nodes;
        }
        if values.nodes >= MAX_NODES || values.is_proved() || stop.is_raised() {
            break;
        }
    }
    MAX_NODES
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
