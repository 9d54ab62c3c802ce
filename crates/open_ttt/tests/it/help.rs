use std::env::consts::EXE_SUFFIX;

use crate::program::run;

const PLAYERS: &[&str] = &["human", "perfect", "negamax", "mcts", "random", "net:FILE"];

/// Every form of a command's help contains these parts.
#[track_caller]
fn check(command: &str, parts: &[&str]) {
    for args in [vec![command, "--help"], vec!["help", command]] {
        let help = run(&args, "");
        for part in parts {
            assert!(help.contains(part), "{part} in\n{help}");
        }
        let (_, examples) = help.split_once("Examples:\n").expect("examples");
        let examples = examples.lines();
        let start = format!("  open_ttt {command}");
        assert_eq!(
            examples.filter(|line| line.starts_with(&start)).count(),
            2,
            "{help}"
        );
        assert!(
            help.contains(&format!("Usage: open_ttt{EXE_SUFFIX} {command}")),
            "{help}"
        );
        assert!(help.lines().all(|line| line.len() <= 100), "{help}");
    }
    assert!(run([command, "-h"], "").contains("Usage: open_ttt"));
}

#[test]
fn the_program() {
    for args in [["--help"], ["-h"], ["help"]] {
        let help = run(args, "");
        for command in [
            "play",
            "games",
            "perft",
            "analyze",
            "solve",
            "arena",
            "replay",
            "puzzle",
            "store",
            "join",
            "player",
            "train",
            "work",
            "new",
            "completions",
            "man",
        ] {
            assert!(help.contains(&format!("\n  {command} ")), "{help}");
        }
        assert!(help.starts_with("Play two-player board games"));
    }
}

#[test]
fn the_commands() {
    check("play", &["--game", "--first", "--second", "[default: ttt]"]);
    check("play", PLAYERS);
    check("games", &["--json"]);
    check(
        "perft",
        &["--game", "--depth", "--moves", "--divide", "--json"],
    );
    check(
        "analyze",
        &[
            "--game",
            "--moves",
            "--time",
            "--batch",
            "--threads",
            "--json",
            "until the result is",
        ],
    );
    check("solve", &["--game", "--moves", "--threads", "--json"]);
    check(
        "arena",
        &[
            "--game",
            "--a <SPEC>",
            "--b <SPEC>",
            "--games",
            "--threads",
            "--openings",
            "--seed",
            "--sprt <ELO0,ELO1>",
            "--save <FILE>",
            "--json",
            "[default: 100]",
        ],
    );
    check("replay", &["<FILE>", "--game", "--end", "--json"]);
    check("store", &["check", "backup", "restore"]);
    check("arena", &PLAYERS[1..]);
    check(
        "join",
        &[
            "<LINK>",
            "--name",
            "--watch",
            "--player <SPEC>",
            "--games",
            "--game",
            "--side",
            "--opponent",
            "--clock",
            "--quick",
            "--rated",
            "--no-key",
            "XDG_STATE_HOME",
        ],
    );
    check(
        "player",
        &["show", "games", "export", "import", "XDG_STATE_HOME"],
    );
    check("train", &["--game", "--resume", "--workers", "--group"]);
    check("new", &["<NAME>", "--dir <FOLDER>"]);
    check(
        "work",
        &[
            "nats://host:4222",
            "--name",
            "--threads",
            "--group",
            "Ctrl-C",
        ],
    );
    for parameter in [
        "ms=",
        "depth=",
        "nodes=",
        "iterations=",
        "threads=",
        "mistakes=",
        "seed=",
    ] {
        check("arena", &[parameter]);
    }
}

#[test]
fn the_version() {
    let version = format!("open_ttt {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(["--version"], ""), version);
    assert_eq!(run(["-V"], ""), version);
}
