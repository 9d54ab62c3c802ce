//! The analysis board, games played on from a position, and mistakes tried again.

use serde_json::{Value, json};

use super::driver::Driver;
use super::window::{DOWN, ENTER, LEFT, RIGHT, UP, Window};
use crate::test_server::TestServer;

const CURRENT: &str = "document.querySelector('.tree [aria-current]')?.textContent";

/// Opens the analysis board in a position of tic-tac-toe.
fn board<'a>(driver: &'a Driver, server: &TestServer, moves: &str) -> Window<'a> {
    let path = format!("/analysis?game=ttt&moves={moves}");
    let window = Window::open(driver, &server.url(&path));
    window.wait_for("document.querySelector('.analysis-board .tree button')");
    window
}

#[track_caller]
fn check_address(window: &Window<'_>, moves: &str) {
    window.wait_for(&format!("location.search === '?game=ttt&moves={moves}'"));
    let link = "document.querySelector('[aria-label=\"Link to this position\"]').value";
    assert_eq!(window.js(link), json!(window.url()));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn moves_of_both_sides_are_tried_out_in_branches() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = board(&driver, &server, "A1,b2");
    // The link is shown as the game writes it.
    check_address(&window, "a1,b2");
    window.wait_text("h1", "Analysis: Tic-tac-toe");
    window.wait_text(".status", "X to move");
    window.wait_for("document.querySelectorAll('.worth').length === 7");
    window.wait_for("document.querySelector('.evaluation')");
    window.wait_contains("Draw with best play. Best line: ");

    window.click(&Window::cell([2, 2, 0]));
    check_address(&window, "a1,b2,c3");
    window.wait_text(".status", "O to move");
    window.click(&Window::cell([1, 0, 0]));
    check_address(&window, "a1,b2,c3,b1");
    // Another move from the position before, by keyboard.
    window.js("document.activeElement.blur()");
    window.press(LEFT);
    check_address(&window, "a1,b2,c3");
    window.wait_for("document.querySelector('.cell.playable')");
    window.js("document.querySelector('.cell[data-at=\"0,2,0\"]').focus()");
    window.press(ENTER);
    check_address(&window, "a1,b2,c3,a3");
    let branch = "document.querySelector('.tree .branches button').textContent";
    assert_eq!(
        (window.js(CURRENT), window.js(branch)),
        (json!("a3"), json!("a3"))
    );
    window.wait_for("document.querySelector('.worth.good')");
    window.wait_contains("X wins in 3.");
    // Up to the main line, down to the branch, back to the start and to the end.
    window.js("document.activeElement.blur()");
    window.press(UP);
    assert_eq!(window.js(CURRENT), json!("b1"));
    window.press(DOWN);
    assert_eq!(window.js(CURRENT), json!("a3"));
    window.click("[aria-label='Start']");
    assert_eq!(window.js(CURRENT), Value::Null);
    window.js("document.activeElement.blur()");
    window.press(RIGHT);
    assert_eq!(window.js(CURRENT), json!("a1"));
    window.click("[aria-label='End']");
    check_address(&window, "a1,b2,c3,a3");
    // By a click, and removed.
    window.click(".tree li:nth-child(4) button");
    check_address(&window, "a1,b2,c3,b1");
    window.click("#remove");
    check_address(&window, "a1,b2,c3");
    assert_eq!(
        window.js("document.querySelector('.tree .branches')"),
        Value::Null
    );
    // Each branch has a colour of its own.
    window.click(&Window::cell([1, 2, 0]));
    check_address(&window, "a1,b2,c3,b3");
    window.js("document.activeElement.blur()");
    window.press(LEFT);
    check_address(&window, "a1,b2,c3");
    window.wait_for("document.querySelector('.cell.playable')");
    window.click(&Window::cell([2, 1, 0]));
    check_address(&window, "a1,b2,c3,c2");
    let colours = window.js(
        "[...document.querySelectorAll('.tree .branch')].map((it) => {
            const move = getComputedStyle(it.querySelector('li')).borderBottomColor;
            return [getComputedStyle(it).borderLeftColor, move];
        })",
    );
    let colours = colours.as_array().expect("a list");
    assert_eq!(colours.len(), 2);
    assert!(colours.iter().all(|one| one[0] == one[1]), "{colours:?}");
    assert_ne!(colours[0], colours[1]);
    // Without values.
    window.click("#values");
    window.wait_for("!document.querySelector('.worth, .evaluation')");
    assert_eq!(window.errors(), [""; 0]);

    window.go(&server.url("/analysis?game=ttt&moves=a1,a1"));
    window.wait_contains("Can't open this position.");
    window.wait_contains("Move 2 can't be played");
    window.go(&server.url("/analysis"));
    window.wait_contains("There is nothing at this address.");
}

/// The second click is meant for the position after the first one, which isn't there yet.
#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_double_click_plays_one_move() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = board(&driver, &server, "a1");
    window.wait_for("document.querySelector('.cell.playable')");
    window.js(
        "['1,1,0', '2,2,0'].map((at) => document.querySelector(`.cell[data-at=\"${at}\"]`)
            .dispatchEvent(new MouseEvent('click', { bubbles: true })))",
    );
    window.wait_text(".status", "X to move");
    check_address(&window, "a1,b2");
    assert_eq!(window.js(CURRENT), json!("b2"));
    window.click(&Window::cell([2, 2, 0]));
    check_address(&window, "a1,b2,c3");
    assert_eq!(window.errors(), [""; 0]);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_position_is_played_on_against_a_computer() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = board(&driver, &server, "a1,b2,c3");
    // By keyboard alone.
    window.wait_for("!document.querySelector('.play-on').hidden");
    window.js("document.querySelector('.play-on summary').focus()");
    window.press(ENTER);
    window.wait_for("document.querySelector('.play-on').open");
    assert_eq!(
        window.js("document.querySelector('[name=play-on-side]:checked + span').textContent"),
        json!("O")
    );
    window.js("document.querySelector('#play-on-computer').focus()");
    window.press(ENTER);
    window.wait_for("location.pathname.startsWith('/m/')");
    window.wait_turn();
    window.wait_moves(3);
    // Nobody has made these moves: there is nothing to undo.
    let undo = "document.querySelector('[data-act=ask_take_back]')";
    assert_eq!(window.js(undo), Value::Null);
    window.play([1, 0, 0]);
    window.wait_moves(5);
    window.wait_for(undo);
    window.check_requests_and_errors(&server);
}

/// A game that Ann has won: Bea's first move was a mistake.
fn a_lost_game<'a>(driver: &'a Driver, server: &TestServer) -> Window<'a> {
    let (ann, link) = Window::invite(driver, server, "ttt", "Ann");
    let bea = Window::join(driver, &link, "Bea");
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)] {
        if x == 0 { &ann } else { &bea }.play([x, y, 0]);
    }
    ann.wait_text(".status", "You win");
    ann.click("#replay");
    ann.wait_contains("Move 5 of 5");
    ann
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_friend_plays_on_from_a_replay() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let ann = a_lost_game(&driver, &server);
    // At the end there is nothing to play.
    ann.wait_for("document.querySelector('.play-on')?.hidden");
    ann.click(".moves li:nth-child(3) button");
    ann.wait_for("!document.querySelector('.play-on').hidden");
    let analysis = "document.querySelector('#to-analysis').getAttribute('href')";
    assert_eq!(ann.js(analysis), json!("/analysis?game=ttt&moves=a1,b1,a2"));
    ann.click(".play-on summary");
    ann.click("label:has([name=play-on-side][value='0'])");
    ann.click("#play-on-friend");
    ann.wait_text(".status", "Waiting for an opponent");
    let link = ann.js("document.querySelector('.invite input').value");
    let carl = Window::join(&driver, link.as_str().expect("a link"), "Carl");
    // Ann is X, so O, who is Carl, moves.
    carl.play([2, 2, 0]);
    ann.wait_moves(4);
    ann.wait_turn();
    ann.click(".moves li:nth-child(1) button");
    ann.wait_text(".replay .status", "Move 1 of 4: a1, before this game");
    ann.click("[aria-label='End']");
    ann.wait_text(".replay .status", "Move 4 of 4: Carl plays c3");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_mistake_is_tried_again() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut ann = a_lost_game(&driver, &server);
    ann.click("#review");
    ann.wait_for("document.querySelector('.graph')");
    assert_eq!(
        ann.js("document.querySelector('#retry').hidden"),
        json!(true)
    );
    // The values that are shown meanwhile are hidden then.
    ann.click("#analyze");
    for place in [1, 2] {
        ann.click(&format!(".moves li:nth-child({place}) button"));
        ann.wait_contains(&format!("Move {place} of 5"));
        ann.wait_for("document.querySelector('.worth')");
    }
    ann.wait_for("!document.querySelector('#retry').hidden");
    ann.click("#retry");
    let text = ".retry .analysis";
    ann.wait_text(text, "Find a better move for Bea than b1.");
    ann.wait_for("document.querySelectorAll('.cell.playable').length === 8");
    // The answer isn't told.
    assert_eq!(
        ann.js("document.querySelector('.cell.hint, .worth')"),
        Value::Null
    );
    ann.click(&Window::cell([1, 0, 0]));
    ann.wait_contains("b1 was played in the game: it loses in 6. Look for another move.");
    ann.click(&Window::cell([2, 0, 0]));
    ann.wait_contains("Not quite: c1 loses in");
    // By keyboard.
    ann.js("document.querySelector('.cell[data-at=\"1,1,0\"]').focus()");
    ann.press(ENTER);
    ann.wait_contains("Right! b2 draws. It could go on: b2 ");
    let hints = "[...document.querySelectorAll('.cell.hint')].map((it) => it.dataset.at)";
    assert_eq!(ann.js(hints), json!(["1,1,0"]));
    ann.click("#retry-end");
    ann.wait_contains("Move 2 of 5: Bea plays b1");
    // The answer is shown to those who ask.
    ann.js("document.querySelector('#retry').focus()");
    ann.press(ENTER);
    ann.click("#retry-answer");
    ann.wait_contains("The better move was b2: it draws.");
    ann.check_requests_and_errors(&server);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_board_is_turned_by_a_button() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/analysis?game=draughts"));
    let turn = "[aria-label='Turn the board']";
    window.wait_for("document.querySelector('.cell.playable')");
    let heights = |window: &Window<'_>| {
        let height = |place| {
            let cell = Window::cell([place, place, 0]);
            let top = format!("document.querySelector(`{cell}`).getBoundingClientRect().top");
            window.js(&top).as_f64().unwrap()
        };
        (height(0), height(7))
    };
    let (low, high) = heights(&window);
    assert!(low > high);
    window.click(turn);
    assert_eq!(heights(&window), (high, low));
    // Black's third row is below now.
    window.click(&Window::cell([1, 5, 0]));
    window.click(&Window::cell([0, 4, 0]));
    window.wait_for("location.search === '?game=draughts&moves=9-13'");
    window.wait_text(".status", "White to move");
    assert_eq!(heights(&window), (high, low));
    window.click(turn);
    assert_eq!(heights(&window), (low, high));
    // Pieces can't fall up.
    window.go(&server.url("/analysis?game=connect4"));
    window.wait_for("document.querySelector('.cell.playable')");
    assert_eq!(
        window.js(&format!("document.querySelector(`{turn}`).hidden")),
        json!(true)
    );
    assert_eq!(window.errors(), [""; 0]);
}
