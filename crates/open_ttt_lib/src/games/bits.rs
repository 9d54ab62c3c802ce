use crate::rules::{
    BoardCell, Choice, CompletedLine, IndexedMoves, Layout, MAX_PLAYOUT_MOVES, Outcome, Picture,
    Place, Side, TwoPlayerGame,
};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The indices of the set bits of a board, in ascending order.
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

/// The side with a piece on a cell, from whether each side has one there.
pub(super) const fn owner(has_piece: [bool; 2]) -> Option<Side> {
    match has_piece {
        [true, _] => Some(Side::First),
        [_, true] => Some(Side::Second),
        _ => None,
    }
}

/// The lines that each side owns completely, for a [`Picture`](crate::rules::Picture).
pub(super) fn completed_lines<B: Copy + Into<u64>>(
    boards: [B; 2],
    lines: &[B],
    place: impl Fn(u8) -> Place,
) -> Vec<CompletedLine> {
    let mut completed = Vec::new();
    for side in Side::BOTH {
        let board: u64 = boards[side.index()].into();
        for &line in lines {
            let line = line.into();
            if board & line == line {
                let places = bits(line).map(&place).collect();
                let side = Some(side);
                completed.push(CompletedLine { side, places });
            }
        }
    }
    completed
}

/// The picture of a board for marks X and O, on which a move takes its own cell.
pub(super) fn picture_of_marks<G: IndexedMoves>(
    game: &G,
    layout: Layout,
    place: impl Fn(G::Move) -> Place,
    owner: impl Fn(G::Move) -> Option<Side>,
    lines: Vec<CompletedLine>,
) -> Picture<G::Move> {
    let picture = Picture::new(layout);
    let cells = (0..game.move_count()).filter_map(|index| game.indexed_move(index));
    let cells = cells.map(|m| BoardCell {
        piece: owner(m).map(|side| picture.sides[side.index()]),
        ..BoardCell::at(place(m))
    });
    let choices = game.moves().map(|m| Choice::path(m, [place(m)]));
    Picture {
        cells: cells.collect(),
        choices: choices.collect(),
        lines,
        ..picture
    }
}

/// The labels of the columns of a board, letters from the left, and of its rows, from
/// the bottom, where rows are numbered from the top.
pub(super) fn labels_from_top(columns: u8, rows: u8) -> (Vec<String>, Vec<String>) {
    let letters = ('a'..='z').map(String::from).take(columns.into());
    let numbers = (1..=rows).rev().map(|row| row.to_string());
    (letters.collect(), numbers.collect())
}

/// Uniformly random numbers with small bounds, several from each 64-bit draw.
pub(super) struct RandomBits<D> {
    draw: D,
    word: u64,
    /// The product of the bounds drawn from the word: the range already used.
    used: u64,
}

impl<D: FnMut() -> u64> RandomBits<D> {
    /// The range to use of a word. What remains keeps the bias below 2⁻¹⁶.
    const MAX_USED: u64 = 1 << 48;

    pub(super) fn new(draw: D) -> Self {
        Self {
            draw,
            word: 0,
            used: Self::MAX_USED,
        }
    }

    /// A number from 0 to `bound - 1`; the bound is from 1 to 2¹⁶.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        if self.used >= Self::MAX_USED {
            self.word = (self.draw)();
            self.used = 1;
        }
        // Lemire, "Fast random integer generation in an interval", 2019. The
        // low half of the product is random again.
        let product = u128::from(self.word) * u128::from(bound);
        self.word = product as u64;
        self.used *= bound;
        (product >> 64) as u64
    }
}

/// A random playout of a game in which each move takes one of at most `MAX` free
/// cells and frees no other. `any` is any move.
pub(super) fn fill_randomly<G: TwoPlayerGame, const MAX: usize>(
    mut game: G,
    any: G::Move,
    draw: &mut impl FnMut() -> u64,
) -> Outcome {
    let mut random = RandomBits::new(draw);
    let mut free = [any; MAX];
    let mut count = 0;
    for cell in game.moves() {
        free[count] = cell;
        count += 1;
    }
    loop {
        if let Some(outcome) = game.outcome() {
            return outcome;
        }
        let index = random.below(count as u64) as usize;
        let cell = free[index];
        count -= 1;
        free[index] = free[count];
        game.play_unchecked(cell);
    }
}

/// A random playout of a game that a side loses when it can't move, and in which
/// positions come back. It lists the moves of a position once.
pub(super) fn play_until_stuck<G: TwoPlayerGame>(
    mut game: G,
    draw: &mut impl FnMut() -> u64,
) -> Outcome {
    let mut random = RandomBits::new(draw);
    let mut moves = Vec::new();
    for _ in 0..MAX_PLAYOUT_MOVES {
        moves.clear();
        // The moves come from nested loops, which `extend` would enter anew for each move.
        game.moves().for_each(|m| moves.push(m));
        if moves.is_empty() {
            return Outcome::Win(!game.to_move());
        }
        let index = random.below(moves.len() as u64) as usize;
        game.play_unchecked(moves[index]);
    }
    Outcome::Draw
}
