use core::fmt;

use super::{ServerAddress, SessionError};
use crate::protocol::{ErrorCode, ErrorReport};

/// Why a request or a connection failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server cannot be reached at the moment.
    #[error("cannot reach {server}: {cause}")]
    Unreachable {
        /// The server.
        server: ServerAddress,
        /// The cause.
        cause: String,
    },
    /// The server refused the request.
    #[error("the server says: {}", .0.text)]
    Refused(ErrorReport),
    /// The response does not follow this protocol.
    #[error("{server} does not seem to be a match server: {cause}")]
    UnexpectedResponse {
        /// The server.
        server: ServerAddress,
        /// The cause.
        cause: String,
    },
    /// The session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The operating system has no random numbers.
    #[error("the operating system has no random numbers")]
    NoRandomness,
}

impl ClientError {
    pub(super) fn unreachable(server: &ServerAddress, cause: impl fmt::Display) -> Self {
        Self::Unreachable {
            server: server.clone(),
            cause: cause.to_string(),
        }
    }

    pub(super) fn unexpected_response(server: &ServerAddress, cause: impl fmt::Display) -> Self {
        Self::UnexpectedResponse {
            server: server.clone(),
            cause: cause.to_string(),
        }
    }

    /// Whether trying again cannot help.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Unreachable { .. } => false,
            Self::Refused(report) => is_fatal(report.code),
            Self::Session(error) => error.is_fatal(),
            Self::UnexpectedResponse { .. } | Self::NoRandomness => true,
        }
    }
}

/// Whether the server would report the same error again.
pub(super) const fn is_fatal(code: ErrorCode) -> bool {
    !matches!(
        code,
        ErrorCode::TooMany
            | ErrorCode::TooSlow
            | ErrorCode::TimedOut
            | ErrorCode::ShuttingDown
            | ErrorCode::Unavailable
    )
}
