//! What becomes of proposals, whoever else proposes.

use std::sync::Arc;

use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::json;

use super::harness::{start, start_with, unlimited};

#[tokio::test]
async fn a_stolen_id_and_number_answer_nobody_else() {
    let server = start().await;
    let (id, ann_token) = server.create("ttt").await;
    let bob_token = server.join(&id, "Bob").await;
    let mut ann = server.connect(&id, "ann", Some(&ann_token)).await;
    // Bob uses Ann's id, which every entry of hers shows, and her next number.
    let mut bob = server.connect(&id, "ann", Some(&bob_token)).await;
    bob.act(json!("offer_draw"), &mut []).await;

    // Her move crosses his offer.
    let act = json!({"move": {"text": "b2"}});
    let crossing = json!({"type": "propose", "number": 1, "base": 2, "act": act});
    ann.send(&crossing).await;
    let offer = ann.receive_type("change").await;
    assert_eq!(
        (&offer["client"], &offer["number"]),
        (&json!("ann"), &json!(1))
    );
    assert_eq!(offer["transition"]["by"], "b");
    let overtaken = ann.receive_type("overtaken").await;
    assert_eq!(
        (&overtaken["number"], &overtaken["sequence"]),
        (&json!(1), &json!(3))
    );
    // Bob's own proposal is still recognized.
    let again = json!({"type": "propose", "number": 1, "base": 2, "act": "offer_draw"});
    bob.send(&again).await;
    assert_eq!(bob.receive_type("duplicate").await["sequence"], 3);
    server.end().await;
}

/// White space is allowed in a move, however it is written, and nobody is sent it.
#[tokio::test]
async fn a_move_is_kept_as_the_game_writes_it() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), Arc::clone(&log) as _).await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    let padded = "\u{b}".repeat(62) + "B2";
    let reply = ann.propose(json!({"move": {"text": padded}})).await;
    assert_eq!(reply["type"], "accepted", "{reply}");
    let act = &reply["change"]["transition"]["act"];
    assert_eq!(*act, json!({"move": {"text": "b2"}}));
    bob.receive_move("b2").await;
    // Sent again, as the client wrote it, it is the same proposal.
    let act = json!({"move": {"text": padded}});
    let again = json!({"type": "propose", "number": ann.number, "base": 2, "act": act});
    ann.send(&again).await;
    assert_eq!(ann.receive_type("duplicate").await["sequence"], 3);
    let entries = log.read(&id.parse().unwrap(), Sequence::START, 9).await;
    let entries = entries.unwrap();
    assert!(entries.last().unwrap().windows(4).any(|it| it == b"\"b2\""));
    assert!(
        !entries
            .iter()
            .any(|entry| entry.windows(5).any(|it| it == b"u000b"))
    );
    let reply = bob.propose(json!({"move": {"text": " B2"}})).await;
    assert_eq!(reply["conflict"], json!({"game": "Occupied"}), "{reply}");
    server.end().await;
}

/// Earlier versions have stored moves as the clients wrote them.
#[tokio::test]
async fn a_move_that_was_kept_as_its_client_wrote_it_can_be_read() {
    let log = MemoryLog::new();
    let id = "written-by-clients".parse().unwrap();
    let join = |seat, name| json!({"join": {"seat": seat, "player": {"name": name}}});
    let mut entries =
        vec![json!({"version": 1, "settings": {"game": "ttt"}, "listed": false, "at": 1})];
    for (by, act) in [
        ("server", join("a", "Ann")),
        ("server", join("b", "Bob")),
        ("a", json!({"move": {"text": " \u{b}B2\n"}})),
        ("b", json!({"move": {"text": "a1"}})),
    ] {
        let transition = json!({"at": 1, "by": by, "act": act});
        entries.push(json!({"client": "c", "number": entries.len(), "transition": transition}));
    }
    for (number, entry) in (0..).zip(&entries) {
        let entry = entry.to_string().into();
        log.append(&id, Sequence::new(number), entry).await.unwrap();
    }
    let server = start_with(unlimited(), Arc::new(log)).await;
    let status = server.get(&format!("/api/v1/matches/{id}")).await;
    assert_eq!(
        status.json()["view"]["moves"],
        json!(["b2", "a1"]),
        "{status:?}"
    );
    server.end().await;
}
