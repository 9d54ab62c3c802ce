//! Players who are known by a key.

use serde_json::json;

use super::driver::Driver;
use super::window::Window;
use crate::test_server::TestServer;

const OWN_GAMES: &str = "section[aria-labelledby='own-games']";
const KEY: &str = "JSON.parse(localStorage.getItem('open_ttt.key'))";

/// Waits until the opponent is connected: until then, the actions are drawn again.
#[track_caller]
fn wait_online(window: &Window) {
    window.wait_for("document.querySelector('.player .tags')?.textContent.includes('online')");
}

/// Waits until the list of the player's games has this text.
#[track_caller]
fn wait_history(window: &Window, text: &str) {
    let list = format!("document.querySelector(\"{OWN_GAMES}\")");
    window.wait_for(&format!("{list}?.textContent.includes({})", json!(text)));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_lost_tab_is_not_a_lost_seat() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    bea.play([1, 1, 0]);
    // All that the browser knew of the match is gone.
    ann.js("(localStorage.removeItem('open_ttt.seats'), sessionStorage.clear())");
    ann.go(&server.url("/"));
    wait_history(&ann, "Bea · Your turn");
    ann.click(&format!("{OWN_GAMES} .rows a"));
    ann.play([2, 2, 0]);
    bea.wait_moves(3);
    wait_online(&bea);
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".status", "You win: Bea resigned");
    ann.go(&server.url("/"));
    wait_history(&ann, "Bea · Won");
    ann.check_requests_and_errors(&server);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_player_moves_to_other_devices() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let mut bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    ann.go(&server.url("/"));
    ann.click("section[aria-labelledby='device'] summary");
    let key = ann.js(KEY);
    let key = key.as_str().expect("there is a key").to_owned();
    let own = ann.js("document.querySelector(\"input[aria-label='Player link']\").value");
    assert_eq!(own, json!(format!("{}#player={key}", server.url("/"))));
    let code = ann.js("document.querySelector('#code').textContent");
    let code = code.as_str().expect("there is a code").to_owned();

    // By the link, after a question; the key doesn't stay in the address.
    let mut phone = Window::open(&driver, own.as_str().expect("a link"));
    phone.wait_contains("as the player of this link");
    assert_eq!(phone.js("location.hash"), json!(""));
    assert_eq!(phone.js(KEY), json!(null));
    phone.click("[data-yes]");
    wait_history(&phone, "Bea · Your turn");
    phone.click(&format!("{OWN_GAMES} .rows a"));
    phone.play([0, 0, 0]);
    bea.wait_moves(1);

    // By the code, in a browser that has another player. Cancelling changes nothing.
    let known = bea.js(KEY);
    bea.go(&server.url("/"));
    let enter = |code: &str| {
        bea.click("section[aria-labelledby='device'] details:last-child summary");
        bea.keys("#player-code", code);
        bea.click("#use-code");
    };
    enter("a word");
    bea.wait_contains("A player code has 32 digits");
    bea.go(&server.url("/"));
    enter(&code.to_uppercase());
    bea.wait_contains("This browser has a player already.");
    bea.click(".question button:last-child");
    assert_eq!(bea.js(KEY), known);
    enter(&code);
    bea.click("[data-yes]");
    wait_history(&bea, "Bea · Bea's turn");
    assert_eq!(bea.js(KEY), json!(key));

    // Forgotten, after a question.
    phone.go(&server.url("/"));
    phone.click("section[aria-labelledby='device'] summary");
    phone.click("#forget");
    phone.click("[data-yes]");
    phone.wait_contains("Your first game makes a key");
    assert_eq!(phone.js(KEY), json!(null));
    for window in [&mut bea, &mut phone] {
        window.check_requests_and_errors(&server);
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_private_link_is_read_by_a_page_that_is_open_already() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.wait_for("document.querySelector('.game')");
    window.js("location.hash = 'player=00112233445566778899aabbccddeeff'");
    window.wait_contains("as the player of this link");
    assert_eq!(window.js("location.hash"), json!(""));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_name_stays_while_it_is_typed() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::open(&driver, &link);
    bea.keys("#name", "Be");
    // Below the open seat.
    let ann_is = |tags| bea.wait_text(".stage .player:last-child .tags", tags);
    ann_is("online · X");
    ann.go(&server.url("/"));
    ann_is("away · X");
    let typed = "[document.activeElement.id, document.querySelector('#name').value]";
    assert_eq!(bea.js(typed), json!(["name", "Be"]));
}

/// Of two who wait, the server moves one to the other. The match left behind has its
/// other seat taken before that is answered.
#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_waiting_player_follows_to_another_match() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    let waits = window.js_async(
        "(async () => {
            const { savePairing } = await import('/assets/storage.js');
            const { Pairing } = await import('/assets/pairing.js');
            savePairing({ match: 'left', wanted: { game: 'ttt', rated: false, name: 'Ann', waiting: 'left' } });
            const pairing = new Pairing('left');
            const found = { match: 'found', seat: 'b', token: '00112233445566778899aabbccddeeff', path: '/m/found' };
            const trueFetch = fetch;
            globalThis.fetch = async (url, options) => {
                if (!url.endsWith('/pair')) return trueFetch(url, options);
                pairing.end();
                return Response.json(found);
            };
            return pairing.isWaiting;
        })()",
    );
    assert_eq!(waits, json!(true));
    window.wait_for("location.pathname === '/m/found'");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_quick_rated_game_changes_the_ratings() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let ask = |name: &str| {
        let window = Window::choose(&driver, &server, "ttt", name);
        window.click("label[for='rated']");
        window.click("#quick");
        window
    };
    // The first one changes her mind.
    let carla = ask("Carla");
    carla.wait_contains("Looking for an opponent");
    carla.click("#cancel-pairing");
    carla.wait_contains("Pick a game");

    let mut ann = ask("Ann");
    ann.wait_contains("Looking for an opponent");
    let mut bea = ask("Bea");
    for window in [&ann, &bea] {
        window.wait_for("document.querySelector('.player .tags')?.textContent.includes('rated')");
        wait_online(window);
        window.wait_for("!document.querySelector('#cancel-pairing')");
        window.wait_for("document.querySelector('#resign-ask')");
        // There is nothing to undo with.
        assert_eq!(
            window.js("document.querySelector('[data-act=\"ask_take_back\"]')"),
            json!(null)
        );
    }
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".status", "You win: Bea resigned");
    ann.go(&server.url("/"));
    wait_history(&ann, "Won, rating 1500 → 1662");
    wait_history(&ann, "Your ratings: Tic-tac-toe 1662 ± 580");
    bea.go(&server.url("/"));
    wait_history(&bea, "Lost, rating 1500 → 1338");
    for window in [&mut ann, &mut bea] {
        window.check_requests_and_errors(&server);
    }
}
