//! The puzzles that ship with games.

use std::collections::HashSet;
use std::fs;
use std::num::NonZero;

use open_ttt_catalog::{Catalog, DynGame, DynPuzzleFinder, Puzzles, ReadPuzzleError};
use open_ttt_coach::{FastestWin, GameValue, Goal, Judge, MoveValue, fastest_win, only_move};
use open_ttt_lib::rules::{History, Named, TwoPlayerGame};
use open_ttt_players::Turn;
use open_ttt_search::{Budget, StopFlag};

/// The most puzzles of a game that are proved again.
const SAMPLE: usize = 50;

fn all_games() -> impl Iterator<Item = DynGame> {
    let catalog = Catalog::bundled();
    let games: Vec<_> = catalog
        .keys()
        .map(|key| catalog.game(key).expect(key))
        .collect();
    games.into_iter()
}

#[test]
fn every_line_of_the_files_ships() {
    for start in all_games() {
        let file = format!(
            "{}/puzzles/{}.txt",
            env!("CARGO_MANIFEST_DIR"),
            start.name()
        );
        let text = fs::read_to_string(&file).expect(&file);
        let lines = text.lines().filter(|line| !line.starts_with('#')).count();
        assert!(lines > 0, "{file}");
        assert_eq!(start.puzzles().len(), lines, "{file}");
    }
}

#[test]
fn every_shipped_puzzle_is_well_formed_and_none_comes_twice() {
    for start in all_games() {
        let (name, puzzles) = (start.name(), start.puzzles());
        let mut positions = HashSet::new();
        let mut last = 0;
        for index in 0..puzzles.len() {
            let puzzle = puzzles.get(index).expect("an index").expect("a puzzle");
            let mut game = History::new(start.clone());
            for &m in &puzzle.moves {
                game.play(m).expect("a legal move");
            }
            let solver = game.position().to_move();
            assert!(game.position().moves().count() > 1, "{name} {index}");
            assert!(
                positions.insert(game.position().canonical()),
                "{name} {index}"
            );
            for (number, &m) in puzzle.solution.iter().enumerate() {
                let is_solver = game.position().to_move() == solver;
                let is_end = number == 0 || number + 1 == puzzle.solution.len();
                assert!(is_solver || !is_end, "{name} {index}");
                game.play(m).expect("a legal move");
            }
            assert!(puzzle.rating >= last, "{name} {index}: the easiest first");
            last = puzzle.rating;
        }
    }
}

#[test]
fn shipped_puzzles_are_proved_again() {
    for start in all_games() {
        let puzzles = start.puzzles();
        let mut judge = start.judge(NonZero::<usize>::MIN);
        let stop = StopFlag::new();
        for index in (0..puzzles.len()).step_by(puzzles.len().div_ceil(SAMPLE).max(1)) {
            let puzzle = puzzles.get(index).expect("an index").expect("a puzzle");
            let mut game = History::new(start.clone());
            for &m in &puzzle.moves {
                game.play(m).expect("a legal move");
            }
            let right = puzzle.solution[0];
            let what = format!("{} {index}", start.name());
            if puzzle.goal == Goal::FastestWin {
                let budget = Budget::nodes(DynPuzzleFinder::NODES);
                let turn = Turn::of(&game).with_stop(stop.clone());
                let found = judge.fastest_win(&turn, &budget);
                let expected = puzzle.plies.map(|plies| FastestWin { m: right, plies });
                assert_eq!(found, expected, "{what}");
                // A search that tries every move agrees, where there is time for it.
                if puzzle.plies <= Some(3) {
                    let found = fastest_win(&turn, &Budget::nodes(2_000_000));
                    assert_eq!(found, expected, "{what}");
                }
                continue;
            }
            // More, for the judge doesn't know what it knew then.
            let budget = Budget::nodes(400_000);
            let values = judge.judge(&Turn::of(&game), &budget, &mut |_| ());
            if puzzle.goal == Goal::Defend {
                let mut others = values.moves.iter().filter(|value| value.m != right);
                let loses = |value: &MoveValue<_>| value.solved.result == GameValue::Loss;
                assert!(others.all(loses), "{what}");
            } else {
                assert_eq!(only_move(&values), Some((puzzle.goal, right)), "{what}");
            }
        }
    }
}

#[test]
fn every_puzzle_has_its_day() {
    for start in all_games() {
        let puzzles = start.puzzles();
        let count = puzzles.len() as u64;
        let days: HashSet<_> = (0..count).map(|day| puzzles.daily(20_000 + day)).collect();
        assert_eq!(days.len(), puzzles.len());
        assert!(!days.contains(&None));
        assert_eq!(puzzles.daily(5), puzzles.daily(5 + count));
    }
}

#[test]
fn the_nearest_rating_is_found() {
    let start = Catalog::bundled().game("ttt").expect("a game");
    let text = "400 win 1 | a1 | b2\n# a comment\n\n900 draw - | a1 | b2\n1500 win 9 | a1 | b2";
    let puzzles = Puzzles::of_text(&start, text);
    assert_eq!(puzzles.len(), 3);
    for (rating, index) in [(0, 0), (600, 0), (700, 1), (1_300, 2), (9_000, 2)] {
        assert_eq!(puzzles.nearest(rating), Some(index), "{rating}");
    }
    let ranges = (1..=5).map(|stars| puzzles.with_stars(stars));
    assert_eq!(ranges.collect::<Vec<_>>(), [0..1, 1..2, 2..2, 2..3, 3..3]);
    assert_eq!(puzzles.with_stars(u32::MAX), 3..3);
    let second = puzzles.get(1).expect("an index").expect("a puzzle");
    assert_eq!((second.goal, second.plies), (Goal::Draw, None));
    assert!(puzzles.get(3).is_none());
    assert_eq!(start.puzzle_line(&second), "900 draw - | a1 | b2");
}

#[test]
fn a_game_without_puzzles_has_no_puzzle_of_the_day() {
    let start = Catalog::bundled().game("mnk(m=4,n=3,k=3)").expect("a game");
    let puzzles = start.puzzles();
    assert!(puzzles.is_empty());
    assert_eq!((puzzles.daily(3), puzzles.nearest(1_000)), (None, None));
    assert!(puzzles.get(0).is_none());
}

#[test]
fn corrupt_lines_are_told() {
    let start = Catalog::bundled().game("ttt").expect("a game");
    let lines = [
        "x",
        "500 win 1 | a1",
        "500 lose 1 | a1 | b2",
        "many win 1 | a1 | b2",
        "500 win one | a1 | b2",
        "500 win 1 | a1 | ",
        "500 win 1 2 | a1 | b2",
    ];
    for line in lines {
        let error = Puzzles::read(&start, line).expect_err(line);
        assert!(matches!(error, ReadPuzzleError::Malformed { .. }), "{line}");
    }
    let error = Puzzles::read(&start, "500 win 1 | a1 a1 | b2").expect_err("taken");
    assert!(matches!(error, ReadPuzzleError::Moves(_)), "{error}");
    let long = format!("500 win 1 | {} | b2", "a1 ".repeat(3_000));
    let error = Puzzles::read(&start, &long).expect_err("too long");
    assert!(matches!(error, ReadPuzzleError::Malformed { .. }));
}

#[test]
fn puzzles_are_looked_for_in_every_game() {
    for start in all_games() {
        let mut finder = start.puzzle_finder();
        let stop = StopFlag::new();
        stop.raise();
        assert!(finder.game(2, &Budget::UNLIMITED, &stop).is_empty());
    }
}

#[test]
fn the_same_seed_gives_the_same_puzzles() {
    let start = Catalog::bundled().game("ttt").expect("a game");
    let find = || {
        let mut finder = start.puzzle_finder();
        let mut of = |seed| finder.game(seed, &Budget::UNLIMITED, &StopFlag::new());
        (0..10).map(&mut of).collect::<Vec<_>>()
    };
    let found = find();
    assert_eq!(found, find());
    assert!(found.iter().flatten().count() > 3);
}
