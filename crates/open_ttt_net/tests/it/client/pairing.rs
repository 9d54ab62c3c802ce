//! The search for an opponent, against a server that answers as it is told.

use open_ttt_net::client::{Pairing, ServerAddress};
use open_ttt_net::protocol::{PairPlayer, PlayerId, PlayerKey, Token};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Receiver, Sender, channel};

const PROTOCOL: &str = include_str!("../../../../../docs/protocol.md");

/// A server that shows each request, and sends the response that it is given; without
/// one it closes the connection.
struct TestServer {
    address: ServerAddress,
    requests: Receiver<(String, Value)>,
    responses: Sender<Option<Value>>,
}

impl TestServer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (shown, requests) = channel(1);
        let (responses, mut given) = channel(1);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                let (mut first, mut length) = (String::new(), 0);
                stream.read_line(&mut first).await.unwrap();
                loop {
                    let mut line = String::new();
                    stream.read_line(&mut line).await.unwrap();
                    let line = line.trim().to_ascii_lowercase();
                    if let Some(value) = line.strip_prefix("content-length: ") {
                        length = value.parse().unwrap();
                    }
                    if line.is_empty() {
                        break;
                    }
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                let what = first.rsplit_once(' ').unwrap().0.to_owned();
                shown.send((what, body)).await.unwrap();
                let Some(response): Option<Value> = given.recv().await.unwrap() else {
                    continue;
                };
                let body = response.to_string();
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                let answer = head + &body;
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self {
            address: address.parse().unwrap(),
            requests,
            responses,
        }
    }

    /// The next request, which gets this response.
    async fn answer(&mut self, response: Option<Value>) -> (String, Value) {
        let request = self.requests.recv().await.unwrap();
        self.responses.send(response).await.unwrap();
        request
    }
}

fn seat_in(id: &str) -> Value {
    let token = Token::from_bytes([1; 16]);
    json!({"match": id, "seat": "a", "token": token, "path": format!("/m/{id}")})
}

/// The status of a match whose seats both belong to this player.
fn left_behind(id: &str, player: PlayerId) -> Value {
    let view = PROTOCOL.split("```json MatchView\n").nth(1).unwrap();
    let view: Value = serde_json::from_str(view.split("```").next().unwrap()).unwrap();
    json!({"match": id, "sequence": 3, "open": [], "players": [player, player], "view": view})
}

#[tokio::test]
async fn a_lost_answer_does_not_leave_the_player_in_the_match_left_behind() {
    let mut server = TestServer::start().await;
    let key = PlayerKey(Token::from_bytes([7; 16]));
    let player = PlayerId::of(&key);
    let wanted = PairPlayer {
        game: "ttt".to_owned(),
        clock: None,
        rated: false,
        name: "Ann".to_owned(),
        key: key.clone(),
        waiting: None,
    };
    let starting = Pairing::start(server.address.clone(), wanted.clone());
    let (pairing, request) = tokio::join!(starting, server.answer(Some(seat_in("one"))));
    let mut pairing = pairing.unwrap();
    let as_sent = |waiting: Option<&str>| {
        let mut body = serde_json::to_value(&wanted).unwrap();
        if let Some(waiting) = waiting {
            body["waiting"] = waiting.into();
        }
        ("POST /api/v1/pair".to_owned(), body)
    };
    assert_eq!(request, as_sent(None));
    assert_eq!(pairing.link().id().as_str(), "one");
    assert!(pairing.link().token().is_some());
    assert!(!pairing.is_asking());

    // The server has moved the player, but nobody knows.
    let (moved, request) = tokio::join!(pairing.ask_again(), server.answer(None));
    assert_eq!((moved, request), (Ok(false), as_sent(Some("one"))));
    assert!(pairing.is_asking(), "the answer is missing");

    // The caller does other things, too: no request is lost or sent twice.
    let request = tokio::select! {
        moved = pairing.ask_again() => panic!("{moved:?}"),
        request = server.requests.recv() => request.unwrap(),
    };
    assert_eq!(request.0, "GET /api/v1/matches/one");
    assert!(pairing.is_asking());
    let status = Some(left_behind("one", player));
    server.responses.send(status).await.unwrap();
    let answering = server.answer(Some(seat_in("two")));
    let (moved, request) = tokio::join!(pairing.ask_again(), answering);
    assert_eq!((moved, request), (Ok(true), as_sent(None)));
    assert_eq!(pairing.link().id().as_str(), "two");
    assert!(!pairing.is_asking());

    let answering = server.answer(Some(json!({"cancelled": false})));
    let (cancelled, request) = tokio::join!(pairing.cancel(), answering);
    assert_eq!(cancelled, Ok(false));
    let body = json!({"match": "two", "key": key});
    assert_eq!(request, ("POST /api/v1/pair/cancel".to_owned(), body));
}

#[tokio::test]
async fn whoever_waits_stays_in_the_match() {
    let mut server = TestServer::start().await;
    let wanted = PairPlayer {
        game: "ttt".to_owned(),
        clock: None,
        rated: true,
        name: "Ann".to_owned(),
        key: PlayerKey(Token::from_bytes([7; 16])),
        waiting: None,
    };
    let starting = Pairing::start(server.address.clone(), wanted);
    let (pairing, _) = tokio::join!(starting, server.answer(Some(seat_in("one"))));
    let mut pairing = pairing.unwrap();
    let link = pairing.link().clone();
    let same = json!({"match": "one", "seat": null, "token": null, "path": "/m/one"});
    let (moved, _) = tokio::join!(pairing.ask_again(), server.answer(Some(same)));
    assert_eq!(moved, Ok(false));
    assert_eq!((pairing.link(), pairing.is_asking()), (&link, false));
    assert!(link.token().is_some());
}
