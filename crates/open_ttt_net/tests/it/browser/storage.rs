//! Browsers that keep nothing, or have no room left.

use serde_json::json;

use super::driver::Driver;
use super::window::Window;
use super::without_server::fill_storage;
use crate::test_server::TestServer;

/// What a browser does that forbids storage, in the page before its scripts run.
const FORBIDDEN: &str = "['localStorage', 'sessionStorage'].forEach((name) =>
    Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } }))";

/// Waits until the window's player waits for an opponent in the own match.
#[track_caller]
fn wait_invited(window: &Window<'_>) {
    window.wait_text(".status", "Waiting for an opponent");
    window.wait_for(
        "document.querySelector('.stage .player:last-child .tags').textContent.includes('you')",
    );
    window.wait_for("document.querySelector('.invite input')");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_match_is_played_with_storage_forbidden() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let ann = Window::open(&driver, "about:blank");
    let script = json!({"source": FORBIDDEN});
    ann.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
    ann.go(&server.url("/"));
    ann.click("label.game:has(input[value='ttt'])");
    ann.click("details.more summary");
    ann.click("label:has(input[name='first'][value='1'])");
    ann.click("#invite");
    wait_invited(&ann);
    // The token doesn't stay in the address.
    assert_eq!(ann.js("location.hash"), json!(""));
    let link = ann.url();
    let bea = Window::join(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    bea.play([1, 1, 0]);
    ann.wait_moves(2);
    ann.wait_turn();
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn an_invitation_keeps_the_seat_when_the_browser_has_no_room_left() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::choose(&driver, &server, "ttt", "Ann");
    fill_storage(&window, "taken");
    window.click("#invite");
    wait_invited(&window);
    // A reload loses nothing either, and the list of games has it.
    let link = window.url();
    window.go(&link);
    wait_invited(&window);
    window.go(&server.url("/"));
    window.wait_for(&format!(
        "document.querySelector(\"[aria-labelledby='own-games'] a[href='/m/{}']\")",
        link.rsplit('/').next().expect("an id")
    ));
}
