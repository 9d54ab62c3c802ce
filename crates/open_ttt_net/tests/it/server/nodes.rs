//! Several servers on one store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, unfold};
use open_ttt_net::MatchId;
use open_ttt_net::log::{Broadcast, ForwardingLog, LogError, LogFuture, MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::json;
use tokio::sync::broadcast;

use super::harness::{RunningServer, start_with, unlimited};
use crate::waiting::eventually;

/// A store in memory, shared by several servers.
#[derive(Clone, Debug)]
pub(crate) struct SharedLog {
    log: Arc<MemoryLog>,
    channel: Channel,
    outage: Arc<Outage>,
}

/// Whether a server's reads fail, and how many have failed.
#[derive(Debug, Default)]
struct Outage {
    is_on: AtomicBool,
    failed_reads: AtomicUsize,
}

/// A broadcast channel between servers.
#[derive(Clone, Debug)]
struct Channel(broadcast::Sender<Bytes>);

impl Broadcast for Channel {
    fn send(&self, message: Bytes) {
        let _ = self.0.send(message);
    }

    fn subscribe(&self) -> BoxStream<'static, Bytes> {
        let messages = unfold(self.0.subscribe(), async |mut receiver| {
            let next = receiver.recv().await.ok()?;
            Some((next, receiver))
        });
        messages.boxed()
    }
}

pub(crate) fn shared_log() -> SharedLog {
    SharedLog {
        log: Arc::new(MemoryLog::new()),
        channel: Channel(broadcast::Sender::new(64)),
        outage: Arc::default(),
    }
}

impl ForwardingLog for SharedLog {
    fn inner(&self) -> &dyn MatchLog {
        &*self.log
    }

    fn read(&self, id: &MatchId, after: Sequence, limit: usize) -> LogFuture<'_, Vec<Bytes>> {
        if self.outage.is_on.load(Ordering::SeqCst) {
            self.outage.failed_reads.fetch_add(1, Ordering::SeqCst);
            let cause = LogError::new("an injected fault");
            return Box::pin(async { Err(cause) });
        }
        self.log.read(id, after, limit)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        Some(Arc::new(self.channel.clone()))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn the_clients_of_a_match_use_different_servers() {
    let log = shared_log();
    let here = start_with(unlimited(), Arc::new(log.clone())).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    let (id, ann) = here.create("ttt").await;
    let bob = there.join(&id, "Bob").await;
    let mut ann = here.connect(&id, "ann", Some(&ann)).await;
    let mut bob = there.connect(&id, "bob", Some(&bob)).await;
    let mut eve = there.connect(&id, "eve", None).await;
    while ann.sequence < bob.sequence {
        ann.receive_type("change").await;
    }
    for (index, text) in ["b2", "a1", "a2", "c2", "b1", "b3"].into_iter().enumerate() {
        let (mover, other) = if index % 2 == 0 {
            (&mut ann, &mut bob)
        } else {
            (&mut bob, &mut ann)
        };
        mover.play(text).await;
        other.receive_move(text).await;
        eve.receive_move(text).await;
    }
    // Of two concurrent acts one is first.
    let (one, other) = tokio::join!(ann.propose(json!("resign")), bob.propose(json!("resign")));
    let mut kinds = [one["type"].clone(), other["type"].clone()];
    kinds.sort_by_key(ToString::to_string);
    assert_eq!(kinds, ["accepted", "overtaken"]);
    let [a, b] = [&here, &there].map(|server| server.get(format!("/api/v1/matches/{id}").leak()));
    let (a, b) = (a.await.json(), b.await.json());
    assert_eq!(a["view"], b["view"]);
    // Without a token Ann is a spectator at the other server.
    let (mut ann, _) = there.connect_with(&id, "ann", None, json!({})).await;
    let reply = ann.propose(json!("rematch")).await;
    assert_eq!(reply["conflict"], "not_yours");
    here.end().await;
    there.end().await;
}

/// Two servers on one store, of which the first can have an outage of its own.
async fn two_servers() -> (RunningServer, RunningServer, Arc<Outage>) {
    let log = shared_log();
    let outage = Arc::new(Outage::default());
    let here = SharedLog {
        outage: Arc::clone(&outage),
        ..log.clone()
    };
    let here = start_with(unlimited(), Arc::new(here)).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    (here, there, outage)
}

#[tokio::test]
async fn a_failed_read_after_a_notification_is_repeated() {
    let (here, there, outage) = two_servers().await;
    let (id, ann) = here.create("ttt").await;
    let bob = there.join(&id, "Bob").await;
    let mut ann = here.connect(&id, "ann", Some(&ann)).await;
    let mut bob = there.connect(&id, "bob", Some(&bob)).await;
    while ann.sequence < bob.sequence {
        ann.receive_type("change").await;
    }
    ann.play("b2").await;
    bob.receive_move("b2").await;
    outage.is_on.store(true, Ordering::SeqCst);
    bob.play("a1").await;
    eventually("a failed read", || async {
        (outage.failed_reads.load(Ordering::SeqCst) > 0).then_some(())
    })
    .await;
    outage.is_on.store(false, Ordering::SeqCst);
    // Nothing else notifies the server.
    ann.receive_move("a1").await;
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn a_player_is_known_where_the_join_has_not_been_read() {
    let (here, there, outage) = two_servers().await;
    let (id, ann) = here.create("ttt").await;
    let _ann = here.connect(&id, "ann", Some(&ann)).await;
    outage.is_on.store(true, Ordering::SeqCst);
    let bob = there.join(&id, "Bob").await;
    // The server can't know that the seat is not Bob's.
    let hello = json!({"type": "hello", "protocol": 1, "client": "bob", "token": bob});
    let mut early = here.socket(&id, &[]).await.unwrap();
    early.send(&hello).await;
    let refused = early.receive_type("error").await;
    assert_eq!(refused["code"], "unavailable", "{refused}");
    outage.is_on.store(false, Ordering::SeqCst);
    let (_, welcome) = here.connect_with(&id, "bob", Some(&bob), json!({})).await;
    assert_eq!(welcome["seat"], "b");
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn a_computer_moves_once_at_several_servers() {
    let log = shared_log();
    let here = start_with(unlimited(), Arc::new(log.clone())).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    let body = json!({
        "game": "connect4",
        "first": "a",
        "seats": [{"person": "Ann"}, {"computer": "random(seed=1)"}],
    });
    let assignment = here.post("/api/v1/matches", &body).await.json();
    let id = assignment["match"].as_str().unwrap();
    let mut ann = here.connect(id, "ann", assignment["token"].as_str()).await;
    let mut again = there
        .connect(id, "ann-too", assignment["token"].as_str())
        .await;
    for count in 1..=3 {
        ann.play("4").await;
        let change = ann.receive_type("change").await;
        assert_eq!(change["transition"]["by"], "b");
        for by in ["a", "b"] {
            assert_eq!(again.receive_type("change").await["transition"]["by"], by);
        }
        assert_eq!(ann.sequence, again.sequence);
        assert_eq!(ann.sequence, 2 + 2 * count);
    }
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn servers_exchange_presence() {
    let log = shared_log();
    let here = start_with(unlimited(), Arc::new(log.clone())).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    let (id, ann) = here.create("ttt").await;
    let bob = there.join(&id, "Bob").await;
    let mut ann = here.connect(&id, "ann", Some(&ann)).await;
    let bob = there.connect(&id, "bob", Some(&bob)).await;
    let eve = there.connect(&id, "eve", None).await;
    let mut wait_for = async |seats: [bool; 2], watchers: u32| loop {
        let message = ann.receive_any().await.unwrap();
        if message["type"] == "presence"
            && message["seats"] == json!(seats)
            && message["watchers"] == watchers
        {
            return;
        }
    };
    wait_for([true, true], 1).await;
    drop(eve);
    wait_for([true, true], 0).await;
    drop(bob);
    wait_for([true, false], 0).await;
    here.end().await;
    there.end().await;
}

/// Old matches are deleted by one server, which doesn't know what others have open.
#[tokio::test]
async fn a_match_that_another_server_has_deleted_ends() {
    let log = shared_log();
    let server = start_with(unlimited(), Arc::new(log.clone())).await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    let removed = MatchLog::remove(&log, &id.parse().unwrap()).await;
    assert_eq!(removed, Ok(()));
    let act = json!({"move": {"text": "b2"}});
    let propose = json!({"type": "propose", "number": 1, "base": ann.sequence, "act": act});
    ann.send(&propose).await;
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.receive_type("error").await["code"], "no_such_match");
        assert_eq!(client.receive_any().await, None);
    }
    let gone = server.get(&format!("/api/v1/matches/{id}")).await;
    gone.is_error(404, "no_such_match");
    server.end().await;
}
