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

/// A time control as [`time_control`] parses it.
pub(super) fn time_text(control: TimeControl) -> String {
    let time = |ms: u64| {
        const UNITS: [(&str, u64); 3] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000)];
        let unit = UNITS.iter().find(|(_, length)| ms.is_multiple_of(*length));
        unit.map_or_else(
            || format!("{ms}ms"),
            |(unit, length)| format!("{}{unit}", ms / length),
        )
    };
    match control.increment_ms {
        0 => time(control.initial_ms),
        increment => format!("{}+{}", time(control.initial_ms), time(increment)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_they_are_entered() {
        for (text, initial_ms, increment_ms) in [
            ("5m+3s", 300_000, 3_000),
            ("90s", 90_000, 0),
            ("1h+1m", 3_600_000, 60_000),
            ("1500ms+250ms", 1_500, 250),
        ] {
            let control = TimeControl {
                initial_ms,
                increment_ms,
            };
            assert_eq!(time_control(text), Ok(control));
            assert_eq!(time_text(control), text);
        }
        // The largest unit.
        let control = time_control("120s+1000ms").expect("a clock");
        assert_eq!(time_text(control), "2m+1s");
    }
}
