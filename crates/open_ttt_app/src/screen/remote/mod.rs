//! A match that is played elsewhere, on the screen of one of its players or of a spectator.
//!
//! A program tells what has become of the match ([`RemoteUpdate`]) and takes what the person
//! does ([`RemoteCommand`]); how it reaches the other player is its own affair.

mod clock;
mod command;
mod input;
mod state;
mod view;

use core::fmt;

use open_ttt_lib::rules::{History, Side, TwoPlayerGame};

pub use clock::RemoteClock;
pub(super) use input::Handled;
pub(super) use state::RemoteState;

/// A match that is played elsewhere, as far as it is known here.
///
/// Texts are shown as they are, so that those of strangers are to be made
/// [printable](crate::printable) before.
pub struct RemoteMatch<G: TwoPlayerGame> {
    /// The game and its settings: `connect4, rated`.
    pub title: String,
    /// The number of the game in the series, from 1.
    pub number: u32,
    /// The current game, with the moves that have yet to be confirmed.
    pub game: History<G>,
    /// How many moves at its end have yet to be confirmed.
    pub pending: usize,
    /// The players by side; `None` for an open seat.
    pub players: [Option<RemotePlayer>; 2],
    /// The side of the player at this terminal; `None` for a spectator.
    pub own: Option<Side>,
    /// Whether a person at this terminal chooses the moves of that side.
    pub is_person: bool,
    /// The clocks, if the match has them.
    pub clock: Option<RemoteClock>,
    /// How many games of the series were drawn.
    pub draws: u32,
    /// How many spectators watch.
    pub spectators: u32,
    /// How far the game is.
    pub status: RemoteStatus,
    /// What the opponent asks, to be answered with one of the actions.
    pub request: Option<String>,
    /// What the player can do now besides moving, the most likely first.
    pub actions: Vec<RemoteAction>,
    /// What is wrong with the connection.
    pub problem: Option<String>,
    /// The link with which others come to the match.
    pub link: Option<String>,
}

/// A player of a match that is played elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemotePlayer {
    /// The player's name.
    pub name: String,
    /// The player's rating, if it is known.
    pub rating: Option<i32>,
    /// Whether the player is connected.
    pub is_connected: bool,
    /// How many games of the series the player has won.
    pub wins: u32,
}

/// How far a game is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteStatus {
    /// It hasn't begun, for this reason: `Waiting for an opponent`.
    Waiting(String),
    /// It is this side's turn.
    Turn(Side),
    /// It is over, with this result in words: `You win on time`.
    Over(String),
}

/// What a player can do besides moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemoteAction {
    /// Accept what the opponent asks.
    Accept,
    /// Decline what the opponent asks.
    Decline,
    /// Ask for another game, or accept one.
    Rematch,
    /// Offer a draw.
    OfferDraw,
    /// Ask to take the last move back.
    TakeBack,
    /// Claim the win because the opponent has left.
    Claim,
    /// Resign the game.
    Resign,
}

/// What the person at the screen does in the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteCommand {
    /// Plays a move.
    Move {
        /// The move, in the notation of its position.
        text: String,
        /// The number of moves before it.
        played: usize,
        /// The number of the game in the series.
        number: u32,
    },
    /// Does something else.
    Act(RemoteAction),
}

/// What has become of a match that is played elsewhere.
#[derive(Debug)]
pub enum RemoteUpdate<G: TwoPlayerGame> {
    /// The match as it is now.
    Match(Box<RemoteMatch<G>>),
    /// Something happened, in a sentence without its full stop: `Bob joins`.
    News(String),
    /// Something was refused, in a sentence: `It's the other player's turn.`
    Refused(String),
}

impl<G: TwoPlayerGame> RemoteMatch<G> {
    /// Whether the person at this terminal is to choose a move, if the position after so many
    /// moves is on the board.
    fn awaits_person(&self, shown: usize) -> bool {
        let is_own = matches!(self.status, RemoteStatus::Turn(side) if self.own == Some(side));
        is_own && self.is_person && shown == self.game.moves().len()
    }
}

impl<G: TwoPlayerGame> fmt::Debug for RemoteMatch<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteMatch")
            .field("title", &self.title)
            .field("number", &self.number)
            .field("moves", &self.game.moves().len())
            .field("pending", &self.pending)
            .field("players", &self.players)
            .field("own", &self.own)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
