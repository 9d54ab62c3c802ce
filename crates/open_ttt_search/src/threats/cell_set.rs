/// The number of a cell of a board.
pub(super) type Cell = u16;

/// A set of cells, one bit per cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellSet([u64; WORDS]);

const WORDS: usize = 6;

impl CellSet {
    /// The most cells a board may have; 19 by 19 has 361.
    pub(super) const MAX_CELLS: usize = 64 * WORDS;

    pub(super) const EMPTY: Self = Self([0; WORDS]);

    /// The cells below 64, one bit per cell.
    pub(super) fn first_word(&self) -> u64 {
        self.0[0]
    }

    pub(super) fn insert(&mut self, cell: Cell) {
        self.0[cell as usize / 64] |= 1 << (cell % 64);
    }

    pub(super) fn remove(&mut self, cell: Cell) {
        self.0[cell as usize / 64] &= !(1 << (cell % 64));
    }

    pub(super) fn contains(&self, cell: Cell) -> bool {
        self.0[cell as usize / 64] >> (cell % 64) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The cell with the lowest number.
    pub(super) fn first(&self) -> Option<Cell> {
        self.iter().next()
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The cells in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Cell> + use<> {
        let mut words = self.0;
        let mut word = 0;
        core::iter::from_fn(move || {
            while word < WORDS && words[word] == 0 {
                word += 1;
            }
            let rest = words.get_mut(word)?;
            let cell = word as Cell * 64 + rest.trailing_zeros() as Cell;
            *rest &= *rest - 1;
            Some(cell)
        })
    }
}

impl From<u64> for CellSet {
    /// The cells below 64 whose bits are set.
    fn from(word: u64) -> Self {
        let mut set = Self::EMPTY;
        set.0[0] = word;
        set
    }
}
