use core::time::Duration;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::task::JoinHandle;

use super::{Handles, MatchLog, fill, handle, id, sooner_or_later, text};
use crate::MatchId;
use crate::log::LogError;
use crate::replication::Sequence;

/// Watching tells each entry of one match once, in order and without gaps,
/// those there are and those that come, to everybody who watches, from wherever
/// they begin, while others watch and write.
///
/// # Panics
///
/// If a law is broken.
pub async fn watching(handles: &Handles) {
    const BEFORE: u64 = 70;
    const AFTERWARDS: u64 = 70;
    let (of, other) = (id("watching"), id("Watching"));

    // Begun before there is an entry, and left at once: harmless.
    drop(handle(handles, 0).watch(&of, Sequence::START));
    let early = spawn(handles, 0, &of, 0, BEFORE + AFTERWARDS);
    let mut elsewhere = spawn(handles, 1, &other, 0, 3);
    fill(handles, &of, BEFORE).await;

    let places = [
        0,
        1,
        BEFORE / 2,
        BEFORE - 1,
        BEFORE,
        BEFORE + 1,
        BEFORE + 30,
    ];
    let mut watchers: Vec<_> = (0..handles.len() * 2)
        .flat_map(|turn| places.map(|after| (turn, after)))
        .map(|(turn, after)| spawn(handles, turn, &of, after, BEFORE + AFTERWARDS))
        .collect();
    watchers.push(early);
    fill_from(handles, &of, BEFORE + 1, BEFORE + AFTERWARDS).await;
    for watcher in watchers {
        watcher.await.expect("a watcher that sees what it must");
    }

    // Whoever watches another match has heard nothing of all this.
    let unheard = tokio::time::timeout(Duration::ZERO, &mut elsewhere).await;
    assert!(unheard.is_err(), "an entry of another match was told");
    fill(handles, &other, 3).await;
    elsewhere.await.expect("a watcher of another match");

    // After the end there is silence until there is more.
    let mut silent = handle(handles, 0).watch(&of, Sequence::new(BEFORE + AFTERWARDS));
    for number in BEFORE + AFTERWARDS + 1..=BEFORE + AFTERWARDS + 5 {
        fill_from(handles, &of, number, number).await;
        expect(&mut silent, &of, number).await;
    }
}

/// Expects the entries behind `after` up to the one numbered `last`.
fn spawn(handles: &Handles, turn: usize, of: &MatchId, after: u64, last: u64) -> JoinHandle<()> {
    let log: Arc<dyn MatchLog> = Arc::clone(handle(handles, turn));
    let of = of.clone();
    tokio::spawn(async move {
        let mut entries = log.watch(&of, Sequence::new(after));
        for number in after + 1..=last {
            expect(&mut entries, &of, number).await;
        }
    })
}

type Entries = BoxStream<'static, Result<Bytes, LogError>>;

async fn expect(entries: &mut Entries, of: &MatchId, number: u64) {
    let entry = sooner_or_later("the next entry", entries.next()).await;
    assert_eq!(
        entry,
        Some(Ok(text(of, number))),
        "entry {number} of {of} is the next"
    );
}

async fn fill_from(handles: &Handles, of: &MatchId, first: u64, last: u64) {
    for number in first..=last {
        let answer = handle(handles, number as usize)
            .append(of, Sequence::new(number - 1), text(of, number))
            .await;
        assert_eq!(answer, Ok(()), "entry {number} of {of}");
    }
}
