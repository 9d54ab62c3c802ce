use std::collections::VecDeque;

use open_ttt_lib::state_machine::StateMachine;

use super::{Digest, Entry, Proposal, Sequence, Verdict};
use crate::ClientId;

/// The side that holds a copy: what is certain, and what it hopes for.
///
/// A transition that is [proposed](Self::propose) is [shown](Self::shown) at
/// once. [`outgoing`](Self::outgoing) tells what to send; it may be sent again
/// at any time, after a silence or over a new connection. Proposals are sent one
/// after the other, each when the one before it has its answer.
///
/// A proposal ends in one of two ways: it is confirmed, or it is
/// [taken back](TakenBack), and all that were built on it with it.
#[derive(Clone, Debug)]
pub struct Replica<M: StateMachine> {
    id: ClientId,
    sequence: Sequence,
    confirmed: M,
    shown: M,
    /// What is proposed and has no answer, in order.
    pending: VecDeque<Pending<M::Transition>>,
    /// A proposal of before a snapshot: only its verdict tells whether the
    /// snapshot contains it.
    in_doubt: Option<Proposal<M::Transition>>,
    numbers: u64,
}

#[derive(Clone, Debug)]
struct Pending<T> {
    number: u64,
    transition: T,
}

/// What came of something that was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard<T, C> {
    /// Nothing new: it was known, or it is about what no longer matters.
    Nothing,
    /// Somebody else's transition, while none of one's own was pending.
    Followed,
    /// One's own proposal is confirmed.
    Confirmed,
    /// One's own proposals are taken back.
    TakenBack(TakenBack<T, C>),
    /// Something is missing or differs: one has to ask for what one missed,
    /// naming [`Replica::sequence`], or for a snapshot if `snapshot` is set.
    OutOfStep {
        /// Whether the copy itself is wrong, not only behind.
        snapshot: bool,
    },
}

/// Proposals that did not come to be, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack<T, C> {
    /// What was proposed, in order; the first was answered, the others were
    /// built on it.
    pub transitions: Vec<T>,
    /// Why the first was refused; `None` if another transition came first.
    pub conflict: Option<C>,
}

impl<M: StateMachine> Replica<M> {
    /// A copy of a state that no transition has changed.
    pub fn new(id: ClientId, start: M) -> Self {
        Self::resume(id, Sequence::START, start)
    }

    /// A copy of a state with this number.
    pub fn resume(id: ClientId, sequence: Sequence, state: M) -> Self {
        Self {
            id,
            sequence,
            shown: state.clone(),
            confirmed: state,
            pending: VecDeque::new(),
            in_doubt: None,
            numbers: 0,
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

    /// The state as it will be if all that is proposed is accepted.
    pub const fn shown(&self) -> &M {
        &self.shown
    }

    /// The number of the state that is certain.
    pub const fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// The sum of the state that is certain.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.confirmed)
    }

    /// Whether something proposed has no answer yet.
    pub fn is_waiting(&self) -> bool {
        self.in_doubt.is_some() || !self.pending.is_empty()
    }

    /// How much of what is proposed has no answer yet.
    pub fn pending(&self) -> usize {
        usize::from(self.in_doubt.is_some()) + self.pending.len()
    }

    /// Makes a transition here and proposes it.
    ///
    /// # Errors
    ///
    /// The machine's conflict, if it is not possible in the state shown:
    /// nothing is proposed.
    pub fn propose(&mut self, transition: M::Transition) -> Result<(), M::Conflict> {
        self.shown = self.shown.apply(&transition)?;
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
    pub fn hear_entry(
        &mut self,
        sequence: Sequence,
        entry: &Entry<M::Transition>,
        digest: Option<Digest>,
    ) -> Heard<M::Transition, M::Conflict> {
        if sequence <= self.sequence {
            return Heard::Nothing;
        }
        if sequence != self.sequence.next() {
            return Heard::OutOfStep { snapshot: false };
        }
        let Ok(next) = self.confirmed.apply(&entry.transition) else {
            return Heard::OutOfStep { snapshot: true };
        };
        if digest.is_some_and(|digest| digest != Digest::of(&next)) {
            return Heard::OutOfStep { snapshot: true };
        }
        let own = self
            .pending
            .front()
            .is_some_and(|pending| entry.client == self.id && entry.number == pending.number);
        self.confirmed = next;
        self.sequence = sequence;
        if own {
            self.pending.pop_front();
            if self.pending.is_empty() {
                self.shown.clone_from(&self.confirmed);
            }
            return Heard::Confirmed;
        }
        // What is in doubt keeps its base, and waits for its verdict.
        self.take_back(None).unwrap_or(Heard::Followed)
    }

    /// Takes in the answer to the proposal with this number.
    pub fn hear_verdict(
        &mut self,
        number: u64,
        verdict: Verdict<M::Conflict>,
    ) -> Heard<M::Transition, M::Conflict> {
        if let Some(proposal) = self.in_doubt.take_if(|proposal| proposal.number == number) {
            return match verdict {
                Verdict::Accepted(_) | Verdict::Duplicate(_) => Heard::Confirmed,
                Verdict::Overtaken(_) => Heard::TakenBack(TakenBack {
                    transitions: vec![proposal.transition],
                    conflict: None,
                }),
                Verdict::Refused(conflict) => Heard::TakenBack(TakenBack {
                    transitions: vec![proposal.transition],
                    conflict: Some(conflict),
                }),
            };
        }
        let Some(pending) = self.pending.front() else {
            return Heard::Nothing;
        };
        if pending.number != number {
            return Heard::Nothing;
        }
        match verdict {
            Verdict::Accepted(sequence) | Verdict::Duplicate(sequence) => {
                let entry = Entry {
                    client: self.id.clone(),
                    number,
                    transition: pending.transition.clone(),
                };
                self.hear_entry(sequence, &entry, None)
            }
            Verdict::Overtaken(_) => self.take_back(None).unwrap_or(Heard::Nothing),
            Verdict::Refused(conflict) => self.take_back(Some(conflict)).unwrap_or(Heard::Nothing),
        }
    }

    /// Puts a whole state in place of the copy.
    ///
    /// A proposal that has no answer may be part of it or not: it is no longer
    /// shown, goes on being [sent](Self::outgoing), and its verdict will tell.
    /// Those built on it are taken back. A state older than the copy is thrown
    /// away, unless the copy is known to be wrong (`heal`).
    pub fn hear_snapshot(
        &mut self,
        sequence: Sequence,
        state: M,
        heal: bool,
    ) -> Heard<M::Transition, M::Conflict> {
        if sequence < self.sequence && !heal {
            return Heard::Nothing;
        }
        if self.in_doubt.is_none() {
            self.in_doubt = self.outgoing();
            self.pending.pop_front();
        }
        self.sequence = sequence;
        self.confirmed = state;
        self.take_back(None).unwrap_or(Heard::Followed)
    }

    /// Forgets all that is pending, and shows what is certain.
    fn take_back(
        &mut self,
        conflict: Option<M::Conflict>,
    ) -> Option<Heard<M::Transition, M::Conflict>> {
        self.shown.clone_from(&self.confirmed);
        if self.pending.is_empty() {
            return None;
        }
        let transitions = self
            .pending
            .drain(..)
            .map(|pending| pending.transition)
            .collect();
        Some(Heard::TakenBack(TakenBack {
            transitions,
            conflict,
        }))
    }
}
