//! The page plays in the browser: with its WebAssembly module, and without the server.

use std::net::TcpStream;
use std::{env, fs};

use serde_json::{Value, json};

use super::accessibility::{VARIABLE, check_axe};
use super::driver::Driver;
use super::window::Window;
use crate::http::get;
use crate::test_server::TestServer;

/// A number of the server's metrics.
fn metric(server: &TestServer, name: &str) -> usize {
    let metrics = get(server.private, "/metrics");
    let lines = metrics.text().lines();
    let mut values = lines.filter_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    values.next().unwrap_or_else(|| panic!("no {name}"))
}

/// How many moves the server's computers have chosen.
fn thoughts(server: &TestServer) -> usize {
    metric(server, "open_ttt_thought_seconds_count ")
}

/// Opens the lobby, and waits until the browser keeps the page.
fn lobby<'a>(driver: &'a Driver, server: &TestServer) -> Window<'a> {
    let window = Window::open(driver, &server.url("/"));
    window.wait_for("navigator.serviceWorker.controller");
    window
}

/// Starts a game against the computer.
fn begin(window: &Window<'_>, game: &str) {
    window.click(&format!("label.game:has(input[value='{game}'])"));
    window.click("#play");
    window.wait_contains("Computer (easy)");
}

/// Plays any moves until the game is over.
fn play_to_the_end(window: &Window<'_>) {
    while window.js("document.querySelector('.status.over') === null") == json!(true) {
        window.wait_for("document.querySelector('.cell.playable, .status.over')");
        window.js("document.querySelector('.cell.playable')\
             ?.dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    }
}

/// Waits until the browser keeps the module, too, and the books.
fn wait_kept(window: &Window<'_>) {
    for file in ["open_ttt.wasm", "books/connect4"] {
        let is_kept = format!("caches.match('/assets/{file}').then(Boolean)");
        while window.js_async(&is_kept) != json!(true) {}
    }
}

/// Takes all of the browser's storage, to the last letter, with keys that begin like this.
pub(super) fn fill_storage(window: &Window<'_>, keys: &str) {
    window.js(&format!(
        "(() => {{ for (let size = 1 << 22, at = 0; size >= 1; at += 1) {{
            try {{ localStorage.setItem(`{keys} ${{at}}`, 'x'.repeat(size)); }} catch {{ size >>= 1; }}
        }} }})()"
    ));
}

const HINT: &str = "document.querySelector('.coach .analysis').textContent";

#[test]
#[ignore = "needs chromedriver and axe-core: cargo xtask test installs them"]
fn the_page_keeps_playing_with_the_server_killed() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = lobby(&driver, &server);
    begin(&window, "ttt");
    window.wait_for("location.pathname.startsWith('/m/solo-')");
    window.wait_text("#connection", "In this browser");
    window.wait_turn();
    window.click(".cell.playable");
    window.wait_for(
        "document.querySelectorAll('.cell.taken').length > 1 && document.querySelector('.cell.playable')",
    );
    // The host has done nothing for it.
    assert_eq!(metric(&server, "open_ttt_matches_created_total "), 0);
    assert_eq!(thoughts(&server), 0);
    wait_kept(&window);
    let address = server.address;
    let lobby = server.url("/");
    let asked = window.requests().to_vec();
    let searches = ["/judge", "/review", "/socket"];
    let is_search = |url: &&String| searches.iter().any(|it| url.ends_with(it));
    assert_eq!(asked.iter().find(is_search), None);
    server.crash();
    while TcpStream::connect(address).is_ok() {}

    play_to_the_end(&window);
    let moves = window.js("document.querySelector('.record:has(form) .moves').innerText");
    let match_url = window.url();
    window.go(&match_url);
    window.wait_for("document.querySelector('.status.over')");
    assert_eq!(
        window.js("document.querySelector('.record:has(form) .moves').innerText"),
        moves
    );
    // The game's replay, its review, and another game of the match.
    window.click("#replay");
    window.click("#review");
    window.wait_for("document.querySelector('.graph')");
    window.click("#close-replay");
    window.click("[data-act='rematch']");
    window.wait_turn();
    window.click("[data-act='ask_take_back'], #resign-ask");

    // The lobby says what is possible.
    window.go(&lobby);
    window.wait_contains("Can't reach the server. You can play the computer");
    for button in ["#quick", "#invite"] {
        assert_eq!(
            window.js(&format!("document.querySelector('{button}').disabled")),
            json!(true)
        );
    }
    window.wait_contains("Computer (easy) · ");
    if let Some(axe) = env::var_os(VARIABLE) {
        let axe = fs::read_to_string(axe).expect("axe-core is readable");
        check_axe(&window, &axe, "the lobby without a server");
    }
    begin(&window, "connect4");
    window.wait_turn();
    window.click("#hint");
    window.wait_for(&format!("{HINT} !== '' && {HINT} !== 'Thinking…'"));
    window.click("#values");
    window.wait_for("document.querySelectorAll('.worth').length > 0");

    // Puzzles, the analysis board and lessons.
    let path = |path: &str| format!("http://{address}{path}");
    window.go(&path("/puzzles?game=ttt&number=3"));
    window.wait_contains("Puzzle 3 of");
    window.go(&path("/analysis?game=ttt&moves=a1,b2"));
    window.wait_for("document.querySelectorAll('.worth').length === 7");
    // The first move in the middle wins on the 41st ply: without its book the browser would
    // search for hours.
    window.go(&path("/analysis?game=connect4"));
    window.wait_for(
        "[...document.querySelectorAll('.worth')].some((worth) => worth.textContent.includes('41'))",
    );
    window.go(&path("/learn?game=ttt"));
    window.wait_contains("Make a move.");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn nothing_is_promised_that_the_browser_does_not_keep() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = lobby(&driver, &server);
    let is_kept = "caches.match('/assets/open_ttt.wasm').then(Boolean)";
    assert_eq!(window.js_async(is_kept), json!(false));
    let lobby = server.url("/");
    let address = server.address;
    server.crash();
    while TcpStream::connect(address).is_ok() {}
    window.go(&lobby);
    window.wait_contains("Can't reach the server. Nothing can be played until it's there again");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn moves_are_taken_back_while_the_computer_thinks() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = lobby(&driver, &server);
    window.click("label.game:has(input[value='connect4'])");
    window.click("label:has([name=level][value='5'])");
    window.click("summary");
    window.click("label:has([name=first][value='1'])");
    window.click("#play");
    window.wait_for("location.pathname.startsWith('/m/solo-')");
    window.play([3, 0, 0]);
    // At once, also if the computer answers at this moment and the buttons are drawn anew.
    window.wait_for(
        "(() => { const undo = document.querySelector(`[data-act='ask_take_back']:enabled`); undo?.click(); return undo; })()",
    );
    window.wait_turn();
    window.wait_moves(0);
    window.play([2, 0, 0]);
    window.wait_moves(2);
    assert_eq!(thoughts(&server), 0);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_match_goes_on_when_the_browser_has_no_room_left() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = lobby(&driver, &server);
    let is_solo = "location.pathname.startsWith('/m/solo-')";
    begin(&window, "ttt");
    window.wait_for(is_solo);
    window.wait_turn();
    let old = window.js("location.pathname.slice(3)");
    window.go(&server.url("/"));
    window.click("label.game:has(input[value='connect4'])");
    window.click("summary");
    window.click("label:has([name=first][value='1'])");
    window.click("#play");
    window.wait_for(is_solo);
    window.wait_turn();
    fill_storage(&window, "taken");
    window.play([3, 0, 0]);
    window.wait_turn();
    window.wait_moves(2);
    let is_kept = format!("localStorage.getItem('open_ttt.' + {old}) !== null");
    assert_eq!(
        window.js(&is_kept),
        json!(false),
        "the older match made room"
    );
    // The only one that is left has no room either: the game stays, and says why.
    fill_storage(&window, "more");
    window.play([2, 0, 0]);
    window.wait_contains("This browser has no room to keep another move.");
    window.js("Object.keys(localStorage).filter((key) => key.startsWith('more')).forEach((key) => localStorage.removeItem(key))");
    // It is tried again by itself.
    window.wait_turn();
    window.wait_moves(4);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_match_goes_on_in_another_tab() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = lobby(&driver, &server);
    begin(&window, "ttt");
    window.wait_turn();
    let taken = "document.querySelectorAll('.cell.taken').length";
    let before = window.js(taken);
    // What another tab of this browser would see.
    window.js("void (window.other = window.open(location.href))");
    window.wait_for("window.other?.document.querySelector('.cell.playable')");
    window.js("window.other.document.querySelector('.cell.playable')\
         .dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    window.wait_for(&format!("{taken} === {before} + 2"));
}

/// What makes the module unusable, in the page before its scripts run.
const BROKEN: [&str; 2] = [
    // An old browser.
    "delete globalThis.WebAssembly",
    // The worker that loads the module answers 404.
    "globalThis.Worker = class extends Worker { constructor() { super('/assets/nothing.js', { type: 'module' }); } }",
];

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_servers_engine_is_used_without_the_module() {
    let (server, driver) = (TestServer::start(), Driver::start());
    for (played, script) in BROKEN.into_iter().enumerate() {
        let window = Window::open(&driver, "about:blank");
        let script = json!({"source": script});
        window.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
        window.go(&server.url("/"));
        begin(&window, "ttt");
        window.wait_text("#connection", "Connected");
        assert_eq!(
            window.js("location.pathname.startsWith('/m/solo-')"),
            json!(false)
        );
        play_to_the_end(&window);
        assert_eq!(
            metric(&server, "open_ttt_matches_created_total "),
            played + 1
        );
        // A game has at least five moves, of which the computer makes two or three.
        assert!(thoughts(&server) >= 2 * (played + 1));
        window.go(&server.url("/analysis?game=ttt"));
        window.wait_for("document.querySelectorAll('.worth').length === 9");
        assert_ne!(window.js("document.title"), Value::Null);
    }
}
