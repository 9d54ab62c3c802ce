//! The page by keyboard and for screen readers.

use std::{env, fs};

use serde_json::{Value, json};

use super::driver::Driver;
use super::window::{ENTER, LEFT, RIGHT, SHIFT, TAB, UP, Window};
use crate::test_server::TestServer;

/// The environment variable with the path of axe-core, one file.
pub(super) const VARIABLE: &str = "OPEN_TTT_AXE";

/// Checks the page that a window shows with axe-core: no rule is broken.
#[track_caller]
pub(super) fn check_axe(window: &Window<'_>, axe: &str, screen: &str) {
    // What appears or moves is checked where it ends.
    window.wait_for("document.getAnimations().every((it) => it.playState !== 'running' || it.effect.getTiming().iterations === Infinity)");
    let found = window.run_async(&format!(
        "{axe};
         axe.run(document, {{ resultTypes: ['violations'] }})
            .then(({{ violations, passes }}) => done({{
                passes: passes.length,
                violations: violations.map(({{ id, nodes }}) => [id, nodes[0].html, nodes[0].failureSummary]),
            }}), (error) => done(String(error)));"
    ));
    assert_eq!(found["violations"], json!([]), "{screen}");
    let passes = found["passes"].as_u64().unwrap_or_default();
    assert!(passes > 10, "{screen}: only {passes} rules were checked");
}

#[test]
#[ignore = "needs chromedriver and axe-core: cargo xtask test installs them"]
fn axe_finds_nothing_on_any_screen() {
    let path =
        env::var_os(VARIABLE).unwrap_or_else(|| panic!("{VARIABLE} is the path of axe-core"));
    let axe = fs::read_to_string(path).expect("axe-core is readable");
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::open(&driver, &link);
    for scheme in ["light", "dark"] {
        for window in [&ann, &bea] {
            let feature = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
            window.devtools("Emulation.setEmulatedMedia", &feature);
        }
        let check = |window: &Window<'_>, screen: &str| {
            check_axe(window, &axe, &format!("{screen}, {scheme}"));
        };
        if scheme == "light" {
            check(&ann, "waiting");
            bea.wait_for("document.querySelector('#join')");
            check(&bea, "joining");
            bea.keys("#name", "Bea");
            bea.click("#join");
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if y == 0 { &ann } else { &bea }.play([x, y, 0]);
            }
            ann.wait_turn();
            ann.click(".links summary");
            check(&ann, "playing");
            bea.wait_moves(4);
            check(&bea, "waiting for a move");
            bea.click("[data-act='offer_draw']");
            ann.wait_for("document.querySelector('[data-act=accept_draw]')");
            check(&ann, "an offer");
            ann.click("[data-act='refuse_draw']");
            bea.wait_text(".toast.bad", "Ann declines the draw.");
            check(&bea, "a refusal");
            ann.play([2, 0, 0]);
            bea.wait_text(".status", "Ann wins");
        }
        bea.wait_for("document.querySelector('.victory')");
        check(&bea, "the result");
        bea.click("#replay");
        bea.wait_contains("Move 5 of 5: Ann plays c1");
        check(&bea, "a replay");
        bea.click("#analyze");
        bea.click("#review");
        bea.wait_for("document.querySelector('.graph')");
        check(&bea, "a review");
        bea.click("[aria-label='Previous move']");
        bea.wait_for("document.querySelector('.worth')");
        check(&bea, "values");
        bea.click(".moves li:nth-child(2) button");
        bea.click("#retry");
        bea.wait_for("document.querySelector('.retry')");
        check(&bea, "a mistake to try again");
        bea.click("#close-replay");
        bea.go(&server.url("/analysis?game=ttt&moves=a1,b1,c2"));
        bea.wait_for("document.querySelector('.worth')");
        bea.click(".play-on summary");
        bea.click(".links summary");
        check(&bea, "an analysis");
        bea.go(&server.url("/learn?game=ttt"));
        bea.wait_for("document.querySelector('.lesson .told')");
        check(&bea, "a lesson");
        bea.go(&server.url("/puzzles?game=ttt&number=1"));
        bea.wait_contains("Puzzle 1 of");
        bea.click("#puzzle-hint");
        bea.wait_contains("The move is marked on the board.");
        check(&bea, "a puzzle");
        bea.go(&server.url("/"));
        bea.wait_for(
            "document.querySelectorAll('.game').length > 1 && document.querySelector('.rows a')",
        );
        bea.click("details.more summary");
        check(&bea, "the lobby");
        bea.go(&server.url("/m/nosuchmatch0"));
        bea.wait_contains("This game doesn't exist.");
        check(&bea, "no such match");
        bea.go(&link);
        bea.wait_for("document.querySelector('.victory')");
    }
    // The check itself finds what is wrong.
    bea.js("document.querySelector('h1').replaceWith(document.createElement('img'))");
    let wrong = bea.run_async(&format!(
        "{axe}; axe.run(document).then(({{ violations }}) => done(violations.map(({{ id }}) => id).sort()));"
    ));
    assert_eq!(wrong, json!(["image-alt", "page-has-heading-one"]));
}

fn focused(window: &Window<'_>) -> Value {
    window.js("document.activeElement.dataset.at ?? document.activeElement.id")
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn arrow_keys_explore_taken_cells_too() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.play([1, 0, 0]);
    bea.play([1, 1, 0]);
    ann.wait_moves(2);
    ann.wait_turn();
    ann.js("document.querySelector('.cell[data-at=\"0,0,0\"]').focus()");
    ann.press(RIGHT);
    assert_eq!(focused(&ann), json!("1,0,0"));
    let label = "document.activeElement.getAttribute('aria-label')";
    assert_eq!(ann.js(label), json!("b1, X"));
    ann.press(UP);
    assert_eq!(ann.js(label), json!("b2, O, last move"));
    // A taken cell can't be played, which is said.
    ann.press(ENTER);
    let heard = "document.querySelector('#live').lastElementChild.textContent";
    assert_eq!(ann.js(heard), json!("b2 can't be chosen."));
    ann.press(LEFT);
    assert_eq!(ann.js(label), json!("a2, empty"));
    // With Shift to free cells only.
    ann.press(&format!("{SHIFT}{RIGHT}"));
    assert_eq!(focused(&ann), json!("2,1,0"));
    ann.press(ENTER);
    ann.wait_moves(3);
    assert_eq!(ann.name_of([2, 1, 0]), "c2, X, last move");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn keys_with_the_label_of_a_column_play_there() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "connect4", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    for (count, key) in (1..).zip(["7", "7", "7", "7", "7", "7"]) {
        let mover = if count % 2 == 1 { &ann } else { &bea };
        mover.wait_turn();
        mover.js("document.activeElement.blur()");
        mover.press(key);
        ann.wait_moves(count);
    }
    ann.wait_turn();
    // The column is full; another key is no column; a field gets its digits.
    ann.press("7");
    ann.wait_contains("7 is full.");
    ann.press("8");
    ann.js("document.querySelector('#move').focus()");
    ann.press("1");
    assert_eq!(ann.js("document.querySelector('#move').value"), json!("1"));
    ann.wait_moves(6);
    // From a cell of the board, too.
    ann.js("document.querySelector('.cell[tabindex=\"0\"]').focus()");
    ann.press("2");
    ann.wait_moves(7);
    assert_eq!(ann.name_of([1, 0, 0]), "column 2, row 1, Red, last move");

    // A pole has a letter, which plays from the board only.
    let (ann, link) = Window::invite(&driver, &server, "pegs", "Ann");
    let _bea = Window::join(&driver, &link, "Bea");
    ann.wait_turn();
    ann.js("document.activeElement.blur()");
    ann.press("c");
    ann.js("document.querySelector('.cell[tabindex=\"0\"]').focus()");
    ann.press("b");
    ann.wait_moves(1);
    assert_eq!(
        ann.js("document.querySelector('.moves li').textContent"),
        json!("B")
    );
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_focus_stays_where_moves_are_entered() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    // What is refused can be corrected.
    ann.type_move("z9");
    ann.wait_contains("z9 isn't a legal move.");
    ann.wait_for("document.querySelector('#move').value === 'z9'");
    ann.wait_turn();
    assert_eq!(focused(&ann), json!("move"));
    ann.press(&format!("b2{ENTER}"));
    ann.wait_moves(1);
    assert_eq!(focused(&ann), json!("move"));
    let is_closed = "document.querySelector('#move').readOnly";
    assert_eq!(ann.js(is_closed), json!(true));
    bea.play([0, 0, 0]);
    ann.wait_turn();
    assert_eq!(
        (focused(&ann), ann.js(is_closed)),
        (json!("move"), json!(false))
    );
    // At the end there is nothing to enter.
    bea.click("#resign-ask");
    bea.click("[data-act='resign']");
    ann.wait_text(".status", "You win: Bea resigned");
    ann.wait_for("document.activeElement.classList.contains('record')");
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn opened_links_stay_open_when_the_other_player_moves() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let (ann, link) = Window::invite(&driver, &server, "ttt", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.play([0, 0, 0]);
    ann.wait_moves(1);
    ann.click(".links summary");
    ann.js("document.querySelector('.links input').focus()");
    bea.play([1, 1, 0]);
    ann.wait_moves(2);
    ann.wait_turn();
    let state = "[document.querySelector('.links').open, document.activeElement.getAttribute('aria-label')]";
    assert_eq!(ann.js(state), json!([true, "Spectator link"]));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn screens_have_a_heading_and_the_skip_link_leads_to_the_board() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    window.wait_text("h1", "Pick a game");
    window.press(&format!("{TAB}{ENTER}"));
    assert_eq!(focused(&window), json!("main"));

    let (ann, link) = Window::invite(&driver, &server, "ultimate", "Ann");
    let bea = Window::join(&driver, &link, "Bea");
    ann.wait_text("h1", "Ultimate tic-tac-toe");
    ann.wait_turn();
    let board = "document.querySelector('svg.board').getAttribute('aria-label')";
    assert_eq!(ann.js(board), json!("Ultimate tic-tac-toe, Your turn"));
    ann.js("document.activeElement.blur(), scrollTo(0, 0)");
    ann.js("document.querySelector('#skip').focus()");
    ann.press(ENTER);
    assert_eq!(ann.js("document.activeElement.classList[0]"), json!("cell"));

    // Everywhere at first; then the cell chooses the board to play in.
    assert_eq!(
        ann.js("document.querySelector('.advice').textContent"),
        json!("")
    );
    ann.play([3, 5, 0]);
    bea.wait_text(".advice", "Play in the top left board.");
    let heard = "document.querySelector('#live').lastElementChild.textContent";
    let expected = "Ann plays d6. Your turn. Play in the top left board.";
    bea.wait_for(&format!("{heard} === {}", json!(expected)));
    bea.play([1, 7, 0]);
    ann.wait_text(".advice", "Play in the middle board.");
    bea.wait_text(".advice", "");
}
