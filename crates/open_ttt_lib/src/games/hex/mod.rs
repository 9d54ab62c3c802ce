mod cells;
mod heuristic;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::games::bits::{RandomBits, labels_from_top, owner};
use crate::random::Rng;
use crate::rules::{
    AllowedValues, BoardCell, Choice, Color, CompactKey, CompletedLine, Described, Dihedral,
    Drawing, Encode, Encoding, IllegalMove, IndexedMoves, Layout, Notation, Outcome, Parameter,
    ParseMoveError, Picture, Piece, Place, Reason, Side, SpecError, Symmetry, TwoPlayerGame,
    encode_owners, normalized, parse_grid_cell,
};
use cells::{Cells, STRIDE};

/// Hex on a rhombus of 3 by 3 to 13 by 13 hexagons.
///
/// The sides take turns putting a stone on a free cell. Red, who moves first, wins by
/// connecting the top with the bottom, Blue by connecting the left with the right; a
/// full board always has exactly one such connection.
///
/// Because the first side has a great advantage, the second side may *swap* instead of
/// its first move: it takes the first side's stone over, reflected so that it is for
/// Blue what it was for Red (the pie rule). The sides keep their edges, and Red moves
/// next. A game can be without this rule.
///
/// Rows are numbered from the top, as usual in this game, and `a1` is a sharp corner:
///
/// ```text
///  1  0  1  2
///   2  14 15 16     the number of a cell is fourteen
///    3  28 29 30    times its row plus its column
///        a  b  c
/// ```
///
/// ```
/// use open_ttt_lib::games::Hex;
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut game = Hex::new(3).expect("a small board");
/// play_text(&mut game, "c2 swap")?; // Blue now has a stone on b3
/// play_text(&mut game, "b2 a2 c1 a3 a1 c3")?; // and connects a3, b3 and c3
/// assert_eq!(game.outcome(), Some(Outcome::Win(Side::Second)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex {
    stones: [Cells; 2],
    /// Those of them that are connected with the side's first edge, the top or the
    /// left one.
    connected: [Cells; 2],
    to_move: Side,
    size: u8,
    has_swap: bool,
}

/// A move of [`Hex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HexMove {
    /// Puts a stone on a cell.
    Stone(HexCell),
    /// Takes the first side's stone over.
    Swap,
}

/// A cell of a [`Hex`] board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HexCell(u8);

impl HexCell {
    /// The cell in a column from the left and a row from the top, each 0 to 12.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < Hex::MAX_SIZE && row < Hex::MAX_SIZE {
            Some(Self(row * STRIDE + column))
        } else {
            None
        }
    }

    /// The column, 0 to 12 from the left.
    pub const fn column(self) -> u8 {
        self.0 % STRIDE
    }

    /// The row, 0 to 12 from the top.
    pub const fn row(self) -> u8 {
        self.0 / STRIDE
    }

    /// The cell with column and row exchanged.
    const fn reflected(self) -> Self {
        Self(self.column() * STRIDE + self.row())
    }
}

/// In the game's notation.
impl fmt::Display for HexCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}

/// In the game's notation.
impl fmt::Display for HexMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stone(cell) => cell.fmt(f),
            Self::Swap => f.write_str("swap"),
        }
    }
}

impl Hex {
    /// The minimum number of columns and rows.
    pub const MIN_SIZE: u8 = 3;

    /// The maximum number of columns and rows.
    pub const MAX_SIZE: u8 = 13;

    /// The empty board of this many columns and rows, 3 to 13, with the swap rule.
    pub const fn new(size: u8) -> Option<Self> {
        if size < Self::MIN_SIZE || size > Self::MAX_SIZE {
            return None;
        }
        Some(Self {
            stones: [Cells::EMPTY; 2],
            connected: [Cells::EMPTY; 2],
            to_move: Side::First,
            size,
            has_swap: true,
        })
    }

    /// The empty board without the swap rule.
    pub const fn without_swap(size: u8) -> Option<Self> {
        match Self::new(size) {
            Some(game) => Some(Self {
                has_swap: false,
                ..game
            }),
            None => None,
        }
    }

    /// The number of columns and rows.
    pub const fn size(&self) -> u8 {
        self.size
    }

    /// Whether the game has the swap rule.
    pub const fn has_swap(&self) -> bool {
        self.has_swap
    }

    /// The owner of the stone on a cell; `None` also off the board.
    pub const fn owner(&self, cell: HexCell) -> Option<Side> {
        let [first, second] = self.stones;
        owner([first.contains(cell.0), second.contains(cell.0)])
    }

    const fn free(&self) -> Cells {
        let all = BOARDS[self.size as usize];
        all.without(self.stones[0]).without(self.stones[1])
    }

    /// The cells on the first and on the second edge of a side.
    const fn edges(&self, side: Side) -> [Cells; 2] {
        EDGES[self.size as usize][side.index()]
    }

    const fn has_won(&self, side: Side) -> bool {
        self.connected[side.index()].intersects(self.edges(side)[1])
    }

    const fn can_swap(&self) -> bool {
        // Only then does the second side move without having a stone.
        self.has_swap && matches!(self.to_move, Side::Second) && self.stones[1].is_empty()
    }

    /// Puts a stone of the side to move on a cell.
    fn put(&mut self, cell: HexCell) {
        let side = self.to_move.index();
        let stone = Cells::one(cell.0);
        self.stones[side] = self.stones[side].or(stone);
        let connected = self.connected[side];
        if NEIGHBOURS_OF[cell.0 as usize].intersects(connected)
            || stone.intersects(self.edges(self.to_move)[0])
        {
            let others = self.stones[side].without(connected);
            self.connected[side] = connected.or(stone.connected(others));
        }
        self.to_move = self.to_move.other();
    }

    /// The stones of a side that are connected with its first edge.
    const fn find_connected(&self, side: Side) -> Cells {
        let stones = self.stones[side.index()];
        stones.and(self.edges(side)[0]).connected(stones)
    }

    fn swap(&mut self) {
        if let Some(number) = self.stones[0].iter().next() {
            let stone = HexCell(number).reflected();
            self.stones = [Cells::EMPTY, Cells::one(stone.0)];
            self.connected = Side::BOTH.map(|side| self.find_connected(side));
        }
        self.to_move = self.to_move.other();
    }

    /// The cells of the board, row by row from the top left.
    fn cells(&self) -> impl Iterator<Item = HexCell> + use<> {
        BOARDS[self.size as usize].iter().map(HexCell)
    }

    /// A shortest connection of the edges of a side that has won.
    fn connection(&self, side: Side) -> Vec<HexCell> {
        let [first, last] = self.edges(side);
        let stones = self.connected[side.index()];
        // The stones by their distance from the first edge.
        let mut rings = vec![stones.and(first)];
        let mut seen = rings[0];
        let mut at = rings[0];
        while !at.intersects(last) && !at.is_empty() {
            at = at.neighbours().and(stones).without(seen);
            seen = seen.or(at);
            rings.push(at);
        }
        let mut connection = Vec::new();
        let mut next = last;
        for ring in rings.into_iter().rev() {
            let Some(number) = ring.and(next).iter().next() else {
                return Vec::new();
            };
            connection.push(HexCell(number));
            next = NEIGHBOURS_OF[number as usize];
        }
        connection.reverse();
        connection
    }
}

const SIZES: usize = Hex::MAX_SIZE as usize + 1;

/// All cells of the board of each size.
const BOARDS: [Cells; SIZES] = {
    let mut boards = [Cells::EMPTY; SIZES];
    let mut size = 0;
    while size < SIZES {
        boards[size] = Cells::rows(size as u8, 0, size as u8);
        size += 1;
    }
    boards
};

/// The cells on the first and the second edge of each side, for each size.
const EDGES: [[[Cells; 2]; 2]; SIZES] = {
    let mut edges = [[[Cells::EMPTY; 2]; 2]; SIZES];
    let mut index = Hex::MIN_SIZE;
    while index <= Hex::MAX_SIZE {
        let (size, last) = (index, index - 1);
        edges[index as usize] = [
            [Cells::rows(size, 0, 1), Cells::rows(size, last, 1)],
            [Cells::column(0, size), Cells::column(last, size)],
        ];
        index += 1;
    }
    edges
};

/// The neighbours of each cell of the largest board.
const NEIGHBOURS_OF: [Cells; STRIDE as usize * Hex::MAX_SIZE as usize] = {
    let mut neighbours = [Cells::EMPTY; STRIDE as usize * Hex::MAX_SIZE as usize];
    let mut number = 0;
    while number < neighbours.len() {
        neighbours[number] = Cells::one(number as u8).neighbours();
        number += 1;
    }
    neighbours
};

impl Default for Hex {
    /// Eleven by eleven cells, with the swap rule.
    fn default() -> Self {
        Self::new(11).expect("11 is a size")
    }
}

impl Hash for Hex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The connected stones follow from the stones.
        for stones in self.stones {
            for word in stones.words() {
                state.write_u64(word);
            }
        }
        let rest = [self.to_move as u8, self.size, u8::from(self.has_swap), 0];
        state.write_u32(u32::from_le_bytes(rest));
    }
}

impl TwoPlayerGame for Hex {
    type Move = HexMove;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        // Only the side that just moved can have won.
        let moved = self.to_move.other();
        self.has_won(moved).then_some(Outcome::Win(moved))
    }

    fn moves(&self) -> impl Iterator<Item = HexMove> {
        let free = match self.outcome() {
            Some(_) => Cells::EMPTY,
            None => self.free(),
        };
        let swap = self.can_swap().then_some(HexMove::Swap);
        let stones = free.iter().map(|number| HexMove::Stone(HexCell(number)));
        stones.chain(swap)
    }

    fn play_unchecked(&mut self, m: HexMove) {
        match m {
            HexMove::Stone(cell) => self.put(cell),
            HexMove::Swap => self.swap(),
        }
    }

    /// Fills the board: what comes after a win doesn't change the winner.
    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        const MAX_CELLS: usize = (Hex::MAX_SIZE as usize).pow(2);
        if let Some(outcome) = self.outcome() {
            return outcome;
        }
        let mut random = RandomBits::new(draw);
        // Until the second side has a stone, there may be a swap.
        while self.has_swap && self.stones[1].is_empty() {
            let index = random.below(self.moves().count() as u64);
            let m = self.moves().nth(index as usize);
            self.play_unchecked(m.unwrap_or(HexMove::Swap));
        }
        let mut cells = [0; MAX_CELLS];
        let mut count = 0;
        for number in self.free().iter() {
            cells[count] = number;
            count += 1;
        }
        // The side to move gets half of the cells, rounded up.
        let own = &mut self.stones[self.to_move.index()];
        for chosen in 0..count.div_ceil(2) {
            let index = chosen + random.below((count - chosen) as u64) as usize;
            *own = own.or(Cells::one(cells[index]));
            cells[index] = cells[chosen];
        }
        // The other cells are the opponent's. One of the sides is connected.
        let own = self.find_connected(self.to_move);
        if own.intersects(self.edges(self.to_move)[1]) {
            Outcome::Win(self.to_move)
        } else {
            Outcome::Win(self.to_move.other())
        }
    }

    fn check(&self, m: HexMove) -> Result<(), IllegalMove<HexMove>> {
        let illegal = |reason| Err(IllegalMove::new(m, reason));
        match m {
            _ if self.outcome().is_some() => illegal(Reason::GameOver),
            HexMove::Swap if self.can_swap() => Ok(()),
            HexMove::Swap => illegal(Reason::Forbidden),
            HexMove::Stone(cell) if cell.column() >= self.size || cell.row() >= self.size => {
                illegal(Reason::OffBoard)
            }
            HexMove::Stone(cell) if self.owner(cell).is_some() => illegal(Reason::Occupied),
            HexMove::Stone(_) => Ok(()),
        }
    }
}

impl CompactKey for Hex {
    const UNIQUE_BITS: Option<u32> = None;

    fn key(&self) -> u64 {
        let words = self.stones.iter().flat_map(|stones| stones.words());
        [self.to_move as u64]
            .into_iter()
            .chain(words)
            .fold(0, |key, word| Rng::new(key ^ word).next_u64())
    }
}

impl IndexedMoves for Hex {
    /// The cells, row by row, and the swap if the game has it.
    fn move_count(&self) -> usize {
        usize::from(self.size).pow(2) + usize::from(self.has_swap)
    }

    fn move_index(&self, m: HexMove) -> usize {
        let size = usize::from(self.size);
        match m {
            HexMove::Stone(cell) => usize::from(cell.row()) * size + usize::from(cell.column()),
            HexMove::Swap => size * size,
        }
    }

    fn indexed_move(&self, index: usize) -> Option<HexMove> {
        let size = usize::from(self.size);
        if index < size * size {
            let (column, row) = ((index % size) as u8, (index / size) as u8);
            HexCell::new(column, row).map(HexMove::Stone)
        } else {
            (index < self.move_count()).then_some(HexMove::Swap)
        }
    }
}

impl Encode for Hex {
    /// The stones of the side to move, those of the opponent, and a plane of ones if
    /// the side to move is the one that connects the top with the bottom.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 3,
            rows: self.size.into(),
            columns: self.size.into(),
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let (stones, side) = planes.split_at_mut(2 * usize::from(self.size).pow(2));
        let owners = self.cells().map(|cell| self.owner(cell));
        encode_owners(stones, self.to_move, owners);
        side.fill(f32::from(u8::from(self.to_move == Side::First)));
    }
}

impl Symmetry for Hex {
    type Transform = Dihedral;

    /// The half turn: a reflection would exchange the edges of the sides.
    fn symmetries(&self) -> &'static [Dihedral] {
        &[Dihedral::Identity, Dihedral::HalfTurn]
    }

    /// A transform that isn't a symmetry leaves the position unchanged.
    fn image(&self, transform: Dihedral) -> Self {
        if !self.symmetries().contains(&transform) {
            return *self;
        }
        let image = |cells: Cells| {
            cells.iter().fold(Cells::EMPTY, |image, number| {
                image.or(Cells::one(self.cell_image(HexCell(number), transform).0))
            })
        };
        let mut game = Self {
            stones: self.stones.map(image),
            ..*self
        };
        game.connected = Side::BOTH.map(|side| game.find_connected(side));
        game
    }

    fn move_image(&self, m: HexMove, transform: Dihedral) -> HexMove {
        match m {
            HexMove::Stone(cell) if self.symmetries().contains(&transform) => {
                HexMove::Stone(self.cell_image(cell, transform))
            }
            _ => m,
        }
    }
}

impl Hex {
    /// The image of a cell; a cell off the board is its own.
    const fn cell_image(&self, cell: HexCell, transform: Dihedral) -> HexCell {
        let at = (cell.column(), cell.row());
        if at.0 >= self.size || at.1 >= self.size {
            return cell;
        }
        let (column, row) = transform.apply(at, (self.size, self.size));
        HexCell(row * STRIDE + column)
    }
}

impl Notation for Hex {
    fn move_text(&self, m: HexMove) -> String {
        m.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<HexMove, ParseMoveError> {
        if normalized(text, 4).as_deref() == Some("swap") {
            return Ok(HexMove::Swap);
        }
        match parse_grid_cell(text, self.size, self.size) {
            Ok((column, row)) => Ok(HexMove::Stone(HexCell(row * STRIDE + column))),
            Err(error) if self.has_swap => Err(ParseMoveError {
                expected: format!("{}, or swap", error.expected),
                ..error
            }),
            Err(error) => Err(error),
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Red", "Blue"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Cell"
    }
}

impl Drawing for Hex {
    fn picture(&self) -> Picture<HexMove> {
        let place = |cell: HexCell| Place::flat(cell.column(), self.size - 1 - cell.row());
        let sides = [("R", Side::First), ("B", Side::Second)];
        let sides = sides.map(|(mark, side)| Piece::new(side, mark));
        let cells = self.cells().map(|cell| BoardCell {
            piece: self.owner(cell).map(|side| sides[side.index()]),
            ..BoardCell::at(place(cell))
        });
        let choices = self.moves().map(|m| match m {
            HexMove::Stone(cell) => Choice::path(m, [place(cell)]),
            HexMove::Swap => Choice::button(m, "Swap"),
        });
        let winner = self.outcome().and_then(Outcome::winner);
        let lines = winner.map(|side| CompletedLine {
            side: Some(side),
            places: self.connection(side).into_iter().map(place).collect(),
        });
        let (columns, rows) = labels_from_top(self.size, self.size);
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            lines: lines.into_iter().collect(),
            sides,
            colors: [Color::Red, Color::Blue],
            ..Picture::new(Layout::Hexagons {
                columns,
                rows,
                bottom_and_top: Some(Side::First),
            })
        }
    }
}

impl Described for Hex {
    const KEY: &'static str = "hex";
    const TITLE: &'static str = "Hex";
    const RULES: &'static str = "\
Red and Blue take turns putting a stone on a free cell. Red goes first.
Red wins by connecting the top with the bottom, Blue by connecting the left
with the right. There are no draws.
Instead of putting its first stone, Blue may swap: Red's stone becomes Blue's,
reflected so that it is worth to Blue what it was to Red.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "size",
            meaning: "number of columns and rows",
            allowed: AllowedValues::Range(Hex::MIN_SIZE as u32..=Hex::MAX_SIZE as u32),
            default: 11,
        },
        Parameter {
            name: "swap",
            meaning: "1 if Blue may swap, 0 if not",
            allowed: AllowedValues::OneOf(&[0, 1]),
            default: 1,
        },
    ];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        let game = Self::new(values[0] as u8).unwrap_or_default();
        Ok(Self {
            has_swap: values[1] == 1,
            ..game
        })
    }

    fn parameters(&self) -> Vec<u32> {
        vec![self.size.into(), self.has_swap.into()]
    }
}
