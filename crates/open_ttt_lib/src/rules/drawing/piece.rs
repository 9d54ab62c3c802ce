use super::super::Side;

/// A piece, or some pieces alike, on a cell.
///
/// ```
/// use open_ttt_lib::rules::{Piece, Shape, Side};
///
/// let man = Piece::new(Side::First, "w");
/// assert_eq!(man.shape, Shape::Disc);
/// let king = Piece { shape: Shape::King, mark: "W", ..man };
/// assert_eq!(king.side, Some(Side::First));
/// assert_eq!(Piece::new(Side::First, "X").shape, Shape::Cross);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Its owner; `None` for a piece of neither side.
    pub side: Option<Side>,
    /// The piece as text, one or two characters wide: `X`, `R`, `♞`. A terminal shows it,
    /// without colours perhaps, so pieces that differ have different marks.
    pub mark: &'static str,
    /// The piece as a graphic shows it.
    pub shape: Shape,
    /// Its colour; if `None`, that of its side, or grey for a piece of neither side.
    pub color: Option<Color>,
    /// How many alike there are, shown if it isn't 1.
    pub count: u32,
}

impl Piece {
    /// A piece of a side. It is a [cross](Shape::Cross) if the mark is `X`, a
    /// [ring](Shape::Ring) if it is `O`, and a [disc](Shape::Disc) otherwise.
    pub const fn new(side: Side, mark: &'static str) -> Self {
        Self {
            side: Some(side),
            ..Self::neutral(mark)
        }
    }

    /// A piece of neither side, with a shape as for [`new`](Self::new).
    pub const fn neutral(mark: &'static str) -> Self {
        Self {
            side: None,
            mark,
            shape: match mark.as_bytes() {
                b"X" => Shape::Cross,
                b"O" => Shape::Ring,
                _ => Shape::Disc,
            },
            color: None,
            count: 1,
        }
    }

    pub(super) const X_AND_O: [Self; 2] =
        [Self::new(Side::First, "X"), Self::new(Side::Second, "O")];
}

/// What a graphic shows for a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// Two crossed strokes.
    Cross,
    /// A circle.
    Ring,
    /// A disc. Those of the second side have another emblem than the others, so that they
    /// differ without colours.
    Disc,
    /// A disc with a crown.
    King,
    /// A figure told by three features, as in Quarto; its colour can be a fourth one.
    Figure {
        /// Whether it is tall, not short.
        tall: bool,
        /// Whether it is square, not round.
        square: bool,
        /// Whether it has a hole in its top.
        hollow: bool,
    },
    /// The mark, as text.
    Text,
}

/// A colour by name. The terminal and the page each have a value for it that is visible on
/// a light and on a dark background.
///
/// The terminal draws [`White`](Self::White) in the colour of the text, and
/// [`Black`](Self::Black) as [`Gray`](Self::Gray), because it doesn't know its background.
#[doc(alias = "Colour")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Color {
    Red,
    Orange,
    Yellow,
    Green,
    Teal,
    Blue,
    Purple,
    Pink,
    Brown,
    Gray,
    Black,
    White,
}

impl Color {
    /// The colours of the first and the second side if a game sets no others.
    pub const SIDES: [Self; 2] = [Self::Red, Self::Teal];
}
