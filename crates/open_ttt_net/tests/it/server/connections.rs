//! Repeated messages, lost connections and reconnecting.

use std::sync::Arc;

use futures_util::{SinkExt, StreamExt};
use open_ttt_net::log::MemoryLog;
use serde_json::json;
use tokio_tungstenite::tungstenite::Message;

use super::harness::{start, start_with, unlimited};

#[tokio::test]
async fn a_proposal_sent_twice_is_applied_once() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    let base = ann.sequence;
    let proposal =
        json!({"type": "propose", "number": 1, "base": base, "act": {"move": {"text": "b2"}}});
    ann.send(&proposal).await;
    ann.send(&proposal).await;
    assert_eq!(ann.receive().await["type"], "accepted");
    let again = ann.receive().await;
    assert_eq!(again["type"], "duplicate");
    assert_eq!(again["sequence"], base + 1);
    bob.receive_move("b2").await;
    bob.play("a1").await;
    ann.receive_move("a1").await;
    // Also after further changes.
    ann.send(&proposal).await;
    assert_eq!(ann.receive().await["type"], "duplicate");
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(view["view"]["moves"], json!(["b2", "a1"]));
    server.end().await;
}

#[tokio::test]
async fn a_proposal_for_an_old_state_is_overtaken() {
    let server = start().await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    let base = bob.sequence;
    ann.play("b2").await;
    bob.receive_move("b2").await;
    bob.send(&json!({"type": "propose", "number": 1, "base": base, "act": "resign"}))
        .await;
    let reply = bob.receive().await;
    assert_eq!(reply["type"], "overtaken");
    assert_eq!(reply["sequence"], base + 1);
    let future = json!({"type": "propose", "number": 2, "base": base + 9, "act": "resign"});
    bob.send(&future).await;
    assert_eq!(bob.receive().await["type"], "overtaken");
    server.end().await;
}

#[tokio::test]
async fn a_reconnecting_client_receives_what_it_missed() {
    let server = start().await;
    let (id, token) = server.create("ttt").await;
    let bob = server.join(&id, "Bob").await;
    let mut ann = server.connect(&id, "ann", Some(&token)).await;
    ann.play("b2").await;
    let mut bob = server.connect(&id, "bob", Some(&bob)).await;
    let known = ann.sequence;
    drop(ann);
    bob.play("a1").await;
    let digest = "0123456789abcdef";
    let have = |sequence: u64| json!({"have": {"sequence": sequence, "digest": digest}});
    let (_, welcome) = server
        .connect_with(&id, "ann", Some(&token), have(known))
        .await;
    let entries = welcome["state"]["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["client"], "bob");
    assert_eq!(entries[0]["transition"]["act"]["move"]["text"], "a1");
    // A copy of the current state with another digest gets a snapshot.
    let (_, welcome) = server
        .connect_with(&id, "ann", Some(&token), have(known + 1))
        .await;
    assert_eq!(
        welcome["state"]["snapshot"]["game"]["moves"],
        json!(["b2", "a1"])
    );
    // So does a copy of a state that does not exist.
    let (_, welcome) = server
        .connect_with(&id, "ann", Some(&token), have(known + 5))
        .await;
    assert!(welcome["state"]["snapshot"].is_object());
    server.end().await;
}

/// What a client hashes that knows the digest, but not the order of the fields.
#[tokio::test]
async fn a_snapshot_has_its_digest_as_it_arrives() {
    let server = start().await;
    let (id, token) = server.create("ttt").await;
    server.join(&id, "Zoë 🎲").await;
    let mut ann = server.connect(&id, "ann", Some(&token)).await;
    ann.play("b2").await;
    let mut eve = server.socket(&id, &[]).await.unwrap();
    eve.send(&json!({"type": "hello", "protocol": 1, "client": "eve"}))
        .await;
    let welcome = loop {
        let message = eve.socket.next().await.unwrap().unwrap();
        // Not a ping.
        if let Message::Text(text) = message {
            break text;
        }
    };
    let (_, rest) = welcome.split_once(r#""snapshot":"#).unwrap();
    let (snapshot, _) = rest.split_once(r#"},"presence":"#).unwrap();
    let hash = snapshot
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    assert!(
        welcome.contains(&format!(r#""digest":"{hash:016x}""#)),
        "{welcome}"
    );
    server.end().await;
}

#[tokio::test]
async fn clients_receive_presence() {
    let server = start().await;
    let (id, mut ann, bob) = server.new_match("ttt").await;
    let eve = server.connect(&id, "eve", None).await;
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
    server.end().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_is_disconnected_and_loses_nothing() {
    let mut config = unlimited();
    config.outbox_capacity = 4;
    let server = start_with(config, Arc::new(MemoryLog::new())).await;
    let (id, mut ann, mut bob) = server.new_match("mnk(m=15,n=15,k=5)").await;
    // Eve asks for views and reads none of them.
    let (mut eve, _) = server
        .connect_with(&id, "eve", None, json!({"shape": "views"}))
        .await;
    let rows = 1..=15;
    let cells = rows.flat_map(|row| ('a'..='o').map(move |column| format!("{column}{row}")));
    // More than a hundred views of 11 to 17 kB: more than the buffers of a
    // connection hold.
    for _ in 0..6 {
        for text in cells.clone().step_by(2).take(30) {
            let (mover, other) = if ann.sequence % 2 == 0 {
                (&mut ann, &mut bob)
            } else {
                (&mut bob, &mut ann)
            };
            let reply = mover.propose(json!({"move": {"text": text}})).await;
            assert_ne!(reply["type"], "delayed", "{reply}");
            if reply["type"] == "accepted" {
                other.receive_type("change").await;
            }
        }
        let (a, b) = (json!("resign"), json!("rematch"));
        ann.act(a, &mut [&mut bob]).await;
        ann.act(b.clone(), &mut [&mut bob]).await;
        bob.act(b, &mut [&mut ann]).await;
    }
    let mut last = 0;
    while let Some(message) = eve.receive_any().await {
        if let Some(sequence) = message["sequence"].as_u64() {
            last = sequence;
        }
    }
    assert!(last < ann.sequence, "{last}");
    let (_, welcome) = server.connect_with(&id, "eve", None, json!({})).await;
    assert_eq!(welcome["sequence"], ann.sequence);
    server.end().await;
}

#[tokio::test]
async fn a_shutdown_is_announced() {
    let server = start().await;
    let (_, mut ann, _bob) = server.new_match("ttt").await;
    let error = async {
        loop {
            let message = ann.receive_any().await.unwrap();
            if message["type"] == "error" {
                return message;
            }
        }
    };
    let (message, ()) = tokio::join!(error, server.end());
    assert_eq!(message["code"], "shutting_down");
}

#[tokio::test]
async fn pings_are_answered() {
    let server = start().await;
    let (_, mut ann, _bob) = server.new_match("ttt").await;
    ann.send(&json!({"type": "ping", "number": 7})).await;
    let pong = ann.receive_type("pong").await;
    assert_eq!(pong["number"], 7);
    assert!(pong["now"].as_u64().unwrap() > 1_700_000_000_000);
    ann.socket
        .send(Message::Ping(vec![1].into()))
        .await
        .unwrap();
    ann.play("a1").await;
    server.end().await;
}

#[tokio::test]
async fn operators_get_health_and_metrics() {
    let server = start().await;
    assert_eq!(server.get("/health").await.body, "ok\n");
    for path in ["/ready", "/metrics"] {
        server.get(path).await.is_error(404, "not_found");
    }
    let (status, _) = server.get_private("/ready").await;
    assert_eq!(status, 200);
    let (_, mut ann, _bob) = server.new_match("ttt").await;
    ann.play("b2").await;
    let (_, metrics) = server.get_private("/metrics").await;
    for line in [
        "open_ttt_matches 1",
        "open_ttt_sockets 2",
        "open_ttt_matches_created_total 1",
        "open_ttt_proposals_total{verdict=\"accepted\"} 1",
    ] {
        assert!(
            metrics.lines().any(|has| has == line),
            "no {line} in {metrics}"
        );
    }
    server.end().await;
}
