//! Matches in which a side moves again or a position comes back.

use core::fmt::Debug;

use open_ttt_lib::games::{DotsAndBoxes, Morris};
use open_ttt_lib::rules::{Drawing, FromName, Notation};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::matches::{
    Act, Actor, Ending, GameVerdict, MatchConflict, MatchMachine, Player, SavedMatch, Seat,
    Settings, TimeControl, Transition,
};
use open_ttt_net::protocol::MatchView;

/// A match after these moves, a second apart, each by the seat that is to move.
#[track_caller]
fn played<G>(game: &str, clock: Option<TimeControl>, moves: &str) -> MatchMachine<G>
where
    G: FromName + Notation + Drawing + Debug + 'static,
{
    let settings = Settings {
        clock,
        ..Settings::of_game(game)
    };
    let mut state = MatchMachine::new(settings, G::from_name).unwrap();
    let mut at = 0;
    for seat in Seat::ALL {
        let player = Player::person(["Ann", "Bob"][seat.index()]);
        let (by, act) = (Actor::Server, Act::Join { seat, player });
        state = state.apply(&Transition { at, by, act }).unwrap();
    }
    for text in moves.split_whitespace() {
        at += 1_000;
        let by = Actor::Seat(state.to_move().unwrap());
        let act = Act::play(text);
        state = state.apply(&Transition { at, by, act }).unwrap();
    }
    state
}

/// The second side completes a box and moves again, on its clock.
#[test]
fn a_side_that_moves_again_keeps_the_turn_and_its_clock() {
    let clock = TimeControl {
        initial_ms: 60_000,
        increment_ms: 0,
    };
    let moves = "a1-b1 a2-b2 a1-a2 b1-b2 b1-c1";
    let state = played::<DotsAndBoxes>("dots(m=2,n=1)", Some(clock), moves);
    assert_eq!(state.to_move(), Some(Seat::A));
    let seats = [Seat::A, Seat::B, Seat::A, Seat::B, Seat::B];
    assert_eq!(MatchView::of(&state).movers, seats);
    // The first move of a game is free of charge, and each other takes a second.
    assert_eq!(state.clock().unwrap().left_ms, [59_000, 57_000]);

    let before = played::<DotsAndBoxes>("dots(m=2,n=1)", Some(clock), "a1-b1 a2-b2 a1-a2 b1-b2");
    assert_eq!(before.to_move(), Some(Seat::B));
    let (at, act) = (10_000, Act::play("b1-c1"));
    let by = Actor::Seat(Seat::A);
    let refused = before.apply(&Transition { at, by, act });
    assert_eq!(refused.unwrap_err(), MatchConflict::NotYourTurn);
}

#[test]
fn a_position_that_comes_back_ends_the_game() {
    const PLACED: &str = "a1 b2 c3 a3 c1 b1";
    const THERE_AND_BACK: &str = "c3-c2 a3-a2 c2-c3 a2-a3";
    let game = "morris(men=3)";
    let once = played::<Morris>(game, None, &format!("{PLACED} {THERE_AND_BACK}"));
    assert!(once.verdict().is_none() && !MatchView::of(&once).board.choices.is_empty());

    let moves = format!("{PLACED} {THERE_AND_BACK} {THERE_AND_BACK}");
    let twice = played::<Morris>(game, None, &moves);
    let draw = GameVerdict {
        winner: None,
        by: Ending::Rules,
    };
    assert_eq!(twice.verdict(), Some(draw));
    // The position alone would let the game go on.
    assert_eq!(once.game().position(), twice.game().position());
    let board = MatchView::of(&twice).board;
    assert!(board.choices.is_empty() && board.to_move.is_none());
    assert!(board.cells.iter().all(|cell| cell.playable.is_none()));

    let saved: SavedMatch = serde_json::from_str(&serde_json::to_string(&twice).unwrap()).unwrap();
    assert_eq!(saved.restore(Morris::from_name).unwrap(), twice);
}
