//! Players with keys: their seats, histories and ratings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use open_ttt_net::MatchId;
use open_ttt_net::log::{AppendError, ForwardingLog, LogError, LogFuture, MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::check_match;
use serde_json::{Value, json};

use super::harness::{Client, Reply, RunningServer, start, start_with, unlimited};
use super::nodes::shared_log;
use crate::waiting::eventually;

pub(super) const ANN: &str = "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf";
pub(super) const BOB: &str = "b0b1b2b3b4b5b6b7b8b9babbbcbdbebf";

/// The id of a key's holder.
pub(super) async fn id_of(server: &RunningServer, key: &str) -> String {
    let reply = server.post("/api/v1/players", &json!({"key": key})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["player"].as_str().unwrap().to_owned()
}

/// The entries of a player's history once there are `total`, newest first.
async fn history(server: &RunningServer, key: &str, total: u64) -> Vec<Value> {
    let id = id_of(server, key).await;
    let path = format!("/api/v1/players/{id}/games");
    eventually("the history has all entries", || async {
        let page = server.get(&path).await.json();
        assert!(page["total"].as_u64().unwrap() <= total, "{page}");
        (page["total"] == total).then(|| page["games"].as_array().unwrap().clone())
    })
    .await
}

/// Creates a match of tic-tac-toe in which Ann goes first.
async fn create(server: &RunningServer, is_rated: bool) -> Reply {
    let body = json!({
        "game": "ttt", "first": "a", "seats": [{"person": "Ann"}, null],
        "rated": is_rated, "key": ANN,
    });
    server.post("/api/v1/matches", &body).await
}

async fn join(server: &RunningServer, id: &str, name: &str, key: Option<&str>) -> Reply {
    let mut body = json!({"player": {"person": name}});
    if let Some(key) = key {
        body["key"] = key.into();
    }
    server
        .post(&format!("/api/v1/matches/{id}/join"), &body)
        .await
}

/// A match of Ann and Bob, who have connected with their keys alone.
async fn new_match(server: &RunningServer, is_rated: bool) -> (String, Client, Client) {
    let created = create(server, is_rated).await;
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.json()["match"].as_str().unwrap().to_owned();
    let joined = join(server, &id, "Bob", Some(BOB)).await;
    assert_eq!(joined.status, 200, "{joined:?}");
    let (ann, welcome) = server
        .connect_with(&id, "ann", None, json!({"key": ANN}))
        .await;
    assert_eq!(welcome["seat"], "a");
    let (bob, welcome) = server
        .connect_with(&id, "bob", None, json!({"key": BOB}))
        .await;
    assert_eq!(welcome["seat"], "b");
    (id, ann, bob)
}

/// Ann wins in five moves.
async fn win(ann: &mut Client, bob: &mut Client) {
    for text in ["a1", "b1", "a2", "b2", "a3"] {
        let (mover, other) = if text.starts_with('a') {
            (&mut *ann, &mut *bob)
        } else {
            (&mut *bob, &mut *ann)
        };
        mover.play(text).await;
        other.receive_move(text).await;
    }
}

#[tokio::test]
async fn a_key_is_worth_its_seat_and_is_not_stored() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let (id, ann, bob) = new_match(&server, false).await;
    drop((ann, bob));
    // On another server as well, which reads it from the log.
    let server = start_with(unlimited(), log.clone()).await;
    let connect = async |key: &str| {
        let (_, welcome) = server
            .connect_with(&id, "eve", None, json!({"key": key}))
            .await;
        welcome["seat"].clone()
    };
    assert_eq!(connect(ANN).await, "a");
    assert_eq!(connect(BOB).await, "b");
    assert_eq!(connect(&ANN.replace("a0", "a1")).await, Value::Null);
    // A wrong token is not excused by a key.
    let mut eve = server.socket(&id, &[]).await.unwrap();
    let token = "00".repeat(16);
    eve.send(&json!({"type": "hello", "protocol": 1, "client": "e", "token": token, "key": ANN}))
        .await;
    assert_eq!(eve.receive_type("error").await["code"], "bad_token");

    let player = id_of(&server, ANN).await;
    history(&server, ANN, 1).await;
    let mut text = String::new();
    for id in log.matches(None, 100).await.unwrap() {
        for entry in log.read(&id, Sequence::START, 100).await.unwrap() {
            text += core::str::from_utf8(&entry).unwrap();
        }
    }
    assert!(!text.contains(ANN) && !text.contains(BOB), "{text}");
    assert!(text.contains(&player));
    // SHA-256 of "open_ttt player" and the key, by sha256sum.
    assert_eq!(player, "35d0e0e6b6905f86217fba71be20f3");
    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(
        status["players"],
        json!([player, id_of(&server, BOB).await])
    );
}

#[tokio::test]
async fn the_holder_of_a_key_can_add_a_computer() {
    let server = start().await;
    let id = create(&server, false).await.json()["match"].clone();
    let path = format!("/api/v1/matches/{}/join", id.as_str().unwrap());
    let mut body = json!({"player": {"computer": "random"}, "key": BOB});
    server.post(&path, &body).await.is_error(403, "bad_token");
    body["key"] = ANN.into();
    assert_eq!(server.post(&path, &body).await.status, 200);
    let history = history(&server, ANN, 1).await;
    assert_eq!(
        history[0]["opponent"],
        json!({"name": "random", "computer": "random"})
    );
    server.end().await;
}

#[tokio::test]
async fn a_casual_game_is_kept_without_a_rating() {
    let server = start().await;
    let (id, mut ann, mut bob) = new_match(&server, false).await;
    win(&mut ann, &mut bob).await;
    let (ann_id, bob_id) = (id_of(&server, ANN).await, id_of(&server, BOB).await);
    let games = history(&server, BOB, 2).await;
    let verdict = json!({"winner": "a", "by": "rules"});
    for (entry, number, verdict) in [(&games[1], 0, Value::Null), (&games[0], 1, verdict)] {
        let expected = json!({
            "match": id, "number": number, "at": entry["at"], "game": "ttt", "seat": "b",
            "opponent": {"name": "Ann", "player": ann_id}, "verdict": verdict,
        });
        assert_eq!(*entry, expected);
    }
    history(&server, ANN, 2).await;
    let profile = async |id: &str| server.get(&format!("/api/v1/players/{id}")).await.json();
    let score = |wins, losses| json!({"game": "ttt", "wins": wins, "draws": 0, "losses": losses});
    assert_eq!(
        profile(&ann_id).await,
        json!({"player": ann_id, "games": [score(1, 0)]})
    );
    assert_eq!(
        profile(&bob_id).await,
        json!({"player": bob_id, "games": [score(0, 1)]})
    );

    // The next game has the next number, and the pages have all.
    ann.act(json!("rematch"), &mut [&mut bob]).await;
    bob.act(json!("rematch"), &mut [&mut ann]).await;
    ann.act(json!("resign"), &mut [&mut bob]).await;
    let games = history(&server, ANN, 3).await;
    assert_eq!(games[0]["number"], 2);
    let path = format!("/api/v1/players/{ann_id}/games");
    for from in 0..5 {
        let page = server.get(&format!("{path}?from={from}")).await.json();
        assert_eq!(page["from"], from);
        assert_eq!(page["games"], json!(games[games.len().min(from)..]));
    }
    // Whoever has not played is not an error; what is no id, is.
    let nobody = "0".repeat(30);
    assert_eq!(
        profile(&nobody).await,
        json!({"player": nobody, "games": []})
    );
    for path in ["xyz", "0", &"0".repeat(32)] {
        let reply = server.get(&format!("/api/v1/players/{path}")).await;
        reply.is_error(404, "not_found");
    }
    server.end().await;
}

#[tokio::test]
async fn players_without_keys_and_games_against_oneself_leave_no_history() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    win(&mut ann, &mut bob).await;
    let id = create(&server, false).await.json()["match"].clone();
    let id = id.as_str().unwrap();
    assert_eq!(join(&server, id, "Ann too", Some(ANN)).await.status, 200);
    let (mut ann, _) = server
        .connect_with(id, "ann", None, json!({"key": ANN}))
        .await;
    ann.act(json!("resign"), &mut []).await;
    // A later match comes after nothing.
    new_match(&server, false).await;
    history(&server, ANN, 1).await;
    history(&server, BOB, 1).await;
    let ids = log.matches(None, 100).await.unwrap();
    let histories = ids.iter().filter(|id| id.as_str().starts_with('_'));
    assert_eq!(histories.count(), 2, "{ids:?}");
    server.end().await;
}

/// The ratings of a winner and a loser without earlier games: by Glickman's formulas.
fn assert_first_ratings(winner: &Value, loser: &Value) {
    let new = json!({"rating": 1500, "deviation": 350});
    let after = |rating| json!({"rating": rating, "deviation": 290});
    assert_eq!(
        winner["rating"],
        json!({"before": new, "after": after(1662)})
    );
    assert_eq!(
        loser["rating"],
        json!({"before": new, "after": after(1338)})
    );
}

#[tokio::test]
async fn a_rated_game_changes_both_ratings() {
    let server = start().await;
    let (id, mut ann, mut bob) = new_match(&server, true).await;
    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(status["view"]["settings"]["rated"], true);
    ann.play("b2").await;
    let refused = ann.propose(json!("ask_take_back")).await;
    assert_eq!(refused["conflict"], "rated", "{refused}");
    bob.receive_move("b2").await;
    bob.act(json!("resign"), &mut [&mut ann]).await;
    let (winner, loser) = (
        history(&server, ANN, 2).await,
        history(&server, BOB, 2).await,
    );
    assert_first_ratings(&winner[0], &loser[0]);
    let id = id_of(&server, BOB).await;
    let profile = server.get(&format!("/api/v1/players/{id}")).await.json();
    let rating = json!({"rating": 1338, "deviation": 290});
    let score = json!({"game": "ttt", "wins": 0, "draws": 0, "losses": 1, "rating": rating});
    assert_eq!(profile["games"], json!([score]));
    server.end().await;
}

#[tokio::test]
async fn a_rated_game_needs_two_players_with_keys() {
    let server = start().await;
    let path = "/api/v1/matches";
    let mut body = json!({"game": "ttt", "seats": [{"person": "Ann"}, null], "rated": true});
    server.post(path, &body).await.is_error(400, "bad_request");
    body["key"] = ANN.into();
    body["seats"][1] = json!({"computer": "random"});
    server.post(path, &body).await.is_error(400, "bad_request");
    let id = create(&server, true).await.json()["match"].clone();
    let id = id.as_str().unwrap();
    join(&server, id, "Bob", None)
        .await
        .is_error(400, "bad_request");
    join(&server, id, "Ann", Some(ANN))
        .await
        .is_error(400, "bad_request");
    let body = json!({"player": {"computer": "random"}, "key": ANN});
    let computer = server.post(&format!("{path}/{id}/join"), &body).await;
    computer.is_error(400, "bad_request");
    assert_eq!(join(&server, id, "Bob", Some(BOB)).await.status, 200);
    server.end().await;
}

/// A store in memory that refuses the entries of some histories.
#[derive(Debug)]
struct HistoryFault {
    log: Arc<MemoryLog>,
    /// The logs whose entries are refused begin with this.
    prefix: String,
    is_on: AtomicBool,
    has_refused: AtomicBool,
}

impl ForwardingLog for HistoryFault {
    fn inner(&self) -> &dyn MatchLog {
        &*self.log
    }

    fn append(&self, id: &MatchId, last: Sequence, entry: Bytes) -> LogFuture<'_, (), AppendError> {
        if self.is_on.load(Ordering::SeqCst) && id.as_str().starts_with(&self.prefix) {
            self.has_refused.store(true, Ordering::SeqCst);
            let cause = LogError::new("an injected fault");
            return Box::pin(async { Err(AppendError::Refused(cause)) });
        }
        self.log.append(id, last, entry)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// The first server stores the end of a rated game, but not the entries of the histories
/// that begin with `prefix`, and crashes. Another server completes them.
async fn crash_before_history(prefix: impl AsyncFnOnce(&RunningServer) -> String) {
    let log = Arc::new(MemoryLog::new());
    let helper = start_with(unlimited(), log.clone()).await;
    let faulty = Arc::new(HistoryFault {
        prefix: prefix(&helper).await,
        log: log.clone(),
        is_on: AtomicBool::new(false),
        has_refused: AtomicBool::new(false),
    });
    let server = start_with(unlimited(), faulty.clone()).await;
    let (id, mut ann, mut bob) = new_match(&server, true).await;
    history(&server, ANN, 1).await;
    history(&server, BOB, 1).await;
    faulty.is_on.store(true, Ordering::SeqCst);
    win(&mut ann, &mut bob).await;
    // Two games more, of which no history knows.
    ann.act(json!("rematch"), &mut [&mut bob]).await;
    bob.act(json!("rematch"), &mut [&mut ann]).await;
    bob.act(json!("resign"), &mut [&mut ann]).await;
    eventually("an entry is refused", || async {
        faulty.has_refused.load(Ordering::SeqCst).then_some(())
    })
    .await;
    // As if it were killed: it stores nothing any more.
    let server = start_with(unlimited(), log).await;
    assert_eq!(
        server.get(&format!("/api/v1/matches/{id}")).await.status,
        200
    );
    let (winner, loser) = (
        history(&server, ANN, 3).await,
        history(&server, BOB, 3).await,
    );
    assert_first_ratings(&winner[1], &loser[1]);
    for (games, other) in [(&winner, &loser), (&loser, &winner)] {
        let numbers: Vec<_> = games.iter().map(|game| game["number"].clone()).collect();
        assert_eq!(numbers, [2, 1, 0]);
        assert_eq!(games[0]["rating"]["before"], games[1]["rating"]["after"]);
        assert_ne!(games[0]["rating"]["after"], other[0]["rating"]["after"]);
    }
    // Nothing is added when the match is loaded again.
    helper.get(&format!("/api/v1/matches/{id}")).await;
    let (id, _, _) = new_match(&helper, true).await;
    assert_eq!(history(&helper, ANN, 4).await[0]["match"], id);
}

#[tokio::test]
async fn both_histories_are_completed_after_a_crash() {
    crash_before_history(async |_| "_p".to_owned()).await;
}

#[tokio::test]
async fn the_first_players_history_is_completed_after_a_crash() {
    crash_before_history(async |server| format!("_p{}", id_of(server, ANN).await)).await;
}

#[tokio::test]
async fn the_second_players_history_is_completed_after_a_crash() {
    crash_before_history(async |server| format!("_p{}", id_of(server, BOB).await)).await;
}

#[tokio::test]
async fn two_servers_record_a_game_once() {
    let log = shared_log();
    let here = start_with(unlimited(), Arc::new(log.clone())).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    for round in 0..5 {
        let id = create(&here, true).await.json()["match"].clone();
        let id = id.as_str().unwrap();
        let joined = join(&there, id, "Bob", Some(BOB)).await;
        assert_eq!(joined.status, 200, "{joined:?}");
        let (mut ann, _) = here
            .connect_with(id, "ann", None, json!({"key": ANN}))
            .await;
        let (mut bob, _) = there
            .connect_with(id, "bob", None, json!({"key": BOB}))
            .await;
        ann.act(json!("resign"), &mut [&mut bob]).await;
        for key in [ANN, BOB] {
            let games = history(&there, key, 2 * round + 2).await;
            assert_eq!(
                (&games[0]["number"], &games[1]["number"]),
                (&json!(1), &json!(0))
            );
        }
    }
    let id = id_of(&here, BOB).await;
    let profile = here.get(&format!("/api/v1/players/{id}")).await.json();
    assert_eq!(profile["games"][0]["wins"], 5);
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn the_check_of_a_store_reads_histories() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let (_, mut ann, mut bob) = new_match(&server, true).await;
    win(&mut ann, &mut bob).await;
    history(&server, ANN, 2).await;
    let id: MatchId = format!("_p{}", id_of(&server, ANN).await).parse().unwrap();
    let catalog = open_ttt_catalog::Catalog::bundled();
    let mut entries = log.read(&id, Sequence::START, 100).await.unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(check_match(&catalog, &id, &entries), Ok(()));
    entries[1] = entries[1].slice(1..);
    let error = check_match(&catalog, &id, &entries).unwrap_err();
    assert!(error.is_damaged(), "{error}");
    assert!(error.to_string().contains("entry 2"), "{error}");
}
