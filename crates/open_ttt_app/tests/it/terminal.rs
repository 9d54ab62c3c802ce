//! Whole sessions in a pseudo-terminal.

use open_ttt_app::{App, Opponent, Seat};
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::Side;
use pseudo_terminal::PseudoTerminal;
use rustix::process::Signal;

use crate::players::{Panicker, first_move_opponent};

const SIZE: [u16; 2] = [80, 24];

/// The program of the tests below.
#[test]
#[ignore = "it is the program that other tests run in a terminal"]
fn program() {
    if !pseudo_terminal::become_program() {
        return;
    }
    let app = App::new(TicTacToe::new()).seat(Side::First, Seat::Human);
    let second = match std::env::var("OPPONENT").as_deref() {
        Ok("person") => Seat::Human,
        Ok("panics") => Seat::Computer(Opponent::new("panicker", || Box::new(Panicker))),
        Ok("can't be made") => Seat::Computer(Opponent::new("none", || panic!("no player"))),
        _ => Seat::Computer(first_move_opponent()),
    };
    app.seat(Side::Second, second)
        .run()
        .expect("the terminal works");
}

fn start(opponent: &str) -> PseudoTerminal {
    PseudoTerminal::start("terminal::program", &[("OPPONENT", opponent)], SIZE)
}

#[test]
fn a_game_with_keys_and_mouse() {
    let mut terminal = start("person");
    terminal.wait_for("X turn");
    assert!(terminal.is_full_screen());
    // The middle, with the cursor; above it, with an arrow; a typed move; a click.
    terminal.write("\r");
    terminal.wait_for("O turn · last move b2");
    terminal.write("\u{1b}[A\r");
    terminal.wait_for("X turn · last move b3");
    terminal.write("a1\r");
    terminal.wait_for("O turn · last move a1");
    terminal.write("a2\r");
    terminal.wait_for("X turn · last move a2");
    terminal.write("c2\r");
    terminal.wait_for("O turn · last move c2");
    terminal.write("u");
    terminal.wait_for("X turn · last move a2");
    terminal.write("c3\r");
    terminal.wait_for("X wins");
    terminal.write("n");
    terminal.wait_for("X (Player 2, 0 wins)");
    // The row and the column of a corner.
    terminal.click("a");
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[test]
fn a_computer_answers() {
    let mut terminal = start("first move");
    terminal.wait_for("X turn");
    terminal.write("b2\r");
    terminal.wait_for("X turn · last move a1");
    terminal.write("q");
    terminal.wait_for("Leave this game? (y/n)");
    terminal.write("y");
    assert!(terminal.finish().success());
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let mut terminal = start("person");
    terminal.wait_for("?\u{20}help");
    assert!(terminal.contents().contains("┌───────────┬"));
    terminal.resize([40, 15]);
    terminal.wait_for("┌───┬───┬───┐");
    terminal.resize([120, 40]);
    terminal.wait_for("┌───────────────┬");
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[test]
fn keys_pressed_while_the_size_changes_arrive() {
    let mut terminal = start("person");
    terminal.wait_for("X turn");
    for size in [[40, 15], SIZE].repeat(50) {
        terminal.resize(size);
        terminal.write("a");
        terminal.wait_for("> a_");
        terminal.write("\u{7f}");
        terminal.wait_for("X turn");
    }
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[test]
fn control_c_ends_it_at_any_time() {
    let mut terminal = start("first move");
    terminal.wait_for("X turn");
    terminal.write("\u{3}");
    assert!(terminal.finish().success());
}

#[test]
fn signals_leave_the_terminal_as_it_was() {
    use std::os::unix::process::ExitStatusExt;

    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut terminal = start("first move");
        terminal.wait_for("X turn");
        assert!(terminal.is_full_screen());
        terminal.signal(signal);
        let status = terminal.finish();
        // It ends as it would without a handler.
        assert_eq!(status.signal(), Some(signal.as_raw()));
    }
}

#[test]
fn a_panic_is_reported_on_the_terminal_as_it_was() {
    let mut terminal = start("can't be made");
    let status = terminal.finish();
    assert!(!status.success());
    assert!(
        terminal.contents().contains("no player"),
        "{}",
        terminal.contents()
    );
}

#[test]
fn a_panic_of_a_player_ends_only_the_game() {
    let mut terminal = start("panics");
    terminal.wait_for("X turn");
    terminal.write("b2\r");
    terminal.wait_for("O can't continue: the player panicked: boom");
    assert!(terminal.is_full_screen());
    terminal.write("q");
    assert!(terminal.finish().success());
}
