use std::collections::HashSet;

use open_ttt_lib::games;
use open_ttt_lib::rules::{Outcome, Side, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_lib::state_machine::tic_tac_toe::{
    GameStatus, Player, TicTacToe, TicTacToeConflict, TicTacToeMove,
};

#[track_caller]
fn after(squares: &[usize]) -> TicTacToe {
    squares.iter().fold(TicTacToe::new(), |state, &square| {
        let next = state.apply(&TicTacToeMove(square));
        next.unwrap_or_else(|conflict| panic!("square {square}: {conflict}"))
    })
}

#[track_caller]
fn check_status(squares: &[usize], expected: GameStatus) {
    assert_eq!(after(squares).status(), expected, "{squares:?}");
}

#[test]
fn o_goes_first_and_turns_alternate() {
    check_status(&[], GameStatus::NextPlayer(Player::O));
    check_status(&[4], GameStatus::NextPlayer(Player::X));
    check_status(&[4, 0], GameStatus::NextPlayer(Player::O));
    assert_eq!(TicTacToe::default(), TicTacToe::new());
}

#[test]
fn squares_count_from_the_top_left() {
    for square in 0..9 {
        let mut expected = [None; 9];
        expected[square] = Some(Player::O);
        assert_eq!(after(&[square]).board(), expected);
    }
    let corner = games::Cell::new(0, 2).expect("the top left cell");
    assert_eq!(after(&[0]).position().owner(corner), Some(Side::First));
}

#[test]
fn a_win_is_seen_with_the_move_that_makes_it() {
    check_status(&[0, 3, 1, 4], GameStatus::NextPlayer(Player::O));
    check_status(&[0, 3, 1, 4, 2], GameStatus::Won(Player::O));
    check_status(&[0, 3, 1, 4, 8, 5], GameStatus::Won(Player::X));
}

#[test]
fn every_line_wins() {
    for line in [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
        [0, 4, 8],
        [2, 4, 6],
    ] {
        let free: Vec<_> = (0..9).filter(|square| !line.contains(square)).collect();
        let squares = [line[0], free[0], line[1], free[1], line[2]];
        check_status(&squares, GameStatus::Won(Player::O));
    }
}

#[test]
fn a_tie_is_seen() {
    let full = [0, 1, 2, 4, 3, 5, 7, 6, 8];
    check_status(&full[..8], GameStatus::NextPlayer(Player::O));
    check_status(&full, GameStatus::Tie);
}

#[test]
fn the_ninth_square_can_win() {
    let full = [0, 1, 2, 3, 4, 6, 5, 7, 8];
    check_status(&full[..8], GameStatus::NextPlayer(Player::O));
    check_status(&full, GameStatus::Won(Player::O));
}

#[test]
fn a_square_off_the_board_is_a_conflict() {
    for square in [9, 10, 255, 256, usize::MAX] {
        assert_eq!(
            TicTacToe::new().apply(&TicTacToeMove(square)),
            Err(TicTacToeConflict::NoSuchSquare)
        );
    }
}

#[test]
fn conflicts_say_why() {
    let started = after(&[4]);
    let again = started.apply(&TicTacToeMove(4));
    assert_eq!(again, Err(TicTacToeConflict::SquareAlreadyFilled));
    assert_eq!(started, after(&[4]), "a conflict leaves the state alone");
    let won = after(&[0, 3, 1, 4, 2]);
    for square in [0, 8, 9, usize::MAX] {
        let late = won.apply(&TicTacToeMove(square));
        assert_eq!(late, Err(TicTacToeConflict::GameAlreadyEnded));
    }
}

#[track_caller]
fn check_json<T>(value: &T, expected: &str)
where
    T: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let json = serde_json::to_string(value).expect("it can be written");
    assert_eq!(json, expected);
    let back: T = serde_json::from_str(&json).expect("it can be read");
    assert_eq!(&back, value);
}

#[test]
fn json_is_the_document_s() {
    check_json(
        &TicTacToe::new(),
        r#"{"board":[null,null,null,null,null,null,null,null,null],"status":{"NextPlayer":"O"}}"#,
    );
    check_json(
        &after(&[0, 3, 1, 4, 2]),
        r#"{"board":["O","O","O","X","X",null,null,null,null],"status":{"Won":"O"}}"#,
    );
    check_json(
        &after(&[0, 1, 2, 4, 3, 5, 7, 6, 8]),
        r#"{"board":["O","X","O","O","X","X","X","O","O"],"status":"Tie"}"#,
    );
    check_json(&TicTacToeMove(4), "4");
    check_json(
        &TicTacToeConflict::GameAlreadyEnded,
        r#""GameAlreadyEnded""#,
    );
    check_json(
        &TicTacToeConflict::SquareAlreadyFilled,
        r#""SquareAlreadyFilled""#,
    );
    check_json(&TicTacToeConflict::NoSuchSquare, r#""NoSuchSquare""#);
}

/// JSON of a state with this board, `X`, `O` or `.` for each square.
fn json(board: &str, status: &str) -> String {
    let squares: Vec<_> = board
        .chars()
        .map(|square| match square {
            '.' => "null".to_owned(),
            player => format!("\"{player}\""),
        })
        .collect();
    format!(r#"{{"board":[{}],"status":{status}}}"#, squares.join(","))
}

#[track_caller]
fn check_refused(json: &str, expected: &str) {
    let error = serde_json::from_str::<TicTacToe>(json).expect_err("no game leads there");
    assert!(error.to_string().starts_with(expected), "{json}: {error}");
}

#[test]
fn boards_no_game_leads_to_are_refused() {
    for (board, status) in [
        ("X........", r#"{"NextPlayer":"O"}"#),
        ("OO.......", r#"{"NextPlayer":"X"}"#),
        ("OOOXXX...", r#"{"Won":"O"}"#),
        ("OOOXXX...", r#"{"Won":"X"}"#),
        ("OOOXX...X", r#"{"Won":"O"}"#),
        ("XXXOO.O.O", r#"{"Won":"X"}"#),
        ("OOOOOOOOO", r#"{"Won":"O"}"#),
    ] {
        check_refused(&json(board, status), "no game leads to this board");
    }
}

#[test]
fn a_status_that_contradicts_the_board_is_refused() {
    check_refused(
        &json(".........", r#"{"NextPlayer":"X"}"#),
        "the status of this board is NextPlayer(O), not NextPlayer(X)",
    );
    check_refused(
        &json(".........", r#""Tie""#),
        "the status of this board is NextPlayer(O), not Tie",
    );
    check_refused(
        &json("OOOXX....", r#"{"NextPlayer":"X"}"#),
        "the status of this board is Won(O), not NextPlayer(X)",
    );
    check_refused(
        &json("OOOXX....", r#"{"Won":"X"}"#),
        "the status of this board is Won(O), not Won(X)",
    );
    check_refused(
        &json("OXOOXXXOO", r#"{"Won":"O"}"#),
        "the status of this board is Tie, not Won(O)",
    );
}

#[test]
fn what_is_no_state_is_refused() {
    let good = json(".........", r#"{"NextPlayer":"O"}"#);
    assert!(serde_json::from_str::<TicTacToe>(&good).is_ok());
    for bad in [
        String::new(),
        "null".to_owned(),
        "4".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        json("........", r#"{"NextPlayer":"O"}"#),
        json("..........", r#"{"NextPlayer":"O"}"#),
        json("o........", r#"{"NextPlayer":"O"}"#),
        json(".........", r#"{"NextPlayer":null}"#),
        json(".........", r#"{"NextPlayer":"O","Won":"O"}"#),
        json(".........", r#""NextPlayer""#),
        json(".........", r#""Draw""#),
        good.replace("status", "Status"),
        good.replace('}', r#","more":1}"#),
        good.replace(r#""status""#, r#""board":[],"status""#),
        good[..good.len() - 1].to_owned(),
        format!("{good}{good}"),
        "[".repeat(1 << 20),
    ] {
        assert!(serde_json::from_str::<TicTacToe>(&bad).is_err(), "{bad}");
    }
    for bad in [
        "-1",
        "1.5",
        "\"4\"",
        "null",
        "[4,4]",
        "1e99",
        "99999999999999999999",
    ] {
        assert!(serde_json::from_str::<TicTacToeMove>(bad).is_err(), "{bad}");
    }
}

#[test]
fn agrees_with_the_rules_on_every_position() {
    let mut seen = HashSet::from([TicTacToe::new()]);
    let mut waiting = vec![TicTacToe::new()];
    while let Some(state) = waiting.pop() {
        let position = *state.position();
        assert_eq!(TicTacToe::from(position), state);
        let status = match position.outcome() {
            None => GameStatus::NextPlayer(Player::from(position.to_move())),
            Some(Outcome::Win(side)) => GameStatus::Won(Player::from(side)),
            Some(Outcome::Draw) => GameStatus::Tie,
        };
        assert_eq!(state.status(), status);

        let json = serde_json::to_string(&state).expect("a state can be written");
        let read: TicTacToe = serde_json::from_str(&json).expect("a state can be read");
        assert_eq!(read, state, "{json}");

        let mut possible = 0;
        for square in 0..10 {
            match state.apply(&TicTacToeMove(square)) {
                Ok(next) => {
                    possible += 1;
                    let mut expected = state.board();
                    assert_eq!(expected[square], None);
                    expected[square] = Some(match state.status() {
                        GameStatus::NextPlayer(player) => player,
                        ended => panic!("a move after the end: {ended:?}"),
                    });
                    assert_eq!(next.board(), expected);
                    assert_eq!(read.apply(&TicTacToeMove(square)), Ok(next.clone()));
                    if seen.insert(next.clone()) {
                        waiting.push(next);
                    }
                }
                Err(conflict) => {
                    let expected = match (position.outcome(), state.board().get(square)) {
                        (Some(_), _) => TicTacToeConflict::GameAlreadyEnded,
                        (None, Some(_)) => TicTacToeConflict::SquareAlreadyFilled,
                        (None, None) => TicTacToeConflict::NoSuchSquare,
                    };
                    assert_eq!(conflict, expected);
                }
            }
        }
        assert_eq!(possible, position.moves().count());
    }
    assert_eq!(seen.len(), 5_478);
}

#[test]
fn of_all_boards_and_statuses_each_position_is_read_once() {
    let statuses = [
        r#"{"NextPlayer":"X"}"#,
        r#"{"NextPlayer":"O"}"#,
        r#"{"Won":"X"}"#,
        r#"{"Won":"O"}"#,
        r#""Tie""#,
    ];
    let mut read = HashSet::new();
    for number in 0..3_usize.pow(9) {
        let board: String = (0..9)
            .map(|square| ['.', 'X', 'O'][number / 3_usize.pow(square) % 3])
            .collect();
        for status in statuses {
            if let Ok(state) = serde_json::from_str::<TicTacToe>(&json(&board, status)) {
                assert!(read.insert(state), "{board} has two statuses");
            }
        }
    }
    assert_eq!(read.len(), 5_478);
}
