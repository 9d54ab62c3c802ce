//! Naive implementations of the games: letters on a grid, with every line checked
//! after every move.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Debug;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{CompactKey, Drawing, Notation, Outcome, Place, Side};

use super::plain::PlainMoves;

/// A slow and simple implementation of a game and its picture.
pub(super) trait Naive: PlainMoves {
    fn outcome(&self) -> Option<Outcome>;
    /// The owner of every cell.
    fn cells(&self) -> BTreeMap<Place, Option<Side>>;
    /// The lines that won or scored, each with its places sorted.
    fn lines(&self) -> Vec<(Side, Vec<Place>)>;
    fn points(&self) -> Option<[u32; 2]>;
}

/// The numbers of different positions after each number of moves, checked to have
/// different keys.
#[track_caller]
pub(super) fn positions_by_ply<G: CompactKey + Debug>(start: &G, plies: usize) -> Vec<usize> {
    let mut counts = Vec::new();
    let mut positions = HashSet::from([start.clone()]);
    let mut all_keys = HashSet::new();
    for _ in 0..=plies {
        counts.push(positions.len());
        for position in &positions {
            assert!(
                all_keys.insert(position.key()),
                "a shared key: {position:?}"
            );
        }
        positions = positions
            .iter()
            .flat_map(|position| position.moves().map(|m| position.after(m)))
            .collect();
    }
    counts
}

/// Plays random games on both boards and compares everything after every move.
#[track_caller]
pub(super) fn check_games<G, N>(start: &G, naive: &N, games: u64)
where
    G: Notation + Drawing + Debug,
    N: Naive,
{
    for seed in 0..games {
        let mut rng = Rng::new(seed);
        let (mut game, mut naive) = (start.clone(), naive.clone());
        check_same(&game, &naive);
        while let Some(text) = rng.pick(naive.moves()) {
            let m = game.parse_move(&text);
            let m = m.unwrap_or_else(|error| panic!("{error}"));
            game.play(m).unwrap();
            naive.play(&text);
            check_same(&game, &naive);
        }
        assert!(game.outcome().is_some(), "the game goes on: {game:?}");
    }
}

#[track_caller]
fn check_same<G, N>(game: &G, naive: &N)
where
    G: Notation + Drawing + Debug,
    N: Naive,
{
    assert_eq!(game.outcome(), naive.outcome(), "{game:?}");
    let mut moves: Vec<_> = game.moves().map(|m| game.move_text(m)).collect();
    let mut expected = naive.moves();
    moves.sort();
    expected.sort();
    assert_eq!(moves, expected, "{game:?}");

    let picture = game.picture();
    let cells: BTreeMap<_, _> = picture.cells.iter().map(|c| (c.place, c.owner())).collect();
    assert_eq!(cells, naive.cells(), "{game:?}");
    assert_eq!(picture.points, naive.points(), "{game:?}");
    let mut lines = Vec::new();
    for line in picture.lines {
        assert_straight(&line.places);
        let mut places = line.places;
        places.sort();
        let side = line.side.expect("the pieces of a line have a side");
        lines.push((side, places));
    }
    lines.sort();
    let mut expected = naive.lines();
    expected.sort();
    assert_eq!(lines, expected, "{game:?}");
}

/// Checks that the places of a line are in order.
#[track_caller]
fn assert_straight(places: &[Place]) {
    let step = |pair: &[Place]| {
        let along = |to: u8, from: u8| i32::from(to) - i32::from(from);
        (
            along(pair[1].x, pair[0].x),
            along(pair[1].y, pair[0].y),
            along(pair[1].z, pair[0].z),
        )
    };
    let steps: Vec<_> = places.windows(2).map(step).collect();
    assert!(steps.windows(2).all(|s| s[0] == s[1]), "{places:?}");
}

/// A flat board of letters: `X` for the first side, `O` for the second and `.`
/// for a free cell, `grid[row][column]` with row 0 at the bottom.
#[derive(Clone)]
pub(super) struct Grid {
    pub(super) grid: Vec<Vec<char>>,
}

impl Grid {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self {
            grid: vec![vec!['.'; columns]; rows],
        }
    }

    pub(super) fn count(&self, letter: char) -> usize {
        self.grid.iter().flatten().filter(|&&c| c == letter).count()
    }

    /// The letter of the side to move.
    pub(super) fn turn(&self) -> char {
        if self.count('X') == self.count('O') {
            'X'
        } else {
            'O'
        }
    }

    /// Every maximal straight line of the board.
    pub(super) fn all_lines(&self) -> Vec<Vec<(usize, usize)>> {
        let (rows, columns) = (self.grid.len(), self.grid[0].len());
        let on_board: Vec<_> = (0..columns)
            .flat_map(|column| (0..rows).map(move |row| (column, row)))
            .collect();
        // The row, the column, the difference or the sum is constant on a line.
        let mut lines: BTreeMap<(u8, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for &(column, row) in &on_board {
            for (kind, number) in [row, column, column + rows - row, column + row]
                .into_iter()
                .enumerate()
            {
                let line = lines.entry((kind as u8, number)).or_default();
                line.push((column, row));
            }
        }
        lines.into_values().collect()
    }

    /// Maximal runs of one letter with at least `shortest` cells.
    pub(super) fn runs(&self, shortest: usize) -> Vec<(char, Vec<(usize, usize)>)> {
        let mut runs = Vec::new();
        for line in self.all_lines() {
            let same =
                |a: &(usize, usize), b: &(usize, usize)| self.grid[a.1][a.0] == self.grid[b.1][b.0];
            for run in line.chunk_by(same) {
                let letter = self.grid[run[0].1][run[0].0];
                if letter != '.' && run.len() >= shortest {
                    runs.push((letter, run.to_vec()));
                }
            }
        }
        runs
    }

    pub(super) fn cells(&self) -> BTreeMap<Place, Option<Side>> {
        let mut cells = BTreeMap::new();
        for (y, row) in self.grid.iter().enumerate() {
            for (x, &letter) in row.iter().enumerate() {
                cells.insert(Place::flat(x as u8, y as u8), side(letter));
            }
        }
        cells
    }
}

/// The side a letter stands for.
pub(super) fn side(letter: char) -> Option<Side> {
    match letter {
        'X' => Some(Side::First),
        'O' => Some(Side::Second),
        _ => None,
    }
}

/// The places of cells on a flat board, sorted.
pub(super) fn places(cells: &[(usize, usize)]) -> Vec<Place> {
    let mut places: Vec<_> = cells
        .iter()
        .map(|&(x, y)| Place::flat(x as u8, y as u8))
        .collect();
    places.sort();
    places
}
