//! A cluster of three brokers. Some are killed, the leader too, while several
//! stores append at the same positions.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use open_ttt_lib::random::Rng;
use open_ttt_net::MatchId;
use open_ttt_net::log::{AppendError, MatchLog, NatsLog, NatsOptions, conformance};
use open_ttt_net::replication::Sequence;

use super::nats::{connect, patient};
use super::nats_server::Server;
use crate::waiting::eventually;

const MATCHES: usize = 3;

/// The addresses of all nodes, `first` first.
pub(crate) fn urls(nodes: &[Server], first: usize) -> String {
    let node = |index| &nodes[(first + index) % nodes.len()];
    let urls: Vec<_> = (0..nodes.len()).map(|index| node(index).url()).collect();
    urls.join(",")
}

/// A store connected to any of the nodes, preferably `first`.
pub(crate) async fn connect_to(nodes: &[Server], first: usize) -> NatsLog {
    connect(&NatsOptions::new(urls(nodes, first))).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn a_cluster_passes_the_conformance_suite() {
    let nodes = Server::cluster(3);
    // Until the cluster has a leader, requests get no reply and have to be
    // repeated. The handles below would wait.
    connect_to(&nodes, 0).await;
    let mut handles: Vec<Arc<dyn MatchLog>> = Vec::new();
    for first in 0..3 {
        handles.push(Arc::new(connect(&patient(urls(&nodes, first))).await));
    }
    conformance::check_all(&handles).await;
}

/// The acknowledged entries, by match and number.
type Acknowledged = Arc<Mutex<BTreeMap<(usize, u64), Bytes>>>;

fn id(number: usize) -> MatchId {
    format!("Match-{number}").parse().unwrap()
}

/// Appends entries in competition with the other writers, until `stop`.
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
        let record = |number| {
            let before = acknowledged
                .lock()
                .unwrap()
                .insert((of, number), entry.clone());
            assert_eq!(
                before, None,
                "entry {number} of {of} was acknowledged twice"
            );
        };
        let answer = log
            .append(&id(of), Sequence::new(last), entry.clone())
            .await;
        match answer {
            Ok(()) => {
                record(last + 1);
                last += 1;
                // Lets the other writers win, too.
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Err(AppendError::Refused(_)) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(error) => {
                // The log tells which entry is stored.
                let Ok(stored) = log.read(&id(of), Sequence::new(last), 1000).await else {
                    continue;
                };
                if error != AppendError::Conflict && stored.first() == Some(&entry) {
                    record(last + 1);
                }
                last += stored.len() as u64;
            }
        }
    }
}

/// All entries of a match. Reads until the cluster has a leader.
pub(crate) async fn read_all(log: &NatsLog, id: &MatchId) -> Vec<Bytes> {
    eventually("the entries of a match", || async {
        log.read(id, Sequence::START, usize::MAX).await.ok()
    })
    .await
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
            let received = Arc::new(Mutex::new(Vec::new()));
            let entries_received = Arc::clone(&received);
            let task = tokio::spawn(async move {
                // After an error, watch again from the last entry received.
                loop {
                    let last = Sequence::new(entries_received.lock().unwrap().len() as u64);
                    let mut entries = log.watch(&id(of), last);
                    while let Some(Ok(entry)) = entries.next().await {
                        entries_received.lock().unwrap().push(entry);
                    }
                }
            });
            (task, received)
        })
        .collect();

    let mut rng = Rng::new(3);
    for round in 0..5 {
        progress(&acknowledged).await;
        let killed = if round % 2 == 0 {
            leader(&urls).await
        } else {
            rng.below(3)
        };
        nodes[killed].kill();
        tokio::time::sleep(Duration::from_millis(rng.below(3000) as u64)).await;
        nodes[killed].start();
    }
    progress(&acknowledged).await;
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let acknowledged = acknowledged.lock().unwrap().clone();

    for (of, (watcher, received)) in watchers.into_iter().enumerate() {
        let entries = read_all(&logs[0], &id(of)).await;
        for log in &logs {
            assert_eq!(read_all(log, &id(of)).await, entries, "the same for all");
        }
        let mut once = HashSet::new();
        for (entry, number) in entries.iter().zip(1_u64..) {
            let start = format!("{of} {number} by ");
            assert!(entry.starts_with(start.as_bytes()), "{start}: {entry:?}");
            assert!(once.insert(entry), "{entry:?} is stored twice");
        }
        for ((_, number), entry) in acknowledged.range((of, 0)..(of + 1, 0)) {
            let found = entries.get(*number as usize - 1);
            assert_eq!(found, Some(entry), "entry {number} of {of}");
        }
        eventually("the last entry at the watcher", || async {
            (received.lock().unwrap().len() >= entries.len()).then_some(())
        })
        .await;
        watcher.abort();
        assert_eq!(
            *received.lock().unwrap(),
            entries,
            "received by the watcher"
        );
    }
}

/// Appends entries to a match until `stop`, and returns the longest time between
/// two acknowledgements.
async fn longest_gap(
    log: NatsLog,
    of: MatchId,
    acknowledged: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
) -> Duration {
    let (mut last, mut longest) = (0, Duration::ZERO);
    let mut before = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let entry = Bytes::from(format!("entry {}", last + 1));
        let appended = log.append(&of, Sequence::new(last), entry.clone()).await;
        let stored = appended.is_ok() || {
            let stored = log.read(&of, Sequence::new(last), 1).await;
            stored.is_ok_and(|stored| stored == [entry])
        };
        if stored {
            last += 1;
            acknowledged.fetch_add(1, Ordering::Relaxed);
            longest = longest.max(before.elapsed());
            before = Instant::now();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    longest
}

/// Prints for how long appends stop when the leader is killed. docs/deployment.md
/// has the figures.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
#[expect(clippy::print_stdout, reason = "the measurement")]
async fn appends_continue_after_the_leader_has_died() {
    let mut nodes = Server::cluster(3);
    let urls: Vec<_> = nodes.iter().map(Server::url).collect();
    for round in 0..3 {
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = Vec::new();
        for first in 0..3 {
            let log = connect_to(&nodes, first).await;
            let acknowledged = Arc::new(AtomicU64::new(0));
            let of = format!("gap-{round}-{first}").parse().unwrap();
            let (counter, stop) = (Arc::clone(&acknowledged), Arc::clone(&stop));
            let writing = tokio::spawn(longest_gap(log, of, counter, stop));
            writers.push((writing, acknowledged));
        }
        let more = async |count: u64| {
            for (_, acknowledged) in &writers {
                let before = acknowledged.load(Ordering::Relaxed);
                eventually("more acknowledged entries", || async {
                    (acknowledged.load(Ordering::Relaxed) >= before + count).then_some(())
                })
                .await;
            }
        };
        more(20).await;
        let killed = leader(&urls).await;
        nodes[killed].kill();
        more(20).await;
        stop.store(true, Ordering::Relaxed);
        let mut gaps = Vec::new();
        for (writing, _) in writers {
            gaps.push(writing.await.unwrap());
        }
        println!("leader killed: no append was acknowledged for {gaps:.1?}");
        nodes[killed].start();
    }
}

/// Waits until 50 more entries have been acknowledged.
async fn progress(acknowledged: &Acknowledged) {
    let count = || acknowledged.lock().unwrap().len();
    let before = count();
    eventually("more acknowledged entries", || async {
        (count() >= before + 50).then_some(())
    })
    .await;
}

/// The node that leads the stream of matches; any node while there is no
/// leader.
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
