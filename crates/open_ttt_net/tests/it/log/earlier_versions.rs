//! Stores that earlier versions have written. Never change the data files: they
//! are what is on people's disks.

use std::sync::Arc;

use bytes::Bytes;
use open_ttt_catalog::Catalog;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog, SqliteFile, SqliteLog};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::check_match;
use serde_json::{Value, json};

use super::sqlite::Folder;
use crate::server::harness::{start_with, unlimited};
use crate::server::nodes::shared_log;
use crate::waiting::eventually;

/// A file with schema 2 and entries without checksums, as SQL. It was written by
/// the server of the commit e11ed00.
const SQL: &str = include_str!("data/version_1.sql");

/// What that server said about its matches.
const MATCHES: &str = include_str!("data/version_1.json");

fn matches() -> Vec<Value> {
    serde_json::from_str(MATCHES).unwrap()
}

fn id(expected: &Value) -> MatchId {
    let id = expected["record"]["match"].as_str().unwrap();
    id.parse().unwrap()
}

fn create(folder: &Folder) {
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    connection.execute_batch(SQL).unwrap();
}

/// The same entries in another store.
async fn copy(folder: &Folder, to: &dyn MatchLog) {
    let file = SqliteFile::open(folder.file()).unwrap();
    for of in file.matches(None, usize::MAX).unwrap() {
        for (entry, last) in file.entries(&of).unwrap().into_iter().zip(0..) {
            to.append(&of, Sequence::new(last), entry).await.unwrap();
        }
    }
}

/// A server shows the matches of a store as the earlier one did, and continues
/// them in their own format.
async fn check(log: Arc<dyn MatchLog>) {
    let server = start_with(unlimited(), Arc::clone(&log)).await;
    for expected in matches() {
        let name = &expected["name"];
        let path = format!("/api/v1/matches/{}", id(&expected));
        // The clocks stand where they stood: nobody could use the time since.
        let status = server.get(&path).await.json();
        assert_eq!(status["sequence"], expected["sequence"], "{name}");
        assert_eq!(status["open"], expected["open"], "{name}");
        for (field, value) in expected["view"].as_object().unwrap() {
            assert_eq!(&status["view"][field], value, "{field} of {name}");
        }
        let games = server.get(&format!("{path}/games")).await.json();
        assert_eq!(games, expected["record"], "{name}");
    }
    // A player joins the match that waits for one.
    let waiting = matches()
        .into_iter()
        .find(|expected| expected["name"] == "waiting");
    let waiting = id(&waiting.unwrap());
    let bob = server.join(waiting.as_str(), "Bob").await;
    server.connect(waiting.as_str(), "bob", Some(&bob)).await;
    let entries = log.read(&waiting, Sequence::START, 9).await.unwrap();
    assert_eq!(entries.len(), 3);
    for entry in &entries {
        let json: Value = serde_json::from_slice(entry).expect("no checksum, as before");
        assert!(json.is_object());
    }
    server.end().await;
}

#[tokio::test]
async fn a_file_of_version_1_is_continued() {
    let folder = Folder::new();
    create(&folder);
    let log = Arc::new(SqliteLog::open(folder.file()).unwrap());
    let notices = log.notices(9).await.unwrap();
    assert_eq!(notices.len(), 1);
    check(log).await;
    // They can be removed, too.
    let log = SqliteLog::open(folder.file()).unwrap();
    for expected in matches() {
        assert_eq!(log.remove(&id(&expected)).await, Ok(()));
    }
    assert_eq!(log.matches(None, 9).await, Ok(Vec::new()));
}

#[tokio::test]
async fn entries_of_version_1_are_continued_in_any_store() {
    let folder = Folder::new();
    create(&folder);
    let log = Arc::new(MemoryLog::new());
    copy(&folder, &*log).await;
    check(log).await;
}

#[test]
fn a_file_of_version_1_is_checked() {
    let folder = Folder::new();
    create(&folder);
    let file = SqliteFile::open(folder.file()).unwrap();
    assert_eq!(file.check(), Ok(Vec::new()));
    assert_eq!(file.match_count(), Ok(7));
    for expected in matches() {
        let of = id(&expected);
        let entries = file.entries(&of).unwrap();
        assert_eq!(check_match(&Catalog::bundled(), &of, &entries), Ok(()));
        // The header and an entry for each change.
        let changes = expected["sequence"].as_u64().unwrap();
        assert_eq!(entries.len() as u64, changes + 1, "{of}");
    }
}

/// A server of version 1 reads a header as it does below, and refuses the match
/// by its version instead of misreading it.
#[tokio::test]
async fn a_server_of_version_1_refuses_new_matches_by_their_version() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let (of, _) = server.create("ttt").await;
    let header = log.read(&of.parse().unwrap(), Sequence::START, 1).await;
    let header: Value = serde_json::from_slice(&header.unwrap()[0]).unwrap();
    let fields: Vec<_> = header.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["at", "listed", "settings", "version"]);
    assert_eq!(header["version"], 2);
}

/// A match that begins after given moves has a version of its own, which a server of
/// version 2 refuses as one of version 1 does; all others keep version 2.
#[tokio::test]
async fn only_a_match_from_a_position_has_version_3() {
    let log = Arc::new(MemoryLog::new());
    let server = start_with(unlimited(), log.clone()).await;
    let body = json!({"game": "ttt", "moves": ["b2"], "seats": [null, null]});
    let created = server.post("/api/v1/matches", &body).await.json();
    let of: MatchId = created["match"].as_str().unwrap().parse().unwrap();
    let entries = log.read(&of, Sequence::START, 1).await.unwrap();
    server.end().await;
    assert_eq!(check_match(&Catalog::bundled(), &of, &entries), Ok(()));
    let header = str::from_utf8(&entries[0]).unwrap();
    assert!(header.starts_with(r#"{"version":3,"#), "{header}");
    // No server has written the moves in another version.
    for version in [1, 2] {
        let wrong = header.replace(r#""version":3"#, &format!(r#""version":{version}"#));
        let error = check_match(&Catalog::bundled(), &of, &[wrong.into()]).unwrap_err();
        assert!(error.is_damaged(), "{error}");
    }
}

/// Servers of version 1 and of this one share a store in an upgrade.
#[tokio::test]
async fn matches_of_version_1_stay_readable_for_earlier_servers() {
    let folder = Folder::new();
    create(&folder);
    let log = shared_log();
    copy(&folder, &log).await;
    let server = start_with(unlimited(), Arc::new(log.clone())).await;
    let of = |name: &str| {
        let mut all = matches().into_iter();
        id(&all.find(|expected| expected["name"] == name).unwrap())
    };
    // A page of this version always has a key.
    let waiting = of("waiting");
    let key = "00112233445566778899aabbccddeeff";
    let body = json!({"player": {"person": "Bob"}, "key": key});
    let path = format!("/api/v1/matches/{waiting}/join");
    assert_eq!(server.post(&path, &body).await.status, 200);
    // No server served for long, and nothing is given back.
    let timed = of("clock");
    server.connect(timed.as_str(), "eve", None).await;
    let path = format!("/api/v1/matches/{timed}");
    let status = eventually("the end by time", || async {
        let status = server.get(&path).await.json();
        (status["view"]["verdict"] != Value::Null).then_some(status)
    });
    assert_eq!(status.await["view"]["verdict"]["by"], "time");
    for of in [waiting, timed] {
        let entries = log.read(&of, Sequence::START, usize::MAX).await.unwrap();
        for entry in &entries[1..] {
            // The fields and acts that the server of version 1 says it expects.
            let entry: Value = serde_json::from_slice(entry).expect("no checksum");
            let fields = ["client", "number", "transition", "key"];
            let mut found = entry.as_object().unwrap().keys();
            assert!(
                found.all(|field| fields.contains(&field.as_str())),
                "{entry}"
            );
            assert_eq!(entry["transition"]["act"]["return_time"], Value::Null);
        }
    }
    server.end().await;
}

/// A later server shares the store. Its matches are refused, and left as they are.
#[tokio::test]
async fn matches_of_a_later_version_are_left_alone() {
    let log = shared_log();
    let later: MatchId = "later".parse().unwrap();
    let entries = [r#"{"version":4,"at":0,"more":"than we know"}"#, "not JSON"].map(Bytes::from);
    for (entry, last) in entries.iter().zip(0..) {
        let appended = log.append(&later, Sequence::new(last), entry.clone()).await;
        assert_eq!(appended, Ok(()));
    }
    let server = start_with(unlimited(), Arc::new(log.clone())).await;
    for path in ["", "/games", "/games/1"] {
        let reply = server.get(&format!("/api/v1/matches/{later}{path}")).await;
        reply.is_error(503, "unavailable");
    }
    let body = json!({"player": {"person": "Bob"}});
    let joined = server.post("/api/v1/matches/later/join", &body).await;
    joined.is_error(503, "unavailable");
    let mut socket = server.socket(later.as_str(), &[]).await.unwrap();
    let hello = json!({"type": "hello", "protocol": 1, "client": "c"});
    socket.send(&hello).await;
    // The client tries again, perhaps at a later server.
    assert_eq!(socket.receive().await["code"], "unavailable");
    // The others are served.
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    ann.play("b2").await;
    bob.receive_move("b2").await;
    server.end().await;
    let left = log.read(&later, Sequence::START, usize::MAX).await;
    assert_eq!(left, Ok(entries.to_vec()));
}

#[test]
fn a_later_version_is_not_damage() {
    let header = Bytes::from_static(br#"{"version":4,"more":"than we know"}"#);
    let error = check_match(&Catalog::bundled(), &"m".parse().unwrap(), &[header]).unwrap_err();
    assert!(!error.is_damaged());
    assert_eq!(
        error.to_string(),
        "match m has log version 4, this server reads 1 to 3"
    );
}
