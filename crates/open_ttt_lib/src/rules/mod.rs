//! The contract every game keeps, and the small extra powers a game may have.
//!
//! [`TwoPlayerGame`] is all that is needed to search a game, to play it and to
//! let it be learned. Each further power is a trait of its own, so that a game
//! says what it can do and a reader says what it needs:
//!
//! | trait | gives | needed by |
//! |---|---|---|
//! | [`Notation`] | moves as text, names of the sides | programs, records, the network |
//! | [`Drawing`] | the board as data | the terminal, a web page |
//! | [`Named`] | a name, `pegs(lines=38)` | the state machine, the network |
//! | [`Described`] | a key, rules and parameters | the catalog, which names the game by them |
//! | [`Margin`] | points, for games that count them | searchers that judge by points |
//! | [`BoardFilling`] | the pieces, for games that fill a board | solving from the end |
//! | [`OpeningBook`] | values of early positions | players |
//! | [`Heuristic`] | a judgement of an unfinished game | searchers that cannot see the end |
//! | [`CompactKey`] | the position in 64 bits | tables of positions |
//! | [`IndexedMoves`] | moves as small numbers | tables of moves, networks |
//! | [`Encode`] | the position as numbers | networks |
//! | [`LineGame`] | the lines that win and who owns what | threat search, deciders |
//! | [`Tactics`] | wins, threats and promising moves | provers |
//! | [`DecisiveMoves`] | random games that overlook no win | tree search |
//! | [`Symmetry`] | mirrored and turned positions | solvers, learning |
//!
//! This room knows no other. It does no I/O, reads no clock and draws no
//! random numbers.

mod board_filling;
mod capabilities;
#[cfg(feature = "conformance")]
pub mod conformance;
mod decisive_moves;
mod drawing;
mod encode;
mod illegal_move;
mod line_game;
mod named;
mod notation;
mod objective;
mod opening_book;
mod outcome;
mod perft;
mod side;
mod symmetry;
mod tactics;
mod two_player_game;

pub use board_filling::BoardFilling;
pub use capabilities::{CompactKey, Heuristic, IndexedMoves, Margin};
pub use decisive_moves::DecisiveMoves;
pub use drawing::{BoardCell, CompletedLine, Drawing, Layout, Picture, Place, Stack, grid_labels};
pub use encode::{Encode, Encoding, encode_owners};
pub use illegal_move::{IllegalMove, Reason};
pub use line_game::LineGame;
pub use named::{AllowedValues, Described, Named, Parameter, Spec, SpecError};
pub use notation::{
    Notation, ParseMoveError, PlayTextError, PlayTextErrorKind, normalized, parse_grid_cell,
    play_text, quoted,
};
pub use objective::Objective;
pub use opening_book::OpeningBook;
pub use outcome::Outcome;
pub use perft::{perft, perft_divide};
pub use side::Side;
pub use symmetry::{Dihedral, Symmetry};
pub use tactics::Tactics;
pub use two_player_game::TwoPlayerGame;
