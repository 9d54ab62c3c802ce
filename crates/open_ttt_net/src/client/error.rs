use core::error::Error;
use core::fmt;

use super::{ServerAddress, SessionError};
use crate::protocol::{ErrorCode, ErrorReport};

/// Why a request or a connection failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientError {
    /// The server cannot be reached at the moment.
    Unreachable {
        /// The server.
        server: ServerAddress,
        /// The cause.
        cause: String,
    },
    /// The server refused the request.
    Refused(ErrorReport),
    /// The response does not follow this protocol.
    UnexpectedResponse {
        /// The server.
        server: ServerAddress,
        /// The cause.
        cause: String,
    },
    /// The session failed.
    Session(SessionError),
    /// The operating system has no random numbers.
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

impl From<SessionError> for ClientError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { server, cause } => write!(f, "cannot reach {server}: {cause}"),
            Self::Refused(report) => write!(f, "the server says: {}", report.text),
            Self::UnexpectedResponse { server, cause } => {
                write!(f, "{server} does not seem to be a match server: {cause}")
            }
            Self::Session(error) => error.fmt(f),
            Self::NoRandomness => f.write_str("the operating system has no random numbers"),
        }
    }
}

impl Error for ClientError {}
