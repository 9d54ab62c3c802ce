//! Three brokers and three servers, of which some are killed while matches are
//! played between them.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::MatchId;
use open_ttt_net::client::{Client, ClientEvent, Link, Lobby, MatchEvent};
use open_ttt_net::log::{MatchLog, NatsLog, NatsOptions};
use open_ttt_net::matches::{Act, DynMatch, Seat, Transition};
use open_ttt_net::protocol::{CreateMatch, JoinMatch, SeatRequest, Token};
use open_ttt_net::replication::{Digest, Sequence};
use open_ttt_net::server::Server;
use serde_json::Value;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, watch};

use super::harness::unlimited;
use crate::log::nats::connect;
use crate::log::nats_cluster::{connect_to, leader};
use crate::log::nats_server::Server as Broker;

const GAMES: [&str; 6] = ["ttt", "connect4", "pegs", "ttt", "connect4", "pegs"];

/// How often a guest looks what there is to do.
const TICK: Duration = Duration::from_millis(100);

/// A match server that can be gone from one moment to the next, with all that
/// it was about to do.
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
            let server = Server::new(unlimited(), log).unwrap();
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

/// What stands in front of servers: whoever comes is sent to the first of them
/// that is there.
async fn door(servers: Vec<SocketAddr>) -> SocketAddr {
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

/// What the guests of a match were told, whoever they were.
#[derive(Default)]
struct Told {
    changes: BTreeMap<u64, Transition>,
    /// Those of them that were acknowledged to who had proposed them.
    acknowledged: HashSet<u64>,
}

/// What the guests are to do.
#[derive(Clone, Copy)]
enum Phase {
    Play,
    /// Wait for what is proposed, and propose no more.
    Rest,
    /// Go when they have seen so many changes.
    Leave,
}

/// Somebody who plays or watches.
struct Guest {
    client: Client,
    seat: Option<Seat>,
    told: Arc<Mutex<Told>>,
    rng: Rng,
    phase: watch::Receiver<Phase>,
    resting: Arc<AtomicUsize>,
    last: Arc<Mutex<BTreeMap<MatchId, Sequence>>>,
    connected: usize,
}

/// What a guest has in the end.
struct Left {
    sequence: Sequence,
    digest: Digest,
    connected: usize,
}

impl Guest {
    async fn stay(mut self) -> Left {
        let mut rests = false;
        loop {
            let phase = *self.phase.borrow_and_update();
            let session = self.client.session();
            match phase {
                Phase::Play => self.play(),
                Phase::Rest if !rests && !session.has_pending() => {
                    rests = true;
                    self.resting.fetch_add(1, Ordering::SeqCst);
                }
                Phase::Rest => {}
                Phase::Leave => {
                    let last = self.last.lock().unwrap()[self.client.link().id()];
                    if let (Some(sequence), Some(digest)) = (session.sequence(), session.digest())
                        && sequence >= last
                    {
                        let connected = self.connected;
                        return Left {
                            sequence,
                            digest,
                            connected,
                        };
                    }
                }
            }
            tokio::select! {
                event = self.client.next() => self.hear(event.unwrap()),
                changed = self.phase.changed() => changed.unwrap(),
                // Not every answer is an event.
                () = tokio::time::sleep(TICK) => {}
            }
        }
    }

    /// A move at random, or another game.
    fn play(&mut self) {
        let session = self.client.session();
        let (Some(seat), Some(table)) = (self.seat, session.optimistic()) else {
            return;
        };
        if session.has_pending() {
            return;
        }
        let act = if table.verdict().is_some() {
            (!table.wants_rematch(seat)).then_some(Act::Rematch)
        } else if table.to_move() == Some(seat) {
            let position = table.game().position();
            let m = self.rng.pick(position.moves());
            m.map(|m| Act::play(&position.move_text(m)))
        } else {
            None
        };
        if let Some(act) = act {
            self.client.propose(act).unwrap();
        }
    }

    fn hear(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Connected => self.connected += 1,
            ClientEvent::Match(MatchEvent::Change {
                sequence,
                transition,
                own,
            }) => {
                let mut told = self.told.lock().unwrap();
                let number = sequence.get();
                let before = told.changes.insert(number, transition.clone());
                if let Some(before) = before {
                    assert_eq!(before, transition, "two were told of another {number}");
                }
                if own {
                    told.acknowledged.insert(number);
                }
            }
            ClientEvent::Match(_) | ClientEvent::Disconnected { .. } => {}
        }
    }
}

/// All matches, and who is there.
struct Evening {
    told: Vec<Arc<Mutex<Told>>>,
    ids: Vec<MatchId>,
    phase: watch::Sender<Phase>,
    resting: Arc<AtomicUsize>,
    last: Arc<Mutex<BTreeMap<MatchId, Sequence>>>,
    guests: Vec<tokio::task::JoinHandle<Left>>,
}

impl Evening {
    /// Two players and a spectator for each match, each behind another door.
    async fn begin(doors: &[SocketAddr; 3]) -> Self {
        let mut evening = Self {
            told: Vec::new(),
            ids: Vec::new(),
            phase: watch::Sender::new(Phase::Play),
            resting: Arc::default(),
            last: Arc::default(),
            guests: Vec::new(),
        };
        for (index, game) in GAMES.into_iter().enumerate() {
            let server = |place: usize| {
                let door = doors[(index + place) % 3];
                format!("http://{door}").parse().unwrap()
            };
            let person = |name: &str| SeatRequest::Person(name.to_owned());
            let wanted = CreateMatch {
                game: game.to_owned(),
                clock: None,
                first: Some(Seat::A),
                seats: [Some(person("Ann")), None],
                listed: false,
            };
            let made = Lobby::new(server(0)).create(&wanted).await.unwrap();
            let wanted = JoinMatch {
                player: person("Bob"),
                seat: None,
                token: None,
            };
            let joined = Lobby::new(server(1)).join(&made.id, &wanted).await.unwrap();
            let told: Arc<Mutex<Told>> = Arc::default();
            for (place, token) in [made.token, joined.token, None].into_iter().enumerate() {
                let link = server(place).link(made.id.clone());
                evening.seat(link, token, &told, (3 * index + place) as u64);
            }
            evening.told.push(told);
            evening.ids.push(made.id);
        }
        evening
    }

    fn seat(&mut self, link: Link, token: Option<Token>, told: &Arc<Mutex<Told>>, seed: u64) {
        let seat = (token.is_some()).then_some(if seed.is_multiple_of(3) {
            Seat::A
        } else {
            Seat::B
        });
        let guest = Guest {
            client: Client::new(link.with_token(token)).unwrap(),
            seat,
            told: Arc::clone(told),
            rng: Rng::new(seed),
            phase: self.phase.subscribe(),
            resting: Arc::clone(&self.resting),
            last: Arc::clone(&self.last),
            connected: 0,
        };
        self.guests.push(tokio::spawn(guest.stay()));
    }

    fn acknowledged(&self) -> Vec<usize> {
        let count = |told: &Arc<Mutex<Told>>| told.lock().unwrap().acknowledged.len();
        self.told.iter().map(count).collect()
    }

    /// Waits until all matches have gone on, however long the cluster needs to
    /// find a leader.
    async fn goes_on(&self) {
        let before = self.acknowledged();
        for _ in 0..1200 {
            let now = self.acknowledged();
            if now
                .iter()
                .zip(&before)
                .all(|(now, before)| *now >= before + 30)
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{before:?}, and in a minute {:?}", self.acknowledged());
    }

    /// Lets everybody have the answers they wait for and see all there is, and
    /// go.
    async fn end(&mut self, log: &NatsLog) -> Vec<Left> {
        self.phase.send_replace(Phase::Rest);
        while self.resting.load(Ordering::SeqCst) < self.guests.len() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for id in &self.ids {
            let changes = all(log, id).await.len() as u64 - 1;
            let mut last = self.last.lock().unwrap();
            last.insert(id.clone(), Sequence::new(changes));
        }
        self.phase.send_replace(Phase::Leave);
        let mut left = Vec::new();
        for guest in self.guests.drain(..) {
            left.push(guest.await.unwrap());
        }
        left
    }
}

/// Reads until it works.
async fn all(log: &NatsLog, id: &MatchId) -> Vec<Bytes> {
    for _ in 0..600 {
        if let Ok(entries) = log.read(id, Sequence::START, usize::MAX).await {
            return entries;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{id} cannot be read");
}

/// Holds a match as it stands in the log against what was told, and plays it
/// over; its last state.
fn replayed(entries: &[Bytes], told: &Told) -> DynMatch {
    let mut entries = entries
        .iter()
        .map(|entry| serde_json::from_slice::<Value>(entry).unwrap());
    let mut header = entries.next().unwrap();
    let settings = serde_json::from_value(header["settings"].take()).unwrap();
    let mut table = DynMatch::new(settings).unwrap();
    let mut once = HashSet::new();
    let mut numbers = BTreeMap::new();
    for (mut entry, sequence) in entries.zip(1_u64..) {
        let client = entry["client"].as_str().unwrap().to_owned();
        let number = entry["number"].as_u64().unwrap();
        assert!(
            once.insert((client.clone(), number)),
            "{entry} stands twice"
        );
        if !client.starts_with("server-") {
            let before = numbers.insert(client, number);
            assert!(before < Some(number), "{entry} is out of its order");
        }
        let transition: Transition = serde_json::from_value(entry["transition"].take()).unwrap();
        if let Some(told) = told.changes.get(&sequence) {
            assert_eq!(&transition, told, "change {sequence}");
        }
        table = table.apply(&transition).unwrap();
    }
    let stored = once.len() as u64;
    let last = told.changes.last_key_value().map(|(&last, _)| last);
    assert!(
        last <= Some(stored),
        "told of {last:?}, {stored} are stored"
    );
    // Both seats together have proposed all but the two who sat down.
    let own = stored - 2;
    let acknowledged = told.acknowledged.len() as u64;
    assert_eq!(acknowledged, own, "all have had their answers");
    table
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a broker, which `cargo xtask test` gets"]
async fn matches_go_on_whoever_is_killed() {
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
    let doors = [
        door(vec![one, two, three]).await,
        door(vec![two, three, one]).await,
        door(vec![three, one, two]).await,
    ];
    let mut evening = Evening::begin(&doors).await;
    evening.goes_on().await;

    let first = leader(&urls).await;
    brokers[first].kill();
    evening.goes_on().await;
    brokers[first].start();
    evening.goes_on().await;
    servers[0].kill();
    evening.goes_on().await;
    let other = (leader(&urls).await + 1) % 3;
    brokers[other].kill();
    evening.goes_on().await;
    brokers[other].start();
    evening.goes_on().await;

    let log = connect_to(&brokers, 0).await;
    let left = evening.end(&log).await;
    for (index, id) in evening.ids.iter().enumerate() {
        let entries = all(&log, id).await;
        for broker in &brokers {
            let log = connect(&NatsOptions::new(broker.url())).await;
            assert_eq!(all(&log, id).await, entries, "one truth at all brokers");
        }
        let table = replayed(&entries, &evening.told[index].lock().unwrap());
        for guest in &left[3 * index..3 * index + 3] {
            assert_eq!(guest.sequence.get(), entries.len() as u64 - 1);
            assert_eq!(guest.digest, Digest::of(&table), "one state for all");
        }
        // Whoever was at the server that is gone has come to another.
        let moved = &left[3 * index + (3 - index % 3) % 3];
        assert!(moved.connected > 1, "{} times", moved.connected);
    }
}
