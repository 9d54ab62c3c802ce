use open_ttt_lib::state_machine::GameMove;
use serde::{Deserialize, Serialize};

use super::{Player, Seat};

/// Something that happens in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transition {
    /// When the server took it in, in milliseconds since 1970.
    pub at: u64,
    /// Whose doing it is.
    pub by: Actor,
    /// What is done.
    pub act: Act,
}

/// Whose doing something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The player on this seat.
    Seat(Seat),
    /// The server itself.
    Server,
}

/// What can be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Somebody sits down. The server's to do, who gives them their token.
    Join {
        /// Where.
        seat: Seat,
        /// Who.
        player: Player,
    },
    /// A move.
    Move {
        /// In the game's notation.
        text: GameMove,
        /// For how long it was on its way, in milliseconds: the clock forgives
        /// up to [`MAX_LAG_MS`](super::MAX_LAG_MS) of it. The server's estimate.
        #[serde(default, skip_serializing_if = "is_zero")]
        lag_ms: u64,
    },
    /// Gives the game up.
    Resign,
    /// Offers a draw, until the other side moves. Against an offer of the other
    /// side it accepts.
    OfferDraw,
    /// Takes the draw that is offered.
    AcceptDraw,
    /// Does not take it.
    RefuseDraw,
    /// Asks to have one's last move back.
    AskTakeBack,
    /// Lets the other side have its last move back.
    GrantTakeBack,
    /// Does not let it.
    RefuseTakeBack,
    /// Wants another game; it begins when both do.
    Rematch,
    /// Claims the win because the other side has left. It is theirs when
    /// [`CLAIM_MS`](super::CLAIM_MS) have passed and the other side has done
    /// nothing.
    Claim,
    /// Is still there, against a claim. The server says it for whoever is
    /// connected.
    Stay,
    /// Grants a claim that nobody has answered. The server's to do.
    Forfeit,
    /// Sees that the side to move has used up its time. The server's to do.
    TimeOut,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(lag_ms: &u64) -> bool {
    *lag_ms == 0
}

impl Act {
    /// A move, by its text.
    pub fn play(text: &str) -> Self {
        Self::Move {
            text: text.into(),
            lag_ms: 0,
        }
    }
}

impl From<Actor> for Option<Seat> {
    fn from(actor: Actor) -> Self {
        match actor {
            Actor::Seat(seat) => Some(seat),
            Actor::Server => None,
        }
    }
}

/// As JSON an actor is `"a"`, `"b"` or `"server"`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActorWire {
    A,
    B,
    Server,
}

impl Serialize for Actor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Seat(Seat::A) => ActorWire::A,
            Self::Seat(Seat::B) => ActorWire::B,
            Self::Server => ActorWire::Server,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Actor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match ActorWire::deserialize(deserializer)? {
            ActorWire::A => Self::Seat(Seat::A),
            ActorWire::B => Self::Seat(Seat::B),
            ActorWire::Server => Self::Server,
        })
    }
}
