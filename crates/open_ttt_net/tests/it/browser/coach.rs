//! Help in games against a computer, and reviews of games.

use serde_json::{Value, json};

use super::driver::Driver;
use super::window::{ENTER, Window};
use crate::test_server::TestServer;

const WORTHS: &str = "[...document.querySelectorAll('.worth')].map((it) => it.textContent)";
const COACH: &str = "document.querySelector('.coach')";

/// A game against a perfect computer, in which the person moves first.
fn against_a_computer<'a>(driver: &'a Driver, server: &TestServer, game: &str) -> Window<'a> {
    let window = Window::open(driver, &server.url("/"));
    let seats = json!([{"person": "Ann"}, {"computer": "perfect"}]);
    let body = json!({"game": game, "seats": seats, "first": "a"}).to_string();
    let headers = "{'content-type': 'application/json'}";
    let assigned = window.js_async(&format!(
        "fetch('/api/v1/matches', {{method: 'POST', headers: {headers}, body: {body:?}}}).then((it) => it.json())"
    ));
    let text = |name: &str| assigned[name].as_str().expect(name).to_owned();
    window.go(&server.url(&format!("{}#{}", text("path"), text("token"))));
    window.wait_turn();
    window
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn values_and_hints_help_against_a_computer() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut ann = against_a_computer(&driver, &server, "ttt");
    assert_eq!(ann.js(WORTHS), json!([]));
    // By keyboard alone.
    ann.js("document.querySelector('#values').focus()");
    ann.press(" ");
    ann.wait_for("document.querySelectorAll('.worth').length === 9");
    assert_eq!(ann.js(WORTHS), json!(vec!["D"; 9]));
    let label = ann.js("document.querySelector('.cell').getAttribute('aria-label')");
    assert!(
        label.as_str().is_some_and(|label| label.contains("draws")),
        "{label}"
    );
    let bar = "document.querySelector('.evaluation').firstChild.style.width";
    assert_eq!(ann.js(bar), json!("50%"));
    ann.js("document.querySelector('#hint').focus()");
    ann.press(ENTER);
    let hint = "document.querySelector('.coach .analysis').textContent";
    ann.wait_for(&format!(
        "{hint}.endsWith('keeps the draw, as every move does.')"
    ));
    ann.wait_for("document.querySelector('.cell.hint')");

    // The next position has values of its own, and the hint is gone.
    ann.play([1, 0, 0]);
    ann.wait_moves(2);
    ann.wait_for("document.querySelectorAll('.worth').length === 7");
    assert_eq!(ann.js(hint), json!(""));
    assert_eq!(ann.js("document.querySelector('.cell.hint')"), Value::Null);
    ann.click("#values");
    ann.wait_for("!document.querySelector('.worth')");
    assert_eq!(ann.js("document.querySelector('.evaluation')"), Value::Null);
    ann.check_requests_and_errors(&server);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn values_lead_through_moves_in_parts() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = against_a_computer(&driver, &server, "morris(men=3)");
    window.click("#values");
    window.wait_for("document.querySelectorAll('.worth').length === 9");
    // Only the middle wins.
    let wins =
        "[...document.querySelectorAll('.worth.good')].map((it) => it.closest('.cell').dataset.at)";
    assert_eq!(window.js(wins), json!(["1,1,0"]));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn nobody_is_helped_against_a_person() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    for window in [&ann, &bea] {
        assert_eq!(window.js(&format!("{COACH}.hidden")), json!(true));
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_review_shows_where_the_game_turned() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)] {
        if x == 0 { &ann } else { &bea }.play([x, y, 0]);
    }
    ann.wait_text(".status", "You win");
    ann.click("#replay");
    ann.wait_contains("Move 5 of 5");
    ann.click("#review");
    ann.wait_for("document.querySelector('.graph')");
    ann.wait_contains("The game turned with move 2, b1 by Bea.");
    ann.wait_contains("Ann: accuracy 100 %");
    let marks = "[...document.querySelectorAll('.moves li')].map((it) => it.querySelector('.mark')?.textContent ?? '')";
    assert_eq!(ann.js(marks), json!(["", "?", "", "", ""]));
    ann.click("#turning-point");
    ann.wait_contains("Move 1 of 5: Ann plays a1");
    ann.click("[aria-label='Next move']");
    ann.wait_contains("b1 was a mistake: it loses in 6.");
    ann.check_requests_and_errors(&server);
}
