use std::net::IpAddr;

use tokio::sync::oneshot;

use super::api_error::ApiError;
use super::connections::ConnectionId;
use super::outbox::{Frame, Outbox};
use super::secrets::Credentials;
use crate::ClientId;
use crate::matches::{Act, Player, Seat};
use crate::protocol::admin::MatchDescription;
use crate::protocol::{ErrorReport, Hello, MatchStatus, PlayerId, Presence};
use crate::replication::Sequence;

/// A message to a match actor. Large variants are boxed: each match has a queue
/// for dozens of messages.
#[derive(Debug)]
pub(super) enum MatchCommand {
    Connect(Box<Connect>),
    Disconnect(ConnectionId),
    Propose(Box<Propose>),
    TakeSeat(Box<TakeSeat>),
    /// A player who waits for an opponent gives up: see [`Withdraw`].
    Withdraw(Box<Withdraw>),
    GetStatus(oneshot::Sender<MatchStatus>),
    Describe(oneshot::Sender<MatchDescription>),
    /// Asks for a reply once what is due is done and stored, such as the end of a player's
    /// time.
    Settle(oneshot::Sender<()>),
    /// Closes all connections for this reason.
    Close(Box<ErrorReport>),
    /// Closes the connections of banned addresses.
    DropBanned,
    /// Sends a message to all connections.
    Send(Box<Frame>),
    RemotePresence(Box<RemotePresence>),
    /// The server's clock was set forward.
    KeepTime,
    ComputerDecided(Box<ComputerDecided>),
}

/// Who is connected to a match at another server.
#[derive(Debug)]
pub(super) struct RemotePresence {
    pub(super) server: ClientId,
    pub(super) presence: Presence,
}

/// The result of a computer's job.
#[derive(Debug)]
pub(super) struct ComputerDecided {
    /// The state in which it had to decide.
    pub(super) sequence: Sequence,
    /// `None` if it failed.
    pub(super) decision: Option<Act>,
}

/// A client has sent its hello.
#[derive(Debug)]
pub(super) struct Connect {
    pub(super) hello: Hello,
    /// The client's address.
    pub(super) address: IpAddr,
    pub(super) outbox: Outbox,
    pub(super) reply: oneshot::Sender<Result<ConnectionId, ErrorReport>>,
}

/// A client proposes an act.
#[derive(Debug)]
pub(super) struct Propose {
    pub(super) connection: ConnectionId,
    pub(super) number: u64,
    pub(super) base: Sequence,
    pub(super) act: Act,
    /// Half of the round-trip time.
    pub(super) lag_ms: u64,
}

/// A player joins.
#[derive(Debug)]
pub(super) struct TakeSeat {
    pub(super) player: Player,
    /// `None` for any open seat.
    pub(super) seat: Option<Seat>,
    /// What identifies the new player from now on.
    pub(super) holder: Credentials,
    /// The client that asks. Only a player may add a computer.
    pub(super) requester: Credentials,
    pub(super) reply: oneshot::Sender<Result<Seat, ApiError>>,
}

/// A player no longer waits for an opponent, and takes the other seat as well, so that
/// nobody else does. The reply is whether nobody had.
#[derive(Debug)]
pub(super) struct Withdraw {
    pub(super) player: PlayerId,
    pub(super) reply: oneshot::Sender<Result<bool, ApiError>>,
}
