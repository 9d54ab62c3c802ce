//! Tic-tac-toe for an application: the game, its board and a computer
//! opponent.
//!
//! ```
//! use open_ttt_lib::tic_tac_toe::{AiMove, Game, GameState, Position};
//!
//! let mut game = Game::new();
//! assert_eq!(game.state(), GameState::PlayerXMove);
//!
//! // The user marks the centre, row 1 and column 1 from the top left corner.
//! let centre = Position { row: 1, column: 1 };
//! assert!(game.can_move(centre));
//! game.do_move(centre);
//!
//! // The computer answers. It makes a mistake on one move in ten.
//! game.do_move(AiMove::new(&game, 0.1).position());
//!
//! println!("{}", game.board());
//! assert_eq!(game.board().free_squares().count(), 7);
//! assert_eq!(game.state(), GameState::PlayerXMove);
//! ```
//!
//! The state of a game that is won has the completed lines:
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
//! | iterate over squares | [`Iter`], [`FreeSquares`], [`VictorySets`] |
//! | let the computer play | [`AiMove`], [`AiMoveError`] |
//! | give hints | [`Game::square_values`], [`SquareValue`], [`BestOutcome`] |
//! | undo a move, restore a game | [`Game::undo`], [`Game::from_board`], [`UnreachableBoard`] |
//!
//! This module wraps [`games::TicTacToe`](crate::games::TicTacToe), which has
//! the rules and suits searches; a [`Game`] converts to it and back.
//!
//! # Differences from the design document
//!
//! The types and members are those of the "Ounce of Rust" design document
//! (James Richey), with these differences:
//!
//! - `AIMove` is spelled [`AiMove`], by Rust's naming conventions, and borrows
//!   the game instead of consuming it.
//! - Each method that panics has a counterpart that doesn't:
//!   [`Game::try_move`], [`Board::try_get`], [`Board::try_get_mut`] and
//!   [`AiMove::try_new`].
//! - The items of [`VictorySets`] are arrays of three squares, not slices: a
//!   column isn't a slice of a board, and the sets in a [`GameState`], which is
//!   `Copy`, can't borrow the game.
//! - The document's computer "sometimes fails to consider one of the outcomes";
//!   [`AiMove`] specifies which one and how often.
//! - The document's computer picks any move to the best outcome; [`AiMove`] takes a
//!   win at once where there is one, because a computer that passes it up for a
//!   slower one looks broken.
//! - Games convert to positions for searches and back, restore a board, undo moves
//!   and value squares, none of which the document has.
//! - [`AiMove`] uses a precomputed table instead of a search. A test compares
//!   every entry with a search.
//! - The types are also in the crate's root.

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
mod square_value;
mod victory_sets;

pub use ai_move::{AiMove, AiMoveError};
pub use board::Board;
pub use free_squares::FreeSquares;
pub use game::{Game, UnreachableBoard};
pub use game_state::GameState;
pub use iter::Iter;
pub use move_error::MoveError;
pub use owner::Owner;
pub use position::Position;
pub use square::Square;
pub use square_value::{BestOutcome, SquareValue};
pub use victory_sets::VictorySets;
