//! The files of a store: what is refused when one is missing, doubled or full.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use open_ttt_net::log::{MatchLog, SqliteFile, SqliteLog, SqliteOpenError};
use open_ttt_net::replication::Sequence;

use super::sqlite::{Folder, id, read};

fn beside(store: &Path, suffix: &str) -> PathBuf {
    let name = format!("{}{suffix}", store.display());
    name.into()
}

async fn append(log: &SqliteLog, of: &str, last: u64, entry: &'static str) {
    let appended = log.append(&id(of), Sequence::new(last), entry.into()).await;
    assert_eq!(appended, Ok(()));
}

/// The files of a store while it is open, as a killed server leaves them: with
/// the entry `1` in the main file, and `2` in the write-ahead log only.
async fn crashed(folder: &Folder) -> PathBuf {
    let source = Folder::new();
    let log = SqliteLog::open(source.file()).unwrap();
    append(&log, "a", 0, "1").await;
    drop(log);
    let log = SqliteLog::open(source.file()).unwrap();
    append(&log, "a", 1, "2").await;
    for suffix in ["", "-wal", "-lock"] {
        let copied = fs::copy(
            beside(&source.file(), suffix),
            beside(&folder.file(), suffix),
        );
        copied.unwrap();
    }
    drop(log);
    folder.file()
}

#[track_caller]
fn check_incomplete(store: &Path, missing: &Path, mark: &Path) {
    let expected = SqliteOpenError::Incomplete {
        missing: missing.to_owned(),
        mark: mark.to_owned(),
    };
    assert_eq!(SqliteLog::open(store).unwrap_err(), expected);
    let text = expected.to_string();
    let name = |path: &Path| path.display().to_string();
    assert!(
        text.starts_with(&format!("{} is missing", name(missing))),
        "{text}"
    );
    assert!(text.contains(&format!("delete {}", name(mark))), "{text}");
}

#[tokio::test]
async fn a_killed_server_leaves_a_store_that_opens() {
    let folder = Folder::new();
    let log = SqliteLog::open(crashed(&folder).await).unwrap();
    assert_eq!(read(&log, "a").await, ["1", "2"]);
}

#[tokio::test]
async fn without_its_write_ahead_log_a_store_is_refused() {
    let folder = Folder::new();
    let store = crashed(&folder).await;
    let (wal, lock) = (beside(&store, "-wal"), beside(&store, "-lock"));
    let log = fs::read(&wal).unwrap();
    fs::remove_file(&wal).unwrap();
    check_incomplete(&store, &wal, &lock);
    assert!(!wal.exists(), "a refused store is left as it is");
    // A reader refuses it too.
    let refused = SqliteFile::open(&store).unwrap_err();
    assert!(matches!(refused, SqliteOpenError::Incomplete { .. }));

    // With the log put back, nothing is lost.
    fs::write(&wal, log).unwrap();
    let opened = SqliteLog::open(&store).unwrap();
    assert_eq!(read(&opened, "a").await, ["1", "2"]);
    append(&opened, "a", 2, "3").await;
    drop(opened);

    // A closed store needs no log.
    assert!(!wal.exists(), "a closed store is one file");
    let opened = SqliteLog::open(&store).unwrap();
    assert_eq!(read(&opened, "a").await, ["1", "2", "3"]);
}

#[tokio::test]
async fn the_loss_of_a_write_ahead_log_can_be_accepted() {
    let folder = Folder::new();
    let store = crashed(&folder).await;
    fs::remove_file(beside(&store, "-wal")).unwrap();
    fs::remove_file(beside(&store, "-lock")).unwrap();
    let log = SqliteLog::open(&store).unwrap();
    assert_eq!(read(&log, "a").await, ["1"]);
}

#[tokio::test]
async fn without_its_main_file_a_store_is_refused() {
    let folder = Folder::new();
    let store = crashed(&folder).await;
    fs::remove_file(&store).unwrap();
    let (wal, lock) = (beside(&store, "-wal"), beside(&store, "-lock"));
    check_incomplete(&store, &store, &wal);
    fs::remove_file(&wal).unwrap();
    check_incomplete(&store, &store, &lock);
    fs::remove_file(&lock).unwrap();
    let log = SqliteLog::open(&store).unwrap();
    assert_eq!(read(&log, "a").await, Vec::<Bytes>::new());
}

/// Today's `-lock` files say nothing, and a copy has none.
#[tokio::test]
async fn a_store_without_a_state_opens() {
    let folder = Folder::new();
    let store = crashed(&folder).await;
    fs::write(beside(&store, "-lock"), "").unwrap();
    drop(SqliteLog::open(&store).unwrap());
    fs::remove_file(beside(&store, "-lock")).unwrap();
    let log = SqliteLog::open(&store).unwrap();
    assert_eq!(read(&log, "a").await, ["1", "2"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_with_two_names_is_refused() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    append(&log, "a", 0, "1").await;
    let other = beside(&folder.file(), "-other");
    fs::hard_link(folder.file(), &other).unwrap();
    for name in [other.clone(), folder.file()] {
        let refused = SqliteLog::open(&name).unwrap_err();
        assert_eq!(refused, SqliteOpenError::HardLinked(name.clone()));
        assert!(refused.to_string().contains("hard link"), "{refused}");
    }
    drop(log);
    fs::remove_file(&other).unwrap();
    let log = SqliteLog::open(folder.file()).unwrap();
    assert_eq!(read(&log, "a").await, ["1"]);
}
