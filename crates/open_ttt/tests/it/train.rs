//! Training runs.

use std::fs;
use std::path::Path;

use crate::program::{check_one_sentence, command, finish, run};
use crate::scratch::Scratch;

/// The hash of the weights.
pub(crate) fn weights(output: &str) -> &str {
    let line = output.lines().next().unwrap();
    line.split_once(", weights ").unwrap().1
}

/// A configuration with another value of a field.
pub(crate) fn changed(config: &str, name: &str, value: &str) -> String {
    let begin = format!("{name} = ");
    assert!(
        config.lines().any(|line| line.starts_with(&begin)),
        "{config}"
    );
    let line = |line: &str| {
        if line.starts_with(&begin) {
            format!("{begin}{value}")
        } else {
            line.to_owned()
        }
    };
    config.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A small configuration, edited from the output of `--show`.
pub(crate) fn small(scratch: &Scratch) -> String {
    let shown = run(["train", "--game", "ttt", "--show"], "");
    assert!(shown.starts_with("architecture = \"perceptron("), "{shown}");
    let small = changed(&changed(&shown, "games", "40"), "iterations", "2");
    let path = scratch.path("small.toml");
    fs::write(&path, small).unwrap();
    path
}

#[test]
fn a_run_resumes_and_its_network_plays() {
    let scratch = Scratch::new("train");
    let config = small(&scratch);
    let [whole, parts] = ["whole", "parts"].map(|name| scratch.path(name));
    let begin = ["train", "--game", "ttt", "--config", &config];
    let output = run([&begin[..], &["--folder", &whole]].concat(), "");
    assert!(
        output.starts_with("80 games, 2 of 2 iterations, weights "),
        "{output}"
    );
    assert!(
        output.contains("\n64 simulations vs random: won "),
        "{output}"
    );
    assert!(output.contains(" lines of play\n"), "{output}");

    let none = ["--folder", &parts, "--minutes", "0", "--eval-every", "0"];
    let late = run([&begin[..], &none].concat(), "");
    assert!(late.starts_with("0 games, 0 of 2 iterations"), "{late}");
    let resume = format!("time is up; resume with: open_ttt train --resume {parts}\n");
    assert!(late.ends_with(&resume), "{late}");
    let resumed = run(["train", "--resume", &parts, "--threads", "3"], "");
    assert_eq!(weights(&resumed), weights(&output));

    let report = fs::read_to_string(Path::new(&whole).join("report.html")).unwrap();
    assert!(report.contains(weights(&output)) && report.contains("open_ttt train --game ttt"));
    let lines = fs::read_to_string(Path::new(&whole).join("metrics.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 2);
    let spec = format!("net:{whole}/network.safetensors");
    let arena = [
        "arena", "--game", "ttt", "--a", &spec, "--b", "random", "--games", "4",
    ];
    assert!(run(arena, "").contains(" vs random: "));
}

#[test]
fn a_complete_run_is_evaluated_when_it_resumes() {
    let scratch = Scratch::new("train_complete");
    let (config, folder) = (small(&scratch), scratch.path("run"));
    let begin = [
        "train", "--game", "ttt", "--config", &config, "--folder", &folder,
    ];
    let whole = run([&begin[..], &["--eval-every", "0"]].concat(), "");
    assert!(!whole.contains(" vs random: "), "{whole}");
    let resume = ["train", "--resume", &folder];
    let evaluated = run(resume, "");
    assert!(evaluated.contains(" vs random: won "), "{evaluated}");
    assert_eq!(weights(&evaluated), weights(&whole));
    assert_eq!(run(resume, ""), evaluated);
}

#[test]
fn an_unreadable_run_isnt_overwritten() {
    let scratch = Scratch::new("train_unreadable");
    let (config, folder) = (small(&scratch), scratch.path("run"));
    let begin = ["--game", "ttt", "--config", &config, "--folder", &folder];
    let none = ["train", "--minutes", "0", "--eval-every", "0"];
    run([&none[..], &begin].concat(), "");
    let state = Path::new(&folder).join("checkpoint-00000000/state.json");
    fs::write(&state, "{").unwrap();
    let ran = finish(command([&["train"], &begin[..]].concat()), "");
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr.contains("state.json is damaged"),
        "{}",
        ran.stderr
    );
    check_one_sentence(&ran.stderr);
    assert_eq!(fs::read_to_string(&state).unwrap(), "{");
}

#[track_caller]
fn check_refused(args: &[&str], status: i32, sentence: &str) {
    let ran = finish(command([&["train"], args].concat()), "");
    assert_eq!(ran.stderr, format!("open_ttt: {sentence}\n"));
    assert_eq!((ran.status, &*ran.stdout), (Some(status), ""));
    check_one_sentence(&ran.stderr);
}

#[test]
fn wrong_usage_is_refused() {
    let scratch = Scratch::new("train_refused");
    let config = small(&scratch);
    let folder = scratch.path("run");
    let begin = [
        "train", "--game", "ttt", "--config", &config, "--folder", &folder,
    ];
    run(
        [&begin[..], &["--minutes", "0", "--eval-every", "0"]].concat(),
        "",
    );

    check_refused(
        &[],
        2,
        "name a game with --game KEY, or a run with --resume FOLDER",
    );
    check_refused(
        &["--game", "ttt", "--folder", &folder],
        2,
        &format!(
            "{folder} already has a run; resume it with --resume {folder}, or name another folder \
             with --folder"
        ),
    );
    check_refused(
        &["--game", "pegs", "--resume", &folder],
        2,
        &format!("the run in \"{folder}\" is for ttt, not pegs"),
    );
    let empty = scratch.path("empty");
    check_refused(
        &["--resume", &empty],
        1,
        &format!("no checkpoint in {empty}; begin the run with --game KEY --folder {empty}"),
    );
    check_refused(
        &["--game", "ttt", "--watch", "--folder", &empty],
        2,
        "--watch needs a terminal to draw on",
    );
    assert!(!fs::exists(&empty).unwrap());
    let bad = scratch.path("bad.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&bad, text.replace("games = 40", "games = 0")).unwrap();
    check_refused(
        &["--game", "ttt", "--config", &bad],
        2,
        &format!("\"{bad}\": games must be from 1 to 10 million"),
    );
    fs::write(&bad, text.replace("perceptron(", "oracle(")).unwrap();
    let ran = finish(command(["train", "--game", "ttt", "--config", &bad]), "");
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("not a network architecture"),
        "{}",
        ran.stderr
    );
    check_one_sentence(&ran.stderr);
}
