//! Bytes from outside, seeded: noise, and messages that are nearly right. The
//! fuzz targets beside this package go further.

mod laws;
#[cfg(feature = "client")]
mod link_law;
mod mutation;
mod samples;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod server_law;
#[cfg(feature = "nats")]
mod store_law;

use open_ttt_lib::random::Rng;

use self::mutation::{mutated, noise};

/// Holds a law for many inputs; some of those that are nearly right are to be
/// accepted and some refused, or nothing was tried.
#[track_caller]
fn check(samples: &[String], law: impl Fn(&[u8]) -> bool) {
    for sample in samples {
        assert!(law(sample.as_bytes()), "refused: {sample}");
    }
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        law(&noise(&mut rng));
    }
    let total = 6000;
    let accepted = (0..total)
        .filter(|_| law(&mutated(samples, &mut rng)))
        .count();
    assert!(accepted > total / 100, "{accepted} of {total} accepted");
    assert!(accepted < total * 9 / 10, "{accepted} of {total} accepted");
}

#[test]
fn names_are_what_they_are_made_of() {
    check(&samples::names(), laws::name);
}

#[test]
#[cfg(feature = "client")]
fn links_are_read_or_refused() {
    check(&samples::links(), link_law::link);
}

#[test]
#[cfg(feature = "nats")]
fn addresses_of_stores_are_read_or_refused() {
    check(&samples::store_addresses(), store_law::store_address);
}

#[test]
fn messages_of_clients_are_read_or_refused() {
    check(&samples::client_messages(), laws::client_message);
}

#[test]
fn messages_of_servers_are_read_or_refused() {
    check(&samples::server_messages(), laws::server_message);
}

#[test]
fn bodies_of_requests_are_read_or_refused() {
    check(&samples::request_bodies(), laws::request_body);
}

#[test]
fn matches_are_read_or_refused_and_go_on() {
    let states = samples::tables();
    let transitions = samples::transitions();
    check(&states, |bytes| laws::table(bytes).is_some());
    let mut rng = Rng::new(2);
    let mut happened = 0;
    for _ in 0..3000 {
        let right = states[rng.below(states.len())].as_bytes();
        let mut story = match rng.below(2) {
            0 => right.to_vec(),
            _ => mutated(&states, &mut rng),
        };
        for _ in 0..20 {
            story.extend_from_slice(b"\n");
            if rng.below(4) == 0 {
                story.extend(mutated(&transitions, &mut rng));
            } else {
                let transition = &transitions[rng.below(transitions.len())];
                story.extend(transition.as_bytes());
            }
        }
        happened += laws::table(&story).unwrap_or(0);
    }
    assert!(happened > 1000, "only {happened} transitions were possible");
}

#[test]
fn what_is_too_long_or_too_deep_is_refused() {
    let deep = "[".repeat(100_000);
    let long = format!(r#"{{"type":"ping","number":{}}}"#, "9".repeat(100_000));
    let name = "x".repeat(33);
    let stranger = format!(r#"{{"type":"hello","protocol":1,"client":"{name}"}}"#);
    let wordy = "1".repeat(65);
    let wordy = format!(
        r#"{{"type":"propose","number":1,"base":0,"act":{{"move":{{"text":"{wordy}"}}}}}}"#
    );
    for text in [&deep, &long, &stranger, &wordy] {
        assert!(!laws::client_message(text.as_bytes()));
    }
}

#[test]
fn a_match_of_the_last_number_goes_no_further() {
    let table = samples::tables()
        .into_iter()
        .find(|table| table.contains(r#""rematch":[true,false]"#));
    let mut table: serde_json::Value = serde_json::from_str(&table.unwrap()).unwrap();
    table["number"] = u32::MAX.into();
    table["score"]["draws"] = (u32::MAX - 1).into();
    let rematch = r#"{"at":1700000100000,"by":"b","act":"rematch"}"#;
    let story = format!("{table}\n{rematch}");
    assert_eq!(laws::table(story.as_bytes()), Some(0));
}
