use super::Sequence;
use crate::ClientId;

/// A transition that somebody wants made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal<T> {
    /// Which of its author's it is; no two have the same.
    pub number: u64,
    /// The state that it is made for.
    pub base: Sequence,
    /// What is to happen.
    pub transition: T,
}

/// A transition that has its place in the order, and who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry<T> {
    /// Who proposed it.
    pub client: ClientId,
    /// Which of its author's proposals it was.
    pub number: u64,
    /// What has happened.
    pub transition: T,
}

impl<T> LogEntry<T> {
    /// Whether it is what has become of this client's proposal. The transitions
    /// are not compared: the sequencer's side may have amended it.
    pub(super) fn is(&self, client: &ClientId, number: u64) -> bool {
        self.number == number && self.client == *client
    }
}

/// The answer to a proposal, to which a conflict of type `C` may belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalVerdict<C> {
    /// It is the entry with this number.
    Accepted(Sequence),
    /// It has been accepted before, as the entry with this number.
    Duplicate(Sequence),
    /// Another transition came first; the state has this number now.
    Overtaken(Sequence),
    /// It is not possible in the state it was made for.
    Refused(C),
}

impl<C> ProposalVerdict<C> {
    /// The number of the entry that the proposal has become.
    pub fn entry(&self) -> Option<Sequence> {
        match self {
            Self::Accepted(sequence) | Self::Duplicate(sequence) => Some(*sequence),
            Self::Overtaken(_) | Self::Refused(_) => None,
        }
    }
}
