//! Removal of matches from a file.

use std::fs;
use std::sync::Arc;

use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_net::MatchId;
use open_ttt_net::log::{AppendError, MAX_NOTICES, MatchLog, SqliteFile, SqliteLog};
use open_ttt_net::replication::Sequence;

use super::sqlite::{Folder, id};

/// Appends, removals and reads at random, each compared with a list in memory,
/// across index batches and restarts.
#[tokio::test]
async fn random_writes_and_removals_are_as_in_a_list() {
    const MATCHES: usize = 25;
    let folder = Folder::new();
    let mut rng = Rng::new(11);
    let mut expected = vec![Vec::<Bytes>::new(); MATCHES];
    let of = |number: usize| id(&format!("m{number}"));
    for _session in 0..3 {
        let log = SqliteLog::open(folder.file()).unwrap();
        for step in 0..1000 {
            let number = rng.below(MATCHES);
            // In one transaction with the appends, or not.
            let removing = (rng.below(40) == 0).then(|| {
                expected[number].clear();
                log.remove(&of(number))
            });
            // Several at once share a transaction.
            let several: Vec<_> = (0..=rng.below(3))
                .map(|more| (number + more) % MATCHES)
                .collect();
            let appends = several.iter().map(|&number| {
                let entry = Bytes::from(format!("{number} {step}"));
                let last = Sequence::new(expected[number].len() as u64);
                log.append(&of(number), last, entry)
            });
            for result in futures_util::future::join_all(appends).await {
                assert_eq!(result, Ok(()));
            }
            if let Some(removing) = removing {
                assert_eq!(removing.await, Ok(()));
            }
            for number in several {
                expected[number].push(Bytes::from(format!("{number} {step}")));
            }
            let last = Sequence::new(expected[number].len() as u64 + 1);
            let gap = log.append(&of(number), last, Bytes::new()).await;
            assert_eq!(gap, Err(AppendError::Conflict));
            let read = log.read(&of(number), Sequence::START, usize::MAX).await;
            assert_eq!(
                read.as_ref(),
                Ok(&expected[number]),
                "m{number}, step {step}"
            );
        }
        drop(log);
        let file = SqliteFile::open(folder.file()).unwrap();
        assert_eq!(file.check(), Ok(Vec::new()));
        for (number, expected) in expected.iter().enumerate() {
            assert_eq!(
                file.entries(&of(number)).as_ref(),
                Ok(expected),
                "m{number}"
            );
        }
    }
}

/// Plays matches of 30 entries at once, and removes those of the round before.
async fn round(log: &Arc<SqliteLog>, round: u64) {
    const MATCHES: u64 = 60;
    let of = |round: u64, number: u64| -> MatchId { id(&format!("round-{round}-{number}")) };
    let playing = (0..MATCHES).map(|number| async move {
        let of = of(round, number);
        for last in 0..30 {
            let entry = Bytes::from(vec![b'x'; 90]);
            log.append(&of, Sequence::new(last), entry).await.unwrap();
        }
        log.set_notice(&of, Some("listed".into())).await.unwrap();
    });
    futures_util::future::join_all(playing).await;
    if round > 0 {
        let removing = (0..MATCHES).map(|number| async move {
            log.remove(&of(round - 1, number)).await.unwrap();
        });
        futures_util::future::join_all(removing).await;
    }
}

#[tokio::test]
async fn the_space_of_removed_matches_is_used_again() {
    let folder = Folder::new();
    let mut sizes = Vec::new();
    for session in 0..4 {
        let log = Arc::new(SqliteLog::open(folder.file()).unwrap());
        for number in 0..10 {
            round(&log, session * 10 + number).await;
        }
        drop(log);
        sizes.push(fs::metadata(folder.file()).unwrap().len());
    }
    // Without reuse each session adds as much as the first.
    assert!(sizes[3] <= sizes[0] * 5 / 4, "{sizes:?}");
}

#[tokio::test]
async fn old_notices_are_dropped() {
    let folder = Folder::new();
    let log = SqliteLog::open(folder.file()).unwrap();
    let notices = (0..MAX_NOTICES + 50)
        .map(|number| log.set_notice(&id(&format!("n{number}")), Some(Bytes::new())));
    for set in futures_util::future::join_all(notices).await {
        assert_eq!(set, Ok(()));
    }
    let kept = log.notices(usize::MAX).await.unwrap();
    assert_eq!(kept.len(), MAX_NOTICES);
    assert_eq!(kept[0].0, id(&format!("n{}", MAX_NOTICES + 49)));
    assert_eq!(kept[MAX_NOTICES - 1].0, id("n50"));
}
