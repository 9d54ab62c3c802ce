use core::ops::RangeInclusive;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IndexedMoves, LineGame, Outcome, Side, Symmetry, TwoPlayerGame};

/// A line game with random lines, some of which may be equal or contain
/// others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RandomLineGame {
    lines: Vec<Vec<usize>>,
    owners: Vec<Option<Side>>,
}

impl RandomLineGame {
    pub(crate) fn new(
        seed: u64,
        places: usize,
        lines: usize,
        lengths: RangeInclusive<usize>,
    ) -> Self {
        let mut rng = Rng::new(seed);
        let mut line = || {
            let mut free: Vec<_> = (0..places).collect();
            let length = lengths.start() + rng.below(1 + lengths.end() - lengths.start());
            (0..length)
                .map(|_| free.swap_remove(rng.below(free.len())))
                .collect()
        };
        Self {
            lines: (0..lines).map(|_| line()).collect(),
            owners: vec![None; places],
        }
    }

    fn has_won(&self, side: Side) -> bool {
        let owns = |&place: &usize| self.owners[place] == Some(side);
        self.lines.iter().any(|line| line.iter().all(owns))
    }
}

impl TwoPlayerGame for RandomLineGame {
    type Move = usize;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        Side::after(self.owners.iter().flatten().count() as u32)
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Side::BOTH.into_iter().find(|&side| self.has_won(side));
        let full = self.owners.iter().all(Option::is_some);
        winner.map(Outcome::Win).or(full.then_some(Outcome::Draw))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        let over = self.outcome().is_some();
        (0..self.owners.len()).filter(move |&place| !over && self.owners[place].is_none())
    }

    fn play_unchecked(&mut self, place: usize) {
        self.owners[place] = Some(self.to_move());
    }
}

impl IndexedMoves for RandomLineGame {
    fn move_count(&self) -> usize {
        self.owners.len()
    }

    fn move_index(&self, place: usize) -> usize {
        place
    }

    fn indexed_move(&self, index: usize) -> Option<usize> {
        (index < self.owners.len()).then_some(index)
    }
}

impl LineGame for RandomLineGame {
    fn winning_lines(&self) -> Vec<Vec<usize>> {
        self.lines.clone()
    }

    fn owner_of(&self, place: usize) -> Option<Side> {
        self.owners[place]
    }
}

impl Symmetry for RandomLineGame {
    type Transform = ();

    fn symmetries(&self) -> &'static [()] {
        &[()]
    }

    fn image(&self, (): ()) -> Self {
        self.clone()
    }

    fn move_image(&self, place: usize, (): ()) -> usize {
        place
    }
}
