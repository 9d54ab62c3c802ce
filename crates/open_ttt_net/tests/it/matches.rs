//! The match as a state machine.

use open_ttt_catalog::DynGame;
use open_ttt_lib::games::TicTacToe;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::{GameConflict, StateMachine};
use open_ttt_net::matches::{
    Act, Actor, CLAIM_MS, Clock, Ending, GameVerdict, MAX_LAG_MS, MatchConflict, MatchMachine,
    Player, Seat, Settings, TimeControl, Transition,
};

type Table = MatchMachine<TicTacToe>;

const A: Actor = Actor::Seat(Seat::A);
const B: Actor = Actor::Seat(Seat::B);

/// A table at which things happen a second apart.
#[derive(Clone)]
struct Scene {
    table: Table,
    at: u64,
}

impl Scene {
    fn with(clock: Option<TimeControl>) -> Self {
        let settings = Settings {
            clock,
            ..Settings::of_game("ttt")
        };
        let mut scene = Self {
            table: Table::new(settings).unwrap(),
            at: 0,
        };
        for (seat, name) in [(Seat::A, "Ann"), (Seat::B, "Bob")] {
            let player = Player::person(name);
            scene
                .now(Actor::Server, Act::Join { seat, player })
                .unwrap();
        }
        scene
    }

    fn new() -> Self {
        Self::with(None)
    }

    fn now(&mut self, by: Actor, act: Act) -> Result<(), MatchConflict> {
        let at = self.at;
        self.table = self.table.apply(&Transition { at, by, act })?;
        Ok(())
    }

    /// Something happens a second later.
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

    /// Moves of both in turn.
    #[track_caller]
    fn plays(&mut self, moves: &str) -> &mut Self {
        for text in moves.split(' ') {
            let seat = self.table.to_move().unwrap();
            self.then(Actor::Seat(seat), Act::play(text));
        }
        self
    }
}

#[test]
fn nothing_is_played_at_an_empty_seat() {
    let table = Table::new(Settings::of_game("ttt")).unwrap();
    let scene = &mut Scene { table, at: 0 };
    scene.refuses(A, Act::play("a1"), MatchConflict::NotStarted);
    scene.refuses(A, Act::Resign, MatchConflict::NotStarted);
    let join = |seat, name: &str| Act::Join {
        seat,
        player: Player::person(name),
    };
    scene.then(Actor::Server, join(Seat::A, "Ann"));
    scene.refuses(
        Actor::Server,
        join(Seat::A, "Eve"),
        MatchConflict::SeatTaken,
    );
    for name in ["", " Bob", "Bob\n", "\u{200b}", &"x".repeat(33)] {
        scene.refuses(Actor::Server, join(Seat::B, name), MatchConflict::UnfitName);
    }
    scene.refuses(A, join(Seat::B, "Bob"), MatchConflict::NotStarted);
    scene.then(Actor::Server, join(Seat::B, &"ö".repeat(32)));
    scene.refuses(B, Act::play("a1"), MatchConflict::NotYourTurn);
    scene.refuses(Actor::Server, Act::play("a1"), MatchConflict::NotYours);
    scene.refuses(
        A,
        Act::play("d9"),
        MatchConflict::Game(GameConflict::NotAMove),
    );
    scene.plays("a1");
    scene.refuses(
        B,
        Act::play("a1"),
        MatchConflict::Game(GameConflict::Occupied),
    );
    scene.at = 0;
    scene.refuses(B, Act::play("b1"), MatchConflict::BackInTime);
}

#[test]
fn sides_change_with_every_rematch_and_the_score_is_kept() {
    let scene = &mut Scene::new();
    scene.refuses(A, Act::Rematch, MatchConflict::GameRunning);
    scene.plays("a1 a2 b1 b2 c1");
    let by_rules = |winner| GameVerdict {
        winner,
        by: Ending::Rules,
    };
    assert_eq!(scene.table.verdict(), Some(by_rules(Some(Seat::A))));
    scene.refuses(B, Act::play("c2"), MatchConflict::GameOver);
    scene.then(A, Act::Rematch);
    scene.refuses(A, Act::Rematch, MatchConflict::AlreadyAsked);
    scene.then(B, Act::Rematch);
    assert_eq!(scene.table.number(), 2);
    assert_eq!(scene.table.to_move(), Some(Seat::B));
    // The side that wins is the one that began, who is now B.
    scene.plays("a1 a2 b1 b2 c1");
    assert_eq!(scene.table.verdict(), Some(by_rules(Some(Seat::B))));
    scene.then(B, Act::Rematch).then(A, Act::Rematch);
    scene.plays("b2 a1 a2 c2 b1 b3 a3 c1 c3");
    assert_eq!(scene.table.verdict(), Some(by_rules(None)));
    assert_eq!(scene.table.score().wins, [1, 1]);
    assert_eq!(scene.table.score().draws, 1);
}

#[test]
fn a_draw_is_agreed_on_or_not() {
    let scene = &mut Scene::new();
    scene.plays("b2");
    scene.refuses(B, Act::AcceptDraw, MatchConflict::NotAsked);
    scene.then(A, Act::OfferDraw);
    scene.refuses(A, Act::OfferDraw, MatchConflict::AlreadyAsked);
    scene.refuses(A, Act::AcceptDraw, MatchConflict::NotAsked);
    scene.then(B, Act::RefuseDraw);
    scene.then(A, Act::OfferDraw);
    // One's own move leaves an offer standing, the other's refuses it.
    scene.plays("a1");
    assert_eq!(scene.table.draw_offer(), None);
    scene.then(A, Act::OfferDraw).plays("c3");
    assert_eq!(scene.table.draw_offer(), Some(Seat::A));
    scene.then(B, Act::OfferDraw);
    let agreed = GameVerdict {
        winner: None,
        by: Ending::Agreement,
    };
    assert_eq!(scene.table.verdict(), Some(agreed));
}

#[test]
fn a_move_is_taken_back_as_far_as_the_asker_s() {
    let scene = &mut Scene::new();
    scene.refuses(A, Act::AskTakeBack, MatchConflict::NothingToTakeBack);
    scene.plays("a1 a2 b1");
    let moves = |scene: &Scene| scene.table.game().moves().len();
    scene.then(A, Act::AskTakeBack);
    scene.refuses(A, Act::GrantTakeBack, MatchConflict::NotAsked);
    scene.then(B, Act::GrantTakeBack);
    assert_eq!(moves(scene), 2);
    scene
        .plays("c3")
        .then(B, Act::AskTakeBack)
        .then(A, Act::RefuseTakeBack);
    assert_eq!(moves(scene), 3);
    scene.then(B, Act::AskTakeBack).then(A, Act::GrantTakeBack);
    // Ann's move came after Bob's, and goes with it.
    assert_eq!(moves(scene), 1);
    assert_eq!(scene.table.to_move(), Some(Seat::B));
}

const MINUTE: TimeControl = TimeControl {
    initial_ms: 60_000,
    increment_ms: 2_000,
};

#[test]
fn the_clock_runs_from_the_second_move() {
    let scene = &mut Scene::with(Some(MINUTE));
    scene.at += 500_000;
    scene.plays("b2");
    let left = |scene: &Scene| scene.table.clock().unwrap().left_ms;
    assert_eq!(left(scene), [60_000, 60_000]);
    scene.plays("a1");
    // A second used, two added.
    assert_eq!(left(scene), [60_000, 61_000]);
    assert_eq!(
        scene
            .table
            .clock()
            .unwrap()
            .left_at(Seat::A, scene.at + 5_000),
        55_000
    );
    // Of the time on the way only so much is forgiven.
    scene.at += 10_000;
    let late = Act::Move {
        text: "c3".into(),
        lag_ms: 100_000,
    };
    scene.now(A, late).unwrap();
    assert_eq!(
        left(scene),
        [60_000 - (10_000 - MAX_LAG_MS) + 2_000, 61_000]
    );
}

#[test]
fn a_clock_that_has_run_out_ends_the_game() {
    let scene = &mut Scene::with(Some(MINUTE));
    scene.plays("b2");
    let deadline = scene.at + 60_000 + MAX_LAG_MS;
    assert_eq!(scene.table.clock().unwrap().deadline(), Some(deadline));
    scene.at = deadline - 1;
    assert_eq!(
        scene.now(Actor::Server, Act::TimeOut),
        Err(MatchConflict::TimeLeft)
    );
    assert_eq!(scene.now(B, Act::play("a1")), Err(MatchConflict::TimeUp));
    scene.at = deadline;
    assert_eq!(scene.now(A, Act::TimeOut), Err(MatchConflict::NotYours));
    scene.now(Actor::Server, Act::TimeOut).unwrap();
    let in_time = GameVerdict {
        winner: Some(Seat::A),
        by: Ending::Time,
    };
    assert_eq!(scene.table.verdict(), Some(in_time));
    assert_eq!(scene.table.clock().unwrap().left_ms[1], 0);
}

#[test]
fn whoever_has_left_loses_after_a_while() {
    let scene = &mut Scene::new();
    scene.plays("b2").then(A, Act::Claim);
    scene.refuses(A, Act::Claim, MatchConflict::AlreadyAsked);
    scene.refuses(A, Act::Stay, MatchConflict::NotAsked);
    scene.refuses(Actor::Server, Act::Forfeit, MatchConflict::TimeLeft);
    let answered = &mut scene.clone();
    answered.then(B, Act::Stay);
    answered.at += CLAIM_MS;
    answered.refuses(Actor::Server, Act::Forfeit, MatchConflict::NotAsked);
    let moved = &mut scene.clone();
    moved.plays("a1");
    assert_eq!(moved.table.claim(), None);
    scene.at += CLAIM_MS;
    scene.then(Actor::Server, Act::Forfeit);
    let left = GameVerdict {
        winner: Some(Seat::A),
        by: Ending::Abandonment,
    };
    assert_eq!(scene.table.verdict(), Some(left));
}

#[test]
fn settings_have_bounds() {
    let with = |initial_ms, increment_ms| Settings {
        clock: Some(TimeControl {
            initial_ms,
            increment_ms,
        }),
        ..Settings::of_game("ttt")
    };
    for (initial, increment) in [(999, 0), (u64::MAX, 0), (60_000, u64::MAX)] {
        assert!(Table::new(with(initial, increment)).is_err());
    }
    assert!(Table::new(with(1_000, 0)).is_ok());
    assert!(MatchMachine::<DynGame>::new(Settings::of_game("chess")).is_err());
    // Names are kept in one way of writing them.
    let table = MatchMachine::<DynGame>::new(Settings::of_game(" Pegs( lines = 38 )")).unwrap();
    assert_eq!(table.settings().game, "pegs(lines=38)");
}

/// Something that might happen.
fn any_act(rng: &mut Rng, table: &MatchMachine<DynGame>) -> (Actor, Act) {
    let seat = Seat::ALL[rng.below(2)];
    let by = match rng.below(12) {
        0 => Actor::Server,
        _ => Actor::Seat(seat),
    };
    let position = table.game().position();
    let moves: Vec<_> = position.moves().collect();
    let act = match rng.below(24) {
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

/// The laws of state machines, for matches of every game in which anything
/// happens: what is written is read again as the same, goes on as the same, and
/// the score counts the games.
#[test]
fn a_match_obeys_the_laws_whatever_happens() {
    let mut rng = Rng::new(7);
    for entry in open_ttt_catalog::games() {
        let mut happened = 0;
        for round in 0..6 {
            let settings = Settings {
                clock: (round % 2 == 0).then_some(MINUTE),
                first: Seat::ALL[rng.below(2)],
                game: entry.key.to_owned(),
            };
            let mut table = MatchMachine::<DynGame>::new(settings).unwrap();
            for (seat, player) in [
                (Seat::A, Player::person("Ann")),
                (Seat::B, Player::computer("random")),
            ] {
                let act = Act::Join { seat, player };
                let by = Actor::Server;
                table = table.apply(&Transition { at: 0, by, act }).unwrap();
            }
            let mut at = 0;
            for _ in 0..400 {
                at += rng.next_u64() % 9_000;
                let deadline = table.clock().and_then(Clock::deadline);
                let (by, act) = if deadline.is_some_and(|deadline| deadline <= at) {
                    (Actor::Server, Act::TimeOut)
                } else {
                    any_act(&mut rng, &table)
                };
                let transition = Transition { at, by, act };
                let json = serde_json::to_string(&table).unwrap();
                let read: MatchMachine<DynGame> =
                    serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
                assert_eq!(read, table);
                let next = table.apply(&transition);
                assert_eq!(read.apply(&transition), next);
                let Ok(next) = next else { continue };
                happened += 1;
                let score = next.score();
                let finished = score.wins[0] + score.wins[1] + score.draws;
                assert_eq!(
                    next.number(),
                    finished + u32::from(next.verdict().is_none())
                );
                assert_eq!(next.to_move().is_some(), next.is_running());
                table = next;
            }
        }
        assert!(happened > 60, "{}: only {happened}", entry.key);
    }
}
