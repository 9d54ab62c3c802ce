use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MatchView, Token};
use crate::matches::{Act, MatchConflict, Seat, Transition};
use crate::replication::{Digest, LogEntry, Sequence};
use crate::{ClientId, MatchId};

/// What a client says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// The first message of a connection: who it is, and what it has.
    Hello {
        /// [`VERSION`](super::VERSION).
        protocol: u32,
        /// What its proposals are known by; a new one for each copy of a match,
        /// kept over its connections.
        client: ClientId,
        /// The proof that a seat is its own; a spectator has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        token: Option<Token>,
        /// The state it has from before; none if it begins.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        have: Option<KnownState>,
        /// How it wants to be told what changes.
        #[serde(default)]
        shape: UpdateShape,
    },
    /// Wants something done.
    Propose {
        /// Which of its proposals it is, counted by the client from 1.
        number: u64,
        /// The state it is made for: the last [`Change`] it knows.
        base: Sequence,
        /// What is to be done.
        act: Act,
    },
    /// Asks for an answer at once. A client that is silent for a minute is
    /// taken for gone.
    Ping {
        /// Comes back.
        number: u64,
    },
}

/// The state a client has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownState {
    /// Its number.
    pub sequence: Sequence,
    /// Its sum.
    pub digest: Digest,
}

/// How a client wants to be told what changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateShape {
    /// Transitions, for a client that knows the rules and keeps a copy.
    #[default]
    Transitions,
    /// The whole board to draw, for one that does not.
    Views,
}

/// What the server says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The answer to [`Hello`](ClientMessage::Hello).
    Welcome {
        /// [`VERSION`](super::VERSION).
        protocol: u32,
        /// The match.
        #[serde(rename = "match")]
        id: MatchId,
        /// The seat that the client's token proves.
        seat: Option<Seat>,
        /// The server's time, in milliseconds since 1970.
        now: u64,
        /// The number of the state.
        sequence: Sequence,
        /// The sum of the state.
        digest: Digest,
        /// How to get there.
        state: WelcomeState,
        /// Who is there.
        presence: Presence,
    },
    /// Something has happened.
    Change(Change),
    /// The client's proposal has become this change.
    Accepted {
        /// The proposal.
        number: u64,
        /// What came of it.
        change: Change,
    },
    /// The client's proposal has become a change before, which it has been told.
    Duplicate {
        /// The proposal.
        number: u64,
        /// The change.
        sequence: Sequence,
    },
    /// Another change came first. The client has been told it, and may propose
    /// anew.
    Overtaken {
        /// The proposal.
        number: u64,
        /// The number of the state now.
        sequence: Sequence,
    },
    /// The client's proposal is not possible.
    Refused {
        /// The proposal.
        number: u64,
        /// Why, for a program.
        conflict: MatchConflict,
        /// Why, for a person.
        text: String,
    },
    /// The client's proposal was not stored, and has no answer yet: it may be
    /// sent again in a while.
    Delayed {
        /// The proposal.
        number: u64,
        /// How long to wait, in milliseconds.
        retry_ms: u64,
    },
    /// Who is there has changed.
    Presence(Presence),
    /// The answer to [`Ping`](ClientMessage::Ping).
    Pong {
        /// That of the ping.
        number: u64,
        /// The server's time, in milliseconds since 1970.
        now: u64,
    },
    /// Something is wrong, and the connection ends.
    Error {
        /// What, for a program.
        code: ErrorCode,
        /// What, for a person.
        text: String,
    },
}

/// How a client gets to the present state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WelcomeState {
    /// By what it missed, which may be nothing.
    Entries(Vec<EntryWire>),
    /// By taking the state as a whole.
    Snapshot(Value),
    /// By drawing this.
    View(Box<MatchView>),
}

/// Something that has happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Its number, and that of the state behind it.
    pub sequence: Sequence,
    /// The sum of the state behind it.
    pub digest: Digest,
    /// Whose proposal it was, and which.
    #[serde(flatten)]
    pub entry: EntryWire,
    /// What there is to see now, for those who want [views](UpdateShape::Views).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Box<MatchView>>,
}

/// An entry of the match's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryWire {
    /// Who proposed it.
    pub client: ClientId,
    /// Which of its author's proposals it was.
    pub number: u64,
    /// What has happened.
    pub transition: Transition,
}

/// Who is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Whether the players of seat A and seat B are connected, or computers.
    pub seats: [bool; 2],
    /// How many others watch.
    pub watchers: u32,
}

/// What is wrong with a connection or a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorCode {
    /// What was sent is no message of this protocol.
    BadMessage,
    /// The client speaks another version.
    BadVersion,
    /// The token opens no seat here.
    BadToken,
    /// The page that asks comes from elsewhere.
    BadOrigin,
    /// There is no such match.
    NoSuchMatch,
    /// There is nothing at this address.
    NotFound,
    /// What is at this address does not take such requests.
    WrongMethod,
    /// The seat cannot be taken.
    SeatTaken,
    /// The game, the player or the clock asked for do not exist.
    BadRequest,
    /// More than this server allows an address.
    TooMany,
    /// The client does not read what it is sent; it may come back.
    TooSlow,
    /// The client has said nothing for too long.
    TimedOut,
    /// The match has had more changes than this server keeps.
    TooLong,
    /// The server ends; others may go on.
    ShuttingDown,
    /// The server cannot reach its store.
    Unavailable,
}

impl From<LogEntry<Transition>> for EntryWire {
    fn from(entry: LogEntry<Transition>) -> Self {
        Self {
            client: entry.client,
            number: entry.number,
            transition: entry.transition,
        }
    }
}

impl From<EntryWire> for LogEntry<Transition> {
    fn from(wire: EntryWire) -> Self {
        Self {
            client: wire.client,
            number: wire.number,
            transition: wire.transition,
        }
    }
}
