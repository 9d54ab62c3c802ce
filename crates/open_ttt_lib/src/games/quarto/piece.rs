use alloc::vec::Vec;
use core::fmt;

use super::{PROPERTIES, SIDE};
use crate::rules::parse_grid_cell;

/// One of the 16 pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuartoPiece(pub(super) u8);

/// A move of [`Quarto`](super::Quarto): a cell for the piece in hand, a piece for the opponent, or
/// both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuartoMove {
    pub(super) cell: Option<u8>,
    pub(super) piece: Option<QuartoPiece>,
}

/// The letters of the two values of each property.
const LETTERS: [[char; 2]; PROPERTIES] = [['l', 'd'], ['t', 's'], ['r', 'q'], ['f', 'h']];

impl QuartoPiece {
    /// All pieces.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16).map(Self)
    }

    /// Whether the piece is dark, not light.
    pub const fn is_dark(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether the piece is short, not tall.
    pub const fn is_short(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether the piece is square, not round.
    pub const fn is_square(self) -> bool {
        self.0 & 4 != 0
    }

    /// Whether the top of the piece is hollow, not filled.
    pub const fn is_hollow(self) -> bool {
        self.0 & 8 != 0
    }

    /// The piece with one letter for each property, in any order.
    fn parse(text: &str) -> Option<Self> {
        let letters: Vec<char> = text.chars().collect();
        if letters.len() != PROPERTIES {
            return None;
        }
        let mut piece = 0;
        for (property, values) in LETTERS.iter().enumerate() {
            let mut named = letters
                .iter()
                .filter_map(|letter| values.iter().position(|value| value == letter));
            piece |= (named.next()? as u8) << property;
        }
        Some(Self(piece))
    }
}

/// In the game's notation.
impl fmt::Display for QuartoPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LETTERS
            .iter()
            .enumerate()
            .try_for_each(|(property, values)| {
                let value = self.0 >> property & 1;
                write!(f, "{}", values[value as usize])
            })
    }
}

impl QuartoMove {
    /// The cell of the piece in hand: its column from the left and its row from the
    /// bottom, each 0 to 3. `None` for the first move of a game.
    pub fn cell(self) -> Option<(u8, u8)> {
        self.cell.map(|cell| (cell % SIDE, cell / SIDE))
    }

    /// The move with this text in lower case, without spaces.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let cell = |text: &str| {
            let (column, row) = parse_grid_cell(text, SIDE, SIDE).ok()?;
            Some(row * SIDE + column)
        };
        let (cell, piece) = match text.split_once('-') {
            Some((place, piece)) => (Some(cell(place)?), Some(QuartoPiece::parse(piece)?)),
            None => match QuartoPiece::parse(text) {
                Some(piece) => (None, Some(piece)),
                None => (Some(cell(text)?), None),
            },
        };
        Some(Self { cell, piece })
    }

    /// The piece for the opponent; `None` if the move ends the game.
    pub const fn piece(self) -> Option<QuartoPiece> {
        self.piece
    }
}

/// In the game's notation.
impl fmt::Display for QuartoMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((column, row)) = self.cell() {
            write!(f, "{}{}", char::from(b'a' + column), row + 1)?;
        }
        match (self.cell, self.piece) {
            (Some(_), Some(piece)) => write!(f, "-{piece}"),
            (None, Some(piece)) => piece.fmt(f),
            (_, None) => Ok(()),
        }
    }
}
