//! Games kept as they are played, and gone on with.

use std::fs;
use std::os::unix::process::CommandExt;

use pseudo_terminal::PseudoTerminal;

use crate::program::{command, finish, run};
use crate::scratch::Scratch;

/// The program of the tests below, with the arguments in the environment.
#[test]
#[ignore = "it is the program that other tests run in a terminal"]
fn program() {
    if pseudo_terminal::become_program() {
        let arguments = std::env::var("ARGUMENTS").unwrap();
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_open_ttt"));
        without_user_settings(&mut program);
        panic!("{}", program.args(arguments.split_whitespace()).exec());
    }
}

/// Keeps the program away from the settings of whoever runs the tests.
pub(crate) fn without_user_settings(program: &mut std::process::Command) {
    if std::env::var_os("OPEN_TTT_CONFIG_DIR").is_none() {
        let folder = format!(
            "{}/config-{}",
            env!("CARGO_TARGET_TMPDIR"),
            std::process::id()
        );
        program.env("OPEN_TTT_CONFIG_DIR", folder);
    }
}

/// A user's data.
struct User(Scratch);

impl User {
    fn new(name: &str) -> Self {
        Self(Scratch::new(name))
    }

    fn data(&self) -> String {
        self.0.path("data")
    }

    fn start(&self, arguments: &str) -> PseudoTerminal {
        let data = self.data();
        let variables = [("OPEN_TTT_DATA_DIR", &*data), ("ARGUMENTS", arguments)];
        PseudoTerminal::start("kept_games::program", &variables, [80, 24])
    }

    /// The contents of the files whose names begin like this.
    fn files(&self, prefix: &str) -> Vec<String> {
        let folder = self.0.path("data/games-v1");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let named = entries.filter(|entry| entry.file_name().to_str().unwrap().starts_with(prefix));
        named
            .map(|entry| fs::read_to_string(entry.path()).unwrap())
            .collect()
    }
}

/// Types moves of two people.
#[track_caller]
fn play(terminal: &mut PseudoTerminal, moves: &[&str]) {
    for m in moves {
        terminal.write(&format!("{m}\r"));
        terminal.wait_for(&format!("last move {m}"));
    }
}

const PEOPLE: &str = "play --game connect4 --first human --second human";

#[test]
fn a_killed_game_goes_on() {
    let user = User::new("killed game");
    let mut terminal = user.start(PEOPLE);
    terminal.wait_for("Red turn");
    play(&mut terminal, &["4", "5", "3", "2"]);
    terminal.write("u");
    terminal.wait_for("Yellow turn · last move 3");
    terminal.kill();
    let [file] = &*user.files("unfinished-") else {
        panic!("{:?}", user.files(""));
    };
    assert_eq!(
        file.lines().next_back(),
        Some("connect4\thuman\thuman\t453\t*")
    );

    let mut terminal = user.start(PEOPLE);
    terminal.wait_for("Go on with Connect Four, 3 moves, two people");
    terminal.write("\r");
    terminal.wait_for("Yellow turn · last move 3");
    play(&mut terminal, &["6"]);
    terminal.write("R");
    terminal.wait_for("Resign as Red?");
    terminal.write("y");
    terminal.wait_for("Red resigns. Yellow wins");
    terminal.write("q");
    assert!(terminal.finish().success());
    assert_eq!(user.files("unfinished-"), [""; 0]);
    let finished = "connect4\thuman\thuman\t4536\t0-1 resigned\n";
    assert_eq!(user.files("finished.tsv"), [finished]);
    let replayed = run(["replay", &user.0.path("data/games-v1/finished.tsv")], "");
    assert!(
        replayed.ends_with("Red resigns; Yellow wins\n"),
        "{replayed}"
    );

    // Nothing is left to go on with.
    let mut terminal = user.start(PEOPLE);
    terminal.wait_for("Red turn");
    terminal.write("q");
    assert!(terminal.finish().success());
}

#[test]
fn two_programs_keep_two_games() {
    let user = User::new("two programs");
    let mut one = user.start(PEOPLE);
    one.wait_for("Red turn");
    play(&mut one, &["1"]);
    // The other one isn't offered the game that is being played.
    let mut other = user.start("play --game ttt --first human --second random(seed=1)");
    other.wait_for("X turn");
    other.write("b2\r");
    other.wait_for("X turn · last move");
    play(&mut one, &["2"]);
    one.kill();
    other.kill();
    let mut menu = user.start("");
    menu.wait_for("Go on with Connect Four, 2 moves, two people");
    menu.wait_for("Go on with Tic-tac-toe, 2 moves, you against random");
    menu.click("Go on with Tic-tac-toe");
    menu.wait_for("X turn · last move");
    assert!(menu.contents().contains("1.b2"), "{}", menu.contents());
    menu.write("q");
    menu.wait_for("Leave this game?");
    menu.write("y");
    menu.wait_for("Go on with Tic-tac-toe, 2 moves, you against random");
    menu.write("q");
    assert!(menu.finish().success());
    assert_eq!(user.files("unfinished-").len(), 2);
}

#[test]
fn a_new_game_leaves_the_old_one_or_puts_it_away() {
    let user = User::new("new game");
    let mut terminal = user.start(PEOPLE);
    terminal.wait_for("Red turn");
    play(&mut terminal, &["1"]);
    terminal.kill();
    let left = "connect4\thuman\thuman\t1\t*\n";
    for (item, unfinished, finished) in [
        ("New game", Some(left), None),
        ("New game; don't offer these again", None, Some(left)),
    ] {
        let mut terminal = user.start(PEOPLE);
        terminal.wait_for("Go on with Connect Four, 1 move");
        terminal.click(item);
        terminal.wait_for("Red turn");
        terminal.write("q");
        assert!(terminal.finish().success());
        assert_eq!(user.files("unfinished-"), unfinished.as_slice());
        assert_eq!(user.files("finished.tsv"), finished.as_slice());
    }
}

#[test]
fn damaged_files_are_told_of_and_put_aside() {
    let user = User::new("damaged games");
    let folder = user.0.path("data/games-v1");
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &[u8]| fs::write(format!("{folder}/{name}"), text).unwrap();
    write("unfinished-1-1.tsv", b"\xff\x00garbage\n");
    // A line that wasn't written to its end doesn't count.
    write(
        "unfinished-2-1.tsv",
        b"ttt\thuman\thuman\ta1\t*\nttt\thuman\thum",
    );
    write("unfinished-3-1.tsv", b"ttt\thuman\thuman\ta1 a1\t*\n");
    let mut menu = user.start("");
    menu.wait_for("An unfinished game can't be read");
    menu.write("q");
    menu.wait_for("Go on with Tic-tac-toe, 1 move, two people");
    assert_eq!(menu.contents().matches("Go on").count(), 1);
    menu.write("q");
    assert!(menu.finish().success());
    assert!(fs::exists(format!("{folder}/unfinished-1-1.damaged")).unwrap());
    assert!(fs::exists(format!("{folder}/unfinished-3-1.damaged")).unwrap());
    // Each is told of once.
    let mut menu = user.start("");
    menu.wait_for("Go on with Tic-tac-toe");
    menu.write("q");
    assert!(menu.finish().success());
}

#[test]
fn games_of_other_programs_and_files_that_cannot_be_opened_stay() {
    let user = User::new("games of others");
    let folder = user.0.path("data/games-v1");
    fs::create_dir_all(&folder).unwrap();
    let other = "mygame(size=7)\thuman\thuman\ta1\t*\n";
    fs::write(format!("{folder}/unfinished-1-1.tsv"), other).unwrap();
    // It can't be opened like a file.
    fs::create_dir(format!("{folder}/unfinished-2-1.tsv")).unwrap();
    let mut menu = user.start("");
    menu.wait_for("can't be read: Is a");
    menu.write("q");
    menu.wait_for("Puzzles");
    assert!(!menu.contents().contains("Go on"), "{}", menu.contents());
    menu.write("q");
    assert!(menu.finish().success());
    let path = |name: &str| format!("{folder}/{name}.tsv");
    assert_eq!(fs::read_to_string(path("unfinished-1-1")).unwrap(), other);
    assert!(fs::metadata(path("unfinished-2-1")).unwrap().is_dir());
}

#[test]
fn nothing_is_kept_where_that_is_not_wanted() {
    let user = User::new("not kept");
    let mut terminal = user.start(&format!("{PEOPLE} --no-save"));
    terminal.wait_for("Red turn");
    play(&mut terminal, &["1"]);
    terminal.kill();
    // Input that is no terminal.
    let mut script = command(PEOPLE.split(' '));
    script.env("OPEN_TTT_DATA_DIR", user.data());
    assert_eq!(finish(script, "1\nquit\n").status, Some(0));
    assert!(!fs::exists(user.data()).unwrap());
}

#[test]
fn a_folder_that_cannot_be_written_is_no_failure() {
    let user = User::new("no folder");
    fs::write(user.data(), "a file").unwrap();
    let mut terminal = user.start(PEOPLE);
    terminal.wait_for("Red turn");
    terminal.write("1\r");
    terminal.wait_for("Your games aren't saved: ");
    play(&mut terminal, &["2"]);
    terminal.write("qy");
    assert!(terminal.finish().success());
}

#[test]
fn lines_keep_games_silently() {
    let user = User::new("lines");
    let mut terminal = user.start(&format!("{PEOPLE} --plain"));
    terminal.wait_for("Red turn");
    terminal.write("4\n");
    terminal.wait_for("Yellow turn");
    terminal.kill();
    let files = user.files("unfinished-");
    assert_eq!(files, ["connect4\thuman\thuman\t4\t*\n"]);
    let mut terminal = user.start(&format!("{PEOPLE} --plain"));
    terminal.wait_for("Red turn");
    assert!(!terminal.contents().contains("Go on"));
    terminal.write("quit\n");
    terminal.finish();
}
