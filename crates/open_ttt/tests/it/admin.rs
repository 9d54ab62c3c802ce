//! A server that is looked after with `admin`, each in a process of its own.

use std::io::{BufRead, BufReader};
use std::process::Child;
use std::time::Duration;

use open_ttt_net::client::{Lobby, ServerAddress};
use open_ttt_net::protocol::{CreateMatch, SeatRequest};
use serde_json::Value;

use crate::program::{Ran, check_one_sentence, command, finish};
use crate::scratch::Scratch;

/// A server with its matches in memory, killed on drop.
struct TestServer {
    child: Child,
    public: ServerAddress,
    private: String,
    scratch: Scratch,
}

impl TestServer {
    fn start(test: &str) -> Self {
        let scratch = Scratch::new(&format!("admin_{test}"));
        let token = scratch.path("token");
        let mut server = command(["serve", "--listen", "127.0.0.1:0", "--store", "memory"]);
        server.args(["--log", "error", "--private-listen", "127.0.0.1:0"]);
        let mut child = server.args(["--admin-token-file", &token]).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut address = |before: &str| {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            line.trim().strip_prefix(before).unwrap().to_owned()
        };
        let public = address("Play at ").parse().unwrap();
        let private = address("Metrics and administration at ");
        std::thread::spawn(move || output.lines().for_each(drop));
        Self {
            child,
            public,
            private,
            scratch,
        }
    }

    fn admin(&self, args: &[&str]) -> Ran {
        let mut admin = command(["admin", "--server", &self.private]);
        admin.args(["--token-file", &self.scratch.path("token")]);
        admin.args(args);
        finish(admin, "")
    }

    /// What `admin` prints.
    #[track_caller]
    fn says(&self, args: &[&str]) -> String {
        let ran = self.admin(args);
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""), "{ran:?}");
        ran.stdout
    }

    /// Creates a match and returns its id.
    fn create(&self, name: &str) -> Result<String, String> {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let wanted = CreateMatch {
            game: "ttt".to_owned(),
            clock: None,
            first: None,
            seats: [Some(SeatRequest::Person(name.to_owned())), None],
            listed: false,
            rated: false,
            moves: Vec::new(),
            key: None,
        };
        let lobby = Lobby::new(self.public.clone());
        let created = runtime.block_on(lobby.create(&wanted));
        let id = created.map(|assignment| assignment.id.to_string());
        id.map_err(|error| error.to_string())
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn matches_are_listed_closed_and_deleted() {
    let server = TestServer::start("matches");
    assert_eq!(server.says(&["list"]), "");
    let id = server.create("Ann").unwrap();
    let line = format!("{id}  ttt  Ann - (open)  game 1, move 0  0 connections  just now");
    assert_eq!(server.says(&["list"]), format!("{line}\n"));
    assert_eq!(
        server.says(&["close", &id]),
        format!("Match {id} is closed.\n")
    );
    assert_eq!(server.says(&["list", "--all"]), format!("{line}  closed\n"));
    let shown = server.says(&["show", &id]);
    assert!(shown.contains("Closed        yes"), "{shown}");
    let reopened = server.says(&["reopen", &id]);
    assert_eq!(reopened, format!("Match {id} is open again.\n"));
    let shown: Value = serde_json::from_str(&server.says(&["show", &id, "--json"])).unwrap();
    assert_eq!(
        (&shown["closed"], &shown["moves"]),
        (&false.into(), &0.into())
    );
    assert_eq!(
        server.says(&["delete", &id]),
        format!("Match {id} is deleted.\n")
    );
    for command in ["show", "delete"] {
        let gone = server.admin(&[command, &id]);
        assert_eq!(gone.status, Some(1), "{gone:?}");
        check_one_sentence(&gone.stderr);
    }
}

#[test]
fn bans_hold_until_they_are_lifted() {
    let server = TestServer::start("bans");
    assert_eq!(server.says(&["bans"]), "Nobody is banned.\n");
    let banned = server.says(&["ban", "192.0.2.7/24", "--hours", "2", "--reason", "spam"]);
    assert_eq!(banned, "192.0.2.0/24 is banned.\n");
    server.says(&["ban", "--name", "Eve"]);
    let bans = "\"Eve\"\n192.0.2.0/24  for 2 hours more  spam\n";
    assert_eq!(server.says(&["bans"]), bans);
    let refused = server.create("eve").unwrap_err();
    assert!(refused.contains("doesn't let you play"), "{refused}");
    let unbanned = server.says(&["unban", "--name", "EVE"]);
    assert_eq!(unbanned, "\"EVE\" isn't banned any more.\n");
    assert!(server.create("Eve").is_ok());
    // Their network is banned, they aren't.
    let within = server.admin(&["unban", "192.0.2.9"]);
    check_one_sentence(&within.stderr);
    assert!(
        within.stderr.contains("There is no such ban."),
        "{within:?}"
    );
    server.says(&["ban", "192.0.2.9", "--reason", "two\nlines"]);
    let bans = server.says(&["bans"]);
    assert!(bans.contains("192.0.2.9  two lines\n"), "{bans}");
    let still = server.says(&["unban", "192.0.2.9"]);
    assert_eq!(still, "192.0.2.9 is still banned, as 192.0.2.0/24 is.\n");
    server.says(&["unban", "192.0.2.0/24"]);
    assert_eq!(server.says(&["bans", "--json"]), "{\"bans\":[]}\n");
}

#[test]
fn a_draining_server_refuses_new_matches() {
    let server = TestServer::start("drain");
    let status = || -> Value { serde_json::from_str(&server.says(&["status", "--json"])).unwrap() };
    assert_eq!(status()["draining"], false);
    server.says(&["drain"]);
    assert_eq!(status()["draining"], true);
    let refused = server.create("Ann").unwrap_err();
    assert!(refused.contains("restart soon"), "{refused}");
    server.says(&["drain", "--off"]);
    assert!(server.create("Ann").is_ok());
    let text = server.says(&["status"]);
    assert!(!text.contains("Stored"), "{text}");
    assert!(text.contains("Refuses new matches   no\n"), "{text}");
    assert!(status()["since"].as_u64() > Some(Duration::from_hours(1).as_secs()));
}

#[test]
fn mistakes_are_told_in_one_sentence() {
    let server = TestServer::start("mistakes");
    let check = |ran: &Ran, status: i32, what: &str| {
        assert_eq!((ran.status, &*ran.stdout), (Some(status), ""), "{ran:?}");
        check_one_sentence(&ran.stderr);
        assert!(ran.stderr.contains(what), "{ran:?}");
    };
    check(&server.admin(&["ban"]), 2, "ADDRESS");
    check(&server.admin(&["ban", "1.2.3"]), 2, "isn't an address");
    check(&server.admin(&["show", "a b"]), 2, "identifier");
    check(&server.admin(&["close", "nosuchmatch"]), 1, "doesn't exist");
    let without = finish(command(["admin", "status"]), "");
    check(&without, 2, "--token-file");
    let missing = server.scratch.path("missing");
    let missing = finish(command(["admin", "status", "--token-file", &missing]), "");
    check(&missing, 1, "can't read");
    let other = server.scratch.path("other");
    std::fs::write(&other, "00112233445566778899aabbccddeeff\n").unwrap();
    let mut wrong = command(["admin", "status", "--server", &server.private]);
    wrong.args(["--token-file", &other]);
    check(&finish(wrong, ""), 1, "token is missing or wrong");
    let without_port = finish(command(["serve", "--admin-token-file", &other]), "");
    check(&without_port, 2, "--private-listen");
}
