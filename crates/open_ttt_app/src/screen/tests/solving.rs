//! A puzzle that somebody solves.

use std::time::{Duration, Instant};

use open_ttt_coach::{Goal, Puzzle};
use open_ttt_lib::games::ConnectFour;
use open_ttt_lib::rules::{History, TwoPlayerGame};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use super::super::Leave;
use super::super::puzzle_state::{PuzzleState, Solved};
use super::{DARK, PLAIN, SMALL, control, text};
use crate::App;

type Column = <ConnectFour as TwoPlayerGame>::Move;

/// Red wins by an open three at the bottom: 4, and then 2 or 6 after any reply but none at
/// once.
fn puzzle() -> Puzzle<Column> {
    let mut game = History::new(ConnectFour::new());
    game.play_text("3355").expect("legal moves");
    let moves = game.moves().to_vec();
    game.play_text("4 6 2").expect("legal moves");
    Puzzle {
        solution: game.moves()[moves.len()..].to_vec(),
        moves,
        goal: Goal::Win,
        plies: Some(3),
        rating: 600,
    }
}

fn press(state: &mut PuzzleState<'_, ConnectFour>, code: KeyCode) -> Solved {
    let event = Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
    state.handle(&event, Instant::now())
}

fn shown(state: &mut PuzzleState<'_, ConnectFour>, [width, height]: [u16; 2]) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer");
    let frame = terminal.draw(|frame| state.draw(frame)).expect("a buffer");
    text(frame.buffer)
}

const SIZE: [u16; 2] = [80, 24];

/// Later than everything that is due after this number of moves.
fn later(moves: u64) -> Instant {
    Instant::now() + Duration::from_secs(60 * (moves + 1))
}

#[test]
fn a_puzzle_is_solved_with_replies() {
    let app = App::new(ConnectFour::new());
    let puzzle = puzzle();
    let mut state = PuzzleState::new(&app, &puzzle, "Connect Four, puzzle 1 of 9", DARK);
    let screen = shown(&mut state, SIZE);
    assert!(screen.contains("Connect Four, puzzle 1 of 9"), "{screen}");
    let task = "Red to move: find the only move that wins, in 3.";
    assert!(screen.contains(task), "{screen}");
    assert_eq!(state.patience(Instant::now()), None);
    for key in [KeyCode::Char('4'), KeyCode::Enter] {
        assert_eq!(press(&mut state, key), Solved::Changed);
    }
    assert!(shown(&mut state, SIZE).contains("4 is right."));
    assert!(!state.awaits_person());
    assert!(state.tick(later(0)));
    assert!(shown(&mut state, SIZE).contains("Yellow plays 6."));
    assert!(state.awaits_person());
    for key in [KeyCode::Char('2'), KeyCode::Enter] {
        press(&mut state, key);
    }
    let screen = shown(&mut state, SIZE);
    assert!(
        screen.contains("Solved!") && screen.contains("a again"),
        "{screen}"
    );
    assert_eq!(state.patience(Instant::now()), None);
    assert_eq!(press(&mut state, KeyCode::Enter), Solved::Next);
    press(&mut state, KeyCode::Char('a'));
    assert!(state.awaits_person());
}

#[test]
fn a_wrong_move_is_shown_refuted_and_taken_back() {
    let app = App::new(ConnectFour::new());
    let puzzle = puzzle();
    let mut state = PuzzleState::new(&app, &puzzle, "", DARK);
    for key in [KeyCode::Char('7'), KeyCode::Enter] {
        press(&mut state, key);
    }
    let screen = shown(&mut state, SIZE);
    assert!(screen.contains("7 doesn't win. Try again."), "{screen}");
    assert_eq!(state.shown().1.len(), 1);
    // The judge looks for a reply as long as it takes.
    while state.patience(Instant::now()).is_some() && !state.news.contains("Yellow plays") {
        state.tick(Instant::now());
    }
    assert!(
        state.news.starts_with("7 doesn't win: Yellow plays "),
        "{}",
        state.news
    );
    state.tick(later(0));
    assert!(state.awaits_person());
    assert_eq!(state.game.moves().len(), puzzle.moves.len());
    for key in [KeyCode::Char('4'), KeyCode::Enter] {
        press(&mut state, key);
    }
    assert!(shown(&mut state, SIZE).contains("4 is right."));
}

#[test]
fn the_reply_to_a_wrong_move_does_not_replace_later_news() {
    let app = App::new(ConnectFour::new());
    let puzzle = puzzle();
    let mut state = PuzzleState::new(&app, &puzzle, "", DARK);
    for key in [KeyCode::Char('7'), KeyCode::Enter] {
        press(&mut state, key);
    }
    press(&mut state, KeyCode::Char('s'));
    assert!(state.tick(later(0)));
    assert_eq!(state.news, "Red plays 4.");
    press(&mut state, KeyCode::Char('a'));
    while state.patience(Instant::now()).is_some() {
        state.tick(later(9));
        assert!(!state.news.contains("Try again"), "{}", state.news);
    }
}

#[test]
fn a_hint_marks_the_move_and_the_solution_plays_it() {
    let app = App::new(ConnectFour::new());
    let puzzle = puzzle();
    let mut state = PuzzleState::new(&app, &puzzle, "", PLAIN);
    assert!(state.hint_places().is_empty());
    press(&mut state, KeyCode::Char('h'));
    assert_eq!(state.hint_places().len(), 1);
    assert!(shown(&mut state, SIZE).contains("The move is marked on the board."));
    press(&mut state, KeyCode::Char('s'));
    for moves in 0..3 {
        assert!(!state.is_solved());
        assert!(state.tick(later(moves)));
    }
    assert!(shown(&mut state, SIZE).contains("The solution: 4 6 2"));
    assert_eq!(press(&mut state, KeyCode::Char('n')), Solved::Next);
}

#[test]
fn the_help_is_whole_on_a_small_screen() {
    let app = App::new(ConnectFour::new());
    let puzzle = puzzle();
    let mut state = PuzzleState::new(&app, &puzzle, "", DARK);
    press(&mut state, KeyCode::Char('?'));
    let shown = shown(&mut state, SMALL);
    for part in ["with a click, or", "h      hint", "Ctrl-C end the program"] {
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }
}

#[test]
fn a_puzzle_is_left_by_q_and_ctrl_c_at_any_size() {
    let app = App::new(ConnectFour::new());
    let puzzle = puzzle();
    let mut state = PuzzleState::new(&app, &puzzle, "", DARK);
    assert!(shown(&mut state, [40, 15]).contains("? help  q quit"));
    for size in [[20, 6], [40, 15], [1, 1], [200, 60]] {
        shown(&mut state, size);
        press(&mut state, KeyCode::Char('?'));
        shown(&mut state, size);
        assert_eq!(press(&mut state, KeyCode::Esc), Solved::Changed);
    }
    let quit = state.handle(&control('c'), Instant::now());
    assert_eq!(quit, Solved::Leave(Leave::Quit));
    assert_eq!(
        press(&mut state, KeyCode::Char('q')),
        Solved::Leave(Leave::Back)
    );
}
