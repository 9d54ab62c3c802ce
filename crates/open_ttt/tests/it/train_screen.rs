//! Training runs in full screen.

use std::os::unix::process::ExitStatusExt;

use pseudo_terminal::PseudoTerminal;
use rustix::process::Signal;

use crate::scratch::Scratch;
use crate::train::small;

fn start(arguments: &str) -> PseudoTerminal {
    let arguments = format!("train {arguments} --watch");
    let variables = [("ARGUMENTS", &*arguments)];
    PseudoTerminal::start("kept_games::program", &variables, [100, 30])
}

#[test]
fn charts_follow_a_run_to_its_end() {
    let scratch = Scratch::new("train_screen");
    let config = small(&scratch);
    let folder = scratch.path("run");
    let mut terminal = start(&format!("--game ttt --config {config} --folder {folder}"));
    terminal.wait_for("done");
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
    let scratch = Scratch::new("train_screen_resized");
    let config = small(&scratch);
    let folder = scratch.path("run");
    let mut terminal = start(&format!("--game ttt --config {config} --folder {folder}"));
    terminal.wait_for("done");
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
    let scratch = Scratch::new("train_screen_signal");
    let config = small(&scratch);
    let folder = scratch.path("run");
    let mut terminal = start(&format!("--game ttt --config {config} --folder {folder}"));
    terminal.wait_for("done");
    terminal.signal(Signal::TERM);
    let status = terminal.finish();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
}
