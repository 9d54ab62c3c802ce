//! Tests of the match as a state machine.

mod clocks;
mod positions;

use core::ptr;

use crate::games::find;
use open_ttt_catalog::Catalog;
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{FromName, Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameConflict, GameMove, StateMachine};
use open_ttt_net::matches::{
    Act, Actor, Clock, DynMatch, Ending, GameVerdict, MatchConflict, MatchMachine, Player,
    SavedMatch, Seat, Settings, TimeControl, Transition,
};

const A: Actor = Actor::Seat(Seat::A);
const B: Actor = Actor::Seat(Seat::B);

const MINUTE: TimeControl = TimeControl {
    initial_ms: 60_000,
    increment_ms: 2_000,
};

/// A match whose transitions are a second apart.
#[derive(Clone)]
struct Scenario {
    state: MatchMachine<TicTacToe>,
    at: u64,
}

impl Scenario {
    fn with(clock: Option<TimeControl>) -> Self {
        let settings = Settings {
            clock,
            ..Settings::of_game("ttt")
        };
        let mut scenario = Self {
            state: MatchMachine::new(settings, TicTacToe::from_name).unwrap(),
            at: 0,
        };
        for (seat, name) in [(Seat::A, "Ann"), (Seat::B, "Bob")] {
            let player = Player::person(name);
            scenario
                .now(Actor::Server, Act::Join { seat, player })
                .unwrap();
        }
        scenario
    }

    fn new() -> Self {
        Self::with(None)
    }

    fn now(&mut self, by: Actor, act: Act) -> Result<(), MatchConflict> {
        let at = self.at;
        self.state = self.state.apply(&Transition { at, by, act })?;
        Ok(())
    }

    /// An act a second later.
    #[track_caller]
    fn then(&mut self, by: Actor, act: Act) -> &mut Self {
        self.at += 1_000;
        self.now(by, act).unwrap();
        self
    }

    #[track_caller]
    fn refuses(&mut self, by: Actor, act: Act, conflict: MatchConflict) -> &mut Self {
        self.at += 1_000;
        assert_eq!(self.now(by, act), Err(conflict));
        self
    }

    /// Moves of both players in turn.
    #[track_caller]
    fn plays(&mut self, moves: &str) -> &mut Self {
        for text in moves.split(' ') {
            let seat = self.state.to_move().unwrap();
            self.then(Actor::Seat(seat), Act::play(text));
        }
        self
    }
}

#[test]
fn seats_and_moves_are_checked() {
    let state = MatchMachine::new(Settings::of_game("ttt"), TicTacToe::from_name).unwrap();
    let scenario = &mut Scenario { state, at: 0 };
    scenario.refuses(A, Act::play("a1"), MatchConflict::NotStarted);
    scenario.refuses(A, Act::Resign, MatchConflict::NotStarted);
    let join = |seat, name: &str| Act::Join {
        seat,
        player: Player::person(name),
    };
    scenario.then(Actor::Server, join(Seat::A, "Ann"));
    scenario.refuses(
        Actor::Server,
        join(Seat::A, "Eve"),
        MatchConflict::SeatTaken,
    );
    for name in ["", " Bob", "Bob\n", "\u{200b}", &"x".repeat(33)] {
        scenario.refuses(Actor::Server, join(Seat::B, name), MatchConflict::UnfitName);
    }
    scenario.refuses(A, join(Seat::B, "Bob"), MatchConflict::NotStarted);
    scenario.then(Actor::Server, join(Seat::B, &"ö".repeat(32)));
    scenario.refuses(B, Act::play("a1"), MatchConflict::NotYourTurn);
    scenario.refuses(Actor::Server, Act::play("a1"), MatchConflict::NotYours);
    scenario.refuses(
        A,
        Act::play("d9"),
        MatchConflict::Game(GameConflict::NotAMove),
    );
    scenario.plays("a1");
    scenario.refuses(
        B,
        Act::play("a1"),
        MatchConflict::Game(GameConflict::Occupied),
    );
    scenario.at = 0;
    scenario.refuses(B, Act::play("b1"), MatchConflict::BackInTime);
}

#[test]
fn rematch_swaps_sides_and_keeps_the_score() {
    let scenario = &mut Scenario::new();
    scenario.refuses(A, Act::Rematch, MatchConflict::GameRunning);
    scenario.plays("a1 a2 b1 b2 c1");
    let by_rules = |winner| GameVerdict {
        winner,
        by: Ending::Rules,
    };
    assert_eq!(scenario.state.verdict(), Some(by_rules(Some(Seat::A))));
    scenario.refuses(B, Act::play("c2"), MatchConflict::GameOver);
    scenario.then(A, Act::Rematch);
    scenario.refuses(A, Act::Rematch, MatchConflict::AlreadyAsked);
    scenario.then(B, Act::Rematch);
    assert_eq!(scenario.state.number(), 2);
    assert_eq!(scenario.state.to_move(), Some(Seat::B));
    // The side that moves first wins; that is now B.
    scenario.plays("a1 a2 b1 b2 c1");
    assert_eq!(scenario.state.verdict(), Some(by_rules(Some(Seat::B))));
    scenario.then(B, Act::Rematch).then(A, Act::Rematch);
    scenario.plays("b2 a1 a2 c2 b1 b3 a3 c1 c3");
    assert_eq!(scenario.state.verdict(), Some(by_rules(None)));
    assert_eq!(scenario.state.score().wins, [1, 1]);
    assert_eq!(scenario.state.score().draws, 1);
}

#[test]
fn draw_offers_are_accepted_or_refused() {
    let scenario = &mut Scenario::new();
    scenario.plays("b2");
    scenario.refuses(B, Act::AcceptDraw, MatchConflict::NotAsked);
    scenario.then(A, Act::OfferDraw);
    scenario.refuses(A, Act::OfferDraw, MatchConflict::AlreadyAsked);
    scenario.refuses(A, Act::AcceptDraw, MatchConflict::NotAsked);
    scenario.then(B, Act::RefuseDraw);
    scenario.then(A, Act::OfferDraw);
    // A move keeps the own offer and refuses the opponent's.
    scenario.plays("a1");
    assert_eq!(scenario.state.draw_offer(), None);
    scenario.then(A, Act::OfferDraw).plays("c3");
    assert_eq!(scenario.state.draw_offer(), Some(Seat::A));
    scenario.then(B, Act::OfferDraw);
    let agreed = GameVerdict {
        winner: None,
        by: Ending::Agreement,
    };
    assert_eq!(scenario.state.verdict(), Some(agreed));
}

#[test]
fn take_back_removes_the_last_own_move() {
    let scenario = &mut Scenario::new();
    scenario.refuses(A, Act::AskTakeBack, MatchConflict::NothingToTakeBack);
    scenario.plays("a1 a2 b1");
    let moves = |scenario: &Scenario| scenario.state.game().moves().len();
    scenario.then(A, Act::AskTakeBack);
    scenario.refuses(A, Act::GrantTakeBack, MatchConflict::NotAsked);
    scenario.then(B, Act::GrantTakeBack);
    assert_eq!(moves(scenario), 2);
    scenario
        .plays("c3")
        .then(B, Act::AskTakeBack)
        .then(A, Act::RefuseTakeBack);
    assert_eq!(moves(scenario), 3);
    scenario
        .then(B, Act::AskTakeBack)
        .then(A, Act::GrantTakeBack);
    // Ann's move came after Bob's and is taken back too.
    assert_eq!(moves(scenario), 1);
    assert_eq!(scenario.state.to_move(), Some(Seat::B));
}

#[test]
fn settings_are_validated() {
    let with = |initial_ms, increment_ms| Settings {
        clock: Some(TimeControl {
            initial_ms,
            increment_ms,
        }),
        ..Settings::of_game("ttt")
    };
    for (initial, increment) in [(999, 0), (u64::MAX, 0), (60_000, u64::MAX)] {
        assert!(DynMatch::new(with(initial, increment), find).is_err());
    }
    assert!(DynMatch::new(with(1_000, 0), find).is_ok());
    assert!(DynMatch::new(Settings::of_game("chess"), find).is_err());
    // Game names are normalized.
    let state = DynMatch::new(Settings::of_game(" Pegs( lines = 38 )"), find).unwrap();
    assert_eq!(state.settings().game, "pegs(lines=38)");
}

/// A random act.
fn random_act(rng: &mut Rng, state: &DynMatch) -> (Actor, Act) {
    let seat = Seat::ALL[rng.below(2)];
    let by = match rng.below(12) {
        0 => Actor::Server,
        _ => Actor::Seat(seat),
    };
    let position = state.game().position();
    let moves: Vec<_> = position.moves().collect();
    let act = match rng.below(25) {
        24 => Act::ReturnTime {
            ms: rng.next_u64() % 9_000,
        },
        0 => Act::Resign,
        1 => Act::OfferDraw,
        2 => Act::AcceptDraw,
        3 => Act::RefuseDraw,
        4 => Act::AskTakeBack,
        5 | 6 => Act::GrantTakeBack,
        7 => Act::RefuseTakeBack,
        8 | 9 => Act::Rematch,
        10 => Act::Claim,
        11 => Act::Stay,
        12 => Act::Forfeit,
        13 => Act::TimeOut,
        14 => Act::Join {
            seat,
            player: Player::computer("random"),
        },
        15 => Act::play("nonsense"),
        _ if moves.is_empty() => Act::Rematch,
        _ => Act::Move {
            text: position
                .move_text(moves[rng.below(moves.len())])
                .as_str()
                .into(),
            lag_ms: rng.next_u64() % 1_000,
        },
    };
    (by, act)
}

/// No moves, or some random ones after which the game isn't over.
fn given(rng: &mut Rng, game: &str, round: usize) -> Vec<GameMove> {
    let mut position = find(game).unwrap();
    let mut given = Vec::new();
    for _ in 0..if round % 3 == 1 { 4 } else { 0 } {
        let moves: Vec<_> = position.moves().collect();
        let m = moves[rng.below(moves.len())];
        given.push(position.move_text(m).as_str().into());
        position.play(m).unwrap();
    }
    given
}

/// Random matches of every game: the JSON form round-trips, the parsed match accepts
/// the same transitions, the score counts the games, and each state knows the first.
#[test]
fn random_matches_round_trip_and_keep_score() {
    let mut rng = Rng::new(7);
    for entry in Catalog::bundled().games() {
        let mut applied = 0;
        for round in 0..6 {
            let settings = Settings {
                clock: (round % 2 == 0).then_some(MINUTE),
                first: Seat::ALL[rng.below(2)],
                game: entry.key.to_owned(),
                rated: round % 3 == 0,
                moves: given(&mut rng, entry.key, round),
            };
            let opponent = if settings.rated {
                Player::person("Bob")
            } else {
                Player::computer("random")
            };
            let beginning = DynMatch::new(settings, find).unwrap();
            let mut state = beginning.clone();
            for (seat, player) in [(Seat::A, Player::person("Ann")), (Seat::B, opponent)] {
                let act = Act::Join { seat, player };
                let by = Actor::Server;
                state = state.apply(&Transition { at: 0, by, act }).unwrap();
            }
            let mut at = 0;
            for _ in 0..400 {
                at += rng.next_u64() % 9_000;
                let deadline = state.clock().and_then(Clock::deadline);
                let (by, act) = if deadline.is_some_and(|deadline| deadline <= at) {
                    (Actor::Server, Act::TimeOut)
                } else {
                    random_act(&mut rng, &state)
                };
                let transition = Transition { at, by, act };
                let json = serde_json::to_string(&state).unwrap();
                let saved: SavedMatch = serde_json::from_str(&json).unwrap();
                let read = saved
                    .restore(find)
                    .unwrap_or_else(|error| panic!("{error}: {json}"));
                assert_eq!(read, state);
                let next = state.apply(&transition);
                assert_eq!(read.apply(&transition), next);
                let mut advanced = read;
                let done = advanced.advance(&transition);
                assert_eq!(done.err(), next.as_ref().err().copied());
                assert_eq!(&advanced, next.as_ref().unwrap_or(&state));
                let Ok(next) = next else { continue };
                applied += 1;
                let score = next.score();
                let finished = score.wins[0] + score.wins[1] + score.draws;
                assert_eq!(
                    next.number(),
                    finished + u32::from(next.verdict().is_none())
                );
                assert_eq!(next.to_move().is_some(), next.is_running());
                assert_eq!(next.beginning(), beginning);
                state = next;
            }
        }
        assert!(applied > 60, "{}: only {applied}", entry.key);
    }
}

/// Only moves, and what takes them back, make another game of it.
#[test]
fn other_acts_do_not_copy_the_game() {
    let scenario = &mut Scenario::with(Some(MINUTE));
    scenario.plays("b2 a1");
    let begun = scenario.state.clone();
    for (by, act) in [
        (A, Act::OfferDraw),
        (B, Act::RefuseDraw),
        (B, Act::AskTakeBack),
        (A, Act::RefuseTakeBack),
        (B, Act::Claim),
        (A, Act::Stay),
        (B, Act::Resign),
        (A, Act::Rematch),
    ] {
        scenario.then(by, act);
        assert!(ptr::eq(scenario.state.game(), begun.game()));
    }
    scenario.then(B, Act::Rematch);
    assert!(!scenario.state.has_moves());
}

/// A log of thousands of moves is replayed in one game.
#[test]
fn advancing_copies_no_game() {
    let mut state = Scenario::with(Some(MINUTE)).state;
    let game = ptr::from_ref(state.game());
    for (by, text) in [(A, "b2"), (B, "a1"), (A, "c3")] {
        let act = Act::play(text);
        state.advance(&Transition { at: 0, by, act }).unwrap();
        assert_eq!(ptr::from_ref(state.game()), game);
    }
    assert_eq!(state.game().moves().len(), 3);
}

#[test]
fn a_rated_game_has_no_take_backs_and_no_computers() {
    let settings = Settings {
        rated: true,
        ..Settings::of_game("ttt")
    };
    let empty: MatchMachine<TicTacToe> = MatchMachine::new(settings, TicTacToe::from_name).unwrap();
    let apply =
        |state: &MatchMachine<TicTacToe>, by, act| state.apply(&Transition { at: 0, by, act });
    let join = |state: &MatchMachine<TicTacToe>, seat, player| {
        apply(state, Actor::Server, Act::Join { seat, player })
    };
    let state = join(&empty, Seat::A, Player::person("Ann")).unwrap();
    let computer = join(&state, Seat::B, Player::computer("random"));
    assert_eq!(computer, Err(MatchConflict::Rated));
    let state = join(&state, Seat::B, Player::person("Bob")).unwrap();
    let state = apply(&state, Actor::Seat(Seat::A), Act::play("b2")).unwrap();
    let asked = apply(&state, Actor::Seat(Seat::A), Act::AskTakeBack);
    assert_eq!(asked, Err(MatchConflict::Rated));

    // No saved match has them either, and only rated ones say so.
    let json = serde_json::to_string(&state).unwrap();
    assert!(json.contains(r#""first":"a","rated":true}"#), "{json}");
    let restore = |json: &str| {
        let saved: SavedMatch = serde_json::from_str(json).unwrap();
        saved.restore(TicTacToe::from_name)
    };
    assert_eq!(restore(&json), Ok(state));
    let asked = json.replace(r#""take_back":null"#, r#""take_back":"a""#);
    let computer = json.replace(r#"{"name":"Bob"}"#, r#"{"name":"Bob","computer":"random"}"#);
    for changed in [asked, computer] {
        assert_ne!(changed, json);
        restore(&changed).unwrap_err();
        let casual = changed.replace(r#","rated":true"#, "");
        restore(&casual).unwrap();
    }
}
