mod computer;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::clock::now_ms;
use super::commands::{Connect, History, MatchCommand, Propose, TakeSeat, TakeSeatError};
use super::connections::{Connection, ConnectionId, Connections};
use super::metrics::VerdictKind;
use super::presence::whisper;
use super::secrets::TokenHash;
use super::stored_match::{MatchState, StoredMatch};
use crate::MatchId;
use crate::log::LogError;
use crate::matches::{Act, Actor, CLAIM_MS, Clock, MatchConflict, Player, Seat, Transition};
use crate::protocol::{
    Change, EntryWire, ErrorCode, KnownState, MatchStatus, MatchSummary, MatchView, ServerMessage,
    UpdateShape, VERSION, WelcomeState,
};
use crate::replication::{CatchUp, Proposal, ProposalVerdict, Sequence};
use computer::Thinking;

/// How many entries a client is sent rather than the whole state.
const MOST_ENTRIES: usize = 256;

/// When something that could not be stored may be tried again.
const RETRY_MS: u64 = 500;

/// How long to wait before a match is watched anew.
const WATCH_AGAIN: Duration = Duration::from_millis(200);

/// Holds one match: takes what is proposed, one after the other, stores it and
/// tells everybody who is connected.
pub(super) struct MatchActor {
    shared: Arc<Shared>,
    id: MatchId,
    ledger: StoredMatch,
    orders: mpsc::Receiver<MatchCommand>,
    own: mpsc::WeakSender<MatchCommand>,
    entries: Option<BoxStream<'static, Result<Bytes, LogError>>>,
    guests: Connections,
    thinking: Option<Thinking>,
    /// Whether the lobby may show it.
    shown: bool,
    /// When somebody was last here.
    busy: Instant,
}

impl MatchActor {
    pub(super) fn new(
        shared: Arc<Shared>,
        id: MatchId,
        ledger: StoredMatch,
        orders: mpsc::Receiver<MatchCommand>,
        own: mpsc::WeakSender<MatchCommand>,
    ) -> Self {
        Self {
            shown: ledger.header().listed,
            shared,
            id,
            ledger,
            orders,
            own,
            entries: None,
            guests: Connections::default(),
            thinking: None,
            busy: Instant::now(),
        }
    }

    /// Works until nobody has been here for a while.
    pub(super) async fn run(mut self) {
        if self.shared.log.is_shared() {
            self.entries = Some(self.ledger.watch());
        }
        self.react().await;
        let mut sleep = pin!(sleep_until(self.next_wake()));
        loop {
            // One that ends too early costs less than setting it for every move.
            let wake = self.next_wake();
            if wake < sleep.deadline() || sleep.is_elapsed() {
                sleep.as_mut().reset(wake);
            }
            tokio::select! {
                order = self.orders.recv() => match order {
                    Some(order) => self.obey(order).await,
                    None => break,
                },
                entry = next_entry(&mut self.entries) => self.heard(entry).await,
                () = &mut sleep => {
                    if self.may_rest() && self.shared.hosts.retire(&self.id, &mut self.orders) {
                        break;
                    }
                    self.on_time().await;
                }
            }
        }
        self.stop_thinking();
    }

    fn table(&self) -> &MatchState {
        self.ledger.table()
    }

    fn sequence(&self) -> Sequence {
        self.ledger.sequencer().sequence()
    }

    async fn obey(&mut self, order: MatchCommand) {
        if !matches!(order, MatchCommand::RemotePresence { .. }) {
            self.busy = Instant::now();
        }
        match order {
            MatchCommand::Connect(enter) => self.enter(*enter).await,
            MatchCommand::Leave(guest) => self.guests.leave(guest),
            MatchCommand::Propose(propose) => self.propose(*propose).await,
            MatchCommand::TakeSeat(sit) => self.sit(*sit).await,
            MatchCommand::Status(reply) => drop(reply.send(self.status())),
            MatchCommand::History(reply) => {
                let sequencer = self.ledger.sequencer();
                let entries = sequencer
                    .entries_after(Sequence::START)
                    .unwrap_or_default()
                    .to_vec();
                let start = sequencer.start().clone();
                drop(reply.send(History { start, entries }));
            }
            MatchCommand::RemotePresence { server, presence } => {
                self.guests.hear_gossip(server, presence)
            }
            MatchCommand::ComputerMove { sequence, thought } => {
                self.thought(sequence, thought).await
            }
        }
    }

    async fn enter(&mut self, enter: Connect) {
        if self.guests.count() >= self.shared.config.max_connections_per_match {
            let _ = enter.reply.send(Err(ErrorCode::TooMany));
            return;
        }
        let seat = enter.key.as_ref().and_then(|key| self.ledger.seat_of(key));
        if enter.key.is_some() && seat.is_none() {
            let _ = enter.reply.send(Err(ErrorCode::BadToken));
            return;
        }
        if enter
            .have
            .is_some_and(|have| have.sequence > self.sequence())
        {
            // Another server knows more.
            self.read_on().await;
        }
        let Connect {
            client,
            have,
            shape,
            outbox,
            reply,
            ..
        } = enter;
        let id = self.guests.enter(Connection {
            client,
            seat,
            shape,
            outbox,
        });
        let welcome = self.welcome(seat, shape, have);
        self.guests.send(id, &welcome);
        if reply.send(Ok(id)).is_err() {
            self.guests.leave(id);
        }
        self.react().await;
    }

    fn welcome(
        &self,
        seat: Option<Seat>,
        shape: UpdateShape,
        have: Option<KnownState>,
    ) -> ServerMessage {
        let sequencer = self.ledger.sequencer();
        let digest = sequencer.digest();
        let state = match shape {
            UpdateShape::Views => WelcomeState::View(Box::new(MatchView::of(self.table()))),
            UpdateShape::Transitions => {
                let has = have.map(|have| (have.sequence, have.digest));
                if has.is_some_and(|(sequence, sum)| {
                    sequence == sequencer.sequence() && sum != digest
                }) {
                    self.shared.metrics.diverged.inc();
                    tracing::warn!(id = %self.id, "a client's copy has diverged");
                }
                match sequencer.catch_up(has, MOST_ENTRIES) {
                    CatchUp::Entries(entries) => WelcomeState::Entries(
                        entries.iter().cloned().map(EntryWire::from).collect(),
                    ),
                    CatchUp::Snapshot(table) => {
                        WelcomeState::Snapshot(serde_json::to_value(table).unwrap_or_default())
                    }
                }
            }
        };
        ServerMessage::Welcome {
            protocol: VERSION,
            id: self.id.clone(),
            seat,
            now: now_ms(),
            sequence: sequencer.sequence(),
            digest,
            state,
            presence: self.guests.presence(self.table()),
        }
    }

    async fn propose(&mut self, propose: Propose) {
        let Propose {
            guest,
            number,
            base,
            act,
            lag_ms,
        } = propose;
        let Some(Connection { client, seat, .. }) = self.guests.get(guest) else {
            return;
        };
        let (client, seat) = (client.clone(), *seat);
        let refused = |conflict: MatchConflict| ServerMessage::Refused {
            number,
            conflict,
            text: conflict.to_string(),
        };
        let act = match act {
            Act::Move { text, .. } => Act::Move { text, lag_ms },
            Act::Stay => return self.guests.send(guest, &refused(MatchConflict::NotYours)),
            act => act,
        };
        let Some(seat) = seat else {
            return self.guests.send(guest, &refused(MatchConflict::NotYours));
        };
        if self.sequence().get() >= self.shared.config.max_changes {
            let text = "the match has had more changes than this server keeps";
            return self.guests.end(guest, ErrorCode::TooLong, text);
        }
        let began = std::time::Instant::now();
        let proposal = Proposal {
            number,
            base,
            transition: self.stamp(Actor::Seat(seat), act),
        };
        let answer = self.ledger.propose(&client, &proposal, None).await;
        let metrics = &self.shared.metrics;
        metrics
            .proposal_seconds
            .observe(began.elapsed().as_secs_f64());
        let (kind, verdict) = match answer.verdict {
            Some(ProposalVerdict::Accepted(_)) => (VerdictKind::accepted, None),
            Some(ProposalVerdict::Duplicate(sequence)) => (
                VerdictKind::duplicate,
                Some(ServerMessage::Duplicate { number, sequence }),
            ),
            Some(ProposalVerdict::Overtaken(sequence)) => (
                VerdictKind::overtaken,
                Some(ServerMessage::Overtaken { number, sequence }),
            ),
            // Not for good: an earlier copy of it may still be on its way to the
            // store, with an earlier time. Once the end of the time is stored, it is
            // overtaken.
            Some(ProposalVerdict::Refused(MatchConflict::TimeUp)) | None => (
                VerdictKind::delayed,
                Some(ServerMessage::Delayed {
                    number,
                    retry_ms: RETRY_MS,
                }),
            ),
            Some(ProposalVerdict::Refused(conflict)) => {
                (VerdictKind::refused, Some(refused(conflict)))
            }
        };
        metrics.verdict(kind);
        let accepted = (kind == VerdictKind::accepted).then_some((guest, number));
        let changed = !answer.changes.is_empty();
        self.tell(answer.changes, accepted);
        if let Some(verdict) = verdict {
            self.guests.send(guest, &verdict);
        }
        if changed {
            self.react().await;
        }
    }

    async fn sit(&mut self, sit: TakeSeat) {
        let result = self.try_to_sit(&sit).await;
        let _ = sit.reply.send(result);
        self.react().await;
    }

    async fn try_to_sit(&mut self, sit: &TakeSeat) -> Result<Seat, TakeSeatError> {
        let is_player = || {
            sit.by
                .as_ref()
                .and_then(|key| self.ledger.seat_of(key))
                .is_some()
        };
        if sit.player.computer.is_some() && !is_player() {
            return Err(TakeSeatError::NotAPlayer);
        }
        self.take_seat(sit.player.clone(), sit.seat, sit.key.clone())
            .await
    }

    async fn take_seat(
        &mut self,
        player: Player,
        wanted: Option<Seat>,
        key: Option<TokenHash>,
    ) -> Result<Seat, TakeSeatError> {
        loop {
            let open = |seat: &Seat| self.table().player(*seat).is_none();
            let seat = match wanted {
                Some(seat) => seat,
                None => Seat::ALL
                    .into_iter()
                    .find(open)
                    .ok_or(TakeSeatError::Conflict(MatchConflict::SeatTaken))?,
            };
            let player = player.clone();
            let verdict = self
                .propose_own(Actor::Server, Act::Join { seat, player }, key.clone())
                .await;
            match verdict {
                Some(ProposalVerdict::Accepted(_) | ProposalVerdict::Duplicate(_)) => {
                    return Ok(seat);
                }
                Some(ProposalVerdict::Refused(conflict)) => {
                    return Err(TakeSeatError::Conflict(conflict));
                }
                // Somebody was faster; there may be another seat.
                Some(ProposalVerdict::Overtaken(_)) => {}
                None => return Err(TakeSeatError::Unavailable),
            }
        }
    }

    /// Proposes something of the server's own, and tells everybody.
    async fn propose_own(
        &mut self,
        by: Actor,
        act: Act,
        key: Option<TokenHash>,
    ) -> Option<ProposalVerdict<MatchConflict>> {
        let base = self.sequence();
        let proposal = Proposal {
            number: self.shared.next_number(),
            base,
            transition: self.stamp(by, act),
        };
        let client = self.shared.client.clone();
        let answer = self.ledger.propose(&client, &proposal, key).await;
        self.tell(answer.changes, None);
        if answer.verdict.is_none() {
            // What has to be done is tried again, but not at once.
            tokio::time::sleep(Duration::from_millis(RETRY_MS)).await;
        }
        answer.verdict
    }

    /// With the time; it never runs backwards in a match, whatever the clocks of
    /// its servers do.
    fn stamp(&self, by: Actor, act: Act) -> Transition {
        Transition {
            at: now_ms().max(self.table().at()),
            by,
            act,
        }
    }

    async fn heard(&mut self, entry: Option<Result<Bytes, LogError>>) {
        match entry {
            Some(Ok(_)) => {}
            Some(Err(cause)) => {
                tracing::warn!(id = %self.id, %cause, "a match cannot be watched");
                tokio::time::sleep(WATCH_AGAIN).await;
                self.entries = Some(self.ledger.watch());
            }
            None => self.entries = Some(self.ledger.watch()),
        }
        // What is watched may be known already, so the log is read rather than
        // the entry taken.
        if !self.read_on().await {
            // What was heard of is not known yet, and is told once more.
            tokio::time::sleep(WATCH_AGAIN).await;
            self.entries = Some(self.ledger.watch());
        }
    }

    /// Follows what other servers have appended; whether it could be read.
    async fn read_on(&mut self) -> bool {
        let mut changes = Vec::new();
        let read = self.ledger.read_on(Some(&mut changes)).await;
        let is_read = read.is_ok();
        if let Err(cause) = read {
            tracing::warn!(id = %self.id, %cause, "a match cannot be read");
        }
        if !changes.is_empty() {
            self.tell(changes, None);
            self.react().await;
        }
        is_read
    }

    fn tell(&mut self, changes: Vec<Change>, accepted: Option<(ConnectionId, u64)>) {
        self.guests.tell(changes, self.ledger.table(), accepted);
    }

    /// Does what has to be done in the state reached: what computers answer to
    /// offers, what is said for those who are here, what there is to think about.
    async fn react(&mut self) {
        while let Some((seat, act)) = self.own_act() {
            let verdict = self.propose_own(Actor::Seat(seat), act, None).await;
            if !matches!(
                verdict,
                Some(ProposalVerdict::Accepted(_) | ProposalVerdict::Overtaken(_))
            ) {
                break;
            }
        }
        if self.shown && self.table().has_started() {
            self.shown = false;
            self.shared.lobby.withdraw(&self.id);
        }
        self.start_thinking();
    }

    fn own_act(&self) -> Option<(Seat, Act)> {
        let table = self.table();
        let is_computer = |seat: Seat| table.has_computer(seat);
        if let Some(seat) = table
            .draw_offer()
            .map(|seat| !seat)
            .filter(|&s| is_computer(s))
        {
            return Some((seat, Act::RefuseDraw));
        }
        if let Some(seat) = table
            .take_back()
            .map(|seat| !seat)
            .filter(|&s| is_computer(s))
        {
            return Some((seat, Act::GrantTakeBack));
        }
        for seat in Seat::ALL {
            if is_computer(seat) && !table.wants_rematch(seat) && table.wants_rematch(!seat) {
                return Some((seat, Act::Rematch));
            }
        }
        let (claimer, _) = table.claim()?;
        let here = self.guests.presence_here(table).seats[(!claimer).index()];
        here.then_some((!claimer, Act::Stay))
    }

    fn status(&self) -> MatchStatus {
        let table = self.table();
        MatchStatus {
            id: self.id.clone(),
            sequence: self.sequence(),
            open: Seat::ALL
                .into_iter()
                .filter(|&seat| table.player(seat).is_none())
                .collect(),
            view: MatchView::of(table),
        }
    }

    /// What the lobby shows of a match.
    pub(super) fn summary(id: &MatchId, ledger: &StoredMatch) -> MatchSummary {
        let table = ledger.table();
        let mut players = Seat::ALL.into_iter().filter_map(|seat| table.player(seat));
        MatchSummary {
            id: id.clone(),
            game: table.settings().game.clone(),
            name: players.next().map(|player| player.name.clone()),
            clock: table.settings().clock,
            since: ledger.header().at,
        }
    }

    fn may_rest(&self) -> bool {
        self.guests.is_empty() && self.busy.elapsed() >= self.shared.config.match_idle_timeout
    }

    /// When there is something to do, whatever happens.
    fn next_wake(&self) -> Instant {
        let mut wake = if self.guests.is_empty() {
            self.busy + self.shared.config.match_idle_timeout
        } else {
            Instant::now() + Duration::from_hours(1)
        };
        if let Some(due) = self.guests.presence_due() {
            wake = wake.min(due);
        }
        if let Some(due) = self
            .guests
            .gossip_due()
            .filter(|_| self.shared.gossip.is_some())
        {
            wake = wake.min(due);
        }
        let table = self.table();
        let deadline = table.clock().and_then(Clock::deadline);
        let claim = table
            .claim()
            .map(|(_, since)| since.saturating_add(CLAIM_MS));
        for at in [deadline, claim].into_iter().flatten() {
            let wait = Duration::from_millis(at.saturating_sub(now_ms()));
            wake = wake.min(Instant::now() + wait.min(Duration::from_hours(1)));
        }
        wake
    }

    /// Tells the other servers who is connected to this one.
    fn gossip(&mut self) {
        let Some(gossip) = &self.shared.gossip else {
            return;
        };
        if let Some(presence) = self.guests.gossip(self.ledger.table()) {
            gossip.send(whisper(&self.id, &self.shared.client, presence));
        }
    }

    async fn on_time(&mut self) {
        self.guests.tell_presence(self.ledger.table());
        self.gossip();
        let (table, now) = (self.table(), now_ms());
        let deadline = table.clock().and_then(Clock::deadline);
        let claim = table
            .claim()
            .map(|(_, since)| since.saturating_add(CLAIM_MS));
        let act = if deadline.is_some_and(|deadline| deadline <= now) {
            Act::TimeOut
        } else if claim.is_some_and(|due| due <= now) {
            Act::Forfeit
        } else {
            return;
        };
        self.propose_own(Actor::Server, act, None).await;
        self.react().await;
    }
}

async fn next_entry(
    entries: &mut Option<BoxStream<'static, Result<Bytes, LogError>>>,
) -> Option<Result<Bytes, LogError>> {
    match entries {
        Some(entries) => entries.next().await,
        None => std::future::pending().await,
    }
}
