//! The lobby: the choice of a game and its size, open games, games to watch, own games.

use open_ttt_net::server::RateLimit;
use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, ESCAPE, RIGHT, Window};
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

/// The games as the lobby shows them.
fn choose(window: &Window, game: &str) {
    window.click(&format!("label.game:has(input[value='{game}'])"));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn sizes_are_picked_and_every_game_has_a_picture_in_mid_game() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.wait_for("document.querySelectorAll('.game').length > 1");
    let empty = "[...document.querySelectorAll('.game')].filter((it) => it.querySelectorAll('.piece').length < 3).length";
    assert_eq!(window.js(empty), json!(0));

    // By clicks; a wrong number is corrected to an allowed one.
    choose(&window, "mnk");
    for (name, typed) in [("m", "7"), ("n", "99"), ("k", "4")] {
        window.js(&format!(
            "document.querySelector('#parameter-{name}').select()"
        ));
        window.keys(&format!("#parameter-{name}"), typed);
    }
    window.click("#name");
    assert_eq!(
        window.js("document.querySelector('#parameter-n').value"),
        json!("19")
    );
    for _ in 0..12 {
        window.click(".parameters .field:nth-child(2) button");
    }
    window.click("#invite");
    window.wait_text(".status", "Waiting for an opponent");
    assert_eq!(
        window.js("document.querySelectorAll('.cell').length"),
        json!(49)
    );
    let game = window.js_async(
        "fetch(`/api/v1/matches/${location.pathname.slice(3)}`).then((it) => it.json()).then((it) => it.view.settings.game)",
    );
    assert_eq!(game, json!("mnk(m=7,n=7,k=4)"));

    // By keyboard alone: a game, one of its few values, and the button.
    window.go(&server.url("/"));
    window.wait_for("document.querySelectorAll('.game').length > 1");
    choose(&window, "pegs");
    window.js("document.querySelector('[name=parameter-lines]').focus()");
    window.press(RIGHT);
    window.js("document.querySelector('#play').focus()");
    window.press(ENTER);
    window.wait_for("document.querySelector('.player .tags')?.textContent.length > 0");
    let game = window.js_async(
        "Promise.resolve(JSON.parse(localStorage.getItem(`open_ttt.${location.pathname.slice(3)}`)).match.settings.game)",
    );
    assert_eq!(game, json!("pegs(lines=38)"));
}

/// Lets the list of games fail until `window.works` is true.
const NO_GAMES: &str = "(() => {
    const all = window.fetch;
    window.fetch = async (url, options) => {
        if (url !== '/api/v1/games' || window.works) return all(url, options);
        return Response.json({ error: { code: 'too_many', text: 'Too many requests.' } }, { status: 429 });
    };
})()";

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn what_is_typed_stays_until_there_are_games() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, "about:blank");
    let script = json!({"source": NO_GAMES});
    window.devtools("Page.addScriptToEvaluateOnNewDocument", &script);
    window.go(&server.url("/"));
    window.wait_contains("The games can't be loaded. Too many requests.");
    window.keys("#name", "Ann");
    let disabled = "['play', 'quick', 'invite'].map((id) => document.getElementById(id).disabled)";
    assert_eq!(window.js(disabled), json!([true, true, true]));
    window.js("window.works = true");
    window.wait_for("document.querySelector('.game')");
    window.wait_for("document.querySelector('.offline-note').hidden");
    let typed = "[document.activeElement.id, document.querySelector('#name').value]";
    assert_eq!(window.js(typed), json!(["name", "Ann"]));
    assert_eq!(window.js(disabled), json!([false, false, false]));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn play_is_in_reach_on_a_telephone() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.resize(320, 568);
    window.wait_for("document.querySelectorAll('.game').length > 1");
    let visible = "(() => {
        const { top, bottom } = document.querySelector('#play-now').getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
    })()";
    assert_eq!(window.js(visible), json!(true));
    choose(&window, "connect4");
    assert_eq!(window.js(visible), json!(true));
    window.click("#play-now");
    window.wait_text("h1", "Connect Four");
    // On a large screen one button is enough.
    window.go(&server.url("/"));
    window.resize(1600, 900);
    window.wait_for("document.querySelectorAll('.game').length > 1");
    assert_eq!(
        window.js("document.querySelector('#play-now').offsetParent"),
        json!(null)
    );
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn own_games_say_whose_turn_it_is_and_public_ones_can_be_watched() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let ann = Window::choose(&driver, &server, "ttt", "Ann");
    ann.click("#listed");
    ann.click("details.more summary");
    ann.click("label:has(input[name='first'][value='1'])");
    ann.click("#invite");
    ann.wait_text(".status", "Waiting for an opponent");
    let link = ann.url();
    let _bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();

    let carl = Window::open(&driver, &server.url("/"));
    carl.wait_text("[aria-labelledby='playing-games'] .who", "Ann – Bea");
    carl.wait_text("[aria-labelledby='playing-games'] .what", "Tic-tac-toe");
    carl.click("[aria-labelledby='playing-games'] a");
    carl.wait_contains("You're watching");
    assert_eq!(carl.url(), link);

    let detail = "document.querySelector('[aria-labelledby=own-games] .what')?.textContent";
    ann.go(&server.url("/"));
    ann.wait_for(&format!("{detail}?.startsWith('Bea · Your turn · ')"));
    assert_eq!(
        ann.js("document.querySelectorAll('.rows .yours').length"),
        json!(1)
    );
    ann.click("[aria-labelledby='own-games'] a");
    ann.play([0, 0, 0]);
    ann.wait_moves(1);
    ann.go(&server.url("/"));
    ann.wait_for(&format!("{detail}?.startsWith(\"Bea · Bea's turn · \")"));
    // Nobody watches what isn't public.
    carl.go(&server.url("/"));
    let private = Window::invite(&driver, &server, "ttt", "Dora");
    let _eve = Window::join(&driver, &private.1, "Eve");
    private.0.wait_turn();
    let listed = carl.js_async("fetch('/api/v1/matches?playing=true').then((it) => it.json()).then((it) => it.matches.map((match) => match.name))");
    assert!(!listed.to_string().contains("Dora"), "{listed}");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn unknown_addresses_have_a_page() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/nowhere/at/all"));
    window.wait_text("h1", "There is nothing at this address.");
    window.click("main a");
    window.wait_text("h1", "Pick a game");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn small_cells_are_confirmed_when_they_are_touched() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "mnk", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.resize(320, 640);
    ann.wait_turn();
    let touched = "[...document.querySelectorAll('.touched')].map((it) => it.dataset.at)";
    ann.tap(&Window::cell([7, 7, 0]));
    ann.wait_for("document.querySelector('.touched')");
    assert_eq!(ann.js(touched), json!(["7,7,0"]));
    // It stays when the page is drawn again, because something else has changed.
    let top = "document.querySelector('.board').getBoundingClientRect().top + scrollY";
    let before = ann.js(top);
    bea.go("about:blank");
    ann.wait_contains("away · O");
    assert_eq!(ann.js(touched), json!(["7,7,0"]));
    assert_eq!(ann.js(top), before, "the board doesn't jump");
    // Another one instead, and none.
    ann.tap(&Window::cell([8, 7, 0]));
    assert_eq!(ann.js(touched), json!(["8,7,0"]));
    ann.press(ESCAPE);
    assert_eq!(ann.js(touched), json!([]));
    ann.tap(&Window::cell([8, 8, 0]));
    ann.wait_text("#confirm", "Choose i9");
    assert_eq!(
        ann.js("document.querySelectorAll('.taken').length"),
        json!(0)
    );
    ann.tap("#confirm");
    ann.wait_moves(1);
    assert_eq!(ann.name_of([8, 8, 0]), "i9, X, last move");
    // A mouse hits them, and a finger hits large cells.
    let (dora, link) = Window::invite(&driver, &server, "ttt", "Dora");
    let _eve = Window::join(&driver, &link, "Eve");
    dora.resize(320, 640);
    dora.wait_turn();
    dora.tap(&Window::cell([1, 1, 0]));
    dora.wait_moves(1);
}
