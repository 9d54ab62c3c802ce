//! Parsers of untrusted input, tested with seeded noise and mutated messages. The
//! fuzz targets in `crates/untrusted_input` check the same properties for longer.

#[cfg(feature = "client")]
mod link_properties;
mod mutation;
#[cfg(feature = "server")]
mod operator_properties;
mod properties;
pub(crate) mod samples;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod server_properties;
#[cfg(feature = "nats")]
mod store_properties;

use open_ttt_lib::random::Rng;

use self::mutation::{mutated, noise};
#[cfg(feature = "server")]
pub(crate) use self::server_properties::entry_json;

/// The number of inputs for properties that need a server of their own:
/// `OPEN_TTT_INPUTS=n` for more.
#[cfg(feature = "server")]
fn server_inputs() -> usize {
    let wanted = std::env::var("OPEN_TTT_INPUTS").ok();
    wanted.map_or(500, |count| count.parse().unwrap())
}

/// Checks a property for many inputs. Of the mutated samples some must be accepted
/// and some rejected; otherwise the test would prove nothing.
#[track_caller]
fn check(samples: &[String], accepts: impl Fn(&[u8]) -> bool) {
    for sample in samples {
        assert!(accepts(sample.as_bytes()), "rejected: {sample}");
    }
    let mut rng = Rng::new(1);
    for _ in 0..2000 {
        accepts(&noise(&mut rng));
    }
    let total = 6000;
    let accepted = (0..total)
        .filter(|_| accepts(&mutated(samples, &mut rng)))
        .count();
    assert!(accepted > total / 100, "{accepted} of {total} accepted");
    assert!(accepted < total * 9 / 10, "{accepted} of {total} accepted");
}

#[test]
fn ids_are_parsed_or_rejected() {
    check(&samples::ids(), properties::id);
}

#[test]
#[cfg(feature = "client")]
fn links_are_parsed_or_rejected() {
    check(&samples::links(), link_properties::link);
}

#[test]
#[cfg(feature = "nats")]
fn store_addresses_are_parsed_or_rejected() {
    check(&samples::store_addresses(), store_properties::store_address);
}

#[test]
fn client_messages_are_parsed_or_rejected() {
    check(&samples::client_messages(), properties::client_message);
}

#[test]
fn server_messages_are_parsed_or_rejected() {
    check(&samples::server_messages(), properties::server_message);
}

#[test]
fn request_bodies_are_parsed_or_rejected() {
    check(&samples::request_bodies(), properties::request_body);
}

#[test]
fn match_states_are_parsed_or_rejected_and_accept_transitions() {
    let states = samples::match_states();
    let transitions = samples::transitions();
    check(&states, |bytes| properties::match_state(bytes).is_some());
    let mut rng = Rng::new(2);
    let mut applied = 0;
    for _ in 0..3000 {
        let valid = states[rng.below(states.len())].as_bytes();
        let mut input = match rng.below(2) {
            0 => valid.to_vec(),
            _ => mutated(&states, &mut rng),
        };
        for _ in 0..20 {
            input.extend_from_slice(b"\n");
            if rng.below(4) == 0 {
                input.extend(mutated(&transitions, &mut rng));
            } else {
                let transition = &transitions[rng.below(transitions.len())];
                input.extend(transition.as_bytes());
            }
        }
        applied += properties::match_state(&input).unwrap_or(0);
    }
    assert!(applied > 1000, "only {applied} transitions were applied");
}

#[test]
fn input_that_is_too_long_or_too_deep_is_rejected() {
    let deep = "[".repeat(100_000);
    let long = format!(r#"{{"type":"ping","number":{}}}"#, "9".repeat(100_000));
    let name = "x".repeat(33);
    let long_id = format!(r#"{{"type":"hello","protocol":1,"client":"{name}"}}"#);
    let long_move = "1".repeat(65);
    let long_move = format!(
        r#"{{"type":"propose","number":1,"base":0,"act":{{"move":{{"text":"{long_move}"}}}}}}"#
    );
    for text in [&deep, &long, &long_id, &long_move] {
        assert!(!properties::client_message(text.as_bytes()));
    }
}

#[test]
fn match_with_the_last_game_number_has_no_rematch() {
    let state = samples::match_states()
        .into_iter()
        .find(|state| state.contains(r#""rematch":[true,false]"#));
    let mut state: serde_json::Value = serde_json::from_str(&state.unwrap()).unwrap();
    state["number"] = u32::MAX.into();
    state["score"]["draws"] = (u32::MAX - 1).into();
    let rematch = r#"{"at":1700000100000,"by":"b","act":"rematch"}"#;
    let input = format!("{state}\n{rematch}");
    assert_eq!(properties::match_state(input.as_bytes()), Some(0));
}
