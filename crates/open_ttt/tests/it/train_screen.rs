//! Training runs in full screen.

use pseudo_terminal::PseudoTerminal;

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
