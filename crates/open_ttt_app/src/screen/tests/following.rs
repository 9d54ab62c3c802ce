//! Matches that are played elsewhere.

use std::time::{Duration, Instant};

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::{Drawing, History, Notation, Side};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::style::Color as Ink;

use super::super::Leave;
use super::super::remote::{Handled, RemoteState};
use super::super::theme::Theme;
use super::{DARK, LIGHT, PLAIN, SMALL, check_help, control, game, text};
use crate::{
    RemoteAction, RemoteClock, RemoteCommand, RemoteMatch, RemotePlayer, RemoteStatus, RemoteUpdate,
};

const SIZE: [u16; 2] = [80, 24];

fn player(name: &str) -> RemotePlayer {
    RemotePlayer {
        name: name.to_owned(),
        rating: None,
        is_connected: true,
        wins: 0,
    }
}

/// A game between Ann, who is at this terminal and goes first, and Bob.
pub(super) fn between<G: Notation + Drawing>(game: G, moves: &str) -> RemoteMatch<G> {
    let mut game = History::new(game);
    for text in moves.split_whitespace() {
        let m = game.position().parse_move(text).expect("a move");
        game.play(m).expect("a legal move");
    }
    RemoteMatch {
        title: "a game".to_owned(),
        number: 1,
        status: match game.outcome() {
            None => RemoteStatus::Turn(game.position().to_move()),
            Some(_) => RemoteStatus::Over("It is over".to_owned()),
        },
        game,
        pending: 0,
        players: [Some(player("Ann")), Some(player("Bob"))],
        own: Some(Side::First),
        is_person: true,
        clock: None,
        draws: 0,
        spectators: 0,
        request: None,
        actions: Vec::new(),
        problem: None,
        link: None,
    }
}

fn state<G: Notation + Drawing>(current: RemoteMatch<G>, theme: Theme) -> RemoteState<G> {
    let mut state = RemoteState::new(theme);
    follow(&mut state, current);
    state
}

pub(super) fn follow<G: Notation + Drawing>(state: &mut RemoteState<G>, current: RemoteMatch<G>) {
    state.update(RemoteUpdate::Match(Box::new(current)));
}

fn drawn_at<G: Notation + Drawing>(
    state: &mut RemoteState<G>,
    [width, height]: [u16; 2],
    now: Instant,
) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a buffer");
    let frame = terminal.draw(|frame| state.draw(frame, now));
    frame.expect("a buffer").buffer.clone()
}

fn shown<G: Notation + Drawing>(state: &mut RemoteState<G>) -> String {
    text(&drawn_at(state, SIZE, Instant::now()))
}

#[track_caller]
fn check_shows<G: Notation + Drawing>(state: &mut RemoteState<G>, part: &str) {
    let shown = shown(state);
    assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
}

fn press<G: Notation + Drawing>(state: &mut RemoteState<G>, code: KeyCode) -> Handled {
    state.handle(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn key<G: Notation + Drawing>(state: &mut RemoteState<G>, letter: char) -> Handled {
    press(state, KeyCode::Char(letter))
}

fn click<G: Notation + Drawing>(state: &mut RemoteState<G>, at: [u16; 2]) -> Handled {
    state.handle(&Event::Mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: at[0],
        row: at[1],
        modifiers: KeyModifiers::NONE,
    }))
}

fn a_move(text: &str, played: usize) -> Handled {
    Handled::Command(RemoteCommand::Move {
        text: text.to_owned(),
        played,
        number: 1,
    })
}

fn act(action: RemoteAction) -> Handled {
    Handled::Command(RemoteCommand::Act(action))
}

#[test]
fn moves_are_chosen_as_in_other_matches() {
    let mut state = state(between(TicTacToe::new(), "a1 b2"), DARK);
    let buffer = drawn_at(&mut state, SIZE, Instant::now());
    // The cursor starts on b1: the middle is taken, but can have it.
    press(&mut state, KeyCode::Up);
    press(&mut state, KeyCode::Right);
    assert_eq!(press(&mut state, KeyCode::Enter), a_move("c2", 2));
    for letter in "c1".chars() {
        assert_eq!(key(&mut state, letter), Handled::Changed);
    }
    check_shows(&mut state, "\n> c1_   Enter plays it, Esc deletes it\n");
    assert_eq!(press(&mut state, KeyCode::Enter), a_move("c1", 2));
    // The column and the row of b1.
    let lines = text(&buffer);
    let column = lines.lines().find_map(|line| {
        let labels = line.trim_start().starts_with('a') && line.contains('c');
        labels.then(|| line.chars().position(|letter| letter == 'b'))?
    });
    let row = lines
        .lines()
        .position(|line| line.trim_start().starts_with("1 "));
    let at = [column.expect("a column") as u16, row.expect("a row") as u16];
    assert_eq!(click(&mut state, at), a_move("b1", 2));
}

#[test]
fn a_move_is_shown_while_it_is_sent_and_taken_back_when_it_is_refused() {
    let mut state = state(between(TicTacToe::new(), "a1 b2"), DARK);
    let mut sent = between(TicTacToe::new(), "a1 b2 c3");
    sent.pending = 1;
    follow(&mut state, sent);
    check_shows(&mut state, "Bob's turn (O) · sending c3\n");
    check_shows(&mut state, "3.c3…");
    // It isn't this player's turn any more.
    assert_eq!(press(&mut state, KeyCode::Enter), Handled::Nothing);
    follow(&mut state, between(TicTacToe::new(), "a1 b2"));
    let text = "Your move c3 was rejected: the time is up".to_owned();
    state.update(RemoteUpdate::Refused(text));
    check_shows(&mut state, "\nYour move c3 was rejected: the time is up\n");
    assert!(!shown(&mut state).contains("c3…"));
    // The next key makes room for whose turn it is.
    press(&mut state, KeyCode::Up);
    check_shows(&mut state, "\nYour turn (X) · last move b2\n");
}

#[test]
fn clocks_tick() {
    let at = Instant::now();
    let mut current = between(TicTacToe::new(), "a1 b2");
    current.clock = Some(RemoteClock {
        left: [Duration::from_secs(65), Duration::from_mins(5)],
        running: Some(Side::First),
        at,
    });
    let mut state = state(current, DARK);
    let after = |state: &mut RemoteState<_>, milliseconds| {
        let now = at + Duration::from_millis(milliseconds);
        let was_old = state.tick(now);
        let times: Vec<_> = text(&drawn_at(state, SIZE, now))
            .lines()
            .skip(1)
            .take(2)
            .map(|line| line.split_whitespace().next_back().unwrap_or("").to_owned())
            .collect();
        (was_old, times.join(" "))
    };
    assert_eq!(after(&mut state, 0), (true, "1:05 5:00".to_owned()));
    // A second goes on until the next one.
    assert_eq!(after(&mut state, 900), (false, "1:05 5:00".to_owned()));
    assert_eq!(after(&mut state, 1_000), (true, "1:04 5:00".to_owned()));
    assert_eq!(after(&mut state, 60_750), (true, "4.3 5:00".to_owned()));
    assert_eq!(after(&mut state, 60_760), (false, "4.3 5:00".to_owned()));
    assert_eq!(after(&mut state, 99_000), (true, "0.0 5:00".to_owned()));
}

#[test]
fn what_the_opponent_asks_is_answered() {
    let mut current = between(game("mnk(m=15,n=15,k=5)"), "h8 i9");
    current.request = Some("Bob offers a draw.".to_owned());
    current.actions = vec![RemoteAction::Accept, RemoteAction::Decline];
    let mut state = state(current, DARK);
    check_shows(&mut state, "\nBob offers a draw.\n");
    // n is the name of a column, y isn't.
    check_shows(&mut state, "y accept  Ctrl-N decline");
    assert_eq!(key(&mut state, 'y'), act(RemoteAction::Accept));
    assert_eq!(key(&mut state, 'n'), Handled::Changed);
    assert_eq!(press(&mut state, KeyCode::Esc), Handled::Changed);
    assert_eq!(state.handle(&control('n')), act(RemoteAction::Decline));
}

/// The opponent may move just before the key.
#[test]
fn the_beginning_of_a_move_that_comes_too_early_asks_for_nothing() {
    let mut current = between(game("mnk(m=15,n=15,k=5)"), "h8");
    current.actions = vec![RemoteAction::OfferDraw];
    let mut state = state(current, DARK);
    check_shows(&mut state, "Ctrl-D offer a draw");
    assert_eq!(key(&mut state, 'd'), Handled::Nothing);
    assert_eq!(state.handle(&control('d')), act(RemoteAction::OfferDraw));
}

#[test]
fn only_what_is_possible_can_be_done() {
    let mut state = state(between(TicTacToe::new(), "a1 b2"), DARK);
    for letter in "yndwRl".chars() {
        assert_eq!(key(&mut state, letter), Handled::Nothing, "{letter}");
    }
    let mut current = between(TicTacToe::new(), "a1 b2");
    current.actions = vec![
        RemoteAction::Claim,
        RemoteAction::TakeBack,
        RemoteAction::OfferDraw,
        RemoteAction::Resign,
    ];
    follow(&mut state, current);
    assert_eq!(key(&mut state, 'd'), act(RemoteAction::OfferDraw));
    assert_eq!(key(&mut state, 'u'), act(RemoteAction::TakeBack));
    assert_eq!(key(&mut state, 'w'), act(RemoteAction::Claim));
    assert_eq!(key(&mut state, 'R'), Handled::Changed);
    check_shows(&mut state, "\nResign as X? (y/n)\n");
    assert_eq!(key(&mut state, 'n'), Handled::Changed);
    assert_eq!(key(&mut state, 'R'), Handled::Changed);
    assert_eq!(key(&mut state, 'y'), act(RemoteAction::Resign));
}

#[test]
fn one_steps_through_a_running_game() {
    let mut state = state(between(TicTacToe::new(), "a1 b2 c3"), DARK);
    press(&mut state, KeyCode::PageUp);
    press(&mut state, KeyCode::Left);
    check_shows(
        &mut state,
        "Bob's turn (O) · move 1 of 3 · End goes back to the game\n",
    );
    // The opponent moves meanwhile; the earlier position stays.
    follow(&mut state, between(TicTacToe::new(), "a1 b2 c3 c1"));
    check_shows(&mut state, "move 1 of 4");
    assert_eq!(press(&mut state, KeyCode::Enter), Handled::Nothing);
    press(&mut state, KeyCode::End);
    check_shows(&mut state, "\nYour turn (X) · last move c1\n");
    // In the player's turn arrows are for the board, and the latest move is followed.
    press(&mut state, KeyCode::Left);
    check_shows(&mut state, "\nYour turn (X) · last move c1\n");
    follow(&mut state, between(TicTacToe::new(), "a1 b2 c3 c1 a3"));
    check_shows(&mut state, "\nBob's turn (O) · last move a3\n");
    // A take-back.
    follow(&mut state, between(TicTacToe::new(), "a1 b2"));
    check_shows(&mut state, "\nYour turn (X) · last move b2\n");
}

#[test]
fn a_spectator_only_watches() {
    let mut current = between(game("connect4"), "4 4 3");
    current.own = None;
    current.spectators = 2;
    current.number = 3;
    current.draws = 1;
    let mut state = state(current, DARK);
    check_shows(&mut state, "a game, game 3, 1 draw, 2 watching\n");
    check_shows(&mut state, "0 wins\n");
    assert!(!shown(&mut state).contains("(you)"));
    assert_eq!(key(&mut state, '5'), Handled::Nothing);
    assert_eq!(press(&mut state, KeyCode::Left), Handled::Changed);
    check_shows(&mut state, "move 2 of 3");
    // There is no seat to keep.
    assert_eq!(key(&mut state, 'q'), Handled::Leave(Leave::Back));
}

#[test]
fn a_player_is_asked_before_leaving() {
    let mut state = state(between(TicTacToe::new(), "a1"), DARK);
    assert_eq!(key(&mut state, 'q'), Handled::Changed);
    check_shows(&mut state, "\nLeave? Your seat is kept. (y/n)\n");
    assert_eq!(key(&mut state, 'y'), Handled::Leave(Leave::Back));
    assert_eq!(state.handle(&control('c')), Handled::Leave(Leave::Quit));
    // After the game there is nothing to ask.
    follow(&mut state, between(TicTacToe::new(), "a1 b1 a2 b2 a3"));
    assert_eq!(key(&mut state, 'q'), Handled::Leave(Leave::Back));
}

#[test]
fn another_game_is_followed_from_its_start() {
    let mut over = between(TicTacToe::new(), "a1 b1 a2 b2 a3");
    over.actions = vec![RemoteAction::Rematch];
    let mut state = state(over, DARK);
    press(&mut state, KeyCode::Home);
    check_shows(&mut state, "\nIt is over · move 0 of 5\n");
    // The last Enter of a game isn't one too many.
    assert_eq!(press(&mut state, KeyCode::Enter), Handled::Nothing);
    assert_eq!(key(&mut state, 'n'), act(RemoteAction::Rematch));
    let mut next = between(TicTacToe::new(), "a1");
    next.number = 2;
    next.own = Some(Side::Second);
    next.players.swap(0, 1);
    if let Some(winner) = &mut next.players[1] {
        winner.wins = 1;
    }
    follow(&mut state, next);
    check_shows(&mut state, "a game, game 2\n");
    check_shows(&mut state, "\nYour turn (O) · last move a1\n");
    check_shows(&mut state, "1 win\n");
}

#[test]
fn players_ratings_and_absence_are_shown() {
    let mut current = between(TicTacToe::new(), "");
    if let Some(bob) = &mut current.players[1] {
        bob.rating = Some(1612);
        bob.is_connected = false;
    }
    current.problem = Some("Connection lost, reconnecting: no route".to_owned());
    let mut state = state(current, DARK);
    let shown = shown(&mut state);
    for part in [
        "▶ X  ● Ann (you)\n",
        "  O  ○ Bob 1612 (away)\n",
        "\nConnection lost, reconnecting: no route\n",
    ] {
        assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
    }
}

#[test]
fn names_stand_below_each_other() {
    let mut state = state(between(game("connect4"), ""), DARK);
    check_shows(&mut state, "\n▶ R Red     ● Ann (you)\n  Y Yellow  ● Bob\n");
}

#[test]
fn the_opponent_is_invited_by_a_whole_link() {
    let link = "http://play.example.org:8080/m/k3h9zq4m2x7dk3h9zq4m2x7d";
    let mut current = between(TicTacToe::new(), "");
    current.players[1] = None;
    current.status = RemoteStatus::Waiting("Waiting for an opponent".to_owned());
    current.link = Some(link.to_owned());
    let mut state = state(current, DARK);
    let shown = text(&drawn_at(&mut state, [40, 15], Instant::now()));
    let letters: String = shown.split('\n').collect();
    assert!(letters.contains(link), "{shown}");
    assert!(shown.contains("  O  open seat\n"), "{shown}");
    assert!(shown.contains("\nWaiting for an opponent\n"), "{shown}");
    // Nobody is to move yet.
    assert_eq!(press(&mut state, KeyCode::Enter), Handled::Nothing);
}

/// A match with everything that a screen can show.
fn full<G: Notation + Drawing>(game: G, moves: &str) -> RemoteMatch<G> {
    let mut current = between(game, moves);
    current.number = 2;
    current.draws = 1;
    current.spectators = 3;
    current.clock = Some(RemoteClock {
        left: [Duration::from_secs(9), Duration::from_secs(4_000)],
        running: Some(Side::First),
        at: Instant::now(),
    });
    current.players[1] = Some(RemotePlayer {
        rating: Some(1_500),
        is_connected: false,
        ..player("Someone with a name of 32 letters")
    });
    current.request = Some("Bob offers a draw.".to_owned());
    current.actions = vec![
        RemoteAction::Accept,
        RemoteAction::Decline,
        RemoteAction::Claim,
        RemoteAction::TakeBack,
        RemoteAction::Resign,
    ];
    current.problem = Some("Connection lost, reconnecting: timed out".to_owned());
    current.link = Some("http://play.example.org/m/k3h9".to_owned());
    current
}

#[track_caller]
fn check_sizes(name: &str, moves: &str) {
    for theme in [DARK, LIGHT, PLAIN] {
        for size in [[1, 1], [2, 3], [13, 9], [40, 15], [80, 24], [120, 40]] {
            let mut state = state(full(game(name), moves), theme);
            state.update(RemoteUpdate::News("Élodie joins".to_owned()));
            let buffer = drawn_at(&mut state, size, Instant::now());
            let mut cells = buffer.content.iter();
            if theme == PLAIN {
                let has_color = cells.any(|it| (it.fg, it.bg) != (Ink::Reset, Ink::Reset));
                assert!(!has_color && text(&buffer).is_ascii(), "{size:?}");
            }
            if size >= [40, 15] {
                let shown = text(&buffer);
                for part in [
                    "Ann (you)",
                    "9.0",
                    "1:06:40",
                    "Bob offers a draw.",
                    "? help",
                ] {
                    assert!(shown.contains(part), "{part:?} is missing in\n{shown}");
                }
                // The board is there.
                assert!(!state.places().is_empty());
            }
            press(&mut state, KeyCode::Char('?'));
            drawn_at(&mut state, size, Instant::now());
        }
    }
}

#[test]
fn every_size_and_theme() {
    check_sizes("ttt", "a1 b2");
    check_sizes("mnk(m=19,n=19,k=5)", "h8 i9");
    check_sizes("pegs", "A B");
    check_sizes("draughts", "11-15 22-18");
}

#[test]
fn the_help_and_questions_are_whole_on_a_small_screen() {
    let mut state = state(full(TicTacToe::new(), "a1 b2"), DARK);
    let small = |state: &mut RemoteState<_>| text(&drawn_at(state, SMALL, Instant::now()));
    for letter in ['R', 'q'] {
        key(&mut state, letter);
        let shown = small(&mut state);
        assert!(shown.contains("(y/n)\n"), "{shown}");
        press(&mut state, KeyCode::Esc);
    }
    key(&mut state, '?');
    let top = small(&mut state);
    for _ in 0..12 {
        assert_eq!(press(&mut state, KeyCode::Down), Handled::Changed);
        small(&mut state);
    }
    let bottom = small(&mut state);
    check_help(&top, &bottom);
    for part in [
        "│ Tab       go to the buttons, if ",
        "│           there are any ",
        "│ Ctrl-C    leave at once; your seat ",
        "│           is kept ",
    ] {
        assert!(bottom.contains(part), "{part:?} is missing in\n{bottom}");
    }
    press(&mut state, KeyCode::Esc);
    assert!(!small(&mut state).contains("Keys"));
}

#[test]
fn the_screen_waits_for_the_match() {
    let mut state = RemoteState::<TicTacToe>::new(DARK);
    check_shows(&mut state, "\nConnecting…\n");
    let problem = "Connection lost, reconnecting: no route".to_owned();
    state.update(RemoteUpdate::News(problem.clone()));
    check_shows(&mut state, &problem);
    assert_eq!(key(&mut state, 'q'), Handled::Leave(Leave::Back));
}
