use open_ttt_lib::state_machine::GameMove;
use serde::{Deserialize, Serialize};

use super::{Player, Seat};
use crate::replication::Authored;

/// A change of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// When the server received it, in milliseconds since 1970.
    pub at: u64,
    /// Who acts.
    pub by: Actor,
    /// The act.
    pub act: Act,
}

impl Authored for Transition {
    type Author = Actor;

    fn author(&self) -> Actor {
        self.by
    }
}

/// Who acts. The JSON form is `"a"`, `"b"` or `"server"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The server.
    Server,
    /// The player in this seat.
    #[serde(untagged)]
    Seat(Seat),
}

/// What a player or the server can do in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// A player takes a seat. Server only: it issues the token.
    Join {
        /// The seat.
        seat: Seat,
        /// The player.
        player: Player,
    },
    /// Makes a move.
    Move {
        /// In the game's notation.
        #[cfg_attr(feature = "schema", schemars(with = "crate::protocol::MoveText"))]
        text: GameMove,
        /// The network delay estimated by the server, in milliseconds. Up to
        /// [`MAX_LAG_MS`](super::MAX_LAG_MS) of it is not counted against the clock.
        #[serde(default, skip_serializing_if = "is_zero")]
        lag_ms: u64,
    },
    /// Resigns the game.
    Resign,
    /// Offers a draw. The offer stands until the opponent moves or refuses. If the
    /// opponent has already offered a draw, this accepts it.
    OfferDraw,
    /// Accepts the opponent's draw offer.
    AcceptDraw,
    /// Refuses the opponent's draw offer.
    RefuseDraw,
    /// Asks to take back the own last move.
    AskTakeBack,
    /// Lets the opponent take back the last move.
    GrantTakeBack,
    /// Refuses the take-back.
    RefuseTakeBack,
    /// Asks for another game, which starts when both players have asked.
    Rematch,
    /// Claims the win because the opponent has left. The claim is granted if the
    /// opponent does nothing for [`CLAIM_MS`](super::CLAIM_MS).
    Claim,
    /// Rejects the opponent's claim. The server does this for a player who is
    /// connected.
    Stay,
    /// Grants an unanswered claim. Server only.
    Forfeit,
    /// Ends the game because the side to move has run out of time. Server only.
    TimeOut,
    /// Gives time back that passed while no player could act: the server was down,
    /// or could not store a move. The running clock and an open claim start as much
    /// later, at most now. Server only.
    ReturnTime {
        /// The time given back, in milliseconds.
        ms: u64,
    },
}

const fn is_zero(lag_ms: &u64) -> bool {
    *lag_ms == 0
}

impl Act {
    /// Whether it ends the game wherever it is possible.
    pub const fn ends_game(&self) -> bool {
        matches!(
            self,
            Self::Resign | Self::AcceptDraw | Self::Forfeit | Self::TimeOut
        )
    }

    /// The act with this network delay if it is a move.
    #[cfg(feature = "server")]
    pub(crate) fn with_lag(self, lag_ms: u64) -> Self {
        match self {
            Self::Move { text, .. } => Self::Move { text, lag_ms },
            act => act,
        }
    }

    /// A move in the game's notation.
    pub fn play(text: &str) -> Self {
        Self::Move {
            text: text.into(),
            lag_ms: 0,
        }
    }
}
