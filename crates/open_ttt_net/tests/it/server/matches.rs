//! Whole matches.

use std::sync::Arc;

use open_ttt_catalog::Catalog;
use open_ttt_lib::rules::{History, Notation, Outcome, TwoPlayerGame};
use serde_json::json;

use super::harness::{start, start_with, unlimited};
use super::nodes::shared_log;
use crate::waiting::eventually;

#[tokio::test]
async fn two_people_play_a_game_and_a_rematch() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    for (ann_plays, bob_plays) in [("a1", "a2"), ("b1", "b2")] {
        ann.play(ann_plays).await;
        bob.receive_move(ann_plays).await;
        bob.play(bob_plays).await;
        ann.receive_move(bob_plays).await;
    }
    ann.play("c1").await;
    bob.receive_move("c1").await;

    let status = server.get(&format!("/api/v1/matches/{id}")).await.json();
    let view = &status["view"];
    assert_eq!(view["verdict"], json!({"winner": "a", "by": "rules"}));
    assert_eq!(view["score"], json!({"wins": [1, 0], "draws": 0}));
    assert_eq!(view["moves"], json!(["a1", "a2", "b1", "b2", "c1"]));
    assert_eq!(view["board"]["lines"][0]["seat"], "a");
    assert_eq!(view["board"]["last"], json!([[2, 0, 0]]));

    ann.act(json!("rematch"), &mut [&mut bob]).await;
    bob.act(json!("rematch"), &mut [&mut ann]).await;
    // Bob has the first move of the second game.
    let reply = ann.propose(json!({"move": {"text": "a1"}})).await;
    assert_eq!(reply["conflict"], "not_your_turn", "{reply}");
    bob.play("b2").await;
    ann.receive_move("b2").await;

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

/// The server shows it, records it and reads it again as it was stored.
#[tokio::test]
async fn a_match_begins_in_a_position() {
    let log = shared_log();
    let server = start_with(unlimited(), Arc::new(log.clone())).await;
    let body = json!({
        "game": "connect4",
        "first": "a",
        "moves": ["4", "4", "3"],
        "seats": [{"person": "Ann"}, {"computer": "perfect"}],
    });
    let created = server.post("/api/v1/matches", &body).await.json();
    let id = created["match"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/matches/{id}");
    server.connect(&id, "ann", created["token"].as_str()).await;
    // The computer answers in the position: it stops the three in a row.
    let view = eventually("the computer moves", async || {
        let view = server.get(&path).await.json()["view"].take();
        (view["to_move"] == "a").then_some(view)
    });
    let view = view.await;
    assert_eq!(view["settings"]["moves"], json!(["4", "4", "3"]));
    assert_eq!(view["movers"], json!(["a", "b", "a", "b"]));
    let record = server.get(&format!("{path}/games/1")).await.json();
    assert_eq!(record["record"]["given"], 3);
    assert_eq!(record["record"]["moves"], view["moves"]);
    assert_eq!(record["boards"].as_array().unwrap().len(), 5);
    server.end().await;

    let server = start_with(unlimited(), Arc::new(log)).await;
    assert_eq!(server.get(&path).await.json()["view"], view);
    server.end().await;
}

#[tokio::test]
async fn all_clients_receive_the_same_digest() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.new_match("connect4").await;
    let (mut eve, _) = server.connect_with(&id, "eve", None, json!({})).await;
    for text in ["4", "4", "3", "5"] {
        let (mover, other) = if ann.sequence % 2 == 0 {
            (&mut ann, &mut bob)
        } else {
            (&mut bob, &mut ann)
        };
        let accepted = mover.propose(json!({"move": {"text": text}})).await;
        let received = [other.receive().await, eve.receive().await];
        for change in received {
            assert_eq!(change["digest"], accepted["change"]["digest"]);
            assert_eq!(change["sequence"], accepted["change"]["sequence"]);
        }
    }
    server.end().await;
}

#[tokio::test]
async fn offers_are_made_accepted_and_refused() {
    let server = start().await;
    let (id, mut ann, mut bob) = server.new_match("ttt").await;
    ann.play("b2").await;
    bob.receive_move("b2").await;
    // A take-back.
    ann.act(json!("ask_take_back"), &mut [&mut bob]).await;
    bob.act(json!("grant_take_back"), &mut [&mut ann]).await;
    ann.play("a1").await;
    bob.receive_move("a1").await;
    // A draw offer, refused, and another one, accepted.
    bob.act(json!("offer_draw"), &mut [&mut ann]).await;
    ann.act(json!("refuse_draw"), &mut [&mut bob]).await;
    let reply = ann.propose(json!("accept_draw")).await;
    assert_eq!(reply["conflict"], "not_asked");
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
async fn the_server_answers_a_claim_for_a_connected_player() {
    let server = start().await;
    let (_, mut ann, mut bob) = server.new_match("ttt").await;
    ann.act(json!("claim"), &mut [&mut bob]).await;
    for client in [&mut ann, &mut bob] {
        let change = client.receive_type("change").await;
        assert_eq!(change["transition"]["act"], "stay");
        assert_eq!(change["transition"]["by"], "b");
    }
    server.end().await;
}

#[tokio::test]
async fn a_computer_moves_and_answers_offers() {
    let server = start().await;
    let body = json!({
        "game": "ttt",
        "first": "a",
        "seats": [{"person": "Ann"}, {"computer": "perfect(seed=1)"}],
    });
    let assignment = server.post("/api/v1/matches", &body).await.json();
    let id = assignment["match"].as_str().unwrap();
    let token = assignment["token"].as_str();
    let mut ann = server.connect(id, "ann", token).await;
    ann.play("a1").await;
    let change = ann.receive_type("change").await;
    assert_eq!(change["transition"]["by"], "b");
    // The only reply to a corner that does not lose.
    assert_eq!(change["transition"]["act"]["move"]["text"], "b2");
    for (offer, expected) in [
        ("offer_draw", "refuse_draw"),
        ("ask_take_back", "grant_take_back"),
    ] {
        let accepted = ann.propose(json!(offer)).await;
        assert_eq!(accepted["type"], "accepted");
        let change = ann.receive_type("change").await;
        assert_eq!(change["transition"]["act"], expected);
    }
    let accepted = ann.propose(json!("resign")).await;
    assert_eq!(accepted["type"], "accepted");
    let accepted = ann.propose(json!("rematch")).await;
    assert_eq!(accepted["type"], "accepted");
    assert_eq!(
        ann.receive_type("change").await["transition"]["act"],
        "rematch"
    );
    // The computer has the first move, and makes it.
    let change = ann.receive_type("change").await;
    assert!(change["transition"]["act"]["move"].is_object(), "{change}");
    server.end().await;
}

#[tokio::test]
async fn a_player_loses_on_time() {
    let server = start().await;
    let body = json!({
        "game": "ttt",
        "clock": {"initial_ms": 1000},
        "first": "a",
        "seats": [{"person": "Ann"}, null],
    });
    let assignment = server.post("/api/v1/matches", &body).await.json();
    let id = assignment["match"].as_str().unwrap();
    let bob = server.join(id, "Bob").await;
    let mut ann = server
        .connect(id, "ann", assignment["token"].as_str())
        .await;
    let mut bob = server.connect(id, "bob", Some(&bob)).await;
    ann.play("b2").await;
    bob.receive_move("b2").await;
    for client in [&mut ann, &mut bob] {
        let change = client.receive_type("change").await;
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
async fn spectators_only_watch() {
    let server = start().await;
    let (id, mut ann, _bob) = server.new_match("pegs").await;
    let (mut eve, welcome) = server
        .connect_with(&id, "eve", None, json!({"shape": "views"}))
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
        let reply = eve.propose(act).await;
        assert_eq!(reply["conflict"], "not_yours", "{reply}");
    }
    ann.play("D").await;
    let change = eve.receive_type("change").await;
    assert_eq!(change["view"]["moves"], json!(["D"]));
    server.end().await;
}

#[tokio::test]
async fn the_lobby_lists_matches_with_an_open_seat() {
    let server = start().await;
    let body = json!({"game": "qubic", "listed": true, "seats": [{"person": "Ann"}, null]});
    let assignment = server.post("/api/v1/matches", &body).await.json();
    let id = assignment["match"].as_str().unwrap().to_owned();
    // The notice is stored after the reply, and the list is cached.
    let listed = async |count: usize| {
        eventually("the list", || async {
            let list = server.get("/api/v1/matches").await.json();
            let matches = list["matches"].as_array().unwrap();
            (matches.len() == count).then(|| matches.clone())
        })
        .await
    };
    let list = listed(1).await;
    assert_eq!(list[0]["match"], id.as_str());
    assert_eq!(list[0]["name"], "Ann");
    server.join(&id, "Bob").await;
    listed(0).await;
    server.end().await;
}

#[tokio::test]
async fn positions_are_analyzed() {
    let server = start().await;
    let body = json!({"game": "ttt", "moves": ["a1", "b2", "c3"]});
    let analysis = server.post("/api/v1/judge", &body).await.json();
    assert_eq!(analysis["result"], "draw");
    assert_eq!(analysis["exact"], true);
    // The edges, not the corners.
    assert_eq!(analysis["best"], json!(["b1", "a2", "c2", "b3"]));
    // The position has occurred for the third time.
    let moves = "a1 b2 c3 a3 c1 b1 c3-c2 a3-a2 c2-c3 a2-a3 c3-c2 a3-a2 c2-c3 a2-a3";
    let moves: Vec<_> = moves.split(' ').collect();
    let body = json!({"game": "morris(men=3)", "moves": moves});
    let analysis = server.post("/api/v1/judge", &body).await.json();
    assert_eq!(analysis["result"], "draw");
    assert_eq!(analysis["best"], json!([]));
    let body = json!({"game": "ttt", "moves": ["a1", "a1"]});
    for path in ["/api/v1/judge", "/api/v1/review"] {
        let refused = server.post(path, &body).await;
        refused.is_error(400, "bad_request");
    }
    server.end().await;
}

#[tokio::test]
async fn every_move_has_a_value() {
    let server = start().await;
    let body = json!({"game": "ttt", "moves": ["a1", "b2", "a2"], "values": true});
    let analysis = server.post("/api/v1/judge", &body).await.json();
    assert_eq!(analysis["result"], "draw");
    assert_eq!(analysis["best"], json!(["a3"]));
    let values = analysis["values"].as_array().expect("values");
    let moves = values
        .iter()
        .map(|value| value["move"].as_str().expect("a move"));
    assert_eq!(
        moves.collect::<Vec<_>>(),
        ["a3", "b1", "c1", "c2", "b3", "c3"]
    );
    for value in &values[1..] {
        assert_eq!(
            (&value["result"], &value["plies"]),
            (&json!("loss"), &json!(2))
        );
        assert_eq!(value["expected"], 0.0);
    }
    assert_eq!(analysis["hint"]["move"], "a3");
    let why = analysis["hint"]["why"].as_str().expect("a sentence");
    assert!(why.contains("only move that doesn't lose"), "{why}");
    // A finished game has no moves to value.
    let over = json!({"game": "ttt", "moves": ["a1", "b1", "a2", "b2", "a3"], "values": true});
    let analysis = server.post("/api/v1/judge", &over).await.json();
    assert_eq!(
        (&analysis["result"], &analysis["values"]),
        (&json!("loss"), &json!(null))
    );
    server.end().await;
}

#[tokio::test]
async fn games_are_reviewed() {
    let server = start().await;
    let body = json!({"game": "ttt", "moves": ["a1", "b1", "a2", "b2", "a3"]});
    let review = server.post("/api/v1/review", &body).await.json();
    let moves = review["moves"].as_array().expect("moves");
    let qualities = moves
        .iter()
        .map(|one| one["quality"].as_str().expect("a word"));
    assert_eq!(
        qualities.collect::<Vec<_>>(),
        ["best", "mistake", "best", "good", "best"]
    );
    assert_eq!(review["turning_point"], 1);
    assert_eq!(review["accuracy"][0], 100.0);
    assert_eq!(moves[1]["best"]["move"], "b2");
    // Somebody gave up in a drawn position: no move decided that.
    let body = json!({"game": "ttt", "moves": ["b2", "a1"], "result": "first"});
    let review = server.post("/api/v1/review", &body).await.json();
    assert_eq!(review["turning_point"], json!(null));
    server.end().await;
}

#[tokio::test]
async fn positions_are_shown_without_a_match() {
    let server = start().await;
    let show = async |game: &str, moves: &[&str]| {
        let body = json!({"game": game, "moves": moves});
        server.post("/api/v1/position", &body).await
    };
    let shown = show("ttt", &["A1", "b2"]).await.json();
    assert_eq!(shown["moves"], json!(["a1", "b2"]));
    assert_eq!(shown["result"], json!(null));
    let board = &shown["board"];
    assert_eq!(
        (&board["first"], &board["to_move"]),
        (&json!("a"), &json!("a"))
    );
    assert_eq!(board["last"], json!([[1, 1, 0]]));
    let over = show("ttt", &["a1", "b1", "a2", "b2", "a3"]).await.json();
    assert_eq!(
        (&over["result"], &over["board"]["to_move"]),
        (&json!("first"), &json!(null))
    );
    show("ttt", &["a1", "a1"])
        .await
        .is_error(400, "bad_request");
    show("chess", &[]).await.is_error(400, "bad_request");
    server.end().await;
}

/// Every game has a position in which a move wins at once, and exactly the moves that
/// the lesson tells do.
#[tokio::test]
async fn lessons_end_with_a_win_in_one() {
    let server = start().await;
    for entry in Catalog::bundled().games() {
        let key = entry.key;
        let lesson = server
            .get(&format!("/api/v1/lesson?game={key}"))
            .await
            .json();
        let texts =
            |field: &str| -> Vec<String> { serde_json::from_value(lesson[field].clone()).unwrap() };
        let mut game = History::new(Catalog::bundled().game(key).unwrap());
        for text in texts("moves") {
            let m = game.position().parse_move(&text).unwrap();
            game.play(m).unwrap();
        }
        let side = game.position().to_move();
        let mut wins = Vec::new();
        for m in game.position().moves() {
            let mut next = game.clone();
            next.play(m).unwrap();
            if next.outcome() == Some(Outcome::Win(side)) {
                wins.push(game.position().move_text(m));
            }
        }
        assert!(!wins.is_empty(), "{key}");
        assert_eq!(texts("wins"), wins, "{key}");
    }
    server
        .get("/api/v1/lesson?game=chess")
        .await
        .is_error(400, "bad_request");
    server
        .get("/api/v1/lesson")
        .await
        .is_error(400, "bad_request");
    server.end().await;
}

#[tokio::test]
async fn puzzles_come_by_number_rating_and_day() {
    let server = start().await;
    let first = server.get("/api/v1/puzzles/ttt?number=1").await.json();
    assert_eq!(
        (&first["game"], &first["number"]),
        (&json!("ttt"), &json!(1))
    );
    let solution = first["solution"].as_array().expect("moves");
    let boards = first["boards"].as_array().expect("boards");
    assert_eq!(boards.len(), solution.len() + 1);
    // The server's own analysis knows the same move and no other.
    let position = json!({"game": "ttt", "moves": first["moves"]});
    let analysis = server.post("/api/v1/judge", &position).await.json();
    assert_eq!(analysis["best"], json!([solution[0]]));
    assert_eq!(analysis["result"], first["goal"]);
    // The last number is the hardest.
    let count = first["count"].as_u64().expect("a number");
    let path = format!("/api/v1/puzzles/ttt?number={count}");
    let last = server.get(&path).await.json();
    assert!(last["rating"].as_u64() >= first["rating"].as_u64());
    let near = server.get("/api/v1/puzzles/ttt?rating=9000").await.json();
    assert_eq!(near["rating"], last["rating"]);
    let daily = server.get("/api/v1/puzzles/ttt").await.json();
    assert!(
        daily["number"]
            .as_u64()
            .is_some_and(|number| number <= count)
    );

    for (path, status) in [
        ("ttt?number=0", 404),
        ("ttt?number=99999", 404),
        ("ttt?number=many", 400),
        ("bogus", 400),
        ("mnk(m=4,n=3,k=3)", 404),
    ] {
        let answer = server.get(&format!("/api/v1/puzzles/{path}")).await;
        assert_eq!(answer.status, status, "{path}");
    }
    server.end().await;
}
