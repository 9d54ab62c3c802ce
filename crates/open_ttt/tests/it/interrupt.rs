//! Ctrl-C, which a terminal sends as SIGINT, and on Windows a console as an event.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

#[cfg(target_os = "linux")]
use serde_json::Value;

use crate::program::command;
use crate::scratch::Scratch;

/// A child that is killed after ten minutes, so that a test fails instead of hanging.
struct GuardedChild {
    child: Child,
    _done: Sender<()>,
}

fn start(args: &[&str]) -> GuardedChild {
    const HANG_GUARD: Duration = Duration::from_mins(10);
    let child = interruptible(command(args)).spawn().unwrap();
    let id = child.id();
    let (done, is_done) = channel();
    thread::spawn(move || {
        if is_done.recv_timeout(HANG_GUARD) == Err(RecvTimeoutError::Timeout) {
            kill(id);
        }
    });
    GuardedChild { child, _done: done }
}

fn kill(id: u32) {
    let id = id.to_string();
    let (program, args) = if cfg!(windows) {
        ("taskkill", ["/f", "/pid", &id])
    } else {
        ("kill", ["-s", "KILL", &id])
    };
    let status = Command::new(program).args(args).status();
    assert!(status.unwrap().success());
}

/// A command whose process [`interrupt`] reaches.
pub(crate) fn interruptible(mut command: Command) -> Command {
    ctrl_c::prepare(&mut command);
    command
}

/// Sends Ctrl-C.
#[track_caller]
pub(crate) fn interrupt(child: &Child) {
    ctrl_c::send("interrupt::sender", child);
}

#[cfg(windows)]
#[test]
#[ignore = "it is the process that sends Ctrl-C for other tests"]
fn sender() {
    ctrl_c::become_sender();
}

/// The rest of a child's standard output and error, and its exit status.
fn finish(guarded: &mut GuardedChild) -> (String, String, Option<i32>) {
    let child = &mut guarded.child;
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
fn a_batch_ends_while_it_waits_for_input() {
    let mut guarded = start(&["analyze", "--game", "ttt", "--batch"]);
    let child = &mut guarded.child;
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "a1 b1 a2 b2").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "X wins in 1; best: a3; line: a3\n");

    interrupt(child);

    let (_, stderr, status) = finish(&mut guarded);
    assert_eq!(stderr, "open_ttt: interrupted after 1 position\n");
    assert_eq!(status, Some(1));
    drop(input);
}

#[test]
fn a_batch_ends_during_a_search() {
    let game = "mnk(m=10,n=10,k=5)";
    let args = ["analyze", "--game", game, "--batch", "--time", "1h"];
    let mut guarded = start(&args);
    let child = &mut guarded.child;
    let mut input = child.stdin.take().unwrap();
    // The first game is over; the search of the second takes an hour.
    writeln!(input, "a1 a2 b1 b2 c1 c2 d1 d2 e1\n\ne5\ne5 f6\n").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "O has lost\n");

    interrupt(child);

    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert!(
        rest.lines().all(|line| line.contains("result unknown")),
        "{rest}"
    );
    assert!(rest.lines().count() <= 1, "{rest}");
    let (_, stderr, status) = finish(&mut guarded);
    assert!(
        stderr.starts_with("open_ttt: interrupted after "),
        "{stderr}"
    );
    assert_eq!(status, Some(1));
}

#[test]
fn reviews_end_with_the_games_judged_so_far() {
    let scratch = Scratch::new("reviews_end_with_the_games_judged_so_far");
    let file = scratch.path("games.tsv");
    let quick = "ttt\ta\tb\ta1 b1 a2 b2 a3\t1-0\n";
    // The moves of the second game are searched for an hour.
    let slow = "mnk(m=10,n=10,k=5)\ta\tb\te5 f6\t*\n";
    std::fs::write(&file, [quick, slow, quick].concat()).unwrap();
    let args = ["review", &file, "--time", "1h", "--json"];
    let mut guarded = start(&args);
    let mut output = BufReader::new(guarded.child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"number\":1,"), "{line}");

    interrupt(&guarded.child);

    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    let (_, stderr, status) = finish(&mut guarded);
    assert_eq!(stderr, "open_ttt: interrupted after 1 game\n");
    assert_eq!(status, Some(1));
}

#[test]
fn a_server_closes_its_store() {
    let scratch = Scratch::new("a_server_closes_its_store");
    let store = scratch.path("matches.db");
    let args = ["serve", "--listen", "127.0.0.1:0", "--log", "error"];
    let mut guarded = start(&[&args[..], &["--store", &store]].concat());
    let mut output = BufReader::new(guarded.child.stdout.take().unwrap());
    let mut line = String::new();
    while line != "Press Ctrl-C to stop.\n" {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server ended");
    }
    let lock = format!("{store}-lock");
    assert!(std::fs::exists(format!("{store}-wal")).unwrap());

    interrupt(&guarded.child);

    let (_, stderr, status) = finish(&mut guarded);
    assert_eq!((&*stderr, status), ("", Some(0)));
    assert_eq!(std::fs::read_to_string(lock).unwrap(), "closed\n");
    assert!(!std::fs::exists(format!("{store}-wal")).unwrap());
}

/// Whether a process has a handler for SIGINT. Linux alone tells that, so the tests below run
/// there.
#[cfg(target_os = "linux")]
fn handles_sigint(child: &Child) -> bool {
    const SIGINT: u64 = 1 << 1;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() & SIGINT != 0
}

#[cfg(target_os = "linux")]
fn interrupt_when_handled(child: &mut Child) {
    while !handles_sigint(child) {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the program has ended before the interrupt"
        );
        thread::yield_now();
    }
    interrupt(child);
}

#[cfg(target_os = "linux")]
fn interrupted_arena(args: &[&str]) -> String {
    let mut guarded = start(args);
    let child = &mut guarded.child;
    interrupt_when_handled(child);
    let (stdout, stderr, status) = finish(&mut guarded);
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
    assert!(lines[0].starts_with("random vs random: "), "{text}");
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
fn a_long_search_is_stopped() {
    // The first move of the game takes an hour.
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
fn an_interrupted_match_saves_its_games() {
    let scratch = Scratch::new("an_interrupted_match_saves_its_games");
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
    let mut guarded = start(&["solve", "--game", "pegs", "--threads", "1"]);
    interrupt_when_handled(&mut guarded.child);
    let (output, errors, status) = finish(&mut guarded);
    assert_eq!((&*output, status), ("", Some(1)));
    let said = "open_ttt: interrupted after ";
    let positions = errors
        .strip_prefix(said)
        .and_then(|rest| rest.strip_suffix(" positions; the game isn't solved\n"));
    assert!(
        positions.is_some_and(|positions| positions.parse::<u64>().is_ok()),
        "{errors}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_analysis_prints_its_best_guess() {
    let game = "mnk(m=10,n=10,k=5)";
    let args = ["analyze", "--game", game, "--moves", "e5", "--time", "1h"];
    let mut guarded = start(&args);
    interrupt_when_handled(&mut guarded.child);
    let (stdout, stderr, status) = finish(&mut guarded);
    assert!(
        stdout.starts_with("O to move, result unknown; best guess: "),
        "{stdout}"
    );
    assert_eq!((&*stderr, status), ("", Some(0)));
}
