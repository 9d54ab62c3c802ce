//! Matches on a server, from the terminal: the server, the players and the
//! watchers are processes of their own.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command};

use crate::networks::untaught;
use crate::program::{check_one_sentence, command, finish};
use crate::scratch::Scratch;

/// A server whose matches are gone with it.
struct Hall {
    child: Child,
    address: String,
    scratch: Scratch,
}

impl Hall {
    fn open(test: &str) -> Self {
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

    /// The program, joining from a machine of somebody's own.
    fn join(&self, who: &str, args: &[&str]) -> Command {
        let mut command = command([&["join"], args].concat());
        command.env("XDG_STATE_HOME", self.scratch.path(who));
        command
    }

    /// Makes a match and gives its link, with the one who waits there.
    fn make(&self, who: &str, args: &[&str], typed: &str) -> (String, Guest) {
        let args = [&[&*self.address], args].concat();
        let mut guest = Guest::come(self.join(who, &args), typed);
        let line = guest.line();
        let link = line.strip_prefix("For the other side: ").unwrap();
        assert!(link.starts_with(&format!("{}/m/", self.address)), "{link}");
        (link.to_owned(), guest)
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody at a terminal, whose lines are typed as they are asked for.
struct Guest {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Guest {
    fn come(mut command: Command, typed: &str) -> Self {
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(typed.as_bytes()).unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Passes over what is said up to this line.
    #[track_caller]
    fn until(&mut self, line: &str) {
        let mut said = String::new();
        while self.output.read_line(&mut said).unwrap() > 0 {
            if said.lines().next_back() == Some(line) {
                return;
            }
        }
        panic!("{line} is not in\n{said}");
    }

    /// What else is said up to the end.
    #[track_caller]
    fn end(mut self) -> String {
        let (mut said, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut said).unwrap();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        let status = self.child.wait().unwrap().code();
        assert_eq!((status, &*errors), (Some(0), ""), "{said}");
        said
    }
}

const TTT: [&str; 6] = ["--game", "ttt", "--side", "first", "--name", "Ann"];

#[test]
fn two_people_play_from_two_terminals() {
    let hall = Hall::open("two_people");
    let (link, mut ann) = hall.make("ann", &TTT, "a1\na2\nb1\na3\nquit\n");
    // Else Bob may be there before she has looked.
    ann.until("The other seat is open");
    let bob = Guest::come(
        hall.join("bob", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    let (ann, bob) = (ann.end(), bob.end());
    for part in [
        "Bob sits down\n",
        "X turn\nPossible moves: a1 b1 c1 a2 b2 c2 a3 b3 c3\nCoordinates to play? (e.g., a1)\n> a1\n",
        "Bob (O) is to move\n",
        "> b1\nImpossible move b1: ",
        "Bob plays b2\n",
        " 3 | X |   |   |\n   +---+---+---+\n 2 | X | O |   |\n   +---+---+---+\n 1 | X | O |   |\n",
        "You win\nAnother game? (rematch/quit)\n> quit\nGoodbye\n",
    ] {
        assert!(ann.contains(part), "{part}\nis not in\n{ann}");
    }
    for part in [
        "ttt: Ann (X) against Bob (O); you are O\n",
        "Ann plays a3\n",
        "Ann wins\nAnother game? (rematch/quit)\n> quit\nGoodbye\n",
    ] {
        assert!(bob.contains(part), "{part}\nis not in\n{bob}");
    }
}

#[test]
fn a_seat_is_kept_for_who_comes_back() {
    let hall = Hall::open("a_seat_is_kept");
    let (link, ann) = hall.make("ann", &TTT, "a1\na2\na3\nquit\n");
    // Bob's terminal is closed after a move.
    let join = || hall.join("bob", &[&link, "--name", "Bob"]);
    let away = Guest::come(join(), "b1\n").end();
    let own = away
        .lines()
        .find_map(|line| line.strip_prefix("Your seat is kept; open_ttt join "))
        .unwrap();
    assert_eq!(own.split_once('#').unwrap().0, link);
    let back = Guest::come(join(), "b2\nquit\n").end();
    assert!(back.contains("; you are O\n"), "{back}");
    assert!(back.contains("Ann wins\n"), "{back}");
    assert!(ann.end().contains("You win\n"));
    // By its own link it opens from anywhere.
    let anywhere = Guest::come(hall.join("elsewhere", &[own]), "quit\n").end();
    assert!(anywhere.contains("; you are O\n"), "{anywhere}");
}

#[cfg(unix)]
#[test]
fn the_secret_of_a_seat_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let hall = Hall::open("the_secret");
    let (_, mut ann) = hall.make("ann", &TTT, "");
    // The introduction comes when there is nothing left to keep.
    ann.until("ttt: Ann (X) against an open seat; you are X");
    let folder = hall.scratch.path("ann/open_ttt/seats");
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
    let hall = Hall::open("the_same_command");
    let (link, ann) = hall.make("here", &TTT, "a1\na2\na3\nquit\n");
    let bob = Guest::come(
        hall.join("here", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    assert!(bob.end().contains("; you are O\n"));
    ann.end();
}

#[test]
fn who_watches_sees_and_touches_nothing() {
    let hall = Hall::open("who_watches");
    let (link, ann) = hall.make("ann", &TTT, "a1\na2\na3\nquit\n");
    let mut watcher = Guest::come(hall.join("eve", &[&link, "--watch"]), "resign\n");
    let first = watcher.line();
    assert_eq!(first, "ttt: Ann (X) against an open seat; you watch");
    let bob = Guest::come(
        hall.join("bob", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    ann.end();
    bob.end();
    watcher.until("Ann wins");
    let _ = watcher.child.kill();
    let _ = watcher.child.wait();
    // With both seats taken there is nothing else to do.
    let mut late = Guest::come(hall.join("late", &[&link]), "");
    assert_eq!(late.line(), "Both seats are taken, so you watch");
    let _ = late.child.kill();
    let _ = late.child.wait();
}

#[test]
fn a_bot_plays_by_itself() {
    let hall = Hall::open("a_bot");
    let args = [
        &*hall.address,
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
    let said = Guest::come(hall.join("bot", &args), "").end();
    assert!(said.contains("perfect"), "{said}");
    let games = ["Game 2: ", "Game 3: "];
    assert!(games.iter().all(|game| said.contains(game)), "{said}");
    assert!(!said.contains("random wins"), "{said}");
    assert!(
        said.contains("(time left: You 5:00, random 5:00)"),
        "{said}"
    );
    assert!(said.ends_with("Goodbye\n"), "{said}");
}

#[test]
fn a_bot_plays_by_a_network() {
    let hall = Hall::open("a_network");
    let network = untaught("ttt");
    let file = hall.scratch.path("best.safetensors");
    std::fs::write(&file, &network).unwrap();
    let player = format!("net:{file}(simulations=20,seed=1)");
    let args = [&*hall.address, "--game", "ttt", "--opponent", "random"];
    let bot = ["--player", &player, "--games", "1"];
    let said = Guest::come(hall.join("bot", &[&args[..], &bot].concat()), "").end();
    // The folder is nobody's business.
    assert!(said.contains("net:best.safetensors"), "{said}");
    assert!(!said.contains(&file), "{said}");
    assert!(said.ends_with("Goodbye\n"), "{said}");

    // The file is read before anybody is asked.
    let nowhere = "http://127.0.0.1:1/m/abc";
    let missing = format!("{file}.old");
    check_failure(
        hall.join("bot", &[nowhere, "--player", &format!("net:{missing}")]),
        1,
        &["--player: ", &missing, " cannot be read: "],
    );
    let args = [&*hall.address, "--game", "connect4", "--player", &player];
    check_failure(
        hall.join("bot", &args),
        1,
        &[
            "--player: ",
            "the network has learned \"ttt\", not \"connect4\"",
        ],
    );
    let args = [&*hall.address, "--game", "ttt", "--opponent", &player];
    check_failure(
        hall.join("ann", &args),
        2,
        &["--opponent: a server plays by no file of yours; --player does"],
    );
    let args = [
        &*hall.address,
        "--game",
        "qubic",
        "--opponent",
        "net:pretrained",
    ];
    check_failure(
        hall.join("ann", &args),
        1,
        &["the server says: ", "no network comes with \"qubic\""],
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_and_says_how_to_come_back() {
    let hall = Hall::open("ctrl_c");
    let (link, mut ann) = hall.make("ann", &TTT, "");
    // Whoever has read this is in the match.
    ann.until("The other seat is open");
    let id = ann.child.id().to_string();
    let status = Command::new("kill").args(["-INT", &id]).status();
    assert!(status.unwrap().success());
    let said = ann.end();
    let kept = format!("Your seat is kept; open_ttt join {link}#");
    assert!(said.starts_with(&kept), "{said}");
    assert!(said.ends_with("\nGoodbye\n"), "{said}");
}

#[test]
fn a_move_outlives_the_server_it_was_made_on() {
    let scratch = load::crash::Scratch::new().unwrap();
    let store = scratch.store().display().to_string();
    let program = env!("CARGO_BIN_EXE_open_ttt").as_ref();
    let mut served = load::Served::start(program, &store).unwrap();
    let address = served.server().to_string();
    let join = |who: &str, args: &[&str]| {
        let mut command = command([&["join"], args].concat());
        command.env("XDG_STATE_HOME", scratch.folder().join(who));
        command
    };
    let mut ann = Guest::come(
        join("ann", &[&[&*address], &TTT[..]].concat()),
        "a1\na2\na3\nquit\n",
    );
    let line = ann.line();
    let link = line.strip_prefix("For the other side: ").unwrap();
    let away = Guest::come(join("bob", &[link, "--name", "Bob"]), "b1\n").end();
    assert!(away.contains("Your seat is kept"), "{away}");

    served.restart().unwrap();
    let back = Guest::come(join("bob", &[link]), "b2\nquit\n").end();
    assert!(back.contains("Ann wins\n"), "{back}");
    let ann = ann.end();
    assert!(
        ann.contains("The connection is lost and will be tried again"),
        "{ann}"
    );
    assert!(ann.contains("Connected again\n"), "{ann}");
    assert!(ann.contains("You win\n"), "{ann}");
}

#[track_caller]
fn check_failure(command: Command, status: i32, parts: &[&str]) {
    let ran = finish(command, "");
    assert_eq!(ran.status, Some(status), "{ran:?}");
    check_one_sentence(&ran.stderr);
    for part in parts {
        assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
    }
}

#[test]
fn what_is_not_there_is_said() {
    let hall = Hall::open("what_is_not_there");
    let nowhere = format!("{}/m/nowhere", hall.address);
    check_failure(
        hall.join("ann", &[&nowhere]),
        1,
        &["the server says: ", "no such match"],
    );
    let (link, mut ann) = hall.make("ann", &TTT, "");
    let wrong = format!("{link}#00112233445566778899aabbccddeeff");
    check_failure(
        hall.join("eve", &[&wrong]),
        1,
        &["the token opens no seat", "lets you watch"],
    );
    let _ = ann.child.kill();
    let _ = ann.child.wait();
    check_failure(
        hall.join("ann", &["http://127.0.0.1:1/m/abc"]),
        1,
        &["http://127.0.0.1:1 cannot be reached"],
    );
    check_failure(hall.join("ann", &["abc"]), 2, &["http://"]);
    check_failure(
        hall.join("ann", &[&link, "--game", "ttt"]),
        2,
        &["--game makes a match"],
    );
    check_failure(
        hall.join("ann", &[&link, "--name", "\u{7}"]),
        2,
        &["--name: a name has 1 to 32 characters"],
    );
    check_failure(
        hall.join("ann", &[&link, "--watch", "--player", "random"]),
        2,
        &["--watch", "--player"],
    );
    check_failure(
        hall.join("ann", &[&hall.address, "--game", "ttt", "--clock", "5x"]),
        2,
        &["5x"],
    );
}

#[test]
fn an_empty_lobby_says_so() {
    let hall = Hall::open("an_empty_lobby");
    let said = Guest::come(hall.join("ann", &[&hall.address]), "").end();
    assert_eq!(said, "Nobody waits for anybody; --game makes a match\n");
}
