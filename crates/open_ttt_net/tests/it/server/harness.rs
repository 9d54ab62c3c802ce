//! A running server, and clients that use only the protocol: JSON over plain
//! sockets.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use futures_util::{SinkExt, StreamExt};
use open_ttt_catalog::Catalog;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::protocol::Token;
use open_ttt_net::server::{Config, RateLimit, Server, private_app};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};
use tower::ServiceExt;

use crate::waiting::HANG_GUARD;

/// A running server.
pub(crate) struct RunningServer {
    pub(crate) address: SocketAddr,
    server: Server,
    shutdown: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

/// The operator's token, where a server has one.
pub(crate) const OPERATOR: Token = Token::from_bytes([7; 16]);

/// Options without rate limits and time-outs, however slow the machine is.
pub(crate) fn unlimited() -> Config {
    let mut config = Config::default();
    config.client_timeout = HANG_GUARD;
    config.connection_idle_timeout = HANG_GUARD;
    config.computer_time = HANG_GUARD;
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
    config.message_rate = RateLimit::UNLIMITED;
    config.act_rate = RateLimit::UNLIMITED;
    config
}

pub(crate) async fn start_with(config: Config, log: Arc<dyn MatchLog>) -> RunningServer {
    start_with_games(Catalog::bundled(), config, log).await
}

/// A server of the games in this catalog.
pub(crate) async fn start_with_games(
    catalog: Catalog,
    config: Config,
    log: Arc<dyn MatchLog>,
) -> RunningServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (shutdown, on_shutdown) = oneshot::channel();
    let server = Server::new(catalog, config, log).unwrap();
    let task = tokio::spawn(server.clone().serve(listener, async {
        let _ = on_shutdown.await;
    }));
    RunningServer {
        address,
        server,
        shutdown,
        task,
    }
}

pub(crate) async fn start() -> RunningServer {
    start_with(unlimited(), Arc::new(MemoryLog::new())).await
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn is_error(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.json()["error"]["code"], code, "{self:?}");
    }
}

impl RunningServer {
    /// Shuts the server down as Ctrl-C does.
    pub(crate) async fn end(self) {
        let _ = self.shutdown.send(());
        self.task.await.unwrap().unwrap();
    }

    pub(crate) async fn request(&self, head: &str, body: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let (address, length) = (self.address, body.len());
        let request = format!(
            "{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.request(&format!("GET {path} HTTP/1.1"), "").await
    }

    /// The number of proposals with a verdict, as the metrics have it.
    pub(crate) async fn proposals(&self, verdict: &str) -> u64 {
        let (_, metrics) = self.get_private("/metrics").await;
        let series = format!("open_ttt_proposals_total{{verdict=\"{verdict}\"}} ");
        let mut lines = metrics.lines();
        let count = lines.find_map(|line| line.strip_prefix(&series));
        count.unwrap().parse().unwrap()
    }

    /// A request to the server's private side.
    pub(crate) async fn get_private(&self, path: &str) -> (StatusCode, String) {
        self.private(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    /// A request with the operator's token. Returns the status and the response.
    pub(crate) async fn operator(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(format!("/admin/v1{path}"))
            .header("authorization", format!("Bearer {}", OPERATOR.reveal()))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()));
        let (status, text) = self.private(request.unwrap()).await;
        (status.as_u16(), serde_json::from_str(&text).unwrap())
    }

    /// The live numbers that the operator sees.
    pub(crate) async fn live_numbers(&self) -> Value {
        let (status, numbers) = self.operator(Method::GET, "/status", &json!(null)).await;
        assert_eq!(status, 200, "{numbers}");
        numbers
    }

    pub(crate) async fn private(&self, request: Request<Body>) -> (StatusCode, String) {
        let response = private_app(&self.server).oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.into()).unwrap())
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        let head = format!("POST {path} HTTP/1.1\r\ncontent-type: application/json");
        self.request(&head, &body.to_string()).await
    }

    /// Creates a match in which Ann has seat A and the first move. Returns the id
    /// and her token.
    pub(crate) async fn create(&self, game: &str) -> (String, String) {
        let body = json!({"game": game, "first": "a", "seats": [{"person": "Ann"}, null]});
        let reply = self.post("/api/v1/matches", &body).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let assignment = reply.json();
        let text = |name: &str| assignment[name].as_str().unwrap().to_owned();
        (text("match"), text("token"))
    }

    /// Joins as the second player. Returns the token.
    pub(crate) async fn join(&self, id: &str, name: &str) -> String {
        let body = json!({"player": {"person": name}});
        let reply = self
            .post(&format!("/api/v1/matches/{id}/join"), &body)
            .await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["token"].as_str().unwrap().to_owned()
    }

    /// A socket to a match, before the hello.
    pub(crate) async fn socket(
        &self,
        id: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Client, Error> {
        let url = format!("ws://{}/api/v1/matches/{id}/socket", self.address);
        let mut request = url.into_client_request()?;
        request
            .headers_mut()
            .insert("sec-websocket-protocol", "open_ttt.v1".parse().unwrap());
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        let stream = TcpSocket::new_v4().unwrap();
        // Small, so the server soon notices a client that does not read.
        stream.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = stream.connect(self.address).await.unwrap();
        let (socket, _) = client_async(request, stream).await?;
        Ok(Client {
            socket,
            name: "unnamed".to_owned(),
            sequence: 0,
            number: 0,
        })
    }

    /// A client that is connected to a match.
    pub(crate) async fn connect(&self, id: &str, name: &str, token: Option<&str>) -> Client {
        let (client, _) = self.connect_with(id, name, token, json!({})).await;
        client
    }

    /// The same with more fields in the hello. Also returns the welcome.
    pub(crate) async fn connect_with(
        &self,
        id: &str,
        name: &str,
        token: Option<&str>,
        more: Value,
    ) -> (Client, Value) {
        let mut client = self.socket(id, &[]).await.unwrap();
        name.clone_into(&mut client.name);
        let mut hello = json!({"type": "hello", "protocol": 1, "client": name});
        if let Some(token) = token {
            hello["token"] = token.into();
        }
        for (key, value) in more.as_object().unwrap() {
            hello[key] = value.clone();
        }
        client.send(&hello).await;
        let welcome = client.receive_type("welcome").await;
        client.sequence = welcome["sequence"].as_u64().unwrap();
        (client, welcome)
    }

    /// A match with two connected players.
    pub(crate) async fn new_match(&self, game: &str) -> (String, Client, Client) {
        let (id, ann) = self.create(game).await;
        let bob = self.join(&id, "Bob").await;
        let ann = self.connect(&id, "ann", Some(&ann)).await;
        let bob = self.connect(&id, "bob", Some(&bob)).await;
        (id, ann, bob)
    }
}

/// A WebSocket client.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<TcpStream>,
    name: String,
    pub(crate) sequence: u64,
    pub(crate) number: u64,
}

impl Client {
    pub(crate) async fn send(&mut self, message: &Value) {
        self.socket
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }

    /// The next message; `None` when the connection has ended.
    pub(crate) async fn receive_any(&mut self) -> Option<Value> {
        loop {
            let message = tokio::time::timeout(HANG_GUARD, self.socket.next())
                .await
                .unwrap_or_else(|_| panic!("{} receives nothing", self.name));
            match message? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message that is not about presence.
    pub(crate) async fn receive(&mut self) -> Value {
        loop {
            let message = self.receive_any().await;
            let message = message.unwrap_or_else(|| panic!("{} is disconnected", self.name));
            if message["type"] == "presence" {
                continue;
            }
            let change = if message["type"] == "accepted" {
                &message["change"]
            } else {
                &message
            };
            if matches!(message["type"].as_str(), Some("accepted" | "change")) {
                self.sequence = change["sequence"].as_u64().unwrap();
            }
            return message;
        }
    }

    #[track_caller]
    pub(crate) fn receive_type(&mut self, kind: &str) -> impl Future<Output = Value> {
        let at = std::panic::Location::caller();
        async move {
            let message = self.receive().await;
            assert_eq!(message["type"], kind, "at {at}: {message}");
            message
        }
    }

    /// Proposes an act for the last known state and returns the reply.
    pub(crate) async fn propose(&mut self, act: Value) -> Value {
        self.number += 1;
        let (number, base) = (self.number, self.sequence);
        self.send(&json!({"type": "propose", "number": number, "base": base, "act": act}))
            .await;
        loop {
            let message = self.receive().await;
            if message["number"] == number && message["type"] != "change" {
                return message;
            }
        }
    }

    /// Plays a move, which must be accepted.
    pub(crate) async fn play(&mut self, text: &str) {
        let reply = self.propose(json!({"move": {"text": text}})).await;
        assert_eq!(reply["type"], "accepted", "{reply}");
    }

    /// Receives the other player's move.
    pub(crate) async fn receive_move(&mut self, text: &str) {
        let change = self.receive_type("change").await;
        assert_eq!(
            change["transition"]["act"]["move"]["text"], text,
            "{change}"
        );
    }

    /// Proposes an act, which must be accepted and sent to the others.
    pub(crate) async fn act(&mut self, act: Value, others: &mut [&mut Self]) {
        let reply = self.propose(act.clone()).await;
        assert_eq!(reply["type"], "accepted", "{reply}");
        for other in others {
            let change = other.receive_type("change").await;
            assert_eq!(change["transition"]["act"], act, "{change}");
        }
    }
}
