use core::error::Error;
use core::fmt;
use core::time::Duration;

use super::error::is_final;
use crate::matches::{Act, Actor, DynMatch, MatchConflict, Seat, Transition};
use crate::protocol::{
    Change, ClientMessage, ErrorReport, KnownState, Presence, ServerMessage, Token, UpdateShape,
    VERSION, WelcomeState,
};
use crate::replication::{
    Digest, LogEntry, ProposalVerdict, Replica, ReplicaUpdate, Rollback, Sequence,
};
use crate::{ClientId, MatchId};

/// After how long a silence of its own a client asks for an answer.
pub const PING_EVERY: Duration = Duration::from_secs(20);

/// After how long a silence of the server the connection is given up.
pub const SILENCE: Duration = Duration::from_mins(1);

/// After how long a proposal without an answer is sent again.
pub const RESEND_AFTER: Duration = Duration::from_secs(10);

/// The longest wait that a server may ask for.
const LONGEST_DELAY: Duration = Duration::from_mins(1);

/// How many proposals may wait for their answer at a time.
const MOST_PENDING: usize = 16;

/// A match as one client sees it, over however many connections, without a
/// socket and without a clock.
///
/// Whoever drives it tells it what comes ([`connected`](Self::connected),
/// [`received`](Self::received), [`disconnected`](Self::disconnected)), sends
/// what it wants [sent](Self::outgoing), and comes back at its
/// [`deadline`](Self::deadline). Times are those since any moment that stays the
/// same, by a clock that does not go back.
#[derive(Debug)]
pub struct Session {
    match_id: MatchId,
    client: ClientId,
    token: Option<Token>,
    replica: Option<Replica<DynMatch>>,
    seat: Option<Seat>,
    presence: Presence,
    clock: Option<Clock>,
    phase: Phase,
    pings: u64,
}

/// The server's clock: what it showed, and when.
#[derive(Clone, Copy, Debug)]
struct Clock {
    shown: u64,
    at: Duration,
}

/// How far a connection has come.
#[derive(Clone, Copy, Debug)]
enum Phase {
    Closed,
    /// The greeting is to be sent.
    Opened {
        heard: Duration,
    },
    /// The answer to it is awaited.
    Greeted {
        heard: Duration,
    },
    Welcomed {
        heard: Duration,
        said: Duration,
        sent: Option<Sent>,
    },
}

/// A proposal that was sent over this connection.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u64,
    base: Sequence,
    again: Duration,
}

/// Something that a user may want to know.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchEvent {
    /// The match is there as a whole: at the beginning, or where too much was
    /// missed to be told one by one.
    Snapshot,
    /// Something has happened for good.
    Change {
        /// Its number, and that of the state behind it.
        sequence: Sequence,
        /// What.
        transition: Transition,
        /// Whether this session has proposed it.
        own: bool,
    },
    /// What was proposed and shown did not come to be.
    RolledBack {
        /// What was proposed, in order.
        acts: Vec<Act>,
        /// Why the first was refused; `None` if something else came first.
        conflict: Option<MatchConflict>,
    },
    /// Who is there has changed.
    Presence(Presence),
}

/// Why nothing was proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProposeError {
    /// Nothing is known of the match yet.
    NoState,
    /// Who watches can do nothing.
    NoSeat,
    /// Too much waits for an answer already.
    TooMany,
    /// It is not possible.
    Conflict(MatchConflict),
}

/// Why a connection is to be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionError {
    /// What has come is no message, or not one that may come now.
    BadMessage(String),
    /// The server speaks another version.
    BadVersion(u32),
    /// It is another match.
    OtherMatch(MatchId),
    /// Something was missed or differs: a new connection will mend it.
    OutOfSync,
    /// The server knows less of the match than it has told before.
    Behind {
        /// The number of the state it has.
        server: Sequence,
        /// The number of the state it has told.
        told: Sequence,
    },
    /// Nothing has come for too long.
    TimedOut,
    /// The server says why.
    Server(ErrorReport),
}

impl Session {
    /// A session that has not begun.
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
            clock: None,
            phase: Phase::Closed,
            pings: 0,
        }
    }

    /// The match as it will be if all that is proposed is accepted.
    pub fn optimistic(&self) -> Option<&DynMatch> {
        self.replica.as_ref().map(Replica::optimistic)
    }

    /// The match as it is for certain.
    pub fn confirmed(&self) -> Option<&DynMatch> {
        self.replica.as_ref().map(Replica::confirmed)
    }

    /// The number of the state that is certain.
    pub fn sequence(&self) -> Option<Sequence> {
        self.replica.as_ref().map(Replica::sequence)
    }

    /// The sum of the state that is certain.
    pub fn digest(&self) -> Option<Digest> {
        self.replica.as_ref().map(Replica::digest)
    }

    /// Whether something proposed has no answer yet.
    pub fn has_pending(&self) -> bool {
        self.replica.as_ref().is_some_and(Replica::has_pending)
    }

    /// The seat that the token proves; none for who watches.
    pub const fn seat(&self) -> Option<Seat> {
        self.seat
    }

    /// Who was there when the server last said so.
    pub const fn presence(&self) -> Presence {
        self.presence
    }

    /// Whether a connection stands and the server has answered.
    pub const fn is_established(&self) -> bool {
        matches!(self.phase, Phase::Welcomed { .. })
    }

    /// The server's time, in milliseconds since 1970, as far as it can be told
    /// from here.
    pub fn server_time(&self, now: Duration) -> Option<u64> {
        let Clock { shown, at } = self.clock?;
        let since = now.saturating_sub(at).as_millis();
        Some(shown.saturating_add(u64::try_from(since).unwrap_or(u64::MAX)))
    }

    /// A connection stands.
    pub const fn connected(&mut self, now: Duration) {
        self.phase = Phase::Opened { heard: now };
    }

    /// The connection is no more. What is proposed waits for the next one.
    pub const fn disconnected(&mut self) {
        self.phase = Phase::Closed;
    }

    /// Shows an act as done, and has it sent.
    ///
    /// # Errors
    ///
    /// If it is not possible as the match is shown, or nobody may do anything.
    pub fn propose(&mut self, act: Act, now: Duration) -> Result<(), ProposeError> {
        let time = self.server_time(now).unwrap_or_default();
        let replica = self.replica.as_mut().ok_or(ProposeError::NoState)?;
        let seat = self.seat.ok_or(ProposeError::NoSeat)?;
        if replica.pending_count() >= MOST_PENDING {
            return Err(ProposeError::TooMany);
        }
        let transition = Transition {
            // The server will say when it was; time does not go back.
            at: time.max(replica.optimistic().at()),
            by: Actor::Seat(seat),
            act,
        };
        replica.propose(transition).map_err(ProposeError::Conflict)
    }

    /// The next message to send, which is counted as sent.
    pub fn outgoing(&mut self, now: Duration) -> Option<ClientMessage> {
        match &mut self.phase {
            Phase::Closed | Phase::Greeted { .. } => None,
            Phase::Opened { heard } => {
                self.phase = Phase::Greeted { heard: *heard };
                Some(self.hello())
            }
            Phase::Welcomed { said, sent, .. } => {
                let proposal = self.replica.as_ref().and_then(Replica::outgoing);
                let due = proposal.filter(|proposal| {
                    sent.is_none_or(|sent| {
                        (sent.number, sent.base) != (proposal.number, proposal.base)
                            || sent.again <= now
                    })
                });
                if let Some(proposal) = due {
                    *said = now;
                    *sent = Some(Sent {
                        number: proposal.number,
                        base: proposal.base,
                        again: now + RESEND_AFTER,
                    });
                    return Some(ClientMessage::Propose {
                        number: proposal.number,
                        base: proposal.base,
                        act: proposal.transition.act,
                    });
                }
                if now < *said + PING_EVERY {
                    return None;
                }
                *said = now;
                self.pings += 1;
                Some(ClientMessage::Ping { number: self.pings })
            }
        }
    }

    /// When to look at the session again, if nothing comes before.
    pub fn deadline(&self) -> Option<Duration> {
        match self.phase {
            Phase::Closed => None,
            Phase::Opened { heard } | Phase::Greeted { heard } => Some(heard + SILENCE),
            Phase::Welcomed { heard, said, sent } => {
                let waits = self.has_pending();
                let again = sent.filter(|_| waits).map(|sent| sent.again);
                let next = (heard + SILENCE).min(said + PING_EVERY);
                Some(again.map_or(next, |again| next.min(again)))
            }
        }
    }

    /// Whether the server has been silent for so long that the connection is
    /// dead.
    pub fn is_timed_out(&self, now: Duration) -> bool {
        match self.phase {
            Phase::Closed => false,
            Phase::Opened { heard } | Phase::Greeted { heard } | Phase::Welcomed { heard, .. } => {
                now >= heard + SILENCE
            }
        }
    }

    fn hello(&self) -> ClientMessage {
        let has = self.replica.as_ref().and_then(Replica::sync_point);
        ClientMessage::Hello {
            protocol: VERSION,
            client: self.client.clone(),
            token: self.token.clone(),
            have: has.map(|(sequence, digest)| KnownState { sequence, digest }),
            shape: UpdateShape::Transitions,
        }
    }

    /// Takes in a message, and tells what it has brought.
    ///
    /// # Errors
    ///
    /// If the connection is to be ended. Unless the error
    /// [is final](SessionError::is_final), another one can follow it, on which
    /// nothing is lost.
    pub fn received(&mut self, text: &str, now: Duration) -> Result<Vec<MatchEvent>, SessionError> {
        let message = serde_json::from_str::<ServerMessage>(text)
            .map_err(|error| SessionError::BadMessage(error.to_string()))?;
        match &mut self.phase {
            Phase::Closed => return Ok(Vec::new()),
            Phase::Opened { heard } | Phase::Greeted { heard } | Phase::Welcomed { heard, .. } => {
                *heard = now;
            }
        }
        match message {
            ServerMessage::Error { code, text } => {
                Err(SessionError::Server(ErrorReport { code, text }))
            }
            ServerMessage::Welcome { .. } => self.welcome(message, now),
            _ if !self.is_established() => {
                let cause = "the first message is no welcome".to_owned();
                Err(SessionError::BadMessage(cause))
            }
            ServerMessage::Change(change) => self.change(change),
            ServerMessage::Accepted { number, change } => {
                let sequence = change.sequence;
                let mut news = self.change(change)?;
                // What was in doubt since a snapshot has its answer now.
                news.extend(self.verdict(number, ProposalVerdict::Accepted(sequence))?);
                Ok(news)
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
                if let Phase::Welcomed {
                    sent: Some(sent), ..
                } = &mut self.phase
                    && sent.number == number
                {
                    sent.again = now + Duration::from_millis(retry_ms).min(LONGEST_DELAY);
                }
                Ok(Vec::new())
            }
            ServerMessage::Presence(presence) => {
                self.presence = presence;
                Ok(vec![MatchEvent::Presence(presence)])
            }
            ServerMessage::Pong { now: shown, .. } => {
                self.clock = Some(Clock { shown, at: now });
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
            now: shown,
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
        let mut news = match state {
            WelcomeState::Entries(entries) => {
                let mut news = Vec::new();
                for entry in entries {
                    let next = self.sequence().map(Sequence::next);
                    let next = next.ok_or(SessionError::OutOfSync)?;
                    news.extend(self.entry(next, &entry.into(), None)?);
                }
                let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
                if replica.sync_point() != Some((sequence, digest)) {
                    replica.mark_diverged();
                    return Err(SessionError::OutOfSync);
                }
                news
            }
            WelcomeState::Snapshot(value) => {
                let state = serde_json::from_value::<DynMatch>(value)
                    .map_err(|error| SessionError::BadMessage(error.to_string()))?;
                self.snapshot(sequence, digest, state)?
            }
            WelcomeState::View(_) => {
                let cause = "a view was not asked for".to_owned();
                return Err(SessionError::BadMessage(cause));
            }
        };
        self.seat = seat;
        self.clock = Some(Clock { shown, at: now });
        self.phase = Phase::Welcomed {
            heard: now,
            said: now,
            sent: None,
        };
        if presence != self.presence {
            self.presence = presence;
            news.push(MatchEvent::Presence(presence));
        }
        Ok(news)
    }

    fn snapshot(
        &mut self,
        sequence: Sequence,
        digest: Digest,
        state: DynMatch,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        if Digest::of(&state) != digest {
            let cause = "the state does not have its sum".to_owned();
            return Err(SessionError::BadMessage(cause));
        }
        let mut news = vec![MatchEvent::Snapshot];
        match &mut self.replica {
            None => {
                let replica = Replica::resume(self.client.clone(), sequence, state);
                self.replica = Some(replica);
            }
            Some(replica) if sequence < replica.sequence() && replica.sync_point().is_some() => {
                return Err(SessionError::Behind {
                    server: sequence,
                    told: replica.sequence(),
                });
            }
            Some(replica) => {
                let heard = replica.receive_snapshot(sequence, state);
                news.extend(taken_back(heard));
            }
        }
        Ok(news)
    }

    fn change(&mut self, change: Change) -> Result<Vec<MatchEvent>, SessionError> {
        let Change {
            sequence,
            digest,
            entry,
            ..
        } = change;
        self.entry(sequence, &entry.into(), Some(digest))
    }

    fn entry(
        &mut self,
        sequence: Sequence,
        entry: &LogEntry<Transition>,
        digest: Option<Digest>,
    ) -> Result<Vec<MatchEvent>, SessionError> {
        let replica = self.replica.as_mut().ok_or(SessionError::OutOfSync)?;
        let heard = replica.receive_entry(sequence, entry, digest);
        match heard {
            ReplicaUpdate::Unchanged => Ok(Vec::new()),
            ReplicaUpdate::OutOfSync => Err(SessionError::OutOfSync),
            ReplicaUpdate::Confirmed | ReplicaUpdate::Advanced | ReplicaUpdate::RolledBack(_) => {
                let mut news = vec![MatchEvent::Change {
                    sequence,
                    transition: entry.transition.clone(),
                    own: entry.client == self.client,
                }];
                news.extend(taken_back(heard));
                Ok(news)
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
            heard => Ok(taken_back(heard).into_iter().collect()),
        }
    }
}

fn taken_back(heard: ReplicaUpdate<Transition, MatchConflict>) -> Option<MatchEvent> {
    let ReplicaUpdate::RolledBack(Rollback {
        transitions,
        conflict,
    }) = heard
    else {
        return None;
    };
    let acts = transitions.into_iter().map(|t| t.act).collect();
    Some(MatchEvent::RolledBack { acts, conflict })
}

impl SessionError {
    /// Whether it makes no sense to connect again.
    pub const fn is_final(&self) -> bool {
        match self {
            Self::BadMessage(_) | Self::BadVersion(_) | Self::OtherMatch(_) => true,
            Self::OutOfSync | Self::Behind { .. } | Self::TimedOut => false,
            Self::Server(report) => is_final(report.code),
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadMessage(cause) => {
                write!(f, "the server has sent what cannot be read: {cause}")
            }
            Self::BadVersion(version) => write!(
                f,
                "the server speaks version {version} of the protocol, and this program version {VERSION}"
            ),
            Self::OtherMatch(id) => write!(f, "the server has opened another match, {id}"),
            Self::OutOfSync => f.write_str("something was missed on the way"),
            Self::Behind { server, told } => write!(
                f,
                "the server has told {told} changes of the match and knows only {server} now"
            ),
            Self::TimedOut => f.write_str("the server has been silent for too long"),
            Self::Server(report) => write!(f, "the server says: {}", report.text),
        }
    }
}

impl Error for SessionError {}

impl fmt::Display for ProposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoState => f.write_str("nothing is known of the match yet"),
            Self::NoSeat => f.write_str("who watches can do nothing"),
            Self::TooMany => f.write_str("too much waits for an answer already"),
            Self::Conflict(conflict) => conflict.fmt(f),
        }
    }
}

impl Error for ProposeError {}
