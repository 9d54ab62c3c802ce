//! Retrograde solving, layer by layer.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::env;
use std::num::NonZero;

use crate::positions::reachable;
use open_ttt_lib::games::{LineSet, Pegs};
use open_ttt_lib::rules::{
    BoardFilling, CompactKey, Margin, Notation, OpeningBook, Outcome, Side, Symmetry,
    TwoPlayerGame, play_text,
};
use open_ttt_search::{
    LayerOptions, Points, Score, SolveError, StopFlag, TooLarge, analyze_by_layers, solve,
    solve_by_layers,
};

/// Bricks on three columns of unequal height. Each two adjacent bricks of one side
/// are a point. If `ends_early`, the game ends when the lowest column is full.
///
/// ```text
///  2 .   .
///  1 . . .
///  0 . . .
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wall {
    bricks: [u64; 2],
    begins: Side,
    ends_early: bool,
}

const HEIGHTS: [u32; 3] = [3, 2, 3];

impl Wall {
    fn new(begins: Side, ends_early: bool) -> Self {
        Self {
            bricks: [0; 2],
            begins,
            ends_early,
        }
    }

    /// The number of bricks on a column. A column has four bits.
    fn height(&self, column: usize) -> u32 {
        ((self.bricks[0] | self.bricks[1]) >> (4 * column) & 7).count_ones()
    }
}

impl TwoPlayerGame for Wall {
    type Move = usize;
    const ALTERNATES: bool = true;

    fn to_move(&self) -> Side {
        let plies = (self.bricks[0] | self.bricks[1]).count_ones();
        match self.begins {
            Side::First => Side::after(plies),
            Side::Second => !Side::after(plies),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let over = self.moves().next().is_none();
        over.then(|| Outcome::from_margin(self.margin()))
    }

    fn moves(&self) -> impl Iterator<Item = usize> {
        let over = self.ends_early && self.height(1) == HEIGHTS[1];
        (0..3).filter(move |&column| !over && self.height(column) < HEIGHTS[column])
    }

    fn play_unchecked(&mut self, column: usize) {
        self.bricks[self.to_move().index()] |= 1 << (4 * column as u32 + self.height(column));
    }
}

impl Margin for Wall {
    fn margin(&self) -> i32 {
        self.margin_of(self.bricks)
    }
}

impl BoardFilling for Wall {
    fn pieces(&self) -> [u64; 2] {
        self.bricks
    }

    fn margin_of(&self, pieces: [u64; 2]) -> i32 {
        let [first, second] = pieces.map(|bricks| {
            let above = bricks & bricks >> 1;
            let beside = bricks & bricks >> 4;
            (above.count_ones() + beside.count_ones()) as i32
        });
        first - second
    }
}

fn threads(number: usize) -> LayerOptions {
    LayerOptions {
        threads: NonZero::new(number).unwrap(),
        ..LayerOptions::default()
    }
}

/// Every position that can be reached has the score that `solve` gives it, and so
/// does every move.
#[track_caller]
fn check_against_solve(start: &Wall) {
    let expected = solve(start, &Points, 1_000_000, &StopFlag::new()).unwrap();
    let mut margins = HashMap::new();
    let positions = reachable(start);
    let solution = solve_by_layers(start, &threads(1), &StopFlag::new(), |layer| {
        for game in &positions {
            if let Some(margin) = layer.final_margin(game) {
                let before = margins.insert(game.clone(), margin);
                assert_eq!(before, None, "{game:?} is in two layers");
            }
        }
    })
    .unwrap();
    assert_eq!(margins.len(), positions.len());
    for (game, margin) in margins {
        let for_mover = match game.to_move() {
            Side::First => margin,
            Side::Second => -margin,
        };
        let score = Score::evaluation(for_mover);
        assert_eq!(expected.score(&game), Some(score), "{game:?}");
    }
    assert_eq!(expected.score(start), Some(solution.score));
    assert_eq!(expected.moves(start), Some(solution.moves));
    assert!(solution.positions >= positions.len());
}

#[test]
fn a_small_game_has_the_scores_of_exhaustive_search() {
    for begins in Side::BOTH {
        for ends_early in [false, true] {
            let start = Wall::new(begins, ends_early);
            check_against_solve(&start);
            for m in start.moves() {
                check_against_solve(&start.after(m));
                check_against_solve(&start.after(m).after(m));
            }
        }
    }
}

#[test]
fn a_finished_game_has_its_margin() {
    let mut game = Wall::new(Side::First, true);
    for column in [0, 1, 0, 1] {
        game.play(column).unwrap();
    }
    let solution = solve_by_layers(&game, &threads(1), &StopFlag::new(), |layer| {
        assert_eq!((layer.plies(), layer.positions()), (0, 1));
        // A position that cannot be reached is in no layer.
        let start = Wall::new(Side::First, true);
        assert_eq!(layer.final_margin(&start), None);
    });
    let solution = solution.unwrap();
    assert_eq!(solution.score, Score::DRAW);
    assert_eq!((solution.moves.len(), solution.positions), (0, 1));
}

/// Each layer contains all positions with the right number of pieces of each side,
/// none twice.
#[test]
fn layers_are_numbered_without_gaps() {
    let mut game = Pegs::new();
    play_text(&mut game, "ABCD EFGH").unwrap();
    let mut sum = 0;
    let solution = solve_by_layers(&game, &threads(1), &StopFlag::new(), |layer| {
        let mut pieces = HashSet::new();
        for (index, (position, margin)) in layer.margins().enumerate() {
            assert_eq!(layer.margin_of(position), Some(margin), "{index}");
            let [first, second] = position;
            let [red, white] = game.pieces();
            assert_eq!(
                (first & second, first & red, second & white),
                (0, red, white)
            );
            assert!(index % 16 != 0 || pieces.insert(position), "{index} twice");
        }
        // Two pieces fit on each of eight pegs.
        let stacks = stackings(8, 2, layer.plies());
        let colours = choose(layer.plies(), layer.plies() / 2);
        assert_eq!(layer.positions(), stacks * colours);
        sum += layer.positions();
        assert!(sum <= layer.total_positions());
    });
    assert_eq!(solution.unwrap().positions, sum);
}

/// The number of ways to put pieces on stacks of this height.
fn stackings(stacks: u32, height: u32, pieces: u32) -> usize {
    match stacks {
        0 => usize::from(pieces == 0),
        _ => (0..=height.min(pieces))
            .map(|on_first| stackings(stacks - 1, height, pieces - on_first))
            .sum(),
    }
}

fn choose(n: u32, k: u32) -> usize {
    (0..k as usize).fold(1, |ways, i| ways * (n as usize - i) / (i + 1))
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let mut game = Pegs::with_lines(LineSet::ThirtyEight);
    play_text(&mut game, "ABCDEF").unwrap();
    let all = |number| {
        let mut layers = Vec::new();
        let solution = solve_by_layers(&game, &threads(number), &StopFlag::new(), |layer| {
            let sum = layer.margins().fold(0_u64, |sum, (_, margin)| {
                sum.wrapping_mul(31)
                    .wrapping_add(i64::from(margin).cast_unsigned())
            });
            layers.push(sum);
        });
        (solution.unwrap(), layers)
    };
    assert_eq!(all(1), all(2));
    assert_eq!(all(1), all(5));
}

#[test]
fn solving_can_be_stopped() {
    let stop = StopFlag::new();
    let mut layers = 0;
    let stopped = solve_by_layers(&Pegs::new(), &threads(2), &stop, |layer| {
        layers += 1;
        if layer.plies() == 23 {
            stop.raise();
        }
    });
    assert_eq!(stopped, Err(SolveError::Stopped));
    assert_eq!(layers, 2);
    let at_once = solve_by_layers(&Pegs::new(), &threads(1), &stop, |_| {});
    assert_eq!(at_once.unwrap_err().to_string(), "solving was stopped");
}

#[test]
fn a_game_with_too_many_positions_is_refused() {
    let solve = |max_positions| {
        let options = LayerOptions {
            max_positions,
            ..LayerOptions::default()
        };
        let wall = Wall::new(Side::First, false);
        solve_by_layers(&wall, &options, &StopFlag::new(), |_| {})
    };
    let positions = solve(10_000).unwrap().positions;
    assert!(solve(positions).is_ok());
    let max_positions = positions - 1;
    let error = solve(max_positions).unwrap_err();
    assert_eq!(error, SolveError::TooLarge(TooLarge { max_positions }));
    let sentence = format!("the game has more than {max_positions} positions");
    assert_eq!(error.to_string(), sentence);
}

/// Every position that a game can reach in at most this many plies.
fn openings(start: Pegs, plies: u32) -> HashSet<Pegs> {
    let mut seen = HashSet::from([start]);
    let mut layer = seen.clone();
    for _ in 0..plies {
        let next = layer
            .iter()
            .flat_map(|game| game.moves().map(|m| game.after(m)));
        layer = next.collect();
        seen.extend(&layer);
    }
    seen
}

/// Solves the pegs and compares the solution with positions from an exhaustive
/// solver, confirmed by a second one, and with the game's opening book.
#[track_caller]
fn check_pegs(line_set: LineSet, table: &str, first_moves: [i32; 8]) {
    let start = Pegs::with_lines(line_set);
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    let mut rows: Vec<(Pegs, i32, &str)> = rows
        .map(|row| {
            let columns: Vec<_> = row.split('\t').collect();
            let mut game = start;
            play_text(&mut game, columns[0].trim_start_matches('-')).unwrap();
            (game, columns[1].parse().unwrap(), columns[2])
        })
        .collect();
    rows.sort_by_key(|(game, ..)| game.plies());
    let openings = openings(start, Pegs::BOOK_PLIES + 1);
    let mut checked = 0;
    let mut known = 0;
    let mut largest = 0;
    let solution = solve_by_layers(&start, &threads(2), &StopFlag::new(), |layer| {
        largest = largest.max(layer.positions());
        for (game, margin, best) in &rows {
            if game.plies() == layer.plies() {
                assert_eq!(layer.final_margin(game), Some(*margin), "{game:?}");
                checked += 1;
            }
            if game.plies() + 1 == layer.plies() {
                let keeps = |&m: &_| layer.final_margin(&game.after(m)) == Some(*margin);
                let moves = game.moves().filter(keeps);
                let moves: String = moves.map(|m| game.move_text(m)).collect();
                assert_eq!(moves, *best, "{game:?}");
            }
        }
        for game in &openings {
            if game.plies() == layer.plies() && layer.plies() <= Pegs::BOOK_PLIES {
                assert_eq!(game.book_value(), layer.final_margin(game), "{game:?}");
                known += 1;
            }
            if game.plies() > Pegs::BOOK_PLIES {
                assert_eq!(game.book_value(), None);
            }
        }
    })
    .unwrap();
    assert_eq!(checked, 500);
    assert!(known > 1_000, "only {known} positions are known");
    assert_eq!(solution.positions, 471_154_453);
    assert_eq!(largest, 69_429_360);
    let best = first_moves.iter().max().copied().unwrap();
    assert_eq!(solution.score, Score::evaluation(best));
    assert_eq!(solution.moves.len(), 8);
    for (m, score) in solution.moves {
        let expected = first_moves[usize::from(m.index())];
        assert_eq!(score, Score::evaluation(expected), "{m:?}");
    }
}

#[test]
fn pegs_with_34_lines_are_solved() {
    let table = include_str!("../../../open_ttt_lib/tests/it/data/positions_34.tsv");
    check_pegs(LineSet::ThirtyFour, table, [-1, -1, -1, -3, -3, -1, -1, -1]);
}

#[test]
fn pegs_with_38_lines_are_solved() {
    let table = include_str!("../../../open_ttt_lib/tests/it/data/positions_38.tsv");
    check_pegs(
        LineSet::ThirtyEight,
        table,
        [-2, -2, -2, -3, -3, -2, -2, -2],
    );
}

/// Compares the opening book of the pegs with their solution; with the environment
/// variable `UPDATE`, writes it.
#[test]
#[ignore = "solves the pegs twice; cargo xtask test runs it"]
fn the_book_of_the_pegs_is_correct() {
    let mut book: BTreeMap<u32, [i8; 2]> = BTreeMap::new();
    for (column, line_set) in [LineSet::ThirtyFour, LineSet::ThirtyEight]
        .into_iter()
        .enumerate()
    {
        let start = Pegs::with_lines(line_set);
        let openings = openings(start, Pegs::BOOK_PLIES);
        solve_by_layers(&start, &threads(2), &StopFlag::new(), |layer| {
            for game in openings.iter().filter(|game| game.plies() == layer.plies()) {
                let margin = layer.final_margin(game).unwrap();
                let key = u32::try_from(game.canonical().key()).unwrap();
                book.entry(key).or_default()[column] = i8::try_from(margin).unwrap();
            }
        })
        .unwrap();
    }
    let bytes: Vec<u8> = book
        .iter()
        .flat_map(|(key, margins)| {
            let margins = margins.map(i8::cast_unsigned);
            key.to_le_bytes().into_iter().chain(margins)
        })
        .collect();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../open_ttt_lib/src/games/pegs/book.bin"
    );
    if env::var_os("UPDATE").is_some() {
        std::fs::write(path, &bytes).unwrap();
    }
    let how = "to update it: cargo xtask book";
    assert!(
        std::fs::read(path).unwrap() == bytes,
        "book.bin differs; {how}"
    );
}

/// Compares margin, best moves and principal variation with positions from an
/// exhaustive solver.
#[track_caller]
fn check_analysis(line_set: LineSet, table: &str) {
    let stop = StopFlag::new();
    let mut checked = 0;
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let columns: Vec<_> = row.split('\t').collect();
        let mut game = Pegs::with_lines(line_set);
        play_text(&mut game, columns[0]).unwrap();
        let margin: i32 = columns[1].parse().unwrap();
        let result = analyze_by_layers(&game, &stop).unwrap();
        let for_mover = match game.to_move() {
            Side::First => margin,
            Side::Second => -margin,
        };
        assert_eq!(result.score, Score::evaluation(for_mover), "{row}");
        let best: String = result.best.iter().map(|&m| game.move_text(m)).collect();
        assert_eq!(best, columns[2], "{row}");
        let mut at = game;
        for &m in &result.principal_variation {
            at.play(m).unwrap();
        }
        assert!(at.outcome().is_some(), "{row}");
        assert_eq!(at.margin(), margin, "where the line ends: {row}");
        checked += 1;
    }
    assert_eq!(checked, 500);
}

#[test]
fn known_positions_with_34_lines_are_analyzed() {
    check_analysis(
        LineSet::ThirtyFour,
        include_str!("../../../open_ttt_lib/tests/it/data/positions_34.tsv"),
    );
}

#[test]
fn known_positions_with_38_lines_are_analyzed() {
    check_analysis(
        LineSet::ThirtyEight,
        include_str!("../../../open_ttt_lib/tests/it/data/positions_38.tsv"),
    );
}

#[test]
fn a_stopped_analysis_is_an_error() {
    let stop = StopFlag::new();
    stop.raise();
    let mut game = Pegs::new();
    play_text(&mut game, "ABCDEFGH").unwrap();
    assert_eq!(analyze_by_layers(&game, &stop), Err(SolveError::Stopped));
}
