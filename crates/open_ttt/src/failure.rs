use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

/// Why the program ends without having done what it was asked: one sentence
/// and the exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What was wrong and what would be right.
    pub(crate) message: String,
    /// 2 for bad usage, 1 for a failure.
    pub(crate) status: u8,
}

impl Failure {
    /// Something asked for that cannot be.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self {
            message: message.to_string(),
            status: 2,
        }
    }

    /// Something that went wrong on the way.
    pub(crate) fn failed(message: impl Display) -> Self {
        Self {
            message: message.to_string(),
            status: 1,
        }
    }

    /// Says it on standard error, if there is anything to say. Where that
    /// fails there is nobody left to tell.
    pub(crate) fn tell(&self) {
        if !self.message.is_empty() {
            let _ = writeln!(io::stderr(), "open_ttt: {}", self.message);
        }
    }
}

impl From<io::Error> for Failure {
    /// A reader that has gone away is nothing to complain about.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self {
                message: String::new(),
                status: 0,
            },
            _ => Self::failed(format_args!("reading or writing failed: {error}")),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}

/// A path as an error message shows it: in quotes, control characters escaped.
pub(crate) fn shown(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}
