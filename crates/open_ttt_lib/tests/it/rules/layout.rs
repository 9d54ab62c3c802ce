//! What is on a board and what beside it.

use open_ttt_lib::games::{ConnectFour, DotsAndBoxes, Hex, Morris, Pegs, Quarto, Qubic, TicTacToe};
use open_ttt_lib::rules::{BoardCell, Drawing, Piece, Place, Side};

/// The places of a board, by looking at all near it.
fn places(game: &impl Drawing) -> Vec<(u8, u8, u8)> {
    let layout = game.picture().layout;
    let range = 0..20;
    let all = range.clone().flat_map(|x| {
        let range = range.clone();
        range
            .clone()
            .flat_map(move |y| range.clone().map(move |z| (x, y, z)))
    });
    all.filter(|&(x, y, z)| layout.contains(Place { x, y, z }))
        .collect()
}

#[test]
fn a_layout_contains_the_places_of_its_board() {
    // Columns, rows and layers.
    let boards = [
        (places(&TicTacToe::new()), [3, 3, 1]),
        (places(&ConnectFour::new()), [7, 6, 1]),
        (places(&Qubic::new()), [4, 4, 4]),
        (places(&Hex::new(5).unwrap()), [5, 5, 1]),
        // A plane of seven by seven points, of which 24 are used.
        (places(&Morris::nine()), [7, 7, 1]),
        // Dots, edges and boxes.
        (places(&DotsAndBoxes::new(2, 3).unwrap()), [5, 7, 1]),
    ];
    for (places, size) in boards {
        let [x, y, z] = size;
        assert_eq!(
            places.len(),
            usize::from(x) * usize::from(y) * usize::from(z)
        );
        let last = places.last().copied();
        assert_eq!(last, Some((x - 1, y - 1, z - 1)));
    }
}

#[test]
fn stacks_contain_their_places_up_to_their_height() {
    // Eight pegs of three balls in a square around nothing.
    let places = places(&Pegs::new());
    assert_eq!(places.len(), 8 * 3);
    assert!(places.iter().all(|&(_, _, z)| z < 3));
}

#[test]
fn places_in_trays_are_told_from_those_on_boards() {
    assert!(Place::in_tray(1, 3).is_in_tray());
    for place in [
        Place::flat(0, 0),
        Place::flat(u8::MAX, u8::MAX),
        Place { x: 3, y: 1, z: 254 },
    ] {
        assert!(!place.is_in_tray(), "{place:?}");
    }
}

#[test]
fn a_cell_belongs_to_the_side_of_its_piece() {
    let mut cell = BoardCell::at(Place::flat(2, 1));
    for piece in [
        None,
        Some(Piece::new(Side::First, "X")),
        Some(Piece::new(Side::Second, "O")),
        Some(Piece::neutral("R")),
    ] {
        cell.piece = piece;
        assert_eq!(cell.owner(), piece.and_then(|piece| piece.side));
    }
}

#[test]
fn all_cells_are_those_of_the_board_and_of_the_trays() {
    // Beside the board are the sixteen pieces and a place for the one in hand.
    assert_eq!(Quarto::new().picture().all_cells().count(), 16 + 16 + 1);
    assert_eq!(TicTacToe::new().picture().all_cells().count(), 9);
}
