use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use open_ttt_net::MatchId;
use open_ttt_net::log::{
    AppendError, MAX_ENTRY, MatchLog, SqliteLog, SqliteOpenError, StoreRoom, conformance,
};
use open_ttt_net::replication::Sequence;

/// A temporary folder, removed on drop.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static FOLDERS: AtomicU32 = AtomicU32::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("open_ttt-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(dunce::canonicalize(path).unwrap())
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.join("matches.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover temporary folder does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn id(text: &str) -> MatchId {
    text.parse().unwrap()
}

pub(super) async fn read(log: &SqliteLog, of: &str) -> Vec<Bytes> {
    let entries = log.read(&id(of), Sequence::START, usize::MAX).await;
    entries.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn passes_the_conformance_suite() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    assert!(!log.is_shared());
    conformance::check_all(&[Arc::new(log)]).await;
}

#[tokio::test]
async fn entries_and_notices_survive_reopening() {
    let folder = Folder::new();
    for round in 0..4_u8 {
        let log = SqliteLog::open(folder.file()).unwrap();
        assert_eq!(format!("{log:?}"), "SqliteLog { .. }");
        assert_eq!(read(&log, "a").await.len(), round as usize);
        let last = Sequence::new(u64::from(round));
        let entry = Bytes::from(vec![round; 3]);
        assert_eq!(log.append(&id("a"), last, entry).await, Ok(()));
        let notice = Bytes::from(vec![round]);
        let of = if round == 2 { "a" } else { "b" };
        assert_eq!(log.set_notice(&id(of), Some(notice)).await, Ok(()));
        if round % 2 == 0 {
            log.close().await;
        }
    }
    let log = SqliteLog::open(folder.file()).unwrap();
    assert_eq!(
        read(&log, "a").await,
        ["\0\0\0", "\x01\x01\x01", "\x02\x02\x02", "\x03\x03\x03"]
    );
    let notices = log.notices(9).await.unwrap();
    assert_eq!(
        notices,
        [(id("b"), "\x03".into()), (id("a"), "\x02".into())]
    );
}

/// Appends `count` entries to a match, from the entry `first` on.
async fn append_many(log: Arc<SqliteLog>, of: MatchId, first: u64, count: u64) {
    for number in first..first + count {
        let entry = Bytes::from(format!("{of} {number}"));
        let appended = log.append(&of, Sequence::new(number), entry).await;
        assert_eq!(appended, Ok(()));
        if number % 97 == 0 {
            // Reads indexed and unindexed entries together.
            let read = log.read(&of, Sequence::new(number / 2), 1000).await;
            check_entries(&of, number / 2, &read.unwrap(), number + 1);
        }
    }
}

#[track_caller]
fn check_entries(of: &MatchId, after: u64, entries: &[Bytes], length: u64) {
    let expected: Vec<_> = (after..length)
        .map(|number| format!("{of} {number}"))
        .collect();
    assert_eq!(entries, expected);
}

#[tokio::test]
async fn more_entries_than_one_index_batch() {
    const ROUND: u64 = 150;
    let folder = Folder::new();
    let ids: Vec<_> = (0..40).map(|number| id(&format!("m{number}"))).collect();
    for round in 0..2 {
        let log = Arc::new(SqliteLog::open(folder.file()).unwrap());
        let first = round * ROUND;
        let appending = ids
            .iter()
            .map(|of| append_many(Arc::clone(&log), of.clone(), first, ROUND));
        futures_util::future::join_all(appending).await;
        for of in &ids {
            let length = first + ROUND;
            for after in [0, 1, first, length - 1, length] {
                let read = log.read(of, Sequence::new(after), usize::MAX).await;
                check_entries(of, after, &read.unwrap(), length);
                let two = log.read(of, Sequence::new(after), 2).await;
                check_entries(of, after, &two.unwrap(), length.min(after + 2));
            }
            // Of those that the index has, or of the others.
            let last = log.last(of).await.unwrap();
            let text = format!("{of} {}", length - 1);
            assert_eq!(last, Some((Sequence::new(length), text.into())));
            for last in [0, 1, first, length - 1, length + 1] {
                let late = log.append(of, Sequence::new(last), "x".into()).await;
                assert_eq!(late, Err(AppendError::Conflict), "behind {last}");
            }
        }
    }
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    let count = |sql: &str| -> u32 { connection.query_row(sql, (), |row| row.get(0)).unwrap() };
    assert_eq!(count("SELECT count(*) FROM entries"), 12_000);
    let indexed = count("SELECT count(*) FROM places");
    assert!(indexed > 10_000, "{indexed} of 12,000");
    assert_eq!(count("SELECT place FROM indexed"), indexed);
}

#[test]
fn a_second_store_on_one_file_is_refused() {
    let folder = Folder::new();
    let first = SqliteLog::open(folder.file()).unwrap();
    let Err(SqliteOpenError::InUse(path)) = SqliteLog::open(folder.file()) else {
        panic!("a second store has opened the file");
    };
    assert!(path.ends_with("matches.db"));
    // The same file under another path.
    let detour = folder
        .0
        .join(".")
        .join("..")
        .join(folder.0.file_name().unwrap());
    let second = SqliteLog::open(detour.join("matches.db"));
    assert!(
        matches!(second, Err(SqliteOpenError::InUse(_))),
        "{second:?}"
    );
    drop(first);
    SqliteLog::open(folder.file()).unwrap();
}

#[track_caller]
fn check_refused(path: &Path, expected: &str) {
    let error = SqliteLog::open(path).unwrap_err().to_string();
    assert!(
        error.contains(expected),
        "{error:?} does not say {expected:?}"
    );
}

#[test]
fn a_file_of_another_version_is_refused_and_unchanged() {
    let folder = Folder::new();
    drop(SqliteLog::open(folder.file()).unwrap());
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    connection.pragma_update(None, "user_version", 9).unwrap();
    drop(connection);
    let before = fs::read(folder.file()).unwrap();
    check_refused(
        &folder.file(),
        "was written by another version of this program (format 9, this version needs 2)",
    );
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn a_foreign_database_is_refused_and_unchanged() {
    let folder = Folder::new();
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    connection
        .execute_batch("CREATE TABLE recipes (cake TEXT)")
        .unwrap();
    drop(connection);
    let before = fs::read(folder.file()).unwrap();
    check_refused(&folder.file(), "is a database of another application");
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[tokio::test]
async fn opening_detects_damage() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    for number in 0..100 {
        let entry = Bytes::from(vec![b'e'; 300]);
        log.append(&id("a"), Sequence::new(number), entry)
            .await
            .unwrap();
    }
    drop(log);
    let intact = fs::read(folder.file()).unwrap();
    assert!(
        intact.len() > 30_000,
        "the write-ahead log was checkpointed"
    );

    fs::write(
        folder.file(),
        "a letter to aunt Ann, not a database at all\n".repeat(99),
    )
    .unwrap();
    check_refused(&folder.file(), "is damaged: file is not a database");

    fs::write(folder.file(), &intact[..intact.len() - 2000]).unwrap();
    check_refused(&folder.file(), "is damaged");

    let mut overwritten = intact.clone();
    overwritten[10_000..20_000].fill(0xa5);
    fs::write(folder.file(), overwritten).unwrap();
    check_refused(&folder.file(), "is damaged");

    fs::write(folder.file(), intact).unwrap();
    let log = SqliteLog::open(folder.file()).unwrap();
    assert_eq!(read(&log, "a").await.len(), 100);
}

#[test]
fn paths_that_are_not_files_are_refused() {
    let folder = Folder::new();
    check_refused(&folder.0, "cannot be opened");
    check_refused(&folder.0.join("no").join("such.db"), "cannot be opened");
    check_refused(Path::new(""), "cannot be opened");
}

/// What matches leave free is enough to delete them.
#[tokio::test]
async fn a_store_says_how_full_it_is() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    let room = log.room().unwrap();
    assert_eq!(room.limit, u64::MAX);
    assert!(room.fits_matches() && room.fits_acts(), "{room:?}");
    drop(log);
    let limit = 1 << 20;
    let log = SqliteLog::open_limited(folder.file(), limit).unwrap();
    let empty = log.room().unwrap();
    assert_eq!(empty, StoreRoom { limit, ..room });
    // Entries of a kilobyte, until only the store's own part is left.
    let entry = Bytes::from(vec![b'x'; 1024]);
    let of = id("a");
    let (mut length, mut last) = (0, empty);
    let mut length_of_no_matches = None;
    while last.fits_acts() {
        if !last.fits_matches() {
            length_of_no_matches.get_or_insert(length);
        }
        let appended = log.append(&of, Sequence::new(length), entry.clone());
        appended.await.unwrap();
        length += 1;
        let room = log.room().unwrap();
        assert!(room.used >= last.used, "{room:?}");
        last = room;
    }
    // The pages and the index take some, too.
    let kept = length_of_no_matches.unwrap();
    assert!((640..896).contains(&kept), "{kept}");
    assert!((680..960).contains(&length), "{length}");
    let stored = fs::metadata(folder.file()).unwrap().len();
    assert!(stored <= limit, "{stored}");
    drop(log);
    let log = SqliteLog::open_limited(folder.file(), limit).unwrap();
    // It has updated its index.
    let again = log.room().unwrap();
    let grown = again.used - last.used;
    assert!(grown < limit / 32 && again.limit == limit, "{again:?}");
    log.remove(&of).await.unwrap();
    let after = log.room().unwrap();
    assert!(after.used < empty.used + limit / 16, "{after:?}");
    // Its pages are used again, and do not make the file larger.
    for last in 0..length {
        log.append(&of, Sequence::new(last), entry.clone())
            .await
            .unwrap();
    }
}

/// A full store refuses writes, keeps what it has acknowledged, and accepts
/// writes again once there is room. Groups on a full disk are tested with the
/// writer, where the test decides what is in a group.
#[tokio::test]
async fn a_full_disk_refuses_until_there_is_room() {
    let folder = Folder::new();
    let log = SqliteLog::open_limited(folder.file(), 400_000).unwrap();
    let long = Bytes::from(vec![b'x'; MAX_ENTRY]);
    for number in 0..40 {
        let of = id(&format!("notice-{number}"));
        log.set_notice(&of, Some(long.clone())).await.unwrap();
    }
    let mut length = 0;
    let refused = loop {
        match log
            .append(&id("a"), Sequence::new(length), long.clone())
            .await
        {
            Ok(()) => length += 1,
            Err(error) => break error,
        }
    };
    let AppendError::Refused(cause) = refused else {
        panic!("a full disk refuses: {refused:?}");
    };
    assert!(cause.to_string().contains("full"), "{cause}");
    assert!((30..100).contains(&length), "{length} entries of 4 KiB fit");
    assert!(log.check().await.is_err(), "a full store fails its check");

    // Alone or in one group, each is refused.
    let (a, b) = (id("a"), id("b"));
    let group = [
        log.append(&b, Sequence::START, long.clone()),
        log.append(&b, Sequence::START, long.clone()),
        log.append(&a, Sequence::new(length), long.clone()),
    ];
    for answer in futures_util::future::join_all(group).await {
        assert!(matches!(answer, Err(AppendError::Refused(_))), "{answer:?}");
    }
    assert_eq!(read(&log, "a").await.len() as u64, length);
    assert_eq!(read(&log, "b").await.len(), 0);

    // Some of these may fit. In whatever groups they are written, the replies
    // are true.
    log.set_notice(&id("notice-0"), None).await.unwrap();
    let created: Vec<_> = (0..20).map(|n| id(&format!("new-{n}"))).collect();
    let short = Bytes::from_static(b"x");
    let shorts = created
        .iter()
        .map(|of| log.append(of, Sequence::START, short.clone()));
    let longs = (0..4).map(|n| log.append(&a, Sequence::new(length + n), long.clone()));
    let answers = futures_util::future::join_all(shorts.chain(longs)).await;
    let (shorts, longs) = answers.split_at(created.len());
    length += longs.iter().filter(|answer| answer.is_ok()).count() as u64;

    for number in 1..40 {
        log.set_notice(&id(&format!("notice-{number}")), None)
            .await
            .unwrap();
    }
    assert_eq!(log.check().await, Ok(()));
    let again = log.append(&a, Sequence::new(length), long.clone()).await;
    assert_eq!(again, Ok(()), "there is room again");
    for (of, answer) in created.iter().zip(shorts) {
        let again = log.append(of, Sequence::START, short.clone()).await;
        let expected = match answer {
            Ok(()) => Err(AppendError::Conflict),
            Err(_) => Ok(()),
        };
        assert_eq!(again, expected, "{of}");
    }
    drop(log);
    let log = SqliteLog::open(folder.file()).unwrap();
    assert_eq!(read(&log, "a").await, vec![long; length as usize + 1]);
}

/// With one query, whatever the log has before.
#[tokio::test]
async fn the_last_entry_is_read_without_the_others() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    for number in 0..5 {
        let entry = Bytes::from(vec![number]);
        let last = Sequence::new(number.into());
        log.append(&id("a"), last, entry).await.unwrap();
    }
    drop(log);
    let damage = |sql: &str| {
        let connection = rusqlite::Connection::open(folder.file()).unwrap();
        connection.execute(sql, ()).unwrap();
    };
    damage("DELETE FROM entries WHERE sequence < 5");
    let log = SqliteLog::open(folder.file()).unwrap();
    let last = Some((Sequence::new(5), "\x04".into()));
    assert_eq!(log.last(&id("a")).await, Ok(last));
    assert_eq!(log.last(&id("b")).await, Ok(None));
    drop(log);
    damage("DELETE FROM entries");
    let log = SqliteLog::open(folder.file()).unwrap();
    let missing = log.last(&id("a")).await.unwrap_err();
    assert!(missing.is_damaged(), "{missing}");
}

#[tokio::test]
async fn reading_detects_a_missing_entry() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    for number in 0..5 {
        log.append(&id("a"), Sequence::new(number), "e".into())
            .await
            .unwrap();
    }
    drop(log);
    let connection = rusqlite::Connection::open(folder.file()).unwrap();
    connection
        .execute("DELETE FROM entries WHERE sequence = 3", ())
        .unwrap();
    drop(connection);
    let log = SqliteLog::open(folder.file()).unwrap();
    let whole = log.read(&id("a"), Sequence::START, 9).await;
    assert!(
        whole
            .unwrap_err()
            .to_string()
            .contains("entry 3 of a is missing")
    );
    let behind = log.read(&id("a"), Sequence::new(2), 9).await;
    assert!(behind.is_err(), "the first entry of the range is missing");
    assert_eq!(
        log.read(&id("a"), Sequence::new(3), 9).await.unwrap().len(),
        2
    );
}
