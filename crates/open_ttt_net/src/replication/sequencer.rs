use open_ttt_lib::state_machine::StateMachine;

use super::{Authored, Digest, LogEntry, Proposal, ProposalVerdict, Sequence};
use crate::ClientId;

/// Puts transitions in order: the current state, and the last entries that led to it, or all.
///
/// The log is the only source of truth. A proposal that [`decide`](Self::decide)
/// lets through is stored first and [committed](Self::commit) afterwards; a lost
/// sequencer is rebuilt by [replaying](Self::replay) the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequencer<M: StateMachine> {
    state: M,
    /// The number of the first entries, which are not kept any more.
    dropped: u64,
    /// All others.
    entries: Vec<LogEntry<M::Transition>>,
    /// How many entries are kept at least.
    kept: usize,
}

/// How to proceed with a proposal.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision<M: StateMachine> {
    /// Send this verdict to the author; there is nothing to store.
    Settled(ProposalVerdict<M::Conflict>),
    /// Store this entry, then [commit](Sequencer::commit) it.
    Append(Draft<M>),
    /// [Replay](Sequencer::replay) the rest of the log and decide again: the
    /// proposal was made for a state that this sequencer has not reached, and may
    /// be in the log already.
    ///
    /// If the log has no further entries, that state never existed, and the
    /// proposal is [overtaken](ProposalVerdict::Overtaken).
    Behind,
    /// Read the entry with this number from the log, which tells the
    /// [verdict](Sequencer::verdict_after): the sequencer doesn't keep it any more.
    LookUp(Sequence),
}

/// An uncommitted entry that fits after the last one, and the state it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft<M: StateMachine> {
    base: Sequence,
    entry: LogEntry<M::Transition>,
    next: M,
}

/// What a client that has fallen behind needs.
#[derive(Clone, Debug, PartialEq)]
pub enum CatchUp<'a, M: StateMachine> {
    /// The entries after the client's state; possibly empty.
    Entries(&'a [LogEntry<M::Transition>]),
    /// The whole state.
    Snapshot(&'a M),
}

impl<M: StateMachine> Sequencer<M> {
    /// A sequencer with an initial state and no entries. It keeps all that follow.
    pub const fn new(start: M) -> Self {
        Self::keeping(usize::MAX, start)
    }

    /// A sequencer with an initial state and no entries. Of those that follow it keeps the
    /// last `entries`, up to twice as many for a while, and at least one: its memory is
    /// bounded however long the log is. Clients that have missed more get the whole state.
    pub const fn keeping(entries: usize, start: M) -> Self {
        Self {
            state: start,
            dropped: 0,
            entries: Vec::new(),
            kept: if entries == 0 { 1 } else { entries },
        }
    }

    /// The current state.
    pub const fn state(&self) -> &M {
        &self.state
    }

    /// The number of the current state.
    pub fn sequence(&self) -> Sequence {
        Sequence::new(self.dropped + self.entries.len() as u64)
    }

    /// The digest of the current state.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.state)
    }

    /// The entries after the state with this number; `None` if there is no such
    /// state yet, or not all of these entries are kept.
    pub fn entries_after(&self, sequence: Sequence) -> Option<&[LogEntry<M::Transition>]> {
        let index = sequence.get().checked_sub(self.dropped)?;
        self.entries.get(usize::try_from(index).ok()?..)
    }

    /// The last entry; `None` in the initial state.
    pub fn last_entry(&self) -> Option<&LogEntry<M::Transition>> {
        self.entries.last()
    }

    /// Decides what becomes of a proposal.
    ///
    /// The caller may amend the transition before, for example with the time of
    /// arrival, as long as the amendment does not decide whether the transition is
    /// possible: another copy of the proposal, amended differently, may be on its
    /// way to the log. To reject a late proposal, append an entry that overtakes
    /// it instead of refusing it.
    ///
    /// The transition's [author](Authored) is the one that the caller has
    /// authenticated, never one that the client claims to be.
    pub fn decide(&self, client: &ClientId, proposal: &Proposal<M::Transition>) -> Decision<M>
    where
        M::Transition: Authored,
    {
        let now = self.sequence();
        if proposal.base.get() < self.dropped {
            return Decision::LookUp(proposal.base.next());
        }
        let after_base = self.entries_after(proposal.base).and_then(<[_]>::first);
        if let Some(entry) = after_base {
            return Decision::Settled(self.verdict_after(entry, client, proposal));
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

    /// The verdict on a proposal after whose base the log has this entry.
    pub fn verdict_after(
        &self,
        entry: &LogEntry<M::Transition>,
        client: &ClientId,
        proposal: &Proposal<M::Transition>,
    ) -> ProposalVerdict<M::Conflict>
    where
        M::Transition: Authored,
    {
        if entry.commits(client, proposal.number, &proposal.transition) {
            ProposalVerdict::Duplicate(proposal.base.next())
        } else {
            ProposalVerdict::Overtaken(self.sequence())
        }
    }

    /// Adds a stored entry and returns its number.
    ///
    /// # Panics
    ///
    /// If the draft was made for another state. That happens if the log is
    /// [replayed](Self::replay) concurrently and has delivered the entry already.
    pub fn commit(&mut self, draft: Draft<M>) -> Sequence {
        assert_eq!(draft.base, self.sequence(), "a draft for another state");
        self.state = draft.next;
        self.push(draft.entry)
    }

    /// Adds the next entry of the log, regardless of which sequencer stored it.
    ///
    /// # Errors
    ///
    /// The machine's conflict, if the entry is not possible: the log belongs to
    /// another machine.
    pub fn replay(&mut self, entry: LogEntry<M::Transition>) -> Result<Sequence, M::Conflict> {
        self.state.advance(&entry.transition)?;
        Ok(self.push(entry))
    }

    /// Adds an entry, and drops the first ones from time to time.
    fn push(&mut self, entry: LogEntry<M::Transition>) -> Sequence {
        self.entries.push(entry);
        if self.entries.len() > self.kept.saturating_mul(2) {
            let first = self.entries.len() - self.kept;
            self.entries.drain(..first);
            self.dropped += first as u64;
        }
        self.sequence()
    }

    /// What a client with this [state](super::Replica::sync_point) needs: at most
    /// `most` entries, or else the whole state.
    ///
    /// A client whose digest of the current state differs gets the whole state. If
    /// the client's state is later than this sequencer's, the caller has to replay
    /// the rest of the log first.
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

impl<M: StateMachine> Draft<M> {
    /// The number of the last entry before this one.
    pub const fn base(&self) -> Sequence {
        self.base
    }

    /// The entry to store.
    pub const fn entry(&self) -> &LogEntry<M::Transition> {
        &self.entry
    }
}
