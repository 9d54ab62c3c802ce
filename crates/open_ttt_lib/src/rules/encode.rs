use super::{IndexedMoves, Objective, Side};

/// How positions of a game become numbers for a network: planes of one board,
/// and one number for each move.
///
/// The numbers stand plane by plane, in each plane row by row, in each row
/// column by column:
///
/// ```text
///  plane 0, the mover's        plane 1, the opponent's
///   6  7  8    . . .            15 16 17    . . o
///   3  4  5    . x .            12 13 14    . . .
///   0  1  2    x . .             9 10 11    . . .
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// Counts up when the same position is written differently than before, so
    /// that a network is not fed what it has not learned.
    pub version: u32,
    /// How many planes there are.
    pub planes: usize,
    /// How many rows a plane has.
    pub rows: usize,
    /// How many columns a plane has.
    pub columns: usize,
    /// How many moves the game has in all:
    /// [`move_count`](IndexedMoves::move_count).
    pub moves: usize,
}

impl Encoding {
    /// How many cells a plane has.
    pub const fn cells(&self) -> usize {
        self.rows * self.columns
    }

    /// How many numbers a position is.
    pub const fn inputs(&self) -> usize {
        self.planes * self.cells()
    }
}

/// A position as numbers, for a network to read.
///
/// A network looks at each cell together with the eight around it, everywhere in
/// the same way. So what belongs together should lie side by side in a plane, and
/// what stands in the same place of several boards in the same place of several
/// planes. Two planes, as [`encode_owners`] fills them, are all that a game of
/// pieces on one board needs:
///
/// ```
/// use open_ttt_lib::rules::{Encode, Encoding, IndexedMoves, encode_owners};
/// # use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
/// #
/// # /// Who takes the last of three cells wins.
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
/// assert_eq!(planes, [1.0, 0.0, 0.0, /* the other's */ 0.0, 0.0, 1.0]);
/// # Ok::<(), open_ttt_lib::rules::IllegalMove<usize>>(())
/// ```
///
/// # Laws
///
/// - The encoding is the same for all positions of a game, and has as many moves
///   as [`IndexedMoves`] counts.
/// - [`encode`](Self::encode) writes every number; they are from -1 to 1.
/// - Equal positions are written alike, and different ones with the same side to
///   move differently.
/// - Where the game has symmetries, an image of a position is the position's
///   numbers in another order, the same order for all positions.
#[doc(alias = "features")]
pub trait Encode: IndexedMoves {
    /// The shape of the numbers and how many moves there are.
    fn encoding(&self) -> Encoding;

    /// Writes the position as the side to move sees it: what is its own comes
    /// first, what is the opponent's after it, whichever side that is.
    ///
    /// `planes` has [`Encoding::inputs`] numbers and may hold anything before.
    fn encode(&self, planes: &mut [f32]);

    /// What the value head learns to predict.
    fn objective() -> Objective<Self> {
        Objective::WinLoss
    }
}

/// Writes who owns each cell: ones for the mover's in the first half of
/// `planes`, ones for the opponent's in the second half, zeros elsewhere.
///
/// `owners` is asked for as many cells as fit; those it does not name are free.
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
