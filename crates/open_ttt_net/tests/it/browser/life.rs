//! What moves, sounds and is refused during a game.

use serde_json::json;

use super::driver::Driver;
use super::window::Window;
use crate::test_server::TestServer;

/// Stops the clock by which pieces move.
const STOP_PIECES: &str = "(() => {
    const running = performance.now.bind(performance);
    const stopped = running();
    performance.now = () => stopped;
    window.release = () => { performance.now = running; };
})()";

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn pieces_fall_behind_the_panel_and_the_answer_waits() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (mut ann, link) = Window::invite(&driver, &server, "connect4", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    // Cells further up are painted later, and the panel of a cell after its piece.
    let rows =
        "[...document.querySelectorAll('.cell[data-at^=\"3,\"]')].map((it) => it.dataset.at)";
    let upwards = ["3,0,0", "3,1,0", "3,2,0", "3,3,0", "3,4,0", "3,5,0"];
    assert_eq!(ann.js(rows), json!(upwards));
    ann.js(STOP_PIECES);
    ann.play([3, 0, 0]);
    ann.wait_for("document.querySelector('.cell.taken')");
    let parts = "[...document.querySelector('.cell.taken').children].map((it) => it.classList[0])";
    assert_eq!(ann.js(parts), json!(["reach", "piece", "front", "ground"]));

    // The answer has arrived, but the piece before hasn't landed.
    bea.play([3, 5, 0]);
    bea.wait_moves(2);
    let state = format!(
        "/api/v1/matches/{}",
        link.rsplit('/').next().expect("an id")
    );
    let stored = ann.js_async(&format!(
        "fetch('{state}').then((it) => it.json()).then((it) => it.view.moves)"
    ));
    assert_eq!(stored, json!(["4", "4"]));
    for _ in 0..5 {
        ann.js_async("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))");
        assert_eq!(
            ann.js("document.querySelectorAll('.cell.taken').length"),
            json!(1)
        );
        assert_eq!(
            ann.js("document.querySelector('.status').textContent"),
            json!("Bea's turn")
        );
    }
    ann.js("window.release()");
    ann.wait_moves(2);
    ann.wait_turn();
    ann.check_requests_and_errors(&server);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn nothing_moves_where_less_motion_is_preferred() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "connect4", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    let feature = json!({"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]});
    ann.devtools("Emulation.setEmulatedMedia", &feature);
    ann.play([3, 0, 0]);
    bea.play([3, 5, 0]);
    ann.wait_moves(2);
    assert_eq!(
        ann.js("document.querySelectorAll('.enters').length"),
        json!(0)
    );
    bea.wait_for("document.querySelectorAll('.enters').length === 2");
}

/// Counts the notes that are played.
const COUNT_NOTES: &str = "(() => {
    const start = OscillatorNode.prototype.start;
    window.notes = 0;
    OscillatorNode.prototype.start = function (at) {
        window.notes += 1;
        start.call(this, at);
    };
})()";

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn sounds_begin_with_the_first_click_and_can_be_muted() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    let carl = Window::open(&driver, &link);
    carl.wait_contains("You're watching");
    for window in [&ann, &bea, &carl] {
        window.js(COUNT_NOTES);
    }
    ann.play([0, 0, 0]);
    bea.wait_moves(1);
    carl.wait_moves(1);
    assert_eq!(ann.js("notes"), json!(1));
    assert_eq!(bea.js("notes"), json!(1));
    assert_eq!(carl.js("notes"), json!(0), "nothing was clicked");

    ann.click("#mute");
    assert_eq!(
        ann.js("document.querySelector('#mute').textContent"),
        json!("Turn the sound on")
    );
    bea.play([1, 1, 0]);
    ann.wait_moves(2);
    ann.play([0, 1, 0]);
    ann.wait_moves(3);
    assert_eq!(ann.js("notes"), json!(1));
    // It is remembered.
    ann.go(&link);
    ann.wait_text("#mute", "Turn the sound on");
    ann.js(COUNT_NOTES);
    ann.click("#mute");
    ann.wait_text("#mute", "Turn the sound off");
    assert_eq!(ann.js("notes"), json!(1), "an example");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn victory_is_drawn_for_both_and_shines_for_the_winner() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    assert_eq!(
        ann.js("document.querySelector('.result').childElementCount"),
        json!(0)
    );
    for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)] {
        let mover = if y == 0 { &ann } else { &bea };
        mover.play([x, y, 0]);
    }
    ann.wait_text(".status", "You win");
    bea.wait_text(".status", "Ann wins");
    let drawn = "[...document.querySelectorAll('.victory .champion .piece, .victory .rays')].map((it) => it.classList[0])";
    assert_eq!(ann.js(drawn), json!(["rays", "piece"]));
    assert_eq!(bea.js(drawn), json!(["piece"]));
    // The end sounds once; what is asked for then has a sound of its own.
    for window in [&ann, &bea] {
        window.js(COUNT_NOTES);
    }
    ann.click("[data-act='rematch']");
    bea.wait_contains("Ann wants a rematch");
    assert_eq!(ann.js("notes"), json!(0));
    assert_eq!(bea.js("notes"), json!(2));
    bea.click("[data-act='rematch']");
    bea.wait_turn();
    assert_eq!(
        bea.js("document.querySelectorAll('.victory').length"),
        json!(0)
    );
    bea.click("[data-act='offer_draw']");
    ann.click("[data-act='accept_draw']");
    bea.wait_for("document.querySelectorAll('.victory.drawn .piece').length === 2");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn refusals_are_seen_and_buttons_have_an_effect() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    bea.wait_for("document.querySelector('[data-act=offer_draw]')");
    let undo = "document.querySelector('[data-act=ask_take_back]')";
    assert_eq!(ann.js(undo), json!(null));
    ann.play([0, 0, 0]);
    ann.wait_for(undo);
    bea.wait_moves(1);
    assert_eq!(bea.js(undo), json!(null), "no move of Bea's");

    ann.click("[data-act='offer_draw']");
    bea.click("[data-act='refuse_draw']");
    ann.wait_text(".toast.bad", "Bea declines the draw.");
    ann.wait_text(".actions .note", "Bea declines the draw.");
    // Until something else happens.
    bea.play([1, 1, 0]);
    ann.wait_for("!document.querySelector('.actions .note')");

    // A computer declines each draw, and thinks visibly.
    let dora = Window::choose(&driver, &server, "ttt", "Dora");
    dora.click("#play");
    dora.wait_turn();
    assert_eq!(
        dora.js("document.querySelector('[data-act=offer_draw]')"),
        json!(null)
    );
    assert_eq!(
        dora.js("document.querySelector('.thinking').hidden"),
        json!(true)
    );
    let thinks = dora.js_async(
        "import('/assets/player.js').then(({ PlayerPanel }) => {
            const panel = new PlayerPanel();
            const seats = [{ name: 'Ann' }, { name: 'Computer', computer: 'perfect' }];
            const board = { side_names: ['X', 'O'], marks: ['X', 'O'], shapes: ['cross', 'ring'], colors: ['red', 'teal'], first: 'a' };
            const view = { seats, board, settings: {}, score: { wins: [0, 0], draws: 0 }, verdict: null };
            const session = { presence: { seats: [true, false] }, seat: 0 };
            return ['b', 'a', null].map((to_move) => {
                panel.show(session, { ...view, to_move }, 1);
                return [panel.tags.textContent, panel.thinking.hidden];
            });
        })",
    );
    assert_eq!(
        thinks,
        json!([["O · thinking…", false], ["O", true], ["O", true]])
    );
}
