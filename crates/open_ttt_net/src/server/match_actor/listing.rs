use std::time::Duration;

use tokio::time::Instant;

use super::MatchActor;
use crate::matches::Seat;
use crate::protocol::MatchSummary;
use crate::server::limits::QuotaPermit;
use crate::server::lobby::REFRESH;

/// Time after which a match is no longer listed if its creator is not connected.
const GRACE: Duration = Duration::from_secs(15);

/// Whether the lobby lists a match: until it starts, and while its creator is
/// connected.
#[derive(Debug)]
pub(super) struct Listing {
    /// Whether the match is still to be listed while its creator is connected.
    wanted: bool,
    /// The place among the listed matches of the creator's address.
    place: Option<QuotaPermit>,
    /// When this server has posted the match, if it is listed.
    posted: Option<Instant>,
    /// Whether the creator is connected.
    is_here: bool,
    /// Since when the creator is not.
    left: Instant,
    /// Whether the lobby may list the match at all.
    is_public: bool,
    /// What is listed among the games in progress.
    playing: Option<Box<MatchSummary>>,
}

impl Listing {
    pub(super) fn new(wanted: bool, place: Option<QuotaPermit>) -> Self {
        Self {
            wanted,
            place,
            posted: None,
            is_here: false,
            left: Instant::now(),
            is_public: wanted,
            playing: None,
        }
    }

    /// When to update it.
    pub(super) fn due(&self) -> Option<Instant> {
        let posted = self.posted?;
        Some(if self.is_here {
            posted + REFRESH
        } else {
            self.left + GRACE
        })
    }
}

impl MatchActor {
    /// Posts the match to the lobby, or removes it, as the state and the connections
    /// require.
    pub(super) fn update_listing(&mut self) {
        self.update_playing();
        if !self.listing.wanted {
            return;
        }
        if self.state().has_started() {
            self.listing.wanted = false;
            self.listing.place = None;
            self.listing.posted = None;
            // Whichever server has posted it.
            self.shared.lobby.remove(&self.id);
            return;
        }
        let now = Instant::now();
        let was_here = self.listing.is_here;
        self.listing.is_here = self.connections.have_a_player();
        if was_here && !self.listing.is_here {
            self.listing.left = now;
        }
        if !self.listing.is_here && self.connections.have_a_remote_player(self.state()) {
            // The creator's server lists it, and this one must not remove it.
            self.listing.place = None;
            self.listing.posted = None;
            return;
        }
        if self.listing.is_here && self.listing.place.is_none() {
            let address = self.connections.address();
            self.listing.place = address.and_then(|address| self.shared.listed.acquire(address, 1));
        }
        let is_gone = !self.listing.is_here && now.duration_since(self.listing.left) >= GRACE;
        if self.listing.place.is_none() || is_gone {
            self.unlist();
            return;
        }
        let is_due = |posted: Instant| now.duration_since(posted) >= REFRESH;
        if self.listing.posted.is_none_or(is_due) {
            self.listing.posted = Some(now);
            self.shared.lobby.post(&self.summary());
        }
    }

    /// Lists the game in progress for spectators, or removes it.
    fn update_playing(&mut self) {
        let is_on =
            self.listing.is_public && self.state().is_running() && self.connections.have_a_player();
        match (is_on, &self.listing.playing) {
            (true, None) => {
                let summary = self.summary();
                self.shared.playing.add(summary.clone());
                self.listing.playing = Some(Box::new(summary));
            }
            (false, Some(_)) => self.end_playing(),
            _ => {}
        }
    }

    pub(super) fn end_playing(&mut self) {
        if let Some(summary) = self.listing.playing.take() {
            self.shared.playing.remove(&summary);
        }
    }

    /// Removes the match from the lobby if this server has posted it.
    pub(super) fn unlist(&mut self) {
        self.listing.place = None;
        if self.listing.posted.take().is_some() {
            self.shared.lobby.remove(&self.id);
        }
    }

    fn summary(&self) -> MatchSummary {
        let state = self.state();
        let mut players = Seat::ALL.into_iter().filter_map(|seat| state.player(seat));
        MatchSummary {
            id: self.id.clone(),
            game: state.settings().game.clone(),
            name: players.next().map(|player| player.name.clone()),
            opponent: players.next().map(|player| player.name.clone()),
            clock: state.settings().clock,
            rated: state.settings().rated,
            player: self.stored.players().into_iter().flatten().next(),
            since: self.stored.created_at(),
        }
    }
}
