//! The contract of a two-player game, and the optional capabilities of a game.
//!
//! [`TwoPlayerGame`] is all that is needed to play a game, to search it and to
//! train a network for it. Every further capability is a trait of its own, which
//! a game implements and a consumer requires:
//!
//! | trait | provides | used by |
//! |---|---|---|
//! | [`Notation`] | moves as text, names of the sides | programs, records, the match server |
//! | [`Drawing`] | the board as data | the terminal, the web page |
//! | [`Named`] | a name, `pegs(lines=38)` | the state machine, the match server |
//! | [`Described`] | a key, a title, rules and parameters | the catalog |
//! | [`Margin`] | points | searches for the best margin |
//! | [`BoardFilling`] | the pieces of a game that fills a board | retrograde analysis |
//! | [`OpeningBook`] | values of early positions | perfect players |
//! | [`SolutionBook`] | winning moves of one side from the start on | perfect players |
//! | [`Heuristic`] | a static evaluation | depth-limited searches |
//! | [`CompactKey`] | the position in 64 bits | transposition tables |
//! | [`IndexedMoves`] | moves as small numbers | tables, networks |
//! | [`Encode`] | the position as feature planes | networks |
//! | [`LineGame`] | the winning lines and the owner of each cell | threat searches |
//! | [`Tactics`] | immediate wins, threats, move ordering | exact solving by alpha-beta |
//! | [`DecisiveMoves`] | playouts with decisive moves | Monte Carlo tree search |
//! | [`Symmetry`] | mirrored and rotated positions | solvers, training |

mod board_filling;
mod capabilities;
#[cfg(feature = "conformance")]
pub mod conformance;
mod decimal;
mod decisive_moves;
mod drawing;
mod encode;
mod history;
mod illegal_move;
mod line_game;
mod named;
mod notation;
mod objective;
mod opening_book;
mod outcome;
mod perft;
mod repetition;
mod side;
mod solution_book;
mod symmetry;
mod tactics;
mod two_player_game;

pub use board_filling::BoardFilling;
pub use capabilities::{CompactKey, Heuristic, IndexedMoves, Margin};
pub use decimal::parse_decimal;
pub use decisive_moves::DecisiveMoves;
pub use drawing::{
    BoardCell, Choice, Color, CompletedLine, Drawing, Layout, Picture, Piece, Place, Shape, Stack,
    Tint, Tray,
};
pub use encode::{Encode, Encoding, encode_owners};
pub use history::History;
pub use illegal_move::{IllegalMove, Reason};
pub use line_game::LineGame;
pub use named::{AllowedValues, Described, FromName, Named, Parameter, Spec, SpecError};
pub use notation::{
    Notation, ParseMoveError, PlayTextError, PlayTextErrorKind, normalized, parse_grid_cell,
    play_text, quoted,
};
pub use objective::Objective;
pub use opening_book::OpeningBook;
pub use outcome::Outcome;
pub use perft::{perft, perft_divide};
pub use repetition::Repetition;
pub use side::Side;
pub use solution_book::SolutionBook;
pub use symmetry::{Dihedral, Symmetry};
pub use tactics::Tactics;
pub(crate) use two_player_game::MAX_PLAYOUT_MOVES;
pub use two_player_game::TwoPlayerGame;
