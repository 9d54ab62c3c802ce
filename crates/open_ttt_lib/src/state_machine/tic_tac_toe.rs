//! Tic-tac-toe as a state machine, with the names and the JSON of the design
//! document.
//!
//! O goes first, and the squares count from the top left:
//!
//! ```text
//! 0 | 1 | 2
//! --+---+--
//! 3 | 4 | 5
//! --+---+--
//! 6 | 7 | 8
//! ```
//!
//! The JSON of a move is a number, `4`, that of a conflict its name,
//! `"SquareAlreadyFilled"`, and that of a state `{"board":[null,null,null,null,"O",null,null,null,null],"status":{"NextPlayer":"X"}}`.
//!
//! There are two differences from the document. The board and the status are
//! methods, not fields, so that the status always matches the board. And a square
//! outside the board is a conflict,
//! [`NoSuchSquare`](TicTacToeConflict::NoSuchSquare).
//!
//! ```
//! use open_ttt_lib::state_machine::StateMachine;
//! use open_ttt_lib::state_machine::tic_tac_toe::{
//!     GameStatus, Player, TicTacToe, TicTacToeConflict, TicTacToeMove,
//! };
//!
//! let mut state = TicTacToe::new();
//! for square in [4, 0, 2, 1, 6] {
//!     state = state.apply(&TicTacToeMove(square))?;
//! }
//! assert_eq!(state.board()[4], Some(Player::O));
//! assert_eq!(state.status(), GameStatus::Won(Player::O));
//! # Ok::<(), TicTacToeConflict>(())
//! ```

use core::error::Error;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::StateMachine;
use crate::games::{self, Cell};
use crate::rules::{Outcome, Side, TwoPlayerGame};

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Player {
    /// Moves second.
    X,
    /// Moves first.
    O,
}

/// The status of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameStatus {
    /// The game isn't over, and this player is next.
    NextPlayer(Player),
    /// This player has won.
    Won(Player),
    /// The board is full and no player has won.
    Tie,
}

/// The state of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct TicTacToe {
    position: games::TicTacToe,
}

/// A move: the square to mark, 0 to 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TicTacToeMove(pub usize);

/// Why a move is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TicTacToeConflict {
    /// The game is over.
    GameAlreadyEnded,
    /// The square is occupied.
    SquareAlreadyFilled,
    /// The square isn't 0 to 8.
    NoSuchSquare,
}

impl TicTacToe {
    /// The empty board, with O to move.
    pub const fn new() -> Self {
        Self {
            position: games::TicTacToe::new(),
        }
    }

    /// The owner of each square.
    pub fn board(&self) -> [Option<Player>; 9] {
        SQUARES.map(|cell| self.position.owner(cell).map(Player::from))
    }

    /// The status of the game.
    pub fn status(&self) -> GameStatus {
        match self.position.outcome() {
            None => GameStatus::NextPlayer(self.position.to_move().into()),
            Some(Outcome::Win(side)) => GameStatus::Won(side.into()),
            Some(Outcome::Draw) => GameStatus::Tie,
        }
    }

    /// The position for the rest of the library, with O as the first side.
    pub const fn position(&self) -> &games::TicTacToe {
        &self.position
    }
}

impl From<games::TicTacToe> for TicTacToe {
    fn from(position: games::TicTacToe) -> Self {
        Self { position }
    }
}

/// The cell of each square. Squares count from the top, cells from the bottom.
const SQUARES: [Cell; 9] = {
    let mut squares = [Cell::at((0, 0)); 9];
    let mut square = 0;
    while square < 9 {
        squares[square as usize] = Cell::at((square % 3, 2 - square / 3));
        square += 1;
    }
    squares
};

impl From<Side> for Player {
    fn from(side: Side) -> Self {
        match side {
            Side::First => Self::O,
            Side::Second => Self::X,
        }
    }
}

impl From<Player> for Side {
    fn from(player: Player) -> Self {
        match player {
            Player::O => Self::First,
            Player::X => Self::Second,
        }
    }
}

impl StateMachine for TicTacToe {
    type Transition = TicTacToeMove;
    type Conflict = TicTacToeConflict;

    fn apply(&self, play: &TicTacToeMove) -> Result<Self, TicTacToeConflict> {
        if self.position.outcome().is_some() {
            return Err(TicTacToeConflict::GameAlreadyEnded);
        }
        let cell = SQUARES.get(play.0);
        let cell = *cell.ok_or(TicTacToeConflict::NoSuchSquare)?;
        let mut position = self.position;
        let played = position.play(cell);
        played.map_err(|_| TicTacToeConflict::SquareAlreadyFilled)?;
        Ok(Self { position })
    }
}

impl fmt::Display for TicTacToeConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GameAlreadyEnded => "the game has already ended",
            Self::SquareAlreadyFilled => "the square is already filled",
            Self::NoSuchSquare => "there is no such square, only 0 to 8",
        })
    }
}

impl Error for TicTacToeConflict {}

/// The JSON of a state, not yet checked for reachability.
#[derive(Serialize, Deserialize)]
#[serde(rename = "TicTacToe", deny_unknown_fields)]
struct Wire {
    board: [Option<Player>; 9],
    status: GameStatus,
}

impl From<TicTacToe> for Wire {
    fn from(state: TicTacToe) -> Self {
        Self {
            board: state.board(),
            status: state.status(),
        }
    }
}

impl TryFrom<Wire> for TicTacToe {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let mut cells = [None; 9];
        for (cell, player) in SQUARES.into_iter().zip(wire.board) {
            let index = cell.row() * 3 + cell.column();
            cells[index as usize] = player.map(Side::from);
        }
        let position = games::TicTacToe::from_cells(cells).ok_or("no game leads to this board")?;
        let state = Self { position };
        match (state.status(), wire.status) {
            (expected, written) if expected == written => Ok(state),
            (expected, written) => Err(format!(
                "the status of this board is {expected:?}, not {written:?}"
            )),
        }
    }
}
