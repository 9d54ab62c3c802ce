use serde::{Deserialize, Serialize};

use super::Sequence;
use crate::ClientId;

/// A transition that a client proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal<T> {
    /// Numbers the client's proposals; unique for the client.
    pub number: u64,
    /// The state that the proposal was made for.
    pub base: Sequence,
    /// The proposed transition.
    pub transition: T,
}

/// A committed transition and the client that proposed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry<T> {
    /// The proposing client.
    pub client: ClientId,
    /// The number of the client's proposal.
    pub number: u64,
    /// The committed transition.
    pub transition: T,
}

impl<T> LogEntry<T> {
    /// Whether this entry commits the client's proposal. The transitions are not
    /// compared: the sequencer's side may have amended the transition.
    pub(super) fn commits(&self, client: &ClientId, number: u64) -> bool {
        self.number == number && self.client == *client
    }
}

/// The answer to a proposal; a refusal carries a conflict of type `C`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposalVerdict<C> {
    /// The proposal was committed as the entry with this number.
    Accepted(Sequence),
    /// The proposal had been committed earlier, as the entry with this number.
    Duplicate(Sequence),
    /// Another transition was committed first; the state now has this number.
    Overtaken(Sequence),
    /// The transition is not possible in the state it was made for.
    Refused(C),
}
