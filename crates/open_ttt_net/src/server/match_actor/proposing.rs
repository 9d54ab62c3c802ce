//! What becomes of the acts that clients, and the server itself, propose.

use std::time::Duration;

use super::MatchActor;
use crate::matches::{Act, Actor, MatchConflict, Seat};
use crate::protocol::ServerMessage;
use crate::replication::{Proposal, ProposalVerdict};
use crate::server::api_error::ApiError;
use crate::server::commands::Propose;
use crate::server::connections::{Accepted, Connection};
use crate::server::metrics::Proposals;
use crate::server::secrets::Credentials;
use crate::server::stored_change::StoredChange;

/// Delay after which a client repeats a proposal that could not be stored.
const RETRY_MS: u64 = 500;

/// Counts what became of a proposal; returns the answer unless it was accepted, which is told
/// with the change.
fn answer(
    number: u64,
    verdict: Option<&ProposalVerdict<MatchConflict>>,
    proposals: &Proposals,
) -> Option<ServerMessage> {
    let delayed = ServerMessage::Delayed {
        number,
        retry_ms: RETRY_MS,
    };
    let (counter, reply) = match verdict {
        Some(&ProposalVerdict::Accepted(_)) => (&proposals.accepted, None),
        Some(&ProposalVerdict::Duplicate(sequence)) => {
            let reply = ServerMessage::Duplicate { number, sequence };
            (&proposals.duplicate, Some(reply))
        }
        Some(&ProposalVerdict::Overtaken(sequence)) => {
            let reply = ServerMessage::Overtaken { number, sequence };
            (&proposals.overtaken, Some(reply))
        }
        None => (&proposals.delayed, Some(delayed)),
        // Not final: an earlier copy, stamped with an earlier time, may still reach the
        // store. Once the time-out is stored, the proposal is overtaken.
        Some(&ProposalVerdict::Refused(MatchConflict::TimeUp)) => {
            (&proposals.too_late, Some(delayed))
        }
        Some(&ProposalVerdict::Refused(conflict)) => {
            (&proposals.refused, Some(refused(number, conflict)))
        }
    };
    counter.inc();
    reply
}

fn refused(number: u64, conflict: MatchConflict) -> ServerMessage {
    ServerMessage::Refused {
        number,
        conflict,
        text: conflict.to_string(),
    }
}

impl MatchActor {
    pub(super) async fn propose(&mut self, propose: Propose) {
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
        let (Some(seat), false) = (seat, act == Act::Stay) else {
            let refused = refused(number, MatchConflict::NotYours);
            return self.connections.send(id, &refused);
        };
        if base > self.sequence() {
            // Another server has stored changes that this one lacks.
            self.catch_up().await;
        }
        // What is known already is answered, and every game can be ended.
        let is_growth = base >= self.sequence() && !act.ends_game();
        if is_growth && self.is_full() {
            let refused = refused(number, MatchConflict::TooLong);
            return self.connections.send(id, &refused);
        }
        let room = self.shared.log.room();
        if is_growth && room.is_some_and(|room| !room.fits_acts()) {
            // As if the store had refused it.
            let delayed = answer(number, None, &self.shared.metrics.proposals);
            return delayed.map_or((), |delayed| self.connections.send(id, &delayed));
        }
        let is_move = matches!(act, Act::Move { .. });
        let credit_ms = self.lag_credit(seat, &act, lag_ms);
        // As the client has sent it: the server's estimate differs from copy to copy.
        let act = act.with_lag(0);
        let id_of_proposal = (&client, number, base);
        let state = self.state();
        let time = &self.time;
        let at = time.of_proposal(seat, id_of_proposal, &act, state, self.sequence());
        let stamped = act.with_lag(credit_ms);
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
            Some(ProposalVerdict::Accepted(_)) if is_move => {
                self.lag_budgets[seat.index()].spend(credit_ms);
            }
            None => {
                let act = proposal.transition.act.with_lag(0);
                self.time.not_stored(seat, id_of_proposal, act, at);
            }
            Some(_) => {}
        }
        if verdict.is_none() && self.shared.is_deleted(&self.id).await {
            return self.end_deleted();
        }
        let metrics = &self.shared.metrics;
        // The proposal is the last command so far.
        let seconds = self.last_used.elapsed().as_secs_f64();
        metrics.proposal_seconds.observe(seconds);
        let accepted = match verdict {
            Some(ProposalVerdict::Accepted(sequence)) => Some(Accepted {
                connection: id,
                number,
                sequence,
            }),
            _ => None,
        };
        let reply = answer(number, verdict.as_ref(), &metrics.proposals);
        let has_changed = !changes.is_empty();
        self.send_changes(&changes, accepted);
        if let Some(reply) = reply {
            self.connections.send(id, &reply);
        }
        if has_changed {
            self.react().await;
        }
    }

    /// Proposes an act of the server itself and sends the changes.
    pub(super) async fn propose_own(
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
        self.send_changes(&changes, None);
        if verdict.is_none() {
            if self.shared.is_deleted(&self.id).await {
                self.end_deleted();
            }
            // The caller will try again.
            tokio::time::sleep(Duration::from_millis(RETRY_MS)).await;
        }
        verdict
    }

    /// Lets go of the connections and of the match: the actor ends when nobody can send it
    /// commands any more.
    fn end_deleted(&mut self) {
        tracing::info!(id = %self.id, "another server has deleted a match");
        let report = ApiError::no_such_match().into_report();
        self.connections.close_where(|_| true, &report);
        self.shared.matches.forget(&self.id);
    }

    /// Lets the match's time follow changes that were stored: the last one just now by
    /// this server if the verdict says so, all others by other servers.
    pub(super) fn keep_time(
        &mut self,
        changes: &[StoredChange],
        verdict: Option<&ProposalVerdict<MatchConflict>>,
    ) {
        let mut others = changes;
        if let Some(ProposalVerdict::Accepted(sequence)) = verdict
            && let Some((own, before)) = changes.split_last()
        {
            others = before;
            self.time.stored(*sequence, own.at);
        }
        if let Some(other) = others.last() {
            self.time.follow(other.at);
        }
    }

    /// The part of a connection's estimated delay that is not charged to a seat for its
    /// act, in milliseconds: none unless it is a move.
    fn lag_credit(&self, seat: Seat, act: &Act, estimate_ms: u64) -> u64 {
        let clock = self.state().clock();
        let is_running = clock.is_some_and(|clock| clock.running.is_some());
        let is_timed = is_running && matches!(act, Act::Move { .. });
        let credit = self.lag_budgets[seat.index()].credit(estimate_ms);
        if is_timed { credit } else { 0 }
    }

    /// Whether players can only end the game. The server's own acts are always
    /// possible, and there are few of them without acts of the players.
    fn is_full(&self) -> bool {
        self.sequence().get() >= self.shared.config.max_changes
    }
}
