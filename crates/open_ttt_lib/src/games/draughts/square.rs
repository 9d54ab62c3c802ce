use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::games::bits::bits;

/// A dark square, by its number from 0: one less than in the notation.
///
/// ```text
///       1       2       3       4
///   5       6       7       8
///       9      10      11      12
///  13      14      15      16
///      17      18      19      20
///  21      22      23      24
///      25      26      27      28
///  29      30      31      32
/// ```
pub(super) type Square = u8;

pub(super) const SQUARES: u8 = 32;

/// The squares of the rows at whose end Black and White crown their men.
pub(super) const CROWN_ROWS: [u32; 2] = [0xF000_0000, 0x0000_000F];

/// The squares of the rows 1, 3, 5 and 7 from the top, which start with a light square.
const INDENTED: u32 = 0x0F0F_0F0F;

/// The squares that have a neighbour in the row above or below which isn't in their own
/// column of numbers.
const INNER_INDENTED: u32 = 0x0707_0707;
const INNER_FLUSH: u32 = 0xE0E0_E0E0;

/// A diagonal direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    DownLeft,
    DownRight,
    UpLeft,
    UpRight,
}

impl Direction {
    /// Black's men go in the first two, White's in the last two.
    pub(super) const ALL: [Self; 4] =
        [Self::DownLeft, Self::DownRight, Self::UpLeft, Self::UpRight];

    /// The direction back.
    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::DownLeft => Self::UpRight,
            Self::DownRight => Self::UpLeft,
            Self::UpLeft => Self::DownRight,
            Self::UpRight => Self::DownLeft,
        }
    }

    /// The squares next to these in this direction.
    pub(super) const fn step(self, squares: u32) -> u32 {
        let (indented, flush) = (squares & INDENTED, squares & !INDENTED);
        match self {
            Self::DownLeft => indented << 4 | (flush & INNER_FLUSH) << 3,
            Self::DownRight => (indented & INNER_INDENTED) << 5 | flush << 4,
            Self::UpLeft => indented >> 4 | (flush & INNER_FLUSH) >> 5,
            Self::UpRight => (indented & INNER_INDENTED) >> 3 | flush >> 4,
        }
    }
}

/// A move of [`Draughts`](super::Draughts): a step, or a chain of jumps.
///
/// Chains with the same start that capture the same pieces lead to the same position and
/// are one move, whatever their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DraughtsMove {
    pub(super) from: Square,
    /// The squares of the captured pieces; none in a step.
    pub(super) captured: u32,
    pub(super) to: Square,
}

impl DraughtsMove {
    /// The number of the square that the piece leaves, 1 to 32.
    pub const fn from(self) -> u8 {
        self.from + 1
    }

    /// The number of the square that the piece reaches, 1 to 32.
    pub const fn to(self) -> u8 {
        self.to + 1
    }

    /// The numbers of the squares of the captured pieces, ascending.
    pub fn captured(self) -> impl Iterator<Item = u8> {
        bits(self.captured).map(|square| square + 1)
    }

    /// The numbers of all squares on which the piece stands, the first and the last
    /// included.
    pub fn path(self) -> Vec<u8> {
        self.squares()
            .into_iter()
            .map(|square| square + 1)
            .collect()
    }

    /// The squares on which the piece stands. A king that goes round in a circle could
    /// also go the other way; its squares and captures are the same.
    pub(super) fn squares(self) -> Vec<Square> {
        let mut path = vec![self.from];
        if self.captured == 0 {
            path.push(self.to);
        } else {
            follow(self.captured, &mut path);
        }
        path
    }

    /// The move along these squares, legal or not, if there is one.
    pub(super) fn along(path: &[Square]) -> Option<Self> {
        let (&from, rest) = path.split_first()?;
        let &to = rest.last()?;
        if let &[next] = rest
            && Direction::ALL
                .iter()
                .any(|d| d.step(1 << from) == 1 << next)
        {
            return Some(Self {
                from,
                captured: 0,
                to,
            });
        }
        let mut captured = 0;
        for pair in path.windows(2) {
            let over = Direction::ALL
                .iter()
                .map(|d| (d.step(1 << pair[0]), d.step(d.step(1 << pair[0]))))
                .find_map(|(over, landing)| (landing == 1 << pair[1]).then_some(over))?;
            if captured & over != 0 {
                return None;
            }
            captured |= over;
        }
        Some(Self { from, captured, to })
    }
}

/// Continues a path so that it captures these pieces, each once; false if it can't.
fn follow(captured: u32, path: &mut Vec<Square>) -> bool {
    let Some(&at) = path.last() else {
        return false;
    };
    if captured == 0 {
        return true;
    }
    for direction in Direction::ALL {
        let over = direction.step(1 << at);
        let landing = direction.step(over);
        if landing != 0 && captured & over != 0 {
            path.push(landing.trailing_zeros() as Square);
            if follow(captured & !over, path) {
                return true;
            }
            path.pop();
        }
    }
    false
}

/// In the game's notation.
impl fmt::Display for DraughtsMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.captured == 0 { "-" } else { "x" };
        let numbers: Vec<_> = self.path().iter().map(u8::to_string).collect();
        f.write_str(&numbers.join(sign))
    }
}
