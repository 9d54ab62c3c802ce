//! Properties of a server for what reaches its operator's side and its names: requests
//! for administration, stored decisions, names of players, and the header with which
//! proxies tell a client's address.

use core::str::from_utf8;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, Method, Request, StatusCode};
use bytes::Bytes;
use open_ttt_catalog::Catalog;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MAX_ENTRY, MatchLog, MemoryLog};
use open_ttt_net::matches::Player;
use open_ttt_net::protocol::admin::Bans;
use open_ttt_net::protocol::{ErrorBody, MatchStatus, SeatAssignment, Token};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::{Config, RateLimit, Server, app, private_app};
use serde_json::json;
use tower::ServiceExt;

/// The most input lines that are used.
const MAX_LINES: usize = 64;

const TOKEN: Token = Token::from_bytes([7; 16]);

/// The public and the private side of a server over this store, behind proxies in
/// `10.0.0.0/8` and on this machine.
fn server(log: &Arc<MemoryLog>) -> [Router; 2] {
    let mut config = Config::default();
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
    config.trusted_proxies = vec![
        IpAddr::from([127, 0, 0, 1]).into(),
        "10.0.0.0/8".parse().expect("a network"),
    ];
    config.admin_token = Some(TOKEN);
    let log: Arc<dyn MatchLog> = log.clone();
    let server = Server::new(Catalog::bundled(), config, log);
    let server = server.expect("the system has random numbers");
    [app(&server), private_app(&server)]
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("the system has threads")
        .block_on(future)
}

/// Sends a request. Checks that a refusal is reported, and not a failure of the server.
async fn send(app: &Router, request: Request<Body>) -> (StatusCode, Bytes) {
    let is_head = request.method() == Method::HEAD;
    let response = app.clone().oneshot(request).await;
    let response = response.expect("there is always a response");
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 24).await;
    let body = body.expect("the response ends");
    assert!(!status.is_server_error(), "{status}: {body:?}");
    if status.is_client_error() && !is_head {
        serde_json::from_slice::<ErrorBody>(&body).expect("an error is reported");
    }
    (status, body)
}

/// A request of the operator.
async fn ask(private: &Router, method: Method, path: &str, body: &[u8]) -> (StatusCode, Bytes) {
    let request = Request::builder()
        .method(method)
        .uri(format!("/admin/v1/{path}"))
        .header("authorization", format!("Bearer {}", TOKEN.reveal()))
        .header("content-type", "application/json")
        .body(Body::from(body.to_vec()));
    match request {
        Ok(request) => send(private, request).await,
        // Not even a request.
        Err(_) => (StatusCode::BAD_REQUEST, Bytes::new()),
    }
}

/// Stores a match without players, with the id `m`.
async fn store_match(log: &MemoryLog) {
    let header = r#"{"version":1,"settings":{"game":"ttt"},"listed":true,"at":1}"#;
    let id: MatchId = "m".parse().expect("the id is valid");
    let begun = log.append(&id, Sequence::START, header.into()).await;
    begun.expect("the log is empty");
}

/// A request for administration: a line with the method and the path behind
/// `/admin/v1/`, and a body. Returns whether the request succeeds.
pub(crate) fn admin_request(bytes: &[u8]) -> bool {
    let end = bytes.iter().position(|&byte| byte == b'\n');
    let (line, body) = bytes.split_at(end.unwrap_or(bytes.len()));
    let Ok(line) = from_utf8(line) else {
        return false;
    };
    let (method, path) = line.split_once(' ').unwrap_or(("GET", line));
    let Ok(method) = method.parse::<Method>() else {
        return false;
    };
    block_on(async {
        let log = Arc::new(MemoryLog::new());
        store_match(&log).await;
        let [_, private] = server(&log);
        // So that there is a ban to lift.
        let ban = json!({"who": {"name": "Eve"}}).to_string();
        let (banned, _) = ask(&private, Method::POST, "bans", ban.as_bytes()).await;
        assert_eq!(banned, StatusCode::OK);
        let (status, _) = ask(&private, method, path, body).await;
        // Whatever was decided, the server goes on.
        let (listed, bans) = ask(&private, Method::GET, "bans", b"").await;
        assert_eq!(listed, StatusCode::OK);
        serde_json::from_slice::<Bans>(&bans).expect("a list of bans");
        status.is_success()
    })
}

/// Stored decisions, one a line. Returns how many bans hold.
pub(crate) fn decisions(bytes: &[u8]) -> usize {
    block_on(async {
        let log = Arc::new(MemoryLog::new());
        let id: MatchId = "_moderation".parse().expect("the id is valid");
        let lines = bytes.split(|&byte| byte == b'\n').take(MAX_LINES);
        for (line, number) in lines.zip(0..) {
            let entry = Bytes::copy_from_slice(&line[..line.len().min(MAX_ENTRY)]);
            let appended = log.append(&id, Sequence::new(number), entry).await;
            appended.expect("the entry follows the last");
        }
        let [_, private] = server(&log);
        // A further decision applies those that are stored.
        let ban = json!({"who": {"network": "203.0.113.77/32"}});
        let (status, reply) = ask(&private, Method::POST, "bans", ban.to_string().as_bytes()).await;
        assert_eq!(status, StatusCode::OK, "{reply:?}");
        let (_, bans) = ask(&private, Method::GET, "bans", b"").await;
        let Bans { bans } = serde_json::from_slice(&bans).expect("a list of bans");
        assert_eq!(
            bans.iter().filter(|held| held.who == bans[0].who).count(),
            1,
            "each once"
        );
        bans.len() - 1
    })
}

/// The name of a player. Returns whether it is allowed.
pub(crate) fn name(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    block_on(async {
        let [public, _] = server(&Arc::new(MemoryLog::new()));
        let shown = shown_name(&public, text).await;
        if let Some(shown) = &shown {
            assert!(Player::person(shown).has_valid_name(), "{shown:?}");
            // Nothing is left to be changed.
            let again = shown_name(&public, shown).await;
            assert_eq!(again.as_ref(), Some(shown), "{text:?}");
        }
        shown.is_some()
    })
}

/// The name that others see, if the name is allowed.
async fn shown_name(public: &Router, name: &str) -> Option<String> {
    let body = json!({"game": "ttt", "seats": [{"person": name}, null]});
    let request = Request::post("/api/v1/matches").header("content-type", "application/json");
    let request = request.body(Body::from(body.to_string()));
    let (status, reply) = send(public, request.expect("a request")).await;
    if !status.is_success() {
        return None;
    }
    let created: SeatAssignment = serde_json::from_slice(&reply).expect("an assignment");
    let request = Request::get(format!("/api/v1/matches/{}", created.id));
    let (_, status) = send(public, request.body(Body::empty()).expect("a request")).await;
    let status: MatchStatus = serde_json::from_slice(&status).expect("a status");
    let player = status.view.seats[0].as_ref().expect("the creator");
    Some(player.name.clone())
}

/// The lines of `X-Forwarded-For`. Checks that the client's address is the last one that
/// is not a proxy's: exactly a ban of that one refuses the client. Returns whether there
/// is one.
pub(crate) fn forwarded_for(bytes: &[u8]) -> bool {
    let lines = bytes.split(|&byte| byte == b'\n').take(MAX_LINES);
    let lines: Option<Vec<_>> = lines
        .map(|line| HeaderValue::from_bytes(line).ok())
        .collect();
    let Some(lines) = lines else { return false };
    let expected = last_address(&lines);
    block_on(async {
        // Without any, it is the address that the request came from.
        let client = expected.unwrap_or([127, 0, 0, 1].into());
        for banned in [client, [203, 0, 113, 77].into()] {
            let [public, private] = server(&Arc::new(MemoryLog::new()));
            let length = if banned.is_ipv4() { 32 } else { 128 };
            let ban = json!({"who": {"network": format!("{banned}/{length}")}});
            let body = ban.to_string();
            let (status, reply) = ask(&private, Method::POST, "bans", body.as_bytes()).await;
            assert_eq!(status, StatusCode::OK, "{banned}: {reply:?}");
            let mut request = Request::get("/api/v1/matches").body(Body::empty());
            let headers = request.as_mut().expect("a request").headers_mut();
            for line in &lines {
                headers.append("x-forwarded-for", line.clone());
            }
            let (status, _) = send(&public, request.expect("a request")).await;
            let is_refused = status == StatusCode::FORBIDDEN;
            assert_eq!(is_refused, banned == client, "{lines:?}: {banned}");
        }
    });
    expected.is_some()
}

/// All addresses in one list from the last on, until one is not a proxy's. What no proxy
/// writes ends the list.
fn last_address(lines: &[HeaderValue]) -> Option<IpAddr> {
    let mut all = Vec::new();
    for line in lines {
        // A line with other characters is one entry that no proxy writes.
        match line.to_str() {
            Ok(text) => all.extend(text.split(',').map(|text| text.trim().to_owned())),
            Err(_) => all.push(String::new()),
        }
    }
    let mut last = None;
    while let Some(text) = all.pop() {
        let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
        let Ok(address) = text.parse::<IpAddr>().or_else(|_| with_port()) else {
            break;
        };
        let address = match address {
            IpAddr::V6(long) => long.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        last = Some(address);
        let is_proxy = match address {
            IpAddr::V4(short) => short.octets()[0] == 10 || short.octets() == [127, 0, 0, 1],
            IpAddr::V6(_) => false,
        };
        if !is_proxy {
            break;
        }
    }
    last
}
