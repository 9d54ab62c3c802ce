//! What is answered without a server: the same as with one, and matches against computers.

use core::time::Duration;

use open_ttt_catalog::Catalog;
use open_ttt_net::answers::{Host, answer};
use open_ttt_search::Clock;
use serde_json::{Value, json};

use crate::http::{get, request};
use crate::test_server::TestServer;

/// The answer to a request, without its wrapping.
#[track_caller]
fn ask(request: &Value) -> Value {
    let host = Host {
        clock: Clock::new(|| Duration::ZERO),
        seed: 7,
    };
    let json = answer(&Catalog::bundled(), &request.to_string(), &host);
    serde_json::from_str(&json).unwrap()
}

#[track_caller]
fn answered(request: &Value) -> Value {
    let mut answer = ask(request);
    assert_eq!(answer.get("error"), None, "{request}");
    answer["answer"].take()
}

#[test]
fn answers_are_those_of_the_server() {
    let server = TestServer::start();
    let post = |path: &str, body: &Value| {
        let headers = [("content-type", "application/json")];
        let path = format!("/api/v1/{path}");
        request(server.address, "POST", &path, &headers, &body.to_string()).json()
    };
    let position = json!({"game": "ttt", "moves": ["a1", "b2", "a2"]});
    let judged = json!({"game": "ttt", "moves": ["a1", "b2", "a2"], "values": true});
    for (name, path, body) in [
        ("judge", "judge", &position),
        ("judge", "judge", &judged),
        ("position", "position", &position),
        ("review", "review", &position),
        // Errors are the same, too.
        (
            "position",
            "position",
            &json!({"game": "ttt", "moves": ["a1", "a1"]}),
        ),
        ("judge", "judge", &json!({"game": "chess", "moves": []})),
    ] {
        let served = post(path, body);
        let expected = match served.get("error") {
            None => json!({"answer": served}),
            Some(error) => json!({"error": error}),
        };
        assert_eq!(ask(&json!({(name): body})), expected, "{path} {body}");
    }
    let lesson = answered(&json!({"lesson": {"game": "connect4"}}));
    assert_eq!(
        lesson,
        get(server.address, "/api/v1/lesson?game=connect4").json()
    );
    let puzzle = answered(&json!({"puzzle": {"game": "hex", "number": 5, "now": 0}}));
    assert_eq!(
        puzzle,
        get(server.address, "/api/v1/puzzles/hex?number=5").json()
    );
}

/// A match against a computer, as a page keeps it.
struct Kept {
    solo: Value,
    now: u64,
}

impl Kept {
    fn begin(game: &str, computer: &str, first: &str) -> Self {
        let seats = json!([{"person": "Ann"}, {"computer": computer}]);
        let wanted = json!({"game": game, "seats": seats, "first": first});
        let solo = answered(&json!({"begin": {"wanted": wanted, "now": 1_000}}));
        Self { solo, now: 1_000 }
    }

    fn view(&self) -> Value {
        let welcome = json!({"id": "solo-1", "solo": self.solo, "now": self.now});
        answered(&json!({"welcome": welcome}))["state"]["view"].take()
    }

    /// Proposes an act, and returns the messages.
    fn propose(&mut self, by_computer: bool, act: &Value) -> Vec<Value> {
        let base = self.solo["entries"].as_array().unwrap().len();
        self.propose_at(by_computer, act, base, base)
    }

    fn propose_at(
        &mut self,
        by_computer: bool,
        act: &Value,
        base: usize,
        number: usize,
    ) -> Vec<Value> {
        self.now += 10;
        let proposal = json!({"by_computer": by_computer, "client": "page", "number": number, "base": base, "act": act, "now": self.now});
        let mut answer = answered(&json!({"propose": {"solo": self.solo, "proposal": proposal}}));
        let added = answer["entries"].as_array_mut().unwrap();
        self.solo["entries"].as_array_mut().unwrap().append(added);
        answer["messages"].as_array().unwrap().clone()
    }

    fn play(&mut self, text: &str) -> Vec<Value> {
        self.propose(false, &json!({"move": {"text": text}}))
    }

    /// Lets the computer move.
    fn reply(&mut self) -> Vec<Value> {
        let act = answered(&json!({"decide": {"solo": self.solo}}));
        self.propose(true, &act)
    }
}

/// The types of messages.
fn types(messages: &[Value]) -> Vec<&str> {
    let types = messages.iter().map(|message| message["type"].as_str());
    types.map(Option::unwrap).collect()
}

#[test]
fn a_person_plays_a_computer_without_a_server() {
    let mut kept = Kept::begin("ttt", "perfect", "a");
    assert_eq!(kept.view()["to_move"], "a");
    assert_eq!(
        answered(&json!({"decide": {"solo": kept.solo}})),
        Value::Null
    );
    assert_eq!(types(&kept.play("a1")), ["accepted"]);
    // Not its turn, and not a state of this match.
    assert_eq!(types(&kept.play("a2")), ["refused"]);
    let late = kept.propose_at(false, &json!("resign"), 2, 9);
    assert_eq!(types(&late), ["overtaken"]);
    // A proposal that was sent twice.
    let again = kept.propose_at(false, &json!({"move": {"text": "a1"}}), 2, 2);
    assert_eq!(types(&again), ["duplicate"]);
    let change = kept.reply();
    assert_eq!(types(&change), ["change"]);
    // The only answer that doesn't lose.
    assert_eq!(change[0]["view"]["moves"], json!(["a1", "b2"]));
    // It declines draws, and lets moves be taken back.
    assert_eq!(
        types(&kept.propose(false, &json!("offer_draw"))),
        ["accepted", "change"]
    );
    let taken = kept.propose(false, &json!("ask_take_back"));
    assert_eq!(types(&taken), ["accepted", "change"]);
    assert_eq!(taken[1]["view"]["moves"], json!([]));
    kept.propose(false, &json!("resign"));
    let again = kept.propose(false, &json!("rematch"));
    assert_eq!(types(&again), ["accepted", "change"]);
    let view = kept.view();
    assert_eq!(
        (&view["number"], &view["to_move"]),
        (&json!(2), &json!("b"))
    );
    assert_eq!(view["score"], json!({"wins": [0, 1], "draws": 0}));
    kept.reply();
    let frames = json!({"solo": kept.solo, "number": 2, "from": 0});
    let frames = answered(&json!({"frames": frames}));
    assert_eq!(frames["boards"].as_array().unwrap().len(), 2);
    let missing = ask(&json!({"frames": {"solo": kept.solo, "number": 3, "from": 0}}));
    assert_eq!(missing["error"]["code"], "not_found");
}

#[test]
fn every_game_is_played_to_its_end() {
    for entry in Catalog::bundled().games() {
        let mut kept = Kept::begin(entry.key, "random", "b");
        let mut view = kept.view();
        while view["verdict"] == Value::Null {
            // The person plays as at random, too.
            let act = answered(&json!({"decide": {"solo": kept.solo}}));
            let messages = if act == Value::Null {
                let board = &view["board"];
                let cells = board["cells"].as_array().unwrap().iter();
                let trays = board["trays"].as_array().into_iter().flatten();
                let in_trays = trays.flat_map(|tray| tray["cells"].as_array().unwrap());
                let choices = board["choices"].as_array().into_iter().flatten();
                let mut moves = cells.chain(in_trays).chain(choices);
                let m = moves.find_map(|it| it["move"].as_str()).unwrap();
                kept.play(m)
            } else {
                kept.propose(true, &act)
            };
            let last = messages.last().unwrap();
            let change = last.get("change").unwrap_or(last);
            view = change["view"].clone();
            assert!(view.is_object(), "{}: {messages:?}", entry.key);
        }
    }
}

#[test]
fn what_needs_a_server_is_refused() {
    let person = json!({"person": "Ann"});
    let computer = json!({"computer": "easy"});
    for wanted in [
        json!({"game": "ttt", "seats": [person, person]}),
        json!({"game": "ttt", "seats": [person, null]}),
        json!({"game": "ttt", "seats": [computer, computer]}),
        json!({"game": "ttt", "seats": [person, computer], "rated": true}),
        json!({"game": "ttt", "seats": [person, computer], "clock": {"initial_ms": 60_000}}),
        json!({"game": "chess", "seats": [person, computer]}),
        json!({"game": "ttt", "seats": [person, {"computer": "genius"}]}),
        json!({"game": "ttt", "seats": [person, {"computer": "net:secrets.txt"}]}),
    ] {
        let answer = ask(&json!({"begin": {"wanted": wanted, "now": 0}}));
        assert_eq!(answer["error"]["code"], "bad_request", "{wanted}");
    }
    // A match that was changed by somebody else's hand.
    let mut kept = Kept::begin("ttt", "easy", "a");
    kept.play("b2");
    let last = kept.solo["entries"].as_array_mut().unwrap().last_mut();
    last.unwrap()["transition"]["act"]["move"]["text"] = json!("z9");
    let welcome = json!({"id": "solo-1", "solo": kept.solo, "now": 0});
    let answer = ask(&json!({"welcome": welcome}));
    assert_eq!(answer["error"]["code"], "damaged");
    assert_eq!(ask(&json!({"delete": {}}))["error"]["code"], "bad_message");
}
