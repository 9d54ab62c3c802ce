use std::collections::{BTreeSet, VecDeque};

use open_ttt_net::replication::{
    Authored, CatchUp, Decision, Digest, Draft, Proposal, ProposalVerdict, Sequence, Sequencer,
};

use super::subject::Subject;
use super::world::{Address, Event, Reply, Request, World, id_of};

/// A server's memory, which is lost in a crash.
pub(super) struct Node<M: Subject> {
    /// `None` while it is down.
    sequencer: Option<Sequencer<M>>,
    /// Counts the restarts.
    generation: u64,
    connections: BTreeSet<Address>,
    /// The proposal that is being stored.
    storing: Option<(Address, Proposal<M::Transition>, Draft<M>)>,
    queue: VecDeque<(Address, Proposal<M::Transition>)>,
}

/// An entry on its way to the log.
#[derive(Debug)]
pub(super) struct Append<M: Subject> {
    node: usize,
    generation: u64,
    draft: Draft<M>,
    /// Whether the write happens even if its node has crashed by then.
    survives_crash: bool,
    /// Whether the node learns the outcome.
    is_answered: bool,
}

impl<M: Subject> Node<M> {
    pub(super) fn new(kept: usize) -> Self {
        Self {
            sequencer: Some(Sequencer::keeping(kept, M::fresh())),
            generation: 0,
            connections: BTreeSet::new(),
            storing: None,
            queue: VecDeque::new(),
        }
    }
}

impl<M: Subject> World<M> {
    pub(super) fn crash(&mut self, node: usize) {
        self.counts.count("crashed");
        if self.nodes[node].storing.is_some() {
            self.counts.count("crashed while storing");
        }
        self.nodes[node] = Node {
            sequencer: None,
            generation: self.nodes[node].generation + 1,
            ..Node::new(self.plan.kept)
        };
        let delay = self.delay();
        self.schedule(delay, Event::Restart(node));
    }

    pub(super) fn restart(&mut self, node: usize) {
        if self.nodes[node].sequencer.is_none() {
            let sequencer = Sequencer::keeping(self.plan.kept, M::fresh());
            self.nodes[node].sequencer = Some(sequencer);
            self.replay_log(node);
            self.schedule_crash(node);
        }
    }

    /// Replays the rest of the log and sends the entries to the connected clients.
    pub(super) fn replay_log(&mut self, node: usize) {
        while let Some(sequencer) = &mut self.nodes[node].sequencer
            && sequencer.sequence() < self.store.end()
        {
            let entry = self.store.entry(sequencer.sequence().next()).clone();
            sequencer.replay(entry).expect("an entry of this machine");
            self.broadcast(node);
        }
    }

    /// Sends the last entry to the connected clients.
    fn broadcast(&mut self, node: usize) {
        let with_digest = self.plan.with_digest;
        let with_digest = self.chance(with_digest);
        let Some(sequencer) = &self.nodes[node].sequencer else {
            return;
        };
        let sequence = sequencer.sequence();
        let digest = with_digest.then(|| sequencer.digest());
        let entry = self.store.entry(sequence).clone();
        let connections: Vec<_> = self.nodes[node].connections.iter().copied().collect();
        for to in connections {
            if self.plan.echoes || to.client != entry.transition.author() {
                self.reply(to, &Reply::Entry(sequence, entry.clone(), digest));
            }
        }
    }

    pub(super) fn take_request(
        &mut self,
        node: usize,
        from: Address,
        request: Request<M::Transition>,
    ) {
        if self.nodes[node].sequencer.is_none() {
            return;
        }
        match request {
            Request::Hello(has) => {
                let connections = &mut self.nodes[node].connections;
                connections.retain(|known| known.client != from.client || *known > from);
                if connections.iter().any(|known| known.client == from.client) {
                    return;
                }
                connections.insert(from);
                let sequence = has.map(|(sequence, _)| sequence);
                if sequence > self.sequence(node) {
                    self.replay_log(node);
                }
                self.catch_up(node, from, has);
            }
            Request::Propose(proposal) if self.nodes[node].storing.is_some() => {
                self.nodes[node].queue.push_back((from, proposal));
            }
            Request::Propose(proposal) => self.decide(node, from, proposal),
        }
    }

    fn sequence(&self, node: usize) -> Option<Sequence> {
        self.nodes[node].sequencer.as_ref().map(Sequencer::sequence)
    }

    fn catch_up(&mut self, node: usize, to: Address, has: Option<(Sequence, Digest)>) {
        let Some(sequencer) = &self.nodes[node].sequencer else {
            return;
        };
        let now = sequencer.sequence();
        let replies: Vec<Reply<M>> = match sequencer.catch_up(has, self.plan.max_entries) {
            CatchUp::Snapshot(state) => {
                self.counts.count("snapshots");
                vec![Reply::Snapshot(now, serde_json::to_string(state).unwrap())]
            }
            CatchUp::Entries(missed) => {
                let first = now.get() - missed.len() as u64;
                let numbered = (first + 1..).map(Sequence::new).zip(missed);
                let digest = sequencer.digest();
                numbered
                    .map(|(number, entry)| {
                        let digest = (number == now).then_some(digest);
                        Reply::Entry(number, entry.clone(), digest)
                    })
                    .collect()
            }
        };
        for reply in replies {
            self.reply(to, &reply);
        }
    }

    fn decide(&mut self, node: usize, from: Address, proposal: Proposal<M::Transition>) {
        let id = id_of(from.claims);
        let mut amended = proposal.clone();
        amended.transition = M::amended(&proposal.transition, from.client, self.now);
        let mut decision = self.decision(node, from, &amended);
        if decision == Decision::Behind {
            self.counts.count("behind");
            self.replay_log(node);
            decision = self.decision(node, from, &amended);
        }
        let verdict = match decision {
            Decision::Append(draft) => {
                assert_eq!(draft.entry().client, id);
                return self.append(node, from, proposal, draft);
            }
            Decision::Behind => {
                assert!(from.client == self.clients.len(), "ahead of the log");
                ProposalVerdict::Overtaken(self.store.end())
            }
            Decision::LookUp(number) => {
                self.counts.count("looked up");
                let sequencer = self.nodes[node].sequencer.as_ref();
                let sequencer = sequencer.expect("a node that is up");
                sequencer.verdict_after(self.store.entry(number), &id, &amended)
            }
            Decision::Settled(verdict) => verdict,
        };
        if matches!(verdict, ProposalVerdict::Duplicate(_)) {
            self.counts.count("duplicates");
        }
        self.reply(from, &Reply::Verdict(proposal.number, verdict));
    }

    fn decision(
        &self,
        node: usize,
        from: Address,
        proposal: &Proposal<M::Transition>,
    ) -> Decision<M> {
        let sequencer = self.nodes[node].sequencer.as_ref();
        let sequencer = sequencer.expect("a node that is up");
        sequencer.decide(&id_of(from.claims), proposal)
    }

    fn append(
        &mut self,
        node: usize,
        from: Address,
        proposal: Proposal<M::Transition>,
        draft: Draft<M>,
    ) {
        self.nodes[node].storing = Some((from, proposal, draft.clone()));
        let generation = self.nodes[node].generation;
        let unknown = self.plan.unknown;
        let is_answered = !self.chance(unknown);
        let append = Append {
            node,
            generation,
            draft,
            survives_crash: self.chance(500),
            is_answered,
        };
        if is_answered || self.chance(700) {
            let delay = self.delay();
            self.schedule(delay, Event::Write(append));
        }
        if !is_answered {
            self.counts.count("appends unknown");
            let delay = self.delay();
            let is_stored = None;
            self.schedule(
                delay,
                Event::Written {
                    node,
                    generation,
                    is_stored,
                },
            );
        }
    }

    pub(super) fn write(&mut self, append: Append<M>) {
        let Append {
            node,
            generation,
            draft,
            ..
        } = append;
        if self.nodes[node].generation != generation && !append.survives_crash {
            self.counts.count("decided and never stored");
            return;
        }
        let entry = draft.entry();
        let author = entry.transition.author();
        let is_forged = entry.client != id_of(author);
        let author = self.clients.get(author);
        let may_enter = author.is_none_or(|client| client.may_enter(entry.number));
        let stored = self.store.append(draft.base(), entry.clone());
        let is_stored = stored.is_ok();
        if is_stored {
            assert!(may_enter, "stored after its author received a final answer");
            self.counts.count("stored");
            if is_forged {
                self.counts.count("forged entries");
            }
            self.notify_nodes();
        } else {
            self.counts.count("appends in conflict");
        }
        if is_stored && self.nodes[node].generation != generation {
            self.counts.count("stored and never acknowledged");
        }
        if append.is_answered {
            let delay = self.delay();
            let is_stored = Some(is_stored);
            self.schedule(
                delay,
                Event::Written {
                    node,
                    generation,
                    is_stored,
                },
            );
        }
    }

    /// Notifies nodes of a new entry, with random delays; some are not notified.
    fn notify_nodes(&mut self) {
        for node in 0..self.nodes.len() {
            let unwatched = self.plan.unwatched;
            if !self.chance(unwatched) {
                let delay = self.delay();
                self.schedule(delay, Event::Watch(node));
            }
        }
    }

    pub(super) fn written(&mut self, node: usize, generation: u64, is_stored: Option<bool>) {
        if self.nodes[node].generation != generation {
            return;
        }
        let storing = self.nodes[node].storing.take();
        let (from, proposal, draft) = storing.expect("an append is in progress");
        let number = proposal.number;
        let is_next = self.sequence(node) == Some(draft.base());
        match (is_stored, &mut self.nodes[node].sequencer) {
            (Some(true), Some(sequencer)) if is_next => {
                let sequence = sequencer.commit(draft);
                self.broadcast(node);
                self.reply(
                    from,
                    &Reply::Verdict(number, ProposalVerdict::Accepted(sequence)),
                );
            }
            _ => {
                self.replay_log(node);
                let is_known = is_stored.is_some();
                // The log tells the outcome of an unknown append, unless it has no
                // new entry yet.
                if is_known || self.sequence(node) > Some(draft.base()) {
                    self.decide(node, from, proposal);
                }
            }
        }
        while self.nodes[node].storing.is_none()
            && let Some((from, proposal)) = self.nodes[node].queue.pop_front()
        {
            self.decide(node, from, proposal);
        }
    }
}
