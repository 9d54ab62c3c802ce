//! The list of open matches.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use open_ttt_catalog::Catalog;
use open_ttt_net::log::MemoryLog;
use open_ttt_net::server::{Config, Server, app};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::harness::{RunningServer, start_with, unlimited};
use crate::waiting::eventually;

async fn server_with(max_listed: usize) -> RunningServer {
    let mut config: Config = unlimited();
    config.max_listed_per_address = max_listed;
    start_with(config, Arc::new(MemoryLog::new())).await
}

/// Creates a listed match. Returns its id and the creator's token.
async fn create_listed(server: &RunningServer, game: &str) -> (String, String) {
    let body = json!({"game": game, "seats": [{"person": "Ann"}, null], "listed": true});
    let reply = server.post("/api/v1/matches", &body).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let text = |name: &str| reply.json()[name].as_str().unwrap().to_owned();
    (text("match"), text("token"))
}

async fn list(server: &RunningServer, query: &str) -> Value {
    server.get(&format!("/api/v1/matches{query}")).await.json()
}

/// The ids of the listed matches.
fn ids(list: &Value) -> Vec<&str> {
    let matches = list["matches"].as_array().unwrap().iter();
    matches
        .map(|entry| entry["match"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_match_is_listed_until_it_starts() {
    let server = server_with(5).await;
    let (id, token) = create_listed(&server, "ttt").await;
    let _ann = server.connect(&id, "ann", Some(&token)).await;
    eventually("the match is listed", || async {
        (ids(&list(&server, "").await) == [&id]).then_some(())
    })
    .await;
    server.join(&id, "Bob").await;
    eventually("the match is no longer listed", || async {
        ids(&list(&server, "").await).is_empty().then_some(())
    })
    .await;
    server.end().await;
}

#[tokio::test]
async fn public_games_in_progress_are_listed_for_spectators() {
    let server = server_with(5).await;
    let playing = || async {
        let list = list(&server, "?playing=true").await;
        let names = |entry: &Value| [entry["name"].clone(), entry["opponent"].clone()];
        let matches = list["matches"].as_array().unwrap().iter();
        (
            list["total"].clone(),
            matches.map(names).collect::<Vec<_>>(),
        )
    };
    let nothing = (json!(0), vec![]);
    let (id, token) = create_listed(&server, "ttt").await;
    let mut ann = server.connect(&id, "ann", Some(&token)).await;
    assert_eq!(playing().await, nothing, "nobody has come");
    server.join(&id, "Bob").await;
    let expected = (json!(1), vec![["Ann".into(), "Bob".into()]]);
    eventually("the game is listed", || async {
        (playing().await == expected).then_some(())
    })
    .await;
    assert_eq!(list(&server, "?playing=true&game=pegs").await["total"], 0);
    assert_eq!(
        list(&server, "?playing=true&game=ttt&from=1").await["matches"],
        json!([])
    );
    // A game by invitation is not public.
    let (private, _) = server.create("ttt").await;
    server.join(&private, "Eve").await;
    assert_eq!(playing().await, expected);
    // While no player is here, and after its end, there is nothing to watch.
    drop(ann);
    eventually("nobody plays", || async {
        (playing().await == nothing).then_some(())
    })
    .await;
    ann = server.connect(&id, "ann", Some(&token)).await;
    eventually("the game is listed again", || async {
        (playing().await == expected).then_some(())
    })
    .await;
    ann.propose(json!("resign")).await;
    eventually("the game is over", || async {
        (playing().await == nothing).then_some(())
    })
    .await;
    server.end().await;
}

#[tokio::test]
async fn an_address_lists_only_so_many_matches() {
    let server = server_with(2).await;
    let (first, _) = create_listed(&server, "ttt").await;
    create_listed(&server, "ttt").await;
    let body = json!({"game": "ttt", "seats": [null, null], "listed": true});
    let reply = server.post("/api/v1/matches", &body).await;
    reply.is_error(429, "too_many");
    // Unlisted ones are no burden, and a started one makes room.
    server.create("ttt").await;
    server.join(&first, "Bob").await;
    eventually("room for another", || async {
        let reply = server.post("/api/v1/matches", &body).await;
        (reply.status == 201).then_some(())
    })
    .await;
    server.end().await;
}

/// In virtual time.
#[tokio::test(start_paused = true)]
async fn a_match_is_not_listed_without_its_creator() {
    let log = Arc::new(MemoryLog::new());
    let server = Server::new(Catalog::bundled(), unlimited(), log).unwrap();
    let app = app(&server);
    let body = json!({"game": "ttt", "seats": [{"person": "Ann"}, null], "listed": true});
    let request = Request::post("/api/v1/matches").header("content-type", "application/json");
    let request = request.body(Body::from(body.to_string())).unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 201);
    let total = async || {
        let request = Request::get("/api/v1/matches").body(Body::empty());
        let response = app.clone().oneshot(request.unwrap()).await.unwrap();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let list: Value = serde_json::from_slice(&body).unwrap();
        list["total"].as_u64().unwrap()
    };
    let mut listed = Vec::new();
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_secs(5)).await;
        listed.push(total().await);
    }
    // The creator has some seconds to connect.
    assert_eq!(listed[0], 1);
    assert_eq!(listed[3], 0);
}

#[tokio::test]
async fn the_list_has_pages_and_can_be_of_one_game() {
    let server = server_with(100).await;
    let mut expected = Vec::new();
    for index in 0..60 {
        let game = if index % 4 == 0 {
            "mnk(m=5,n=5,k=4)"
        } else {
            "ttt"
        };
        expected.push(create_listed(&server, game).await.0);
    }
    expected.sort();
    let all = eventually("all are listed", || async {
        let first = list(&server, "").await;
        let second = list(&server, "?from=50").await;
        let both = [ids(&first), ids(&second)].concat();
        let mut all: Vec<_> = both.iter().map(ToString::to_string).collect();
        all.sort();
        (first["total"] == 60 && ids(&first).len() == 50).then_some(all)
    })
    .await;
    assert_eq!(all, expected);
    let of_game = list(&server, "?game=mnk").await;
    assert_eq!((&of_game["total"], ids(&of_game).len()), (&json!(15), 15));
    assert_eq!(list(&server, "?game=chess&from=3").await["total"], 0);
    server
        .get("/api/v1/matches?from=-1")
        .await
        .is_error(400, "bad_request");
    server.end().await;
}
