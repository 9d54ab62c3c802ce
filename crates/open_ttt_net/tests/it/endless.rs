//! A game that no rule ends, whose moves are long.

use open_ttt_catalog::{Catalog, CatalogGame};
use open_ttt_lib::rules::{
    BoardCell, Choice, Described, Drawing, IndexedMoves, Layout, Notation, Outcome, ParseMoveError,
    Picture, Place, Side, SpecError, TwoPlayerGame,
};

/// Both players wait, in turns, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Endless {
    moves: u32,
}

/// The only move.
pub(crate) const WAIT: &str = "wait-for-ever";

/// The bundled games and this one, `endless`.
pub(crate) fn catalog() -> Catalog {
    Catalog::bundled().with::<Endless>()
}

impl TwoPlayerGame for Endless {
    type Move = ();
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.moves)
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn moves(&self) -> impl Iterator<Item = ()> {
        [()].into_iter()
    }

    fn play_unchecked(&mut self, (): ()) {
        self.moves += 1;
    }
}

impl IndexedMoves for Endless {
    fn move_count(&self) -> usize {
        1
    }

    fn move_index(&self, (): ()) -> usize {
        0
    }

    fn indexed_move(&self, index: usize) -> Option<()> {
        (index == 0).then_some(())
    }
}

impl Notation for Endless {
    fn move_text(&self, (): ()) -> String {
        WAIT.to_owned()
    }

    fn parse_move(&self, text: &str) -> Result<(), ParseMoveError> {
        if text.trim().eq_ignore_ascii_case(WAIT) {
            Ok(())
        } else {
            Err(ParseMoveError::new(text, WAIT))
        }
    }

    fn side_name(&self, side: Side) -> &'static str {
        ["One", "Two"][side.index()]
    }

    fn move_noun(&self) -> &'static str {
        "Wait"
    }
}

impl Drawing for Endless {
    fn picture(&self) -> Picture<()> {
        let place = Place::flat(0, 0);
        Picture {
            cells: vec![BoardCell::at(place)],
            choices: vec![Choice::path((), [place])],
            ..Picture::new(Layout::grid(1, 1))
        }
    }
}

impl Described for Endless {
    const KEY: &'static str = "endless";
    const TITLE: &'static str = "Endless";
    const RULES: &'static str = "Wait.";

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self { moves: 0 })
    }
}

impl CatalogGame for Endless {}
