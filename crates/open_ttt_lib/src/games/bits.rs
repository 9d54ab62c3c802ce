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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::TicTacToe;
    use crate::random::Rng;

    #[test]
    fn bits_are_told_apart() {
        let mut rng = Rng::new(1);
        for density in 0..64 {
            let board = (0..density).fold(rng.next_u64(), |board, _| board & rng.next_u64());
            let set = (0..64).filter(|bit| board >> bit & 1 == 1);
            assert!(bits(board).eq(set), "{board:x}");
        }
        assert!(bits(u64::MAX).eq(0..64));
        assert!(bits(0x8100_u16).eq([8, 15]));
    }

    #[test]
    fn a_piece_has_an_owner() {
        assert_eq!(owner([true, false]), Some(Side::First));
        assert_eq!(owner([false, true]), Some(Side::Second));
        assert_eq!(owner([false, false]), None);
    }

    #[test]
    fn lines_are_completed_by_one_side() {
        let lines = [0b000_111_u8, 0b111_000, 0b001_001];
        let completed = completed_lines([0b101_111, 0b010_000], &lines, |bit| Place::flat(bit, 0));
        let lines = completed.iter().map(|line| {
            let columns = line.places.iter().map(|place| place.x);
            (line.side, columns.collect::<Vec<_>>())
        });
        let expected = [vec![0, 1, 2], vec![0, 3]].map(|line| (Some(Side::First), line));
        assert!(lines.eq(expected));
    }

    #[test]
    fn rows_are_labelled_from_below() {
        let (columns, rows) = labels_from_top(3, 2);
        assert_eq!(columns, ["a", "b", "c"]);
        assert_eq!(rows, ["2", "1"]);
    }

    /// The numbers from one word are the digits of the fraction word / 2⁶⁴, in the number
    /// system whose bases are the bounds.
    #[test]
    fn random_numbers_are_the_digits_of_words() {
        let bounds = [3, 10, 1, 256, 7, 1 << 16];
        let mut rng = Rng::new(2);
        for _ in 0..1_000 {
            let word = rng.next_u64();
            let mut random = RandomBits::new(|| word);
            let digits = bounds.map(|bound| random.below(bound));
            let product: u64 = bounds.iter().product();
            let mut digits_at_once = ((u128::from(word) * u128::from(product)) >> 64) as u64;
            for (digit, bound) in digits.into_iter().zip(bounds).rev() {
                assert_eq!(digit, digits_at_once % bound);
                digits_at_once /= bound;
            }
        }
    }

    /// So that a number is hardly ever more likely than another one.
    #[test]
    fn words_are_drawn_before_their_bits_are_used_up() {
        let words_of = |bound: u64, numbers: u32| {
            let mut words = 0;
            let mut random = RandomBits::new(|| {
                words += 1;
                0
            });
            for _ in 0..numbers {
                assert_eq!(random.below(bound), 0);
            }
            words
        };
        assert_eq!(words_of(1 << 16, 3), 1);
        assert_eq!(words_of(1 << 16, 4), 2);
        assert_eq!(words_of(1 << 16, 7), 3);
        assert_eq!(words_of(2, 48), 1);
        assert_eq!(words_of(2, 49), 2);
        assert_eq!(words_of(1, 1_000), 1);
    }

    /// How many of a million playouts the first side wins, the second side wins, and nobody, by a
    /// fiftieth of them: the standard error is 3,500 at most.
    fn count_outcomes(mut play_out: impl FnMut(&mut Rng) -> Outcome) -> [u32; 3] {
        let mut rng = Rng::new(3);
        let mut counts = [0; 3];
        for _ in 0..20_000 {
            counts[match play_out(&mut rng) {
                Outcome::Win(side) => side.index(),
                Outcome::Draw => 2,
            }] += 50;
        }
        counts
    }

    /// Of the 9! orders in which the cells can be taken, the first side wins 212,256, the
    /// second side 104,544, and 46,080 are drawn.
    #[test]
    fn boards_are_filled_uniformly() {
        let counts = count_outcomes(|rng| {
            let any = TicTacToe::new().moves().next().expect("a move");
            fill_randomly::<_, 9>(TicTacToe::new(), any, &mut || rng.next_u64())
        });
        let expected = [584_921_u32, 288_095, 126_984];
        for (count, expected) in counts.into_iter().zip(expected) {
            assert!(count.abs_diff(expected) < 15_000, "{counts:?}");
        }
    }

    /// Take one, two or three sticks, or as many as there are. Who can't has lost.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Sticks {
        left: u8,
        to_move: Side,
    }

    impl TwoPlayerGame for Sticks {
        type Move = u8;

        fn to_move(&self) -> Side {
            self.to_move
        }
        fn outcome(&self) -> Option<Outcome> {
            (self.left == 0).then_some(Outcome::Win(!self.to_move))
        }
        fn moves(&self) -> impl Iterator<Item = u8> {
            1..=self.left.min(3)
        }
        fn play_unchecked(&mut self, taken: u8) {
            self.left -= taken;
            self.to_move = !self.to_move;
        }
    }

    /// Who is to move wins with probability 1 if there is one stick, 1/2 if there are two or
    /// three, 1/3 if there are four, and 5/9 if there are five.
    #[test]
    fn who_is_stuck_has_lost() {
        let counts = count_outcomes(|rng| {
            let game = Sticks {
                left: 5,
                to_move: Side::Second,
            };
            play_until_stuck(game, &mut || rng.next_u64())
        });
        assert!(counts[1].abs_diff(555_556) < 15_000, "{counts:?}");
        assert_eq!(counts[2], 0);
    }

    /// A walk without end.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Walk;

    impl TwoPlayerGame for Walk {
        type Move = ();

        fn to_move(&self) -> Side {
            Side::First
        }
        fn outcome(&self) -> Option<Outcome> {
            None
        }
        fn moves(&self) -> impl Iterator<Item = ()> {
            [()].into_iter()
        }
        fn play_unchecked(&mut self, (): ()) {}
    }

    #[test]
    fn an_endless_playout_is_a_draw() {
        assert_eq!(play_until_stuck(Walk, &mut || 0), Outcome::Draw);
    }
}
