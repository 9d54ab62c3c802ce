//! Several servers over one store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, unfold};
use open_ttt_net::MatchId;
use open_ttt_net::log::{AppendError, Broadcast, LogError, MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::json;
use tokio::sync::broadcast;

use super::harness::{generous, start_with};

/// A store in memory that several servers have in common.
#[derive(Clone, Debug)]
struct Common(Arc<MemoryLog>, Talk, Arc<Cut>);

/// Whether a server cannot read now, and how often it has found that out.
#[derive(Debug, Default)]
struct Cut {
    now: AtomicBool,
    refused: AtomicUsize,
}

/// Words between servers.
#[derive(Clone, Debug)]
struct Talk(broadcast::Sender<Bytes>);

impl Broadcast for Talk {
    fn send(&self, message: Bytes) {
        let _ = self.0.send(message);
    }

    fn subscribe(&self) -> BoxStream<'static, Bytes> {
        let heard = unfold(self.0.subscribe(), async |mut words| {
            let next = words.recv().await.ok()?;
            Some((next, words))
        });
        heard.boxed()
    }
}

fn common() -> Common {
    let talk = Talk(broadcast::Sender::new(64));
    Common(Arc::new(MemoryLog::new()), talk, Arc::default())
}

impl MatchLog for Common {
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>> {
        self.0.append(id, last, entry)
    }

    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>> {
        if self.2.now.load(Ordering::SeqCst) {
            self.2.refused.fetch_add(1, Ordering::SeqCst);
            let cause = LogError::new("a fault made for a test");
            return Box::pin(async { Err(cause) });
        }
        self.0.read(id, after, limit)
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>> {
        self.0.watch(id, after)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>> {
        self.0.set_notice(id, notice)
    }

    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>> {
        self.0.notices(limit)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), LogError>> {
        self.0.check()
    }

    fn broadcast(&self) -> Option<Arc<dyn Broadcast>> {
        Some(Arc::new(self.1.clone()))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

#[tokio::test]
async fn players_and_spectators_sit_at_different_servers() {
    let log = common();
    let here = start_with(generous(), Arc::new(log.clone())).await;
    let there = start_with(generous(), Arc::new(log)).await;
    let (id, ann) = here.create("ttt").await;
    let bob = there.join(&id, "Bob").await;
    let mut ann = here.enter(&id, "ann", Some(&ann)).await;
    let mut bob = there.enter(&id, "bob", Some(&bob)).await;
    let mut eve = there.enter(&id, "eve", None).await;
    while ann.sequence < bob.sequence {
        ann.hear_type("change").await;
    }
    for (index, text) in ["b2", "a1", "a2", "c2", "b1", "b3"].into_iter().enumerate() {
        let (mover, other) = if index % 2 == 0 {
            (&mut ann, &mut bob)
        } else {
            (&mut bob, &mut ann)
        };
        mover.play(text).await;
        other.see(text).await;
        eve.see(text).await;
    }
    // Both resign at once: one of them is first.
    let (one, other) = tokio::join!(ann.propose(json!("resign")), bob.propose(json!("resign")));
    let mut kinds = [one["type"].clone(), other["type"].clone()];
    kinds.sort_by_key(ToString::to_string);
    assert_eq!(kinds, ["accepted", "overtaken"]);
    let [a, b] = [&here, &there].map(|server| server.get(format!("/api/v1/matches/{id}").leak()));
    let (a, b) = (a.await.json(), b.await.json());
    assert_eq!(a["view"], b["view"]);
    // Ann goes on at the other server.
    let (mut ann, _) = there.enter_with(&id, "ann", None, json!({})).await;
    let answer = ann.propose(json!("rematch")).await;
    assert_eq!(answer["conflict"], "not_yours");
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn what_cannot_be_read_when_it_is_heard_of_is_read_later() {
    let log = common();
    let cut = Arc::new(Cut::default());
    let here = Common(log.0.clone(), log.1.clone(), Arc::clone(&cut));
    let here = start_with(generous(), Arc::new(here)).await;
    let there = start_with(generous(), Arc::new(log)).await;
    let (id, ann) = here.create("ttt").await;
    let bob = there.join(&id, "Bob").await;
    let mut ann = here.enter(&id, "ann", Some(&ann)).await;
    let mut bob = there.enter(&id, "bob", Some(&bob)).await;
    while ann.sequence < bob.sequence {
        ann.hear_type("change").await;
    }
    ann.play("b2").await;
    bob.see("b2").await;
    cut.now.store(true, Ordering::SeqCst);
    bob.play("a1").await;
    while cut.refused.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    cut.now.store(false, Ordering::SeqCst);
    // Nothing else happens that would wake the server.
    ann.see("a1").await;
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn a_computer_plays_once_however_many_servers_watch() {
    let log = common();
    let here = start_with(generous(), Arc::new(log.clone())).await;
    let there = start_with(generous(), Arc::new(log)).await;
    let body = json!({
        "game": "connect4",
        "first": "a",
        "seats": [{"person": "Ann"}, {"computer": "random(seed=1)"}],
    });
    let seated = here.post("/api/v1/matches", &body).await.json();
    let id = seated["match"].as_str().unwrap();
    let mut ann = here.enter(id, "ann", seated["token"].as_str()).await;
    let mut again = there.enter(id, "ann-too", seated["token"].as_str()).await;
    for count in 1..=3 {
        ann.play("4").await;
        let change = ann.hear_type("change").await;
        assert_eq!(change["transition"]["by"], "b");
        for by in ["a", "b"] {
            assert_eq!(again.hear_type("change").await["transition"]["by"], by);
        }
        assert_eq!(ann.sequence, again.sequence);
        assert_eq!(ann.sequence, 2 + 2 * count);
    }
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn servers_tell_each_other_who_is_there() {
    let log = common();
    let here = start_with(generous(), Arc::new(log.clone())).await;
    let there = start_with(generous(), Arc::new(log)).await;
    let (id, ann) = here.create("ttt").await;
    let bob = there.join(&id, "Bob").await;
    let mut ann = here.enter(&id, "ann", Some(&ann)).await;
    let bob = there.enter(&id, "bob", Some(&bob)).await;
    let eve = there.enter(&id, "eve", None).await;
    let mut wait_for = async |seats: [bool; 2], watchers: u32| loop {
        let message = ann.hear_any().await.unwrap();
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
