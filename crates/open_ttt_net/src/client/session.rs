use core::time::Duration;

use open_ttt_catalog::Catalog;

use super::error::is_fatal;
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Seat, Transition};
use crate::protocol::{
    Change, ClientMessage, ErrorReport, Hello, KnownState, PlayerKey, Presence, ServerMessage,
    Token, UpdateShape, VERSION, Welcome, WelcomeState,
};
use crate::replication::{
    Digest, LogEntry, Proposal, ProposalVerdict, Replica, ReplicaUpdate, Sequence,
};
use crate::{ClientId, MatchId};

/// The client sends a ping after sending nothing else for this long.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// The client gives a connection up after receiving nothing for this long.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);

/// The client sends an unanswered proposal again after this long.
const RESEND_AFTER: Duration = Duration::from_secs(10);

/// The longest delay that a server may request.
const MAX_DELAY: Duration = Duration::from_mins(1);

/// The most unanswered proposals at a time.
const MAX_PENDING: usize = 16;

/// A client's view of a match across connections, without sockets or clocks.
///
/// The caller reports events ([`connected`](Self::connected),
/// [`received`](Self::received), [`disconnected`](Self::disconnected)), sends the
/// [`outgoing`](Self::outgoing) messages, and polls again at the
/// [`deadline`](Self::deadline). Times are measured from any fixed moment by a
/// monotonic clock.
#[derive(Debug)]
pub struct Session {
    catalog: Catalog,
    match_id: MatchId,
    client: ClientId,
    token: Option<Token>,
    key: Option<PlayerKey>,
    replica: Option<Replica<DynMatch>>,
    seat: Option<Seat>,
    presence: Presence,
    server_clock: Option<ServerClock>,
    /// `None` while disconnected.
    connection: Option<Connection>,
    pings: u64,
}

/// A reading of the server's clock, in milliseconds since 1970, and when it
/// arrived.
#[derive(Clone, Copy, Debug)]
struct ServerClock {
    reading: u64,
    at: Duration,
}

/// The state of an open connection.
#[derive(Clone, Copy, Debug)]
struct Connection {
    phase: Phase,
    last_received: Duration,
    last_sent: Duration,
    in_flight: Option<InFlight>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The hello is to be sent.
    Opened,
    /// The hello is sent and unanswered.
    HelloSent,
    Established,
}

/// A proposal that was sent over the current connection.
#[derive(Clone, Copy, Debug)]
struct InFlight {
    number: u64,
    base: Sequence,
    resend_at: Duration,
}

/// A change of the match or of its presence.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchEvent {
    /// The whole state was received: on the first connection, or after too many
    /// missed changes.
    Snapshot,
    /// A change was committed.
    Change {
        /// The number of the change and of the resulting state.
        sequence: Sequence,
        /// The committed transition.
        transition: Transition,
        /// Whether this session proposed it.
        own: bool,
    },
    /// Proposed acts were rolled back.
    RolledBack {
        /// The proposed acts, in order.
        acts: Vec<Act>,
        /// Why the first was refused; `None` if another change was committed first.
        conflict: Option<MatchConflict>,
    },
    /// The presence has changed.
    Presence(Presence),
    /// What the server's operator tells all players.
    Notice(String),
}

/// Why an act was not proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProposeError {
    /// The state of the match is not known yet.
    #[error("the match has not been loaded yet")]
    NoState,
    /// The client is a spectator.
    #[error("spectators can only watch")]
    NoSeat,
    /// Too many proposals are unanswered.
    #[error("too many proposals are unanswered")]
    TooMany,
    /// The act is not possible.
    #[error(transparent)]
    Conflict(MatchConflict),
}

/// Why a connection has to be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// A malformed or unexpected message.
    #[error("the server sent an invalid message: {0}")]
    BadMessage(String),
    /// The server uses another version of the protocol.
    #[error("the server uses version {0} of the protocol, this program version {VERSION}")]
    BadVersion(u32),
    /// The server opened another match.
    #[error("the server opened another match, {0}")]
    OtherMatch(MatchId),
    /// A change was missed or the states differ; a new connection resolves this.
    #[error("this copy of the match is out of sync")]
    OutOfSync,
    /// The server has a state older than one it sent before.
    #[error("the server has only {server} changes of the match, but has sent {known} before")]
    Behind {
        /// The number of the server's state.
        server: Sequence,
        /// The number of the latest state received.
        known: Sequence,
    },
    /// The server has sent nothing for too long.
    #[error("the server does not respond")]
    TimedOut,
    /// The server reported an error.
    #[error("the server says: {}", .0.text)]
    Server(ErrorReport),
}

type Events = Result<Vec<MatchEvent>, SessionError>;

impl Session {
    /// A session that has not connected yet, for a match of a game in this catalog.
    pub fn new(
        catalog: Catalog,
        match_id: MatchId,
        client: ClientId,
        token: Option<Token>,
    ) -> Self {
        Self {
            catalog,
            match_id,
            client,
            token,
            key: None,
            replica: None,
            seat: None,
            presence: Presence::default(),
            server_clock: None,
            connection: None,
            pings: 0,
        }
    }

    /// The same with the player's key: without a token, it gives the seat that was taken
    /// with it.
    #[must_use]
    pub fn with_key(self, key: PlayerKey) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// The match as it will be if all proposals are accepted.
    pub fn optimistic(&self) -> Option<&DynMatch> {
        self.replica.as_ref().map(Replica::optimistic)
    }

    /// The confirmed match.
    pub fn confirmed(&self) -> Option<&DynMatch> {
        self.replica.as_ref().map(Replica::confirmed)
    }

    /// The number of the confirmed state.
    pub fn sequence(&self) -> Option<Sequence> {
        self.replica.as_ref().map(Replica::sequence)
    }

    /// The digest of the confirmed state.
    pub fn digest(&self) -> Option<Digest> {
        self.replica.as_ref().map(Replica::digest)
    }

    /// Whether a proposal is unanswered.
    pub fn has_pending(&self) -> bool {
        self.replica.as_ref().is_some_and(Replica::has_pending)
    }

    /// The seat that belongs to the token or the key; `None` for a spectator.
    pub const fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// The latest presence received.
    pub const fn presence(&self) -> Presence {
        self.presence
    }

    /// Whether the client is connected and the server has answered its hello.
    pub fn is_established(&self) -> bool {
        self.connection
            .is_some_and(|connection| connection.phase == Phase::Established)
    }

    /// The estimated server time, in milliseconds since 1970.
    pub fn server_time(&self, now: Duration) -> Option<u64> {
        let ServerClock { reading, at } = self.server_clock?;
        let since = now.saturating_sub(at).as_millis();
        Some(reading.saturating_add(u64::try_from(since).unwrap_or(u64::MAX)))
    }

    /// Reports that a connection is open.
    pub const fn connected(&mut self, now: Duration) {
        self.connection = Some(Connection {
            phase: Phase::Opened,
            last_received: now,
            last_sent: now,
            in_flight: None,
        });
    }

    /// Reports that the connection is closed. Unanswered proposals are sent again
    /// over the next one.
    pub const fn disconnected(&mut self) {
        self.connection = None;
    }

    /// Applies an act optimistically and proposes it.
    ///
    /// # Errors
    ///
    /// If the act is not possible in the optimistic state, or the client has no
    /// seat or too many unanswered proposals.
    pub fn propose(&mut self, act: Act, now: Duration) -> Result<(), ProposeError> {
        let time = self.server_time(now).unwrap_or_default();
        let replica = self.replica.as_mut().ok_or(ProposeError::NoState)?;
        let seat = self.seat.ok_or(ProposeError::NoSeat)?;
        if replica.pending_count() >= MAX_PENDING {
            return Err(ProposeError::TooMany);
        }
        let transition = Transition {
            // The server replaces the time; it must not go back until then.
            at: time.max(replica.optimistic().at()),
            by: Actor::Seat(seat),
            act,
        };
        replica.propose(transition).map_err(ProposeError::Conflict)
    }

    /// The next message to send. The session assumes that it is sent.
    pub fn outgoing(&mut self, now: Duration) -> Option<ClientMessage> {
        let connection = self.connection.as_mut()?;
        match connection.phase {
            Phase::Opened => {
                connection.phase = Phase::HelloSent;
                return Some(self.hello());
            }
            Phase::HelloSent => return None,
            Phase::Established => {}
        }
        let proposal = self.replica.as_ref().and_then(Replica::outgoing);
        let due = proposal.filter(|proposal| {
            connection.in_flight.is_none_or(|sent| {
                (sent.number, sent.base) != (proposal.number, proposal.base)
                    || sent.resend_at <= now
            })
        });
        if let Some(Proposal {
            number,
            base,
            transition,
        }) = due
        {
            connection.last_sent = now;
            let resend_at = now + RESEND_AFTER;
            connection.in_flight = Some(InFlight {
                number,
                base,
                resend_at,
            });
            let act = transition.act;
            return Some(ClientMessage::Propose { number, base, act });
        }
        if now < connection.last_sent + PING_INTERVAL {
            return None;
        }
        connection.last_sent = now;
        self.pings += 1;
        Some(ClientMessage::Ping { number: self.pings })
    }

    /// When to poll the session again if no message arrives before.
    pub fn deadline(&self) -> Option<Duration> {
        let connection = self.connection?;
        let timeout = connection.last_received + IDLE_TIMEOUT;
        if connection.phase != Phase::Established {
            return Some(timeout);
        }
        let in_flight = connection.in_flight.filter(|_| self.has_pending());
        let resend_at = in_flight.map_or(Duration::MAX, |sent| sent.resend_at);
        Some(
            timeout
                .min(connection.last_sent + PING_INTERVAL)
                .min(resend_at),
        )
    }

    /// Whether the server has sent nothing for so long that the connection counts
    /// as dead.
    pub fn is_timed_out(&self, now: Duration) -> bool {
        self.connection
            .is_some_and(|connection| now >= connection.last_received + IDLE_TIMEOUT)
    }

    fn hello(&self) -> ClientMessage {
        let known = self.replica.as_ref().and_then(Replica::sync_point);
        ClientMessage::Hello(Hello {
            protocol: VERSION,
            client: self.client.clone(),
            token: self.token.clone(),
            have: known.map(|(sequence, digest)| KnownState { sequence, digest }),
            shape: UpdateShape::Transitions,
            key: self.key.clone(),
        })
    }

    /// Handles a message and returns the resulting events.
    ///
    /// # Errors
    ///
    /// If the connection has to be closed. Unless the error
    /// [is fatal](SessionError::is_fatal), the session continues over a new
    /// connection without loss.
    pub fn received(&mut self, text: &str, now: Duration) -> Result<Vec<MatchEvent>, SessionError> {
        let message = serde_json::from_str::<ServerMessage>(text)
            .map_err(|error| SessionError::BadMessage(error.to_string()))?;
        let Some(connection) = &mut self.connection else {
            return Ok(Vec::new());
        };
        connection.last_received = now;
        let is_established = connection.phase == Phase::Established;
        match message {
            ServerMessage::Error(report) => Err(SessionError::Server(report)),
            ServerMessage::Welcome(welcome) => self.welcome(welcome, now),
            _ if !is_established => {
                let cause = "the first message is not a welcome".to_owned();
                Err(SessionError::BadMessage(cause))
            }
            ServerMessage::Change(change) => self.change(&change),
            ServerMessage::Accepted { number, change } => {
                let mut events = self.change(&change)?;
                // Also answers a proposal in doubt since a snapshot.
                let accepted = ProposalVerdict::Accepted(change.sequence);
                events.extend(self.verdict(number, accepted)?);
                Ok(events)
            }
            ServerMessage::Duplicate { number, sequence } => {
                self.verdict(number, ProposalVerdict::Duplicate(sequence))
            }
            ServerMessage::Overtaken { number, sequence } => {
                self.verdict(number, ProposalVerdict::Overtaken(sequence))
            }
            ServerMessage::Refused {
                number, conflict, ..
            } => self.verdict(number, ProposalVerdict::Refused(conflict)),
            ServerMessage::Delayed { number, retry_ms } => {
                if let Some(sent) = &mut connection.in_flight
                    && sent.number == number
                {
                    sent.resend_at = now + Duration::from_millis(retry_ms).min(MAX_DELAY);
                }
                Ok(Vec::new())
            }
            ServerMessage::Presence(presence) => {
                self.presence = presence;
                Ok(vec![MatchEvent::Presence(presence)])
            }
            ServerMessage::Notice { text } => Ok(vec![MatchEvent::Notice(text)]),
            ServerMessage::Pong { now: reading, .. } => {
                self.server_clock = Some(ServerClock { reading, at: now });
                Ok(Vec::new())
            }
        }
    }

    fn welcome(&mut self, welcome: Welcome, now: Duration) -> Events {
        let (sequence, digest) = (welcome.sequence, welcome.digest);
        if welcome.protocol != VERSION {
            return Err(SessionError::BadVersion(welcome.protocol));
        }
        if welcome.id != self.match_id {
            return Err(SessionError::OtherMatch(welcome.id));
        }
        self.seat = welcome.seat;
        let mut events = match welcome.state {
            WelcomeState::Entries(entries) => {
                let mut events = Vec::new();
                for entry in entries {
                    let next = self.sequence().map(Sequence::next);
                    let next = next.ok_or(SessionError::OutOfSync)?;
                    events.extend(self.entry(next, &entry, None)?);
                }
                let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
                if replica.sync_point() != Some((sequence, digest)) {
                    replica.mark_diverged();
                    return Err(SessionError::OutOfSync);
                }
                events
            }
            WelcomeState::Snapshot(saved) => {
                let state = saved
                    .restore(|name| self.catalog.game(name))
                    .map_err(|error| SessionError::BadMessage(error.to_string()))?;
                self.snapshot(sequence, digest, state)?
            }
            WelcomeState::View(_) => {
                let cause = "the welcome has a view instead of a state".to_owned();
                return Err(SessionError::BadMessage(cause));
            }
        };
        self.server_clock = Some(ServerClock {
            reading: welcome.now,
            at: now,
        });
        self.connection = Some(Connection {
            phase: Phase::Established,
            last_received: now,
            last_sent: now,
            in_flight: None,
        });
        if welcome.presence != self.presence {
            self.presence = welcome.presence;
            events.push(MatchEvent::Presence(welcome.presence));
        }
        Ok(events)
    }

    fn snapshot(&mut self, sequence: Sequence, digest: Digest, state: DynMatch) -> Events {
        if Digest::of(&state) != digest {
            let cause = "the snapshot's digest does not match".to_owned();
            return Err(SessionError::BadMessage(cause));
        }
        let mut events = vec![MatchEvent::Snapshot];
        match &mut self.replica {
            None => self.replica = Some(Replica::resume(self.client.clone(), sequence, state)),
            Some(replica) if sequence < replica.sequence() && replica.sync_point().is_some() => {
                return Err(SessionError::Behind {
                    server: sequence,
                    known: replica.sequence(),
                });
            }
            Some(replica) => {
                events.extend(rolled_back(replica.receive_snapshot(sequence, state)));
            }
        }
        Ok(events)
    }

    fn change(&mut self, change: &Change) -> Events {
        self.entry(change.sequence, &change.entry, Some(change.digest))
    }

    fn entry(
        &mut self,
        sequence: Sequence,
        entry: &LogEntry<Transition>,
        digest: Option<Digest>,
    ) -> Events {
        let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
        match replica.receive_entry(sequence, entry, digest) {
            ReplicaUpdate::Unchanged => Ok(Vec::new()),
            ReplicaUpdate::OutOfSync => Err(SessionError::OutOfSync),
            update => {
                let mut events = vec![MatchEvent::Change {
                    sequence,
                    transition: entry.transition.clone(),
                    own: entry.client == self.client
                        && self.seat.map(Actor::Seat) == Some(entry.transition.by),
                }];
                events.extend(rolled_back(update));
                Ok(events)
            }
        }
    }

    fn verdict(&mut self, number: u64, verdict: ProposalVerdict<MatchConflict>) -> Events {
        let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
        match replica.receive_verdict(number, verdict) {
            ReplicaUpdate::OutOfSync => Err(SessionError::OutOfSync),
            update => Ok(rolled_back(update).into_iter().collect()),
        }
    }
}

fn rolled_back(update: ReplicaUpdate<Transition, MatchConflict>) -> Option<MatchEvent> {
    let ReplicaUpdate::RolledBack(rollback) = update else {
        return None;
    };
    let acts = rollback.transitions.into_iter().map(|t| t.act).collect();
    let conflict = rollback.conflict;
    Some(MatchEvent::RolledBack { acts, conflict })
}

impl SessionError {
    /// Whether connecting again cannot help.
    pub const fn is_fatal(&self) -> bool {
        match self {
            Self::BadMessage(_) | Self::BadVersion(_) | Self::OtherMatch(_) => true,
            Self::OutOfSync | Self::Behind { .. } | Self::TimedOut => false,
            Self::Server(report) => is_fatal(report.code),
        }
    }
}
