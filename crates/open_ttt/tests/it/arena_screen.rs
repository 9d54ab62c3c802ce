//! Matches between computers in full screen.

use std::os::unix::process::ExitStatusExt;

use pseudo_terminal::PseudoTerminal;
use rustix::process::Signal;

fn start(arguments: &str) -> PseudoTerminal {
    let arguments = format!("arena {arguments}");
    let variables = [("ARGUMENTS", &*arguments)];
    PseudoTerminal::start("kept_games::program", &variables, [100, 30])
}

/// A match that goes on until it is stopped.
const LONG: &str = "--game mnk --a random --b random --games 10000000";

#[test]
fn a_stopped_match_is_reported() {
    type Stop = fn(&mut PseudoTerminal);
    let ways: [Stop; 3] = [
        |terminal| terminal.write("q"),
        |terminal| terminal.write("\u{3}"),
        |terminal| terminal.signal(Signal::INT),
    ];
    for stop in ways {
        let mut terminal = start(LONG);
        terminal.wait_for("of 10000000 games, ");
        terminal.wait_for("95 % interval");
        terminal.wait_for("Elo difference and its");
        terminal.wait_for("games/s");
        assert!(terminal.is_full_screen());
        stop(&mut terminal);
        assert!(terminal.finish().success());
        let contents = terminal.contents();
        for part in ["random vs random: ", "stopped after "] {
            assert!(contents.contains(part), "{part} is missing in\n{contents}");
        }
    }
}

#[test]
fn a_match_that_is_over_needs_no_key() {
    let mut terminal = start("--game ttt --a random --b mcts(ms=5) --games 40 --threads 1");
    assert!(terminal.finish().success());
    let contents = terminal.contents();
    assert!(contents.contains("random vs mcts(ms=5): "), "{contents}");
    assert!(!contents.contains("stopped"), "{contents}");
}

#[test]
fn a_line_of_progress_can_be_asked_for() {
    let mut terminal = start(&format!("{LONG} --plain"));
    terminal.wait_for("/10000000 games, ");
    assert!(!terminal.is_full_screen());
    terminal.write("\u{3}");
    assert!(terminal.finish().success());
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let mut terminal = start(LONG);
    terminal.wait_for("games/s");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.finish().signal(), Some(Signal::TERM.as_raw()));
}
