use std::collections::VecDeque;

use open_ttt_net::replication::{Proposal, Replica, ReplicaUpdate, Rollback, Sequence};

use super::event_counts::EventCounts;
use super::store::Store;
use super::subject::Subject;
use super::world::id_of;

/// A replica and a model of it. Any update that contradicts the log or an earlier
/// update fails at once.
pub(super) struct Client<M: Subject> {
    /// The index of the client, by which the nodes know it.
    author: usize,
    pub(super) replica: Replica<M>,
    /// The connected node, and the number of the connection.
    pub(super) node: Option<usize>,
    pub(super) connection: u64,
    /// The number of the proposal sent last, and when.
    pub(super) last_sent: Option<(u64, u64)>,
    /// When the client last requested a catch-up.
    pub(super) last_hello: u64,
    /// Whether a fault has made the copy differ from the log.
    pub(super) is_corrupt: bool,
    /// All proposals, from number 1.
    proposals: Vec<TrackedProposal<M::Transition>>,
    pending: VecDeque<u64>,
    in_doubt: Option<u64>,
}

struct TrackedProposal<T> {
    transition: T,
    /// The base with which the proposal was first sent.
    base: Option<Sequence>,
    outcome: Option<ProposalOutcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProposalOutcome {
    Confirmed,
    RolledBack,
}

/// The kind of message that led to an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Entry,
    Verdict(u64),
    Snapshot,
}

type UpdateOf<M> = ReplicaUpdate<
    <M as open_ttt_lib::state_machine::StateMachine>::Transition,
    <M as open_ttt_lib::state_machine::StateMachine>::Conflict,
>;

impl<M: Subject> Client<M> {
    pub(super) fn new(author: usize) -> Self {
        Self {
            author,
            replica: Replica::new(id_of(author), M::fresh()),
            node: None,
            connection: 0,
            last_sent: None,
            last_hello: 0,
            is_corrupt: false,
            proposals: Vec::new(),
            pending: VecDeque::new(),
            in_doubt: None,
        }
    }

    pub(super) fn propose(&mut self, transition: M::Transition, counts: &mut EventCounts) {
        let expected = self.replica.optimistic().apply(&transition);
        match self.replica.propose(transition.clone()) {
            Ok(()) => {
                assert_eq!(Ok(self.replica.optimistic()), expected.as_ref());
                self.proposals.push(TrackedProposal {
                    transition,
                    base: None,
                    outcome: None,
                });
                self.pending.push_back(self.proposals.len() as u64);
                counts.count("proposed");
            }
            Err(conflict) => {
                assert_eq!(Err(conflict), expected);
                counts.count("refused locally");
            }
        }
    }

    /// The number of the last proposal.
    pub(super) fn last_number(&self) -> u64 {
        self.proposals.len() as u64
    }

    /// The proposal to send, if one is due.
    pub(super) fn outgoing(
        &mut self,
        now: u64,
        resend_after: u64,
    ) -> Option<Proposal<M::Transition>> {
        let proposal = self.replica.outgoing()?;
        let is_due = self
            .last_sent
            .is_none_or(|(number, at)| number != proposal.number || now >= at + resend_after);
        if !is_due {
            return None;
        }
        self.last_sent = Some((proposal.number, now));
        self.proposals[proposal.number as usize - 1].base = Some(proposal.base);
        Some(proposal)
    }

    /// Checks an update of the replica against the model. Returns whether the
    /// replica needs a catch-up.
    pub(super) fn check_update(
        &mut self,
        source: Source,
        update: UpdateOf<M>,
        store: &Store<M>,
        counts: &mut EventCounts,
    ) -> bool {
        if source == Source::Snapshot && update != ReplicaUpdate::Unchanged {
            self.in_doubt = self.in_doubt.or_else(|| self.pending.pop_front());
        }
        match update {
            ReplicaUpdate::Unchanged => {}
            ReplicaUpdate::Advanced => {
                assert!(
                    self.pending.is_empty(),
                    "an overtaken proposal was not reported"
                );
            }
            ReplicaUpdate::Confirmed => {
                let number = match source {
                    Source::Verdict(number) if self.in_doubt == Some(number) => {
                        self.in_doubt = None;
                        counts.count("confirmed after doubt");
                        number
                    }
                    _ => self.pending.pop_front().expect("something to confirm"),
                };
                counts.count("confirmed");
                self.confirm(number, store);
            }
            ReplicaUpdate::RolledBack(rollback) => self.roll_back(source, &rollback, store, counts),
            ReplicaUpdate::OutOfSync => {
                counts.count("out of sync");
                return true;
            }
        }
        false
    }

    fn confirm(&mut self, number: u64, store: &Store<M>) {
        let proposal = &mut self.proposals[number as usize - 1];
        assert_eq!(
            proposal.outcome, None,
            "proposal {number} has an outcome already"
        );
        proposal.outcome = Some(ProposalOutcome::Confirmed);
        let places = store.places(self.author, number);
        assert_eq!(places.len(), 1, "confirmed, and in the log at {places:?}");
        assert!(
            places[0] <= self.replica.sequence(),
            "confirmed, and not part of the confirmed state"
        );
    }

    fn roll_back(
        &mut self,
        source: Source,
        rollback: &Rollback<M::Transition, M::Conflict>,
        store: &Store<M>,
        counts: &mut EventCounts,
    ) {
        let in_doubt = self
            .in_doubt
            .take_if(|number| source == Source::Verdict(*number));
        counts.count(match (&rollback.conflict, in_doubt) {
            (Some(_), _) => "refused",
            (None, Some(_)) => "overtaken after doubt",
            (None, None) => "overtaken",
        });
        let numbers = match in_doubt {
            Some(number) => vec![number],
            None => self.pending.drain(..).collect(),
        };
        let transitions: Vec<_> = numbers
            .iter()
            .map(|number| self.proposals[*number as usize - 1].transition.clone())
            .collect();
        assert_eq!(rollback.transitions, transitions);
        for &number in &numbers {
            let proposal = &mut self.proposals[number as usize - 1];
            assert_eq!(
                proposal.outcome, None,
                "proposal {number} has an outcome already"
            );
            proposal.outcome = Some(ProposalOutcome::RolledBack);
            let places = store.places(self.author, number);
            assert!(
                places.is_empty(),
                "rolled back, and in the log at {places:?}"
            );
        }
        if source != Source::Snapshot {
            self.check_reason(numbers[0], rollback.conflict.as_ref(), store);
        }
    }

    /// A rolled back proposal was refused by its base, or another entry follows its
    /// base.
    fn check_reason(&self, number: u64, conflict: Option<&M::Conflict>, store: &Store<M>) {
        let proposal = &self.proposals[number as usize - 1];
        let Some(base) = proposal.base else { return };
        match conflict {
            Some(conflict) => assert_eq!(
                store.state(base).apply(&proposal.transition).as_ref(),
                Err(conflict)
            ),
            None => assert!(store.end() > base, "overtaken by nothing"),
        }
    }

    /// Checks the invariants.
    pub(super) fn check(&mut self, store: &Store<M>) {
        let replica = &self.replica;
        assert!(replica.sequence() <= store.end(), "ahead of the log");
        let is_right = replica.confirmed() == store.state(replica.sequence());
        assert!(is_right || self.is_corrupt, "not the state of the log");
        if !is_right {
            return;
        }
        self.is_corrupt = false;
        let mut optimistic = replica.confirmed().clone();
        for &number in &self.pending {
            match optimistic.apply(&self.proposals[number as usize - 1].transition) {
                Ok(next) => optimistic = next,
                Err(_) => break,
            }
        }
        assert_eq!(*replica.optimistic(), optimistic, "wrong optimistic state");
    }

    /// Checks the invariants of the outgoing proposal.
    pub(super) fn check_outgoing(&self) {
        let first = self.in_doubt.or(self.pending.front().copied());
        assert_eq!(self.replica.has_pending(), first.is_some());
        let Some(number) = first else { return };
        let proposal = self
            .replica
            .outgoing()
            .expect("a pending proposal is outgoing");
        assert_eq!(proposal.number, number);
        let base = self.proposals[number as usize - 1].base;
        assert_eq!(base.unwrap_or(proposal.base), proposal.base, "another base");
    }

    /// Whether the copy is up to date and all proposals are answered.
    pub(super) fn is_settled(&self, store: &Store<M>) -> bool {
        !self.replica.has_pending()
            && self.replica.sequence() == store.end()
            && self.replica.confirmed() == store.state(store.end())
    }

    /// Checks the outcome of every proposal against the log.
    pub(super) fn check_outcomes(&self, store: &Store<M>) {
        for (index, proposal) in self.proposals.iter().enumerate() {
            let places = store.places(self.author, index as u64 + 1);
            let expected = match proposal.outcome.expect("every proposal has an outcome") {
                ProposalOutcome::Confirmed => 1,
                ProposalOutcome::RolledBack => 0,
            };
            assert_eq!(
                places.len(),
                expected,
                "{:?}, at {places:?}",
                proposal.outcome
            );
        }
    }

    /// Whether this proposal is unanswered, so that it may still enter the log.
    pub(super) fn may_enter(&self, number: u64) -> bool {
        let proposal = self.proposals.get(number as usize - 1);
        proposal.is_some_and(|proposal| proposal.outcome.is_none())
    }
}
