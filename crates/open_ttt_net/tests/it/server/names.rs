//! Players' names at the server's gate.

use serde_json::json;

use super::harness::start;

#[tokio::test]
async fn names_are_normalized_and_invisible_ones_refused() {
    let server = start().await;
    let (id, _) = server.create("ttt").await;
    let join = format!("/api/v1/matches/{id}/join");
    for (name, text) in [
        (
            "\u{2800}",
            "A name can't contain invisible or unknown characters such as U+2800.",
        ),
        (
            "Ann\u{202e}",
            "A name can't contain invisible or unknown characters such as U+202E.",
        ),
        (" \u{3000} ", "Enter a name."),
        (&"A".repeat(33), "A name can have at most 32 characters."),
    ] {
        let reply = server
            .post(&join, &json!({"player": {"person": name}}))
            .await;
        reply.is_error(400, "bad_request");
        assert_eq!(reply.json()["error"]["text"], text);
        let seats = json!([{"person": name}, null]);
        let body = json!({"game": "ttt", "seats": seats});
        let reply = server.post("/api/v1/matches", &body).await;
        reply.is_error(400, "bad_request");
    }
    server.join(&id, " Zoe\u{308}\u{a0} 🦊").await;
    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(
        status["view"]["seats"],
        json!([{"name": "Ann"}, {"name": "Zoë 🦊"}])
    );
    server.end().await;
}

#[tokio::test]
async fn players_with_one_name_are_told_apart() {
    let server = start().await;
    // The second has a Cyrillic letter.
    for (name, shown) in [("ann", "ann 2"), ("Аnn", "Аnn 2"), ("Anna", "Anna")] {
        let (id, _) = server.create("ttt").await;
        server.join(&id, name).await;
        let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
        assert_eq!(
            status["view"]["seats"],
            json!([{"name": "Ann"}, {"name": shown}])
        );
    }
    server.end().await;
}
