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
//! | [`Filling`] | the pieces, for games that fill a board | solving from the end |
//! | [`MarginBook`], [`OutcomeBook`] | values known by heart | players of the opening |
//! | [`Heuristic`] | a judgement of an unfinished game | searchers that cannot see the end |
//! | [`CompactKey`] | the position in 64 bits | tables of positions |
//! | [`IndexedMoves`] | moves as small numbers | tables of moves, networks |
//! | [`Encode`] | the position as numbers | networks |
//! | [`Completing`] | the lines that win and who owns what | threat search, deciders |
//! | [`Tactics`] | wins, threats and promising moves | provers |
//! | [`Decisive`] | random games that overlook no win | tree search |
//! | [`Symmetry`] | mirrored and turned positions | solvers, learning |
//!
//! This room knows no other. It does no I/O, reads no clock and draws no
//! random numbers.

mod book;
mod completing;
#[cfg(feature = "conformance")]
pub mod conformance;
mod decisive;
mod drawing;
mod encode;
mod filling;
mod illegal_move;
mod named;
mod notation;
mod objective;
mod outcome;
mod perft;
mod powers;
mod side;
mod symmetry;
mod tactics;
mod two_player_game;

pub use book::{MarginBook, OutcomeBook};
pub use completing::Completing;
pub use decisive::Decisive;
pub use drawing::{Cell, Drawing, Layout, Line, Picture, Place, Stack, grid_labels};
pub use encode::{Encode, Encoding, encode_owners};
pub use filling::Filling;
pub use illegal_move::{IllegalMove, Reason};
pub use named::{Allowed, Described, Named, Parameter, Spec, SpecError};
pub use notation::{
    Notation, ParseMoveError, PlayTextError, PlayTextErrorKind, parse_grid_cell, play_text, quoted,
    squeezed,
};
pub use objective::Objective;
pub use outcome::Outcome;
pub use perft::{perft, perft_divide};
pub use powers::{CompactKey, Heuristic, IndexedMoves, Margin};
pub use side::Side;
pub use symmetry::{Dihedral, Symmetry};
pub use tactics::Tactics;
pub use two_player_game::TwoPlayerGame;
