use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::square_value::square_values;
use super::{Board, GameState, MoveError, Owner, Position, SquareValue, VictorySets};
use crate::games::tic_tac_toe::{FULL, cells};
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
/// A game is valid by construction, because only moves change its board. Games are
/// equal if their squares have the same owners and the same player has the first
/// move, whatever the order of the moves.
///
/// # As a position for searches and networks
///
/// [`games::TicTacToe`](TicTacToe) is the position that searches, players and
/// networks take. Games convert to it and back, and so do squares:
///
/// ```
/// use open_ttt_lib::games::{Cell, TicTacToe};
/// use open_ttt_lib::rules::TwoPlayerGame;
/// use open_ttt_lib::tic_tac_toe::{Game, Position};
///
/// let mut game = Game::new();
/// game.do_move(Position { row: 1, column: 1 });
///
/// let mut searched = TicTacToe::from(&game);
/// let cell = searched.moves().next().expect("a free cell");
/// searched.play_unchecked(cell);
///
/// game.do_move(Position::from(cell));
/// assert_eq!(Game::from(searched), game);
/// assert_eq!(Cell::try_from(Position { row: 2, column: 0 })?, cell);
/// # Ok::<(), open_ttt_lib::tic_tac_toe::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    /// The position for the rules.
    position: TicTacToe,
    /// The side of player X in the position.
    player_x: Side,
    /// The same position for the application.
    board: Board,
    /// The moves made here, in order.
    moves: [Option<Cell>; 9],
}

impl Game {
    /// The first game: an empty board with player X to move.
    pub const fn new() -> Self {
        Self::first_move_by_x_as(Side::First)
    }

    /// The game with this position, in which player X is this side: `First` if X had
    /// the first move.
    ///
    /// It restores a game that was saved as a position. The moves before it can't be
    /// undone. [`Game::from`] is for player X as `First`.
    ///
    /// ```
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::{Side, play_text};
    /// use open_ttt_lib::tic_tac_toe::{Game, GameState, Owner};
    ///
    /// let mut position = TicTacToe::new();
    /// play_text(&mut position, "b2 a1")?;
    /// let game = Game::with_position(position, Side::Second);
    /// assert_eq!(game.state(), GameState::PlayerOMove);
    /// assert_eq!(game.board().get((1, 1).into()).owner, Owner::PlayerO);
    /// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
    /// ```
    pub fn with_position(position: TicTacToe, player_x: Side) -> Self {
        let mut game = Self {
            position,
            ..Self::first_move_by_x_as(player_x)
        };
        for cell in cells(FULL) {
            if let Some(side) = position.owner(cell) {
                game.board.get_mut(Position::of(cell)).owner = game.owner(side);
            }
        }
        game
    }

    /// The game with this board, in which player X is this side: `First` if X had
    /// the first move.
    ///
    /// ```
    /// use open_ttt_lib::rules::Side;
    /// use open_ttt_lib::tic_tac_toe::{Board, Game, GameState, Owner};
    ///
    /// let mut board = Board::new();
    /// board.get_mut((1, 1).into()).owner = Owner::PlayerX;
    /// let game = Game::from_board(&board, Side::First)?;
    /// assert_eq!(game.state(), GameState::PlayerOMove);
    /// assert_eq!(
    ///     Game::from_board(&board, Side::Second).unwrap_err().to_string(),
    ///     "no game in which player O has the first move leads to this board",
    /// );
    /// # Ok::<(), open_ttt_lib::tic_tac_toe::UnreachableBoard>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`UnreachableBoard`] if the numbers of marks don't match alternating turns,
    /// or moves were made after the end.
    pub fn from_board(board: &Board, player_x: Side) -> Result<Self, UnreachableBoard> {
        let mut owners = [None; 9];
        for (owner, cell) in owners.iter_mut().zip(cells(FULL)) {
            *owner = match board.get(Position::of(cell)).owner {
                Owner::PlayerX => Some(player_x),
                Owner::PlayerO => Some(!player_x),
                Owner::None => None,
            };
        }
        let position = TicTacToe::from_cells(owners).ok_or(UnreachableBoard { player_x })?;
        Ok(Self::with_position(position, player_x))
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
        if let Some(free) = self.moves.iter_mut().find(|m| m.is_none()) {
            *free = Some(cell);
        }
        Ok(())
    }

    /// Takes back the last move, and returns the position that it marked.
    ///
    /// `None` if there is no move to undo: in a new game, or where a game was
    /// restored.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{Game, GameState};
    ///
    /// let mut game = Game::new();
    /// game.do_move((0, 2).into());
    /// assert_eq!(game.undo(), Some((0, 2).into()));
    /// assert_eq!(game.state(), GameState::PlayerXMove);
    /// assert_eq!(game.undo(), None);
    /// ```
    pub fn undo(&mut self) -> Option<Position> {
        let cell = self.moves.iter_mut().rev().find_map(Option::take)?;
        let boards = self.position.boards().map(|board| board & !cell.bit());
        self.position = TicTacToe::from_boards(boards)?;
        let position = Position::of(cell);
        self.board.get_mut(position).owner = Owner::None;
        Some(position)
    }

    /// What marking each free square leads to, for the player whose turn it is, in
    /// the order of [`Board::free_squares`]. Empty if the game is over.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{BestOutcome, Game, Position};
    ///
    /// let mut game = Game::new();
    /// for position in [(0, 0), (1, 1), (0, 1), (2, 2)] {
    ///     game.do_move(position.into());
    /// }
    /// let values = game.square_values();
    /// let best = values.iter().min_by_key(|value| value.plies).expect("a free square");
    /// assert_eq!(best.position, Position { row: 0, column: 2 });
    /// assert_eq!((best.outcome, best.plies), (BestOutcome::Win, 1));
    /// ```
    #[doc(alias = "evaluate_game")]
    #[doc(alias = "hint")]
    pub fn square_values(&self) -> Vec<SquareValue> {
        let free = self.board.free_squares();
        square_values(&self.position, free.map(|square| square.position))
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
            moves: [None; 9],
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
        let cell = Cell::try_from(position)?;
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

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        (self.position, self.player_x) == (other.position, other.player_x)
    }
}

impl Eq for Game {}

impl Hash for Game {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.position, self.player_x).hash(state);
    }
}

/// The game with this position, in which player X had the first move.
impl From<TicTacToe> for Game {
    fn from(position: TicTacToe) -> Self {
        Self::with_position(position, Side::First)
    }
}

/// The position of a game: the player who had the first move is `Side::First`.
impl From<&Game> for TicTacToe {
    fn from(game: &Game) -> Self {
        game.position
    }
}

/// A board that no game leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnreachableBoard {
    /// The side of player X in the games that were considered.
    pub player_x: Side,
}

impl fmt::Display for UnreachableBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = match self.player_x {
            Side::First => Owner::PlayerX,
            Side::Second => Owner::PlayerO,
        };
        write!(
            f,
            "no game in which player {first} has the first move leads to this board"
        )
    }
}

impl Error for UnreachableBoard {}
