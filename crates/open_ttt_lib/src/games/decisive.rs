use super::bits::RandomBits;
use crate::rules::{Outcome, Side};

/// The board of a line game during a playout, with the winning cells of each
/// side. Cells are numbered from 0.
pub(super) trait PlayoutBoard {
    /// Puts a piece of a side on a free cell.
    fn put(&mut self, side: Side, cell: usize);

    /// The free cells that complete a line of a side, each once.
    fn winning_cells(&self, side: Side) -> impl Iterator<Item = usize>;
}

/// A random playout with decisive and anti-decisive moves on a board of at most
/// `MAX` cells.
pub(super) fn fill_decisively<const MAX: usize>(
    mut board: impl PlayoutBoard,
    free: impl Iterator<Item = usize>,
    mut mover: Side,
    draw: &mut impl FnMut() -> u64,
) -> Outcome {
    let mut random = RandomBits::new(draw);
    let mut free = FreeCells::<MAX>::of(free);
    while free.count > 0 {
        if board.winning_cells(mover).next().is_some() {
            return Outcome::Win(mover);
        }
        let mut forced = board.winning_cells(!mover);
        let cell = match (forced.next(), forced.next()) {
            (None, _) => free.random(&mut random),
            (Some(cell), None) => cell,
            // One move can't stop two threats.
            (Some(_), Some(_)) => return Outcome::Win(!mover),
        };
        drop(forced);
        free.remove(cell);
        board.put(mover, cell);
        mover = !mover;
    }
    Outcome::Draw
}

/// The free cells as a list with an index, for random choice and for removal by
/// number in constant time.
struct FreeCells<const MAX: usize> {
    cells: [u16; MAX],
    /// The index of each cell in `cells`.
    index_of: [u16; MAX],
    count: usize,
}

impl<const MAX: usize> FreeCells<MAX> {
    fn of(cells: impl Iterator<Item = usize>) -> Self {
        let mut free = Self {
            cells: [0; MAX],
            index_of: [0; MAX],
            count: 0,
        };
        for cell in cells {
            free.cells[free.count] = cell as u16;
            free.index_of[cell] = free.count as u16;
            free.count += 1;
        }
        free
    }

    /// A random cell; there is at least one.
    fn random(&self, random: &mut RandomBits<impl FnMut() -> u64>) -> usize {
        self.cells[random.below(self.count as u64) as usize].into()
    }

    /// Removes a cell; the last one moves to its index.
    fn remove(&mut self, cell: usize) {
        self.count -= 1;
        let last = self.cells[self.count];
        let index = self.index_of[cell];
        self.cells[usize::from(index)] = last;
        self.index_of[usize::from(last)] = index;
    }
}
