use super::{Board, GameState, MoveError, Owner, Position, VictorySets};
use crate::games::{Cell, TicTacToe};
use crate::rules::{Outcome, Reason, Side, TwoPlayerGame};

/// A game of tic-tac-toe, and the games that follow it.
///
/// Player X has the first move of the first game; afterwards the players take
/// turns having the first move.
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
/// A game is valid by construction, because only moves change its board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Game {
    /// The position for the rules.
    position: TicTacToe,
    /// The side of player X in the position.
    player_x: Side,
    /// The same position for the application.
    board: Board,
}

impl Game {
    /// The first game: an empty board with player X to move.
    pub const fn new() -> Self {
        Self::first_move_by_x_as(Side::First)
    }

    /// The board.
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// The player to move, or the result with the completed lines.
    pub fn state(&self) -> GameState {
        match self.position.outcome() {
            None if self.position.to_move() == self.player_x => GameState::PlayerXMove,
            None => GameState::PlayerOMove,
            Some(Outcome::Draw) => GameState::CatsGame,
            Some(Outcome::Win(side)) => {
                let lines = VictorySets::complete(&self.board, self.owner(side));
                if side == self.player_x {
                    GameState::PlayerXWin(lines)
                } else {
                    GameState::PlayerOWin(lines)
                }
            }
        }
    }

    /// Whether the player whose turn it is can mark the square at a position.
    ///
    /// False if the game is over, the square has an owner or the board has no such
    /// position. If true, [`do_move`](Self::do_move) doesn't panic.
    pub fn can_move(&self, position: Position) -> bool {
        self.check(position).is_ok()
    }

    /// Marks a square for the player whose turn it is.
    ///
    /// # Panics
    ///
    /// If [`can_move`](Self::can_move) is false. [`try_move`](Self::try_move)
    /// returns an error instead.
    #[track_caller]
    pub fn do_move(&mut self, position: Position) {
        if let Err(error) = self.try_move(position) {
            panic!("{error}");
        }
    }

    /// Marks a square for the player whose turn it is, or returns an error.
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
    /// [`MoveError`] if the move is illegal; the game is then unchanged.
    pub fn try_move(&mut self, position: Position) -> Result<(), MoveError> {
        let cell = self.check(position)?;
        let owner = self.owner(self.position.to_move());
        self.position.play_unchecked(cell);
        self.board.get_mut(position).owner = owner;
        Ok(())
    }

    /// Clears the board. The first move goes to the player who didn't have it in
    /// this game.
    ///
    /// An unfinished game is abandoned and counts as played.
    pub fn start_next_game(&mut self) {
        *self = Self::first_move_by_x_as(!self.player_x);
    }

    /// The position for the rules.
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

    /// The cell at a position, if it is a legal move.
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
