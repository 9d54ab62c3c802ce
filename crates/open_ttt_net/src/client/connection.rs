use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::collections::VecDeque;

use futures_util::{Sink, Stream as _};
use open_ttt_catalog::Catalog;
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::backoff::Backoff;
use super::session::ProposeError;
use super::transport::{CONNECT_LIMIT, Stream};
use super::{ClientError, Link, MatchEvent, Session, SessionError, http, transport};
use crate::ClientId;
use crate::matches::Act;
use crate::protocol::{MAX_MESSAGE, PlayerKey, SUBPROTOCOL};

/// The longest server message that is read, in bytes; ten times the size of a
/// match of ten thousand moves.
const MAX_RECEIVED: usize = 1 << 20;

/// The size of a connection's read buffer, in bytes. Tungstenite zeroes the whole
/// buffer before each read, so its default of 128 KiB would dominate the cost.
const READ_BUFFER: usize = 4096;

/// The time limit of the closing handshake.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// A WebSocket to a match.
pub type Socket = WebSocketStream<Box<dyn Stream>>;

type Opening = Pin<Box<dyn Future<Output = Result<Socket, ClientError>> + Send>>;

/// A match on a server, over a WebSocket that reconnects whenever it breaks.
///
/// All progress happens while [`next`](Self::next) is awaited; there is no
/// background task. Requires a Tokio runtime with timers and sockets.
pub struct Client {
    link: Link,
    session: Session,
    start: Instant,
    state: SocketState,
    backoff: Backoff,
    events: VecDeque<ClientEvent>,
}

/// An event of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// The client is connected and the match is up to date.
    Connected,
    /// The connection was lost or could not be opened; the client will try again.
    Disconnected {
        /// The cause.
        cause: ClientError,
        /// The delay before the next attempt.
        retry_in: Duration,
    },
    /// An event of the match.
    Match(MatchEvent),
}

/// The state of the WebSocket.
enum SocketState {
    /// Waiting until this time before the next attempt to connect.
    Waiting(Instant),
    Opening(Opening),
    Open {
        socket: Box<Socket>,
        /// Whether written messages may have to be flushed.
        needs_flush: bool,
    },
}

impl Client {
    /// A client for a match of a game in this catalog. It connects when
    /// [`next`](Self::next) is first awaited.
    ///
    /// # Errors
    ///
    /// [`ClientError::NoRandomness`]: the client's id is random.
    pub fn new(catalog: Catalog, link: Link) -> Result<Self, ClientError> {
        let draw = || getrandom::u64().map_err(|_| ClientError::NoRandomness);
        let id = format!("{:016x}{:016x}", draw()?, draw()?);
        let id = id.parse::<ClientId>();
        let id = id.map_err(|error| ClientError::unexpected_response(link.server(), error))?;
        Ok(Self {
            session: Session::new(catalog, link.id().clone(), id, link.token().cloned()),
            link,
            start: Instant::now(),
            state: SocketState::Waiting(Instant::now()),
            backoff: Backoff::default(),
            events: VecDeque::new(),
        })
    }

    /// The same with the player's key: without a token in the link, it gives the seat
    /// that was taken with it.
    #[must_use]
    pub fn with_key(self, key: PlayerKey) -> Self {
        let session = self.session.with_key(key);
        Self { session, ..self }
    }

    /// The session, which holds the state of the match.
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// The link to the match.
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// The estimated server time, in milliseconds since 1970.
    pub fn server_time(&self) -> Option<u64> {
        self.session.server_time(self.start.elapsed())
    }

    /// Applies an act optimistically and proposes it. The proposal is sent again,
    /// across connections, until it is answered.
    ///
    /// # Errors
    ///
    /// As [`Session::propose`].
    pub fn propose(&mut self, act: Act) -> Result<(), ProposeError> {
        self.session.propose(act, self.start.elapsed())
    }

    /// Waits for the next event. Cancel safe.
    ///
    /// # Errors
    ///
    /// A [fatal](ClientError::is_fatal) error. A broken connection is an event, not
    /// an error.
    pub async fn next(&mut self) -> Result<ClientEvent, ClientError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            match &mut self.state {
                SocketState::Waiting(until) => {
                    sleep_until(*until).await;
                    self.state = SocketState::Opening(Box::pin(open_socket(self.link.clone())));
                }
                SocketState::Opening(opening) => match opening.await {
                    Ok(socket) => {
                        self.session.connected(self.start.elapsed());
                        self.state = SocketState::Open {
                            socket: Box::new(socket),
                            needs_flush: false,
                        };
                    }
                    Err(error) => self.disconnect(error)?,
                },
                SocketState::Open { .. } => {
                    if let Err(error) = self.communicate().await {
                        self.disconnect(error)?;
                    }
                }
            }
        }
    }

    /// Sends and receives over the open socket until a message arrives or the
    /// session's deadline passes.
    async fn communicate(&mut self) -> Result<(), ClientError> {
        let SocketState::Open {
            socket,
            needs_flush,
        } = &mut self.state
        else {
            return Ok(());
        };
        let now = self.start.elapsed();
        if self.session.is_timed_out(now) {
            return Err(SessionError::TimedOut.into());
        }
        let server = self.link.server();
        let broken = |error| ClientError::unreachable(server, error);
        while let Some(message) = self.session.outgoing(now) {
            let text = serde_json::to_string(&message)
                .ok()
                .filter(|text| text.len() <= MAX_MESSAGE)
                .ok_or_else(|| ClientError::unexpected_response(server, "a message is too long"))?;
            // The socket's buffer has room: at most one proposal and one ping are in
            // flight.
            Pin::new(&mut **socket)
                .start_send(Message::text(text))
                .map_err(broken)?;
            *needs_flush = true;
        }
        let deadline = self
            .session
            .deadline()
            .map(|deadline| self.start + deadline);
        let until = sleep_until(deadline.unwrap_or_else(|| Instant::now() + CONNECT_LIMIT));
        let received = tokio::select! {
            received = poll_fn(|cx| poll_socket(socket, needs_flush, cx)) => received,
            () = until => return Ok(()),
        };
        match received {
            Some(Ok(Message::Text(text))) => {
                let was_established = self.session.is_established();
                let events = self.session.received(&text, self.start.elapsed())?;
                self.events
                    .extend(events.into_iter().map(ClientEvent::Match));
                if !was_established && self.session.is_established() {
                    self.backoff.reset();
                    self.events.push_back(ClientEvent::Connected);
                }
                Ok(())
            }
            Some(Ok(Message::Close(_))) | None => Err(ClientError::unreachable(
                server,
                "the connection was closed",
            )),
            // The session does not need pings and pongs.
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(broken(error)),
        }
    }

    /// Drops the connection and schedules the next attempt, unless the error is
    /// fatal.
    fn disconnect(&mut self, cause: ClientError) -> Result<(), ClientError> {
        self.session.disconnected();
        let retry_in = self.backoff.next(getrandom::u32().unwrap_or(u32::MAX));
        self.state = SocketState::Waiting(Instant::now() + retry_in);
        if cause.is_fatal() {
            return Err(cause);
        }
        self.events
            .push_back(ClientEvent::Disconnected { cause, retry_in });
        Ok(())
    }

    /// Closes the connection, with a time-limited closing handshake.
    pub async fn close(mut self) {
        if let SocketState::Open { socket, .. } = &mut self.state {
            // If the handshake fails, the server still notices the closed socket.
            let _ = tokio::time::timeout(CLOSE_LIMIT, socket.close(None)).await;
        }
    }
}

/// Flushes written messages and polls for a received one. Both at once, so that
/// two peers that write much do not block each other.
fn poll_socket(
    socket: &mut Socket,
    needs_flush: &mut bool,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Message, tungstenite::Error>>> {
    let mut socket = Pin::new(socket);
    if *needs_flush {
        match Sink::poll_flush(socket.as_mut(), cx) {
            Poll::Ready(Ok(())) => *needs_flush = false,
            Poll::Ready(Err(error)) => return Poll::Ready(Some(Err(error))),
            Poll::Pending => {}
        }
    }
    socket.poll_next(cx)
}

/// Opens the WebSocket of a match, for programs that speak the protocol themselves.
///
/// # Errors
///
/// If the server cannot be reached, or refuses it.
pub async fn open_socket(link: Link) -> Result<Socket, ClientError> {
    let server = link.server();
    let stream = transport::connect(server).await?;
    let url = format!(
        "ws://{}/api/v1/matches/{}/socket",
        server.authority(),
        link.id()
    );
    let unexpected = |error| ClientError::unexpected_response(server, error);
    let mut request = url.into_client_request().map_err(unexpected)?;
    request.headers_mut().insert(
        SEC_WEBSOCKET_PROTOCOL,
        HeaderValue::from_static(SUBPROTOCOL),
    );
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .max_message_size(Some(MAX_RECEIVED))
        .max_frame_size(Some(MAX_RECEIVED));
    let handshake = client_async_with_config(request, stream, Some(config));
    let handshake = tokio::time::timeout(CONNECT_LIMIT, handshake).await;
    let timed_out = |_| ClientError::unreachable(server, "the connection timed out");
    match handshake.map_err(timed_out)? {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(response)) => {
            let body = response.body().as_deref().unwrap_or_default();
            Err(http::refusal(server, response.status(), body))
        }
        // A server that shuts down cuts connections in the middle.
        Err(
            error @ (tungstenite::Error::Protocol(ProtocolError::HandshakeIncomplete)
            | tungstenite::Error::Io(_)),
        ) => Err(ClientError::unreachable(server, error)),
        Err(error) => Err(unexpected(error)),
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("link", &self.link)
            .field("session", &self.session)
            .field("backoff", &self.backoff)
            .finish_non_exhaustive()
    }
}
