mod drawing;
mod move_list;
mod square;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub use square::DraughtsMove;

use self::move_list::{MOVE_COUNT, MOVES};
use self::square::{CROWN_ROWS, Direction, SQUARES, Square};
use crate::games::bits::{bits, owner, play_until_stuck};
use crate::random::Rng;
use crate::rules::{
    CompactKey, Described, Encode, Encoding, Heuristic, IndexedMoves, Notation, Outcome,
    ParseMoveError, Repetition, Side, SpecError, Symmetry, TwoPlayerGame, normalized,
};

/// English draughts, in America called checkers.
///
/// Black, the first side, starts on the squares 1 to 12, White on 21 to 32. Men step
/// diagonally forward; they jump over an opponent's piece forward to the free square
/// behind it and capture it. Jumps are compulsory and go on as long as they can, but the
/// choice between chains is free. A man that reaches the last row ends its move and
/// becomes a king, which steps and jumps backward as well.
///
/// A side without a legal move loses. A position that occurs for the third time is a draw
/// (rules of the World Checkers Draughts Federation 1.32.1). Draws by agreement or by the
/// referee's count of moves without progress aren't modelled.
///
/// The squares are bits in the order of their numbers:
///
/// ```text
///       1   .   2   .   3   .   4       pieces[Black] = 0x0000_0FFF
///   5   .   6   .   7   .   8           pieces[White] = 0xFFF0_0000
///   .   9   .  10   .  11   .  12       kings         = 0
///  13   .  14   .  15   .  16
///   .  17   .  18   .  19   .  20
///  21   .  22   .  23   .  24
///   .  25   .  26   .  27   .  28
///  29   .  30   .  31   .  32
/// ```
///
/// A move is written with the numbers of its squares, a step as `11-15` and a chain of
/// jumps as `15x22x29`. A chain may be shortened to its first squares or to its first and
/// last one if only one legal chain fits.
///
/// ```
/// use open_ttt_lib::games::Draughts;
/// use open_ttt_lib::rules::{Notation, TwoPlayerGame, play_text};
///
/// let mut game = Draughts::new();
/// play_text(&mut game, "11-15 22-18")?;
/// let texts: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
/// assert_eq!(texts, ["15x22"]); // compulsory
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draughts {
    pieces: [u32; 2],
    /// The kings of both sides.
    kings: u32,
    to_move: Side,
}

/// A piece of [`Draughts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DraughtsPiece {
    /// The owner.
    pub side: Side,
    /// Whether it is a king, not a man.
    pub is_king: bool,
}

/// The maximum number of chains from one square.
const MAX_CHAINS: usize = 31;

impl Draughts {
    /// The start position.
    pub const fn new() -> Self {
        Self {
            pieces: [0x0000_0FFF, 0xFFF0_0000],
            kings: 0,
            to_move: Side::First,
        }
    }

    /// A position to study: the numbers of the squares of Black's and White's pieces, of
    /// which those in `kings` are kings.
    ///
    /// Returns `None` if a number isn't 1 to 32, a side has more than 12 pieces, a square
    /// has two pieces, a king no piece, or a man stands on the row where it is crowned.
    ///
    /// ```
    /// use open_ttt_lib::games::Draughts;
    /// use open_ttt_lib::rules::{Side, TwoPlayerGame};
    ///
    /// let study = Draughts::study(&[1], &[6, 15, 23], &[1], Side::First);
    /// let study = study.expect("a position");
    /// let chains: Vec<_> = study.moves().map(|m| m.to_string()).collect();
    /// assert_eq!(chains, ["1x10x19x26"]);
    /// ```
    pub fn study(black: &[u8], white: &[u8], kings: &[u8], to_move: Side) -> Option<Self> {
        let set = |numbers: &[u8]| {
            numbers.iter().try_fold(0_u32, |set, &number| {
                let bit = 1_u32.checked_shl(u32::from(number).checked_sub(1)?)?;
                (set & bit == 0).then_some(set | bit)
            })
        };
        let pieces = [set(black)?, set(white)?];
        let kings = set(kings)?;
        let fits = pieces[0] & pieces[1] == 0
            && kings & !(pieces[0] | pieces[1]) == 0
            && pieces.iter().all(|side| side.count_ones() <= 12)
            && pieces
                .iter()
                .zip(CROWN_ROWS)
                .all(|(side, row)| side & row & !kings == 0);
        fits.then_some(Self {
            pieces,
            kings,
            to_move,
        })
    }

    /// The piece on a square, by its number; `None` if it is free or not 1 to 32.
    pub fn piece_on(&self, number: u8) -> Option<DraughtsPiece> {
        let bit = 1_u32.checked_shl(u32::from(number).checked_sub(1)?)?;
        let side = owner(self.pieces.map(|pieces| pieces & bit != 0))?;
        let is_king = self.kings & bit != 0;
        Some(DraughtsPiece { side, is_king })
    }

    const fn own(&self) -> u32 {
        self.pieces[self.to_move.index()]
    }

    const fn opponents(&self) -> u32 {
        self.pieces[self.to_move.other().index()]
    }

    const fn free(&self) -> u32 {
        !(self.pieces[0] | self.pieces[1])
    }

    /// The own pieces that can go in a direction.
    const fn going(&self, direction: Direction) -> u32 {
        let forward = match direction {
            Direction::DownLeft | Direction::DownRight => Side::First,
            Direction::UpLeft | Direction::UpRight => Side::Second,
        };
        match (self.to_move, forward) {
            (Side::First, Side::First) | (Side::Second, Side::Second) => self.own(),
            _ => self.own() & self.kings,
        }
    }

    /// The own pieces that can capture.
    fn jumpers(&self) -> u32 {
        let (free, opponents) = (self.free(), self.opponents());
        let jumpers = Direction::ALL.map(|direction| {
            let back = direction.opposite();
            back.step(back.step(free) & opponents) & self.going(direction)
        });
        jumpers.into_iter().fold(0, |all, one| all | one)
    }

    /// Whether the side to move can capture, and so has to.
    pub fn must_capture(&self) -> bool {
        self.jumpers() != 0
    }

    fn can_step(&self) -> bool {
        let mut directions = Direction::ALL.into_iter();
        directions.any(|direction| direction.step(self.going(direction)) & self.free() != 0)
    }

    /// The steps of all pieces.
    fn steps(self) -> impl Iterator<Item = DraughtsMove> {
        Direction::ALL.into_iter().flat_map(move |direction| {
            let targets = direction.step(self.going(direction)) & self.free();
            bits(targets).map(move |to| DraughtsMove {
                from: direction.opposite().step(1 << to).trailing_zeros() as Square,
                captured: 0,
                to,
            })
        })
    }

    /// The complete chains of a piece.
    fn chains(&self, from: Square) -> Chains {
        let mut chains = Chains {
            found: [(0, 0); MAX_CHAINS],
            count: 0,
        };
        let directions = Direction::ALL.map(|direction| self.going(direction) >> from & 1 == 1);
        let jumper = Jumper {
            directions,
            opponents: self.opponents(),
            free: self.free() | 1 << from,
        };
        jumper.extend(from, 0, &mut chains);
        chains
    }
}

/// A piece that captures.
struct Jumper {
    /// Whether it goes in each direction. A man goes forward only, so the row in which it is
    /// crowned ends its move.
    directions: [bool; 4],
    opponents: u32,
    free: u32,
}

impl Jumper {
    fn extend(&self, at: Square, captured: u32, chains: &mut Chains) {
        let mut is_complete = true;
        for (direction, goes) in Direction::ALL.into_iter().zip(self.directions) {
            let over = direction.step(1 << at) & self.opponents & !captured;
            let landing = direction.step(over) & self.free;
            if goes && landing != 0 {
                is_complete = false;
                self.extend(landing.trailing_zeros() as Square, captured | over, chains);
            }
        }
        if is_complete && captured != 0 {
            chains.add(captured, at);
        }
    }
}

/// The complete chains of a piece, by what they capture, which determines the rest.
struct Chains {
    found: [(u32, Square); MAX_CHAINS],
    count: usize,
}

impl Chains {
    fn add(&mut self, captured: u32, to: Square) {
        let known = &self.found[..self.count];
        if !known.contains(&(captured, to)) {
            self.found[self.count] = (captured, to);
            self.count += 1;
        }
    }

    fn moves(self, from: Square) -> impl Iterator<Item = DraughtsMove> {
        let found = self.found.into_iter().take(self.count);
        found.map(move |(captured, to)| DraughtsMove { from, captured, to })
    }
}

impl Default for Draughts {
    fn default() -> Self {
        Self::new()
    }
}

impl TwoPlayerGame for Draughts {
    type Move = DraughtsMove;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_stuck = !self.can_step() && !self.must_capture();
        is_stuck.then_some(Outcome::Win(!self.to_move))
    }

    fn moves(&self) -> impl Iterator<Item = DraughtsMove> {
        let position = *self;
        let jumpers = self.jumpers();
        let chains = bits(jumpers).flat_map(move |from| position.chains(from).moves(from));
        let steps = (jumpers == 0).then(|| position.steps());
        chains.chain(steps.into_iter().flatten())
    }

    fn repetition(&self) -> Option<Repetition> {
        Some(Repetition::Draw { occurrences: 3 })
    }

    fn play_unchecked(&mut self, m: DraughtsMove) {
        let (from, to) = (1 << m.from, 1 << m.to);
        let side = self.to_move.index();
        let is_king = self.kings & from != 0 || CROWN_ROWS[side] & to != 0;
        self.pieces[side] = self.pieces[side] & !from | to;
        self.pieces[1 - side] &= !m.captured;
        self.kings &= !(from | m.captured);
        if is_king {
            self.kings |= to;
        }
        self.to_move = !self.to_move;
    }

    fn play_out(self, draw: &mut impl FnMut() -> u64) -> Outcome {
        play_until_stuck(self, draw)
    }
}

/// The value of a man and of a king, in hundredths of a man.
const MAN: i32 = 100;
const KING: i32 = 140;

/// The value of a position in which the side to move has lost.
const LOST: i32 = -10_000;

impl Heuristic for Draughts {
    /// The pieces on the board once no capture is left, if both sides capture as well as
    /// they can: 100 for a man and 140 for a king, 3 for each row that a man has advanced,
    /// 6 for each man on the own back row, and 4 for each piece on the eight squares in
    /// the middle. A side that can't move has lost.
    fn heuristic(&self) -> i32 {
        self.settled(LOST, -LOST)
    }
}

impl Draughts {
    /// The static value after the best captures, within a window of alpha and beta.
    fn settled(&self, mut alpha: i32, beta: i32) -> i32 {
        let jumpers = self.jumpers();
        if jumpers == 0 {
            return if self.can_step() {
                self.static_value()
            } else {
                LOST
            };
        }
        let mut best = LOST;
        for from in bits(jumpers) {
            for m in self.chains(from).moves(from) {
                best = best.max(-self.after(m).settled(-beta, -alpha));
                alpha = alpha.max(best);
                if alpha >= beta {
                    return best;
                }
            }
        }
        best
    }

    fn static_value(&self) -> i32 {
        const CENTRE: u32 = 0x0066_6600;
        let value = |side: Side| {
            let own = self.pieces[side.index()];
            let count = |squares: u32| squares.count_ones() as i32;
            let men = own & !self.kings;
            let advanced: i32 = (0..8)
                .map(|row| {
                    let rows = match side {
                        Side::First => row,
                        Side::Second => 7 - row,
                    };
                    rows * count(men & 0xF << (4 * row))
                })
                .sum();
            let back_row = CROWN_ROWS[side.other().index()];
            MAN * count(men)
                + KING * count(own & self.kings)
                + 3 * advanced
                + 6 * count(men & back_row)
                + 4 * count(own & CENTRE)
        };
        value(self.to_move) - value(!self.to_move)
    }
}

impl CompactKey for Draughts {
    const UNIQUE_BITS: Option<u32> = None;

    /// A hash of the pieces, the kings and the side to move.
    fn key(&self) -> u64 {
        let kings = u64::from(self.kings) << 1 | self.to_move.index() as u64;
        let [black, white] = self.pieces.map(u64::from);
        Rng::new(Rng::new(kings).next_u64() ^ (black | white << 32)).next_u64()
    }
}

impl IndexedMoves for Draughts {
    /// Every step and every chain that some position could have.
    fn move_count(&self) -> usize {
        MOVE_COUNT
    }

    fn move_index(&self, m: DraughtsMove) -> usize {
        MOVES.binary_search(&m).unwrap_or_default()
    }

    fn indexed_move(&self, index: usize) -> Option<DraughtsMove> {
        MOVES.get(index).copied()
    }
}

impl Encode for Draughts {
    /// Planes of own men, own kings, the opponent's men and its kings, with the own side
    /// at the bottom.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 4,
            rows: 8,
            columns: 8,
            moves: MOVE_COUNT,
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        planes.fill(0.0);
        let (own, opponents) = (self.own(), self.opponents());
        let kinds = [
            own & !self.kings,
            own & self.kings,
            opponents & !self.kings,
            opponents & self.kings,
        ];
        for (plane, squares) in planes.chunks_exact_mut(64).zip(kinds) {
            for square in bits(squares) {
                let seen = match self.to_move {
                    Side::First => SQUARES - 1 - square,
                    Side::Second => square,
                };
                let (column, row) = coordinates(seen);
                plane[row as usize * 8 + column as usize] = 1.0;
            }
        }
    }
}

/// The column from the left and the row from the bottom of a square, each 0 to 7.
const fn coordinates(square: Square) -> (u8, u8) {
    let from_top = square / 4;
    let column = square % 4 * 2 + 1 - from_top % 2;
    (column, 7 - from_top)
}

/// The board looks different from each side, and the sides don't change places.
impl Symmetry for Draughts {
    type Transform = ();

    fn symmetries(&self) -> &'static [()] {
        &[()]
    }

    fn image(&self, (): ()) -> Self {
        *self
    }

    fn move_image(&self, m: DraughtsMove, (): ()) -> DraughtsMove {
        m
    }
}

impl Notation for Draughts {
    fn move_text(&self, m: DraughtsMove) -> String {
        m.to_string()
    }

    /// A chain may be shortened to its first squares or to its first and last one if only
    /// one legal chain fits.
    fn parse_move(&self, text: &str) -> Result<DraughtsMove, ParseMoveError> {
        // Ten squares and the signs between them.
        const LONGEST: usize = 29;
        let read = || {
            let text = normalized(text, LONGEST)?;
            let squares = text
                .split(['-', 'x'])
                .map(|number| match number.as_bytes() {
                    [b'1'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'] => number
                        .parse::<u8>()
                        .ok()?
                        .checked_sub(1)
                        .filter(|&n| n < SQUARES),
                    _ => None,
                });
            let path: Vec<Square> = squares.collect::<Option<_>>()?;
            let whole = DraughtsMove::along(&path);
            let is_legal = |m: &DraughtsMove| self.check(*m).is_ok();
            whole
                .filter(is_legal)
                .or_else(|| self.only_chain(&path))
                .or(whole)
        };
        read().ok_or_else(|| {
            let expected = "squares from 1 to 32, as in 11-15 for a step or 15x22x29 for jumps";
            ParseMoveError::new(text, expected)
        })
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Black", "White"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Move"
    }
}

impl Draughts {
    /// The only legal chain that this path shortens.
    fn only_chain(&self, path: &[Square]) -> Option<DraughtsMove> {
        let fits = |m: &DraughtsMove| {
            let squares = m.squares();
            let is_start = squares.starts_with(path);
            let has_ends = path.len() == 2 && (m.from, m.to) == (path[0], path[1]);
            m.captured != 0 && path.len() > 1 && (is_start || has_ends)
        };
        let mut chains = self.moves().filter(fits);
        let only = chains.next()?;
        chains.next().is_none().then_some(only)
    }
}

impl Described for Draughts {
    const KEY: &'static str = "draughts";
    const TITLE: &'static str = "English draughts (checkers)";
    const RULES: &'static str = "\
Men step diagonally forward and capture by jumping over an opponent's piece.
You must jump if you can, and go on with the same piece as long as you can.
A man that reaches the last row becomes a king, which also moves backward.
Whoever can't move loses. The third occurrence of a position is a draw.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new())
    }
}
