use std::collections::{BTreeSet, VecDeque};

use open_ttt_net::replication::{
    CatchUp, Decision, Draft, Proposal, ProposalVerdict, Sequence, Sequencer,
};

use super::subject::Subject;
use super::world::{Address, Event, Reply, Request, World, id_of};

/// A server: what it has in memory, which a crash loses.
pub(super) struct Node<M: Subject> {
    /// `None` while it is down.
    sequencer: Option<Sequencer<M>>,
    /// How often it has been started.
    life: u64,
    connections: BTreeSet<Address>,
    /// Whose proposal is being stored.
    storing: Option<(Address, Proposal<M::Transition>, Draft<M>)>,
    waiting: VecDeque<(Address, Proposal<M::Transition>)>,
}

/// An entry on its way to the log.
#[derive(Debug)]
pub(super) struct Append<M: Subject> {
    node: usize,
    life: u64,
    draft: Draft<M>,
    /// Whether it arrives even if its node is dead by then.
    outlives: bool,
    /// Whether the node will hear what became of it.
    is_answered: bool,
}

impl<M: Subject> Node<M> {
    pub(super) fn new() -> Self {
        Self {
            sequencer: Some(Sequencer::new(M::fresh())),
            life: 0,
            connections: BTreeSet::new(),
            storing: None,
            waiting: VecDeque::new(),
        }
    }
}

impl<M: Subject> World<M> {
    pub(super) fn crash(&mut self, node: usize) {
        self.tally.count("crashed");
        if self.nodes[node].storing.is_some() {
            self.tally.count("crashed while storing");
        }
        self.nodes[node] = Node {
            sequencer: None,
            life: self.nodes[node].life + 1,
            ..Node::new()
        };
        let delay = self.delay();
        self.after(delay, Event::Restart(node));
    }

    pub(super) fn restart(&mut self, node: usize) {
        if self.nodes[node].sequencer.is_none() {
            self.nodes[node].sequencer = Some(Sequencer::new(M::fresh()));
            self.follow(node);
            self.plan_crash(node);
        }
    }

    /// Reads the log to its end, and tells those who are connected.
    pub(super) fn follow(&mut self, node: usize) {
        while let Some(sequencer) = &mut self.nodes[node].sequencer
            && sequencer.sequence() < self.store.end()
        {
            let entry = self.store.entry(sequencer.sequence().next()).clone();
            sequencer.replay(entry).expect("an entry of this machine");
            self.tell(node);
        }
    }

    /// Tells those who are connected of the last entry.
    fn tell(&mut self, node: usize) {
        let summed = self.weather.summed;
        let is_summed = self.chance(summed);
        let Some(sequencer) = &self.nodes[node].sequencer else {
            return;
        };
        let sequence = sequencer.sequence();
        let digest = is_summed.then(|| sequencer.digest());
        let entry = self.store.entry(sequence).clone();
        let connections: Vec<_> = self.nodes[node].connections.iter().copied().collect();
        for to in connections {
            if self.weather.echoes || id_of(to.client) != entry.client {
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
                    self.follow(node);
                }
                self.catch_up(node, from, has);
            }
            Request::Propose(proposal) if self.nodes[node].storing.is_some() => {
                self.nodes[node].waiting.push_back((from, proposal));
            }
            Request::Propose(proposal) => self.judge(node, from, proposal),
        }
    }

    fn sequence(&self, node: usize) -> Option<Sequence> {
        self.nodes[node].sequencer.as_ref().map(Sequencer::sequence)
    }

    fn catch_up(
        &mut self,
        node: usize,
        to: Address,
        has: Option<(Sequence, open_ttt_net::replication::Digest)>,
    ) {
        let Some(sequencer) = &self.nodes[node].sequencer else {
            return;
        };
        let now = sequencer.sequence();
        let replies: Vec<Reply<M>> = match sequencer.catch_up(has, self.weather.entries) {
            CatchUp::Snapshot(state) => {
                self.tally.count("snapshots");
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

    fn judge(&mut self, node: usize, from: Address, proposal: Proposal<M::Transition>) {
        let id = id_of(from.client);
        let mut amended = proposal.clone();
        amended.transition = M::amended(&proposal.transition, self.now);
        let mut judgement = self.judgement(node, from, &amended);
        if judgement == Decision::Behind {
            self.tally.count("behind");
            self.follow(node);
            judgement = self.judgement(node, from, &amended);
        }
        let verdict = match judgement {
            Decision::Append(draft) => {
                assert_eq!(draft.entry().client, id);
                return self.append(node, from, proposal, draft);
            }
            Decision::Behind => {
                assert!(from.client == self.clients.len(), "ahead of the log");
                ProposalVerdict::Overtaken(self.store.end())
            }
            Decision::Settled(verdict) => verdict,
        };
        if matches!(verdict, ProposalVerdict::Duplicate(_)) {
            self.tally.count("duplicates");
        }
        self.reply(from, &Reply::Verdict(proposal.number, verdict));
    }

    fn judgement(
        &self,
        node: usize,
        from: Address,
        proposal: &Proposal<M::Transition>,
    ) -> Decision<M> {
        let sequencer = self.nodes[node].sequencer.as_ref();
        let sequencer = sequencer.expect("a node that is up");
        sequencer.decide(&id_of(from.client), proposal)
    }

    fn append(
        &mut self,
        node: usize,
        from: Address,
        proposal: Proposal<M::Transition>,
        draft: Draft<M>,
    ) {
        self.nodes[node].storing = Some((from, proposal, draft.clone()));
        let life = self.nodes[node].life;
        let unknown = self.weather.unknown;
        let is_answered = !self.chance(unknown);
        let append = Append {
            node,
            life,
            draft,
            outlives: self.chance(500),
            is_answered,
        };
        if is_answered || self.chance(700) {
            let delay = self.delay();
            self.after(delay, Event::Write(append));
        }
        if !is_answered {
            self.tally.count("appends unknown");
            let delay = self.delay();
            let is_stored = None;
            self.after(
                delay,
                Event::Written {
                    node,
                    life,
                    is_stored,
                },
            );
        }
    }

    pub(super) fn write(&mut self, append: Append<M>) {
        let Append {
            node, life, draft, ..
        } = append;
        if self.nodes[node].life != life && !append.outlives {
            self.tally.count("judged and never stored");
            return;
        }
        let entry = draft.entry();
        let author = self
            .clients
            .iter()
            .find(|client| *client.replica.id() == entry.client);
        let is_fit = author.is_none_or(|client| client.may_enter(entry.number));
        let stored = self.store.append(draft.base(), entry.clone());
        let is_stored = stored.is_ok();
        if is_stored {
            assert!(is_fit, "stored after its author was told of its end");
            self.tally.count("stored");
            self.spread();
        } else {
            self.tally.count("appends in conflict");
        }
        if is_stored && self.nodes[node].life != life {
            self.tally.count("stored and never acknowledged");
        }
        if append.is_answered {
            let delay = self.delay();
            let is_stored = Some(is_stored);
            self.after(
                delay,
                Event::Written {
                    node,
                    life,
                    is_stored,
                },
            );
        }
    }

    /// Lets nodes know of a new entry, sooner or later or not at all.
    fn spread(&mut self) {
        for node in 0..self.nodes.len() {
            let unwatched = self.weather.unwatched;
            if !self.chance(unwatched) {
                let delay = self.delay();
                self.after(delay, Event::Watch(node));
            }
        }
    }

    pub(super) fn written(&mut self, node: usize, life: u64, is_stored: Option<bool>) {
        if self.nodes[node].life != life {
            return;
        }
        let storing = self.nodes[node].storing.take();
        let (from, proposal, draft) = storing.expect("what was asked for");
        let number = proposal.number;
        let is_next = self.sequence(node) == Some(draft.base());
        match (is_stored, &mut self.nodes[node].sequencer) {
            (Some(true), Some(sequencer)) if is_next => {
                let sequence = sequencer.commit(draft);
                self.tell(node);
                self.reply(
                    from,
                    &Reply::Verdict(number, ProposalVerdict::Accepted(sequence)),
                );
            }
            _ => {
                self.follow(node);
                let is_sure = is_stored.is_some();
                // Of what is unknown the log tells, or nobody yet.
                if is_sure || self.sequence(node) > Some(draft.base()) {
                    self.judge(node, from, proposal);
                }
            }
        }
        while self.nodes[node].storing.is_none()
            && let Some((from, proposal)) = self.nodes[node].waiting.pop_front()
        {
            self.judge(node, from, proposal);
        }
    }
}
