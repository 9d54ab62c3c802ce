//! What games write for a network, seen on boards drawn by hand.

use open_ttt_lib::games::{
    ConnectFour, DotsAndBoxes, Hex, Mnk, Pegs, Qubic, Reversi, TicTacToe, Ultimate,
};
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Encode, Notation, Side, TwoPlayerGame, encode_owners, play_text};

/// The planes after these moves, as drawn: a plane's rows from the top, `#` for
/// one and `.` for zero.
#[track_caller]
fn check<G: Encode + Notation>(mut game: G, moves: &str, expected: &[&[&str]]) {
    play_text(&mut game, moves).unwrap();
    let encoding = game.encoding();
    let mut planes = vec![f32::NAN; encoding.inputs()];
    game.encode(&mut planes);
    let drawn: Vec<Vec<String>> = planes
        .chunks(encoding.cells())
        .map(|plane| {
            let rows = plane.chunks(encoding.columns).rev();
            rows.map(|row| row.iter().copied().map(sign).collect())
                .collect()
        })
        .collect();
    assert_eq!(drawn, expected);
}

fn sign(number: f32) -> char {
    match number {
        0.0 => '.',
        1.0 => '#',
        _ => '?',
    }
}

#[test]
fn tic_tac_toe_when_x_moves() {
    check(
        TicTacToe::new(),
        "a1 c2",
        &[&["...", "...", "#.."], &["...", "..#", "..."]],
    );
}

#[test]
fn tic_tac_toe_when_o_moves() {
    check(
        TicTacToe::new(),
        "a1 c2 b3",
        &[&["...", "..#", "..."], &[".#.", "...", "#.."]],
    );
}

#[test]
fn connect_four() {
    check(
        ConnectFour::new(),
        "4 4 7",
        &[
            &[
                ".......", ".......", ".......", ".......", "...#...", ".......",
            ],
            &[
                ".......", ".......", ".......", ".......", ".......", "...#..#",
            ],
        ],
    );
}

#[test]
fn a_board_that_is_not_square() {
    check(
        Mnk::new(4, 2, 2).unwrap(),
        "d1 a2",
        &[&["....", "...#"], &["#...", "...."]],
    );
}

#[test]
fn pegs_stand_where_they_stand() {
    const EMPTY: &[&str] = &[".....", ".....", "....."];
    check(
        Pegs::new(),
        "A A D H",
        &[
            &[".....", ".#...", "#...."],
            EMPTY,
            EMPTY,
            &["....#", ".....", "....."],
            &[".....", ".....", "#...."],
            EMPTY,
        ],
    );
}

#[test]
fn qubic_in_layers() {
    const EMPTY: &[&str] = &["....", "....", "....", "...."];
    check(
        Qubic::new(),
        "1a1 4d1 2b3",
        &[
            EMPTY,
            EMPTY,
            EMPTY,
            &["....", "....", "....", "...#"],
            &["....", "....", "....", "#..."],
            &["....", ".#..", "....", "...."],
            EMPTY,
            EMPTY,
        ],
    );
}

#[test]
fn ultimate_by_boards() {
    const EMPTY: &[&str] = &["...", "...", "..."];
    // X in the middle of the middle board, O at its lower right, so that X has to
    // answer in the board at the lower right.
    let mut expected = vec![EMPTY; 21];
    expected[4] = &["...", ".#.", "..."];
    expected[9 + 2] = &["...", ".#.", "..."];
    expected[20] = &["...", "...", "..#"];
    check(Ultimate::new(), "e5 f4", &expected);
}

#[test]
fn ultimate_with_boards_won() {
    let mut rng = Rng::new(3);
    let mut told = [0; 2];
    for _ in 0..20 {
        let mut game = Ultimate::new();
        while let Some(m) = rng.pick(game.moves()) {
            game.play_unchecked(m);
            let mut planes = vec![f32::NAN; game.encoding().inputs()];
            game.encode(&mut planes);
            for board in 0..9 {
                let expected = match game.board_owner(board) {
                    None => [0, 0],
                    Some(side) if side == game.to_move() => [1, 0],
                    Some(_) => [0, 1],
                };
                let at = 2 * 81 + board as usize;
                let written = [planes[at], planes[at + 9]].map(sign);
                let expected_signs = expected.map(|count| if count == 1 { '#' } else { '.' });
                assert_eq!(written, expected_signs, "{game:?}");
                told[0] += expected[0];
                told[1] += expected[1];
            }
        }
    }
    assert!(told.iter().all(|&count| count > 100), "{told:?}");
}

#[test]
fn reversi_from_the_top() {
    // Drawn with the first row, the board's top, at the bottom.
    check(
        Reversi::with_size(4).unwrap(),
        "b1",
        &[
            &["....", "..#.", "....", "...."],
            &["....", ".#..", ".##.", ".#.."],
        ],
    );
}

#[test]
fn dots_and_boxes_by_box() {
    const NONE: &[&str] = &["...", "..."];
    // An edge between two boxes is the upper one of a box and the lower one of another.
    check(
        DotsAndBoxes::new(3, 2).unwrap(),
        "a1-b1 b2-c2 d1-d2",
        &[
            &[".#.", "#.."],
            NONE,
            &["...", ".#."],
            &["...", "..#"],
            NONE,
        ],
    );
}

#[test]
fn dots_and_boxes_with_a_lead() {
    let mut game = DotsAndBoxes::new(4, 1).unwrap();
    play_text(&mut game, "a1-b1 a2-b2 a1-a2 b1-b2").unwrap();
    let lead = |game: &DotsAndBoxes| {
        let mut planes = vec![f32::NAN; game.encoding().inputs()];
        game.encode(&mut planes);
        planes.split_off(4 * game.encoding().cells())
    };
    assert_eq!(lead(&game), [0.25; 4]);
    play_text(&mut game, "c1-d1").unwrap();
    assert_eq!(lead(&game), [-0.25; 4]);
}

#[test]
fn hex_for_either_side() {
    const NONE: &[&str] = &["...", "...", "..."];
    const ALL: &[&str] = &["###", "###", "###"];
    let stone: &[&str] = &["...", "..#", "..."];
    let reflected: &[&str] = &[".#.", "...", "..."];
    check(Hex::new(3).unwrap(), "c2", &[NONE, stone, NONE]);
    check(Hex::new(3).unwrap(), "c2 swap", &[NONE, reflected, ALL]);
}

#[test]
fn owners_beyond_the_planes_are_left_out() {
    let mut planes = [f32::NAN; 4];
    let mut drawn = |owners: &[Option<Side>]| {
        encode_owners(&mut planes, Side::Second, owners.iter().copied());
        planes.map(sign).into_iter().collect::<String>()
    };
    assert_eq!(drawn(&[Some(Side::Second); 7]), "##..");
    assert_eq!(drawn(&[None, Some(Side::First)]), "...#");
}
