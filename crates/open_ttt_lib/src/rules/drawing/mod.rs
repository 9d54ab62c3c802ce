//! The board as data.

mod cell;
mod choice;
mod layout;
mod piece;

use alloc::string::String;
use alloc::vec::Vec;
pub use cell::{BoardCell, CompletedLine, Tint, Tray};
pub use choice::Choice;
pub use layout::{Layout, Place, Stack};
pub use piece::{Color, Piece, Shape};

use super::TwoPlayerGame;

/// The board as data, for a terminal or a web page to draw.
///
/// # Laws
///
/// - Every legal move is a [`Choice`] exactly once, and nothing else is.
/// - A choice without a label is the only one whose path starts with its path; choices
///   with the same path have different labels. A choice without places has a label.
/// - Every position shows the same [places](Place), each once, and the layout has all of
///   them except those in trays.
/// - Different positions with the same side to move look different: in their cells,
///   trays, lines, points, status or the ways to choose a move.
/// - The pieces of a line are those of its side.
/// - The sides differ in the marks of their usual pieces and in their colours, and a mark
///   has one or two characters.
///
/// # Looks
///
/// A terminal shows the [mark](Piece::mark) of a piece, graphics its [shape](Shape): a cross
/// if the mark is `X`, a ring if it is `O`, and a disc otherwise, unless the game sets another
/// one. Its colour is its own or that of its side, which is one of
/// [`Picture::colors`]; each [`Color`] is visible on light and dark backgrounds. The names of
/// the sides decide nothing.
///
/// # Examples
///
/// The game of Kayles: a side takes one pin, or two that stand side by side; who takes the
/// last one wins. To take two pins, both are clicked.
///
/// ```
/// use open_ttt_lib::rules::conformance::Laws;
/// use open_ttt_lib::rules::{
///     BoardCell, Choice, Drawing, Layout, Outcome, Piece, Picture, Place, Side, TwoPlayerGame,
/// };
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// struct Kayles {
///     pins: [bool; 5],
///     to_move: Side,
/// }
///
/// /// Takes this many pins, from this one to the right.
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
/// struct Take {
///     first: usize,
///     count: usize,
/// }
///
/// # impl TwoPlayerGame for Kayles {
/// #     type Move = Take;
/// #     const ALTERNATES: bool = true;
/// #     fn to_move(&self) -> Side {
/// #         self.to_move
/// #     }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         (self.pins == [false; 5]).then_some(Outcome::Win(!self.to_move))
/// #     }
/// #     fn moves(&self) -> impl Iterator<Item = Take> {
/// #         let takes = (0..5).flat_map(|first| [1, 2].map(|count| Take { first, count }));
/// #         takes.filter(|&Take { first, count }| {
/// #             let pins = self.pins.get(first..first + count);
/// #             pins.is_some_and(|pins| pins.iter().all(|&stands| stands))
/// #         })
/// #     }
/// #     fn play_unchecked(&mut self, Take { first, count }: Take) {
/// #         self.pins[first..first + count].fill(false);
/// #         self.to_move = !self.to_move;
/// #     }
/// # }
/// // impl TwoPlayerGame for Kayles { .. }
///
/// impl Drawing for Kayles {
///     fn picture(&self) -> Picture<Take> {
///         let pin = |x: usize| Place::flat(x as u8, 0);
///         let cells = self.pins.iter().enumerate().map(|(x, stands)| BoardCell {
///             piece: stands.then_some(Piece::neutral("!")),
///             ..BoardCell::at(pin(x))
///         });
///         let choices = self.moves().map(|m| match m.count {
///             // The first of two pins can be taken alone.
///             1 => Choice::path(m, [pin(m.first)]).labelled("Only this"),
///             _ => Choice::path(m, [pin(m.first), pin(m.first + 1)]),
///         });
///         Picture {
///             cells: cells.collect(),
///             choices: choices.collect(),
///             ..Picture::new(Layout::grid(5, 1))
///         }
///     }
/// }
///
/// let start = Kayles { pins: [true; 5], to_move: Side::First };
/// let picture = start.picture();
/// assert_eq!(picture.cells.len(), 5);
/// assert_eq!(picture.choices.len(), 5 + 4);
/// Laws::of(&start).rules().drawing();
/// ```
#[diagnostic::on_unimplemented(
    message = "the positions of `{Self}` can't be drawn",
    note = "implement `Drawing` for it: a `Picture` of each position, and how its moves are chosen"
)]
pub trait Drawing: TwoPlayerGame {
    /// The picture of this position, the right way up for a diagram.
    ///
    /// For a player whose pieces are all above the other's at the start, the page and the full
    /// screen turn a [grid](Layout::Grid) or [points](Layout::Points) by half a turn.
    #[doc(alias = "printBoard")]
    #[doc(alias = "draw_board")]
    fn picture(&self) -> Picture<Self::Move>;
}

/// Everything needed to draw a position and to choose a move in it.
///
/// A game writes the fields that it needs and takes the others from
/// [`Picture::new`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture<M> {
    /// How the cells are arranged.
    pub layout: Layout,
    /// Every cell of the board, in no particular order.
    pub cells: Vec<BoardCell>,
    /// The places beside the board: pieces in hand, captured ones, a common pool.
    pub trays: Vec<Tray>,
    /// The ways to choose each legal move, in the order in which a list shows them.
    pub choices: Vec<Choice<M>>,
    /// The lines that won or scored.
    pub lines: Vec<CompletedLine>,
    /// The lines of whole blocks that won, in a game whose [grid](Layout::Grid) has blocks:
    /// each block by one of its cells.
    pub block_lines: Vec<CompletedLine>,
    /// The points of each side, in a game of points.
    pub points: Option<[u32; 2]>,
    /// What the board doesn't show, in a few words: `Give a piece`, `Capture a man`.
    pub status: Option<String>,
    /// The usual piece of each side. It stands for the side beside its name and its points.
    pub sides: [Piece; 2],
    /// The colour of each side.
    pub colors: [Color; 2],
}

impl<M> Picture<M> {
    /// A picture without cells and moves, with X and O as the usual pieces, in
    /// [the default colours](Color::SIDES).
    ///
    /// ```
    /// use open_ttt_lib::rules::{Layout, Picture};
    ///
    /// let picture: Picture<u8> = Picture {
    ///     points: Some([2, 0]),
    ///     ..Picture::new(Layout::grid(8, 8))
    /// };
    /// assert_eq!(picture.sides[0].mark, "X");
    /// ```
    pub fn new(layout: Layout) -> Self {
        Self {
            layout,
            cells: Vec::new(),
            trays: Vec::new(),
            choices: Vec::new(),
            lines: Vec::new(),
            block_lines: Vec::new(),
            points: None,
            status: None,
            sides: Piece::X_AND_O,
            colors: Color::SIDES,
        }
    }

    /// The cells of the board and of the trays.
    pub fn all_cells(&self) -> impl Iterator<Item = &BoardCell> {
        let in_trays = self.trays.iter().flat_map(|tray| &tray.cells);
        self.cells.iter().chain(in_trays)
    }

    /// Gives the [usual pieces](Self::sides) of both sides other marks, wherever they are.
    ///
    /// ```
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::{Drawing, play_text};
    ///
    /// let mut game = TicTacToe::new();
    /// play_text(&mut game, "a1")?;
    /// let mut picture = game.picture();
    /// picture.replace_marks(["⛂", "⛀"]);
    /// let marks = picture.cells.iter().filter_map(|cell| Some(cell.piece?.mark));
    /// assert_eq!(marks.collect::<Vec<_>>(), ["⛂"]);
    /// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
    /// ```
    pub fn replace_marks(&mut self, marks: [&'static str; 2]) {
        let usual = self.sides;
        let in_trays = self.trays.iter_mut().flat_map(|tray| &mut tray.cells);
        let cells = self.cells.iter_mut().chain(in_trays);
        let pieces = cells.filter_map(|cell| cell.piece.as_mut());
        for piece in pieces.chain(&mut self.sides) {
            for (usual, mark) in usual.iter().zip(marks) {
                if (piece.side, piece.mark) == (usual.side, usual.mark) {
                    piece.mark = mark;
                    break;
                }
            }
        }
    }

    /// The same picture with other moves, for a program that wraps a game.
    ///
    /// ```
    /// use open_ttt_lib::games::TicTacToe;
    /// use open_ttt_lib::rules::{Drawing, Notation};
    ///
    /// let game = TicTacToe::new();
    /// let picture = game.picture().map_moves(|m| game.move_text(m));
    /// assert_eq!(picture.choices[0].m, "a1");
    /// ```
    pub fn map_moves<N>(self, map: impl Fn(M) -> N) -> Picture<N> {
        let choices = self.choices.into_iter().map(|choice| Choice {
            m: map(choice.m),
            path: choice.path,
            label: choice.label,
        });
        Picture {
            choices: choices.collect(),
            layout: self.layout,
            cells: self.cells,
            trays: self.trays,
            lines: self.lines,
            block_lines: self.block_lines,
            points: self.points,
            status: self.status,
            sides: self.sides,
            colors: self.colors,
        }
    }
}
