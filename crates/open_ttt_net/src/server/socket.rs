use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::header::HeaderMap;
use axum::response::Response;
use bytes::Bytes;
use futures_util::SinkExt;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite;

use super::Shared;
use super::api_error::ApiError;
use super::client_address::{ClientAddress, check_origin};
use super::clock::now_ms;
use super::commands::{Connect, MatchCommand, Propose};
use super::connections::ConnectionId;
use super::direct_writer::DirectWriter;
use super::handlers::MatchPath;
use super::limits::{ConnectionPermit, TokenBucket};
use super::outbox::{Outbox, OutgoingMessage, OutgoingQueue, to_json};
use super::secrets::TokenHash;
use crate::MatchId;
use crate::matches::MAX_LAG_MS;
use crate::protocol::{ClientMessage, ErrorCode, MAX_MESSAGE, SUBPROTOCOL, ServerMessage, VERSION};

/// Initial size of a connection's read buffer, in bytes. It grows for longer
/// messages.
const READ_BUFFER: usize = 512;

/// Maximum size of a connection's write buffer, in bytes: one large view and
/// some more.
const MAX_WRITE_BUFFER: usize = 256 * 1024;

/// Error text for [`ErrorCode::TooSlow`].
const TOO_SLOW: &str = "The connection was too slow. Reconnect to continue.";

/// `GET /api/v1/matches/{id}/socket`
pub(super) async fn socket(
    State(shared): State<Arc<Shared>>,
    ClientAddress(address): ClientAddress,
    MatchPath(id): MatchPath,
    headers: HeaderMap,
    permit: Option<Extension<Arc<ConnectionPermit>>>,
    writer: Option<Extension<Arc<DirectWriter>>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    check_origin(&headers, &shared.config)?;
    let taken = shared.request_limiter.take(address, Instant::now());
    taken.map_err(ApiError::too_many_requests)?;
    if shared.is_shutting_down() {
        let text = "This server is shutting down.";
        return Err(ApiError::new(ErrorCode::ShuttingDown, text));
    }
    let upgrade = upgrade.map_err(ApiError::bad_request)?;
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_WRITE_BUFFER)
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let writer = writer.map(|Extension(writer)| writer);
        serve(shared, address, id, socket, writer).await;
        // The connection counts until here.
        drop(permit);
    }))
}

async fn serve(
    shared: Arc<Shared>,
    address: IpAddr,
    id: MatchId,
    socket: WebSocket,
    writer: Option<Arc<DirectWriter>>,
) {
    shared.metrics.sockets.inc();
    let mut session = SocketSession {
        bucket: TokenBucket::full(shared.config.message_rate, Instant::now()),
        shared,
        socket,
        lag_ms: 0,
        ping_sent: None,
        last_received: Instant::now(),
    };
    if let Err(SessionEnd::Error(code, text)) = session.run(&id, writer).await {
        tracing::debug!(%id, %address, ?code, "closing a connection");
        session.shared.metrics.count_error(code);
        session.close(code, text).await;
    }
    session.shared.metrics.sockets.dec();
}

/// A connection to a match.
struct SocketSession {
    shared: Arc<Shared>,
    socket: WebSocket,
    bucket: TokenBucket,
    /// Half of the last ping's round-trip time.
    lag_ms: u64,
    ping_sent: Option<Instant>,
    last_received: Instant,
}

/// Why a session ends.
enum SessionEnd {
    /// The client has disconnected.
    Disconnected,
    /// The server closes the connection with this error.
    Error(ErrorCode, String),
}

impl SessionEnd {
    fn error(code: ErrorCode, text: &str) -> Self {
        Self::Error(code, text.to_owned())
    }
}

impl From<tungstenite::Error> for SessionEnd {
    fn from(error: tungstenite::Error) -> Self {
        match error {
            tungstenite::Error::Capacity(_) | tungstenite::Error::Utf8(_) => {
                Self::Error(ErrorCode::BadMessage, error.to_string())
            }
            _ => Self::Disconnected,
        }
    }
}

impl From<axum::Error> for SessionEnd {
    fn from(error: axum::Error) -> Self {
        let error = error.into_inner().downcast::<tungstenite::Error>();
        error.map_or(Self::Disconnected, |error| Self::from(*error))
    }
}

impl SocketSession {
    async fn run(
        &mut self,
        id: &MatchId,
        writer: Option<Arc<DirectWriter>>,
    ) -> Result<(), SessionEnd> {
        let hello = timeout(self.shared.config.client_timeout, self.receive_message())
            .await
            .map_err(|_| SessionEnd::error(ErrorCode::TimedOut, "No hello was received."))??;
        let (outbox, queue) = Outbox::new(writer, self.shared.config.outbox_capacity);
        let (commands, connection) = self.connect(id, hello, outbox).await?;
        let result = self.serve(&commands, connection, queue).await;
        let _ = commands.send(MatchCommand::Disconnect(connection)).await;
        result
    }

    /// Waits for the next message of the protocol.
    async fn receive_message(&mut self) -> Result<ClientMessage, SessionEnd> {
        loop {
            let received = self.socket.recv().await;
            if let Some(message) = self.parse(received)? {
                return Ok(message);
            }
        }
    }

    /// Parses what the socket has received. `None` for control frames.
    fn parse(
        &mut self,
        received: Option<Result<Message, axum::Error>>,
    ) -> Result<Option<ClientMessage>, SessionEnd> {
        let message = received.ok_or(SessionEnd::Disconnected)??;
        self.last_received = Instant::now();
        match message {
            Message::Text(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
                SessionEnd::Error(ErrorCode::BadMessage, format!("Invalid message: {error}"))
            }),
            Message::Binary(_) => Err(SessionEnd::error(
                ErrorCode::BadMessage,
                "Messages must be text, not binary.",
            )),
            Message::Pong(_) => {
                if let Some(sent) = self.ping_sent.take() {
                    let half = sent.elapsed().as_millis() / 2;
                    self.lag_ms = u64::try_from(half).unwrap_or(u64::MAX).min(MAX_LAG_MS);
                }
                Ok(None)
            }
            Message::Ping(_) => Ok(None),
            Message::Close(_) => Err(SessionEnd::Disconnected),
        }
    }

    /// Connects to the match as the hello asks.
    async fn connect(
        &mut self,
        id: &MatchId,
        hello: ClientMessage,
        outbox: Outbox,
    ) -> Result<(mpsc::Sender<MatchCommand>, ConnectionId), SessionEnd> {
        let ClientMessage::Hello {
            protocol,
            client,
            token,
            have,
            shape,
        } = hello
        else {
            let text = "The first message must be a hello.";
            return Err(SessionEnd::error(ErrorCode::BadMessage, text));
        };
        if protocol != VERSION {
            let text = format!("This server supports version {VERSION} of the protocol.");
            return Err(SessionEnd::Error(ErrorCode::BadVersion, text));
        }
        let (reply, result) = oneshot::channel();
        let command = MatchCommand::Connect(Box::new(Connect {
            client,
            token_hash: token.as_ref().map(TokenHash::of),
            known: have,
            shape,
            outbox,
            reply,
        }));
        let commands = self.shared.matches.send(&self.shared, id, command).await;
        let commands = commands.map_err(|error| {
            let report = ApiError::from(error).into_report();
            SessionEnd::Error(report.code, report.text)
        })?;
        let (code, text) = match result.await {
            Ok(Ok(connection)) => return Ok((commands, connection)),
            Ok(Err(ErrorCode::BadToken)) => (
                ErrorCode::BadToken,
                "This link doesn't belong to a player of this game.",
            ),
            Ok(Err(code)) => (code, "Too many people are watching this game."),
            Err(_) => (ErrorCode::Unavailable, "Try again in a moment."),
        };
        Err(SessionEnd::error(code, text))
    }

    async fn serve(
        &mut self,
        commands: &mpsc::Sender<MatchCommand>,
        connection: ConnectionId,
        mut queue: OutgoingQueue,
    ) -> Result<(), SessionEnd> {
        let idle_timeout = self.shared.config.connection_idle_timeout;
        let mut pings = ping_interval(idle_timeout);
        let mut shutdown = self.shared.shutdown();
        let mut shutdown = pin!(shutdown.started());
        loop {
            tokio::select! {
                biased;
                message = queue.next() => {
                    // The match has removed the connection.
                    let message = message
                        .ok_or_else(|| SessionEnd::error(ErrorCode::TooSlow, TOO_SLOW))?;
                    self.send_all(message, &mut queue).await?;
                }
                received = self.socket.recv() => {
                    if let Some(message) = self.parse(received)? {
                        self.handle(message, commands, connection).await?;
                    }
                }
                _ = pings.tick() => {
                    if self.last_received.elapsed() > idle_timeout {
                        let text = "Nothing was received for too long.";
                        return Err(SessionEnd::error(ErrorCode::TimedOut, text));
                    }
                    self.ping_sent = Some(Instant::now());
                    self.send(Message::Ping(Bytes::new())).await?;
                }
                () = &mut shutdown => {
                    let text = "This server is shutting down. Reconnect in a moment.";
                    return Err(SessionEnd::error(ErrorCode::ShuttingDown, text));
                }
            }
        }
    }

    async fn handle(
        &mut self,
        message: ClientMessage,
        commands: &mpsc::Sender<MatchCommand>,
        connection: ConnectionId,
    ) -> Result<(), SessionEnd> {
        let limit = self.shared.config.message_rate;
        let taken = self.bucket.take(limit, Instant::now());
        match message {
            ClientMessage::Propose { number, base, act } => {
                if let Err(wait) = taken {
                    let retry_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                    let delayed = ServerMessage::Delayed { number, retry_ms };
                    return self.send_json(&delayed).await;
                }
                let command = MatchCommand::Propose(Box::new(Propose {
                    connection,
                    number,
                    base,
                    act,
                    lag_ms: self.lag_ms,
                }));
                // A match with connections ends only by a panic. The next
                // connection loads it again.
                commands.send(command).await.map_err(|_| {
                    let text = "The game has to be loaded again. Reconnect to continue.";
                    SessionEnd::error(ErrorCode::Unavailable, text)
                })
            }
            ClientMessage::Ping { .. } if taken.is_err() => Err(SessionEnd::error(
                ErrorCode::TooMany,
                "Too many messages. Try again in a moment.",
            )),
            ClientMessage::Ping { number } => {
                let now = now_ms();
                self.send_json(&ServerMessage::Pong { number, now }).await
            }
            ClientMessage::Hello { .. } => Err(SessionEnd::error(
                ErrorCode::BadMessage,
                "Only the first message may be a hello.",
            )),
        }
    }

    /// Sends a message and all queued ones.
    async fn send_all(
        &mut self,
        first: OutgoingMessage,
        queue: &mut OutgoingQueue,
    ) -> Result<(), SessionEnd> {
        let mut end = Ok(());
        let mut count = 0;
        let sending = async {
            let mut next = Some(first);
            while let Some(message) = next {
                count += 1;
                match message {
                    OutgoingMessage::Text(frame) => {
                        let text = Message::Text(frame.into_text());
                        self.socket.feed(text).await?;
                    }
                    OutgoingMessage::Flush => {}
                    OutgoingMessage::Close(code, text) => {
                        end = Err(SessionEnd::Error(code, text));
                        break;
                    }
                }
                next = queue.try_next();
            }
            self.socket.flush().await
        };
        in_time(self.shared.config.client_timeout, sending).await?;
        queue.mark_sent(count);
        end
    }

    async fn send_json(&mut self, message: &impl Serialize) -> Result<(), SessionEnd> {
        self.send(Message::Text(to_json(message).into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), SessionEnd> {
        let sending = self.socket.send(message);
        in_time(self.shared.config.client_timeout, sending).await
    }

    /// Sends an error and closes the connection.
    async fn close(&mut self, code: ErrorCode, text: String) {
        let close_code = match code {
            ErrorCode::ShuttingDown => close_code::RESTART,
            ErrorCode::TooSlow | ErrorCode::Unavailable | ErrorCode::TooMany => close_code::AGAIN,
            _ => close_code::POLICY,
        };
        let _ = self.send_json(&ServerMessage::Error { code, text }).await;
        let frame = CloseFrame {
            code: close_code,
            reason: Utf8Bytes::default(),
        };
        let _ = self.send(Message::Close(Some(frame))).await;
        // If data were left unread, the system would reset the connection, and
        // the reset could overtake the error.
        let drain = async { while let Some(Ok(_)) = self.socket.recv().await {} };
        let _ = timeout(Duration::from_secs(1), drain).await;
    }
}

/// Several pings per time-out, to detect dead connections.
fn ping_interval(idle_timeout: Duration) -> Interval {
    let mut pings = interval(idle_timeout / 3);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

async fn in_time(
    limit: Duration,
    sending: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), SessionEnd> {
    match timeout(limit, sending).await {
        Ok(sent) => sent.map_err(|_| SessionEnd::Disconnected),
        Err(_) => Err(SessionEnd::error(ErrorCode::TooSlow, TOO_SLOW)),
    }
}
