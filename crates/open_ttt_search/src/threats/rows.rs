use super::board::MOST_LINES;
use super::cells::Cell;
use open_ttt_lib::rules::LineGame;

/// The lines of a board of at most 64 cells, each a word with a bit for every
/// cell on it, and what they come to for the pieces of two sides.
///
/// Nothing is kept up to date: a line is asked anew each time, which takes a
/// few instructions where a board is two words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    lines: Vec<u64>,
    /// The lines through each cell.
    through: Vec<Vec<u64>>,
    /// How many lines at most go through the same two cells.
    most_through_two: u32,
}

/// The weight of a line without free cells; one more free cell halves it. A
/// line with more free cells than this has digits weighs one, which is too
/// much, and errs on the side of nothing being decided.
pub(super) const WHOLE: u32 = 1 << MOST_HALVED;

const MOST_HALVED: u32 = 16;

/// The most cells a board may have.
pub(super) const MOST_CELLS: usize = 64;

impl Rows {
    /// Whether the game's cells and lines are few enough.
    pub(super) fn suits<G: LineGame>(game: &G) -> bool {
        game.move_count() <= MOST_CELLS
    }

    /// `None` if the game does not [suit](Self::suits).
    pub(super) fn of<G: LineGame>(game: &G) -> Option<Self> {
        let winning = game.winning_lines();
        if !Self::suits(game) || winning.len() > MOST_LINES {
            return None;
        }
        let cells = game.move_count();
        let mut lines = Vec::with_capacity(winning.len());
        let mut through = vec![Vec::new(); cells];
        for places in winning {
            let line = places
                .iter()
                .fold(0, |line, &place| line | 1_u64 << game.move_index(place));
            for place in places {
                through.get_mut(game.move_index(place))?.push(line);
            }
            lines.push(line);
        }
        let through_two = |first: usize, second: usize| {
            let both = through[first]
                .iter()
                .filter(|&line| line >> second & 1 == 1);
            both.count() as u32
        };
        let pairs = (0..cells).flat_map(|first| (0..first).map(move |second| (first, second)));
        let most_through_two = pairs
            .map(|(first, second)| through_two(first, second))
            .max();
        Some(Self {
            most_through_two: most_through_two.unwrap_or(0),
            lines,
            through,
        })
    }

    /// Every cell.
    pub(super) fn board(&self) -> u64 {
        !0 >> (MOST_CELLS - self.through.len().clamp(1, MOST_CELLS))
    }

    /// The lines through a cell.
    pub(super) fn through(&self, cell: Cell) -> &[u64] {
        &self.through[cell as usize]
    }

    /// What is still free of each line that the other side has no piece on.
    pub(super) fn open(&self, own: u64, other: u64) -> impl Iterator<Item = u64> {
        open(&self.lines, own, other)
    }

    /// What is still free of each open line through a cell.
    pub(super) fn open_through(
        &self,
        cell: Cell,
        own: u64,
        other: u64,
    ) -> impl Iterator<Item = u64> {
        open(self.through(cell), own, other)
    }

    /// The cells that finish a line.
    pub(super) fn finishing(&self, own: u64, other: u64) -> u64 {
        all(self.open(own, other).filter(|&free| free.is_power_of_two()))
    }

    /// The cells that finish a line through this cell.
    pub(super) fn finishing_through(&self, cell: Cell, own: u64, other: u64) -> u64 {
        all(self
            .open_through(cell, own, other)
            .filter(|&free| free.is_power_of_two()))
    }

    /// The cells that press: each leaves one cell which finishes.
    pub(super) fn pressing(&self, own: u64, other: u64) -> u64 {
        all(self.open(own, other).filter(|&free| is_two(free)))
    }

    /// The cells that press on a line through this cell.
    pub(super) fn pressing_through(&self, cell: Cell, own: u64, other: u64) -> u64 {
        all(self
            .open_through(cell, own, other)
            .filter(|&free| is_two(free)))
    }

    /// How many lines a side can press on.
    pub(super) fn presses(&self, own: u64, other: u64) -> u32 {
        let lines = self.open(own, other).filter(|&free| is_two(free));
        lines.count() as u32
    }

    /// The free cells on a line that a side may still complete.
    pub(super) fn alive(&self, own: u64, other: u64) -> u64 {
        all(self.open(own, other)) | all(self.open(other, own))
    }

    /// The weight of all lines that are open to a side: twice as much for each
    /// piece more. What a side that moves second cannot bring to [`WHOLE`], it
    /// cannot complete (Erdős and Selfridge 1973).
    pub(super) fn weight(&self, own: u64, other: u64) -> u32 {
        self.open(own, other).map(weight).sum()
    }

    /// By how much a side's best move raises its weight.
    pub(super) fn best_gain(&self, own: u64, other: u64) -> u32 {
        let free = cells(self.board() & !(own | other));
        let gains = free.map(|cell| self.open_through(cell, own, other).map(weight).sum());
        gains.max().unwrap_or(0)
    }

    /// How much a side's lines through a cell matter for the order of moves.
    pub(super) fn worth(&self, cell: Cell, own: u64, other: u64) -> u32 {
        /// An open line is worth the more the fewer pieces it lacks.
        const NEARNESS: [u32; 6] = [0, 400, 80, 20, 5, 1];
        let lines = self.open_through(cell, own, other);
        lines
            .map(|free| NEARNESS.get(free.count_ones() as usize).unwrap_or(&0))
            .sum()
    }

    /// How many lines at most go through the same two cells.
    pub(super) fn most_through_two(&self) -> u32 {
        self.most_through_two
    }
}

fn open(lines: &[u64], own: u64, other: u64) -> impl Iterator<Item = u64> {
    let lines = lines.iter().filter(move |&line| line & other == 0);
    lines.map(move |line| line & !own)
}

fn weight(free: u64) -> u32 {
    WHOLE >> free.count_ones().min(MOST_HALVED)
}

fn all(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0, |all, word| all | word)
}

/// Whether a word has two bits.
pub(super) fn is_two(word: u64) -> bool {
    (word & word.wrapping_sub(1)).is_power_of_two()
}

/// The cells whose bits are set, from the lowest.
pub(super) fn cells(mut word: u64) -> impl Iterator<Item = Cell> {
    core::iter::from_fn(move || {
        let cell = (word != 0).then(|| word.trailing_zeros() as Cell)?;
        word &= word - 1;
        Some(cell)
    })
}

/// The word of one cell.
pub(super) const fn bit(cell: Cell) -> u64 {
    1 << cell
}
