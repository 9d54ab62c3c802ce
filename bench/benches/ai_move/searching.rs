//! Crates that find a move by searching the game, on the empty board.

use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::time::Instant;

use board_game::ai::solver::{SolverValue, solve_value};
use board_game::games::ttt::TTTBoard;
use minimax::{Evaluation, IterativeOptions, IterativeSearch, Negamax, Strategy, Winner};
use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::{Outcome, TwoPlayerGame};

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

fn time_choice(strategy: &mut impl Strategy<Rules>) -> f64 {
    let empty = TicTacToe::new();
    let start = Instant::now();
    let chosen = black_box(strategy.choose_move(black_box(&empty)));
    let elapsed = start.elapsed();
    assert!(chosen.is_some_and(|cell| empty.check(cell).is_ok()));
    nanoseconds(elapsed)
}

/// Our rules, as `minimax` asks for them.
struct Rules;

impl minimax::Game for Rules {
    type S = TicTacToe;
    type M = Cell;

    fn generate_moves(game: &TicTacToe, moves: &mut Vec<Cell>) -> Option<Winner> {
        moves.extend(game.moves());
        Self::get_winner(game)
    }

    fn apply(game: &mut TicTacToe, cell: Cell) -> Option<TicTacToe> {
        Some(game.after(cell))
    }

    fn get_winner(game: &TicTacToe) -> Option<Winner> {
        game.outcome().map(|outcome| match outcome {
            Outcome::Draw => Winner::Draw,
            Outcome::Win(side) if side == game.to_move() => Winner::PlayerToMove,
            Outcome::Win(_) => Winner::PlayerJustMoved,
        })
    }

    fn zobrist_hash(game: &TicTacToe) -> u64 {
        let mut hasher = Mixer(0);
        game.hash(&mut hasher);
        hasher.finish()
    }
}

/// A judgement that is never asked for: the search sees the end.
struct Unjudged;

impl minimax::Evaluator for Unjudged {
    type G = Rules;

    fn evaluate(&self, _: &TicTacToe) -> Evaluation {
        0
    }
}

/// A quick hash that is good enough for a few thousand positions.
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u16(&mut self, word: u16) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(21) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
