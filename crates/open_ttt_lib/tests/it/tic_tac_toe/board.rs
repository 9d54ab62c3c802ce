//! Boards, squares and the iterators over them.

use std::collections::HashSet;

use open_ttt_lib::tic_tac_toe::{
    AiMove, Board, GameState, MoveError, Owner, Position, Square, VictorySets,
};

use super::{at, drawn, lines, picture_of, played};

#[test]
fn a_new_board_is_empty() {
    let board = Board::new();
    assert_eq!(board, Board::default());
    assert_eq!(board.size(), 3);
    assert_eq!(board.iter().len(), 9);
    assert!(board.iter().all(|square| square.owner == Owner::None));
    assert_eq!(board.free_squares().count(), 9);
}

#[test]
fn iter_reads_row_by_row() {
    let board = Board::new();
    let expected: Vec<_> = (0..3)
        .flat_map(|row| (0..3).map(move |column| at(row, column)))
        .collect();
    let forwards: Vec<_> = board.iter().map(|square| square.position).collect();
    let mut backwards: Vec<_> = board.iter().rev().map(|square| square.position).collect();
    backwards.reverse();
    let mut looped = Vec::new();
    for square in &board {
        looped.push(square.position);
    }
    assert_eq!(forwards, expected);
    assert_eq!(backwards, expected);
    assert_eq!(looped, expected);
    let mut iter = board.iter();
    iter.nth(6);
    assert_eq!(iter.clone().len(), 2);
    assert_eq!(iter.nth(2), None);
    assert_eq!(iter.next(), None);
}

#[test]
fn free_squares_have_no_owner() {
    let game = drawn("XOX/.O./X.O", None);
    let expected = [(1, 0), (1, 2), (2, 1)];
    let forwards = game
        .board()
        .free_squares()
        .map(|square| square.position.into());
    assert_eq!(forwards.collect::<Vec<(i32, i32)>>(), expected);
    let backwards = game
        .board()
        .free_squares()
        .rev()
        .map(|square| square.position.into());
    assert_eq!(
        backwards.collect::<Vec<(i32, i32)>>(),
        [(2, 1), (1, 2), (1, 0)]
    );
    assert!(
        game.board()
            .free_squares()
            .all(|square| square.owner == Owner::None)
    );
}

#[test]
fn victory_sets_are_rows_columns_and_diagonals() {
    let mut expected = Vec::new();
    expected.extend((0..3).map(|row| [(row, 0), (row, 1), (row, 2)]));
    expected.extend((0..3).map(|column| [(0, column), (1, column), (2, column)]));
    expected.extend([[(0, 0), (1, 1), (2, 2)], [(0, 2), (1, 1), (2, 0)]]);
    let sets = Board::new().victory_sets();
    assert_eq!(sets.len(), 8);
    assert_eq!(lines(sets, Owner::None), expected);
    let mut backwards: Vec<_> = sets.rev().collect();
    backwards.reverse();
    assert_eq!(backwards, sets.collect::<Vec<_>>());
}

#[test]
fn victory_sets_show_the_owners() {
    let game = played([(0, 0), (1, 1)]);
    for square in game.board().victory_sets().flatten() {
        assert_eq!(square, game.board().get(square.position));
    }
}

#[test]
fn victory_sets_in_a_state_are_a_copy() {
    let state = drawn("OOX/OXO/XXX", Some((2, 0))).state();
    let (GameState::PlayerXWin(mut sets), GameState::PlayerXWin(again)) = (state, state) else {
        panic!("{state:?}");
    };
    assert_eq!(sets, again);
    assert_eq!(sets.next().map(|set| set[0].position), Some(at(2, 0)));
    assert_eq!((sets.len(), again.len()), (1, 2));
    assert_ne!(sets, again);
    assert_eq!(sets.next_back().map(|set| set[0].position), Some(at(0, 2)));
    assert_eq!((sets.next(), sets.next_back()), (None, None));
    assert!(format!("{state:?}").starts_with("PlayerXWin([[Square {"));
}

#[test]
fn states_are_equal_when_the_lines_are() {
    let one = drawn("X.O/XO./X..", None);
    let other = drawn("XO./XO./X..", None);
    assert_eq!(one.state(), other.state());
    assert_ne!(one.state(), drawn("OX./OX./.X.", None).state());
    let states = HashSet::from([one.state(), other.state()]);
    assert_eq!(states.len(), 1);
}

#[test]
fn a_board_of_ones_own_is_marked_at_will() {
    let mut board = Board::new();
    for place in &board.clone() {
        board.get_mut(place.position).owner = Owner::PlayerO;
    }
    assert_eq!(board.free_squares().next(), None);
    assert_eq!(lines(board.victory_sets(), Owner::PlayerO).len(), 8);
    *board.get_mut(at(1, 1)) = Square {
        position: at(9, 9),
        owner: Owner::PlayerX,
    };
    assert_eq!(
        board.get(at(1, 1)),
        Square {
            position: at(1, 1),
            owner: Owner::PlayerX
        }
    );
    assert_eq!(picture_of(&board), "OOO/OXO/OOO");
    assert_ne!(board, Board::new());
}

#[test]
fn positions_off_the_board_have_no_square() {
    let mut board = Board::new();
    for position in [
        at(-1, 0),
        at(0, -1),
        at(3, 0),
        at(0, 3),
        at(i32::MAX, i32::MIN),
    ] {
        assert_eq!(board.try_get(position), None);
        assert_eq!(board.try_get_mut(position), None);
    }
    assert!(board.try_get(at(2, 2)).is_some());
    assert!(board.try_get_mut(at(2, 2)).is_some());
}

#[test]
#[should_panic(expected = "row 3, column 0 is outside the board of 3 by 3")]
fn get_panics_off_the_board() {
    Board::new().get(at(3, 0));
}

#[test]
#[should_panic(expected = "row 0, column -1 is outside the board of 3 by 3")]
fn get_mut_panics_off_the_board() {
    Board::new().get_mut(at(0, -1));
}

#[test]
fn the_small_types_have_the_common_traits() {
    fn check<T: Copy + Eq + std::hash::Hash + std::fmt::Debug + Send + Sync + 'static>() {}
    check::<GameState>();
    check::<VictorySets>();
    check::<Square>();
    check::<Position>();
    check::<Owner>();
    check::<AiMove>();
    check::<MoveError>();
    assert_eq!(<(i32, i32)>::from(Position::from((1, 2))), (1, 2));
    assert_eq!(Position::default(), at(0, 0));
    assert!(at(0, 2) < at(1, 0));
    assert_eq!(Owner::default(), Owner::None);
    let marks = [Owner::PlayerX, Owner::PlayerO, Owner::None].map(|owner| format!("{owner:>2}"));
    assert_eq!(marks, [" X", " O", "  "]);
}
