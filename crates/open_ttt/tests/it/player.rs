//! Players who are known by a key: their seats, games and ratings, in the terminal.

use std::fs;
use std::path::MAIN_SEPARATOR_STR;
use std::process::Command;

use serde_json::Value;

use crate::interrupt::interrupt;
use crate::join::{TTT, TestServer, User, check_failure};
use crate::program::{Ran, command, finish};

impl TestServer {
    fn player_command(&self, user: &str, args: &[&str]) -> Command {
        let mut command = command([&["player"], args].concat());
        command.env("XDG_STATE_HOME", self.scratch.path(user));
        command
    }

    /// What `player` prints.
    #[track_caller]
    fn player(&self, user: &str, args: &[&str], input: &str) -> String {
        let ran = finish(self.player_command(user, args), input);
        let Ran { stdout, .. } = ran;
        assert_eq!((ran.status, &*ran.stderr), (Some(0), ""), "{stdout}");
        stdout
    }

    /// What `player games` prints once there are so many lines: entries appear soon after
    /// what they tell.
    #[track_caller]
    fn games(&self, user: &str, args: &[&str], lines: usize) -> String {
        loop {
            let games = self.player(user, &[&["games", &self.address], args].concat(), "");
            if games.lines().count() == lines && !games.contains("No games yet") {
                return games;
            }
        }
    }

    /// The file with a user's key.
    fn key_file(&self, user: &str) -> String {
        let name = self.address.replace("://", "_").replace(':', "_");
        self.scratch
            .path(&format!("{user}/open_ttt/keys/{name}.json"))
            .replace('/', MAIN_SEPARATOR_STR)
    }

    /// The link and the code that `player export` prints.
    #[track_caller]
    fn export(&self, user: &str) -> (String, String) {
        let text = self.player(user, &["export", &self.address], "");
        let mut lines = text.lines().map(str::to_owned);
        (lines.next().unwrap(), lines.next().unwrap())
    }
}

#[test]
fn a_key_brings_a_lost_seat_back() {
    let server = TestServer::start("a_lost_seat");
    let (link, ann) = server.create("ann", &TTT, "a1\na2\na3\nquit\n");
    let away = User::start(server.join("bob", &[&link, "--name", "Bob"]), "b1\n").end();
    assert!(away.contains("; you're O\n"), "{away}");
    // All that is known of the match is gone.
    fs::remove_dir_all(server.scratch.path("bob/open_ttt/seats")).unwrap();
    let back = User::start(server.join("bob", &[&link]), "b2\nquit\n").end();
    assert!(back.contains("; you're O\n"), "{back}");
    assert!(back.contains("Ann wins\n"), "{back}");
    assert!(ann.end().contains("You win\n"));
    let games = server.games("bob", &[], 1);
    let expected = format!("{link}  ttt vs Ann: lost (just now)\n");
    assert_eq!(games, expected);
    let shown = server.player("bob", &["show", &server.address], "");
    assert!(
        shown.ends_with("\nttt: 0 won, 0 drawn, 1 lost\n"),
        "{shown}"
    );
}

#[test]
fn a_player_moves_to_another_device() {
    let server = TestServer::start("another_device");
    let (link, mut ann) = server.create("ann", &TTT, "a1\na2\n");
    ann.until("Waiting for an opponent");
    let away = User::start(server.join("bob", &[&link, "--name", "Bob"]), "b1\n").end();
    assert!(away.contains("; you're O\n"), "{away}");
    let (own, code) = server.export("bob");
    let digits = own
        .strip_prefix(&format!("{}/#player=", server.address))
        .unwrap();
    assert_eq!(code.replace(' ', ""), digits);

    // By the link as an argument; by the link and the code on standard input.
    let address = &*server.address;
    let spoken = code.to_uppercase();
    for (device, source, input) in [
        ("phone", &*own, ""),
        ("tablet", address, &*format!("{own}\n")),
        ("laptop", address, &*spoken),
    ] {
        let said = server.player(device, &["import", source], input);
        let id = said.split(' ').nth(2).unwrap();
        assert_eq!(said, format!("You're player {id} on {address} now.\n"));
        let shown = server.player("bob", &["show", address], "");
        assert!(shown.starts_with(&format!("Player {id}\n")), "{shown}");
        assert_eq!(server.export(device), (own.clone(), code.clone()));
        let back = User::start(server.join(device, &[&link]), "quit\n").end();
        assert!(back.contains("; you're O\n"), "{device}: {back}");
    }
    // Twice is once.
    server.player("phone", &["import", &own], "");

    // Another player isn't lost by accident.
    let before = server.export("ann");
    let import = |args: &[&str]| server.player_command("ann", &[&["import"], args].concat());
    check_failure(
        import(&[&own]),
        1,
        &["another player", "--replace", "player export"],
    );
    assert_eq!(server.export("ann"), before);
    server.player("ann", &["import", &own, "--replace"], "");
    assert_eq!(server.export("ann"), (own.clone(), code));

    check_failure(import(&[address]), 2, &["there is no link or code"]);
    let fails = |input: &str, parts: &[&str]| {
        let ran = finish(import(&[address]), input);
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert!(
            parts.iter().all(|part| ran.stderr.contains(part)),
            "{ran:?}"
        );
        assert!(!ran.stderr.contains(digits), "{ran:?}");
    };
    fails("abc\n", &["a player code has 32 digits"]);
    fails(
        &format!("http://example.org/#player={digits}\n"),
        &["the link is for http://example.org, not for "],
    );
    let _ = ann.child.kill();
    let _ = ann.child.wait();
}

#[test]
fn a_rated_game_changes_the_ratings() {
    let server = TestServer::start("a_rated_game");
    let address = &*server.address;
    let rated = [&TTT[..], &["--rated"]].concat();
    let (link, mut ann) = server.create("ann", &rated, "a1\na2\na3\nquit\n");
    ann.until("Waiting for an opponent");
    check_failure(
        server.join("bob", &[&link, "--no-key"]),
        2,
        &["rated", "leave out --no-key"],
    );
    let bob = User::start(
        server.join("bob", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    let (ann, bob) = (ann.end(), bob.end());
    assert!(ann.contains("You win\n"), "{ann}");
    assert!(bob.starts_with("ttt, rated: Ann (X) vs Bob (O); you're O\n"));

    // A first game between two new players, by Glicko-2.
    assert_eq!(
        server.games("ann", &[], 1),
        format!("{link}  ttt vs Bob: won, rating 1500 to 1662 (just now)\n")
    );
    let games = server.games("bob", &["--json"], 2);
    let games: Vec<Value> = games
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(games[0]["rating"]["after"]["rating"], 1338);
    assert_eq!(
        (&games[0]["number"], &games[1]["number"]),
        (&1.into(), &0.into())
    );
    assert_eq!(games[1]["verdict"], Value::Null);
    assert_eq!(
        server
            .games("bob", &["--json", "--limit", "1"], 1)
            .lines()
            .count(),
        1
    );
    let shown = server.player("ann", &["show", address], "");
    assert!(
        shown.ends_with("\nttt: 1 won, 0 drawn, 0 lost, rating 1662 ± 580\n"),
        "{shown}"
    );
    let shown = server.player("bob", &["show", address, "--json"], "");
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["games"][0]["rating"]["rating"], 1338);
    assert_eq!(shown["games"][0]["losses"], 1);
}

#[test]
fn two_terminals_find_each_other() {
    let server = TestServer::start("quick");
    let quick = |user: &str| {
        let name = ["--name", user, "--player", "random", "--games", "1"];
        let game = [&*server.address, "--game", "ttt", "--quick", "--rated"];
        let clock = ["--clock", "3m+2s"];
        User::start(server.join(user, &[&game[..], &clock, &name].concat()), "")
    };
    let mut ann = quick("Ann");
    assert_eq!(ann.line(), "Looking for an opponent. Press Ctrl-C to stop.");
    let listed = loop {
        let listed = User::start(server.join("Eve", &[&server.address]), "").end();
        if !listed.starts_with("No open matches") {
            break listed;
        }
    };
    assert!(listed.ends_with("  ttt vs Ann, 3m+2s, rated\n"), "{listed}");
    let bob = quick("Bob");
    for (player, output) in [("Ann", ann.end()), ("Bob", bob.end())] {
        assert!(output.contains("ttt, rated: "), "{player}: {output}");
        assert!(output.contains(" vs "), "{player}: {output}");
        assert!(output.contains("(time left: "), "{player}: {output}");
        assert!(output.ends_with("Goodbye\n"), "{player}: {output}");
    }
    let shown = server.player("Ann", &["show", &server.address], "");
    assert!(shown.contains(", rating "), "{shown}");
}

#[test]
fn the_search_for_an_opponent_can_be_given_up() {
    let server = TestServer::start("given_up");
    let args = [&*server.address, "--game", "ttt", "--quick"];
    let mut ann = User::start(server.join("ann", &args), "");
    assert_eq!(ann.line(), "Looking for an opponent. Press Ctrl-C to stop.");
    interrupt(&ann.child);
    assert_eq!(ann.end(), "Goodbye\n");
    let listed = User::start(server.join("eve", &[&server.address]), "").end();
    assert!(listed.starts_with("No open matches"), "{listed}");
    let games = server.player("ann", &["games", &server.address], "");
    assert_eq!(games, "No games yet\n", "it is in no history");
}

#[test]
fn without_a_key_nothing_is_kept() {
    let server = TestServer::start("without_a_key");
    let args = [&TTT[..], &["--no-key"]].concat();
    let (link, ann) = server.create("ann", &args, "a1\na2\na3\nquit\n");
    let bob = User::start(
        server.join("bob", &[&link, "--name", "Bob"]),
        "b1\nb2\nquit\n",
    );
    assert!(ann.end().contains("You win\n"));
    bob.end();
    assert!(!fs::exists(server.scratch.path("ann/open_ttt/keys")).unwrap());
    for command in ["show", "games", "export"] {
        check_failure(
            server.player_command("ann", &[command, &server.address]),
            1,
            &["doesn't know you yet", "player import"],
        );
    }
}

#[test]
fn a_damaged_key_is_reported_and_kept() {
    let server = TestServer::start("a_damaged_key");
    let (link, mut ann) = server.create("ann", &TTT, "");
    ann.until("Waiting for an opponent");
    let whole = fs::read_to_string(server.key_file("ann")).unwrap();
    let damaged = &whole[..whole.len() / 2];
    let file = server.key_file("bea");
    fs::create_dir_all(server.scratch.path("bea/open_ttt/keys")).unwrap();
    fs::write(&file, damaged).unwrap();
    let damage = [file.as_str(), "is damaged"];
    for command in ["show", "games", "export"] {
        check_failure(
            server.player_command("bea", &[command, &server.address]),
            1,
            &damage,
        );
    }
    let new = [&[&*server.address], &TTT[..]].concat();
    for args in [&[&*link][..], &new] {
        check_failure(
            server.join("bea", args),
            1,
            &[&damage[..], &["--no-key"]].concat(),
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
    // The game goes on without it.
    let mut other = User::start(server.join("bea", &[&link, "--no-key"]), "");
    assert_eq!(other.line(), "ttt: Ann (X) vs Guest (O); you're O");
    for mut user in [ann, other] {
        let _ = user.child.kill();
        let _ = user.child.wait();
    }
}

#[test]
fn a_key_needs_a_folder() {
    let server = TestServer::start("no_folder");
    let mut player = server.player_command("ann", &["show", &server.address]);
    player.env_remove("XDG_STATE_HOME").env_remove("HOME");
    player.env_remove("LOCALAPPDATA");
    check_failure(player, 1, &["set HOME or XDG_STATE_HOME"]);
    let mut join = server.join("ann", &[&[&*server.address], &TTT[..]].concat());
    join.env("XDG_STATE_HOME", server.scratch.path("file"));
    fs::write(server.scratch.path("file"), "not a folder").unwrap();
    check_failure(join, 1, &["can't", "key file", "--no-key"]);
}
