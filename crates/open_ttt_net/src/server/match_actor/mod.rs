mod computer;
mod identity;
mod listing;
mod time;

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::Shared;
use super::api_error::ApiError;
use super::commands::{Connect, MatchCommand, Propose, RemotePresence, TakeSeat};
use super::connections::{Connection, ConnectionId, Connections};
use super::lag::LagBudget;
use super::limits::QuotaPermit;
use super::moderation::banned_report;
use super::names::tell_apart;
use super::presence;
use super::secrets::Credentials;
use super::stored_match::StoredMatch;
use crate::MatchId;
use crate::log::{LogError, LogStream};
use crate::matches::{
    Act, Actor, CLAIM_MS, Clock, DynMatch, MatchConflict, Player, SavedMatch, Seat,
};
use crate::protocol::admin::MatchDescription;
use crate::protocol::{
    Change, ErrorCode, ErrorReport, KnownState, MatchStatus, MatchView, ServerMessage, UpdateShape,
    VERSION, Welcome, WelcomeState,
};
use crate::replication::{CatchUp, Proposal, ProposalVerdict, Sequence};
use computer::PendingDecision;
use listing::Listing;
use time::MatchTime;

/// Maximum number of queued commands.
const COMMAND_QUEUE: usize = 64;

/// Maximum number of entries in a welcome. A client that has missed more
/// receives a snapshot.
const MAX_MISSED_ENTRIES: usize = 256;

/// Maximum number of connections of one seat. The oldest is closed for a further one.
const MAX_CONNECTIONS_PER_SEAT: usize = 8;

/// Delay after which a client repeats a proposal that could not be stored.
const RETRY_MS: u64 = 500;

/// Pause before watching the log again.
const WATCH_PAUSE: Duration = Duration::from_millis(200);

/// Owns one match in memory: handles commands one by one, stores changes and
/// sends them to all connections.
pub(super) struct MatchActor {
    shared: Arc<Shared>,
    id: MatchId,
    stored: StoredMatch,
    time: MatchTime,
    /// By seat.
    lag_budgets: [LagBudget; 2],
    commands: mpsc::Receiver<MatchCommand>,
    /// Weak: the actor ends when all other senders are dropped.
    own_commands: mpsc::WeakSender<MatchCommand>,
    /// The entries of other servers; none if the store is not shared.
    entries: LogStream,
    connections: Connections,
    pending_decision: Option<PendingDecision>,
    /// Whether a client that is ahead of the log has been logged.
    client_was_ahead: bool,
    listing: Listing,
    /// The number of milestones that the players' histories get.
    recorded: usize,
    /// When a client last sent a command.
    last_used: Instant,
}

impl MatchActor {
    /// Starts the actor of a match and returns its command queue.
    pub(super) fn spawn(
        shared: &Arc<Shared>,
        id: &MatchId,
        stored: StoredMatch,
        listing: Option<QuotaPermit>,
    ) -> mpsc::Sender<MatchCommand> {
        let (sender, commands) = mpsc::channel(COMMAND_QUEUE);
        // Nobody waits for outages while they are not known.
        let unknown = Arc::default();
        let actor = Box::new(Self {
            listing: Listing::new(stored.header().listed, listing),
            time: MatchTime::new(shared.clock.clone(), unknown, stored.state()),
            lag_budgets: [LagBudget::FULL; 2],
            shared: Arc::clone(shared),
            id: id.clone(),
            stored,
            commands,
            own_commands: sender.downgrade(),
            entries: stream::pending().boxed(),
            connections: Connections::default(),
            pending_decision: None,
            client_was_ahead: false,
            recorded: 0,
            last_used: Instant::now(),
        });
        tokio::spawn(actor.run());
        sender
    }

    /// Runs until the match has been idle for a while.
    ///
    /// There is a task for each match in memory, so what it seldom does is allocated
    /// when it does it.
    async fn run(mut self: Box<Self>) {
        let outages = self.shared.outages().await;
        self.time = MatchTime::new(self.shared.clock.clone(), outages, self.stored.state());
        if self.shared.log.is_shared() {
            self.entries = self.stored.watch();
        }
        Box::pin(self.react()).await;
        let mut timer = pin!(sleep_until(self.next_wake()));
        loop {
            // Waking too early costs less than moving the timer on every move.
            let wake = self.next_wake();
            if wake < timer.deadline() || timer.is_elapsed() {
                timer.as_mut().reset(wake);
            }
            tokio::select! {
                command = self.commands.recv() => match command {
                    Some(command) => Box::pin(self.handle(command)).await,
                    None => break,
                },
                entry = self.entries.next() => Box::pin(self.on_entry(entry)).await,
                () = &mut timer => {
                    let matches = &self.shared.matches;
                    if self.is_idle() && matches.try_unload(&self.id, &mut self.commands) {
                        break;
                    }
                    Box::pin(self.on_timer()).await;
                }
            }
        }
        self.cancel_computer();
        self.unlist();
    }

    fn state(&self) -> &DynMatch {
        self.stored.state()
    }

    fn sequence(&self) -> Sequence {
        self.stored.sequencer().sequence()
    }

    /// Whether players can only end the game. The server's own acts are always
    /// possible, and there are few of them without acts of the players.
    fn is_full(&self) -> bool {
        self.sequence().get() >= self.shared.config.max_changes
    }

    async fn handle(&mut self, command: MatchCommand) {
        if !matches!(command, MatchCommand::RemotePresence(_)) {
            self.last_used = Instant::now();
        }
        match command {
            MatchCommand::Connect(connect) => self.connect(*connect).await,
            MatchCommand::Disconnect(connection) => {
                self.connections.remove(connection);
                self.update_listing();
            }
            MatchCommand::Propose(propose) => self.propose(*propose).await,
            MatchCommand::TakeSeat(request) => self.take_seat(*request).await,
            MatchCommand::Withdraw(request) => self.withdraw(*request).await,
            MatchCommand::GetStatus(reply) => drop(reply.send(self.status())),
            MatchCommand::Describe(reply) => drop(reply.send(self.describe())),
            MatchCommand::Close(report) => self.connections.close_where(|_| true, &report),
            MatchCommand::DropBanned => {
                let moderation = &self.shared.moderation;
                let is_banned = |address| moderation.bans_address(address);
                self.connections.close_where(is_banned, &banned_report());
            }
            MatchCommand::Send(frame) => self.connections.send_all(&frame),
            MatchCommand::GetHistory(reply) => {
                drop(reply.send(self.stored.sequencer().clone()));
            }
            MatchCommand::RemotePresence(remote) => {
                let RemotePresence { server, presence } = *remote;
                self.connections.set_remote_presence(server, presence);
            }
            MatchCommand::ComputerDecided(decided) => self.on_computer_decision(*decided).await,
        }
    }

    async fn connect(&mut self, connect: Connect) {
        let Connect {
            hello,
            address,
            outbox,
            reply,
        } = connect;
        let credentials = Credentials::of(hello.token.as_ref(), hello.key.as_ref());
        let seat = self.stored.seat_of(&credentials);
        let place = if hello.token.is_some() && seat.is_none() {
            let text = "This link doesn't belong to a player of this game.";
            Err(ErrorReport::new(ErrorCode::BadToken, text))
        } else {
            self.find_place(seat, address)
        };
        let watching = match place {
            Ok(watching) => watching,
            Err(report) => {
                let _ = reply.send(Err(report));
                return;
            }
        };
        let known = hello.have.map(|known| known.sequence);
        // Another server may have stored changes that this one lacks.
        if known > Some(self.sequence()) && self.catch_up().await && known > Some(self.sequence()) {
            self.report_client_ahead();
        }
        let id = self.connections.add(Connection {
            client: hello.client,
            address,
            seat,
            _watching: watching,
            shape: hello.shape,
            outbox,
        });
        let welcome = self.welcome(seat, hello.shape, hello.have);
        self.connections.send(id, &welcome);
        if reply.send(Ok(id)).is_err() {
            self.connections.remove(id);
        }
        self.react().await;
    }

    /// A place for a connection, which a player always has. A spectator's counts until
    /// it is dropped.
    fn find_place(
        &mut self,
        seat: Option<Seat>,
        address: IpAddr,
    ) -> Result<Option<QuotaPermit>, ErrorReport> {
        let Some(seat) = seat else {
            let too_many = |text| ErrorReport::new(ErrorCode::TooMany, text);
            if self.connections.watchers() >= self.shared.config.max_watchers_per_match {
                return Err(too_many("Too many people are watching this game."));
            }
            let place = self.shared.watchers.acquire(address, 1);
            let text = "Too many people are watching games on this server.";
            return place.map(Some).ok_or_else(|| too_many(text));
        };
        let of_seat = self.connections.of_seat(seat);
        let oldest = of_seat.map(|(id, _)| id).collect::<Vec<_>>();
        if oldest.len() >= MAX_CONNECTIONS_PER_SEAT {
            let text = "You have opened this game in too many places.";
            let report = ErrorReport::new(ErrorCode::TooMany, text);
            self.connections.close(oldest[0], report);
        }
        Ok(None)
    }

    fn welcome(
        &self,
        seat: Option<Seat>,
        shape: UpdateShape,
        known: Option<KnownState>,
    ) -> ServerMessage {
        let sequencer = self.stored.sequencer();
        let (sequence, digest) = (sequencer.sequence(), sequencer.digest());
        let state = match shape {
            UpdateShape::Views => WelcomeState::View(Box::new(MatchView::of(self.state()))),
            UpdateShape::Transitions => {
                let known = known.map(|known| (known.sequence, known.digest));
                if known.is_some_and(|known| known.0 == sequence && known.1 != digest) {
                    self.shared.metrics.diverged.inc();
                    tracing::warn!(id = %self.id, "a client's copy has diverged");
                }
                match sequencer.catch_up(known, MAX_MISSED_ENTRIES) {
                    CatchUp::Entries(entries) => WelcomeState::Entries(entries.to_vec()),
                    CatchUp::Snapshot(state) => {
                        WelcomeState::Snapshot(Box::new(SavedMatch::of(state)))
                    }
                }
            }
        };
        ServerMessage::Welcome(Welcome {
            protocol: VERSION,
            id: self.id.clone(),
            seat,
            now: self.time.now(),
            sequence,
            digest,
            state,
            presence: self.connections.presence(self.state()),
        })
    }

    async fn propose(&mut self, propose: Propose) {
        let Propose {
            connection: id,
            number,
            base,
            act,
            lag_ms,
        } = propose;
        let Some(Connection { client, seat, .. }) = self.connections.get(id) else {
            return;
        };
        let (client, seat) = (client.clone(), *seat);
        let refused = |conflict: MatchConflict| ServerMessage::Refused {
            number,
            conflict,
            text: conflict.to_string(),
        };
        let (Some(seat), false) = (seat, act == Act::Stay) else {
            let refused = refused(MatchConflict::NotYours);
            return self.connections.send(id, &refused);
        };
        if base > self.sequence() {
            // Another server has stored changes that this one lacks.
            self.catch_up().await;
        }
        if base >= self.sequence() && self.is_full() && !act.ends_game() {
            let refused = refused(MatchConflict::TooLong);
            return self.connections.send(id, &refused);
        }
        let started = std::time::Instant::now();
        let (act, credit_ms) = match act {
            Act::Move { text, .. } => {
                (Act::Move { text, lag_ms: 0 }, self.lag_credit(seat, lag_ms))
            }
            act => (act, 0),
        };
        let id_of_proposal = (&client, number, base);
        let state = self.state();
        let time = &self.time;
        let at = time.of_proposal(seat, id_of_proposal, &act, state, self.sequence());
        let stamped = act.clone().with_lag(credit_ms);
        let proposal = Proposal {
            number,
            base,
            transition: self.stored.stamp(Actor::Seat(seat), stamped, at),
        };
        let mut changes = Vec::new();
        let proposing =
            self.stored
                .propose(&client, &proposal, Credentials::default(), &mut changes);
        let verdict = proposing.await;
        self.keep_time(&changes, verdict.as_ref());
        match &verdict {
            Some(ProposalVerdict::Accepted(_)) if matches!(act, Act::Move { .. }) => {
                self.lag_budgets[seat.index()].spend(credit_ms);
            }
            None => self.time.not_stored(seat, id_of_proposal, act, at),
            Some(_) => {}
        }
        let metrics = &self.shared.metrics;
        let seconds = started.elapsed().as_secs_f64();
        metrics.proposal_seconds.observe(seconds);
        let (label, reply) = match verdict {
            Some(ProposalVerdict::Accepted(_)) => ("accepted", None),
            Some(ProposalVerdict::Duplicate(sequence)) => {
                let reply = ServerMessage::Duplicate { number, sequence };
                ("duplicate", Some(reply))
            }
            Some(ProposalVerdict::Overtaken(sequence)) => {
                let reply = ServerMessage::Overtaken { number, sequence };
                ("overtaken", Some(reply))
            }
            // Not final: an earlier copy, stamped with an earlier time, may
            // still reach the store. Once the time-out is stored, the proposal
            // is overtaken.
            Some(ProposalVerdict::Refused(MatchConflict::TimeUp)) | None => {
                let retry_ms = RETRY_MS;
                let delayed = ServerMessage::Delayed { number, retry_ms };
                ("delayed", Some(delayed))
            }
            Some(ProposalVerdict::Refused(conflict)) => ("refused", Some(refused(conflict))),
        };
        metrics.count_verdict(label);
        let has_changed = !changes.is_empty();
        self.send_changes(changes, reply.is_none().then_some((id, number)));
        if let Some(reply) = reply {
            self.connections.send(id, &reply);
        }
        if has_changed {
            self.react().await;
        }
    }

    async fn take_seat(&mut self, request: TakeSeat) {
        let requester = self.stored.seat_of(&request.requester);
        let result = if request.player.computer.is_some() && requester.is_none() {
            let text = "Only a player of this game can add a computer.";
            Err(ApiError::new(ErrorCode::BadToken, text))
        } else {
            self.join(request.player, request.seat, request.holder)
                .await
        };
        let _ = request.reply.send(result);
        self.react().await;
    }

    async fn join(
        &mut self,
        player: Player,
        wanted: Option<Seat>,
        holder: Credentials,
    ) -> Result<Seat, ApiError> {
        loop {
            self.check_rated(&holder)?;
            let seat = wanted
                .or_else(|| self.open_seats().next())
                .ok_or(MatchConflict::SeatTaken)?;
            let player = tell_apart(player.clone(), self.state().player(!seat));
            let act = Act::Join { seat, player };
            let verdict = self.propose_own(Actor::Server, act, holder.clone());
            match verdict.await {
                Some(ProposalVerdict::Accepted(_) | ProposalVerdict::Duplicate(_)) => {
                    return Ok(seat);
                }
                Some(ProposalVerdict::Refused(conflict)) => return Err(conflict.into()),
                // Another player was faster. The other seat may be open.
                Some(ProposalVerdict::Overtaken(_)) => {}
                None => return Err(ApiError::unavailable()),
            }
        }
    }

    /// Proposes an act of the server itself and sends the changes.
    async fn propose_own(
        &mut self,
        by: Actor,
        act: Act,
        holder: Credentials,
    ) -> Option<ProposalVerdict<MatchConflict>> {
        let at = match act {
            Act::ReturnTime { .. } => self.time.now(),
            _ => self.time.of_act(self.state(), self.sequence()),
        };
        let proposal = Proposal {
            number: self.shared.next_number(),
            base: self.sequence(),
            transition: self.stored.stamp(by, act, at),
        };
        let client = &self.shared.client;
        let mut changes = Vec::new();
        let stored = &mut self.stored;
        let proposing = stored.propose(client, &proposal, holder, &mut changes);
        let verdict = proposing.await;
        self.keep_time(&changes, verdict.as_ref());
        self.send_changes(changes, None);
        if verdict.is_none() {
            // The caller will try again.
            tokio::time::sleep(Duration::from_millis(RETRY_MS)).await;
        }
        verdict
    }

    async fn on_entry(&mut self, entry: Option<Result<Bytes, LogError>>) {
        if let Some(Err(cause)) = &entry {
            tracing::warn!(id = %self.id, %cause, "failed to watch a match");
            tokio::time::sleep(WATCH_PAUSE).await;
        }
        if !matches!(entry, Some(Ok(_))) {
            self.entries = self.stored.watch();
        }
        // The entry may be known already: read the log instead of using it.
        if !self.catch_up().await {
            // Watching again repeats the notification.
            tokio::time::sleep(WATCH_PAUSE).await;
            self.entries = self.stored.watch();
        }
    }

    /// Reports that a client has seen more changes than the log has: the log has
    /// lost entries, unless the client lies.
    fn report_client_ahead(&mut self) {
        self.shared.metrics.clients_ahead.inc();
        if !self.client_was_ahead {
            self.client_was_ahead = true;
            let sequence = self.sequence();
            tracing::error!(id = %self.id, %sequence, "a client has seen later changes than the log has");
        }
    }

    /// Applies and sends the changes of other servers. Returns whether the log
    /// could be read.
    async fn catch_up(&mut self) -> bool {
        let mut changes = Vec::new();
        let result = self.stored.catch_up(Some(&mut changes)).await;
        if let Err(cause) = &result {
            tracing::warn!(id = %self.id, %cause, "failed to read a match");
        }
        self.keep_time(&changes, None);
        if !changes.is_empty() {
            self.send_changes(changes, None);
            self.react().await;
        }
        result.is_ok()
    }

    /// Lets the match's time follow the changes that have just been stored: the last
    /// one by this server if the verdict says so, all others by other servers.
    fn keep_time(&mut self, changes: &[Change], verdict: Option<&ProposalVerdict<MatchConflict>>) {
        let mut others = changes;
        if let Some(ProposalVerdict::Accepted(sequence)) = verdict
            && let Some((own, before)) = changes.split_last()
        {
            others = before;
            self.time.stored(*sequence, own.entry.transition.at);
        }
        if let Some(other) = others.last() {
            self.time.follow(other.entry.transition.at);
        }
    }

    /// The part of a connection's estimated delay that is not charged to a seat's
    /// next move, in milliseconds.
    fn lag_credit(&self, seat: Seat, estimate_ms: u64) -> u64 {
        let clock = self.state().clock();
        let is_running = clock.is_some_and(|clock| clock.running.is_some());
        let credit = self.lag_budgets[seat.index()].credit(estimate_ms);
        if is_running { credit } else { 0 }
    }

    fn send_changes(&mut self, changes: Vec<Change>, accepted: Option<(ConnectionId, u64)>) {
        self.connections
            .send_changes(changes, self.stored.state(), accepted);
    }

    /// Does what the new state requires: automatic acts, the lobby, the
    /// computer's move.
    async fn react(&mut self) {
        while let Some((by, act)) = self.time_to_return().or_else(|| self.automatic_act()) {
            let verdict = self.propose_own(by, act, Credentials::default()).await;
            if !matches!(
                verdict,
                Some(ProposalVerdict::Accepted(_) | ProposalVerdict::Overtaken(_))
            ) {
                break;
            }
        }
        self.update_listing();
        self.record_games();
        self.start_computer();
    }

    /// The next automatic act: a computer's reply to an offer, or the reply of
    /// a connected player to a claim.
    fn automatic_act(&self) -> Option<(Actor, Act)> {
        let state = self.state();
        let replying_computer = |asker: Option<Seat>| {
            let seat = asker.map(|seat| !seat);
            seat.filter(|&seat| state.has_computer(seat))
        };
        if let Some(seat) = replying_computer(state.draw_offer()) {
            return Some((Actor::Seat(seat), Act::RefuseDraw));
        }
        if let Some(seat) = replying_computer(state.take_back()) {
            return Some((Actor::Seat(seat), Act::GrantTakeBack));
        }
        let mut rematch = Seat::ALL.into_iter().filter(|&seat| {
            state.has_computer(seat) && !state.wants_rematch(seat) && state.wants_rematch(!seat)
        });
        if let Some(seat) = rematch.next() {
            return Some((Actor::Seat(seat), Act::Rematch));
        }
        let (claimant, _) = state.claim()?;
        let is_connected = self.connections.local_presence(state).seats[(!claimant).index()];
        is_connected.then_some((Actor::Seat(!claimant), Act::Stay))
    }

    /// Time to give back to the players now.
    fn time_to_return(&self) -> Option<(Actor, Act)> {
        let (due, ms) = self.time.time_to_return(self.state(), self.sequence())?;
        if due > self.time.now() {
            return None;
        }
        tracing::info!(id = %self.id, ms, "giving back time that no player could use");
        Some((Actor::Server, Act::ReturnTime { ms }))
    }

    fn open_seats(&self) -> impl Iterator<Item = Seat> {
        let is_open = move |&seat: &Seat| self.state().player(seat).is_none();
        Seat::ALL.into_iter().filter(is_open)
    }

    fn status(&self) -> MatchStatus {
        MatchStatus {
            id: self.id.clone(),
            sequence: self.sequence(),
            open: self.open_seats().collect(),
            players: self.stored.players(),
            view: MatchView::of(self.state()),
        }
    }

    fn describe(&self) -> MatchDescription {
        let state = self.state();
        MatchDescription {
            id: self.id.clone(),
            game: state.settings().game.clone(),
            players: Seat::ALL.map(|seat| state.player(seat).map(|player| player.name.clone())),
            since: self.stored.header().at,
            at: state.at(),
            sequence: self.sequence(),
            number: state.number(),
            moves: state.game().moves().len(),
            verdict: state.verdict(),
            score: state.score(),
            closed: false,
            connections: self.connections.describe(),
        }
    }

    fn is_idle(&self) -> bool {
        self.connections.is_empty()
            && self.last_used.elapsed() >= self.shared.config.match_idle_timeout
    }

    /// When the timer has to fire.
    fn next_wake(&self) -> Instant {
        let mut wake = if self.connections.is_empty() {
            self.last_used + self.shared.config.match_idle_timeout
        } else {
            Instant::now() + Duration::from_hours(1)
        };
        if let Some(due) = self.connections.presence_due() {
            wake = wake.min(due);
        }
        if self.shared.broadcast.is_some()
            && let Some(due) = self.connections.publish_due()
        {
            wake = wake.min(due);
        }
        if let Some(due) = self.listing.due() {
            wake = wake.min(due);
        }
        for (at, _) in self.timed_acts() {
            let wait = Duration::from_millis(at.saturating_sub(self.time.now()));
            wake = wake.min(Instant::now() + wait.min(Duration::from_hours(1)));
        }
        wake
    }

    async fn on_timer(&mut self) {
        self.connections.send_presence(self.stored.state());
        self.publish_presence();
        self.update_listing();
        let now = self.time.now();
        let due = self.timed_acts().find(|(at, _)| *at <= now);
        if let Some((_, act)) = due {
            self.propose_own(Actor::Server, act, Credentials::default())
                .await;
            self.react().await;
        }
    }

    /// The server's acts that are due at a certain time, in milliseconds since
    /// 1970.
    fn timed_acts(&self) -> impl Iterator<Item = (u64, Act)> {
        let (state, sequence) = (self.state(), self.sequence());
        let returned = self.time.time_to_return(state, sequence);
        let returned = returned.map(|(due, ms)| (due, Act::ReturnTime { ms }));
        let deadline = state.clock().and_then(Clock::deadline);
        let deadline = deadline.map(|at| (at, Act::TimeOut));
        let claim = state.claim();
        let forfeit = claim.map(|(_, since)| (since.saturating_add(CLAIM_MS), Act::Forfeit));
        let ends = deadline.into_iter().chain(forfeit);
        let ends = ends.map(move |(at, act)| (self.time.due(at, state, sequence), act));
        returned.into_iter().chain(ends)
    }

    fn publish_presence(&mut self) {
        if let Some(broadcast) = &self.shared.broadcast
            && let Some(presence) = self.connections.presence_to_publish(self.stored.state())
        {
            broadcast.send(presence::encode(&self.id, &self.shared.client, presence));
        }
    }
}
