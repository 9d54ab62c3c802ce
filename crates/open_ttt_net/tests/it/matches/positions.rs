//! Matches that begin in a position.

use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::rules::FromName;
use open_ttt_lib::state_machine::{GameConflict, GameMove, RestoreError};
use open_ttt_net::matches::{
    Act, Actor, MatchConflict, MatchMachine, Player, SavedMatch, Seat, Settings, SettingsError,
};

use super::{A, B, MINUTE, Scenario};

fn from_position(moves: &str) -> Settings {
    Settings {
        moves: moves.split(' ').map(GameMove::from).collect(),
        ..Settings::of_game("ttt")
    }
}

/// Its moves belong to nobody: they cost no time and are not taken back, and each game
/// of the match begins with them.
#[test]
fn a_match_begins_in_a_position() {
    let settings = Settings {
        clock: Some(MINUTE),
        ..from_position("A1 b2 c3")
    };
    let state = MatchMachine::new(settings, TicTacToe::from_name).unwrap();
    let text = |scenario: &Scenario| scenario.state.game().history().move_texts().join(" ");
    let mut begun = Scenario { state, at: 0 };
    for (seat, name) in [(Seat::A, "Ann"), (Seat::B, "Bob")] {
        let player = Player::person(name);
        begun.then(Actor::Server, Act::Join { seat, player });
    }
    let scenario = &mut begun;
    // The moves are normalized, as the game's name is.
    assert_eq!(
        scenario.state.settings(),
        &Settings {
            clock: Some(MINUTE),
            ..from_position("a1 b2 c3")
        }
    );
    assert_eq!(
        (text(scenario).as_str(), scenario.state.to_move()),
        ("a1 b2 c3", Some(Seat::B))
    );
    assert!(!scenario.state.has_moves());
    for by in [A, B] {
        scenario.refuses(by, Act::AskTakeBack, MatchConflict::NothingToTakeBack);
    }
    // The first move takes no time, however long it takes.
    scenario.at += 70_000;
    scenario.plays("a3");
    let clock = *scenario.state.clock().unwrap();
    assert_eq!(
        (clock.left_ms, clock.running),
        ([60_000; 2], Some((Seat::A, scenario.at)))
    );
    scenario.refuses(A, Act::AskTakeBack, MatchConflict::NothingToTakeBack);
    scenario
        .then(B, Act::AskTakeBack)
        .then(A, Act::GrantTakeBack);
    assert_eq!(
        (
            text(scenario).as_str(),
            scenario.state.clock().unwrap().running
        ),
        ("a1 b2 c3", None)
    );
    scenario.plays("a3 c1 b1").then(A, Act::Resign);
    assert_eq!(text(scenario), "a1 b2 c3 a3 c1 b1");
    scenario.then(A, Act::Rematch).then(B, Act::Rematch);
    assert_eq!(
        (text(scenario).as_str(), scenario.state.to_move()),
        ("a1 b2 c3", Some(Seat::A))
    );

    // A saved match has them at the beginning of its game.
    let json = serde_json::to_string(&scenario.state).unwrap();
    assert!(
        json.contains(r#","first":"a","moves":["a1","b2","c3"]}"#),
        "{json}"
    );
    let restore = |json: &str| {
        let saved: SavedMatch = serde_json::from_str(json).unwrap();
        saved.restore(TicTacToe::from_name)
    };
    assert_eq!(restore(&json), Ok(scenario.state.clone()));
    let other = json.replace(
        r#""ttt","moves":["a1","b2","c3"]"#,
        r#""ttt","moves":["a1","b2"]"#,
    );
    assert_ne!(other, json);
    restore(&other).unwrap_err();
}

#[test]
fn positions_in_which_no_match_begins_are_refused() {
    let refused =
        |settings| MatchMachine::<TicTacToe>::new(settings, TicTacToe::from_name).unwrap_err();
    let moves = |text: &str| refused(from_position(text));
    assert_eq!(moves("a1 b1 a2 b2 a3"), SettingsError::Over);
    let illegal = SettingsError::Moves(RestoreError::Move {
        number: 2,
        text: "\"a1\"".to_owned(),
        conflict: GameConflict::Occupied,
    });
    assert_eq!(moves("a1 a1"), illegal);
    assert_eq!(
        moves(&["a1"; Settings::MAX_GIVEN + 1].join(" ")),
        SettingsError::TooManyMoves
    );
    let rated = Settings {
        rated: true,
        ..from_position("a1")
    };
    assert_eq!(refused(rated), SettingsError::Rated);
}
