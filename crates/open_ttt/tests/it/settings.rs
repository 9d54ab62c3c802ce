//! What a person prefers in the full screen.

use std::fs;

use pseudo_terminal::PseudoTerminal;

use crate::program::{command, finish};
use crate::scratch::Scratch;

/// A user with settings of their own.
struct User(Scratch);

impl User {
    fn new(name: &str) -> Self {
        let user = Self(Scratch::new(name));
        fs::create_dir_all(user.0.path("config")).unwrap();
        user
    }

    fn file(&self) -> String {
        self.0.path("config/settings.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap_or_default()
    }

    fn start(&self, arguments: &str) -> PseudoTerminal {
        let (config, data) = (self.0.path("config"), self.0.path("data"));
        let variables = [
            ("OPEN_TTT_CONFIG_DIR", &*config),
            ("OPEN_TTT_DATA_DIR", &data),
            ("ARGUMENTS", arguments),
        ];
        PseudoTerminal::start("kept_games::program", &variables, [80, 24])
    }
}

const COMPUTERS: &str = "play --game ttt --first random --second random --no-save";

#[test]
fn what_is_changed_is_kept() {
    let user = User::new("settings kept");
    let mut terminal = user.start(COMPUTERS);
    terminal.wait_for("+ faster");
    terminal.write("t+ ");
    terminal.wait_for("Paused");
    // Also if the program can't do anything at its end.
    terminal.kill();
    assert_eq!(user.text(), "theme = \"light\"\npace = 500\n");

    let mut menu = user.start("");
    menu.wait_for("two-player board games");
    menu.write("\r");
    menu.wait_for("Which game?");
    menu.click("Connect Four");
    menu.wait_for("Who plays Red?");
    menu.write("\r");
    menu.wait_for("Who plays Yellow?");
    menu.click("Computer: easy");
    menu.wait_for("Red turn");
    menu.write("\u{3}");
    assert!(menu.finish().success());
    let expected = "theme = \"light\"\npace = 500\ngame = \"connect4\"\nlevel = \"easy\"\n";
    assert_eq!(user.text(), expected);

    // The game and the level are selected from now on.
    let mut menu = user.start("");
    menu.wait_for("two-player board games");
    menu.write("\r");
    menu.wait_for("Which game?");
    menu.write("\r");
    menu.wait_for("Who plays Red?");
    menu.write("\r");
    menu.wait_for("Who plays Yellow?");
    menu.write("\r");
    menu.wait_for("Red turn");
    menu.write("\u{3}");
    assert!(menu.finish().success());
    assert_eq!(user.text(), expected);
}

#[test]
fn the_file_and_above_it_flags_decide_about_symbols() {
    let user = User::new("settings symbols");
    let people = "play --game ttt --first human --second human --no-save";
    fs::write(user.file(), "symbols = \"ascii\"\n").unwrap();
    let mut terminal = user.start(people);
    terminal.wait_for("arrows move");
    assert!(terminal.contents().is_ascii(), "{}", terminal.contents());
    terminal.write("q");
    assert!(terminal.finish().success());
    let mut terminal = user.start(&format!("{people} --symbols unicode"));
    terminal.wait_for("←↑↓→ move");
    terminal.write("q");
    assert!(terminal.finish().success());
    assert_eq!(user.text(), "symbols = \"ascii\"\n");
}

#[test]
fn a_damaged_file_is_told_of_and_kept() {
    let user = User::new("settings damaged");
    fs::write(user.file(), "theme = pink\n").unwrap();
    let mut terminal = user.start(COMPUTERS);
    terminal.wait_for("Esc back");
    // Where the lines end depends on the file's path.
    let contents = terminal.contents();
    let words = contents.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["can't be read, so the defaults apply", "line 1:"] {
        assert!(words.contains(part), "{part} is missing in\n{contents}");
    }
    terminal.write("q");
    terminal.wait_for("+ faster");
    terminal.write("t");
    terminal.write("q");
    assert!(terminal.finish().success());
    assert_eq!(user.text(), "theme = pink\n");
    // Lines of text and scripts don't depend on it.
    let mut script = command(["play", "--second", "human", "--first", "human"]);
    script.env("OPEN_TTT_CONFIG_DIR", user.0.path("config"));
    let ran = finish(script, "quit\n");
    assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
}

#[test]
fn settings_that_cannot_be_written_are_told_of_at_the_end() {
    let user = User::new("settings unwritable");
    fs::remove_dir(user.0.path("config")).unwrap();
    // A link to nowhere: reading finds no file, and writing no folder.
    std::os::unix::fs::symlink("/proc/none/none", user.0.path("config")).unwrap();
    let mut terminal = user.start(COMPUTERS);
    terminal.wait_for("+ faster");
    terminal.write("t");
    terminal.write("q");
    assert!(terminal.finish().success());
    let contents = terminal.contents();
    assert!(
        contents.contains("your settings aren't saved: "),
        "{contents}"
    );
}
