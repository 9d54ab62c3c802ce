//! The end of a game: the lines that scored or won.

use serde_json::{Value, json};

use super::driver::Driver;
use super::window::{TAB, Window};
use crate::http::{get, request};
use crate::test_server::TestServer;

/// The view of a game that two computers have played to its end, with a winner, while this
/// window has watched.
fn finished(server: &TestServer, window: &Window<'_>, game: &str) -> Value {
    for seed in 0..50 {
        let player = json!({"computer": format!("random(seed={seed})")});
        let body = json!({"game": game, "seats": [player, player], "first": "a"}).to_string();
        let headers = [("content-type", "application/json")];
        let created = request(server.address, "POST", "/api/v1/matches", &headers, &body).json();
        let id = created["match"].as_str().expect("an id").to_owned();
        window.go(&server.url(&format!("/m/{id}")));
        window.wait_for("document.querySelector('.status.over')");
        let view = get(server.address, &format!("/api/v1/matches/{id}")).json()["view"].take();
        if !view["verdict"]["winner"].is_null() {
            return view;
        }
    }
    panic!("fifty draws");
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn scored_lines_are_listed_and_pointed_at() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let mut window = Window::open(&driver, &server.url("/"));
    let view = finished(&server, &window, "pegs");
    window.wait_for("document.querySelector('.lines-of')");
    let board = &view["board"];
    // A place is the letter of its pole and its height from 1.
    let label = |place: &Value| {
        let stacks = list(&board["layout"]["stacks"]);
        let pole = stacks
            .iter()
            .find(|stack| stack["x"] == place[0] && stack["y"] == place[1]);
        let letter = pole
            .and_then(|pole| pole["label"].as_str())
            .expect("a label");
        format!("{letter}{}", number(&place[2]) + 1)
    };
    let mut order = Vec::new();
    for (index, seat) in ["a", "b"].into_iter().enumerate() {
        let lines = list(&board["lines"]).iter().enumerate();
        let own: Vec<_> = lines.filter(|(_, line)| line["seat"] == seat).collect();
        let texts = own.iter().map(|(_, line)| {
            list(&line["places"])
                .iter()
                .map(label)
                .collect::<Vec<_>>()
                .join(" ")
        });
        let texts: Vec<_> = texts.collect();
        order.extend(own.iter().map(|(at, _)| *at));
        let shown = window.js(&format!(
            "[...document.querySelectorAll('.lines-of')[{index}].querySelectorAll('button')].map((it) => it.textContent)"
        ));
        assert_eq!(shown, json!(texts));
        let heading = window.js(&format!(
            "document.querySelectorAll('.lines-of h3')[{index}].textContent"
        ));
        let heading = heading.as_str().expect("a text").to_owned();
        assert!(
            heading.ends_with(&format!(": {}", board["points"][index])),
            "{heading}"
        );
    }
    assert!(order.len() > 1, "several lines");
    // With the keyboard alone, one after the other.
    let pointed = "[...document.querySelectorAll('.lines .line')].flatMap((it, at) => it.classList.contains('pointed') ? [at] : [])";
    assert_eq!(window.js(pointed), json!([]));
    window.js("document.querySelector('.lines-of button').focus()");
    for line in &order {
        assert_eq!(window.js(pointed), json!([line]));
        window.press(TAB);
    }
    assert_eq!(window.js(pointed), json!([]), "left");
    assert_eq!(window.errors(), [""; 0]);
}

#[test]
#[ignore = "needs chromedriver: cargo xtask test installs it"]
fn a_line_crosses_the_big_board() {
    let (server, driver) = (TestServer::start(), Driver::start());
    let window = Window::open(&driver, &server.url("/"));
    let view = finished(&server, &window, "ultimate");
    let winner = &view["verdict"]["winner"];
    // The small boards of the winner, by row and column; nine cells each.
    let mut cells = [[0; 3]; 3];
    for cell in list(&view["board"]["cells"]) {
        if cell["tint"] == *winner {
            let [x, y] = [0, 1].map(|axis| number(&cell["at"][axis]) as usize / 3);
            cells[y][x] += 1;
        }
    }
    let is_won = |(x, y): (usize, usize)| cells[y][x] == 9;
    let straight = (0..3)
        .flat_map(|at| [[(0, at), (1, at), (2, at)], [(at, 0), (at, 1), (at, 2)]])
        .chain([[(0, 0), (1, 1), (2, 2)], [(0, 2), (1, 1), (2, 0)]]);
    let won: Vec<_> = straight
        .filter(|row| row.iter().all(|board| is_won(*board)))
        .collect();
    assert!(!won.is_empty(), "{cells:?}");

    window.wait_for("document.querySelector('.lines .across')");
    // Each line leads from the middle of one small board to that of another.
    let ends = window.js(
        "[...document.querySelectorAll('.lines .across .core')].map((line) => {
            const length = line.getTotalLength();
            return [0, length].map((at) => {
                const { x, y } = line.getPointAtLength(at);
                const near = [...document.querySelectorAll('.cell')].map((cell) => {
                    const { e, f } = cell.transform.baseVal.consolidate().matrix;
                    return [Math.hypot(e - x, f - y), cell.dataset.at];
                });
                return near.sort((one, other) => one[0] - other[0])[0][1];
            }).sort();
        })",
    );
    let middle = |(x, y): (usize, usize)| format!("{},{},0", 3 * x + 1, 3 * y + 1);
    let expected = won.iter().map(|row| {
        let mut ends = [middle(row[0]), middle(row[2])];
        ends.sort();
        json!(ends)
    });
    let mut expected: Vec<_> = expected.collect();
    let mut found = list(&ends).clone();
    for ends in [&mut expected, &mut found] {
        ends.sort_by_key(ToString::to_string);
    }
    assert_eq!(found, expected);
}
