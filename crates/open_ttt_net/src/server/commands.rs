use tokio::sync::oneshot;

use super::computer_pool::ComputerMove;
use super::connections::ConnectionId;
use super::outbox::Outbox;
use super::secrets::TokenHash;
use super::stored_match::MatchState;
use crate::ClientId;
use crate::matches::{Act, MatchConflict, Player, Seat, Transition};
use crate::protocol::{ErrorCode, KnownState, MatchStatus, Presence, UpdateShape};
use crate::replication::{LogEntry, Sequence};

/// What a host is asked to do.
///
/// Small, for the queue of every match has room for dozens.
#[derive(Debug)]
pub(super) enum MatchCommand {
    Connect(Box<Connect>),
    Leave(ConnectionId),
    Propose(Box<Propose>),
    TakeSeat(Box<TakeSeat>),
    Status(oneshot::Sender<MatchStatus>),
    History(oneshot::Sender<History>),
    /// Another server tells who is connected to it.
    RemotePresence {
        server: ClientId,
        presence: Presence,
    },
    ComputerMove {
        sequence: Sequence,
        thought: Option<ComputerMove>,
    },
}

/// Somebody comes.
#[derive(Debug)]
pub(super) struct Connect {
    pub(super) client: ClientId,
    pub(super) key: Option<TokenHash>,
    pub(super) have: Option<KnownState>,
    pub(super) shape: UpdateShape,
    pub(super) outbox: Outbox,
    pub(super) reply: oneshot::Sender<Result<ConnectionId, ErrorCode>>,
}

/// Somebody wants something done.
#[derive(Debug)]
pub(super) struct Propose {
    pub(super) guest: ConnectionId,
    pub(super) number: u64,
    pub(super) base: Sequence,
    pub(super) act: Act,
    /// Half of how long a ping takes.
    pub(super) lag_ms: u64,
}

/// Somebody wants a seat.
#[derive(Debug)]
pub(super) struct TakeSeat {
    pub(super) player: Player,
    pub(super) seat: Option<Seat>,
    /// What opens the seat from now on.
    pub(super) key: Option<TokenHash>,
    /// What proves the other seat, which a computer has to be called from.
    pub(super) by: Option<TokenHash>,
    pub(super) reply: oneshot::Sender<Result<Seat, TakeSeatError>>,
}

/// Why somebody has no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakeSeatError {
    Conflict(MatchConflict),
    /// A computer was called by somebody who does not play here.
    NotAPlayer,
    Unavailable,
}

/// All that has happened in a match.
#[derive(Debug)]
pub(super) struct History {
    pub(super) start: MatchState,
    pub(super) entries: Vec<LogEntry<Transition>>,
}
