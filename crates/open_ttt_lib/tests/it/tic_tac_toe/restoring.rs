//! Games as positions and boards, and back; undo.

use std::collections::HashSet;

use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::{Side, TwoPlayerGame};
use open_ttt_lib::tic_tac_toe::{Board, Game, MoveError, Owner, Position, UnreachableBoard};

use super::{at, drawn, every_position, played};

fn started_by_o() -> Game {
    let mut game = Game::new();
    game.start_next_game();
    game
}

#[test]
fn every_game_is_restored_from_its_position_and_from_its_board() {
    for (start, player_x) in [(Game::new(), Side::First), (started_by_o(), Side::Second)] {
        for game in every_position(start) {
            let position = TicTacToe::from(&game);
            let restored = Game::with_position(position, player_x);
            assert_eq!(restored, game);
            assert_eq!(restored.board(), game.board());
            assert_eq!(restored.state(), game.state());
            assert_eq!(Game::from_board(game.board(), player_x), Ok(restored));
            if player_x == Side::First {
                assert_eq!(Game::from(position), game);
            }
        }
    }
}

/// All 3^9 boards: those that a game leads to, and no others, are restored.
#[test]
fn only_boards_of_games_are_restored() {
    for (start, player_x) in [(Game::new(), Side::First), (started_by_o(), Side::Second)] {
        let reachable = every_position(start).into_iter();
        let reachable: HashSet<Board> = reachable.map(|game| game.board().clone()).collect();
        for number in 0..3_u32.pow(9) {
            let mut board = Board::new();
            for (place, square) in (0..).zip(Board::new().iter()) {
                board.get_mut(square.position).owner =
                    [Owner::None, Owner::PlayerX, Owner::PlayerO]
                        [(number / 3_u32.pow(place) % 3) as usize];
            }
            let restored = Game::from_board(&board, player_x);
            assert_eq!(restored.is_ok(), reachable.contains(&board), "{board}");
            if let Err(error) = restored {
                assert_eq!(error, UnreachableBoard { player_x });
            }
        }
    }
}

#[test]
fn a_restored_game_goes_on() {
    let position = TicTacToe::from(&played([(0, 0), (1, 1)]));
    let mut game = Game::from(position);
    assert_eq!(game.undo(), None, "its moves aren't known");
    game.do_move(at(2, 2));
    assert_eq!(game.undo(), Some(at(2, 2)));
    assert_eq!(game.undo(), None);
    assert_eq!(game, played([(0, 0), (1, 1)]));
    game.start_next_game();
    assert_eq!(game, started_by_o());
}

#[test]
fn undo_goes_back_to_the_first_move() {
    let moves = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)];
    let mut game = played(moves);
    for count in (0..moves.len()).rev() {
        assert_eq!(game.undo(), Some(moves[count].into()));
        let before = played(moves[..count].iter().copied());
        assert_eq!(game, before);
        assert_eq!(game.board(), before.board());
        assert_eq!(game.state(), before.state());
    }
    assert_eq!(game.undo(), None);
}

#[test]
fn a_refused_move_and_another_game_have_nothing_to_undo() {
    let mut game = played([(0, 0)]);
    assert!(game.try_move(at(0, 0)).is_err());
    game.start_next_game();
    assert_eq!(game.undo(), None);
    assert_eq!(game, started_by_o());
}

#[test]
fn equal_games_are_equal_however_they_came_about() {
    let one = played([(0, 0), (1, 1), (2, 2)]);
    let other = played([(2, 2), (1, 1), (0, 0)]);
    assert_eq!(one, other);
    assert_eq!(HashSet::from([one, other]).len(), 1);
    // X has the same mark, and whoever began differs.
    assert_ne!(Game::new(), started_by_o());
}

#[test]
fn squares_and_cells_are_the_same_places() {
    let game = drawn("XOX/.O./X.O", None);
    let position = TicTacToe::from(&game);
    for square in game.board() {
        let cell = Cell::try_from(square.position).expect("on the board");
        assert_eq!(Position::from(cell), square.position);
        let owner = position.owner(cell).map(|side| match side {
            Side::First => Owner::PlayerX,
            Side::Second => Owner::PlayerO,
        });
        assert_eq!(owner.unwrap_or_default(), square.owner);
        assert_eq!(position.check(cell).is_ok(), game.can_move(square.position));
    }
    for position in [at(3, 0), at(0, -1), at(i32::MIN, i32::MAX)] {
        assert_eq!(
            Cell::try_from(position),
            Err(MoveError::OffBoard { position })
        );
    }
}
