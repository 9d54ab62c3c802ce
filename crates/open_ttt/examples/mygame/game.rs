//! The rules of the game, and how it is written and drawn.
//!
//! This one is Snort (Simon Norton) on a board of four by four cells: the sides place
//! stones in turn, never beside a stone of the other side, and who can't place one has
//! lost. Change it step by step until it is your game; the tests at the end tell you what
//! isn't right yet.

use open_ttt::CatalogGame;
use open_ttt::rules::{
    BoardCell, Choice, Described, Drawing, IndexedMoves, Layout, Notation, Outcome, ParseMoveError,
    Picture, Place, Side, SpecError, TwoPlayerGame, parse_grid_cell,
};

/// The cells of a row, and the rows.
const SIZE: u8 = 4;
const CELLS: usize = (SIZE * SIZE) as usize;

/// A position. Equal values are the same position, so nothing else belongs here: no
/// history, and nothing that only helps to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MyGame {
    /// The owner of the stone on each cell, row by row from the bottom.
    stones: [Option<Side>; CELLS],
    to_move: Side,
}

impl MyGame {
    /// The start position.
    pub(crate) fn new() -> Self {
        Self {
            stones: [None; CELLS],
            to_move: Side::First,
        }
    }

    /// Whether the side to move may place a stone on this cell.
    fn is_allowed(&self, cell: u8) -> bool {
        let (x, y) = (cell % SIZE, cell / SIZE);
        let neighbours = [
            (x > 0).then(|| cell - 1),
            (x + 1 < SIZE).then(|| cell + 1),
            (y > 0).then(|| cell - SIZE),
            (y + 1 < SIZE).then(|| cell + SIZE),
        ];
        let owner = |cell: u8| self.stones[usize::from(cell)];
        let mut neighbours = neighbours.into_iter().flatten();
        owner(cell).is_none() && neighbours.all(|cell| owner(cell) != Some(!self.to_move))
    }
}

impl TwoPlayerGame for MyGame {
    /// A move is the cell of the new stone. A game whose moves have several parts has a
    /// struct or an enum here.
    type Move = u8;

    /// The side whose turn it is. Nothing says that the sides alternate.
    fn to_move(&self) -> Side {
        self.to_move
    }

    /// The result once the game is over.
    fn outcome(&self) -> Option<Outcome> {
        let is_over = self.moves().next().is_none();
        is_over.then_some(Outcome::Win(!self.to_move))
    }

    /// The legal moves: none exactly when the game is over.
    fn moves(&self) -> impl Iterator<Item = u8> {
        (0..CELLS as u8).filter(|&cell| self.is_allowed(cell))
    }

    /// Plays a legal move.
    fn play_unchecked(&mut self, cell: u8) {
        self.stones[usize::from(cell)] = Some(self.to_move);
        self.to_move = !self.to_move;
    }
}

/// Moves as text, and the words for sides and moves.
impl Notation for MyGame {
    fn move_text(&self, cell: u8) -> String {
        format!("{}{}", char::from(b'a' + cell % SIZE), 1 + cell / SIZE)
    }

    fn parse_move(&self, text: &str) -> Result<u8, ParseMoveError> {
        let (x, y) = parse_grid_cell(text, SIZE, SIZE)?;
        Ok(SIZE * y + x)
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["X", "O"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Cell"
    }
}

/// Moves as numbers, which differ among the legal moves of a position.
impl IndexedMoves for MyGame {
    fn move_count(&self) -> usize {
        CELLS
    }

    fn move_index(&self, cell: u8) -> usize {
        cell.into()
    }

    fn indexed_move(&self, index: usize) -> Option<u8> {
        (index < CELLS).then_some(index as u8)
    }
}

/// The board as data, from which the terminal and the page draw.
impl Drawing for MyGame {
    fn picture(&self) -> Picture<u8> {
        let place = |cell: u8| Place::flat(cell % SIZE, cell / SIZE);
        let mut picture = Picture::new(Layout::grid(SIZE, SIZE));
        for (cell, owner) in (0..).zip(self.stones) {
            picture.cells.push(BoardCell {
                piece: owner.map(|side| picture.sides[side.index()]),
                ..BoardCell::at(place(cell))
            });
        }
        // How each legal move is chosen: here by a click on its cell.
        let choices = self.moves().map(|cell| Choice::path(cell, [place(cell)]));
        picture.choices = choices.collect();
        picture
    }
}

/// The name of the game.
impl Described for MyGame {
    const KEY: &'static str = "mygame";
    const TITLE: &'static str = "My game";
    const RULES: &'static str = "\
Place a stone on a free cell, but not beside a stone of your opponent.
If you can't, you lose.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::new())
    }
}

/// Makes it a game of a catalog. The items of this trait are all optional.
impl CatalogGame for MyGame {}

#[cfg(test)]
mod tests {
    use open_ttt::rules::conformance::Laws;
    use open_ttt::rules::perft;

    use super::*;

    #[test]
    fn the_game_obeys_the_laws() {
        Laws::of(&MyGame::new())
            .rules()
            .notation()
            .drawing()
            .indexed_moves()
            .described();
    }

    /// Count the first moves of your game by hand: this finds most mistakes in rules.
    #[test]
    fn the_moves_are_those_of_the_game() {
        assert_eq!(perft(&MyGame::new(), 1), 16);
        // From a corner 2 cells are forbidden, from an edge 3, from the middle 4.
        let replies = 4 * (15 - 2) + 8 * (15 - 3) + 4 * (15 - 4);
        assert_eq!(perft(&MyGame::new(), 2), replies);
    }
}
