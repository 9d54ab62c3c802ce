use std::collections::BTreeMap;

use open_ttt_lib::games::{Mnk, Point};
use open_ttt_lib::rules::{
    Dihedral, Heuristic, LineGame, Notation, Outcome, Place, Reason, Side, Symmetry, TwoPlayerGame,
    perft, play_text,
};

use super::naive::{Grid, Naive, check_games, places, side};
use super::plain::{PlainMoves, plain_perft};

#[derive(Clone)]
struct NaiveMnk {
    board: Grid,
    in_a_row: usize,
}

impl NaiveMnk {
    fn new(m: u8, n: u8, k: u8) -> Self {
        Self {
            board: Grid::new(m.into(), n.into()),
            in_a_row: k.into(),
        }
    }

    /// What the heuristic promises: every stretch of k points with pieces of
    /// one side only counts for that side, eight times for each further piece.
    fn heuristic(&self) -> i32 {
        let worth = |own: usize| i32::pow(8, own as u32 - 1).min(32_768);
        let own = self.board.turn();
        let mut balance = 0;
        for line in self.board.all_lines() {
            for stretch in line.windows(self.in_a_row) {
                let letters = stretch.iter().map(|&(x, y)| self.board.grid[y][x]);
                let pieces: Vec<_> = letters.filter(|&letter| letter != '.').collect();
                if !pieces.is_empty() && pieces.iter().all(|&letter| letter == pieces[0]) {
                    let value = worth(pieces.len());
                    balance += if pieces[0] == own { value } else { -value };
                }
            }
        }
        balance
    }
}

impl PlainMoves for NaiveMnk {
    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.outcome().is_none() {
            for (y, row) in self.board.grid.iter().enumerate() {
                for (x, _) in row.iter().enumerate().filter(|&(_, &c)| c == '.') {
                    let letters: Vec<char> = ('a'..='z').collect();
                    moves.push(format!("{}{}", letters[x], y + 1));
                }
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let (letter, number) = text.split_at(1);
        let column = ('a'..='z').position(|c| letter == c.to_string());
        let column = column.expect("the letter is a column");
        let row: usize = number.parse().expect("the rest is a row");
        self.board.grid[row - 1][column] = self.board.turn();
    }
}

impl Naive for NaiveMnk {
    fn outcome(&self) -> Option<Outcome> {
        let lines = self.lines();
        match lines.first() {
            Some(&(winner, _)) => Some(Outcome::Win(winner)),
            None if self.board.count('.') == 0 => Some(Outcome::Draw),
            None => None,
        }
    }

    fn cells(&self) -> BTreeMap<Place, Option<Side>> {
        self.board.cells()
    }

    fn lines(&self) -> Vec<(Side, Vec<Place>)> {
        let mut lines: Vec<_> = self
            .board
            .runs(self.in_a_row)
            .into_iter()
            .map(|(letter, run)| (side(letter).expect("a piece"), places(&run)))
            .collect();
        // One piece is the same line in every direction.
        if self.in_a_row == 1 {
            lines.dedup();
        }
        lines
    }

    fn points(&self) -> Option<[u32; 2]> {
        None
    }
}

#[track_caller]
fn both(m: u8, n: u8, k: u8) -> (Mnk, NaiveMnk) {
    let game = Mnk::new(m, n, k).unwrap_or_else(|| panic!("{m},{n},{k} is a game"));
    (game, NaiveMnk::new(m, n, k))
}

#[track_caller]
fn check_perft(m: u8, n: u8, k: u8, depth: u32) {
    let (game, naive) = both(m, n, k);
    for depth in 0..=depth {
        assert_eq!(
            perft(&game, depth),
            plain_perft(&naive, depth),
            "{m},{n},{k} to depth {depth}"
        );
    }
}

#[test]
fn counts_as_the_naive_board_does() {
    check_perft(1, 1, 1, 2);
    check_perft(2, 2, 2, 4);
    check_perft(3, 2, 2, 6);
    check_perft(2, 4, 3, 8);
    check_perft(3, 3, 3, 6);
    check_perft(3, 3, 2, 7);
    check_perft(4, 3, 3, 5);
    check_perft(6, 1, 3, 6);
    check_perft(1, 7, 2, 7);
    check_perft(5, 4, 4, 4);
    check_perft(6, 5, 2, 4);
    check_perft(15, 15, 5, 2);
}

#[test]
fn plays_as_the_naive_board_does() {
    for (m, n, k, games) in [
        (1, 1, 1, 1),
        (1, 19, 3, 20),
        (3, 3, 3, 200),
        (4, 3, 1, 5),
        (5, 3, 3, 100),
        (3, 6, 4, 100),
        (7, 7, 4, 40),
        (6, 6, 6, 40),
        (11, 9, 8, 10),
        (15, 15, 5, 10),
        (15, 15, 15, 3),
        (19, 19, 6, 5),
        (19, 2, 19, 10),
    ] {
        let (game, naive) = both(m, n, k);
        check_games(&game, &naive, games);
    }
}

#[test]
fn the_heuristic_is_what_it_says() {
    for (m, n, k) in [
        (3, 3, 3),
        (5, 4, 4),
        (7, 7, 4),
        (15, 15, 5),
        (1, 9, 3),
        (4, 4, 1),
        (6, 5, 2),
        (19, 5, 6),
        (4, 19, 6),
        (3, 19, 19),
    ] {
        let (mut game, mut naive) = both(m, n, k);
        let mut rng = open_ttt_lib::random::Rng::new(5);
        while let Some(text) = rng.pick(naive.moves()) {
            assert_eq!(game.heuristic(), naive.heuristic(), "{game:?}");
            naive.play(&text);
            play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn sizes_without_a_game_are_refused() {
    for (m, n, k) in [
        (0, 0, 0),
        (0, 3, 3),
        (3, 0, 3),
        (3, 3, 0),
        (3, 3, 4),
        (20, 3, 3),
        (3, 20, 3),
        (255, 255, 255),
    ] {
        assert_eq!(Mnk::new(m, n, k), None, "{m},{n},{k}");
    }
}

#[test]
fn a_game_has_the_size_that_was_asked_for() {
    let mut game = Mnk::new(5, 4, 3).expect("5,4,3 is a game");
    assert_eq!([game.columns(), game.rows(), game.in_a_row()], [5, 4, 3]);
    for plies in 1..=3 {
        let m = game.moves().next().expect("a free point");
        game.play(m).expect("a legal move");
        assert_eq!(game.plies(), plies);
    }
}

#[test]
fn points_off_the_board_are_refused() {
    let mut game = Mnk::new(4, 3, 3).expect("4,3,3 is a game");
    for (column, row) in [(4, 0), (0, 3), (255, 0), (0, 255), (18, 18), (32, 2)] {
        let point = Point { column, row };
        assert_eq!(game.owner(point), None);
        let refused = game.play(point).expect_err("the point is off the board");
        assert_eq!(refused.reason, Reason::OffBoard);
    }
    assert_eq!(game.plies(), 0);
}

#[test]
fn two_lines_at_once_are_both_shown() {
    let mut game = Mnk::new(3, 3, 3).expect("3,3,3 is a game");
    let moves = "a1 a2 b1 b2 a3 c2";
    let played = play_text(&mut game, moves).expect("the moves are legal");
    assert_eq!(played.len(), 6);
    assert_eq!(game.outcome(), Some(Outcome::Win(Side::Second)));

    let mut full = Mnk::new(3, 3, 3).expect("3,3,3 is a game");
    play_text(&mut full, "a1 a2 c1 b1 a3 b3 c3 c2 b2").expect("the moves are legal");
    let lines = open_ttt_lib::rules::Drawing::picture(&full).lines;
    assert_eq!(lines.len(), 2, "both diagonals: {lines:?}");
}

#[test]
fn more_than_enough_in_a_row_is_one_line() {
    let mut game = Mnk::new(9, 2, 3).expect("9,2,3 is a game");
    play_text(&mut game, "a1 a2 b1 b2 d1 d2 e1 e2 c1").expect("the moves are legal");
    let lines = open_ttt_lib::rules::Drawing::picture(&game).lines;
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].places.len(), 5);
}

#[test]
fn each_stretch_of_k_points_is_a_winning_line_once() {
    for (m, n, k) in [
        (3, 3, 3),
        (5, 4, 3),
        (4, 4, 1),
        (1, 1, 1),
        (6, 2, 2),
        (1, 5, 4),
    ] {
        let (game, naive) = both(m, n, k);
        let mut expected: Vec<Vec<_>> = naive
            .board
            .all_lines()
            .iter()
            .flat_map(|line| line.windows(k.into()).map(<[_]>::to_vec))
            .collect();
        let lines = game.winning_lines().into_iter();
        let places = |at: Point| (usize::from(at.column), usize::from(at.row));
        let mut lines: Vec<Vec<_>> = lines
            .map(|line| line.into_iter().map(places).collect())
            .collect();
        for line in expected.iter_mut().chain(&mut lines) {
            line.sort_unstable();
        }
        expected.sort_unstable();
        lines.sort_unstable();
        // A single point is a line in every direction.
        expected.dedup();
        assert_eq!(lines, expected, "{m},{n},{k}");
    }
}

#[test]
fn an_image_is_the_game_with_the_images_of_the_moves() {
    let mut game = Mnk::new(5, 4, 3).expect("5,4,3 is a game");
    let moves = play_text(&mut game, "a1 b1 e4 c2 a2").expect("the moves are legal");
    let before = Mnk::new(5, 4, 3).expect("5,4,3 is a game");
    let [first, last] = ["a1", "e4"].map(|text| before.parse_move(text).expect("a point"));
    for &transform in Dihedral::SQUARE {
        // Opposite corners stay opposite corners.
        let corners = [first, last].map(|corner| before.move_image(corner, transform));
        let columns = corners.map(|corner| corner.column).into_iter().max();
        let rows = corners.map(|corner| corner.row).into_iter().max();
        let (columns, rows) = columns.zip(rows).expect("two corners");
        let mut image = Mnk::new(columns + 1, rows + 1, 3).expect("a game");
        for &m in &moves {
            let m = before.move_image(m, transform);
            image.play(m).expect("a legal move");
        }
        assert_eq!(game.image(transform), image, "{transform:?}");
    }
}
