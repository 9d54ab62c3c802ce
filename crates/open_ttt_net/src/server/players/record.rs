use std::sync::Arc;
use std::time::Duration;

use super::history::{Event, History};
use crate::MatchId;
use crate::log::LogError;
use crate::matches::Seat;
use crate::protocol::{Opponent, PlayerId};
use crate::server::Shared;
use crate::server::replay::Milestone;

/// A match, as the histories of its players are told of it.
#[derive(Debug)]
pub(in crate::server) struct PlayedMatch {
    pub(in crate::server) id: MatchId,
    pub(in crate::server) game: String,
    pub(in crate::server) is_rated: bool,
    /// By seat; `None` without a key.
    pub(in crate::server) players: [Option<PlayerId>; 2],
    /// The opponent of each seat.
    pub(in crate::server) opponents: [Opponent; 2],
    pub(in crate::server) milestones: Vec<Milestone>,
}

/// Pause before the store is tried again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// Adds to the histories of the players what they lack of a match. Tries until the store
/// takes it or the server shuts down; then the next server to load the match does it.
pub(in crate::server) async fn record(shared: Arc<Shared>, played: PlayedMatch) {
    let mut pause = FIRST_PAUSE;
    let mut shutdown = std::pin::pin!(shared.shutdown());
    while let Err(cause) = played.record(&shared).await {
        tracing::warn!(id = %played.id, %cause, "failed to write the history of a player");
        if cause.is_damaged() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = &mut shutdown => return,
        }
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

impl PlayedMatch {
    async fn record(&self, shared: &Shared) -> Result<(), LogError> {
        // Histories have all milestones up to some one.
        let mut first = self.milestones.len();
        while first > 0 && !self.is_recorded(shared, first - 1).await? {
            first -= 1;
        }
        for number in first..self.milestones.len() {
            self.record_milestone(shared, number).await?;
        }
        Ok(())
    }

    fn history<'a>(&self, shared: &'a Shared, seat: Seat) -> Option<History<'a>> {
        let player = self.players[seat.index()].as_ref()?;
        Some(History::of(&*shared.log, player))
    }

    async fn is_recorded(&self, shared: &Shared, number: usize) -> Result<bool, LogError> {
        let at = self.milestones[number].at;
        for history in Seat::ALL
            .into_iter()
            .filter_map(|seat| self.history(shared, seat))
        {
            let tail = history.tail().await?;
            let found = history.find(&tail, &self.id, number as u32, at).await?;
            if found.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn record_milestone(&self, shared: &Shared, number: usize) -> Result<(), LogError> {
        let Milestone { at, verdict } = self.milestones[number];
        let number = number as u32;
        let is_rated = self.is_rated && verdict.is_some();
        // Both ratings before the game, also if one history has the game already.
        let mut ratings = [None, None];
        for seat in Seat::ALL.into_iter().filter(|_| is_rated) {
            if let Some(history) = self.history(shared, seat) {
                let tail = history.tail().await?;
                let found = history.find(&tail, &self.id, number, at).await?;
                let before = found.and_then(|entry| entry.rating_before());
                ratings[seat.index()] = Some(before.unwrap_or_else(|| tail.rating(&self.game)));
            }
        }
        for seat in Seat::ALL {
            let Some(history) = self.history(shared, seat) else {
                continue;
            };
            let event = Event {
                id: &self.id,
                number,
                at,
                game: &self.game,
                seat,
                opponent: &self.opponents[seat.index()],
                verdict,
                rated_against: ratings[(!seat).index()],
            };
            history.record(&event, || shared.clock.now_ms()).await?;
        }
        Ok(())
    }
}
