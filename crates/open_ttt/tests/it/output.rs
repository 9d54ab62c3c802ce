//! Output to a closed pipe, to a full disk and with colours.

use std::io::pipe;

use crate::program::{command, finish, run};

/// A file of games.
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/games.tsv");

/// Arguments and input for every command with output.
const RUNS: &[(&[&str], &str)] = &[
    (&[], "2\n1\n1\n1\n1\na1\nquit\n"),
    (&["--help"], ""),
    (&["play", "--help"], ""),
    (&["join", "--help"], ""),
    (&["man"], ""),
    (&["completions", "bash"], ""),
    (&["train", "--game", "ttt", "--show"], ""),
    (&["--version"], ""),
    (&["play"], "h\nh\na1\nquit\n"),
    (
        &[
            "play",
            "--first",
            "random",
            "--second",
            "mcts(iterations=50)",
        ],
        "y\nn\n",
    ),
    (&["games"], ""),
    (&["games", "--json"], ""),
    (&["perft", "--game", "ttt", "--depth", "5"], ""),
    (
        &[
            "perft", "--game", "ttt", "--depth", "5", "--divide", "--json",
        ],
        "",
    ),
    (&["analyze", "--game", "ttt"], ""),
    (&["analyze", "--game", "ttt", "--json"], ""),
    (
        &["analyze", "--game", "ttt", "--batch"],
        "a1\na1 b1\na1 b1 a2\n",
    ),
    (&["solve", "--game", "ttt"], ""),
    (&["solve", "--game", "ttt", "--json"], ""),
    (
        &["arena", "--game", "ttt", "--a", "random", "--b", "random"],
        "",
    ),
    (
        &[
            "arena", "--game", "ttt", "--a", "random", "--b", "random", "--json",
        ],
        "",
    ),
    (&["replay", GAMES], ""),
    (&["replay", GAMES, "--end"], ""),
    (&["replay", GAMES, "--json"], ""),
];

#[test]
fn a_closed_pipe_is_not_an_error() {
    for (args, input) in RUNS {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let mut command = command(*args);
        command.stdout(writer);
        let ran = finish(command, input);
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""), "{args:?}");
    }
}

#[cfg(target_os = "linux")]
fn full_disk() -> std::fs::File {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).open("/dev/full").unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_failure() {
    for (args, input) in RUNS {
        let mut command = command(*args);
        command.stdout(full_disk());
        let ran = finish(command, input);
        assert_eq!(ran.status, Some(1), "{args:?}: {ran:?}");
        crate::program::check_one_sentence(&ran.stderr);
        assert!(
            ran.stderr
                .starts_with("open_ttt: reading or writing failed: "),
            "{ran:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_exit_status_reports_an_error_without_standard_error() {
    for (args, input, status) in [
        (&["bogus"][..], "", 2),
        (&["analyze", "--game", "ttt", "--batch"], "z9\na1\n", 1),
    ] {
        let mut command = command(args);
        command.stderr(full_disk());
        assert_eq!(finish(command, input).status, Some(status));
    }
}

#[test]
fn input_that_cannot_be_read_is_a_failure() {
    // A directory can be opened but not read.
    let Ok(directory) = std::fs::File::open(env!("CARGO_MANIFEST_DIR")) else {
        return;
    };
    for args in [&[][..], &["play"], &["analyze", "--game", "ttt", "--batch"]] {
        let mut command = command(args);
        command.stdin(directory.try_clone().unwrap());
        let ran = finish(command, "");
        assert_eq!(ran.status, Some(1), "{ran:?}");
        crate::program::check_one_sentence(&ran.stderr);
    }
}

#[test]
fn the_environment_turns_colours_on_and_off() {
    let args = ["play", "--first", "human", "--second", "human"];
    let input = "a1\nb1\na2\nb2\na3\nn\n";
    let with = |variables: &[(&str, &str)]| {
        let mut command = command(args);
        command.envs(variables.iter().copied());
        finish(command, input).stdout
    };
    let plain = run(args, input);
    assert!(!plain.contains('\u{1b}'));
    assert_eq!(with(&[("NO_COLOR", "1")]), plain);
    let coloured = with(&[("CLICOLOR_FORCE", "1")]);
    assert!(
        coloured.contains("\u{1b}[38;5;160mX\u{1b}[0m"),
        "{coloured}"
    );
}
