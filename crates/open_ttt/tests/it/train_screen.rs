//! Training runs in full screen.

use std::os::unix::process::ExitStatusExt;

use pseudo_terminal::PseudoTerminal;
use rustix::process::Signal;

use crate::scratch::Scratch;
use crate::train::small;

/// A run that is watched. Its files are in the folder.
fn start(name: &str, options: &str) -> (PseudoTerminal, Scratch) {
    let scratch = Scratch::new(name);
    let config = small(&scratch);
    let folder = scratch.path("run");
    let arguments =
        format!("train --game ttt --config {config} --folder {folder} --watch {options}");
    let variables = [("ARGUMENTS", &*arguments)];
    let terminal = PseudoTerminal::start("kept_games::program", &variables, [100, 30]);
    (terminal, scratch)
}

/// A small run that has been watched to its end.
fn finished_run(name: &str) -> (PseudoTerminal, Scratch) {
    let (mut terminal, scratch) = start(name, "");
    terminal.wait_for("done");
    (terminal, scratch)
}

#[test]
fn charts_follow_a_run_to_its_end() {
    let (mut terminal, _scratch) = finished_run("train_screen");
    // The one that is shown is in brackets.
    for chart in ["[Strength]", "[Best moves]", "[Speed]", "[Loss]"] {
        terminal.write("\t");
        terminal.wait_for(chart);
    }
    terminal.write("q");
    assert!(terminal.finish().success());
    let contents = terminal.contents();
    assert!(
        contents.contains("2 of 2 iterations, weights "),
        "{contents}"
    );
}

#[test]
fn no_key_waits_for_the_next_one_when_the_size_changes() {
    let (mut terminal, _scratch) = finished_run("train_screen_resized");
    terminal.wait_for("[Loss]");
    let charts = ["[Strength]", "[Best moves]", "[Speed]", "[Loss]"];
    for (number, chart) in charts.repeat(25).into_iter().enumerate() {
        terminal.resize([100, [20, 30][number % 2]]);
        terminal.write("\t");
        terminal.wait_for(chart);
    }
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let (mut terminal, _scratch) = finished_run("train_screen_signal");
    terminal.signal(Signal::TERM);
    let status = terminal.finish();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn an_interrupt_stops_the_run() {
    let (mut terminal, _scratch) = start("train_screen_interrupted", "--iterations 100000");
    terminal.wait_for("of 100000");
    terminal.signal(Signal::INT);
    assert_eq!(terminal.finish().code(), Some(1));
    let contents = terminal.contents();
    assert!(contents.contains("stopped; resume with: "), "{contents}");
}

#[test]
fn an_interrupt_leaves_a_finished_run() {
    let (mut terminal, _scratch) = finished_run("train_screen_left");
    terminal.signal(Signal::INT);
    assert!(terminal.finish().success());
}
