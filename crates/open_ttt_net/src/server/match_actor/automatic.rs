//! What the server does by itself: replies of computers, and acts that are due at a time.

use std::time::Duration;

use tokio::time::Instant;

use super::MatchActor;
use crate::answers::computer::reply;
use crate::matches::{Act, Actor, CLAIM_MS, Clock};
use crate::server::secrets::Credentials;

/// How long a match sleeps that has nothing to wait for.
pub(super) const LONGEST_WAIT: Duration = Duration::from_hours(1);

impl MatchActor {
    /// The next automatic act: what a computer does besides moving, or the reply of
    /// a connected player to a claim.
    pub(super) fn automatic_act(&self) -> Option<(Actor, Act)> {
        let state = self.state();
        if let Some((seat, act)) = reply(state) {
            return Some((Actor::Seat(seat), act));
        }
        let (claimant, _) = state.claim()?;
        let is_connected = self.connections.local_presence(state).seats[(!claimant).index()];
        is_connected.then_some((Actor::Seat(!claimant), Act::Stay))
    }

    /// Time to give back to the players now.
    pub(super) fn time_to_return(&self) -> Option<(Actor, Act)> {
        let (due, ms) = self.time.time_to_return(self.state(), self.sequence())?;
        if due > self.time.now() {
            return None;
        }
        tracing::info!(id = %self.id, ms, "giving back time that no player could use");
        Some((Actor::Server, Act::ReturnTime { ms }))
    }

    /// When the timer has to fire; `None` if there is nothing to wait for.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        let is_empty = self.connections.is_empty();
        let idle = is_empty.then(|| self.last_used + self.shared.config.match_idle_timeout);
        let publish = self.connections.publish_due();
        let dues = [
            idle,
            self.connections.presence_due(),
            publish.filter(|_| self.shared.broadcast.is_some()),
            self.listing.due(),
        ];
        let timed = self.timed_acts().map(|(at, _)| {
            let wait = Duration::from_millis(at.saturating_sub(self.time.now()));
            Instant::now() + wait.min(LONGEST_WAIT)
        });
        dues.into_iter().flatten().chain(timed).min()
    }

    pub(super) async fn on_timer(&mut self) {
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
}
