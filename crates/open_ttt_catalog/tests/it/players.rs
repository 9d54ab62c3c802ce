//! Players chosen at run time, their games and records.

use std::num::NonZero;
use std::time::Duration;

use open_ttt_catalog::{Catalog, DynGame, PlayerKind, PlayerSpec};
use open_ttt_lib::games::Mnk;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Outcome, Side, SpecError, TwoPlayerGame};
use open_ttt_players::{
    Decision, GameEnd, GameRecord, Match, Openings, Participant, Termination, TextRecord, Turn,
    play_game,
};
use open_ttt_search::StopFlag;

use crate::catalog::clock;

#[test]
fn players_are_read_from_their_names() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = text.parse::<PlayerSpec>().unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
    check(
        "stockfish",
        r#"unknown player "stockfish"; expected human, beginner, easy, medium, hard, expert, master, level, fallible, perfect, negamax, mcts, random, net:FILE, engine:COMMAND"#,
    );
    for nothing in ["engine:", " Engine: ", "engine:a\tb"] {
        assert!(nothing.parse::<PlayerSpec>().is_err(), "{nothing}");
    }
    let engine: PlayerSpec = "Engine: ./a 'b c' (d=1)".parse().unwrap();
    assert_eq!(engine.to_string(), "engine:./a 'b c' (d=1)");
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
    for nonsense in ["nan", "0.9", "6.5", "x"] {
        check(
            &format!("level(strength={nonsense})"),
            &format!(r#"level: strength must be a number from 1 to 6, not "{nonsense}""#),
        );
    }
    check(
        "easy(threads=2)",
        r#"easy has no parameter "threads"; it takes seed"#,
    );
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
fn the_perfect_player_wins_qubic_with_the_first_move() {
    let game = Catalog::bundled().game("qubic").unwrap();
    assert_eq!(game.strongest(), "perfect");
    let player = |spec: &str| game.player(&spec.parse().unwrap(), clock()).unwrap();
    for opponent in [
        "random(seed=1)",
        "random(seed=2)",
        "mcts(iterations=500,seed=1)",
        "negamax(nodes=20000,seed=1)",
        "negamax(nodes=20000,seed=2,mistakes=0.2)",
        "perfect(seed=1)",
    ] {
        let record = play_game(&game, &mut player("perfect"), &mut player(opponent));
        let won = GameEnd::Finished(Outcome::Win(Side::First));
        assert_eq!(record.end, won, "{opponent}");
    }
    // Where it leaves the book, it goes on all the same.
    for mistakes in ["perfect(mistakes=1,seed=1)", "perfect(mistakes=0.5,seed=2)"] {
        let record = play_game(&game, &mut player(mistakes), &mut player("random(seed=1)"));
        assert!(record.position.outcome().is_some(), "{mistakes}");
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
            assert_eq!(read.outcome(), Some(game.record.end.outcome()));
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
