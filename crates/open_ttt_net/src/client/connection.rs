use core::fmt;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::collections::VecDeque;

use futures_util::{Sink, Stream};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::session::ProposeError;
use super::transport::CONNECT_LIMIT;
use super::{Backoff, ClientError, Link, MatchEvent, Session, SessionError, lobby, transport};
use crate::ClientId;
use crate::matches::Act;
use crate::protocol::{MAX_MESSAGE, SUBPROTOCOL};

/// The longest message of a server that is read, in bytes: a match of ten
/// thousand moves is a tenth of it.
const MAX_RECEIVED: usize = 1 << 20;

/// What a connection holds for what comes in, in bytes. All of it is zeroed for
/// each read, so the 128 KiB of the library would cost more than all the rest.
const READ_BUFFER: usize = 4096;

/// How long a server may take to say goodbye.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

type Socket = WebSocketStream<Box<dyn transport::Stream>>;
type Opening = Pin<Box<dyn Future<Output = Result<Socket, ClientError>> + Send>>;

/// A match on a server, over a WebSocket that is opened anew whenever it
/// breaks.
///
/// It lives by being asked for the [next](Self::next) event; nothing runs in the
/// background. It needs Tokio's timers and sockets.
pub struct Client {
    link: Link,
    session: Session,
    start: Instant,
    way: Way,
    backoff: Backoff,
    events: VecDeque<ClientEvent>,
}

/// What happens to a client.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientEvent {
    /// A connection stands, and the match is up to date.
    Connected,
    /// There is no connection, and another try will be made.
    Disconnected {
        /// Why.
        cause: ClientError,
        /// After how long.
        retry_in: Duration,
    },
    /// Something about the match.
    Match(MatchEvent),
}

/// The way to the server.
enum Way {
    /// Nothing is tried before a time.
    Waiting(Instant),
    Opening(Opening),
    Open {
        socket: Box<Socket>,
        /// Something was written that may not be on its way yet.
        unsent: bool,
    },
}

/// What has come over a socket.
enum Arrival {
    Text(tungstenite::Utf8Bytes),
    /// Nothing for the session: a ping, a pong.
    Sign,
    End(Option<tungstenite::Error>),
}

impl Client {
    /// A client that will connect as soon as it is asked for the next event.
    ///
    /// # Errors
    ///
    /// [`ClientError::NoRandomness`], as its name is drawn at random.
    pub fn new(link: Link) -> Result<Self, ClientError> {
        let draw = || getrandom::u64().map_err(|_| ClientError::NoRandomness);
        let name = format!("{:016x}{:016x}", draw()?, draw()?);
        let id = name.parse::<ClientId>();
        let id = id.map_err(|error| ClientError::unexpected_response(link.server(), error))?;
        Ok(Self::with_session(
            Session::new(link.id().clone(), id, link.token().cloned()),
            link,
        ))
    }

    /// A client that goes on with a session.
    pub fn with_session(session: Session, link: Link) -> Self {
        Self {
            link,
            session,
            start: Instant::now(),
            way: Way::Waiting(Instant::now()),
            backoff: Backoff::default(),
            events: VecDeque::new(),
        }
    }

    /// The match as it is known here.
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// Where the match is.
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// The server's time, in milliseconds since 1970, if it has told it.
    pub fn server_time(&self) -> Option<u64> {
        self.session.server_time(self.start.elapsed())
    }

    /// Shows an act as done, and has it sent as soon as there is a connection,
    /// over as many as it takes until it has its answer.
    ///
    /// # Errors
    ///
    /// If it is not possible as the match is shown, or nobody may do anything.
    pub fn propose(&mut self, act: Act) -> Result<(), ProposeError> {
        self.session.propose(act, self.start.elapsed())
    }

    /// The next event. It may be dropped before it is there, without a loss.
    ///
    /// # Errors
    ///
    /// If it makes no sense to go on: [`ClientError::is_final`]. A broken
    /// connection is none.
    pub async fn next(&mut self) -> Result<ClientEvent, ClientError> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            match &mut self.way {
                Way::Waiting(until) => {
                    sleep_until(*until).await;
                    self.way = Way::Opening(Box::pin(open(self.link.clone())));
                }
                Way::Opening(opening) => match opening.await {
                    Ok(socket) => {
                        self.session.connected(self.start.elapsed());
                        self.way = Way::Open {
                            socket: Box::new(socket),
                            unsent: false,
                        };
                    }
                    Err(error) => self.lose(error)?,
                },
                Way::Open { .. } => {
                    if let Err(error) = self.go_on().await {
                        self.lose(error)?;
                    }
                }
            }
        }
    }

    /// Sends and receives over the open socket, until there is something to
    /// tell or to look at again.
    async fn go_on(&mut self) -> Result<(), ClientError> {
        let Way::Open { socket, unsent } = &mut self.way else {
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
                .ok_or_else(|| {
                    ClientError::unexpected_response(server, "nothing fits a message")
                })?;
            // The socket's buffer takes it: a client has one proposal and one
            // ping under way.
            Pin::new(&mut **socket)
                .start_send(Message::text(text))
                .map_err(broken)?;
            *unsent = true;
        }
        let deadline = self
            .session
            .deadline()
            .map(|deadline| self.start + deadline);
        let until = sleep_until(deadline.unwrap_or_else(|| Instant::now() + CONNECT_LIMIT));
        let arrival = tokio::select! {
            arrival = poll_fn(|cx| arrive(socket, unsent, cx)) => arrival,
            () = until => return Ok(()),
        };
        match arrival {
            Arrival::Text(text) => {
                let welcome = self.session.is_established();
                let news = self.session.received(&text, self.start.elapsed())?;
                self.events.extend(news.into_iter().map(ClientEvent::Match));
                if !welcome && self.session.is_established() {
                    self.backoff.reset();
                    self.events.push_back(ClientEvent::Connected);
                }
                Ok(())
            }
            Arrival::Sign => Ok(()),
            Arrival::End(None) => Err(ClientError::unreachable(server, "the connection has ended")),
            Arrival::End(Some(error)) => Err(broken(error)),
        }
    }

    /// Gives the connection up, and waits a while for the next, if there is to
    /// be one.
    fn lose(&mut self, cause: ClientError) -> Result<(), ClientError> {
        self.session.disconnected();
        let retry_in = self.backoff.next(getrandom::u32().unwrap_or(u32::MAX));
        self.way = Way::Waiting(Instant::now() + retry_in);
        if cause.is_final() {
            return Err(cause);
        }
        self.events
            .push_back(ClientEvent::Disconnected { cause, retry_in });
        Ok(())
    }

    /// Leaves: says so to the server, and waits for its goodbye, but not long.
    pub async fn close(mut self) {
        if let Way::Open { socket, .. } = &mut self.way {
            // Whoever does not hear it will notice the end of the connection.
            let _ = tokio::time::timeout(CLOSE_LIMIT, socket.close(None)).await;
        }
    }
}

/// Gets what was written on its way, and looks what has come. Both at once, so
/// that two who write much do not wait for each other.
fn arrive(socket: &mut Socket, unsent: &mut bool, cx: &mut Context<'_>) -> Poll<Arrival> {
    let mut socket = Pin::new(socket);
    if *unsent {
        match Sink::poll_flush(socket.as_mut(), cx) {
            Poll::Ready(Ok(())) => *unsent = false,
            Poll::Ready(Err(error)) => return Poll::Ready(Arrival::End(Some(error))),
            Poll::Pending => {}
        }
    }
    Stream::poll_next(socket, cx).map(|message| match message {
        Some(Ok(Message::Text(text))) => Arrival::Text(text),
        Some(Ok(Message::Close(_))) | None => Arrival::End(None),
        Some(Ok(_)) => Arrival::Sign,
        Some(Err(error)) => Arrival::End(Some(error)),
    })
}

async fn open(link: Link) -> Result<Socket, ClientError> {
    let server = link.server();
    let stream = transport::connect(server).await?;
    let url = format!(
        "ws://{}/api/v1/matches/{}/socket",
        server.authority(),
        link.id()
    );
    let odd = |error| ClientError::unexpected_response(server, error);
    let mut request = url.into_client_request().map_err(odd)?;
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
    let late = |_| ClientError::unreachable(server, "it does not answer");
    match handshake.map_err(late)? {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(answer)) => {
            let body = answer.body().as_deref().unwrap_or_default();
            Err(lobby::refusal(server, answer.status(), body))
        }
        // A server that goes down ends connections in the middle.
        Err(
            error @ (tungstenite::Error::Protocol(ProtocolError::HandshakeIncomplete)
            | tungstenite::Error::Io(_)),
        ) => Err(ClientError::unreachable(server, error)),
        Err(error) => Err(odd(error)),
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
