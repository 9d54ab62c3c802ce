use super::http::HttpClient;
use super::{ClientError, ServerAddress};
use crate::MatchId;
use crate::protocol::Token;
use crate::protocol::admin::{
    Ban, Banned, Bans, Done, Drain, MatchDescription, MatchDescriptions, ServerStatus,
};

/// The operator's interface of a server, on its private side. Each request opens a
/// connection of its own.
///
/// # Errors
///
/// Every request fails if the server cannot be reached, refuses it, or sends an
/// unexpected response.
#[derive(Clone, Debug)]
pub struct Admin {
    http: HttpClient,
}

#[expect(clippy::missing_errors_doc, reason = "the same for every request")]
impl Admin {
    /// The private side of a server, with the operator's token. Sends nothing yet.
    pub const fn new(server: ServerAddress, token: Token) -> Self {
        Self {
            http: HttpClient::new(server, Some(token)),
        }
    }

    /// The server's live numbers.
    pub async fn status(&self) -> Result<ServerStatus, ClientError> {
        self.http.get("/admin/v1/status").await
    }

    /// A page of the matches in memory, or of all that are stored, behind an id.
    pub async fn matches(
        &self,
        stored: bool,
        after: Option<&MatchId>,
    ) -> Result<MatchDescriptions, ClientError> {
        let mut path = format!("/admin/v1/matches?stored={stored}");
        if let Some(after) = after {
            path.push_str("&after=");
            path.push_str(after.as_str());
        }
        self.http.get(&path).await
    }

    /// One match, with its connections.
    pub async fn show(&self, id: &MatchId) -> Result<MatchDescription, ClientError> {
        self.http.get(&format!("/admin/v1/matches/{id}")).await
    }

    /// Closes a match: its connections end, and nobody can connect or join.
    pub async fn close(&self, id: &MatchId) -> Result<Done, ClientError> {
        let path = format!("/admin/v1/matches/{id}/close");
        self.http.post(&path, &Done {}).await
    }

    /// Opens a closed match again.
    pub async fn reopen(&self, id: &MatchId) -> Result<Done, ClientError> {
        let path = format!("/admin/v1/matches/{id}/reopen");
        self.http.post(&path, &Done {}).await
    }

    /// Deletes a match for good.
    pub async fn delete(&self, id: &MatchId) -> Result<Done, ClientError> {
        self.http.delete(&format!("/admin/v1/matches/{id}")).await
    }

    /// The bans that hold.
    pub async fn bans(&self) -> Result<Bans, ClientError> {
        self.http.get("/admin/v1/bans").await
    }

    /// Bans an address or a name.
    pub async fn ban(&self, ban: &Ban) -> Result<Done, ClientError> {
        self.http.post("/admin/v1/bans", ban).await
    }

    /// Lifts a ban.
    pub async fn unban(&self, who: &Banned) -> Result<Done, ClientError> {
        self.http.post("/admin/v1/unban", who).await
    }

    /// Refuses new matches and tells the players, or accepts matches again.
    pub async fn drain(&self, drain: &Drain) -> Result<Done, ClientError> {
        self.http.post("/admin/v1/drain", drain).await
    }
}
