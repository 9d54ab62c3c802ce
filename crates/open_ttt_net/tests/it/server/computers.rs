//! What computers do besides moving.

use std::sync::Arc;

use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::{Value, json};

use super::clocks::TOKENS;
use super::harness::{RunningServer, start_with_games, unlimited};
use crate::endless;

/// The most moves of a game.
const MAX_MOVES: usize = 10_000;

/// Stores a match in which the game has had the most moves and seat B is to move.
async fn store_endless(log: &MemoryLog, players: [Value; 2]) -> MatchId {
    let id: MatchId = "endless".parse().unwrap();
    let settings = json!({"game": "endless", "first": "b"});
    let mut entries = vec![json!({"version": 1, "settings": settings, "listed": false, "at": 1})];
    for ((seat, player), (_, key)) in ["a", "b"].into_iter().zip(players).zip(TOKENS) {
        let act = json!({"join": {"seat": seat, "player": player}});
        let transition = json!({"at": 1, "by": "server", "act": act});
        entries.push(json!({"client": "s", "number": 1, "transition": transition, "key": key}));
    }
    for seat in ["b", "a"].into_iter().cycle().take(MAX_MOVES) {
        let act = json!({"move": {"text": endless::WAIT}});
        let transition = json!({"at": 1, "by": seat, "act": act});
        entries.push(json!({"client": seat, "number": 1, "transition": transition}));
    }
    for (last, entry) in (0..).zip(&entries) {
        let entry = entry.to_string().into();
        log.append(&id, Sequence::new(last), entry).await.unwrap();
    }
    id
}

async fn start_on(log: MemoryLog) -> RunningServer {
    start_with_games(endless::catalog(), unlimited(), Arc::new(log)).await
}

fn computer() -> Value {
    json!({"name": "random", "computer": "random"})
}

#[tokio::test]
async fn a_computer_that_can_move_no_more_offers_a_draw() {
    let log = MemoryLog::new();
    let id = store_endless(&log, [json!({"name": "Ann"}), computer()]).await;
    let server = start_on(log).await;
    let (token, _) = TOKENS[0];
    let (mut ann, welcome) = server
        .connect_with(id.as_str(), "ann", Some(token), json!({}))
        .await;
    assert_eq!(welcome["state"]["snapshot"]["draw_offer"], "b", "{welcome}");
    let by_computer = |change: &Value, act: &str| {
        assert_eq!(change["transition"]["by"], "b", "{change}");
        assert_eq!(change["transition"]["act"], act, "{change}");
    };
    ann.act(json!("refuse_draw"), &mut []).await;
    by_computer(&ann.receive_type("change").await, "offer_draw");
    ann.act(json!("accept_draw"), &mut []).await;
    // It has not even begun to think about a move.
    let (_, metrics) = server.get_private("/metrics").await;
    assert!(
        metrics.contains("\nopen_ttt_thought_seconds_count 0\n"),
        "{metrics}"
    );
    let path = format!("/api/v1/matches/{id}");
    let status = server.get(&path).await.json();
    let agreed = json!({"winner": null, "by": "agreement"});
    assert_eq!(status["view"]["verdict"], agreed);

    // The next game goes on as any other.
    ann.act(json!("rematch"), &mut []).await;
    by_computer(&ann.receive_type("change").await, "rematch");
    ann.play(endless::WAIT).await;
    ann.receive_move(endless::WAIT).await;
    server.end().await;
}

#[tokio::test]
async fn computers_that_can_move_no_more_agree_on_a_draw() {
    let log = MemoryLog::new();
    let id = store_endless(&log, [computer(), computer()]).await;
    let server = start_on(log).await;
    let (_, welcome) = server
        .connect_with(id.as_str(), "ann", None, json!({}))
        .await;
    let agreed = json!({"winner": null, "by": "agreement"});
    assert_eq!(welcome["state"]["snapshot"]["verdict"], agreed, "{welcome}");
    server.end().await;
}
