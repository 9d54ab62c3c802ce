//! Refused requests and connections.

use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use open_ttt_net::log::MemoryLog;
use open_ttt_net::server::RateLimit;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::harness::{Reply, RunningServer, start, start_with, start_with_games, unlimited};
use crate::endless;
use crate::waiting::eventually;

#[tokio::test]
async fn invalid_requests_are_refused() {
    let server = start().await;
    server
        .get("/api/v1/matches/nosuchmatch")
        .await
        .is_error(404, "no_such_match");
    server
        .get("/api/v1/matches/..%2Fetc")
        .await
        .is_error(404, "no_such_match");
    server
        .get("/api/v2/matches")
        .await
        .is_error(404, "not_found");
    server.get("/favicon").await.is_error(404, "not_found");
    let wrong_method = server.post("/health", &json!({})).await;
    wrong_method.is_error(405, "wrong_method");
    assert!(
        wrong_method.head.contains("\r\nallow: get,head\r\n"),
        "{wrong_method:?}"
    );
    let (id, _) = server.create("ttt").await;
    server
        .get(&format!("/api/v1/matches/{id}/socket"))
        .await
        .is_error(400, "bad_request");
    let create = "/api/v1/matches";
    for (body, code) in [
        (json!({}), "bad_message"),
        (
            json!({"game": "ttt", "seats": [null, null], "more": 1}),
            "bad_message",
        ),
        (
            json!({"game": "chess", "seats": [null, null]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "seats": [{"person": "A"}, {"person": "B"}]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "seats": [{"person": "\u{202e}A"}, null]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "seats": [{"computer": "human"}, null]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "seats": [{"computer": "hal"}, null]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "moves": ["a1", "a1"], "seats": [null, null]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "moves": ["a1"], "listed": true, "seats": [null, null]}),
            "bad_request",
        ),
        (
            json!({"game": "ttt", "clock": {"initial_ms": 1}, "seats": [null, null]}),
            "bad_request",
        ),
    ] {
        server.post(create, &body).await.is_error(400, code);
    }
    let head = "POST /api/v1/matches HTTP/1.1\r\ncontent-type: application/json";
    server
        .request(head, "{\"game\":")
        .await
        .is_error(400, "bad_message");
    let long = format!("{{\"game\":\"{}\"}}", "x".repeat(100_000));
    server
        .request(head, &long)
        .await
        .is_error(400, "bad_message");
    server
        .request("POST /api/v1/matches HTTP/1.1", "{}")
        .await
        .is_error(400, "bad_message");
    server.end().await;
}

/// What a match begins with is its first entry, which has a limit of its own.
#[tokio::test]
async fn a_match_that_begins_with_too_much_to_store_is_refused() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with_games(endless::catalog(), unlimited(), log).await;
    let create = async |moves: usize| {
        let moves = vec![endless::WAIT; moves];
        let body = json!({"game": "endless", "moves": moves, "seats": [{"person": "Ann"}, null]});
        server.post("/api/v1/matches", &body).await
    };
    // Each takes 16 of 4,096 bytes.
    let refused = create(256).await;
    refused.is_error(400, "bad_request");
    assert_eq!(
        refused.json()["error"]["text"],
        "A match can't begin after so many long moves. Leave some of them out."
    );
    assert_eq!(create(245).await.status, 201);
    server.end().await;
}

#[tokio::test]
async fn no_file_is_opened_for_a_client() {
    let server = start().await;
    let refused = |reply: &Reply, expected: &str| {
        reply.is_error(400, "bad_request");
        assert_eq!(reply.json()["error"]["text"], expected, "{}", reply.body);
    };
    let (id, token) = server.create("ttt").await;
    let join = format!("/api/v1/matches/{id}/join");
    let no_file = "net:FILE: a server loads no files for its clients; use net:pretrained, if the \
                   game has a pretrained network";
    // A file that exists, one that does not, and one without end.
    let here = concat!("net:", env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for (spec, expected) in [
        (here, no_file),
        ("net:/etc/passwd", no_file),
        (" NET:nowhere(simulations=1)", no_file),
        ("net:/dev/zero", no_file),
        ("net:./pretrained", no_file),
    ] {
        let body = json!({"game": "ttt", "seats": [{"computer": spec}, null]});
        refused(&server.post("/api/v1/matches", &body).await, expected);
        let body = json!({"player": {"computer": spec}, "token": token});
        refused(&server.post(&join, &body).await, expected);
    }
    // Nor is a program started.
    let spec = "engine:touch started";
    let body = json!({"game": "ttt", "seats": [{"computer": spec}, null]});
    let no_program = "engine:touch started: no program is started here";
    refused(&server.post("/api/v1/matches", &body).await, no_program);
    let none = "net:pretrained: no network comes with \"qubic\"";
    for spec in ["net:pretrained", "Net:Pretrained()"] {
        let body = json!({"game": "qubic", "seats": [{"computer": spec}, null]});
        refused(&server.post("/api/v1/matches", &body).await, none);
    }
    server.end().await;
}

/// The error code with which the server closes a connection after this message.
async fn code_after(server: &RunningServer, id: &str, message: Message) -> String {
    let mut client = server.socket(id, &[]).await.unwrap();
    client.socket.send(message).await.unwrap();
    let error = client.receive_any().await.unwrap();
    assert_eq!(error["type"], "error", "{error}");
    assert_eq!(client.receive_any().await, None);
    error["code"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn invalid_messages_are_refused() {
    let server = start().await;
    let (id, token) = server.create("ttt").await;
    let text = |value: serde_json::Value| Message::text(value.to_string());
    let forged = token.chars().rev().collect::<String>();
    for (message, code) in [
        (Message::text("hello"), "bad_message"),
        (Message::text("{"), "bad_message"),
        (Message::binary(vec![0, 1, 2]), "bad_message"),
        (Message::text("x".repeat(5_000)), "bad_message"),
        (text(json!({"type": "ping", "number": 1})), "bad_message"),
        (
            text(json!({"type": "hello", "protocol": 2, "client": "x"})),
            "bad_version",
        ),
        (
            text(json!({"type": "hello", "protocol": 1, "client": "a b"})),
            "bad_message",
        ),
        (
            text(json!({"type": "hello", "protocol": 1, "client": "x", "token": "1"})),
            "bad_message",
        ),
        (
            text(json!({"type": "hello", "protocol": 1, "client": "x", "token": forged})),
            "bad_token",
        ),
    ] {
        assert_eq!(
            code_after(&server, &id, message.clone()).await,
            code,
            "{message}"
        );
    }
    let hello = text(json!({"type": "hello", "protocol": 1, "client": "x"}));
    assert_eq!(
        code_after(&server, "nosuchmatch", hello).await,
        "no_such_match"
    );
    // Other connections are not affected.
    server.connect(&id, "ann", Some(&token)).await;
    server.end().await;
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let server = start().await;
    let (id, _) = server.create("ttt").await;
    let own = format!("http://{}", server.address);
    let refused = server
        .socket(&id, &[("origin", "http://evil.example")])
        .await;
    match refused {
        Err(Error::Http(response)) => assert_eq!(response.status(), 403),
        other => panic!("{:?}", other.map(|_| ())),
    }
    server.socket(&id, &[("origin", &own)]).await.unwrap();
    let body = json!({"game": "ttt", "seats": [null, null]}).to_string();
    for (origin, status) in [("http://evil.example", 403), ("null", 403), (&own, 201)] {
        let head = format!(
            "POST /api/v1/matches HTTP/1.1\r\ncontent-type: application/json\r\norigin: {origin}"
        );
        let reply = server.request(&head, &body).await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
    server.end().await;
}

#[tokio::test]
async fn pages_of_allowed_origins_may_use_the_api() {
    const ALLOWED: &str = "https://page.example.net";
    let mut config = unlimited();
    config.allowed_origins = vec![ALLOWED.to_owned()];
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let ask = async |request: &str, origin: &str| {
        let head = format!(
            "{request} HTTP/1.1\r\norigin: {origin}\r\naccess-control-request-method: POST"
        );
        server.request(&head, "").await
    };
    let allowed = format!("access-control-allow-origin: {ALLOWED}\r\n");
    let preflight = ask("OPTIONS /api/v1/matches", ALLOWED).await;
    assert_eq!(preflight.status, 204, "{preflight:?}");
    for expected in [
        &*allowed,
        "access-control-allow-methods: get, post\r\n",
        "access-control-allow-headers: content-type\r\n",
    ] {
        assert!(preflight.head.contains(expected), "{preflight:?}");
    }
    // Errors can be read, too.
    for (path, status) in [("/api/v1/games", 200), ("/api/v1/nothing", 404)] {
        let reply = ask(&format!("GET {path}"), ALLOWED).await;
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(reply.head.contains(&allowed), "{reply:?}");
        assert!(!reply.head.contains("credentials"), "{reply:?}");
    }
    for (request, origin, status) in [
        ("OPTIONS /api/v1/matches", "https://evil.example", 405),
        ("GET /api/v1/games", "https://evil.example", 200),
        ("OPTIONS /", ALLOWED, 405),
        ("GET /", ALLOWED, 200),
    ] {
        let reply = ask(request, origin).await;
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(!reply.head.contains("access-control-"), "{reply:?}");
    }
    server.end().await;
}

#[tokio::test]
async fn joins_are_rate_limited() {
    let mut config = unlimited();
    config.create_rate = RateLimit {
        burst: 5,
        per_minute: 0,
    };
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (id, _) = server.create("ttt").await;
    server.join(&id, "Bob").await;
    let body = json!({"player": {"person": "Carl"}});
    let path = format!("/api/v1/matches/{id}/join");
    let mut codes = Vec::new();
    for _ in 0..5 {
        let reply = server.post(&path, &body).await;
        codes.push(reply.status);
        if reply.status == 429 {
            reply.is_error(429, "too_many");
            assert!(reply.head.contains("\r\nretry-after: "), "{reply:?}");
        }
    }
    assert_eq!(codes, [409, 409, 409, 429, 429]);
    server.end().await;
}

#[tokio::test]
async fn messages_are_rate_limited() {
    let mut config = unlimited();
    config.message_rate = RateLimit {
        burst: 3,
        per_minute: 0,
    };
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (_, mut ann, _bob) = server.new_match("ttt").await;
    for expected in ["accepted", "refused", "refused", "delayed"] {
        let reply = ann.propose(json!({"move": {"text": "a1"}})).await;
        assert_eq!(reply["type"], expected, "{reply}");
    }
    server.end().await;
}

#[tokio::test]
async fn connections_are_limited() {
    let mut config = unlimited();
    config.max_connections = 2;
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (id, _) = server.create("ttt").await;
    // A connection may count for a moment after its end.
    let socket = || async { server.socket(&id, &[]).await.ok() };
    let first = eventually("room for the first connection", socket).await;
    let _second = eventually("room for the second connection", socket).await;
    let mut third = TcpStream::connect(server.address).await.unwrap();
    let mut response = String::new();
    third.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 503 "), "{response}");
    let body = response.split_once("\r\n\r\n").unwrap().1;
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["error"]["code"], "too_many");
    let length = response.split_once("content-length: ").unwrap().1;
    let length: usize = length.split_once('\r').unwrap().0.parse().unwrap();
    assert_eq!(response.split_once("\r\n\r\n").unwrap().1.len(), length);
    drop(first);
    eventually("room after the first connection", socket).await;
    server.end().await;
}

/// A server with a short time-out for clients. On a slow machine it may also
/// close connections of clients that are not late, before the upgrade.
async fn start_impatient(log: Arc<MemoryLog>) -> RunningServer {
    let mut config = unlimited();
    config.client_timeout = Duration::from_millis(200);
    start_with(config, log).await
}

#[tokio::test]
async fn an_incomplete_request_head_times_out() {
    let server = start_impatient(Arc::default()).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n")
        .await
        .unwrap();
    let mut end = Vec::new();
    stream.read_to_end(&mut end).await.unwrap();
    server.end().await;
}

#[tokio::test]
async fn an_incomplete_request_body_times_out() {
    let server = start_impatient(Arc::default()).await;
    let head = "POST /api/v1/matches HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
                content-length: 50\r\nconnection: close\r\n\r\n{";
    let response = eventually("a complete head", || async {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(head.as_bytes()).await.ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).await.ok()?;
        (!response.is_empty()).then_some(response)
    })
    .await;
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
    server.end().await;
}

#[tokio::test]
async fn a_missing_hello_times_out() {
    let server = start_impatient(Arc::default()).await;
    let mut client = eventually("a WebSocket", || async {
        server.socket("unknown", &[]).await.ok()
    })
    .await;
    assert_eq!(client.receive_any().await.unwrap()["code"], "timed_out");
    server.end().await;
}

#[tokio::test]
async fn a_client_that_stops_reading_is_disconnected() {
    let log = Arc::new(MemoryLog::new());
    let patient = start_with(unlimited(), Arc::clone(&log) as _).await;
    let (id, _) = patient.create("ttt").await;
    let server = start_impatient(log).await;
    let hello = json!({"type": "hello", "protocol": 1, "client": "eve"}).to_string();
    let mut eve = eventually("a welcome", || async {
        let mut client = server.socket(&id, &[]).await.ok()?;
        client
            .socket
            .send(Message::text(hello.as_str()))
            .await
            .ok()?;
        let welcome = client.receive_any().await?;
        (welcome["type"] == "welcome").then_some(client)
    })
    .await;
    // The server's pongs fill the buffers of the connection.
    let ping = Message::text(json!({"type": "ping", "number": 1}).to_string());
    while eve.socket.send(ping.clone()).await.is_ok() {}
    server.end().await;
    patient.end().await;
}

#[tokio::test]
async fn the_length_of_a_match_is_limited() {
    let mut config = unlimited();
    config.max_changes = 3;
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    ann.play("a1").await;
    bob.receive_move("a1").await;
    for act in [
        json!({"move": {"text": "b2"}}),
        json!("offer_draw"),
        json!("claim"),
    ] {
        let refused = bob.propose(act).await;
        assert_eq!(refused["conflict"], "too_long", "{refused}");
    }
    // What was accepted before is still acknowledged, and what is late overtaken.
    let propose = |base| json!({"type": "propose", "number": 1, "base": base, "act": "claim"});
    bob.send(&propose(2)).await;
    assert_eq!(bob.receive_type("overtaken").await["sequence"], 3);
    ann.send(&json!({"type": "propose", "number": 1, "base": 2, "act": {"move": {"text": "a1"}}}))
        .await;
    assert_eq!(ann.receive_type("duplicate").await["sequence"], 3);
    // The game can be ended, and no other begins.
    bob.act(json!("resign"), &mut [&mut ann]).await;
    for client in [&mut ann, &mut bob] {
        let refused = client.propose(json!("rematch")).await;
        assert_eq!(refused["conflict"], "too_long", "{refused}");
    }
    server.end().await;
}

#[tokio::test]
async fn unknown_subprotocols_are_refused() {
    let server = start_with(unlimited(), Arc::new(MemoryLog::new())).await;
    let (id, _) = server.create("ttt").await;
    let upgrade = |protocols: &str| {
        format!(
            "GET /api/v1/matches/{id}/socket HTTP/1.1\r\nupgrade: websocket\r\n\
             connection: upgrade\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=={protocols}"
        )
    };
    for protocols in ["open_ttt.v2", "chat, open_ttt.v10", ""] {
        let head = upgrade(&format!("\r\nsec-websocket-protocol: {protocols}"));
        let reply = server.request(&head, "").await;
        reply.is_error(400, "bad_version");
        let text = reply.json()["error"]["text"].to_string();
        assert!(text.contains("open_ttt.v1"), "{text}");
    }
    // One of several is enough.
    let offered = [("sec-websocket-protocol", "open_ttt.v2, open_ttt.v1")];
    assert!(server.socket(&id, &offered).await.is_ok());
    server.end().await;
}

#[tokio::test]
async fn a_draw_can_be_accepted_in_a_match_of_the_maximum_length() {
    let mut config = unlimited();
    config.max_changes = 3;
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    ann.act(json!("offer_draw"), &mut [&mut bob]).await;
    bob.act(json!("accept_draw"), &mut [&mut ann]).await;
    server.end().await;
}
