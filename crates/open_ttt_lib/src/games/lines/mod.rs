mod drawing;
mod heuristic;
mod naming;
mod options;
mod shape;
mod symmetry;

pub use options::{LinesOptions, Marks};
pub use symmetry::LinesTransform;

use self::shape::{Coordinates, DIRECTIONS, Direction, Shape, opposite};
use crate::games::bits::{RandomBits, bits, owner};
use crate::random::Rng;
use crate::rules::{
    CompactKey, Encode, Encoding, IllegalMove, IndexedMoves, Outcome, Reason, Side, SpecError,
    TwoPlayerGame,
};

/// A family of games of marks in a straight line, on boards of two to four dimensions.
///
/// [`LinesOptions`] are their rules: gravity, edges that meet, lines that lose, marks to
/// choose, lines of an exact length, several marks a turn. Among them are misère, wild
/// and toroidal tic-tac-toe, Notakto, three-dimensional four in a row and Connect6.
///
/// The cells are numbered by column, then row, then layer, then block or board. For each
/// mark there is a set of them:
///
/// ```text
///  boards[X] = 0b000_010_001      3 |   |   |   |
///  boards[O] = 0b000_000_110      2 |   | X |   |
///                                 1 | X | O | O |
///                                     a   b   c
/// ```
///
/// ```
/// use open_ttt_lib::games::Lines;
/// use open_ttt_lib::rules::{FromName, Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut torus = Lines::from_name("lines(wrap=2)")?;
/// play_text(&mut torus, "a2 a1 b1 b2 c3").expect("the cells are free"); // a broken diagonal
/// assert_eq!(torus.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The cells with X and those with O.
    boards: [[u64; WORDS]; 2],
    options: LinesOptions,
    /// The directions of lines on such a board.
    directions: u64,
    /// The boards with a line, if there are several.
    closed: u8,
    plies: u16,
    winner: Option<Side>,
    /// The heuristic for X, unless marks are neutral.
    balance: i32,
    hash: u64,
}

/// A mark on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Mark {
    X,
    O,
}

/// A move of [`Lines`]: a cell, and a mark if the sides choose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinesMove {
    cell: u16,
    mark: Option<Mark>,
}

const WORDS: usize = 6;

impl Lines {
    /// The maximum number of columns, of rows and of marks in a line.
    pub const MAX_SIDE: u8 = 19;

    /// The maximum number of layers, of blocks and of boards.
    pub const MAX_LAYERS: u8 = 8;

    /// The maximum number of marks in a turn.
    pub const MAX_STONES: u8 = 4;

    /// The maximum number of cells.
    pub const MAX_CELLS: usize = 361;

    /// The empty board of a game.
    ///
    /// # Errors
    ///
    /// [`SpecError`] if an option is out of its range or doesn't fit the others.
    pub fn new(options: LinesOptions) -> Result<Self, SpecError> {
        options.check()?;
        Ok(Self {
            boards: [[0; WORDS]; 2],
            options,
            directions: Shape::of(&options).directions(),
            closed: 0,
            plies: 0,
            winner: None,
            balance: 0,
            hash: 0,
        })
    }

    /// The options of the game.
    pub const fn options(&self) -> LinesOptions {
        self.options
    }

    /// The number of cells of all boards.
    pub const fn cells(&self) -> usize {
        self.options.cells()
    }

    /// The number of moves made.
    pub const fn plies(&self) -> u32 {
        self.plies as u32
    }

    /// The number of marks that the side to move still plays in its turn, this one
    /// included.
    pub const fn stones_left(&self) -> u32 {
        let stones = self.options.stones as u32;
        match self.plies() {
            0 => 1,
            plies => stones - (plies - 1) % stones,
        }
    }

    /// The mark on a cell, given by column, row, layer and block or board, each from 0;
    /// `None` off the board.
    pub fn mark(&self, at: [u8; 4]) -> Option<Mark> {
        let shape = self.shape();
        let mut axes = at.into_iter().zip(shape.extents());
        let is_inside = axes.all(|(coordinate, extent)| coordinate < extent);
        is_inside.then(|| self.mark_on(shape.cell(at))).flatten()
    }

    /// The mark on the cell of a move.
    fn mark_on(&self, cell: u16) -> Option<Mark> {
        let marked = |mark: Mark| self.has(mark, cell);
        owner([marked(Mark::X), marked(Mark::O)]).map(Mark::of)
    }

    const fn shape(&self) -> Shape {
        Shape::of(&self.options)
    }

    const fn cell_count(&self) -> u16 {
        self.options.cells() as u16
    }

    const fn has(&self, mark: Mark, cell: u16) -> bool {
        self.boards[mark as usize][cell as usize / 64] >> (cell % 64) & 1 == 1
    }

    const fn is_taken(&self, cell: u16) -> bool {
        self.has(Mark::X, cell) || self.has(Mark::O, cell)
    }

    /// The number of cells of a board.
    const fn board_size(&self) -> u16 {
        self.cell_count() / self.options.boards as u16
    }

    const fn is_closed(&self, cell: u16) -> bool {
        self.options.boards > 1 && self.closed >> (cell / self.board_size()) & 1 == 1
    }

    /// The number of cells from one to the next above it, if marks fall, and the number of
    /// cells in a column.
    const fn falling(&self) -> Option<(u16, u16)> {
        let LinesOptions {
            columns,
            rows,
            layers,
            ..
        } = self.options;
        if !self.options.gravity {
            None
        } else if layers == 1 {
            Some((columns as u16, rows as u16))
        } else {
            Some((columns as u16 * rows as u16, layers as u16))
        }
    }

    /// The cell below, if marks fall and it isn't at the bottom.
    const fn below(&self, cell: u16) -> Option<u16> {
        match self.falling() {
            Some((stride, height)) if !(cell / stride).is_multiple_of(height) => {
                Some(cell - stride)
            }
            _ => None,
        }
    }

    /// The cell above, if marks fall and it isn't at the top.
    const fn above(&self, cell: u16) -> Option<u16> {
        match self.falling() {
            Some((stride, height)) if cell / stride % height + 1 < height => Some(cell + stride),
            _ => None,
        }
    }

    /// Whether a mark on this free cell of a game that goes on would stay there.
    fn is_playable(&self, cell: u16) -> bool {
        !self.is_closed(cell) && self.below(cell).is_none_or(|below| self.is_taken(below))
    }

    /// The cells that can be played while the game goes on.
    fn playable(&self) -> impl Iterator<Item = u16> {
        let position = *self;
        let words = (0..WORDS as u16).zip(self.boards[0].into_iter().zip(self.boards[1]));
        let count = self.cell_count();
        words
            .flat_map(move |(word, (xs, os))| {
                let rest = count.saturating_sub(word * 64);
                let inside = if rest >= 64 {
                    u64::MAX
                } else {
                    (1 << rest) - 1
                };
                bits(inside & !(xs | os)).map(move |bit| word * 64 + u16::from(bit))
            })
            .filter(move |&cell| position.is_playable(cell))
    }

    /// The marks that the side to move can choose from; none if it doesn't choose.
    const fn choices(&self) -> &'static [Option<Mark>] {
        match self.options.marks {
            Marks::Own | Marks::Same => &[None],
            Marks::Any => &[Some(Mark::X), Some(Mark::O)],
        }
    }

    /// The mark that a move puts on its cell.
    fn mark_of(&self, m: LinesMove) -> Mark {
        match (self.options.marks, m.mark) {
            (Marks::Any, Some(mark)) => mark,
            (Marks::Own, _) => Mark::of(self.to_move()),
            (Marks::Same | Marks::Any, _) => Mark::X,
        }
    }

    /// Whether this mark on a cell is part of a line.
    fn completes(&self, cell: u16, mark: Mark) -> bool {
        let enough = u32::from(self.options.in_a_row);
        if self.directions == 0 {
            // The only cell of its board.
            return enough == 1;
        }
        let shape = self.shape();
        let at = shape.coordinates(cell);
        let edges = shape.edges(at);
        // Most cells have no neighbours with the mark: then the run is the mark alone.
        let starts = |direction| {
            shape.wraps(direction)
                || shape
                    .neighbour(cell, edges, direction)
                    .is_some_and(|next| self.has(mark, next))
        };
        self.directions().any(|direction| {
            let length = if starts(direction) || starts(opposite(direction)) {
                self.run_through(at, direction, mark)
            } else {
                1
            };
            if self.options.exact {
                length == enough
            } else {
                length >= enough
            }
        })
    }

    fn directions(&self) -> impl Iterator<Item = Direction> + use<> {
        bits(self.directions).map(|number| DIRECTIONS[number as usize])
    }

    /// The length of the run of a mark through a cell, which counts as marked, in a
    /// direction and back; exact up to the length of a line, and otherwise more than it.
    fn run_through(&self, at: Coordinates, direction: Direction, mark: Mark) -> u32 {
        match self.run(at, direction, mark) {
            Run::Cycle(length) => length,
            Run::Open(ahead) => match self.run(at, opposite(direction), mark) {
                Run::Cycle(length) => length,
                Run::Open(behind) => ahead + 1 + behind,
            },
        }
    }

    /// The run of a mark next to a cell in a direction, at most as long as a line.
    fn run(&self, start: Coordinates, direction: Direction, mark: Mark) -> Run {
        let shape = self.shape();
        let first = shape.cell(start);
        let mut length = 0;
        for cell in shape
            .along(start, direction)
            .take(self.options.in_a_row as usize)
        {
            if cell == first {
                return Run::Cycle(length + 1);
            }
            if !self.has(mark, cell) {
                break;
            }
            length += 1;
        }
        Run::Open(length)
    }
}

impl Lines {
    /// Plays a move without a change of the balance, which a playout doesn't need.
    fn put(&mut self, m: LinesMove) {
        let (side, mark) = (self.to_move(), self.mark_of(m));
        let ends = self.completes(m.cell, mark);
        self.boards[mark as usize][m.cell as usize / 64] |= 1 << (m.cell % 64);
        self.hash ^= mark_hash(mark, m.cell);
        self.plies += 1;
        if ends {
            self.closed |= 1 << (m.cell / self.board_size());
            if self.closed.count_ones() == u32::from(self.options.boards) {
                self.winner = Some(if self.options.misere { !side } else { side });
            }
        }
    }
}

/// A run of marks next to a cell.
enum Run {
    /// It has this length.
    Open(u32),
    /// It comes back to the cell and has this length with it.
    Cycle(u32),
}

impl Mark {
    const fn of(side: Side) -> Self {
        match side {
            Side::First => Self::X,
            Side::Second => Self::O,
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::X => Self::O,
            Self::O => Self::X,
        }
    }
}

impl LinesMove {
    /// The mark, if the sides choose it.
    pub const fn mark(self) -> Option<Mark> {
        self.mark
    }
}

impl TwoPlayerGame for Lines {
    type Move = LinesMove;

    fn to_move(&self) -> Side {
        let turn = match self.plies() {
            0 => 0,
            plies => 1 + (plies - 1) / u32::from(self.options.stones),
        };
        Side::after(turn)
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(side) = self.winner {
            return Some(Outcome::Win(side));
        }
        let is_full = if self.options.boards == 1 {
            self.plies == self.cell_count()
        } else {
            self.playable().next().is_none()
        };
        is_full.then_some(Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = LinesMove> {
        let choices = self.choices();
        let goes_on = self.winner.is_none();
        let cells = goes_on.then(|| self.playable()).into_iter().flatten();
        cells.flat_map(move |cell| choices.iter().map(move |&mark| LinesMove { cell, mark }))
    }

    fn play_unchecked(&mut self, m: LinesMove) {
        if self.options.marks == Marks::Own {
            self.balance += self.balance_change(m.cell, self.mark_of(m));
        }
        self.put(m);
    }

    fn check(&self, m: LinesMove) -> Result<(), IllegalMove<LinesMove>> {
        let refuse = |reason| Err(IllegalMove::new(m, reason));
        if self.outcome().is_some() {
            refuse(Reason::GameOver)
        } else if m.cell >= self.cell_count() {
            refuse(Reason::OffBoard)
        } else if self.is_taken(m.cell) {
            refuse(Reason::Occupied)
        } else if self.is_playable(m.cell) && self.choices().contains(&m.mark) {
            Ok(())
        } else {
            refuse(Reason::Forbidden)
        }
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut random = RandomBits::new(draw);
        let mut cells = [0; Self::MAX_CELLS];
        let mut count = 0;
        for cell in self.playable() {
            cells[count] = cell;
            count += 1;
        }
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let index = random.below(count as u64) as usize;
            let cell = cells[index];
            let choices = self.choices();
            let mark = match choices {
                [only] => *only,
                _ => choices[random.below(choices.len() as u64) as usize],
            };
            let closed = self.closed;
            self.put(LinesMove { cell, mark });
            if let Some(above) = self.above(cell) {
                cells[index] = above;
            } else {
                count -= 1;
                cells[index] = cells[count];
            }
            if self.closed != closed {
                let mut kept = 0;
                for index in 0..count {
                    if !self.is_closed(cells[index]) {
                        cells[kept] = cells[index];
                        kept += 1;
                    }
                }
                count = kept;
            }
        }
    }
}

/// The Zobrist key of a mark on a cell (Zobrist 1970).
const fn mark_hash(mark: Mark, cell: u16) -> u64 {
    Rng::new((mark as u64) << 16 | cell as u64).next_u64()
}

impl CompactKey for Lines {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        self.hash
    }
}

impl IndexedMoves for Lines {
    fn move_count(&self) -> usize {
        self.options.cells() * self.choices().len()
    }

    fn move_index(&self, m: LinesMove) -> usize {
        let choices = self.choices();
        let mark = choices.iter().position(|&mark| mark == m.mark);
        m.cell as usize * choices.len() + mark.unwrap_or_default()
    }

    fn indexed_move(&self, index: usize) -> Option<LinesMove> {
        let choices = self.choices();
        (index < self.move_count()).then(|| LinesMove {
            cell: (index / choices.len()) as u16,
            mark: choices[index % choices.len()],
        })
    }
}

impl Encode for Lines {
    /// For each layer of each block or board a plane of one kind of marks, then as many
    /// of the other kind; own marks come first where each side has its own. Where a turn
    /// has several marks, one more plane has the share that is left of it.
    fn encoding(&self) -> Encoding {
        let [columns, rows, layers, blocks] = self.shape().extents().map(usize::from);
        Encoding {
            version: 1,
            planes: 2 * layers * blocks + usize::from(self.options.stones > 1),
            rows,
            columns,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let first = match self.options.marks {
            Marks::Own => Mark::of(self.to_move()),
            Marks::Any | Marks::Same => Mark::X,
        };
        let cells = self.cell_count();
        let (marks, rest) = planes.split_at_mut(2 * cells as usize);
        let kinds = marks.chunks_exact_mut(cells as usize);
        for (mark, kind) in [first, first.other()].into_iter().zip(kinds) {
            for (cell, number) in (0..cells).zip(kind) {
                *number = f32::from(u8::from(self.has(mark, cell)));
            }
        }
        rest.fill(self.stones_left() as f32 / f32::from(self.options.stones));
    }
}
