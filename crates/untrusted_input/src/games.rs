//! Games, positions and moves as text and JSON.

use open_ttt_app::{InputLine, MoveReader};
use open_ttt_catalog::{DynGame, DynMove, Puzzles};
use open_ttt_lib::rules::{History, Named, Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::tic_tac_toe::{TicTacToe, TicTacToeMove};
use open_ttt_lib::state_machine::{GameMachine, GameMove, SavedGame, StateMachine};

use crate::{CATALOG, first_line};

/// The most moves of an input that are looked at.
const MAX_MOVES: usize = 500;

/// The game with this name, which has a name that leads to it again.
fn named_game(name: &str) -> Option<DynGame> {
    let game = CATALOG.game(name).ok()?;
    assert!(CATALOG.game(&game.name()).as_ref() == Ok(&game), "{name:?}");
    Some(game)
}

/// Plays a parsed move. It is accepted exactly if it is listed, and otherwise nothing changes.
fn play(game: &mut History<DynGame>, m: DynMove) -> bool {
    let before = game.clone();
    let position = before.position();
    let is_listed = before.outcome().is_none() && position.moves().any(|listed| listed == m);
    let is_played = game.play(m).is_ok();
    assert_eq!(is_played, is_listed, "{m:?}");
    if is_played {
        let text = position.move_text(m);
        assert_eq!(position.parse_move(&text), Ok(m), "{text:?}");
        assert_eq!(game.moves().len(), before.moves().len() + 1);
    } else {
        assert!(game.position() == position && game.moves() == before.moves());
    }
    is_played
}

pub(crate) fn game(bytes: &[u8]) -> bool {
    let Some((name, text)) = first_line(bytes) else {
        return false;
    };
    let Some(start) = named_game(name) else {
        return false;
    };
    let mut game = History::new(start.clone());
    for word in text.split_whitespace().take(MAX_MOVES) {
        if let Ok(m) = game.position().parse_move(word) {
            play(&mut game, m);
        }
    }
    // Whatever was played can be written and read.
    let written = game.move_texts().join(" ");
    let mut read = History::new(start.clone());
    assert_eq!(read.play_text(&written), Ok(()), "{written}");
    assert!(read.moves() == game.moves(), "{written}");
    // As one list, up to the first move that is wrong.
    let mut list = History::new(start);
    let _ = list.play_text(text);
    assert!(list.moves().len() <= text.len());
    !list.moves().is_empty()
}

pub(crate) fn typed_moves(bytes: &[u8]) -> bool {
    let mut lines = bytes;
    let mut next = || InputLine::read(&mut lines, InputLine::CONSOLE_LIMIT).ok();
    let Some(InputLine::Text(name)) = next() else {
        return false;
    };
    let Some(start) = named_game(&name) else {
        return false;
    };
    let mut game = History::new(start);
    let mut reader = MoveReader::default();
    for _ in 0..MAX_MOVES {
        match next() {
            None | Some(InputLine::EndOfInput) => break,
            Some(InputLine::Text(line)) => match reader.read(game.position(), &line) {
                // A repetition may have ended the game.
                Ok(m) => {
                    assert!(game.position().check(m).is_ok(), "{line:?}");
                    play(&mut game, m);
                }
                Err(message) => assert!(!message.trim().is_empty(), "{line:?}"),
            },
            Some(InputLine::TooLong | InputLine::NotUtf8) => {}
        }
    }
    !game.moves().is_empty()
}

pub(crate) fn saved_game(bytes: &[u8]) -> bool {
    let Some((state, moves)) = first_line(bytes) else {
        return false;
    };
    let find = |name: &str| CATALOG.game(name);
    let Ok(saved) = serde_json::from_str::<SavedGame>(state) else {
        return false;
    };
    let Ok(mut machine) = GameMachine::restore(&saved, find) else {
        return false;
    };
    for line in moves.lines().take(MAX_MOVES) {
        let Ok(m) = serde_json::from_str::<GameMove>(line) else {
            continue;
        };
        if let Ok(next) = machine.apply(&m) {
            assert_eq!(next.moves().len(), machine.moves().len() + 1);
            machine = next;
        }
    }
    let written = serde_json::to_string(&machine).expect("a game can be written");
    let read: SavedGame = serde_json::from_str(&written).expect("a written game can be read");
    assert!(
        GameMachine::restore(&read, find).as_ref() == Ok(&machine),
        "{written}"
    );
    true
}

pub(crate) fn tic_tac_toe(bytes: &[u8]) -> bool {
    let Some((state, moves)) = first_line(bytes) else {
        return false;
    };
    let Ok(mut state) = serde_json::from_str::<TicTacToe>(state) else {
        return false;
    };
    for line in moves.lines() {
        let Ok(m) = serde_json::from_str::<TicTacToeMove>(line) else {
            continue;
        };
        if let Ok(next) = state.apply(&m) {
            assert_ne!(next, state);
            state = next;
        }
    }
    let written = serde_json::to_string(&state).expect("a state can be written");
    assert_eq!(
        serde_json::from_str(&written).ok(),
        Some(state),
        "{written}"
    );
    true
}

pub(crate) fn puzzle(bytes: &[u8]) -> bool {
    let Some((name, line)) = first_line(bytes) else {
        return false;
    };
    let Some(start) = named_game(name) else {
        return false;
    };
    let Ok(puzzle) = Puzzles::read(&start, line) else {
        return false;
    };
    let mut game = History::new(start.clone());
    for &m in puzzle.moves.iter().chain(&puzzle.solution) {
        assert!(play(&mut game, m), "{line:?}");
    }
    let written = start.puzzle_line(&puzzle);
    assert_eq!(Puzzles::read(&start, &written), Ok(puzzle), "{written:?}");
    true
}
