use open_ttt_net::replication::{Digest, Sequence};
use serde::Serialize;

use super::after;

/// Checks a digest against an independent implementation, which was checked with
/// the published test vectors "", "a" and "foobar".
#[track_caller]
fn check(value: &impl Serialize, digest: &str) {
    assert_eq!(Digest::of(value).to_string(), digest);
    assert_eq!(digest.parse(), Ok(Digest::of(value)));
}

#[test]
fn digest_is_fnv_1a_of_the_json() {
    check(&"a", "d4272417d7c77eea");
    check(&0, "af63ad4c86019caf");
    check(&[1, 2, 3], "28bbee4398699f19");
    check(&(), "5b9bc4ba528108e4");
    check(&after(&["b2", "a1"]), "93f84722ddb60781");
}

#[test]
fn digest_is_a_string_in_json() {
    let digest = Digest::of(&"a");
    let json = serde_json::to_string(&digest).unwrap();
    assert_eq!(json, r#""d4272417d7c77eea""#);
    assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
    assert!(serde_json::from_str::<Digest>("1").is_err());
    assert_eq!(format!("{digest:?}"), "Digest(d4272417d7c77eea)");
}

#[test]
fn malformed_digests_are_rejected() {
    for text in [
        "",
        "d4272417d7c77ee",
        "d4272417d7c77eea0",
        "D4272417D7C77EEA",
        "+4272417d7c77eea",
        " 4272417d7c77eea",
        "g4272417d7c77eea",
        "ä4272417d7c77ea",
    ] {
        assert!(text.parse::<Digest>().is_err(), "{text:?}");
        let json = serde_json::to_string(text).unwrap();
        assert!(serde_json::from_str::<Digest>(&json).is_err(), "{text:?}");
    }
}

#[test]
fn sequence_is_a_json_number_and_saturates() {
    let sequence: Sequence = serde_json::from_str("41").unwrap();
    assert_eq!(sequence.next(), Sequence::new(42));
    assert_eq!(sequence.next().get(), 42);
    assert_eq!(sequence.to_string(), "41");
    assert_eq!(serde_json::to_string(&sequence.next()).unwrap(), "42");
    assert_eq!(Sequence::new(u64::MAX).next(), Sequence::new(u64::MAX));
    assert_eq!(Sequence::default(), Sequence::START);
    assert!(Sequence::START < sequence);
    for text in ["-1", "1.5", "\"1\"", "18446744073709551616"] {
        assert!(serde_json::from_str::<Sequence>(text).is_err(), "{text}");
    }
}
