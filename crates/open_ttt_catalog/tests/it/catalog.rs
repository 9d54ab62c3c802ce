//! Games and players chosen at run time.

use std::collections::HashSet;
use std::num::NonZero;
use std::time::Duration;

use open_ttt_catalog::{
    Catalog, CatalogGame, DynGame, GameValue, GameVisitor, PlayerKind, PlayerSpec, SolveProgress,
};
use open_ttt_lib::games::{Mnk, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::conformance::Laws;
use open_ttt_lib::rules::{
    Encode, IndexedMoves, Notation, Reason, Side, SpecError, Symmetry, TwoPlayerGame, perft,
    play_text,
};
use open_ttt_players::{
    Decision, GameRecord, Match, Openings, Participant, Termination, TextRecord, Turn, play_game,
};
use open_ttt_search::{Budget, Clock, SolveError, StopFlag};

const ONE: NonZero<usize> = NonZero::<usize>::MIN;

fn clock() -> Clock {
    Clock::new(|| Duration::ZERO)
}

fn analyze(name: &str, moves: &str) -> (DynGame, open_ttt_catalog::AnalysisResult) {
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

/// The laws of all traits that a catalog asks for, for every game in it.
#[test]
fn every_game_obeys_the_laws() {
    struct CheckLaws;

    impl GameVisitor for CheckLaws {
        type Output = ();

        fn visit<G: CatalogGame + Encode + Symmetry>(self, game: &G) {
            Laws::of(game)
                .rules()
                .notation()
                .drawing()
                .indexed_moves()
                .encode()
                .encode_images()
                .symmetry()
                .described();
        }
    }

    for entry in Catalog::bundled().games() {
        let game = Catalog::bundled().game(entry.key).unwrap();
        if game.visit(CheckLaws).is_none() {
            Laws::of(&game).rules().notation().drawing().indexed_moves();
        }
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

#[test]
fn what_is_not_proved_is_called_unknown() {
    let game = Catalog::bundled().game("connect4").unwrap();
    let analysis = game.analyze(ONE, &Budget::nodes(1_000), &StopFlag::new());
    assert!(!analysis.exact);
    assert_eq!(analysis.value.result, GameValue::Unknown);
    assert_eq!((analysis.value.plies, analysis.value.margin), (None, None));
    assert!(!analysis.best.is_empty(), "the guess so far");
}

#[test]
fn players_are_read_from_their_names() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = text.parse::<PlayerSpec>().unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    check(
        "stockfish",
        r#"unknown player "stockfish"; expected human, perfect, negamax, mcts, random, net:FILE"#,
    );
    check(
        "human(ms=1)",
        r#"human has no parameter "ms"; it takes none"#,
    );
    check(
        "mcts(depth=3)",
        r#"mcts has no parameter "depth"; it takes ms, iterations, threads, mistakes, seed"#,
    );
    for nonsense in ["nan", "7.0", "-0.1", "inf", "x", "1e400"] {
        check(
            &format!("perfect(mistakes={nonsense})"),
            &format!(r#"perfect: mistakes must be a number from 0 to 1, not "{nonsense}""#),
        );
    }
    for (player, threads) in [
        ("perfect", "0"),
        ("negamax", "65"),
        ("mcts", "-1"),
        ("mcts", "2.5"),
        ("negamax", "all"),
        ("perfect", "18446744073709551617"),
    ] {
        check(
            &format!("{player}(threads={threads})"),
            &format!("{player}: threads must be 1 to 64, not {threads:?}"),
        );
    }
    check(
        "random(threads=2)",
        r#"random has no parameter "threads"; it takes seed"#,
    );
    for nonsense in [
        "ms=0",
        "ms=3600001",
        "ms=-1",
        "ms=1.5",
        "iterations=0",
        "seed=x",
    ] {
        assert!(
            format!("mcts({nonsense})").parse::<PlayerSpec>().is_err(),
            "{nonsense}"
        );
    }
    let spec: PlayerSpec = " MCTS(ms = 50, mistakes=0.5)".parse().unwrap();
    assert_eq!(spec.to_string(), "mcts(ms=50,mistakes=0.5)");
    assert_eq!(spec.mistakes.get().to_bits(), 0.5_f64.to_bits());
    let PlayerKind::MonteCarlo(effort) = spec.kind else {
        panic!("{spec:?}");
    };
    assert_eq!(effort.time, Some(Duration::from_millis(50)));
    assert_eq!((effort.nodes, effort.depth), (None, None));
    assert_eq!(spec.threads, None);
    for threads in [1, 64] {
        let text = format!("negamax(depth=2,threads={threads})");
        let spec: PlayerSpec = text.parse().unwrap();
        assert_eq!(spec.threads, NonZero::new(threads));
        assert_eq!(spec.to_string(), text);
    }
    assert!("human".parse::<PlayerSpec>().unwrap().is_human());
}

#[test]
fn players_that_cannot_be_had_say_why() {
    let game = DynGame::new(Mnk::default());
    let refusal = |text: &str| {
        let spec: PlayerSpec = text.parse().unwrap();
        match game.player(&spec, clock()) {
            Err(error @ SpecError::Unavailable { .. }) => error.to_string(),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{text} plays"),
        }
    };
    assert_eq!(
        refusal("perfect"),
        "perfect: the game has more than 400000 positions; negamax plays it"
    );
    assert_eq!(refusal("human"), "human: a person is not a computer player");
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
fn every_computer_plays_every_game() {
    for name in [
        "ttt",
        "pegs(lines=38)",
        "connect4",
        "mnk(m=5,n=4,k=4)",
        "qubic",
        "ultimate",
        "reversi",
        "dots(m=3,n=2)",
        "hex(size=5)",
    ] {
        let game = Catalog::bundled().game(name).unwrap();
        for text in [
            "negamax(depth=2,seed=1)",
            "mcts(iterations=50,seed=1)",
            "random(seed=1)",
        ] {
            let spec: PlayerSpec = text.parse().unwrap();
            let record = play_game(
                &game,
                &mut game.player(&spec, clock()).unwrap(),
                &mut game.player(&spec, clock()).unwrap(),
            );
            assert!(
                record.position.outcome().is_some(),
                "{name}, {text}: {:?}",
                record.end
            );
            let again = play_game(
                &game,
                &mut game.player(&spec, clock()).unwrap(),
                &mut game.player(&spec, clock()).unwrap(),
            );
            assert_eq!(
                record, again,
                "the same seed, the same game: {name}, {text}"
            );
        }
    }
}

#[test]
fn a_player_resigns_a_game_of_another_kind() {
    let ttt = Catalog::bundled().game("ttt").unwrap();
    let connect4 = Catalog::bundled().game("connect4").unwrap();
    let mut player = ttt.player(&"perfect".parse().unwrap(), clock()).unwrap();
    assert_eq!(player.take_turn(&Turn::new(&connect4)), Decision::Resign);
    assert_ne!(player.take_turn(&Turn::new(&ttt)), Decision::Resign);
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

/// The record of a game between two players of one kind.
fn played(game: &DynGame, spec: &str) -> GameRecord<DynGame> {
    let player = || game.player(&spec.parse().unwrap(), clock()).unwrap();
    play_game(game, &mut player(), &mut player())
}

#[test]
fn threads_change_no_move_that_is_searched_to_a_depth() {
    // Deep enough that iterations are shared out.
    for (name, depth) in [("connect4", 8), ("ultimate", 5)] {
        let game = Catalog::bundled().game(name).unwrap();
        for mistakes in ["0", "0.5"] {
            let [alone, together] = [1, 3].map(|threads| {
                let spec =
                    format!("negamax(depth={depth},seed=1,mistakes={mistakes},threads={threads})");
                played(&game, &spec)
            });
            assert_eq!(alone, together, "{name} {mistakes}");
        }
    }
}

#[test]
fn trees_on_threads_play_the_same_game_again() {
    let game = Catalog::bundled().game("connect4").unwrap();
    let spec = "mcts(iterations=300,seed=1,threads=3)";
    let record = played(&game, spec);
    assert_eq!(record, played(&game, spec));
    // Three trees of a hundred are not one of three hundred.
    assert_ne!(record, played(&game, "mcts(iterations=300,seed=1)"));
}

#[test]
fn every_computer_plays_on_more_threads_than_there_are_moves() {
    for name in [
        "ttt",
        "pegs",
        "connect4",
        "mnk(m=4,n=4,k=4)",
        "qubic",
        "ultimate",
    ] {
        let game = Catalog::bundled().game(name).unwrap();
        for spec in [
            "negamax(nodes=100,threads=64)",
            "mcts(iterations=10,threads=64)",
        ] {
            let record = played(&game, spec);
            assert!(record.position.outcome().is_some(), "{name} {spec}");
        }
    }
    for name in ["ttt", "mnk(m=4,n=3,k=3)"] {
        let game = Catalog::bundled().game(name).unwrap();
        let record = played(&game, "perfect(threads=64)");
        assert!(record.position.outcome().is_some(), "{name}");
    }
}

#[test]
fn a_factory_makes_the_players_of_its_seeds() {
    for name in [
        "perfect",
        "random",
        "negamax(depth=3)",
        "mcts(iterations=40)",
    ] {
        let start = Catalog::bundled().game("ttt").unwrap();
        let make = start.players(&name.parse().unwrap(), clock()).unwrap();
        let mut rng = Rng::new(5);
        for seed in 0..30 {
            let joiner = if name.contains('(') { "," } else { "(" };
            let seeded = format!("{}{joiner}seed={seed})", name.trim_end_matches(')'));
            let mut single = start.player(&seeded.parse().unwrap(), clock()).unwrap();
            let mut made = make(seed);
            let mut position = start.clone();
            while position.outcome().is_none() {
                let turn = Turn::new(&position);
                assert_eq!(single.take_turn(&turn), made.take_turn(&turn));
                let m = rng.pick(position.moves()).unwrap();
                position.play_unchecked(m);
            }
        }
    }
}

#[test]
fn games_are_recorded_and_replayed() {
    let names = [
        "ttt",
        "pegs(lines=38)",
        "connect4",
        "mnk(m=5,n=5,k=4)",
        "qubic",
        "ultimate",
    ];
    for name in names {
        let start = Catalog::bundled().game(name).unwrap();
        let participant = |seed| {
            let random = start.players(&"random".parse().unwrap(), clock()).unwrap();
            Participant::new(seed, random)
        };
        let planned = Match {
            a: participant(1),
            b: participant(2),
            start: start.clone(),
            games: 30,
            openings: Openings::random(2, 1),
            sprt: None,
        };
        let one = std::num::NonZero::<usize>::MIN;
        let mut count = 0;
        planned.play(one, &StopFlag::new(), |game, _| {
            let seats = ["random", "mcts(ms=50, seed=1)"];
            let written = TextRecord::new(&game.record, seats).unwrap();
            let line = written.to_string();
            assert!(!line.contains('\n'));
            let read: TextRecord = line.parse().unwrap();
            assert_eq!(read, written);
            assert_eq!(read.game(), name);
            assert_eq!(Side::BOTH.map(|side| read.player(side)), seats);
            assert_eq!(read.outcome(), game.record.end.outcome());
            assert_eq!(read.termination(), Termination::Finished);
            let replayed = read.replay(|name| Catalog::bundled().game(name)).unwrap();
            assert_eq!(replayed, (start.clone(), game.record.moves.clone()));
            count += 1;
        });
        assert_eq!(count, 30);
    }
}

#[test]
fn a_record_of_an_unknown_game_is_not_replayed() {
    let record: TextRecord = "chess\ta\tb\te4\t1-0".parse().unwrap();
    assert_eq!(
        record
            .replay(|name| Catalog::bundled().game(name))
            .unwrap_err()
            .to_string(),
        "unknown game \"chess\"; expected ttt, pegs, connect4, mnk, qubic, ultimate, reversi, dots, hex, lines, quarto, draughts, morris"
    );
}
