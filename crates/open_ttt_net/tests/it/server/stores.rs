//! Restarts, and stores that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use open_ttt_net::MatchId;
use open_ttt_net::log::{
    AppendError, ForwardingLog, LogError, LogFuture, MatchLog, MemoryLog, StoreRoom,
};
use open_ttt_net::replication::Sequence;
use serde_json::json;

use super::harness::{OPERATOR, start_with, unlimited};
use crate::waiting::eventually;

#[tokio::test]
async fn a_server_continues_the_matches_of_another() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let (id, ann) = server.create("connect4").await;
    let bob = server.join(&id, "Bob").await;
    let mut first = server.connect(&id, "ann", Some(&ann)).await;
    first.play("4").await;
    // The first server gets no shutdown, as if it were killed.
    let server = start_with(unlimited(), log).await;
    let (mut second, welcome) = server.connect_with(&id, "bob", Some(&bob), json!({})).await;
    assert_eq!(welcome["seat"], "b");
    second.play("5").await;
    let (mut ann, welcome) = server
        .connect_with(&id, "ann", Some(&ann), json!({"shape": "views"}))
        .await;
    assert_eq!(welcome["state"]["view"]["moves"], json!(["4", "5"]));
    ann.number = 5;
    ann.play("4").await;
}

/// What an append does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    None,
    Refuse,
    /// Stores the entry and reports an unknown outcome.
    Unknown,
    /// Loses the entry and reports an unknown outcome.
    Lost,
}

/// A store in memory with a fault for each of its first appends.
#[derive(Debug)]
pub(super) struct FaultyLog {
    log: MemoryLog,
    faults: Vec<Fault>,
    appends: AtomicUsize,
}

impl FaultyLog {
    pub(super) fn new(faults: &[Fault]) -> Self {
        Self {
            log: MemoryLog::new(),
            faults: faults.to_vec(),
            appends: AtomicUsize::new(0),
        }
    }
}

impl ForwardingLog for FaultyLog {
    fn inner(&self) -> &dyn MatchLog {
        &self.log
    }

    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        let count = self.appends.fetch_add(1, Ordering::SeqCst);
        let fault = self.faults.get(count).copied().unwrap_or(Fault::None);
        let id = id.clone();
        async move {
            let cause = LogError::new("an injected fault");
            match fault {
                Fault::None => self.log.append(&id, last, entry).await,
                Fault::Refuse => Err(AppendError::Refused(cause)),
                Fault::Lost => Err(AppendError::Unknown(cause)),
                Fault::Unknown => {
                    self.log.append(&id, last, entry).await?;
                    Err(AppendError::Unknown(cause))
                }
            }
        }
        .boxed()
    }
}

/// The replies to a proposal, and to the same proposal sent again, if the first
/// append has this fault.
async fn replies(fault: Fault) -> [String; 2] {
    // The header and two players come first.
    let faults = [Fault::None, Fault::None, Fault::None, fault];
    let server = start_with(unlimited(), Arc::new(FaultyLog::new(&faults))).await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    let base = ann.sequence;
    let proposal =
        json!({"type": "propose", "number": 1, "base": base, "act": {"move": {"text": "b2"}}});
    let mut replies = [const { String::new() }; 2];
    for reply in &mut replies {
        ann.send(&proposal).await;
        let message = ann.receive().await;
        message["type"].as_str().unwrap().clone_into(reply);
    }
    // In any case the move is played once.
    bob.receive_move("b2").await;
    bob.play("a1").await;
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(view["view"]["moves"], json!(["b2", "a1"]));
    server.end().await;
    replies
}

#[tokio::test]
async fn an_append_that_fails_is_not_acknowledged() {
    assert_eq!(replies(Fault::None).await, ["accepted", "duplicate"]);
    assert_eq!(replies(Fault::Refuse).await, ["delayed", "accepted"]);
}

#[tokio::test]
async fn an_unknown_outcome_is_resolved_by_reading() {
    assert_eq!(replies(Fault::Unknown).await, ["accepted", "duplicate"]);
    assert_eq!(replies(Fault::Lost).await, ["accepted", "duplicate"]);
}

/// A store in memory that says how full it is.
#[derive(Debug, Default)]
struct RoomLog {
    log: MemoryLog,
    used: AtomicU64,
}

impl ForwardingLog for RoomLog {
    fn inner(&self) -> &dyn MatchLog {
        &self.log
    }

    fn room(&self) -> Option<StoreRoom> {
        let used = self.used.load(Ordering::SeqCst);
        Some(StoreRoom { used, limit: 1600 })
    }
}

#[tokio::test]
async fn a_store_that_is_almost_full_takes_no_new_matches_and_later_no_moves() {
    let log = Arc::new(RoomLog::default());
    let mut config = unlimited();
    config.admin_token = Some(OPERATOR);
    let server = start_with(config, Arc::clone(&log) as _).await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    let (waiting, _) = server.create("ttt").await;
    let new = json!({"game": "ttt", "seats": [{"person": "Ann"}, null]});
    log.used.store(1399, Ordering::SeqCst);
    server.create("ttt").await;
    log.used.store(1400, Ordering::SeqCst);
    let refused = server.post("/api/v1/matches", &new).await;
    refused.is_error(503, "unavailable");
    // Those who play go on, and a friend comes.
    server.join(&waiting, "Bob").await;
    log.used.store(1499, Ordering::SeqCst);
    ann.play("b2").await;
    bob.receive_move("b2").await;
    log.used.store(1500, Ordering::SeqCst);
    let delayed = bob.propose(json!({"move": {"text": "a1"}})).await;
    assert_eq!(delayed["type"], "delayed", "{delayed}");
    let (_, metrics) = server.get_private("/metrics").await;
    for metric in [
        "open_ttt_store_bytes 1500",
        "open_ttt_store_limit_bytes 1600",
    ] {
        assert!(metrics.lines().any(|line| line == metric), "{metrics}");
    }
    let store = &server.live_numbers().await["store"];
    assert_eq!(store, &json!({"bytes": 1500, "limit_bytes": 1600}));
    // What was accepted before is still told.
    let act = json!({"move": {"text": "b2"}});
    let again = json!({"type": "propose", "number": ann.number, "base": 2, "act": act});
    ann.send(&again).await;
    assert_eq!(ann.receive_type("duplicate").await["sequence"], 3);
    // Once there is room, as if nothing had been. The client sends it again by itself.
    log.used.store(0, Ordering::SeqCst);
    bob.play("a1").await;
    ann.receive_move("a1").await;
    log.used.store(1500, Ordering::SeqCst);
    ann.act(json!("resign"), &mut [&mut bob]).await;
    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(status["view"]["verdict"]["winner"], "b");
    server.end().await;
}

/// A store in memory that counts the servers' notes of their service.
#[derive(Debug, Default)]
struct NotedLog {
    log: MemoryLog,
    notes: AtomicUsize,
}

impl ForwardingLog for NotedLog {
    fn inner(&self) -> &dyn MatchLog {
        &self.log
    }

    fn set_notice(&self, id: &MatchId, notice: Option<Bytes>) -> LogFuture<'_, ()> {
        if id.as_str() == "_service" {
            self.notes.fetch_add(1, Ordering::SeqCst);
        }
        self.log.set_notice(id, notice)
    }
}

/// The next server takes the time since then for an outage.
#[tokio::test]
async fn the_last_note_is_of_the_time_when_the_players_are_sent_away() {
    let log = Arc::new(NotedLog::default());
    let notes = || log.notes.load(Ordering::SeqCst);
    let mut config = unlimited();
    config.service_interval = Duration::from_hours(1);
    let server = start_with(config, Arc::clone(&log) as _).await;
    let (_, mut ann, bob) = server.new_match("ttt").await;
    eventually("the first note", || async { (notes() == 1).then_some(()) }).await;
    let ending = tokio::spawn(server.end());
    assert_eq!(ann.receive_type("error").await["code"], "shutting_down");
    assert_eq!(notes(), 2);
    assert_eq!(ann.receive_any().await, None);
    drop(bob);
    ending.await.unwrap();
    assert_eq!(notes(), 2);
}
