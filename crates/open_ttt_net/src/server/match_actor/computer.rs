use std::sync::Arc;
use std::time::Duration;

use open_ttt_search::StopFlag;
use tokio::time::Instant;

use super::MatchActor;
use crate::answers::computer::{computer_at, decide};
use crate::matches::{Act, Actor, MatchConflict};
use crate::replication::{ProposalVerdict, Sequence};
use crate::server::clock::search_clock;
use crate::server::commands::{ComputerDecided, MatchCommand};
use crate::server::secrets::Credentials;

/// Delay before a server without connected players computes a move. A server
/// with connected players computes it at once.
const SPECTATOR_DELAY: Duration = Duration::from_secs(5);

/// Longest pause before a job is submitted to a full queue again.
const MAX_QUEUE_PAUSE: Duration = Duration::from_secs(5);

/// A computer's decision in progress.
pub(super) struct PendingDecision {
    sequence: Sequence,
    stop: StopFlag,
}

impl MatchActor {
    /// Starts a job in the computer pool if it is a computer's turn and a client
    /// is connected.
    pub(super) fn start_computer(&mut self) {
        let sequence = self.sequence();
        if let Some(pending) = &self.pending_decision {
            if pending.sequence == sequence {
                return;
            }
            self.cancel_computer();
        }
        let state = self.state();
        // Its move would be refused, again and again.
        let to_move = state.to_move().filter(|_| !state.is_out_of_moves());
        let Some(seat) = to_move else {
            return;
        };
        let player = state.player(seat);
        let Some(spec) = player.and_then(|player| player.computer.clone()) else {
            return;
        };
        let score = state.score();
        let Some(address) = self.connections.address() else {
            // The next connection starts it.
            return;
        };
        let game = state.game().history().clone();
        let stop = StopFlag::new();
        let nonce = sequence.get();
        let has_delay = self.shared.log.is_shared() && !self.connections.have_a_player();
        let started = Instant::now();
        let job = move |stop: &StopFlag| {
            let spec = computer_at(game.position(), &spec, seat, score, search_clock())?;
            decide(&game, &spec, nonce, search_clock(), stop)
        };
        let shared = Arc::clone(&self.shared);
        let (commands, flag) = (self.own_commands.clone(), stop.clone());
        self.pending_decision = Some(PendingDecision { sequence, stop });
        tokio::spawn(async move {
            if has_delay {
                tokio::time::sleep(SPECTATOR_DELAY).await;
            }
            let mut pause = Duration::from_millis(50);
            let result = loop {
                if flag.is_raised() {
                    return;
                }
                if let Some(result) = shared.moves.submit(address, flag.clone(), job.clone()) {
                    break result.await;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(MAX_QUEUE_PAUSE);
            };
            // Fails if the computer panicked, or if this server does not know
            // its specification.
            let decision = result.ok().and_then(Result::ok);
            let seconds = started.elapsed().as_secs_f64();
            shared.metrics.thought_seconds.observe(seconds);
            if let Some(commands) = commands.upgrade() {
                let decided = ComputerDecided { sequence, decision };
                let decided = MatchCommand::ComputerDecided(Box::new(decided));
                let _ = commands.send(decided).await;
            }
        });
    }

    pub(super) fn cancel_computer(&mut self) {
        if let Some(pending) = self.pending_decision.take() {
            pending.stop.raise();
        }
    }

    pub(super) async fn on_computer_decision(&mut self, decided: ComputerDecided) {
        let ComputerDecided { sequence, decision } = decided;
        let pending = self.pending_decision.as_ref();
        let is_current = pending.is_some_and(|pending| pending.sequence == sequence);
        if !is_current || sequence != self.sequence() {
            return;
        }
        self.pending_decision = None;
        let Some(seat) = self.state().to_move() else {
            return;
        };
        let act = decision.unwrap_or_else(|| {
            tracing::error!(id = %self.id, "a computer has failed and resigns");
            Act::Resign
        });
        let verdict = self
            .propose_own(Actor::Seat(seat), act, Credentials::default())
            .await;
        if let Some(ProposalVerdict::Refused(MatchConflict::TimeUp)) = verdict {
            self.on_timer().await;
        } else {
            self.react().await;
        }
    }
}
