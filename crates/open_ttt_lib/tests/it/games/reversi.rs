use std::collections::HashSet;

use open_ttt_lib::games::{Reversi, ReversiMove, ReversiSquare};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    CompactKey, Dihedral, Heuristic, IndexedMoves, Margin, Notation, Outcome, Reason, Side,
    Symmetry, TwoPlayerGame, perft, play_text,
};

use super::exact_margin::exact_margin;
use super::plain::{PlainMoves, plain_perft};

/// The squares as letters, `B`, `W` or `.`, `grid[row][column]` from the top left.
#[derive(Clone)]
struct NaiveReversi {
    grid: Vec<Vec<char>>,
    turn: char,
}

const SIZES: [u8; 3] = [4, 6, 8];

fn opponent(colour: char) -> char {
    if colour == 'B' { 'W' } else { 'B' }
}

impl NaiveReversi {
    fn new(size: u8) -> Self {
        let middle = usize::from(size) / 2;
        let mut grid = vec![vec!['.'; size.into()]; size.into()];
        grid[middle - 1][middle - 1] = 'W';
        grid[middle - 1][middle] = 'B';
        grid[middle][middle - 1] = 'B';
        grid[middle][middle] = 'W';
        Self { grid, turn: 'B' }
    }

    fn at(&self, column: i32, row: i32) -> Option<char> {
        let row = self.grid.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// The discs that a disc of a colour would turn over, walking from its square in
    /// each direction.
    fn turned(&self, colour: char, (column, row): (i32, i32)) -> Vec<(i32, i32)> {
        let mut turned = Vec::new();
        if self.at(column, row) != Some('.') {
            return turned;
        }
        for right in -1..=1 {
            for down in -1..=1 {
                let mut walked = Vec::new();
                let mut at = (column + right, row + down);
                while self.at(at.0, at.1) == Some(opponent(colour)) {
                    walked.push(at);
                    at = (at.0 + right, at.1 + down);
                }
                if self.at(at.0, at.1) == Some(colour) {
                    turned.extend(walked);
                }
            }
        }
        turned
    }

    fn squares_for(&self, colour: char) -> Vec<(i32, i32)> {
        let size = self.grid.len() as i32;
        let all = (0..size).flat_map(|row| (0..size).map(move |column| (column, row)));
        all.filter(|&at| !self.turned(colour, at).is_empty())
            .collect()
    }

    fn count(&self, colour: char) -> i32 {
        self.grid.iter().flatten().filter(|&&c| c == colour).count() as i32
    }

    fn margin(&self) -> i32 {
        self.count('B') - self.count('W')
    }

    fn neighbours(&self, (column, row): (i32, i32)) -> impl Iterator<Item = (i32, i32, char)> {
        let around =
            (-1..=1).flat_map(move |down| (-1..=1).map(move |right| (column + right, row + down)));
        around
            .filter(move |&at| at != (column, row))
            .filter_map(|(x, y)| self.at(x, y).map(|c| (x, y, c)))
    }

    /// What counts for a colour in the heuristic.
    fn features(&self, colour: char) -> i32 {
        let last = self.grid.len() as i32 - 1;
        let all = (0..=last).flat_map(|y| (0..=last).map(move |x| (x, y)));
        let next_to_own = |&at: &(i32, i32)| self.neighbours(at).any(|(.., c)| c == colour);
        let free = all.filter(|&(x, y)| self.at(x, y) == Some('.'));
        let mut value = 100 * self.squares_for(colour).len() as i32;
        value -= 40 * free.filter(next_to_own).count() as i32;
        let mut stable = HashSet::new();
        for (x, y) in [(0, 0), (last, 0), (0, last), (last, last)] {
            if self.at(x, y) == Some(colour) {
                value += 400;
                for (right, down) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                    let walk = (0..=last).map(|n| (x + n * right, y + n * down));
                    let own = |&(x, y): &(i32, i32)| self.at(x, y) == Some(colour);
                    stable.extend(walk.take_while(own));
                }
            } else if self.at(x, y) == Some('.') {
                for (near_x, near_y, c) in self.neighbours((x, y)) {
                    let diagonal = near_x != x && near_y != y;
                    value -= i32::from(c == colour) * if diagonal { 500 } else { 80 };
                }
            }
        }
        value + 250 * stable.len() as i32
    }

    fn nexts(&self) -> impl Iterator<Item = Self> {
        self.moves().into_iter().map(|text| {
            let mut next = self.clone();
            next.play(&text);
            next
        })
    }

    /// Black's final margin under best play, within a window.
    fn exact_margin(&self, mut alpha: i32, mut beta: i32) -> i32 {
        if self.moves().is_empty() {
            return self.margin();
        }
        for next in self.nexts() {
            let margin = next.exact_margin(alpha, beta);
            if self.turn == 'B' {
                alpha = alpha.max(margin);
            } else {
                beta = beta.min(margin);
            }
            if alpha >= beta {
                break;
            }
        }
        if self.turn == 'B' { alpha } else { beta }
    }
}

impl PlainMoves for NaiveReversi {
    fn moves(&self) -> Vec<String> {
        let squares = self.squares_for(self.turn);
        if squares.is_empty() && !self.squares_for(opponent(self.turn)).is_empty() {
            return vec!["pass".to_owned()];
        }
        let text = |&(column, row): &(i32, i32)| {
            let letter = char::from(b'a' + column as u8);
            format!("{letter}{}", row + 1)
        };
        squares.iter().map(text).collect()
    }

    fn play(&mut self, text: &str) {
        if text != "pass" {
            let at = (
                i32::from(text.as_bytes()[0] - b'a'),
                i32::from(text.as_bytes()[1] - b'1'),
            );
            for (column, row) in self.turned(self.turn, at).into_iter().chain([at]) {
                self.grid[row as usize][column as usize] = self.turn;
            }
        }
        self.turn = opponent(self.turn);
    }
}

fn reversi(size: u8) -> Reversi {
    Reversi::with_size(size).expect("a size of the game")
}

fn square(text: &str) -> ReversiSquare {
    match Reversi::new().parse_move(text) {
        Ok(ReversiMove::Disc(square)) => square,
        other => panic!("{text}: {other:?}"),
    }
}

#[track_caller]
fn check_same(game: &Reversi, naive: &NaiveReversi) {
    let mut moves: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
    let mut expected = naive.moves();
    moves.sort();
    expected.sort();
    assert_eq!(moves, expected, "{game:?}");
    assert_eq!(game.moves().count(), expected.len(), "{game:?}");
    assert_eq!(game.margin(), naive.margin(), "{game:?}");
    let over = expected.is_empty();
    let outcome = over.then(|| Outcome::from_margin(naive.margin()));
    assert_eq!(game.outcome(), outcome, "{game:?}");
    for (row, line) in (0..).zip(&naive.grid) {
        for (column, &colour) in (0..).zip(line) {
            let square = ReversiSquare::new(column, row).expect("a square");
            let expected = match colour {
                'B' => Some(Side::First),
                'W' => Some(Side::Second),
                _ => None,
            };
            assert_eq!(game.owner(square), expected, "{square} of {game:?}");
        }
    }
}

#[test]
fn plays_as_the_naive_board_does() {
    let (mut passes, mut free_at_the_end) = (0, 0);
    for size in SIZES {
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let (mut game, mut naive) = (reversi(size), NaiveReversi::new(size));
            assert_eq!(game.size(), size);
            check_same(&game, &naive);
            while let Some(text) = rng.pick(naive.moves()) {
                passes += usize::from(text == "pass");
                play_text(&mut game, &text).unwrap();
                naive.play(&text);
                check_same(&game, &naive);
            }
            free_at_the_end += naive.count('.');
        }
    }
    assert!(passes > 100 && free_at_the_end > 100, "{passes}");
}

#[test]
fn counts_as_the_naive_board_does() {
    for size in SIZES {
        for depth in 0..=6 {
            let expected = plain_perft(&NaiveReversi::new(size), depth);
            assert_eq!(perft(&reversi(size), depth), expected, "{size}, {depth}");
        }
    }
}

#[test]
fn counts_small_boards_as_the_naive_board_does() {
    for (size, depths) in [(6, 7..=7), (4, 7..=12)] {
        for depth in depths {
            let expected = plain_perft(&NaiveReversi::new(size), depth);
            assert_eq!(perft(&reversi(size), depth), expected, "{size}, {depth}");
        }
    }
}

/// Towards the end, where sides pass and games end.
#[test]
fn counts_late_positions_as_the_naive_board_does() {
    for size in SIZES {
        let squares = u64::from(size) * u64::from(size);
        for seed in 0..100 {
            let (mut game, mut naive) = (reversi(size), NaiveReversi::new(size));
            let mut rng = Rng::new(seed);
            for _ in 0..squares.saturating_sub(12 + seed % 4) {
                if let Some(text) = rng.pick(naive.moves()) {
                    naive.play(&text);
                    play_text(&mut game, &text).unwrap();
                }
            }
            for depth in 0..=4 {
                assert_eq!(
                    perft(&game, depth),
                    plain_perft(&naive, depth),
                    "{game:?}, {depth}"
                );
            }
        }
    }
}

/// The second player wins by eight: 11 to 3, with two squares free.
#[test]
fn the_small_board_is_won_by_eight() {
    assert_eq!(NaiveReversi::new(4).exact_margin(i32::MIN, i32::MAX), -8);
    assert_eq!(exact_margin(&reversi(4)), -8);
}

/// Perfect play on 6 by 6 squares, found by Joel Feinstein in 1993: White wins by
/// 20 to 16. He names the rows and columns as in the middle of the large board.
const FEINSTEIN: &str = "d3 c5 d6 e3 f5 f4 e2 d2 c2 e6 e7 g5 c4 c3 g4 g3 \
    f3 c7 b5 d7 b7 b3 c6 b6 f7 f6 b4 b2 g6 g7 f2 g2";

/// The position of the game on 6 by 6 squares after this many of Feinstein's discs.
/// Sides that have to pass do.
fn after_feinstein(discs: usize) -> Reversi {
    let mut game = reversi(6);
    for text in FEINSTEIN.split_whitespace().take(discs) {
        let [column, row] = text.as_bytes() else {
            panic!("{text} is a square");
        };
        let text = format!("{}{}", char::from(column - 1), char::from(row - 1));
        if game.moves().eq([ReversiMove::Pass]) {
            play_text(&mut game, "pass").unwrap();
        }
        play_text(&mut game, &text).unwrap();
    }
    game
}

#[test]
fn feinsteins_game_ends_as_published() {
    let game = after_feinstein(32);
    assert_eq!(Side::BOTH.map(|side| game.discs(side)), [16, 20]);
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::Second)));
}

/// Each position of a perfect game has the same value.
#[test]
fn the_end_of_feinsteins_game_is_perfect() {
    for discs in 18..32 {
        assert_eq!(exact_margin(&after_feinstein(discs)), -4, "{discs} discs");
    }
}

#[test]
fn moves_are_refused_with_a_reason() {
    let refused = |game: &Reversi, m| game.check(m).expect_err("illegal").reason;
    let disc = |text| ReversiMove::Disc(square(text));
    let game = Reversi::new();
    assert_eq!(refused(&game, disc("d4")), Reason::Occupied);
    assert_eq!(refused(&game, disc("a1")), Reason::Forbidden);
    assert_eq!(refused(&game, ReversiMove::Pass), Reason::Forbidden);
    assert_eq!(refused(&reversi(6), disc("g1")), Reason::OffBoard);
    assert_eq!(refused(&reversi(4), disc("a5")), Reason::OffBoard);
    let over = after_feinstein(32);
    assert_eq!(refused(&over, ReversiMove::Pass), Reason::GameOver);
    for size in (0..=255).filter(|size| !SIZES.contains(size)) {
        assert_eq!(Reversi::with_size(size), None);
    }
    for (column, row) in [(8, 0), (0, 8), (255, 255)] {
        assert_eq!(ReversiSquare::new(column, row), None);
    }
}

/// The shortest game: Black leaves White without a disc after nine moves.
#[test]
fn a_side_without_discs_has_lost() {
    let mut game = Reversi::new();
    play_text(&mut game, "e6 f4 e3 f6 g5 d6 e7 f5 c5").unwrap();
    assert_eq!(Side::BOTH.map(|side| game.discs(side)), [13, 0]);
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn playouts_are_random_games() {
    let game = reversi(4);
    let mut rng = Rng::new(1);
    let mut wins = [0_i32; 2];
    let mut other_wins = [0_i32; 2];
    for _ in 0..20_000 {
        if let Outcome::Win(side) = game.play_out(&mut || rng.next_u64()) {
            wins[side.index()] += 1;
        }
        let mut naive = NaiveReversi::new(4);
        while let Some(text) = rng.pick(naive.moves()) {
            naive.play(&text);
        }
        match naive.margin() {
            1.. => other_wins[0] += 1,
            0 => {}
            _ => other_wins[1] += 1,
        }
    }
    // Seven standard deviations of the difference.
    for (wins, other_wins) in wins.into_iter().zip(other_wins) {
        assert!(wins.abs_diff(other_wins) < 700, "{wins}, {other_wins}");
    }
}

#[test]
fn the_heuristic_is_what_it_says() {
    for size in SIZES {
        for seed in 0..50 {
            let mut rng = Rng::new(seed);
            let (mut game, mut naive) = (reversi(size), NaiveReversi::new(size));
            while let Some(text) = rng.pick(naive.moves()) {
                let own = naive.turn;
                let expected = naive.features(own) - naive.features(opponent(own));
                assert_eq!(game.heuristic(), expected, "{game:?}");
                naive.play(&text);
                play_text(&mut game, &text).unwrap();
            }
        }
    }
}

#[test]
fn images_have_one_canonical_position() {
    let mut rng = Rng::new(3);
    let mut game = Reversi::new();
    while let Some(m) = rng.pick(game.moves()) {
        for &transform in game.symmetries() {
            assert_eq!(game.image(transform).canonical(), game.canonical());
            assert_eq!(
                game.image(transform).key() == game.key(),
                game.image(transform) == game
            );
        }
        game.play_unchecked(m);
    }
}

#[test]
fn squares_off_a_small_board_have_no_image() {
    let game = reversi(4);
    let off = ReversiMove::Disc(ReversiSquare::new(6, 1).expect("a square of the large board"));
    for &transform in game.symmetries() {
        assert_eq!(game.move_image(off, transform), off);
    }
    let corner = |column, row| ReversiMove::Disc(ReversiSquare::new(column, row).unwrap());
    let turned = game.move_image(corner(0, 3), Dihedral::HalfTurn);
    assert_eq!(turned, corner(3, 0));
}

#[test]
fn the_pass_is_the_last_move_by_number() {
    for (size, count) in [(4, 17), (6, 37), (8, 65)] {
        let game = reversi(size);
        assert_eq!(game.move_count(), count);
        assert_eq!(game.indexed_move(count - 1), Some(ReversiMove::Pass));
    }
}
