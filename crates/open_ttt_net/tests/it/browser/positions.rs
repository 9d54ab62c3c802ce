//! Positions of a game: looked back at, and shared by links.

use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, LEFT, RIGHT, Window};
use crate::test_server::TestServer;

/// Two players after four moves: 4, 4, 3 and 3.
fn after_four_moves<'a>(
    driver: &'a Driver,
    server: &TestServer,
) -> (Window<'a>, Window<'a>, String) {
    let (ann, link) = Window::invite(driver, server, "connect4", "Ann");
    let bea = Window::join(driver, &link, "Bea");
    for (count, column) in (1..).zip([4, 4, 3, 3]) {
        let mover = if count % 2 == 1 { &ann } else { &bea };
        mover.type_move(&column.to_string());
        ann.wait_moves(count);
        bea.wait_moves(count);
    }
    ann.wait_turn();
    (ann, bea, link)
}

const PIECES: &str = "document.querySelectorAll('.cell.taken').length";

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn running_game_is_stepped_back_through() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, bea, link) = after_four_moves(&driver, &server);
    // By keyboard alone.
    ann.js("document.activeElement.blur()");
    ann.press(LEFT);
    ann.wait_text(".replay .status", "Move 3 of 4: Ann plays 3");
    assert_eq!(ann.js(PIECES), json!(3));
    ann.press(LEFT);
    ann.wait_text(".replay .status", "Move 2 of 4: Bea plays 4");
    ann.press(RIGHT);
    ann.wait_text(".replay .status", "Move 3 of 4: Ann plays 3");
    ann.wait_for("location.search === '?game=1&move=3'");
    assert_eq!(
        ann.js("document.querySelectorAll('.cell.playable').length"),
        json!(0)
    );
    // Nobody is helped in a game that goes on.
    assert_eq!(
        ann.js("document.querySelector('#analyze').closest('label').hidden"),
        json!(true)
    );
    ann.js("document.querySelector('#close-replay').focus()");
    ann.press(ENTER);
    ann.wait_turn();
    assert_eq!(ann.js(PIECES), json!(4));
    ann.wait_for(&format!("location.href === {}", json!(link)));

    // By a click on a move, while the other player moves on.
    bea.click(".moves li:first-child button");
    bea.wait_text(".replay .status", "Move 1 of 4: Ann plays 4");
    assert_eq!(
        bea.js("document.querySelector('.replay .note').textContent"),
        json!("")
    );
    ann.type_move("5");
    bea.wait_text(".replay .note", "The game goes on: Your turn.");
    assert_eq!(bea.js(PIECES), json!(1));
    bea.click("#close-replay");
    bea.wait_turn();
    assert_eq!(bea.js(PIECES), json!(5));
    ann.check_requests_and_errors(&server);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn what_the_other_player_does_is_told_while_looking_back() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, bea, _) = after_four_moves(&driver, &server);
    ann.click(".moves li:first-child button");
    ann.wait_text(".replay .status", "Move 1 of 4: Ann plays 4");
    bea.click("[data-act='offer_draw']");
    ann.wait_text(".replay .note", "Bea offers a draw.");
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".replay .note", "The game is over. You win: Bea resigned.");
    bea.click("[data-act='rematch']");
    ann.wait_text(
        ".replay .note",
        "The game is over. You win: Bea resigned. Bea wants a rematch.",
    );
    ann.click("#close-replay");
    ann.wait_text(".status", "You win: Bea resigned");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_link_shows_a_position() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, bea, link) = after_four_moves(&driver, &server);
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".status", "You win: Bea resigned");
    ann.click("#replay");
    ann.wait_text(".replay .status", "Move 4 of 4: Bea plays 3");
    ann.click(".replay .steps button:nth-child(2)");
    ann.click(".replay .links summary");
    let shared = ann.js("document.querySelector('[aria-label=\"Link to this position\"]').value");
    assert_eq!(shared, json!(format!("{link}?game=1&move=3")));

    let carl = Window::open(&driver, shared.as_str().expect("a link"));
    carl.wait_text(".replay .status", "Move 3 of 4: Ann plays 3");
    assert_eq!(carl.js(PIECES), json!(3));
    assert_eq!(
        carl.js("document.querySelector('#analyze').closest('label').hidden"),
        json!(false)
    );
    // A whole game from its start, a move after the end, a game that isn't there.
    carl.go(&format!("{link}?game=1"));
    carl.wait_text(".replay .status", "Start of the game");
    carl.go(&format!("{link}?game=1&move=99"));
    carl.wait_text(".replay .status", "Move 4 of 4: Bea plays 3");
    carl.go(&format!("{link}?game=7&move=1"));
    carl.wait_text(".toast.bad", "This match has no such game yet.");
    carl.go(&format!("{link}?game=0&move=x"));
    carl.wait_text(".status", "Ann wins: Bea resigned");
}
