use super::{Board, GameState, MoveError, Owner, Position, VictorySets};
use crate::games::{Cell, TicTacToe};
use crate::rules::{Outcome, Reason, Side, TwoPlayerGame};

/// A game of tic-tac-toe after another, each with its board and its state.
///
/// Player X has the first move of the first game; from then on the player who
/// had the second move of one game has the first of the next.
///
/// ```
/// use open_ttt_lib::tic_tac_toe::{Game, GameState, MoveError, Position};
///
/// let mut game = Game::new();
/// let corner = Position { row: 0, column: 0 };
/// game.do_move(corner);
/// assert_eq!(game.state(), GameState::PlayerOMove);
/// assert!(!game.can_move(corner));
///
/// game.try_move(Position { row: 1, column: 1 })?;
/// game.start_next_game();
/// assert_eq!(game.state(), GameState::PlayerOMove);
/// assert_eq!(game.board().free_squares().count(), 9);
/// # Ok::<(), MoveError>(())
/// ```
///
/// A game is valid by construction: its board can be looked at, but only moves
/// mark it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Game {
    /// What the rules are asked about: all that is known of the game.
    position: TicTacToe,
    /// Which side of the position player X is. First in the first game.
    player_x: Side,
    /// The position as an application sees it.
    board: Board,
}

impl Game {
    /// The first game, an empty board with player X to move.
    pub const fn new() -> Self {
        Self::first_move_by_x_as(Side::First)
    }

    /// The board.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Whose move it is, or how the game ended and with which lines.
    pub fn state(&self) -> GameState {
        let is_x = |side| self.owner(side) == Owner::PlayerX;
        match self.position.outcome() {
            None if is_x(self.position.to_move()) => GameState::PlayerXMove,
            None => GameState::PlayerOMove,
            Some(Outcome::Draw) => GameState::CatsGame,
            Some(Outcome::Win(side)) => {
                let marks = self.position.boards()[side.index()];
                let lines = VictorySets::complete(&self.board, marks);
                if is_x(side) {
                    GameState::PlayerXWin(lines)
                } else {
                    GameState::PlayerOWin(lines)
                }
            }
        }
    }

    /// Whether the player whose turn it is can mark the square at a position.
    ///
    /// False when the game is over, the square has an owner or the board has
    /// no such position. If it is true, [`do_move`](Self::do_move) does not
    /// panic.
    pub fn can_move(&self, position: Position) -> bool {
        self.check(position).is_ok()
    }

    /// Marks a square for the player whose turn it is.
    ///
    /// # Panics
    ///
    /// If the game is over, the square has an owner or the board has no such
    /// position, that is if [`can_move`](Self::can_move) is false.
    /// [`try_move`](Self::try_move) returns an error instead.
    #[track_caller]
    pub fn do_move(&mut self, position: Position) {
        if let Err(error) = self.try_move(position) {
            panic!("{error}");
        }
    }

    /// Marks a square for the player whose turn it is, if that is possible.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{Game, MoveError, Owner, Position};
    ///
    /// let mut game = Game::new();
    /// let centre = Position { row: 1, column: 1 };
    /// game.try_move(centre)?;
    /// let error = MoveError::Owned { position: centre, owner: Owner::PlayerX };
    /// assert_eq!(game.try_move(centre), Err(error));
    /// # Ok::<(), MoveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`MoveError`] with the reason; the game is then unchanged.
    pub fn try_move(&mut self, position: Position) -> Result<(), MoveError> {
        let cell = self.check(position)?;
        let owner = self.owner(self.position.to_move());
        self.position.play_unchecked(cell);
        self.board.get_mut(position).owner = owner;
        Ok(())
    }

    /// Empties the board and gives the first move to the player who did not
    /// have it in the game before.
    ///
    /// A game that is not over yet is given up: it counts as played, for the
    /// turn to begin as for everything else.
    pub fn start_next_game(&mut self) {
        *self = Self::first_move_by_x_as(!self.player_x);
    }

    /// The position as the rules see it.
    pub(super) const fn position(&self) -> &TicTacToe {
        &self.position
    }

    const fn first_move_by_x_as(player_x: Side) -> Self {
        Self {
            position: TicTacToe::new(),
            player_x,
            board: Board::new(),
        }
    }

    fn owner(&self, side: Side) -> Owner {
        if side == self.player_x {
            Owner::PlayerX
        } else {
            Owner::PlayerO
        }
    }

    /// The cell of the rules at a position where a move is possible.
    fn check(&self, position: Position) -> Result<Cell, MoveError> {
        let cell = position.cell().ok_or(MoveError::OffBoard { position })?;
        match self.position.check(cell) {
            Ok(()) => Ok(cell),
            Err(illegal) if illegal.reason == Reason::GameOver => Err(MoveError::GameOver),
            Err(_) => Err(MoveError::Owned {
                position,
                owner: self.board.get(position).owner,
            }),
        }
    }
}

impl Default for Game {
    fn default() -> Self {
        Self::new()
    }
}
