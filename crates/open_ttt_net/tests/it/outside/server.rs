//! Bodies of requests and entries of logs, through the server as a whole.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use bytes::Bytes;
use open_ttt_lib::random::Rng;
use open_ttt_net::MatchId;
use open_ttt_net::log::{MatchLog, MemoryLog};
use open_ttt_net::protocol::{ErrorBody, MatchStatus, Seated};
use open_ttt_net::replication::Sequence;
use open_ttt_net::server::{Config, Rate, Server, app};
use tower::ServiceExt;

use super::mutation::mutated;
use super::samples;

fn server(log: &Arc<MemoryLog>) -> Router {
    let mut config = Config::default();
    config.makes = Rate::UNLIMITED;
    config.requests = Rate::UNLIMITED;
    let log: Arc<dyn MatchLog> = log.clone();
    app(&Server::new(config, log).unwrap())
}

/// The answer; one that is no success says so as the protocol does.
async fn ask(app: &Router, method: &str, path: &str, body: Vec<u8>) -> (StatusCode, Bytes) {
    let request = Request::builder()
        .method(method)
        .uri(format!("/api/v1/{path}"))
        .header("content-type", "application/json")
        .body(Body::from(body))
        .unwrap();
    let response = app.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    if !status.is_success() {
        serde_json::from_slice::<ErrorBody>(&body).unwrap();
    }
    (status, body)
}

#[tokio::test]
async fn whatever_is_asked_is_answered() {
    let log = Arc::new(MemoryLog::new());
    let app = server(&log);
    let bodies = samples::request_bodies();
    let (status, made) = ask(&app, "POST", "matches", bodies[0].clone().into_bytes()).await;
    assert_eq!(status, StatusCode::CREATED);
    let made: Seated = serde_json::from_slice(&made).unwrap();
    let join = format!("matches/{}/join", made.id);
    let mut rng = Rng::new(3);
    let (mut done, mut refused) = (0, 0);
    for _ in 0..600 {
        let which = rng.below(2);
        let path = ["matches", &join][which];
        let body = mutated(&bodies[which..=which], &mut rng);
        let (status, _) = ask(&app, "POST", path, body).await;
        assert!(!status.is_server_error(), "{status}");
        if status.is_success() {
            done += 1;
        } else {
            refused += 1;
        }
    }
    assert!(done > 10 && refused > 10, "{done} done, {refused} refused");
}

/// The entries of a match that was just made.
async fn entries() -> Vec<String> {
    let log = Arc::new(MemoryLog::new());
    let body = samples::request_bodies().swap_remove(0).into_bytes();
    let (_, made) = ask(&server(&log), "POST", "matches", body).await;
    let made: Seated = serde_json::from_slice(&made).unwrap();
    let entries = log.read(&made.id, Sequence::START, 100).await.unwrap();
    let text = |entry: &Bytes| String::from_utf8(entry.to_vec()).unwrap();
    entries.iter().map(text).collect()
}

#[tokio::test]
async fn a_log_of_nonsense_is_not_served() {
    let right = entries().await;
    assert_eq!(right.len(), 3, "a header and two who sit down");
    let log = Arc::new(MemoryLog::new());
    let app = server(&log);
    let mut rng = Rng::new(4);
    let (mut served, mut refused) = (0, 0);
    for number in 0..600 {
        let id: MatchId = format!("match-{number}").parse().unwrap();
        let wrong = rng.below(right.len());
        for (index, entry) in right.iter().enumerate() {
            let entry = if index == wrong && number > 0 {
                mutated(&right, &mut rng)
            } else {
                entry.clone().into_bytes()
            };
            let last = Sequence::new(index as u64);
            log.append(&id, last, entry.into()).await.unwrap();
        }
        let (status, body) = ask(&app, "GET", &format!("matches/{id}"), Vec::new()).await;
        if status.is_success() {
            let status: MatchStatus = serde_json::from_slice(&body).unwrap();
            assert_eq!(status.sequence, Sequence::new(right.len() as u64 - 1));
            served += 1;
        } else {
            assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
            assert!(number > 0, "what is right is served");
            refused += 1;
        }
    }
    assert!(
        served > 10 && refused > 100,
        "{served} served, {refused} refused"
    );
}
