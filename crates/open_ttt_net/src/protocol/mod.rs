//! What server and clients say to each other, as JSON.
//!
//! A match is made and joined by requests over HTTP ([`CreateMatch`],
//! [`JoinMatch`]); it is played over a WebSocket, in which the client sends a
//! [`ClientMessage`] and the server a [`ServerMessage`] a frame. docs/protocol.md
//! is the page from which a client in another language can be written.
//!
//! These types are the wire and nothing else. Every message is checked when it
//! is read: unknown fields, wrong types and texts that are too long are refused.

mod http;
mod messages;
mod token;
mod view;

pub use http::{
    AnalyzePosition, CreateMatch, ErrorBody, ErrorReport, GameFrames, GameInfo, GameRecord,
    JoinMatch, MatchList, MatchRecord, MatchStatus, MatchSummary, PositionAnalysis, SeatAssignment,
    SeatRequest,
};
pub use messages::{
    Change, ClientMessage, EntryWire, ErrorCode, KnownState, Presence, ServerMessage, UpdateShape,
    WelcomeState,
};
pub use token::{ParseTokenError, Token};
pub use view::{
    BoardView, CellView, LayoutView, LineView, MatchView, PlaceView, SeatView, StackView,
};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The name under which the WebSocket is asked for.
pub const SUBPROTOCOL: &str = "open_ttt.v1";

/// The longest message of a client, in bytes.
pub const MAX_MESSAGE: usize = 4096;
