use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use open_ttt_app::thinker::{Answer, Thinker, ThinkerError};
use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::{Side, play_text};
use open_ttt_players::GameEnd;

use crate::players::{Bomb, Event, Gated, Ponderer, Stubborn, Timid};

/// No test depends on how long this is.
const TICK: Duration = Duration::from_millis(1);

/// A thread that says nothing for so long hangs.
const HANGING: Duration = Duration::from_mins(1);

fn after(moves: &str) -> TicTacToe {
    let mut game = TicTacToe::new();
    play_text(&mut game, moves).expect("the moves are legal");
    game
}

fn gated() -> (Thinker<TicTacToe>, Sender<()>, Receiver<Event<TicTacToe>>) {
    let (player, open, events) = Gated::new();
    let thinker = Thinker::new(Box::new(player)).expect("there is a thread to give");
    (thinker, open, events)
}

#[track_caller]
fn check_events(events: &Receiver<Event<TicTacToe>>, expected: &[Event<TicTacToe>]) {
    for event in expected {
        assert_eq!(events.recv_timeout(HANGING).as_ref(), Ok(event));
    }
}

fn wait(thinker: &mut Thinker<TicTacToe>, game: &TicTacToe) -> Answer<Cell> {
    let answer = thinker.wait(game, TICK, |elapsed| {
        assert!(elapsed < HANGING, "there is no answer");
    });
    answer.expect("the player does not panic")
}

fn cell(column: u8, row: u8) -> Cell {
    Cell::new(column, row).expect("the cell is on the board")
}

#[test]
fn a_player_ponders_until_it_is_its_turn() {
    let (told, pondered) = channel();
    let mut thinker = Thinker::new(Box::new(Ponderer(told))).expect("there is a thread to give");
    let (start, reply) = (after("b2"), after("b2 c1"));
    for _ in 0..2 {
        thinker.think_ahead(&start);
        assert_eq!(pondered.recv_timeout(HANGING), Ok(start));
        assert_eq!(wait(&mut thinker, &reply), Ok(cell(0, 0)));
        assert_eq!(pondered.recv_timeout(HANGING), Ok(start));
    }
    // Neither resting nor an end leaves it at work.
    thinker.think_ahead(&start);
    assert_eq!(pondered.recv_timeout(HANGING), Ok(start));
    thinker.rest();
    assert_eq!(pondered.recv_timeout(HANGING), Ok(start));
    thinker.think_ahead(&start);
    drop(thinker);
    assert_eq!(pondered.iter().count() % 2, 0);
}

#[test]
fn an_answer_found_ahead_is_there_at_once() {
    let (mut thinker, open, events) = gated();
    thinker.think_ahead(&after(""));
    for _ in 0..2 {
        open.send(()).expect("the player lives");
    }
    let (a1, b1, c1) = (after("a1"), after("b1"), after("c1"));
    check_events(
        &events,
        &[
            Event::Asked(a1),
            Event::Answered(a1),
            Event::Asked(b1),
            Event::Answered(b1),
            Event::Asked(c1),
        ],
    );
    // The gate stays shut: the answer can only be the one found ahead.
    assert_eq!(wait(&mut thinker, &b1), Ok(cell(0, 0)));
    drop(thinker);
    check_events(&events, &[Event::Stopped(c1), Event::Dropped]);
    assert!(events.recv().is_err(), "nothing else was asked");
}

#[test]
fn a_right_guess_under_way_goes_on() {
    let (mut thinker, open, events) = gated();
    thinker.think_ahead(&after(""));
    let a1 = after("a1");
    check_events(&events, &[Event::Asked(a1)]);
    thinker.begin(&a1);
    open.send(()).expect("the player lives");
    assert_eq!(wait(&mut thinker, &a1), Ok(cell(1, 0)));
    drop(thinker);
    check_events(&events, &[Event::Answered(a1), Event::Dropped]);
    assert!(events.recv().is_err(), "nothing else was asked");
}

#[test]
fn a_wrong_guess_is_abandoned() {
    let (mut thinker, open, events) = gated();
    thinker.think_ahead(&after(""));
    let (a1, c3) = (after("a1"), after("c3"));
    check_events(&events, &[Event::Asked(a1)]);
    thinker.begin(&c3);
    check_events(&events, &[Event::Stopped(a1), Event::Asked(c3)]);
    open.send(()).expect("the player lives");
    assert_eq!(wait(&mut thinker, &c3), Ok(cell(0, 0)));
    drop(thinker);
    check_events(&events, &[Event::Answered(c3), Event::Dropped]);
    assert!(events.recv().is_err(), "nothing else was asked");
}

#[test]
fn a_question_taken_back_is_not_answered() {
    let (mut thinker, open, events) = gated();
    let (a1, c3) = (after("a1"), after("c3"));
    thinker.begin(&a1);
    check_events(&events, &[Event::Asked(a1)]);
    thinker.begin(&c3);
    check_events(&events, &[Event::Stopped(a1), Event::Asked(c3)]);
    thinker.rest();
    check_events(&events, &[Event::Stopped(c3)]);
    thinker.begin(&a1);
    open.send(()).expect("the player lives");
    assert_eq!(wait(&mut thinker, &a1), Ok(cell(1, 0)));
}

#[test]
fn what_comes_of_an_ended_thought_is_thrown_away() {
    let (mut thinker, open, events) = gated();
    let a1 = after("a1");
    thinker.think_ahead(&after(""));
    check_events(&events, &[Event::Asked(a1)]);
    thinker.rest();
    check_events(&events, &[Event::Stopped(a1)]);
    thinker.begin(&a1);
    check_events(&events, &[Event::Asked(a1)]);
    open.send(()).expect("the player lives");
    assert_eq!(wait(&mut thinker, &a1), Ok(cell(1, 0)));
}

#[test]
fn only_the_answers_of_this_turn_are_kept() {
    let (mut thinker, open, events) = gated();
    let a1 = after("a1");
    thinker.think_ahead(&after(""));
    open.send(()).expect("the player lives");
    check_events(&events, &[Event::Asked(a1), Event::Answered(a1)]);
    check_events(&events, &[Event::Asked(after("b1"))]);
    thinker.think_ahead(&after("a1 b1"));
    check_events(&events, &[Event::Stopped(after("b1"))]);
    thinker.begin(&a1);
    open.send(()).expect("the player lives");
    assert_eq!(wait(&mut thinker, &a1), Ok(cell(1, 0)));
    drop(thinker);
    let asked = events.iter().any(|event| event == Event::Asked(a1));
    assert!(asked, "the answer of another turn is forgotten");
}

#[test]
fn replies_that_end_the_game_need_no_answer() {
    let (mut thinker, open, events) = gated();
    // Of c2, a3 and b3, the second wins.
    thinker.think_ahead(&after("a1 b1 a2 b2 c3 c1"));
    for moves in ["a1 b1 a2 b2 c3 c1 c2", "a1 b1 a2 b2 c3 c1 b3"] {
        let next = after(moves);
        check_events(&events, &[Event::Asked(next)]);
        open.send(()).expect("the player lives");
        check_events(&events, &[Event::Answered(next)]);
    }
}

#[test]
fn dropping_ends_the_thought_and_joins_the_thread() {
    for ahead in [true, false] {
        let (mut thinker, _open, events) = gated();
        let a1 = after("a1");
        if ahead {
            thinker.think_ahead(&after(""));
        } else {
            thinker.begin(&a1);
        }
        check_events(&events, &[Event::Asked(a1)]);
        drop(thinker);
        // The player has gone already; nothing is waited for.
        let seen: Vec<_> = events.try_iter().collect();
        assert_eq!(seen, [Event::Stopped(a1), Event::Dropped]);
    }
}

#[test]
fn waiting_tells_the_time() {
    let (mut thinker, open, _events) = gated();
    let mut ticks = Vec::new();
    let answer = thinker.wait(&after("a1"), TICK, |elapsed| {
        ticks.push(elapsed);
        if ticks.len() == 3 {
            open.send(()).expect("the player lives");
        }
    });
    assert_eq!(answer, Ok(Ok(cell(1, 0))));
    assert!(ticks.len() >= 3 && ticks.is_sorted(), "{ticks:?}");
}

#[test]
fn illegal_moves_lose_in_the_end() {
    let mut thinker = Thinker::new(Box::new(Stubborn("a1"))).expect("there is a thread to give");
    assert_eq!(wait(&mut thinker, &after("")), Ok(cell(0, 0)));
    let Err(end @ GameEnd::Forfeited { side, illegal }) = wait(&mut thinker, &after("a1")) else {
        panic!("a1 is taken");
    };
    assert_eq!((side, illegal.attempted), (Side::Second, cell(0, 0)));
    assert_eq!(end.outcome().winner(), Some(Side::First));
}

#[test]
fn a_player_may_resign() {
    let mut thinker = Thinker::new(Box::new(Timid)).expect("there is a thread to give");
    assert_eq!(thinker.name(), "Timid");
    let answer = wait(&mut thinker, &after("a1"));
    assert_eq!(answer, Err(GameEnd::Resigned(Side::Second)));
}

#[test]
fn a_panic_is_an_error() {
    for ahead in [true, false] {
        let mut thinker = Thinker::new(Box::new(Bomb)).expect("there is a thread to give");
        if ahead {
            thinker.think_ahead(&after(""));
        }
        let error = thinker.wait(&after("a1"), TICK, |_| {});
        let panicked = ThinkerError::Panicked("boom\u{1b}[2J".to_owned());
        assert_eq!(error, Err(panicked));
        let error = thinker.wait(&after("b1"), TICK, |_| {});
        assert_eq!(error, Err(ThinkerError::Ended));
    }
}
