use core::fmt::Debug;

use super::{CompactKey, TwoPlayerGame};

/// A board that looks the same when mirrored or turned.
///
/// # Laws
///
/// The symmetries form a group: the first is the identity, and applying one
/// after another is again one of them. They carry legal moves to legal moves,
/// the position after a move to the position after the move's image, and leave
/// the outcome and the side to move alone.
pub trait Symmetry: TwoPlayerGame {
    /// One way of mirroring or turning the board.
    type Transform: Copy + Debug + 'static;

    /// Every symmetry of this board, the identity first.
    fn symmetries(&self) -> &'static [Self::Transform];

    /// The position, mirrored or turned.
    fn image(&self, transform: Self::Transform) -> Self;

    /// Where a move goes when the board is mirrored or turned.
    fn move_image(&self, m: Self::Move, transform: Self::Transform) -> Self::Move;

    /// The one position that stands for this and all its images: the image
    /// with the smallest key.
    fn canonical(&self) -> Self
    where
        Self: CompactKey,
    {
        self.symmetries()
            .iter()
            .map(|&transform| self.image(transform))
            .min_by_key(CompactKey::key)
            .unwrap_or_else(|| self.clone())
    }
}

/// The eight symmetries of a square; the first four are those of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dihedral {
    /// Nothing moves.
    Identity,
    /// Left and right change places.
    MirrorColumns,
    /// Top and bottom change places.
    MirrorRows,
    /// Half a turn.
    HalfTurn,
    /// Columns become rows: mirrored in the diagonal through the origin.
    Transpose,
    /// Mirrored in the other diagonal.
    AntiTranspose,
    /// A quarter turn that carries the end of the first row to the origin.
    QuarterTurn,
    /// The quarter turn the other way.
    QuarterTurnBack,
}

impl Dihedral {
    /// The symmetries of a board that is mirrored left to right only.
    pub const MIRROR: &'static [Self] = &[Self::Identity, Self::MirrorColumns];

    /// The symmetries of a rectangle.
    pub const RECTANGLE: &'static [Self] = &[
        Self::Identity,
        Self::MirrorColumns,
        Self::MirrorRows,
        Self::HalfTurn,
    ];

    /// The symmetries of a square.
    pub const SQUARE: &'static [Self] = &[
        Self::Identity,
        Self::MirrorColumns,
        Self::MirrorRows,
        Self::HalfTurn,
        Self::Transpose,
        Self::AntiTranspose,
        Self::QuarterTurn,
        Self::QuarterTurnBack,
    ];

    /// Whether columns become rows, so that a board of another shape comes out
    /// unless it is square.
    pub const fn swaps_axes(self) -> bool {
        matches!(
            self,
            Self::Transpose | Self::AntiTranspose | Self::QuarterTurn | Self::QuarterTurnBack
        )
    }

    /// Where the cell (`column`, `row`) of a board of `columns` by `rows` goes.
    ///
    /// Cells count from 0; a cell outside the board stays outside or wraps.
    ///
    /// ```
    /// use open_ttt_lib::rules::Dihedral;
    ///
    /// assert_eq!(Dihedral::MirrorColumns.carry((0, 1), (3, 3)), (2, 1));
    /// assert_eq!(Dihedral::Transpose.carry((2, 1), (3, 2)), (1, 2));
    /// ```
    pub const fn carry(self, (column, row): (u8, u8), (columns, rows): (u8, u8)) -> (u8, u8) {
        let mirrored_column = columns.wrapping_sub(1).wrapping_sub(column);
        let mirrored_row = rows.wrapping_sub(1).wrapping_sub(row);
        match self {
            Self::Identity => (column, row),
            Self::MirrorColumns => (mirrored_column, row),
            Self::MirrorRows => (column, mirrored_row),
            Self::HalfTurn => (mirrored_column, mirrored_row),
            Self::Transpose => (row, column),
            Self::AntiTranspose => (mirrored_row, mirrored_column),
            Self::QuarterTurn => (row, mirrored_column),
            Self::QuarterTurnBack => (mirrored_row, column),
        }
    }
}
