//! Games that implement the contract of [`rules`](crate::rules).
//!
//! | type | key | parameters | moves |
//! |---|---|---|---|
//! | [`TicTacToe`] | `ttt` | | `a1` to `c3` |
//! | [`Pegs`] | `pegs` | `lines` 34 or 38 | `A` to `H` |
//! | [`ConnectFour`] | `connect4` | | `1` to `7` |
//! | [`Mnk`] | `mnk` | `m`, `n`, `k` | `a1` to `s19` |
//! | [`Qubic`] | `qubic` | | `1a1` to `4d4` |
//! | [`Ultimate`] | `ultimate` | | `a1` to `i9` |
//! | [`Reversi`] | `reversi` | `size` 4, 6 or 8 | `a1` to `h8`, `pass` |
//! | [`DotsAndBoxes`] | `dots` | `m`, `n` | `a1-b1` to `h7-h8` |
//! | [`Hex`] | `hex` | `size`, `swap` | `a1` to `m13`, `swap` |
//! | [`Lines`] | `lines` | `m`, `n`, `k`, `layers`, ... | `a1`, `2c4`, `1-2c4`, `a1x` |
//! | [`Quarto`] | `quarto` | | `a1-ltrf` |
//! | [`Draughts`] | `draughts` | | `11-15`, `15x22x29` |
//! | [`Morris`] | `morris` | `men` 3, 6 or 9 | `d6`, `a1-a4xd6` |
//!
//! Every position is a small `Copy` value of bitboards. To add a game, write a
//! module like these, check it with `rules::conformance` and add it to the
//! catalog (`open_ttt_catalog`).

/// Implements [`IndexedMoves`] for a game whose moves wrap their index.
macro_rules! indexed_moves {
    ($game:ident, $m:ident, $count:expr) => {
        impl IndexedMoves for $game {
            fn move_count(&self) -> usize {
                $count as usize
            }

            fn move_index(&self, m: $m) -> usize {
                m.0 as usize
            }

            fn indexed_move(&self, index: usize) -> Option<$m> {
                (index < self.move_count()).then(|| $m(index as u8))
            }
        }
    };
}

mod bits;
mod book_file;
mod connect_four;
mod decisive;
mod dots_and_boxes;
mod draughts;
mod hex;
mod lines;
mod mnk;
mod morris;
mod pegs;
mod quarto;
mod qubic;
mod reversi;
pub(crate) mod tic_tac_toe;
mod ultimate;

#[cfg(not(open_ttt_small))]
pub use book_file::BOOK_FILES;
#[cfg(open_ttt_small)]
pub use book_file::{add_book, missing_books};
pub use connect_four::{Column, ConnectFour};
pub use dots_and_boxes::{DotsAndBoxes, Edge};
pub use draughts::{Draughts, DraughtsMove, DraughtsPiece};
pub use hex::{Hex, HexCell, HexMove};
pub use lines::{Lines, LinesMove, LinesOptions, LinesTransform, Mark, Marks};
pub use mnk::{Mnk, Point};
pub use morris::{Morris, MorrisMove, MorrisTransform};
pub use pegs::{LineSet, Peg, Pegs};
pub use quarto::{Quarto, QuartoMove, QuartoPiece, QuartoTransform};
pub use qubic::{Automorphism, Cube, Qubic};
pub use reversi::{Reversi, ReversiMove, ReversiSquare};
pub use tic_tac_toe::{Cell, TicTacToe};
pub use ultimate::{Ultimate, UltimateCell};
