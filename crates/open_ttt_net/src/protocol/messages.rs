use serde::{Deserialize, Serialize};

use super::{ErrorReport, MatchView, PlayerKey, Token};
use crate::matches::{Act, MatchConflict, SavedMatch, Seat, Transition};
use crate::replication::{Digest, LogEntry, Sequence};
use crate::{ClientId, MatchId};

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// The first message of a connection.
    Hello(Hello),
    /// Proposes an act.
    Propose {
        /// Numbers the client's proposals, from 1.
        number: u64,
        /// The state the act is meant for: the last [`Change`] the client knows.
        base: Sequence,
        /// The proposed act.
        act: Act,
    },
    /// Requests a [`Pong`](ServerMessage::Pong). The server disconnects a client that
    /// sends nothing for a minute.
    Ping {
        /// Repeated in the pong.
        number: u64,
    },
}

#[cfg(feature = "server")]
impl ClientMessage {
    /// Reads a message, and proposals, which are most of them, in half the time:
    /// otherwise the type of a message is found before its fields are read.
    ///
    /// # Errors
    ///
    /// As by deserializing it.
    pub(crate) fn from_json(json: &str) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Proposal {
            #[serde(rename = "type")]
            _type: ProposalType,
            number: u64,
            base: Sequence,
            act: Act,
        }

        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum ProposalType {
            Propose,
        }

        match serde_json::from_str(json) {
            Ok(Proposal {
                number, base, act, ..
            }) => Ok(Self::Propose { number, base, act }),
            Err(_) => serde_json::from_str(json),
        }
    }
}

/// The first message of a connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// [`VERSION`](super::VERSION).
    pub protocol: u32,
    /// The client's id: new for each copy of a match, kept across connections.
    pub client: ClientId,
    /// The token of the client's seat; absent for spectators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Token>,
    /// The player's key. Without a token it gives the seat that was taken with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PlayerKey>,
    /// The state that the client has from an earlier connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub have: Option<KnownState>,
    /// The form in which the client receives updates.
    #[serde(default)]
    pub shape: UpdateShape,
}

/// A state that a client already has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct KnownState {
    /// The number of the state.
    pub sequence: Sequence,
    /// The digest of the state.
    pub digest: Digest,
}

/// The form in which a client receives updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum UpdateShape {
    /// Transitions, for a client that knows the rules and keeps a copy of the match.
    #[default]
    Transitions,
    /// The board to draw, for a client that does not know the rules.
    Views,
}

/// A message of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// The answer to [`Hello`].
    Welcome(Welcome),
    /// The match has changed.
    Change(Change),
    /// The client's proposal was accepted as this change.
    Accepted {
        /// The number of the proposal.
        number: u64,
        /// The resulting change.
        change: Change,
    },
    /// The client's proposal had been accepted earlier, as a change that was sent
    /// before this message.
    Duplicate {
        /// The number of the proposal.
        number: u64,
        /// The number of the change.
        sequence: Sequence,
    },
    /// Another change was committed first. It was sent before this message; the
    /// client may propose again.
    Overtaken {
        /// The number of the proposal.
        number: u64,
        /// The number of the current state.
        sequence: Sequence,
    },
    /// The proposed act is not possible.
    Refused {
        /// The number of the proposal.
        number: u64,
        /// The reason, for programs.
        conflict: MatchConflict,
        /// The reason, for people.
        text: String,
    },
    /// The proposal was not stored and remains unanswered: send it again later.
    Delayed {
        /// The number of the proposal.
        number: u64,
        /// The delay before sending it again, in milliseconds.
        retry_ms: u64,
    },
    /// The presence has changed.
    Presence(Presence),
    /// The answer to [`Ping`](ClientMessage::Ping).
    Pong {
        /// The number of the ping.
        number: u64,
        /// The server's time, in milliseconds since 1970.
        now: u64,
    },
    /// What the operator tells all players.
    Notice {
        /// The text, for people.
        text: String,
    },
    /// An error, after which the server closes the connection.
    Error(ErrorReport),
}

/// The answer to [`Hello`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Welcome {
    /// [`VERSION`](super::VERSION).
    pub protocol: u32,
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The seat that belongs to the client's token.
    pub seat: Option<Seat>,
    /// The server's time, in milliseconds since 1970.
    pub now: u64,
    /// The number of the state.
    pub sequence: Sequence,
    /// The digest of the state.
    pub digest: Digest,
    /// The state, or how to reach it.
    pub state: WelcomeState,
    /// Who is connected.
    pub presence: Presence,
}

/// The current state in a welcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WelcomeState {
    /// The entries that the client missed; possibly none.
    Entries(Vec<LogEntry<Transition>>),
    /// The whole state, with its fields in the order in which they are hashed.
    Snapshot(Box<SavedMatch>),
    /// The match as displayed.
    View(Box<MatchView>),
}

/// A committed change of the match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The number of the change and of the resulting state.
    pub sequence: Sequence,
    /// The digest of the resulting state.
    pub digest: Digest,
    /// The entry, with the proposal's author and number.
    #[serde(flatten)]
    pub entry: LogEntry<Transition>,
    /// The match as displayed, for clients that receive
    /// [views](UpdateShape::Views).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Box<MatchView>>,
}

/// Who is connected to a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Presence {
    /// Whether the players in seat A and seat B are connected or computer players.
    pub seats: [bool; 2],
    /// The number of spectators.
    pub watchers: u32,
}

/// The reason why a connection or a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorCode {
    /// Not a message of this protocol.
    BadMessage,
    /// The client uses another version of the protocol.
    BadVersion,
    /// The token does not belong to a seat of this match.
    BadToken,
    /// The request comes from a page of another origin.
    BadOrigin,
    /// There is no such match.
    NoSuchMatch,
    /// There is nothing at this address.
    NotFound,
    /// The resource does not support this method.
    WrongMethod,
    /// The seat is not available.
    SeatTaken,
    /// The game, the player or the clock is invalid.
    BadRequest,
    /// A limit of this server is exceeded.
    TooMany,
    /// The client reads too slowly; it may reconnect.
    TooSlow,
    /// The client has sent nothing for too long.
    TimedOut,
    /// The server is shutting down; reconnect.
    ShuttingDown,
    /// The server cannot reach its store.
    Unavailable,
    /// The operator has closed the match.
    Closed,
    /// The operator has banned the player.
    Banned,
    /// The record of this match is damaged.
    Damaged,
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_by_deserializing_them() {
        let hello = r#""protocol":1,"client":"ann""#;
        let proposal = r#""number":1,"base":2,"act":{"move":{"text":"\u0062 2"}}"#;
        for json in [
            format!(r#"{{"type":"propose",{proposal}}}"#),
            format!(r#"{{{proposal},"type":"propose"}}"#),
            format!(r#" {{ "type" : "propose" , {proposal} }} "#),
            r#"{"type":"propose","number":1,"base":2,"act":"resign"}"#.to_owned(),
            format!(r#"{{"type":"hello",{hello}}}"#),
            r#"{"type":"ping","number":7}"#.to_owned(),
            // None of these is one.
            format!(r#"{{"type":"propose",{proposal},"extra":1}}"#),
            format!(r#"{{"type":"propose",{proposal},"number":1}}"#),
            format!(r#"{{"type":"propose","type":"propose",{proposal}}}"#),
            format!(r#"{{"type":"propose",{proposal}}} x"#),
            format!(r#"{{"type":"Propose",{proposal}}}"#),
            format!("{{{proposal}}}"),
            r#"{"type":"propose","number":-1,"base":2,"act":"resign"}"#.to_owned(),
            r#"{"type":"ping"}"#.to_owned(),
            r#"["propose",1,2,"resign"]"#.to_owned(),
        ] {
            let expected = serde_json::from_str::<ClientMessage>(&json);
            let read = ClientMessage::from_json(&json);
            let text = |result: serde_json::Result<_>| result.map_err(|error| error.to_string());
            assert_eq!(text(read), text(expected), "{json}");
        }
    }
}
