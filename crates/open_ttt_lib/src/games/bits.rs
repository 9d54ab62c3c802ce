use crate::rules::{Outcome, TwoPlayerGame};

/// The numbers of the bits that are set in a board, from the lowest.
pub(super) fn bits(board: impl Into<u64>) -> impl Iterator<Item = u8> {
    let mut rest = board.into();
    core::iter::from_fn(move || {
        let lowest = rest.trailing_zeros() as u8;
        (rest != 0).then(|| {
            rest &= rest - 1;
            lowest
        })
    })
}

/// Chance in small portions, out of the 64 bits that a draw gives.
pub(super) struct Lots<D> {
    draw: D,
    word: u64,
    /// By how much the numbers below which lots were taken from the word have
    /// multiplied: the range that is used up.
    used: u64,
}

impl<D: FnMut() -> u64> Lots<D> {
    /// What may be used of a word. The rest keeps the bias below one in 2¹⁶.
    const MOST: u64 = 1 << 48;

    pub(super) fn new(draw: D) -> Self {
        Self {
            draw,
            word: 0,
            used: Self::MOST,
        }
    }

    /// A number from 0 to `bound - 1`; the bound is from 1 to 2¹⁶.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        if self.used >= Self::MOST {
            self.word = (self.draw)();
            self.used = 1;
        }
        // Lemire, "Fast random integer generation in an interval", 2019. What
        // is left below the point is as random as the whole was.
        let product = u128::from(self.word) * u128::from(bound);
        self.word = product as u64;
        self.used *= bound;
        (product >> 64) as u64
    }

    /// Takes one of the first `count` items out, each as likely as another;
    /// the last of them takes its place. There is at least one.
    pub(super) fn take<T: Copy>(&mut self, items: &mut [T], count: &mut usize) -> T {
        let index = self.below(*count as u64) as usize;
        let item = items[index];
        *count -= 1;
        items[index] = items[*count];
        item
    }
}

/// Plays a game in which each move takes one of the free places and no other
/// becomes free, by lots to its end. There may be `MOST` places; `any` is one of
/// them.
pub(super) fn fill_by_lots<G: TwoPlayerGame, const MOST: usize>(
    mut game: G,
    any: G::Move,
    draw: &mut impl FnMut() -> u64,
) -> Outcome {
    let mut lots = Lots::new(draw);
    let mut free = [any; MOST];
    let mut count = 0;
    for place in game.moves() {
        free[count] = place;
        count += 1;
    }
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let place = lots.take(&mut free, &mut count);
        game.play_unchecked(place);
    }
}
