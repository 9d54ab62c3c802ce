//! Matches of very many moves, and what computers do where no more are possible.

use std::str::FromStr;
use std::sync::Arc;

use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use serde_json::{Value, json};

use super::clocks::TOKENS;
use super::damage::fnv;
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
    let entries = entries.iter().map(Value::to_string);
    append_all(log, &id, entries.collect()).await;
    id
}

async fn append_all(log: &MemoryLog, id: &MatchId, entries: Vec<String>) {
    for (last, entry) in (0..).zip(entries) {
        let last = Sequence::new(last);
        log.append(id, last, entry.into()).await.unwrap();
    }
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

/// Of a long match, only the last changes are in memory; the log has all others.
#[tokio::test]
async fn what_became_of_an_old_proposal_is_in_the_log() {
    let log = MemoryLog::new();
    let id = store_endless(&log, [json!({"name": "Ann"}), json!({"name": "Bob"})]).await;
    let with_checksums = MatchId::from_str("checksums").unwrap();
    let entries = log.read(&id, Sequence::START, usize::MAX).await.unwrap();
    let entries = entries.iter().skip(1);
    let entries = entries.map(|entry| serde_json::from_slice(entry).unwrap());
    let entries: Vec<_> = entries.take(MAX_MOVES - 1).collect();
    let settings = json!({"game": "endless", "first": "a", "moves": [endless::WAIT]});
    let chain = chained(&with_checksums, &settings, &entries);
    append_all(&log, &with_checksums, chain).await;
    let server = start_on(log).await;
    let (token, _) = TOKENS[1];
    for id in [id, with_checksums] {
        let (mut bob, welcome) = server
            .connect_with(id.as_str(), "b", Some(token), json!({}))
            .await;
        let last = welcome["sequence"].as_u64().unwrap();
        assert!(last > 9_990, "{welcome}");
        let act = json!({"move": {"text": endless::WAIT}});
        let again = |base| json!({"type": "propose", "number": 1, "base": base, "act": act});
        for base in [2, 4, 9_000, 9_702, 9_990] {
            bob.send(&again(base)).await;
            let reply = bob.receive_type("duplicate").await;
            assert_eq!(reply["sequence"], base + 1);
            // These are Ann's moves.
            bob.send(&again(base + 1)).await;
            let reply = bob.receive_type("overtaken").await;
            assert_eq!(reply["sequence"], last);
        }
    }
    server.end().await;
}

/// Each game of a match that begins in a position has the moves that lead there.
#[tokio::test]
async fn the_games_of_a_match_are_answered_with_within_bounds() {
    const GAMES: usize = 700;
    let id: MatchId = "many-games".parse().unwrap();
    let given = vec![endless::WAIT; 240];
    let settings = json!({"game": "endless", "first": "a", "moves": given});
    let mut entries = Vec::new();
    for seat in ["a", "b"] {
        let act = json!({"join": {"seat": seat, "player": {"name": "Ann"}}});
        entries.push(("server", act));
    }
    for _ in 1..GAMES {
        entries.push(("a", json!("resign")));
        entries.extend(["a", "b"].map(|seat| (seat, json!("rematch"))));
    }
    let entries = entries.into_iter().map(|(by, act)| {
        let transition = json!({"at": 1, "by": by, "act": act});
        json!({"client": "c", "number": 1, "transition": transition})
    });
    let entries: Vec<_> = entries.collect();
    let with_checksums = chained(&id, &settings, &entries);
    let log = MemoryLog::new();
    append_all(&log, &id, with_checksums).await;
    let server = start_on(log).await;
    let path = format!("/api/v1/matches/{id}/games");
    let reply = server.get(&path).await;
    reply.is_error(400, "bad_request");
    assert_eq!(
        reply.json()["error"]["text"],
        "This match has too many moves for one answer. Ask for its games one by one."
    );
    let last = server.get(&format!("{path}/{GAMES}?from=240")).await.json();
    assert_eq!(last["record"]["number"], GAMES);
    assert_eq!(last["record"]["moves"], json!(given));
    server.end().await;
}

/// The log of a match that begins in a position: its entries end with checksums.
fn chained(id: &MatchId, settings: &Value, entries: &[Value]) -> Vec<String> {
    let header = json!({"version": 3, "settings": settings, "listed": false, "at": 1});
    let header = header.to_string();
    let mut last = fnv(&[
        &fnv(&[id.as_str().as_bytes()]).to_le_bytes(),
        header.as_bytes(),
    ]);
    let mut log = vec![header];
    for entry in entries {
        let json = entry.to_string();
        last = fnv(&[&last.to_le_bytes(), json.as_bytes()]);
        log.push(format!("{json} {last:016x}"));
    }
    log
}
