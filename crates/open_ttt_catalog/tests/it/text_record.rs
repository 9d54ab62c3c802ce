//! Games as lines of text.

use std::time::Duration;

use open_ttt_catalog::DynGame;
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{IllegalMove, Notation, Outcome, Reason, Side, TwoPlayerGame, play_text};
use open_ttt_players::{
    GameEnd, GameRecord, Match, Openings, Participant, ReplayError, Termination, TextRecord,
    TextRecordError, play_game,
};
use open_ttt_search::{Clock, StopFlag};

#[test]
fn every_game_of_the_catalog_is_written_and_read_back() {
    let clock = Clock::new(|| Duration::ZERO);
    let names = [
        "ttt",
        "pegs(lines=38)",
        "connect4",
        "mnk(m=5,n=5,k=4)",
        "qubic",
        "ultimate",
    ];
    for name in names {
        let start = open_ttt_catalog::game(name).unwrap();
        let contestant = |seed| {
            let random = start.players(&"random".parse().unwrap(), clock).unwrap();
            Participant::new(seed, random)
        };
        let of = Match {
            a: contestant(1),
            b: contestant(2),
            start: start.clone(),
            games: 30,
            openings: Openings::random(2, 1),
            sprt: None,
        };
        let one = std::num::NonZero::<usize>::MIN;
        let mut count = 0;
        of.play(one, &StopFlag::new(), |game, _| {
            let seats = ["random", "mcts(ms=50, seed=1)"];
            let written = TextRecord::new(&game.record, seats).unwrap();
            let line = written.to_string();
            assert!(!line.contains('\n'));
            let read: TextRecord = line.parse().unwrap();
            assert_eq!(read, written);
            assert_eq!(read.game(), name);
            assert_eq!(Side::BOTH.map(|side| read.seat(side)), seats);
            assert_eq!(read.outcome(), game.record.end.outcome());
            assert_eq!(read.ending(), Termination::Finished);
            let replayed = read.replay::<DynGame>().unwrap();
            assert_eq!(replayed, (start.clone(), game.record.moves.clone()));
            count += 1;
        });
        assert_eq!(count, 30);
    }
}

fn record(moves: &str, end: GameEnd<open_ttt_lib::games::Cell>) -> GameRecord<TicTacToe> {
    let start = TicTacToe::new();
    let mut position = start;
    let moves = play_text(&mut position, moves).unwrap();
    GameRecord {
        start,
        moves,
        position,
        end,
    }
}

#[test]
fn a_line_is_written_as_it_is_documented() {
    #[track_caller]
    fn check(moves: &str, end: GameEnd<open_ttt_lib::games::Cell>, expected: &str) {
        let written = TextRecord::new(&record(moves, end), ["one", "other"]).unwrap();
        assert_eq!(written.to_string(), expected);
        assert_eq!(expected.parse(), Ok(written.clone()));
        assert!(written.replay::<TicTacToe>().is_ok());
    }
    let illegal = IllegalMove {
        attempted: TicTacToe::new().parse_move("a1").unwrap(),
        reason: Reason::Occupied,
    };
    let finished = |outcome| GameEnd::Finished(outcome);
    check(
        "a1 b1 a2 b2 a3",
        finished(Outcome::Win(Side::First)),
        "ttt\tone\tother\ta1 b1 a2 b2 a3\t1-0",
    );
    check(
        "c1 a1 b1 a2 b2 a3",
        finished(Outcome::Win(Side::Second)),
        "ttt\tone\tother\tc1 a1 b1 a2 b2 a3\t0-1",
    );
    check(
        "a1 b1 c1 a2 b2 c2 b3 a3 c3",
        finished(Outcome::Win(Side::First)),
        "ttt\tone\tother\ta1 b1 c1 a2 b2 c2 b3 a3 c3\t1-0",
    );
    check(
        "b2 a1 c1 a3 a2 c2 b3 b1 c3",
        finished(Outcome::Draw),
        "ttt\tone\tother\tb2 a1 c1 a3 a2 c2 b3 b1 c3\t1/2-1/2",
    );
    check(
        "",
        GameEnd::Resigned(Side::First),
        "ttt\tone\tother\t-\t0-1 resigned",
    );
    check(
        "a1",
        GameEnd::Resigned(Side::Second),
        "ttt\tone\tother\ta1\t1-0 resigned",
    );
    check(
        "a1",
        GameEnd::Forfeited {
            side: Side::Second,
            illegal,
        },
        "ttt\tone\tother\ta1\t1-0 forfeited",
    );
    check(
        "a1 b1",
        GameEnd::Forfeited {
            side: Side::First,
            illegal,
        },
        "ttt\tone\tother\ta1 b1\t0-1 forfeited",
    );
}

#[test]
fn moves_of_one_character_stand_together() {
    let mut start = open_ttt_catalog::game("connect4").unwrap();
    let moves = play_text(&mut start, "44352").unwrap();
    let first = open_ttt_catalog::game("connect4").unwrap();
    let record = GameRecord {
        start: first.clone(),
        moves,
        position: start,
        end: GameEnd::Resigned(Side::Second),
    };
    let written = TextRecord::new(&record, ["a", "b"]).unwrap();
    assert_eq!(written.moves(), "44352");
    assert_eq!(written.result(), "1-0 resigned");
}

#[test]
fn names_that_would_break_a_line_are_refused() {
    let record = record("", GameEnd::Resigned(Side::First));
    for name in ["", " a", "a ", "a\tb", "a\nb", "\u{7}"] {
        for seats in [[name, "b"], ["a", name]] {
            assert!(TextRecord::new(&record, seats).is_err(), "{name:?}");
        }
    }
    let long = "n".repeat(TextRecord::MAX_LENGTH);
    assert_eq!(
        TextRecord::new(&record, [&long, "b"]),
        Err(TextRecordError::TooLong)
    );
}

#[track_caller]
fn check_refused(line: &str, expected: &str) {
    let error = line.parse::<TextRecord>().unwrap_err();
    assert_eq!(error.to_string(), expected, "{line:?}");
}

#[test]
fn lines_that_are_no_games() {
    let count = |count| {
        format!(
            "a game has 5 fields, parted by tabs: game, first, second, moves, result; here are {count}"
        )
    };
    check_refused("", &count(1));
    check_refused("ttt a b a1 1-0", &count(1));
    check_refused("ttt\ta\tb\ta1", &count(4));
    check_refused("ttt\ta\tb\ta1\t1-0\t", &count(6));
    let field = "is no field of a game; it must be text without spaces around it";
    check_refused("ttt\t\tb\ta1\t1-0", &format!("\"\" {field}"));
    check_refused("ttt\ta\tb\t a1\t1-0", &format!("\" a1\" {field}"));
    check_refused("ttt\ta\tb\ta1\t1-0\r", &format!("\"1-0\\r\" {field}"));
    check_refused("ttt\ta\u{0}\tb\ta1\t1-0", &format!("\"a\\0\" {field}"));
    let result = "is no result; write 1-0, 0-1 or 1/2-1/2, or 1-0 resigned and the like";
    for wrong in [
        "1-1",
        "2-0",
        "1-0 Resigned",
        "1/2-1/2 resigned",
        "win",
        "1–0",
    ] {
        check_refused(
            &format!("ttt\ta\tb\ta1\t{wrong}"),
            &format!("{wrong:?} {result}"),
        );
    }
    let long = format!("ttt\ta\tb\t{}\t1-0", "a1 ".repeat(10_000));
    check_refused(&long, "it is longer than 16384 bytes, and no game is");
}

#[track_caller]
fn check_no_replay(fields: [&str; 3], expected: &str) {
    let [game, moves, result] = fields;
    let record: TextRecord = format!("{game}\ta\tb\t{moves}\t{result}").parse().unwrap();
    let error = record.replay::<DynGame>().unwrap_err();
    assert_eq!(error.to_string(), expected, "{fields:?}");
}

#[test]
fn games_that_cannot_have_been_played() {
    check_no_replay(
        ["chess", "e4", "1-0"],
        "unknown game \"chess\"; expected ttt, pegs, connect4, mnk, qubic, ultimate",
    );
    check_no_replay(
        ["connect4", "4448", "1-0"],
        "move 4: \"8\" isn't a move; expected a column from 1 to 7",
    );
    check_no_replay(
        ["ttt", "a1 a1", "1-0"],
        "move 2: \"a1\" is not possible: that place is already taken",
    );
    let won = "a1 b1 a2 b2 a3";
    check_no_replay(
        ["ttt", won, "0-1"],
        "the result is 0-1, but after the moves the first side has won",
    );
    check_no_replay(
        ["ttt", won, "1/2-1/2"],
        "the result is 1/2-1/2, but after the moves the first side has won",
    );
    check_no_replay(
        ["ttt", won, "1-0 resigned"],
        "the result is 1-0 resigned, but after the moves the first side has won",
    );
    check_no_replay(
        ["ttt", "a1", "1-0"],
        "the result is 1-0, but after the moves the game goes on",
    );
    // It is the second side's turn: the first cannot have given up.
    check_no_replay(
        ["ttt", "a1", "0-1 resigned"],
        "the result is 0-1 resigned, but after the moves the game goes on",
    );
    check_no_replay(
        ["ttt", "b2 a1 c1 a3 a2 c2 b3 b1 c3", "1-0"],
        "the result is 1-0, but after the moves the game is drawn",
    );
    let record: TextRecord = "pegs\ta\tb\t-\t1-0 resigned".parse().unwrap();
    let error = record.replay::<DynGame>().unwrap_err();
    assert!(matches!(error, ReplayError::Result { outcome: None, .. }));
}

/// Whatever is done to a line, it is read or refused, and what is read is
/// written again as it was.
#[test]
fn damaged_lines_never_surprise() {
    let game = open_ttt_catalog::game("connect4").unwrap();
    let clock = Clock::new(|| Duration::ZERO);
    let random = game.players(&"random".parse().unwrap(), clock).unwrap();
    let record = play_game(&game, &mut *random(1), &mut *random(2));
    let line = TextRecord::new(&record, ["random", "random"])
        .unwrap()
        .to_string();
    let mut rng = Rng::new(1);
    let (mut read, mut replayed) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = line.clone().into_bytes();
        for _ in 0..=rng.below(2) {
            let at = rng.below(bytes.len());
            bytes[at] = b"\t\n 01-/2478ar\x07"[rng.below(14)];
        }
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        if let Ok(record) = text.parse::<TextRecord>() {
            assert_eq!(record.to_string(), text);
            read += 1;
            if let Ok((start, moves)) = record.replay::<DynGame>() {
                let mut position = start;
                for m in moves {
                    position.play(m).unwrap();
                }
                assert_eq!(
                    position.outcome().is_some(),
                    record.ending() == Termination::Finished
                );
                replayed += 1;
            }
        }
    }
    assert!(read > 5_000 && replayed > 500, "{read} {replayed}");
}
