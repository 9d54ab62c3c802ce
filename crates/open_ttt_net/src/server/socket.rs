use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::header::{HeaderMap, SEC_WEBSOCKET_PROTOCOL};
use axum::response::Response;
use bytes::Bytes;
use futures_util::SinkExt;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite;

use super::Shared;
use super::api_error::ApiError;
use super::client_address::{ClientAddress, check_origin};
use super::commands::{Connect, MatchCommand, Propose};
use super::connections::ConnectionId;
use super::direct_writer::DirectWriter;
use super::handlers::{MatchPath, check_rate};
use super::lag::{LagEstimate, ping_pause};
use super::limits::{QuotaPermit, TokenBucket};
use super::listener::ConnectionHandle;
use super::moderation::closed_report;
use super::outbox::{Frame, Outbox, OutgoingMessage, OutgoingQueue};
use crate::MatchId;
use crate::protocol::{
    ClientMessage, ErrorCode, ErrorReport, MAX_MESSAGE, SUBPROTOCOL, ServerMessage, VERSION,
};

/// Initial size of a connection's read buffer, in bytes. It grows for longer
/// messages.
const READ_BUFFER: usize = 256;

/// Maximum size of a connection's write buffer, in bytes: one large view and
/// some more.
const MAX_WRITE_BUFFER: usize = 256 * 1024;

/// Error text for [`ErrorCode::TooMany`].
const TOO_MANY: &str = "Too many messages. Try again in a moment.";

/// How long nothing is read from a client whose proposal was delayed.
const MIN_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Error text for [`ErrorCode::TooSlow`].
const TOO_SLOW: &str = "The connection was too slow. Reconnect to continue.";

/// `GET /api/v1/matches/{id}/socket`
pub(super) async fn socket(
    State(shared): State<Arc<Shared>>,
    client: ClientAddress,
    MatchPath(id): MatchPath,
    headers: HeaderMap,
    connection: Option<Extension<ConnectionHandle>>,
    proxied: Option<Extension<Arc<QuotaPermit>>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    check_origin(&headers, &shared.config)?;
    check_rate(&shared.request_limiter, client)?;
    if shared.is_shutting_down() {
        let text = "This server is shutting down.";
        return Err(ApiError::new(ErrorCode::ShuttingDown, text));
    }
    if shared.moderation.is_closed(&id) {
        return Err(closed_report().into());
    }
    check_subprotocol(&headers)?;
    let upgrade = upgrade.map_err(ApiError::bad_request)?;
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(MAX_WRITE_BUFFER)
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE);
    // There is a task for each connection, so it keeps only what it needs all the time,
    // in one place; what it seldom does is allocated when it does it.
    Ok(upgrade.on_upgrade(async move |socket| {
        let writer = connection.as_ref().map(|handle| Arc::clone(&handle.writer));
        let session = Box::new(SocketSession::new(shared, client, socket));
        // A task of its own, because the one of the upgrade is larger.
        tokio::spawn(async move {
            serve(session, id, writer).await;
            // The connection counts until here.
            drop((connection, proxied));
        });
    }))
}

/// Refuses a client that offers subprotocols without this one: it would not
/// understand the messages. A client that offers none is taken at its hello.
fn check_subprotocol(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut offers = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().peekable();
    let has_offers = offers.peek().is_some();
    let is_known = offers
        .filter_map(|offer| offer.to_str().ok())
        .flat_map(|offer| offer.split(','))
        .any(|name| name.trim() == SUBPROTOCOL);
    if has_offers && !is_known {
        let text = format!("This server supports the WebSocket subprotocol {SUBPROTOCOL}.");
        return Err(ApiError::new(ErrorCode::BadVersion, text));
    }
    Ok(())
}

async fn serve(mut session: Box<SocketSession>, id: MatchId, writer: Option<Arc<DirectWriter>>) {
    session.shared.metrics.sockets.inc();
    if let Err(SessionEnd::Error(report)) = session.run(&id, writer).await {
        let address = session.address;
        tracing::debug!(%id, %address, code = ?report.code, "closing a connection");
        session.shared.metrics.count_error(report.code);
        Box::pin(session.close(report)).await;
    }
    session.shared.metrics.sockets.dec();
}

/// A connection to a match.
struct SocketSession {
    shared: Arc<Shared>,
    address: IpAddr,
    socket: WebSocket,
    bucket: TokenBucket,
    lag: LagEstimate,
    ping_sent: Option<Instant>,
    last_received: Instant,
}

/// Why a session ends.
enum SessionEnd {
    /// The client has disconnected.
    Disconnected,
    /// The server closes the connection with this error.
    Error(ErrorReport),
}

impl SessionEnd {
    fn error(code: ErrorCode, text: impl Into<String>) -> Self {
        Self::Error(ErrorReport::new(code, text))
    }
}

fn close<T>(code: ErrorCode, text: &str) -> Result<T, SessionEnd> {
    Err(SessionEnd::error(code, text))
}

impl From<axum::Error> for SessionEnd {
    fn from(error: axum::Error) -> Self {
        use tungstenite::Error::{Capacity, Utf8};
        match error.into_inner().downcast().map(|error| *error) {
            Ok(error @ (Capacity(_) | Utf8(_))) => {
                Self::error(ErrorCode::BadMessage, error.to_string())
            }
            _ => Self::Disconnected,
        }
    }
}

impl SocketSession {
    fn new(shared: Arc<Shared>, ClientAddress(address): ClientAddress, socket: WebSocket) -> Self {
        Self {
            address,
            bucket: TokenBucket::full(shared.config.message_rate, Instant::now()),
            shared,
            socket,
            lag: LagEstimate::default(),
            ping_sent: None,
            last_received: Instant::now(),
        }
    }

    async fn run(
        &mut self,
        id: &MatchId,
        writer: Option<Arc<DirectWriter>>,
    ) -> Result<(), SessionEnd> {
        let receiving = Box::pin(timeout(self.shared.config.client_timeout, self.receive()));
        let hello = receiving
            .await
            .map_err(|_| SessionEnd::error(ErrorCode::TimedOut, "No hello was received."))??;
        let unread = Arc::clone(&self.shared.unread);
        let capacity = self.shared.config.outbox_capacity;
        let (outbox, queue) = Outbox::new(writer, capacity, unread, self.address);
        let connecting = Box::pin(self.connect(id, hello, outbox));
        let (commands, connection) = connecting.await?;
        let result = self.serve(&commands, connection, queue).await;
        let _ = commands.send(MatchCommand::Disconnect(connection)).await;
        result
    }

    /// Waits for the next message of the protocol. Cancel safe.
    async fn receive(&mut self) -> Result<ClientMessage, SessionEnd> {
        loop {
            let message = self.socket.recv().await.ok_or(SessionEnd::Disconnected)??;
            self.last_received = Instant::now();
            match message {
                Message::Text(text) => {
                    return ClientMessage::from_json(&text).map_err(|error| {
                        let text = format!("Invalid message: {error}");
                        SessionEnd::error(ErrorCode::BadMessage, text)
                    });
                }
                Message::Binary(_) => {
                    return close(ErrorCode::BadMessage, "Messages must be text, not binary.");
                }
                Message::Pong(_) if self.ping_sent.is_some() => {
                    let sent = self.ping_sent.take();
                    self.lag
                        .add(sent.map_or(Duration::ZERO, |sent| sent.elapsed()));
                }
                Message::Ping(_) | Message::Pong(_) => {
                    let limit = self.shared.config.message_rate;
                    if self.bucket.take(limit, Instant::now()).is_err() {
                        return close(ErrorCode::TooMany, TOO_MANY);
                    }
                }
                Message::Close(_) => return Err(SessionEnd::Disconnected),
            }
        }
    }

    /// Connects to the match as the hello asks.
    async fn connect(
        &mut self,
        id: &MatchId,
        message: ClientMessage,
        outbox: Outbox,
    ) -> Result<(mpsc::Sender<MatchCommand>, ConnectionId), SessionEnd> {
        let ClientMessage::Hello(hello) = message else {
            return close(ErrorCode::BadMessage, "The first message must be a hello.");
        };
        if hello.protocol != VERSION {
            let text = format!("This server supports version {VERSION} of the protocol.");
            return close(ErrorCode::BadVersion, &text);
        }
        let (reply, result) = oneshot::channel();
        let connect = Connect {
            hello,
            address: self.address,
            outbox,
            reply,
        };
        let command = MatchCommand::Connect(Box::new(connect));
        let commands = self.shared.matches.send(&self.shared, id, command).await;
        let commands = commands.map_err(|error| SessionEnd::Error(error.into_report()))?;
        match result.await {
            Ok(connected) => Ok((commands, connected.map_err(SessionEnd::Error)?)),
            Err(_) => close(ErrorCode::Unavailable, "Try again in a moment."),
        }
    }

    async fn serve(
        &mut self,
        commands: &mpsc::Sender<MatchCommand>,
        connection: ConnectionId,
        mut queue: OutgoingQueue,
    ) -> Result<(), SessionEnd> {
        let idle_timeout = self.shared.config.connection_idle_timeout;
        let mut pings = 0;
        let mut ping = pin!(sleep(ping_pause(pings, idle_timeout)));
        let mut shutdown = pin!(self.shared.shutdown());
        loop {
            tokio::select! {
                biased;
                message = queue.next() => {
                    // The match has removed the connection.
                    let Some(message) = message else {
                        return close(ErrorCode::TooSlow, TOO_SLOW);
                    };
                    Box::pin(self.send_all(message, &mut queue)).await?;
                }
                message = self.receive() => {
                    Box::pin(self.handle(message?, commands, connection)).await?;
                }
                () = &mut ping => {
                    if self.last_received.elapsed() > idle_timeout {
                        let text = "Nothing was received for too long.";
                        return close(ErrorCode::TimedOut, text);
                    }
                    // The first of several unanswered ones: a pong cannot be early.
                    self.ping_sent.get_or_insert_with(Instant::now);
                    Box::pin(self.send(Message::Ping(Bytes::new()))).await?;
                    pings += 1;
                    ping.as_mut().reset(Instant::now() + ping_pause(pings, idle_timeout));
                }
                () = &mut shutdown => {
                    let text = "This server is shutting down. Reconnect in a moment.";
                    return close(ErrorCode::ShuttingDown, text);
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
        let now = Instant::now();
        let taken = self.bucket.take(limit, now);
        match message {
            ClientMessage::Propose { number, base, act } => {
                let acts = &self.shared.act_limiter;
                let taken = taken.and_then(|()| acts.take(self.address, now));
                if let Err(wait) = taken {
                    let retry_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                    let delayed = ServerMessage::Delayed { number, retry_ms };
                    self.send_json(&delayed).await?;
                    // Nothing more is read meanwhile, so a flood costs no more than this.
                    sleep(wait.clamp(MIN_PAUSE, MAX_PAUSE)).await;
                    return Ok(());
                }
                let command = MatchCommand::Propose(Box::new(Propose {
                    connection,
                    number,
                    base,
                    act,
                    lag_ms: self.lag.ms(),
                }));
                // A match with connections ends only by a panic. The next
                // connection loads it again.
                commands.send(command).await.map_err(|_| {
                    let text = "The game has to be loaded again. Reconnect to continue.";
                    SessionEnd::error(ErrorCode::Unavailable, text)
                })
            }
            ClientMessage::Ping { .. } if taken.is_err() => close(ErrorCode::TooMany, TOO_MANY),
            ClientMessage::Ping { number } => {
                let now = self.shared.clock.now_ms();
                self.send_json(&ServerMessage::Pong { number, now }).await
            }
            ClientMessage::Hello(_) => close(
                ErrorCode::BadMessage,
                "Only the first message may be a hello.",
            ),
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
                    OutgoingMessage::Close(report) => {
                        end = Err(SessionEnd::Error(*report));
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
        self.send(Message::Text(Frame::json(message).into_text()))
            .await
    }

    async fn send(&mut self, message: Message) -> Result<(), SessionEnd> {
        let sending = self.socket.send(message);
        in_time(self.shared.config.client_timeout, sending).await
    }

    /// Sends an error and closes the connection.
    async fn close(&mut self, report: ErrorReport) {
        let close_code = match report.code {
            ErrorCode::ShuttingDown => close_code::RESTART,
            ErrorCode::TooSlow | ErrorCode::Unavailable | ErrorCode::TooMany => close_code::AGAIN,
            _ => close_code::POLICY,
        };
        let _ = self.send_json(&ServerMessage::Error(report)).await;
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

async fn in_time(
    limit: Duration,
    sending: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), SessionEnd> {
    match timeout(limit, sending).await {
        Ok(sent) => sent.map_err(|_| SessionEnd::Disconnected),
        Err(_) => close(ErrorCode::TooSlow, TOO_SLOW),
    }
}
