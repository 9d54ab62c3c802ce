use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use open_ttt_lib::random::Rng;
use tokio::task::JoinSet;

use super::{
    AppendError, Handles, MAX_ENTRY, entries, fill, handle, id, noise, sooner_or_later, text,
};
use crate::replication::Sequence;

/// Whatever bytes an entry is, none to [`MAX_ENTRY`] of them, it is read as it
/// was written; a longer one is refused and leaves no trace.
///
/// # Panics
///
/// If a law is broken.
pub async fn bytes(handles: &Handles) {
    let of = id("bytes");
    let mut rng = Rng::new(4);
    let mut written = vec![
        Bytes::new(),
        (0..=u8::MAX).collect(),
        Bytes::from_static(b"'); DROP TABLE entries; --\r\n+OK\0"),
        noise(&mut rng, MAX_ENTRY),
    ];
    for _ in 0..40 {
        let length = rng.below(MAX_ENTRY + 1);
        written.push(noise(&mut rng, length));
    }
    for (number, entry) in written.iter().enumerate() {
        let last = Sequence::new(number as u64);
        let too_long = Bytes::from(vec![7; MAX_ENTRY + 1 + number]);
        let refused = handle(handles, number).append(&of, last, too_long).await;
        assert!(
            matches!(refused, Err(AppendError::Refused(_))),
            "{} bytes are more than a store takes: {refused:?}",
            MAX_ENTRY + 1 + number
        );
        let appended = handle(handles, number)
            .append(&of, last, entry.clone())
            .await;
        assert_eq!(appended, Ok(()), "{} bytes as an entry", entry.len());
    }
    assert_eq!(entries(handles, 0, &of).await, written, "read as written");
}

/// An entry stands only behind the last one: where another stands already, or
/// the one before is missing, there is a conflict, which changes nothing.
///
/// # Panics
///
/// If a law is broken.
pub async fn conflicts(handles: &Handles) {
    let of = id("conflicts");
    let conflict = async |turn: usize, last: u64, why: &str| {
        let entry = Bytes::from_static(b"in the wrong place");
        let answer = handle(handles, turn)
            .append(&of, Sequence::new(last), entry)
            .await;
        assert_eq!(answer, Err(AppendError::Conflict), "behind {last}: {why}");
    };
    for last in [1, 2, 1_000_000, u64::MAX - 1, u64::MAX] {
        conflict(0, last, "the match has not begun").await;
    }
    for length in 1..=5 {
        let last = Sequence::new(length - 1);
        let answer = handle(handles, length as usize)
            .append(&of, last, text(&of, length))
            .await;
        assert_eq!(answer, Ok(()), "behind {last}, the last one");
        for turn in 0..handles.len() {
            for before in 0..length {
                conflict(turn, before, "another entry stands there").await;
            }
            for missing in [length + 1, length + 2, u64::MAX] {
                conflict(turn, missing, "the one before it is missing").await;
            }
        }
    }
    let written: Vec<_> = (1..=5).map(|number| text(&of, number)).collect();
    assert_eq!(entries(handles, 0, &of).await, written, "no conflict adds");
}

/// A part is read as asked for; what was acknowledged before is seen, through
/// whichever handle; reading does not begin a match.
///
/// # Panics
///
/// If a law is broken.
pub async fn reading(handles: &Handles) {
    const LENGTH: u64 = 150;
    let of = id("reading");
    assert_eq!(entries(handles, 0, &of).await, Vec::<Bytes>::new());
    for number in 1..=LENGTH {
        let writer = handle(handles, number as usize);
        let last = Sequence::new(number - 1);
        let answer = writer.append(&of, last, text(&of, number)).await;
        assert_eq!(answer, Ok(()), "behind {last}");
        let reader = handle(handles, number as usize + 1);
        assert_eq!(
            reader.read(&of, last, 5).await,
            Ok(vec![text(&of, number)]),
            "entry {number} was acknowledged before"
        );
    }
    for (turn, after) in [0, 1, 2, 70, LENGTH - 1, LENGTH, LENGTH + 1, u64::MAX]
        .into_iter()
        .enumerate()
    {
        for limit in [0, 1, 2, 64, 1000, usize::MAX] {
            let expected: Vec<_> = (1..=LENGTH)
                .filter(|&number| number > after)
                .take(limit)
                .map(|number| text(&of, number))
                .collect();
            assert_eq!(
                handle(handles, turn)
                    .read(&of, Sequence::new(after), limit)
                    .await,
                Ok(expected),
                "behind {after}, at most {limit}"
            );
        }
    }
}

/// Matches do not mix, however alike their names look.
///
/// # Panics
///
/// If a law is broken.
pub async fn names(handles: &Handles) {
    let longest = "x".repeat(31);
    let ids: Vec<_> = [
        "a", "A", "aa", "aA", "Aa", "AA", "a-", "-a", "-", "--", "_", "a_", "a0", "a00", "0", "00",
        "a1", "a10", "1e1", "10", "null", "NULL", "match", "CON",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain([format!("{longest}y"), format!("{longest}Y"), longest])
    .map(|text| id(&text))
    .collect();
    for (length, of) in ids.iter().enumerate() {
        fill(handles, of, length as u64 % 4).await;
    }
    for (length, of) in ids.iter().enumerate() {
        let expected: Vec<_> = (1..=length as u64 % 4)
            .map(|number| text(of, number))
            .collect();
        assert_eq!(entries(handles, length, of).await, expected, "of {of}");
    }
}

/// Of those who append at one place at the same time, exactly one succeeds, the
/// others have a conflict, and what is read is what has won.
///
/// # Panics
///
/// If a law is broken.
pub async fn racing_writers(handles: &Handles) {
    const PLACES: u64 = 40;
    const WRITERS: usize = 12;
    let of = id("racing");
    for place in 0..PLACES {
        let mut race = JoinSet::new();
        for writer in 0..WRITERS {
            let log = Arc::clone(handle(handles, writer));
            let of = of.clone();
            race.spawn(async move {
                let entry = Bytes::from(format!("{place} by {writer}"));
                let answer = log.append(&of, Sequence::new(place), entry.clone()).await;
                (answer, entry)
            });
        }
        let mut winners = Vec::new();
        for (answer, entry) in race.join_all().await {
            match answer {
                Ok(()) => winners.push(entry),
                Err(AppendError::Conflict) => {}
                Err(error) => panic!("a race ends in Ok or a conflict: {error}"),
            }
        }
        assert_eq!(winners.len(), 1, "winners behind {place}: {winners:?}");
        let read = handle(handles, place as usize)
            .read(&of, Sequence::new(place), usize::MAX)
            .await;
        assert_eq!(read, Ok(winners), "what has won is what is read");
    }
}

/// What was asked for is done, also where nobody waits for the answer.
///
/// # Panics
///
/// If a law is broken.
pub async fn dropped_futures(handles: &Handles) {
    let of = id("dropped");
    let log = handle(handles, 0);
    for number in 1..=20 {
        // Asked once, and left.
        let append = log.append(&of, Sequence::new(number - 1), text(&of, number));
        let _ = append.now_or_never();
        let arrived = async {
            while entries(handles, 1, &of).await.len() < number as usize {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        sooner_or_later("an append nobody waits for", arrived).await;
    }
    let written: Vec<_> = (1..=20).map(|number| text(&of, number)).collect();
    assert_eq!(entries(handles, 0, &of).await, written);
}
