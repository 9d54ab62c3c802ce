use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};

use super::{AppendError, Handles, MAX_ENTRY, fill, handle, id, sooner_or_later, text};
use crate::MatchId;
use crate::replication::Sequence;

/// Notices are put up, replaced and taken down, and read the latest first. The
/// store has no others.
///
/// # Panics
///
/// If a law is broken.
pub async fn notices(handles: &Handles) {
    let board = Board(handles);
    board.shows(&[]).await;
    board.post("a", Some("one")).await;
    board.post("A", Some("two")).await;
    board.post("aa", Some("")).await;
    board.shows(&[("aa", ""), ("A", "two"), ("a", "one")]).await;

    // Put up again, a notice is the latest, and the old one is gone.
    board.post("a", Some("three")).await;
    board
        .shows(&[("a", "three"), ("aa", ""), ("A", "two")])
        .await;

    // Taking down what is not there is no fault.
    board.post("aa", None).await;
    board.post("aa", None).await;
    board.post("nobody", None).await;
    board.shows(&[("a", "three"), ("A", "two")]).await;

    let too_long = Bytes::from(vec![b' '; MAX_ENTRY + 1]);
    let refused = handle(handles, 0)
        .set_notice(&id("a"), Some(too_long))
        .await;
    assert!(refused.is_err(), "a notice too long is refused");
    board.shows(&[("a", "three"), ("A", "two")]).await;

    let longest = "\u{1F3B2}".repeat(MAX_ENTRY / 4);
    board.post("a-", Some(&longest)).await;
    board
        .shows(&[("a-", &longest), ("a", "three"), ("A", "two")])
        .await;
    for taken in ["a", "A", "a-"] {
        board.post(taken, None).await;
    }
    board.shows(&[]).await;
}

/// A store says that it is well; closed, it does what it was asked before and
/// refuses everything else, and watching ends. It cannot be used afterwards.
///
/// # Panics
///
/// If a law is broken.
pub async fn closing(handles: &Handles) {
    let of = id("closing");
    fill(handles, &of, 1).await;
    for log in handles {
        assert_eq!(log.check().await, Ok(()), "a store that is well");
    }
    for (turn, log) in handles.iter().enumerate() {
        let mut watching = log.watch(&of, Sequence::START);
        let first = sooner_or_later("what there is", watching.next()).await;
        assert_eq!(first, Some(Ok(text(&of, 1))));

        let new = id(&format!("closing-{turn}"));
        // Asked, and answered now or later.
        let mut pending = log.append(&new, Sequence::START, Bytes::new());
        let answered = (&mut pending).now_or_never();
        log.close().await;
        let pending = match answered {
            Some(answer) => answer,
            None => sooner_or_later("an append asked before", pending).await,
        };
        assert_eq!(pending, Ok(()), "asked before it was closed");
        log.close().await;

        let answer = log.append(&of, Sequence::new(1), text(&of, 2)).await;
        assert!(
            matches!(answer, Err(AppendError::Refused(_))),
            "a closed store takes no entry: {answer:?}"
        );
        let read = log.read(&of, Sequence::START, 1).await;
        assert!(read.is_err(), "a closed store is not read: {read:?}");
        let posted = log.set_notice(&of, None).await;
        assert!(posted.is_err(), "a closed store takes no notice");
        let notices = log.notices(1).await;
        assert!(notices.is_err(), "a closed store has no notices");
        assert!(log.check().await.is_err(), "a closed store is not well");

        let end = sooner_or_later("the end of watching", watching.next()).await;
        assert!(
            matches!(end, Some(Err(_))),
            "watching ends with an error: {end:?}"
        );
        let end = sooner_or_later("the end of the stream", watching.next()).await;
        assert_eq!(end, None, "nothing comes behind an error");
        let mut late = log.watch(&of, Sequence::START);
        let late = sooner_or_later("watching a closed store", late.next()).await;
        assert!(matches!(late, Some(Err(_))), "nothing to watch: {late:?}");
    }
}

/// What hangs in the lobby.
struct Board<'a>(&'a Handles);

impl Board<'_> {
    async fn post(&self, of: &str, notice: Option<&str>) {
        let bytes = notice.map(|notice| Bytes::from(notice.to_owned()));
        let posted = handle(self.0, of.len()).set_notice(&id(of), bytes).await;
        assert_eq!(posted, Ok(()), "{notice:?} about {of}");
    }

    async fn shows(&self, expected: &[(&str, &str)]) {
        let expected: Vec<(MatchId, Bytes)> = expected
            .iter()
            .map(|&(of, notice)| (id(of), Bytes::from(notice.to_owned())))
            .collect();
        for (turn, log) in self.0.iter().enumerate() {
            for limit in [0, 1, 2, usize::MAX] {
                let some = expected[..limit.min(expected.len())].to_vec();
                assert_eq!(
                    log.notices(limit).await,
                    Ok(some),
                    "notices, at most {limit}, by handle {turn}"
                );
            }
        }
    }
}
