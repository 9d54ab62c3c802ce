mod drawing;
mod four_boards;
mod piece;
mod symmetry;

use crate::games::bits::{RandomBits, bits};
use crate::rules::{
    CompactKey, DecisiveMoves, Described, Encode, Encoding, Heuristic, IllegalMove, IndexedMoves,
    Notation, Outcome, ParseMoveError, Reason, Side, SpecError, Tactics, TwoPlayerGame, normalized,
};
use alloc::string::{String, ToString};

use four_boards::FourBoards;
pub use piece::{QuartoMove, QuartoPiece};
pub use symmetry::QuartoTransform;

/// Quarto (Blaise Müller 1991): four in a row with a property in common.
///
/// The 16 pieces are all combinations of four properties and belong to no side. A
/// move places the piece in hand on a free cell and gives one of the remaining
/// pieces to the opponent. The first move only gives a piece; the move that wins or
/// fills the board only places one.
///
/// ```text
///  4 | 12 13 14 15
///  3 |  8  9 10 11      each property has the bits of the cells whose
///  2 |  4  5  6  7      piece has its second value: dark, short, square, hollow
///  1 |  0  1  2  3
///       a  b  c  d
/// ```
///
/// A piece is written with a letter for each property, in any order: `l`ight or
/// `d`ark, `t`all or `s`hort, `r`ound or s`q`uare, `f`illed or `h`ollow.
///
/// Under best play Quarto is a draw (Luc Goossens 1998, by computer); nothing here
/// proves it. With six or more pieces on the board, `open_ttt_search::Prover` solves a
/// position in seconds.
///
/// ```
/// use open_ttt_lib::games::Quarto;
/// use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame, play_text};
///
/// let mut game = Quarto::new();
/// play_text(&mut game, "ltrf a1-ltrh b1-ltqf c1-ltqh d1")?; // four light pieces
/// assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
/// # Ok::<(), open_ttt_lib::rules::PlayTextError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Quarto {
    occupied: u16,
    /// For each property, the cells whose piece has its second value.
    second_values: [u16; PROPERTIES],
    /// The pieces that are on the board or in hand.
    given: u16,
    hand: Option<QuartoPiece>,
    /// Whether the last move completed a line.
    won: bool,
}

const SIDE: u8 = 4;
const CELLS: u8 = SIDE * SIDE;
const PROPERTIES: usize = 4;
const FULL: u16 = u16::MAX;

/// The rows, columns and diagonals.
const LINES: [u16; 10] = [
    0x000F, 0x00F0, 0x0F00, 0xF000, 0x1111, 0x2222, 0x4444, 0x8888, 0x8421, 0x1248,
];

/// The piece that has the second value of each property.
const ALL_SECOND: u8 = 15;

/// For each set of properties, the pieces with the second value of any of them.
const PIECES_WITH_ANY: [u16; 16] = {
    let mut pieces = [0; 16];
    let mut of = 0;
    while of < 256 {
        let (properties, piece) = (of / 16, of % 16);
        if properties & piece != 0 {
            pieces[properties] |= 1 << piece;
        }
        of += 1;
    }
    pieces
};

impl Quarto {
    /// The empty board, with no piece in hand.
    pub const fn new() -> Self {
        Self {
            occupied: 0,
            second_values: [0; PROPERTIES],
            given: 0,
            hand: None,
            won: false,
        }
    }

    /// The piece that the side to move places.
    pub const fn hand(&self) -> Option<QuartoPiece> {
        self.hand
    }

    /// The piece on a cell, given by its column from the left and its row from the
    /// bottom, each 0 to 3.
    pub fn piece_on(&self, column: u8, row: u8) -> Option<QuartoPiece> {
        let cell = row.checked_mul(SIDE)?.checked_add(column)?;
        let is_taken = column < SIDE && row < SIDE && self.occupied >> cell & 1 == 1;
        is_taken.then(|| self.piece_at(cell))
    }

    /// The piece on an occupied cell.
    fn piece_at(&self, cell: u8) -> QuartoPiece {
        let value = |property: usize| (self.second_values[property] >> cell & 1) << property;
        QuartoPiece((0..PROPERTIES).map(value).sum::<u16>() as u8)
    }

    /// The pieces that can still be given.
    pub fn remaining(&self) -> impl Iterator<Item = QuartoPiece> {
        bits(!self.given).map(QuartoPiece)
    }

    const fn placed(&self) -> u32 {
        self.occupied.count_ones()
    }

    /// The cells of the pieces with one value of a property.
    const fn cells_with(&self, property: usize, second: bool) -> u16 {
        if second {
            self.second_values[property]
        } else {
            self.occupied & !self.second_values[property]
        }
    }

    /// For each property, the free cells that complete a line of pieces with the value that a
    /// piece has, given as its bits.
    const fn completions(&self, piece: u8) -> FourBoards {
        let occupied = FourBoards::same(self.occupied);
        let others = FourBoards::new(self.second_values).differing(FourBoards::whole(piece));
        occupied.without(others).completions().without(occupied)
    }

    /// The free cells on which the piece in hand completes a line.
    fn winning_cells(&self) -> u16 {
        let completions = |piece: QuartoPiece| self.completions(piece.0).united();
        self.hand.map_or(0, completions)
    }

    /// The pieces with which the next side could complete a line, on the board or
    /// not.
    const fn losing_gifts(&self) -> u16 {
        let first_values = self.completions(0).any() as usize;
        let second_values = self.completions(ALL_SECOND).any() as usize;
        // The piece at the other end, 15 minus its number, has the other value of each property.
        PIECES_WITH_ANY[second_values] | PIECES_WITH_ANY[first_values].reverse_bits()
    }

    /// The lines whose four pieces have a property in common.
    fn completed_lines(&self) -> impl Iterator<Item = u16> {
        LINES.into_iter().filter(|&line| {
            (0..PROPERTIES).any(|property| {
                [false, true]
                    .into_iter()
                    .any(|second| self.cells_with(property, second) & line == line)
            })
        })
    }

    /// Puts the piece in hand on a cell.
    fn place(&mut self, cell: u8) {
        if let Some(piece) = self.hand.take() {
            self.occupied |= 1 << cell;
            for (property, cells) in self.second_values.iter_mut().enumerate() {
                *cells |= u16::from(piece.0 >> property & 1) << cell;
            }
        }
    }

    /// The moves that put the piece in hand on a cell: one bit for each piece to
    /// give, or [`NO_PIECE`].
    const fn gifts(&self, completes: bool) -> u32 {
        if completes || self.given == FULL {
            NO_PIECE
        } else {
            !self.given as u32
        }
    }
}

/// The bit of a move that gives no piece, above those of the 16 pieces.
const NO_PIECE: u32 = 1 << 16;

/// The moves that take a cell and give any of these pieces.
fn moves_with(cell: Option<u8>, gifts: u32) -> impl Iterator<Item = QuartoMove> {
    bits(gifts).map(move |piece| QuartoMove {
        cell,
        piece: (piece < 16).then_some(QuartoPiece(piece)),
    })
}

/// The `number`-th set bit, from 0.
fn nth_bit(board: u32, number: u32) -> u8 {
    bits(board).nth(number as usize).unwrap_or_default()
}

impl TwoPlayerGame for Quarto {
    type Move = QuartoMove;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.placed() + u32::from(self.given != 0))
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.won {
            Some(Outcome::Win(!self.to_move()))
        } else {
            (self.occupied == FULL).then_some(Outcome::Draw)
        }
    }

    fn moves(&self) -> impl Iterator<Item = QuartoMove> {
        let first = match (self.given, self.outcome()) {
            (0, None) => u32::from(FULL),
            _ => 0,
        };
        let free = if self.hand.is_some() {
            !self.occupied
        } else {
            0
        };
        let wins = self.winning_cells();
        let position = *self;
        moves_with(None, first).chain(
            bits(free).flat_map(move |cell| {
                moves_with(Some(cell), position.gifts(wins >> cell & 1 == 1))
            }),
        )
    }

    fn play_unchecked(&mut self, m: QuartoMove) {
        if let Some(cell) = m.cell {
            self.won = self.winning_cells() >> cell & 1 == 1;
            self.place(cell);
        }
        self.hand = m.piece;
        if let Some(piece) = m.piece {
            self.given |= 1 << piece.0;
        }
    }

    fn check(&self, m: QuartoMove) -> Result<(), IllegalMove<QuartoMove>> {
        let refuse = |reason| Err(IllegalMove::new(m, reason));
        if self.outcome().is_some() {
            return refuse(Reason::GameOver);
        }
        if m.cell.is_some_and(|cell| self.occupied >> cell & 1 == 1) {
            return refuse(Reason::Occupied);
        }
        let gifts = match m.cell {
            None => u32::from(FULL),
            Some(cell) => self.gifts(self.winning_cells() >> cell & 1 == 1),
        };
        let gift = m.piece.map_or(NO_PIECE, |piece| 1 << piece.0);
        if m.cell.is_some() == self.hand.is_some() && gifts & gift != 0 {
            Ok(())
        } else {
            refuse(Reason::Forbidden)
        }
    }

    fn play_out(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut random = RandomBits::new(draw);
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            if self.hand.is_none() {
                let piece = QuartoPiece(random.below(16) as u8);
                self.play_unchecked(QuartoMove {
                    cell: None,
                    piece: Some(piece),
                });
                continue;
            }
            // A winning cell has one move, any other as many as there are gifts.
            let wins = self.winning_cells();
            let others = !self.occupied & !wins;
            let gifts = self.gifts(false);
            let (won, each) = (wins.count_ones(), gifts.count_ones());
            let number = random.below(u64::from(won + others.count_ones() * each)) as u32;
            let Some(rest) = number.checked_sub(won) else {
                return Outcome::Win(self.to_move());
            };
            let piece = nth_bit(gifts, rest % each);
            self.play_unchecked(QuartoMove {
                cell: Some(nth_bit(others.into(), rest / each)),
                piece: (piece < 16).then_some(QuartoPiece(piece)),
            });
        }
    }
}

impl DecisiveMoves for Quarto {
    fn play_out_decisively(mut self, draw: &mut impl FnMut() -> u64) -> Outcome {
        let mut random = RandomBits::new(draw);
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            if self.winning_cells() != 0 {
                return Outcome::Win(self.to_move());
            }
            let mut safe = [(None, 0); CELLS as usize];
            let mut count = 0;
            for (slot, (cell, gifts)) in safe.iter_mut().zip(self.safe_gifts()) {
                *slot = (cell, gifts);
                count += gifts.count_ones();
            }
            if count == 0 {
                return Outcome::Win(!self.to_move());
            }
            let mut number = random.below(count.into()) as u32;
            for (cell, gifts) in safe {
                if let Some(rest) = number.checked_sub(gifts.count_ones()) {
                    number = rest;
                    continue;
                }
                let piece = nth_bit(gifts, number);
                self.play_unchecked(QuartoMove {
                    cell,
                    piece: (piece < 16).then_some(QuartoPiece(piece)),
                });
                break;
            }
        }
    }
}

impl Quarto {
    /// For each cell, or for none before the first piece is given, the gifts after
    /// which the next side can't complete a line; the piece in hand must not
    /// complete one.
    fn safe_gifts(&self) -> impl Iterator<Item = (Option<u8>, u32)> {
        let position = *self;
        let first = self.hand.is_none().then_some((None, u32::from(FULL)));
        let free = if self.hand.is_some() {
            !self.occupied
        } else {
            0
        };
        first.into_iter().chain(bits(free).map(move |cell| {
            let mut next = position;
            next.place(cell);
            let losing = u32::from(next.losing_gifts());
            (Some(cell), position.gifts(false) & !losing)
        }))
    }
}

impl Tactics for Quarto {
    fn plies_left(&self) -> u32 {
        u32::from(CELLS) - self.placed() + u32::from(self.given == 0)
    }

    fn wins_at_once(&self) -> bool {
        self.winning_cells() != 0
    }

    fn non_losing_moves(&self) -> impl Iterator<Item = QuartoMove> {
        self.safe_gifts()
            .flat_map(|(cell, gifts)| moves_with(cell, gifts))
    }

    /// The pieces are neutral, so the answer is the same for both sides.
    fn can_still_win(&self, _: Side) -> bool {
        let open = LINES.into_iter().any(|line| {
            let taken = line & self.occupied;
            taken != line
                && self
                    .second_values
                    .iter()
                    .any(|&cells| cells & taken == taken || cells & taken == 0)
        });
        open || self.won
    }
}

impl Heuristic for Quarto {
    /// 100 if the piece in hand completes a line. Otherwise the remaining pieces
    /// count that don't let the opponent complete a line on the board as it is: if
    /// the sides use them up in turn, the side that gives the last one is ahead, by
    /// 16 minus their number.
    fn heuristic(&self) -> i32 {
        if self.won {
            return -100;
        }
        if self.wins_at_once() {
            return 100;
        }
        let safe = (!self.given & !self.losing_gifts()).count_ones() as i32;
        let distance = 16 - safe;
        if safe % 2 == 1 { distance } else { -distance }
    }
}

impl CompactKey for Quarto {
    /// 16 for the cells, and 46 for at most 2 * 16! ways to fill them and the hand.
    const UNIQUE_BITS: Option<u32> = Some(62);

    /// The occupied cells, above them the pieces on these cells and then that in hand, each
    /// as its rank among the remaining ones.
    fn key(&self) -> u64 {
        let mut remaining = FULL;
        let (mut number, mut weight) = (0, 1);
        let rank =
            |piece: u8, remaining: u16| u64::from((remaining & ((1 << piece) - 1)).count_ones());
        for cell in bits(self.occupied) {
            let piece = self.piece_at(cell).0;
            number += weight * rank(piece, remaining);
            weight *= u64::from(remaining.count_ones());
            remaining &= !(1 << piece);
        }
        if let Some(piece) = self.hand {
            number += weight * (1 + rank(piece.0, remaining));
        }
        number << CELLS | u64::from(self.occupied)
    }
}

/// The numbers of pieces to give or none.
const GIFTS: usize = 17;

impl IndexedMoves for Quarto {
    /// Each cell with each piece or none, then each piece alone.
    fn move_count(&self) -> usize {
        CELLS as usize * GIFTS + 16
    }

    fn move_index(&self, m: QuartoMove) -> usize {
        let cell = m.cell.unwrap_or(CELLS) as usize;
        let piece = m.piece.map_or(16, |piece| piece.0 as usize);
        cell * GIFTS + piece
    }

    fn indexed_move(&self, index: usize) -> Option<QuartoMove> {
        let (cell, piece) = ((index / GIFTS) as u8, (index % GIFTS) as u8);
        (index < self.move_count()).then(|| QuartoMove {
            cell: (cell < CELLS).then_some(cell),
            piece: (piece < 16).then_some(QuartoPiece(piece)),
        })
    }
}

impl Encode for Quarto {
    /// A plane for each value of each property: the cells of such pieces, then as
    /// many that are full if the piece in hand has the value.
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 4 * PROPERTIES,
            rows: SIDE as usize,
            columns: SIDE as usize,
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        let values = (0..PROPERTIES).flat_map(|property| [(property, false), (property, true)]);
        let board = values
            .clone()
            .map(|(property, second)| self.cells_with(property, second));
        let hand = values.map(|(property, second)| match self.hand {
            Some(piece) if (piece.0 >> property & 1 == 1) == second => FULL,
            _ => 0,
        });
        let cells = board.chain(hand);
        for (plane, cells) in planes.chunks_exact_mut(CELLS as usize).zip(cells) {
            for (cell, number) in plane.iter_mut().enumerate() {
                *number = f32::from(u8::from(cells >> cell & 1 == 1));
            }
        }
    }
}

impl Notation for Quarto {
    fn move_text(&self, m: QuartoMove) -> String {
        m.to_string()
    }

    fn parse_move(&self, text: &str) -> Result<QuartoMove, ParseMoveError> {
        let read = || QuartoMove::parse(&normalized(text, 7)?);
        read().ok_or_else(|| {
            let expected = "a cell and a piece to give, as in a1-ltrf: l or d, t or s, r or q, \
                            f or h";
            ParseMoveError::new(text, expected)
        })
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["First", "Second"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Move"
    }
}

impl Described for Quarto {
    const KEY: &'static str = "quarto";
    const TITLE: &'static str = "Quarto";
    const RULES: &'static str = "\
The 16 pieces are light or dark, tall or short, round or square, and filled
or hollow. Place the piece you were given, then choose your opponent's next.
Four in a row, column or diagonal that share a property win. The first move
only gives a piece. A full board without such a line is a draw.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new())
    }
}
