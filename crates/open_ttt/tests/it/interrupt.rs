//! Ctrl-C, which a terminal turns into SIGINT.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::program::command;
#[cfg(target_os = "linux")]
use crate::scratch::Scratch;

/// A child that is ended after a minute if nobody else does, so that a test
/// fails where it would wait for ever.
struct Watched {
    child: Child,
    _over: Sender<()>,
}

fn start(args: &[&str]) -> Watched {
    const LIMIT: Duration = Duration::from_mins(1);
    let child = command(args).spawn().unwrap();
    let id = child.id();
    let (over, is_over) = channel();
    thread::spawn(move || {
        if is_over.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            signal("-KILL", id);
        }
    });
    Watched { child, _over: over }
}

fn signal(signal: &str, id: u32) {
    let status = Command::new("kill")
        .args([signal, &id.to_string()])
        .status();
    assert!(status.unwrap().success());
}

fn interrupt(child: &Child) {
    signal("-INT", child.id());
}

/// What a child has on standard output and error at its end, and its status.
fn end(watched: &mut Watched) -> (String, String, Option<i32>) {
    let child = &mut watched.child;
    let (mut stdout, mut stderr) = (String::new(), String::new());
    if let Some(mut output) = child.stdout.take() {
        output.read_to_string(&mut stdout).unwrap();
    }
    if let Some(mut errors) = child.stderr.take() {
        errors.read_to_string(&mut stderr).unwrap();
    }
    (stdout, stderr, child.wait().unwrap().code())
}

#[test]
fn a_batch_ends_while_it_waits_for_a_line() {
    let mut watched = start(&["analyze", "--game", "ttt", "--batch"]);
    let child = &mut watched.child;
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "a1 b1 a2 b2").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "X wins in 1 move; best: a3; line: a3\n");

    interrupt(child);

    let (_, stderr, status) = end(&mut watched);
    assert_eq!(stderr, "open_ttt: interrupted after 1 position\n");
    assert_eq!(status, Some(1));
    drop(input);
}

#[test]
fn a_batch_ends_while_it_thinks() {
    let args = ["analyze", "--game", "connect4", "--batch", "--time", "1h"];
    let mut watched = start(&args);
    let child = &mut watched.child;
    let mut input = child.stdin.take().unwrap();
    // The first is over; the next would take an hour.
    writeln!(input, "1212121\n\n4\n44\n").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "Yellow has lost\n");

    interrupt(child);

    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(
        rest.lines().all(|line| line.contains("not proved")),
        "{rest}"
    );
    assert!(rest.lines().count() <= 1, "{rest}");
    let (_, stderr, status) = end(&mut watched);
    assert!(
        stderr.starts_with("open_ttt: interrupted after "),
        "{stderr}"
    );
    assert_eq!(status, Some(1));
}

/// Whether a process has said what it does on SIGINT.
#[cfg(target_os = "linux")]
fn listens(child: &Child) -> bool {
    const SIGINT: u64 = 1 << 1;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() & SIGINT != 0
}

#[cfg(target_os = "linux")]
fn interrupt_once_it_listens(child: &mut Child) {
    while !listens(child) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "it has ended too early"
        );
        thread::yield_now();
    }
    interrupt(child);
}

#[cfg(target_os = "linux")]
fn interrupted_arena(args: &[&str]) -> String {
    let mut watched = start(args);
    let child = &mut watched.child;
    interrupt_once_it_listens(child);
    let (stdout, stderr, status) = end(&mut watched);
    assert_eq!((&*stderr, status), ("", Some(0)));
    stdout
}

#[cfg(target_os = "linux")]
#[test]
fn a_match_reports_the_games_so_far() {
    let args = [
        "arena", "--game", "mnk", "--a", "random", "--b", "random", "--games", "10000000",
    ];
    let text = interrupted_arena(&args);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("random against random: "), "{text}");
    let games = lines[2].strip_prefix("stopped after ").unwrap();
    let games = games.strip_suffix(" of 10000000 games").unwrap();
    let sum: u32 = lines[0]
        .split(' ')
        .filter_map(|word| word.parse::<u32>().ok())
        .sum();
    assert_eq!(games.parse(), Ok(sum));

    let json = interrupted_arena(&[&args[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&json).unwrap();
    let number = |name: &str| report[name].as_u64().unwrap();
    assert_eq!(
        number("games"),
        number("wins") + number("draws") + number("losses")
    );
    assert!(number("games") < 10_000_000);
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_game_is_broken_off() {
    // It is the move that is broken off: the game would take days.
    let slow = "negamax(ms=3600000)";
    for threads in ["1", "4"] {
        let args = [
            "arena",
            "--game",
            "mnk",
            "--a",
            slow,
            "--b",
            slow,
            "--json",
            "--threads",
            threads,
        ];
        let report: Value = serde_json::from_str(&interrupted_arena(&args)).unwrap();
        assert_eq!(report["games"], 0);
        assert_eq!(report["end"], "stopped");
        assert_eq!(report["elo"], Value::Null);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_games_of_a_match_that_is_broken_off_are_saved() {
    let scratch = Scratch::new("the_games_of_a_match_that_is_broken_off_are_saved");
    let file = scratch.path("games.tsv");
    let args = [
        "arena",
        "--game",
        "mnk",
        "--a",
        "random",
        "--b",
        "random",
        "--games",
        "10000000",
        "--threads",
        "3",
        "--json",
        "--save",
        &file,
    ];
    let report: Value = serde_json::from_str(&interrupted_arena(&args)).unwrap();
    let saved = std::fs::read_to_string(&file).unwrap();
    assert_eq!(report["games"], saved.lines().count());
    assert!(saved.is_empty() || saved.ends_with('\n'));
}

#[cfg(target_os = "linux")]
#[test]
fn solving_ends() {
    let mut watched = start(&["solve", "--game", "pegs", "--threads", "1"]);
    interrupt_once_it_listens(&mut watched.child);
    let (output, errors, status) = end(&mut watched);
    assert_eq!((&*output, status), ("", Some(1)));
    let said = "open_ttt: interrupted before the game was solved, after ";
    let positions = errors
        .strip_prefix(said)
        .and_then(|rest| rest.strip_suffix(" positions\n"));
    assert!(
        positions.is_some_and(|positions| positions.parse::<u64>().is_ok()),
        "{errors}"
    );
}

/// A proof that takes most of a minute answers with a guess.
#[cfg(target_os = "linux")]
#[test]
fn a_proof_is_broken_off_with_what_is_known() {
    let args = ["analyze", "--game", "connect4", "--moves", "11"];
    let mut watched = start(&args);
    interrupt_once_it_listens(&mut watched.child);
    let (stdout, stderr, status) = end(&mut watched);
    assert!(
        stdout.starts_with("Red to move, not proved; perhaps: "),
        "{stdout}"
    );
    assert_eq!((&*stderr, status), ("", Some(0)));
}
