//! The commands of the program, for its own game.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The standard output of a successful run.
#[track_caller]
fn run(args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tutorial_reversi"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // The program may end before it has read everything.
    let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_game_is_listed() {
    let games = run(&["games"], "");
    assert!(
        games.contains("ttt") && games.contains("reversi    Reversi\n"),
        "{games}"
    );
    let help = run(&["--help"], "");
    assert!(
        help.contains("a1 in ttt") && help.contains("in reversi"),
        "{help}"
    );
    assert!(help.contains("Usage: tutorial_reversi"), "{help}");
}

#[test]
fn it_is_in_the_menu() {
    let output = run(&[], "2\nreversi\nquit\n");
    assert!(
        output.contains("When neither can, whoever has more discs wins."),
        "{output}"
    );
}

#[test]
fn it_is_played_in_the_terminal() {
    let args = [
        "play",
        "--game",
        "reversi",
        "--first",
        "human",
        "--second",
        "random(seed=1)",
    ];
    let output = run(&args, "d3\nquit\n");
    assert!(
        output.contains("Black") && output.contains("d3"),
        "{output}"
    );
}

#[test]
fn it_is_counted_and_analyzed() {
    let counts = run(&["perft", "--game", "reversi", "--depth", "4"], "");
    assert!(counts.ends_with("\n4    244\n"), "{counts}");
    let analysis = run(
        &["analyze", "--game", "reversi", "--time", "200ms", "--json"],
        "",
    );
    assert!(analysis.contains(r#""to_move":"Black""#), "{analysis}");
    assert!(analysis.contains(r#""best":[""#), "{analysis}");
}

#[test]
fn computers_play_matches() {
    let output = run(
        &[
            "arena",
            "--game",
            "reversi",
            "--a",
            "negamax(depth=2)",
            "--b",
            "random",
            "--games",
            "4",
            "--seed",
            "1",
            "--json",
        ],
        "",
    );
    assert!(output.contains(r#""games":4"#), "{output}");
}

#[test]
fn it_is_learned() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("learned-reversi");
    let _ = fs::remove_dir_all(&folder);
    let config = run(&["train", "--game", "reversi", "--show"], "");
    let small = config
        .lines()
        .map(|line| match line.split_once(" = ") {
            Some(("architecture", _)) => "architecture = \"perceptron(hidden=8)\"".to_owned(),
            Some(("games", _)) => "games = 4".to_owned(),
            Some(("simulations", _)) => "simulations = 2".to_owned(),
            _ => line.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("\n");
    let file = folder.with_extension("toml");
    fs::write(&file, small).unwrap();
    let name = folder.to_str().unwrap();
    let config = file.to_str().unwrap();
    let output = run(
        &[
            "train",
            "--game",
            "reversi",
            "--config",
            config,
            "--iterations",
            "2",
            "--folder",
            name,
            "--threads",
            "1",
            "--eval-every",
            "0",
        ],
        "",
    );
    assert!(output.contains("--game 'reversi'"), "{output}");
    let network = format!("net:{name}/network.safetensors(simulations=4)");
    let output = run(
        &[
            "arena", "--game", "reversi", "--a", &network, "--b", "random", "--games", "2",
            "--json",
        ],
        "",
    );
    assert!(output.contains(r#""games":2"#), "{output}");
}
