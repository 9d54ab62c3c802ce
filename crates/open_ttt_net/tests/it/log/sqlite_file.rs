//! Checks and copies of files.

#[cfg(unix)]
use std::fs::Permissions;
use std::fs::{self, File};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use open_ttt_net::log::{MatchLog, SqliteFile, SqliteLog, SqliteOpenError};
use open_ttt_net::replication::Sequence;

use super::sqlite::{Folder, id, read};

/// A store with the matches `a` and `b` of 40 entries.
async fn store(folder: &Folder) -> SqliteLog {
    let log = SqliteLog::open(folder.file()).unwrap();
    for number in 0..40 {
        for of in ["a", "b"] {
            let entry = Bytes::from(format!("{of} {number} {}", "x".repeat(200)));
            let appended = log.append(&id(of), Sequence::new(number), entry).await;
            assert_eq!(appended, Ok(()));
        }
    }
    log
}

/// A closed store whose index has all entries, as after every start.
async fn indexed() -> Folder {
    let folder = Folder::new();
    drop(store(&folder).await);
    drop(SqliteLog::open(folder.file()).unwrap());
    folder
}

fn copy_of(folder: &Folder) -> PathBuf {
    folder.file().with_file_name("copy.db")
}

/// The damage that a check finds after these changes to the file.
async fn damage(change: &str) -> String {
    let folder = indexed().await;
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    connection.execute_batch(change).unwrap();
    drop(connection);
    let file = SqliteFile::open(folder.file()).unwrap();
    let damage = file.check().unwrap().join("; ");
    if !damage.is_empty() {
        // Such a file does not become a backup.
        let refused = file.copy_to(copy_of(&folder), |_, _| {}).unwrap_err();
        assert!(
            matches!(refused, SqliteOpenError::Damaged { .. }),
            "{refused}"
        );
        assert!(!copy_of(&folder).exists());
    }
    damage
}

#[tokio::test]
async fn damage_to_the_index_is_found() {
    assert_eq!(damage("").await, "");
    assert_eq!(
        damage("DELETE FROM places WHERE sequence = 7").await,
        "2 entries are missing in the index"
    );
    assert_eq!(
        damage("DELETE FROM entries WHERE sequence > 38").await,
        "4 entries are missing although they were stored"
    );
    assert_eq!(
        damage("DELETE FROM matches WHERE match = 'b'").await,
        "40 entries belong to no match"
    );
}

#[tokio::test]
async fn the_last_entries_are_missed() {
    let folder = indexed().await;
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    let delete = "DELETE FROM entries WHERE sequence > 38";
    connection.execute_batch(delete).unwrap();
    drop(connection);
    let log = SqliteLog::open(folder.file()).unwrap();
    let error = log.read(&id("a"), Sequence::START, 99).await.unwrap_err();
    assert!(error.is_damaged());
    assert!(
        error.to_string().contains("entry 39 of a is missing"),
        "{error}"
    );
}

#[tokio::test]
async fn overwritten_pages_are_found() {
    let folder = indexed().await;
    let mut bytes = fs::read(folder.file()).unwrap();
    let length = bytes.len();
    bytes[length / 4..length * 3 / 4].fill(0xa5);
    fs::write(folder.file(), bytes).unwrap();
    let file = SqliteFile::open(folder.file()).unwrap();
    assert_ne!(file.check(), Ok(Vec::new()));
    let read = ["a", "b"].map(|of| file.entries(&id(of)));
    let failed = read
        .into_iter()
        .find_map(Result::err)
        .expect("lost entries");
    assert!(failed.is_damaged(), "{failed}");
}

/// Opening doesn't leave damage to who reads what is damaged.
#[tokio::test]
async fn a_store_with_an_overwritten_page_is_refused() {
    const PAGE: usize = 4096;
    let folder = indexed().await;
    let intact = fs::read(folder.file()).unwrap();
    assert_eq!(intact.len() % PAGE, 0);
    for page in (0..intact.len()).step_by(PAGE) {
        let mut bytes = intact.clone();
        bytes[page..page + PAGE].fill(0xa5);
        fs::write(folder.file(), bytes).unwrap();
        let refused = SqliteLog::open(folder.file()).unwrap_err();
        assert!(
            matches!(refused, SqliteOpenError::Damaged { .. }),
            "{page}: {refused}"
        );
    }
}

/// Without a look at its length, that of a large file would show only when the lost pages are read.
#[tokio::test]
async fn a_shortened_file_is_refused() {
    let folder = indexed().await;
    let file = File::options().write(true).open(folder.file()).unwrap();
    let bytes = file.metadata().unwrap().len();
    file.set_len(bytes - 1).unwrap();
    let refused = SqliteLog::open(folder.file()).unwrap_err();
    assert!(
        matches!(&refused, SqliteOpenError::Damaged { cause, .. }
            if *cause == format!("it has {} of {bytes} bytes", bytes - 1)),
        "{refused}"
    );
}

/// It isn't taken for that of a store in use.
#[tokio::test]
async fn a_lock_file_that_cannot_be_read_is_told() {
    let folder = indexed().await;
    let lock = folder.file().with_extension("db-lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let refused = SqliteFile::open(folder.file()).unwrap_err();
    assert!(
        matches!(refused, SqliteOpenError::Failed { .. }),
        "{refused}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_running_store_has_all_that_was_acknowledged() {
    let folder = Folder::new();
    let log = Arc::new(store(&folder).await);
    let writer = Arc::clone(&log);
    let first = log.append(&id("c"), Sequence::START, "c".into()).await;
    assert_eq!(first, Ok(()));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let writing = tokio::spawn(async move {
        let mut last = 1;
        while !stop.is_closed() {
            let appended = writer
                .append(&id("c"), Sequence::new(last), "c".into())
                .await;
            assert_eq!(appended, Ok(()));
            last += 1;
        }
        last
    });
    let source = SqliteFile::open(folder.file()).unwrap();
    for round in 0..5 {
        let acknowledged = read(&log, "c").await.len();
        let mut progress = Vec::new();
        let to = copy_of(&folder).with_extension(round.to_string());
        source
            .copy_to(&to, |pages, all| progress.push((pages, all)))
            .unwrap();
        let (pages, all) = *progress.last().unwrap();
        assert!(pages == all && all > 5, "{pages} of {all}");
        let copy = SqliteFile::open(&to).unwrap();
        assert_eq!(copy.check(), Ok(Vec::new()));
        assert_eq!(copy.match_count(), Ok(3));
        assert!(copy.entries(&id("c")).unwrap().len() >= acknowledged);
        for of in ["a", "b"] {
            assert_eq!(copy.entries(&id(of)).unwrap(), read(&log, of).await);
        }
        drop(copy);
        // A single file, which a server can use.
        let start = format!("copy.{round}-");
        let names = fs::read_dir(folder.file().parent().unwrap()).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.find(|name| name.starts_with(&start)), None);
        let opened = SqliteLog::open(&to).unwrap();
        assert_eq!(read(&opened, "a").await.len(), 40);
    }
    drop(stopped);
    let last = writing.await.unwrap();
    assert_eq!(read(&log, "c").await.len() as u64, last);
}

#[tokio::test]
async fn a_copy_replaces_only_what_it_may() {
    let folder = Folder::new();
    let log = store(&folder).await;
    let file = SqliteFile::open(folder.file()).unwrap();
    let copy = copy_of(&folder);
    file.copy_to(&copy, |_, _| {}).unwrap();
    let again = file.copy_to(&copy, |_, _| {}).unwrap_err();
    assert!(matches!(again, SqliteOpenError::Exists(_)), "{again}");

    // Neither itself nor a store in use.
    let backup = SqliteFile::open(&copy).unwrap();
    let used = backup.copy_over(folder.file(), |_, _| {}).unwrap_err();
    assert!(matches!(used, SqliteOpenError::InUse(_)), "{used}");
    // What belongs to it would be overwritten under the feet of a server.
    for suffix in ["", "-wal", "-shm", "-lock", "-journal"] {
        let mut own = copy.clone().into_os_string();
        own.push(suffix);
        let existed = Path::new(&own).exists();
        for refused in [
            backup.copy_over(&own, |_, _| {}).unwrap_err(),
            backup.copy_to(&own, |_, _| {}).unwrap_err(),
        ] {
            let text = refused.to_string();
            assert!(text.contains("the file to be copied"), "{suffix}: {text}");
        }
        assert_eq!(Path::new(&own).exists(), existed, "{suffix}");
    }

    let later = log
        .append(&id("a"), Sequence::new(40), "later".into())
        .await;
    assert_eq!(later, Ok(()));
    drop((log, file));
    backup.copy_over(folder.file(), |_, _| {}).unwrap();
    let log = SqliteLog::open(folder.file()).unwrap();
    assert_eq!(read(&log, "a").await.len(), 40, "as in the backup");
}

/// Also if only the write-ahead log is left of it.
#[cfg(unix)]
#[tokio::test]
async fn a_copy_is_as_private_as_what_it_replaces() {
    let folder = indexed().await;
    let file = SqliteFile::open(folder.file()).unwrap();
    for left in ["db", "db-wal"] {
        let replaced = Folder::new();
        let path = replaced.file().with_extension(left);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        file.copy_over(replaced.file(), |_, _| {}).unwrap();
        let copied = fs::metadata(replaced.file()).unwrap().permissions();
        assert_eq!(copied.mode() & 0o777, 0o600, "{left}");
    }
}

/// The write-ahead log of the replaced store must not be applied to the new file, not even if
/// nothing else is left of that store.
#[tokio::test]
async fn a_copy_over_a_crashed_store_has_none_of_its_moves() {
    let folder = Folder::new();
    let log = store(&folder).await;
    let crashed = [Folder::new(), Folder::new()];
    let left: [&[_]; 2] = [&["", "-wal", "-lock"], &["-wal", "-lock"]];
    for (crashed, left) in crashed.iter().zip(left) {
        for suffix in left {
            let path = |folder: &Folder| format!("{}{suffix}", folder.file().display());
            fs::copy(path(&folder), path(crashed)).unwrap();
        }
    }
    drop(log);
    let other = Folder::new();
    let log = SqliteLog::open(other.file()).unwrap();
    let appended = log.append(&id("z"), Sequence::START, "z".into()).await;
    assert_eq!(appended, Ok(()));
    drop(log);
    let file = SqliteFile::open(other.file()).unwrap();
    for crashed in &crashed {
        let memory = crashed.file().with_extension("db-shm");
        fs::write(&memory, "of connections that are no more").unwrap();
        file.copy_over(crashed.file(), |_, _| {}).unwrap();
        assert!(!memory.exists());
        let log = SqliteLog::open(crashed.file()).unwrap();
        assert_eq!(log.matches(None, 9).await, Ok(vec![id("z")]));
        assert_eq!(read(&log, "z").await, ["z"]);
    }
}

#[test]
fn what_is_not_a_store_is_not_opened() {
    let folder = Folder::new();
    let refused = SqliteFile::open(folder.file()).unwrap_err();
    assert!(
        matches!(refused, SqliteOpenError::Failed { .. }),
        "{refused}"
    );
    assert!(!folder.file().exists(), "nothing is created");
    fs::write(folder.file(), "a letter\n".repeat(999)).unwrap();
    let refused = SqliteFile::open(folder.file()).unwrap_err();
    assert!(
        matches!(refused, SqliteOpenError::Damaged { .. }),
        "{refused}"
    );
}
