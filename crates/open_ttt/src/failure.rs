use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use open_ttt_app::is_closed_pipe;
pub(crate) use open_ttt_net::client::path_text;

/// Why the program fails: a one-sentence message and the exit status.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) message: String,
    /// 2 for bad usage, 1 for any other failure.
    pub(crate) status: u8,
}

impl Failure {
    /// Bad usage.
    pub(crate) fn usage(message: impl Display) -> Self {
        let message = message.to_string();
        Self { message, status: 2 }
    }

    /// A failure other than bad usage.
    pub(crate) fn failed(message: impl Display) -> Self {
        let message = message.to_string();
        Self { message, status: 1 }
    }

    /// A file that can't be read or written, as `verb` says.
    pub(crate) fn file(verb: &str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::failed(format_args!("can't {verb} {}: {error}", path_text(path)))
    }

    /// Prints the message, if any, to standard error; ignores write errors.
    pub(crate) fn print(&self) {
        if !self.message.is_empty() {
            // At once: who starts this program may kill it at any time, and what it has
            // written of a line would stand before another's message.
            let line = format!("{}: {}\n", crate::program_name(), self.message);
            let _ = io::stderr().write_all(line.as_bytes());
        }
    }
}

impl From<io::Error> for Failure {
    /// A closed pipe is a silent success.
    fn from(error: io::Error) -> Self {
        if is_closed_pipe(&error) {
            let message = String::new();
            return Self { message, status: 0 };
        }
        Self::failed(format_args!("reading or writing failed: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}
