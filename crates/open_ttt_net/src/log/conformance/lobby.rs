use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};

use super::{AppendError, Handles, MAX_ENTRY, fill, guarded, handle, match_id, text};
use crate::MatchId;
use crate::replication::Sequence;

/// Notices are set, replaced and removed, and read with the latest first. The
/// store must have no other notices.
pub async fn notices(handles: &Handles) {
    let board = Board(handles);
    board.shows(&[]).await;
    board.set("a", Some("one")).await;
    board.set("A", Some("two")).await;
    board.set("aa", Some("")).await;
    board.shows(&[("aa", ""), ("A", "two"), ("a", "one")]).await;

    // A replaced notice is the latest.
    board.set("a", Some("three")).await;
    board
        .shows(&[("a", "three"), ("aa", ""), ("A", "two")])
        .await;

    // Removing a notice that does not exist succeeds.
    board.set("aa", None).await;
    board.set("aa", None).await;
    board.set("nobody", None).await;
    board.shows(&[("a", "three"), ("A", "two")]).await;

    let too_long = Bytes::from(vec![b' '; MAX_ENTRY + 1]);
    let refused = handle(handles, 0)
        .set_notice(&match_id("a"), Some(too_long))
        .await;
    assert!(refused.is_err(), "a notice that is too long is refused");
    board.shows(&[("a", "three"), ("A", "two")]).await;

    let longest = "\u{1F3B2}".repeat(MAX_ENTRY / 4);
    board.set("a-", Some(&longest)).await;
    board
        .shows(&[("a-", &longest), ("a", "three"), ("A", "two")])
        .await;
    for taken in ["a", "A", "a-"] {
        board.set(taken, None).await;
    }
    board.shows(&[]).await;
}

/// A closed store completes earlier operations and refuses later ones, and
/// watching ends. The store is closed afterwards.
pub async fn closing(handles: &Handles) {
    let id = match_id("closing");
    fill(handles, &id, 1..=1).await;
    for log in handles {
        assert_eq!(log.check().await, Ok(()), "an open store");
    }
    for (turn, log) in handles.iter().enumerate() {
        let mut watching = log.watch(&id, Sequence::START);
        let first = guarded("the existing entry", watching.next()).await;
        assert_eq!(first, Some(Ok(text(&id, 1))));

        let new = match_id(&format!("closing-{turn}"));
        // Started before the store is closed.
        let mut pending = log.append(&new, Sequence::START, Bytes::new());
        let early_result = (&mut pending).now_or_never();
        log.close().await;
        let pending = match early_result {
            Some(result) => result,
            None => guarded("the append before closing", pending).await,
        };
        assert_eq!(pending, Ok(()), "started before the store was closed");
        log.close().await;

        let result = log.append(&id, Sequence::new(1), text(&id, 2)).await;
        assert!(
            matches!(result, Err(AppendError::Refused(_))),
            "a closed store takes no entry: {result:?}"
        );
        let read = log.read(&id, Sequence::START, 1).await;
        read.expect_err("a closed store is not read");
        let set = log.set_notice(&id, None).await;
        set.expect_err("a closed store takes no notice");
        let matches = log.matches(None, 1).await;
        matches.expect_err("a closed store lists no matches");
        let removed = log.remove(&id).await;
        removed.expect_err("a closed store removes nothing");
        let notices = log.notices(1).await;
        notices.expect_err("a closed store has no notices");
        let check = log.check().await;
        check.expect_err("a closed store fails its check");

        let end = guarded("the end of watching", watching.next()).await;
        let end = end.expect("watching ends with an error");
        end.expect_err("watching ends with an error");
        let end = guarded("the end of the stream", watching.next()).await;
        assert_eq!(end, None, "the stream ends after an error");
        let mut late = log.watch(&id, Sequence::START);
        let late = guarded("watching a closed store", late.next()).await;
        let late = late.expect("a closed store is not watched");
        late.expect_err("a closed store is not watched");
    }
}

/// The notices of a store.
struct Board<'a>(&'a Handles);

impl Board<'_> {
    async fn set(&self, id: &str, notice: Option<&str>) {
        let bytes = notice.map(|notice| Bytes::from(notice.to_owned()));
        let set = handle(self.0, id.len())
            .set_notice(&match_id(id), bytes)
            .await;
        assert_eq!(set, Ok(()), "set {notice:?} for {id}");
    }

    async fn shows(&self, expected: &[(&str, &str)]) {
        let expected: Vec<(MatchId, Bytes)> = expected
            .iter()
            .map(|&(id, notice)| (match_id(id), Bytes::from(notice.to_owned())))
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
