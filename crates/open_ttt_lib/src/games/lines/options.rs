use super::Lines;
use super::shape::{Shape, longest_line};
use crate::rules::SpecError;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};

/// The rules and the board of a game of [`Lines`].
///
/// The default is tic-tac-toe; any field may be changed:
///
/// ```
/// use open_ttt_lib::games::{Lines, LinesOptions, Marks};
///
/// let notakto = LinesOptions { marks: Marks::Same, misere: true, boards: 3, ..LinesOptions::default() };
/// let connect6 = LinesOptions { columns: 19, rows: 19, in_a_row: 6, stones: 2, ..LinesOptions::default() };
/// assert!(Lines::new(notakto).is_ok() && Lines::new(connect6).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LinesOptions {
    /// The number of columns, 1 to 19.
    pub columns: u8,
    /// The number of rows, 1 to 19.
    pub rows: u8,
    /// The number of layers, 1 to 8: more than one make a board of three dimensions.
    pub layers: u8,
    /// The number of blocks of layers, 1 to 8: more than one make a board of four
    /// dimensions.
    pub blocks: u8,
    /// The number of marks in a line, at most the length of the longest one.
    pub in_a_row: u8,
    /// Whether a mark falls: down its column, or on a board of more than two dimensions
    /// to the lowest free layer.
    pub gravity: bool,
    /// The number of dimensions that wrap round, the columns' first: 1 makes a cylinder
    /// whose left and right edges meet, 2 a torus.
    pub wrap: u8,
    /// Whether a line loses.
    pub misere: bool,
    /// Whose marks a side plays.
    pub marks: Marks,
    /// Whether a row of more than [`in_a_row`](Self::in_a_row) marks is no line.
    pub exact: bool,
    /// The number of marks a side plays in a turn, 1 to 4; always one in the first turn.
    pub stones: u8,
    /// The number of boards, 1 to 8. More than one need [`Marks::Same`]: a board with a
    /// line is closed, and the game is decided on the last one.
    pub boards: u8,
}

/// Whose marks a side plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Marks {
    /// The first side plays X and the second O.
    #[default]
    Own,
    /// Either side plays X or O, with every move as it likes (wild tic-tac-toe).
    Any,
    /// Both sides play X (Notakto).
    Same,
}

impl Default for LinesOptions {
    fn default() -> Self {
        Self {
            columns: 3,
            rows: 3,
            layers: 1,
            blocks: 1,
            in_a_row: 3,
            gravity: false,
            wrap: 0,
            misere: false,
            marks: Marks::Own,
            exact: false,
            stones: 1,
            boards: 1,
        }
    }
}

impl LinesOptions {
    /// The number of cells of all boards.
    pub(super) const fn cells(&self) -> usize {
        self.columns as usize
            * self.rows as usize
            * self.layers as usize
            * self.blocks as usize
            * self.boards as usize
    }

    /// The number of dimensions of a board: 2 to 4.
    pub(super) const fn dimensions(&self) -> u8 {
        match (self.layers, self.blocks) {
            (1, _) => 2,
            (_, 1) => 3,
            _ => 4,
        }
    }

    /// Checks the ranges of the fields and that they fit together.
    pub(super) fn check(&self) -> Result<(), SpecError> {
        let unavailable = |reason: String| {
            Err(SpecError::Unavailable {
                owner: "lines".to_owned(),
                reason,
            })
        };
        for (name, value, allowed) in [
            ("m", self.columns, 1..=Lines::MAX_SIDE),
            ("n", self.rows, 1..=Lines::MAX_SIDE),
            ("layers", self.layers, 1..=Lines::MAX_LAYERS),
            ("blocks", self.blocks, 1..=Lines::MAX_LAYERS),
            ("boards", self.boards, 1..=Lines::MAX_LAYERS),
            ("k", self.in_a_row, 1..=Lines::MAX_SIDE),
            ("stones", self.stones, 1..=Lines::MAX_STONES),
            ("wrap", self.wrap, 0..=4),
        ] {
            if !allowed.contains(&value) {
                return Err(SpecError::BadValue {
                    owner: "lines".to_owned(),
                    argument: name.to_owned(),
                    value: value.to_string(),
                    allowed: format!("{} to {}", allowed.start(), allowed.end()),
                });
            }
        }
        let cells = self.cells();
        if cells > Lines::MAX_CELLS {
            let most = Lines::MAX_CELLS;
            return unavailable(format!("there is room for {most} cells, not for {cells}"));
        }
        if self.blocks > 1 && self.layers == 1 {
            return unavailable("blocks need layers, at least 2".to_owned());
        }
        if self.boards > 1 && self.marks != Marks::Same {
            return unavailable("several boards need same=1".to_owned());
        }
        if self.boards > 1 && self.blocks > 1 {
            return unavailable("several boards can't have blocks".to_owned());
        }
        let falling = if self.dimensions() == 2 { 1 } else { 2 };
        let most = if self.gravity {
            falling
        } else {
            self.dimensions()
        };
        if self.wrap > most {
            let why = if self.gravity {
                ", because marks fall in the next dimension"
            } else {
                ""
            };
            let wrap = self.wrap;
            return unavailable(format!(
                "wrap is at most {most} on this board{why}, not {wrap}"
            ));
        }
        let longest = longest_line(&Shape::of(self));
        if u32::from(self.in_a_row) > longest {
            let k = self.in_a_row;
            return unavailable(format!("k is at most {longest} on this board, not {k}"));
        }
        Ok(())
    }
}
