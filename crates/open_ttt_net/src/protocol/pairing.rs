use serde::{Deserialize, Serialize};

use super::PlayerKey;
use crate::MatchId;
use crate::matches::TimeControl;

/// `POST /api/v1/pair`: takes a seat against somebody who waits for the same game, or
/// waits in a new match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PairPlayer {
    /// The game's name in the catalog.
    pub game: String,
    /// The time control; `None` for unlimited time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Whether the games change the players' ratings.
    #[serde(default)]
    pub rated: bool,
    /// The player's name.
    pub name: String,
    /// The player's key.
    pub key: PlayerKey,
    /// The match in which the player waits since an earlier request. It is given up
    /// for one of a player who waits longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<MatchId>,
}

/// `POST /api/v1/pair/cancel`: gives up waiting for an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CancelPairing {
    /// The match in which the player waits.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The player's key.
    pub key: PlayerKey,
}

/// The response to [`CancelPairing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairingCancelled {
    /// Whether nobody had come: then nobody can any more.
    pub cancelled: bool,
}
