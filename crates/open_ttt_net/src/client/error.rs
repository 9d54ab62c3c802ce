use core::error::Error;
use core::fmt;

use super::{ServerAddress, SessionError};
use crate::protocol::{ErrorCode, ErrorReport};

/// Why something did not come about with a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientError {
    /// There is no way to the server now.
    Unreachable {
        /// The server.
        server: ServerAddress,
        /// What stands in the way.
        cause: String,
    },
    /// The server says no, and why.
    Refused(ErrorReport),
    /// Whatever answers does not speak this protocol.
    UnexpectedResponse {
        /// The server.
        server: ServerAddress,
        /// What was odd.
        cause: String,
    },
    /// A session went wrong.
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

    /// Whether it makes no sense to try again.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Unreachable { .. } => false,
            Self::Refused(report) => is_final(report.code),
            Self::Session(error) => error.is_final(),
            Self::UnexpectedResponse { .. } | Self::NoRandomness => true,
        }
    }
}

/// Whether a server that has said this will say it again.
pub(super) const fn is_final(code: ErrorCode) -> bool {
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
            Self::Unreachable { server, cause } => write!(f, "{server} cannot be reached: {cause}"),
            Self::Refused(report) => write!(f, "the server says: {}", report.text),
            Self::UnexpectedResponse { server, cause } => {
                write!(
                    f,
                    "{server} does not answer as a match server does: {cause}"
                )
            }
            Self::Session(error) => error.fmt(f),
            Self::NoRandomness => f.write_str("the operating system gives no random numbers"),
        }
    }
}

impl Error for ClientError {}
