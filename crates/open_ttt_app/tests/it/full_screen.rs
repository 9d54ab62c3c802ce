//! Views of one's own in full screen, in a pseudo-terminal.

use std::thread;

use open_ttt_app::FullScreen;
use open_ttt_app::ratatui::crossterm::event::{Event, KeyCode};
use pseudo_terminal::PseudoTerminal;

/// The program of the tests below.
#[test]
#[ignore = "it is the program that other tests run in a terminal"]
fn program() {
    if !pseudo_terminal::become_program() {
        return;
    }
    let mut screen = FullScreen::open().expect("the terminal can be taken over");
    let mut text = "nothing yet".to_owned();
    loop {
        let draw = screen.draw(|frame| frame.render_widget(&*text, frame.area()));
        draw.expect("a frame can be drawn");
        text = match screen.next_event().expect("events can be read") {
            Event::Key(key) if key.code == KeyCode::Char('q') => break,
            Event::Key(key) if key.code == KeyCode::Char('p') => {
                let ended = thread::spawn(|| panic!("a thread has given up")).join();
                assert!(ended.is_err());
                // Only the panic has left the terminal as it was.
                return std::mem::forget(screen);
            }
            event => format!("{event:?}"),
        };
    }
}

fn start() -> PseudoTerminal {
    let mut terminal = PseudoTerminal::start("full_screen::program", &[], [60, 10]);
    terminal.wait_for("nothing yet");
    terminal
}

#[test]
fn a_view_gets_keys_and_the_size_and_leaves_the_terminal_as_it_was() {
    let mut terminal = start();
    terminal.write("k");
    terminal.wait_for("Char('k')");
    terminal.resize([70, 12]);
    terminal.wait_for("Resize(70, 12)");
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[test]
fn a_panic_of_any_thread_leaves_the_terminal_as_it_was() {
    let mut terminal = start();
    terminal.write("p");
    assert!(terminal.finish().success());
}
