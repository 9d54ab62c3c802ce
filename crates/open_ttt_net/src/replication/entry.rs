use open_ttt_lib::state_machine::GameMove;
use serde::{Deserialize, Serialize};

use super::Sequence;
use crate::ClientId;

/// A transition that tells who makes it.
///
/// A client's id is public and proves nothing: anybody can use that of another
/// client. The author is what whoever runs the sequencer has authenticated, such as
/// a seat, and writes into the transition. A proposal is identified by its author,
/// the client's id and the number together, so an entry of one author can neither
/// answer nor confirm another author's proposal.
pub trait Authored {
    /// Who makes transitions; `()` if the client's id is all there is.
    type Author: PartialEq;

    /// Who makes this transition.
    fn author(&self) -> Self::Author;
}

/// A bare move has no author.
impl Authored for GameMove {
    type Author = ();

    fn author(&self) {}
}

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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogEntry<T> {
    /// The proposing client.
    pub client: ClientId,
    /// The number of the client's proposal.
    pub number: u64,
    /// The committed transition.
    pub transition: T,
}

impl<T: Authored> LogEntry<T> {
    /// Whether this entry commits the client's proposal of a transition. Only the
    /// authors of the transitions are compared: the sequencer's side may have
    /// amended the rest.
    pub(super) fn commits(&self, client: &ClientId, number: u64, proposed: &T) -> bool {
        self.number == number
            && self.client == *client
            && self.transition.author() == proposed.author()
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
