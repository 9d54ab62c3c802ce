use core::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::{ClientError, ServerAddress, transport};
use crate::MatchId;
use crate::protocol::{
    CreateMatch, ErrorBody, ErrorCode, ErrorReport, GameInfo, JoinMatch, MatchList, MatchStatus,
    SeatAssignment,
};

/// The longest answer that is read, in bytes.
const MAX_BODY: usize = 1 << 20;

/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The requests of a server's lobby, each over a connection of its own.
///
/// Every method fails if the server cannot be reached, says no, or does not
/// answer as a match server does.
#[derive(Clone, Debug)]
pub struct Lobby {
    server: ServerAddress,
}

impl Lobby {
    /// The lobby of a server, which is not asked yet.
    pub const fn new(server: ServerAddress) -> Self {
        Self { server }
    }

    /// The server.
    pub const fn server(&self) -> &ServerAddress {
        &self.server
    }

    /// The games that can be played there.
    ///
    /// # Errors
    ///
    /// As every method.
    pub async fn games(&self) -> Result<Vec<GameInfo>, ClientError> {
        self.get("/api/v1/games").await
    }

    /// The matches with an open seat.
    ///
    /// # Errors
    ///
    /// As every method.
    pub async fn matches(&self) -> Result<MatchList, ClientError> {
        self.get("/api/v1/matches").await
    }

    /// How a match stands.
    ///
    /// # Errors
    ///
    /// As every method.
    pub async fn status(&self, id: &MatchId) -> Result<MatchStatus, ClientError> {
        self.get(&format!("/api/v1/matches/{id}")).await
    }

    /// Makes a match.
    ///
    /// # Errors
    ///
    /// As every method.
    pub async fn create(&self, wanted: &CreateMatch) -> Result<SeatAssignment, ClientError> {
        self.post("/api/v1/matches", wanted).await
    }

    /// Takes a seat.
    ///
    /// # Errors
    ///
    /// As every method.
    pub async fn join(
        &self,
        id: &MatchId,
        wanted: &JoinMatch,
    ) -> Result<SeatAssignment, ClientError> {
        self.post(&format!("/api/v1/matches/{id}/join"), wanted)
            .await
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.ask(Method::GET, path, Bytes::new()).await
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| self.odd(error))?;
        self.ask(Method::POST, path, body.into()).await
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<T, ClientError> {
        let late = |_| ClientError::unreachable(&self.server, "the answer takes too long");
        let answer = timeout(LIMIT, self.exchange(method, path, body)).await;
        let (status, body) = answer.map_err(late)??;
        if status.is_success() {
            return serde_json::from_slice(&body).map_err(|error| self.odd(error));
        }
        Err(refusal(&self.server, status, &body))
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), ClientError> {
        let unreachable = |error| ClientError::unreachable(&self.server, error);
        let stream = TokioIo::new(transport::connect(&self.server).await?);
        let (mut sender, connection) = http1::handshake(stream).await.map_err(unreachable)?;
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.server.authority())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(body))
            .map_err(|error| self.odd(error))?;
        let answer = async {
            let answer = sender.send_request(request).await.map_err(unreachable)?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MAX_BODY).collect().await;
            let body = body.map_err(|error| self.odd(error))?;
            Ok((status, body.to_bytes()))
        };
        // The connection does the work of the answer, and may end before it is
        // taken in.
        tokio::pin!(answer, connection);
        tokio::select! {
            biased;
            answer = &mut answer => return answer,
            ended = &mut connection => ended.map_err(unreachable)?,
        }
        answer.await
    }

    fn odd(&self, cause: impl core::fmt::Display) -> ClientError {
        ClientError::unexpected_response(&self.server, cause)
    }
}

/// What an answer means that is no success: what its body says, or what its
/// status does where something else stands before the server.
pub(super) fn refusal(server: &ServerAddress, status: StatusCode, body: &[u8]) -> ClientError {
    if let Ok(ErrorBody { error }) = serde_json::from_slice(body) {
        return ClientError::Refused(error);
    }
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS => ErrorCode::TooMany,
        _ if status.is_server_error() => ErrorCode::Unavailable,
        _ => return ClientError::unexpected_response(server, format_args!("it says {status}")),
    };
    ClientError::Refused(ErrorReport {
        code,
        text: status.to_string(),
    })
}
