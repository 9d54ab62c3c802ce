//! A game from scratch, as in design document 3: the mechanics of tic-tac-toe,
//! its notation, its board and an app.
//!
//! ```text
//! cargo run --example document_3
//! ```

use open_ttt_app::App;
use open_ttt_lib::rules::{
    BoardCell, Choice, Color, CompletedLine, Drawing, Layout, Notation, Outcome, ParseMoveError,
    Picture, Piece, Place, Side, TwoPlayerGame, parse_grid_cell,
};

const WIDTH: usize = 3;

/// A piece on the board, with its owner.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Token {
    player: Side,
}

const WHITE: Side = Side::First;

/// A move: the place of the new token.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Move(Place);

/// A state of the game: the tokens on the board, in rows from the bottom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Board([[Option<Token>; WIDTH]; WIDTH]);

/// Every line of three.
const LINES: [[Place; 3]; 8] = [
    [Place::flat(0, 0), Place::flat(1, 0), Place::flat(2, 0)],
    [Place::flat(0, 1), Place::flat(1, 1), Place::flat(2, 1)],
    [Place::flat(0, 2), Place::flat(1, 2), Place::flat(2, 2)],
    [Place::flat(0, 0), Place::flat(0, 1), Place::flat(0, 2)],
    [Place::flat(1, 0), Place::flat(1, 1), Place::flat(1, 2)],
    [Place::flat(2, 0), Place::flat(2, 1), Place::flat(2, 2)],
    [Place::flat(0, 0), Place::flat(1, 1), Place::flat(2, 2)],
    [Place::flat(0, 2), Place::flat(1, 1), Place::flat(2, 0)],
];

impl Board {
    pub(crate) fn new() -> Self {
        Self([[None; WIDTH]; WIDTH])
    }

    fn token(&self, place: Place) -> Option<Token> {
        self.0[place.y as usize][place.x as usize]
    }

    /// All places, row by row.
    fn places() -> impl Iterator<Item = Place> {
        let width = WIDTH as u8;
        (0..width).flat_map(move |y| (0..width).map(move |x| Place::flat(x, y)))
    }

    fn free(&self) -> impl Iterator<Item = Place> {
        Self::places().filter(|&place| self.token(place).is_none())
    }

    /// The completed lines.
    fn lines(&self) -> impl Iterator<Item = (Token, [Place; 3])> {
        LINES.into_iter().filter_map(|line| {
            let token = self.token(line[0])?;
            line.iter()
                .all(|&place| self.token(place) == Some(token))
                .then_some((token, line))
        })
    }
}

// First part: the mechanics, which let a computer play the game.

impl TwoPlayerGame for Board {
    type Move = Move;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after((WIDTH * WIDTH - self.free().count()) as u32)
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some((token, _)) = self.lines().next() {
            Some(Outcome::Win(token.player))
        } else if self.free().next().is_none() {
            Some(Outcome::Draw)
        } else {
            None
        }
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        let over = self.outcome().is_some();
        self.free().filter(move |_| !over).map(Move)
    }

    fn play_unchecked(&mut self, Move(place): Move) {
        let player = self.to_move();
        self.0[place.y as usize][place.x as usize] = Some(Token { player });
    }
}

// Second part: a complete application. It needs the notation of a move ...

impl Notation for Board {
    fn move_text(&self, Move(place): Move) -> String {
        format!("{}{}", char::from(b'a' + place.x), place.y + 1)
    }

    fn parse_move(&self, text: &str) -> Result<Move, ParseMoveError> {
        let (x, y) = parse_grid_cell(text, WIDTH as u8, WIDTH as u8)?;
        Ok(Move(Place::flat(x, y)))
    }

    fn side_name(&self, side: Side) -> &'static str {
        if side == WHITE { "White" } else { "Black" }
    }

    fn move_noun(&self) -> &'static str {
        "Coordinates"
    }
}

// ... and the board as data, which the app draws.

impl Drawing for Board {
    fn picture(&self) -> Picture<Move> {
        let sides = [Piece::new(WHITE, "⛂"), Piece::new(!WHITE, "⛀")];
        let cell = |place| BoardCell {
            piece: self.token(place).map(|token| sides[token.player.index()]),
            ..BoardCell::at(place)
        };
        let choice = |m @ Move(place)| Choice::path(m, [place]);
        let line = |(token, line): (Token, [Place; 3])| CompletedLine {
            side: Some(token.player),
            places: line.to_vec(),
        };
        Picture {
            cells: Self::places().map(cell).collect(),
            choices: self.moves().map(choice).collect(),
            lines: self.lines().map(line).collect(),
            sides,
            colors: [Color::White, Color::Black],
            ..Picture::new(Layout::grid(WIDTH as u8, WIDTH as u8))
        }
    }
}

fn main() -> std::io::Result<()> {
    App::new(Board::new()).run()
}
