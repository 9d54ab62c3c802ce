//! What a server answers about games, and matches of a person against a computer: in the
//! caller's own process, without a server.
//!
//! The page's WebAssembly module calls [`answer`] with the JSON of a [`Request`], and the
//! server's handlers the same functions, so that both give the same answers.
//!
//! ```
//! use core::time::Duration;
//! use open_ttt_catalog::Catalog;
//! use open_ttt_net::answers::{Host, answer};
//! use open_ttt_search::Clock;
//!
//! let host = Host { clock: Clock::new(|| Duration::ZERO), seed: 1 };
//! let request = r#"{"judge": {"game": "ttt", "moves": ["a1", "b2", "a2"], "values": true}}"#;
//! let json = answer(&Catalog::bundled(), request, &host);
//! assert!(json.starts_with(r#"{"answer":{"result":"draw""#));
//! ```

pub(crate) mod analysis;
pub(crate) mod computer;
pub(crate) mod frames;
pub(crate) mod positions;
pub(crate) mod puzzles;
mod solo;

use core::fmt::Display;

use open_ttt_catalog::Catalog;
use open_ttt_search::{Clock, StopFlag};
use serde::{Deserialize, Serialize};

pub use solo::{SoloMatch, SoloProposal};

use crate::MatchId;
use crate::protocol::{
    AnalyzePosition, CreateMatch, ErrorCode, ErrorReport, ReviewGame, ShowPosition,
};
use puzzles::PuzzleParameters;

/// What the program or page has that libraries don't: time and chance.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// The clock for time limits.
    pub clock: Clock,
    /// A seed that differs from call to call.
    pub seed: u64,
}

/// A request, and the address at which a server answers the same. Times are in milliseconds
/// since 1970.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Request {
    /// The value of a position: `POST /api/v1/judge`. Without a limit of time it takes as long
    /// as it takes.
    Judge(AnalyzePosition),
    /// A game judged move by move: `POST /api/v1/review`.
    Review(ReviewGame),
    /// A position as it is drawn: `POST /api/v1/position`.
    Position(ShowPosition),
    /// A position in which a move wins at once: `GET /api/v1/lesson`.
    Lesson {
        /// The game's name in the catalog.
        game: String,
    },
    /// A puzzle: `GET /api/v1/puzzles/GAME`.
    Puzzle {
        /// The game's name in the catalog.
        game: String,
        /// The number, from 1; that of the day if absent.
        #[serde(default)]
        number: Option<usize>,
        /// The time.
        now: u64,
    },
    /// Begins a match against a computer, as [`SoloMatch`]: `POST /api/v1/matches`.
    Begin {
        /// The game and its players: a person and a computer.
        wanted: CreateMatch,
        /// The time.
        now: u64,
    },
    /// The welcome of a match's connection.
    Welcome {
        /// The match's id.
        id: MatchId,
        /// The match.
        solo: SoloMatch,
        /// The time.
        now: u64,
    },
    /// What becomes of a proposal: the entries to add to the log, and what a server would send.
    Propose {
        /// The match.
        solo: SoloMatch,
        /// The proposal.
        proposal: SoloProposal,
    },
    /// What the computer plays, as an act; `null` if it isn't its turn.
    Decide {
        /// The match.
        solo: SoloMatch,
    },
    /// A game move by move: `GET /api/v1/matches/ID/games/NUMBER`.
    Frames {
        /// The match.
        solo: SoloMatch,
        /// The number of the game, from 1.
        number: u32,
        /// The number of boards to skip.
        from: usize,
    },
}

/// The answer to a request, or why there is none.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer<T> {
    Answer(T),
    Error(ErrorReport),
}

/// Answers the JSON of a [`Request`] with JSON: `{"answer": ..}`, or `{"error": {"code": ..,
/// "text": ..}}` as a server reports it.
pub fn answer(catalog: &Catalog, request: &str, host: &Host) -> String {
    match serde_json::from_str(request) {
        Ok(request) => answer_request(catalog, request, host),
        Err(error) => json::<()>(Err(ErrorReport::new(
            ErrorCode::BadMessage,
            error.to_string(),
        ))),
    }
}

fn answer_request(catalog: &Catalog, request: Request, host: &Host) -> String {
    let stop = StopFlag::new();
    let clock = host.clock;
    match request {
        Request::Judge(position) => json(analysis::analyze(catalog, &position, clock, &stop)),
        Request::Review(game) => json(analysis::review_game(catalog, &game, clock, &stop)),
        Request::Position(position) => json(positions::show(catalog, &position)),
        Request::Lesson { game } => json(positions::lesson(catalog, &game, clock, &stop)),
        Request::Puzzle { game, number, now } => {
            let wanted = PuzzleParameters::numbered(number);
            json(puzzles::puzzle(catalog, &game, wanted, now))
        }
        Request::Begin { wanted, now } => json(SoloMatch::begin(catalog, wanted, now, host)),
        Request::Welcome { id, solo, now } => json(solo.welcome(catalog, id, now)),
        Request::Propose { solo, proposal } => json(solo.propose(catalog, &proposal)),
        Request::Decide { solo } => json(solo.decide(catalog, host)),
        Request::Frames { solo, number, from } => json(solo.frames(catalog, number, from)),
    }
}

fn json<T: Serialize>(result: Result<T, ErrorReport>) -> String {
    let answer = result.map_or_else(Answer::Error, Answer::Answer);
    // The types of the protocol always serialize.
    serde_json::to_string(&answer).unwrap_or_default()
}

fn bad_request(text: impl Display) -> ErrorReport {
    ErrorReport::new(ErrorCode::BadRequest, text.to_string())
}
