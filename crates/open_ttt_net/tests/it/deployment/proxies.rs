//! The server behind nginx and `HAProxy`, with the configurations of this repository.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use open_ttt_net::server::{Config, RateLimit};
use serde_json::{Value, json};
use socket2::{Domain, Socket, Type};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use super::proxy::Proxy;
use crate::http::{Response, get, request, request_over};
use crate::test_server::TestServer;

/// Settings of a server behind a proxy on this machine, without limits of its own.
fn behind_proxy(config: &mut Config) {
    config.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
}

const JSON: (&str, &str) = ("content-type", "application/json");

fn new_match() -> String {
    json!({"game": "mnk(m=15,n=15,k=5)", "first": "a", "seats": [{"person": "Ann"}, null]})
        .to_string()
}

/// Sends a request from an address of this machine.
#[track_caller]
fn create_from(from: Ipv4Addr, proxy: SocketAddr, headers: &[(&str, &str)]) -> Response {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((from, 0)).into()).unwrap();
    socket.connect(&proxy.into()).unwrap();
    let headers = [&[JSON], headers].concat();
    let path = "/api/v1/matches";
    request_over(
        TcpStream::from(socket),
        proxy,
        "POST",
        path,
        &headers,
        &new_match(),
    )
}

/// A WebSocket through the proxy, as a page of the proxy's address opens it.
#[track_caller]
pub(super) fn connect(proxy: SocketAddr, id: &str, token: &str) -> WebSocket<TcpStream> {
    let url = format!("ws://{proxy}/api/v1/matches/{id}/socket");
    let mut request = url.into_client_request().unwrap();
    let headers = request.headers_mut();
    headers.insert("sec-websocket-protocol", "open_ttt.v1".parse().unwrap());
    headers.insert("origin", format!("http://{proxy}").parse().unwrap());
    let stream = TcpStream::connect(proxy).unwrap();
    let (mut socket, _) = client(request, stream).expect("the proxy forwards WebSockets");
    let hello = json!({
        "type": "hello", "protocol": 1, "client": &token[..8], "token": token, "shape": "views",
    });
    socket.send(Message::text(hello.to_string())).unwrap();
    receive(&mut socket, "welcome");
    socket
}

/// The next message of this kind.
#[track_caller]
pub(super) fn receive(socket: &mut WebSocket<TcpStream>, kind: &str) -> Value {
    loop {
        let Message::Text(text) = socket.read().expect("the connection is open") else {
            continue;
        };
        let message: Value = serde_json::from_str(&text).unwrap();
        assert_ne!(message["type"], "error", "{message}");
        if message["type"] == kind {
            return message;
        }
    }
}

/// A game is played from the page to its end and read again.
#[track_caller]
fn a_game_is_played(start: impl Fn(SocketAddr) -> Proxy) {
    let server = TestServer::start_with(behind_proxy);
    let proxy = start(server.address);
    let address = proxy.address;
    for path in ["/", "/m/k3h9zq4m2x7d", "/assets/main.js", "/api/v1/games"] {
        let through = get(address, path);
        assert_eq!(through.status, 200, "{path}");
        assert!(through.body == get(server.address, path).body, "{path}");
        let hsts = through.header("strict-transport-security");
        assert!(hsts.is_some_and(|hsts| hsts.contains("max-age=")), "{path}");
    }
    let origin = format!("http://{address}");
    let headers = [JSON, ("origin", &*origin)];
    let created = request(address, "POST", "/api/v1/matches", &headers, &new_match());
    assert_eq!(created.status, 201, "{}", created.text());
    let created = created.json();
    let (id, ann) = (
        created["match"].as_str().unwrap(),
        created["token"].as_str().unwrap(),
    );
    let join = format!("/api/v1/matches/{id}/join");
    let bob = json!({"player": {"person": "Bob"}}).to_string();
    let joined = request(address, "POST", &join, &headers, &bob).json();
    let bob = joined["token"].as_str().unwrap();
    let mut sockets = [ann, bob].map(|token| connect(address, id, token));
    for (number, text) in ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4", "a5"]
        .into_iter()
        .enumerate()
    {
        let act = json!({"move": {"text": text}});
        // Two joins come first.
        let base = number + 2;
        let propose = json!({"type": "propose", "number": number + 1, "base": base, "act": act});
        let [mover, other] = [number % 2, 1 - number % 2];
        sockets[mover]
            .send(Message::text(propose.to_string()))
            .unwrap();
        let accepted = receive(&mut sockets[mover], "accepted");
        let change = receive(&mut sockets[other], "change");
        assert_eq!(accepted["change"]["sequence"], change["sequence"]);
    }
    let games = get(address, &format!("/api/v1/matches/{id}/games")).json();
    assert_eq!(
        games["games"][0]["verdict"],
        json!({"winner": "a", "by": "rules"})
    );

    // More than a proxy keeps in memory.
    let boards = format!("/api/v1/matches/{id}/games/1");
    let through = get(address, &boards).body;
    assert!(through.len() > 40 * 1024, "{} bytes", through.len());
    assert!(through == get(server.address, &boards).body);

    // Plain HTTP leads to HTTPS.
    let redirected = request(proxy.redirect, "GET", "/m/abc", &[], "");
    assert_eq!(redirected.status, 301);
    let location = redirected.header("location").unwrap_or_default();
    assert!(
        location.starts_with("https://127.0.0.1") && location.ends_with("/m/abc"),
        "{location}"
    );

    // Clients understand that the server is away.
    let _crashed = server.crash();
    let away = get(address, "/api/v1/matches");
    assert_eq!(
        (away.status, &away.json()["error"]["code"]),
        (503, &json!("unavailable"))
    );
    assert!(away.header("retry-after").is_some());
}

/// The headers with which a client claims to have this address.
type Claim = fn(&str) -> Vec<(&'static str, String)>;

/// The server's limits count for the address that reached the proxy, whatever the client
/// claims.
#[track_caller]
fn claimed_addresses_are_not_believed(start: impl Fn(SocketAddr) -> Proxy) {
    let server = TestServer::start_with(|config| {
        behind_proxy(config);
        config.create_rate = RateLimit {
            burst: 2,
            per_minute: 1,
        };
    });
    let proxy = start(server.address);
    let claims: [Claim; 4] = [
        |claimed| vec![("x-forwarded-for", claimed.to_owned())],
        // As if the client were a trusted proxy itself.
        |claimed| vec![("x-forwarded-for", format!("{claimed}, 127.0.0.1"))],
        |claimed| {
            let headers = ["x-forwarded-for", "X-Forwarded-For"];
            headers.map(|name| (name, claimed.to_owned())).to_vec()
        },
        |claimed| {
            vec![
                ("forwarded", format!("for={claimed}")),
                ("x-real-ip", claimed.to_owned()),
            ]
        },
    ];
    for (client, claim) in (1..).zip(claims) {
        let from = Ipv4Addr::new(127, 0, 1, client);
        // A slow machine refills the bucket by one or two; each believed claim would have
        // a bucket of its own.
        let refused = (1..=50).find(|number| {
            let headers = claim(&format!("203.0.113.{number}"));
            let headers: Vec<_> = headers
                .iter()
                .map(|(name, value)| (*name, &**value))
                .collect();
            let created = create_from(from, proxy.address, &headers);
            assert!([201, 429].contains(&created.status), "{}", created.text());
            created.status == 429
        });
        assert!(
            refused.is_some_and(|number| number > 2),
            "client {client}: {refused:?}"
        );
        // Another client is not affected.
        let other = Ipv4Addr::new(127, 0, 2, client);
        assert_eq!(
            create_from(other, proxy.address, &[]).status,
            201,
            "client {client}"
        );
    }
}

/// One address with too many requests receives an error that clients understand.
#[track_caller]
fn requests_are_limited(start: impl Fn(SocketAddr) -> Proxy) {
    let server = TestServer::start_with(behind_proxy);
    let proxy = start(server.address);
    let refused = (0..20)
        .map(|_| get(proxy.address, "/api/v1/matches"))
        .find(|response| response.status != 200)
        .expect("the limit is reached");
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (429, &json!("too_many"))
    );
    assert_eq!(refused.header("retry-after"), Some("5"));
}

#[test]
#[ignore = "needs nginx: cargo xtask test installs it"]
fn a_game_is_played_behind_nginx() {
    a_game_is_played(|server| Proxy::nginx(server, &[]));
}

#[test]
#[ignore = "needs HAProxy: cargo xtask test installs it"]
fn a_game_is_played_behind_haproxy() {
    a_game_is_played(|server| Proxy::haproxy(server, &[]));
}

#[test]
#[ignore = "needs nginx: cargo xtask test installs it"]
fn claimed_addresses_are_not_believed_behind_nginx() {
    claimed_addresses_are_not_believed(|server| Proxy::nginx(server, &[]));
}

#[test]
#[ignore = "needs HAProxy: cargo xtask test installs it"]
fn claimed_addresses_are_not_believed_behind_haproxy() {
    claimed_addresses_are_not_believed(|server| Proxy::haproxy(server, &[]));
}

#[test]
#[ignore = "needs nginx: cargo xtask test installs it"]
fn requests_are_limited_by_nginx() {
    let slow = [
        ("rate=40r/s", "rate=1r/m"),
        ("burst=400 nodelay", "burst=3 nodelay"),
    ];
    requests_are_limited(|server| Proxy::nginx(server, &slow));
}

#[test]
#[ignore = "needs HAProxy: cargo xtask test installs it"]
fn requests_are_limited_by_haproxy() {
    let slow = [
        (
            "store conn_cur,http_req_rate(10s)",
            "store conn_cur,http_req_rate(1h)",
        ),
        ("gt 800", "gt 5"),
    ];
    requests_are_limited(|server| Proxy::haproxy(server, &slow));
}
