/// A set of cells of a board, a bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cells([u64; WORDS]);

/// A cell's number.
pub(super) type Cell = u16;

const WORDS: usize = 6;

impl Cells {
    /// How many cells a board may have: a board of 19 by 19 has 361.
    pub(super) const MOST: usize = 64 * WORDS;

    pub(super) const NONE: Self = Self([0; WORDS]);

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

    pub(super) fn and(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    pub(super) fn or(&self, other: &Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The cells, from the lowest number.
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
