//! Layout, contrast and accessible names.

use serde_json::{Value, json};

use super::driver::Driver;
use super::window::Window;
use crate::test_server::TestServer;

/// By how much the page is wider than the window, in CSS pixels.
const OVERFLOW: &str =
    "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/// A telephone's window of 320 pixels, without and with a scroll bar.
#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn no_screen_scrolls_sideways() {
    let (server, driver) = (TestServer::start(), Driver::start());
    for width in [320, 305] {
        let window = Window::choose(&driver, &server, "pegs", "A person with a long name");
        window.resize(width, 568);
        let check = |screen: &str| assert_eq!(window.js(OVERFLOW), json!(0), "{screen}, {width}");
        window.click("#play");
        window.wait_turn();
        check("playing");
        window.click("#values");
        window.click("#hint");
        window.wait_for("document.querySelector('.cell.hint')");
        check("a hint");
        window.click(".cell.playable");
        // The computer may have the first move, and its answer draws the buttons anew.
        window.wait_for("document.querySelectorAll('.moves li:not(.none)').length >= 2");
        window.wait_turn();
        window.wait_for("document.querySelector('[data-act=ask_take_back]')");
        window.click("#resign-ask");
        check("a question");
        window.click("[data-act='resign']");
        window.wait_for("document.querySelector('.victory')");
        check("the result");
        window.click("#replay");
        window.click("#review");
        window.wait_for("document.querySelector('.graph')");
        window.wait_for("document.querySelector('.play-on')");
        window.js("document.querySelectorAll('details').forEach((it) => (it.open = true))");
        check("a review");
        for path in [
            "/",
            "/nowhere",
            "/analysis?game=pegs&moves=A,B,A",
            "/learn?game=pegs",
        ] {
            window.go(&server.url(path));
            window.wait_for("document.querySelector('main h1')");
            window.wait_for("document.querySelector('.analysis-board .worth, .evaluation, .lesson .told, .lone, .game')");
            window.js("document.querySelectorAll('details').forEach((it) => (it.open = true))");
            check(path);
        }
    }
}

const GAMES: [&str; 6] = ["ttt", "pegs", "connect4", "mnk", "qubic", "ultimate"];

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn every_game_fits_a_narrow_screen() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.resize(320, 568);
    for game in GAMES {
        window.go(&server.url("/"));
        window.click(&format!("label.game:has(input[value='{game}'])"));
        assert_eq!(window.js(OVERFLOW), json!(0), "the lobby");
        window.click("#invite");
        window.wait_text(".status", "Waiting for an opponent");
        window.click(".links summary");
        assert_eq!(window.js(OVERFLOW), json!(0), "{game}");
        let cells = window.js("[...document.querySelectorAll('.cell')].filter((cell) => \
             cell.getAttribute('role') !== 'button' || !cell.getAttribute('aria-label')).length");
        assert_eq!(cells, json!(0), "{game}");
        let focusable = window.js("document.querySelectorAll('.cell[tabindex=\"0\"]').length");
        assert_eq!(focusable, json!(1), "{game}");
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn every_control_has_an_accessible_name() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (window, _) = Window::invite(&driver, &server, "ttt", "Ann");
    let nameless = "[...document.querySelectorAll('button, input, a, summary')].filter((it) => \
        !(it.textContent.trim() || it.getAttribute('aria-label') || it.labels?.length)).map((it) => it.outerHTML)";
    assert_eq!(window.js(nameless), json!([]));
    window.go(&server.url("/"));
    window.wait_for("document.querySelectorAll('.game').length === 13");
    assert_eq!(window.js(nameless), json!([]));
}

/// The contrast of two colours, by the Web Content Accessibility Guidelines
/// 2.2 (W3C, 2023).
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let digits = colour.trim_start_matches('#');
        let part = |at: usize| {
            let value = u8::from_str_radix(&digits[at..at + 2], 16).expect("a colour");
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn contrast_matches_known_values() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    // An example of the guidelines.
    assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.01);
}

/// The colours of pieces, as the protocol names them.
const COLORS: [&str; 12] = [
    "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown", "gray", "black",
    "white",
];

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn both_colour_schemes_have_enough_contrast() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    for scheme in ["light", "dark"] {
        let feature = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        window.devtools("Emulation.setEmulatedMedia", &feature);
        let colour = |name: &str| {
            let value = window.js(&format!(
                "getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()"
            ));
            value.as_str().map(str::to_owned).expect("a colour")
        };
        let text = [
            "ink page",
            "ink card",
            "ink raised",
            "ink cell",
            "soft page",
            "soft card",
            "soft raised",
            "soft cell",
            "page ink",
            "on-accent a",
            "a page",
            "a card",
            "knob-text pole",
        ];
        let shapes = [
            "a card",
            "b card",
            "strong-edge card",
            "strong-edge page",
            "focus card",
            "focus page",
            "focus hole",
            "ink card",
            "panel-board hole",
        ];
        for (pairs, least) in [(&text[..], 4.5), (&shapes[..], 3.0)] {
            for pair in pairs {
                let (one, other) = pair.split_once(' ').expect("a pair");
                let found = contrast(&colour(one), &colour(other));
                assert!(found >= least, "{scheme}: {pair} has {found:.2}");
            }
        }
        // Every colour of a piece, on every ground of a flat board.
        for name in COLORS {
            let [face, line, outline] =
                ["", "-line", "-deep"].map(|part| colour(&format!("{name}{part}")));
            for ground in ["card", "cell", "cell-open", "cell-last", "page", "hole"] {
                let ground_colour = colour(ground);
                let on_ground = |one: &str| contrast(one, &ground_colour);
                let disc = on_ground(&face).max(on_ground(&outline));
                assert!(
                    disc >= 3.0,
                    "{scheme}: a {name} disc on {ground} has {disc:.2}"
                );
                let line = on_ground(&line);
                assert!(
                    line >= 3.0,
                    "{scheme}: a {name} line on {ground} has {line:.2}"
                );
            }
            // The emblem is visible on the disc.
            let emblem = contrast(&face, &outline);
            assert!(emblem >= 1.5, "{scheme}: {name} has {emblem:.2}");
        }
    }
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn missing_matches_and_wrong_tokens_are_reported() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/m/nosuchmatch0"));
    window.wait_contains("This game doesn't exist.");
    let token = "0123456789abcdef0123456789abcdef";
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    window.go(&format!("{link}#{token}"));
    window.wait_contains("This private link isn't valid.");
    window.wait_for("document.querySelector('#join')");
    let kept: Value = window.js("JSON.stringify({...localStorage})");
    assert!(!kept.to_string().contains(token));
    // A wrong token does not remove the saved seat.
    ann.go("about:blank");
    ann.go(&format!("{link}#{token}"));
    ann.wait_contains("This private link isn't valid.");
    ann.wait_text(".status", "Waiting for an opponent");
    ann.wait_for(
        "document.querySelector('.stage .player:last-child .tags').textContent.includes('you')",
    );
}
