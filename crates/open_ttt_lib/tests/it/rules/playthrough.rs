//! A whole game of each kind, with the results of every method after every move,
//! compared with a text file.
//!
//! `UPDATE=1 cargo test playthrough` rewrites the files.

use std::fmt::Write;
use std::{env, fs};

use open_ttt_lib::games::{
    ConnectFour, DotsAndBoxes, Draughts, Hex, LineSet, Lines, Mnk, Morris, Pegs, Quarto, Qubic,
    Reversi, TicTacToe, Ultimate,
};
use open_ttt_lib::rules::{
    CompactKey, Described, Drawing, FromName, Heuristic, IndexedMoves, Layout, Margin, Named,
    Notation, Outcome, Picture, Place, Side, Symmetry, play_text,
};

/// The results of all methods; `heuristic` formats those that only some games have.
fn describe<G>(game: &G, heuristic: fn(&G) -> String) -> String
where
    G: Notation + Drawing + CompactKey + IndexedMoves + Symmetry,
{
    let picture = game.picture();
    let name = |side: Side| game.side_name(side);
    let outcome = match game.outcome() {
        None => "none".to_owned(),
        Some(Outcome::Draw) => "draw".to_owned(),
        Some(Outcome::Win(side)) => format!("{} wins", name(side)),
    };
    let moves: Vec<_> = game
        .moves()
        .map(|m| format!("{}={}", game.move_text(m), game.move_index(m)))
        .collect();
    let lines: Vec<_> = picture
        .lines
        .iter()
        .map(|line| {
            let side = line.side.map_or("neither", name);
            format!("{side} {}", places(&line.places))
        })
        .collect();
    let mut text = board(&picture);
    for tray in &picture.trays {
        let pieces = tray.cells.iter().filter_map(|cell| cell.piece);
        let shown: Vec<_> = pieces
            .map(|piece| format!("{}*{}", piece.count, piece.mark))
            .collect();
        let owner = tray.side.map_or("neither", name);
        let line = format!("{} ({owner}): {}", tray.title, shown.join(" "));
        writeln!(text, "{}", line.trim_end()).expect("a string takes text");
    }
    if let Some(status) = &picture.status {
        writeln!(text, "status: {status}").expect("a string takes text");
    }
    for (label, result) in [
        ("to move", name(game.to_move()).to_owned()),
        ("outcome", outcome),
        ("moves", moves.join(" ")),
        ("lines", lines.join("; ")),
        ("points", format!("{:?}", picture.points)),
        ("heuristic", heuristic(game)),
        ("key", format!("{:#x}", game.key())),
        ("canonical key", format!("{:#x}", game.canonical().key())),
    ] {
        let line = format!("{label}: {result}");
        writeln!(text, "{}", line.trim_end()).expect("a string takes text");
    }
    text
}

fn places(places: &[Place]) -> String {
    let texts: Vec<_> = places
        .iter()
        .map(|Place { x, y, z }| format!("{x}{y}{z}"))
        .collect();
    texts.join("-")
}

/// Free cells are `.`, or `+` where a move would put a piece.
fn board<M>(picture: &Picture<M>) -> String {
    let letter = |place: Place| {
        let cell = picture.cells.iter().find(|cell| cell.place == place);
        let is_playable = || picture.choices.iter().any(|choice| choice.path == [place]);
        match cell.map(|cell| cell.piece) {
            Some(Some(piece)) => piece.mark,
            Some(None) if is_playable() => "+",
            Some(None) => ".",
            None => "?",
        }
    };
    let mut text = String::new();
    match &picture.layout {
        Layout::Grid { columns, rows, .. } | Layout::Points { columns, rows, .. } => {
            for (y, row) in rows.iter().enumerate().rev() {
                let cells: Vec<_> = (0..columns.len())
                    .map(|x| letter(Place::flat(x as u8, y as u8)))
                    .collect();
                writeln!(text, "{row:>2} {}", cells.join(" ")).expect("a string takes text");
            }
            let foot = format!("   {}", columns.join(" "));
            writeln!(text, "{}", foot.trim_end()).expect("a string takes text");
        }
        Layout::Hexagons { columns, rows, .. } => {
            for (y, row) in rows.iter().enumerate().rev() {
                let indent = " ".repeat(rows.len() - 1 - y);
                let cells: Vec<_> = (0..columns.len())
                    .map(|x| letter(Place::flat(x as u8, y as u8)))
                    .collect();
                writeln!(text, "{indent}{row:>2}  {}", cells.join(" "))
                    .expect("a string takes text");
            }
            let indent = " ".repeat(rows.len());
            writeln!(text, "{indent}    {}", columns.join(" ")).expect("a string takes text");
        }
        Layout::Dots { columns, rows } => {
            for (y, row) in rows.iter().enumerate().rev() {
                let place = |x: usize| match (x % 2, y % 2) {
                    (0, 0) => "o",
                    _ => letter(Place::flat(x as u8, y as u8)),
                };
                let line: String = (0..columns.len()).map(place).collect();
                writeln!(text, "{row:>2} {line}").expect("a string takes text");
            }
            let foot = columns.iter().map(|label| format!("{label:1}"));
            writeln!(text, "   {}", foot.collect::<String>()).expect("a string takes text");
        }
        Layout::Layers {
            layers,
            columns,
            rows,
        } => {
            for (y, row) in rows.iter().enumerate().rev() {
                let layer = |z: usize| {
                    let cells = (0..columns.len()).map(|x| {
                        let [x, y, z] = [x, y, z].map(|coordinate| coordinate as u8);
                        letter(Place { x, y, z })
                    });
                    cells.collect::<Vec<_>>().join(" ")
                };
                let sheets: Vec<_> = (0..layers.len()).map(layer).collect();
                writeln!(text, "{row:>2} {}", sheets.join("   ")).expect("a string takes text");
            }
            let feet = vec![columns.join(" "); layers.len()];
            writeln!(text, "   {}", feet.join("   ")).expect("a string takes text");
        }
        Layout::Stacks { stacks, height } => {
            for stack in stacks {
                let (x, y) = (stack.x, stack.y);
                let cells: Vec<_> = (0..*height).map(|z| letter(Place { x, y, z })).collect();
                writeln!(text, " {} ({x},{y}) {}", stack.label, cells.join(" "))
                    .expect("a string takes text");
            }
        }
        layout => panic!("a layout without a drawing: {layout:?}"),
    }
    text
}

/// Plays `moves` from `start` and compares the protocol with `expected`, the
/// contents of `file`.
#[track_caller]
fn check<G>(start: &G, moves: &str, heuristic: fn(&G) -> String, file: &str, expected: &str)
where
    G: Notation + Drawing + CompactKey + IndexedMoves + Symmetry + Described,
{
    let mut game = start.clone();
    let mut protocol = format!(
        "game: {}\ntitle: {}\n{}\n\n# start\n{}",
        game.name(),
        G::TITLE,
        G::RULES,
        describe(&game, heuristic)
    );
    for (ply, text) in moves.split(' ').enumerate() {
        play_text(&mut game, text).unwrap_or_else(|error| panic!("{error}"));
        let described = describe(&game, heuristic);
        write!(protocol, "\n# {}: {text}\n{described}", ply + 1).expect("a string takes text");
    }
    assert!(game.outcome().is_some(), "the game is complete");
    if env::var_os("UPDATE").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/playthroughs");
        fs::write(format!("{folder}/{file}"), &protocol).expect("the file can be written");
        return;
    }
    for (number, (ours, theirs)) in protocol.lines().zip(expected.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {} of {file}", number + 1);
    }
    assert!(protocol == expected, "{file} has another length");
}

#[test]
fn tic_tac_toe() {
    check(
        &TicTacToe::new(),
        "b2 a1 c1 a3 a2 c2 b3 b1 c3",
        |_| "none".to_owned(),
        "tic_tac_toe.txt",
        include_str!("../playthroughs/tic_tac_toe.txt"),
    );
}

#[test]
fn pegs() {
    let heuristic = |game: &Pegs| format!("margin {}, {}", game.margin(), game.heuristic());
    check(
        &Pegs::new(),
        "A D D D B E C F E E G B H A F G C H A C F H B G",
        heuristic,
        "pegs.txt",
        include_str!("../playthroughs/pegs.txt"),
    );
    check(
        &Pegs::with_lines(LineSet::ThirtyEight),
        "A D D D B E C F E E G B H A F G C H A C F H B G",
        heuristic,
        "pegs_38.txt",
        include_str!("../playthroughs/pegs_38.txt"),
    );
}

#[test]
fn connect_four() {
    check(
        &ConnectFour::new(),
        "4 4 4 3 5 6 3 5 5 3 3 2 1 5 6 6 6 6 6 2 2 2 7 7 4",
        |game| game.heuristic().to_string(),
        "connect_four.txt",
        include_str!("../playthroughs/connect_four.txt"),
    );
}

#[test]
fn mnk() {
    check(
        &Mnk::new(6, 5, 4).unwrap_or_default(),
        "c3 d3 c2 c4 d2 b2 e2 f2 d1 b3 e3 b4 b1 d4 a4 e4",
        |game| game.heuristic().to_string(),
        "mnk.txt",
        include_str!("../playthroughs/mnk.txt"),
    );
}

#[test]
fn qubic() {
    check(
        &Qubic::new(),
        "2c2 3b2 2c3 2c1 2b2 2a1 2b1 2b4 3b3 2a2 2a4 2b3 4a3 1d3 4a4 1d1 4a1 4a2 1a4 4b4 3a4",
        |game| game.heuristic().to_string(),
        "qubic.txt",
        include_str!("../playthroughs/qubic.txt"),
    );
}

#[test]
fn ultimate() {
    check(
        &Ultimate::new(),
        "e5 d4 c2 i4 i3 g9 c7 g3 a7 b2 d5 c6 h7 e3 e8 e4 d1 c3 h9 f7 i2 i6 h8 f4 i1 i5 b7 e2 d7 b1 e1 \
         d3 f9",
        |game| game.heuristic().to_string(),
        "ultimate.txt",
        include_str!("../playthroughs/ultimate.txt"),
    );
}

#[test]
fn reversi() {
    check(
        &Reversi::with_size(4).unwrap_or_default(),
        "b1 c1 d3 a1 pass c4 d4 a2 b4 pass a3 a4",
        |game| game.heuristic().to_string(),
        "reversi.txt",
        include_str!("../playthroughs/reversi.txt"),
    );
}

#[test]
fn dots_and_boxes() {
    check(
        &DotsAndBoxes::new(3, 2).unwrap_or_default(),
        "a3-b3 b1-c1 d2-d3 c1-d1 d1-d2 c1-c2 b2-b3 b2-c2 a2-b2 c3-d3 a2-a3 b3-c3 b1-b2 c2-d2 a1-a2 a1-b1 c2-c3",
        |game| game.heuristic().to_string(),
        "dots_and_boxes.txt",
        include_str!("../playthroughs/dots_and_boxes.txt"),
    );
}

#[test]
fn hex() {
    check(
        &Hex::new(4).unwrap_or_default(),
        "a1 swap d3 b1 c2 d4 b3 b4 a4 a2 d2 d1 c4 c3 a3 b2 c1",
        |game| game.heuristic().to_string(),
        "hex.txt",
        include_str!("../playthroughs/hex.txt"),
    );
}

#[test]
fn lines() {
    let from_name = |name| Lines::from_name(name).unwrap_or_else(|error| panic!("{error}"));
    check(
        &from_name("lines(m=4,n=4,layers=3,k=4,wrap=1)"),
        "3b3 1b1 3a2 1d3 3c4 3d1 3d3 3b1 3c3 3c1 3a3",
        |game| game.heuristic().to_string(),
        "lines.txt",
        include_str!("../playthroughs/lines.txt"),
    );
    check(
        &from_name("lines(same=1,misere=1,boards=2)"),
        "1a2 1b3 1a1 1b1 2a3 1c1 2a1 2b3 2c2 2b1 2c1",
        |game| game.heuristic().to_string(),
        "lines_notakto.txt",
        include_str!("../playthroughs/lines_notakto.txt"),
    );
}

#[test]
fn quarto() {
    check(
        &Quarto::new(),
        "lsqh a1-lsrf d2-ltqh b1-dtqf c1-dtrf a4-ltrh c3-dsrh d1-ltrf d4-dtqh b2-dtrh d3",
        |game| game.heuristic().to_string(),
        "quarto.txt",
        include_str!("../playthroughs/quarto.txt"),
    );
}

#[test]
fn draughts() {
    check(
        &Draughts::new(),
        "9-14 23-18 14x23 26x19 10-15 19x10 6x15 24-19 15x24 28x19 2-6 27-23 11-15 19x10 7x14 \
         23-19 6-10 22-17 3-7 19-15 10x19 17x10x3 19-24 25-22 8-11 22-18 12-16 18-14 24-27 32x23 \
         11-15 21-17 4-8 3x12x19x10 1-6 10x1 5-9 14x5",
        |game| game.heuristic().to_string(),
        "draughts.txt",
        include_str!("../playthroughs/draughts.txt"),
    );
}

#[test]
fn morris() {
    check(
        &Morris::six(),
        "d3 b3 d2 d4 b2 c2 a3 e3 a1 a5 c1 e1",
        |game| game.heuristic().to_string(),
        "morris.txt",
        include_str!("../playthroughs/morris.txt"),
    );
}
