use core::time::Duration;
use std::sync::Arc;

use futures_util::StreamExt;
use tokio::task::JoinHandle;

use super::{Handles, MatchLog, fill, guarded, handle, match_id, text};
use crate::MatchId;
use crate::log::LogStream;
use crate::replication::Sequence;

/// Each watcher receives every entry of its match once, in order and without
/// gaps, existing and new ones, from any start, under concurrent watching and
/// writing.
pub async fn watching(handles: &Handles) {
    const EXISTING: u64 = 70;
    const NEW: u64 = 70;
    let (id, other) = (match_id("watching"), match_id("Watching"));

    // A watcher that is dropped before the first entry does no harm.
    drop(handle(handles, 0).watch(&id, Sequence::START));
    let early = spawn(handles, 0, &id, 0, EXISTING + NEW);
    let mut elsewhere = spawn(handles, 1, &other, 0, 3);
    fill(handles, &id, 1..=EXISTING).await;

    let places = [
        0,
        1,
        EXISTING / 2,
        EXISTING - 1,
        EXISTING,
        EXISTING + 1,
        EXISTING + 30,
    ];
    let mut watchers: Vec<_> = (0..handles.len() * 2)
        .flat_map(|turn| places.map(|after| (turn, after)))
        .map(|(turn, after)| spawn(handles, turn, &id, after, EXISTING + NEW))
        .collect();
    watchers.push(early);
    fill(handles, &id, EXISTING + 1..=EXISTING + NEW).await;
    for watcher in watchers {
        watcher.await.expect("a watcher that receives its entries");
    }

    // The watcher of another match has received nothing.
    let ended = tokio::time::timeout(Duration::ZERO, &mut elsewhere).await;
    assert!(ended.is_err(), "received an entry of another match");
    fill(handles, &other, 1..=3).await;
    elsewhere.await.expect("a watcher of another match");

    // A watcher that starts at the end waits for new entries.
    let mut waiting = handle(handles, 0).watch(&id, Sequence::new(EXISTING + NEW));
    for number in EXISTING + NEW + 1..=EXISTING + NEW + 5 {
        fill(handles, &id, number..=number).await;
        expect(&mut waiting, &id, number).await;
    }
}

/// A task that expects the entries behind `after` up to `last`.
fn spawn(handles: &Handles, turn: usize, id: &MatchId, after: u64, last: u64) -> JoinHandle<()> {
    let log: Arc<dyn MatchLog> = Arc::clone(handle(handles, turn));
    let id = id.clone();
    tokio::spawn(async move {
        let mut entries = log.watch(&id, Sequence::new(after));
        for number in after + 1..=last {
            expect(&mut entries, &id, number).await;
        }
    })
}

async fn expect(entries: &mut LogStream, id: &MatchId, number: u64) {
    let entry = guarded("the next entry", entries.next()).await;
    assert_eq!(
        entry,
        Some(Ok(text(id, number))),
        "entry {number} of {id} is the next"
    );
}
