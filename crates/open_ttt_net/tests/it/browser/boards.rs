//! Boards of every layout: what is chosen by clicks, by keys and by buttons.

use serde_json::json;

use super::driver::Driver;
use super::window::{ENTER, ESCAPE, RIGHT, SHIFT, Window};
use crate::boards::{Board, Kind};
use crate::test_server::TestServer;

/// Shows a board on an empty page; its moves are collected in `played`, what is announced in
/// `said`.
fn show(window: &Window<'_>, kind: Kind) {
    let view = Board::new(kind).view();
    // What the page itself shows is complete.
    window.wait_for("document.querySelector('.lobby, body > .board')");
    let shown = window.js_async(&format!(
        "import('/assets/board.js').then(({{ Board }}) => {{
            window.played = [];
            window.said = [];
            window.board = new Board((move) => played.push(move), (text) => said.push(text));
            window.scene = {{ board: {view}, title: 'A board', mover: 1, pending: null }};
            document.body.replaceChildren(board.element, board.bar);
            board.show(scene);
            return null;
        }})"
    ));
    assert_eq!(shown, json!(null), "{kind:?}");
}

fn cell(x: u8, y: u8) -> String {
    Window::cell([x, y, 0])
}

/// How many cells are offered to be chosen.
fn offered(window: &Window<'_>) -> u64 {
    let count = window.js("document.querySelectorAll('.cell.playable').length");
    count.as_u64().expect("a number")
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn every_move_of_every_board_can_be_clicked() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/"));
    for kind in Kind::ALL {
        show(&window, kind);
        let result = window.js_async(
            "(async () => {
                const { choicesOf } = await import('/assets/selection.js');
                const press = (element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
                const wrong = [];
                const choices = choicesOf(scene.board);
                for (const { move, path, label } of choices) {
                    played.length = 0;
                    for (const at of path) press(document.querySelector(`.cell[data-at='${at}']`));
                    if (!played.length) press(document.querySelector(`.choices [data-move='${move}']`));
                    if (played.join() !== move) wrong.push([move, path, label, played.join()]);
                    if (document.querySelector('.chosen')) wrong.push([move, 'still chosen']);
                }
                return { count: choices.length, wrong };
            })()",
        );
        let count = Board::new(kind).view();
        let own = count["cells"].as_array().map(|cells| {
            cells
                .iter()
                .filter(|cell| cell.get("move").is_some())
                .count()
        });
        let other = count["choices"].as_array().map(Vec::len);
        let count = own.unwrap_or_default() + other.unwrap_or_default();
        assert_eq!(result, json!({"count": count, "wrong": []}), "{kind:?}");
    }
    assert_eq!(window.errors(), [""; 0]);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_turned_board_is_played_as_it_is_seen() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/"));
    show(&window, Kind::Draughts);
    let middle = |place: &str| {
        window.js(&format!(
            "(({{ left, top }}) => [Math.round(left), Math.round(top)])\
             (document.querySelector(`{place}`).getBoundingClientRect())"
        ))
    };
    let ends = || [cell(0, 0), cell(7, 7)].map(|place| middle(&place));
    let [low, high] = ends();
    window.js("board.show({ ...scene, isTurned: true })");
    assert_eq!(ends(), [high, low]);
    window.click(&cell(2, 0));
    assert_eq!(window.name_of([2, 0, 0]), "30, White, chosen");
    // The next column to the left is on the right now.
    window.press(RIGHT);
    let focused = window.js("document.activeElement.dataset.at");
    assert_eq!(focused, json!("0,0,0"));
    window.click(&cell(2, 4));
    assert_eq!(window.js("played"), json!(["m0"]));
    assert_eq!(window.errors(), [""; 0]);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_move_is_chosen_part_by_part() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    show(&window, Kind::Draughts);
    // Three men or kings can move.
    assert_eq!(offered(&window), 3);
    window.click(&cell(2, 0));
    assert_eq!(offered(&window), 1);
    assert_eq!(window.name_of([2, 0, 0]), "30, White, chosen");
    assert_eq!(window.name_of([4, 2, 0]), "23, empty, can be chosen");
    assert_eq!(window.js("said.at(-1)"), json!("30 chosen. Next: 23."));
    // The same square again takes it back, and so do Escape and the button.
    window.click(&cell(2, 0));
    assert_eq!(offered(&window), 3);
    window.click(&cell(2, 0));
    window.press(ESCAPE);
    assert_eq!(offered(&window), 3);
    window.click(&cell(2, 0));
    window.click("#cancel-choice");
    assert_eq!(offered(&window), 3);
    // Another piece replaces the chosen one.
    window.click(&cell(2, 0));
    window.click(&cell(6, 0));
    assert_eq!(window.js("played"), json!([]));
    window.click(&cell(7, 1));
    assert_eq!(window.js("played"), json!(["m2"]));
    // The squares on the way may be left out.
    window.click(&cell(2, 0));
    window.click(&cell(6, 4));
    assert_eq!(window.js("played.at(-1)"), json!("m1"));
    // A move that can go on waits for the button.
    window.click(&cell(0, 0));
    window.click(&cell(1, 1));
    assert_eq!(window.js("played.length"), json!(2));
    assert_eq!(
        window.js("said.at(-1)"),
        json!("25 chosen. Next: 22, Stop.")
    );
    window.click(".choices [data-move='m3']");
    assert_eq!(window.js("played.at(-1)"), json!("m3"));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn keys_choose_the_parts_of_a_move() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    show(&window, Kind::Draughts);
    window.js("document.querySelector(\".cell[data-at='2,0,0']\").focus()");
    window.press(ENTER);
    window.press(&format!("{SHIFT}{RIGHT}"));
    assert_eq!(
        window.js("document.activeElement.dataset.at"),
        json!("4,2,0")
    );
    window.press(ENTER);
    window.press(&format!("{SHIFT}{RIGHT}"));
    assert_eq!(
        window.js("document.activeElement.dataset.at"),
        json!("6,4,0")
    );
    window.press(ENTER);
    assert_eq!(window.js("played"), json!(["m1"]));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn edges_points_and_trays_are_clicked() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    show(&window, Kind::Dots);
    assert_eq!(window.name_of([1, 4, 0]), "edge a3 to b3, not drawn");
    assert_eq!(window.name_of([1, 0, 0]), "edge a1 to b1, drawn");
    assert_eq!(window.name_of([1, 1, 0]), "box a1 to b2, White");
    window.click(&cell(1, 4));
    window.click(&cell(6, 1));
    assert_eq!(window.js("played.length"), json!(2));
    show(&window, Kind::Points);
    window.click(&cell(3, 0));
    window.click(&cell(6, 0));
    assert_eq!(window.js("played"), json!(["m1"]));
    assert_eq!(window.name_of([0, 0, 255]), "White: In hand 1, 6 White");
    show(&window, Kind::Figures);
    window.click(&cell(3, 3));
    window.click(&Window::cell([7, 0, 255]));
    assert_eq!(window.js("played.length"), json!(1));
    assert_eq!(
        window.name_of([7, 0, 255]),
        "Pool 8, tall square hollow brown piece"
    );
    show(&window, Kind::Pits);
    assert_eq!(window.name_of([1, 0, 0]), "b1, 12 o");
    assert_eq!(window.name_of([3, 1, 0]), "d2, empty, belongs to Black");
    window.click(".choices [data-move='m3']");
    assert_eq!(window.js("played"), json!(["m3"]));
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_board_is_only_read_out_of_turn() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    for kind in Kind::ALL {
        show(&window, kind);
        window.js("board.show({ ...scene, mover: null })");
        assert_eq!(offered(&window), 0, "{kind:?}");
        assert_eq!(
            window.js("document.querySelectorAll('.choices button').length"),
            json!(0),
            "{kind:?}"
        );
        let nameless = "[...document.querySelectorAll('.cell')].filter((cell) => \
            cell.getAttribute('role') !== 'button' || !cell.getAttribute('aria-label')).length";
        assert_eq!(window.js(nameless), json!(0), "{kind:?}");
    }
}
