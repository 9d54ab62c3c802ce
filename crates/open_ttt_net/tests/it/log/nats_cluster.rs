//! Three brokers of which some are killed, also the leader, while several
//! servers write at the same places.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use open_ttt_lib::random::Rng;
use open_ttt_net::MatchId;
use open_ttt_net::log::{AppendError, MatchLog, NatsLog, NatsOptions, conformance};
use open_ttt_net::replication::Sequence;

use super::nats::connect;
use super::nats_server::Server;

const MATCHES: usize = 3;

/// One that may go to any of them, beginning with this.
pub(crate) async fn connect_to(nodes: &[Server], first: usize) -> NatsLog {
    let urls: Vec<_> = (0..nodes.len())
        .map(|index| nodes[(first + index) % nodes.len()].url())
        .collect();
    connect(&NatsOptions::new(urls.join(","))).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn a_cluster_obeys_the_laws() {
    let nodes = Server::cluster(3);
    let mut handles: Vec<Arc<dyn MatchLog>> = Vec::new();
    for first in 0..3 {
        handles.push(Arc::new(connect_to(&nodes, first).await));
    }
    conformance::check_all(&handles).await;
}

/// What was acknowledged: by match and number, the entry.
type Acknowledged = Arc<Mutex<BTreeMap<(usize, u64), Bytes>>>;

fn id(number: usize) -> MatchId {
    format!("Match-{number}").parse().unwrap()
}

/// Appends behind what is there, against all the others, until it is told to
/// stop.
async fn write(
    log: Arc<NatsLog>,
    writer: usize,
    of: usize,
    stop: Arc<AtomicBool>,
    acknowledged: Acknowledged,
) {
    let mut last = 0;
    for attempt in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let entry = Bytes::from(format!("{of} {} by {writer}, try {attempt}", last + 1));
        let note = |number| {
            let before = acknowledged
                .lock()
                .unwrap()
                .insert((of, number), entry.clone());
            assert_eq!(before, None, "two were told they had {number} of {of}");
        };
        let answer = log
            .append(&id(of), Sequence::new(last), entry.clone())
            .await;
        match answer {
            Ok(()) => {
                note(last + 1);
                last += 1;
                // Lets the others have their turn.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Err(AppendError::Refused(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(error) => {
                // Reading on tells what stands there.
                let Ok(there) = log.read(&id(of), Sequence::new(last), 1000).await else {
                    continue;
                };
                if error != AppendError::Conflict && there.first() == Some(&entry) {
                    note(last + 1);
                }
                last += there.len() as u64;
            }
        }
    }
}

/// Reads until it works.
async fn all(log: &NatsLog, of: usize) -> Vec<Bytes> {
    for _ in 0..100 {
        if let Ok(entries) = log.read(&id(of), Sequence::START, usize::MAX).await {
            return entries;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{of} cannot be read");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn killed_brokers_lose_nothing_acknowledged() {
    let mut nodes = Server::cluster(3);
    let mut logs = Vec::new();
    for first in 0..3 {
        logs.push(Arc::new(connect_to(&nodes, first).await));
    }
    let urls: Vec<_> = nodes.iter().map(Server::url).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let acknowledged = Acknowledged::default();
    let writers: Vec<_> = (0..3 * MATCHES)
        .map(|writer| {
            let log = Arc::clone(&logs[writer % 3]);
            let (stop, acknowledged) = (Arc::clone(&stop), Arc::clone(&acknowledged));
            tokio::spawn(write(log, writer, writer / 3, stop, acknowledged))
        })
        .collect();
    let watchers: Vec<_> = (0..MATCHES)
        .map(|of| {
            let log = Arc::clone(&logs[of % 3]);
            let seen = Arc::new(Mutex::new(Vec::new()));
            let kept = Arc::clone(&seen);
            let task = tokio::spawn(async move {
                // After an error one watches anew from where one was.
                loop {
                    let last = Sequence::new(kept.lock().unwrap().len() as u64);
                    let mut entries = log.watch(&id(of), last);
                    while let Some(Ok(entry)) = entries.next().await {
                        kept.lock().unwrap().push(entry);
                    }
                }
            });
            (task, seen)
        })
        .collect();

    let mut rng = Rng::new(3);
    for round in 0..5 {
        goes_on(&acknowledged).await;
        let killed = if round % 2 == 0 {
            leader(&urls).await
        } else {
            rng.below(3)
        };
        nodes[killed].kill();
        tokio::time::sleep(Duration::from_millis(rng.below(3000) as u64)).await;
        nodes[killed].start();
    }
    goes_on(&acknowledged).await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let acknowledged = acknowledged.lock().unwrap().clone();

    for (of, (watcher, seen)) in watchers.into_iter().enumerate() {
        let entries = all(&logs[0], of).await;
        for log in &logs {
            assert_eq!(all(log, of).await, entries, "one truth for all");
        }
        let mut once = HashSet::new();
        for (entry, number) in entries.iter().zip(1_u64..) {
            let start = format!("{of} {number} by ");
            assert!(entry.starts_with(start.as_bytes()), "{start}: {entry:?}");
            assert!(once.insert(entry), "{entry:?} stands there twice");
        }
        for ((_, number), entry) in acknowledged.range((of, 0)..(of + 1, 0)) {
            let found = entries.get(*number as usize - 1);
            assert_eq!(found, Some(entry), "entry {number} of {of}");
        }
        // A watcher sees the same, a moment later.
        for _ in 0..400 {
            if seen.lock().unwrap().len() >= entries.len() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        watcher.abort();
        assert_eq!(*seen.lock().unwrap(), entries, "as watched");
    }
}

/// Waits until much more has been acknowledged, however long the cluster needs
/// to find a leader.
async fn goes_on(acknowledged: &Acknowledged) {
    let now = || acknowledged.lock().unwrap().len();
    let before = now();
    for _ in 0..1200 {
        if now() >= before + 50 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{before} entries, and in a minute {} more", now() - before);
}

/// Which node leads the stream of matches; any of them, while none does.
pub(crate) async fn leader(urls: &[String]) -> usize {
    let addresses: Vec<async_nats::ServerAddr> =
        urls.iter().map(|url| url.parse().unwrap()).collect();
    let client = async_nats::connect(addresses).await.unwrap();
    let context = async_nats::jetstream::new(client);
    let Ok(stream) = context.get_stream("open_ttt").await else {
        return 0;
    };
    let cluster = stream.cached_info().cluster.clone().unwrap();
    let leader = cluster.leader.unwrap_or_default();
    leader.trim_start_matches("node").parse().unwrap_or(0)
}
