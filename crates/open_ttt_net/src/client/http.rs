use core::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::{ClientError, ServerAddress, transport};
use crate::protocol::{ErrorBody, ErrorCode, ErrorReport, Token};

/// The longest response that is read, in bytes.
const MAX_BODY: usize = 1 << 20;

/// The time limit of a request.
const REQUEST_LIMIT: Duration = Duration::from_secs(20);

/// Requests to a server. Each opens a connection of its own.
#[derive(Clone, Debug)]
pub(super) struct HttpClient {
    server: ServerAddress,
    /// Sent with each request, if there is one.
    token: Option<Token>,
}

impl HttpClient {
    pub(super) const fn new(server: ServerAddress, token: Option<Token>) -> Self {
        Self { server, token }
    }

    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.request(Method::GET, path, Bytes::new()).await
    }

    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| self.unexpected(error))?;
        self.request(Method::POST, path, body.into()).await
    }

    pub(super) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.request(Method::DELETE, path, Bytes::new()).await
    }

    async fn request<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
    ) -> Result<T, ClientError> {
        let timed_out = |_| ClientError::unreachable(&self.server, "the request timed out");
        let response = timeout(REQUEST_LIMIT, self.exchange(method, path, body)).await;
        let (status, body) = response.map_err(timed_out)??;
        if status.is_success() {
            return serde_json::from_slice(&body).map_err(|error| self.unexpected(error));
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
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.server.authority())
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {}", token.reveal()));
        }
        let request = request
            .body(Full::new(body))
            .map_err(|error| self.unexpected(error))?;
        let response = async {
            let response = sender.send_request(request).await.map_err(unreachable)?;
            let status = response.status();
            let body = Limited::new(response.into_body(), MAX_BODY).collect().await;
            let body = body.map_err(|error| self.unexpected(error))?;
            Ok((status, body.to_bytes()))
        };
        // Polling the connection drives the request; it may finish before the
        // response is read.
        tokio::pin!(response, connection);
        tokio::select! {
            biased;
            response = &mut response => return response,
            ended = &mut connection => ended.map_err(unreachable)?,
        }
        response.await
    }

    fn unexpected(&self, cause: impl core::fmt::Display) -> ClientError {
        ClientError::unexpected_response(&self.server, cause)
    }
}

/// The error of an unsuccessful response: the one in its body, or one derived from
/// the status if the response comes from a proxy.
pub(super) fn refusal(server: &ServerAddress, status: StatusCode, body: &[u8]) -> ClientError {
    if let Ok(ErrorBody { error }) = serde_json::from_slice(body) {
        return ClientError::Refused(error);
    }
    let code = match status {
        StatusCode::TOO_MANY_REQUESTS => ErrorCode::TooMany,
        _ if status.is_server_error() => ErrorCode::Unavailable,
        _ => {
            return ClientError::unexpected_response(
                server,
                format_args!("the status is {status}"),
            );
        }
    };
    ClientError::Refused(ErrorReport {
        code,
        text: status.to_string(),
    })
}
