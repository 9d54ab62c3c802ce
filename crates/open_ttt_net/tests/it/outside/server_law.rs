//! What holds for a server, whatever stands in its store and whatever it is
//! asked.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use bytes::Bytes;
use open_ttt_catalog::DynGame;
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MAX_ENTRY, MatchLog, MemoryLog};
use open_ttt_net::matches::MatchMachine;
use open_ttt_net::protocol::{
    ErrorBody, GameFrames, MatchList, MatchRecord, MatchStatus, MatchView,
};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::{Config, RateLimit, Server, app};
use serde_json::Value;
use tower::ServiceExt;

/// The most lines that are taken.
const LINES: usize = 64;

/// The longest answer, in bytes.
const LONGEST: usize = 1 << 24;

/// A server without limits over this store.
pub(crate) fn server(log: &Arc<MemoryLog>) -> Router {
    let mut config = Config::default();
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
    config.behind_proxy = true;
    config.allowed_origins = vec!["https://example.org".to_owned()];
    let log: Arc<dyn MatchLog> = log.clone();
    app(&Server::new(config, log).expect("the system has random numbers"))
}

/// The answer to a request; one that is refused is told why.
pub(crate) async fn answer(app: &Router, request: Request<Body>) -> (StatusCode, Bytes) {
    let path = request.uri().path();
    let speaks = path.starts_with("/api/v1/") && request.method() != Method::HEAD;
    let response = app.clone().oneshot(request).await;
    let response = response.expect("there is always an answer");
    let status = response.status();
    let body = to_bytes(response.into_body(), LONGEST).await;
    let body = body.expect("the answer has an end");
    if (status.is_client_error() || status.is_server_error()) && speaks {
        serde_json::from_slice::<ErrorBody>(&body).expect("it is told why");
    }
    (status, body)
}

async fn get(app: &Router, path: &str) -> (StatusCode, Bytes) {
    let request = Request::builder().uri(format!("/api/v1/{path}"));
    let request = request.body(Body::empty()).expect("the path is one");
    answer(app, request).await
}

fn now<T>(asked: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has threads")
        .block_on(asked)
}

/// The log of a match, an entry a line, which is also taken for a notice in
/// the lobby; how many changes were served, if any.
pub(crate) fn log(bytes: &[u8]) -> Option<u64> {
    now(async {
        let log = Arc::new(MemoryLog::new());
        let id: MatchId = "m".parse().expect("it is a name");
        let lines = bytes.split(|&byte| byte == b'\n').take(LINES);
        for (line, number) in lines.zip(0_u64..) {
            let entry = Bytes::copy_from_slice(&line[..line.len().min(MAX_ENTRY)]);
            let notice: MatchId = format!("n{number}").parse().expect("it is a name");
            let posted = log.set_notice(&notice, Some(entry.clone())).await;
            posted.expect("it is short enough");
            let appended = log.append(&id, Sequence::new(number), entry).await;
            appended.expect("it is behind the last");
        }
        served(&log, &id).await
    })
}

/// What the server tells of a match is what its entries lead to.
async fn served(log: &Arc<MemoryLog>, id: &MatchId) -> Option<u64> {
    let app = server(log);
    let (status, list) = get(&app, "matches").await;
    assert_eq!(status, StatusCode::OK);
    serde_json::from_slice::<MatchList>(&list).expect("a list");
    let (status, told) = get(&app, &format!("matches/{id}")).await;
    if !status.is_success() {
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        return None;
    }
    let told: MatchStatus = serde_json::from_slice(&told).expect("a status");
    // The server may have found that time is up, and added that.
    let changes = usize::try_from(told.sequence.get()).expect("a few");
    let entries = log.read(id, Sequence::START, changes + 1).await;
    let entries = entries.expect("the log is open");
    assert_eq!(entries.len(), changes + 1);
    let entry = |bytes| serde_json::from_slice::<Value>(bytes).expect("an entry is JSON");
    let mut header = entry(&entries[0]);
    let settings = serde_json::from_value(header["settings"].take());
    let settings = settings.expect("a match begins with settings");
    let mut table = MatchMachine::<DynGame>::new(settings).expect("a game of the catalog");
    for bytes in &entries[1..] {
        let transition = serde_json::from_value(entry(bytes)["transition"].take());
        let transition = transition.expect("an entry is a transition");
        table = table.apply(&transition).expect("it was possible");
    }
    assert_eq!(told.view, MatchView::of(&table));
    let (status, record) = get(&app, &format!("matches/{id}/games")).await;
    assert_eq!(status, StatusCode::OK);
    let record: MatchRecord = serde_json::from_slice(&record).expect("a record");
    let last = record.games.last().expect("a game that is played");
    assert_eq!(last.moves, told.view.moves);
    let number = last.number;
    let (status, frames) = get(&app, &format!("matches/{id}/games/{number}")).await;
    assert_eq!(status, StatusCode::OK);
    let frames: GameFrames = serde_json::from_slice(&frames).expect("frames");
    assert_eq!(frames.boards.len(), last.moves.len() + 1);
    Some(told.sequence.get())
}

/// A request: a line of method and path, lines of headers, an empty line, and
/// the body. Whether it was answered with what it wanted.
pub(crate) fn request(bytes: &[u8]) -> bool {
    let Some(request) = read_request(bytes) else {
        return false;
    };
    // Thinking takes its time, whatever it is about.
    if request.uri().path().contains("judge") {
        return false;
    }
    now(async {
        let log = Arc::new(MemoryLog::new());
        let id: MatchId = "m".parse().expect("it is a name");
        let header = r#"{"version":1,"settings":{"game":"ttt"},"listed":true,"at":1}"#;
        let begun = log.append(&id, Sequence::START, header.into()).await;
        begun.expect("nothing stands there");
        let app = server(&log);
        let (status, _) = answer(&app, request).await;
        assert!(!status.is_server_error(), "{status}");
        assert_eq!(get(&app, "matches/m").await.0, StatusCode::OK);
        !status.is_client_error()
    })
}

fn read_request(bytes: &[u8]) -> Option<Request<Body>> {
    let end = bytes.windows(2).position(|two| two == b"\n\n")?;
    let (head, body) = (&bytes[..end], &bytes[end + 2..]);
    let mut lines = head.split(|&byte| byte == b'\n');
    let first = lines.next()?;
    let space = first.iter().position(|&byte| byte == b' ')?;
    let (method, path) = (&first[..space], &first[space + 1..]);
    let mut request = Request::builder().method(method).uri(path);
    for line in lines {
        let colon = line.iter().position(|&byte| byte == b':')?;
        request = request.header(&line[..colon], &line[colon + 1..]);
    }
    request.body(Body::from(body.to_vec())).ok()
}
