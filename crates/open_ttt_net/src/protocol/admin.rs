//! The messages of the operator's interface, under `/admin/v1` on the private side of a
//! server.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::MatchId;
use crate::matches::{GameVerdict, Score, Seat};
use crate::protocol::ErrorReport;
use crate::replication::Sequence;

/// `GET /admin/v1/status`: the server's live numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerStatus {
    /// The version of the program.
    pub version: String,
    /// Since when the server runs, in milliseconds since 1970.
    pub since: u64,
    /// Whether it refuses new matches, because it is about to be restarted.
    pub draining: bool,
    /// The number of open connections.
    pub connections: usize,
    /// The number of connected players and spectators.
    pub sockets: usize,
    /// The number of matches in memory.
    pub matches: usize,
    /// The number of matches in the lobby.
    pub listed: usize,
    /// The number of computers' moves that wait or are computed.
    pub computer_moves: usize,
    /// The number of requests that wait or are computed.
    pub requests: usize,
    /// The size of what clients have not read yet, in bytes.
    pub unread_bytes: usize,
    /// How much the store has stored, if it knows. One of a cluster doesn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreSize>,
}

/// How much a store has stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreSize {
    /// The size of what is stored, in bytes. Deleted matches don't count.
    pub bytes: u64,
    /// The largest size in bytes; `None` if only the disk limits it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_bytes: Option<u64>,
}

/// `GET /admin/v1/matches?after=ID&stored=BOOL`: a page of the matches in memory, or of
/// all matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchDescriptions {
    /// The matches, by id.
    pub matches: Vec<MatchDescription>,
    /// Those on this page that can't be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableMatch>,
    /// The id to ask for the next page with; `None` on the last.
    pub next: Option<MatchId>,
}

/// A stored match that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadableMatch {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// Why.
    pub error: ErrorReport,
}

/// A match as the operator sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchDescription {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The game's name in the catalog.
    pub game: String,
    /// The name of the player in each seat.
    pub players: [Option<String>; 2],
    /// When it was created, in milliseconds since 1970.
    pub since: u64,
    /// When it last changed, in milliseconds since 1970.
    pub at: u64,
    /// The number of its changes.
    pub sequence: Sequence,
    /// The number of the current game, from 1.
    pub number: u32,
    /// The number of moves in it.
    pub moves: usize,
    /// Its result, once it is over.
    pub verdict: Option<GameVerdict>,
    /// The score of the match.
    pub score: Score,
    /// Whether the operator has closed it.
    #[serde(default)]
    pub closed: bool,
    /// Who is connected to this server.
    pub connections: Vec<ConnectionDescription>,
}

/// A connection to a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionDescription {
    /// The client's address.
    pub address: String,
    /// The seat; `None` for a spectator.
    pub seat: Option<Seat>,
}

/// Who is banned.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Banned {
    /// All clients of this network: `"192.0.2.0/24"`.
    Network(IpNet),
    /// Players of this name, in whichever case.
    Name(String),
}

/// A ban.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ban {
    /// Who is banned.
    pub who: Banned,
    /// Until when, in milliseconds since 1970; `None` for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    /// Why, for the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `GET /admin/v1/bans`: all bans that hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bans {
    /// The bans, the latest first.
    pub bans: Vec<Ban>,
}

/// `POST /admin/v1/drain`: refuses new matches, or accepts them again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Whether to refuse new matches.
    pub on: bool,
    /// What all players are told; a default text if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The response to a request that only does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {}
