use std::fmt::Display;
use std::io;

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

    /// What the argument parser has to say: help and version are printed as
    /// they are, an error becomes one sentence.
    pub(crate) fn from_usage(error: &clap::Error) -> Result<(), Self> {
        if !error.use_stderr() {
            return Ok(error.print()?);
        }
        let text = error.to_string();
        // Its text is a headline and a list, an empty line, then usage and
        // advice.
        let sentence: Vec<_> = text
            .lines()
            .take_while(|line| !line.is_empty())
            .map(str::trim)
            .collect();
        let sentence = sentence.join(" ");
        let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence);
        Err(Self::usage(format_args!(
            "{sentence} (see open_ttt --help)"
        )))
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
            _ => Self::failed(error),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::from(io::Error::from(error))
    }
}
