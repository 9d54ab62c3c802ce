//! What one client can't take away from the others.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use futures_util::stream::FuturesUnordered;
use futures_util::{SinkExt, StreamExt};
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::server::RateLimit;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio_tungstenite::tungstenite::Message;

use super::harness::{OPERATOR, RunningServer, start, start_with, unlimited};
use crate::waiting::eventually;

/// A computer that the server refuses only after it has begun to solve the game.
fn expensive() -> Value {
    json!({"game": "mnk(m=4,n=4,k=4)", "seats": [{"person": "Eve"}, {"computer": "perfect"}]})
}

/// On a single thread: a request that searches must leave it to the others.
#[tokio::test]
async fn others_are_served_while_a_request_is_computed() {
    let server = start().await;
    let (_, mut ann, _bob) = server.new_match("ttt").await;
    let body = expensive();
    let mut expensive = Box::pin(server.post("/api/v1/matches", &body));
    let mut pongs = 0;
    let reply = loop {
        let ping = async {
            ann.send(&json!({"type": "ping", "number": 1})).await;
            ann.receive_type("pong").await
        };
        tokio::select! {
            biased;
            reply = &mut expensive => break reply,
            _ = ping => pongs += 1,
        }
    };
    drop(expensive);
    reply.is_error(400, "bad_request");
    assert!(pongs > 1, "{pongs}");
    server.end().await;
}

#[tokio::test]
async fn an_address_has_only_so_many_requests_computed() {
    let server = start().await;
    let body = expensive();
    let requests = (0..30).map(|_| server.post("/api/v1/matches", &body));
    let mut requests: FuturesUnordered<_> = requests.collect();
    let mut refused = 0;
    while refused < 10 {
        let reply = requests.next().await.unwrap();
        match reply.status {
            400 => reply.is_error(400, "bad_request"),
            _ => reply.is_error(429, "too_many"),
        }
        refused += usize::from(reply.status == 429);
    }
    // Those that wait are cancelled, and the address can ask again.
    drop(requests);
    let body = json!({"game": "ttt", "seats": [{"person": "X"}, {"computer": "random"}]});
    eventually("room for a request", || async {
        let reply = server.post("/api/v1/matches", &body).await;
        (reply.status == 201).then_some(())
    })
    .await;
    server.end().await;
}

/// A match with a game of many moves on a large board.
async fn long_game(server: &RunningServer, moves: usize) -> String {
    let (id, mut ann, mut bob) = server.new_match("mnk(m=15,n=15,k=15)").await;
    for index in 0..moves {
        let (mover, other) = if index % 2 == 0 {
            (&mut ann, &mut bob)
        } else {
            (&mut bob, &mut ann)
        };
        let (column, row) = (b'a' + (index % 15) as u8, 1 + index / 15);
        mover.play(&format!("{}{row}", char::from(column))).await;
        other.receive().await;
    }
    id
}

#[tokio::test]
async fn a_long_game_comes_in_pages() {
    let server = start().await;
    let id = long_game(&server, 80).await;
    let page = async |from: usize| {
        let path = format!("/api/v1/matches/{id}/games/1?from={from}");
        server.get(&path).await
    };
    let mut boards = Vec::new();
    let mut pages = 0;
    while boards.len() < 81 {
        let reply = page(boards.len()).await;
        assert!(reply.body.len() < 300_000, "{}", reply.body.len());
        let reply = reply.json();
        assert_eq!(reply["from"], boards.len());
        assert_eq!(reply["record"]["moves"].as_array().unwrap().len(), 80);
        let more = reply["boards"].as_array().unwrap();
        assert!(!more.is_empty());
        boards.extend(more.clone());
        pages += 1;
    }
    assert!(pages > 1);
    // Each board has one piece more than the one before, and marks it.
    for (index, board) in boards.iter().enumerate() {
        let cells = board["cells"].as_array().unwrap();
        let owned = cells.iter().filter(|cell| cell["owner"].is_string());
        assert_eq!(owned.count(), index);
        let last = board["last"].as_array().unwrap();
        let expected = index.checked_sub(1).map(|m| json!([m % 15, m / 15, 0]));
        assert_eq!(last.first(), expected.as_ref());
    }
    // Another page's board is the same.
    assert_eq!(page(40).await.json()["boards"][0], boards[40]);
    assert_eq!(page(81).await.json()["boards"], json!([]));
    page(0).await.json();
    let path = format!("/api/v1/matches/{id}/games/1?from=x");
    server.get(&path).await.is_error(400, "bad_request");
    server.end().await;
}

/// A match that is created takes as much room as one that is loaded.
#[tokio::test]
async fn a_server_holds_only_so_many_matches() {
    let log = Arc::new(MemoryLog::new());
    let mut config = unlimited();
    config.max_matches = 1;
    config.match_idle_timeout = Duration::ZERO;
    let server = start_with(config, Arc::clone(&log) as _).await;
    let (id, token) = server.create("ttt").await;
    // It stays in memory while somebody is connected.
    let ann = server.connect(&id, "ann", Some(&token)).await;
    let body = json!({"game": "ttt", "seats": [{"person": "Bob"}, null]});
    let refused = server.post("/api/v1/matches", &body).await;
    refused.is_error(503, "unavailable");
    assert_eq!(
        refused.json()["error"]["text"],
        "The server has as many games as it can hold. Try again later."
    );
    let stored = log.matches(None, 9).await.unwrap();
    let stored = stored.iter().filter(|id| !id.is_reserved());
    assert_eq!(stored.map(MatchId::as_str).collect::<Vec<_>>(), [&*id]);
    // Those in memory are played on.
    assert_eq!(
        server.get(&format!("/api/v1/matches/{id}")).await.status,
        200
    );
    drop(ann);
    eventually("room for a match", async || {
        let created = server.post("/api/v1/matches", &body).await;
        (created.status == 201).then_some(())
    })
    .await;
    server.end().await;
}

/// A connection with small buffers, on which the server has begun to answer and nothing
/// is read.
async fn unread_answer(server: &RunningServer, path: &str) -> tokio::net::TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4 * 1024).unwrap();
    let mut stream = socket.connect(server.address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    // More answers than the system buffers.
    stream.write_all(head.repeat(40).as_bytes()).await.unwrap();
    stream.readable().await.unwrap();
    stream
}

#[tokio::test]
async fn an_address_leaves_only_so_much_unread() {
    let log = Arc::new(MemoryLog::new());
    let other = start_with(unlimited(), Arc::clone(&log) as _).await;
    let id = long_game(&other, 60).await;
    let path = format!("/api/v1/matches/{id}/games/1");
    let length = other.get(&path).await.body.len();
    let mut config = unlimited();
    // Room for one answer.
    config.max_unread_bytes_per_address = length + 1_000;
    let server = start_with(config, log).await;
    assert_eq!(server.get(&path).await.status, 200);
    let unread = unread_answer(&server, &path).await;
    server.get(&path).await.is_error(429, "too_many");
    drop(unread);
    server.end().await;
    other.end().await;
}

/// The files of the page are in memory anyway, however many have not read them yet.
#[tokio::test]
async fn the_page_is_sent_however_much_is_unread() {
    let mut config = unlimited();
    config.max_unread_bytes = 1_000;
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    for path in ["/", "/assets/style.css", "/api/v1/games"] {
        let reply = server.get(path).await;
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.body.len() > 1_000, "{path}: {}", reply.body.len());
    }
    // An answer of its own counts.
    let body = json!({"game": "mnk(m=19,n=19,k=5)", "moves": []});
    let reply = server.post("/api/v1/position", &body).await;
    reply.is_error(429, "too_many");
    server.end().await;
}

#[tokio::test]
async fn the_server_gives_up_on_a_client_that_reads_nothing() {
    let log = Arc::new(MemoryLog::new());
    let patient = start_with(unlimited(), Arc::clone(&log) as _).await;
    let id = long_game(&patient, 60).await;
    let path = format!("/api/v1/matches/{id}/games/1");
    let length = patient.get(&path).await.body.len();
    let mut config = unlimited();
    config.client_timeout = Duration::from_millis(300);
    config.admin_token = Some(OPERATOR);
    let server = start_with(config, log).await;
    let mut stream = unread_answer(&server, &path).await;
    eventually("nothing is unread", || async {
        (server.live_numbers().await["unread_bytes"] == 0).then_some(())
    })
    .await;
    let mut received = Vec::new();
    // Ends, if only with an error.
    let _ = stream.read_to_end(&mut received).await;
    assert!(received.len() < 40 * length);
    server.end().await;
    patient.end().await;
}

#[tokio::test]
async fn a_player_has_a_place_however_many_watch() {
    let mut config = unlimited();
    config.max_watchers_per_match = 2;
    config.max_watchers_per_address = 3;
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (id, token) = server.create("ttt").await;
    let (other, _) = server.create("ttt").await;
    let refused = async |id: &str| {
        let mut client = server.socket(id, &[]).await.unwrap();
        let hello = json!({"type": "hello", "protocol": 1, "client": "eve"});
        client.send(&hello).await;
        let reply = client.receive().await;
        reply["type"] == "error" && reply["code"] == "too_many"
    };
    let _one = server.connect(&id, "one", None).await;
    let two = server.connect(&id, "two", None).await;
    assert!(refused(&id).await, "the match is full");
    let _three = server.connect(&other, "three", None).await;
    assert!(refused(&other).await, "the address watches too much");
    let _ann = server.connect(&id, "ann", Some(&token)).await;
    drop(two);
    eventually("room to watch", || async {
        (!refused(&other).await).then_some(())
    })
    .await;
    server.end().await;
}

#[tokio::test]
async fn a_seat_has_only_so_many_connections() {
    let server = start().await;
    let (id, token) = server.create("ttt").await;
    let mut oldest = server.connect(&id, "ann-0", Some(&token)).await;
    let mut others = Vec::new();
    for number in 1..9 {
        let name = format!("ann-{number}");
        others.push(server.connect(&id, &name, Some(&token)).await);
    }
    assert_eq!(oldest.receive_type("error").await["code"], "too_many");
    let last = others.last_mut().unwrap();
    last.send(&json!({"type": "ping", "number": 1})).await;
    last.receive_type("pong").await;
    server.end().await;
}

#[tokio::test]
async fn the_acts_of_an_address_are_limited() {
    let mut config = unlimited();
    config.act_rate = RateLimit {
        burst: 3,
        per_minute: 0,
    };
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    let (_, mut carl, _dora) = server.new_match("ttt").await;
    ann.play("a1").await;
    bob.receive_move("a1").await;
    bob.play("b2").await;
    carl.play("a1").await;
    ann.receive_move("b2").await;
    let reply = ann.propose(json!({"move": {"text": "c3"}})).await;
    assert_eq!(reply["type"], "delayed", "{reply}");
    // Which says nothing about the store.
    assert_eq!(server.proposals("rate_limited").await, 1);
    assert_eq!(server.proposals("delayed").await, 0);
    server.end().await;
}

#[tokio::test]
async fn a_flood_of_control_frames_ends_the_connection() {
    let mut config = unlimited();
    config.message_rate = RateLimit {
        burst: 20,
        per_minute: 0,
    };
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (id, _) = server.create("ttt").await;
    let mut eve = server.connect(&id, "eve", None).await;
    for _ in 0..30 {
        // Fails once the server has closed the connection.
        let _ = eve.socket.send(Message::Ping(vec![1].into())).await;
    }
    assert_eq!(eve.receive_type("error").await["code"], "too_many");
    server.end().await;
}

#[tokio::test]
async fn behind_a_proxy_the_clients_addresses_count() {
    let mut config = unlimited();
    config.trusted_proxies = vec![IpAddr::from([127, 0, 0, 1]).into()];
    config.max_connections_per_address = 2;
    config.create_rate = RateLimit {
        burst: 1,
        per_minute: 0,
    };
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let create = async |forwarded: &str| {
        let head = format!(
            "POST /api/v1/matches HTTP/1.1\r\ncontent-type: application/json\r\n\
             x-forwarded-for: {forwarded}"
        );
        let body = json!({"game": "ttt", "seats": [null, null]}).to_string();
        server.request(&head, &body).await
    };
    assert_eq!(create("192.0.2.1").await.status, 201);
    create("192.0.2.1").await.is_error(429, "too_many");
    create("198.51.100.1, 192.0.2.1")
        .await
        .is_error(429, "too_many");
    let reply = create("192.0.2.1, 198.51.100.1").await;
    assert_eq!(reply.status, 201);
    let id = reply.json()["match"].as_str().unwrap().to_owned();
    // WebSockets count as long as they are open.
    let from = async |address: &str| {
        let header = [("x-forwarded-for", address)];
        server.socket(&id, &header).await
    };
    let first = from("192.0.2.7").await.unwrap();
    let _second = from("192.0.2.7").await.unwrap();
    assert!(from("192.0.2.7").await.is_err());
    let _other = from("192.0.2.8").await.unwrap();
    drop(first);
    eventually("room for the address", || async {
        from("192.0.2.7").await.ok()
    })
    .await;
    server.end().await;
}

#[tokio::test]
async fn the_server_answers_only_to_its_names() {
    let mut config = unlimited();
    config.hosts = vec!["play.example.org".to_owned()];
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let status = async |host: &str| {
        let request = format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let mut stream = tokio::net::TcpStream::connect(server.address)
            .await
            .unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response.split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(status("play.example.org").await, "200");
    assert_eq!(status("localhost:7878").await, "200");
    assert_eq!(status("rebound.example").await, "403");
    // The private side, too.
    let private = async |host: &str| {
        let request = Request::get("/metrics").header("host", host);
        server.private(request.body(Body::empty()).unwrap()).await.0
    };
    for host in [
        "play.example.org",
        "localhost:7879",
        "10.0.0.7:7879",
        "[::1]",
        "metrics",
    ] {
        assert_eq!(private(host).await, 200, "{host}");
    }
    assert_eq!(private("rebound.example").await, 403);
    assert_eq!(
        server.get_private("/metrics").await.0,
        200,
        "without a name"
    );
    server.end().await;
}
