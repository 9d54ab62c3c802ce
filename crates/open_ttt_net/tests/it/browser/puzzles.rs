//! Puzzles on the page.

use serde_json::{Value, json};

use super::driver::Driver;
use super::window::Window;
use crate::test_server::TestServer;

const STREAK: &str = "document.querySelector('#streak').textContent";

/// The place of a cell, such as `b2`.
fn place(cell: &str) -> [u8; 3] {
    let [column, row] = cell.as_bytes() else {
        panic!("{cell}");
    };
    [column - b'a', row - b'1', 0]
}

/// Clicks a cell once moves can be made.
#[track_caller]
fn click(window: &Window<'_>, cell: &str) {
    window.wait_for("document.querySelector('.cell.playable')");
    window.click(&Window::cell(place(cell)));
}

/// The puzzle with this number of tic-tac-toe.
fn puzzle(window: &Window<'_>, number: u32) -> Value {
    window.js_async(&format!(
        "fetch('/api/v1/puzzles/ttt?number={number}').then((it) => it.json())"
    ))
}

fn solution(puzzle: &Value) -> Vec<&str> {
    let moves = puzzle["solution"].as_array().expect("moves");
    moves.iter().map(|m| m.as_str().expect("a move")).collect()
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn puzzles_are_solved_by_clicks() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/puzzles?game=ttt&number=1"));
    window.wait_contains("Puzzle 1 of");
    let first = puzzle(&window, 1);
    let right = solution(&first)[0];
    let open = first["boards"][0]["cells"].as_array().expect("cells");
    let wrong = open
        .iter()
        .filter_map(|cell| cell["move"].as_str())
        .find(|m| *m != right)
        .expect("another move");

    // A wrong move is told and taken back.
    click(&window, wrong);
    window.wait_contains("Try again.");
    window.wait_contains(": the answer ");
    window.wait_for(
        "!document.querySelector('.cell.pending') && document.querySelector('.cell.playable')",
    );
    assert_eq!(
        window.js("localStorage['open_ttt.puzzle_streak']"),
        json!("0")
    );

    // The right one solves it, though not at the first try.
    click(&window, right);
    window.wait_contains("Solved.");
    window.click("#puzzle-next");
    window.wait_contains("Puzzle 2 of");
    // Its task is read out, and the keyboard is where it was.
    window.wait_for("document.querySelector('#live').lastElementChild?.textContent === document.querySelector('.status').textContent");
    assert_eq!(window.js("document.activeElement.id"), json!("puzzle-next"));
    assert!(window.url().ends_with("number=2"));

    // This one is, with the replies of the opponent.
    let second = puzzle(&window, 2);
    for (at, m) in solution(&second).into_iter().enumerate() {
        if at % 2 == 0 {
            click(&window, m);
        }
    }
    window.wait_contains("Solved at the first try!");
    assert_eq!(
        window.js(STREAK),
        json!("1 solved in a row at the first try")
    );

    // The hint marks the move, and the solution is played.
    window.click("#puzzle-next");
    window.wait_contains("Puzzle 3 of");
    let third = puzzle(&window, 3);
    window.click("#puzzle-hint");
    let [x, y, z] = place(solution(&third)[0]);
    window.wait_for(&format!(
        "document.querySelector('.cell.hint[data-at=\"{x},{y},{z}\"]')"
    ));
    window.click("#puzzle-solution");
    window.wait_contains("The solution: ");
    assert!(
        window
            .js(STREAK)
            .as_str()
            .is_some_and(|text| text.starts_with("Solve"))
    );
    // Without a match there is no socket, and nothing comes from elsewhere.
    let own = server.url("/");
    assert!(window.requests().iter().all(|url| url.starts_with(&own)));
    assert_eq!(window.errors(), [""; 0]);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_solution_is_shown_just_before_a_reply() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/puzzles?game=ttt&number=1"));
    window.wait_contains("Puzzle 1 of");
    let mut puzzles = (1..).map(|number| (number, puzzle(&window, number)));
    let (number, puzzle) = puzzles
        .find(|(_, puzzle)| solution(puzzle).len() > 2)
        .expect("a puzzle with a reply");
    window.go(&server.url(&format!("/puzzles?game=ttt&number={number}")));
    window.wait_for("document.querySelector('.cell.playable')");
    let [x, y, z] = place(solution(&puzzle)[0]);
    window.js(&format!(
        "(document.querySelector('.cell[data-at=\"{x},{y},{z}\"]')
            .dispatchEvent(new MouseEvent('click', {{ bubbles: true }})),
          document.querySelector('#puzzle-solution').click())"
    ));
    window.wait_contains("The solution: ");
    // The reply that was on its way doesn't come any more.
    window.js_async("new Promise((done) => setTimeout(done, 1_500))");
    window.wait_contains("The solution: ");
    assert_eq!(window.errors(), [""; 0]);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn the_puzzle_of_the_day_is_a_click_from_the_lobby() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/"));
    window.wait_for("document.querySelector('.game')");
    // Only who wants puzzles loads them.
    assert!(!window.requests().iter().any(|url| url.contains("puzzles")));
    window.click("#puzzles");
    window.wait_contains("Puzzle of the day");
    // Games without puzzles aren't offered.
    let offered =
        window.js("[...document.querySelectorAll('#puzzle-game option')].map((it) => it.value)");
    let with_puzzles = "games.filter(({ puzzles }) => puzzles).map(({ game }) => game)";
    let games =
        format!("fetch('/api/v1/games').then((it) => it.json()).then((games) => {with_puzzles})");
    assert_eq!(offered, window.js_async(&games));
    window.js("(document.querySelector('#puzzle-game').value = 'pegs', document.querySelector('#puzzle-game').dispatchEvent(new Event('change')))");
    window.wait_for(
        "location.search === '?game=pegs' && document.querySelector('.board[aria-label*=puzzle]')",
    );
    // Without a match there is no socket, and nothing comes from elsewhere.
    let own = server.url("/");
    assert!(window.requests().iter().all(|url| url.starts_with(&own)));
    assert_eq!(window.errors(), [""; 0]);
}
