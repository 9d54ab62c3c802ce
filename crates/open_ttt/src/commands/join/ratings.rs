use std::future::pending;

use open_ttt_net::client::{ClientError, Link, Lobby};
use open_ttt_net::matches::Seat;
use open_ttt_net::protocol::PlayerId;
use tokio::task::JoinHandle;

/// The ratings of both players of a match, as far as the server tells them.
#[derive(Debug, Default)]
pub(super) struct Ratings {
    known: [Option<i32>; 2],
    request: Option<JoinHandle<Result<[Option<i32>; 2], ClientError>>>,
}

impl Ratings {
    /// The rating of the player in a seat.
    pub(super) const fn of(&self, seat: Seat) -> Option<i32> {
        self.known[seat.index()]
    }

    /// Asks the server of the match, unless that is under way.
    pub(super) fn ask(&mut self, link: &Link) {
        if self.request.is_none() {
            self.request = Some(tokio::spawn(ratings(link.clone())));
        }
    }

    /// Waits until other ratings are known. Cancel safe.
    pub(super) async fn changed(&mut self) {
        loop {
            let Some(request) = &mut self.request else {
                return pending().await;
            };
            let answer = request.await;
            self.request = None;
            // The match goes on without ratings.
            if let Ok(Ok(ratings)) = answer
                && self.known != ratings
            {
                self.known = ratings;
                return;
            }
        }
    }
}

async fn ratings(link: Link) -> Result<[Option<i32>; 2], ClientError> {
    let lobby = Lobby::new(link.server().clone());
    let status = lobby.status(link.id()).await?;
    let game = &status.view.settings.game;
    let mut ratings = [None; 2];
    for (rating, player) in ratings.iter_mut().zip(&status.players) {
        if let Some(player) = player {
            *rating = rating_of(&lobby, player, game).await?;
        }
    }
    Ok(ratings)
}

async fn rating_of(
    lobby: &Lobby,
    player: &PlayerId,
    game: &str,
) -> Result<Option<i32>, ClientError> {
    let profile = lobby.profile(player).await?;
    let score = profile.games.iter().find(|score| score.game == game);
    Ok(score.and_then(|score| score.rating).map(|it| it.rating))
}
