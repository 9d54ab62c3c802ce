use serde::{Deserialize, Serialize};

use super::{PlayerId, PlayerKey};
use crate::MatchId;
use crate::matches::{GameVerdict, Seat};

/// `POST /api/v1/players`: asks for the [`PlayerProfile`] of a key's holder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FindPlayer {
    /// The player's key.
    pub key: PlayerKey,
}

/// `GET /api/v1/players/ID`: what a player has achieved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerProfile {
    /// The player.
    pub player: PlayerId,
    /// The games, the one last played first. Of the games that the player has not
    /// played for longest, some may be missing.
    pub games: Vec<PlayerScore>,
}

/// What a player has achieved in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerScore {
    /// The game's name in the catalog.
    pub game: String,
    /// The number of games won.
    pub wins: u32,
    /// The number of games drawn.
    pub draws: u32,
    /// The number of games lost.
    pub losses: u32,
    /// The rating, after a rated game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<PlayerRating>,
}

/// A Glicko-2 rating. The player's strength is within two deviations of the rating
/// with a probability of 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerRating {
    /// The rating; 1500 for a new player.
    pub rating: i32,
    /// The deviation; 350 for a new player.
    pub deviation: u32,
}

/// `GET /api/v1/players/ID/games?from=K`: one page of a player's games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayerHistory {
    /// The player.
    pub player: PlayerId,
    /// The number of all entries.
    pub total: u64,
    /// The number of entries before the first of this page.
    pub from: u64,
    /// The entries, newest first: at least one if there are more.
    pub games: Vec<PlayedGame>,
}

/// An entry of a player's history: a match began, or a game of it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlayedGame {
    /// The match.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// The number of the game, from 1; 0 where the match began.
    pub number: u32,
    /// When it happened, in milliseconds since 1970.
    pub at: u64,
    /// The game's name in the catalog.
    pub game: String,
    /// The player's seat.
    pub seat: Seat,
    /// The opponent.
    pub opponent: Opponent,
    /// The result; `None` where the match began.
    pub verdict: Option<GameVerdict>,
    /// How the game changed the player's rating, if it was rated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingChange>,
}

/// The other player of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Opponent {
    /// The displayed name.
    pub name: String,
    /// The spec of a computer player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computer: Option<String>,
    /// The id of a player with a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player: Option<PlayerId>,
}

/// A player's rating before and after a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RatingChange {
    /// The rating before the game.
    pub before: PlayerRating,
    /// The rating after the game.
    pub after: PlayerRating,
}
