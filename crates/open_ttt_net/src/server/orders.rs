use tokio::sync::oneshot;

use super::computers::Thought;
use super::guests::GuestId;
use super::ledger::Table;
use super::outbox::Outbox;
use super::secrets::Key;
use crate::ClientId;
use crate::matches::{Act, MatchConflict, Player, Seat, Transition};
use crate::protocol::{ErrorCode, Have, MatchStatus, Presence, Shape};
use crate::replication::{Entry, Sequence};

/// What a host is asked to do.
///
/// Small, for the queue of every match has room for dozens.
#[derive(Debug)]
pub(super) enum Order {
    Enter(Box<Enter>),
    Leave(GuestId),
    Propose(Box<Propose>),
    Sit(Box<Sit>),
    Status(oneshot::Sender<MatchStatus>),
    Story(oneshot::Sender<Story>),
    /// Another server tells who is connected to it.
    Gossip {
        server: ClientId,
        presence: Presence,
    },
    Thought {
        sequence: Sequence,
        thought: Option<Thought>,
    },
}

/// Somebody comes.
#[derive(Debug)]
pub(super) struct Enter {
    pub(super) client: ClientId,
    pub(super) key: Option<Key>,
    pub(super) have: Option<Have>,
    pub(super) shape: Shape,
    pub(super) outbox: Outbox,
    pub(super) reply: oneshot::Sender<Result<GuestId, ErrorCode>>,
}

/// Somebody wants something done.
#[derive(Debug)]
pub(super) struct Propose {
    pub(super) guest: GuestId,
    pub(super) number: u64,
    pub(super) base: Sequence,
    pub(super) act: Act,
    /// Half of how long a ping takes.
    pub(super) lag_ms: u64,
}

/// Somebody wants a seat.
#[derive(Debug)]
pub(super) struct Sit {
    pub(super) player: Player,
    pub(super) seat: Option<Seat>,
    /// What opens the seat from now on.
    pub(super) key: Option<Key>,
    /// What proves the other seat, which a computer has to be called from.
    pub(super) by: Option<Key>,
    pub(super) reply: oneshot::Sender<Result<Seat, SitError>>,
}

/// Why somebody has no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SitError {
    Conflict(MatchConflict),
    /// A computer was called by somebody who does not play here.
    NotAPlayer,
    Unavailable,
}

/// All that has happened in a match.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) start: Table,
    pub(super) entries: Vec<Entry<Transition>>,
}
