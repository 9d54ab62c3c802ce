//! The operator's interface.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, Request};
use open_ttt_catalog::Catalog;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::check_match;
use serde_json::{Value, json};

use super::harness::{OPERATOR, RunningServer, start, start_with, unlimited};
use crate::waiting::eventually;

async fn start_on(log: &Arc<MemoryLog>) -> RunningServer {
    let mut config = unlimited();
    config.admin_token = Some(OPERATOR);
    start_with(config, Arc::clone(log) as _).await
}

async fn get(server: &RunningServer, path: &str) -> Value {
    let (status, reply) = server.operator(Method::GET, path, &json!(null)).await;
    assert_eq!(status, 200, "{reply}");
    reply
}

async fn post(server: &RunningServer, path: &str, body: Value) {
    let (status, reply) = server.operator(Method::POST, path, &body).await;
    assert_eq!((status, &reply), (200, &json!({})), "{path}");
}

#[tokio::test]
async fn administration_needs_the_token() {
    let log = Arc::new(MemoryLog::new());
    let server = start_on(&log).await;
    let without = server.get_private("/admin/v1/status").await;
    assert_eq!(without.0, 403, "{}", without.1);
    let wrong = Request::get("/admin/v1/status").header("authorization", "Bearer 07");
    let wrong = server.private(wrong.body(Body::empty()).unwrap()).await;
    assert_eq!(wrong.0, 403, "{}", wrong.1);
    // The public side has no administration.
    server
        .get("/admin/v1/status")
        .await
        .is_error(404, "not_found");
    server.end().await;
    let without_token = start().await;
    let (status, text) = without_token.get_private("/admin/v1/status").await;
    assert_eq!(status, 403, "{text}");
    without_token.end().await;
}

#[tokio::test]
async fn matches_are_listed_shown_and_deleted() {
    let log = Arc::new(MemoryLog::new());
    let server = start_on(&log).await;
    let (id, mut ann, _bob) = server.new_match("ttt").await;
    ann.play("b2").await;
    let shown = get(&server, &format!("/matches/{id}")).await;
    assert_eq!(shown["players"], json!(["Ann", "Bob"]));
    assert_eq!(
        (&shown["moves"], &shown["sequence"]),
        (&json!(1), &json!(3))
    );
    let seats: Vec<_> = shown["connections"].as_array().unwrap().iter().collect();
    assert_eq!(seats.len(), 2);
    assert_eq!(seats[0], &json!({"address": "127.0.0.1", "seat": "a"}));
    let listed = get(&server, "/matches").await;
    assert_eq!(listed, json!({"matches": [shown], "next": null}));
    let status = server.live_numbers().await;
    assert_eq!(
        (&status["matches"], &status["sockets"], status.get("store")),
        (&json!(1), &json!(2), None)
    );

    // Not in the memory of another server, but stored; the operator's own log is not a
    // match.
    let first = server;
    let server = start_on(&log).await;
    post(&server, "/bans", json!({"who": {"name": "Eve"}})).await;
    assert_eq!(get(&server, "/matches").await["matches"], json!([]));
    let stored = get(&server, "/matches?stored=true").await;
    assert_eq!(stored["matches"][0]["match"], id);
    assert_eq!(stored["matches"].as_array().unwrap().len(), 1);
    assert!(stored.get("unreadable").is_none(), "{stored}");
    get(&server, &format!("/matches/{id}")).await;
    // What is described is not loaded, because a server does what is due in its matches.
    assert_eq!(get(&server, "/matches").await["matches"], json!([]));

    let deleted = server
        .operator(Method::DELETE, &format!("/matches/{id}"), &json!(null))
        .await;
    assert_eq!(deleted, (200, json!({})));
    let (status, gone) = server
        .operator(Method::DELETE, &format!("/matches/{id}"), &json!(null))
        .await;
    assert_eq!(
        (status, &gone["error"]["code"]),
        (404, &json!("no_such_match"))
    );
    assert_eq!(
        get(&server, "/matches?stored=true").await["matches"],
        json!([])
    );
    let gone = server.get(&format!("/api/v1/matches/{id}")).await;
    gone.is_error(404, "no_such_match");
    server.end().await;
    first.end().await;
}

#[tokio::test]
async fn a_list_names_what_cannot_be_read() {
    let log = Arc::new(MemoryLog::new());
    let id = "k3h9zq4m2x7d".parse().unwrap();
    let stored = log.append(&id, Sequence::START, "damaged".into()).await;
    assert_eq!(stored, Ok(()));
    let server = start_on(&log).await;
    let (other, _) = server.create("ttt").await;
    let list = get(&server, "/matches?stored=true").await;
    assert_eq!(list["matches"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["matches"][0]["match"], other);
    let unreadable = &list["unreadable"][0];
    assert_eq!(unreadable["match"], id.as_str(), "{list}");
    assert_eq!(unreadable["error"]["code"], "damaged", "{list}");
    server.end().await;
}

#[tokio::test]
async fn a_closed_match_stays_closed_until_it_is_reopened() {
    let log = Arc::new(MemoryLog::new());
    let server = start_on(&log).await;
    let (id, mut ann, _bob) = server.new_match("ttt").await;
    post(&server, &format!("/matches/{id}/close"), json!({})).await;
    assert_eq!(ann.receive_type("error").await["code"], "closed");
    assert_eq!(ann.receive_any().await, None);
    assert!(server.socket(&id, &[]).await.is_err());
    let of_match = format!("/api/v1/matches/{id}");
    for path in ["", "/games", "/games/1"] {
        let reply = server.get(&format!("{of_match}{path}")).await;
        reply.is_error(410, "closed");
    }
    let body = json!({"match": id, "key": "00112233445566778899aabbccddeeff"});
    let cancelled = server.post("/api/v1/pair/cancel", &body).await;
    cancelled.is_error(410, "closed");
    let join = format!("/api/v1/matches/{id}/join");
    let body = json!({"player": {"person": "Carl"}});
    server.post(&join, &body).await.is_error(410, "closed");
    // Also at a server that starts later.
    let first = server;
    let server = start_on(&log).await;
    assert!(server.socket(&id, &[]).await.is_err());
    post(&server, &format!("/matches/{id}/reopen"), json!({})).await;
    assert!(server.socket(&id, &[]).await.is_ok());
    let missing = server
        .operator(Method::POST, "/matches/nosuchmatch/close", &json!({}))
        .await;
    assert_eq!(missing.0, 404);
    server.end().await;
    first.end().await;
}

#[tokio::test]
async fn banned_addresses_and_names_are_refused() {
    let log = Arc::new(MemoryLog::new());
    let server = start_on(&log).await;
    post(
        &server,
        "/bans",
        json!({"who": {"name": "Eve"}, "reason": "cheats"}),
    )
    .await;
    let create = async |server: &RunningServer, name: &str| {
        let body = json!({"game": "ttt", "seats": [{"person": name}, null]});
        server.post("/api/v1/matches", &body).await
    };
    create(&server, "EVE").await.is_error(403, "banned");
    assert_eq!(create(&server, "Evelyn").await.status, 201);

    let (_, mut ann, _bob) = server.new_match("ttt").await;
    let network = json!({"network": "127.0.0.0/8"});
    post(&server, "/bans", json!({"who": network})).await;
    assert_eq!(ann.receive_type("error").await["code"], "banned");
    server.get("/").await.is_error(403, "banned");

    // Also at a server that starts later.
    let first = server;
    let server = start_on(&log).await;
    create(&server, "Ann").await.is_error(403, "banned");
    let bans = get(&server, "/bans").await;
    let expected = json!({"bans": [
        {"who": network}, {"who": {"name": "Eve"}, "reason": "cheats"}
    ]});
    assert_eq!(bans, expected);
    post(&server, "/unban", network).await;
    create(&server, "eve").await.is_error(403, "banned");
    post(&server, "/unban", json!({"name": "EVE"})).await;
    assert_eq!(create(&server, "Eve").await.status, 201);
    assert_eq!(get(&server, "/bans").await, json!({"bans": []}));
    let again = json!({"name": "EVE"});
    let (status, _) = server.operator(Method::POST, "/unban", &again).await;
    assert_eq!(status, 404);
    // A ban that has run out does not hold.
    post(
        &server,
        "/bans",
        json!({"who": {"name": "Eve"}, "until": 1_000}),
    )
    .await;
    assert_eq!(create(&server, "Eve").await.status, 201);
    server.end().await;
    first.end().await;
}

#[tokio::test]
async fn a_decision_holds_for_connections_without_a_hello() {
    let log = Arc::new(MemoryLog::new());
    let server = start_on(&log).await;
    let (id, _) = server.create("ttt").await;
    let (other, _) = server.create("ttt").await;
    let mut early = server.socket(&id, &[]).await.unwrap();
    let mut banned = server.socket(&other, &[]).await.unwrap();
    let hello = json!({"type": "hello", "protocol": 1, "client": "eve"});
    post(&server, &format!("/matches/{id}/close"), json!({})).await;
    early.send(&hello).await;
    assert_eq!(early.receive_type("error").await["code"], "closed");
    let network = json!({"network": "127.0.0.0/8"});
    post(&server, "/bans", json!({"who": network})).await;
    banned.send(&hello).await;
    assert_eq!(banned.receive_type("error").await["code"], "banned");
    drop((early, banned));
    server.end().await;
}

/// Two servers of one store.
#[tokio::test]
async fn all_servers_of_a_store_follow_the_bans() {
    let log = Arc::new(MemoryLog::new());
    let (one, other) = (start_on(&log).await, start_on(&log).await);
    let (_, mut ann, _bob) = other.new_match("ttt").await;
    post(&one, "/bans", json!({"who": {"network": "127.0.0.1/32"}})).await;
    assert_eq!(ann.receive_type("error").await["code"], "banned");
    post(&other, "/unban", json!({"network": "127.0.0.1/32"})).await;
    eventually("the ban is lifted everywhere", || async {
        (one.get("/").await.status == 200).then_some(())
    })
    .await;
    // The check of a store knows that this is no match.
    let (catalog, id) = (Catalog::bundled(), "_moderation".parse().unwrap());
    let mut decisions = log.read(&id, Sequence::START, 10).await.unwrap();
    assert_eq!(decisions.len(), 2);
    assert_eq!(check_match(&catalog, &id, &decisions), Ok(()));
    decisions[1] = decisions[1].slice(1..);
    assert!(
        check_match(&catalog, &id, &decisions)
            .unwrap_err()
            .is_damaged()
    );
    one.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_draining_server_takes_no_new_matches() {
    let log = Arc::new(MemoryLog::new());
    let server = start_on(&log).await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    post(
        &server,
        "/drain",
        json!({"on": true, "text": "Back at noon."}),
    )
    .await;
    for player in [&mut ann, &mut bob] {
        assert_eq!(player.receive_type("notice").await["text"], "Back at noon.");
    }
    let body = json!({"game": "ttt", "seats": [null, null]});
    let refused = server.post("/api/v1/matches", &body).await;
    refused.is_error(503, "shutting_down");
    assert_eq!(server.get_private("/ready").await.0, 503);
    // Running matches continue.
    ann.play("b2").await;
    bob.receive_move("b2").await;
    post(&server, "/drain", json!({"on": false})).await;
    assert_eq!(server.post("/api/v1/matches", &body).await.status, 201);
    server.end().await;
}
