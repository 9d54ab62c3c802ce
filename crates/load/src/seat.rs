use std::borrow::Cow;

use futures_util::{SinkExt, StreamExt};
use open_ttt_net::ClientId;
use open_ttt_net::client::{Link, Lobby, ServerAddress};
use open_ttt_net::matches::{Act, Seat};
use open_ttt_net::protocol::{
    ClientMessage, CreateMatch, ErrorCode, JoinMatch, SUBPROTOCOL, SeatRequest, ServerMessage,
    Token, UpdateShape, VERSION,
};
use open_ttt_net::replication::Sequence;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

/// What a connection holds for what comes in, in bytes. All of it is zeroed for
/// each read, which with the 128 KiB of the library is half of the generator's work.
const READ_BUFFER: usize = 4096;

/// A connection that knows no more of the protocol than it needs, so that it
/// costs little beside the server that is measured.
pub(crate) struct SeatLine {
    socket: WebSocketStream<TcpStream>,
    numbers: u64,
}

/// What matters of a server's message.
#[derive(Deserialize)]
pub(crate) struct Glance<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    sequence: Option<u64>,
    #[serde(default)]
    change: Option<Numbered>,
    #[serde(default)]
    code: Option<ErrorCode>,
    #[serde(default, borrow)]
    text: Option<Cow<'a, str>>,
}

/// Why something did not come to pass.
pub(crate) enum Halt {
    /// The server keeps no more of this match.
    Full,
    /// What should not be, in a sentence.
    Failed(String),
}

impl From<String> for Halt {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

#[derive(Deserialize)]
struct Numbered {
    sequence: u64,
}

/// A match with two seats taken, and what proves them.
pub(crate) struct Made {
    pub(crate) link: Link,
    pub(crate) tokens: [Token; 2],
}

/// Makes a match for two people, in which seat A begins.
pub(crate) async fn make(server: &ServerAddress, game: &str) -> Result<Made, String> {
    let lobby = Lobby::new(server.clone());
    let person = |name: &str| SeatRequest::Person(name.to_owned());
    let wanted = CreateMatch {
        game: game.to_owned(),
        clock: None,
        first: Some(Seat::A),
        seats: [Some(person("Ann")), None],
        listed: false,
    };
    let failed = |error: open_ttt_net::client::ClientError| error.to_string();
    let made = lobby.create(&wanted).await.map_err(failed)?;
    let wanted = JoinMatch {
        player: person("Bob"),
        seat: None,
        token: None,
    };
    let joined = lobby.join(&made.id, &wanted).await.map_err(failed)?;
    let tokens = made.token.zip(joined.token);
    let (a, b) = tokens.ok_or("the server gave no token")?;
    Ok(Made {
        link: server.clone().link(made.id),
        tokens: [a, b],
    })
}

impl SeatLine {
    /// Connects, says hello and hears the welcome.
    pub(crate) async fn open(
        link: &Link,
        token: Token,
        client: ClientId,
    ) -> Result<(Self, ServerMessage), String> {
        let server = link.server();
        let failed = |error: &dyn std::fmt::Display| format!("no connection: {error}");
        let stream = TcpStream::connect((server.host(), server.port()))
            .await
            .map_err(|error| failed(&error))?;
        stream.set_nodelay(true).map_err(|error| failed(&error))?;
        let url = format!(
            "ws://{}:{}/api/v1/matches/{}/socket",
            server.host(),
            server.port(),
            link.id()
        );
        let mut request = url.into_client_request().map_err(|error| failed(&error))?;
        let protocol = HeaderValue::from_static(SUBPROTOCOL);
        request
            .headers_mut()
            .insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER);
        let (socket, _) = client_async_with_config(request, stream, Some(config))
            .await
            .map_err(|error| failed(&error))?;
        let mut line = Self { socket, numbers: 0 };
        line.say(&ClientMessage::Hello {
            protocol: VERSION,
            client,
            token: Some(token),
            have: None,
            shape: UpdateShape::Transitions,
        })
        .await?;
        let text = line.hear().await?;
        let welcome = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        Ok((line, welcome))
    }

    async fn say(&mut self, message: &ClientMessage) -> Result<(), String> {
        let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
        let sent = self.socket.send(Message::text(text)).await;
        sent.map_err(|error| format!("sending failed: {error}"))
    }

    /// Proposes something for the state with this number.
    pub(crate) async fn propose(&mut self, base: u64, act: Act) -> Result<(), String> {
        self.numbers += 1;
        self.say(&ClientMessage::Propose {
            number: self.numbers,
            base: Sequence::new(base),
            act,
        })
        .await
    }

    /// The next message.
    pub(crate) async fn hear(&mut self) -> Result<Utf8Bytes, String> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(_))) | None => {
                    return Err("the server has ended the connection".to_owned());
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(format!("receiving failed: {error}")),
            }
        }
    }

    /// Waits until the change with this number is here, and gives its message.
    pub(crate) async fn wait(&mut self, sequence: u64) -> Result<Utf8Bytes, Halt> {
        loop {
            let text = self.hear().await?;
            let glance: Glance<'_> =
                serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
            let number = match &*glance.kind {
                "change" => glance.sequence,
                "accepted" => glance.change.map(|change| change.sequence),
                "presence" | "pong" => continue,
                _ => None,
            };
            match number {
                Some(number) if number == sequence => return Ok(text),
                Some(number) if number < sequence => {}
                _ if glance.code == Some(ErrorCode::TooLong) => return Err(Halt::Full),
                _ => {
                    let words = glance.text.unwrap_or(Cow::Borrowed(&text));
                    let text = format!("change {sequence} was due, and there came {words}");
                    return Err(Halt::Failed(text));
                }
            }
        }
    }
}
