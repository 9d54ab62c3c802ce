//! Crates that find a move by searching the game, on the empty board.

use std::hint::black_box;
use std::time::Instant;

use bench::MinimaxRules;
use board_game::ai::solver::{SolverValue, solve_value};
use board_game::games::ttt::TTTBoard;
use minimax::{Evaluation, IterativeOptions, IterativeSearch, Negamax, Strategy};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::TwoPlayerGame;

use super::nanoseconds;

/// How many plies a game has at most.
const PLIES: u8 = 9;

/// Nanoseconds in which `board-game` finds out that the game is drawn. It is
/// not asked for a move, which takes it longer.
pub fn time_board_game() -> f64 {
    let board = TTTBoard::default();
    let start = Instant::now();
    let value = black_box(solve_value(black_box(&board), PLIES.into()));
    let elapsed = start.elapsed();
    assert_eq!(value, SolverValue::Draw);
    nanoseconds(elapsed)
}

/// Nanoseconds in which `minimax` finds a move by plain alpha-beta.
pub fn time_minimax_negamax() -> f64 {
    let mut negamax = Negamax::new(Unjudged, PLIES);
    let time = time_choice(&mut negamax);
    assert_eq!(negamax.root_value(), 0, "the game is drawn");
    time
}

/// Nanoseconds in which `minimax` finds a move by deepening, with a table that
/// is made beforehand, large enough for the game, and empty.
pub fn time_minimax_iterative() -> f64 {
    let options = IterativeOptions::new().with_table_byte_size(1 << 18);
    let mut search = IterativeSearch::new(Unjudged, options);
    search.set_max_depth(PLIES);
    let time = time_choice(&mut search);
    assert_eq!(search.root_value(), 0, "the game is drawn");
    time
}

fn time_choice(strategy: &mut impl Strategy<MinimaxRules<TicTacToe>>) -> f64 {
    let empty = TicTacToe::new();
    let start = Instant::now();
    let chosen = black_box(strategy.choose_move(black_box(&empty)));
    let elapsed = start.elapsed();
    assert!(chosen.is_some_and(|cell| empty.check(cell).is_ok()));
    nanoseconds(elapsed)
}

/// A judgement that is never asked for: the search sees the end.
struct Unjudged;

impl minimax::Evaluator for Unjudged {
    type G = MinimaxRules<TicTacToe>;

    fn evaluate(&self, _: &TicTacToe) -> Evaluation {
        0
    }
}
