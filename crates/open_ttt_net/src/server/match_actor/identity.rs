//! What the players' keys are for, besides getting a seat back.

use super::MatchActor;
use crate::matches::{Act, Actor, MatchConflict, Player, Seat};
use crate::protocol::{ErrorCode, Opponent};
use crate::replication::ProposalVerdict;
use crate::server::api_error::ApiError;
use crate::server::commands::Withdraw;
use crate::server::players::{PlayedMatch, record};
use crate::server::secrets::Credentials;

impl MatchActor {
    /// Whether a player with these credentials may join, if the match is rated.
    pub(super) fn check_rated(&self, holder: &Credentials) -> Result<(), ApiError> {
        if !self.state().settings().rated {
            return Ok(());
        }
        if holder.player.is_none() {
            let text = "A rated game needs your player key.";
            return Err(ApiError::bad_request(text));
        }
        if self.stored.players().contains(&holder.player) {
            let text = "You can't play a rated game against yourself.";
            return Err(ApiError::bad_request(text));
        }
        Ok(())
    }

    pub(super) async fn withdraw(&mut self, Withdraw { player, reply }: Withdraw) {
        let result = self.fill_for(Credentials {
            token_hash: None,
            player: Some(player),
        });
        // The requester may be gone.
        let _ = reply.send(result.await);
        self.react().await;
    }

    /// Gives a waiting player the other seat, too. Returns whether it was still open.
    async fn fill_for(&mut self, holder: Credentials) -> Result<bool, ApiError> {
        loop {
            let Some(own) = self.stored.seat_of(&holder) else {
                let text = "You aren't a player of the game in which you wait.";
                return Err(ApiError::new(ErrorCode::BadToken, text));
            };
            if self.stored.players() == [holder.player; 2] {
                return Ok(true);
            }
            let name = self.state().player(own).map(|player| player.name.clone());
            let act = Act::Join {
                seat: !own,
                player: Player::person(name.unwrap_or_default()),
            };
            let verdict = self.propose_own(Actor::Server, act, holder.clone());
            match verdict.await {
                Some(ProposalVerdict::Accepted(_) | ProposalVerdict::Duplicate(_)) => {
                    return Ok(true);
                }
                Some(ProposalVerdict::Refused(MatchConflict::SeatTaken)) => return Ok(false),
                Some(ProposalVerdict::Refused(conflict)) => return Err(conflict.into()),
                Some(ProposalVerdict::Overtaken(_)) => {}
                None => return Err(ApiError::unavailable()),
            }
        }
    }

    /// Lets the players' histories follow the match. After loading, that is all of it:
    /// the server that stored the end of a game may have crashed before the history had
    /// it.
    pub(super) fn record_games(&mut self) {
        let milestones = self.stored.milestones();
        if milestones.len() == self.recorded {
            return;
        }
        self.recorded = milestones.len();
        let players = self.stored.players();
        // A game against oneself counts for nothing.
        if players[0] == players[1] {
            return;
        }
        let state = self.state();
        let opponents = Seat::ALL.map(|seat| {
            let player = state.player(!seat);
            Opponent {
                name: player.map(|player| player.name.clone()).unwrap_or_default(),
                computer: player.and_then(|player| player.computer.clone()),
                player: players[(!seat).index()],
            }
        });
        let played = PlayedMatch {
            id: self.id.clone(),
            game: state.settings().game.clone(),
            is_rated: state.settings().rated,
            players,
            opponents,
            milestones: milestones.to_vec(),
        };
        tokio::spawn(record(std::sync::Arc::clone(&self.shared), played));
    }
}
