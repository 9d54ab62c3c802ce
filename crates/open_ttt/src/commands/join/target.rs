use std::str::FromStr;

use open_ttt_net::client::{Link, ParseLinkError, ServerAddress};
use open_ttt_net::matches::{SettingsError, TimeControl};

use crate::args::duration;

/// The argument of `join`.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Match(Link),
    Server(ServerAddress),
}

impl FromStr for Target {
    type Err = ParseLinkError;

    fn from_str(text: &str) -> Result<Self, ParseLinkError> {
        match text.parse() {
            Err(ParseLinkError::NotAServer) => text.parse().map(Self::Match),
            server => server.map(Self::Server),
        }
    }
}

/// Parses the time of each side and the increment for each move: `5m`, `5m+3s`.
pub(super) fn time_control(text: &str) -> Result<TimeControl, String> {
    let (initial, increment) = text.split_once('+').unzip();
    let milliseconds = |text| Ok::<_, String>(duration(text)?.as_millis() as u64);
    let control = TimeControl {
        initial_ms: milliseconds(initial.unwrap_or(text))?,
        increment_ms: increment.map_or(Ok(0), milliseconds)?,
    };
    let invalid = || SettingsError::Clock.to_string();
    control.is_valid().then_some(control).ok_or_else(invalid)
}
