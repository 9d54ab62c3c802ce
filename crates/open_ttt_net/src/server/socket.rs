use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::header::{HeaderMap, SEC_WEBSOCKET_PROTOCOL};
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, SinkExt, StreamExt};
use serde::Serialize;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_tungstenite::tungstenite;

use super::Shared;
use super::api_error::ApiError;
use super::client_address::{ClientAddress, check_origin};
use super::command_queue::CommandSender;
use super::commands::{Connect, MatchCommand, Propose};
use super::connections::ConnectionId;
use super::direct_writer::DirectWriter;
use super::handlers::{MatchPath, check_rate};
use super::lag::{LagEstimate, ping_pause};
use super::limits::{QuotaPermit, TokenBucket};
use super::listener::ConnectionHandle;
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
    shared.check_open(&id).await?;
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
        let (writer, permit) = connection
            .map(|Extension(handle)| (handle.writer, handle.permit))
            .unzip();
        let proxied = proxied.map(|Extension(permit)| permit);
        let permits = [permit, proxied];
        let session = SocketSession::new(shared, client, id, socket, permits);
        // A task of its own, because the one of the upgrade is larger.
        tokio::spawn(Box::new(session).serve(writer));
    }))
}

/// The error with which connections are closed when the server shuts down.
pub(super) fn shutdown_report() -> ErrorReport {
    let text = "This server is shutting down. Reconnect in a moment.";
    ErrorReport::new(ErrorCode::ShuttingDown, text)
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

/// A connection to a match.
struct SocketSession {
    shared: Arc<Shared>,
    id: MatchId,
    address: IpAddr,
    /// The connection, and the one behind a proxy, count until they are dropped.
    _permits: [Option<Arc<QuotaPermit>>; 2],
    socket: WebSocket,
    bucket: TokenBucket,
    lag: LagEstimate,
    ping_sent: Option<Instant>,
    last_received: Instant,
    /// Of the messages that are not on their way yet, which count as unread.
    unwritten: Vec<QuotaPermit>,
}

/// A session that is connected to its match.
struct Connected {
    commands: CommandSender,
    connection: ConnectionId,
    queue: OutgoingQueue,
}

/// Why a session ends.
enum SessionEnd {
    /// The client has disconnected.
    Disconnected,
    /// The server closes the connection with this error.
    Error(ErrorReport),
}

/// What a session waits for.
enum Event {
    /// A message for the client; `None` if there will be no more.
    Queued(Option<OutgoingMessage>),
    /// A message of the client.
    Received(Result<Message, SessionEnd>),
    PingDue,
}

impl SessionEnd {
    fn error(code: ErrorCode, text: impl Into<String>) -> Self {
        Self::Error(ErrorReport::new(code, text))
    }
}

fn close<T>(code: ErrorCode, text: &str) -> Result<T, SessionEnd> {
    Err(SessionEnd::error(code, text))
}

impl Connected {
    /// Removes the connection from the match.
    async fn leave(self) {
        let disconnect = MatchCommand::Disconnect(self.connection);
        // Fails if the match has ended.
        let _ = self.commands.send(disconnect).await;
    }
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
    fn new(
        shared: Arc<Shared>,
        ClientAddress(address): ClientAddress,
        id: MatchId,
        socket: WebSocket,
        permits: [Option<Arc<QuotaPermit>>; 2],
    ) -> Self {
        Self {
            id,
            address,
            _permits: permits,
            bucket: TokenBucket::full(shared.config.message_rate, Instant::now()),
            shared,
            socket,
            lag: LagEstimate::default(),
            ping_sent: None,
            last_received: Instant::now(),
            unwritten: Vec::new(),
        }
    }

    /// Serves the connection until it ends.
    async fn serve(mut self: Box<Self>, writer: Option<Arc<DirectWriter>>) {
        self.shared.metrics.sockets.inc();
        let end = match Box::pin(self.open(writer)).await {
            Ok(mut connected) => {
                let Err(end) = self.play(&mut connected).await;
                Box::pin(connected.leave()).await;
                end
            }
            Err(end) => end,
        };
        if let SessionEnd::Error(report) = end {
            Box::pin(self.close(report)).await;
        }
        self.shared.metrics.sockets.dec();
    }

    /// Waits for the hello, and connects to the match.
    async fn open(&mut self, writer: Option<Arc<DirectWriter>>) -> Result<Connected, SessionEnd> {
        let limit = self.shared.config.client_timeout;
        let hello = timeout(limit, self.receive())
            .await
            .map_err(|_| SessionEnd::error(ErrorCode::TimedOut, "No hello was received."))??;
        let unread = Arc::clone(&self.shared.unread);
        let capacity = self.shared.config.outbox_capacity;
        let (outbox, queue) = Outbox::new(writer, capacity, unread, self.address);
        let (commands, connection) = self.connect(hello, outbox).await?;
        Ok(Connected {
            commands,
            connection,
            queue,
        })
    }

    /// Waits for the first message of the protocol.
    async fn receive(&mut self) -> Result<ClientMessage, SessionEnd> {
        loop {
            let message = self.socket.recv().await.ok_or(SessionEnd::Disconnected)??;
            if let Some(message) = self.take_message(message)? {
                return Ok(message);
            }
        }
    }

    /// The message of the protocol that a WebSocket message contains, if any.
    fn take_message(&mut self, message: Message) -> Result<Option<ClientMessage>, SessionEnd> {
        self.last_received = Instant::now();
        match message {
            Message::Text(text) => {
                return ClientMessage::from_json(&text).map(Some).map_err(|error| {
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
        Ok(None)
    }

    /// Connects to the match as the hello asks.
    async fn connect(
        &mut self,
        message: ClientMessage,
        outbox: Outbox,
    ) -> Result<(CommandSender, ConnectionId), SessionEnd> {
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
        let commands = self
            .shared
            .matches
            .send(&self.shared, self.address, &self.id, command)
            .await;
        let commands = commands.map_err(|error| SessionEnd::Error(error.into_report()))?;
        match result.await {
            Ok(connected) => Ok((commands, connected.map_err(SessionEnd::Error)?)),
            Err(_) => close(ErrorCode::Unavailable, "Try again in a moment."),
        }
    }

    /// Passes messages on in both directions.
    async fn play(&mut self, connected: &mut Connected) -> Result<Infallible, SessionEnd> {
        // Those who are connected before the shutdown begins are told by the match.
        if self.shared.is_shutting_down() {
            return Err(SessionEnd::Error(shutdown_report()));
        }
        let idle_timeout = self.shared.config.connection_idle_timeout;
        let mut pings = 0;
        let mut ping = pin!(sleep(ping_pause(pings, idle_timeout)));
        loop {
            let queue = &mut connected.queue;
            let next = poll_fn(|context| self.poll_event(context, queue, ping.as_mut()));
            // What an event takes is allocated with it: the task is as large as all that it
            // can wait for.
            let reaction: BoxFuture<'_, Result<(), SessionEnd>> = match next.await {
                Event::Queued(Some(message)) => self.send_all(message, queue).boxed(),
                // The match has removed the connection.
                Event::Queued(None) => return close(ErrorCode::TooSlow, TOO_SLOW),
                Event::Received(message) => match self.take_message(message?)? {
                    Some(message) => self.handle(message, connected).boxed(),
                    None => continue,
                },
                Event::PingDue => {
                    if self.last_received.elapsed() > idle_timeout {
                        let text = "Nothing was received for too long.";
                        return close(ErrorCode::TimedOut, text);
                    }
                    // The first of several unanswered ones: a pong cannot be early.
                    self.ping_sent.get_or_insert_with(Instant::now);
                    pings += 1;
                    let pause = ping_pause(pings, idle_timeout);
                    ping.as_mut().reset(Instant::now() + pause);
                    self.send(Message::Ping(Bytes::new())).boxed()
                }
            };
            reaction.await?;
        }
    }

    /// What happens next. What is queued for the client precedes what it sends.
    fn poll_event(
        &mut self,
        context: &mut Context<'_>,
        queue: &mut OutgoingQueue,
        ping: Pin<&mut Sleep>,
    ) -> Poll<Event> {
        if let Poll::Ready(message) = queue.poll_next(context) {
            return Poll::Ready(Event::Queued(message));
        }
        if let Poll::Ready(message) = self.socket.poll_next_unpin(context) {
            let message = message.map_or(Err(SessionEnd::Disconnected), |it| Ok(it?));
            return Poll::Ready(Event::Received(message));
        }
        ping.poll(context).map(|()| Event::PingDue)
    }

    async fn handle(
        &mut self,
        message: ClientMessage,
        connected: &Connected,
    ) -> Result<(), SessionEnd> {
        let limit = self.shared.config.message_rate;
        // Reading the clock again would cost more than the limits.
        let now = self.last_received;
        let taken = self.bucket.take(limit, now);
        match message {
            ClientMessage::Propose { number, base, act } => {
                let acts = &self.shared.act_limiter;
                let taken = taken.and_then(|()| acts.take(self.address, now));
                if let Err(wait) = taken {
                    self.shared.metrics.proposals.rate_limited.inc();
                    let retry_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                    let delayed = ServerMessage::Delayed { number, retry_ms };
                    self.send_json(&delayed).await?;
                    // Nothing more is read meanwhile, so a flood costs no more than this.
                    sleep(wait.clamp(MIN_PAUSE, MAX_PAUSE)).await;
                    return Ok(());
                }
                let command = MatchCommand::Propose(Box::new(Propose {
                    connection: connected.connection,
                    number,
                    base,
                    act,
                    lag_ms: self.lag.ms(),
                }));
                // A match with connections ends only by a panic. The next
                // connection loads it again.
                connected.commands.send(command).await.map_err(|_| {
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
                        let (text, permit) = frame.into_parts();
                        self.unwritten.push(permit);
                        self.socket.feed(Message::Text(text)).await?;
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
        self.unwritten = Vec::new();
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
        let (id, address) = (&self.id, self.address);
        tracing::debug!(%id, %address, code = ?report.code, "closing a connection");
        self.shared.metrics.count_error(report.code);
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
