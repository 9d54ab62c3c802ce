use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use open_ttt_app::player_thread::{PlayerThread, PlayerThreadError, TurnResult};
use open_ttt_lib::games::{Cell, TicTacToe};
use open_ttt_lib::rules::{History, Side, play_text};
use open_ttt_players::GameEnd;

use crate::players::{Event, Failing, Gated, Panicker, Ponderer, Resigner, SameMove};

/// No test depends on its length.
const TICK: Duration = Duration::from_millis(1);

/// The test fails if an event takes longer.
const HANG_GUARD: Duration = Duration::from_mins(10);

fn after(moves: &str) -> TicTacToe {
    let mut game = TicTacToe::new();
    play_text(&mut game, moves).expect("the moves are legal");
    game
}

fn gated() -> (
    PlayerThread<TicTacToe>,
    Sender<()>,
    Receiver<Event<TicTacToe>>,
) {
    let (gated, open, events) = Gated::new();
    let player = PlayerThread::new(Box::new(gated)).expect("a thread can be started");
    (player, open, events)
}

#[track_caller]
fn check_events(events: &Receiver<Event<TicTacToe>>, expected: &[Event<TicTacToe>]) {
    for event in expected {
        assert_eq!(events.recv_timeout(HANG_GUARD).as_ref(), Ok(event));
    }
}

fn wait(player: &mut PlayerThread<TicTacToe>, game: &TicTacToe) -> TurnResult<Cell> {
    let result = player.wait(&History::new(*game), TICK, |elapsed| {
        assert!(elapsed < HANG_GUARD, "the player hangs");
    });
    result.expect("the player does not panic")
}

fn cell(column: u8, row: u8) -> Cell {
    Cell::new(column, row).expect("the cell is on the board")
}

#[test]
fn a_player_ponders_until_its_turn() {
    let (report_sender, pondered) = channel();
    let mut player =
        PlayerThread::new(Box::new(Ponderer(report_sender))).expect("a thread can be started");
    let (start, reply) = (after("b2"), after("b2 c1"));
    for _ in 0..2 {
        player.ponder(&History::new(start));
        assert_eq!(pondered.recv_timeout(HANG_GUARD), Ok(start));
        assert_eq!(wait(&mut player, &reply), Ok(cell(0, 0)));
        assert_eq!(pondered.recv_timeout(HANG_GUARD), Ok(start));
    }
    // Cancelling stops it, and so does dropping.
    player.ponder(&History::new(start));
    assert_eq!(pondered.recv_timeout(HANG_GUARD), Ok(start));
    player.cancel();
    assert_eq!(pondered.recv_timeout(HANG_GUARD), Ok(start));
    player.ponder(&History::new(start));
    drop(player);
    assert_eq!(pondered.iter().count() % 2, 0);
}

#[test]
fn a_result_found_while_pondering_is_returned_at_once() {
    let (mut player, open, events) = gated();
    player.ponder(&History::new(after("")));
    for _ in 0..2 {
        open.send(()).expect("the player exists");
    }
    let (a1, b1, c1) = (after("a1"), after("b1"), after("c1"));
    check_events(
        &events,
        &[
            Event::Started(a1),
            Event::Finished(a1),
            Event::Started(b1),
            Event::Finished(b1),
            Event::Started(c1),
        ],
    );
    // The gate is closed: the result can only be the one found while pondering.
    assert_eq!(wait(&mut player, &b1), Ok(cell(0, 0)));
    drop(player);
    check_events(&events, &[Event::Stopped(c1), Event::Dropped]);
    assert!(events.recv().is_err(), "nothing else is searched");
}

#[test]
fn a_running_search_of_the_right_reply_continues() {
    let (mut player, open, events) = gated();
    player.ponder(&History::new(after("")));
    let a1 = after("a1");
    check_events(&events, &[Event::Started(a1)]);
    player.start(&History::new(a1));
    open.send(()).expect("the player exists");
    assert_eq!(wait(&mut player, &a1), Ok(cell(1, 0)));
    drop(player);
    check_events(&events, &[Event::Finished(a1), Event::Dropped]);
    assert!(events.recv().is_err(), "nothing else is searched");
}

#[test]
fn a_search_of_a_wrong_reply_is_stopped() {
    let (mut player, open, events) = gated();
    player.ponder(&History::new(after("")));
    let (a1, c3) = (after("a1"), after("c3"));
    check_events(&events, &[Event::Started(a1)]);
    player.start(&History::new(c3));
    check_events(&events, &[Event::Stopped(a1), Event::Started(c3)]);
    open.send(()).expect("the player exists");
    assert_eq!(wait(&mut player, &c3), Ok(cell(0, 0)));
    drop(player);
    check_events(&events, &[Event::Finished(c3), Event::Dropped]);
    assert!(events.recv().is_err(), "nothing else is searched");
}

#[test]
fn a_cancelled_turn_has_no_result() {
    let (mut player, open, events) = gated();
    let (a1, c3) = (after("a1"), after("c3"));
    player.start(&History::new(a1));
    check_events(&events, &[Event::Started(a1)]);
    player.start(&History::new(c3));
    check_events(&events, &[Event::Stopped(a1), Event::Started(c3)]);
    player.cancel();
    check_events(&events, &[Event::Stopped(c3)]);
    player.start(&History::new(a1));
    open.send(()).expect("the player exists");
    assert_eq!(wait(&mut player, &a1), Ok(cell(1, 0)));
}

#[test]
fn the_result_of_a_cancelled_search_is_discarded() {
    let (mut player, open, events) = gated();
    let a1 = after("a1");
    player.ponder(&History::new(after("")));
    check_events(&events, &[Event::Started(a1)]);
    player.cancel();
    check_events(&events, &[Event::Stopped(a1)]);
    player.start(&History::new(a1));
    check_events(&events, &[Event::Started(a1)]);
    open.send(()).expect("the player exists");
    assert_eq!(wait(&mut player, &a1), Ok(cell(1, 0)));
}

#[test]
fn only_the_results_of_the_latest_pondering_are_kept() {
    let (mut player, open, events) = gated();
    let a1 = after("a1");
    player.ponder(&History::new(after("")));
    open.send(()).expect("the player exists");
    check_events(&events, &[Event::Started(a1), Event::Finished(a1)]);
    check_events(&events, &[Event::Started(after("b1"))]);
    player.ponder(&History::new(after("a1 b1")));
    check_events(&events, &[Event::Stopped(after("b1"))]);
    player.start(&History::new(a1));
    open.send(()).expect("the player exists");
    assert_eq!(wait(&mut player, &a1), Ok(cell(1, 0)));
    drop(player);
    let started = events.iter().any(|event| event == Event::Started(a1));
    assert!(started, "the result of earlier pondering is discarded");
}

#[test]
fn replies_that_end_the_game_are_not_searched() {
    let (mut player, open, events) = gated();
    // Of c2, a3 and b3, the second wins.
    player.ponder(&History::new(after("a1 b1 a2 b2 c3 c1")));
    for moves in ["a1 b1 a2 b2 c3 c1 c2", "a1 b1 a2 b2 c3 c1 b3"] {
        let next = after(moves);
        check_events(&events, &[Event::Started(next)]);
        open.send(()).expect("the player exists");
        check_events(&events, &[Event::Finished(next)]);
    }
}

#[test]
fn dropping_stops_the_search_and_joins_the_thread() {
    for ponder in [true, false] {
        let (mut player, _open, events) = gated();
        let a1 = after("a1");
        if ponder {
            player.ponder(&History::new(after("")));
        } else {
            player.start(&History::new(a1));
        }
        check_events(&events, &[Event::Started(a1)]);
        drop(player);
        // The player is dropped already.
        let seen: Vec<_> = events.try_iter().collect();
        assert_eq!(seen, [Event::Stopped(a1), Event::Dropped]);
    }
}

#[test]
fn waiting_reports_the_elapsed_time() {
    let (mut player, open, _events) = gated();
    let mut ticks = Vec::new();
    let answer = player.wait(&History::new(after("a1")), TICK, |elapsed| {
        ticks.push(elapsed);
        if ticks.len() == 3 {
            open.send(()).expect("the player exists");
        }
    });
    assert_eq!(answer, Ok(Ok(cell(1, 0))));
    assert!(ticks.len() >= 3 && ticks.is_sorted(), "{ticks:?}");
}

#[test]
fn illegal_moves_forfeit_the_game() {
    let mut player = PlayerThread::new(Box::new(SameMove("a1"))).expect("a thread can be started");
    assert_eq!(wait(&mut player, &after("")), Ok(cell(0, 0)));
    let Err(end @ GameEnd::Forfeited { side, illegal }) = wait(&mut player, &after("a1")) else {
        panic!("a1 is taken");
    };
    assert_eq!((side, illegal.attempted), (Side::Second, cell(0, 0)));
    assert_eq!(end.outcome().winner(), Some(Side::First));
}

#[test]
fn a_player_can_resign() {
    let mut player = PlayerThread::new(Box::new(Resigner)).expect("a thread can be started");
    assert_eq!(player.name(), "Resigner");
    let answer = wait(&mut player, &after("a1"));
    assert_eq!(answer, Err(GameEnd::Resigned(Side::Second)));
}

#[test]
fn a_failure_is_no_resignation() {
    for ponder in [true, false] {
        let player = Box::new(Failing::default());
        let mut player = PlayerThread::new(player).expect("a thread can be started");
        if ponder {
            player.ponder(&History::new(after("")));
        }
        let error = player.wait(&History::new(after("a1")), TICK, |_| {});
        let failed = PlayerThreadError::Failed("connection lost\u{7}".to_owned());
        assert_eq!(error, Err(failed));
    }
}

#[test]
fn a_panic_is_an_error() {
    for ponder in [true, false] {
        let mut player = PlayerThread::new(Box::new(Panicker)).expect("a thread can be started");
        if ponder {
            player.ponder(&History::new(after("")));
        }
        let error = player.wait(&History::new(after("a1")), TICK, |_| {});
        let panicked = PlayerThreadError::Panicked("boom\u{1b}[2J".to_owned());
        assert_eq!(error, Err(panicked));
        let error = player.wait(&History::new(after("b1")), TICK, |_| {});
        assert_eq!(error, Err(PlayerThreadError::Ended));
    }
}

#[test]
fn pondering_ends_at_its_limit() {
    let start = after("b2");
    let mut limit = TICK;
    let (mut player, pondered) = loop {
        let (report_sender, pondered) = channel();
        let player = PlayerThread::new(Box::new(Ponderer(report_sender)));
        let mut player = player.expect("a thread can be started").ponder_limit(limit);
        player.ponder(&History::new(start));
        // It reports the start, unless the limit has passed before: on a busy machine.
        if pondered.recv_timeout(4 * limit) == Ok(start) {
            break (player, pondered);
        }
        limit *= 2;
        assert!(limit < HANG_GUARD / 8, "it doesn't ponder");
    };
    // It reports the end, and nobody has stopped it.
    assert_eq!(pondered.recv_timeout(HANG_GUARD), Ok(start));
    assert_eq!(wait(&mut player, &after("b2 c1")), Ok(cell(0, 0)));
}

#[test]
fn a_player_may_ponder_as_long_as_it_likes() {
    let (player, open, _events) = gated();
    let mut player = player.ponder_limit(Duration::MAX);
    player.ponder(&History::new(after("")));
    open.send(()).expect("the player exists");
    assert!(wait(&mut player, &after("c3")).is_ok());
}

#[test]
fn no_search_of_a_reply_starts_after_the_limit() {
    let (player, open, events) = gated();
    let mut player = player.ponder_limit(Duration::ZERO);
    player.ponder(&History::new(after("")));
    open.send(()).expect("the player exists");
    let c3 = after("c3");
    assert!(wait(&mut player, &c3).is_ok());
    drop(player);
    let searched: Vec<_> = events.iter().collect();
    let expected = [Event::Started(c3), Event::Finished(c3), Event::Dropped];
    assert_eq!(searched, expected);
}
