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
/// use open_ttt_lib::games::TicTacToe;
/// use open_ttt_lib::rules::{Encode, play_text};
///
/// let mut game = TicTacToe::new();
/// play_text(&mut game, "a1 c1")?;
/// let mut planes = vec![f32::NAN; game.encoding().inputs()];
/// game.encode(&mut planes);
/// let (own, opponent) = planes.split_at(game.encoding().cells());
/// assert_eq!(own, [1.0, 0.0, 0.0, /* row 2 */ 0.0, 0.0, 0.0, /* row 3 */ 0.0, 0.0, 0.0]);
/// assert_eq!(opponent, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
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
#[diagnostic::on_unimplemented(
    message = "a network can't read `{Self}`",
    note = "implement `Encode` for it: the position as feature planes, and moves as numbers (`IndexedMoves`)"
)]
pub trait Encode: IndexedMoves {
    /// The shape of the encoding.
    fn encoding(&self) -> Encoding;

    /// Writes the position from the perspective of the side to move: its own
    /// pieces come first, whichever side it is.
    ///
    /// `planes` has [`Encoding::inputs`] elements with arbitrary content.
    fn encode(&self, planes: &mut [f32]);

    /// The target of the value head, the same for all positions of a game.
    fn objective(&self) -> Objective<Self> {
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
        // Without a branch, which could not be predicted.
        *own = f32::from(u8::from(owner == Some(to_move)));
        *other = f32::from(u8::from(owner == Some(to_move.other())));
    }
}
