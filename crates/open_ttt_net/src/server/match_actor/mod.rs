mod automatic;
mod computer;
mod connecting;
mod listing;
mod proposing;
mod seats;
mod time;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use tokio::time::{Instant, sleep};

use super::admin::description;
use super::command_queue::{CommandReceiver, CommandSender, WeakCommandSender, command_queue};
use super::commands::{MatchCommand, RemotePresence};
use super::connections::{Accepted, Connections};
use super::lag::LagBudget;
use super::limits::QuotaPermit;
use super::moderation::banned_report;
use super::secrets::Credentials;
use super::stored_change::StoredChange;
use super::stored_match::StoredMatch;
use super::{Shared, broadcasts};
use crate::MatchId;
use crate::log::{LogError, LogStream};
use crate::matches::DynMatch;
use crate::protocol::admin::MatchDescription;
use crate::protocol::{MatchStatus, MatchView};
use crate::replication::{ProposalVerdict, Sequence};
use automatic::LONGEST_WAIT;
use computer::PendingDecision;
use listing::Listing;
use time::MatchTime;

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
    commands: CommandReceiver,
    /// Weak: the actor ends when all other senders are dropped.
    own_commands: WeakCommandSender,
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
    ) -> CommandSender {
        let (sender, commands) = command_queue();
        // Nobody waits for outages while they are not known.
        let unknown = Arc::default();
        let actor = Box::new(Self {
            listing: Listing::new(stored.is_listed(), listing),
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
        let outages = Box::pin(self.shared.outages()).await;
        let time = MatchTime::new(self.shared.clock.clone(), outages, self.stored.state());
        self.time = if self.stored.is_shared_with_earlier_servers() {
            time.without_returns()
        } else {
            time
        };
        if self.shared.log.is_shared() {
            self.entries = self.stored.watch();
        }
        Box::pin(self.react()).await;
        let mut timer = pin!(sleep(LONGEST_WAIT));
        loop {
            let sequence = self.stored.sequencer().sequence();
            self.time.keep_up(self.stored.state(), sequence);
            // Waking too early costs less than moving the timer on every move.
            let wake = self.next_wake();
            if timer.is_elapsed() {
                let wake = wake.unwrap_or_else(|| Instant::now() + LONGEST_WAIT);
                timer.as_mut().reset(wake);
            } else if let Some(wake) = wake
                && wake < timer.deadline()
            {
                timer.as_mut().reset(wake);
            }
            tokio::select! {
                command = self.commands.next() => match command {
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
        self.end_playing();
    }

    fn state(&self) -> &DynMatch {
        self.stored.state()
    }

    fn sequence(&self) -> Sequence {
        self.stored.sequencer().sequence()
    }

    async fn handle(&mut self, command: MatchCommand) {
        let is_of_server = matches!(
            command,
            MatchCommand::RemotePresence(_) | MatchCommand::KeepTime
        );
        if !is_of_server {
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
            // The match does so after each command.
            MatchCommand::KeepTime => {}
            MatchCommand::Send(frame) => self.connections.send_all(&frame),
            MatchCommand::Settle(reply) => drop(reply.send(())),
            MatchCommand::RemotePresence(remote) => {
                let RemotePresence { server, presence } = *remote;
                self.connections.set_remote_presence(server, presence);
                self.update_listing();
            }
            MatchCommand::ComputerDecided(decided) => self.on_computer_decision(*decided).await,
        }
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

    /// Applies and sends the changes of other servers. Returns whether the log
    /// could be read.
    async fn catch_up(&mut self) -> bool {
        let mut changes = Vec::new();
        let result = self.stored.catch_up(&mut changes).await;
        if let Err(cause) = &result {
            tracing::warn!(id = %self.id, %cause, "failed to read a match");
        }
        self.keep_time(&changes, None);
        if !changes.is_empty() {
            self.send_changes(&changes, None);
            self.react().await;
        }
        result.is_ok()
    }

    fn send_changes(&mut self, changes: &[StoredChange], accepted: Option<Accepted>) {
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
        let since = self.stored.created_at();
        MatchDescription {
            connections: self.connections.describe(),
            ..description(&self.id, self.stored.sequencer(), since)
        }
    }

    fn is_idle(&self) -> bool {
        self.connections.is_empty()
            && self.last_used.elapsed() >= self.shared.config.match_idle_timeout
    }

    fn publish_presence(&mut self) {
        if let Some(broadcast) = &self.shared.broadcast
            && let Some(presence) = self.connections.presence_to_publish(self.stored.state())
        {
            broadcast.send(broadcasts::presence(
                &self.id,
                &self.shared.client,
                presence,
            ));
        }
    }
}
