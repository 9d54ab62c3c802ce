//! A computer that teaches itself on more than one machine.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::{check_one_sentence, command, finish, run};
use crate::scratch::Scratch;
use crate::train::changed;

#[cfg(unix)]
#[expect(dead_code, reason = "the tests of stores use all of it")]
#[path = "../../../open_ttt_net/tests/it/log/nats_server.rs"]
mod nats_server;

/// A configuration of games that take a while.
fn config(scratch: &Scratch) -> String {
    let shown = run(["train", "--game", "connect4", "--show"], "");
    let small = changed(&changed(&shown, "games", "48"), "iterations", "3");
    // Slow enough that workers have a part in it.
    let small = changed(&small, "architecture", r#""residual(blocks=2,filters=24)""#);
    let path = scratch.path("small.toml");
    fs::write(&path, small).unwrap();
    path
}

fn weights(output: &str) -> &str {
    let line = output.lines().next().unwrap();
    line.split_once(", weights ").unwrap().1
}

#[cfg(unix)]
fn worker(url: &str, name: &str) -> Child {
    let args = ["work", url, "--name", name, "--threads", "1"];
    command(args).spawn().unwrap()
}

#[test]
#[cfg(unix)]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
fn workers_that_are_killed_change_nothing() {
    let server = nats_server::Server::alone("");
    let url = server.url();
    let scratch = Scratch::new("workers");
    let config = config(&scratch);
    let [here, there] = ["here", "there"].map(|name| scratch.path(name));
    let begin = [
        "train",
        "--game",
        "connect4",
        "--config",
        &config,
        "--proof-every",
        "0",
        "--folder",
    ];
    let alone = run([&begin[..], &[&here]].concat(), "");

    let stays = worker(&url, "ann");
    let args = [&begin[..], &[&there, "--workers", &url, "--threads", "1"]].concat();
    let mut train = command(args).spawn().unwrap();
    let mut killed = 0;
    while train.try_wait().unwrap().is_none() {
        // Two at a time, in the middle of whatever they are at.
        let mut others = ["bob", "cid"].map(|name| worker(&url, name));
        thread::sleep(Duration::from_millis(700));
        for other in &mut others {
            other.kill().unwrap();
            other.wait().unwrap();
            killed += 1;
        }
    }
    let output = train.wait_with_output().unwrap();
    let shared = String::from_utf8(output.stdout).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert_eq!(weights(&shared), weights(&alone));
    assert!(killed >= 2, "{killed}");
    let lines = fs::read_to_string(Path::new(&there).join("metrics.jsonl")).unwrap();
    let given = lines.lines().map(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["help"]["games"].as_u64().unwrap()
    });
    let given: u64 = given.sum();
    assert!(given > 0);
    assert!(
        shared.contains(&format!("\nworkers gave {given} games, up to ")),
        "{shared}"
    );
    assert!(
        !shared.contains("refused") && !told.contains("refused"),
        "{told}"
    );

    // Ctrl-C is how a worker ends.
    let status = std::process::Command::new("kill")
        .args(["-INT", &stays.id().to_string()])
        .status();
    assert!(status.unwrap().success());
    let output = stays.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains(" games in ") && !said.starts_with("0 "),
        "{said}"
    );
}

#[track_caller]
fn check_refused(args: &[&str], status: i32, sentence: &str) {
    let ran = finish(command(args), "");
    assert!(ran.stderr.contains(sentence), "{}", ran.stderr);
    assert_eq!((ran.status, &*ran.stdout), (Some(status), ""));
    check_one_sentence(&ran.stderr);
}

#[test]
fn what_is_no_broker_is_refused_before_anything_is_done() {
    let scratch = Scratch::new("no_broker");
    let folder = scratch.path("run");
    let train = ["train", "--game", "ttt", "--folder", &folder, "--workers"];
    let wrong = "the address of the broker is wrong: nats://host:4222 would be right";
    check_refused(&[&train[..], &["ftp://localhost"]].concat(), 2, wrong);
    check_refused(&["work", "http://secret@localhost"], 2, wrong);
    let nobody = "nats://127.0.0.1:1";
    let gone = "the broker cannot be reached";
    check_refused(&[&train[..], &[nobody]].concat(), 1, gone);
    check_refused(&["work", nobody], 1, gone);
    check_refused(&["work", nobody, "--name", "a b"], 2, "not \"a b\"");
    check_refused(&["work", nobody, "--group", "a.b"], 2, "not \"a.b\"");
    check_refused(&["work"], 2, "");
    assert!(!fs::exists(&folder).unwrap());
}
