//! Tic-tac-toe for an application: the game, its board and a computer
//! opponent.
//!
//! ```
//! use open_ttt_lib::tic_tac_toe::{AiMove, Game, GameState, Position};
//!
//! let mut game = Game::new();
//! assert_eq!(game.state(), GameState::PlayerXMove);
//!
//! // A person marks the centre, row 1 and column 1 from the top left corner.
//! let centre = Position { row: 1, column: 1 };
//! assert!(game.can_move(centre));
//! game.do_move(centre);
//!
//! // The computer answers, and overlooks its best answers one time in ten.
//! game.do_move(AiMove::new(&game, 0.1).position());
//!
//! println!("{}", game.board());
//! assert_eq!(game.board().free_squares().count(), 7);
//! assert_eq!(game.state(), GameState::PlayerXMove);
//! ```
//!
//! When a game is won, its state has the lines to draw through the squares:
//!
//! ```
//! use open_ttt_lib::tic_tac_toe::{Game, GameState, Owner, Position};
//!
//! let mut game = Game::new();
//! for position in [(0, 0), (0, 1), (1, 1), (0, 2), (2, 2)] {
//!     game.try_move(position.into())?;
//! }
//! let GameState::PlayerXWin(mut lines) = game.state() else {
//!     panic!("player X has the diagonal");
//! };
//! let line = lines.next().expect("a game is won by a line");
//! assert_eq!(line.map(|square| square.owner), [Owner::PlayerX; 3]);
//! assert_eq!(line[2].position, Position { row: 2, column: 2 });
//! assert_eq!(lines.next(), None);
//! # Ok::<(), open_ttt_lib::tic_tac_toe::MoveError>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | play | [`Game`], [`GameState`], [`MoveError`] |
//! | draw | [`Board`], [`Square`], [`Position`], [`Owner`] |
//! | walk over the squares | [`Iter`], [`FreeSquares`], [`VictorySets`] |
//! | let the computer play | [`AiMove`], [`AiMoveError`] |
//!
//! The same game as a position for the searchers of this library is
//! [`games::TicTacToe`](crate::games::TicTacToe); the rules are written there
//! and this module is its front.
//!
//! # How long the computer blocks
//!
//! An [`AiMove`] is looked up in a table that is made while the library is
//! compiled, so it takes well below a microsecond in whatever position: a
//! frame of 1/144 s has room for tens of thousands. The benchmark measures the
//! worst case on your machine and compares it with a search:
//!
//! ```text
//! cargo bench --manifest-path bench/Cargo.toml --bench ai_move
//! ```
//!
//! # Where it differs from the design document
//!
//! The types and members are those of the "Ounce of Rust" design document
//! (James Richey), with these differences:
//!
//! - `AIMove` is spelled [`AiMove`], as Rust's naming conventions ask, and
//!   borrows the game instead of consuming it.
//! - Beside each method that panics there is one that does not:
//!   [`Game::try_move`], [`Board::try_get`], [`Board::try_get_mut`] and
//!   [`AiMove::try_new`].
//! - The items of [`VictorySets`] are arrays of three squares, not slices: a
//!   column is no slice of a board, and the sets in a [`GameState`], which is
//!   `Copy`, cannot borrow the game.
//! - The computer "sometimes fails to consider one of the outcomes":
//!   [`AiMove`] says which one and how often.
//! - It looks the outcomes up where the document searches for them. A test
//!   holds each entry of the table to such a search.
//! - The types are in the crate's root as well as in this module.

mod ai_move;
mod board;
mod free_squares;
mod game;
mod game_state;
mod iter;
mod move_error;
mod outcomes;
mod owner;
mod position;
mod square;
mod victory_sets;

pub use ai_move::{AiMove, AiMoveError};
pub use board::Board;
pub use free_squares::FreeSquares;
pub use game::Game;
pub use game_state::GameState;
pub use iter::Iter;
pub use move_error::MoveError;
pub use owner::Owner;
pub use position::Position;
pub use square::Square;
pub use victory_sets::VictorySets;
