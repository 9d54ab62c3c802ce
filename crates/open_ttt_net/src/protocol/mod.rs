//! The messages between server and clients, as JSON.
//!
//! Clients create and join matches over HTTP ([`CreateMatch`], [`JoinMatch`]) and
//! play over a WebSocket, on which each frame is one [`ClientMessage`] or
//! [`ServerMessage`]. docs/protocol.md specifies the protocol for clients in other
//! languages.
//!
//! These types define the wire format only. Reading a client's message rejects
//! unknown fields, wrong types and texts that are too long.

#[cfg(any(feature = "client", feature = "server"))]
pub mod admin;
mod board;
mod history;
mod http;
mod messages;
mod pairing;
mod player;
mod positions;
mod puzzle;
#[cfg(feature = "schema")]
mod schema;
mod token;
mod view;

pub use board::{
    BoardView, CellView, ChoiceView, ColorView, LayoutView, LineView, PieceView, PlaceView,
    ShapeView, StackView, TintView, TrayView,
};
pub use history::{
    FindPlayer, Opponent, PlayedGame, PlayerHistory, PlayerProfile, PlayerRating, PlayerScore,
    RatingChange,
};
pub use http::{
    AllowedParameterValues, AnalyzePosition, CreateMatch, ErrorBody, ErrorReport, GameFrames,
    GameInfo, GameParameter, GameRecord, GameResult, GameReview, JoinMatch, MatchList, MatchRecord,
    MatchStatus, MatchSummary, MoveWorth, PositionAnalysis, PositionHint, ReviewGame, ReviewedMove,
    SeatAssignment, SeatRequest,
};
pub use messages::{
    Change, ClientMessage, ErrorCode, Hello, KnownState, Presence, ServerMessage, UpdateShape,
    Welcome, WelcomeState,
};
pub use pairing::{CancelPairing, PairPlayer, PairingCancelled};
pub use player::{ParsePlayerIdError, ParsePlayerKeyError, PlayerId, PlayerKey};
pub use positions::{GameLesson, PositionBoard, ShowPosition};
pub use puzzle::GamePuzzle;
#[cfg(feature = "schema")]
pub use schema::schema;
#[cfg(feature = "schema")]
pub(crate) use schema::{GameMoves, GameRefusal, MoveText};
pub use token::{ParseTokenError, Token};
pub use view::{MatchView, SeatView};

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The WebSocket subprotocol.
pub const SUBPROTOCOL: &str = "open_ttt.v1";

/// The longest message a client may send, in bytes.
pub const MAX_MESSAGE: usize = 4096;
