//! Bodies of requests and entries of logs, through the server as a whole.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_net::log::MemoryLog;
use open_ttt_net::protocol::SeatAssignment;

use super::mutation::mutated;
use super::{samples, server_law};

#[tokio::test]
async fn whatever_is_posted_is_answered() {
    let app = server_law::server(&Arc::new(MemoryLog::new()));
    let ask = async |path: &str, body: Vec<u8>| -> (StatusCode, Bytes) {
        let request = Request::post(format!("/api/v1/{path}"))
            .header("content-type", "application/json")
            .body(Body::from(body));
        server_law::answer(&app, request.unwrap()).await
    };
    let bodies = samples::request_bodies();
    let (status, made) = ask("matches", bodies[0].clone().into_bytes()).await;
    assert_eq!(status, StatusCode::CREATED);
    let made: SeatAssignment = serde_json::from_slice(&made).unwrap();
    let join = format!("matches/{}/join", made.id);
    let mut rng = Rng::new(3);
    let (mut done, mut refused) = (0, 0);
    for _ in 0..600 {
        let which = rng.below(2);
        let body = mutated(&bodies[which..=which], &mut rng);
        let (status, _) = ask(["matches", &join][which], body).await;
        assert!(!status.is_server_error(), "{status}");
        if status.is_success() {
            done += 1;
        } else {
            refused += 1;
        }
    }
    assert!(done > 10 && refused > 10, "{done} done, {refused} refused");
}

#[test]
fn whatever_is_asked_is_answered() {
    let requests = samples::requests();
    let wanted: Vec<bool> = (requests.iter())
        .map(|request| server_law::request(request.as_bytes()))
        .collect();
    // The router alone has no connection that could become a WebSocket, a
    // position is not judged here, and there is no game of that number.
    let expected: Vec<bool> = (requests.iter())
        .map(|request| {
            !["judge", "socket", "%ff"]
                .iter()
                .any(|no| request.contains(no))
        })
        .collect();
    assert_eq!(wanted, expected);
    let mut rng = Rng::new(5);
    let answered = (0..1000)
        .filter(|_| server_law::request(&mutated(&requests, &mut rng)))
        .count();
    assert!((50..950).contains(&answered), "{answered} answered");
}

#[test]
fn a_log_of_nonsense_is_not_served() {
    let logs = samples::logs();
    let mut rng = Rng::new(4);
    let (mut served, mut refused) = (0, 0);
    for log in &logs {
        let changes = log.lines().count() as u64 - 1;
        assert_eq!(server_law::log(log.as_bytes()), Some(changes));
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
        match server_law::log(&lines.join(&b'\n')) {
            Some(_) => served += 1,
            None => refused += 1,
        }
    }
    assert!(
        served > 10 && refused > 100,
        "{served} served, {refused} refused"
    );
}
