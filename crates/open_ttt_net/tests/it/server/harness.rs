//! A server on a port of its own, and clients that know nothing but the
//! protocol: JSON over plain sockets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::server::{Config, RateLimit, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

/// A server that runs.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    end: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

/// Without limits, for a test that is not about them.
pub(crate) fn generous() -> Config {
    let mut config = Config::default();
    config.create_rate = RateLimit::UNLIMITED;
    config.request_rate = RateLimit::UNLIMITED;
    config.message_rate = RateLimit::UNLIMITED;
    config
}

pub(crate) async fn start_with(config: Config, log: Arc<dyn MatchLog>) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = oneshot::channel();
    let server = Server::new(config, log).unwrap();
    let task = tokio::spawn(server.serve(listener, async {
        let _ = ended.await;
    }));
    Running { address, end, task }
}

pub(crate) async fn start() -> Running {
    start_with(generous(), Arc::new(MemoryLog::new())).await
}

/// An answer over HTTP.
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

impl Running {
    /// Ends it as Ctrl-C does, and waits until it has ended.
    pub(crate) async fn end(self) {
        let _ = self.end.send(());
        self.task.await.unwrap().unwrap();
    }

    pub(crate) async fn request(&self, head: &str, body: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let (address, length) = (self.address, body.len());
        let request = format!(
            "{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Reply {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.request(&format!("GET {path} HTTP/1.1"), "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        let head = format!("POST {path} HTTP/1.1\r\ncontent-type: application/json");
        self.request(&head, &body.to_string()).await
    }

    /// Makes a match in which Ann has seat A and the first move.
    pub(crate) async fn create(&self, game: &str) -> (String, String) {
        let body = json!({"game": game, "first": "a", "seats": [{"person": "Ann"}, null]});
        let reply = self.post("/api/v1/matches", &body).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let seated = reply.json();
        let text = |name: &str| seated[name].as_str().unwrap().to_owned();
        (text("match"), text("token"))
    }

    /// Takes the other seat.
    pub(crate) async fn join(&self, id: &str, name: &str) -> String {
        let body = json!({"player": {"person": name}});
        let reply = self
            .post(&format!("/api/v1/matches/{id}/join"), &body)
            .await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["token"].as_str().unwrap().to_owned()
    }

    /// A socket to a match, before anything was said.
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
        // One who does not read is noticed soon.
        stream.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = stream.connect(self.address).await.unwrap();
        let (socket, _) = client_async(request, stream).await?;
        Ok(Client {
            socket,
            name: "nobody".to_owned(),
            sequence: 0,
            number: 0,
        })
    }

    /// A client that has said hello and been welcomed.
    pub(crate) async fn enter(&self, id: &str, name: &str, token: Option<&str>) -> Client {
        let (client, _) = self.enter_with(id, name, token, json!({})).await;
        client
    }

    /// The same, with more to say in the hello; and the welcome.
    pub(crate) async fn enter_with(
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
        client.say(&hello).await;
        let welcome = client.hear_type("welcome").await;
        client.sequence = welcome["sequence"].as_u64().unwrap();
        (client, welcome)
    }

    /// Two who sit at a table.
    pub(crate) async fn table(&self, game: &str) -> (String, Client, Client) {
        let (id, ann) = self.create(game).await;
        let bob = self.join(&id, "Bob").await;
        let ann = self.enter(&id, "ann", Some(&ann)).await;
        let bob = self.enter(&id, "bob", Some(&bob)).await;
        (id, ann, bob)
    }
}

/// One end of a WebSocket.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<TcpStream>,
    name: String,
    pub(crate) sequence: u64,
    pub(crate) number: u64,
}

impl Client {
    pub(crate) async fn say(&mut self, message: &Value) {
        self.socket
            .send(Message::text(message.to_string()))
            .await
            .unwrap();
    }

    /// The next message; none when the connection has ended.
    pub(crate) async fn hear_any(&mut self) -> Option<Value> {
        loop {
            let message = tokio::time::timeout(Duration::from_mins(1), self.socket.next())
                .await
                .unwrap_or_else(|_| panic!("{} has heard nothing for a minute", self.name));
            match message? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message that is not about who is there.
    pub(crate) async fn hear(&mut self) -> Value {
        loop {
            let message = self.hear_any().await;
            let message = message.unwrap_or_else(|| panic!("{} was cut off", self.name));
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
    pub(crate) fn hear_type(&mut self, kind: &str) -> impl Future<Output = Value> {
        let at = std::panic::Location::caller();
        async move {
            let message = self.hear().await;
            assert_eq!(message["type"], kind, "at {at}: {message}");
            message
        }
    }

    /// Proposes something for the state it knows, and hears the answer.
    pub(crate) async fn propose(&mut self, act: Value) -> Value {
        self.number += 1;
        let (number, base) = (self.number, self.sequence);
        self.say(&json!({"type": "propose", "number": number, "base": base, "act": act}))
            .await;
        loop {
            let message = self.hear().await;
            if message["number"] == number && message["type"] != "change" {
                return message;
            }
        }
    }

    /// Plays a move that is accepted.
    pub(crate) async fn play(&mut self, text: &str) {
        let answer = self.propose(json!({"move": {"text": text}})).await;
        assert_eq!(answer["type"], "accepted", "{answer}");
    }

    /// Waits for the other's move.
    pub(crate) async fn see(&mut self, text: &str) {
        let change = self.hear_type("change").await;
        assert_eq!(
            change["transition"]["act"]["move"]["text"], text,
            "{change}"
        );
    }

    /// Does something that is accepted, and that the others see.
    pub(crate) async fn act(&mut self, act: Value, others: &mut [&mut Self]) {
        let answer = self.propose(act.clone()).await;
        assert_eq!(answer["type"], "accepted", "{answer}");
        for other in others {
            let change = other.hear_type("change").await;
            assert_eq!(change["transition"]["act"], act, "{change}");
        }
    }
}
