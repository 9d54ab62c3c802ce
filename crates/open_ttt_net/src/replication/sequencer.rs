use open_ttt_lib::state_machine::StateMachine;

use super::{Digest, LogEntry, Proposal, ProposalVerdict, Sequence};
use crate::ClientId;

/// The side that puts transitions in order: the state, and the entries that
/// led to it.
///
/// It decides nothing that is not in its log. What [`decide`](Self::decide) lets
/// pass is stored first and [committed](Self::commit) then; a sequencer that is
/// lost is made anew by [following](Self::replay) the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequencer<M: StateMachine> {
    start: M,
    state: M,
    entries: Vec<LogEntry<M::Transition>>,
}

/// What is to be done about a proposal.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision<M: StateMachine> {
    /// Nothing but to tell its author.
    Settled(ProposalVerdict<M::Conflict>),
    /// To store an entry, and then to [commit](Sequencer::commit) it.
    Append(Draft<M>),
    /// To read the log to its end, [following](Sequencer::replay) it, and to
    /// judge again: the proposal was made for a state that this side has not
    /// reached, and may stand in the log already.
    ///
    /// Only if the log goes no further has there never been such a state, and
    /// the proposal is [overtaken](ProposalVerdict::Overtaken).
    Behind,
}

/// An entry that fits behind the last one, and the state it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft<M: StateMachine> {
    base: Sequence,
    entry: LogEntry<M::Transition>,
    next: M,
}

/// What somebody needs who has fallen behind.
#[derive(Clone, Debug, PartialEq)]
pub enum CatchUp<'a, M: StateMachine> {
    /// The entries behind what they have, which may be none.
    Entries(&'a [LogEntry<M::Transition>]),
    /// The whole state.
    Snapshot(&'a M),
}

impl<M: StateMachine> Sequencer<M> {
    /// Begins with a state and no entries.
    pub fn new(start: M) -> Self {
        Self {
            state: start.clone(),
            start,
            entries: Vec::new(),
        }
    }

    /// The state that all entries have led to.
    pub const fn state(&self) -> &M {
        &self.state
    }

    /// The state before the first entry.
    pub const fn start(&self) -> &M {
        &self.start
    }

    /// How many entries there are.
    pub fn sequence(&self) -> Sequence {
        Sequence::new(self.entries.len() as u64)
    }

    /// The sum of the state.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.state)
    }

    /// The entries behind this state; `None` if it lies in the future.
    pub fn entries_after(&self, sequence: Sequence) -> Option<&[LogEntry<M::Transition>]> {
        let index = usize::try_from(sequence.get()).ok()?;
        self.entries.get(index..)
    }

    /// What becomes of a proposal.
    ///
    /// Its transition may be amended first, by the time it was taken in, say, as
    /// long as that does not decide whether it is possible: another copy of the
    /// proposal, amended otherwise, may be on its way to the log. What comes too
    /// late is to be overtaken by an entry that says so, and not refused.
    pub fn decide(&self, client: &ClientId, proposal: &Proposal<M::Transition>) -> Decision<M> {
        let now = self.sequence();
        let behind = self.entries_after(proposal.base).and_then(<[_]>::first);
        if let Some(entry) = behind {
            let own = entry.is(client, proposal.number);
            return Decision::Settled(if own {
                ProposalVerdict::Duplicate(proposal.base.next())
            } else {
                ProposalVerdict::Overtaken(now)
            });
        }
        if proposal.base != now {
            return Decision::Behind;
        }
        match self.state.apply(&proposal.transition) {
            Err(conflict) => Decision::Settled(ProposalVerdict::Refused(conflict)),
            Ok(next) => Decision::Append(Draft {
                base: now,
                entry: LogEntry {
                    client: client.clone(),
                    number: proposal.number,
                    transition: proposal.transition.clone(),
                },
                next,
            }),
        }
    }

    /// Adds an entry that has been stored, and tells its number.
    ///
    /// # Panics
    ///
    /// If the draft was made for another state: where the log is
    /// [followed](Self::replay) at the same time, the entry may have come that
    /// way before.
    pub fn commit(&mut self, draft: Draft<M>) -> Sequence {
        assert_eq!(draft.base, self.sequence(), "a draft for another state");
        self.entries.push(draft.entry);
        self.state = draft.next;
        self.sequence()
    }

    /// Adds the next entry of the log, whoever stored it.
    ///
    /// # Errors
    ///
    /// The machine's conflict, if the entry is not possible: the log is not one
    /// of this machine.
    pub fn replay(&mut self, entry: LogEntry<M::Transition>) -> Result<Sequence, M::Conflict> {
        self.state = self.state.apply(&entry.transition)?;
        self.entries.push(entry);
        Ok(self.sequence())
    }

    /// What somebody needs who [has](super::Replica::sync_point) this state: at most
    /// `most` entries, or the state as a whole.
    ///
    /// Whose own sum of the present state differs is given the state. Whoever
    /// has a later state than this side should be answered only after the log
    /// was read to its end.
    pub fn catch_up(&self, has: Option<(Sequence, Digest)>, most: usize) -> CatchUp<'_, M> {
        let snapshot = CatchUp::Snapshot(&self.state);
        let Some((sequence, digest)) = has else {
            return snapshot;
        };
        match self.entries_after(sequence) {
            Some([]) if digest != self.digest() => snapshot,
            Some(missed) if missed.len() <= most => CatchUp::Entries(missed),
            _ => snapshot,
        }
    }
}

impl<M: StateMachine> Decision<M> {
    /// The verdict, if nothing has to be stored for it.
    pub fn verdict(&self) -> Option<&ProposalVerdict<M::Conflict>> {
        match self {
            Self::Settled(verdict) => Some(verdict),
            Self::Append(_) | Self::Behind => None,
        }
    }
}

impl<M: StateMachine> Draft<M> {
    /// The last entry before it.
    pub const fn base(&self) -> Sequence {
        self.base
    }

    /// What is to be stored.
    pub const fn entry(&self) -> &LogEntry<M::Transition> {
        &self.entry
    }

    /// The state that it leads to.
    pub const fn next(&self) -> &M {
        &self.next
    }
}
