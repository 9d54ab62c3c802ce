use core::fmt::Debug;

use super::{CompactKey, TwoPlayerGame};

/// The symmetries of a game: mirroring and rotating the board.
///
/// # Laws
///
/// The symmetries form a group, the identity first. A symmetry maps legal moves
/// to legal moves, and the position after a move to the position after the
/// move's image. It keeps the outcome and the side to move.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no symmetries",
    note = "implement `Symmetry` for it: mirrored and rotated positions"
)]
pub trait Symmetry: TwoPlayerGame {
    /// A symmetry.
    type Transform: Copy + Debug + 'static;

    /// All symmetries of this board, the identity first.
    fn symmetries(&self) -> &'static [Self::Transform];

    /// The image of the position.
    fn image(&self, transform: Self::Transform) -> Self;

    /// The image of a move.
    fn move_image(&self, m: Self::Move, transform: Self::Transform) -> Self::Move;

    /// The representative of this position and all its images: the image with
    /// the smallest key.
    fn canonical(&self) -> Self
    where
        Self: CompactKey,
    {
        let image = |&transform| self.image(transform);
        let smallest = self.symmetries().iter().map(image).min_by_key(Self::key);
        smallest.unwrap_or_else(|| self.clone())
    }

    /// The first symmetry that leads to the [canonical](Self::canonical) image. `None`
    /// only if the laws are broken and there is no symmetry.
    fn canonical_transform(&self) -> Option<Self::Transform>
    where
        Self: CompactKey,
    {
        let transforms = self.symmetries().iter().copied();
        transforms.min_by_key(|&transform| self.image(transform).key())
    }
}

/// The eight symmetries of a square, the dihedral group of order 8. The first
/// four are those of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dihedral {
    /// No change.
    Identity,
    /// Left and right are exchanged.
    MirrorColumns,
    /// Top and bottom are exchanged.
    MirrorRows,
    /// Rotation by 180°.
    HalfTurn,
    /// Reflection in the diagonal through the origin: columns become rows.
    Transpose,
    /// Reflection in the other diagonal.
    AntiTranspose,
    /// The rotation by 90° that maps the end of the first row to the origin.
    QuarterTurn,
    /// The rotation by 90° the other way.
    QuarterTurnBack,
}

impl Dihedral {
    /// The symmetries of a board that can only be mirrored left to right.
    pub const MIRROR: &'static [Self] = Self::SQUARE.split_at(2).0;

    /// The symmetries of a rectangle.
    pub const RECTANGLE: &'static [Self] = Self::SQUARE.split_at(4).0;

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

    /// Whether columns become rows, which changes the shape of a board that isn't
    /// square.
    pub(crate) const fn swaps_axes(self) -> bool {
        matches!(
            self,
            Self::Transpose | Self::AntiTranspose | Self::QuarterTurn | Self::QuarterTurnBack
        )
    }

    /// The image of the cell (`column`, `row`) of a board of `columns` by `rows`.
    ///
    /// Columns and rows count from 0. The image of a cell outside the board is
    /// unspecified.
    ///
    /// ```
    /// use open_ttt_lib::rules::Dihedral;
    ///
    /// assert_eq!(Dihedral::MirrorColumns.apply((0, 1), (3, 3)), (2, 1));
    /// assert_eq!(Dihedral::Transpose.apply((2, 1), (3, 2)), (1, 2));
    /// ```
    pub const fn apply(self, (column, row): (u8, u8), (columns, rows): (u8, u8)) -> (u8, u8) {
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
