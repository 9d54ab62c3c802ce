use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use open_ttt_lib::random::Rng;
use tokio::task::JoinSet;

use super::{
    AppendError, Handles, MAX_ENTRY, entries, fill, guarded, handle, match_id, random_bytes, text,
    texts,
};
use crate::replication::Sequence;

/// Entries of 0 to [`MAX_ENTRY`] arbitrary bytes are read as they were written.
/// Longer ones are refused and not stored.
pub async fn bytes(handles: &Handles) {
    let id = match_id("bytes");
    let mut rng = Rng::new(4);
    let mut written = vec![
        Bytes::new(),
        (0..=u8::MAX).collect(),
        Bytes::from_static(b"'); DROP TABLE entries; --\r\n+OK\0"),
        random_bytes(&mut rng, MAX_ENTRY),
    ];
    for _ in 0..40 {
        let length = rng.below(MAX_ENTRY + 1);
        written.push(random_bytes(&mut rng, length));
    }
    for (number, entry) in written.iter().enumerate() {
        let last = Sequence::new(number as u64);
        let too_long = Bytes::from(vec![7; MAX_ENTRY + 1 + number]);
        let refused = handle(handles, number).append(&id, last, too_long).await;
        assert!(
            matches!(refused, Err(AppendError::Refused(_))),
            "{} bytes exceed the maximum: {refused:?}",
            MAX_ENTRY + 1 + number
        );
        let appended = handle(handles, number)
            .append(&id, last, entry.clone())
            .await;
        assert_eq!(appended, Ok(()), "{} bytes as an entry", entry.len());
    }
    assert_eq!(entries(handles, 0, &id).await, written, "read as written");
}

/// An append at a position that is taken, or whose predecessor is missing, is a
/// conflict and changes nothing.
pub async fn conflicts(handles: &Handles) {
    let id = match_id("conflicts");
    let conflict = async |turn: usize, last: u64, why: &str| {
        let entry = Bytes::from_static(b"at the wrong position");
        let log = handle(handles, turn);
        let result = log.append(&id, Sequence::new(last), entry).await;
        assert_eq!(result, Err(AppendError::Conflict), "behind {last}: {why}");
    };
    for last in [1, 2, 1_000_000, u64::MAX - 1, u64::MAX] {
        conflict(0, last, "the match does not exist").await;
    }
    for length in 1..=5 {
        let last = Sequence::new(length - 1);
        let log = handle(handles, length as usize);
        let result = log.append(&id, last, text(&id, length)).await;
        assert_eq!(result, Ok(()), "behind {last}, the last one");
        for turn in 0..handles.len() {
            for before in 0..length {
                conflict(turn, before, "the position is taken").await;
            }
            for missing in [length + 1, length + 2, u64::MAX] {
                conflict(turn, missing, "the predecessor is missing").await;
            }
        }
    }
    let written = entries(handles, 0, &id).await;
    assert_eq!(written, texts(&id, 1..=5), "conflicts store nothing");
}

/// A read returns the requested range and every acknowledged entry, through any
/// handle. Reading does not create a match.
pub async fn reading(handles: &Handles) {
    const LENGTH: u64 = 150;
    let id = match_id("reading");
    assert_eq!(entries(handles, 0, &id).await, Vec::<Bytes>::new());
    assert_eq!(handle(handles, 1).last(&id).await, Ok(None));
    for number in 1..=LENGTH {
        let writer = handle(handles, number as usize);
        let last = Sequence::new(number - 1);
        let result = writer.append(&id, last, text(&id, number)).await;
        assert_eq!(result, Ok(()), "behind {last}");
        let reader = handle(handles, number as usize + 1);
        assert_eq!(
            reader.read(&id, last, 5).await,
            Ok(vec![text(&id, number)]),
            "entry {number} was acknowledged before"
        );
        let end = Some((Sequence::new(number), text(&id, number)));
        assert_eq!(
            reader.last(&id).await,
            Ok(end),
            "the last is entry {number}"
        );
    }
    for (turn, after) in [0, 1, 2, 70, LENGTH - 1, LENGTH, LENGTH + 1, u64::MAX]
        .into_iter()
        .enumerate()
    {
        for limit in [0, 1, 2, 64, 1000, usize::MAX] {
            let mut expected = texts(&id, after.saturating_add(1)..=LENGTH);
            expected.truncate(limit);
            let read = handle(handles, turn).read(&id, Sequence::new(after), limit);
            assert_eq!(read.await, Ok(expected), "behind {after}, at most {limit}");
        }
    }
}

/// Matches with similar identifiers do not interfere.
pub async fn names(handles: &Handles) {
    let longest = "x".repeat(31);
    let ids: Vec<_> = [
        "a", "A", "aa", "aA", "Aa", "AA", "a-", "-a", "-", "--", "_", "a_", "a0", "a00", "0", "00",
        "a1", "a10", "1e1", "10", "null", "NULL", "match", "CON",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([format!("{longest}y"), format!("{longest}Y"), longest])
    .map(|text| match_id(&text))
    .collect();
    for (length, id) in ids.iter().enumerate() {
        fill(handles, id, 1..=length as u64 % 4).await;
    }
    for (length, id) in ids.iter().enumerate() {
        let written = entries(handles, length, id).await;
        assert_eq!(written, texts(id, 1..=length as u64 % 4), "of {id}");
    }
}

/// Of concurrent appends at one position exactly one succeeds, the others have
/// a conflict, and the winner's entry is stored.
pub async fn racing_writers(handles: &Handles) {
    const PLACES: u64 = 40;
    const WRITERS: usize = 12;
    let id = match_id("racing");
    for place in 0..PLACES {
        let mut race = JoinSet::new();
        for writer in 0..WRITERS {
            let log = Arc::clone(handle(handles, writer));
            let id = id.clone();
            race.spawn(async move {
                let entry = Bytes::from(format!("{place} by {writer}"));
                let result = log.append(&id, Sequence::new(place), entry.clone()).await;
                (result, entry)
            });
        }
        let mut winners = Vec::new();
        for (result, entry) in race.join_all().await {
            match result {
                Ok(()) => winners.push(entry),
                Err(AppendError::Conflict) => {}
                Err(error) => panic!("neither success nor conflict: {error}"),
            }
        }
        assert_eq!(winners.len(), 1, "winners behind {place}: {winners:?}");
        let log = handle(handles, place as usize);
        let read = log.read(&id, Sequence::new(place), usize::MAX).await;
        assert_eq!(read, Ok(winners), "the winner's entry is stored");
    }
}

/// An append completes even if its future is dropped.
pub async fn dropped_futures(handles: &Handles) {
    let id = match_id("dropped");
    let log = handle(handles, 0);
    for number in 1..=20 {
        // Polled once, then dropped.
        let append = log.append(&id, Sequence::new(number - 1), text(&id, number));
        let _ = append.now_or_never();
        let arrived = async {
            while entries(handles, 1, &id).await.len() < number as usize {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        guarded("an append whose future was dropped", arrived).await;
    }
    assert_eq!(entries(handles, 0, &id).await, texts(&id, 1..=20));
}
