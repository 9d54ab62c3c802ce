use super::{IndexedMoves, Objective, Side};

/// The shape of a network's input and output: feature planes and a number for
/// each move.
///
/// The input is ordered by plane, then row, then column:
///
/// ```text
///  plane 0: side to move       plane 1: opponent
///   6  7  8    . . .            15 16 17    . . o
///   3  4  5    . x .            12 13 14    . . .
///   0  1  2    x . .             9 10 11    . . .
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// The version of the encoding. It is incremented when the same position is
    /// encoded differently, which makes networks of older versions unusable.
    pub version: u32,
    /// The number of planes.
    pub planes: usize,
    /// The number of rows in a plane.
    pub rows: usize,
    /// The number of columns in a plane.
    pub columns: usize,
    /// The number of moves in the game,
    /// [`move_count`](IndexedMoves::move_count).
    pub moves: usize,
}

impl Encoding {
    /// The number of cells in a plane.
    pub const fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// The number of inputs, in all planes together.
    pub const fn inputs(&self) -> usize {
        self.planes * self.cells()
    }
}

/// A position as feature planes, the input of a network.
///
/// A convolution sees each cell together with its eight neighbours, with the same
/// weights everywhere. Cells that interact should therefore be neighbours in a
/// plane, and cells at the same coordinates of several boards should be at the
/// same coordinates of several planes. A game of pieces on one board needs just
/// the two planes that [`encode_owners`] fills:
///
/// ```
/// use open_ttt_lib::rules::{Encode, Encoding, IndexedMoves, encode_owners};
/// # use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
/// #
/// # /// The side that takes the last of three cells wins.
/// # #[derive(Clone, PartialEq, Eq, Hash)]
/// # struct Strip {
/// #     cells: [Option<Side>; 3],
/// # }
/// #
/// # impl TwoPlayerGame for Strip {
/// #     type Move = usize;
/// #
/// #     fn to_move(&self) -> Side {
/// #         Side::after(self.cells.iter().flatten().count() as u32)
/// #     }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         self.cells.iter().all(Option::is_some).then_some(Outcome::Win(!self.to_move()))
/// #     }
/// #     fn moves(&self) -> impl Iterator<Item = usize> {
/// #         (0..3).filter(|&cell| self.cells[cell].is_none())
/// #     }
/// #     fn play_unchecked(&mut self, cell: usize) {
/// #         self.cells[cell] = Some(self.to_move());
/// #     }
/// # }
/// #
/// # impl IndexedMoves for Strip {
/// #     fn move_count(&self) -> usize {
/// #         3
/// #     }
/// #     fn move_index(&self, cell: usize) -> usize {
/// #         cell
/// #     }
/// #     fn indexed_move(&self, index: usize) -> Option<usize> {
/// #         (index < 3).then_some(index)
/// #     }
/// # }
///
/// impl Encode for Strip {
///     fn encoding(&self) -> Encoding {
///         Encoding { version: 1, planes: 2, rows: 1, columns: 3, moves: self.move_count() }
///     }
///
///     fn encode(&self, planes: &mut [f32]) {
///         encode_owners(planes, self.to_move(), self.cells);
///     }
/// }
///
/// let mut game = Strip { cells: [None; 3] };
/// game.play(0)?;
/// game.play(2)?;
/// let mut planes = [0.0; 6];
/// game.encode(&mut planes);
/// assert_eq!(planes, [1.0, 0.0, 0.0, /* opponent */ 0.0, 0.0, 1.0]);
/// # Ok::<(), open_ttt_lib::rules::IllegalMove<usize>>(())
/// ```
///
/// # Laws
///
/// - The encoding is the same for all positions of a game, and its number of
///   moves is [`move_count`](IndexedMoves::move_count).
/// - [`encode`](Self::encode) writes every input, with a value from -1 to 1.
/// - Equal positions have equal inputs; different positions with the same side to
///   move have different inputs.
/// - A symmetry of the game permutes the inputs, by the same permutation in all
///   positions.
#[doc(alias = "features")]
pub trait Encode: IndexedMoves {
    /// The shape of the encoding.
    fn encoding(&self) -> Encoding;

    /// Writes the position from the perspective of the side to move: its own
    /// pieces come first, whichever side it is.
    ///
    /// `planes` has [`Encoding::inputs`] elements with arbitrary content.
    fn encode(&self, planes: &mut [f32]);

    /// The target of the value head.
    fn objective() -> Objective<Self> {
        Objective::WinLoss
    }
}

/// Writes the owner of each cell: ones for the side to move in the first half of
/// `planes`, ones for the opponent in the second half, zeros elsewhere.
///
/// Surplus owners are ignored; missing ones count as free cells.
pub fn encode_owners(
    planes: &mut [f32],
    to_move: Side,
    owners: impl IntoIterator<Item = Option<Side>>,
) {
    planes.fill(0.0);
    let (own, other) = planes.split_at_mut(planes.len() / 2);
    for ((own, other), owner) in own.iter_mut().zip(other).zip(owners) {
        match owner {
            Some(side) if side == to_move => *own = 1.0,
            Some(_) => *other = 1.0,
            None => {}
        }
    }
}
