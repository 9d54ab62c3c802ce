use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32};

use super::super::file::{LogFile, SCHEMA};
use super::super::reader;
use super::*;
use crate::log::MAX_ENTRY;

fn append(id: &str, last: u64, entry: impl Into<Bytes>) -> WriteOperation {
    WriteOperation::Append {
        id: id.parse().expect("an identifier"),
        last: Sequence::new(last),
        entry: entry.into(),
    }
}

/// Processes these writes as one group.
fn process(writer: &mut Writer, group: Vec<WriteOperation>) -> Vec<Result<(), AppendError>> {
    let (group, replies): (Vec<_>, Vec<_>) = group
        .into_iter()
        .map(|operation| {
            let (reply, result) = oneshot::channel();
            (WriteRequest { operation, reply }, result)
        })
        .unzip();
    writer.process(group, &Watchers::default());
    let result = |mut reply: oneshot::Receiver<_>| reply.try_recv().expect("a result");
    replies.into_iter().map(result).collect()
}

/// A writer on an empty database, and how many more of the longest entries
/// the database holds.
fn limited_writer(room: u32) -> Writer {
    let connection = Connection::open_in_memory().expect("memory");
    connection.execute_batch(SCHEMA).expect("a schema");
    let used: u32 = connection
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .expect("a number");
    // A page holds 4 KiB, and an entry of that length takes two.
    connection
        .pragma_update_and_check(None, "max_page_count", used + 2 * room, |_row| Ok(()))
        .expect("a limit");
    Writer::new(connection, never(), Arc::default()).expect("a writer")
}

/// For a writer whose commits don't fail.
fn never() -> Reopen {
    Box::new(|| Err(SqliteOpenError::failed(Path::new("memory"), "never")))
}

#[track_caller]
fn check_entries(writer: &Writer, id: &str, expected: &[&str]) {
    let id = id.parse().expect("an identifier");
    let entries = reader::entries(&writer.connection, &id, Sequence::START, 9);
    assert_eq!(entries.expect("entries"), expected);
}

#[test]
fn a_group_that_does_not_fit_is_refused_as_a_whole_and_forgotten() {
    let long = Bytes::from(vec![b'x'; MAX_ENTRY]);
    let mut writer = limited_writer(8);
    assert_eq!(
        process(&mut writer, vec![append("a", 0, long.clone())]),
        [Ok(())]
    );
    // The short entries fit, and the long ones do not.
    let short = |number| append(&format!("short-{number}"), 0, "x");
    let mut group: Vec<_> = (0..20).map(short).collect();
    group.extend((1..20).map(|number| append("a", number, long.clone())));
    // This one conflicts with an entry of the same group.
    group.push(append("short-0", 0, "y"));
    let results = process(&mut writer, group);
    assert_eq!(results.len(), 40);
    for result in results {
        let Err(AppendError::Refused(cause)) = result else {
            panic!("a full disk refuses: {result:?}");
        };
        assert!(cause.to_string().contains("full"), "{cause}");
    }
    let stored = "SELECT count(*) FROM entries";
    let stored: u32 = writer
        .connection
        .query_row(stored, (), |row| row.get(0))
        .expect("a count");
    assert_eq!(stored, 1);

    // Nothing of the failed group is remembered, in one group or several.
    let group = (0..20).map(short).chain([append("a", 1, "x")]).collect();
    assert_eq!(process(&mut writer, group), vec![Ok(()); 21]);
    for number in 0..20 {
        assert_eq!(
            process(&mut writer, vec![short(number)]),
            [Err(AppendError::Conflict)]
        );
    }
}

#[test]
fn a_conflict_does_not_fail_the_others_of_its_group() {
    let mut writer = limited_writer(100);
    let group = vec![
        append("a", 0, "1"),
        append("a", 0, "other"),
        append("a", 1, "2"),
        append("b", 3, "gap"),
        append("b", 0, "1"),
    ];
    let conflict = Err(AppendError::Conflict);
    assert_eq!(
        process(&mut writer, group),
        [Ok(()), conflict.clone(), Ok(()), conflict, Ok(())]
    );
}

/// The entries of the other match get the places of the removed ones.
#[test]
fn a_removal_and_later_appends_fit_into_one_group() {
    let mut writer = limited_writer(100);
    let remove = |id: &str| WriteOperation::Remove {
        id: id.parse().expect("an identifier"),
    };
    let group = (0..3).map(|last| append("a", last, "x")).collect();
    assert_eq!(process(&mut writer, group), vec![Ok(()); 3]);
    let group = vec![
        remove("a"),
        append("b", 0, "1"),
        append("b", 1, "2"),
        append("a", 0, "again"),
    ];
    assert_eq!(process(&mut writer, group), vec![Ok(()); 4]);
    check_entries(&writer, "a", &["again"]);
    check_entries(&writer, "b", &["1", "2"]);
}

/// As after a start on a full disk.
#[test]
fn entries_that_the_index_lacks_are_known_from_the_start() {
    let mut writer = limited_writer(100);
    let group = (0..5).map(|last| append("a", last, "x")).collect();
    assert_eq!(process(&mut writer, group), vec![Ok(()); 5]);
    let indexed = "SELECT place FROM indexed";
    let indexed = writer.connection.query_row(indexed, (), |row| row.get(0));
    assert_eq!(indexed, Ok(0), "the index lacks them");

    let mut writer = Writer::new(writer.connection, never(), Arc::default()).expect("a writer");
    let group = vec![
        append("a", 4, "y"),
        append("a", 6, "y"),
        append("a", 5, "x"),
    ];
    let conflict = Err(AppendError::Conflict);
    assert_eq!(
        process(&mut writer, group),
        [conflict.clone(), conflict, Ok(())]
    );
    assert_eq!(writer.unindexed.entries, 6);
}

/// Lets every commit of an entry `poison` fail, over this connection only.
const POISON: &str = "
    PRAGMA foreign_keys = ON;
    CREATE TEMP TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TEMP TABLE children (
        parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED
    );
    CREATE TEMP TRIGGER poisoned AFTER INSERT ON main.entries
    WHEN NEW.entry = CAST('poison' AS BLOB)
    BEGIN INSERT INTO children VALUES (1); END";

#[test]
fn after_a_failed_commit_the_file_is_opened_and_read_again() {
    let name = format!("open_ttt-reopen-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let (file, connection) = LogFile::open(&folder.join("matches.db")).expect("a file");
    let file = Arc::new(file);
    connection.execute_batch(POISON).expect("a trigger");
    let is_broken = Arc::new(AtomicBool::new(true));
    let attempts = Arc::new(AtomicU32::new(0));
    let (reopened, broken, tried) = (file.clone(), is_broken.clone(), attempts.clone());
    let reopen = move || {
        tried.fetch_add(1, Ordering::Relaxed);
        if broken.load(Ordering::Relaxed) {
            return Err(SqliteOpenError::failed(Path::new("disk"), "out of order"));
        }
        reopened.reopen()
    };
    let mut writer = Writer::new(connection, Box::new(reopen), Arc::default()).expect("a writer");
    let group = vec![append("a", 0, "1"), append("b", 0, "1")];
    assert_eq!(process(&mut writer, group), [Ok(()), Ok(())]);

    let group = vec![append("b", 1, "2"), append("a", 1, "poison")];
    for result in process(&mut writer, group) {
        assert!(matches!(result, Err(AppendError::Unknown(_))), "{result:?}");
    }
    // Nothing is written before the file is open again, which is not tried all the time.
    for _ in 0..3 {
        let results = process(&mut writer, vec![append("a", 1, "2")]);
        let [Err(AppendError::Refused(cause))] = &results[..] else {
            panic!("{results:?}");
        };
        assert!(cause.to_string().contains("out of order"), "{cause}");
    }
    assert_eq!(attempts.load(Ordering::Relaxed), 1);

    // Of the failed commit, one entry was stored after all.
    let other = file.connect().expect("a connection");
    let mut other = Writer::new(other, never(), Arc::default()).expect("a writer");
    assert_eq!(process(&mut other, vec![append("b", 1, "2")]), [Ok(())]);
    is_broken.store(false, Ordering::Relaxed);
    writer.failed.as_mut().expect("a failure").tried = None;
    let group = vec![
        append("a", 1, "2"),
        append("b", 1, "2"),
        append("b", 2, "3"),
    ];
    let conflict = Err(AppendError::Conflict);
    assert_eq!(process(&mut writer, group), [Ok(()), conflict, Ok(())]);
    check_entries(&writer, "a", &["1", "2"]);
    check_entries(&writer, "b", &["1", "2", "3"]);
    assert_eq!(attempts.load(Ordering::Relaxed), 2);
    drop((writer, other, file));
    std::fs::remove_dir_all(&folder).expect("the folder");
}
