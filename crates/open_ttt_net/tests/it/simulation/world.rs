use core::cmp::Reverse;
use std::collections::BinaryHeap;

use open_ttt_lib::random::Rng;
use open_ttt_net::ClientId;
use open_ttt_net::replication::{
    Digest, LogEntry, Proposal, ProposalVerdict, ReplicaUpdate, Sequence,
};

use super::client::{Client, Source};
use super::fault_plan::FaultPlan;
use super::node::{Append, Node};
use super::store::Store;
use super::subject::{Subject, with_fault};
use super::tally::Tally;

/// How long a client waits for an answer before it asks again, and how often
/// it asks unasked, in milliseconds.
const PATIENCE: u64 = 150;
/// How often it asks at most, for it may find out more than once.
const RESTRAINT: u64 = 10;
/// By when all must be settled after a storm, in milliseconds.
const RECOVERY: u64 = 60_000;

/// Clients, nodes, the log, and the network between them, in virtual time. All
/// that is left to chance comes from one seed.
pub(super) struct World<M: Subject> {
    pub(super) rng: Rng,
    pub(super) weather: FaultPlan,
    pub(super) now: u64,
    pub(super) store: Store<M>,
    pub(super) nodes: Vec<Node<M>>,
    pub(super) clients: Vec<Client<M>>,
    pub(super) tally: Tally,
    queue: BinaryHeap<Reverse<(u64, u64, usize)>>,
    events: Vec<Option<Event<M>>>,
    /// Events to come that are not the clients' looking about.
    busy: usize,
    trace: Option<Vec<String>>,
}

/// What happens at a time.
#[derive(Debug)]
pub(super) enum Event<M: Subject> {
    /// A client looks about.
    Look(usize),
    Request {
        node: usize,
        from: Address,
        request: Request<M::Transition>,
    },
    Reply {
        to: Address,
        reply: Reply<M>,
    },
    /// An append reaches the log.
    Write(Append<M>),
    /// A node hears what became of its append.
    Written {
        node: usize,
        life: u64,
        is_stored: Option<bool>,
    },
    /// A node hears that there are entries to follow.
    Watch(usize),
    Crash(usize),
    Restart(usize),
}

/// A client, and over which of its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) client: usize,
    pub(super) connection: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Request<T> {
    Hello(Option<(Sequence, Digest)>),
    Propose(Proposal<T>),
}

#[derive(Clone, Debug)]
pub(super) enum Reply<M: Subject> {
    Entry(Sequence, LogEntry<M::Transition>, Option<Digest>),
    Verdict(u64, ProposalVerdict<M::Conflict>),
    /// A whole state, as JSON.
    Snapshot(Sequence, String),
}

impl<M: Subject> World<M> {
    pub(super) fn new(seed: u64, traced: bool) -> Self {
        let mut rng = Rng::new(seed);
        let weather = FaultPlan::draw(&mut rng);
        let mut world = Self {
            nodes: (0..weather.nodes).map(|_| Node::new()).collect(),
            clients: (0..weather.clients)
                .map(|index| Client::new(id_of(index)))
                .collect(),
            rng,
            weather,
            now: 0,
            store: Store::new(),
            tally: Tally::default(),
            queue: BinaryHeap::new(),
            events: Vec::new(),
            busy: 0,
            trace: traced.then(Vec::new),
        };
        for client in 0..world.clients.len() {
            world.after(client as u64, Event::Look(client));
        }
        for node in 0..world.nodes.len() {
            world.plan_crash(node);
        }
        world
    }

    /// Runs the storm, and then until all is settled.
    pub(super) fn run(&mut self) {
        while self.now < self.weather.duration {
            self.step();
        }
        self.weather = self.weather.calmed();
        for node in 0..self.nodes.len() {
            self.restart(node);
            self.follow(node);
        }
        let end = self.now + RECOVERY;
        while self.busy > 0 || !self.is_settled() {
            assert!(self.now < end, "some are never settled");
            self.step();
        }
        for client in &self.clients {
            client.check_fates(&self.store);
        }
        self.tally.count("schedules");
    }

    /// The last that happened, if that was written down.
    pub(super) fn trace(&self) -> String {
        let lines = self.trace.as_deref().unwrap_or_default();
        let last = &lines[lines.len().saturating_sub(60)..];
        format!("{:?}\n{}", self.weather, last.join("\n"))
    }

    pub(super) fn chance(&mut self, in_a_thousand: usize) -> bool {
        in_a_thousand > 0 && self.rng.below(1000) < in_a_thousand
    }

    /// Lets something happen so many milliseconds from now.
    pub(super) fn after(&mut self, delay: u64, event: Event<M>) {
        self.busy += usize::from(!matches!(event, Event::Look(_)));
        let number = self.events.len();
        // What falls on one moment happens in any order.
        let order = self.rng.next_u64();
        self.queue.push(Reverse((self.now + delay, order, number)));
        self.events.push(Some(event));
    }

    /// How long something takes.
    pub(super) fn delay(&mut self) -> u64 {
        let delay = 1 + self.rng.below(self.weather.delay as usize) as u64;
        let late = self.weather.late;
        if self.chance(late) {
            delay + self.rng.below(self.weather.lateness as usize) as u64
        } else {
            delay
        }
    }

    /// Sends something, over a network that does what it likes.
    fn send(&mut self, event: impl Fn() -> Event<M>) {
        let (lost, doubled) = (self.weather.lost, self.weather.doubled);
        if !self.chance(lost) {
            let delay = self.delay();
            self.after(delay, event());
        }
        if self.chance(doubled) {
            let delay = self.delay();
            self.after(delay, event());
        }
    }

    pub(super) fn reply(&mut self, to: Address, reply: &Reply<M>) {
        self.send(|| Event::Reply {
            to,
            reply: reply.clone(),
        });
    }

    fn request(&mut self, client: usize, request: &Request<M::Transition>) {
        let connection = self.clients[client].connection;
        if let Some(node) = self.clients[client].node {
            self.send(|| Event::Request {
                node,
                from: Address { client, connection },
                request: request.clone(),
            });
        }
    }

    pub(super) fn plan_crash(&mut self, node: usize) {
        if self.weather.crash > 0 {
            let delay = 1 + self.rng.below(2 * self.weather.crash as usize) as u64;
            self.after(delay, Event::Crash(node));
        }
    }

    fn is_settled(&self) -> bool {
        let mut clients = self.clients.iter();
        clients.all(|client| client.is_settled(&self.store))
    }

    fn step(&mut self) {
        let Some(Reverse((at, _, number))) = self.queue.pop() else {
            panic!("nothing happens any more");
        };
        self.now = at;
        let event = self.events[number].take().expect("an event happens once");
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{at:5} {event:?}"));
        }
        self.busy -= usize::from(!matches!(event, Event::Look(_)));
        match event {
            Event::Look(client) => self.look(client),
            Event::Request {
                node,
                from,
                request,
            } => self.take_request(node, from, request),
            Event::Reply { to, reply } => self.take_reply(to, reply),
            Event::Write(append) => self.write(append),
            Event::Written {
                node,
                life,
                is_stored,
            } => self.written(node, life, is_stored),
            Event::Watch(node) => self.follow(node),
            Event::Crash(node) => self.crash(node),
            Event::Restart(node) => self.restart(node),
        }
    }

    /// A client does what it has to, and what it likes.
    fn look(&mut self, index: usize) {
        let weather = self.weather.clone();
        if self.chance(weather.cut) {
            self.clients[index].node = None;
        }
        if self.chance(weather.corrupted) {
            let replica = &self.clients[index].replica;
            let state = replica.confirmed().corrupted(&mut self.rng);
            self.clients[index].is_corrupt = true;
            self.snapshot(index, self.clients[index].replica.sequence(), state);
        }
        if self.chance(weather.proposing) {
            for _ in 0..=self.rng.below(3) {
                let transition = self.clients[index].replica.optimistic().draw(&mut self.rng);
                self.clients[index].propose(transition, &mut self.tally);
            }
        }
        if weather.has_liar && index == 0 {
            self.lie();
        }
        if self.clients[index].node.is_none() {
            let node = self.rng.below(self.nodes.len());
            let client = &mut self.clients[index];
            client.node = Some(node);
            client.connection += 1;
            client.sent = None;
            self.ask(index);
        } else if self.now >= self.clients[index].asked + PATIENCE {
            // It may have lost what nothing follows, or its node.
            if self.rng.below(4) == 0 {
                self.clients[index].node = None;
            } else {
                self.ask(index);
            }
        }
        self.offer(index);
        self.check(index);
        self.clients[index].check_outgoing();
        let pause = 1 + self.rng.below(weather.pause as usize) as u64;
        self.after(pause, Event::Look(index));
    }

    fn ask(&mut self, client: usize) {
        self.clients[client].asked = self.now;
        let has = self.clients[client].replica.sync_point();
        self.request(client, &Request::Hello(has));
    }

    fn offer(&mut self, client: usize) {
        if let Some(proposal) = self.clients[client].outgoing(self.now, PATIENCE) {
            self.request(client, &Request::Propose(proposal));
        }
    }

    /// Somebody proposes what no replica would.
    fn lie(&mut self) {
        let end = self.store.end();
        let base = Sequence::new((end.get() + 2).saturating_sub(self.rng.below(5) as u64));
        let transition = self.store.state(end).draw(&mut self.rng);
        let request = Request::Propose(Proposal {
            number: 1 + self.rng.below(3) as u64,
            base,
            transition,
        });
        let node = self.rng.below(self.nodes.len());
        let from = Address {
            client: self.clients.len(),
            connection: 0,
        };
        self.after(
            1,
            Event::Request {
                node,
                from,
                request,
            },
        );
    }

    fn take_reply(&mut self, to: Address, reply: Reply<M>) {
        let index = to.client;
        let is_open = self
            .clients
            .get(index)
            .is_some_and(|client| client.node.is_some() && client.connection == to.connection);
        if !is_open {
            return;
        }
        match reply {
            Reply::Entry(sequence, entry, digest) => {
                let faulty = self.weather.faulty;
                let is_faulty = self.chance(faulty);
                let client = &mut self.clients[index];
                let is_known_wrong = client.is_corrupt && client.replica.sync_point().is_none();
                client.is_corrupt |= is_faulty;
                let heard = with_fault(is_faulty, || {
                    client.replica.receive_entry(sequence, &entry, digest)
                });
                let is_taken =
                    !matches!(heard, ReplicaUpdate::Unchanged | ReplicaUpdate::OutOfSync);
                assert!(!(is_taken && is_known_wrong), "a wrong copy went on");
                if is_taken && digest.is_some() && !is_faulty {
                    let is_right = client.replica.confirmed() == self.store.state(sequence);
                    assert!(is_right, "a sum that does not fit was believed");
                }
                let needs = client.hear(Source::Entry, heard, &self.store, &mut self.tally);
                self.heard(index, needs);
            }
            Reply::Verdict(number, verdict) => {
                let client = &mut self.clients[index];
                let heard = client.replica.receive_verdict(number, verdict);
                let source = Source::Verdict(number);
                let needs = client.hear(source, heard, &self.store, &mut self.tally);
                self.heard(index, needs);
            }
            Reply::Snapshot(sequence, state) => {
                let state = serde_json::from_str(&state).unwrap();
                self.snapshot(index, sequence, state);
            }
        }
    }

    fn snapshot(&mut self, index: usize, sequence: Sequence, state: M) {
        let client = &mut self.clients[index];
        let trusted = client.replica.sync_point().map(|(sequence, _)| sequence);
        let heard = client.replica.receive_snapshot(sequence, state);
        assert!(
            trusted.is_none_or(|before| client.replica.sequence() >= before),
            "set back by a snapshot"
        );
        assert!(
            heard == ReplicaUpdate::Unchanged || client.replica.sync_point().is_some(),
            "not healed by a snapshot"
        );
        let needs = client.hear(Source::Snapshot, heard, &self.store, &mut self.tally);
        self.heard(index, needs);
    }

    fn heard(&mut self, index: usize, needs: bool) {
        self.check(index);
        if needs && self.now >= self.clients[index].asked + RESTRAINT {
            self.ask(index);
        }
        self.offer(index);
    }

    fn check(&mut self, index: usize) {
        let client = &mut self.clients[index];
        let was_corrupt = client.is_corrupt;
        client.check(&self.store);
        if was_corrupt && !client.is_corrupt {
            self.tally.count("healed");
        }
    }
}

/// What a client is known by; the one behind the last is the liar.
pub(super) fn id_of(client: usize) -> ClientId {
    format!("client-{client}").parse().unwrap()
}
