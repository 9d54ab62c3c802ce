//! Matches whose records are damaged.

use std::sync::Arc;

use bytes::Bytes;
use open_ttt_catalog::Catalog;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::check_match;
use serde_json::json;

use super::harness::{start_with, unlimited};

/// The entries of a match with a few moves.
async fn played() -> (MatchId, Vec<Bytes>) {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    ann.play("b2").await;
    bob.receive_move("b2").await;
    bob.play("a1").await;
    let id: MatchId = id.parse().unwrap();
    let entries = log.read(&id, Sequence::START, usize::MAX).await.unwrap();
    (id, entries)
}

/// A store with these entries.
async fn store(id: &MatchId, entries: &[Bytes]) -> Arc<MemoryLog> {
    let log = Arc::new(MemoryLog::new());
    for (entry, last) in entries.iter().zip(0..) {
        let appended = log.append(id, Sequence::new(last), entry.clone()).await;
        assert_eq!(appended, Ok(()));
    }
    log
}

/// 64-bit FNV-1a, with the constants in decimal as Wikipedia has them.
pub(super) fn fnv(parts: &[&[u8]]) -> u64 {
    let mut hash = 14_695_981_039_346_656_037_u64;
    for byte in parts.concat() {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(1_099_511_628_211);
    }
    hash
}

#[tokio::test]
async fn each_entry_ends_with_the_checksum_of_all_before() {
    let (id, entries) = played().await;
    assert_eq!(entries.len(), 5);
    let id_hash = fnv(&[id.as_str().as_bytes()]);
    // The header itself is plain JSON.
    let mut last = fnv(&[&id_hash.to_le_bytes(), &entries[0]]);
    for entry in &entries[1..] {
        let text = std::str::from_utf8(entry).unwrap();
        let (json, checksum) = text.rsplit_once(' ').unwrap();
        last = fnv(&[&last.to_le_bytes(), json.as_bytes()]);
        assert_eq!(checksum, format!("{last:016x}"));
    }
}

#[tokio::test]
async fn every_changed_byte_is_found() {
    let (id, entries) = played().await;
    let check = |entries: &[Bytes]| check_match(&Catalog::bundled(), &id, entries);
    assert_eq!(check(&entries), Ok(()));
    for (index, entry) in entries.iter().enumerate() {
        for at in 0..entry.len() {
            let mut changed = entry.to_vec();
            changed[at] ^= 1 << (at % 7);
            let mut entries = entries.clone();
            entries[index] = changed.into();
            check(&entries).expect_err("a changed byte");
        }
    }
    for missing in 0..entries.len() - 1 {
        let mut entries = entries.clone();
        entries.remove(missing);
        check(&entries).expect_err("a missing entry");
    }
    for index in 1..entries.len() - 1 {
        let mut entries = entries.clone();
        entries.swap(index, index + 1);
        check(&entries).expect_err("entries in another order");
    }
    let other: MatchId = "another".parse().unwrap();
    check_match(&Catalog::bundled(), &other, &entries).expect_err("of another match");
    let error = check(&[]).unwrap_err();
    assert!(error.is_damaged(), "{error}");
}

#[tokio::test]
async fn a_damaged_match_has_a_permanent_error() {
    let (id, mut entries) = played().await;
    let text = std::str::from_utf8(&entries[3]).unwrap();
    entries[3] = text.replace("b2", "b3").into();
    let server = start_with(unlimited(), store(&id, &entries).await).await;
    for path in ["", "/games", "/games/1"] {
        let reply = server.get(&format!("/api/v1/matches/{id}{path}")).await;
        reply.is_error(500, "damaged");
        let text = &reply.json()["error"]["text"];
        assert_eq!(text, "This game's record is damaged.");
        assert!(!reply.head.contains("retry-after"), "{reply:?}");
    }
    let mut socket = server.socket(id.as_str(), &[]).await.unwrap();
    let hello = json!({"type": "hello", "protocol": 1, "client": "c", "shape": "views"});
    socket.send(&hello).await;
    assert_eq!(socket.receive().await["code"], "damaged");
    // The others are served.
    let (other, _) = server.create("ttt").await;
    let reply = server.get(&format!("/api/v1/matches/{other}")).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_client_that_is_ahead_of_the_log_is_counted() {
    let (id, entries) = played().await;
    let truncated = &entries[..4];
    let server = start_with(unlimited(), store(&id, truncated).await).await;
    let count = async || {
        let metrics = server.get_private("/metrics").await.1;
        let line = "open_ttt_clients_ahead_total ";
        let line = metrics.lines().find_map(|found| found.strip_prefix(line));
        line.unwrap().to_owned()
    };
    let have =
        |sequence: u64| json!({"have": {"sequence": sequence, "digest": "0000000000000000"}});
    server.connect_with(id.as_str(), "c", None, have(3)).await;
    assert_eq!(count().await, "0", "it has seen what the log has");
    let (_, welcome) = server.connect_with(id.as_str(), "d", None, have(4)).await;
    assert_eq!(welcome["sequence"], 3);
    assert_eq!(count().await, "1");
}
