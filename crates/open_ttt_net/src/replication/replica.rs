use std::collections::VecDeque;

use open_ttt_lib::state_machine::StateMachine;

use super::{Digest, LogEntry, Proposal, ProposalVerdict, Sequence};
use crate::ClientId;

/// The side that holds a copy: what is certain, and what it hopes for.
///
/// A transition that is [proposed](Self::propose) is [shown](Self::optimistic) at
/// once. [`outgoing`](Self::outgoing) tells what to send; it may be sent again
/// at any time, after a silence or over a new connection. Proposals are sent one
/// after the other, each when the one before it has its answer.
///
/// A proposal ends in one of two ways: it is confirmed, or it is
/// [taken back](Rollback), and all that were built on it with it.
#[derive(Clone, Debug)]
pub struct Replica<M: StateMachine> {
    id: ClientId,
    sequence: Sequence,
    confirmed: M,
    optimistic: M,
    /// What is proposed and has no answer, in order.
    pending: VecDeque<Pending<M::Transition>>,
    /// A proposal of before a snapshot: only its verdict tells whether the
    /// snapshot contains it.
    in_doubt: Option<Proposal<M::Transition>>,
    numbers: u64,
    /// Known to be wrong: nothing but a snapshot helps.
    diverged: bool,
}

#[derive(Clone, Debug)]
struct Pending<T> {
    number: u64,
    transition: T,
}

/// What came of something that was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaUpdate<T, C> {
    /// Nothing new: it was known, or it is about what no longer matters.
    Unchanged,
    /// Somebody else's transition, while none of one's own was pending.
    Advanced,
    /// One's own proposal is confirmed.
    Confirmed,
    /// One's own proposals are taken back.
    RolledBack(Rollback<T, C>),
    /// Something is missing or differs: one has to ask for what one needs,
    /// naming what one [has](Replica::sync_point).
    OutOfSync,
}

/// Proposals that did not come to be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollback<T, C> {
    /// What was proposed, in order; the first was answered, the others were
    /// built on it.
    pub transitions: Vec<T>,
    /// Why the first was refused; `None` if another transition came first.
    pub conflict: Option<C>,
}

impl<M: StateMachine> Replica<M> {
    /// A copy of a state that no transition has changed.
    ///
    /// The id is to be one that no other copy has had: a client that lost its
    /// memory takes a new one.
    pub fn new(id: ClientId, start: M) -> Self {
        Self::resume(id, Sequence::START, start)
    }

    /// A copy of a state with this number, the id being new as well.
    pub fn resume(id: ClientId, sequence: Sequence, state: M) -> Self {
        Self {
            id,
            sequence,
            optimistic: state.clone(),
            confirmed: state,
            pending: VecDeque::new(),
            in_doubt: None,
            numbers: 0,
            diverged: false,
        }
    }

    /// What its proposals are known by.
    pub const fn id(&self) -> &ClientId {
        &self.id
    }

    /// The state that is certain.
    pub const fn confirmed(&self) -> &M {
        &self.confirmed
    }

    /// The state as it will be if all that is proposed is accepted as it stands.
    pub const fn optimistic(&self) -> &M {
        &self.optimistic
    }

    /// The number of the state that is certain.
    pub const fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The sum of the state that is certain.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.confirmed)
    }

    /// What to name when asking for what one needs
    /// ([`Sequencer::catch_up`](super::Sequencer::catch_up)): the state that is
    /// certain, or nothing if the copy is known to be wrong.
    pub fn sync_point(&self) -> Option<(Sequence, Digest)> {
        (!self.diverged).then(|| (self.sequence, self.digest()))
    }

    /// Takes the copy for wrong, so that the next snapshot replaces it however
    /// old it is: for a log that was set back.
    pub const fn mark_diverged(&mut self) {
        self.diverged = true;
    }

    /// Whether something proposed has no answer yet.
    pub fn has_pending(&self) -> bool {
        self.in_doubt.is_some() || !self.pending.is_empty()
    }

    /// How much of what is proposed has no answer yet.
    pub fn pending_count(&self) -> usize {
        usize::from(self.in_doubt.is_some()) + self.pending.len()
    }

    /// Makes a transition here and proposes it.
    ///
    /// # Errors
    ///
    /// The machine's conflict, if it is not possible in the state shown:
    /// nothing is proposed.
    pub fn propose(&mut self, transition: M::Transition) -> Result<(), M::Conflict> {
        self.optimistic = self.optimistic.apply(&transition)?;
        self.numbers += 1;
        let number = self.numbers;
        self.pending.push_back(Pending { number, transition });
        Ok(())
    }

    /// The proposal that waits for its answer.
    pub fn outgoing(&self) -> Option<Proposal<M::Transition>> {
        if let Some(proposal) = &self.in_doubt {
            return Some(proposal.clone());
        }
        let Pending { number, transition } = self.pending.front()?.clone();
        Some(Proposal {
            number,
            base: self.sequence,
            transition,
        })
    }

    /// Takes in the entry with this number, and compares the sum of the state
    /// behind it if there is one.
    pub fn receive_entry(
        &mut self,
        sequence: Sequence,
        entry: &LogEntry<M::Transition>,
        digest: Option<Digest>,
    ) -> ReplicaUpdate<M::Transition, M::Conflict> {
        if sequence <= self.sequence {
            return ReplicaUpdate::Unchanged;
        }
        if self.diverged || sequence != self.sequence.next() {
            return ReplicaUpdate::OutOfSync;
        }
        let differs = |state| digest.is_some_and(|digest| digest != Digest::of(state));
        let next = match self.confirmed.apply(&entry.transition) {
            Ok(next) if !differs(&next) => next,
            _ => {
                self.diverged = true;
                return ReplicaUpdate::OutOfSync;
            }
        };
        self.confirmed = next;
        self.sequence = sequence;
        let own = self
            .pending
            .pop_front_if(|own| entry.is(&self.id, own.number));
        if let Some(own) = own {
            if self.pending.is_empty() {
                self.optimistic.clone_from(&self.confirmed);
            } else if own.transition != entry.transition {
                self.show();
            }
            return ReplicaUpdate::Confirmed;
        }
        // What is in doubt keeps its base, and waits for its verdict.
        self.take_back(None).unwrap_or(ReplicaUpdate::Advanced)
    }

    /// Takes in the answer to the proposal with this number.
    ///
    /// An accepted one changes nothing before its [entry](Self::receive_entry) is
    /// here, which says it all; so that is best sent first.
    pub fn receive_verdict(
        &mut self,
        number: u64,
        verdict: ProposalVerdict<M::Conflict>,
    ) -> ReplicaUpdate<M::Transition, M::Conflict> {
        let is_in_doubt = self
            .in_doubt
            .as_ref()
            .is_some_and(|own| own.number == number);
        if !is_in_doubt && self.pending.front().is_none_or(|own| own.number != number) {
            return ReplicaUpdate::Unchanged;
        }
        let conflict = match verdict {
            ProposalVerdict::Accepted(entry) | ProposalVerdict::Duplicate(entry) => {
                if is_in_doubt && entry <= self.sequence {
                    self.in_doubt = None;
                    return ReplicaUpdate::Confirmed;
                }
                // An entry that the copy should contain, and does not.
                self.diverged |= entry <= self.sequence;
                return ReplicaUpdate::OutOfSync;
            }
            ProposalVerdict::Overtaken(_) => None,
            ProposalVerdict::Refused(conflict) => Some(conflict),
        };
        if is_in_doubt {
            let own = self.in_doubt.take();
            return ReplicaUpdate::RolledBack(Rollback {
                transitions: own.into_iter().map(|own| own.transition).collect(),
                conflict,
            });
        }
        self.take_back(conflict).unwrap_or(ReplicaUpdate::Unchanged)
    }

    /// Puts a whole state in place of the copy.
    ///
    /// A proposal that has no answer may be part of it or not: it is no longer
    /// shown, goes on being [sent](Self::outgoing), and its verdict will tell.
    /// Those built on it are taken back. A state older than the copy, or the
    /// same, is thrown away, unless the copy is known to be wrong.
    pub fn receive_snapshot(
        &mut self,
        sequence: Sequence,
        state: M,
    ) -> ReplicaUpdate<M::Transition, M::Conflict> {
        let known = sequence < self.sequence
            || (sequence == self.sequence && Digest::of(&state) == self.digest());
        if known && !self.diverged {
            return ReplicaUpdate::Unchanged;
        }
        self.diverged = false;
        if self.in_doubt.is_none() {
            self.in_doubt = self.outgoing();
            self.pending.pop_front();
        }
        self.sequence = sequence;
        self.confirmed = state;
        self.take_back(None).unwrap_or(ReplicaUpdate::Advanced)
    }

    /// Shows what is pending behind what is certain, as far as it is possible
    /// there; what is not will be refused.
    fn show(&mut self) {
        self.optimistic.clone_from(&self.confirmed);
        for own in &self.pending {
            let Ok(next) = self.optimistic.apply(&own.transition) else {
                return;
            };
            self.optimistic = next;
        }
    }

    /// Forgets all that is pending, and shows what is certain.
    fn take_back(
        &mut self,
        conflict: Option<M::Conflict>,
    ) -> Option<ReplicaUpdate<M::Transition, M::Conflict>> {
        self.optimistic.clone_from(&self.confirmed);
        if self.pending.is_empty() {
            return None;
        }
        let transitions = self
            .pending
            .drain(..)
            .map(|pending| pending.transition)
            .collect();
        Some(ReplicaUpdate::RolledBack(Rollback {
            transitions,
            conflict,
        }))
    }
}
