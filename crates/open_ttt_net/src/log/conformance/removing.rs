use bytes::Bytes;

use super::{AppendError, Handles, entries, fill, handle, match_id, text, texts};
use crate::MatchId;
use crate::replication::Sequence;

/// Matches are listed in the order of their ids, in pages of any length, with
/// any start.
pub async fn listing(handles: &Handles) {
    let mut ids = ["list", "List", "LIST", "list-", "list_", "list0", "listing"].map(match_id);
    for (length, id) in ids.iter().enumerate() {
        fill(handles, id, 1..=length as u64 % 3 + 1).await;
    }
    ids.sort_unstable();
    for turn in 0..handles.len() {
        let all = all_matches(handles, turn, usize::MAX).await;
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(all, sorted, "in the order of the ids, each once");
        for id in &ids {
            assert!(all.contains(id), "{id} exists");
        }
        for limit in [1, 2, 3, 1000] {
            let pages = all_matches(handles, turn, limit).await;
            assert_eq!(pages, all, "in pages of {limit}");
        }
        let log = handle(handles, turn);
        assert_eq!(log.matches(None, 0).await, Ok(Vec::new()), "no more than 0");
        // Behind an id that does not exist.
        let after = match_id("list-none");
        let behind = log.matches(Some(&after), usize::MAX).await;
        let expected = all.iter().filter(|&id| *id > after).cloned().collect();
        assert_eq!(behind, Ok(expected), "behind {after}");
    }
}

/// A removed match has neither entries nor a notice, and is not listed; all
/// other matches stay as they are. It can be created again.
pub async fn removing(handles: &Handles) {
    const ROUNDS: u64 = 30;
    let id = |round: u64| match_id(&format!("removing-{round}"));
    let length = |round: u64| round % 4 + 1;
    let kept = match_id("removing-none");
    let log = |turn: u64| handle(handles, turn as usize);
    for round in 0..ROUNDS {
        fill(handles, &id(round), 1..=length(round)).await;
        // Of matches created before, after and at the same time.
        let last = Sequence::new(round);
        let kept_entry = text(&kept, round + 1);
        assert_eq!(
            log(round).append(&kept, last, kept_entry).await,
            Ok(()),
            "behind {last}"
        );
        if round % 3 == 2 {
            for removed in [round, round - 2] {
                let notice = Some(Bytes::from_static(b"removed"));
                let set = log(round).set_notice(&id(removed), notice).await;
                assert_eq!(set, Ok(()));
                let result = log(round + 1).remove(&id(removed)).await;
                assert_eq!(result, Ok(()), "removing {}", id(removed));
                is_gone(handles, &id(removed), length(removed)).await;
            }
        }
    }
    for round in 0..ROUNDS {
        let turn = round as usize;
        let expected = texts(&id(round), 1..=length(round));
        if round % 3 == 1 {
            assert_eq!(entries(handles, turn, &id(round)).await, expected, "kept");
            continue;
        }
        is_gone(handles, &id(round), length(round)).await;
        // Removing it again succeeds.
        assert_eq!(log(round).remove(&id(round)).await, Ok(()));
        fill(handles, &id(round), 1..=1).await;
        let again = entries(handles, turn, &id(round)).await;
        assert_eq!(again, expected[..1], "created again");
        let last = log(round + 1).last(&id(round)).await;
        let first = Some((Sequence::new(1), expected[0].clone()));
        assert_eq!(last, Ok(first), "the last of one created again");
    }
    assert_eq!(
        entries(handles, 0, &kept).await,
        texts(&kept, 1..=ROUNDS),
        "of a match that was never removed"
    );
    let nobody = match_id("removing-nobody");
    assert_eq!(log(0).remove(&nobody).await, Ok(()), "no such match");
}

async fn is_gone(handles: &Handles, id: &MatchId, length: u64) {
    for (turn, log) in handles.iter().enumerate() {
        assert_eq!(entries(handles, turn, id).await, Vec::<Bytes>::new());
        assert_eq!(log.last(id).await, Ok(None), "the last of {id}");
        let notices = log.notices(usize::MAX).await.expect("notices");
        assert!(notices.iter().all(|(of, _)| of != id), "a notice of {id}");
        let matches = all_matches(handles, turn, usize::MAX).await;
        assert!(!matches.contains(id), "{id} is listed");
        let late = log.append(id, Sequence::new(length), Bytes::new()).await;
        assert_eq!(late, Err(AppendError::Conflict), "behind the last of {id}");
    }
}

/// All matches, fetched in pages.
async fn all_matches(handles: &Handles, turn: usize, limit: usize) -> Vec<MatchId> {
    let log = handle(handles, turn);
    let mut all = Vec::new();
    loop {
        let page = log.matches(all.last(), limit).await.expect("matches");
        assert!(page.len() <= limit, "{} matches in a page", page.len());
        let Some(first) = page.first() else {
            return all;
        };
        assert!(all.last() < Some(first), "{first} is not behind the start");
        all.extend(page);
    }
}
