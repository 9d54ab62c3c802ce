//! First lessons.

use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, Window};
use crate::test_server::TestServer;

const STEP: &str = "document.querySelector('.lesson-steps [aria-current]')?.textContent";

/// Wins the game of the last step, after a wrong try if there is one.
fn win(window: &Window<'_>, game: &str) {
    window.wait_for(&format!("{STEP} === 'The end'"));
    window.wait_for(
        "document.querySelector('.lesson .status').textContent.endsWith('win with one move.')",
    );
    let wins = window.js_async(&format!(
        "fetch('/api/v1/lesson?game={game}').then((it) => it.json()).then((it) => it.wins)"
    ));
    let winning = wins[0].as_str().expect("a move").to_owned();
    let at = window.js_async(&format!(
        "fetch('/api/v1/lesson?game={game}').then((it) => it.json())
            .then(({{ moves }}) => fetch('/api/v1/position', {{ method: 'POST', headers: {{'content-type': 'application/json'}}, body: JSON.stringify({{ game: {game:?}, moves }}) }}))
            .then((it) => it.json()).then(({{ board }}) => {{
                const wins = {wins};
                const places = board.cells.filter(({{ move }}) => move !== undefined);
                return [places.find(({{ move }}) => move === {winning:?})?.at, places.find(({{ move }}) => !wins.includes(move))?.at];
            }})"
    ));
    let selector = |place: &serde_json::Value| {
        let text: Vec<String> = place
            .as_array()
            .expect("a place")
            .iter()
            .map(ToString::to_string)
            .collect();
        format!(".cell[data-at='{}']", text.join(","))
    };
    if !at[1].is_null() {
        window.click(&selector(&at[1]));
        window.wait_for(
            "document.querySelector('.lesson .status').textContent.endsWith('Try again.')",
        );
    }
    window.click(&selector(&at[0]));
    window.wait_text(".lesson .status", "You win!");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn three_moves_teach_a_game() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/"));
    window.click("label.game:has(input[value='ttt'])");
    window.click("#learn");
    window.wait_text("h1", "Learn Tic-tac-toe");
    window.wait_text(".lesson .status", "You play X. Make a move.");
    window.wait_contains("There are 9 moves to choose from, and any will do.");
    assert_eq!(window.js(STEP), json!("A move"));
    // By keyboard.
    window.js("document.querySelector('.cell[data-at=\"1,1,0\"]').focus()");
    window.press(ENTER);
    window.wait_for(
        "document.querySelector('.lesson .status').textContent.startsWith('O answered ')",
    );
    assert_eq!(window.js(STEP), json!("A reply"));
    window.click(".cell.playable");
    window.wait_for("document.activeElement.id === 'next-step'");
    window.press(ENTER);
    win(&window, "ttt");
    window.wait_for("document.querySelector('.lines .line')");
    // And then a whole game.
    window.click("#play-on-computer");
    window.wait_for("location.pathname.startsWith('/m/')");
    window.wait_turn();
    window.check_requests_and_errors(&server);

    window.go(&server.url("/learn?game=nothing"));
    window.wait_contains("Can't open this lesson.");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn games_with_columns_are_taught_too() {
    let (server, driver) = (TestServer::start(), Driver::start());
    for game in ["connect4", "pegs"] {
        let window = Window::open(&driver, &server.url(&format!("/learn?game={game}")));
        window.wait_for("document.querySelector('.cell.playable')");
        window.click(".cell.playable");
        window.wait_for(&format!(
            "{STEP} === 'A reply' && document.querySelector('.cell.playable')"
        ));
        window.click(".cell.playable");
        window.click("#next-step");
        win(&window, game);
    }
}
