use std::sync::Arc;
use std::time::Duration;

use open_ttt_search::StopFlag;
use tokio::time::Instant;

use super::MatchActor;
use crate::matches::{Act, Actor, MatchConflict};
use crate::replication::{ProposalVerdict, Sequence};
use crate::server::clock::thinking_clock;
use crate::server::commands::MatchCommand;
use crate::server::computer_pool::{ComputerMove, computer, think};

/// How long a server whose guests hold no seat leaves the computer's move to one
/// that is nearer.
const NEARER_FIRST: Duration = Duration::from_secs(5);

/// A computer at work on a state.
pub(super) struct Thinking {
    sequence: Sequence,
    stop: StopFlag,
}

impl MatchActor {
    pub(super) fn start_thinking(&mut self) {
        let sequence = self.sequence();
        if let Some(thinking) = &self.thinking {
            if thinking.sequence == sequence {
                return;
            }
            self.stop_thinking();
        }
        let table = self.table();
        let Some(seat) = table.to_move() else { return };
        let Some(spec) = table
            .player(seat)
            .and_then(|player| player.computer.clone())
        else {
            return;
        };
        if self.guests.is_empty() {
            // Nobody waits for it. Who comes will.
            return;
        }
        let game = table.game().position().clone();
        let stop = StopFlag::new();
        let nonce = sequence.get();
        let near = !self.shared.log.is_shared() || self.guests.have_a_seat();
        let began = Instant::now();
        let job = move |stop: &StopFlag| {
            let spec = computer(&game, &spec)?;
            think(&game, &spec, nonce, thinking_clock(), stop)
        };
        let (shared, own, flag) = (Arc::clone(&self.shared), self.own.clone(), stop.clone());
        self.thinking = Some(Thinking { sequence, stop });
        tokio::spawn(async move {
            if !near {
                tokio::time::sleep(NEARER_FIRST).await;
            }
            let mut pause = Duration::from_millis(50);
            let answer = loop {
                if flag.is_raised() {
                    return;
                }
                if let Ok(answer) = shared.computers.submit(flag.clone(), job.clone()) {
                    break answer.await;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(5));
            };
            let thought = match answer {
                Ok(Ok(thought)) => Some(thought),
                // A computer that panicked, or that this server does not know.
                Ok(Err(_)) | Err(_) => None,
            };
            let seconds = began.elapsed().as_secs_f64();
            shared.metrics.thought_seconds.observe(seconds);
            if let Some(own) = own.upgrade() {
                let _ = own
                    .send(MatchCommand::ComputerMove { sequence, thought })
                    .await;
            }
        });
    }

    pub(super) fn stop_thinking(&mut self) {
        if let Some(thinking) = self.thinking.take() {
            thinking.stop.raise();
        }
    }

    pub(super) async fn thought(&mut self, sequence: Sequence, thought: Option<ComputerMove>) {
        let wanted = self
            .thinking
            .as_ref()
            .is_some_and(|now| now.sequence == sequence);
        if !wanted || sequence != self.sequence() {
            return;
        }
        self.thinking = None;
        let Some(seat) = self.table().to_move() else {
            return;
        };
        let act = match thought {
            Some(ComputerMove::Play(text)) => Act::play(&text),
            Some(ComputerMove::Resign) => Act::Resign,
            None => {
                tracing::error!(id = %self.id, "a computer has no answer and resigns");
                Act::Resign
            }
        };
        let verdict = self.propose_own(Actor::Seat(seat), act, None).await;
        if let Some(ProposalVerdict::Refused(MatchConflict::TimeUp)) = verdict {
            self.on_time().await;
            return;
        }
        self.react().await;
    }
}
