use super::http::HttpClient;
use super::{ClientError, ServerAddress};
use crate::MatchId;
use crate::protocol::{
    CancelPairing, CreateMatch, GameInfo, JoinMatch, MatchList, MatchStatus, PairPlayer,
    PairingCancelled, PlayerHistory, PlayerId, PlayerProfile, SeatAssignment,
};

/// The HTTP API of a server. Each request opens a connection of its own.
///
/// # Errors
///
/// Every request fails if the server cannot be reached, refuses it, or sends an
/// unexpected response.
#[derive(Clone, Debug)]
pub struct Lobby {
    http: HttpClient,
}

#[expect(clippy::missing_errors_doc, reason = "the same for every request")]
impl Lobby {
    /// The lobby of a server. Sends nothing yet.
    pub const fn new(server: ServerAddress) -> Self {
        Self {
            http: HttpClient::new(server, None),
        }
    }

    /// The games that the server offers.
    pub async fn games(&self) -> Result<Vec<GameInfo>, ClientError> {
        self.http.get("/api/v1/games").await
    }

    /// A page of the matches with an open seat, newest first, behind the first `from`.
    pub async fn matches(&self, from: usize) -> Result<MatchList, ClientError> {
        self.http.get(&format!("/api/v1/matches?from={from}")).await
    }

    /// The status of a match.
    pub async fn status(&self, id: &MatchId) -> Result<MatchStatus, ClientError> {
        self.http.get(&format!("/api/v1/matches/{id}")).await
    }

    /// Creates a match.
    pub async fn create(&self, wanted: &CreateMatch) -> Result<SeatAssignment, ClientError> {
        self.http.post("/api/v1/matches", wanted).await
    }

    /// Takes a seat.
    pub async fn join(
        &self,
        id: &MatchId,
        wanted: &JoinMatch,
    ) -> Result<SeatAssignment, ClientError> {
        self.http
            .post(&format!("/api/v1/matches/{id}/join"), wanted)
            .await
    }

    /// Takes a seat against somebody who waits for the same game, or in a new match.
    /// [`Pairing`](super::Pairing) asks until there is an opponent.
    pub async fn pair(&self, wanted: &PairPlayer) -> Result<SeatAssignment, ClientError> {
        self.http.post("/api/v1/pair", wanted).await
    }

    /// Gives up waiting for an opponent.
    pub async fn cancel_pairing(
        &self,
        waiting: &CancelPairing,
    ) -> Result<PairingCancelled, ClientError> {
        self.http.post("/api/v1/pair/cancel", waiting).await
    }

    /// What a player has achieved.
    pub async fn profile(&self, player: &PlayerId) -> Result<PlayerProfile, ClientError> {
        self.http.get(&format!("/api/v1/players/{player}")).await
    }

    /// A page of a player's games, newest first, behind the first `from` entries.
    pub async fn history(
        &self,
        player: &PlayerId,
        from: u64,
    ) -> Result<PlayerHistory, ClientError> {
        let path = format!("/api/v1/players/{player}/games?from={from}");
        self.http.get(&path).await
    }
}
