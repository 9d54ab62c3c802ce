//! Matches as they are played.

use serde_json::json;

use super::harness::start;

#[tokio::test]
async fn two_people_play_a_match_and_another() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.table("ttt").await;
    for (ann_plays, bob_plays) in [("a1", "a2"), ("b1", "b2")] {
        ann.play(ann_plays).await;
        bob.see(ann_plays).await;
        bob.play(bob_plays).await;
        ann.see(bob_plays).await;
    }
    ann.play("c1").await;
    bob.see("c1").await;

    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    let view = &status["view"];
    assert_eq!(view["verdict"], json!({"winner": "a", "by": "rules"}));
    assert_eq!(view["score"], json!({"wins": [1, 0], "draws": 0}));
    assert_eq!(view["moves"], json!(["a1", "a2", "b1", "b2", "c1"]));
    assert_eq!(view["board"]["lines"][0]["seat"], "a");
    assert_eq!(view["board"]["last"], json!([[2, 0, 0]]));

    ann.act(json!("rematch"), &mut [&mut bob]).await;
    bob.act(json!("rematch"), &mut [&mut ann]).await;
    // Now the other one begins.
    let answer = ann.propose(json!({"move": {"text": "a1"}})).await;
    assert_eq!(answer["conflict"], "not_your_turn", "{answer}");
    bob.play("b2").await;
    ann.see("b2").await;

    let games = server
        .get(&format!("/api/v1/matches/{id}/games"))
        .await
        .json();
    assert_eq!(
        games["games"][0]["moves"],
        json!(["a1", "a2", "b1", "b2", "c1"])
    );
    assert_eq!(games["games"][1]["moves"], json!(["b2"]));
    assert_eq!(games["games"][1]["first"], "b");
    let frames = server
        .get(&format!("/api/v1/matches/{id}/games/1"))
        .await
        .json();
    assert_eq!(frames["boards"].as_array().unwrap().len(), 6);
    server.end().await;
}

#[tokio::test]
async fn everybody_sees_the_same_sum_of_the_state() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.table("connect4").await;
    let (mut eve, _) = server.enter_with(&id, "eve", None, json!({})).await;
    for text in ["4", "4", "3", "5"] {
        let (mover, other) = if ann.sequence % 2 == 0 {
            (&mut ann, &mut bob)
        } else {
            (&mut bob, &mut ann)
        };
        let accepted = mover.propose(json!({"move": {"text": text}})).await;
        let seen = [other.hear().await, eve.hear().await];
        for change in seen {
            assert_eq!(change["digest"], accepted["change"]["digest"]);
            assert_eq!(change["sequence"], accepted["change"]["sequence"]);
        }
    }
    server.end().await;
}

#[tokio::test]
async fn offers_are_made_taken_and_refused() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.table("ttt").await;
    ann.play("b2").await;
    bob.see("b2").await;
    // A move taken back.
    ann.act(json!("ask_take_back"), &mut [&mut bob]).await;
    bob.act(json!("grant_take_back"), &mut [&mut ann]).await;
    ann.play("a1").await;
    bob.see("a1").await;
    // A draw refused, and then agreed on.
    bob.act(json!("offer_draw"), &mut [&mut ann]).await;
    ann.act(json!("refuse_draw"), &mut [&mut bob]).await;
    let answer = ann.propose(json!("accept_draw")).await;
    assert_eq!(answer["conflict"], "not_asked");
    ann.act(json!("offer_draw"), &mut [&mut bob]).await;
    bob.act(json!("accept_draw"), &mut [&mut ann]).await;
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(
        view["view"]["verdict"],
        json!({"winner": null, "by": "agreement"})
    );
    server.end().await;
}

#[tokio::test]
async fn a_claim_is_answered_for_whoever_is_there() {
    let server = start().await;
    let (_, mut ann, mut bob) = server.table("ttt").await;
    ann.act(json!("claim"), &mut [&mut bob]).await;
    for client in [&mut ann, &mut bob] {
        let change = client.hear_type("change").await;
        assert_eq!(change["transition"]["act"], "stay");
        assert_eq!(change["transition"]["by"], "b");
    }
    server.end().await;
}

#[tokio::test]
async fn a_computer_plays_and_is_polite() {
    let server = start().await;
    let body = json!({
        "game": "ttt",
        "first": "a",
        "seats": [{"person": "Ann"}, {"computer": "perfect(seed=1)"}],
    });
    let seated = server.post("/api/v1/matches", &body).await.json();
    let id = seated["match"].as_str().unwrap();
    let token = seated["token"].as_str();
    let mut ann = server.enter(id, "ann", token).await;
    ann.play("a1").await;
    let change = ann.hear_type("change").await;
    assert_eq!(change["transition"]["by"], "b");
    // The only answer to a corner that does not lose.
    assert_eq!(change["transition"]["act"]["move"]["text"], "b2");
    for (asked, answer) in [
        ("offer_draw", "refuse_draw"),
        ("ask_take_back", "grant_take_back"),
    ] {
        let accepted = ann.propose(json!(asked)).await;
        assert_eq!(accepted["type"], "accepted");
        let change = ann.hear_type("change").await;
        assert_eq!(change["transition"]["act"], answer);
    }
    let accepted = ann.propose(json!("resign")).await;
    assert_eq!(accepted["type"], "accepted");
    let accepted = ann.propose(json!("rematch")).await;
    assert_eq!(accepted["type"], "accepted");
    assert_eq!(
        ann.hear_type("change").await["transition"]["act"],
        "rematch"
    );
    // The computer begins, and has its move.
    let change = ann.hear_type("change").await;
    assert!(change["transition"]["act"]["move"].is_object(), "{change}");
    server.end().await;
}

#[tokio::test]
async fn a_clock_runs_out() {
    let server = start().await;
    let body = json!({
        "game": "ttt",
        "clock": {"initial_ms": 1000},
        "first": "a",
        "seats": [{"person": "Ann"}, null],
    });
    let seated = server.post("/api/v1/matches", &body).await.json();
    let id = seated["match"].as_str().unwrap();
    let bob = server.join(id, "Bob").await;
    let mut ann = server.enter(id, "ann", seated["token"].as_str()).await;
    let mut bob = server.enter(id, "bob", Some(&bob)).await;
    ann.play("b2").await;
    bob.see("b2").await;
    for client in [&mut ann, &mut bob] {
        let change = client.hear_type("change").await;
        assert_eq!(change["transition"]["act"], "time_out");
        assert_eq!(change["transition"]["by"], "server");
    }
    let view = server.get(&format!("/api/v1/matches/{id}")).await.json();
    assert_eq!(
        view["view"]["verdict"],
        json!({"winner": "a", "by": "time"})
    );
    server.end().await;
}

#[tokio::test]
async fn spectators_see_and_cannot_touch() {
    let server = start().await;
    let (id, mut ann, _bob) = server.table("pegs").await;
    let (mut eve, welcome) = server
        .enter_with(&id, "eve", None, json!({"shape": "views"}))
        .await;
    assert_eq!(welcome["seat"], json!(null));
    assert_eq!(
        welcome["state"]["view"]["board"]["layout"]["kind"],
        "stacks"
    );
    for act in [
        json!({"move": {"text": "A"}}),
        json!("resign"),
        json!("time_out"),
    ] {
        let answer = eve.propose(act).await;
        assert_eq!(answer["conflict"], "not_yours", "{answer}");
    }
    ann.play("D").await;
    let change = eve.hear_type("change").await;
    assert_eq!(change["view"]["moves"], json!(["D"]));
    server.end().await;
}

#[tokio::test]
async fn the_lobby_shows_who_waits() {
    let server = start().await;
    let body = json!({"game": "qubic", "listed": true, "seats": [{"person": "Ann"}, null]});
    let seated = server.post("/api/v1/matches", &body).await.json();
    let id = seated["match"].as_str().unwrap().to_owned();
    let shown = async || {
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        let list = server.get("/api/v1/matches").await.json();
        list["matches"].as_array().unwrap().clone()
    };
    let list = shown().await;
    assert_eq!(list.len(), 1);
    assert_eq!(list[0]["match"], id.as_str());
    assert_eq!(list[0]["name"], "Ann");
    server.join(&id, "Bob").await;
    assert_eq!(shown().await, Vec::<serde_json::Value>::new());
    server.end().await;
}

#[tokio::test]
async fn positions_are_judged() {
    let server = start().await;
    let body = json!({"game": "ttt", "moves": ["a1", "b2", "c3"]});
    let judged = server.post("/api/v1/judge", &body).await.json();
    assert_eq!(judged["result"], "draw");
    assert_eq!(judged["exact"], true);
    // The sides, not the corners.
    assert_eq!(judged["best"], json!(["b1", "a2", "c2", "b3"]));
    let body = json!({"game": "ttt", "moves": ["a1", "a1"]});
    server
        .post("/api/v1/judge", &body)
        .await
        .is_error(400, "bad_request");
    server.end().await;
}
