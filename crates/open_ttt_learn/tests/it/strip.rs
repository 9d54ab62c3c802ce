use open_ttt_lib::rules::{
    Encode, Encoding, IndexedMoves, Named, Outcome, Side, TwoPlayerGame, encode_owners,
};

/// A game without symmetries for tests: the players take cells of a strip in turn, and
/// whoever takes the last one wins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Strip {
    cells: Vec<Option<Side>>,
}

impl Strip {
    pub(crate) fn new(cells: usize) -> Self {
        Self {
            cells: vec![None; cells],
        }
    }
}

impl TwoPlayerGame for Strip {
    type Move = usize;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.cells.iter().flatten().count() as u32)
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_full = self.cells.iter().all(Option::is_some);
        is_full.then(|| Outcome::Win(!self.to_move()))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        (0..self.cells.len()).filter(|&cell| self.cells[cell].is_none())
    }

    fn play_unchecked(&mut self, cell: usize) {
        self.cells[cell] = Some(self.to_move());
    }
}

impl IndexedMoves for Strip {
    fn move_count(&self) -> usize {
        self.cells.len()
    }

    fn move_index(&self, cell: usize) -> usize {
        cell
    }

    fn indexed_move(&self, index: usize) -> Option<usize> {
        (index < self.cells.len()).then_some(index)
    }
}

impl Encode for Strip {
    fn encoding(&self) -> Encoding {
        Encoding {
            version: 1,
            planes: 2,
            rows: 1,
            columns: self.cells.len(),
            moves: self.move_count(),
        }
    }

    fn encode(&self, planes: &mut [f32]) {
        encode_owners(planes, self.to_move(), self.cells.iter().copied());
    }
}

impl Named for Strip {
    fn name(&self) -> String {
        format!("strip(cells={})", self.cells.len())
    }
}
