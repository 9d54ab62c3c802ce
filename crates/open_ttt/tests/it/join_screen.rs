//! Matches on a server in full screen, each player in a terminal of their own.

use std::os::unix::process::ExitStatusExt;

use pseudo_terminal::PseudoTerminal;
use rustix::process::Signal;

use crate::join::TestServer;

const SIZE: [u16; 2] = [80, 24];

/// The join command of a user in a terminal.
fn join(server: &TestServer, user: &str, arguments: &str) -> PseudoTerminal {
    let state = server.scratch.path(user);
    start(&state, &format!("{} {arguments}", server.address))
}

fn start(state: &str, arguments: &str) -> PseudoTerminal {
    let arguments = format!("join {arguments}");
    let variables = [("XDG_STATE_HOME", state), ("ARGUMENTS", &*arguments)];
    PseudoTerminal::start("kept_games::program", &variables, SIZE)
}

/// The link on the screen of a player who waits.
#[track_caller]
fn link(terminal: &mut PseudoTerminal) -> String {
    terminal.wait_for("Waiting for an opponent");
    let contents = terminal.contents();
    let mut words = contents.split_whitespace();
    let link = words.find(|word| word.starts_with("http://"));
    link.expect("a link").to_owned()
}

/// Ann's terminal, in which she goes first and has invited somebody, and the link.
fn ann(server: &TestServer, arguments: &str) -> (PseudoTerminal, String) {
    let arguments = format!("--game ttt --side first --name Ann {arguments}");
    let mut ann = join(server, "ann", &arguments);
    let link = link(&mut ann);
    (ann, link)
}

fn bob(server: &TestServer, link: &str) -> PseudoTerminal {
    start(&server.scratch.path("bob"), &format!("{link} --name Bob"))
}

#[test]
fn two_people_play_with_keys_and_mouse() {
    let server = TestServer::start("screen_two");
    let (mut ann, link) = ann(&server, "--clock 5m+3s");
    assert!(ann.is_full_screen());
    let mut bob = bob(&server, &link);
    ann.wait_for("Your turn (X)");
    // The middle, with the cursor.
    ann.write("\r");
    ann.wait_for("Bob's turn (O) · last move b2");
    bob.wait_for("Your turn (O) · last move b2");
    assert!(bob.is_full_screen());
    // The column of a cell and the row of its middle.
    bob.click("a");
    bob.write("a1\r");
    ann.wait_for("Your turn (X) · last move a1");
    ann.wait_for("5:03");
    bob.resize([40, 15]);
    bob.wait_for("┌───┬───┬───┐");
    bob.write("d");
    ann.wait_for("Bob offers a draw.");
    ann.write("n");
    bob.wait_for("Ann declines the draw");
    ann.write("u");
    bob.wait_for("Ann asks to undo the last move.");
    bob.write("y");
    ann.wait_for("Bob allows the undo");
    ann.wait_for("Your turn (X)");
    ann.write("c3\r");
    ann.wait_for("Bob's turn (O) · last move c3");
    bob.wait_for("Your turn (O) · last move c3");
    bob.write("R");
    bob.wait_for("Resign as O? (y/n)");
    bob.write("y");
    ann.wait_for("You win by resignation");
    ann.write("n");
    bob.wait_for("Ann wants to play again.");
    bob.write("n");
    ann.wait_for("1 win");
    bob.wait_for("Your turn (X)");
    bob.write("q");
    bob.wait_for("Leave? Your seat is kept. (y/n)");
    bob.write("y");
    assert!(bob.finish().success());
    assert!(
        bob.contents()
            .contains("Your seat is saved. To come back: ")
    );
    ann.wait_for("(away)");
    ann.write("qy");
    assert!(ann.finish().success());
}

#[test]
fn a_seat_outlives_the_screen() {
    let server = TestServer::start("screen_seat");
    let (mut ann, link) = ann(&server, "");
    let mut first = bob(&server, &link);
    first.wait_for("Ann's turn (X)");
    ann.wait_for("Your turn (X)");
    ann.write("b2\r");
    first.wait_for("Your turn (O) · last move b2");
    first.write("\u{3}");
    assert!(first.finish().success());
    ann.wait_for("(away)");

    let mut second = bob(&server, &link);
    second.wait_for("Your turn (O) · last move b2");
    second.write("a1\r");
    second.wait_for("Ann's turn (X) · last move a1");
    second.signal(Signal::TERM);
    assert_eq!(second.finish().signal(), Some(Signal::TERM.as_raw()));

    let mut third = bob(&server, &link);
    third.wait_for("Ann's turn (X) · last move a1");
    third.kill();
    ann.wait_for("(away)");
    ann.wait_for("Your turn (X) · last move a1");
    ann.write("c3\r");
    ann.wait_for("Bob's turn (O) · last move c3");
    let mut fourth = bob(&server, &link);
    fourth.wait_for("Your turn (O) · last move c3");
    fourth.write("\u{3}");
    assert!(fourth.finish().success());
    ann.write("\u{3}");
    assert!(ann.finish().success());
}

#[test]
fn a_spectator_steps_through_the_game() {
    let server = TestServer::start("screen_spectator");
    let (mut ann, link) = ann(&server, "");
    let mut bob = bob(&server, &link);
    ann.wait_for("Your turn (X)");
    ann.write("b2\r");
    bob.wait_for("Your turn (O) · last move b2");
    let mut eve = start(&server.scratch.path("eve"), &link);
    eve.wait_for("Both seats are taken, so you're watching");
    eve.wait_for("Bob's turn (O) · last move b2");
    ann.wait_for("1 watching");
    eve.write("\u{1b}[D");
    eve.wait_for("move 0 of 1");
    bob.write("a1\r");
    eve.wait_for("move 0 of 2");
    eve.write("\u{1b}[F");
    eve.wait_for("Ann's turn (X) · last move a1");
    eve.write("q");
    assert!(eve.finish().success());
    for mut player in [ann, bob] {
        player.write("\u{3}");
        assert!(player.finish().success());
    }
}

#[test]
fn a_lost_connection_is_shown_and_restored() {
    let temporary = load::crash::TemporaryStore::new().unwrap();
    let store = temporary.path().display().to_string();
    let program = env!("CARGO_BIN_EXE_open_ttt").as_ref();
    let mut served = load::ServerProcess::start(program, &store).unwrap();
    let address = served.server().to_string();
    let state = |who: &str| temporary.folder().join(who).display().to_string();
    let arguments = format!("{address} --game ttt --side first --name Ann");
    let mut ann = start(&state("ann"), &arguments);
    let link = link(&mut ann);
    let mut bob = start(&state("bob"), &format!("{link} --name Bob"));
    ann.wait_for("Your turn (X)");
    served.kill().unwrap();
    ann.wait_for("Connection lost, reconnecting: ");
    // The move is sent as soon as there is a connection again.
    ann.write("b2\r");
    ann.wait_for("sending b2");
    served.restart().unwrap();
    ann.wait_for("Reconnected");
    bob.wait_for("Your turn (O) · last move b2");
    ann.wait_for("Bob's turn (O) · last move b2");
    assert!(!ann.contents().contains("Connection lost"));
    for mut player in [ann, bob] {
        player.write("\u{3}");
        assert!(player.finish().success());
    }
}

#[test]
fn two_people_find_each_other() {
    let server = TestServer::start("screen_quick");
    let mut ann = join(&server, "ann", "--game ttt --quick --name Ann");
    ann.wait_for("Looking for an opponent");
    assert!(ann.is_full_screen());
    ann.write("q");
    assert!(ann.finish().success());
    assert!(ann.contents().contains("Goodbye"));

    let mut ann = join(&server, "ann", "--game ttt --quick --name Ann");
    ann.wait_for("Looking for an opponent");
    let mut bob = join(&server, "bob", "--game ttt --quick --name Bob");
    ann.wait_for(" turn (");
    bob.wait_for(" turn (");
    for mut player in [ann, bob] {
        player.write("\u{3}");
        assert!(player.finish().success());
    }
}

#[test]
fn a_bot_plays_on_the_screen() {
    let server = TestServer::start("screen_bot");
    let arguments = "--game ttt --opponent random --player perfect --games 1";
    let mut bot = join(&server, "bot", arguments);
    assert!(bot.finish().success());
    let contents = bot.contents();
    assert!(contents.contains("Goodbye"), "{contents}");
    assert!(!contents.contains("random wins"), "{contents}");
}

#[test]
fn lines_of_text_can_be_asked_for() {
    let server = TestServer::start("screen_plain");
    let arguments = "--game ttt --side first --opponent random(seed=1) --plain";
    let mut ann = join(&server, "ann", arguments);
    ann.wait_for("Coordinates to play? (e.g., a1)");
    assert!(!ann.is_full_screen());
    ann.write("quit\n");
    assert!(ann.finish().success());
}
