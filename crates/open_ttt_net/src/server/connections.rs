use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use super::outbox::{Frame, Outbox};
use super::stored_match::MatchState;
use crate::ClientId;
use crate::matches::Seat;
use crate::protocol::{Change, ErrorCode, MatchView, Presence, ServerMessage, UpdateShape};

/// One who is connected to a match.
pub(super) type ConnectionId = u64;

/// Who is connected, and how.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: ClientId,
    /// The seat that is theirs; none for a spectator.
    pub(super) seat: Option<Seat>,
    pub(super) shape: UpdateShape,
    pub(super) outbox: Outbox,
}

/// All who are connected to a match, and what they know of each other.
#[derive(Debug, Default)]
pub(super) struct Connections {
    by_id: BTreeMap<ConnectionId, Connection>,
    numbers: ConnectionId,
    /// As it was told last.
    presence: Presence,
    presence_due: Option<Instant>,
    /// Who is connected to other servers, as they told last.
    elsewhere: HashMap<ClientId, (Presence, Instant)>,
    /// What the other servers were told last.
    told: Option<(Presence, Instant)>,
}

/// How long changes of presence are gathered: at a large table they would be
/// most of what is sent.
const PRESENCE_PAUSE: Duration = Duration::from_millis(150);

/// How often other servers are told who is here, though nothing has changed.
const GOSSIP_EVERY: Duration = Duration::from_secs(10);

/// After this a server that says nothing more has nobody there.
const GOSSIP_HOLDS: Duration = Duration::from_secs(25);

impl Connections {
    pub(super) fn count(&self) -> usize {
        self.by_id.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.by_id.get(&id)
    }

    pub(super) fn have_a_seat(&self) -> bool {
        self.by_id.values().any(|guest| guest.seat.is_some())
    }

    pub(super) fn enter(&mut self, guest: Connection) -> ConnectionId {
        self.numbers += 1;
        self.by_id.insert(self.numbers, guest);
        self.presence_changes();
        self.numbers
    }

    pub(super) fn leave(&mut self, id: ConnectionId) {
        if self.by_id.remove(&id).is_some() {
            self.presence_changes();
        }
    }

    /// Sends to one. Who does not read has left.
    pub(super) fn send(&mut self, id: ConnectionId, message: &ServerMessage) {
        let Some(guest) = self.by_id.get(&id) else {
            return;
        };
        if guest.outbox.send(Frame::of(message)).is_err() {
            self.leave(id);
        }
    }

    /// Ends the connection of one, saying why.
    pub(super) fn end(&mut self, id: ConnectionId, code: ErrorCode, text: &str) {
        if let Some(guest) = self.by_id.get(&id) {
            // If it does not read, it is cut off all the same.
            let _ = guest.outbox.end(code, text);
            self.leave(id);
        }
    }

    /// Tells everybody what has happened; whose proposal one of the changes was
    /// is told the verdict with it.
    pub(super) fn tell(
        &mut self,
        changes: Vec<Change>,
        table: &MatchState,
        accepted: Option<(ConnectionId, u64)>,
    ) {
        let last = changes.len().saturating_sub(1);
        for (index, mut change) in changes.into_iter().enumerate() {
            let accepted = accepted.filter(|&(author, number)| {
                let author = self.by_id.get(&author);
                number == change.entry.number
                    && author.is_some_and(|author| author.client == change.entry.client)
            });
            let plain = Told::new(&change, accepted);
            // Of several changes at once, the last one is seen.
            let draw = index == last && self.by_id.values().any(|g| g.shape == UpdateShape::Views);
            let drawn = draw.then(|| {
                change.view = Some(Box::new(MatchView::of(table)));
                Told::new(&change, accepted)
            });
            let before = self.by_id.len();
            self.by_id.retain(|&id, guest| {
                let told = match (&drawn, guest.shape) {
                    (Some(drawn), UpdateShape::Views) => drawn,
                    _ => &plain,
                };
                let own = accepted.is_some_and(|(author, _)| author == id);
                let frame = match &told.accepted {
                    Some(accepted) if own => accepted,
                    _ => &told.change,
                };
                guest.outbox.send(frame.clone()).is_ok()
            });
            if self.by_id.len() != before {
                self.presence_changes();
            }
        }
    }

    /// Who is there now, at whichever server.
    pub(super) fn presence(&self, table: &MatchState) -> Presence {
        let mut all = self.presence_here(table);
        for (there, at) in self.elsewhere.values() {
            if at.elapsed() < GOSSIP_HOLDS {
                for (here, there) in all.seats.iter_mut().zip(there.seats) {
                    *here |= there;
                }
                all.watchers = all.watchers.saturating_add(there.watchers);
            }
        }
        all
    }

    /// Another server tells who is connected to it.
    pub(super) fn hear_gossip(&mut self, server: ClientId, presence: Presence) {
        let now = Instant::now();
        self.elsewhere
            .retain(|_, (_, at)| at.elapsed() < GOSSIP_HOLDS);
        self.elsewhere.insert(server, (presence, now));
        self.presence_changes();
    }

    /// What is to be told to other servers now, if anything.
    pub(super) fn gossip(&mut self, table: &MatchState) -> Option<Presence> {
        let here = self.presence_here(table);
        let known = self.told.is_some_and(|(told, at)| {
            told == here && (self.by_id.is_empty() || at.elapsed() < GOSSIP_EVERY)
        });
        if known {
            return None;
        }
        self.told = Some((here, Instant::now()));
        Some(here)
    }

    /// When to look again whether there is [gossip](Self::gossip), or whether
    /// that of others is too old.
    pub(super) fn gossip_due(&self) -> Option<Instant> {
        let next = self.told.map(|(_, at)| at + GOSSIP_EVERY);
        next.filter(|_| !self.by_id.is_empty())
    }

    /// Who is connected to this server.
    pub(super) fn presence_here(&self, table: &MatchState) -> Presence {
        let seats = Seat::ALL.map(|seat| {
            table.has_computer(seat) || self.by_id.values().any(|guest| guest.seat == Some(seat))
        });
        let watchers = self.by_id.values().filter(|guest| guest.seat.is_none());
        Presence {
            seats,
            watchers: u32::try_from(watchers.count()).unwrap_or(u32::MAX),
        }
    }

    /// Makes sure that everybody is told soon who is there.
    pub(super) fn presence_changes(&mut self) {
        self.presence_due
            .get_or_insert_with(|| Instant::now() + PRESENCE_PAUSE);
    }

    /// When [`tell_presence`](Self::tell_presence) is due.
    pub(super) const fn presence_due(&self) -> Option<Instant> {
        self.presence_due
    }

    /// Tells everybody who is there, if that is due and has changed.
    pub(super) fn tell_presence(&mut self, table: &MatchState) {
        if self.presence_due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        self.presence_due = None;
        let presence = self.presence(table);
        if presence == self.presence {
            return;
        }
        self.presence = presence;
        let told = Frame::of(&ServerMessage::Presence(presence));
        let before = self.by_id.len();
        self.by_id
            .retain(|_, guest| guest.outbox.send(told.clone()).is_ok());
        if self.by_id.len() != before {
            self.presence_changes();
        }
    }
}

/// A change as it is sent: to all, and to whose proposal it was.
struct Told {
    change: Frame,
    accepted: Option<Frame>,
}

impl Told {
    fn new(change: &Change, accepted: Option<(ConnectionId, u64)>) -> Self {
        // Both messages hold the same object, which is written once.
        let body = serde_json::to_string(change).unwrap_or_default();
        let fields = body.strip_prefix('{').unwrap_or_default();
        Self {
            change: Frame::text(&format!(r#"{{"type":"change",{fields}"#)),
            accepted: accepted.map(|(_, number)| {
                Frame::text(&format!(
                    r#"{{"type":"accepted","number":{number},"change":{body}}}"#
                ))
            }),
        }
    }
}
