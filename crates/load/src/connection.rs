use std::borrow::Cow;

use futures_util::{SinkExt, StreamExt};
use open_ttt_net::ClientId;
use open_ttt_net::client::{Link, Socket};
use open_ttt_net::matches::{Act, Seat};
use open_ttt_net::protocol::{
    ClientMessage, CreateMatch, Hello, JoinMatch, SeatRequest, ServerMessage, UpdateShape, VERSION,
};
use open_ttt_net::replication::Sequence;
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::source::Source;

/// A connection to a seat with a minimal implementation of the protocol, so that the
/// generator uses little CPU time compared with the server.
pub(crate) struct Connection {
    socket: Socket,
    proposals: u64,
}

/// The relevant fields of a server message.
#[derive(Deserialize)]
pub(crate) struct MessageHead<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    sequence: Option<u64>,
    #[serde(default)]
    change: Option<Numbered>,
    #[serde(default)]
    conflict: Option<Conflict>,
    #[serde(default, borrow)]
    text: Option<Cow<'a, str>>,
}

/// Why an act was refused.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Conflict {
    TooLong,
    #[serde(untagged)]
    Other(IgnoredAny),
}

/// Why an act failed.
pub(crate) enum ActError {
    /// The match has reached the server's limit of changes.
    Full,
    /// Any other error, as a message.
    Failed(String),
}

impl ActError {
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Full => "the match is full".to_owned(),
            Self::Failed(text) => text,
        }
    }
}

impl From<String> for ActError {
    fn from(text: String) -> Self {
        Self::Failed(text)
    }
}

#[derive(Deserialize)]
struct Numbered {
    sequence: u64,
}

/// Creates a match of two people in which seat A moves first. Returns their links.
pub(crate) async fn create_match(source: &Source, game: &str) -> Result<[Link; 2], String> {
    let person = |name: &str| SeatRequest::Person(name.to_owned());
    let wanted = CreateMatch {
        game: game.to_owned(),
        clock: None,
        first: Some(Seat::A),
        seats: [Some(person("Ann")), None],
        listed: false,
        rated: false,
        moves: Vec::new(),
        key: None,
    };
    let created = source.create(&wanted).await?;
    let wanted = JoinMatch {
        player: person("Bob"),
        seat: None,
        token: None,
        key: None,
    };
    let joined = source.join(&created.id, &wanted).await?;
    let tokens = created.token.zip(joined.token);
    let (a, b) = tokens.ok_or("the server gave no token")?;
    let link = source.server().clone().link(created.id);
    Ok([a, b].map(|token| link.clone().with_token(Some(token))))
}

impl Connection {
    /// Connects, sends the hello and receives the welcome.
    pub(crate) async fn open(
        source: &Source,
        link: Link,
        client: ClientId,
        shape: UpdateShape,
    ) -> Result<(Self, ServerMessage), String> {
        let failed = |error: &dyn std::fmt::Display| format!("no connection: {error}");
        let token = link.token().cloned();
        let mut connection = Self {
            socket: source.socket(link).await?,
            proposals: 0,
        };
        connection
            .send(&ClientMessage::Hello(Hello {
                protocol: VERSION,
                client,
                token,
                have: None,
                shape,
                key: None,
            }))
            .await?;
        let text = connection.receive().await?;
        let welcome = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        Ok((connection, welcome))
    }

    async fn send(&mut self, message: &ClientMessage) -> Result<(), String> {
        let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
        let sent = self.socket.send(Message::text(text)).await;
        sent.map_err(|error| format!("sending failed: {error}"))
    }

    /// Proposes an act for the state with this number.
    pub(crate) async fn propose(&mut self, base: u64, act: Act) -> Result<(), String> {
        self.proposals += 1;
        self.send(&ClientMessage::Propose {
            number: self.proposals,
            base: Sequence::new(base),
            act,
        })
        .await
    }

    /// Receives the next message.
    pub(crate) async fn receive(&mut self) -> Result<Utf8Bytes, String> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text),
                Some(Ok(Message::Close(_))) | None => {
                    return Err("the server closed the connection".to_owned());
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(format!("receiving failed: {error}")),
            }
        }
    }

    /// Waits for the change with this number and returns its message.
    pub(crate) async fn wait(&mut self, sequence: u64) -> Result<Utf8Bytes, ActError> {
        loop {
            let text = self.receive().await?;
            let head: MessageHead<'_> =
                serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
            let number = match &*head.kind {
                "change" => head.sequence,
                "accepted" => head.change.map(|change| change.sequence),
                "presence" | "pong" => continue,
                _ => None,
            };
            match number {
                Some(number) if number == sequence => return Ok(text),
                Some(number) if number < sequence => {}
                _ if head.conflict == Some(Conflict::TooLong) => return Err(ActError::Full),
                _ => {
                    let words = head.text.unwrap_or(Cow::Borrowed(&text));
                    let text = format!("expected change {sequence}, got {words}");
                    return Err(ActError::Failed(text));
                }
            }
        }
    }
}
