//! A game of one's own that brings its network along.

use std::sync::OnceLock;

use open_ttt_catalog::{CatalogGame, Encoder};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{
    Described, Drawing, Encode, Encoding, IndexedMoves, Notation, Outcome, Parameter,
    ParseMoveError, Picture, Side, SpecError, TwoPlayerGame,
};
use open_ttt_nn::Network;

use crate::randomized::randomized;

type Cell = <TicTacToe as TwoPlayerGame>::Move;

/// Tic-tac-toe under a name of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct OwnGame(TicTacToe);

impl OwnGame {
    /// The network that comes with it.
    pub(super) fn network() -> Network {
        let architecture = "perceptron(hidden=12)".parse().unwrap();
        randomized(Network::new(&Self::default(), architecture, 1).unwrap(), 5)
    }
}

impl TwoPlayerGame for OwnGame {
    type Move = Cell;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        self.0.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }

    fn moves(&self) -> impl Iterator<Item = Cell> {
        self.0.moves()
    }

    fn play_unchecked(&mut self, cell: Cell) {
        self.0.play_unchecked(cell);
    }
}

impl IndexedMoves for OwnGame {
    fn move_count(&self) -> usize {
        self.0.move_count()
    }

    fn move_index(&self, cell: Cell) -> usize {
        self.0.move_index(cell)
    }

    fn indexed_move(&self, index: usize) -> Option<Cell> {
        self.0.indexed_move(index)
    }
}

impl Encode for OwnGame {
    fn encoding(&self) -> Encoding {
        self.0.encoding()
    }

    fn encode(&self, planes: &mut [f32]) {
        self.0.encode(planes);
    }
}

impl Notation for OwnGame {
    fn move_text(&self, cell: Cell) -> String {
        self.0.move_text(cell)
    }

    fn parse_move(&self, text: &str) -> Result<Cell, ParseMoveError> {
        self.0.parse_move(text)
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.0.side_name(side)
    }

    fn move_noun(&self) -> &'static str {
        self.0.move_noun()
    }
}

impl Drawing for OwnGame {
    fn picture(&self) -> Picture<Cell> {
        self.0.picture()
    }
}

impl Described for OwnGame {
    const KEY: &'static str = "own";
    const TITLE: &'static str = "A game of one's own";
    const RULES: &'static str = "As tic-tac-toe.";
    const PARAMETERS: &'static [Parameter] = &[];

    fn with_parameters(values: &[u32]) -> Result<Self, SpecError> {
        Self::check_values(values)?;
        Ok(Self::default())
    }

    fn parameters(&self) -> Vec<u32> {
        Vec::new()
    }
}

impl CatalogGame for OwnGame {
    const ENCODER: Encoder<Self> = Encoder::own();

    fn strongest(&self) -> &'static str {
        "net:pretrained"
    }

    fn pretrained(&self) -> Option<&'static [u8]> {
        static FILE: OnceLock<Vec<u8>> = OnceLock::new();
        Some(FILE.get_or_init(|| Self::network().to_bytes()))
    }
}
