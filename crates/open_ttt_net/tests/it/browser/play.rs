//! Whole matches, by hand.

use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, LEFT, RIGHT, UP, Window};
use crate::http::get;
use crate::test_server::TestServer;

/// The link's path.
fn path(link: &str) -> &str {
    link.rsplit_once("/m/").expect("it leads to a match").1
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn two_play_one_is_killed_and_a_third_watches() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "connect4", "Ann");
    let bea = Window::accept(&driver, &link, "Bea");
    let mut carl = Window::open(&driver, &link);
    carl.wait_said("You are watching");
    ann.wait_said("1 watches");
    assert_eq!(
        carl.js("document.querySelectorAll('#sit, .entry:not([hidden]), .cell.playable').length"),
        json!(0)
    );

    // By mouse, anywhere in the column; by keys; by words.
    ann.play([3, 5, 0]);
    bea.wait_turn();
    assert_eq!(bea.name_of([3, 0, 0]), "column 4, row 1, Red, last move");
    bea.js("document.querySelector('.cell[tabindex=\"0\"]').focus()");
    let focused = bea.js("document.activeElement.dataset.at");
    bea.press(RIGHT);
    assert_ne!(bea.js("document.activeElement.dataset.at"), focused);
    bea.press(LEFT);
    assert_eq!(bea.js("document.activeElement.dataset.at"), focused);
    bea.press(ENTER);
    ann.wait_moves(2);
    ann.type_move("3");
    bea.wait_moves(3);

    // The link of one's own seat is for oneself; the token leaves no trace.
    bea.click(".links summary");
    let own = bea.js("document.querySelector('.links input[aria-label*=\"own seat\"]').value");
    let own = own.as_str().expect("there is a link").to_owned();
    let (_, token) = own.split_once('#').expect("with a token");
    bea.kill();
    ann.wait_said("away");
    let mut bea = Window::open(&driver, &own);
    bea.wait_turn();
    ann.wait_for("document.querySelector('.player .tags').textContent.includes('here')");
    assert_eq!(bea.url(), link);
    assert_eq!(bea.js("location.hash"), json!(""));
    assert!(
        !carl
            .js("document.documentElement.outerHTML")
            .to_string()
            .contains(token)
    );

    bea.type_move("3");
    ann.play([1, 0, 0]);
    bea.type_move("2");
    ann.wait_turn();
    // Nothing is lost on reload.
    ann.go(&link);
    ann.play([4, 0, 0]);
    ann.wait_text(".status", "You win");
    bea.wait_text(".status", "Ann wins");
    carl.wait_text(".status", "Ann wins");
    for window in [&ann, &bea, &carl] {
        assert_eq!(
            window.js("document.querySelectorAll('.lines .line').length"),
            json!(1)
        );
    }
    let record = get(
        server.address,
        &format!("/api/v1/matches/{}/games", path(&link)),
    )
    .json();
    assert_eq!(
        record["games"][0]["moves"].as_array().map(Vec::len),
        Some(7)
    );
    assert_eq!(
        record["games"][0]["verdict"],
        json!({"winner": "a", "by": "rules"})
    );
    assert_eq!(record["players"], json!(["Ann", "Bea"]));

    // Another game, in which the other one begins.
    ann.click("[data-act='rematch']");
    bea.wait_said("Ann wants another game");
    bea.click("[data-act='rematch']");
    bea.wait_turn();
    carl.wait_text(".status", "Bea to move");
    assert_eq!(
        carl.js("document.querySelector('.stage .player:last-child .wins').textContent"),
        json!("match 1")
    );
    for window in [&mut ann, &mut bea, &mut carl] {
        window.check_manners(&server);
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn what_is_asked_is_answered() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::accept(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    bea.play([1, 1, 0]);
    ann.wait_moves(2);
    assert_eq!(ann.name_of([1, 1, 0]), "b2, O, last move");

    ann.click("[data-act='ask_take_back']");
    bea.click("[data-act='refuse_take_back']");
    ann.wait_said("Bea does not give the move back.");
    ann.click("[data-act='ask_take_back']");
    bea.click("[data-act='grant_take_back']");
    ann.wait_moves(0);
    assert_eq!(ann.name_of([0, 0, 0]), "a1, empty");

    ann.play([2, 2, 0]);
    bea.wait_turn();
    bea.click("[data-act='offer_draw']");
    ann.click("[data-act='refuse_draw']");
    bea.wait_said("Ann refuses the draw.");
    ann.click("[data-act='offer_draw']");
    bea.click("[data-act='accept_draw']");
    ann.wait_text(".status", "A draw, as agreed");

    bea.click("[data-act='rematch']");
    ann.click("[data-act='rematch']");
    bea.wait_turn();
    bea.click("#resign-ask");
    // Whoever has second thoughts plays on.
    bea.click(".question button:last-child");
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".status", "You win: Bea has resigned");
    bea.wait_text(".status", "Ann wins: you have resigned");
    let score = "[...document.querySelectorAll('.wins')].map((it) => it.textContent)";
    assert_eq!(ann.js(score), json!(["match ½", "match 1½"]));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn two_clicks_lead_to_a_game_against_a_computer() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.click("label.game:has(input[value='ttt'])");
    window.click("#play");
    window.wait_said("Computer, fair");
    while window.js("document.querySelector('.status.over') === null") == json!(true) {
        window.wait_for("document.querySelector('.cell.playable, .status.over')");
        window.js("document.querySelector('.cell.playable')\
             ?.dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    }

    // From the end back to the start, by keys, with what the engine thinks.
    let moves = window.js("document.querySelectorAll('.moves li').length");
    let moves = moves.as_u64().expect("a number");
    window.click("#replay");
    window.wait_said(&format!("Move {moves} of {moves}"));
    let pieces = "document.querySelectorAll('.cell.taken').length";
    assert_eq!(window.js(pieces), json!(moves));
    window.click("#judge");
    window.js("document.activeElement.blur()");
    window.press(LEFT);
    window.wait_said(&format!("Move {} of {moves}", moves - 1));
    window.wait_for("/play|best/.test(document.querySelector('.judgement').textContent)");
    for _ in 1..moves {
        window.press(LEFT);
    }
    window.wait_said("The start of the game");
    assert_eq!(window.js(pieces), json!(0));
    // Any first move keeps the draw, and all are pointed out.
    window.wait_for("document.querySelectorAll('.cell.hint').length === 9");
    window.wait_for(
        "document.querySelector('.judgement').textContent.includes('draw with best play')",
    );
    window.click("#close-replay");
    window.wait_for("document.querySelector('.status.over')");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_refused_move_is_taken_back() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let _bea = Window::accept(&driver, &link, "Bea");
    ann.type_move("z9");
    ann.wait_for(
        "/Taken back: your move z9\\. ./.test(document.querySelector('#live').textContent)",
    );
    ann.wait_turn();
    ann.wait_moves(0);
    ann.type_move("b2");
    ann.wait_moves(1);
    ann.check_manners(&server);
}

/// A client that sends nothing but what the test lets through.
const LOSE_PROPOSALS: &str = "(() => {
    const send = WebSocket.prototype.send;
    window.proposals = [];
    window.lose = true;
    WebSocket.prototype.send = function (text) {
        const message = JSON.parse(text);
        if (message.type !== 'propose') return send.call(this, text);
        window.proposals.push(message);
        if (!window.lose) send.call(this, text);
    };
})()";

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn an_own_move_is_seen_at_once_and_sent_until_it_is_answered() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::accept(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js(LOSE_PROPOSALS);
    ann.play([1, 1, 0]);
    ann.wait_for("document.querySelector('.cell.hoped .piece')");
    assert_eq!(ann.name_of([1, 1, 0]), "b2, X, being sent");
    assert_eq!(bea.name_of([1, 1, 0]), "b2, empty");
    ann.wait_for("window.proposals.length > 1");
    ann.js("window.lose = false");
    bea.wait_moves(1);
    ann.wait_moves(1);
    assert_eq!(ann.name_of([1, 1, 0]), "b2, X, last move");
    // Each time the same proposal.
    let same = "new Set(window.proposals.map((it) => JSON.stringify(it))).size";
    assert_eq!(ann.js(same), json!(1));

    // One that was never heard is kept over a reload and sent again, too.
    bea.play([0, 0, 0]);
    ann.wait_turn();
    ann.js("window.lose = true");
    ann.play([2, 2, 0]);
    ann.wait_for("document.querySelector('.cell.hoped')");
    ann.go(&link);
    bea.wait_moves(3);
    ann.wait_moves(3);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_move_that_came_too_late_is_taken_back() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::accept(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js(LOSE_PROPOSALS);
    ann.play([1, 1, 0]);
    ann.wait_for("document.querySelector('.cell.hoped')");
    bea.click("[data-act='offer_draw']");
    ann.wait_said("Taken back: your move b2. Bea offers a draw.");
    ann.wait_for("!document.querySelector('.cell.hoped, .cell.taken')");
    ann.js("window.lose = false");
    ann.play([0, 0, 0]);
    bea.wait_moves(1);
    assert_eq!(bea.name_of([0, 0, 0]), "a1, X, last move");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_server_goes_and_comes_back() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "pegs", "Ann");
    let bea = Window::accept(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    bea.wait_moves(1);
    let crashed = server.crash();
    ann.wait_said("Connection lost");
    bea.wait_said("Connection lost");
    assert_eq!(
        bea.js("document.querySelectorAll('.cell.playable').length"),
        json!(0)
    );
    let _server = crashed.restart();
    bea.play([2, 0, 0]);
    ann.wait_moves(2);
    ann.wait_text(".signs .sign:last-child", "Connected");
    ann.wait_said("Connected again.");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_table_is_found_in_the_lobby_and_a_computer_is_called() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let ann = Window::choose(&driver, &server, "qubic", "Ann");
    ann.click("#listed");
    ann.click("#invite");
    ann.wait_text(".status", "Waiting for a second player");
    let bea = Window::open(&driver, &server.url("/"));
    bea.keys("#name", "Bea");
    bea.wait_said("Ann");
    bea.click(".tables button");
    bea.wait_for("document.querySelector('.status')?.textContent.match(/Your turn|Ann to move/)");
    ann.wait_said("Bea");

    let dora = Window::choose(&driver, &server, "ttt", "Dora");
    dora.click("#invite");
    dora.click(".actions details summary");
    dora.click("#seat-computer");
    dora.wait_said("Computer, fair");
    dora.wait_turn();
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn arrows_lead_through_the_third_dimension() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "qubic", "Ann");
    let _bea = Window::accept(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js("document.querySelector('.cell[data-at=\"1,3,0\"]').focus()");
    ann.press(UP);
    // From the back row of a layer to the front row of the one above.
    assert_eq!(ann.js("document.activeElement.dataset.at"), json!("2,0,1"));
    ann.press(ENTER);
    ann.wait_moves(1);
    assert_eq!(ann.name_of([2, 0, 1]), "layer 2, c1, X, last move");
}
