use std::collections::VecDeque;

use open_ttt_lib::state_machine::StateMachine;

use super::{Authored, Digest, LogEntry, Proposal, ProposalVerdict, Sequence};
use crate::ClientId;

/// A client's copy of the state: the confirmed state, and the optimistic state
/// with the client's pending proposals applied.
///
/// [`propose`](Self::propose) applies a transition to the
/// [optimistic](Self::optimistic) state at once. [`outgoing`](Self::outgoing) is
/// the proposal to send; it may be sent again at any time, after a timeout or over
/// a new connection. Proposals are sent one at a time, each after the answer to
/// the previous one.
///
/// A proposal is either confirmed or [rolled back](Rollback), together with all
/// proposals that build on it.
#[derive(Clone, Debug)]
pub struct Replica<M: StateMachine> {
    id: ClientId,
    sequence: Sequence,
    confirmed: M,
    optimistic: M,
    /// Unanswered proposals, in order.
    pending: VecDeque<Pending<M::Transition>>,
    /// A proposal made before a snapshot; only its verdict tells whether the
    /// snapshot contains it.
    in_doubt: Option<Proposal<M::Transition>>,
    last_number: u64,
    /// The copy is wrong; only a snapshot repairs it.
    diverged: bool,
}

#[derive(Clone, Debug)]
struct Pending<T> {
    number: u64,
    transition: T,
}

/// The effect of a received message on a [`Replica`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicaUpdate<T, C> {
    /// Nothing changed: the message is known already or no longer matters.
    Unchanged,
    /// Another client's transition was applied; no own proposal was pending.
    Advanced,
    /// An own proposal is confirmed.
    Confirmed,
    /// Own proposals are rolled back.
    RolledBack(Rollback<T, C>),
    /// Entries are missing or the states differ: request a catch-up from the
    /// [sync point](Replica::sync_point).
    OutOfSync,
}

/// Proposals that were not accepted, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollback<T, C> {
    /// The proposed transitions, in order: the first was answered, the others
    /// build on it.
    pub transitions: Vec<T>,
    /// Why the first was refused; `None` if another transition was committed
    /// first.
    pub conflict: Option<C>,
}

type Update<M> = ReplicaUpdate<<M as StateMachine>::Transition, <M as StateMachine>::Conflict>;

impl<M: StateMachine> Replica<M> {
    /// A copy of the initial state.
    ///
    /// The id must be one that no other copy has used: a client that loses its
    /// state takes a new id.
    pub fn new(id: ClientId, start: M) -> Self {
        Self::resume(id, Sequence::START, start)
    }

    /// A copy of the state with this number; the id must be new as well.
    pub fn resume(id: ClientId, sequence: Sequence, state: M) -> Self {
        Self {
            id,
            sequence,
            optimistic: state.clone(),
            confirmed: state,
            pending: VecDeque::new(),
            in_doubt: None,
            last_number: 0,
            diverged: false,
        }
    }

    /// The id under which the copy makes its proposals.
    pub const fn id(&self) -> &ClientId {
        &self.id
    }

    /// The confirmed state.
    pub const fn confirmed(&self) -> &M {
        &self.confirmed
    }

    /// The state as it will be if all pending proposals are accepted unchanged.
    pub const fn optimistic(&self) -> &M {
        &self.optimistic
    }

    /// The number of the confirmed state.
    pub const fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The digest of the confirmed state.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.confirmed)
    }

    /// Where a [catch-up](super::Sequencer::catch_up) has to begin: the confirmed
    /// state, or `None` if the copy is known to be wrong.
    pub fn sync_point(&self) -> Option<(Sequence, Digest)> {
        (!self.diverged).then(|| (self.sequence, self.digest()))
    }

    /// Marks the copy as wrong, so that the next snapshot replaces it whatever its
    /// number; needed when the log was reset.
    pub const fn mark_diverged(&mut self) {
        self.diverged = true;
    }

    /// Whether a proposal is unanswered.
    pub fn has_pending(&self) -> bool {
        self.pending_count() > 0
    }

    /// The number of unanswered proposals.
    pub fn pending_count(&self) -> usize {
        usize::from(self.in_doubt.is_some()) + self.pending.len()
    }

    /// Applies a transition optimistically and proposes it.
    ///
    /// # Errors
    ///
    /// The machine's conflict, if the transition is not possible in the optimistic
    /// state; nothing is proposed then.
    pub fn propose(&mut self, transition: M::Transition) -> Result<(), M::Conflict> {
        self.optimistic = self.optimistic.apply(&transition)?;
        self.last_number += 1;
        self.pending.push_back(Pending {
            number: self.last_number,
            transition,
        });
        Ok(())
    }

    /// The proposal to send now; the same one until it is answered.
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

    /// Applies the entry with this number, and compares the digest of the
    /// resulting state if one is given.
    pub fn receive_entry(
        &mut self,
        sequence: Sequence,
        entry: &LogEntry<M::Transition>,
        digest: Option<Digest>,
    ) -> Update<M>
    where
        M::Transition: Authored,
    {
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
            .pop_front_if(|own| entry.commits(&self.id, own.number, &own.transition));
        if let Some(own) = own {
            if self.pending.is_empty() {
                self.optimistic.clone_from(&self.confirmed);
            } else if own.transition != entry.transition {
                self.reapply_pending();
            }
            return ReplicaUpdate::Confirmed;
        }
        // A proposal in doubt keeps its base and waits for its verdict.
        self.roll_back(None).unwrap_or(ReplicaUpdate::Advanced)
    }

    /// Handles the verdict on the proposal with this number.
    ///
    /// [`Accepted`](ProposalVerdict::Accepted) changes nothing until the
    /// [entry](Self::receive_entry) has arrived, so servers send the entry first.
    pub fn receive_verdict(
        &mut self,
        number: u64,
        verdict: ProposalVerdict<M::Conflict>,
    ) -> Update<M> {
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
                // The copy should contain this entry, but does not.
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
        self.roll_back(conflict).unwrap_or(ReplicaUpdate::Unchanged)
    }

    /// Replaces the copy by a whole state.
    ///
    /// The snapshot may or may not contain the unanswered proposal that is being
    /// sent. That proposal is no longer part of the optimistic state, but is still
    /// [sent](Self::outgoing) until its verdict arrives. The proposals that build
    /// on it are rolled back. A snapshot that is older than the copy or equal to it
    /// is ignored, unless the copy is known to be wrong.
    pub fn receive_snapshot(&mut self, sequence: Sequence, state: M) -> Update<M> {
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
        self.roll_back(None).unwrap_or(ReplicaUpdate::Advanced)
    }

    /// Recomputes the optimistic state, up to the first pending proposal that is
    /// not possible any more; the server will refuse that one.
    fn reapply_pending(&mut self) {
        self.optimistic.clone_from(&self.confirmed);
        for own in &self.pending {
            let Ok(next) = self.optimistic.apply(&own.transition) else {
                return;
            };
            self.optimistic = next;
        }
    }

    /// Drops all pending proposals and resets the optimistic state; `None` if
    /// there were none.
    fn roll_back(&mut self, conflict: Option<M::Conflict>) -> Option<Update<M>> {
        self.optimistic.clone_from(&self.confirmed);
        if self.pending.is_empty() {
            return None;
        }
        let transitions = self.pending.drain(..).map(|own| own.transition).collect();
        Some(ReplicaUpdate::RolledBack(Rollback {
            transitions,
            conflict,
        }))
    }
}
