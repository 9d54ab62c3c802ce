//! Three brokers and three servers. Some are killed while matches are played
//! between them.

use crate::games::find;
use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use open_ttt_catalog::Catalog;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::MatchId;
use open_ttt_net::client::{Client, ClientEvent, Link, Lobby, MatchEvent};
use open_ttt_net::log::{NatsLog, NatsOptions};
use open_ttt_net::matches::{Act, DynMatch, Seat, Transition};
use open_ttt_net::protocol::{CreateMatch, JoinMatch, SeatRequest, Token};
use open_ttt_net::replication::{Digest, Sequence};
use open_ttt_net::server::Server;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};

use super::harness::unlimited;
use crate::log::nats::connect;
use crate::log::nats_cluster::{connect_to, leader, read_all};
use crate::log::nats_server::Server as Broker;
use crate::untrusted_input::entry_json;
use crate::waiting::eventually;

const GAMES: [&str; 6] = ["ttt", "connect4", "pegs", "ttt", "connect4", "pegs"];

/// Interval at which a participant checks what to do.
const TICK: Duration = Duration::from_millis(100);

/// A match server that can be killed: all its tasks end at once.
struct Node {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Node {
    async fn start(options: NatsOptions) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (ready, address) = oneshot::channel();
        runtime.spawn(async move {
            let log = Arc::new(connect(&options).await);
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            ready.send(listener.local_addr().unwrap()).unwrap();
            let server = Server::new(Catalog::bundled(), unlimited(), log).unwrap();
            server.serve(listener, std::future::pending()).await
        });
        Self {
            address: address.await.unwrap(),
            runtime: Some(runtime),
        }
    }

    fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A proxy that forwards each connection to the first server that accepts it.
async fn proxy(servers: Vec<SocketAddr>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut outside, _)) = listener.accept().await {
            let servers = servers.clone();
            tokio::spawn(async move {
                for server in servers {
                    if let Ok(mut inside) = TcpStream::connect(server).await {
                        let _ = copy_bidirectional(&mut outside, &mut inside).await;
                        return;
                    }
                }
            });
        }
    });
    address
}

/// The changes that any client of a match has received.
#[derive(Default)]
struct Received {
    changes: BTreeMap<u64, Transition>,
    /// The changes that were acknowledged to their authors.
    acknowledged: HashSet<u64>,
}

/// What the participants do.
#[derive(Clone, Copy)]
enum Phase {
    Play,
    /// Wait for the verdicts on proposals, and propose no more.
    Settle,
    /// Stop after the last change.
    Stop,
}

/// A player or spectator.
struct Participant {
    client: Client,
    seat: Option<Seat>,
    received: Arc<Mutex<Received>>,
    rng: Rng,
    phase: watch::Receiver<Phase>,
    settled: Arc<AtomicUsize>,
    last: Arc<Mutex<BTreeMap<MatchId, Sequence>>>,
    connected: usize,
}

/// The final state of a participant's copy.
struct FinalState {
    sequence: Sequence,
    digest: Digest,
    connected: usize,
}

impl Participant {
    async fn run(mut self) -> FinalState {
        let mut is_settled = false;
        loop {
            let phase = *self.phase.borrow_and_update();
            let session = self.client.session();
            match phase {
                Phase::Play => self.play(),
                Phase::Settle if !is_settled && !session.has_pending() => {
                    is_settled = true;
                    self.settled.fetch_add(1, Ordering::SeqCst);
                }
                Phase::Settle => {}
                Phase::Stop => {
                    let last = self.last.lock().unwrap()[self.client.link().id()];
                    if let (Some(sequence), Some(digest)) = (session.sequence(), session.digest())
                        && sequence >= last
                    {
                        let connected = self.connected;
                        return FinalState {
                            sequence,
                            digest,
                            connected,
                        };
                    }
                }
            }
            tokio::select! {
                event = self.client.next() => self.handle(event.unwrap()),
                changed = self.phase.changed() => changed.unwrap(),
                // Not every message is an event.
                () = tokio::time::sleep(TICK) => {}
            }
        }
    }

    /// Proposes a random move or a rematch.
    fn play(&mut self) {
        let session = self.client.session();
        let (Some(seat), Some(state)) = (self.seat, session.optimistic()) else {
            return;
        };
        if session.has_pending() {
            return;
        }
        let act = if state.verdict().is_some() {
            (!state.wants_rematch(seat)).then_some(Act::Rematch)
        } else if state.to_move() == Some(seat) {
            let position = state.game().position();
            let m = self.rng.pick(position.moves());
            m.map(|m| Act::play(&position.move_text(m)))
        } else {
            None
        };
        if let Some(act) = act {
            self.client.propose(act).unwrap();
        }
    }

    fn handle(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Connected => self.connected += 1,
            ClientEvent::Match(MatchEvent::Change {
                sequence,
                transition,
                own,
            }) => {
                let mut received = self.received.lock().unwrap();
                let number = sequence.get();
                let before = received.changes.insert(number, transition.clone());
                if let Some(before) = before {
                    assert_eq!(before, transition, "two versions of change {number}");
                }
                if own {
                    received.acknowledged.insert(number);
                }
            }
            ClientEvent::Match(_) | ClientEvent::Disconnected { .. } => {}
        }
    }
}

/// The matches and their participants.
struct Participants {
    received: Vec<Arc<Mutex<Received>>>,
    ids: Vec<MatchId>,
    phase: watch::Sender<Phase>,
    settled: Arc<AtomicUsize>,
    last: Arc<Mutex<BTreeMap<MatchId, Sequence>>>,
    tasks: Vec<tokio::task::JoinHandle<FinalState>>,
}

impl Participants {
    /// Two players and a spectator per match, each behind another proxy.
    async fn start(proxies: &[SocketAddr; 3]) -> Self {
        let mut participants = Self {
            received: Vec::new(),
            ids: Vec::new(),
            phase: watch::Sender::new(Phase::Play),
            settled: Arc::default(),
            last: Arc::default(),
            tasks: Vec::new(),
        };
        for (index, game) in GAMES.into_iter().enumerate() {
            let server = |place: usize| {
                let proxy = proxies[(index + place) % 3];
                format!("http://{proxy}").parse().unwrap()
            };
            let person = |name: &str| SeatRequest::Person(name.to_owned());
            let request = CreateMatch {
                game: game.to_owned(),
                clock: None,
                first: Some(Seat::A),
                seats: [Some(person("Ann")), None],
                listed: false,
                rated: false,
                moves: Vec::new(),
                key: None,
            };
            let created = Lobby::new(server(0)).create(&request).await.unwrap();
            let request = JoinMatch {
                player: person("Bob"),
                seat: None,
                token: None,
                key: None,
            };
            let joined = Lobby::new(server(1))
                .join(&created.id, &request)
                .await
                .unwrap();
            let received: Arc<Mutex<Received>> = Arc::default();
            for (place, token) in [created.token, joined.token, None].into_iter().enumerate() {
                let link = server(place).link(created.id.clone());
                participants.add(link, token, &received, (3 * index + place) as u64);
            }
            participants.received.push(received);
            participants.ids.push(created.id);
        }
        participants
    }

    fn add(
        &mut self,
        link: Link,
        token: Option<Token>,
        received: &Arc<Mutex<Received>>,
        seed: u64,
    ) {
        let seat = (token.is_some()).then_some(if seed.is_multiple_of(3) {
            Seat::A
        } else {
            Seat::B
        });
        let participant = Participant {
            client: Client::new(Catalog::bundled(), link.with_token(token)).unwrap(),
            seat,
            received: Arc::clone(received),
            rng: Rng::new(seed),
            phase: self.phase.subscribe(),
            settled: Arc::clone(&self.settled),
            last: Arc::clone(&self.last),
            connected: 0,
        };
        self.tasks.push(tokio::spawn(participant.run()));
    }

    fn acknowledged(&self) -> Vec<usize> {
        let count = |received: &Arc<Mutex<Received>>| received.lock().unwrap().acknowledged.len();
        self.received.iter().map(count).collect()
    }

    /// Waits until each match has 30 more acknowledged changes.
    async fn progress(&self) {
        let before = self.acknowledged();
        eventually("progress in all matches", || async {
            let now = self.acknowledged();
            let has_progress = |(now, before)| now >= before + 30;
            now.into_iter()
                .zip(before.iter().copied())
                .all(has_progress)
                .then_some(())
        })
        .await;
    }

    /// Lets all participants settle their proposals, receive the last change and
    /// stop.
    async fn end(&mut self, log: &NatsLog) -> Vec<FinalState> {
        self.phase.send_replace(Phase::Settle);
        eventually("the last verdicts", || async {
            (self.settled.load(Ordering::SeqCst) == self.tasks.len()).then_some(())
        })
        .await;
        for id in &self.ids {
            let changes = read_all(log, id).await.len() as u64 - 1;
            let mut last = self.last.lock().unwrap();
            last.insert(id.clone(), Sequence::new(changes));
        }
        self.phase.send_replace(Phase::Stop);
        let mut final_states = Vec::new();
        for participant in self.tasks.drain(..) {
            final_states.push(participant.await.unwrap());
        }
        final_states
    }
}

/// Replays a log and compares it with the received changes. Returns the last
/// state.
fn replay(entries: &[Bytes], received: &Received) -> DynMatch {
    let mut entries = entries.iter().map(|entry| entry_json(entry));
    let mut header = entries.next().unwrap();
    let settings = serde_json::from_value(header["settings"].take()).unwrap();
    let mut state = DynMatch::new(settings, find).unwrap();
    let mut once = HashSet::new();
    let mut numbers = BTreeMap::new();
    for (mut entry, sequence) in entries.zip(1_u64..) {
        let client = entry["client"].as_str().unwrap().to_owned();
        let number = entry["number"].as_u64().unwrap();
        assert!(
            once.insert((client.clone(), number)),
            "{entry} is stored twice"
        );
        if !client.starts_with("server-") {
            let before = numbers.insert(client, number);
            assert!(before < Some(number), "{entry} is out of order");
        }
        let transition: Transition = serde_json::from_value(entry["transition"].take()).unwrap();
        if let Some(received) = received.changes.get(&sequence) {
            assert_eq!(&transition, received, "change {sequence}");
        }
        state = state.apply(&transition).unwrap();
    }
    let stored = once.len() as u64;
    let last = received.changes.last_key_value().map(|(&last, _)| last);
    assert!(last <= Some(stored), "received {last:?}, stored {stored}");
    // Except for two joins, the players have proposed all changes.
    let own = stored - 2;
    let acknowledged = received.acknowledged.len() as u64;
    assert_eq!(acknowledged, own, "all verdicts were received");
    state
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn matches_continue_when_brokers_and_servers_are_killed() {
    let mut brokers = Broker::cluster(3);
    let urls: Vec<_> = brokers.iter().map(Broker::url).collect();
    let mut servers = Vec::new();
    for first in 0..3 {
        let urls: Vec<_> = (0..3)
            .map(|index| urls[(first + index) % 3].clone())
            .collect();
        servers.push(Node::start(NatsOptions::new(urls.join(","))).await);
    }
    let [one, two, three] = [0, 1, 2].map(|index: usize| servers[index].address);
    let proxies = [
        proxy(vec![one, two, three]).await,
        proxy(vec![two, three, one]).await,
        proxy(vec![three, one, two]).await,
    ];
    let mut participants = Participants::start(&proxies).await;
    participants.progress().await;

    let first = leader(&urls).await;
    brokers[first].kill();
    participants.progress().await;
    brokers[first].start();
    participants.progress().await;
    servers[0].kill();
    participants.progress().await;
    let other = (leader(&urls).await + 1) % 3;
    brokers[other].kill();
    participants.progress().await;
    brokers[other].start();
    participants.progress().await;

    let log = connect_to(&brokers, 0).await;
    let final_states = participants.end(&log).await;
    for (index, id) in participants.ids.iter().enumerate() {
        let entries = read_all(&log, id).await;
        for broker in &brokers {
            let log = connect(&NatsOptions::new(broker.url())).await;
            assert_eq!(read_all(&log, id).await, entries, "the same at all brokers");
        }
        let state = replay(&entries, &participants.received[index].lock().unwrap());
        for participant in &final_states[3 * index..3 * index + 3] {
            assert_eq!(participant.sequence.get(), entries.len() as u64 - 1);
            assert_eq!(
                participant.digest,
                Digest::of(&state),
                "the same state for all"
            );
        }
        // The client of the killed server has connected to another.
        let reconnected = &final_states[3 * index + (3 - index % 3) % 3];
        assert!(reconnected.connected > 1, "{} times", reconnected.connected);
    }
}
