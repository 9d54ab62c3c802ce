use std::cell::LazyCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::limits::QuotaPermit;
use super::outbox::{Frame, Outbox};
use super::stored_change::{ChangeJson, StoredChange};
use crate::ClientId;
use crate::matches::{DynMatch, Seat};
use crate::protocol::admin::ConnectionDescription;
use crate::protocol::{ErrorReport, MatchView, Presence, ServerMessage, UpdateShape};
use crate::replication::Sequence;

pub(super) type ConnectionId = u64;

/// A connection to a match.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) client: ClientId,
    pub(super) address: IpAddr,
    /// `None` for a spectator.
    pub(super) seat: Option<Seat>,
    /// A spectator's place.
    pub(super) _watching: Option<QuotaPermit>,
    pub(super) shape: UpdateShape,
    pub(super) outbox: Outbox,
}

/// A proposal that was accepted, and the connection of its author.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    pub(super) connection: ConnectionId,
    /// The author's number of the proposal.
    pub(super) number: u64,
    /// The change that it has become.
    pub(super) sequence: Sequence,
}

/// All connections to a match, and who is present.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// By their ids, which only grow.
    by_id: Vec<(ConnectionId, Connection)>,
    last_id: ConnectionId,
    /// The presence last sent to the clients.
    presence: Presence,
    presence_due: Option<Instant>,
    /// The presence last received from each other server.
    remote: HashMap<ClientId, (Presence, Instant)>,
    /// The presence last sent to the other servers.
    published: Option<(Presence, Instant)>,
}

/// Delay that combines several changes of presence into one message. In a match
/// with many spectators they would otherwise be most of the traffic.
const PRESENCE_DELAY: Duration = Duration::from_millis(150);

/// Interval at which an unchanged presence is sent to the other servers.
const PUBLISH_INTERVAL: Duration = Duration::from_secs(10);

/// Time after which the presence of a silent server no longer counts.
const REMOTE_EXPIRY: Duration = Duration::from_secs(25);

impl Connections {
    pub(super) fn watchers(&self) -> usize {
        let watchers = self.all().filter(|client| client.seat.is_none());
        watchers.count()
    }

    /// The connections of a seat, the oldest first.
    pub(super) fn of_seat(&self, seat: Seat) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        let of_seat = move |client: &Connection| client.seat == Some(seat);
        let all = self.by_id.iter().map(|(id, client)| (*id, client));
        all.filter(move |(_, client)| of_seat(client))
    }

    /// The address of a player, or else of a spectator.
    pub(super) fn address(&self) -> Option<IpAddr> {
        let mut players = self.all().filter(|client| client.seat.is_some());
        let client = players.next().or_else(|| self.all().next());
        client.map(|client| client.address)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        let index = self.index(id)?;
        Some(&self.by_id[index].1)
    }

    fn all(&self) -> impl Iterator<Item = &Connection> {
        self.by_id.iter().map(|(_, connection)| connection)
    }

    fn index(&self, id: ConnectionId) -> Option<usize> {
        self.by_id.binary_search_by_key(&id, |(id, _)| *id).ok()
    }

    pub(super) fn have_a_player(&self) -> bool {
        self.all().any(|client| client.seat.is_some())
    }

    pub(super) fn add(&mut self, connection: Connection) -> ConnectionId {
        self.last_id += 1;
        if self.by_id.len() < 2 {
            // Most matches have two connections.
            self.by_id.reserve_exact(1);
        }
        self.by_id.push((self.last_id, connection));
        self.schedule_presence();
        self.last_id
    }

    pub(super) fn remove(&mut self, id: ConnectionId) {
        if let Some(index) = self.index(id) {
            self.by_id.remove(index);
            self.schedule_presence();
        }
    }

    /// Sends a message. Removes the connection if its client does not read.
    pub(super) fn send(&mut self, id: ConnectionId, message: &ServerMessage) {
        if let Some(connection) = self.get(id)
            && connection.outbox.send(Frame::json(message)).is_err()
        {
            self.remove(id);
        }
    }

    /// Removes a connection and closes it with an error.
    pub(super) fn close(&mut self, id: ConnectionId, report: ErrorReport) {
        if let Some(connection) = self.get(id) {
            // Even if the queue is full, the removal closes the connection.
            let _ = connection.outbox.close(report);
            self.remove(id);
        }
    }

    /// Closes all connections from addresses that fulfil this.
    pub(super) fn close_where(&mut self, is_closed: impl Fn(IpAddr) -> bool, report: &ErrorReport) {
        let closed = self.by_id.iter();
        let closed = closed.filter(|(_, client)| is_closed(client.address));
        let closed: Vec<_> = closed.map(|(id, _)| *id).collect();
        for id in closed {
            self.close(id, report.clone());
        }
    }

    /// Sends a message to all connections.
    pub(super) fn send_all(&mut self, frame: &Frame) {
        self.send_each(|_, _| Some(frame.clone()));
    }

    pub(super) fn describe(&self) -> Vec<ConnectionDescription> {
        let describe = |client: &Connection| ConnectionDescription {
            address: client.address.to_string(),
            seat: client.seat,
        };
        self.all().map(describe).collect()
    }

    /// Sends changes to all connections. The author of the accepted one receives the
    /// verdict together with the change.
    pub(super) fn send_changes(
        &mut self,
        changes: &[StoredChange],
        state: &DynMatch,
        accepted: Option<Accepted>,
    ) {
        let last = changes.len().saturating_sub(1);
        for (index, change) in changes.iter().enumerate() {
            let accepted = accepted.filter(|accepted| accepted.sequence == change.sequence);
            self.send_change(UpdateShape::Transitions, change, None, accepted);
            if self.has_shape(UpdateShape::Views) {
                // Only the last change comes with a view.
                let view = (index == last).then(|| MatchView::of(state));
                self.send_change(UpdateShape::Views, change, view.as_ref(), accepted);
            }
        }
    }

    /// Sends a change to the connections of one shape.
    fn send_change(
        &mut self,
        shape: UpdateShape,
        change: &StoredChange,
        view: Option<&MatchView>,
        accepted: Option<Accepted>,
    ) {
        let json = LazyCell::new(|| ChangeJson::of(change, view));
        let shared = LazyCell::new(|| json.change());
        self.send_each(|id, connection| {
            if connection.shape != shape {
                return None;
            }
            Some(match accepted {
                Some(accepted) if accepted.connection == id => json.accepted(accepted.number),
                _ => Frame::clone(&shared),
            })
        });
    }

    /// Sends each connection its frame, if any. Removes connections whose
    /// clients do not read.
    fn send_each(&mut self, frame: impl Fn(ConnectionId, &Connection) -> Option<Frame>) {
        let count = self.by_id.len();
        self.by_id.retain(|(id, connection)| {
            frame(*id, connection).is_none_or(|frame| connection.outbox.send(frame).is_ok())
        });
        if self.by_id.len() != count {
            self.schedule_presence();
        }
    }

    fn has_shape(&self, shape: UpdateShape) -> bool {
        self.all().any(|client| client.shape == shape)
    }

    /// The presence at all servers.
    pub(super) fn presence(&self, state: &DynMatch) -> Presence {
        let mut all = self.local_presence(state);
        for remote in self.remote_presences() {
            for (seat, remote_seat) in all.seats.iter_mut().zip(remote.seats) {
                *seat |= remote_seat;
            }
            all.watchers = all.watchers.saturating_add(remote.watchers);
        }
        all
    }

    /// The presence at each other server that has told it lately.
    fn remote_presences(&self) -> impl Iterator<Item = &Presence> {
        let lately = |received: &Instant| received.elapsed() < REMOTE_EXPIRY;
        let remote = self.remote.values();
        remote.filter_map(move |(presence, received)| lately(received).then_some(presence))
    }

    /// Whether a person who plays is connected to another server.
    pub(super) fn have_a_remote_player(&self, state: &DynMatch) -> bool {
        let mut persons = Seat::ALL
            .into_iter()
            .filter(|&seat| !state.has_computer(seat));
        persons.any(|seat| {
            self.remote_presences()
                .any(|presence| presence.seats[seat.index()])
        })
    }

    /// The presence at this server.
    pub(super) fn local_presence(&self, state: &DynMatch) -> Presence {
        let seats = Seat::ALL.map(|seat| {
            state.has_computer(seat) || self.all().any(|client| client.seat == Some(seat))
        });
        Presence {
            seats,
            watchers: u32::try_from(self.watchers()).unwrap_or(u32::MAX),
        }
    }

    pub(super) fn set_remote_presence(&mut self, server: ClientId, presence: Presence) {
        self.remote
            .retain(|_, (_, received)| received.elapsed() < REMOTE_EXPIRY);
        self.remote.insert(server, (presence, Instant::now()));
        self.schedule_presence();
    }

    /// The presence to send to the other servers now, if it has changed or the
    /// last message is too old.
    pub(super) fn presence_to_publish(&mut self, state: &DynMatch) -> Option<Presence> {
        let presence = self.local_presence(state);
        let is_known = self.published.is_some_and(|(published, at)| {
            published == presence && (self.is_empty() || at.elapsed() < PUBLISH_INTERVAL)
        });
        if is_known {
            return None;
        }
        self.published = Some((presence, Instant::now()));
        Some(presence)
    }

    /// When to call [`presence_to_publish`](Self::presence_to_publish) again.
    pub(super) fn publish_due(&self) -> Option<Instant> {
        let next = self.published.map(|(_, at)| at + PUBLISH_INTERVAL);
        next.filter(|_| !self.is_empty())
    }

    pub(super) fn schedule_presence(&mut self) {
        self.presence_due
            .get_or_insert_with(|| Instant::now() + PRESENCE_DELAY);
    }

    /// When to call [`send_presence`](Self::send_presence).
    pub(super) const fn presence_due(&self) -> Option<Instant> {
        self.presence_due
    }

    /// Sends the presence to all connections, if it is due and has changed.
    pub(super) fn send_presence(&mut self, state: &DynMatch) {
        if self.presence_due.is_none_or(|due| due > Instant::now()) {
            return;
        }
        self.presence_due = None;
        let presence = self.presence(state);
        if presence != self.presence {
            self.presence = presence;
            self.send_all(&Frame::json(&ServerMessage::Presence(presence)));
        }
    }
}
