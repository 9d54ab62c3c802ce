//! Games and players chosen at run time.

use std::collections::HashSet;
use std::num::NonZero;
use std::time::Duration;

use open_ttt_catalog::{AnalysisResult, Catalog, DynGame, PlayerSpec, SolveProgress};
use open_ttt_coach::GameValue;
use open_ttt_lib::games::{Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    History, IndexedMoves, Notation, Outcome, Reason, Side, Symmetry, TwoPlayerGame, perft,
    play_text,
};
use open_ttt_search::{Budget, Clock, SolveError, StopFlag};

pub(crate) const ONE: NonZero<usize> = NonZero::<usize>::MIN;

pub(crate) fn clock() -> Clock {
    Clock::new(|| Duration::ZERO)
}

pub(crate) fn analyze(name: &str, moves: &str) -> (DynGame, open_ttt_catalog::AnalysisResult) {
    let mut game = Catalog::bundled().game(name).unwrap();
    play_text(&mut game, moves).unwrap();
    let analysis = game.analyze(ONE, &Budget::UNLIMITED, &StopFlag::new());
    (game, analysis)
}

#[test]
fn every_game_is_found_by_its_key_and_explained() {
    let keys: Vec<_> = Catalog::bundled()
        .games()
        .iter()
        .map(|entry| entry.key)
        .collect();
    assert_eq!(
        keys,
        [
            "ttt", "pegs", "connect4", "mnk", "qubic", "ultimate", "reversi", "dots", "hex",
            "lines", "quarto", "draughts", "morris"
        ]
    );
    for entry in Catalog::bundled().games() {
        let game = Catalog::bundled().game(entry.key).unwrap();
        assert_eq!(game.entry().title, entry.title);
        assert_eq!(game.entry().rules, entry.rules);
        assert!(entry.rules.lines().all(|line| line.chars().count() < 80));
        assert!(game.strongest().parse::<PlayerSpec>().is_ok());
    }
}

/// The laws of all traits that a catalog asks for, for every game in it, as a game chosen at
/// run time: `open_ttt_lib` checks the games in their own types.
#[test]
fn every_game_obeys_the_laws() {
    for entry in Catalog::bundled().games() {
        let game = Catalog::bundled().game(entry.key).unwrap();
        Laws::of(&game)
            .rules()
            .notation()
            .drawing()
            .indexed_moves()
            .encode()
            .encode_images()
            .symmetry();
        // Men move forwards, and the sides don't change places.
        let has_none = entry.key == "draughts";
        assert_eq!(game.symmetries().len() == 1, has_none, "{}", entry.key);
    }
}

#[test]
fn a_wrong_name_is_answered_with_what_is_allowed() {
    #[track_caller]
    fn check(name: &str, expected: &str) {
        let error = Catalog::bundled().game(name).unwrap_err();
        assert_eq!(error.to_string(), expected, "{name}");
    }
    check(
        "chess",
        r#"unknown game "chess"; expected ttt, pegs, connect4, mnk, qubic, ultimate, reversi, dots, hex, lines, quarto, draughts, morris"#,
    );
    check("", r#""" is not of the form name or name(key=value,...)"#);
    check("ttt(x=1)", r#"ttt has no parameter "x"; it takes none"#);
    check("pegs(lines=35)", "pegs: lines must be 34 or 38, not 35");
    check(
        "pegs(lines=many)",
        r#"pegs: lines must be 34 or 38, not "many""#,
    );
    check("mnk(m=0)", "mnk: m must be 1 to 19, not 0");
    check("mnk(k=99)", "mnk: k must be 1 to 19, not 99");
    check(
        "mnk(m=3,n=4,k=5)",
        "mnk: k must be 1 to 4, the longer side of the board, not 5",
    );
    check("mnk(q=3)", r#"mnk has no parameter "q"; it takes m, n, k"#);
    check(
        "mnk(m=3",
        r#""mnk(m=3" is not of the form name or name(key=value,...)"#,
    );
    check(
        "mnk(m=3,m=3)",
        r#""mnk(m=3,m=3)" is not of the form name or name(key=value,...)"#,
    );
    let long = "x".repeat(1 << 20);
    assert!(
        Catalog::bundled()
            .game(&long)
            .unwrap_err()
            .to_string()
            .len()
            < 100
    );
}

#[test]
fn a_game_chosen_at_run_time_is_the_game_itself() {
    let mut known = Pegs::new();
    let mut chosen = Catalog::bundled().game("pegs").unwrap();
    for text in "ABCDEFGHAACCHHEE".chars().map(String::from) {
        assert_eq!(chosen.to_move(), known.to_move());
        assert_eq!(chosen.outcome(), known.outcome());
        let texts = |dynamic: &DynGame| -> Vec<_> {
            dynamic.moves().map(|m| dynamic.move_text(m)).collect()
        };
        let known_texts: Vec<_> = known.moves().map(|m| known.move_text(m)).collect();
        assert_eq!(texts(&chosen), known_texts);
        assert_eq!(chosen.downcast_ref::<Pegs>(), Some(&known));
        chosen.play(chosen.parse_move(&text).unwrap()).unwrap();
        known.play(known.parse_move(&text).unwrap()).unwrap();
    }
    assert!(chosen.downcast_ref::<TicTacToe>().is_none());
    assert_eq!(chosen.perft(3), perft(&known, 3));
    assert_eq!(chosen.perft(0), 1);
    let full = chosen.parse_move("A").unwrap();
    assert_eq!(chosen.check(full).unwrap_err().reason, Reason::Full);
}

#[test]
fn different_games_are_different_values() {
    let names = [
        "ttt",
        "pegs",
        "pegs(lines=38)",
        "connect4",
        "mnk",
        "mnk(m=3,n=3,k=3)",
        "qubic",
        "ultimate",
        "reversi",
        "reversi(size=4)",
        "dots",
        "hex",
        "hex(size=11,swap=0)",
    ];
    let games: HashSet<_> = names
        .iter()
        .map(|name| Catalog::bundled().game(name).unwrap())
        .collect();
    assert_eq!(games.len(), names.len());
    assert_ne!(
        Catalog::bundled().game("ttt").unwrap(),
        Catalog::bundled().game("connect4").unwrap()
    );
}

#[test]
fn a_move_of_another_game_is_refused() {
    let large = Catalog::bundled().game("mnk").unwrap();
    let last = large.moves().last().unwrap();
    let mut small = Catalog::bundled().game("ttt").unwrap();
    assert_eq!(small.play(last).unwrap_err().reason, Reason::OffBoard);
    assert_eq!(small.indexed_move(9), None);
    play_text(&mut small, "a1 b1 a2 b2 a3").unwrap();
    assert_eq!(small.play(last).unwrap_err().reason, Reason::GameOver);
}

#[test]
fn an_analysis_tells_the_side_to_move_what_it_has() {
    let (_, analysis) = analyze("ttt", "");
    assert_eq!(analysis.value.result, GameValue::Draw);
    assert_eq!(
        (analysis.value.plies, analysis.value.margin),
        (Some(9), None)
    );
    assert_eq!(analysis.best.len(), 9);
    assert_eq!(analysis.principal_variation.len(), 9);
    assert!(analysis.exact && analysis.nodes > 0);
    assert_eq!(analysis.to_move, Side::First);

    let (game, analysis) = analyze("ttt", "a1 b1 a2 b2");
    assert_eq!(
        (analysis.value.result, analysis.value.plies),
        (GameValue::Win, Some(1))
    );
    let best: Vec<_> = analysis.best.iter().map(|&m| game.move_text(m)).collect();
    assert_eq!(best, ["a3"]);

    let (_, analysis) = analyze("ttt", "a1 b1 a2 b2 a3");
    assert_eq!(
        (analysis.value.result, analysis.value.plies),
        (GameValue::Loss, Some(0))
    );
    assert!(analysis.exact && analysis.best.is_empty() && analysis.principal_variation.is_empty());

    // The colours alternate up each peg: five lines each, counted by hand.
    let (_, analysis) = analyze("pegs", "AAABBBCCCDDDEEEFFFGGGHHH");
    assert!(analysis.exact);
    assert_eq!(analysis.value.result, GameValue::Draw);
    assert_eq!(
        (analysis.value.plies, analysis.value.margin),
        (Some(0), Some(0))
    );
}

/// Oren Patashnik, "Qubic: 4x4x4 tic-tac-toe", 1980: the first player wins.
#[test]
fn qubic_is_known_to_be_won_but_not_how_soon() {
    let (game, analysis) = analyze("qubic", "");
    assert_eq!((analysis.to_move, analysis.exact), (Side::First, true));
    let value = analysis.value;
    assert_eq!((value.result, value.plies), (GameValue::Win, None));
    assert_eq!(analysis.best.len(), 1);
    assert_eq!(analysis.principal_variation, analysis.best);

    // Each corner is as good as the other; no reply helps.
    let after = analysis.best[0];
    for moves in [game.move_text(after), "4d4".to_owned()] {
        let (_, analysis) = analyze("qubic", &moves);
        assert_eq!((analysis.to_move, analysis.exact), (Side::Second, true));
        let value = analysis.value;
        assert_eq!((value.result, value.plies), (GameValue::Loss, None));
        assert_eq!(analysis.best.len(), 63);
        assert_eq!(analysis.principal_variation.len(), 1);
    }

    let mut unknown = game;
    play_text(&mut unknown, "1b1").unwrap();
    let analysis = unknown.analyze(ONE, &Budget::depth(1), &StopFlag::new());
    assert!(!analysis.exact);
}

#[test]
fn what_is_not_proved_is_called_unknown() {
    let mut game = Catalog::bundled().game("connect4").unwrap();
    // After the opening book.
    play_text(&mut game, "712267261").unwrap();
    let analysis = game.analyze(ONE, &Budget::nodes(1_000), &StopFlag::new());
    assert!(!analysis.exact);
    assert_eq!(analysis.value.result, GameValue::Unknown);
    assert_eq!((analysis.value.plies, analysis.value.margin), (None, None));
    assert!(!analysis.best.is_empty(), "the guess so far");
}

/// What the moves of a game are worth to the side to move, solved outright.
#[track_caller]
fn check_solved(name: &str, moves: &str, worth: (GameValue, Option<i32>), best: &str) {
    let mut game = Catalog::bundled().game(name).unwrap();
    play_text(&mut game, moves).unwrap();
    assert!(game.can_be_solved());
    let mut last = None;
    let threads = NonZero::new(2).unwrap();
    let solved = game.solve(threads, &StopFlag::new(), |progress| last = Some(progress));
    let solved = solved.unwrap().unwrap();
    assert_eq!((solved.value.result, solved.value.margin), worth);
    assert_eq!(solved.to_move, game.to_move());
    assert_eq!(solved.moves.len(), game.moves().count());
    let kept = solved.moves.iter().filter(|(_, w)| *w == solved.value);
    let kept: Vec<_> = kept.map(|&(m, _)| game.move_text(m)).collect();
    assert_eq!(kept.join(" "), best);
    assert_eq!(solved.moves[0].1, solved.value);
    if let Some(SolveProgress {
        solved: all,
        positions,
    }) = last
    {
        assert_eq!((all, positions), (solved.positions, Some(solved.positions)));
    }

    let stop = StopFlag::new();
    stop.raise();
    let stopped = game.solve(threads, &stop, |_| {});
    assert_eq!(stopped, Some(Err(SolveError::Stopped)));
}

#[test]
fn games_are_solved_outright() {
    check_solved("ttt", "a1", (GameValue::Draw, None), "b2");
    check_solved("ttt", "a1 b1 a2 b2", (GameValue::Win, None), "a3");
    check_solved("pegs", "ABCD", (GameValue::Loss, Some(-1)), "D");
    check_solved(
        "mnk(m=2,n=2,k=2)",
        "",
        (GameValue::Win, None),
        "a1 b1 a2 b2",
    );
}

#[test]
fn games_with_passes_extra_turns_and_swaps_are_solved() {
    check_solved(
        "reversi(size=4)",
        "",
        (GameValue::Loss, Some(-8)),
        "b1 a2 d3 c4",
    );
    // The second side has completed a box and moves again.
    check_solved(
        "dots(m=2,n=1)",
        "a1-b1 a2-b2 a1-a2 b1-b2",
        (GameValue::Win, Some(2)),
        "b1-c1 b2-c2 c1-c2",
    );
    // The second side swaps the best openings.
    check_solved("hex(size=3)", "b2", (GameValue::Win, None), "swap");
}

/// A draw by going on for ever has no last move.
#[test]
fn an_endless_draw_takes_no_number_of_moves() {
    let start = Catalog::bundled().game("morris(men=3)").unwrap();
    let solved = start.solve(ONE, &StopFlag::new(), |_| {}).unwrap().unwrap();
    assert_eq!(solved.value.result, GameValue::Win);
    let mut drawn = 0;
    for (m, value) in solved.moves {
        let (game, analysis) = analyze("morris(men=3)", &start.move_text(m));
        assert!(analysis.exact, "{game:?}");
        // The value of a move is for the side that makes it.
        let expected = match value.result {
            GameValue::Win => GameValue::Loss,
            GameValue::Loss => GameValue::Win,
            other => other,
        };
        assert_eq!(analysis.value.result, expected, "{game:?}");
        if expected == GameValue::Draw {
            assert_eq!(
                (value.plies, analysis.value.plies),
                (None, None),
                "{game:?}"
            );
            drawn += 1;
        } else {
            assert!(analysis.value.plies.is_some(), "{game:?}");
        }
    }
    assert!(drawn > 0);
}

#[test]
fn large_games_are_not_solved_outright() {
    for name in ["connect4", "mnk", "ultimate", "reversi", "dots", "hex"] {
        let game = Catalog::bundled().game(name).unwrap();
        assert!(!game.can_be_solved());
        let solved = game.solve(ONE, &StopFlag::new(), |_| {});
        assert_eq!(solved, None);
    }
}

#[test]
fn what_can_be_proved_is_known() {
    for (name, can) in [
        ("ttt", true),
        ("pegs(lines=38)", true),
        ("connect4", true),
        ("mnk(m=4,n=3,k=3)", true),
        ("mnk(m=12,n=1,k=3)", true),
        ("mnk(m=13,n=1,k=3)", false),
        ("mnk", false),
        ("qubic", false),
        ("ultimate", false),
        ("reversi(size=4)", true),
        ("reversi(size=6)", false),
        ("dots(m=2,n=2)", true),
        ("dots(m=3,n=2)", false),
        ("hex(size=3)", true),
        ("hex(size=4)", false),
    ] {
        let game = Catalog::bundled().game(name).unwrap();
        assert_eq!(game.can_be_proved(), can, "{name}");
    }
    for name in [
        "mnk(m=4,n=3,k=3)",
        "mnk(m=3,n=4,k=4)",
        "mnk(m=6,n=2,k=3)",
        "reversi(size=4)",
        "dots(m=2,n=2)",
        "dots(m=5,n=1)",
        "hex(size=3)",
    ] {
        assert!(analyze(name, "").1.exact, "{name}");
    }
}

/// What is exact does not depend on the threads that found it out.
#[test]
fn an_analysis_is_the_same_on_any_number_of_threads() {
    for (name, moves) in [
        ("connect4", "44444325221"),
        ("connect4", "2252576253462244"),
        ("mnk(m=4,n=3,k=3)", ""),
        ("mnk(m=5,n=4,k=4)", "c2 c3 b2 d2"),
        ("pegs", "ABCDEFGHAB"),
        ("ttt", "a1"),
    ] {
        let (game, alone) = analyze(name, moves);
        assert!(alone.exact);
        let threads = NonZero::new(3).unwrap();
        let together = game.analyze(threads, &Budget::UNLIMITED, &StopFlag::new());
        assert_eq!(together.best, alone.best, "{name} {moves}");
        assert_eq!(together.value.result, alone.value.result, "{name} {moves}");
        assert_eq!(together.value.plies, alone.value.plies, "{name} {moves}");
        assert_eq!(together.value.margin, alone.value.margin, "{name} {moves}");
        assert!(together.exact);
    }
}

fn has_repetition(positions: &[DynGame]) -> bool {
    let mut seen = HashSet::new();
    !positions
        .iter()
        .all(|position| seen.insert(position.clone()))
}

/// Whoever is to move after a game has lost or drawn it, whatever came up how often before.
#[test]
fn an_analysis_of_a_game_that_is_over_tells_its_end() {
    let mut by_kind = [0; 3];
    let mut rng = Rng::new(4);
    for _ in 0..400 {
        let start = Catalog::bundled().game("morris(men=3)").unwrap();
        let mut game = History::new(start);
        while game.outcome().is_none() {
            let m = rng.pick(game.position().moves());
            game.play_unchecked(m.expect("the game isn't over"));
        }
        let analysis = AnalysisResult::of_game(&game, ONE, &Budget::nodes(1), &StopFlag::new());
        assert!(analysis.exact && analysis.best.is_empty());
        let (expected, kind) = match game.outcome() {
            Some(Outcome::Draw) => (GameValue::Draw, 0),
            _ if has_repetition(game.earlier()) => (GameValue::Loss, 1),
            _ => (GameValue::Loss, 2),
        };
        by_kind[kind] += 1;
        let plies = (expected == GameValue::Loss).then_some(0);
        assert_eq!(
            (analysis.value.result, analysis.value.plies),
            (expected, plies)
        );
    }
    assert!(by_kind.iter().all(|&games| games > 5), "{by_kind:?}");
}
