//! What is answered without a server.

use core::str::from_utf8;
use core::time::Duration;

use open_ttt_catalog::{PlayerKind, PlayerSpec};
use open_ttt_net::answers::{Host, Request, answer as answer_json};
use open_ttt_net::protocol::SeatRequest;
use open_ttt_search::Clock;
use serde_json::Value;

use crate::CATALOG;

pub(crate) fn answer(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    if serde_json::from_str::<Request>(text).is_ok_and(|request| searches(&request)) {
        return false;
    }
    let host = Host {
        clock: Clock::new(|| Duration::ZERO),
        seed: 1,
    };
    let answered = answer_json(&CATALOG, text, &host);
    let answered: Value = serde_json::from_str(&answered).expect("an answer is JSON");
    let has = |key: &str| answered.get(key).is_some();
    assert!(has("answer") != has("error"), "{answered}");
    has("answer")
}

/// Whether the answer takes a search, which may take as long as it likes.
fn searches(request: &Request) -> bool {
    match request {
        Request::Judge(_)
        | Request::Review(_)
        | Request::Lesson { .. }
        | Request::Decide { .. } => true,
        // What plays perfectly solves a game to find out whether it is too large.
        Request::Begin { wanted, .. } => wanted.seats.iter().flatten().any(|seat| match seat {
            SeatRequest::Computer(text) => text
                .parse::<PlayerSpec>()
                .is_ok_and(|player| player.kind == PlayerKind::Perfect),
            SeatRequest::Person(_) => false,
        }),
        _ => false,
    }
}
