//! Games, their states, and moves that are refused.

use std::collections::{HashMap, HashSet};
use std::error::Error;

use open_ttt_lib::tic_tac_toe::{AiMove, Board, Game, GameState, MoveError, Owner, Square};

use super::{at, choices, drawn, every_position, lines, played};

#[track_caller]
fn check_win_by_x(game: &Game, expected: &[[(i32, i32); 3]]) {
    let GameState::PlayerXWin(sets) = game.state() else {
        panic!("{:?}", game.state());
    };
    assert_eq!(sets.len(), expected.len());
    assert_eq!(lines(sets, Owner::PlayerX), expected);
    assert!(game.state().is_game_over());
    assert!(
        game.board()
            .iter()
            .all(|square| !game.can_move(square.position))
    );
}

/// Calls `visit` for every game there is from here on.
fn every_game(game: &Game, visit: &mut impl FnMut(&Game, usize), plies: usize) {
    if game.state().is_game_over() {
        visit(game, plies);
    }
    for square in game.board() {
        if game.can_move(square.position) {
            let mut next = game.clone();
            next.do_move(square.position);
            every_game(&next, visit, plies + 1);
        }
    }
}

#[test]
fn figure_2_1_a_game_in_order() {
    let moves = [(2, 0), (2, 2), (0, 2), (1, 1), (0, 0), (0, 1), (1, 0)];
    let mut game = Game::new();
    for (ply, position) in moves.into_iter().enumerate() {
        let (state, owner) = if ply % 2 == 0 {
            (GameState::PlayerXMove, Owner::PlayerX)
        } else {
            (GameState::PlayerOMove, Owner::PlayerO)
        };
        assert_eq!(game.state(), state);
        assert!(game.can_move(position.into()));
        game.do_move(position.into());
        assert_eq!(game.board().get(position.into()).owner, owner);
        assert!(!game.can_move(position.into()));
    }
    check_win_by_x(&game, &[[(0, 0), (1, 0), (2, 0)]]);
}

#[test]
fn figure_3_1_column() {
    check_win_by_x(&drawn("X.O/XO./X..", None), &[[(0, 0), (1, 0), (2, 0)]]);
}

#[test]
fn figure_3_1_diagonal() {
    check_win_by_x(
        &drawn("XOO/OX./X.X", Some((2, 2))),
        &[[(0, 0), (1, 1), (2, 2)]],
    );
}

#[test]
fn figure_3_1_row() {
    check_win_by_x(
        &drawn("OO./XXX/X.O", Some((1, 1))),
        &[[(1, 0), (1, 1), (1, 2)]],
    );
}

#[test]
fn figure_3_1_two_lines_with_the_ninth_mark() {
    let two_lines = [[(2, 0), (2, 1), (2, 2)], [(0, 2), (1, 1), (2, 0)]];
    let game = drawn("OOX/OXO/XXX", Some((2, 0)));
    check_win_by_x(&game, &two_lines);
    let squares: HashSet<_> = two_lines.into_iter().flatten().collect();
    assert_eq!(squares.len(), 5);
    assert_eq!(game.board().free_squares().count(), 0);
}

#[test]
fn figure_3_2_cats_games() {
    for picture in ["XOX/XOO/OXX", "OXX/XXO/OOX"] {
        let game = drawn(picture, None);
        assert_eq!(game.state(), GameState::CatsGame, "{picture}");
        assert!(game.state().is_game_over());
        assert!(
            game.board()
                .iter()
                .all(|square| !game.can_move(square.position))
        );
    }
}

#[test]
fn figure_4_1_the_display_of_a_board() {
    let expected = "\
+---+---+---+
| X | O | O |
+---+---+---+
| O | X |   |
+---+---+---+
| X |   | X |
+---+---+---+";
    let game = drawn("XOO/OX./X.X", Some((2, 2)));
    assert_eq!(game.board().to_string(), expected);
}

#[test]
fn figure_4_4_the_transitions_of_the_state_machine() {
    #[derive(Debug, PartialEq, Eq, Hash)]
    enum Kind {
        XMove,
        OMove,
        XWins,
        OWins,
        CatsGame,
    }
    fn kind(game: &Game) -> Kind {
        match game.state() {
            GameState::PlayerXMove => Kind::XMove,
            GameState::PlayerOMove => Kind::OMove,
            GameState::PlayerXWin(_) => Kind::XWins,
            GameState::PlayerOWin(_) => Kind::OWins,
            GameState::CatsGame => Kind::CatsGame,
        }
    }
    let first = Game::new();
    let mut second = first.clone();
    second.start_next_game();
    assert_eq!((kind(&first), kind(&second)), (Kind::XMove, Kind::OMove));

    let mut transitions = HashSet::new();
    for game in every_position(first)
        .into_iter()
        .chain(every_position(second))
    {
        for square in game.board().free_squares() {
            let mut next = game.clone();
            if next.try_move(square.position).is_ok() {
                transitions.insert((kind(&game), kind(&next)));
            }
        }
    }
    let expected = [
        (Kind::XMove, Kind::OMove),
        (Kind::XMove, Kind::XWins),
        (Kind::XMove, Kind::CatsGame),
        (Kind::OMove, Kind::XMove),
        (Kind::OMove, Kind::OWins),
        (Kind::OMove, Kind::CatsGame),
    ];
    assert_eq!(transitions, HashSet::from(expected));
}

#[test]
fn figure_4_7_the_searched_position() {
    let game = drawn("XOX/.O./X.O", None);
    let winning = HashMap::from([(at(1, 0), 100)]);
    let next_best = HashMap::from([(at(2, 1), 100)]);
    assert_eq!(choices(&game, 0.0, 100, 1), winning);
    assert_eq!(choices(&game, 1.0, 100, 1), next_best);

    let ended = |first: (i32, i32)| {
        let mut game = game.clone();
        game.do_move(first.into());
        while !game.state().is_game_over() {
            game.do_move(AiMove::new(&game, 0.0).position());
        }
        game.state()
    };
    assert!(matches!(ended((1, 0)), GameState::PlayerXWin(_)));
    assert!(matches!(ended((1, 2)), GameState::PlayerOWin(_)));
    assert_eq!(ended((2, 1)), GameState::CatsGame);
}

#[test]
fn the_games_there_are() {
    let (mut won_by_x, mut won_by_o, mut cats_games) = (0, 0, 0);
    let mut ended_after = [0; 10];
    let mut lines_of_a_win = HashMap::<usize, u32>::new();
    let mut count = |game: &Game, plies: usize| {
        ended_after[plies] += 1;
        match game.state() {
            GameState::PlayerXWin(sets) => {
                won_by_x += 1;
                *lines_of_a_win.entry(sets.len()).or_default() += 1;
                assert_eq!(lines(sets, Owner::PlayerX).len(), sets.count());
            }
            GameState::PlayerOWin(sets) => {
                won_by_o += 1;
                *lines_of_a_win.entry(sets.len()).or_default() += 1;
                assert_eq!(lines(sets, Owner::PlayerO).len(), sets.count());
            }
            GameState::CatsGame => cats_games += 1,
            state => panic!("{state:?} is not the end of a game"),
        }
    };
    every_game(&Game::new(), &mut count, 0);
    assert_eq!((won_by_x, won_by_o, cats_games), (131_184, 77_904, 46_080));
    assert_eq!(won_by_x + won_by_o + cats_games, 255_168);
    assert_eq!(
        ended_after,
        [0, 0, 0, 0, 0, 1_440, 5_328, 47_952, 72_576, 127_872]
    );
    let kinds: HashSet<_> = lines_of_a_win.into_keys().collect();
    assert_eq!(kinds, HashSet::from([1, 2]));
}

#[test]
fn the_ways_to_play_each_number_of_moves() {
    fn perft(game: &Game, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let next = |square: Square| {
            let mut next = game.clone();
            next.try_move(square.position).ok().map(|()| next)
        };
        let free = game.board().free_squares();
        free.filter_map(next)
            .map(|next| perft(&next, depth - 1))
            .sum()
    }
    let counts = [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872];
    for (depth, count) in (1..).zip(counts) {
        assert_eq!(perft(&Game::new(), depth), count, "depth {depth}");
    }
}

#[test]
fn the_positions_there_are() {
    let positions = every_position(Game::new());
    assert_eq!(positions.len(), 5_478);
    let unfinished = positions.iter().filter(|game| !game.state().is_game_over());
    assert_eq!(unfinished.count(), 4_520);
}

#[test]
fn can_move_tells_whether_do_move_works() {
    for game in every_position(Game::new()) {
        for place in (-1..=3).flat_map(|row| (-1..=3).map(move |column| at(row, column))) {
            let mut next = game.clone();
            let moved = next.try_move(place);
            assert_eq!(game.can_move(place), moved.is_ok());
            if moved.is_err() {
                assert_eq!(next, game, "a refused move changes nothing");
            }
        }
    }
}

#[test]
fn the_players_take_turns_to_have_the_first_move() {
    let mut game = Game::new();
    for round in 0..6 {
        let (state, owner) = if round % 2 == 0 {
            (GameState::PlayerXMove, Owner::PlayerX)
        } else {
            (GameState::PlayerOMove, Owner::PlayerO)
        };
        assert_eq!(game.state(), state, "game {round}");
        assert_eq!(game.board(), &Board::new());
        // However long the game goes on: not at all, given up, or to its end.
        let plies = [0, 2, 5][round % 3];
        for position in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]
            .into_iter()
            .take(plies)
        {
            game.do_move(position.into());
            assert_eq!(game.board().get(at(0, 0)).owner, owner);
        }
        assert_eq!(game.state().is_game_over(), plies == 5);
        game.start_next_game();
    }
}

#[test]
fn player_o_wins_a_game_it_began() {
    let mut game = Game::new();
    game.start_next_game();
    for position in [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)] {
        game.do_move(position.into());
    }
    let GameState::PlayerOWin(sets) = game.state() else {
        panic!("{:?}", game.state());
    };
    assert_eq!(lines(sets, Owner::PlayerO), [[(0, 0), (0, 1), (0, 2)]]);
}

#[test]
fn a_clone_is_a_game_of_its_own() {
    let game = Game::default();
    let mut other = game.clone();
    other.do_move(at(0, 0));
    assert_eq!(game, Game::new());
    assert_ne!(game, other);
}

#[test]
#[should_panic(expected = "row 1, column 1 is already owned by player X")]
fn do_move_panics_on_an_owned_square() {
    played([(1, 1)]).do_move(at(1, 1));
}

#[test]
#[should_panic(expected = "the game is over")]
fn do_move_panics_when_the_game_is_over() {
    drawn("X.O/XO./X..", None).do_move(at(2, 2));
}

#[test]
#[should_panic(expected = "row 0, column 3 is outside the board of 3 by 3")]
fn do_move_panics_off_the_board() {
    Game::new().do_move(at(0, 3));
}

#[test]
fn try_move_says_why_not() {
    let mut game = played([(0, 0), (2, 1)]);
    let owned = |row, column, owner| MoveError::Owned {
        position: at(row, column),
        owner,
    };
    assert_eq!(game.try_move(at(0, 0)), Err(owned(0, 0, Owner::PlayerX)));
    assert_eq!(game.try_move(at(2, 1)), Err(owned(2, 1, Owner::PlayerO)));
    for position in [
        at(-1, 0),
        at(0, -1),
        at(3, 0),
        at(0, 3),
        at(i32::MIN, i32::MAX),
        at(258, 256),
    ] {
        assert_eq!(
            game.try_move(position),
            Err(MoveError::OffBoard { position })
        );
    }
    let mut over = drawn("OOX/OXO/XXX", Some((2, 0)));
    assert_eq!(over.try_move(at(0, 0)), Err(MoveError::GameOver));

    let error: Box<dyn Error> = Box::new(owned(2, 1, Owner::PlayerO));
    assert_eq!(
        error.to_string(),
        "row 2, column 1 is already owned by player O"
    );
    assert_eq!(MoveError::GameOver.to_string(), "the game is over");
}
