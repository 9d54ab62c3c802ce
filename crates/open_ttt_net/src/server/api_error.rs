use std::time::Duration;

use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::registry::RegistryError;
use crate::matches::MatchConflict;
use crate::protocol::{ErrorBody, ErrorCode, ErrorReport};

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiError {
    code: ErrorCode,
    text: String,
    retry_after: Option<Duration>,
}

impl ApiError {
    pub(super) fn new(code: ErrorCode, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
            retry_after: None,
        }
    }

    pub(super) fn bad_request(text: impl core::fmt::Display) -> Self {
        Self::new(ErrorCode::BadRequest, format!("{text}"))
    }

    pub(super) fn too_many(wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..Self::new(
                ErrorCode::TooMany,
                "that is more than this server allows; wait a little",
            )
        }
    }

    pub(super) fn unavailable() -> Self {
        Self {
            retry_after: Some(Duration::from_secs(1)),
            ..Self::new(
                ErrorCode::Unavailable,
                "the server cannot reach its store now; try again soon",
            )
        }
    }

    pub(super) const fn code(&self) -> ErrorCode {
        self.code
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    const fn status(&self) -> StatusCode {
        match self.code {
            ErrorCode::BadMessage | ErrorCode::BadVersion | ErrorCode::BadRequest => {
                StatusCode::BAD_REQUEST
            }
            ErrorCode::BadToken | ErrorCode::BadOrigin => StatusCode::FORBIDDEN,
            ErrorCode::NoSuchMatch | ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::SeatTaken | ErrorCode::TooLong => StatusCode::CONFLICT,
            ErrorCode::TooMany | ErrorCode::TooSlow => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::TimedOut => StatusCode::REQUEST_TIMEOUT,
            ErrorCode::ShuttingDown | ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::NoSuchMatch => {
                Self::new(ErrorCode::NoSuchMatch, "there is no such match here")
            }
            RegistryError::TooMany => Self::new(
                ErrorCode::Unavailable,
                "the server holds as many matches as it can; try again later",
            ),
            RegistryError::Unavailable(cause) => {
                tracing::error!(%cause, "a match cannot be read");
                Self::unavailable()
            }
        }
    }
}

impl From<getrandom::Error> for ApiError {
    fn from(error: getrandom::Error) -> Self {
        tracing::error!(%error, "the system gives no random numbers");
        Self::unavailable()
    }
}

impl From<MatchConflict> for ApiError {
    fn from(conflict: MatchConflict) -> Self {
        let code = match conflict {
            MatchConflict::SeatTaken => ErrorCode::SeatTaken,
            _ => ErrorCode::BadRequest,
        };
        Self::new(code, conflict.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        let retry_after = self.retry_after;
        let mut response = Json(ErrorBody {
            error: ErrorReport {
                code: self.code,
                text: self.text,
            },
        })
        .into_response();
        *response.status_mut() = status;
        if let Some(wait) = retry_after {
            let seconds = wait.as_secs().saturating_add(1);
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        // For the count of errors.
        response.extensions_mut().insert(self.code);
        response
    }
}
