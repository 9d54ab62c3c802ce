//! Properties of the parsers for any input: they never panic, and accepted values
//! round-trip. The fuzz targets check the same properties.

use core::fmt::Debug;
use core::str::{FromStr, from_utf8};

use open_ttt_catalog::Catalog;
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::matches::{DynMatch, SavedMatch, Transition};
use open_ttt_net::protocol::{
    AnalyzePosition, CancelPairing, ClientMessage, CreateMatch, FindPlayer, JoinMatch, PairPlayer,
    ReviewGame, SeatRequest, ServerMessage, Token,
};
use open_ttt_net::replication::Digest;
use open_ttt_net::{ClientId, MatchId};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Parses a value and checks that it round-trips.
fn parse<T>(bytes: &[u8]) -> Option<T>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let value: T = serde_json::from_slice(bytes).ok()?;
    let written = serde_json::to_vec(&value).expect("a parsed value can be written");
    let again: T = serde_json::from_slice(&written).expect("a written value can be parsed");
    assert_eq!(value, again);
    Some(value)
}

/// Checks that a text is parsed exactly if it has a valid length and valid
/// characters. Returns whether it is valid.
fn parse_id<T>(
    text: &str,
    lengths: core::ops::RangeInclusive<usize>,
    is_allowed: fn(char) -> bool,
) -> bool
where
    T: FromStr + Into<String> + DeserializeOwned,
{
    let is_valid = lengths.contains(&text.chars().count()) && text.chars().all(is_allowed);
    let parsed = text.parse::<T>().ok().map(Into::into);
    assert_eq!(parsed, is_valid.then(|| text.to_owned()));
    let json = serde_json::to_string(text).expect("text can be written");
    let read = serde_json::from_str::<T>(&json).ok().map(Into::into);
    assert_eq!(read, parsed);
    is_valid
}

/// An id, a token or a digest. Returns whether the input is one of them.
pub(crate) fn id(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    let word = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    let digit = |c: char| "0123456789abcdef".contains(c);
    let match_id = parse_id::<MatchId>(text, 1..=32, word);
    let client_id = parse_id::<ClientId>(text, 1..=32, word);
    assert_eq!(match_id, client_id);
    let token = parse_id::<Token>(text, 32..=32, digit);
    let digest = parse_id::<Digest>(text, 16..=16, digit);
    match_id || token || digest
}

/// A client's message. Returns whether the input is one.
pub(crate) fn client_message(bytes: &[u8]) -> bool {
    match parse::<ClientMessage>(bytes) {
        Some(ClientMessage::Propose { act, .. }) => {
            let json = serde_json::to_string(&act).expect("an act can be written");
            assert!(json.len() <= bytes.len() + 64, "the act has grown");
            true
        }
        message => message.is_some(),
    }
}

/// A server's message. Returns whether the input is one.
pub(crate) fn server_message(bytes: &[u8]) -> bool {
    parse::<ServerMessage>(bytes).is_some()
}

/// The body of a request. Returns whether the input is one.
pub(crate) fn request_body(bytes: &[u8]) -> bool {
    let create = parse::<CreateMatch>(bytes);
    for request in create.iter().flat_map(|create| &create.seats).flatten() {
        let (SeatRequest::Person(text) | SeatRequest::Computer(text)) = request;
        assert!(text.len() <= bytes.len());
    }
    create.is_some()
        || parse::<JoinMatch>(bytes).is_some()
        || parse::<AnalyzePosition>(bytes).is_some()
        || parse::<ReviewGame>(bytes).is_some()
        || parse::<PairPlayer>(bytes).is_some()
        || parse::<CancelPairing>(bytes).is_some()
        || parse::<FindPlayer>(bytes).is_some()
}

/// A match and transitions, one per line. Returns the number of applied transitions
/// if the first line is a match.
pub(crate) fn match_state(bytes: &[u8]) -> Option<usize> {
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let mut state = read_match(lines.next()?).ok()?;
    let written = serde_json::to_vec(&state).expect("a match can be written");
    assert_eq!(read_match(&written).as_ref(), Ok(&state));
    let mut applied = 0;
    for line in lines.take(64) {
        let Some(transition) = parse::<Transition>(line) else {
            continue;
        };
        if let Ok(next) = state.apply(&transition) {
            // The resulting state round-trips.
            let written = serde_json::to_vec(&next).expect("a match can be written");
            match read_match(&written) {
                Ok(read) => assert_eq!(read, next),
                Err(error) => panic!("{error}: {}", String::from_utf8_lossy(&written)),
            }
            state = next;
            applied += 1;
        }
    }
    Some(applied)
}

/// Reads a match of a bundled game.
fn read_match(bytes: &[u8]) -> Result<DynMatch, String> {
    let saved: SavedMatch = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let restored = saved.restore(|name| Catalog::bundled().game(name));
    restored.map_err(|error| error.to_string())
}
