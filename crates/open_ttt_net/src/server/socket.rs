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
use tokio::sync::mpsc;
use tokio::sync::oneshot;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};

use super::Shared;
use super::api_error::ApiError;
use super::client_address::{ClientAddress, check_origin};
use super::clock::now_ms;
use super::commands::{Connect, MatchCommand, Propose};
use super::connections::ConnectionId;
use super::direct_writer::DirectWriter;
use super::handlers::Named;
use super::limits::{ConnectionPermit, TokenBucket};
use super::outbox::{Outbox, OutgoingMessage, OutgoingQueue, text};
use super::secrets::TokenHash;
use crate::MatchId;
use crate::matches::MAX_LAG_MS;
use crate::protocol::{ClientMessage, ErrorCode, MAX_MESSAGE, SUBPROTOCOL, ServerMessage, VERSION};

/// What a connection holds for what comes in, in bytes: most messages are
/// shorter, and for a longer one it grows.
const READ_BUFFER: usize = 512;

/// What a connection holds at most for messages on their way, in bytes: one
/// large view and some.
const WRITE_BUFFER: usize = 256 * 1024;

/// `GET /api/v1/matches/{id}/socket`
pub(super) async fn socket(
    State(shared): State<Arc<Shared>>,
    ClientAddress(address): ClientAddress,
    Named(id): Named,
    headers: HeaderMap,
    admission: Option<Extension<Arc<ConnectionPermit>>>,
    line: Option<Extension<Arc<DirectWriter>>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    check_origin(&headers, &shared.config)?;
    let taken = shared.requests.take(address, Instant::now());
    taken.map_err(ApiError::too_many)?;
    if shared.is_ending() {
        return Err(ApiError::new(
            ErrorCode::ShuttingDown,
            "this server is shutting down",
        ));
    }
    let upgrade = upgrade.map_err(ApiError::bad_request)?;
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let line = line.map(|Extension(line)| line);
        serve(shared, address, id, socket, line).await;
        // The connection counts until here.
        drop(admission);
    }))
}

async fn serve(
    shared: Arc<Shared>,
    address: IpAddr,
    id: MatchId,
    socket: WebSocket,
    line: Option<Arc<DirectWriter>>,
) {
    shared.metrics.sockets.inc();
    let mut connection = SocketSession {
        bucket: TokenBucket::full(shared.config.message_rate, Instant::now()),
        shared,
        socket,
        lag_ms: 0,
        pinged: None,
        heard: Instant::now(),
    };
    if let Err(SessionEnd::Said(code, words)) = connection.talk(&id, line).await {
        tracing::debug!(%id, %address, ?code, "a connection ends");
        connection.shared.metrics.error(code);
        connection.say_goodbye(code, words).await;
    }
    connection.shared.metrics.sockets.dec();
}

/// A connection to a match.
struct SocketSession {
    shared: Arc<Shared>,
    socket: WebSocket,
    bucket: TokenBucket,
    /// Half of how long a ping took to come back.
    lag_ms: u64,
    pinged: Option<Instant>,
    heard: Instant,
}

/// Why a connection ends.
enum SessionEnd {
    /// The client has gone.
    Gone,
    /// The server ends it, and says why.
    Said(ErrorCode, String),
}

impl SessionEnd {
    fn said(code: ErrorCode, text: &str) -> Self {
        Self::Said(code, text.to_owned())
    }
}

impl SocketSession {
    async fn talk(
        &mut self,
        id: &MatchId,
        line: Option<Arc<DirectWriter>>,
    ) -> Result<(), SessionEnd> {
        let patience = self.shared.config.client_timeout;
        let hello = timeout(patience, self.hear())
            .await
            .map_err(|_| SessionEnd::said(ErrorCode::TimedOut, "no hello has come"))??;
        let (outbox, parcels) = Outbox::new(line, self.shared.config.outbox_capacity);
        let (orders, guest) = self.enter(id, hello, outbox).await?;
        let ended = self.serve(&orders, guest, parcels).await;
        let _ = orders.send(MatchCommand::Leave(guest)).await;
        ended
    }

    /// The next message of the client.
    async fn hear(&mut self) -> Result<ClientMessage, SessionEnd> {
        loop {
            match self.socket.recv().await {
                Some(Ok(message)) => {
                    if let Some(message) = self.read(message)? {
                        return Ok(message);
                    }
                }
                Some(Err(error)) => return Err(broken(&error)),
                None => return Err(SessionEnd::Gone),
            }
        }
    }

    /// Reads a message, if it is one of the protocol and not of the WebSocket.
    fn read(&mut self, message: Message) -> Result<Option<ClientMessage>, SessionEnd> {
        self.heard = Instant::now();
        match message {
            Message::Text(text) => serde_json::from_str(&text).map(Some).map_err(|error| {
                let text = format!("that is no message of this protocol: {error}");
                SessionEnd::Said(ErrorCode::BadMessage, text)
            }),
            Message::Binary(_) => Err(SessionEnd::said(
                ErrorCode::BadMessage,
                "messages are text, not binary",
            )),
            Message::Pong(_) => {
                if let Some(pinged) = self.pinged.take() {
                    let half = pinged.elapsed().as_millis() / 2;
                    self.lag_ms = u64::try_from(half).unwrap_or(u64::MAX).min(MAX_LAG_MS);
                }
                Ok(None)
            }
            Message::Ping(_) => Ok(None),
            Message::Close(_) => Err(SessionEnd::Gone),
        }
    }

    async fn enter(
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
            return Err(SessionEnd::said(
                ErrorCode::BadMessage,
                "the first message has to be hello",
            ));
        };
        if protocol != VERSION {
            let text = format!("this server speaks version {VERSION} of the protocol");
            return Err(SessionEnd::Said(ErrorCode::BadVersion, text));
        }
        let (reply, answer) = oneshot::channel();
        let order = MatchCommand::Connect(Box::new(Connect {
            client,
            key: token.as_ref().map(TokenHash::of),
            have,
            shape,
            outbox,
            reply,
        }));
        let orders = self.shared.hosts.order(&self.shared, id, order).await;
        let orders = orders.map_err(|error| {
            let failure = ApiError::from(error);
            SessionEnd::Said(failure.code(), failure.into_text())
        })?;
        match answer.await {
            Ok(Ok(guest)) => Ok((orders, guest)),
            Ok(Err(ErrorCode::BadToken)) => Err(SessionEnd::said(
                ErrorCode::BadToken,
                "the token opens no seat of this match",
            )),
            Ok(Err(code)) => Err(SessionEnd::said(code, "there is no room for one more")),
            Err(_) => Err(SessionEnd::said(ErrorCode::Unavailable, "try again")),
        }
    }

    async fn serve(
        &mut self,
        orders: &mpsc::Sender<MatchCommand>,
        guest: ConnectionId,
        mut parcels: OutgoingQueue,
    ) -> Result<(), SessionEnd> {
        let silence = self.shared.config.connection_idle_timeout;
        let mut pings = pings(silence);
        let mut ending = self.shared.ending();
        let mut ended = pin!(ending.wait());
        loop {
            tokio::select! {
                biased;
                parcel = parcels.next() => {
                    let Some(parcel) = parcel else {
                        return Err(SessionEnd::said(
                            ErrorCode::TooSlow,
                            "the connection was too slow; come back to go on",
                        ));
                    };
                    self.send_all(parcel, &mut parcels).await?;
                }
                message = self.socket.recv() => {
                    let message = match message {
                        Some(Ok(message)) => self.read(message)?,
                        Some(Err(error)) => return Err(broken(&error)),
                        None => return Err(SessionEnd::Gone),
                    };
                    if let Some(message) = message {
                        self.answer(message, orders, guest).await?;
                    }
                }
                _ = pings.tick() => {
                    if self.heard.elapsed() > silence {
                        return Err(SessionEnd::said(
                            ErrorCode::TimedOut,
                            "nothing was heard for too long",
                        ));
                    }
                    self.pinged = Some(Instant::now());
                    self.send(Message::Ping(Bytes::new())).await?;
                }
                () = &mut ended => {
                    return Err(SessionEnd::said(
                        ErrorCode::ShuttingDown,
                        "this server is shutting down; come back in a moment",
                    ));
                }
            }
        }
    }

    async fn answer(
        &mut self,
        message: ClientMessage,
        orders: &mpsc::Sender<MatchCommand>,
        guest: ConnectionId,
    ) -> Result<(), SessionEnd> {
        let waited = self
            .bucket
            .take(self.shared.config.message_rate, Instant::now());
        match message {
            ClientMessage::Propose { number, base, act } => {
                if let Err(wait) = waited {
                    let retry_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                    let delayed = ServerMessage::Delayed { number, retry_ms };
                    return self.send(Message::Text(text(&delayed).into())).await;
                }
                let order = MatchCommand::Propose(Box::new(Propose {
                    guest,
                    number,
                    base,
                    act,
                    lag_ms: self.lag_ms,
                }));
                // The host never ends while somebody is connected, unless it
                // has failed: then one comes back and finds a new one.
                orders.send(order).await.map_err(|_| {
                    SessionEnd::said(ErrorCode::Unavailable, "the match is read anew; come back")
                })
            }
            ClientMessage::Ping { .. } if waited.is_err() => Err(SessionEnd::said(
                ErrorCode::TooMany,
                "that is more than this server allows",
            )),
            ClientMessage::Ping { number } => {
                let now = now_ms();
                let pong = ServerMessage::Pong { number, now };
                self.send(Message::Text(text(&pong).into())).await
            }
            ClientMessage::Hello { .. } => Err(SessionEnd::said(
                ErrorCode::BadMessage,
                "hello is said once, at the beginning",
            )),
        }
    }

    /// Sends a message and all that wait behind it.
    async fn send_all(
        &mut self,
        first: OutgoingMessage,
        parcels: &mut OutgoingQueue,
    ) -> Result<(), SessionEnd> {
        let mut end = None;
        let mut count = 0;
        let sending = async {
            let mut next = Some(first);
            while let Some(parcel) = next {
                count += 1;
                match parcel {
                    OutgoingMessage::Text(frame) => {
                        let text = Message::Text(frame.into_text());
                        self.socket.feed(text).await?;
                    }
                    OutgoingMessage::Rest => {}
                    OutgoingMessage::End(code, text) => {
                        end = Some(SessionEnd::Said(code, text));
                        break;
                    }
                }
                next = parcels.at_once();
            }
            self.socket.flush().await
        };
        in_time(self.shared.config.client_timeout, sending).await?;
        parcels.are_sent(count);
        end.map_or(Ok(()), Err)
    }

    async fn send(&mut self, message: Message) -> Result<(), SessionEnd> {
        in_time(self.shared.config.client_timeout, self.socket.send(message)).await
    }

    /// Says why the connection ends, if the client still listens.
    async fn say_goodbye(&mut self, code: ErrorCode, words: String) {
        let close = match code {
            ErrorCode::ShuttingDown => close_code::RESTART,
            ErrorCode::TooSlow | ErrorCode::Unavailable | ErrorCode::TooMany => close_code::AGAIN,
            _ => close_code::POLICY,
        };
        let error = ServerMessage::Error { code, text: words };
        let _ = self.send(Message::Text(text(&error).into())).await;
        let frame = CloseFrame {
            code: close,
            reason: Utf8Bytes::default(),
        };
        let _ = self.send(Message::Close(Some(frame))).await;
        // What is still in flight is read away, or the system would answer it
        // with a reset, which can overtake the farewell.
        let drain = async { while let Some(Ok(_)) = self.socket.recv().await {} };
        let _ = timeout(Duration::from_secs(1), drain).await;
    }
}

/// How often a connection is pinged, so that one that has died is noticed.
fn pings(silence: Duration) -> Interval {
    let mut pings = interval(silence / 3);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings
}

async fn in_time(
    patience: Duration,
    sending: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), SessionEnd> {
    match timeout(patience, sending).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(SessionEnd::Gone),
        Err(_) => Err(SessionEnd::said(
            ErrorCode::TooSlow,
            "the connection was too slow; come back to go on",
        )),
    }
}

/// A connection that the client has broken off, or on which it has sent what is
/// no WebSocket.
fn broken(error: &axum::Error) -> SessionEnd {
    let text = error.to_string();
    if text.contains("too long") || text.contains("UTF-8") || text.contains("utf-8") {
        SessionEnd::Said(ErrorCode::BadMessage, text)
    } else {
        SessionEnd::Gone
    }
}
