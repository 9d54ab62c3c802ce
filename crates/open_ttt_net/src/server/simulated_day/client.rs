use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::World;
use super::ledger::{Answer, Presence as Online, ProposedAct};
use super::model::{Face, Model};
use super::node::Socket;
use crate::lock::lock;
use crate::matches::{Act, Actor, Seat, Transition};
use crate::protocol::{
    Change, ClientMessage, ErrorCode, Hello, KnownState, MatchView, PlayerKey, Presence,
    ServerMessage, Token, UpdateShape, VERSION, Welcome, WelcomeState,
};
use crate::replication::{Digest, LogEntry, Sequence};
use crate::{ClientId, MatchId};

/// A copy of a match at a client, which keeps it over many connections.
pub(super) struct Client {
    world: Rc<World>,
    address: IpAddr,
    id: MatchId,
    /// Of the seat; a spectator has neither.
    token: Option<Token>,
    key: Option<PlayerKey>,
    shape: UpdateShape,
    /// Under which it makes its proposals.
    author: ClientId,
    number: u64,
    /// The match as this client has followed it, since its first connection.
    pub(super) model: Option<Model>,
    known: Option<(u64, Digest)>,
    pub(super) seat: Option<Seat>,
    pub(super) presence: Presence,
    pending: Option<Pending>,
    socket: Option<Socket>,
    /// The index of the connection in the ledger.
    online: usize,
}

/// A proposal without an answer.
struct Pending {
    /// Its index in the ledger.
    index: usize,
    number: u64,
    base: u64,
    act: Act,
    send_at: u64,
}

/// The pause before an unanswered proposal is sent again, in milliseconds.
const RESEND_MS: u64 = 3_000;

impl Client {
    pub(super) fn new(
        world: &Rc<World>,
        address: IpAddr,
        id: MatchId,
        token: Option<Token>,
        key: Option<PlayerKey>,
    ) -> Self {
        Self {
            world: Rc::clone(world),
            address,
            id,
            shape: UpdateShape::Transitions,
            token,
            key,
            author: world.new_client_id(),
            number: 0,
            model: None,
            known: None,
            seat: None,
            presence: Presence::default(),
            pending: None,
            socket: None,
            online: 0,
        }
    }

    /// A spectator who gets boards to draw.
    pub(super) fn spectator(world: &Rc<World>, address: IpAddr, id: MatchId) -> Self {
        Self {
            shape: UpdateShape::Views,
            ..Self::new(world, address, id, None, None)
        }
    }

    pub(super) const fn id(&self) -> &MatchId {
        &self.id
    }

    pub(super) const fn is_connected(&self) -> bool {
        self.socket.is_some()
    }

    pub(super) const fn is_waiting_for_answer(&self) -> bool {
        self.pending.is_some()
    }

    /// Connects to any server. Returns whether there was one.
    pub(super) async fn connect(&mut self) -> bool {
        let Some(connecting) = self.world.connect(&self.id, self.address) else {
            return false;
        };
        let Some(mut socket) = connecting.await else {
            return false;
        };
        let known = self
            .known
            .filter(|_| self.shape == UpdateShape::Transitions);
        let hello = ClientMessage::Hello(Hello {
            protocol: VERSION,
            client: self.author.clone(),
            token: self.token.clone(),
            key: self.key.clone(),
            have: known.map(|(sequence, digest)| KnownState {
                sequence: Sequence::new(sequence),
                digest,
            }),
            shape: self.shape,
        });
        if !send(&mut socket, &hello).await {
            return false;
        }
        let Some(text) = socket.receive().await else {
            return false;
        };
        match parse(&text) {
            ServerMessage::Welcome(welcome) => {
                self.socket = Some(socket);
                self.welcome(welcome);
                if let Some(pending) = &mut self.pending {
                    pending.send_at = self.world.time.now();
                }
                true
            }
            ServerMessage::Error(report) => {
                let is_expected = matches!(
                    report.code,
                    ErrorCode::Unavailable | ErrorCode::ShuttingDown
                );
                let is_deleted = report.code == ErrorCode::NoSuchMatch
                    && lock(&self.world.store.removed).contains_key(&self.id);
                assert!(is_expected || is_deleted, "{}: {report:?}", self.id);
                false
            }
            message => panic!("{}: {message:?} instead of a welcome", self.id),
        }
    }

    fn welcome(&mut self, welcome: Welcome) {
        assert_eq!(welcome.id, self.id);
        if let Some(seat) = self.seat {
            assert_eq!(welcome.seat, Some(seat), "{}: another seat", self.id);
        }
        assert_eq!(
            welcome.seat.is_some(),
            self.token.is_some() || self.key.is_some()
        );
        self.seat = welcome.seat;
        self.presence = welcome.presence;
        let sequence = welcome.sequence.get();
        match welcome.state {
            WelcomeState::Entries(entries) => {
                for entry in &entries {
                    self.follow(entry);
                }
            }
            WelcomeState::Snapshot(saved) => {
                let find = |name: &str| self.world.catalog.game(name);
                let state = saved.restore(find).expect("a possible state");
                assert_eq!(Digest::of(&state), welcome.digest);
                self.see(&MatchView::of(&state), sequence);
            }
            WelcomeState::View(view) => self.see(&view, sequence),
        }
        let (known, _) = self.known.unwrap_or((sequence, welcome.digest));
        assert_eq!(known, sequence, "{}: entries are missing", self.id);
        self.learn(sequence, welcome.digest);
        let now = self.world.time.now();
        let mut ledger = self.world.ledger.borrow_mut();
        let online = &mut ledger.told(&self.id).online;
        self.online = online.len();
        online.push(Online {
            seat: self.seat,
            from: now,
            until: None,
        });
    }

    /// A state that did not come as entries.
    fn see(&mut self, view: &MatchView, sequence: u64) {
        let face = Face::of_view(view);
        let mut ledger = self.world.ledger.borrow_mut();
        ledger.told(&self.id).face(sequence, &face);
        self.model = Some(Model::of_view(&self.world.catalog, view));
        self.known = None;
    }

    fn learn(&mut self, sequence: u64, digest: Digest) {
        let mut ledger = self.world.ledger.borrow_mut();
        ledger.told(&self.id).digest(sequence, digest);
        self.known = Some((sequence, digest));
    }

    /// The next entry, whose digest may come later.
    fn follow(&mut self, entry: &LogEntry<Transition>) {
        let (known, digest) = self.known.expect("a state to go on from");
        let model = self.model.as_mut().expect("a model");
        if let Err(cause) = model.apply(&entry.transition) {
            panic!(
                "{}: {cause}: {:?} after {:?}",
                self.id, entry.transition, model.face
            );
        }
        let mut ledger = self.world.ledger.borrow_mut();
        let told = ledger.told(&self.id);
        told.change(known + 1, entry);
        told.face(known + 1, &model.face);
        self.known = Some((known + 1, digest));
    }

    fn change(&mut self, change: &Change) {
        let (known, _) = self.known.expect("a state to go on from");
        let sequence = change.sequence.get();
        assert_eq!(sequence, known + 1, "{}: a gap, or a change twice", self.id);
        self.follow(&change.entry);
        self.learn(sequence, change.digest);
        if let Some(view) = &change.view {
            let face = Face::of_view(view);
            assert_eq!(Some(&face), self.model.as_ref().map(|model| &model.face));
        }
    }

    /// Waits for the next message, and handles it. Without a connection it waits for
    /// ever. Cancel safe.
    pub(super) async fn receive(&mut self) {
        let Some(socket) = &mut self.socket else {
            return std::future::pending().await;
        };
        let Some(text) = socket.receive().await else {
            self.disconnect();
            return;
        };
        match parse(&text) {
            ServerMessage::Change(change) => {
                let LogEntry {
                    client,
                    number,
                    transition,
                } = &change.entry;
                let is_own =
                    *client == self.author && Some(transition.by) == self.seat.map(Actor::Seat);
                self.change(&change);
                if is_own {
                    // Another server had stored it when the connection to it broke, and
                    // this one had not read it yet.
                    self.world.ledger.borrow_mut().count("answered as a change");
                    assert!(self.world.plan.nodes > 1, "{}: no answer", self.id);
                    self.answer(*number, Answer::Accepted(change.sequence.get()));
                }
            }
            ServerMessage::Accepted { number, change } => {
                self.change(&change);
                self.answer(number, Answer::Accepted(change.sequence.get()));
            }
            ServerMessage::Duplicate { number, sequence } => {
                self.world.ledger.borrow_mut().count("duplicates");
                assert!(Some(sequence.get()) <= self.known.map(|(known, _)| known));
                self.answer(number, Answer::Accepted(sequence.get()));
            }
            ServerMessage::Overtaken { number, sequence } => {
                self.world.ledger.borrow_mut().count("overtaken");
                assert!(Some(sequence.get()) <= self.known.map(|(known, _)| known));
                self.answer(number, Answer::Rejected);
            }
            ServerMessage::Refused { number, .. } => {
                self.world.ledger.borrow_mut().count("refused");
                self.check_refusal(number);
                self.answer(number, Answer::Rejected);
            }
            ServerMessage::Delayed { number, retry_ms } => {
                self.world.ledger.borrow_mut().count("delayed");
                let now = self.world.time.now();
                if let Some(pending) = self.pending.as_mut().filter(|own| own.number == number) {
                    pending.send_at = now + retry_ms;
                }
            }
            ServerMessage::Presence(presence) => self.presence = presence,
            ServerMessage::Error(report) => {
                let is_expected = matches!(
                    report.code,
                    ErrorCode::ShuttingDown | ErrorCode::TimedOut | ErrorCode::Unavailable
                );
                assert!(is_expected, "{}: {report:?}", self.id);
            }
            message => panic!("{}: {message:?}", self.id),
        }
    }

    /// What the server refuses, the model must refuse.
    fn check_refusal(&self, number: u64) {
        let (Some(pending), Some(model), Some(seat)) = (&self.pending, &self.model, self.seat)
        else {
            return;
        };
        if pending.number == number && Some(pending.base) == self.known.map(|(known, _)| known) {
            let transition = Transition {
                at: self.world.time.now(),
                by: Actor::Seat(seat),
                act: pending.act.clone(),
            };
            let refused = model.clone().apply(&transition);
            assert!(refused.is_err(), "{}: refused {transition:?}", self.id);
        }
    }

    fn answer(&mut self, number: u64, answer: Answer) {
        let mut ledger = self.world.ledger.borrow_mut();
        let acts = &mut ledger.told(&self.id).acts;
        let act = acts
            .iter_mut()
            .find(|act| act.client == self.author && act.number == number);
        let act = act.expect("an own proposal");
        // A proposal that was sent again is answered again.
        assert!(
            act.answer.is_none_or(|earlier| earlier == answer),
            "{}: {answer:?} after {act:?}",
            self.id
        );
        act.answer = Some(answer);
        self.pending.take_if(|pending| pending.number == number);
    }

    /// Proposes an act for the known state.
    pub(super) async fn propose(&mut self, act: Act) {
        self.note_proposal(act);
        self.send_pending().await;
    }

    fn note_proposal(&mut self, act: Act) {
        let (base, _) = self.known.expect("a known state");
        self.number += 1;
        let mut ledger = self.world.ledger.borrow_mut();
        let acts = &mut ledger.told(&self.id).acts;
        self.pending = Some(Pending {
            index: acts.len(),
            number: self.number,
            base,
            act: act.clone(),
            send_at: self.world.time.now(),
        });
        acts.push(ProposedAct {
            client: self.author.clone(),
            number: self.number,
            act,
            sent: Vec::new(),
            answer: None,
        });
    }

    /// When to call [`send_pending`](Self::send_pending).
    pub(super) fn due(&self) -> Option<u64> {
        let pending = self.pending.as_ref().filter(|_| self.socket.is_some());
        pending.map(|pending| pending.send_at)
    }

    /// Sends the proposal again if that is due.
    pub(super) async fn send_pending(&mut self) {
        let now = self.world.time.now();
        let (Some(pending), Some(socket)) = (&mut self.pending, &mut self.socket) else {
            return;
        };
        if pending.send_at > now {
            return;
        }
        pending.send_at = now + RESEND_MS;
        self.world.ledger.borrow_mut().told(&self.id).acts[pending.index]
            .sent
            .push(now);
        let message = ClientMessage::Propose {
            number: pending.number,
            base: Sequence::new(pending.base),
            act: pending.act.clone(),
        };
        if !send(socket, &message).await {
            self.disconnect();
        }
    }

    /// The connection breaks.
    pub(super) fn disconnect(&mut self) {
        self.take_socket();
    }

    /// The client says nothing more and reads nothing, but the connection lasts until
    /// the server notices.
    pub(super) fn fall_silent(&mut self) {
        let Some(socket) = self.take_socket() else {
            return;
        };
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_mins(5)).await;
            drop(socket);
        });
    }

    fn take_socket(&mut self) -> Option<Socket> {
        let socket = self.socket.take()?;
        let now = self.world.time.now();
        let mut ledger = self.world.ledger.borrow_mut();
        ledger.told(&self.id).online[self.online].until = Some(now);
        Some(socket)
    }

    /// The tab is closed and the copy lost; what is known of the seat may remain.
    pub(super) fn forget(&mut self) {
        self.disconnect();
        self.author = self.world.new_client_id();
        self.number = 0;
        self.model = None;
        self.known = None;
        self.pending = None;
        if self.key.is_some() {
            // The page keeps the key; the token is lost.
            self.token = None;
        }
    }
}

async fn send(socket: &mut Socket, message: &ClientMessage) -> bool {
    let text = serde_json::to_string(message).expect("JSON");
    socket.stream.send(Message::text(text)).await.is_ok()
}

fn parse(text: &str) -> ServerMessage {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
