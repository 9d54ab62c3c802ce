//! Reversi: place a disc, and turn the discs in between.

use open_ttt::CatalogGame;
use open_ttt::rules::{
    BoardCell, Choice, Color, Described, Drawing, IndexedMoves, Layout, Notation, Outcome,
    ParseMoveError, Picture, Piece, Place, Side, SpecError, TwoPlayerGame, parse_grid_cell,
};

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reversi {
    /// The discs of each side: bit `8 * y + x` is the cell in column `x` and row `y`.
    discs: [u64; 2],
    to_move: Side,
}

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Places a disc on a cell, 0 to 63.
    Place(u8),
    /// Passes, which is the only move of a side that can't place a disc.
    Pass,
}

impl Reversi {
    /// The start position.
    pub fn new() -> Self {
        let cells = |cells: [u8; 2]| cells.iter().fold(0, |discs, cell| discs | 1 << cell);
        Self {
            discs: [cells([28, 35]), cells([27, 36])],
            to_move: Side::First,
        }
    }

    /// The discs that turn when this side places one on a cell; none if it may not.
    fn turned(&self, cell: u8, side: Side) -> u64 {
        let [own, other] = [side, !side].map(|side| self.discs[side.index()]);
        if (own | other) >> cell & 1 == 1 {
            return 0;
        }
        let mut turned = 0;
        for (dx, dy) in (0..9).map(|n| (n % 3 - 1, n / 3 - 1)) {
            let (mut x, mut y) = (cell as i8 % 8 + dx, cell as i8 / 8 + dy);
            let mut line = 0;
            while (0..8).contains(&x) && (0..8).contains(&y) {
                let disc = 1 << (8 * y + x);
                if other & disc == 0 {
                    turned |= if own & disc == 0 { 0 } else { line };
                    break;
                }
                line |= disc;
                (x, y) = (x + dx, y + dy);
            }
        }
        turned
    }

    /// The cells on which a side may place a disc.
    fn placements(&self, side: Side) -> impl Iterator<Item = u8> {
        (0..64).filter(move |&cell| self.turned(cell, side) != 0)
    }

    fn count(&self, side: Side) -> u32 {
        self.discs[side.index()].count_ones()
    }

    fn is_over(&self) -> bool {
        Side::BOTH
            .iter()
            .all(|&side| self.placements(side).next().is_none())
    }
}

impl TwoPlayerGame for Reversi {
    type Move = Move;

    fn to_move(&self) -> Side {
        self.to_move
    }

    fn outcome(&self) -> Option<Outcome> {
        let [black, white] = Side::BOTH.map(|side| self.count(side) as i32);
        self.is_over().then(|| Outcome::from_margin(black - white))
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        let mut placements = self.placements(self.to_move).peekable();
        let must_pass = placements.peek().is_none() && !self.is_over();
        placements
            .map(Move::Place)
            .chain(must_pass.then_some(Move::Pass))
    }

    fn play_unchecked(&mut self, m: Move) {
        if let Move::Place(cell) = m {
            let turned = self.turned(cell, self.to_move);
            self.discs[self.to_move.index()] |= turned | 1 << cell;
            self.discs[(!self.to_move).index()] &= !turned;
        }
        self.to_move = !self.to_move;
    }
}

impl Notation for Reversi {
    fn move_text(&self, m: Move) -> String {
        match m {
            Move::Place(cell) => format!("{}{}", char::from(b'a' + cell % 8), 1 + cell / 8),
            Move::Pass => "pass".to_owned(),
        }
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseMoveError> {
        if text.trim().eq_ignore_ascii_case("pass") {
            return Ok(Move::Pass);
        }
        let (x, y) = parse_grid_cell(text, 8, 8)?;
        Ok(Move::Place(8 * y + x))
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["Black", "White"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Cell"
    }
}

impl IndexedMoves for Reversi {
    fn move_count(&self) -> usize {
        65
    }

    fn move_index(&self, m: Move) -> usize {
        match m {
            Move::Place(cell) => cell.into(),
            Move::Pass => 64,
        }
    }

    fn indexed_move(&self, index: usize) -> Option<Move> {
        match index {
            0..64 => Some(Move::Place(index as u8)),
            64 => Some(Move::Pass),
            _ => None,
        }
    }
}

impl Drawing for Reversi {
    fn picture(&self) -> Picture<Move> {
        let discs = [Piece::new(Side::First, "B"), Piece::new(Side::Second, "W")];
        let place = |cell: u8| Place::flat(cell % 8, cell / 8);
        let piece = |cell: u8| {
            let owner = |side: &Side| self.discs[side.index()] >> cell & 1 == 1;
            Side::BOTH
                .into_iter()
                .find(owner)
                .map(|side| discs[side.index()])
        };
        let cells = (0..64).map(|cell| BoardCell {
            piece: piece(cell),
            ..BoardCell::at(place(cell))
        });
        let choices = self.moves().map(|m| match m {
            Move::Place(cell) => Choice::path(m, [place(cell)]),
            Move::Pass => Choice::button(m, "Pass"),
        });
        Picture {
            cells: cells.collect(),
            choices: choices.collect(),
            points: Some(Side::BOTH.map(|side| self.count(side))),
            sides: discs,
            colors: [Color::Black, Color::White],
            ..Picture::new(Layout::grid(8, 8))
        }
    }
}

impl Described for Reversi {
    const KEY: &'static str = "reversi";
    const TITLE: &'static str = "Reversi";
    const RULES: &'static str = "\
Place a disc so that it and another of yours have your opponent's discs between
them, in a straight line. Those turn over and are yours. If you can't, you pass.
When neither can, whoever has more discs wins.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new())
    }
}

impl CatalogGame for Reversi {}
