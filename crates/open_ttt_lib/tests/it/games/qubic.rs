use std::collections::{BTreeMap, BTreeSet, HashSet};

use open_ttt_lib::games::{Cube, Qubic};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    CompactKey, Drawing, Heuristic, IndexedMoves, LineGame, Notation, Outcome, Place, Reason, Side,
    Symmetry, TwoPlayerGame, perft, play_text,
};

use super::naive::{Naive, check_games, side};
use super::plain::{PlainMoves, plain_perft};

/// The cube as a map from (column, row, layer) to letters.
#[derive(Clone)]
struct NaiveQubic {
    cells: BTreeMap<[usize; 3], char>,
    all_lines: Vec<Vec<[usize; 3]>>,
}

impl NaiveQubic {
    fn new() -> Self {
        let cells = (0..64).map(|number| ([number % 4, number / 4 % 4, number / 16], '.'));
        Self {
            cells: cells.collect(),
            all_lines: all_lines(),
        }
    }

    fn count(&self, letter: char) -> usize {
        self.cells.values().filter(|&&c| c == letter).count()
    }

    fn turn(&self) -> char {
        if self.count('X') == self.count('O') {
            'X'
        } else {
            'O'
        }
    }

    /// Every line with pieces of one letter only: 1, 8 or 64 for its pieces.
    fn heuristic(&self) -> i32 {
        let mut balance = 0;
        for line in &self.all_lines {
            let letters = line.iter().map(|at| self.cells[at]);
            let pieces: Vec<_> = letters.filter(|&c| c != '.').collect();
            if pieces.iter().all(|&c| c == pieces[0]) && !pieces.is_empty() {
                let value = [1, 8, 64, 512][pieces.len() - 1];
                balance += if pieces[0] == self.turn() {
                    value
                } else {
                    -value
                };
            }
        }
        balance
    }
}

/// Along a line each coordinate stays the same, rises from 0 to 3 or falls from
/// 3 to 0, and not all of them stay.
fn all_lines() -> Vec<Vec<[usize; 3]>> {
    let ways: [[usize; 4]; 6] = [[0; 4], [1; 4], [2; 4], [3; 4], [0, 1, 2, 3], [3, 2, 1, 0]];
    let mut lines = BTreeSet::new();
    for x in ways {
        for y in ways {
            for z in ways {
                let mut line: Vec<_> = (0..4).map(|step| [x[step], y[step], z[step]]).collect();
                line.sort_unstable();
                line.dedup();
                if line.len() == 4 {
                    lines.insert(line);
                }
            }
        }
    }
    lines.into_iter().collect()
}

fn place([x, y, z]: [usize; 3]) -> Place {
    let [x, y, z] = [x, y, z].map(|coordinate| coordinate as u8);
    Place { x, y, z }
}

impl PlainMoves for NaiveQubic {
    fn moves(&self) -> Vec<String> {
        if self.outcome().is_some() {
            return Vec::new();
        }
        let free = self.cells.iter().filter(|&(_, &letter)| letter == '.');
        free.map(|(&[x, y, z], _)| format!("{}{}{}", z + 1, ["a", "b", "c", "d"][x], y + 1))
            .collect()
    }

    fn play(&mut self, text: &str) {
        let letters: Vec<_> = text.chars().collect();
        let number = |letter: char| letter.to_digit(10).expect("a number") as usize - 1;
        let x = "abcd".find(letters[1]).expect("a column");
        let turn = self.turn();
        self.cells
            .insert([x, number(letters[2]), number(letters[0])], turn);
    }
}

impl Naive for NaiveQubic {
    fn outcome(&self) -> Option<Outcome> {
        match self.lines().first() {
            Some(&(winner, _)) => Some(Outcome::Win(winner)),
            None if self.count('.') == 0 => Some(Outcome::Draw),
            None => None,
        }
    }

    fn cells(&self) -> BTreeMap<Place, Option<Side>> {
        let cells = self.cells.iter();
        cells
            .map(|(&at, &letter)| (place(at), side(letter)))
            .collect()
    }

    fn lines(&self) -> Vec<(Side, Vec<Place>)> {
        let mut lines = Vec::new();
        for line in &self.all_lines {
            let letters: Vec<_> = line.iter().map(|at| self.cells[at]).collect();
            if let Some(winner) = side(letters[0])
                && letters.iter().all(|&letter| letter == letters[0])
            {
                let mut places: Vec<_> = line.iter().copied().map(place).collect();
                places.sort();
                lines.push((winner, places));
            }
        }
        lines
    }

    fn points(&self) -> Option<[u32; 2]> {
        None
    }
}

#[test]
fn plays_as_the_naive_board_does() {
    check_games(&Qubic::new(), &NaiveQubic::new(), 2_000);
}

#[test]
fn counts_as_the_naive_board_does() {
    for depth in 0..=3 {
        let expected = plain_perft(&NaiveQubic::new(), depth);
        assert_eq!(perft(&Qubic::new(), depth), expected, "depth {depth}");
    }
}

/// Towards the end of a game, where moves win.
#[test]
fn counts_late_positions_as_the_naive_board_does() {
    let mut wins = 0;
    for seed in 0..100 {
        let (mut game, mut naive) = (Qubic::new(), NaiveQubic::new());
        let mut rng = Rng::new(seed);
        for _ in 0..45 {
            if let Some(text) = rng.pick(naive.moves()) {
                naive.play(&text);
                play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        for depth in 0..=2 {
            let expected = plain_perft(&naive, depth);
            assert_eq!(perft(&game, depth), expected, "{game:?} to depth {depth}");
        }
        let ends = |m: &Cube| game.after(*m).outcome().is_some();
        wins += game.moves().filter(ends).count();
    }
    assert!(wins > 20, "only {wins} winning moves");
}

#[test]
fn the_heuristic_is_what_it_says() {
    for seed in 0..20 {
        let (mut game, mut naive) = (Qubic::new(), NaiveQubic::new());
        let mut rng = Rng::new(seed);
        while let Some(text) = rng.pick(naive.moves()) {
            assert_eq!(game.heuristic(), naive.heuristic(), "{game:?}");
            naive.play(&text);
            play_text(&mut game, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// The lines as the game lists them, each sorted.
fn lines() -> BTreeSet<Vec<Cube>> {
    let mut lines = Qubic::new().winning_lines();
    for line in &mut lines {
        line.sort();
    }
    lines.into_iter().collect()
}

#[test]
fn there_are_76_lines() {
    let ours: BTreeSet<Vec<_>> = lines()
        .iter()
        .map(|line| {
            let at = |cube: &Cube| [cube.column(), cube.row(), cube.layer()].map(usize::from);
            let mut places: Vec<_> = line.iter().map(at).collect();
            places.sort_unstable();
            places
        })
        .collect();
    assert_eq!(ours.len(), 76);
    assert_eq!(ours, all_lines().into_iter().collect());
}

#[test]
fn each_line_wins_whichever_of_its_cubes_comes_last() {
    let all = lines();
    let cubes = || (0..64).filter_map(|index| Qubic::new().indexed_move(index));
    for line in &all {
        for last in line {
            let mut game = Qubic::new();
            let mut others = cubes().filter(|cube| !line.contains(cube)).step_by(5);
            for &cube in line.iter().filter(|cube| *cube != last) {
                game.play(cube).expect("the cube is free");
                let answer = others.next().expect("there are others");
                game.play(answer).expect("the cube is free");
                assert_eq!(game.outcome(), None);
            }
            game.play(*last).expect("the cube is free");
            assert_eq!(game.outcome(), Some(Outcome::Win(Side::First)), "{line:?}");
            assert_eq!(game.picture().lines.len(), 1);
        }
    }
}

/// Silver (1967): the group of the game has 192 elements.
#[test]
fn the_symmetries_are_the_whole_group() {
    let cubes: Vec<_> = (0..64)
        .filter_map(|index| Qubic::new().indexed_move(index))
        .collect();
    let all: HashSet<Vec<Cube>> = Qubic::new()
        .symmetries()
        .iter()
        .map(|&transform| {
            let image = |&cube: &Cube| Qubic::new().move_image(cube, transform);
            cubes.iter().map(image).collect()
        })
        .collect();
    assert_eq!(all.len(), 192, "no two are the same");
    assert!(all.contains(&cubes), "the identity is one of them");
    let index = |cube: Cube| Qubic::new().move_index(cube);
    for one in &all {
        for other in &all {
            let both: Vec<_> = one.iter().map(|&cube| other[index(cube)]).collect();
            assert!(all.contains(&both), "one after another is one of them");
        }
    }
    let lines = lines();
    for one in &all {
        for line in &lines {
            let mut image: Vec<_> = line.iter().map(|&cube| one[index(cube)]).collect();
            image.sort();
            assert!(lines.contains(&image), "{line:?} is mapped to a line");
        }
    }
}

#[test]
fn images_have_one_canonical_position() {
    let mut rng = Rng::new(3);
    for plies in 0..30 {
        let mut game = Qubic::new();
        for _ in 0..plies {
            if let Some(cube) = rng.pick(game.moves()) {
                game.play_unchecked(cube);
            }
        }
        let canonical = game.canonical();
        for &transform in game.symmetries() {
            assert_eq!(game.image(transform).canonical(), canonical, "{game:?}");
        }
    }
    let firsts: HashSet<_> = Qubic::new()
        .moves()
        .map(|cube| Qubic::new().after(cube).canonical().key())
        .collect();
    assert_eq!(firsts.len(), 2, "a rich cube and a poor one");
}

#[test]
fn a_full_cube_is_a_draw() {
    // Random games are tried until one fills the cube; few do.
    let mut rng = Rng::new(1);
    let drawn = (0..100_000).find_map(|_| {
        let mut game = Qubic::new();
        while let Some(cube) = rng.pick(game.moves()) {
            game.play_unchecked(cube);
        }
        (game.plies() == 64 && game.outcome() == Some(Outcome::Draw)).then_some(game)
    });
    let game = drawn.expect("some game is drawn");
    assert!(game.picture().lines.is_empty());
    for index in 0..64 {
        let cube = game.indexed_move(index).expect("a cube");
        assert!(game.owner(cube).is_some());
    }
}

#[test]
fn moves_are_refused_with_a_reason() {
    let mut game = Qubic::new();
    play_text(&mut game, "2c4").expect("the cube is free");
    let taken = Cube::new(2, 3, 1).expect("a cube");
    assert_eq!(game.owner(taken), Some(Side::First));
    let refused = game.play(taken).expect_err("the cube is taken");
    assert_eq!(refused.reason, Reason::Occupied);
    for outside in [(4, 0, 0), (0, 4, 0), (0, 0, 4), (255, 255, 255)] {
        let (column, row, layer) = outside;
        assert_eq!(Cube::new(column, row, layer), None, "{outside:?}");
    }
    for nonsense in ["5a1", "0a1", "1e1", "1a5", "1a0", "a11", "1a", "1a11"] {
        let error = game.parse_move(nonsense).expect_err("no cube");
        assert_eq!(
            error.to_string(),
            format!(
                "{nonsense:?} isn't a move; expected a layer from 1 to 4, a column from a to d and \
                 a row from 1 to 4, as in 2c4"
            )
        );
    }
}
