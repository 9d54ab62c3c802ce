//! Servers that are killed, in processes of their own: this test binary, called
//! once more with a single test that plays the server.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, SqliteLog};
use open_ttt_net::replication::Sequence;

use super::sqlite::Folder;

/// Where the server that is to be killed writes.
const FILE: &str = "OPEN_TTT_TEST_CRASH_FILE";

/// Which of them it is; its entries say so.
const ROUND: &str = "OPEN_TTT_TEST_CRASH_ROUND";

const MATCHES: u64 = 12;

fn id(number: u64) -> MatchId {
    format!("match-{number}").parse().unwrap()
}

/// Adds entries to some matches until it is killed, or the store refuses, and
/// prints each that is acknowledged.
#[tokio::test]
#[ignore = "the server that other tests start, and kill"]
async fn server() {
    let (Some(file), Ok(round)) = (std::env::var_os(FILE), std::env::var(ROUND)) else {
        return;
    };
    let log = Arc::new(SqliteLog::open(PathBuf::from(file)).unwrap());
    let matches = (0..MATCHES).map(|number| {
        let (log, round) = (Arc::clone(&log), round.clone());
        tokio::spawn(async move {
            let of = id(number);
            let there = log.read(&of, Sequence::START, usize::MAX).await.unwrap();
            for last in there.len() as u64.. {
                let entry = Bytes::from(format!("{of} {} {round}", last + 1));
                let answer = log.append(&of, Sequence::new(last), entry.clone()).await;
                let line = match &answer {
                    Ok(()) => format!("ack {of} {} {round}\n", last + 1),
                    Err(error) => format!("end {of} {error:?}\n"),
                };
                // In one piece, whatever is killed.
                std::io::stderr().write_all(line.as_bytes()).unwrap();
                if answer.is_err() {
                    return;
                }
            }
        })
    });
    for playing in matches.collect::<Vec<_>>() {
        playing.await.unwrap();
    }
}

/// A server in a process of its own, and what it says.
struct Server {
    child: Child,
    /// Something for each line.
    lines: Receiver<String>,
}

impl Server {
    /// Started by the shell, which does this first.
    fn start(folder: &Folder, round: usize, first: &str) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", &format!("{first} exec \"$@\""), "sh"])
            .arg(std::env::current_exe().unwrap())
            .args(["log::sqlite_crash::server", "--exact", "--ignored"])
            .arg("--nocapture")
            .env(FILE, folder.file())
            .env(ROUND, round.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // Of the last line there may be but a part.
            while said.read_line(&mut line).is_ok() && line.ends_with('\n') {
                let whole = std::mem::take(&mut line);
                if sender.send(whole.trim_end().to_owned()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line; none if there will be none.
    fn line(&self) -> Option<String> {
        self.lines.recv().ok()
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Where a test has failed it may still run.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What was acknowledged, by match, as the lines of a server say.
#[derive(Default)]
struct Acknowledged(BTreeMap<String, BTreeMap<u64, String>>);

impl Acknowledged {
    /// Notes a line, if it says that something was.
    fn note(&mut self, line: &str) {
        let Some(entry) = line.strip_prefix("ack ") else {
            return;
        };
        let mut words = entry.split(' ');
        let of = words.next().unwrap().to_owned();
        let number = words.next().unwrap().parse().unwrap();
        let before = self.0.entry(of).or_default().insert(number, entry.into());
        assert_eq!(before, None, "acknowledged a second time");
    }

    fn count(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// All of it is there, and nothing is in its place.
    async fn check(&self, folder: &Folder) {
        let log = SqliteLog::open(folder.file()).unwrap();
        for number in 0..MATCHES {
            let of = id(number);
            let entries = log.read(&of, Sequence::START, usize::MAX).await.unwrap();
            let acknowledged = self.0.get(of.as_str());
            for (number, expected) in acknowledged.into_iter().flatten() {
                let found = entries.get(*number as usize - 1);
                assert_eq!(found, Some(&Bytes::from(expected.clone())));
            }
            for (entry, number) in entries.iter().zip(1..) {
                let start = format!("{of} {number} ");
                assert!(entry.starts_with(start.as_bytes()), "{start}: {entry:?}");
            }
        }
    }
}

/// Killed at any moment, twenty times, each time going on where the one before
/// was.
#[tokio::test]
async fn a_killed_server_loses_nothing_acknowledged() {
    let folder = Folder::new();
    let mut rng = Rng::new(20);
    let mut acknowledged = Acknowledged::default();
    for round in 0..20 {
        let mut server = Server::start(&folder, round, "");
        let first = server.line().expect("a server that stores something");
        acknowledged.note(&first);
        std::thread::sleep(Duration::from_micros(rng.below(60_000) as u64));
        server.kill();
        while let Some(line) = server.line() {
            acknowledged.note(&line);
        }
        acknowledged.check(&folder).await;
    }
    assert!(acknowledged.count() > 100, "{}", acknowledged.count());
}

/// A write that fails midway, as the shell's limit on the length of files makes
/// it: what has become of it is unknown, and nothing is added to that.
#[cfg(unix)]
#[tokio::test]
async fn a_failing_disk_ends_in_unknown_and_loses_nothing_acknowledged() {
    for (round, blocks) in (100..1200).step_by(157).enumerate() {
        let folder = Folder::new();
        let mut acknowledged = Acknowledged::default();
        let mut ends = Vec::new();
        let server = Server::start(
            &folder,
            round,
            &format!("trap '' XFSZ; ulimit -f {blocks};"),
        );
        while let Some(line) = server.line() {
            acknowledged.note(&line);
            ends.extend(line.strip_prefix("end ").map(str::to_owned));
        }
        assert_eq!(ends.len() as u64, MATCHES, "each ends: {ends:?}");
        assert!(ends[0].contains("Unknown"), "{}", ends[0]);
        for end in &ends {
            assert!(end.contains("it is unclear what has been written"), "{end}");
        }
        acknowledged.check(&folder).await;
    }
}
