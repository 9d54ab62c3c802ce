//! Games as lines of text.

use open_ttt_lib::games::{Cell, ConnectFour, Pegs, TicTacToe};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{
    FromName, IllegalMove, Notation, Outcome, Reason, Side, TwoPlayerGame, play_text,
};
use open_ttt_players::{
    GameEnd, GameRecord, Random, ReplayError, Termination, TextRecord, TextRecordError, play_game,
};

fn record(moves: &str, end: GameEnd<Cell>) -> GameRecord<TicTacToe> {
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
fn the_format_is_as_documented() {
    #[track_caller]
    fn check(moves: &str, end: GameEnd<Cell>, expected: &str) {
        let written = TextRecord::new(&record(moves, end), ["one", "other"]).unwrap();
        assert_eq!(written.to_string(), expected);
        assert_eq!(expected.parse(), Ok(written.clone()));
        assert!(written.replay(TicTacToe::from_name).is_ok());
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

/// What a match between people can end in, also out of turn.
#[test]
fn every_end_of_a_match_is_replayed() {
    for (moves, result, outcome, termination) in [
        ("a1 b1", "0-1 time", Some(Side::Second), Termination::Time),
        ("a1", "1-0 time", Some(Side::First), Termination::Time),
        (
            "a1",
            "0-1 resigned",
            Some(Side::Second),
            Termination::Resigned,
        ),
        (
            "-",
            "1-0 abandoned",
            Some(Side::First),
            Termination::Abandoned,
        ),
        (
            "a1",
            "0-1 abandoned",
            Some(Side::Second),
            Termination::Abandoned,
        ),
        ("a1", "1/2-1/2 agreed", None, Termination::Agreed),
        ("a1 b1", "*", None, Termination::Unfinished),
    ] {
        let line = format!("ttt\tone\tother\t{moves}\t{result}");
        let record: TextRecord = line.parse().unwrap();
        let (start, moves) = record.replay(TicTacToe::from_name).unwrap();
        let expected = match (outcome, termination) {
            (Some(winner), _) => Some(Outcome::Win(winner)),
            (None, Termination::Agreed) => Some(Outcome::Draw),
            (None, _) => None,
        };
        assert_eq!(
            (record.outcome(), record.termination()),
            (expected, termination)
        );
        let end = (expected, termination);
        let written = TextRecord::of_moves(&start, &moves, ["one", "other"], end);
        assert_eq!(written.unwrap().to_string(), line);
    }
    let impossible = (Some(Outcome::Draw), Termination::Time);
    let error = TextRecord::of_moves(&TicTacToe::new(), &[], ["a", "b"], impossible);
    assert!(
        matches!(error, Err(TextRecordError::Result(_))),
        "{error:?}"
    );
}

#[test]
fn moves_of_one_character_have_no_separator() {
    let start = ConnectFour::new();
    let mut position = start;
    let moves = play_text(&mut position, "44352").unwrap();
    let record = GameRecord {
        start,
        moves,
        position,
        end: GameEnd::Resigned(Side::Second),
    };
    let written = TextRecord::new(&record, ["a", "b"]).unwrap();
    assert_eq!(written.moves(), "44352");
    assert_eq!(written.result(), "1-0 resigned");
}

#[test]
fn player_names_that_break_the_format_are_rejected() {
    let record = record("", GameEnd::Resigned(Side::First));
    for name in ["", " a", "a ", "a\tb", "a\nb", "\u{7}"] {
        for players in [[name, "b"], ["a", name]] {
            assert!(TextRecord::new(&record, players).is_err(), "{name:?}");
        }
    }
    let long = "n".repeat(TextRecord::MAX_LENGTH);
    assert_eq!(
        TextRecord::new(&record, [&long, "b"]),
        Err(TextRecordError::TooLong)
    );
}

#[track_caller]
fn check_invalid(line: &str, expected: &str) {
    let error = line.parse::<TextRecord>().unwrap_err();
    assert_eq!(error.to_string(), expected, "{line:?}");
}

#[test]
fn invalid_lines() {
    let count = |count| {
        format!(
            "a game has 5 fields separated by tabs (game, first, second, moves, result), not {count}"
        )
    };
    check_invalid("", &count(1));
    check_invalid("ttt a b a1 1-0", &count(1));
    check_invalid("ttt\ta\tb\ta1", &count(4));
    check_invalid("ttt\ta\tb\ta1\t1-0\t", &count(6));
    let field = "isn't a valid field; write text without surrounding spaces";
    check_invalid("ttt\t\tb\ta1\t1-0", &format!("\"\" {field}"));
    check_invalid("ttt\ta\tb\t a1\t1-0", &format!("\" a1\" {field}"));
    check_invalid("ttt\ta\tb\ta1\t1-0\r", &format!("\"1-0\\r\" {field}"));
    check_invalid("ttt\ta\u{0}\tb\ta1\t1-0", &format!("\"a\\0\" {field}"));
    let result = "isn't a result; write 1-0, 0-1, 1/2-1/2, *, or one like 1-0 resigned";
    for wrong in [
        "1-1",
        "2-0",
        "1-0 Resigned",
        "1/2-1/2 resigned",
        "1-0 agreed",
        "* time",
        "win",
        "1–0",
    ] {
        check_invalid(
            &format!("ttt\ta\tb\ta1\t{wrong}"),
            &format!("{wrong:?} {result}"),
        );
    }
    let long = format!("ttt\ta\tb\t{}\t1-0", "a1 ".repeat(100_000));
    check_invalid(&long, "the line is longer than 262144 bytes");
}

#[track_caller]
fn check_no_replay<G: FromName + Notation>(fields: [&str; 3], expected: &str) {
    let [game, moves, result] = fields;
    let record: TextRecord = format!("{game}\ta\tb\t{moves}\t{result}").parse().unwrap();
    let error = record.replay(G::from_name).err().unwrap();
    assert_eq!(error.to_string(), expected, "{fields:?}");
}

#[test]
fn inconsistent_records_are_not_replayed() {
    check_no_replay::<TicTacToe>(
        ["chess", "e4", "1-0"],
        "unknown game \"chess\"; expected ttt",
    );
    check_no_replay::<ConnectFour>(
        ["connect4", "4448", "1-0"],
        "move 4: \"8\" isn't a move; expected a column from 1 to 7",
    );
    check_no_replay::<TicTacToe>(
        ["ttt", "a1 a1", "1-0"],
        "move 2: \"a1\" is not possible: that place is already taken",
    );
    let won = "a1 b1 a2 b2 a3";
    check_no_replay::<TicTacToe>(
        ["ttt", won, "0-1"],
        "the result is 0-1, but after the moves the first side has won",
    );
    check_no_replay::<TicTacToe>(
        ["ttt", won, "1/2-1/2"],
        "the result is 1/2-1/2, but after the moves the first side has won",
    );
    check_no_replay::<TicTacToe>(
        ["ttt", won, "1-0 resigned"],
        "the result is 1-0 resigned, but after the moves the first side has won",
    );
    check_no_replay::<TicTacToe>(
        ["ttt", "a1", "1-0"],
        "the result is 1-0, but after the moves the game isn't over",
    );
    // The second side is to move, so the first can't have run out of time.
    for result in ["0-1 forfeited", "0-1 time"] {
        check_no_replay::<TicTacToe>(
            ["ttt", "a1", result],
            &format!("the result is {result}, but after the moves the game isn't over"),
        );
    }
    check_no_replay::<TicTacToe>(
        ["ttt", won, "*"],
        "the result is *, but after the moves the first side has won",
    );
    check_no_replay::<TicTacToe>(
        ["ttt", "b2 a1 c1 a3 a2 c2 b3 b1 c3", "1-0"],
        "the result is 1-0, but after the moves the game is drawn",
    );
    let record: TextRecord = "pegs\ta\tb\t-\t1-0 time".parse().unwrap();
    let error = record.replay(Pegs::from_name).unwrap_err();
    assert!(matches!(error, ReplayError::Result { outcome: None, .. }));
}

/// A damaged line is rejected, or parses and is written unchanged.
#[test]
fn damaged_lines() {
    let mut players = [1, 2].map(Random::seeded);
    let [first, second] = &mut players;
    let record = play_game(&ConnectFour::new(), first, second);
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
            if let Ok((start, moves)) = record.replay(ConnectFour::from_name) {
                let mut position = start;
                for m in moves {
                    position.play(m).unwrap();
                }
                assert_eq!(
                    position.outcome().is_some(),
                    record.termination() == Termination::Finished
                );
                replayed += 1;
            }
        }
    }
    assert!(read > 5_000 && replayed > 500, "{read} {replayed}");
}
