//! `open_ttt store` on files that the store of the server has written.

use std::fs;

use open_ttt_net::log::{MatchLog, SqliteLog};
use open_ttt_net::replication::Sequence;
use serde_json::json;

use crate::program::{check_one_sentence, command, finish, run, run_json};
use crate::scratch::Scratch;

/// The log of a match without checksums, with one move.
const ENTRIES: [&str; 4] = [
    r#"{"version":1,"settings":{"game":"ttt","first":"a"},"listed":false,"at":1}"#,
    r#"{"client":"s","number":1,"transition":{"at":2,"by":"server","act":{"join":{"seat":"a","player":{"name":"Ann"}}}}}"#,
    r#"{"client":"s","number":2,"transition":{"at":3,"by":"server","act":{"join":{"seat":"b","player":{"name":"Bob"}}}}}"#,
    r#"{"client":"c","number":1,"transition":{"at":4,"by":"a","act":{"move":{"text":"b2"}}}}"#,
];

/// Appends these entries to new matches.
fn append(log: &SqliteLog, matches: &[(&str, &[&'static str])]) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        for (id, entries) in matches {
            let id = id.parse().unwrap();
            for (entry, last) in entries.iter().zip(0..) {
                let appended = log.append(&id, Sequence::new(last), (*entry).into()).await;
                assert_eq!(appended, Ok(()));
            }
        }
    });
}

/// A file with two matches, one without the last entry, and a log of a server's own.
fn create(file: &str) {
    let log = SqliteLog::open(file).unwrap();
    let own = [r#"{"unban":{"name":"Eve"}}"#];
    append(
        &log,
        &[
            ("one", &ENTRIES),
            ("two", &ENTRIES[..3]),
            ("_moderation", &own),
        ],
    );
}

#[track_caller]
fn refused(args: &[&str], status: i32, sentence: &str) {
    let ran = finish(command(args), "");
    assert_eq!((ran.status, &*ran.stdout), (Some(status), ""), "{ran:?}");
    check_one_sentence(&ran.stderr);
    assert_eq!(ran.stderr, format!("open_ttt: {sentence}\n"));
}

#[test]
fn an_intact_file_has_no_damage() {
    let scratch = Scratch::new("store_intact");
    let file = scratch.path("matches.db");
    create(&file);
    let text = run(["store", "check", &file], "");
    let expected = format!("\"{file}\" has 2 matches (7 entries), and no damage was found\n");
    assert_eq!(text, expected);
    let report = run_json(["store", "check", &file, "--json"], "");
    let expected = json!({
        "file": file, "matches": 2, "entries": 7, "damage": [], "damaged_matches": [],
    });
    assert_eq!(report, [expected]);
    // Nothing is left beside the file but its lock.
    let mut names: Vec<_> = fs::read_dir(scratch.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["matches.db", "matches.db-lock"]);
}

#[test]
fn damaged_matches_are_named() {
    let scratch = Scratch::new("store_damaged");
    let file = scratch.path("matches.db");
    create(&file);
    let log = SqliteLog::open(&file).unwrap();
    let twice = [ENTRIES[0], ENTRIES[1], ENTRIES[1]];
    append(&log, &[("broken", &[ENTRIES[0], "{"]), ("illegal", &twice)]);
    // A server that runs is not disturbed, and does not disturb.
    let ran = finish(command(["store", "check", &file]), "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].starts_with("match broken, entry 2: "), "{lines:?}");
    assert!(
        lines[1].starts_with("match illegal, entry 3: illegal: "),
        "{lines:?}"
    );
    assert_eq!(lines[2], format!("\"{file}\" has 4 matches (12 entries)"));
    check_one_sentence(&ran.stderr);
    let start =
        format!("open_ttt: 2 of 4 matches in \"{file}\" are damaged, the first one: match broken");
    assert!(ran.stderr.starts_with(&start), "{ran:?}");

    let ran = finish(command(["store", "check", &file, "--json"]), "");
    assert_eq!(ran.status, Some(1));
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["damaged_matches"][1]["match"], "illegal");
    assert_eq!(report["damage"], json!([]));

    // A backup has them too, and says so.
    let copy = scratch.path("copy.db");
    let ran = finish(command(["store", "backup", &file, &copy]), "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert_eq!(
        ran.stdout,
        format!("Backed up 4 matches (12 entries) to \"{copy}\"\n")
    );
}

/// Whoever restores a store as the superuser doesn't take it away from the server.
#[cfg(unix)]
#[test]
fn a_restored_store_belongs_to_whom_it_did() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    let scratch = Scratch::new("store_owner");
    let (file, copy) = (scratch.path("matches.db"), scratch.path("copy.db"));
    create(&file);
    run(["store", "backup", &file, &copy], "");
    set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    // Only the superuser can.
    let _ = chown(&file, Some(12_345), Some(12_345));
    let about = || {
        let about = metadata(&file).unwrap();
        (about.mode() & 0o777, about.uid(), about.gid())
    };
    let before = about();
    run(["store", "restore", &copy, &file, "--force"], "");
    assert_eq!(about(), before);
    assert_eq!(before.0, 0o600);
}

#[test]
fn a_backup_is_restored() {
    let scratch = Scratch::new("store_backup");
    let (file, copy) = (scratch.path("matches.db"), scratch.path("copy.db"));
    create(&file);
    let log = SqliteLog::open(&file).unwrap();
    append(&log, &[("three", &ENTRIES[..1])]);
    let text = run(["store", "backup", &file, &copy], "");
    assert_eq!(
        text,
        format!("Backed up 3 matches (8 entries) to \"{copy}\"\n")
    );
    append(&log, &[("four", &ENTRIES)]);
    refused(
        &["store", "backup", &file, &copy],
        1,
        &format!("\"{copy}\" exists already; replace it with --force"),
    );
    let text = run(["store", "backup", "--force", &file, &copy], "");
    assert_eq!(
        text,
        format!("Backed up 4 matches (12 entries) to \"{copy}\"\n")
    );

    append(&log, &[("five", &ENTRIES)]);
    refused(
        &["store", "restore", &copy, &file],
        1,
        &format!("\"{file}\" exists already; replace it with --force"),
    );
    refused(
        &["store", "restore", &copy, &file, "--force"],
        1,
        &format!("{file} is in use by another server"),
    );
    drop(log);
    let text = loop {
        let ran = finish(command(["store", "restore", &copy, &file, "--force"]), "");
        // As in `open`.
        if !ran.stderr.contains("is in use") {
            assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
            break ran.stdout;
        }
    };
    assert_eq!(
        text,
        format!("Restored 4 matches (12 entries) to \"{file}\"\n")
    );
    let text = run(["store", "check", &file], "");
    assert!(
        text.contains("4 matches (12 entries), and no damage"),
        "{text}"
    );
    // A server can open it.
    SqliteLog::open(&file).unwrap();
}

#[test]
fn files_that_are_not_stores() {
    let scratch = Scratch::new("store_not");
    let (file, copy) = (scratch.path("letter.db"), scratch.path("copy.db"));
    fs::write(&file, "Dear Ann, this is no store.\n".repeat(100)).unwrap();
    let damaged = format!("{file} is damaged: file is not a database");
    refused(&["store", "check", &file], 1, &damaged);
    refused(&["store", "backup", &file, &copy], 1, &damaged);
    refused(&["store", "restore", &file, &copy], 1, &damaged);
    let missing = scratch.path("no.db");
    let ran = finish(command(["store", "check", &missing]), "");
    assert_eq!(ran.status, Some(1));
    check_one_sentence(&ran.stderr);
    assert!(ran.stderr.contains("no.db cannot be opened"), "{ran:?}");
    assert!(!fs::exists(&missing).unwrap() && !fs::exists(&copy).unwrap());
}

#[test]
fn wrong_usage() {
    refused(
        &["store"],
        2,
        "store needs a command: check, backup, restore (see open_ttt store --help)",
    );
    refused(
        &["store", "mend"],
        2,
        "\"mend\" isn't a command; the commands are check, backup, restore (see open_ttt store --help)",
    );
    refused(
        &["store", "check"],
        2,
        "check needs <FILE> (see open_ttt store check --help)",
    );
    refused(
        &["store", "backup", "a.db", "b.db", "--json"],
        2,
        "backup doesn't accept \"--json\"; its options are --force (see open_ttt store backup --help)",
    );
}
