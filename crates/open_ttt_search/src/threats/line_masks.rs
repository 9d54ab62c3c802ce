use super::cell_set::Cell;
use super::lines::{line_cells, line_weight};
use alloc::vec;
use alloc::vec::Vec;
use open_ttt_lib::rules::LineGame;

/// The pieces of two sides on a board of at most 64 cells, seen from one of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bitboards {
    pub(super) own: u64,
    pub(super) opponent: u64,
}

impl Bitboards {
    pub(super) const fn new(own: u64, opponent: u64) -> Self {
        Self { own, opponent }
    }

    pub(super) fn swapped(self) -> Self {
        Self::new(self.opponent, self.own)
    }

    /// The pieces after a move of each side.
    pub(super) fn with_pair(self, own: u64, opponent: u64) -> Self {
        Self::new(self.own | own, self.opponent | opponent)
    }

    pub(super) fn free(self) -> u64 {
        !(self.own | self.opponent)
    }
}

/// The lines of a board of at most 64 cells as bit masks, and what they mean for
/// the pieces of a side.
///
/// Nothing is cached: with two words per position, a scan of the lines is fast.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineMasks {
    lines: Vec<u64>,
    /// The lines through each cell.
    through: Vec<Vec<u64>>,
    /// The most lines that any two cells share.
    pub(super) max_shared_lines: u32,
}

/// The weight of a complete line; each free cell halves it. A line with more than
/// [`MAX_HALVINGS`] free cells has weight 1, more than its due, which errs towards
/// an undecided position.
pub(super) const COMPLETE: u32 = 1 << MAX_HALVINGS;

const MAX_HALVINGS: u32 = 16;

const MAX_CELLS: usize = 64;

impl LineMasks {
    /// Whether the board is small enough.
    pub(super) fn supports<G: LineGame>(game: &G) -> bool {
        game.move_count() <= MAX_CELLS
    }

    /// `None` if the board is too large or has too many lines.
    pub(super) fn new<G: LineGame>(game: &G) -> Option<Self> {
        if !Self::supports(game) {
            return None;
        }
        let cell_count = game.move_count();
        let mut lines = Vec::new();
        let mut through = vec![Vec::new(); cell_count];
        for cells in line_cells(game)? {
            let line = cells.iter().fold(0, |line, &cell| line | bit(cell));
            for cell in cells {
                through.get_mut(cell as usize)?.push(line);
            }
            lines.push(line);
        }
        let shared = |first: usize, second: usize| {
            let lines = through[first].iter();
            lines.filter(|&line| line >> second & 1 == 1).count() as u32
        };
        let pairs = (0..cell_count).flat_map(|first| (0..first).map(move |second| (first, second)));
        let max_shared_lines = pairs.map(|(first, second)| shared(first, second)).max();
        Some(Self {
            max_shared_lines: max_shared_lines.unwrap_or(0),
            lines,
            through,
        })
    }

    /// All cells of the board.
    pub(super) fn board(&self) -> u64 {
        !0 >> (MAX_CELLS - self.through.len().clamp(1, MAX_CELLS))
    }

    /// The lines through a cell.
    pub(super) fn through(&self, cell: Cell) -> &[u64] {
        &self.through[cell as usize]
    }

    /// The free cells of each line that is open to the own side, that is, has no
    /// piece of the opponent; of all lines or of those through one cell.
    pub(super) fn open(
        &self,
        pieces: Bitboards,
        through: Option<Cell>,
    ) -> impl Iterator<Item = u64> {
        let Bitboards { own, opponent } = pieces;
        let lines = through.map_or(&self.lines[..], |cell| self.through(cell));
        let open = lines.iter().filter(move |&line| line & opponent == 0);
        open.map(move |line| line & !own)
    }

    /// The cells that complete a line, through one cell if it is given.
    pub(super) fn fives(&self, pieces: Bitboards, through: Option<Cell>) -> u64 {
        let open = self.open(pieces, through);
        union(open.filter(|free| free.is_power_of_two()))
    }

    /// The cells that make a four on a line, through one cell if it is given.
    pub(super) fn fours(&self, pieces: Bitboards, through: Option<Cell>) -> u64 {
        union(self.open(pieces, through).filter(|&free| is_pair(free)))
    }

    /// The number of lines on which the own side can make a four.
    pub(super) fn four_lines(&self, pieces: Bitboards) -> u32 {
        let open = self.open(pieces, None);
        open.filter(|&free| is_pair(free)).count() as u32
    }

    /// The free cells on lines that are open to either side.
    pub(super) fn live(&self, pieces: Bitboards) -> u64 {
        union(self.open(pieces, None)) | union(self.open(pieces.swapped(), None))
    }

    /// The sum of the weights of the own side's open lines, each piece doubling a
    /// line's weight. Below [`COMPLETE`], a side that moves second cannot complete
    /// a line (Erdős and Selfridge 1973).
    pub(super) fn weight(&self, pieces: Bitboards) -> u32 {
        self.open(pieces, None).map(weight).sum()
    }

    /// The most by which a move of the own side raises its weight.
    pub(super) fn max_gain(&self, pieces: Bitboards) -> u32 {
        let free = cells(self.board() & pieces.free());
        let gains = free.map(|cell| self.open(pieces, Some(cell)).map(weight).sum());
        gains.max().unwrap_or(0)
    }

    /// The value of a cell to the own side in the order of moves.
    pub(super) fn cell_value(&self, cell: Cell, pieces: Bitboards) -> i32 {
        let open = self.open(pieces, Some(cell));
        open.map(|free| line_weight(free.count_ones() as usize))
            .sum()
    }
}

fn weight(free: u64) -> u32 {
    COMPLETE >> free.count_ones().min(MAX_HALVINGS)
}

fn union(masks: impl Iterator<Item = u64>) -> u64 {
    masks.fold(0, |union, mask| union | mask)
}

/// Whether a mask has two bits.
pub(super) fn is_pair(mask: u64) -> bool {
    (mask & mask.wrapping_sub(1)).is_power_of_two()
}

/// The cells of a mask in ascending order.
pub(super) fn cells(mut mask: u64) -> impl Iterator<Item = Cell> {
    core::iter::from_fn(move || {
        let cell = (mask != 0).then(|| mask.trailing_zeros() as Cell)?;
        mask &= mask - 1;
        Some(cell)
    })
}

pub(super) const fn bit(cell: Cell) -> u64 {
    1 << cell
}
