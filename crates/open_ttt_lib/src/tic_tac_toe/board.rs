use core::fmt;
use core::hash::{Hash, Hasher};

use super::{FreeSquares, Iter, Owner, Position, Square, VictorySets};

/// A tic-tac-toe board: nine squares, three by three.
///
/// Only moves change the board of a game, [`Game::board`](super::Game::board).
/// Your own board can be marked freely. A board is displayed as a grid:
///
/// ```
/// use open_ttt_lib::tic_tac_toe::{Board, Owner, Position};
///
/// let mut board = Board::new();
/// for place in [(0, 0), (1, 1), (2, 0), (2, 2)] {
///     board.get_mut(place.into()).owner = Owner::PlayerX;
/// }
/// for place in [(0, 1), (0, 2), (1, 0)] {
///     board.get_mut(place.into()).owner = Owner::PlayerO;
/// }
/// let picture = "\
/// +---+---+---+
/// | X | O | O |
/// +---+---+---+
/// | O | X |   |
/// +---+---+---+
/// | X |   | X |
/// +---+---+---+";
/// assert_eq!(board.to_string(), picture);
/// ```
///
/// Squares are returned by value and include their position.
#[derive(Clone)]
pub struct Board {
    /// Row by row from the top, each from the left.
    squares: [Square; 9],
}

/// The number of rows and columns.
const SIZE: i32 = 3;

impl Board {
    /// An empty board.
    pub const fn new() -> Self {
        let mut squares = [Square {
            position: Position { row: 0, column: 0 },
            owner: Owner::None,
        }; 9];
        let mut index = 0;
        while index < squares.len() {
            squares[index].position = position(index);
            index += 1;
        }
        Self { squares }
    }

    /// The number of rows and of columns: 3.
    pub const fn size(&self) -> i32 {
        SIZE
    }

    /// The square at a position.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{Board, Owner};
    ///
    /// assert_eq!(Board::new().get((2, 1).into()).owner, Owner::None);
    /// ```
    ///
    /// # Panics
    ///
    /// If the board has no such position. [`try_get`](Self::try_get) does not.
    #[track_caller]
    pub fn get(&self, position: Position) -> Square {
        match self.try_get(position) {
            Some(square) => square,
            None => off_board(position),
        }
    }

    /// The square at a position, or `None` if the board has no such position.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{Board, Position};
    ///
    /// assert_eq!(Board::new().try_get(Position { row: 3, column: 0 }), None);
    /// ```
    pub fn try_get(&self, position: Position) -> Option<Square> {
        index(position).map(|index| self.square(index))
    }

    /// The square at a position, mutably.
    ///
    /// The board ignores a changed [`position`](Square::position).
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{Board, Owner, Position};
    ///
    /// let mut board = Board::new();
    /// let centre = Position { row: 1, column: 1 };
    /// board.get_mut(centre).owner = Owner::PlayerO;
    /// assert_eq!(board.get(centre).owner, Owner::PlayerO);
    /// ```
    ///
    /// # Panics
    ///
    /// If the board has no such position.
    /// [`try_get_mut`](Self::try_get_mut) does not.
    #[track_caller]
    pub fn get_mut(&mut self, position: Position) -> &mut Square {
        match self.try_get_mut(position) {
            Some(square) => square,
            None => off_board(position),
        }
    }

    /// The square at a position, mutably, or `None` if the board has no such
    /// position.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::Board;
    ///
    /// assert!(Board::new().try_get_mut((0, -1).into()).is_none());
    /// ```
    pub fn try_get_mut(&mut self, position: Position) -> Option<&mut Square> {
        index(position).map(|index| &mut self.squares[index])
    }

    /// All squares, row by row from the top, each row from the left.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::Board;
    ///
    /// let board = Board::new();
    /// let last = board.iter().last().map(|square| square.position);
    /// assert_eq!(last, Some((2, 2).into()));
    /// ```
    pub fn iter(&self) -> Iter<'_> {
        Iter::new(self)
    }

    /// The squares without an owner, in the order of [`iter`](Self::iter).
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::Game;
    ///
    /// let mut game = Game::new();
    /// game.do_move((0, 0).into());
    /// let free = game.board().free_squares().next();
    /// assert_eq!(free.map(|square| square.position), Some((0, 1).into()));
    /// ```
    pub fn free_squares(&self) -> FreeSquares<'_> {
        FreeSquares::new(self.iter())
    }

    /// The eight sets of squares that win the game if a player owns all squares of
    /// one: the rows, the columns and both diagonals.
    ///
    /// ```
    /// use open_ttt_lib::tic_tac_toe::{Game, Owner};
    ///
    /// let mut game = Game::new();
    /// game.do_move((1, 1).into());
    /// let through_centre = game
    ///     .board()
    ///     .victory_sets()
    ///     .filter(|set| set.iter().any(|square| square.owner == Owner::PlayerX));
    /// assert_eq!(through_centre.count(), 4);
    /// ```
    pub fn victory_sets(&self) -> VictorySets {
        VictorySets::all(self)
    }

    /// The square at an index below nine, with its true position.
    pub(super) fn square(&self, index: usize) -> Square {
        Square {
            position: position(index),
            owner: self.squares[index].owner,
        }
    }

    /// The owners, in the order of [`iter`](Self::iter).
    pub(super) fn owners(&self) -> [Owner; 9] {
        self.squares.map(|square| square.owner)
    }
}

/// The position at an index in reading order.
pub(super) const fn position(index: usize) -> Position {
    Position {
        row: index as i32 / SIZE,
        column: index as i32 % SIZE,
    }
}

fn index(position: Position) -> Option<usize> {
    let Position { row, column } = position;
    let on_board = (0..SIZE).contains(&row) && (0..SIZE).contains(&column);
    on_board.then_some((row.wrapping_mul(SIZE).wrapping_add(column)) as usize)
}

#[track_caller]
#[cold]
fn off_board(position: Position) -> ! {
    panic!("{position} is outside the board of 3 by 3")
}

impl Default for Board {
    fn default() -> Self {
        Self::new()
    }
}

/// Boards are equal when the same squares have the same owners.
impl PartialEq for Board {
    fn eq(&self, other: &Self) -> bool {
        self.owners() == other.owners()
    }
}

impl Eq for Board {}

impl Hash for Board {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.owners().hash(state);
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const RULE: &str = "+---+---+---+";
        for row in self.owners().chunks(SIZE as usize) {
            writeln!(f, "{RULE}")?;
            for owner in row {
                write!(f, "| {owner} ")?;
            }
            writeln!(f, "|")?;
        }
        f.write_str(RULE)
    }
}

impl<'a> IntoIterator for &'a Board {
    type Item = Square;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
