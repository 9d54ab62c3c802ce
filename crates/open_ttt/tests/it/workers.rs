//! Training runs with workers.

use std::fs;

use crate::program::{check_one_sentence, command, finish};
use crate::scratch::Scratch;

#[cfg(unix)]
#[expect(dead_code, reason = "only the tests of log stores use all of it")]
#[path = "../../../open_ttt_net/tests/it/log/nats_server.rs"]
mod nats_server;

#[cfg(unix)]
mod killed {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::path::Path;
    use std::process::{Child, Command};
    use std::thread;
    use std::time::{Duration, Instant};

    use serde_json::Value;

    use super::*;
    use crate::program::run;
    use crate::train::{changed, weights};

    /// A test that waits longer has failed.
    const HANG: Duration = Duration::from_mins(5);

    /// The messages of a subject, by the text protocol of NATS.
    struct Subscription(BufReader<TcpStream>);

    impl Subscription {
        fn new(url: &str, subject: &str) -> Self {
            let address = url.strip_prefix("nats://").unwrap();
            let begun = Instant::now();
            let stream = loop {
                match TcpStream::connect(address) {
                    Ok(stream) => break stream,
                    Err(error) => assert!(begun.elapsed() < HANG, "{error}"),
                }
                thread::sleep(Duration::from_millis(50));
            };
            stream.set_read_timeout(Some(HANG)).unwrap();
            let mut subscription = Self(BufReader::new(stream));
            subscription.send("CONNECT {\"verbose\":false}");
            subscription.send(&format!("SUB {subject} 1"));
            subscription.send("PING");
            while subscription.line() != "PONG" {}
            subscription
        }

        fn send(&mut self, line: &str) {
            write!(self.0.get_mut(), "{line}\r\n").unwrap();
        }

        fn line(&mut self) -> String {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        }

        /// Waits for the next message.
        fn next(&mut self) {
            loop {
                let line = self.line();
                if line == "PING" {
                    self.send("PONG");
                } else if line.starts_with("MSG ") {
                    let length: usize = line.rsplit(' ').next().unwrap().parse().unwrap();
                    self.0.read_exact(&mut vec![0; length + 2]).unwrap();
                    return;
                }
            }
        }
    }

    /// A configuration with slow games.
    fn config(scratch: &Scratch) -> String {
        let shown = run(["train", "--game", "connect4", "--show"], "");
        let small = changed(&changed(&shown, "games", "48"), "iterations", "3");
        let small = changed(&small, "architecture", r#""residual(blocks=2,filters=24)""#);
        let path = scratch.path("small.toml");
        fs::write(&path, small).unwrap();
        path
    }

    fn worker(url: &str, name: &str) -> Child {
        let args = ["work", url, "--name", name, "--threads", "1"];
        command(args).spawn().unwrap()
    }

    fn signal(process: &Child, signal: &str) {
        let process = process.id().to_string();
        let status = Command::new("kill").args([signal, &process]).status();
        assert!(status.unwrap().success());
    }

    #[test]
    #[ignore = "needs a broker, which `cargo xtask test` starts"]
    fn killed_workers_change_nothing() {
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
            "--eval-every",
            "0",
            "--folder",
        ];
        let alone = run([&begin[..], &[&here]].concat(), "");

        let mut tasks = Subscription::new(&url, "open_ttt_learn.task.*");
        let mut answers = Subscription::new(&url, "open_ttt_learn.answer.*");
        let ann = worker(&url, "ann");
        let args = [&begin[..], &[&there, "--workers", &url, "--threads", "1"]].concat();
        let mut train = command(args).spawn().unwrap();
        // The learner pauses until Ann has answered a task.
        tasks.next();
        signal(&train, "-STOP");
        answers.next();
        signal(&train, "-CONT");
        let mut killed = 0;
        while train.try_wait().unwrap().is_none() {
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
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{warnings}");
        assert_eq!(weights(&shared), weights(&alone));
        assert!(killed >= 2, "{killed}");
        let lines = fs::read_to_string(Path::new(&there).join("metrics.jsonl")).unwrap();
        let games = lines.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["help"]["games"].as_u64().unwrap()
        });
        let games: u64 = games.sum();
        assert!(games > 0);
        assert!(
            shared.contains(&format!("\nworkers played {games} games, up to ")),
            "{shared}"
        );
        for word in ["banned", "rejected"] {
            assert!(
                !shared.contains(word) && !warnings.contains(word),
                "{warnings}"
            );
        }

        // Ctrl-C ends a worker.
        signal(&ann, "-INT");
        let output = ann.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains(" games in ") && !text.starts_with("0 "),
            "{text}"
        );
    }
}

#[track_caller]
fn check_refused(args: &[&str], status: i32, sentence: &str) {
    let ran = finish(command(args), "");
    assert!(ran.stderr.contains(sentence), "{}", ran.stderr);
    assert_eq!((ran.status, &*ran.stdout), (Some(status), ""));
    check_one_sentence(&ran.stderr);
}

#[test]
fn unusable_brokers_are_refused_first() {
    let scratch = Scratch::new("no_broker");
    let folder = scratch.path("run");
    let train = ["train", "--game", "ttt", "--folder", &folder, "--workers"];
    let wrong = "invalid broker address; write it like nats://host:4222";
    check_refused(&[&train[..], &["ftp://localhost"]].concat(), 2, wrong);
    check_refused(&["work", "http://secret@localhost"], 2, wrong);
    let closed = "nats://127.0.0.1:1";
    let unreachable = "can't reach the broker";
    check_refused(&[&train[..], &[closed]].concat(), 1, unreachable);
    check_refused(&["work", closed], 1, unreachable);
    check_refused(&["work", closed, "--name", "a b"], 2, "not \"a b\"");
    check_refused(&["work", closed, "--group", "a.b"], 2, "not \"a.b\"");
    check_refused(&["work"], 2, "");
    assert!(!fs::exists(&folder).unwrap());
}
