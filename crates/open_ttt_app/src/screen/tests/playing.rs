use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Drawing, Notation};
use open_ttt_lib::rules::{Outcome, Place, Side, TwoPlayerGame};
use open_ttt_players::{Decision, Player, Termination, Turn};
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseEvent, MouseEventKind,
};

use super::super::Leave;
use super::super::match_input::Handled;
use super::super::match_state::MatchState;
use super::super::move_input::Cursor;
use super::{DARK, SMALL, check_help, click, drawn, game, people, press, text, write};
use crate::{App, Opponent};

const SIZE: [u16; 2] = [80, 24];

/// Plays the first legal move.
struct FirstMove;

impl Player<TicTacToe> for FirstMove {
    fn player_name(&self) -> &'static str {
        "first move"
    }

    fn take_turn(
        &mut self,
        turn: &Turn<'_, TicTacToe>,
    ) -> Decision<<TicTacToe as TwoPlayerGame>::Move> {
        turn.game
            .moves()
            .next()
            .map_or(Decision::Resign, Decision::Play)
    }
}

fn first_move() -> Opponent<TicTacToe> {
    Opponent::new("first move", || Box::new(FirstMove))
}

/// Lets the computers play until the condition holds.
fn run_until(
    state: &mut MatchState<'_, TicTacToe>,
    condition: impl Fn(&MatchState<'_, TicTacToe>) -> bool,
) {
    while !condition(state) {
        state.tick(Instant::now());
        std::thread::yield_now();
    }
}

#[test]
fn arrows_and_enter_choose_a_move() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "", DARK);
    drawn(&mut state, SIZE);
    // The cursor starts in the middle.
    assert_eq!(state.input.cursor, Cursor::Place(Some(Place::flat(1, 1))));
    for key in [
        KeyCode::Up,
        KeyCode::Left,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Enter,
    ] {
        assert_eq!(press(&mut state, key), Handled::Changed);
    }
    assert_eq!(state.game.move_texts(), ["a2"]);
    // A taken cell can have the cursor but not be chosen.
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.message.as_deref(), Some("No move goes there."));
    assert_eq!(state.game.moves().len(), 1);
}

#[test]
fn a_move_is_typed() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "", DARK);
    write(&mut state, "c1");
    assert!(text(&drawn(&mut state, SIZE)).contains("\n> c1_   Enter plays it, Esc deletes it\n"));
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.game.move_texts(), ["c1"]);
    write(&mut state, "c1");
    press(&mut state, KeyCode::Enter);
    assert!(
        state
            .message
            .as_ref()
            .is_some_and(|it| it.starts_with("Impossible move c1: "))
    );
    // A letter that begins no move is a command; Esc deletes.
    write(&mut state, "a");
    press(&mut state, KeyCode::Esc);
    assert_eq!(state.input.typed, "");
    write(&mut state, "u");
    assert_eq!(state.game.move_texts(), [""; 0]);
}

#[test]
fn a_click_chooses() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "", DARK);
    let buffer = drawn(&mut state, SIZE);
    let shown = text(&buffer);
    // The label of a column, and of a row.
    let find = |label: &str, line: &str| line.chars().position(|it| label.starts_with(it));
    let column = shown
        .lines()
        .find_map(|line| find("c", line))
        .expect("column c");
    let row = shown
        .lines()
        .position(|line| line.trim_start().starts_with("3 "));
    let at = [column as u16, row.expect("row 3") as u16];
    assert_eq!(click(&mut state, at), Handled::Changed);
    assert_eq!(state.game.move_texts(), ["c3"]);
    assert_eq!(click(&mut state, [0, 0]), Handled::Nothing);
}

/// Chooses a place of the board.
fn choose<G>(state: &mut MatchState<'_, G>, place: Place)
where
    G: Notation + Drawing + Send + 'static,
    G::Move: Send,
{
    let input = state.input.choose(place, state.game.position());
    state.take(input);
}

#[test]
fn a_piece_falls_wherever_its_column_is_clicked() {
    let app = App::new(game("connect4"));
    let mut state = people(&app, "", DARK);
    choose(&mut state, Place::flat(3, 5));
    choose(&mut state, Place::flat(3, 0));
    assert_eq!(state.game.move_texts(), ["4", "4"]);
}

#[test]
fn a_move_in_parts_can_begin_elsewhere() {
    let app = App::new(game("draughts"));
    let mut state = people(&app, "", DARK);
    let pieces: Vec<_> = state
        .input
        .open_choices(state.game.position())
        .iter()
        .map(|choice| choice.path.clone())
        .collect();
    let (one, other) = (&pieces[0], pieces.last().expect("a move"));
    choose(&mut state, one[0]);
    assert_eq!(state.input.chosen, [one[0]]);
    choose(&mut state, other[0]);
    assert_eq!(state.input.chosen, [other[0]]);
    press(&mut state, KeyCode::Esc);
    assert!(state.input.chosen.is_empty());
    for &place in one {
        choose(&mut state, place);
    }
    assert_eq!(state.game.moves().len(), 1);
}

#[test]
fn undo_and_redo_go_to_a_persons_turn() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "a1 b1 c1", DARK);
    write(&mut state, "uu");
    assert_eq!(state.game.move_texts(), ["a1"]);
    write(&mut state, "r");
    assert_eq!(state.game.move_texts(), ["a1", "b1"]);

    // With a computer, its answer is taken back, too.
    let opponent = first_move();
    let mut state = MatchState::new(&app, [None, Some(&opponent)], DARK);
    choose(&mut state, Place::flat(1, 1));
    run_until(&mut state, |state| state.game.moves().len() == 2);
    assert_eq!(state.game.move_texts(), ["b2", "a1"]);
    write(&mut state, "u");
    assert_eq!(state.game.move_texts(), [""; 0]);
    assert!(!state.can_undo());
    write(&mut state, "r");
    assert_eq!(state.game.move_texts(), ["b2", "a1"]);
}

#[test]
fn a_game_ends_is_stepped_through_and_played_again() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "a1 b1 a2 b2 a3", DARK);
    assert_eq!(state.end_text(), Some("X wins"));
    press(&mut state, KeyCode::Left);
    press(&mut state, KeyCode::Left);
    let shown = text(&drawn(&mut state, SIZE));
    assert!(shown.contains("X wins   move 3 of 5"), "{shown}");
    press(&mut state, KeyCode::Home);
    assert_eq!(state.shown_position(), TicTacToe::new());
    write(&mut state, "n");
    // The other player has the first move.
    assert_eq!(
        (state.end_text(), state.player_name(Side::First)),
        (None, "Player 2")
    );
    let shown = text(&drawn(&mut state, SIZE));
    assert!(
        shown.starts_with("▶ X (Player 2, 0 wins)     O (Player 1, 1 win)\n"),
        "{shown}"
    );
}

#[test]
fn the_help_is_whole_on_a_small_screen() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "a1", DARK);
    write(&mut state, "?");
    let top = text(&drawn(&mut state, SMALL));
    for _ in 0..9 {
        assert_eq!(press(&mut state, KeyCode::Down), Handled::Changed);
        drawn(&mut state, SMALL);
    }
    let bottom = text(&drawn(&mut state, SMALL));
    check_help(&top, &bottom);
    assert!(bottom.contains("│ Ctrl-C end the program"), "{bottom}");
    let wheel = Event::Mouse(MouseEvent {
        kind: MouseEventKind::ScrollUp,
        column: 0,
        row: 0,
        modifiers: KeyModifiers::NONE,
    });
    assert_eq!(state.handle(&wheel), Handled::Changed);
    assert_ne!(text(&drawn(&mut state, SMALL)), bottom);
    // Another key ends it, and any key does where it need not be scrolled.
    press(&mut state, KeyCode::Enter);
    assert!(!text(&drawn(&mut state, SMALL)).contains("Keys"));
    write(&mut state, "?");
    let shown = text(&drawn(&mut state, SIZE));
    assert!(
        shown.contains("Choose") && shown.contains("end the program") && !shown.contains("scroll"),
        "{shown}"
    );
    press(&mut state, KeyCode::Down);
    assert!(!text(&drawn(&mut state, SIZE)).contains("Keys"));
    assert_eq!(state.game.moves().len(), 1);
}

#[test]
fn questions_are_whole_on_a_small_screen() {
    let app = App::new(TicTacToe::new());
    for key in ["n", "R", "q"] {
        let mut state = people(&app, "a1", DARK);
        write(&mut state, key);
        let shown = text(&drawn(&mut state, SMALL));
        assert!(shown.contains("? ") && shown.contains("(y/n)\n"), "{shown}");
    }
}

/// The yes that is on its way would be a move otherwise.
#[test]
fn a_question_stays_when_the_computer_moves() {
    let app = App::new(TicTacToe::new());
    let opponent = first_move();
    let mut state = MatchState::new(&app, [None, Some(&opponent)], DARK);
    choose(&mut state, Place::flat(1, 1));
    write(&mut state, "R");
    run_until(&mut state, |state| state.game.moves().len() == 2);
    assert!(text(&drawn(&mut state, SIZE)).contains("Resign as X? (y/n)"));
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.end_text(), Some("X resigns. O wins"));
    assert_eq!(state.game.moves().len(), 2);
    // An Enter too many doesn't take the result away.
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.end_text(), Some("X resigns. O wins"));
}

#[test]
fn a_long_message_is_whole() {
    let app = App::new(TicTacToe::new());
    let reason = "word ".repeat(30) + "end";
    let broken: Opponent<TicTacToe> = Opponent::fallible("broken", move || {
        Err::<crate::BoxedPlayer<TicTacToe>, _>(reason.clone())
    });
    let mut state = MatchState::new(&app, [Some(&broken), None], DARK);
    run_until(&mut state, |state| state.end.is_some());
    let shown = text(&drawn(&mut state, SIZE));
    assert!(shown.contains("\nX can't play: word "), "{shown}");
    assert!(shown.contains("end. The game doesn't count.\n"), "{shown}");
}

/// The button was one of what isn't chosen any more.
#[test]
fn a_cursor_is_somewhere_when_its_button_is_gone() {
    let app = App::new(game("lines(wild=1)"));
    let mut state = people(&app, "", DARK);
    press(&mut state, KeyCode::Enter);
    press(&mut state, KeyCode::Tab);
    press(&mut state, KeyCode::Esc);
    drawn(&mut state, SIZE);
    press(&mut state, KeyCode::Enter);
    press(&mut state, KeyCode::Tab);
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.game.moves().len(), 1);
}

/// Nobody has a cursor once the game is over.
#[test]
fn a_board_that_is_too_large_is_shown_around_the_last_move() {
    let app = App::new(game("mnk(m=15,n=15,k=4)"));
    let mut state = people(&app, "a15 a1 b15 b1 c15 c1 d15", DARK);
    let shown = text(&drawn(&mut state, [80, 14]));
    assert!(shown.contains("X wins"), "{shown}");
    let top = shown.lines().find(|line| line.contains("15 "));
    assert!(top.is_some_and(|line| line.contains("X X X X")), "{shown}");
}

#[test]
fn resigning_and_leaving_ask_first() {
    let app = App::new(TicTacToe::new());
    let mut state = people(&app, "a1", DARK);
    write(&mut state, "R");
    assert!(text(&drawn(&mut state, SIZE)).contains("Resign as O? (y/n)"));
    write(&mut state, "n");
    assert_eq!(state.end, None);
    write(&mut state, "Ry");
    assert_eq!(state.end_text(), Some("O resigns. X wins"));
    assert_eq!(state.series.score().wins, [1, 0]);
    assert_eq!(
        press(&mut state, KeyCode::Char('q')),
        Handled::Leave(Leave::Back)
    );

    let mut state = people(&app, "a1", DARK);
    assert_eq!(press(&mut state, KeyCode::Char('q')), Handled::Changed);
    assert_eq!(
        press(&mut state, KeyCode::Char('y')),
        Handled::Leave(Leave::Back)
    );
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(
        state.handle(&Event::Key(ctrl_c)),
        Handled::Leave(Leave::Quit)
    );
}

#[test]
fn computers_pause_step_and_change_their_speed() {
    let app = App::new(TicTacToe::new());
    let opponents = [first_move(), first_move()];
    let mut state = MatchState::new(&app, opponents.each_ref().map(Some), DARK);
    write(&mut state, " ");
    assert_eq!(
        state.patience(Instant::now()),
        None,
        "a paused game waits for a key"
    );
    assert!(!state.tick(Instant::now()));
    write(&mut state, ".");
    run_until(&mut state, |state| state.game.moves().len() == 1);
    assert!(!state.tick(Instant::now()), "one step is one move");
    write(&mut state, "u");
    assert_eq!(state.game.moves().len(), 0);
    write(&mut state, "+++ ");
    run_until(&mut state, |state| state.end.is_some());
    assert_eq!(state.end_text(), Some("X wins"));
}

#[test]
fn a_pass_is_a_button() {
    // In this game on a small board White has to pass.
    let app = App::new(game("reversi(size=4)"));
    let mut state = people(&app, "", DARK);
    while state.end.is_none() && state.input.labelled_moves(state.game.position()).is_empty() {
        let first = state.input.open_choices(state.game.position()).remove(0);
        state.play(first.m);
    }
    if state.end.is_none() {
        let shown = text(&drawn(&mut state, SIZE));
        assert!(shown.contains("[ Pass ]"), "{shown}");
        let before = state.game.moves().len();
        press(&mut state, KeyCode::Enter);
        assert_eq!(state.game.moves().len(), before + 1);
    }
}

#[test]
fn a_large_board_scrolls_with_the_cursor() {
    let app = App::new(game("mnk(m=15,n=15,k=5)"));
    let mut state = people(&app, "a1 o15", DARK);
    for (key, label) in [(KeyCode::Down, " 1 "), (KeyCode::Up, "15 ")] {
        for _ in 0..15 {
            press(&mut state, key);
            drawn(&mut state, [40, 15]);
        }
        let shown = text(&drawn(&mut state, [40, 15]));
        assert!(shown.contains(label), "{shown}");
        let columns = shown.lines().any(|line| {
            line.split_whitespace()
                .eq(COLUMNS.chars().map(|it| it.to_string()))
        });
        assert!(columns, "the labels of the columns stay: {shown}");
    }
    // On a narrow screen the labels of the rows stay, and a click meets what it shows.
    press(&mut state, KeyCode::Right);
    for _ in 0..15 {
        press(&mut state, KeyCode::Right);
        drawn(&mut state, [20, 30]);
    }
    let shown = text(&drawn(&mut state, [20, 30]));
    assert!(shown.lines().any(|line| line.starts_with("15 ")), "{shown}");
    let at = |line: &str, mark: char| line.chars().position(|it| it == mark);
    let column = shown
        .lines()
        .find_map(|line| at(line, 'n').filter(|_| line.contains('m')));
    let row = shown.lines().position(|line| line.starts_with(" 9 "));
    click(
        &mut state,
        [column.expect("column n") as u16, row.expect("row 9") as u16],
    );
    assert_eq!(state.game.move_texts().pop().as_deref(), Some("n9"));
}

const COLUMNS: &str = "abcdefghijklmno";

#[test]
fn a_computer_that_fails_ends_the_game_without_a_score() {
    let app = App::new(TicTacToe::new());
    let broken: Opponent<TicTacToe> = Opponent::fallible("broken", || {
        Err::<crate::BoxedPlayer<TicTacToe>, _>("no file")
    });
    let mut state = MatchState::new(&app, [Some(&broken), None], DARK);
    run_until(&mut state, |state| state.end.is_some());
    assert_eq!(
        state.end_text(),
        Some("X can't play: no file. The game doesn't count.")
    );
    assert_eq!(state.series.score().games(), 0);
}

#[test]
fn a_game_is_kept_after_every_move_and_gone_on_with() {
    let kept = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&kept);
    let app = App::new(TicTacToe::new()).keep(move |game| {
        let moves = game.history.move_texts().join(" ");
        log.borrow_mut().push((
            moves,
            game.computers.map(|name| name.map(str::to_owned)),
            game.end,
        ));
        Ok(())
    });
    let opponent = first_move();
    let mut state = MatchState::new(&app, [None, Some(&opponent)], DARK);
    choose(&mut state, Place::flat(1, 1));
    run_until(&mut state, |state| state.game.moves().len() == 2);
    write(&mut state, "uRy");
    let computers = [None, Some("first move".to_owned())];
    let resigned = (Outcome::Win(Side::Second), Termination::Resigned);
    let expected = [
        ("", None),
        ("b2", None),
        ("b2 a1", None),
        ("", None),
        ("", Some(resigned)),
    ];
    let expected = expected.map(|(moves, end)| (moves.to_owned(), computers.clone(), end));
    assert_eq!(*kept.borrow(), expected);
    write(&mut state, "n");
    // The players have exchanged sides.
    let last = kept.borrow().last().cloned();
    assert_eq!(
        last.map(|(_, [first, _], _)| first),
        Some(computers[1].clone())
    );

    let game = people(&App::new(TicTacToe::new()), "a1 b2 c3", DARK).game;
    let app = App::new(TicTacToe::new()).resume(game.moves().to_vec());
    let mut state = people(&app, "", DARK);
    assert_eq!(state.game.move_texts(), ["a1", "b2", "c3"]);
    write(&mut state, "n");
    write(&mut state, "y");
    assert_eq!(
        state.game.move_texts(),
        [""; 0],
        "the next game is a new one"
    );
}

#[test]
fn games_that_cannot_be_kept_are_told_of_once() {
    let app = App::new(TicTacToe::new()).keep(|_| Err("no room".to_owned()));
    let mut state = people(&app, "", DARK);
    let shown = text(&drawn(&mut state, SIZE));
    assert!(
        shown.contains("Your games aren't saved: no room."),
        "{shown}"
    );
    write(&mut state, "a1");
    press(&mut state, KeyCode::Enter);
    assert_eq!(state.message, None);

    // A computer's answer doesn't hide it.
    let app = App::new(TicTacToe::new()).keep(|played| match played.history.moves() {
        [] => Ok(()),
        _ => Err("no room".to_owned()),
    });
    let opponent = first_move();
    let mut state = MatchState::new(&app, [None, Some(&opponent)], DARK);
    choose(&mut state, Place::flat(1, 1));
    run_until(&mut state, |state| state.game.moves().len() == 2);
    let told = "Your games aren't saved: no room.";
    assert_eq!(state.message.as_deref(), Some(told));
    choose(&mut state, Place::flat(2, 2));
    assert_eq!(state.message, None);
}
