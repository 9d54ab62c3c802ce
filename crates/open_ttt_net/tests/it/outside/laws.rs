//! What holds for bytes from outside, whatever they are: nothing panics, and
//! what is accepted is written and read again as the same. The fuzz targets
//! hold the same laws.

use core::fmt::Debug;
use core::str::{FromStr, from_utf8};

use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::matches::{DynMatch, Transition};
use open_ttt_net::protocol::{
    AnalyzePosition, ClientMessage, CreateMatch, JoinMatch, SeatRequest, ServerMessage, Token,
};
use open_ttt_net::replication::Digest;
use open_ttt_net::{ClientId, MatchId};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a value, and holds it against itself, written and read again.
fn reads<T>(bytes: &[u8]) -> Option<T>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let value: T = serde_json::from_slice(bytes).ok()?;
    let written = serde_json::to_vec(&value).expect("what is read can be written");
    let again: T = serde_json::from_slice(&written).expect("what is written can be read");
    assert_eq!(value, again);
    Some(value)
}

/// Holds text that is taken for a name against what names are made of.
fn names<T>(text: &str, lengths: core::ops::RangeInclusive<usize>, fits: fn(char) -> bool) -> bool
where
    T: FromStr + Into<String> + DeserializeOwned,
{
    let is_fit = lengths.contains(&text.chars().count()) && text.chars().all(fits);
    let parsed = text.parse::<T>().ok().map(Into::into);
    assert_eq!(parsed, is_fit.then(|| text.to_owned()));
    let json = serde_json::to_string(text).expect("text can be written");
    let read = serde_json::from_str::<T>(&json).ok().map(Into::into);
    assert_eq!(read, parsed);
    is_fit
}

/// Ids, tokens and sums; whether it is one of them.
pub(crate) fn name(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    let word = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let digit = |c: char| "0123456789abcdef".contains(c);
    let of_match = names::<MatchId>(text, 1..=32, word);
    let of_client = names::<ClientId>(text, 1..=32, word);
    assert_eq!(of_match, of_client);
    let token = names::<Token>(text, 32..=32, digit);
    let sum = names::<Digest>(text, 16..=16, digit);
    of_match || token || sum
}

/// A client's message; whether it is one.
pub(crate) fn client_message(bytes: &[u8]) -> bool {
    match reads::<ClientMessage>(bytes) {
        Some(ClientMessage::Propose { act, .. }) => {
            // It comes to the table as it is.
            let json = serde_json::to_string(&act).expect("an act can be written");
            assert!(json.len() <= bytes.len() + 64, "an act has grown");
            true
        }
        message => message.is_some(),
    }
}

/// A server's message, as its clients read it; whether it is one.
pub(crate) fn server_message(bytes: &[u8]) -> bool {
    reads::<ServerMessage>(bytes).is_some()
}

/// The body of a request; whether it is one.
pub(crate) fn request_body(bytes: &[u8]) -> bool {
    let create = reads::<CreateMatch>(bytes);
    for request in create.iter().flat_map(|create| &create.seats).flatten() {
        let (SeatRequest::Person(text) | SeatRequest::Computer(text)) = request;
        assert!(text.len() <= bytes.len());
    }
    create.is_some()
        || reads::<JoinMatch>(bytes).is_some()
        || reads::<AnalyzePosition>(bytes).is_some()
}

/// A whole match and what happens in it, a line each; how many of the lines
/// after the first were possible, if the first is a match.
pub(crate) fn table(bytes: &[u8]) -> Option<usize> {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let mut table = reads::<DynMatch>(lines.next()?)?;
    let mut happened = 0;
    for line in lines.take(64) {
        let Some(transition) = reads::<Transition>(line) else {
            continue;
        };
        if let Ok(next) = table.apply(&transition) {
            // What transitions lead to can be written and read.
            let written = serde_json::to_vec(&next).expect("a match can be written");
            let read: DynMatch = match serde_json::from_slice(&written) {
                Ok(read) => read,
                Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&written)),
            };
            assert_eq!(read, next);
            table = next;
            happened += 1;
        }
    }
    Some(happened)
}
