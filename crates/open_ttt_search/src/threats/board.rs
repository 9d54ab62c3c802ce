use super::cells::{Cell, Cells};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{LineGame, Side};

/// A position of a game of completing lines, as a search wants it: moves are
/// made and taken back, and what the lines come to is kept up to date.
///
/// A line is *open* to a side that alone may still complete it. How many
/// pieces it lacks says what the free cells on it are good for:
///
/// ```text
/// missing 1    X X X X .    the free cell finishes the line
/// missing 2    X X . X .    each free cell presses: it threatens to finish
/// missing 3    . X . X .    each free cell builds
/// ```
#[derive(Clone, Debug)]
pub(super) struct Board {
    shape: Shape,
    /// How many pieces each side has on each line.
    pieces: Vec<[u8; 2]>,
    views: [View; 2],
    free: Cells,
    to_move: Side,
    hash: u64,
    worth: Worth,
}

/// What a line open to a side is worth to it, by how many pieces are missing.
pub(super) type Worth = [i32; MOST_MISSING + 1];

/// Lines that lack more pieces are worth as much as lines that lack these.
pub(super) const MOST_MISSING: usize = 16;

/// What a cell is good for, on the open lines that lack 1, 2 or 3 pieces.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rank {
    Finishes,
    Presses,
    Builds,
}

const RANKS: usize = 3;

/// The board as one side sees it.
#[derive(Clone, Debug)]
struct View {
    /// How many lines make each cell good for each rank.
    counts: [Vec<u16>; RANKS],
    /// The free cells for which there is such a line.
    cells: [Cells; RANKS],
    /// For each cell, the worth of the open lines through it.
    scores: Vec<i32>,
    /// The worth of all open lines.
    total: i32,
}

/// The lines of a board, which never change.
#[derive(Clone, Debug)]
struct Shape {
    lines: Vec<Vec<Cell>>,
    /// The numbers of the lines through each cell.
    through: Vec<Vec<u16>>,
    /// A random number for each piece on each cell (Zobrist 1970).
    numbers: Vec<[u64; 2]>,
}

/// How many lines a board may have: all of them at their highest worth still
/// make a number that fits.
pub(super) const MOST_LINES: usize = 1 << 14;

/// The mover's part of a position's hash.
const TURN: u64 = 0x9D39_247E_3377_6D41;

impl Shape {
    /// `None` if there are more cells or lines than a board may have.
    fn of<G: LineGame>(game: &G) -> Option<Self> {
        let cells = game.move_count();
        let winning = game.winning_lines();
        if cells > Cells::MOST || winning.len() > MOST_LINES {
            return None;
        }
        let mut through = vec![Vec::new(); cells];
        let mut lines = Vec::with_capacity(winning.len());
        for (number, places) in winning.into_iter().enumerate() {
            let mut line: Vec<Cell> = Vec::with_capacity(places.len());
            for place in places {
                let cell = game.move_index(place);
                through.get_mut(cell)?.push(number as u16);
                line.push(cell as Cell);
            }
            if line.is_empty() || line.len() > u8::MAX as usize {
                return None;
            }
            lines.push(line);
        }
        let mut rng = Rng::new(0);
        let numbers = (0..cells).map(|_| [rng.next_u64(), rng.next_u64()]);
        Some(Self {
            lines,
            through,
            numbers: numbers.collect(),
        })
    }
}

impl Board {
    /// The position of a game that is not over; `None` if it has too many
    /// cells or lines.
    pub(super) fn of<G: LineGame>(game: &G, worth: Worth) -> Option<Self> {
        let shape = Shape::of(game)?;
        let cells = game.move_count();
        let view = View {
            counts: core::array::from_fn(|_| vec![0; cells]),
            cells: [Cells::NONE; RANKS],
            scores: vec![0; cells],
            total: 0,
        };
        let mut free = Cells::NONE;
        for cell in 0..cells {
            free.insert(cell as Cell);
        }
        let mut board = Self {
            pieces: vec![[0; 2]; shape.lines.len()],
            shape,
            views: [view.clone(), view],
            free,
            to_move: game.to_move(),
            hash: 0,
            worth,
        };
        for line in &board.shape.lines {
            for view in &mut board.views {
                view.weigh(line, worth[line.len().min(MOST_MISSING)]);
                view.rank(line, Some(line.len()), &free, Change::Put);
            }
        }
        for cell in 0..cells {
            if let Some(side) = game.indexed_move(cell).and_then(|m| game.owner_of(m)) {
                board.put(side, cell as Cell);
            }
        }
        Some(board)
    }

    pub(super) fn to_move(&self) -> Side {
        self.to_move
    }

    /// The free cells.
    pub(super) fn free(&self) -> &Cells {
        &self.free
    }

    /// How many cells the board has.
    pub(super) fn size(&self) -> usize {
        self.shape.through.len()
    }

    /// A hash of pieces and mover. Different positions may share it.
    pub(super) fn hash(&self) -> u64 {
        match self.to_move {
            Side::First => self.hash,
            Side::Second => self.hash ^ TURN,
        }
    }

    /// The free cells that are good for this much to a side.
    pub(super) fn cells(&self, side: Side, rank: Rank) -> Cells {
        self.views[side.index()].cells[rank as usize]
    }

    #[cfg(test)]
    /// On how many lines a cell is good for this much.
    pub(super) fn count(&self, side: Side, rank: Rank, cell: Cell) -> u16 {
        self.views[side.index()].counts[rank as usize][cell as usize]
    }

    /// The worth of the lines through a cell that are open to a side.
    pub(super) fn score(&self, side: Side, cell: Cell) -> i32 {
        self.views[side.index()].scores[cell as usize]
    }

    /// The worth of all lines that are open to a side.
    pub(super) fn total(&self, side: Side) -> i32 {
        self.views[side.index()].total
    }

    /// Plays a free cell for the side to move.
    pub(super) fn play(&mut self, cell: Cell) {
        self.put(self.to_move, cell);
        self.to_move = !self.to_move;
    }

    /// Takes the last [`play`](Self::play) back.
    pub(super) fn undo(&mut self, cell: Cell) {
        self.to_move = !self.to_move;
        self.take(self.to_move, cell);
    }

    /// Gives the turn to the other side, as if this one passed.
    pub(super) fn pass(&mut self) {
        self.to_move = !self.to_move;
    }

    /// Puts a piece on a free cell.
    fn put(&mut self, side: Side, cell: Cell) {
        self.change_lines(side, cell, Change::Put);
        self.free.remove(cell);
        self.hash ^= self.shape.numbers[cell as usize][side.index()];
    }

    /// Takes a side's own piece from a cell.
    fn take(&mut self, side: Side, cell: Cell) {
        self.change_lines(side, cell, Change::Take);
        self.free.insert(cell);
        self.hash ^= self.shape.numbers[cell as usize][side.index()];
    }

    /// Brings the lines through a cell up to date.
    fn change_lines(&mut self, side: Side, cell: Cell, change: Change) {
        let [mut empty, mut filled] = [self.free; 2];
        empty.insert(cell);
        filled.remove(cell);
        let (free_before, free_after) = match change {
            Change::Put => (empty, filled),
            Change::Take => (filled, empty),
        };
        for &line in &self.shape.through[cell as usize] {
            let before = self.pieces[line as usize];
            let own = &mut self.pieces[line as usize][side.index()];
            match change {
                Change::Put => *own += 1,
                Change::Take => *own -= 1,
            }
            let after = self.pieces[line as usize];
            let cells = &self.shape.lines[line as usize];
            for side in Side::BOTH {
                let view = &mut self.views[side.index()];
                let was = missing(cells, before, side);
                let is = missing(cells, after, side);
                if was == is {
                    continue;
                }
                let worth = |missing: Option<usize>| {
                    missing.map_or(0, |missing| self.worth[missing.min(MOST_MISSING)])
                };
                view.weigh(cells, worth(is) - worth(was));
                view.rank(cells, was, &free_before, Change::Take);
                view.rank(cells, is, &free_after, Change::Put);
            }
        }
    }
}

/// Whether a piece, or what a line is good for, comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Put,
    Take,
}

/// How many pieces a side misses on a line with these pieces, if it is open to
/// that side.
fn missing(line: &[Cell], pieces: [u8; 2], side: Side) -> Option<usize> {
    (pieces[side.other().index()] == 0).then(|| line.len() - pieces[side.index()] as usize)
}

impl View {
    fn weigh(&mut self, line: &[Cell], change: i32) {
        self.total += change;
        for &cell in line {
            self.scores[cell as usize] += change;
        }
    }

    /// Counts what a line that misses so many pieces is good for, or no longer.
    fn rank(&mut self, line: &[Cell], missing: Option<usize>, free: &Cells, change: Change) {
        let Some(missing @ 1..=RANKS) = missing else {
            return;
        };
        let rank = missing - 1;
        for &cell in line.iter().filter(|&&cell| free.contains(cell)) {
            let count = &mut self.counts[rank][cell as usize];
            match change {
                Change::Put => {
                    *count += 1;
                    self.cells[rank].insert(cell);
                }
                Change::Take => {
                    *count -= 1;
                    if *count == 0 {
                        self.cells[rank].remove(cell);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tangle::Tangle;
    use super::*;

    /// What a line missing so many is worth in these tests: different numbers.
    const WORTH: Worth = [0, 900, 300, 90, 20, 7, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1];

    /// Holds a board to its lines, counted anew.
    #[track_caller]
    fn check<G: LineGame>(board: &Board, game: &G) {
        for side in Side::BOTH {
            let mut counts = vec![[0; RANKS]; game.move_count()];
            let mut scores = vec![0; game.move_count()];
            let mut total = 0;
            for line in game.winning_lines() {
                let owners: Vec<_> = line.iter().map(|&place| game.owner_of(place)).collect();
                if owners.contains(&Some(!side)) {
                    continue;
                }
                let missing = owners.iter().filter(|owner| owner.is_none()).count();
                let worth = WORTH[missing.min(MOST_MISSING)];
                total += worth;
                for (&place, owner) in line.iter().zip(owners) {
                    let cell = game.move_index(place);
                    scores[cell] += worth;
                    if owner.is_none() && missing <= RANKS {
                        counts[cell][missing - 1] += 1;
                    }
                }
            }
            assert_eq!(board.total(side), total);
            for (cell, counts) in counts.into_iter().enumerate() {
                let cell = cell as Cell;
                assert_eq!(board.score(side, cell), scores[cell as usize]);
                for rank in [Rank::Finishes, Rank::Presses, Rank::Builds] {
                    let expected = counts[rank as usize];
                    assert_eq!(board.count(side, rank, cell), expected);
                    assert_eq!(board.cells(side, rank).contains(cell), expected > 0);
                }
            }
        }
    }

    #[track_caller]
    fn check_game<G: LineGame>(start: &G, seed: u64) {
        let mut rng = Rng::new(seed);
        let mut game = start.clone();
        let mut board = Board::of(&game, WORTH).expect("the game is small");
        let mut made = Vec::new();
        while let Some(m) = rng.pick(game.moves()) {
            check(&board, &game);
            let cell = game.move_index(m) as Cell;
            made.push((game.clone(), cell, board.hash()));
            game.play_unchecked(m);
            board.play(cell);
            assert_eq!(board.to_move(), game.to_move());
            if game.outcome().is_none() {
                let anew = Board::of(&game, WORTH).expect("the game is small");
                assert_eq!(board.hash(), anew.hash());
            }
        }
        while let Some((game, cell, hash)) = made.pop() {
            board.undo(cell);
            check(&board, &game);
            assert_eq!(board.hash(), hash);
            assert_eq!(board.free().len() as usize, game.moves().count());
        }
    }

    #[test]
    fn is_what_its_lines_say_when_moves_are_made_and_taken_back() {
        let shapes = [
            (9, 8, 3),
            (20, 30, 1),
            (30, 60, 5),
            (49, 80, 6),
            (64, 76, 4),
            (19, 4, 19),
            (225, 500, 5),
        ];
        for (places, lines, longest) in shapes {
            for seed in 0..5 {
                check_game(&Tangle::new(seed, places, lines, 1..=longest), seed);
            }
        }
    }
}
