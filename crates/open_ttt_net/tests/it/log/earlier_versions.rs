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
        if name == "clock" {
            // Seat A has run out of time since then.
            let verdict = json!({"winner": "b", "by": "time"});
            let status = loop {
                let status = server.get(&path).await.json();
                if status["view"]["verdict"] != Value::Null {
                    break status;
                }
                tokio::task::yield_now().await;
            };
            assert_eq!(status["view"]["verdict"], verdict);
            assert_eq!(status["view"]["moves"], expected["view"]["moves"]);
            continue;
        }
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

#[test]
fn a_later_version_is_not_damage() {
    let header = Bytes::from_static(br#"{"version":3,"more":"than we know"}"#);
    let error = check_match(&Catalog::bundled(), &"m".parse().unwrap(), &[header]).unwrap_err();
    assert!(!error.is_damaged());
    assert_eq!(
        error.to_string(),
        "match m has log version 3, this server reads 1 to 2"
    );
}
