//! Properties of a server for any content of its store and any request.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use bytes::Bytes;
use open_ttt_catalog::Catalog;
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MAX_ENTRY, MatchLog, MemoryLog};
use open_ttt_net::matches::DynMatch;
use open_ttt_net::protocol::{
    ErrorBody, GameFrames, MatchList, MatchRecord, MatchStatus, MatchView,
};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::{Config, RateLimit, Server, app};
use serde_json::Value;
use tower::ServiceExt;

/// The most input lines that are used.
const MAX_LINES: usize = 64;

/// The longest response, in bytes.
const MAX_RESPONSE: usize = 1 << 24;

/// A server without rate limits over this store.
pub(crate) fn server(log: &Arc<MemoryLog>) -> Router {
    let mut config = Config::default();
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
    config.trusted_proxies = vec![IpAddr::from([127, 0, 0, 1]).into()];
    config.hosts = vec!["example.org".to_owned()];
    config.allowed_origins = vec!["https://example.org".to_owned()];
    let log: Arc<dyn MatchLog> = log.clone();
    let server = Server::new(Catalog::bundled(), config, log);
    app(&server.expect("the system has random numbers"))
}

/// Sends a request and returns the response. Checks that a failed API request
/// reports an error.
pub(crate) async fn send(app: &Router, request: Request<Body>) -> (StatusCode, Bytes) {
    let path = request.uri().path();
    let reports_errors = path.starts_with("/api/v1/") && request.method() != Method::HEAD;
    let response = app.clone().oneshot(request).await;
    let response = response.expect("there is always a response");
    let status = response.status();
    let body = to_bytes(response.into_body(), MAX_RESPONSE).await;
    let body = body.expect("the response ends");
    if (status.is_client_error() || status.is_server_error()) && reports_errors {
        serde_json::from_slice::<ErrorBody>(&body).expect("an error is reported");
    }
    (status, body)
}

async fn get(app: &Router, path: &str) -> (StatusCode, Bytes) {
    let request = Request::builder().uri(format!("/api/v1/{path}"));
    let request = request.body(Body::empty()).expect("the path is valid");
    send(app, request).await
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has threads")
        .block_on(future)
}

/// A match log with one entry per line; each line is also posted as a lobby notice.
/// Returns the number of served changes if the match is served.
pub(crate) fn log(bytes: &[u8]) -> Option<u64> {
    block_on(async {
        let log = Arc::new(MemoryLog::new());
        let id: MatchId = "m".parse().expect("the id is valid");
        let lines = bytes.split(|&byte| byte == b'\n').take(MAX_LINES);
        for (line, number) in lines.zip(0_u64..) {
            let entry = Bytes::copy_from_slice(&line[..line.len().min(MAX_ENTRY)]);
            let notice: MatchId = format!("n{number}").parse().expect("the id is valid");
            let posted = log.set_notice(&notice, Some(entry.clone())).await;
            posted.expect("the notice is short enough");
            let appended = log.append(&id, Sequence::new(number), entry).await;
            appended.expect("the entry follows the last");
        }
        check_served(&log, &id).await
    })
}

/// A match log like that of [`log`], whose entries get the checksums that they should
/// have. Returns the number of served changes if the match is served.
pub(crate) fn chained_log(bytes: &[u8]) -> Option<u64> {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let mut chained = lines.next()?.to_vec();
    let mut last = fnv(&fnv(b"m", b"").to_le_bytes(), &chained);
    for line in lines.take(MAX_LINES) {
        let line = &line[..line.len().min(MAX_ENTRY - 17)];
        last = fnv(&last.to_le_bytes(), line);
        chained.push(b'\n');
        chained.extend_from_slice(line);
        chained.extend(format!(" {last:016x}").into_bytes());
    }
    log(&chained)
}

/// 64-bit FNV-1a, with the constants in decimal as Wikipedia has them.
fn fnv(first: &[u8], second: &[u8]) -> u64 {
    let bytes = first.iter().chain(second);
    bytes.fold(14_695_981_039_346_656_037, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
    })
}

/// Checks that the server's view of a match follows from its entries.
async fn check_served(log: &Arc<MemoryLog>, id: &MatchId) -> Option<u64> {
    let app = server(log);
    let (status, list) = get(&app, "matches").await;
    assert_eq!(status, StatusCode::OK);
    serde_json::from_slice::<MatchList>(&list).expect("a list");
    let (status, body) = get(&app, &format!("matches/{id}")).await;
    if !status.is_success() {
        // Damaged, or of a game that the server does not have.
        let expected = [
            StatusCode::INTERNAL_SERVER_ERROR,
            StatusCode::SERVICE_UNAVAILABLE,
        ];
        assert!(expected.contains(&status), "{status}");
        return None;
    }
    let reported: MatchStatus = serde_json::from_slice(&body).expect("a status");
    // The server may have appended a timeout.
    let changes = usize::try_from(reported.sequence.get()).expect("a few");
    let entries = log.read(id, Sequence::START, changes + 1).await;
    let entries = entries.expect("the log is open");
    assert_eq!(entries.len(), changes + 1);
    let entry = |bytes: &Bytes| entry_json(bytes);
    let mut header = entry(&entries[0]);
    let settings = serde_json::from_value(header["settings"].take());
    let settings = settings.expect("a match begins with settings");
    let mut state = DynMatch::new(settings, |name| Catalog::bundled().game(name))
        .expect("a game of the catalog");
    for bytes in &entries[1..] {
        let transition = serde_json::from_value(entry(bytes)["transition"].take());
        let transition = transition.expect("an entry is a transition");
        state = state
            .apply(&transition)
            .expect("the transition is possible");
    }
    assert_eq!(reported.view, MatchView::of(&state));
    let (status, record) = get(&app, &format!("matches/{id}/games")).await;
    assert_eq!(status, StatusCode::OK);
    let record: MatchRecord = serde_json::from_slice(&record).expect("a record");
    let last = record.games.last().expect("a game that is played");
    assert_eq!(last.moves, reported.view.moves);
    let number = last.number;
    let (status, frames) = get(&app, &format!("matches/{id}/games/{number}")).await;
    assert_eq!(status, StatusCode::OK);
    let frames: GameFrames = serde_json::from_slice(&frames).expect("frames");
    assert_eq!(frames.boards.len(), last.moves.len() + 1);
    Some(reported.sequence.get())
}

/// The JSON of an entry. A checksum may follow.
pub(crate) fn entry_json(entry: &[u8]) -> Value {
    let mut values = serde_json::Deserializer::from_slice(entry).into_iter();
    let first = values.next().expect("an entry is not empty");
    first.expect("an entry begins with JSON")
}

/// A request: a line with method and path, header lines, an empty line, and the
/// body. Returns whether the request succeeds.
pub(crate) fn request(bytes: &[u8]) -> bool {
    let Some(request) = parse_request(bytes) else {
        return false;
    };
    // An analysis would take too long.
    if request.uri().path().contains("judge") {
        return false;
    }
    block_on(async {
        let log = Arc::new(MemoryLog::new());
        let id: MatchId = "m".parse().expect("the id is valid");
        let header = r#"{"version":1,"settings":{"game":"ttt"},"listed":true,"at":1}"#;
        let begun = log.append(&id, Sequence::START, header.into()).await;
        begun.expect("the log is empty");
        let app = server(&log);
        let (status, _) = send(&app, request).await;
        assert!(!status.is_server_error(), "{status}");
        assert_eq!(get(&app, "matches/m").await.0, StatusCode::OK);
        !status.is_client_error()
    })
}

fn parse_request(bytes: &[u8]) -> Option<Request<Body>> {
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
