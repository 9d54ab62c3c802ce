//! Every function, called from Rust: `cargo xtask miri` watches what they do with memory.

use std::ffi::CStr;
use std::ptr;

use open_ttt_c::{
    OPEN_TTT_MOVE_BYTES, OpenTttOutcome, OpenTttResult, OpenTttSide, open_ttt_game_board,
    open_ttt_game_copy, open_ttt_game_free, open_ttt_game_new, open_ttt_game_outcome,
    open_ttt_game_play, open_ttt_game_to_move, open_ttt_game_values, open_ttt_games,
    open_ttt_network_add, open_ttt_player_choose, open_ttt_player_free, open_ttt_player_new,
    open_ttt_rules, open_ttt_text_free, open_ttt_text_new, open_ttt_version,
};

use super::safe::{Game, Player, last_error, text};

/// X wins at b1 or c2, and O can stop only one of them:
///
/// ```text
/// 3  O . X
/// 2  . O .
/// 1  X . X
///    a b c
/// ```
const FORK: &CStr = c"a1 b2 c3 a3 c1";

#[test]
fn a_game_is_played() {
    let mut game = Game::new(c"ttt").unwrap();
    assert_eq!(game.play(FORK), Ok(()));
    assert_eq!(game.to_move(), OpenTttSide::Second);
    assert_eq!(game.history(), "a1 b2 c3 a3 c1");
    assert_eq!(game.legal_moves(), "b1 a2 c2 b3");
    assert_eq!(game.outcome(), OpenTttOutcome::Unfinished);
    let board = game.board();
    assert_eq!(board.matches('X').count(), 3, "{board}");
    assert_eq!(board.matches('O').count(), 2, "{board}");

    let mut copy = game.copy();
    assert_eq!(copy.play(c"b1, c2"), Ok(()));
    assert_eq!(copy.outcome(), OpenTttOutcome::FirstWins);
    assert_eq!(copy.legal_moves(), "");
    assert!(copy.hint().is_err());
    assert_eq!(game.history(), "a1 b2 c3 a3 c1");
    assert!(copy.undo());
    assert_eq!(copy.outcome(), OpenTttOutcome::Unfinished);
    while copy.undo() {}
    assert_eq!((copy.history(), last_error()), (String::new(), None));
}

#[test]
fn an_illegal_move_leaves_those_before_it() {
    let mut game = Game::new(c"ttt").unwrap();
    let error = game.play(c"a1 b2 a1 c3").unwrap_err();
    assert!(error.contains("that place is already taken"), "{error}");
    assert_eq!(game.history(), "a1 b2");
    assert!(game.play(c"nonsense").is_err());
    assert_eq!(game.history(), "a1 b2");
}

#[test]
fn sides_have_names() {
    let game = Game::new(c"connect4").unwrap();
    assert_eq!(game.to_move(), OpenTttSide::First);
    assert_eq!(game.side_name(0).as_deref(), Ok("Red"));
    assert_eq!(game.side_name(1).as_deref(), Ok("Yellow"));
    assert!(game.side_name(2).is_err());
}

#[test]
fn moves_have_values_and_as_many_are_written_as_fit() {
    let mut game = Game::new(c"ttt").unwrap();
    game.play(FORK).unwrap();
    let (moves, values) = game.values(9);
    assert_eq!(moves, 4);
    assert_eq!(values.len(), 4);
    for (m, result, plies) in values {
        assert_eq!((result, plies), (OpenTttResult::Loss, 2), "{m}");
    }
    game.play(c"b1").unwrap();
    let (moves, best) = game.values(1);
    assert_eq!(moves, 3);
    assert_eq!(best, [("c2".to_owned(), OpenTttResult::Win, 1)]);
    let (moves, none) = game.values(0);
    assert_eq!((moves, none.len()), (3, 0));
    let hint = game.hint().unwrap();
    assert!(hint.starts_with("c2"), "{hint}");
    assert!(hint.len() > OPEN_TTT_MOVE_BYTES / 4, "{hint}");
}

/// The search ends although nobody can prove the game.
#[test]
fn a_large_game_has_values_without_a_limit() {
    let mut game = Game::new(c"hex(size=13)").unwrap();
    let (moves, values) = game.values(200);
    assert_eq!((moves, values.len()), (169, 169));
}

/// The men of both sides go to and fro until the position is there for the third time:
///
/// ```text
/// 3  . B .
/// 2  B . W
/// 1  W W B
///    a b c
/// ```
#[test]
fn a_game_that_a_repetition_has_ended_has_neither_values_nor_a_hint() {
    let mut game = Game::new(c"morris(men=3)").unwrap();
    game.play(c"a1 a2 b1 c1 c2 b3").unwrap();
    game.play(c"c2-c3 b3-a3 c3-c2 a3-b3").unwrap();
    assert_eq!(game.outcome(), OpenTttOutcome::Unfinished);
    game.play(c"c2-c3 b3-a3 c3-c2 a3-b3").unwrap();
    assert_eq!(game.outcome(), OpenTttOutcome::Draw);
    assert_eq!(game.legal_moves(), "");
    assert_eq!(game.values(4), (0, Vec::new()));
    assert_eq!(game.hint().unwrap_err(), "the game is over");
}

#[test]
fn players_choose_moves() {
    let mut game = Game::new(c"ttt").unwrap();
    game.play(FORK).unwrap();
    game.play(c"b1").unwrap();
    for name in ["perfect", "negamax(depth=2)", "mcts(iterations=20,seed=1)"] {
        let mut player = Player::new(&game, name).unwrap();
        assert_eq!(player.choose(&game).as_deref(), Ok("c2"), "{name}");
    }
    game.play(c"c2").unwrap();
    let mut player = Player::new(&game, "random").unwrap();
    assert_eq!(player.choose(&game).unwrap_err(), "the game is over");
    assert!(Player::new(&game, "nobody").is_err());
}

#[test]
fn what_is_not_there_is_an_error() {
    let (game, player) = (ptr::null_mut(), ptr::null_mut());
    let missing = |what: &str| {
        let error = last_error().unwrap();
        assert!(
            error.starts_with(what) && error.ends_with(" NULL"),
            "{error}"
        );
    };
    // SAFETY: every function allows null.
    unsafe {
        assert!(open_ttt_game_new(ptr::null()).is_null());
        missing("the name");
        assert!(open_ttt_game_copy(game).is_null());
        missing("the game");
        assert!(!open_ttt_game_play(game, c"a1".as_ptr()));
        missing("the game");
        assert_eq!(open_ttt_game_to_move(game), OpenTttSide::Error);
        missing("the game");
        assert_eq!(open_ttt_game_outcome(game), OpenTttOutcome::Error);
        missing("the game");
        assert!(open_ttt_game_board(game).is_null());
        missing("the game");
        assert_eq!(open_ttt_game_values(game, 1, ptr::null_mut(), 0), -1);
        missing("the game");
        assert!(open_ttt_player_new(game, c"random".as_ptr()).is_null());
        missing("the game");
        assert!(open_ttt_player_choose(player, game).is_null());
        missing("the player");
        assert!(!open_ttt_network_add(c"a".as_ptr(), ptr::null(), 0));
        missing("the bytes");
        assert!(open_ttt_rules(ptr::null()).is_null());
        missing("the key");
        let some = open_ttt_game_new(c"ttt".as_ptr());
        assert!(!open_ttt_game_play(some, ptr::null()));
        missing("the moves");
        assert_eq!(open_ttt_game_values(some, 1, ptr::null_mut(), 1), -1);
        missing("the values");
        open_ttt_game_free(some);
        open_ttt_game_free(game);
        open_ttt_player_free(player);
        open_ttt_text_free(ptr::null_mut());
    }
}

#[test]
fn text_that_is_none_is_an_error() {
    let byte = 1_u8;
    // SAFETY: texts, and bytes of which none is read.
    unsafe {
        assert!(open_ttt_game_new(c"\xff".as_ptr()).is_null());
        assert_eq!(last_error().unwrap(), "the name isn't UTF-8");
        assert!(!open_ttt_network_add(
            c"a".as_ptr(),
            &raw const byte,
            usize::MAX
        ));
        assert_eq!(last_error().unwrap(), "there can't be so many bytes");
    }
    assert!(open_ttt_text_new(usize::MAX).is_null());
    assert_eq!(last_error().unwrap(), "there is no memory for the text");
}

#[test]
fn texts_belong_to_the_caller() {
    // SAFETY: they are freed once, by `text`.
    let [games, room, rules] = unsafe {
        [
            text(open_ttt_games()),
            text(open_ttt_text_new(3)),
            text(open_ttt_rules(c"ttt".as_ptr())),
        ]
    };
    assert!(games.unwrap().starts_with("ttt pegs connect4"));
    assert_eq!(room.as_deref(), Ok("   "));
    assert!(rules.unwrap().contains("three"));
    // SAFETY: a text that stays.
    let version = unsafe { CStr::from_ptr(open_ttt_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}
