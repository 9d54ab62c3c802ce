//! Request bodies, requests and logs, through the whole server.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_net::log::MemoryLog;
use open_ttt_net::protocol::SeatAssignment;

use super::mutation::mutated;
use super::{samples, server_properties};

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
    let logs = samples::logs();
    let mut rng = Rng::new(4);
    let (mut served, mut refused) = (0, 0);
    for log in &logs {
        let changes = log.lines().count() as u64 - 1;
        assert_eq!(server_properties::log(log.as_bytes()), Some(changes));
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
        match server_properties::log(&lines.join(&b'\n')) {
            Some(_) => served += 1,
            None => refused += 1,
        }
    }
    assert!(
        served > 10 && refused > 100,
        "{served} served, {refused} refused"
    );
}
