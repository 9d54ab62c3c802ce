//! Time that no player could use is not charged to anybody.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::StreamExt;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::harness::{Client, RunningServer, start_with, unlimited};
use super::nodes::shared_log;
use super::stores::{Fault, FaultyLog};
use crate::waiting::eventually;

const ID: &str = "k3h9zq4m2x7d";

/// The tokens of the two seats, and their SHA-256 as the log has it.
pub(super) const TOKENS: [(&str, &str); 2] = [
    (
        "00112233445566778899aabbccddeeff",
        "a8faed6abbf35c12a4b26e40f6feb19d736d90045c83b9f9a31f638d323e6811",
    ),
    (
        "ffeeddccbbaa99887766554433221100",
        "811407f10d6c0f49a056cc8c01a15e42816b9d39df858e9f6c05fc5c9189b136",
    ),
];

const HOUR: u64 = 3_600_000;

/// The time by the clock of this machine, in milliseconds since 1970.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_millis() as u64
}

fn bytes(json: &Value) -> Bytes {
    json.to_string().into()
}

/// Stores a match with a minute for each player, in which seat A has moved `b2` and
/// seat B `a1` at the time `at`. Seat A's clock is running.
async fn store_match(log: &dyn MatchLog, at: u64) -> MatchId {
    let id: MatchId = ID.parse().unwrap();
    let settings = json!({"game": "ttt", "clock": {"initial_ms": 60_000}, "first": "a"});
    let mut entries = vec![json!({"version": 1, "settings": settings, "listed": false, "at": at})];
    for (seat, (_, key)) in ["a", "b"].into_iter().zip(TOKENS) {
        let act = json!({"join": {"seat": seat, "player": {"name": "Ann"}}});
        let transition = json!({"at": at, "by": "server", "act": act});
        entries.push(json!({"client": "s", "number": 1, "transition": transition, "key": key}));
    }
    for (seat, text) in [("a", "b2"), ("b", "a1")] {
        let transition = json!({"at": at, "by": seat, "act": {"move": {"text": text}}});
        entries.push(json!({"client": seat, "number": 1, "transition": transition}));
    }
    for (last, entry) in entries.iter().enumerate() {
        let last = Sequence::new(last as u64);
        log.append(&id, last, bytes(entry)).await.unwrap();
    }
    id
}

/// Stores when a server last served.
async fn store_note(log: &dyn MatchLog, at: u64) {
    let note = bytes(&json!({"at": at, "outages": []}));
    let id = "_service".parse().unwrap();
    log.set_notice(&id, Some(note)).await.unwrap();
}

/// The next change, which gives time back, in milliseconds.
async fn returned(client: &mut Client) -> u64 {
    let change = client.receive_type("change").await;
    let transition = &change["transition"];
    assert_eq!(transition["by"], "server", "{change}");
    transition["act"]["return_time"]["ms"].as_u64().unwrap()
}

#[tokio::test]
async fn an_outage_costs_nobody_time() {
    let log = Arc::new(MemoryLog::new());
    let then = now() - 2 * HOUR;
    let id = store_match(&*log, then).await;
    // Seat A had used ten seconds when the server went down.
    store_note(&*log, then + 10_000).await;
    let server = start_with(unlimited(), log).await;
    let mut ann = server.connect(id.as_str(), "ann", Some(TOKENS[0].0)).await;
    let mut eve = server.connect(id.as_str(), "eve", None).await;
    // The proposal is for the state before the outage, and nothing has overtaken it.
    ann.play("c3").await;
    let change = eve.receive_type("change").await;
    let at = change["transition"]["at"].as_u64().unwrap();
    assert!((then..=then + 10_000).contains(&at), "{change}");
    // The opponent's clock does not count the outage either.
    let ms = returned(&mut eve).await;
    assert!(ms >= 2 * HOUR - 10_000, "{ms}");
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    let clock = &view["view"]["clock"];
    assert_eq!(clock["left_ms"][1], 60_000);
    let since = clock["running"][1].as_u64().unwrap();
    assert!(since.abs_diff(now()) < HOUR, "{clock}");
    server.end().await;
}

#[tokio::test]
async fn time_is_given_back_though_nobody_moves() {
    let log = Arc::new(MemoryLog::new());
    let then = now() - 2 * HOUR;
    let id = store_match(&*log, then).await;
    store_note(&*log, then + 10_000).await;
    let server = start_with(unlimited(), Arc::clone(&log) as _).await;
    let mut eve = server.connect(id.as_str(), "eve", None).await;
    let ms = returned(&mut eve).await;
    assert!(ms >= 2 * HOUR - 10_000, "{ms}");
    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    let since = status["view"]["clock"]["running"][1].as_u64().unwrap();
    // The ten seconds before the outage are charged.
    assert_eq!(since, then + ms);

    // The first server gets no shutdown, as if it were killed. The next server knows the outage, and does not give it back again.
    let server = start_with(unlimited(), log).await;
    let mut ann = server.connect(id.as_str(), "ann", Some(TOKENS[0].0)).await;
    ann.play("c3").await;
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    let left = view["view"]["clock"]["left_ms"][0].as_u64().unwrap();
    assert!(left <= 50_000, "{view}");
    server.end().await;
}

#[tokio::test]
async fn a_store_without_notes_costs_nobody_time() {
    let log = Arc::new(MemoryLog::new());
    let id = store_match(&*log, now() - 2 * HOUR).await;
    let server = start_with(unlimited(), log).await;
    let mut ann = server.connect(id.as_str(), "ann", Some(TOKENS[0].0)).await;
    ann.play("c3").await;
    server.end().await;
}

/// Creates a match with a minute for each player, in which Ann has moved `b2`. Returns its
/// id and both players.
async fn timed_match(server: &RunningServer) -> (String, Client, Client) {
    let body = json!({
        "game": "ttt",
        "first": "a",
        "clock": {"initial_ms": 60_000},
        "seats": [{"person": "Ann"}, null]
    });
    let created = server.post("/api/v1/matches", &body).await.json();
    let id = created["match"].as_str().unwrap().to_owned();
    let bob = server.join(&id, "Bob").await;
    let mut ann = server.connect(&id, "ann", created["token"].as_str()).await;
    let mut bob = server.connect(&id, "bob", Some(&bob)).await;
    ann.play("b2").await;
    bob.receive_move("b2").await;
    (id, ann, bob)
}

#[tokio::test]
async fn a_time_without_service_is_an_outage_only_once_for_a_match() {
    let log = Arc::new(MemoryLog::new());
    let then = now() - 2 * HOUR;
    store_note(&*log, then).await;
    let server = start_with(unlimited(), Arc::clone(&log) as _).await;
    // A match that begins after the outage is not affected, not even at once.
    let (_, mut ann, mut bob) = timed_match(&server).await;
    bob.play("a1").await;
    ann.receive_move("a1").await;
    ann.play("c3").await;
    bob.receive_move("c3").await;
    server.end().await;
}

#[tokio::test]
async fn a_server_whose_clock_differs_adopts_the_time_of_the_others() {
    let log = shared_log();
    // The others' clocks are two hours behind this machine's.
    let their_now = || now() - 2 * HOUR;
    let id = store_match(&log, their_now()).await;
    store_note(&log, their_now()).await;
    let others = log.clone();
    let others = tokio::spawn(async move {
        loop {
            sleep(Duration::from_millis(20)).await;
            store_note(&others, their_now()).await;
        }
    });
    let mut config = unlimited();
    config.service_interval = Duration::from_millis(500);
    let server = start_with(config, Arc::new(log.clone())).await;
    // A server waits until it knows the time before it loads a match.
    let (mut ann, welcome) = server
        .connect_with(id.as_str(), "ann", Some(TOKENS[0].0), json!({}))
        .await;
    others.abort();
    let time = welcome["now"].as_u64().unwrap();
    assert!(time.abs_diff(their_now()) < HOUR / 2, "{welcome}");
    // By its own clock, seat A would have run out of time long ago.
    let reply = ann.propose(json!({"move": {"text": "c3"}})).await;
    assert_eq!(reply["type"], "accepted", "{reply}");
    let at = reply["change"]["transition"]["at"].as_u64().unwrap();
    assert!(at.abs_diff(their_now()) < HOUR / 2, "{reply}");
    server.end().await;
}

#[tokio::test]
async fn a_server_that_is_told_a_later_time_charges_nobody_for_it() {
    let log = shared_log();
    let server = start_with(unlimited(), Arc::new(log.clone())).await;
    let (id, _ann, mut bob) = timed_match(&server).await;
    // Another server's clock is two hours ahead. There are also messages that say nothing.
    let channel = log.broadcast().unwrap();
    let update = json!({"server": "another", "now": now() + 2 * HOUR});
    for message in [json!({"server": "another"}), update] {
        channel.send(bytes(&message));
    }
    // Though nobody moves.
    let ms = returned(&mut bob).await;
    assert!(ms.abs_diff(2 * HOUR) < HOUR / 2, "{ms}");
    let reply = bob.propose(json!({"move": {"text": "a1"}})).await;
    assert_eq!(reply["type"], "accepted", "{reply}");
    // All matches are at the later time from now on.
    let at = reply["change"]["transition"]["at"].as_u64().unwrap();
    assert!(at.abs_diff(now() + 2 * HOUR) < HOUR / 2, "{reply}");
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    let left = view["view"]["clock"]["left_ms"][1].as_u64().unwrap();
    assert!((1..=60_000).contains(&left), "{view}");
    server.end().await;
}

#[tokio::test]
async fn servers_tell_each_other_the_time() {
    let log = shared_log();
    let channel = log.broadcast().unwrap();
    let mut messages = channel.subscribe();
    let server = start_with(unlimited(), Arc::new(log)).await;
    let message = messages.next().await.unwrap();
    let message: Value = serde_json::from_slice(&message).unwrap();
    let time = message["now"].as_u64().unwrap();
    assert!(time.abs_diff(now()) < HOUR / 2, "{message}");
    server.end().await;
}

#[tokio::test]
async fn a_match_goes_on_from_the_time_of_its_last_change() {
    // Another server's clock is two hours ahead, and this one was not told.
    let log = Arc::new(MemoryLog::new());
    let theirs = now() + 2 * HOUR;
    let id = store_match(&*log, theirs).await;
    let server = start_with(unlimited(), log).await;
    let mut ann = server.connect(id.as_str(), "ann", Some(TOKENS[0].0)).await;
    sleep(Duration::from_millis(20)).await;
    let reply = ann.propose(json!({"move": {"text": "c3"}})).await;
    let at = reply["change"]["transition"]["at"].as_u64().unwrap();
    // Time passes, or seat A could think for two hours.
    assert!((theirs + 20..theirs + HOUR).contains(&at), "{reply}");
    server.end().await;
}

#[tokio::test]
async fn a_move_that_is_stored_late_counts_from_its_first_arrival() {
    // The header, two players and two moves are stored.
    let mut faults = vec![Fault::None; 5];
    faults.push(Fault::Refuse);
    let log = Arc::new(FaultyLog::new(&faults));
    let id = store_match(&*log, now()).await;
    let server = start_with(unlimited(), log).await;
    let mut ann = server.connect(id.as_str(), "ann", Some(TOKENS[0].0)).await;
    let mut bob = server.connect(id.as_str(), "bob", Some(TOKENS[1].0)).await;
    let act = json!({"move": {"text": "c3"}});
    let propose = json!({"type": "propose", "number": 1, "base": 4, "act": act});
    ann.send(&propose).await;
    ann.receive_type("delayed").await;
    let arrived_before = now();
    eventually("more than a second", || async {
        (now() > arrived_before + 1_500).then_some(())
    })
    .await;
    ann.send(&propose).await;
    let accepted = ann.receive_type("accepted").await;
    let at = accepted["change"]["transition"]["at"].as_u64().unwrap();
    assert!(at <= arrived_before, "{accepted}");
    // Bob's clock runs from when he can see the move.
    bob.receive_move("c3").await;
    let ms = returned(&mut bob).await;
    assert!(ms >= 1_500, "{ms}");
    server.end().await;
}

#[tokio::test]
async fn a_move_after_the_time_is_up_is_no_delay_of_the_store() {
    // The header, two players and two moves are stored, and the time-out never is.
    let mut faults = vec![Fault::None; 5];
    faults.resize(1_000, Fault::Refuse);
    let log = Arc::new(FaultyLog::new(&faults));
    let id = store_match(&*log, now() - 120_000).await;
    store_note(&*log, now()).await;
    let server = start_with(unlimited(), log).await;
    let mut ann = server.connect(id.as_str(), "ann", Some(TOKENS[0].0)).await;
    let reply = ann.propose(json!({"move": {"text": "c3"}})).await;
    assert_eq!(reply["type"], "delayed", "{reply}");
    assert_eq!(server.proposals("too_late").await, 1);
    assert_eq!(server.proposals("delayed").await, 0);
    server.end().await;
}
