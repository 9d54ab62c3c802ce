//! Killed servers, each a process: this test binary, which runs the single test
//! that acts as the server.

use std::collections::BTreeMap;
use std::env::current_exe;
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

/// The environment variable with the path of the store.
const FILE: &str = "OPEN_TTT_TEST_CRASH_FILE";

/// The environment variable with the round, which is part of each entry.
const ROUND: &str = "OPEN_TTT_TEST_CRASH_ROUND";

/// The environment variable that lets the server go on after an append has failed.
const GOES_ON: &str = "OPEN_TTT_TEST_CRASH_GOES_ON";

const MATCHES: u64 = 12;

fn id(number: u64) -> MatchId {
    format!("match-{number}").parse().unwrap()
}

/// Appends entries to some matches until the process is killed or the store
/// refuses, and prints each acknowledged entry. If it [goes on](GOES_ON), it reads what
/// became of an entry that was refused, and tries again.
#[tokio::test]
#[ignore = "the server process that other tests start and kill"]
async fn server() {
    let (Some(file), Ok(round)) = (std::env::var_os(FILE), std::env::var(ROUND)) else {
        return;
    };
    let goes_on = std::env::var_os(GOES_ON).is_some();
    let log = Arc::new(SqliteLog::open(PathBuf::from(file)).unwrap());
    let matches = (0..MATCHES).map(|number| {
        let (log, round) = (Arc::clone(&log), round.clone());
        tokio::spawn(async move {
            let of = id(number);
            // One write call per line: a kill cannot tear it.
            let print = |line: String| std::io::stderr().write_all(line.as_bytes()).unwrap();
            let length = async || {
                let there = log.read(&of, Sequence::START, usize::MAX).await;
                there.unwrap().len() as u64
            };
            let mut last = length().await;
            loop {
                let entry = format!("{of} {} {round}", last + 1);
                let appended = log.append(&of, Sequence::new(last), entry.clone().into());
                let is_stored = match appended.await {
                    Ok(()) => true,
                    Err(error) => {
                        print(format!("end {of} {error:?}\n"));
                        if !goes_on {
                            return;
                        }
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        length().await > last
                    }
                };
                if is_stored {
                    print(format!("ack {entry}\n"));
                    last += 1;
                }
            }
        })
    });
    for playing in matches.collect::<Vec<_>>() {
        playing.await.unwrap();
    }
}

/// A server process and its output.
struct Server {
    child: Child,
    lines: Receiver<String>,
}

impl Server {
    fn start(folder: &Folder, round: usize) -> Self {
        Self::run(Command::new(current_exe().unwrap()), folder, round)
    }

    /// A shell that runs `setup` and then the server.
    #[cfg(unix)]
    fn shell(setup: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{setup} exec \"$@\""), "sh"]);
        shell.arg(current_exe().unwrap());
        shell
    }

    fn run(mut program: Command, folder: &Folder, round: usize) -> Self {
        let mut child = program
            .args(["log::sqlite_crash::server", "--exact", "--ignored"])
            .arg("--nocapture")
            .env(FILE, folder.file())
            .env(ROUND, round.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // The last line may be incomplete.
            while output.read_line(&mut line).is_ok() && line.ends_with('\n') {
                let whole = std::mem::take(&mut line);
                if sender.send(whole.trim_end().to_owned()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line; `None` at the end of the output.
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
        // Still running if the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The acknowledged entries by match and number, from the servers' output.
#[derive(Default)]
struct Acknowledged(BTreeMap<String, BTreeMap<u64, String>>);

impl Acknowledged {
    /// Records the entry, if the line is an acknowledgement.
    fn record(&mut self, line: &str) {
        let Some(entry) = line.strip_prefix("ack ") else {
            return;
        };
        let mut words = entry.split(' ');
        let of = words.next().unwrap().to_owned();
        let number = words.next().unwrap().parse().unwrap();
        let before = self.0.entry(of).or_default().insert(number, entry.into());
        assert_eq!(before, None, "acknowledged twice");
    }

    fn count(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// Checks that the store has all of them, each at its position.
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

/// Kills a server twenty times at random moments. Each one continues on the
/// file of the one before.
#[tokio::test]
async fn a_killed_server_loses_nothing_acknowledged() {
    let folder = Folder::new();
    let mut rng = Rng::new(20);
    let mut acknowledged = Acknowledged::default();
    for round in 0..20 {
        let mut server = Server::start(&folder, round);
        // More than one index batch in some rounds.
        for _ in 0..=rng.below(3_000) {
            let line = server.line().expect("a server that stores entries");
            acknowledged.record(&line);
        }
        // The kill comes anywhere between two acknowledgements.
        std::thread::sleep(Duration::from_micros(rng.below(2_000) as u64));
        server.kill();
        while let Some(line) = server.line() {
            acknowledged.record(&line);
        }
        acknowledged.check(&folder).await;
    }
    assert!(acknowledged.count() > 100, "{}", acknowledged.count());
}

/// A write fails halfway, at the file size limit of the shell, which Windows doesn't have. Its
/// outcome is unknown, and the store refuses further writes.
#[cfg(unix)]
#[tokio::test]
async fn after_a_failed_write_nothing_acknowledged_is_lost() {
    for (round, blocks) in (100..1200).step_by(157).enumerate() {
        let folder = Folder::new();
        let mut acknowledged = Acknowledged::default();
        let mut ends = Vec::new();
        let setup = format!("trap '' XFSZ; ulimit -f {blocks};");
        let server = Server::run(Server::shell(&setup), &folder, round);
        while let Some(line) = server.line() {
            acknowledged.record(&line);
            ends.extend(line.strip_prefix("end ").map(str::to_owned));
        }
        assert_eq!(ends.len() as u64, MATCHES, "one end per match: {ends:?}");
        assert!(ends[0].contains("Unknown"), "{}", ends[0]);
        for end in &ends {
            assert!(end.contains("it is unknown what was written"), "{end}");
        }
        acknowledged.check(&folder).await;
    }
}

/// The same limit, like a quota, until somebody makes room: `prlimit` is of Linux.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_store_goes_on_once_the_disk_takes_writes_again() {
    for (round, blocks) in (200..1200).step_by(250).enumerate() {
        let folder = Folder::new();
        let mut acknowledged = Acknowledged::default();
        let setup = format!("trap '' XFSZ; ulimit -S -f {blocks};");
        let mut program = Server::shell(&setup);
        program.env(GOES_ON, "yes");
        let mut server = Server::run(program, &folder, round);
        let mut failed = 0;
        while failed < 3 * MATCHES {
            let line = server.line().expect("a server that goes on");
            acknowledged.record(&line);
            failed += u64::from(line.starts_with("end "));
        }
        let raised = Command::new("prlimit")
            .args(["--pid", &server.child.id().to_string()])
            .arg("--fsize=unlimited")
            .status();
        assert!(raised.unwrap().success());
        let before = acknowledged.count();
        while acknowledged.count() < before + 5_000 {
            let line = server.line().expect("a server that goes on");
            acknowledged.record(&line);
        }
        server.kill();
        while let Some(line) = server.line() {
            acknowledged.record(&line);
        }
        acknowledged.check(&folder).await;
    }
}
