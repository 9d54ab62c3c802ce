use core::fmt::Display;
use std::time::Duration;

use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::names::NameError;
use crate::answers::frames::FramesError;
use crate::log::LogError;
use crate::matches::MatchConflict;
use crate::protocol::{ErrorBody, ErrorCode, ErrorReport};

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ApiError {
    report: ErrorReport,
    retry_after: Option<Duration>,
}

impl ApiError {
    pub(super) fn new(code: ErrorCode, text: impl Into<String>) -> Self {
        Self {
            report: ErrorReport::new(code, text),
            retry_after: None,
        }
    }

    pub(super) fn bad_request(text: impl Display) -> Self {
        Self::new(ErrorCode::BadRequest, text.to_string())
    }

    pub(super) fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is nothing at this address.")
    }

    pub(super) fn no_such_match() -> Self {
        let text = "This game doesn't exist. Check the link.";
        Self::new(ErrorCode::NoSuchMatch, text)
    }

    pub(super) fn too_many_requests(retry_after: Duration) -> Self {
        let text = "Too many requests. Try again in a moment.";
        Self {
            retry_after: Some(retry_after),
            ..Self::new(ErrorCode::TooMany, text)
        }
    }

    /// The client has not read earlier answers yet.
    pub(super) fn too_many_unread() -> Self {
        Self::too_many_requests(Duration::from_secs(1))
    }

    pub(super) fn unavailable() -> Self {
        let text = "The server can't reach its storage. Try again in a moment.";
        Self {
            retry_after: Some(Duration::from_secs(1)),
            ..Self::new(ErrorCode::Unavailable, text)
        }
    }

    pub(super) fn into_report(self) -> ErrorReport {
        self.report
    }

    pub(super) const fn code(&self) -> ErrorCode {
        self.report.code
    }

    const fn status(&self) -> StatusCode {
        match self.report.code {
            ErrorCode::BadMessage | ErrorCode::BadVersion | ErrorCode::BadRequest => {
                StatusCode::BAD_REQUEST
            }
            ErrorCode::BadToken | ErrorCode::BadOrigin | ErrorCode::Banned => StatusCode::FORBIDDEN,
            ErrorCode::Closed => StatusCode::GONE,
            ErrorCode::NoSuchMatch | ErrorCode::NotFound => StatusCode::NOT_FOUND,
            ErrorCode::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::SeatTaken => StatusCode::CONFLICT,
            ErrorCode::TooMany | ErrorCode::TooSlow => StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::TimedOut => StatusCode::REQUEST_TIMEOUT,
            ErrorCode::Damaged => StatusCode::INTERNAL_SERVER_ERROR,
            ErrorCode::ShuttingDown | ErrorCode::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// How long to wait where nothing better is known, for the statuses 429 and 503.
const fn default_pause(code: ErrorCode) -> Option<Duration> {
    match code {
        ErrorCode::TooMany | ErrorCode::TooSlow => Some(Duration::from_secs(4)),
        ErrorCode::ShuttingDown | ErrorCode::Unavailable => Some(Duration::from_secs(1)),
        _ => None,
    }
}

impl From<ErrorReport> for ApiError {
    fn from(report: ErrorReport) -> Self {
        Self {
            report,
            retry_after: None,
        }
    }
}

impl From<LogError> for ApiError {
    fn from(cause: LogError) -> Self {
        tracing::error!(%cause, "failed to read a match");
        Self::unavailable()
    }
}

impl From<getrandom::Error> for ApiError {
    fn from(error: getrandom::Error) -> Self {
        tracing::error!(%error, "the operating system provides no random numbers");
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

impl From<FramesError> for ApiError {
    fn from(error: FramesError) -> Self {
        match error {
            FramesError::NoSuchGame => {
                let text = "This match has no game of this number.";
                Self::new(ErrorCode::NotFound, text)
            }
            FramesError::TooLong => {
                let text =
                    "This match has too many moves for one answer. Ask for its games one by one.";
                Self::bad_request(text)
            }
            // The time is short because others wait.
            FramesError::Stopped => Self::too_many_requests(Duration::from_secs(1)),
        }
    }
}

impl From<NameError> for ApiError {
    fn from(error: NameError) -> Self {
        Self::bad_request(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, code) = (self.status(), self.report.code);
        let retry_after = self.retry_after.or(default_pause(code));
        let body = ErrorBody { error: self.report };
        let mut response = (status, Json(body)).into_response();
        if let Some(duration) = retry_after {
            // Rounded up: the client must not come too early.
            let seconds = duration.as_secs().saturating_add(1);
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        // The middleware counts errors by code.
        response.extensions_mut().insert(code);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_try_again_is_told_when() {
        let check = |error: ApiError, status: StatusCode, expected: Option<&str>| {
            let text = format!("{error:?}");
            let response = error.into_response();
            let header = response.headers().get(RETRY_AFTER);
            let header = header.map(|value| value.to_str().expect("digits"));
            assert_eq!((response.status(), header), (status, expected), "{text}");
        };
        let of_code = |code| ApiError::new(code, "");
        let (many, down) = (
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::SERVICE_UNAVAILABLE,
        );
        check(of_code(ErrorCode::TooMany), many, Some("5"));
        check(of_code(ErrorCode::TooSlow), many, Some("5"));
        check(of_code(ErrorCode::ShuttingDown), down, Some("2"));
        check(of_code(ErrorCode::Unavailable), down, Some("2"));
        let known = ApiError::too_many_requests(Duration::from_millis(8_500));
        check(known, many, Some("9"));
        check(of_code(ErrorCode::Banned), StatusCode::FORBIDDEN, None);
    }
}
