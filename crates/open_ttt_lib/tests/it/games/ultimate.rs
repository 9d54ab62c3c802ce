use std::collections::BTreeMap;

use open_ttt_lib::games::{Ultimate, UltimateCell};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    BoardCell, CompactKey, Drawing, Heuristic, Outcome, Place, Reason, Side, Symmetry,
    TwoPlayerGame, perft, play_text,
};

use super::naive::{Grid, Naive, check_games, side};
use super::plain::{PlainMoves, plain_perft};

/// The cells as letters and the last move; everything else is recomputed on every
/// call.
#[derive(Clone)]
struct NaiveUltimate {
    sheet: Grid,
    last: Option<(usize, usize)>,
}

/// The eight lines of a board of three by three.
const LINES: [[(usize, usize); 3]; 8] = [
    [(0, 0), (1, 0), (2, 0)],
    [(0, 1), (1, 1), (2, 1)],
    [(0, 2), (1, 2), (2, 2)],
    [(0, 0), (0, 1), (0, 2)],
    [(1, 0), (1, 1), (1, 2)],
    [(2, 0), (2, 1), (2, 2)],
    [(0, 0), (1, 1), (2, 2)],
    [(2, 0), (1, 1), (0, 2)],
];

const NINE: [(usize, usize); 9] = [
    (0, 0),
    (1, 0),
    (2, 0),
    (0, 1),
    (1, 1),
    (2, 1),
    (0, 2),
    (1, 2),
    (2, 2),
];

/// The lines that are all of one letter.
fn complete(letter_at: impl Fn((usize, usize)) -> char) -> Vec<(char, [(usize, usize); 3])> {
    let mut found = Vec::new();
    for line in LINES {
        let letters = line.map(&letter_at);
        if "XO".contains(letters[0]) && letters == [letters[0]; 3] {
            found.push((letters[0], line));
        }
    }
    found
}

impl NaiveUltimate {
    fn new() -> Self {
        Self {
            sheet: Grid::new(9, 9),
            last: None,
        }
    }

    fn letter(&self, board: (usize, usize), cell: (usize, usize)) -> char {
        self.sheet.grid[3 * board.1 + cell.1][3 * board.0 + cell.0]
    }

    /// `X` or `O` for who has won a board, `.` while it is open and `=` where
    /// it filled up.
    fn state(&self, board: (usize, usize)) -> char {
        let lines = complete(|cell| self.letter(board, cell));
        match lines.first() {
            Some(&(winner, _)) => winner,
            None if NINE.iter().all(|&cell| self.letter(board, cell) != '.') => '=',
            None => '.',
        }
    }

    /// Lines that can still be completed: 1 for one piece, 4 for two, as seen
    /// by a letter.
    fn prospects(own: char, letter_at: impl Fn((usize, usize)) -> char) -> i32 {
        let worth = |line: [(usize, usize); 3]| {
            let letters = line.map(&letter_at);
            let own_ones = letters.iter().filter(|&&c| c == own).count();
            let free = letters.iter().filter(|&&c| c == '.').count();
            match (own_ones, free) {
                (1, 2) => 1,
                (2, 1) => 4,
                _ => 0,
            }
        };
        LINES.into_iter().map(worth).sum()
    }

    fn heuristic(&self) -> i32 {
        let evaluate = |letter: char| {
            let open = NINE.into_iter().filter(|&board| self.state(board) == '.');
            let small: i32 = open
                .map(|board| Self::prospects(letter, |cell| self.letter(board, cell)))
                .sum();
            small + 20 * Self::prospects(letter, |board| self.state(board))
        };
        let own = self.sheet.turn();
        evaluate(own) - evaluate(if own == 'X' { 'O' } else { 'X' })
    }
}

impl PlainMoves for NaiveUltimate {
    fn moves(&self) -> Vec<String> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let sent_to = self.last.map(|(x, y)| (x % 3, y % 3));
        let mut moves = Vec::new();
        for (y, row) in self.sheet.grid.iter().enumerate() {
            for (x, &letter) in row.iter().enumerate() {
                let board = (x / 3, y / 3);
                let right_board = match sent_to {
                    Some(wanted) if self.state(wanted) == '.' => board == wanted,
                    _ => self.state(board) == '.',
                };
                if letter == '.' && right_board {
                    moves.push(format!("{}{}", &"abcdefghi"[x..=x], y + 1));
                }
            }
        }
        moves
    }

    fn play(&mut self, text: &str) {
        let x = "abcdefghi".find(&text[..1]).expect("a column");
        let y = text[1..].parse::<usize>().expect("a row") - 1;
        self.sheet.grid[y][x] = self.sheet.turn();
        self.last = Some((x, y));
    }
}

impl Naive for NaiveUltimate {
    fn outcome(&self) -> Option<Outcome> {
        let won = complete(|board| self.state(board));
        match won.first() {
            Some(&(winner, _)) => side(winner).map(Outcome::Win),
            None if NINE.iter().all(|&board| self.state(board) != '.') => Some(Outcome::Draw),
            None => None,
        }
    }

    fn cells(&self) -> BTreeMap<Place, Option<Side>> {
        self.sheet.cells()
    }

    fn lines(&self) -> Vec<(Side, Vec<Place>)> {
        let mut decisive: Vec<_> = complete(|board| self.state(board))
            .into_iter()
            .flat_map(|(_, boards)| boards)
            .collect();
        decisive.sort_unstable();
        decisive.dedup();
        let mut lines = Vec::new();
        for board in decisive {
            for (letter, line) in complete(|cell| self.letter(board, cell)) {
                let on_sheet = |(x, y)| (3 * board.0 + x, 3 * board.1 + y);
                let places = super::naive::places(&line.map(on_sheet));
                lines.push((side(letter).expect("a piece"), places));
            }
        }
        lines
    }

    fn points(&self) -> Option<[u32; 2]> {
        None
    }
}

#[test]
fn plays_as_the_naive_sheet_does() {
    check_games(&Ultimate::new(), &NaiveUltimate::new(), 2_000);
}

#[test]
fn counts_as_the_naive_sheet_does() {
    for depth in 0..=4 {
        let expected = plain_perft(&NaiveUltimate::new(), depth);
        assert_eq!(perft(&Ultimate::new(), depth), expected, "depth {depth}");
    }
}

/// In the middle and towards the end, where boards close and games end.
#[test]
fn counts_late_positions_as_the_naive_sheet_does() {
    for seed in 0..200 {
        let (mut game, mut naive) = (Ultimate::new(), NaiveUltimate::new());
        let mut rng = Rng::new(seed);
        for _ in 0..20 + seed / 4 {
            if let Some(text) = rng.pick(naive.moves()) {
                naive.play(&text);
                play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        for depth in 0..=2 {
            let expected = plain_perft(&naive, depth);
            assert_eq!(perft(&game, depth), expected, "{game:?} to depth {depth}");
        }
    }
}

#[test]
fn the_heuristic_is_what_it_says() {
    for seed in 0..50 {
        let (mut game, mut naive) = (Ultimate::new(), NaiveUltimate::new());
        let mut rng = Rng::new(seed);
        while let Some(text) = rng.pick(naive.moves()) {
            assert_eq!(game.heuristic(), naive.heuristic(), "{game:?}");
            naive.play(&text);
            play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn a_board_belongs_to_who_has_three_in_a_row() {
    for seed in 0..50 {
        let (mut game, mut naive) = (Ultimate::new(), NaiveUltimate::new());
        let mut rng = Rng::new(seed);
        while let Some(text) = rng.pick(naive.moves()) {
            naive.play(&text);
            play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
            for (number, at) in (0..).zip(NINE) {
                let owner = side(naive.state(at));
                assert_eq!(game.board_owner(number), owner, "{number} of {game:?}");
            }
        }
    }
}

/// Plays random games until one satisfies the condition.
#[track_caller]
fn find_end(wanted: impl Fn(&Ultimate) -> bool) -> Ultimate {
    let mut rng = Rng::new(8);
    let found = (0..100_000).find_map(|_| {
        let mut game = Ultimate::new();
        while let Some(cell) = rng.pick(game.moves()) {
            game.play_unchecked(cell);
        }
        wanted(&game).then_some(game)
    });
    found.expect("one of many games")
}

fn boards_of(game: &Ultimate, side: Option<Side>) -> usize {
    (0..9)
        .filter(|&board| game.board_owner(board) == side)
        .count()
}

#[test]
fn more_boards_without_three_in_a_row_are_a_draw() {
    let game = find_end(|game| {
        let [first, second] = Side::BOTH.map(|side| boards_of(game, Some(side)));
        game.outcome() == Some(Outcome::Draw) && first.abs_diff(second) >= 2
    });
    assert!(boards_of(&game, None) > 0, "some filled up: {game:?}");
    assert!(game.picture().lines.is_empty());
}

#[test]
fn a_game_may_end_before_the_sheet_is_full() {
    let game = find_end(|game| game.outcome() == Some(Outcome::Draw) && game.plies() < 70);
    let cells = game.picture().cells;
    let free = cells.iter().filter(|cell| cell.owner().is_none());
    assert_eq!(free.count() as u32, 81 - game.plies());
    assert!(game.moves().next().is_none());
}

#[test]
fn the_winning_lines_are_those_of_the_winning_boards() {
    let game = find_end(|game| {
        let winner = game.outcome().and_then(Outcome::winner);
        winner.is_some_and(|winner| boards_of(game, Some(winner)) > 3)
    });
    let lines = game.picture().lines;
    let mut boards: Vec<_> = lines
        .iter()
        .map(|line| (line.places[0].x / 3, line.places[0].y / 3))
        .collect();
    boards.sort_unstable();
    boards.dedup();
    assert_eq!(
        boards.len(),
        3,
        "a board that is beside the line: {lines:?}"
    );
}

fn cell(column: u8, row: u8) -> UltimateCell {
    UltimateCell::new(column, row).expect("a cell")
}

#[test]
fn moves_are_refused_with_a_reason() {
    let mut game = Ultimate::new();
    assert_eq!(game.target(), None);
    play_text(&mut game, "e5").expect("the cell is free");
    assert_eq!(game.target(), Some(4));
    let refused = |cell| game.check(cell).expect_err("not there").reason;
    assert_eq!(refused(cell(4, 4)), Reason::Occupied);
    assert_eq!(refused(cell(0, 0)), Reason::Forbidden);
    assert_eq!(game.owner(cell(4, 4)), Some(Side::First));
    for outside in [(9, 0), (0, 9), (255, 255)] {
        assert_eq!(UltimateCell::new(outside.0, outside.1), None, "{outside:?}");
    }
    for board in [9, 255] {
        assert_eq!(game.board_owner(board), None);
    }
}

#[test]
fn who_is_sent_to_a_closed_board_plays_in_any_open_one() {
    let mut anywhere = 0;
    let mut rng = Rng::new(5);
    for _ in 0..200 {
        let mut game = Ultimate::new();
        while let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
            if game.target().is_none() && game.outcome().is_none() {
                anywhere += 1;
                let sent_to = m.within();
                assert!(game.moves().all(|m| m.board() != sent_to), "{game:?}");
            }
        }
    }
    assert!(anywhere > 200, "only {anywhere} free choices");
}

#[test]
fn where_to_play_is_part_of_the_position() {
    let (mut one, mut other) = (Ultimate::new(), Ultimate::new());
    play_text(&mut one, "b2 f6 i8 g4").expect("legal moves");
    play_text(&mut other, "i8 g4 b2 f6").expect("legal moves");
    let owners = |game: &Ultimate| game.picture().cells.iter().map(BoardCell::owner).collect();
    let marks: [Vec<_>; 2] = [&one, &other].map(owners);
    assert_eq!(marks[0], marks[1]);
    assert_eq!((one.target(), other.target()), (Some(0), Some(8)));
    assert_ne!(one, other);
    assert_ne!(one.key(), other.key());
}

#[test]
fn images_have_one_canonical_position() {
    let mut rng = Rng::new(3);
    for plies in 0..60 {
        let mut game = Ultimate::new();
        for _ in 0..plies {
            if let Some(m) = rng.pick(game.moves()) {
                game.play_unchecked(m);
            }
        }
        let canonical = game.canonical();
        for &transform in game.symmetries() {
            assert_eq!(game.image(transform).canonical(), canonical, "{game:?}");
        }
    }
}
