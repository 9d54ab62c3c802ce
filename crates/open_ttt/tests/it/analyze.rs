//! `analyze` compared with an independent solver: plain minimax on a board of
//! characters, without the library.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::judge::{self, cells};
use crate::program::{check_one_sentence, command, finish, run, run_json, words};

/// A board of nine characters, row by row from row 1.
type Board = [char; 9];

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];

/// The value of a position for the side to move: 1, 0 or -1, and the plies to the
/// fastest win or the slowest loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Worth {
    result: i32,
    plies: u32,
}

fn is_over(board: &Board) -> bool {
    !board.contains(&' ') || has_lost(board)
}

/// Whether the side that is not to move has three in a row.
fn has_lost(board: &Board) -> bool {
    LINES
        .iter()
        .any(|line| board[line[0]] != ' ' && line.iter().all(|&at| board[at] == board[line[0]]))
}

fn mover(board: &Board) -> char {
    let free = board.iter().filter(|&&c| c == ' ').count();
    if free % 2 == 1 { 'X' } else { 'O' }
}

fn play(board: &Board, at: usize) -> Board {
    let mut next = *board;
    next[at] = mover(board);
    next
}

fn free(board: &Board) -> Vec<usize> {
    if is_over(board) {
        return Vec::new();
    }
    (0..9).filter(|&at| board[at] == ' ').collect()
}

/// The value one ply earlier, for the other side.
fn before(worth: Worth) -> Worth {
    Worth {
        result: -worth.result,
        plies: worth.plies + 1,
    }
}

fn is_better(one: Worth, other: Worth) -> bool {
    match one.result.cmp(&other.result) {
        std::cmp::Ordering::Equal if one.result > 0 => one.plies < other.plies,
        std::cmp::Ordering::Equal => one.plies > other.plies,
        order => order.is_gt(),
    }
}

fn worth(board: &Board) -> Worth {
    let replies = free(board).into_iter();
    let worths = replies.map(|at| before(worth(&play(board, at))));
    worths
        .reduce(|one, other| if is_better(other, one) { other } else { one })
        .unwrap_or(Worth {
            result: if has_lost(board) { -1 } else { 0 },
            plies: 0,
        })
}

fn best(board: &Board, known: &HashMap<Board, Worth>) -> Vec<usize> {
    free(board)
        .into_iter()
        .filter(|&at| before(known[&play(board, at)]) == known[board])
        .collect()
}

/// All reachable positions, each with moves that lead to it.
fn positions() -> Vec<(Board, Vec<usize>)> {
    let mut found = vec![([' '; 9], Vec::new())];
    let mut next = 0;
    let mut seen = HashSet::from([[' '; 9]]);
    while let Some((board, moves)) = found.get(next).cloned() {
        next += 1;
        for at in free(&board) {
            let after = play(&board, at);
            if seen.insert(after) {
                let mut longer = moves.clone();
                longer.push(at);
                found.push((after, longer));
            }
        }
    }
    found
}

fn texts(moves: &[usize]) -> Vec<String> {
    moves.iter().map(|&at| cells()[at].clone()).collect()
}

fn result_name(worth: i64) -> &'static str {
    match worth {
        1.. => "win",
        0 => "draw",
        _ => "loss",
    }
}

/// Checks the value of every move, and that the hint is a best move.
fn check_values(board: &Board, report: &Value, known: &HashMap<Board, Worth>) {
    let values = report["values"].as_array().unwrap();
    let moves: HashSet<_> = values
        .iter()
        .map(|value| value["move"].as_str().unwrap())
        .collect();
    assert_eq!(moves.len(), free(board).len());
    for value in values {
        let text = value["move"].as_str().unwrap();
        let at = cells().iter().position(|cell| cell == text).unwrap();
        let expected = before(known[&play(board, at)]);
        let plies = (expected.result != 0).then_some(expected.plies);
        assert_eq!(
            value["result"],
            result_name(expected.result.into()),
            "{report}"
        );
        assert_eq!(value["plies"], json!(plies), "{report}");
        assert_eq!(
            value["expected"],
            json!(f64::from(expected.result + 1) / 2.0)
        );
        assert_eq!(
            (&value["exact"], &value["margin"]),
            (&json!(true), &Value::Null)
        );
    }
    let best = texts(&best(board, known));
    match report["hint"]["move"].as_str() {
        Some(text) => assert!(best.contains(&text.to_owned()), "{report}"),
        None => assert!(best.is_empty() && report["hint"].is_null()),
    }
}

#[test]
fn every_position_of_tic_tac_toe() {
    let positions = positions();
    assert_eq!(positions.len(), 5_478);
    let known: HashMap<Board, Worth> = positions
        .iter()
        .map(|(board, _)| (*board, worth(board)))
        .collect();
    let lines: Vec<_> = positions
        .iter()
        .map(|(_, moves)| texts(moves).join(" "))
        .collect();

    let analyze = ["analyze", "--game", "ttt", "--json", "--batch"];
    let reports = run_json(analyze, lines.join("\n"));
    let with_values = run_json(analyze.iter().chain(&["--values"]), lines.join("\n"));

    assert_eq!(reports.len(), positions.len());
    assert_eq!(with_values.len(), positions.len());
    for ((board, _), report) in positions.iter().zip(&with_values) {
        check_values(board, report, &known);
    }
    let both = reports.iter().zip(with_values);
    for ((board, _), (line, (report, mut with_values))) in
        positions.iter().zip(lines.iter().zip(both))
    {
        // The rest is the same, but for what it took and the line.
        let fields = with_values.as_object_mut().unwrap();
        fields.remove("values");
        fields.remove("hint");
        for field in ["pv", "nodes", "ms"] {
            fields.insert(field.to_owned(), report[field].clone());
        }
        assert_eq!(with_values, *report);
        let Worth { result, plies } = known[board];
        let expected = json!({
            "game": "ttt",
            "moves": line,
            "to_move": mover(board),
            "result": result_name(result.into()),
            "plies": plies,
            "margin": null,
            "best": texts(&best(board, &known)),
            "pv": report["pv"],
            "exact": true,
            "nodes": report["nodes"],
            "ms": report["ms"],
        });
        assert_eq!(*report, expected);
        assert!(report["nodes"].is_u64() && report["ms"].as_f64() >= Some(0.0));

        let mut at = *board;
        let pv = words(report, "pv");
        assert_eq!(pv.len(), plies as usize, "{report}");
        for m in pv {
            let m = cells().iter().position(|cell| *cell == m).unwrap();
            assert!(best(&at, &known).contains(&m), "{report}");
            at = play(&at, m);
        }
        assert!(is_over(&at), "{report}");
    }
}

#[test]
fn the_late_positions_of_the_eight_pegs() {
    let files = [
        (
            34,
            include_str!("../../../open_ttt_lib/tests/it/data/positions_34.tsv"),
        ),
        (
            38,
            include_str!("../../../open_ttt_lib/tests/it/data/positions_38.tsv"),
        ),
    ];
    for (lines, file) in files {
        let game = if lines == 34 {
            "pegs"
        } else {
            "pegs(lines=38)"
        };
        let late: Vec<Vec<&str>> = file
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split('\t').collect())
            .filter(|fields: &Vec<&str>| fields[0].len() >= 16)
            .collect();
        assert!(late.len() >= 100);
        let batch: Vec<_> = late.iter().map(|fields| fields[0]).collect();
        let reports = run_json(
            ["analyze", "--game", game, "--json", "--batch"],
            batch.join("\n"),
        );
        assert_eq!(reports.len(), late.len());
        for (fields, report) in late.iter().zip(reports) {
            let moves = fields[0];
            let red: i64 = fields[1].parse().unwrap();
            let (to_move, margin) = if moves.len() % 2 == 0 {
                ("Red", red)
            } else {
                ("White", -red)
            };
            let best: Vec<_> = fields[2].chars().map(String::from).collect();
            let expected = json!({
                "game": game,
                "moves": moves,
                "to_move": to_move,
                "result": result_name(margin),
                "plies": 24 - moves.len(),
                "margin": margin,
                "best": best,
                "pv": report["pv"],
                "exact": true,
                "nodes": report["nodes"],
                "ms": report["ms"],
            });
            assert_eq!(report, expected);
            let end = moves.to_owned() + &words(&report, "pv").concat();
            let [red_points, white_points] = judge::pegs_points(&end, lines);
            assert_eq!(red_points as i64 - white_points as i64, red, "{report}");
        }
    }
}

#[test]
fn an_unproved_result_is_unknown() {
    // After the opening book.
    let position = ["analyze", "--game", "connect4", "--moves", "712267261"];
    let args = [&position[..], &["--time", "1ms", "--json"]].concat();
    let [report] = &run_json(&args, "")[..] else {
        panic!("one position has one report");
    };
    assert_eq!(report["exact"], false);
    assert_eq!(report["result"], "unknown");
    assert_eq!(report["plies"], Value::Null);
    assert_eq!(report["margin"], Value::Null);
    assert_eq!(report["to_move"], "Yellow");
    assert!(!words(report, "best").is_empty());

    let text = run(&args[..7], "");
    assert!(
        text.starts_with("Yellow to move, result unknown; best guess: "),
        "{text}"
    );
}

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let args = [
        "analyze",
        "--game",
        "connect4",
        "--json",
        "--moves",
        "44444325221",
    ];
    let mut reports = ["1", "2", "64"].map(|threads| {
        let args = [&args[..], &["--threads", threads]].concat();
        let [report] = &mut run_json(args, "")[..] else {
            panic!("one position has one report");
        };
        // The effort and the choice among equal lines vary.
        for varies in ["nodes", "ms", "pv"] {
            report.as_object_mut().unwrap().remove(varies);
        }
        assert_eq!(report["exact"], true);
        report.take()
    });
    reports.sort_by_key(Value::to_string);
    assert_eq!(reports[0], reports[2]);
}

#[track_caller]
fn check_text(game: &str, moves: &str, expected: &str) {
    let text = run(["analyze", "--game", game, "--moves", moves], "");
    assert_eq!(text, format!("{expected}\n"));
}

#[test]
fn an_analysis_as_text() {
    check_text("ttt", "a1 a2 b1 b2", "X wins in 1; best: c1; line: c1");
    check_text(
        "ttt",
        "a1 b2 b1 c1 a3 a2 c2",
        "O draws in 2; best: b3 c3; line: b3 c3",
    );
    check_text("ttt", "a1 b1 a2 b2 c3", "O wins in 1; best: b3; line: b3");
    check_text("ttt", "a1 b1 a2 b2 a3", "O has lost");
    check_text("ttt", "b2 a1 c1 a3 a2 c2 b3 b1 c3", "the game is drawn");
    check_text(
        "pegs",
        "FADBGEAFFGCDBHGDEHHACCB",
        "White loses by 1; best: E; line: E",
    );
    check_text("pegs", "FADBGEAFFGCDBHGDEHHACCBE", "Red has won by 1");
}

#[test]
fn moves_can_be_separated_in_many_ways() {
    let of = |game: &str, moves: &str| {
        let args = ["analyze", "--json", "--game", game, "--moves", moves];
        run_json(args, "").remove(0)["moves"].clone()
    };
    for moves in [
        "a1 b2 c3",
        "a1,b2,c3",
        "A1 B2 C3",
        " a1,  b2 ,c3 ",
        "a1, b2, c3",
    ] {
        assert_eq!(of("ttt", moves), "a1 b2 c3", "{moves:?}");
    }
    let late = "FADBGEAFFGCDBHGDEHHA";
    let spaced: String = late.chars().flat_map(|c| [c, ' ']).collect();
    for moves in [late, &spaced, &late.to_lowercase()] {
        assert_eq!(of("pegs", moves), late, "{moves:?}");
    }
    assert_eq!(of("connect4", "4,4 1 4 1414"), "44141414");
    for moves in ["", " ", "-"] {
        assert_eq!(of("ttt", moves), "", "{moves:?}");
    }
}

#[test]
fn a_time_has_a_unit() {
    for time in ["500ms", "10s", "1.5m", "1h", "24h"] {
        let args = ["analyze", "--game", "ttt", "--time", time];
        assert!(run(args, "").starts_with("X draws in 9; best: a1 b1 c1 "));
    }
}

#[test]
fn a_batch_continues_after_an_invalid_line() {
    let mut input =
        b"a1 b1 a2 b2\nz9\n\n\xff\xfe\na1 a1\na1 b1 a2 b2 a3 c3\n\x1b[2J\x07\n".to_vec();
    input.extend(vec![b'a'; 1 << 20]);
    input.extend(b"\n-\r\na1 b1 a2 b2");

    let ran = finish(
        command(["analyze", "--game", "ttt", "--batch", "--json"]),
        input,
    );

    assert_eq!(ran.status, Some(1));
    let moves: Vec<_> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["moves"].clone())
        .collect();
    assert_eq!(moves, ["a1 b1 a2 b2", "", "", "a1 b1 a2 b2"]);
    let expected_move =
        "isn't a move; expected a column from a to c and a row from 1 to 3, as in a1";
    let expected = [
        format!("line 2: move 1: \"z9\" {expected_move}"),
        "line 4: the line isn't valid UTF-8".to_owned(),
        "line 5: move 2: \"a1\" is not possible: that place is already taken".to_owned(),
        "line 6: move 6: \"c3\" is not possible: the game is over".to_owned(),
        format!("line 7: move 1: \"\\u{{1b}}[2J\\u{{7}}\" {expected_move}"),
        "line 8: the line is longer than 16384 bytes".to_owned(),
        "6 invalid lines".to_owned(),
    ];
    let expected: String = expected.map(|line| format!("open_ttt: {line}\n")).concat();
    assert_eq!(ran.stderr, expected);
    ran.stderr
        .split_inclusive('\n')
        .for_each(check_one_sentence);
}

#[test]
fn a_batch_can_be_empty() {
    let args = ["analyze", "--game", "ttt", "--batch"];
    assert_eq!(run(args, ""), "");
    let ran = finish(command(args), "nonsense");
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.ends_with("open_ttt: 1 invalid line\n"));
}

/// With slow and quick positions and with invalid lines.
#[test]
fn the_results_of_a_batch_are_in_order_on_any_number_of_threads() {
    let mut lines = Vec::new();
    for round in 0..40 {
        // An empty board takes longer than a full one.
        lines.push(String::new());
        lines.push("b2 a1 c1 a3 a2 c2 b3 b1 c3".to_owned());
        lines.push(if round % 7 == 3 { "z9" } else { "a1 b1 a2" }.to_owned());
        lines.push(cells()[round % 9].clone());
    }
    let right: Vec<_> = lines.iter().filter(|line| *line != "z9").collect();
    for threads in ["1", "2", "7"] {
        let args = ["analyze", "--game", "ttt", "--batch", "--json"];
        let ran = finish(
            command(args.iter().chain(&["--threads", threads])),
            lines.join("\n"),
        );
        let moves: Vec<_> = ran
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["moves"].clone())
            .collect();
        assert_eq!(moves.len(), right.len());
        assert!(moves.iter().zip(&right).all(|(one, other)| one == *other));
        let wrong: Vec<_> = ran.stderr.lines().collect();
        let numbers = (0..40)
            .filter(|round| round % 7 == 3)
            .map(|round| 4 * round + 3);
        for (line, number) in wrong.iter().zip(numbers) {
            let start = format!("open_ttt: line {number}: move 1: ");
            assert!(line.starts_with(&start), "{line}");
        }
        assert_eq!(wrong.last(), Some(&"open_ttt: 6 invalid lines"));
        assert_eq!(ran.status, Some(1));
    }
}

#[test]
fn a_batch_reports_a_line_before_the_next_one_is_written() {
    use std::io::{BufRead, BufReader, Write};

    let mut child = command(["analyze", "--game", "ttt", "--batch"])
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        writeln!(input, "a1 b1 a2 b2").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "X wins in 1; best: a3; line: a3\n");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn values_and_a_hint_in_words() {
    let args = [
        "analyze", "--game", "ttt", "--moves", "a1 b2 a2", "--values",
    ];
    assert_eq!(
        run(args, ""),
        "\
O draws in 6; best: a3; line: a3 c1 b1 b3 c2 c3
a3  O draws
b1  O loses in 2
c1  O loses in 2
c2  O loses in 2
b3  O loses in 2
c3  O loses in 2
a3 stops X from winning there, threatens to win with c1 and is the only move that doesn't lose.
"
    );
}
