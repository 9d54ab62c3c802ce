//! Properties of the parser of store addresses.

use core::str::from_utf8;

use open_ttt_net::log::{NatsConnectError, NatsOptions};

/// The prefix of stream names in the first line, and broker addresses after it.
/// Returns whether both are valid.
pub(crate) fn store_address(bytes: &[u8]) -> bool {
    let Ok(text) = from_utf8(bytes) else {
        return false;
    };
    let (name, url) = text.split_once('\n').unwrap_or(("open_ttt", text));
    let mut options = NatsOptions::new(url);
    name.clone_into(&mut options.stream_name);
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_name = (1..=64).contains(&name.chars().count()) && name.chars().all(word);
    match options.check() {
        Ok(()) => {
            assert!(is_name, "{name:?} is a name");
            for address in url.split(',') {
                let address = address.trim();
                assert!(!address.contains(char::is_control), "{address:?}");
                let scheme = address.split_once("://").map_or("nats", |(s, _)| s);
                let scheme = scheme.to_ascii_lowercase();
                assert!(matches!(&*scheme, "nats" | "tls"), "{address:?}");
            }
            true
        }
        Err(NatsConnectError::Options(cause)) => {
            let own = "invalid broker address, expected nats://host:port";
            assert!(!is_name || cause == own, "unexpected cause: {cause}");
            false
        }
        Err(error) => panic!("not an option error: {error}"),
    }
}
