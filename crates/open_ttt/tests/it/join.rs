//! Matches on a server from the terminal, with a process each for the server, the
//! players and the watchers.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command};

use crate::interrupt::{interrupt, interruptible};
use crate::networks::untrained;
use crate::program::{check_one_sentence, command, finish};
use crate::scratch::Scratch;

/// A server with its matches in memory, killed on drop.
pub(crate) struct TestServer {
    child: Child,
    pub(crate) address: String,
    pub(crate) scratch: Scratch,
}

impl TestServer {
    pub(crate) fn start(test: &str) -> Self {
        let args = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--store",
            "memory",
            "--log",
            "error",
        ];
        let mut child = command(args).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Play at ").unwrap();
        let address = address.trim_end_matches('/').to_owned();
        std::thread::spawn(move || output.lines().for_each(drop));
        Self {
            child,
            address,
            scratch: Scratch::new(&format!("join_{test}")),
        }
    }

    /// The join command with a state folder for this user.
    pub(crate) fn join(&self, user: &str, args: &[&str]) -> Command {
        let mut command = command([&["join"], args].concat());
        command.env("XDG_STATE_HOME", self.scratch.path(user));
        command
    }

    /// Creates a match; returns its link and the waiting player.
    pub(crate) fn create(&self, user: &str, args: &[&str], typed: &str) -> (String, User) {
        let args = [&[&*self.address], args].concat();
        let mut player = User::start(self.join(user, &args), typed);
        let line = player.line();
        let link = line.strip_prefix("Invite your opponent: ").unwrap();
        assert!(link.starts_with(&format!("{}/m/", self.address)), "{link}");
        (link.to_owned(), player)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A user whose lines are read as the program prompts for them.
pub(crate) struct User {
    pub(crate) child: Child,
    output: BufReader<ChildStdout>,
}

impl User {
    pub(crate) fn start(command: Command, typed: &str) -> Self {
        let mut child = interruptible(command).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(typed.as_bytes()).unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Skips the output up to this line.
    #[track_caller]
    pub(crate) fn until(&mut self, line: &str) {
        let mut output = String::new();
        while self.output.read_line(&mut output).unwrap() > 0 {
            if output.lines().next_back() == Some(line) {
                return;
            }
        }
        panic!("{line}\nis missing in\n{output}");
    }

    /// Returns the rest of the output.
    #[track_caller]
    pub(crate) fn end(mut self) -> String {
        let (mut output, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut output).unwrap();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        let status = self.child.wait().unwrap().code();
        assert_eq!((status, &*errors), (Some(0), ""), "{output}");
        output
    }
}

pub(crate) const TTT: [&str; 6] = ["--game", "ttt", "--side", "first", "--name", "Ann"];

#[test]
fn two_people_play_from_two_terminals() {
    let server = TestServer::start("two_people");
    let (link, mut ann) = server.create("ann", &TTT, "a1\na2\nb1\na3\nquit\n");
    // Bob joins after this line.
    ann.until("Waiting for an opponent");
    let bob = User::start(
        server.join("bob", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    let (ann, bob) = (ann.end(), bob.end());
    for part in [
        "Bob joins\n",
        "X turn\nPossible moves: a1 b1 c1 a2 b2 c2 a3 b3 c3\nCoordinates to play? (e.g., a1)\n> a1\n",
        "Bob's turn (O)\n",
        "> b1\nImpossible move b1: ",
        "Bob plays b2\n",
        " 3 | X |   |   |\n   +---+---+---+\n 2 | X | O |   |\n   +---+---+---+\n 1 | X | O |   |\n",
        "You win\nPlay again? (rematch/quit)\n> quit\nGoodbye\n",
    ] {
        assert!(ann.contains(part), "{part}\nis missing in\n{ann}");
    }
    for part in [
        "ttt: Ann (X) vs Bob (O); you're O\n",
        "Ann plays a3\n",
        "Ann wins\nPlay again? (rematch/quit)\n> quit\nGoodbye\n",
    ] {
        assert!(bob.contains(part), "{part}\nis missing in\n{bob}");
    }
}

#[test]
fn a_saved_seat_is_resumed() {
    let server = TestServer::start("a_saved_seat");
    let (link, ann) = server.create("ann", &TTT, "a1\na2\na3\nquit\n");
    // Bob's input ends after a move.
    let join = || server.join("bob", &[&link, "--name", "Bob"]);
    let away = User::start(join(), "b1\n").end();
    let own = away
        .lines()
        .find_map(|line| line.strip_prefix("Your seat is saved. To come back: open_ttt join "))
        .unwrap();
    assert_eq!(own.split_once('#').unwrap().0, link);
    let back = User::start(join(), "b2\nquit\n").end();
    assert!(back.contains("; you're O\n"), "{back}");
    assert!(back.contains("Ann wins\n"), "{back}");
    assert!(ann.end().contains("You win\n"));
    // The private link works on any machine.
    let anywhere = User::start(server.join("elsewhere", &[own]), "quit\n").end();
    assert!(anywhere.contains("; you're O\n"), "{anywhere}");
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_a_saved_seat() {
    use std::os::unix::fs::PermissionsExt;

    let server = TestServer::start("only_the_user");
    let (_, mut ann) = server.create("ann", &TTT, "");
    // The seat is saved before this line.
    ann.until("ttt: Ann (X) vs an open seat; you're X");
    let folder = server.scratch.path("ann/open_ttt/seats");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.as_ref()), 0o700);
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert_eq!(mode(&files[0].as_ref().unwrap().path()), 0o600);
    let _ = ann.child.kill();
    let _ = ann.child.wait();
}

#[test]
fn the_same_command_twice_takes_both_seats() {
    let server = TestServer::start("the_same_command");
    let (link, ann) = server.create("here", &TTT, "a1\na2\na3\nquit\n");
    let bob = User::start(
        server.join("here", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    assert!(bob.end().contains("; you're O\n"));
    ann.end();
}

#[test]
fn a_watcher_cannot_act() {
    let server = TestServer::start("a_watcher");
    let (link, ann) = server.create("ann", &TTT, "a1\na2\na3\nquit\n");
    let mut watcher = User::start(server.join("eve", &[&link, "--watch"]), "resign\n");
    let first = watcher.line();
    assert_eq!(first, "ttt: Ann (X) vs an open seat; you're watching");
    let bob = User::start(
        server.join("bob", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    ann.end();
    bob.end();
    watcher.until("Ann wins");
    let _ = watcher.child.kill();
    let _ = watcher.child.wait();
    // With both seats taken, a user watches.
    let mut late = User::start(server.join("late", &[&link]), "");
    assert_eq!(late.line(), "Both seats are taken, so you're watching");
    let _ = late.child.kill();
    let _ = late.child.wait();
}

#[test]
fn a_bot_plays_by_itself() {
    let server = TestServer::start("a_bot");
    let args = [
        &*server.address,
        "--game",
        "ttt",
        "--opponent",
        "random",
        "--player",
        "perfect",
        "--games",
        "3",
        "--clock",
        "5m+3s",
    ];
    let output = User::start(server.join("bot", &args), "").end();
    assert!(output.contains("perfect"), "{output}");
    let games = ["Game 2: ", "Game 3: "];
    assert!(games.iter().all(|game| output.contains(game)), "{output}");
    assert!(!output.contains("random wins"), "{output}");
    assert!(
        output.contains("(time left: You 5:00, random 5:00)"),
        "{output}"
    );
    assert!(output.ends_with("Goodbye\n"), "{output}");
}

#[test]
fn a_program_that_fails_does_not_resign() {
    let server = TestServer::start("failing");
    let game = [&*server.address, "--game", "ttt", "--opponent", "random"];
    let bot = ["--player", "engine:/nowhere/engine", "--games", "1"];
    let ran = finish(server.join("bot", &[&game[..], &bot].concat()), "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let last = ran.stderr.lines().last().unwrap_or_default();
    check_one_sentence(&format!("{last}\n"));
    assert!(last.contains("can't start \"/nowhere/engine\""), "{last}");
    assert!(!ran.stdout.contains("resign"), "{}", ran.stdout);
}

#[test]
fn a_bot_plays_by_a_network() {
    let server = TestServer::start("a_network");
    let network = untrained("ttt");
    let file = server.scratch.path("best.safetensors");
    std::fs::write(&file, &network).unwrap();
    let player = format!("net:{file}(simulations=20,seed=1)");
    let args = [&*server.address, "--game", "ttt", "--opponent", "random"];
    let bot = ["--player", &player, "--games", "1"];
    let output = User::start(server.join("bot", &[&args[..], &bot].concat()), "").end();
    // The folder stays private.
    assert!(output.contains("net:best.safetensors"), "{output}");
    assert!(!output.contains(&file), "{output}");
    assert!(output.ends_with("Goodbye\n"), "{output}");

    // The file is read before the server is contacted.
    let nowhere = "http://127.0.0.1:1/m/abc";
    let missing = format!("{file}.old");
    check_failure(
        server.join("bot", &[nowhere, "--player", &format!("net:{missing}")]),
        1,
        &["--player: ", "can't read ", &missing],
    );
    let args = [&*server.address, "--game", "connect4", "--player", &player];
    check_failure(
        server.join("bot", &args),
        1,
        &["--player: ", "the network is for \"ttt\", not \"connect4\""],
    );
    let args = [&*server.address, "--game", "ttt", "--opponent", &player];
    check_failure(
        server.join("ann", &args),
        2,
        &["--opponent: the server can't read your network file; --player can"],
    );
    let args = [
        &*server.address,
        "--game",
        "qubic",
        "--opponent",
        "net:pretrained",
    ];
    check_failure(
        server.join("ann", &args),
        1,
        &["the server says: ", "no network comes with \"qubic\""],
    );
}

#[test]
fn ctrl_c_leaves_and_prints_the_private_link() {
    let server = TestServer::start("ctrl_c");
    let (link, mut ann) = server.create("ann", &TTT, "");
    ann.until("Waiting for an opponent");
    interrupt(&ann.child);
    let output = ann.end();
    let saved = format!("Your seat is saved. To come back: open_ttt join {link}#");
    assert!(output.starts_with(&saved), "{output}");
    assert!(output.ends_with("\nGoodbye\n"), "{output}");
}

#[test]
fn a_move_survives_the_server() {
    let temporary = load::crash::TemporaryStore::new().unwrap();
    let store = temporary.path().display().to_string();
    let program = env!("CARGO_BIN_EXE_open_ttt").as_ref();
    let mut served = load::ServerProcess::start(program, &store).unwrap();
    let address = served.server().to_string();
    let join = |who: &str, args: &[&str]| {
        let mut command = command([&["join"], args].concat());
        command.env("XDG_STATE_HOME", temporary.folder().join(who));
        command
    };
    let mut ann = User::start(
        join("ann", &[&[&*address], &TTT[..]].concat()),
        "a1\na2\na3\nquit\n",
    );
    let line = ann.line();
    let link = line.strip_prefix("Invite your opponent: ").unwrap();
    let away = User::start(join("bob", &[link, "--name", "Bob"]), "b1\n").end();
    assert!(away.contains("Your seat is saved"), "{away}");

    served.restart().unwrap();
    let back = User::start(join("bob", &[link]), "b2\nquit\n").end();
    assert!(back.contains("Ann wins\n"), "{back}");
    let ann = ann.end();
    assert!(ann.contains("Connection lost, reconnecting: "), "{ann}");
    assert!(ann.contains("Reconnected\n"), "{ann}");
    assert!(ann.contains("You win\n"), "{ann}");
}

#[track_caller]
pub(crate) fn check_failure(command: Command, status: i32, parts: &[&str]) {
    let ran = finish(command, "");
    assert_eq!(ran.status, Some(status), "{ran:?}");
    check_one_sentence(&ran.stderr);
    for part in parts {
        assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
    }
}

#[test]
fn join_failures() {
    let server = TestServer::start("join_failures");
    let nowhere = format!("{}/m/nowhere", server.address);
    check_failure(
        server.join("ann", &[&nowhere]),
        1,
        &["the server says: ", "This game doesn't exist"],
    );
    let (link, mut ann) = server.create("ann", &TTT, "");
    let wrong = format!("{link}#00112233445566778899aabbccddeeff");
    check_failure(
        server.join("eve", &[&wrong]),
        1,
        &["doesn't belong to a player", "To watch, use the link"],
    );
    let _ = ann.child.kill();
    let _ = ann.child.wait();
    check_failure(
        server.join("ann", &["http://127.0.0.1:1/m/abc"]),
        1,
        &["cannot reach http://127.0.0.1:1"],
    );
    check_failure(server.join("ann", &["abc"]), 2, &["http://"]);
    check_failure(
        server.join("ann", &[&link, "--game", "ttt"]),
        2,
        &["--game creates a match"],
    );
    check_failure(
        server.join("ann", &[&link, "--name", "\u{7}"]),
        2,
        &["--name: use 1 to 32 printable characters"],
    );
    check_failure(
        server.join("ann", &[&link, "--watch", "--player", "random"]),
        2,
        &["--watch", "--player"],
    );
    check_failure(
        server.join("ann", &[&server.address, "--game", "ttt", "--clock", "5x"]),
        2,
        &["5x"],
    );
}

#[test]
fn an_empty_lobby_says_so() {
    let server = TestServer::start("an_empty_lobby");
    let output = User::start(server.join("ann", &[&server.address]), "").end();
    assert_eq!(output, "No open matches; use --game to create one\n");
}
