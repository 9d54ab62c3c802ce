//! A server whose store fails, and one that begins again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use open_ttt_net::MatchId;
use open_ttt_net::log::{AppendError, LogError, MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::json;

use super::harness::{generous, start_with};

#[tokio::test]
async fn a_server_goes_on_where_another_ended() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(generous(), log.clone()).await;
    let (id, ann) = server.create("connect4").await;
    let bob = server.join(&id, "Bob").await;
    let mut first = server.enter(&id, "ann", Some(&ann)).await;
    first.play("4").await;
    // Not told to end: forgotten, as if it had been killed.
    let server = start_with(generous(), log).await;
    let (mut second, welcome) = server.enter_with(&id, "bob", Some(&bob), json!({})).await;
    assert_eq!(welcome["seat"], "b");
    second.play("5").await;
    let (mut ann, welcome) = server
        .enter_with(&id, "ann", Some(&ann), json!({"shape": "views"}))
        .await;
    assert_eq!(welcome["state"]["view"]["moves"], json!(["4", "5"]));
    ann.number = 5;
    ann.play("4").await;
}

/// What a store does instead of its work.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    Refuse,
    /// It stores, and does not say so.
    Unknown,
    /// It does not store, and does not say so.
    Lost,
}

/// A store in memory that fails now and then.
#[derive(Debug)]
struct Faulty {
    log: MemoryLog,
    faults: Vec<Fault>,
    appends: AtomicUsize,
}

impl Faulty {
    fn new(faults: &[Fault]) -> Self {
        Self {
            log: MemoryLog::new(),
            faults: faults.to_vec(),
            appends: AtomicUsize::new(0),
        }
    }
}

impl MatchLog for Faulty {
    fn append<'a>(
        &'a self,
        id: &'a MatchId,
        last: Sequence,
        entry: Bytes,
    ) -> BoxFuture<'a, Result<(), AppendError>> {
        let count = self.appends.fetch_add(1, Ordering::SeqCst);
        let fault = self.faults.get(count).copied().unwrap_or(Fault::None);
        async move {
            let cause = LogError::new("a fault made for a test");
            match fault {
                Fault::None => self.log.append(id, last, entry).await,
                Fault::Refuse => Err(AppendError::Refused(cause)),
                Fault::Lost => Err(AppendError::Unknown(cause)),
                Fault::Unknown => {
                    self.log.append(id, last, entry).await?;
                    Err(AppendError::Unknown(cause))
                }
            }
        }
        .boxed()
    }

    fn read<'a>(
        &'a self,
        id: &'a MatchId,
        after: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Bytes>, LogError>> {
        self.log.read(id, after, limit)
    }

    fn watch(&self, id: &MatchId, after: Sequence) -> BoxStream<'static, Result<Bytes, LogError>> {
        self.log.watch(id, after)
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn set_notice<'a>(
        &'a self,
        id: &'a MatchId,
        notice: Option<Bytes>,
    ) -> BoxFuture<'a, Result<(), LogError>> {
        self.log.set_notice(id, notice)
    }

    fn notices(&self, limit: usize) -> BoxFuture<'_, Result<Vec<(MatchId, Bytes)>, LogError>> {
        self.log.notices(limit)
    }

    fn check(&self) -> BoxFuture<'_, Result<(), LogError>> {
        self.log.check()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.log.close()
    }
}

/// Plays a move over a store whose first append for a move fails in this way;
/// what Ann is answered to it, and to the same proposal sent again.
async fn answers(fault: Fault) -> [String; 2] {
    // A header and two players come first.
    let faults = [Fault::None, Fault::None, Fault::None, fault];
    let server = start_with(generous(), Arc::new(Faulty::new(&faults))).await;
    let (id, mut ann, mut bob) = server.table("ttt").await;
    let base = ann.sequence;
    let proposal =
        json!({"type": "propose", "number": 1, "base": base, "act": {"move": {"text": "b2"}}});
    let mut answers = [const { String::new() }; 2];
    for answer in &mut answers {
        ann.say(&proposal).await;
        let message = ann.hear().await;
        message["type"].as_str().unwrap().clone_into(answer);
    }
    // Whatever happened, it happened once.
    bob.see("b2").await;
    bob.play("a1").await;
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(view["view"]["moves"], json!(["b2", "a1"]));
    server.end().await;
    answers
}

#[tokio::test]
async fn an_append_that_fails_is_not_acknowledged() {
    assert_eq!(answers(Fault::None).await, ["accepted", "duplicate"]);
    assert_eq!(answers(Fault::Refuse).await, ["delayed", "accepted"]);
}

#[tokio::test]
async fn an_append_of_unknown_outcome_is_looked_up() {
    assert_eq!(answers(Fault::Unknown).await, ["accepted", "duplicate"]);
    assert_eq!(answers(Fault::Lost).await, ["accepted", "duplicate"]);
}
