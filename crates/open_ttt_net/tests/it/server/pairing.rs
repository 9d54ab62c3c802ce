//! Quick pairing: somebody who waits for the same game.

use std::sync::Arc;
use std::time::Duration;

use open_ttt_net::log::{MatchLog, MemoryLog};
use serde_json::{Value, json};

use super::harness::{Client, RunningServer, start, start_with, unlimited};
use super::nodes::shared_log;
use super::players::{ANN, BOB};
use crate::waiting::eventually;

fn request(name: &str, key: &str) -> Value {
    json!({"game": "ttt", "name": name, "key": key})
}

async fn pair(server: &RunningServer, body: &Value) -> Value {
    let reply = server.post("/api/v1/pair", body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

/// A new match in which a player waits, whoever else does: as if both had asked at once.
async fn wait_anyway(server: &RunningServer, name: &str, key: &str, is_rated: bool) -> Value {
    let seats = json!([{"person": name}, null]);
    let body = json!({
        "game": "ttt", "first": "a", "seats": seats, "listed": true, "rated": is_rated, "key": key,
    });
    let reply = server.post("/api/v1/matches", &body).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    // Times are in milliseconds: the next match is younger.
    tokio::time::sleep(Duration::from_millis(5)).await;
    reply.json()
}

fn id(assignment: &Value) -> &str {
    assignment["match"].as_str().unwrap()
}

/// Connects the player who waits in a new match, so that the lobby lists it.
async fn wait_in(server: &RunningServer, assignment: &Value, key: &str) -> Client {
    let (client, welcome) = server
        .connect_with(id(assignment), "waiting", None, json!({"key": key}))
        .await;
    assert_eq!(welcome["seat"], "a");
    client
}

/// Until a server's lobby lists a match.
async fn listed(server: &RunningServer, assignment: &Value) {
    eventually("the match is listed", || async {
        let list = server.get("/api/v1/matches").await.json();
        let mut matches = list["matches"].as_array().unwrap().iter();
        matches
            .any(|entry| entry["match"] == assignment["match"])
            .then_some(())
    })
    .await;
}

#[tokio::test]
async fn players_at_two_nodes_find_each_other() {
    let log = shared_log();
    let here = start_with(unlimited(), Arc::new(log.clone())).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    let clock = json!({"initial_ms": 60_000, "increment_ms": 1_000});
    let mut wanted = request("Ann", ANN);
    wanted["clock"] = clock.clone();
    let waiting = pair(&here, &wanted).await;
    assert_eq!(waiting["seat"], "a");
    let mut ann = wait_in(&here, &waiting, ANN).await;
    listed(&there, &waiting).await;

    // Another game, another clock, rated, and the same player: none of them fits.
    let mut others = vec![request("Bob", BOB)];
    for (field, value) in [
        ("game", json!("connect4")),
        ("clock", json!({"initial_ms": 60_000})),
        ("rated", json!(true)),
        ("key", json!(ANN)),
    ] {
        let mut other = request("Bob", BOB);
        other["clock"] = clock.clone();
        other[field] = value;
        others.push(other);
    }
    for other in others {
        let created = pair(&there, &other).await;
        assert_ne!(created["match"], waiting["match"], "{other}");
        assert_eq!(created["seat"], "a", "{other}");
    }
    let mut wanted = request("Bob", BOB);
    wanted["clock"] = clock;
    let found = pair(&there, &wanted).await;
    assert_eq!(found["match"], waiting["match"]);
    assert_eq!(found["seat"], "b");
    assert!(found["token"].is_string());
    let change = ann.receive_type("change").await;
    assert_eq!(change["transition"]["act"]["join"]["player"]["name"], "Bob");
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn of_two_who_wait_the_later_one_joins_the_other() {
    let log = shared_log();
    let here = start_with(unlimited(), Arc::new(log.clone())).await;
    let there = start_with(unlimited(), Arc::new(log)).await;
    let older = wait_anyway(&here, "Ann", ANN, false).await;
    let younger = wait_anyway(&there, "Bob", BOB, false).await;
    let mut ann = wait_in(&here, &older, ANN).await;
    let _bob = wait_in(&there, &younger, BOB).await;
    for server in [&here, &there] {
        listed(server, &older).await;
        listed(server, &younger).await;
    }

    let mut again = request("Ann", ANN);
    again["waiting"] = older["match"].clone();
    let same = pair(&here, &again).await;
    let path = format!("/m/{}", id(&older));
    let expected = json!({"match": older["match"], "seat": null, "token": null, "path": path});
    assert_eq!(same, expected);
    let mut again = request("Bob", BOB);
    again["waiting"] = younger["match"].clone();
    let found = pair(&there, &again).await;
    assert_eq!(
        (&found["match"], &found["seat"]),
        (&older["match"], &json!("b"))
    );
    ann.receive_type("change").await;
    // Nobody can join the match left behind.
    let path = format!("/api/v1/matches/{}/join", id(&younger));
    let late = here
        .post(&path, &json!({"player": {"person": "Carl"}}))
        .await;
    late.is_error(409, "seat_taken");
    // Nor does it count: Bob's history has the match with Ann alone.
    let bob = there
        .post("/api/v1/players", &json!({"key": BOB}))
        .await
        .json();
    let path = format!("/api/v1/players/{}/games", bob["player"].as_str().unwrap());
    let page = eventually("the history has the match", || async {
        let page = there.get(&path).await.json();
        (page["total"] != 0).then_some(page)
    })
    .await;
    assert_eq!(page["games"][0]["match"], older["match"]);
    assert_eq!(page["total"], 1);
    here.end().await;
    there.end().await;
}

#[tokio::test]
async fn whoever_has_an_opponent_stays() {
    let server = start().await;
    let older = wait_anyway(&server, "Ann", ANN, false).await;
    let younger = wait_anyway(&server, "Bob", BOB, false).await;
    let _ann = wait_in(&server, &older, ANN).await;
    let _bob = wait_in(&server, &younger, BOB).await;
    listed(&server, &older).await;
    // Carl joins Bob by the link, which the lobby's list may not know yet.
    server.join(id(&younger), "Carl").await;
    let mut again = request("Bob", BOB);
    again["waiting"] = younger["match"].clone();
    assert_eq!(pair(&server, &again).await["match"], younger["match"]);
    // Nobody can give up a seat of somebody else.
    let body = json!({"match": older["match"], "key": BOB});
    let reply = server.post("/api/v1/pair/cancel", &body).await;
    reply.is_error(403, "bad_token");
    server.end().await;
}

#[tokio::test]
async fn waiting_can_be_cancelled_until_an_opponent_comes() {
    let server = start().await;
    let cancel = async |waiting: &Value, key: &str| {
        let body = json!({"match": waiting["match"], "key": key});
        let reply = server.post("/api/v1/pair/cancel", &body).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    let waiting = pair(&server, &request("Ann", ANN)).await;
    // Twice, as if the first answer had been lost.
    for _ in 0..2 {
        assert_eq!(cancel(&waiting, ANN).await, json!({"cancelled": true}));
    }
    let late = pair(&server, &request("Bob", BOB)).await;
    assert_ne!(late["match"], waiting["match"]);
    let found = pair(&server, &request("Ann", ANN)).await;
    assert_eq!(found["match"], late["match"]);
    assert_eq!(cancel(&late, BOB).await, json!({"cancelled": false}));
    server.end().await;
}

/// A history of one entry, with this rating in tic-tac-toe.
async fn rate(log: &MemoryLog, server: &RunningServer, key: &str, rating: f64) {
    let player = super::players::id_of(server, key).await;
    let entry = json!({
        "stored": 1, "match": "earlier", "number": 1, "at": 1, "game": "ttt", "seat": "a",
        "opponent": {"name": "Zoe"}, "verdict": {"winner": "a", "by": "rules"},
        "scores": [{"game": "ttt", "wins": 1, "draws": 0, "losses": 0, "rating": [rating, 60.0, 0.06]}],
    });
    let id = format!("_p{player}").parse().unwrap();
    let start = open_ttt_net::replication::Sequence::START;
    log.append(&id, start, entry.to_string().into())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_rated_player_gets_the_nearest_opponent() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let players = [
        ("Ann", 1500.0),
        ("Bob", 1700.0),
        ("Carl", 1590.0),
        ("Dora", 3000.0),
    ];
    let mut waiting = Vec::new();
    let key = |index: usize| format!("{index:032x}");
    for (index, (name, rating)) in players.into_iter().enumerate() {
        rate(&log, &server, &key(index), rating).await;
        waiting.push(wait_anyway(&server, name, &key(index), true).await);
    }
    let mut clients = Vec::new();
    for (index, assignment) in waiting.iter().enumerate() {
        clients.push(wait_in(&server, assignment, &key(index)).await);
        listed(&server, assignment).await;
    }
    let mut wanted = request("Eve", &key(9));
    wanted["rated"] = json!(true);
    rate(&log, &server, &key(9), 1600.0).await;
    // Carl, then Ann or Bob, who are as far away; Dora is out of reach.
    let found = pair(&server, &wanted).await;
    assert_eq!(found["match"], waiting[2]["match"]);
    let next = [pair(&server, &wanted).await, pair(&server, &wanted).await];
    for index in [0, 1] {
        assert!(
            next.iter()
                .any(|found| found["match"] == waiting[index]["match"])
        );
    }
    let last = pair(&server, &wanted).await;
    assert_eq!(last["seat"], "a", "{last}");
    server.end().await;
}

#[tokio::test]
async fn what_cannot_be_paired_is_refused() {
    let server = start().await;
    for (field, value) in [
        ("game", json!("chess960")),
        ("clock", json!({"initial_ms": 0})),
        ("name", json!("")),
        ("key", json!("short")),
        ("waiting", json!("../etc")),
        ("more", json!(1)),
    ] {
        let mut wanted = request("Ann", ANN);
        wanted[field] = value;
        let reply = server.post("/api/v1/pair", &wanted).await;
        assert!((400..500).contains(&reply.status), "{wanted}: {reply:?}");
    }
    assert_eq!(server.get("/api/v1/matches").await.json()["total"], 0);
    server.end().await;
}
