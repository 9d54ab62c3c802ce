//! The list of open games.

use open_ttt_net::server::RateLimit;
use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, Window};
use crate::test_server::TestServer;

const OPEN_GAMES: &str = "section[aria-labelledby='open-games']";

/// Opens so many games in a window, whose players stay connected.
#[track_caller]
fn open_games(window: &Window, count: usize) {
    let opened = window.js_async(&format!(
        "(async () => {{
            globalThis.opened = [];
            for (let index = 0; index < {count}; index++) {{
                const seats = [{{ person: `Player ${{index}}` }}, null];
                const clock = {{ initial_ms: 180000, increment_ms: 2000 }};
                const body = JSON.stringify({{ game: 'connect4', seats, clock, listed: true }});
                const headers = {{ 'content-type': 'application/json' }};
                const answer = await fetch('/api/v1/matches', {{ method: 'POST', headers, body }});
                const {{ match, token }} = await answer.json();
                const socket = new WebSocket(`ws://${{location.host}}/api/v1/matches/${{match}}/socket`, 'open_ttt.v1');
                await new Promise((resolve) => {{
                    const hello = {{ type: 'hello', protocol: 1, client: `c${{index}}`, token, shape: 'views' }};
                    socket.onopen = () => socket.send(JSON.stringify(hello));
                    socket.onmessage = resolve;
                }});
                opened.push({{ match, socket }});
            }}
            return opened.length;
        }})()"
    ));
    assert_eq!(opened, json!(count));
}

/// Waits until the heading of the list says which games it has, and the list has so many.
#[track_caller]
fn wait_list(window: &Window, range: &str, rows: usize) {
    let heading = json!(format!("Open games {range}").trim_end());
    window.wait_for(&format!(
        "document.querySelector('#open-games')?.textContent.trim() === {heading} \
         && document.querySelectorAll(\"{OPEN_GAMES} .rows li .who\").length === {rows}"
    ));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn open_games_come_in_pages() {
    let server = TestServer::start_with(|config| {
        config.max_listed_per_address = 100;
        config.create_rate = RateLimit::UNLIMITED;
        config.request_rate = RateLimit::UNLIMITED;
    });
    let driver = Driver::start();
    let creator = Window::open(&driver, &server.url("/m/nosuchmatch0"));
    creator.wait_contains("This game doesn't exist.");
    open_games(&creator, 60);

    let mut window = Window::open(&driver, &server.url("/"));
    wait_list(&window, "1–50 of 60", 50);
    let first = format!("document.querySelector(\"{OPEN_GAMES} .rows .who\").textContent");
    assert_eq!(window.js(&first), json!("Player 59"), "the newest game");
    let detail = format!("document.querySelector(\"{OPEN_GAMES} .rows .what\").textContent");
    assert_eq!(window.js(&detail), json!("Connect Four · 3 min + 2 s"));

    // With the keyboard: the list is read on from its heading.
    window.js("document.querySelector('#older').focus()");
    window.press(ENTER);
    wait_list(&window, "51–60 of 60", 10);
    window.wait_for("document.activeElement.id === 'open-games'");
    assert_eq!(window.js(&first), json!("Player 9"));
    assert_eq!(
        window.js("document.querySelector('#older').disabled"),
        json!(true)
    );
    window.resize(320, 568);
    let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(window.js(overflow), json!(0));
    window.click("#newer");
    wait_list(&window, "1–50 of 60", 50);
    window.click("#older");
    wait_list(&window, "51–60 of 60", 10);

    // The page goes when its games have begun.
    let joined = creator.js_async(
        "Promise.all(opened.slice(0, 15).map(({ match }) => fetch(`/api/v1/matches/${match}/join`, {
            method: 'POST', headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ player: { person: 'Bob' } }),
        }))).then((answers) => answers.every((answer) => answer.ok))",
    );
    assert_eq!(joined, json!(true));
    wait_list(&window, "", 45);
    assert_eq!(
        window.js("document.querySelector('#older').offsetParent"),
        json!(null)
    );
    window.click(&format!("{OPEN_GAMES} .rows button"));
    window.wait_contains("Player 59");
    window.wait_for("location.pathname.startsWith('/m/')");
    window.wait_for("document.querySelector('.player .tags')?.textContent.length > 0");
    window.check_requests_and_errors(&server);
}
