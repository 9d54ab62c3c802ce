//! Request bodies, requests and logs, through the whole server.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_net::log::MemoryLog;
use open_ttt_net::protocol::SeatAssignment;

use super::mutation::{mutated, noise};
use super::{operator_properties, samples, server_properties};

#[tokio::test]
async fn every_request_body_gets_a_response() {
    let app = server_properties::server(&Arc::new(MemoryLog::new()));
    let post = async |path: &str, body: Vec<u8>| -> (StatusCode, Bytes) {
        let request = Request::post(format!("/api/v1/{path}"))
            .header("content-type", "application/json")
            .body(Body::from(body));
        server_properties::send(&app, request.unwrap()).await
    };
    let bodies = samples::request_bodies();
    let (status, made) = post("matches", bodies[0].clone().into_bytes()).await;
    assert_eq!(status, StatusCode::CREATED);
    let made: SeatAssignment = serde_json::from_slice(&made).unwrap();
    let join = format!("matches/{}/join", made.id);
    let mut rng = Rng::new(3);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..600 {
        let which = [0, 1, 3][rng.below(3)];
        let body = mutated(&bodies[which..=which], &mut rng);
        let (status, _) = post(["matches", &join, "", "pair"][which], body).await;
        assert!(!status.is_server_error(), "{status}");
        if status.is_success() {
            accepted += 1;
        } else {
            refused += 1;
        }
    }
    assert!(
        accepted > 10 && refused > 10,
        "{accepted} accepted, {refused} refused"
    );
}

#[test]
fn every_request_gets_a_response() {
    let requests = samples::requests();
    let succeeded: Vec<bool> = (requests.iter())
        .map(|request| server_properties::request(request.as_bytes()))
        .collect();
    // Not expected to succeed: a WebSocket upgrade without a connection, an
    // analysis, a game with an invalid number, and to stop waiting in no match.
    let expected: Vec<bool> = (requests.iter())
        .map(|request| {
            !["judge", "cancel", "socket", "%ff"]
                .iter()
                .any(|failing| request.contains(failing))
        })
        .collect();
    assert_eq!(succeeded, expected);
    let mut rng = Rng::new(5);
    let succeeded = (0..1000)
        .filter(|_| server_properties::request(&mutated(&requests, &mut rng)))
        .count();
    assert!((50..950).contains(&succeeded), "{succeeded} succeeded");
}

#[test]
fn invalid_logs_are_not_served() {
    check_logs(&samples::logs(), server_properties::log);
}

#[test]
fn invalid_logs_with_checksums_are_not_served() {
    let logs = samples::chained_logs();
    check_logs(&logs, server_properties::chained_log);
    // Without checksums nothing of them is believed.
    for log in &logs {
        assert_eq!(server_properties::log(log.as_bytes()), None);
    }
}

fn check_logs(logs: &[String], serve: impl Fn(&[u8]) -> Option<u64>) {
    let mut rng = Rng::new(4);
    let (mut served, mut refused) = (0, 0);
    for log in logs {
        let changes = log.lines().count() as u64 - 1;
        assert_eq!(serve(log.as_bytes()), Some(changes));
    }
    for _ in 0..600 {
        let log = &logs[rng.below(logs.len())];
        let mut lines: Vec<Vec<u8>> = log.lines().map(|line| line.as_bytes().to_vec()).collect();
        let entries: Vec<String> = log.lines().map(str::to_owned).collect();
        let wrong = rng.below(lines.len());
        let other = match rng.below(2) {
            0 => wrong,
            _ => rng.below(entries.len()),
        };
        lines[wrong] = mutated(&entries[other..=other], &mut rng);
        match serve(&lines.join(&b'\n')) {
            Some(_) => served += 1,
            None => refused += 1,
        }
    }
    assert!(
        served > 10 && refused > 100,
        "{served} served, {refused} refused"
    );
}

/// Checks a property for the samples, for noise and for mutated samples, of which some
/// must be accepted and some not.
#[track_caller]
fn check(samples: &[String], accepts: impl Fn(&[u8]) -> bool) {
    for sample in samples {
        assert!(accepts(sample.as_bytes()), "rejected: {sample}");
    }
    let mut rng = Rng::new(6);
    for _ in 0..100 {
        accepts(&noise(&mut rng));
    }
    let total = super::server_inputs();
    let accepted = (0..total)
        .filter(|_| accepts(&mutated(samples, &mut rng)))
        .count();
    assert!(
        (total / 50..total).contains(&accepted),
        "{accepted} of {total} accepted"
    );
}

#[test]
fn every_admin_request_gets_a_response() {
    check(
        &samples::admin_requests(),
        operator_properties::admin_request,
    );
}

#[test]
fn stored_decisions_are_applied_or_skipped() {
    check(&samples::decisions(), |bytes| {
        operator_properties::decisions(bytes) > 0
    });
}

#[test]
fn names_are_shown_as_they_are_or_refused() {
    check(&samples::names(), operator_properties::name);
}

#[test]
fn the_clients_address_is_the_last_that_is_not_a_proxys() {
    check(
        &samples::forwarded_for(),
        operator_properties::forwarded_for,
    );
}
