//! Counts of move sequences, from files that name their sources.

use std::fmt::Debug;

use open_ttt_lib::games::{
    ConnectFour, DotsAndBoxes, Draughts, Hex, Lines, Mnk, Morris, Pegs, Quarto, Qubic, Reversi,
    TicTacToe, Ultimate,
};
use open_ttt_lib::rules::{Described, Named, Spec, perft, perft_divide};

/// Checks the sections of a file whose game is `G`; returns how many counts
/// there were.
///
/// A section begins with the game's name in brackets; its lines are a depth
/// and a count.
#[track_caller]
fn check<G: Described + Debug>(file: &str) -> usize {
    let mut game: Option<G> = None;
    let mut counts = 0;
    for line in file.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            let spec: Spec = name.parse().unwrap_or_else(|error| panic!("{error}"));
            game = (spec.name == G::KEY)
                .then(|| G::from_spec(&spec).unwrap_or_else(|error| panic!("{error}")));
            continue;
        }
        let (depth, count) = line.split_once(' ').expect("a depth and a count");
        let depth = depth.parse().expect("the depth is a number");
        let count: u64 = count.parse().expect("the count is a number");
        if let Some(game) = &game {
            assert_eq!(
                perft(game, depth),
                count,
                "{} to depth {depth}",
                game.name()
            );
            counts += 1;
        }
    }
    counts
}

#[test]
fn tic_tac_toe() {
    let file = include_str!("../perft/tic_tac_toe.txt");
    assert_eq!(check::<TicTacToe>(file), 11);
    assert_eq!(check::<Mnk>(file), 10);
}

#[test]
fn pegs() {
    assert_eq!(check::<Pegs>(include_str!("../perft/pegs.txt")), 12);
}

#[test]
fn connect_four() {
    let file = include_str!("../perft/connect_four.txt");
    assert_eq!(check::<ConnectFour>(file), 10);
}

#[test]
fn qubic() {
    assert_eq!(check::<Qubic>(include_str!("../perft/qubic.txt")), 6);
}

#[test]
fn ultimate() {
    assert_eq!(check::<Ultimate>(include_str!("../perft/ultimate.txt")), 8);
}

#[test]
fn reversi() {
    assert_eq!(check::<Reversi>(include_str!("../perft/reversi.txt")), 28);
}

#[test]
fn dots_and_boxes() {
    let file = include_str!("../perft/dots_and_boxes.txt");
    assert_eq!(check::<DotsAndBoxes>(file), 15);
}

#[test]
fn hex() {
    assert_eq!(check::<Hex>(include_str!("../perft/hex.txt")), 17);
}

#[test]
fn lines() {
    assert_eq!(check::<Lines>(include_str!("../perft/lines.txt")), 17);
}

#[test]
fn quarto() {
    assert_eq!(check::<Quarto>(include_str!("../perft/quarto.txt")), 4);
}

#[test]
fn draughts() {
    let file = include_str!("../perft/draughts.txt");
    assert_eq!(check::<Draughts>(file), 10);
}

#[test]
fn morris() {
    assert_eq!(check::<Morris>(include_str!("../perft/morris.txt")), 6);
}

#[test]
fn divided_counts_add_up() {
    let game = ConnectFour::new();
    for depth in 1..=6 {
        let divided = perft_divide(&game, depth);
        assert_eq!(divided.len(), 7);
        let sum: u64 = divided.iter().map(|(_, count)| count).sum();
        assert_eq!(sum, perft(&game, depth), "depth {depth}");
    }
    assert_eq!(perft_divide(&game, 0), []);
}
