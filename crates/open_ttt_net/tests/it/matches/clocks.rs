//! Clocks, claims and time that is given back.

use open_ttt_net::matches::{
    Act, Actor, CLAIM_MS, Ending, GameVerdict, MAX_LAG_MS, MatchConflict, Seat,
};

use super::{A, B, MINUTE, Scenario};

#[test]
fn clock_starts_with_the_second_move() {
    let scenario = &mut Scenario::with(Some(MINUTE));
    scenario.at += 500_000;
    scenario.plays("b2");
    let left = |scenario: &Scenario| scenario.state.clock().unwrap().left_ms;
    assert_eq!(left(scenario), [60_000, 60_000]);
    scenario.plays("a1");
    // One second used, two seconds increment.
    assert_eq!(left(scenario), [60_000, 61_000]);
    assert_eq!(
        scenario
            .state
            .clock()
            .unwrap()
            .left_at(Seat::A, scenario.at + 5_000),
        55_000
    );
    // The compensation of the network delay is limited.
    scenario.at += 10_000;
    let late = Act::Move {
        text: "c3".into(),
        lag_ms: 100_000,
    };
    scenario.now(A, late).unwrap();
    assert_eq!(
        left(scenario),
        [60_000 - (10_000 - MAX_LAG_MS) + 2_000, 61_000]
    );
}

#[test]
fn expired_clock_ends_the_game() {
    let scenario = &mut Scenario::with(Some(MINUTE));
    scenario.plays("b2");
    let deadline = scenario.at + 60_000 + MAX_LAG_MS;
    assert_eq!(scenario.state.clock().unwrap().deadline(), Some(deadline));
    scenario.at = deadline - 1;
    assert_eq!(
        scenario.now(Actor::Server, Act::TimeOut),
        Err(MatchConflict::TimeLeft)
    );
    assert_eq!(scenario.now(B, Act::play("a1")), Err(MatchConflict::TimeUp));
    scenario.at = deadline;
    assert_eq!(scenario.now(A, Act::TimeOut), Err(MatchConflict::NotYours));
    scenario.now(Actor::Server, Act::TimeOut).unwrap();
    let in_time = GameVerdict {
        winner: Some(Seat::A),
        by: Ending::Time,
    };
    assert_eq!(scenario.state.verdict(), Some(in_time));
    assert_eq!(scenario.state.clock().unwrap().left_ms[1], 0);
}

#[test]
fn unanswered_claim_wins_the_game() {
    let scenario = &mut Scenario::new();
    scenario.plays("b2").then(A, Act::Claim);
    scenario.refuses(A, Act::Claim, MatchConflict::AlreadyAsked);
    scenario.refuses(A, Act::Stay, MatchConflict::NotAsked);
    scenario.refuses(Actor::Server, Act::Forfeit, MatchConflict::TimeLeft);
    let answered = &mut scenario.clone();
    answered.then(B, Act::Stay);
    answered.at += CLAIM_MS;
    answered.refuses(Actor::Server, Act::Forfeit, MatchConflict::NotAsked);
    let moved = &mut scenario.clone();
    moved.plays("a1");
    assert_eq!(moved.state.claim(), None);
    scenario.at += CLAIM_MS;
    scenario.then(Actor::Server, Act::Forfeit);
    let left = GameVerdict {
        winner: Some(Seat::A),
        by: Ending::Abandonment,
    };
    assert_eq!(scenario.state.verdict(), Some(left));
}

fn return_time(ms: u64) -> Act {
    Act::ReturnTime { ms }
}

#[test]
fn time_is_given_back_to_the_running_clock() {
    let scenario = &mut Scenario::with(Some(MINUTE));
    let running = |scenario: &Scenario| scenario.state.clock().unwrap().running;
    scenario.refuses(Actor::Server, return_time(1), MatchConflict::NotYours);
    scenario.plays("b2");
    let started = scenario.at;
    for player in [A, B] {
        scenario.refuses(player, return_time(1), MatchConflict::NotYours);
    }
    scenario.at = started + 50_000;
    scenario.now(Actor::Server, return_time(8_000)).unwrap();
    assert_eq!(running(scenario), Some((Seat::B, started + 8_000)));
    // Never more than the clock has counted, also of absurd amounts.
    for ms in [50_000, u64::MAX] {
        let mut more = scenario.clone();
        more.now(Actor::Server, return_time(ms)).unwrap();
        assert_eq!(running(&more), Some((Seat::B, started + 50_000)));
    }
    // Bob has used 42 of his 60 seconds, and gets the increment of two.
    scenario.now(B, Act::play("a1")).unwrap();
    assert_eq!(scenario.state.clock().unwrap().left_ms, [60_000, 20_000]);
    scenario.then(A, Act::Resign);
    scenario.refuses(Actor::Server, return_time(1), MatchConflict::GameOver);
}

#[test]
fn time_is_given_back_to_answer_a_claim() {
    let scenario = &mut Scenario::new();
    scenario.refuses(Actor::Server, return_time(1), MatchConflict::NotYours);
    scenario.plays("b2").then(A, Act::Claim);
    let claimed = scenario.at;
    scenario.at = claimed + CLAIM_MS;
    scenario.now(Actor::Server, return_time(5_000)).unwrap();
    assert_eq!(scenario.state.claim(), Some((Seat::A, claimed + 5_000)));
    scenario.refuses(Actor::Server, Act::Forfeit, MatchConflict::TimeLeft);
    scenario.at = claimed + 5_000 + CLAIM_MS;
    scenario.now(Actor::Server, Act::Forfeit).unwrap();
}
