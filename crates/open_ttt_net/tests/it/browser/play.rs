//! Whole matches in the browser.

use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, LEFT, RIGHT, UP, Window};
use crate::http::get;
use crate::test_server::TestServer;

/// The match id in a link.
fn path(link: &str) -> &str {
    link.rsplit_once("/m/").expect("a link to a match").1
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn two_players_and_a_spectator_survive_a_browser_crash() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "connect4", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    let mut carl = Window::open(&driver, &link);
    carl.wait_contains("You're watching");
    ann.wait_contains("1 watching");
    assert_eq!(
        carl.js("document.querySelectorAll('#join, .entry:not([hidden]), .cell.playable').length"),
        json!(0)
    );

    // By mouse anywhere in the column, by keyboard, and as text.
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

    // The private link restores the seat, and the token does not stay in the page.
    bea.click(".links summary");
    let own = bea.js("document.querySelector('.links input[aria-label=\"Private link\"]').value");
    let own = own.as_str().expect("there is a link").to_owned();
    let (_, token) = own.split_once('#').expect("with a token");
    bea.kill();
    ann.wait_contains("away");
    let mut bea = Window::open(&driver, &own);
    bea.wait_turn();
    ann.wait_for("document.querySelector('.player .tags').textContent.includes('online')");
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
    // A reload loses nothing.
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

    // In the next game the other player moves first.
    ann.click("[data-act='rematch']");
    bea.wait_contains("Ann wants a rematch");
    bea.click("[data-act='rematch']");
    bea.wait_turn();
    carl.wait_text(".status", "Bea's turn");
    assert_eq!(
        carl.js("document.querySelector('.stage .player:last-child .wins').textContent"),
        json!("Score 1")
    );
    for window in [&mut ann, &mut bea, &mut carl] {
        window.check_requests_and_errors(&server);
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn undo_draw_and_resignation_work() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    bea.play([1, 1, 0]);
    ann.wait_moves(2);
    assert_eq!(ann.name_of([1, 1, 0]), "b2, O, last move");

    ann.click("[data-act='ask_take_back']");
    bea.click("[data-act='refuse_take_back']");
    ann.wait_contains("Bea declines the undo.");
    ann.click("[data-act='ask_take_back']");
    bea.click("[data-act='grant_take_back']");
    ann.wait_moves(0);
    assert_eq!(ann.name_of([0, 0, 0]), "a1, empty");

    ann.play([2, 2, 0]);
    bea.wait_turn();
    bea.click("[data-act='offer_draw']");
    ann.click("[data-act='refuse_draw']");
    bea.wait_contains("Ann declines the draw.");
    ann.click("[data-act='offer_draw']");
    bea.click("[data-act='accept_draw']");
    ann.wait_text(".status", "Draw by agreement");

    bea.click("[data-act='rematch']");
    ann.click("[data-act='rematch']");
    bea.wait_turn();
    bea.click("#resign-ask");
    // Resigning can be cancelled.
    bea.click(".question button:last-child");
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".status", "You win: Bea resigned");
    bea.wait_text(".status", "Ann wins: you resigned");
    let score = "[...document.querySelectorAll('.wins')].map((it) => it.textContent)";
    assert_eq!(ann.js(score), json!(["Score ½", "Score 1½"]));
}

/// Waits until the side that moves first in draughts is at the bottom of the board, or at the top.
#[track_caller]
fn wait_first_below(window: &Window<'_>, is_below: bool) {
    // A square where the first side has a man at the start, and one of the other.
    let [first, second] = [[1, 7, 0], [0, 0, 0]].map(Window::cell);
    window.wait_for(&format!(
        "(({{ length }}, top) => length && (top(\"{first}\") > top(\"{second}\")) === {is_below})\
         (document.querySelectorAll('.cell'), \
          (cell) => document.querySelector(cell).getBoundingClientRect().top)"
    ));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn each_player_has_the_own_pieces_below() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "draughts", "Ann");
    let mut bea = Window::join(&driver, &link, "Bea");
    let mut carl = Window::open(&driver, &link);
    ann.wait_turn();
    wait_first_below(&ann, true);
    ann.type_move("11-15");
    ann.wait_moves(1);
    for window in [&bea, &carl] {
        window.wait_moves(1);
        window.wait_text("h1", "English draughts (checkers)");
        wait_first_below(window, false);
    }
    bea.wait_turn();
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    bea.click("[data-act='rematch']");
    ann.click("[data-act='rematch']");
    bea.wait_turn();
    wait_first_below(&bea, true);
    wait_first_below(&ann, false);
    // The game with a move is the one before, in which Ann moved first.
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.click("#replay");
    ann.wait_text(".replay .status", "Move 1 of 1: Ann plays 11-15");
    wait_first_below(&ann, true);
    ann.click("[aria-label='Turn the board']");
    wait_first_below(&ann, false);
    for window in [&mut ann, &mut bea, &mut carl] {
        window.check_requests_and_errors(&server);
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn two_clicks_start_a_game_against_the_computer() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.click("label.game:has(input[value='ttt'])");
    window.click("#play");
    window.wait_contains("Computer (easy)");
    while window.js("document.querySelector('.status.over') === null") == json!(true) {
        window.wait_for("document.querySelector('.cell.playable, .status.over')");
        window.js("document.querySelector('.cell.playable')\
             ?.dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    }

    // The replay, from the end to the start by keyboard, with the analysis.
    let moves = window.js("document.querySelectorAll('.moves li').length");
    let moves = moves.as_u64().expect("a number");
    window.click("#replay");
    window.wait_contains(&format!("Move {moves} of {moves}"));
    let pieces = "document.querySelectorAll('.cell.taken').length";
    assert_eq!(window.js(pieces), json!(moves));
    window.click("#analyze");
    window.js("document.activeElement.blur()");
    window.press(LEFT);
    window.wait_contains(&format!("Move {} of {moves}", moves - 1));
    // Whatever the computer played, the analysis names the best move.
    window
        .wait_for("/best|better|stronger/i.test(document.querySelector('.analysis').textContent)");
    for _ in 1..moves {
        window.press(LEFT);
    }
    window.wait_contains("Start of the game");
    assert_eq!(window.js(pieces), json!(0));
    // All first moves draw, so all are highlighted.
    window.wait_for("document.querySelectorAll('.cell.hint').length === 9");
    window.wait_for(
        "document.querySelector('.analysis').textContent.includes('Draw with best play')",
    );
    window.click("#close-replay");
    window.wait_for("document.querySelector('.status.over')");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn illegal_move_is_rolled_back() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let _bea = Window::join(&driver, &link, "Bea");
    ann.type_move("z9");
    ann.wait_contains("z9 isn't a legal move.");
    ann.wait_turn();
    ann.wait_moves(0);
    ann.type_move("b2");
    ann.wait_moves(1);
    ann.check_requests_and_errors(&server);
}

/// Makes the page drop its proposals while `window.lose` is true.
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
fn own_move_is_shown_at_once_and_sent_until_it_is_answered() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js(LOSE_PROPOSALS);
    ann.play([1, 1, 0]);
    ann.wait_for("document.querySelector('.cell.pending .piece')");
    assert_eq!(ann.name_of([1, 1, 0]), "b2, X, sending");
    assert_eq!(bea.name_of([1, 1, 0]), "b2, empty");
    ann.wait_for("window.proposals.length > 1");
    ann.js("window.lose = false");
    bea.wait_moves(1);
    ann.wait_moves(1);
    assert_eq!(ann.name_of([1, 1, 0]), "b2, X, last move");
    // The same proposal is sent each time.
    let same = "new Set(window.proposals.map((it) => JSON.stringify(it))).size";
    assert_eq!(ann.js(same), json!(1));

    // A lost proposal survives a reload.
    bea.play([0, 0, 0]);
    ann.wait_turn();
    ann.js("window.lose = true");
    ann.play([2, 2, 0]);
    ann.wait_for("document.querySelector('.cell.pending')");
    ann.go(&link);
    bea.wait_moves(3);
    ann.wait_moves(3);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn overtaken_move_is_rolled_back() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js(LOSE_PROPOSALS);
    ann.play([1, 1, 0]);
    ann.wait_for("document.querySelector('.cell.pending')");
    bea.click("[data-act='offer_draw']");
    ann.wait_contains("Your move b2 came too late. Bea offers a draw.");
    ann.wait_for("!document.querySelector('.cell.pending, .cell.taken')");
    ann.js("window.lose = false");
    ann.play([0, 0, 0]);
    bea.wait_moves(1);
    assert_eq!(bea.name_of([0, 0, 0]), "a1, X, last move");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn page_reconnects_after_a_server_crash() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "pegs", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    bea.wait_moves(1);
    let crashed = server.crash();
    ann.wait_contains("Connection lost");
    bea.wait_contains("Connection lost");
    assert_eq!(
        bea.js("document.querySelectorAll('.cell.playable').length"),
        json!(0)
    );
    let _server = crashed.restart();
    bea.play([2, 0, 0]);
    ann.wait_moves(2);
    ann.wait_text("#connection", "Connected");
    ann.wait_contains("Reconnected.");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn open_game_is_joined_from_the_lobby_and_a_computer_is_added() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let ann = Window::choose(&driver, &server, "qubic", "Ann");
    ann.click("#listed");
    ann.click("#invite");
    ann.wait_text(".status", "Waiting for an opponent");
    let bea = Window::open(&driver, &server.url("/"));
    bea.keys("#name", "Bea");
    bea.wait_contains("Ann");
    bea.click(".rows button");
    bea.wait_for("document.querySelector('.status')?.textContent.match(/Your turn|Ann's turn/)");
    ann.wait_contains("Bea");

    let dora = Window::choose(&driver, &server, "ttt", "Dora");
    dora.click("#invite");
    dora.click(".actions details summary");
    dora.click("#add-computer");
    dora.wait_contains("Computer (easy)");
    dora.wait_turn();
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn arrow_keys_move_between_layers() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "qubic", "Ann");
    let _bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js("document.querySelector('.cell[data-at=\"1,3,0\"]').focus()");
    ann.press(UP);
    // From the back row of a layer to the front row of the next.
    assert_eq!(ann.js("document.activeElement.dataset.at"), json!("2,0,1"));
    ann.press(ENTER);
    ann.wait_moves(1);
    assert_eq!(ann.name_of([2, 0, 1]), "layer 2, c1, X, last move");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn player_who_leaves_by_a_link_is_away_until_they_return() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    let (here, away) = ("online · X", "away · X");
    let ann_is = |tags| {
        bea.wait_text(".stage .player:first-child .tags", tags);
    };
    ann_is(here);
    ann.wait_turn();
    ann.js("window.kept = true");
    ann.click("a.mark");
    ann.wait_for("document.querySelector('.lobby #invite')");
    ann_is(away);
    ann.js("history.back()");
    ann_is(here);
    ann.wait_text("#connection", "Connected");
    // The browser kept the page, as it is expected to: otherwise this test says little.
    assert_eq!(ann.js("window.kept"), json!(true));
    ann.play([1, 1, 0]);
    bea.wait_moves(1);

    // The lobby was kept too, and still works.
    bea.go(&server.url("/"));
    bea.wait_for("document.querySelector('.lobby .rows a')");
    bea.click("#invite");
    bea.wait_text(".status", "Waiting for an opponent");
    bea.js("history.back()");
    bea.wait_for("document.querySelectorAll('[aria-labelledby=own-games] a').length === 2");
    bea.click("#invite");
    bea.wait_text(".status", "Waiting for an opponent");
}

/// Makes the page receive boards of past games in pages of three, each when it is let
/// through by `window.pass()`.
const THREE_BOARDS_A_PAGE: &str = "(() => {
    const all = window.fetch;
    window.asked = [];
    window.fetch = async (url, options) => {
        const from = /games\\/\\d+\\?from=(\\d+)$/.exec(url)?.[1];
        const response = await all(url, options);
        if (!from) return response;
        window.asked.push(Number(from));
        await new Promise((resolve) => { window.pass = resolve; });
        const { record, boards, from: first = 0 } = await response.json();
        const start = Number(from) - first;
        return Response.json({ record, from: Number(from), boards: boards.slice(start, start + 3) });
    };
})()";

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn long_replay_loads_the_shown_move_first() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "connect4", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    for (column, count) in [1, 2, 1, 2, 1, 2, 1].into_iter().zip(1..) {
        let mover = if count % 2 == 1 { &ann } else { &bea };
        mover.type_move(&column.to_string());
        ann.wait_moves(count);
    }
    ann.wait_text(".status", "You win");
    ann.js(THREE_BOARDS_A_PAGE);
    let pass = |asked: &str| {
        ann.wait_for(&format!(
            "String(window.asked) === '{asked}' && window.pass"
        ));
        ann.js("window.pass(window.pass = null)");
    };
    ann.click("#replay");
    ann.wait_text(".replay .status", "Loading the game…");
    pass("0");
    // The end is wanted first: its page has the moves before it.
    ann.wait_text(".replay .status", "Move 7 of 7: loading…");
    ann.wait_for("document.querySelector('.replay progress:not([hidden])').value === 3");
    pass("0,5");
    ann.wait_text(".replay .status", "Move 7 of 7: Ann plays 1");
    let pieces = "document.querySelectorAll('.cell.taken').length";
    assert_eq!(ann.js(pieces), json!(7));
    ann.js("document.activeElement.blur()");
    for _ in 0..4 {
        ann.press(LEFT);
    }
    ann.wait_text(".replay .status", "Move 3 of 7: loading…");
    pass("0,5,3");
    ann.wait_text(".replay .status", "Move 3 of 7: Ann plays 1");
    assert_eq!(ann.js(pieces), json!(3));
    ann.wait_for("document.querySelector('.replay progress').hidden");
    let seats = "[...document.querySelectorAll('.replay .moves li')].map((it) => it.className)";
    assert_eq!(ann.js(&format!("new Set({seats}).size")), json!(2));
}
