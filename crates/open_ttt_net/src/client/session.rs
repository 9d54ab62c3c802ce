use core::error::Error;
use core::fmt;
use core::time::Duration;

use super::error::is_fatal;
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Seat, Transition};
use crate::protocol::{
    Change, ClientMessage, ErrorReport, KnownState, Presence, ServerMessage, Token, UpdateShape,
    VERSION, WelcomeState,
};
use crate::replication::{
    Digest, LogEntry, ProposalVerdict, Replica, ReplicaUpdate, Rollback, Sequence,
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
    match_id: MatchId,
    client: ClientId,
    token: Option<Token>,
    replica: Option<Replica<DynMatch>>,
    seat: Option<Seat>,
    presence: Presence,
    server_clock: Option<ServerClock>,
    phase: Phase,
    pings: u64,
}

/// A reading of the server's clock, in milliseconds since 1970, and when it
/// arrived.
#[derive(Clone, Copy, Debug)]
struct ServerClock {
    reading: u64,
    at: Duration,
}

/// The state of the connection.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Disconnected,
    /// Connected, and the hello is to be sent.
    Connected {
        last_received: Duration,
    },
    /// The hello is sent and unanswered.
    HelloSent {
        last_received: Duration,
    },
    Established {
        last_received: Duration,
        last_sent: Duration,
        in_flight: Option<InFlight>,
    },
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
}

/// Why an act was not proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProposeError {
    /// The state of the match is not known yet.
    NoState,
    /// The client is a spectator.
    NoSeat,
    /// Too many proposals are unanswered.
    TooMany,
    /// The act is not possible.
    Conflict(MatchConflict),
}

/// Why a connection has to be closed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// A malformed or unexpected message.
    BadMessage(String),
    /// The server uses another version of the protocol.
    BadVersion(u32),
    /// The server opened another match.
    OtherMatch(MatchId),
    /// A change was missed or the states differ; a new connection resolves this.
    OutOfSync,
    /// The server has a state older than one it sent before.
    Behind {
        /// The number of the server's state.
        server: Sequence,
        /// The number of the latest state received.
        known: Sequence,
    },
    /// The server has sent nothing for too long.
    TimedOut,
    /// The server reported an error.
    Server(ErrorReport),
}

impl Session {
    /// A session that has not connected yet.
    pub const fn new(match_id: MatchId, client: ClientId, token: Option<Token>) -> Self {
        Self {
            match_id,
            client,
            token,
            replica: None,
            seat: None,
            presence: Presence {
                seats: [false; 2],
                watchers: 0,
            },
            server_clock: None,
            phase: Phase::Disconnected,
            pings: 0,
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

    /// The seat that belongs to the token; `None` for a spectator.
    pub const fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// The latest presence received.
    pub const fn presence(&self) -> Presence {
        self.presence
    }

    /// Whether the client is connected and the server has answered its hello.
    pub const fn is_established(&self) -> bool {
        matches!(self.phase, Phase::Established { .. })
    }

    /// The estimated server time, in milliseconds since 1970.
    pub fn server_time(&self, now: Duration) -> Option<u64> {
        let ServerClock { reading, at } = self.server_clock?;
        let since = now.saturating_sub(at).as_millis();
        Some(reading.saturating_add(u64::try_from(since).unwrap_or(u64::MAX)))
    }

    /// Reports that a connection is open.
    pub const fn connected(&mut self, now: Duration) {
        self.phase = Phase::Connected { last_received: now };
    }

    /// Reports that the connection is closed. Unanswered proposals are sent again
    /// over the next one.
    pub const fn disconnected(&mut self) {
        self.phase = Phase::Disconnected;
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
        match &mut self.phase {
            Phase::Disconnected | Phase::HelloSent { .. } => None,
            Phase::Connected { last_received } => {
                self.phase = Phase::HelloSent {
                    last_received: *last_received,
                };
                Some(self.hello())
            }
            Phase::Established {
                last_sent,
                in_flight,
                ..
            } => {
                let proposal = self.replica.as_ref().and_then(Replica::outgoing);
                let due = proposal.filter(|proposal| {
                    in_flight.is_none_or(|sent| {
                        (sent.number, sent.base) != (proposal.number, proposal.base)
                            || sent.resend_at <= now
                    })
                });
                if let Some(proposal) = due {
                    *last_sent = now;
                    *in_flight = Some(InFlight {
                        number: proposal.number,
                        base: proposal.base,
                        resend_at: now + RESEND_AFTER,
                    });
                    return Some(ClientMessage::Propose {
                        number: proposal.number,
                        base: proposal.base,
                        act: proposal.transition.act,
                    });
                }
                if now < *last_sent + PING_INTERVAL {
                    return None;
                }
                *last_sent = now;
                self.pings += 1;
                Some(ClientMessage::Ping { number: self.pings })
            }
        }
    }

    /// When to poll the session again if no message arrives before.
    pub fn deadline(&self) -> Option<Duration> {
        let timeout = self.last_received()? + IDLE_TIMEOUT;
        let Phase::Established {
            last_sent,
            in_flight,
            ..
        } = self.phase
        else {
            return Some(timeout);
        };
        let resend_at = in_flight
            .filter(|_| self.has_pending())
            .map_or(Duration::MAX, |sent| sent.resend_at);
        Some(timeout.min(last_sent + PING_INTERVAL).min(resend_at))
    }

    /// Whether the server has sent nothing for so long that the connection counts
    /// as dead.
    pub fn is_timed_out(&self, now: Duration) -> bool {
        self.last_received()
            .is_some_and(|received| now >= received + IDLE_TIMEOUT)
    }

    const fn last_received(&self) -> Option<Duration> {
        match self.phase {
            Phase::Disconnected => None,
            Phase::Connected { last_received }
            | Phase::HelloSent { last_received }
            | Phase::Established { last_received, .. } => Some(last_received),
        }
    }

    fn hello(&self) -> ClientMessage {
        let known = self.replica.as_ref().and_then(Replica::sync_point);
        ClientMessage::Hello {
            protocol: VERSION,
            client: self.client.clone(),
            token: self.token.clone(),
            have: known.map(|(sequence, digest)| KnownState { sequence, digest }),
            shape: UpdateShape::Transitions,
        }
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
        match &mut self.phase {
            Phase::Disconnected => return Ok(Vec::new()),
            Phase::Connected { last_received }
            | Phase::HelloSent { last_received }
            | Phase::Established { last_received, .. } => *last_received = now,
        }
        match message {
            ServerMessage::Error { code, text } => {
                Err(SessionError::Server(ErrorReport { code, text }))
            }
            ServerMessage::Welcome { .. } => self.welcome(message, now),
            _ if !self.is_established() => {
                let cause = "the first message is not a welcome".to_owned();
                Err(SessionError::BadMessage(cause))
            }
            ServerMessage::Change(change) => self.change(change),
            ServerMessage::Accepted { number, change } => {
                let sequence = change.sequence;
                let mut events = self.change(change)?;
                // Also answers a proposal in doubt since a snapshot.
                events.extend(self.verdict(number, ProposalVerdict::Accepted(sequence))?);
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
                if let Phase::Established {
                    in_flight: Some(sent),
                    ..
                } = &mut self.phase
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
            ServerMessage::Pong { now: reading, .. } => {
                self.server_clock = Some(ServerClock { reading, at: now });
                Ok(Vec::new())
            }
        }
    }

    fn welcome(
        &mut self,
        message: ServerMessage,
        now: Duration,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        let ServerMessage::Welcome {
            protocol,
            id,
            seat,
            now: reading,
            sequence,
            digest,
            state,
            presence,
        } = message
        else {
            return Ok(Vec::new());
        };
        if protocol != VERSION {
            return Err(SessionError::BadVersion(protocol));
        }
        if id != self.match_id {
            return Err(SessionError::OtherMatch(id));
        }
        let mut events = match state {
            WelcomeState::Entries(entries) => {
                let mut events = Vec::new();
                for entry in entries {
                    let next = self.sequence().map(Sequence::next);
                    let next = next.ok_or(SessionError::OutOfSync)?;
                    events.extend(self.entry(next, &entry.into(), None)?);
                }
                let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
                if replica.sync_point() != Some((sequence, digest)) {
                    replica.mark_diverged();
                    return Err(SessionError::OutOfSync);
                }
                events
            }
            WelcomeState::Snapshot(value) => {
                let state = serde_json::from_value::<DynMatch>(value)
                    .map_err(|error| SessionError::BadMessage(error.to_string()))?;
                self.snapshot(sequence, digest, state)?
            }
            WelcomeState::View(_) => {
                let cause = "the welcome has a view instead of a state".to_owned();
                return Err(SessionError::BadMessage(cause));
            }
        };
        self.seat = seat;
        self.server_clock = Some(ServerClock { reading, at: now });
        self.phase = Phase::Established {
            last_received: now,
            last_sent: now,
            in_flight: None,
        };
        if presence != self.presence {
            self.presence = presence;
            events.push(MatchEvent::Presence(presence));
        }
        Ok(events)
    }

    fn snapshot(
        &mut self,
        sequence: Sequence,
        digest: Digest,
        state: DynMatch,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        if Digest::of(&state) != digest {
            let cause = "the snapshot's digest does not match".to_owned();
            return Err(SessionError::BadMessage(cause));
        }
        let mut events = vec![MatchEvent::Snapshot];
        match &mut self.replica {
            None => {
                let replica = Replica::resume(self.client.clone(), sequence, state);
                self.replica = Some(replica);
            }
            Some(replica) if sequence < replica.sequence() && replica.sync_point().is_some() => {
                return Err(SessionError::Behind {
                    server: sequence,
                    known: replica.sequence(),
                });
            }
            Some(replica) => {
                let update = replica.receive_snapshot(sequence, state);
                events.extend(rolled_back(update));
            }
        }
        Ok(events)
    }

    fn change(&mut self, change: Change) -> Result<Vec<MatchEvent>, SessionError> {
        self.entry(change.sequence, &change.entry.into(), Some(change.digest))
    }

    fn entry(
        &mut self,
        sequence: Sequence,
        entry: &LogEntry<Transition>,
        digest: Option<Digest>,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
        match replica.receive_entry(sequence, entry, digest) {
            ReplicaUpdate::Unchanged => Ok(Vec::new()),
            ReplicaUpdate::OutOfSync => Err(SessionError::OutOfSync),
            update => {
                let mut events = vec![MatchEvent::Change {
                    sequence,
                    transition: entry.transition.clone(),
                    own: entry.client == self.client,
                }];
                events.extend(rolled_back(update));
                Ok(events)
            }
        }
    }

    fn verdict(
        &mut self,
        number: u64,
        verdict: ProposalVerdict<MatchConflict>,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
        match replica.receive_verdict(number, verdict) {
            ReplicaUpdate::OutOfSync => Err(SessionError::OutOfSync),
            update => Ok(rolled_back(update).into_iter().collect()),
        }
    }
}

fn rolled_back(update: ReplicaUpdate<Transition, MatchConflict>) -> Option<MatchEvent> {
    let ReplicaUpdate::RolledBack(Rollback {
        transitions,
        conflict,
    }) = update
    else {
        return None;
    };
    let acts = transitions.into_iter().map(|t| t.act).collect();
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

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadMessage(cause) => write!(f, "the server sent an invalid message: {cause}"),
            Self::BadVersion(version) => write!(
                f,
                "the server uses version {version} of the protocol, this program version {VERSION}"
            ),
            Self::OtherMatch(id) => write!(f, "the server opened another match, {id}"),
            Self::OutOfSync => f.write_str("this copy of the match is out of sync"),
            Self::Behind { server, known } => write!(
                f,
                "the server has only {server} changes of the match, but has sent {known} before"
            ),
            Self::TimedOut => f.write_str("the server does not respond"),
            Self::Server(report) => write!(f, "the server says: {}", report.text),
        }
    }
}

impl Error for SessionError {}

impl fmt::Display for ProposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoState => f.write_str("the match has not been loaded yet"),
            Self::NoSeat => f.write_str("spectators can only watch"),
            Self::TooMany => f.write_str("too many proposals are unanswered"),
            Self::Conflict(conflict) => conflict.fmt(f),
        }
    }
}

impl Error for ProposeError {}
