//! Which way round a board is.

use std::time::Instant;

use open_ttt_coach::{Goal, Puzzle};
use open_ttt_lib::games::{ConnectFour, Draughts, Hex, Morris, Qubic, Reversi};
use open_ttt_lib::rules::{Drawing, History, Notation, Place, Side, TwoPlayerGame};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::super::board::{Board, Highlights};
use super::super::game_view::is_turned_for;
use super::super::match_input::Handled;
use super::super::match_state::MatchState;
use super::super::puzzle_state::{PuzzleState, Solved};
use super::super::remote::{self, RemoteState};
use super::following::{between, follow};
use super::{DARK, control, drawn, text};
use crate::{App, BoxedPlayer, Opponent};

const SIZE: [u16; 2] = [80, 24];

/// Whether the squares of draughts are in their usual order, from 13 to 20, or from 20 to 13.
fn is_usual(shown: &str) -> bool {
    let numbers = shown
        .split_whitespace()
        .filter_map(|word| word.parse().ok());
    let numbers: Vec<u8> = numbers
        .filter(|number| (13..=20).contains(number))
        .collect();
    let usual: Vec<u8> = (13..=20).collect();
    let turned: Vec<u8> = usual.iter().rev().copied().collect();
    assert!(numbers == usual || numbers == turned, "{shown}");
    numbers == usual
}

/// A computer that isn't there.
fn absent() -> Opponent<Draughts> {
    Opponent::fallible("absent", || Err::<BoxedPlayer<Draughts>, _>("no file"))
}

#[test]
fn in_a_match_the_only_person_has_the_own_pieces_below() {
    let app = App::new(Draughts::new());
    let computer = absent();
    for (computers, usual) in [
        ([None, None], true),
        ([None, Some(&computer)], false),
        ([Some(&computer), None], true),
        ([Some(&computer), Some(&computer)], true),
    ] {
        let mut state = MatchState::new(&app, computers, DARK);
        let shown = text(&drawn(&mut state, SIZE));
        assert_eq!(is_usual(&shown), usual, "{shown}");
    }
}

#[test]
fn in_a_match_elsewhere_the_player_here_has_the_own_pieces_below() {
    for (own, usual) in [
        (Some(Side::First), false),
        (Some(Side::Second), true),
        (None, true),
    ] {
        let mut current = between(Draughts::new(), "");
        current.own = own;
        let mut state = RemoteState::new(DARK);
        follow(&mut state, current);
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a buffer");
        let frame = terminal.draw(|frame| state.draw(frame, Instant::now()));
        let shown = text(frame.expect("a buffer").buffer);
        assert_eq!(is_usual(&shown), usual, "{own:?}: {shown}");
    }
}

#[test]
fn in_a_puzzle_the_solver_has_the_own_pieces_below() {
    let app = App::new(Draughts::new());
    for (moves, usual) in [("", false), ("11-15", true)] {
        let mut game = History::new(Draughts::new());
        game.play_text(moves).expect("legal moves");
        let puzzle = Puzzle {
            solution: game.position().moves().take(1).collect(),
            moves: game.moves().to_vec(),
            goal: Goal::Win,
            plies: None,
            rating: 600,
        };
        let mut state = PuzzleState::new(&app, &puzzle, "A puzzle", DARK);
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a buffer");
        let frame = terminal.draw(|frame| state.draw(frame)).expect("a buffer");
        let shown = text(frame.buffer);
        let mut numbers = shown
            .split_whitespace()
            .filter_map(|word| word.parse().ok());
        // The free squares begin with 13 or with 20.
        let first: Option<u8> = numbers.find(|number| [13, 20].contains(number));
        assert_eq!(first == Some(13), usual, "{shown}");
    }
}

/// The board of a match is turned by a key, and turned back by it.
#[track_caller]
fn check_key<G>(game: G, labels: [&str; 2])
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let app = App::new(game);
    let mut state = MatchState::new(&app, [None, None], DARK);
    let [lowest, highest] = labels;
    for top in [highest, lowest, highest] {
        let shown = text(&drawn(&mut state, SIZE));
        let words = shown
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let mut found = words.filter(|word| labels.contains(word));
        assert_eq!(found.next(), Some(top), "{shown}");
        assert_eq!(state.handle(&control('b')), Handled::Changed);
    }
}

#[test]
fn a_key_turns_the_board_of_a_match() {
    check_key(Reversi::new(), ["8", "1"]);
    check_key(Morris::nine(), ["1", "7"]);
}

#[test]
fn a_key_turns_the_board_of_a_match_elsewhere() {
    let mut current = between(Draughts::new(), "");
    current.own = Some(Side::First);
    let mut state = RemoteState::new(DARK);
    follow(&mut state, current);
    for usual in [false, true, false] {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a buffer");
        let frame = terminal.draw(|frame| state.draw(frame, Instant::now()));
        let shown = text(frame.expect("a buffer").buffer);
        assert_eq!(is_usual(&shown), usual, "{shown}");
        assert_eq!(state.handle(&control('b')), remote::Handled::Changed);
    }
}

#[test]
fn a_key_turns_the_board_of_a_puzzle() {
    let app = App::new(Draughts::new());
    let puzzle = Puzzle {
        solution: Draughts::new().moves().take(1).collect(),
        moves: Vec::new(),
        goal: Goal::Win,
        plies: None,
        rating: 600,
    };
    let mut state = PuzzleState::new(&app, &puzzle, "A puzzle", DARK);
    for usual in [false, true, false] {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).expect("a buffer");
        let frame = terminal.draw(|frame| state.draw(frame)).expect("a buffer");
        let shown = text(frame.buffer);
        assert_eq!(is_usual(&shown), usual, "{shown}");
        assert_eq!(state.handle(&control('b'), Instant::now()), Solved::Changed);
    }
}

/// The board stays as it is, and the help doesn't have the key.
#[track_caller]
fn check_no_key<G>(game: G)
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let app = App::new(game);
    let mut state = MatchState::new(&app, [None, None], DARK);
    assert_eq!(state.handle(&control('b')), Handled::Nothing);
    assert!(!text(&drawn(&mut state, SIZE)).contains("turn the board"));
}

#[test]
fn boards_that_cannot_be_turned_have_no_key() {
    check_no_key(ConnectFour::new());
    check_no_key(Hex::new(11).expect("a size"));
    check_no_key(Qubic::new());
}

/// Boards are turned only where one side begins above the other.
#[track_caller]
fn check_never_turned(game: &impl Drawing) {
    for side in Side::BOTH {
        assert!(!is_turned_for(game, side));
    }
}

#[test]
fn other_boards_are_not_turned() {
    check_never_turned(&ConnectFour::new());
    check_never_turned(&Reversi::new());
    check_never_turned(&Morris::nine());
}

/// Each place of a turned board is where the opposite place of the other one is,
/// at every size.
#[track_caller]
fn check_opposite<G: Drawing>(game: &G, [columns, rows]: [u8; 2]) {
    let picture = game.picture();
    for size in [(20, 9), (80, 24), (200, 90)] {
        let board = |is_turned| {
            let highlights = Highlights {
                is_turned,
                ..Highlights::default()
            };
            Board::draw(&picture, &highlights, DARK, size.into())
        };
        let (usual, turned) = (board(false), board(true));
        assert_eq!(usual.buffer.area, turned.buffer.area);
        assert_eq!(usual.places.len(), turned.places.len());
        let on_board = |&&(place, _): &&(Place, _)| picture.layout.contains(place);
        for &(place, area) in turned.places.iter().filter(on_board) {
            let opposite = Place::flat(columns - 1 - place.x, rows - 1 - place.y);
            let there = usual.places.iter().find(|&&(place, _)| place == opposite);
            assert_eq!(
                there.map(|&(_, area)| area),
                Some(area),
                "{place:?} {size:?}"
            );
        }
    }
}

#[test]
fn a_turned_board_has_each_place_opposite() {
    check_opposite(&Draughts::new(), [8, 8]);
    check_opposite(&Reversi::new(), [8, 8]);
    check_opposite(&Morris::nine(), [7, 7]);
}

/// Labels stay at the left and at the bottom, each with its row or column.
#[track_caller]
fn check_labels<G: Drawing>(game: &G, count: usize) {
    let labels = |is_turned| {
        let highlights = Highlights {
            is_turned,
            ..Highlights::default()
        };
        let board = Board::draw(&game.picture(), &highlights, DARK, (80, 24).into());
        let text = text(&board.buffer);
        let words = |line: &str| -> Vec<String> {
            let words = line.split_whitespace();
            words.map(str::to_owned).collect()
        };
        let rows = text
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let rows: Vec<u8> = rows.filter_map(|word| word.parse().ok()).collect();
        let columns = text.lines().map(words).find(|words| {
            let mut letters = words.iter();
            words.len() == count && letters.all(|word| ("a"..="h").contains(&word.as_str()))
        });
        (rows, columns.expect("a line of labels"))
    };
    let (rows, columns) = labels(false);
    assert_eq!([rows.len(), columns.len()], [count; 2]);
    let opposite = (
        rows.into_iter().rev().collect(),
        columns.into_iter().rev().collect(),
    );
    assert_eq!(labels(true), opposite);
}

#[test]
fn the_labels_of_a_turned_board_are_those_of_its_rows_and_columns() {
    check_labels(&Reversi::new(), 8);
    check_labels(&Morris::nine(), 7);
}
