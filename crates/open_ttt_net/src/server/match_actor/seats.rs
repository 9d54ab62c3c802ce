//! Who sits in the match: players who join, and what their keys are for.

use super::MatchActor;
use crate::matches::{Act, Actor, MatchConflict, Player, Seat};
use crate::protocol::{ErrorCode, Opponent};
use crate::replication::ProposalVerdict;
use crate::server::api_error::ApiError;
use crate::server::commands::{TakeSeat, Withdraw};
use crate::server::names::tell_apart;
use crate::server::players::{PlayedMatch, record};
use crate::server::secrets::Credentials;

impl MatchActor {
    pub(super) async fn take_seat(&mut self, request: TakeSeat) {
        let TakeSeat {
            player,
            seat,
            holder,
            requester,
            reply,
        } = request;
        let joining = async {
            if player.computer.is_some() && self.find_seat(&requester).await?.is_none() {
                let text = "Only a player of this game can add a computer.";
                return Err(ApiError::new(ErrorCode::BadToken, text));
            }
            self.join(player, seat, holder).await
        };
        let result = joining.await;
        let _ = reply.send(result);
        self.react().await;
    }

    /// The seat that a client with these credentials holds, also if another server has
    /// stored that and this one has not read it yet.
    pub(super) async fn find_seat(
        &mut self,
        credentials: &Credentials,
    ) -> Result<Option<Seat>, ApiError> {
        let known = self.stored.seat_of(credentials);
        let may_be_new = self.shared.log.is_shared() && self.open_seats().next().is_some();
        if known.is_none() && may_be_new {
            if !self.catch_up().await {
                return Err(ApiError::unavailable());
            }
            return Ok(self.stored.seat_of(credentials));
        }
        Ok(known)
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

    pub(super) fn open_seats(&self) -> impl Iterator<Item = Seat> {
        let is_open = move |&seat: &Seat| self.state().player(seat).is_none();
        Seat::ALL.into_iter().filter(is_open)
    }

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
            let Some(own) = self.find_seat(&holder).await? else {
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
