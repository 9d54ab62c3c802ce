use core::cmp::Reverse;
use std::collections::BinaryHeap;

use open_ttt_lib::random::Rng;
use open_ttt_net::ClientId;
use open_ttt_net::replication::{
    Authored, Digest, LogEntry, Proposal, ProposalVerdict, ReplicaUpdate, Sequence,
};

use super::client::{Client, Source};
use super::event_counts::EventCounts;
use super::fault_plan::FaultPlan;
use super::node::{Append, Node};
use super::store::Store;
use super::subject::{Subject, with_fault};

/// When a client repeats an unanswered request, and how often it requests a
/// catch-up unprompted, in milliseconds.
const RESEND_AFTER: u64 = 150;
/// The shortest time between two catch-up requests of a client, in milliseconds.
const MIN_HELLO_INTERVAL: u64 = 10;
/// The time limit for settling after the faults end, in milliseconds.
const RECOVERY: u64 = 60_000;

/// Clients, nodes, the log and the network between them, in virtual time. All
/// random choices derive from one seed.
pub(super) struct World<M: Subject> {
    pub(super) rng: Rng,
    pub(super) plan: FaultPlan,
    pub(super) now: u64,
    pub(super) store: Store<M>,
    pub(super) nodes: Vec<Node<M>>,
    pub(super) clients: Vec<Client<M>>,
    pub(super) counts: EventCounts,
    queue: BinaryHeap<Reverse<(u64, u64, usize)>>,
    events: Vec<Option<Event<M>>>,
    /// Queued events other than client steps.
    queued: usize,
    trace: Option<Vec<String>>,
}

/// A scheduled event.
#[derive(Debug)]
pub(super) enum Event<M: Subject> {
    /// A client takes a step.
    Step(usize),
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
    /// A node learns the outcome of its append.
    Written {
        node: usize,
        generation: u64,
        is_stored: Option<bool>,
    },
    /// A node is notified of new entries.
    Watch(usize),
    Crash(usize),
    Restart(usize),
}

/// A client and one of its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Address {
    pub(super) client: usize,
    pub(super) connection: u64,
    /// The client whose id it uses: its own, unless it is the adversary.
    pub(super) claims: usize,
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
    pub(super) fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let plan = FaultPlan::random(&mut rng);
        let mut world = Self {
            nodes: (0..plan.nodes).map(|_| Node::new(plan.kept)).collect(),
            clients: (0..plan.clients).map(Client::new).collect(),
            rng,
            plan,
            now: 0,
            store: Store::new(),
            counts: EventCounts::default(),
            queue: BinaryHeap::new(),
            events: Vec::new(),
            queued: 0,
            trace: None,
        };
        for client in 0..world.clients.len() {
            world.schedule(client as u64, Event::Step(client));
        }
        for node in 0..world.nodes.len() {
            world.schedule_crash(node);
        }
        world
    }

    pub(super) fn with_trace(mut self) -> Self {
        self.trace = Some(Vec::new());
        self
    }

    /// Runs the schedule with faults, then without faults until all is settled.
    pub(super) fn run(&mut self) {
        while self.now < self.plan.duration {
            self.step();
        }
        self.plan = self.plan.without_faults();
        for node in 0..self.nodes.len() {
            self.restart(node);
            self.replay_log(node);
        }
        let end = self.now + RECOVERY;
        while self.queued > 0 || !self.is_settled() {
            assert!(self.now < end, "some clients do not settle");
            self.step();
        }
        for client in &self.clients {
            client.check_outcomes(&self.store);
        }
        self.counts.count("schedules");
    }

    /// The last traced events.
    pub(super) fn trace(&self) -> String {
        let lines = self.trace.as_deref().unwrap_or_default();
        let last = &lines[lines.len().saturating_sub(60)..];
        format!("{:?}\n{}", self.plan, last.join("\n"))
    }

    pub(super) fn chance(&mut self, in_a_thousand: usize) -> bool {
        in_a_thousand > 0 && self.rng.below(1000) < in_a_thousand
    }

    /// Schedules an event this many milliseconds from now.
    pub(super) fn schedule(&mut self, delay: u64, event: Event<M>) {
        self.queued += usize::from(!matches!(event, Event::Step(_)));
        let number = self.events.len();
        // Simultaneous events happen in random order.
        let order = self.rng.next_u64();
        self.queue.push(Reverse((self.now + delay, order, number)));
        self.events.push(Some(event));
    }

    /// A random delay.
    pub(super) fn delay(&mut self) -> u64 {
        let delay = 1 + self.rng.below(self.plan.delay as usize) as u64;
        let late = self.plan.late;
        if self.chance(late) {
            delay + self.rng.below(self.plan.lateness as usize) as u64
        } else {
            delay
        }
    }

    /// Sends a message over the faulty network.
    fn send(&mut self, event: impl Fn() -> Event<M>) {
        let (lost, duplicated) = (self.plan.lost, self.plan.duplicated);
        if !self.chance(lost) {
            let delay = self.delay();
            self.schedule(delay, event());
        }
        if self.chance(duplicated) {
            let delay = self.delay();
            self.schedule(delay, event());
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
                from: Address {
                    client,
                    connection,
                    claims: client,
                },
                request: request.clone(),
            });
        }
    }

    pub(super) fn schedule_crash(&mut self, node: usize) {
        if self.plan.crash > 0 {
            let delay = 1 + self.rng.below(2 * self.plan.crash as usize) as u64;
            self.schedule(delay, Event::Crash(node));
        }
    }

    fn is_settled(&self) -> bool {
        let mut clients = self.clients.iter();
        clients.all(|client| client.is_settled(&self.store))
    }

    fn step(&mut self) {
        let Some(Reverse((at, _, number))) = self.queue.pop() else {
            panic!("no more events");
        };
        self.now = at;
        let event = self.events[number].take().expect("an event happens once");
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{at:5} {event:?}"));
        }
        self.queued -= usize::from(!matches!(event, Event::Step(_)));
        match event {
            Event::Step(client) => self.step_client(client),
            Event::Request {
                node,
                from,
                request,
            } => self.take_request(node, from, request),
            Event::Reply { to, reply } => self.take_reply(to, reply),
            Event::Write(append) => self.write(append),
            Event::Written {
                node,
                generation,
                is_stored,
            } => self.written(node, generation, is_stored),
            Event::Watch(node) => self.replay_log(node),
            Event::Crash(node) => self.crash(node),
            Event::Restart(node) => self.restart(node),
        }
    }

    /// A client takes a step: required actions and random ones.
    fn step_client(&mut self, index: usize) {
        let plan = self.plan.clone();
        if self.chance(plan.cut) {
            self.clients[index].node = None;
        }
        if self.chance(plan.corrupted) {
            let replica = &self.clients[index].replica;
            let state = replica.confirmed().corrupted(&mut self.rng);
            self.clients[index].is_corrupt = true;
            self.snapshot(index, self.clients[index].replica.sequence(), state);
        }
        if self.chance(plan.proposing) {
            for _ in 0..=self.rng.below(3) {
                let transition = self.clients[index]
                    .replica
                    .optimistic()
                    .random_transition(index, &mut self.rng);
                self.clients[index].propose(transition, &mut self.counts);
            }
        }
        if plan.has_attacker && index == 0 {
            self.attack();
        }
        if self.clients[index].node.is_none() {
            let node = self.rng.below(self.nodes.len());
            let client = &mut self.clients[index];
            client.node = Some(node);
            client.connection += 1;
            client.last_sent = None;
            self.send_hello(index);
        } else if self.now >= self.clients[index].last_hello + RESEND_AFTER {
            // The last message or the node may have been lost.
            if self.rng.below(4) == 0 {
                self.clients[index].node = None;
            } else {
                self.send_hello(index);
            }
        }
        self.send_proposal(index);
        self.check(index);
        self.clients[index].check_outgoing();
        let pause = 1 + self.rng.below(plan.pause as usize) as u64;
        self.schedule(pause, Event::Step(index));
    }

    fn send_hello(&mut self, client: usize) {
        self.clients[client].last_hello = self.now;
        let has = self.clients[client].replica.sync_point();
        self.request(client, &Request::Hello(has));
    }

    fn send_proposal(&mut self, client: usize) {
        if let Some(proposal) = self.clients[client].outgoing(self.now, RESEND_AFTER) {
            self.request(client, &Request::Propose(proposal));
        }
    }

    /// A malicious client sends a proposal that no replica would send: for any
    /// state, under any client's id, often with the number of that client's last
    /// proposal.
    fn attack(&mut self) {
        let end = self.store.end();
        let base = Sequence::new((end.get() + 2).saturating_sub(self.rng.below(5) as u64));
        let author = self.clients.len();
        let state = self.store.state(end);
        let transition = state.random_transition(author, &mut self.rng);
        let claims = self.rng.below(author + 1);
        let last = self.clients.get(claims).map_or(0, Client::last_number);
        let request = Request::Propose(Proposal {
            number: last + self.rng.below(3) as u64,
            base,
            transition,
        });
        let node = self.rng.below(self.nodes.len());
        let from = Address {
            client: author,
            connection: 0,
            claims,
        };
        self.schedule(
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
                let faulty = self.plan.faulty;
                let is_faulty = self.chance(faulty);
                let client = &mut self.clients[index];
                let is_known_wrong = client.is_corrupt && client.replica.sync_point().is_none();
                client.is_corrupt |= is_faulty;
                let own = client.replica.outgoing();
                let has_own_number = own.is_some_and(|own| own.number == entry.number);
                let has_own_id = entry.client == *client.replica.id();
                if has_own_id && has_own_number && entry.transition.author() != index {
                    self.counts.count("forged before the own");
                }
                let update = with_fault(is_faulty, || {
                    client.replica.receive_entry(sequence, &entry, digest)
                });
                let is_applied =
                    !matches!(update, ReplicaUpdate::Unchanged | ReplicaUpdate::OutOfSync);
                assert!(
                    !(is_applied && is_known_wrong),
                    "a wrong copy accepted an entry"
                );
                if is_applied && digest.is_some() && !is_faulty {
                    let is_correct = client.replica.confirmed() == self.store.state(sequence);
                    assert!(is_correct, "a wrong digest was accepted");
                }
                let needs_catch_up =
                    client.check_update(Source::Entry, update, &self.store, &mut self.counts);
                self.after_update(index, needs_catch_up);
            }
            Reply::Verdict(number, verdict) => {
                let client = &mut self.clients[index];
                let update = client.replica.receive_verdict(number, verdict);
                let source = Source::Verdict(number);
                let needs_catch_up =
                    client.check_update(source, update, &self.store, &mut self.counts);
                self.after_update(index, needs_catch_up);
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
        let update = client.replica.receive_snapshot(sequence, state);
        assert!(
            trusted.is_none_or(|before| client.replica.sequence() >= before),
            "set back by a snapshot"
        );
        assert!(
            update == ReplicaUpdate::Unchanged || client.replica.sync_point().is_some(),
            "not repaired by a snapshot"
        );
        let needs_catch_up =
            client.check_update(Source::Snapshot, update, &self.store, &mut self.counts);
        self.after_update(index, needs_catch_up);
    }

    fn after_update(&mut self, index: usize, needs_catch_up: bool) {
        self.check(index);
        if needs_catch_up && self.now >= self.clients[index].last_hello + MIN_HELLO_INTERVAL {
            self.send_hello(index);
        }
        self.send_proposal(index);
    }

    fn check(&mut self, index: usize) {
        let client = &mut self.clients[index];
        let was_corrupt = client.is_corrupt;
        client.check(&self.store);
        if was_corrupt && !client.is_corrupt {
            self.counts.count("healed");
        }
    }
}

/// The id of a client; the index after the last is the attacker's.
pub(super) fn id_of(client: usize) -> ClientId {
    format!("client-{client}").parse().unwrap()
}
