use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use open_ttt_lib::random::Rng;
use open_ttt_lib::rules::{Notation, TwoPlayerGame};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::World;
use super::client::Client;
use super::model::Model;
use crate::MatchId;
use crate::matches::{Act, Seat};
use crate::protocol::{MatchList, PairingCancelled, PlayerKey, SeatAssignment};

/// Somebody who plays and watches all day, one match at a time.
pub(super) struct Person {
    world: Rc<World>,
    rng: Rng,
    index: usize,
    name: String,
    key: PlayerKey,
    address: IpAddr,
    /// The private matches that others invite this person to.
    invitations: mpsc::UnboundedReceiver<MatchId>,
}

/// How a person plays a match.
struct Manner {
    /// The shortest and the longest pause between two looks at the board, in
    /// milliseconds.
    pause: (u64, u64),
    /// The request that is repeated until somebody comes.
    pairing: Option<Value>,
    against_computer: bool,
}

/// What a look at the board leads to.
enum Step {
    Go,
    Leave,
    /// Another match, for which this one is given up.
    Switch(Box<SeatAssignment>),
}

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;

const GAMES: [&str; 4] = ["ttt", "connect4", "dots(m=2,n=2)", "hex(size=4,swap=1)"];

impl Person {
    pub(super) fn new(
        world: &Rc<World>,
        index: usize,
        rng: Rng,
        invitations: mpsc::UnboundedReceiver<MatchId>,
    ) -> Self {
        let mut bytes = [0; 16];
        bytes[0] = u8::try_from(index).expect("few persons");
        Self {
            world: Rc::clone(world),
            rng,
            index,
            name: format!("Person {index}"),
            key: PlayerKey(crate::protocol::Token::from_bytes(bytes)),
            address: IpAddr::from([192, 0, 2, bytes[0]]),
            invitations,
        }
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.rng.below((high - low) as usize) as u64
    }

    /// True in so many of a hundred cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.below(100) < percent
    }

    fn count(&self, event: &'static str) {
        self.world.ledger.borrow_mut().count(event);
    }

    /// Lives until the end of the day.
    pub(super) async fn live(mut self) {
        while !self.world.is_over() {
            let rest = Duration::from_millis(self.between(MINUTE, 30 * MINUTE));
            if let Ok(invitation) = timeout(rest, self.invitations.recv()).await {
                self.accept(invitation.expect("the world lasts")).await;
                continue;
            }
            if self.world.is_over() {
                return;
            }
            match self.rng.below(10) {
                0 | 1 => self.invite().await,
                2..=4 => self.meet_in_lobby().await,
                5 | 6 => self.pair().await,
                7 => self.play_computer().await,
                8 => self.watch().await,
                _ => self.look_at_profile().await,
            }
        }
    }

    /// A request that may fail because no server serves, or the store is full.
    async fn post(&mut self, path: &str, body: &Value) -> Option<Value> {
        let (status, answer) = self.world.post(self.address, path, body).await?;
        match status.as_u16() {
            200 | 201 => Some(answer),
            // Somebody was faster, the operator's machine fails, or the server stops.
            404 | 409 | 503 => {
                self.count("failed requests");
                None
            }
            _ => panic!("{path} with {body}: {status} {answer}"),
        }
    }

    fn manner(&mut self) -> Manner {
        let pause = match self.rng.below(4) {
            0 | 1 => (300, 6 * SECOND),
            2 => (2 * SECOND, 40 * SECOND),
            _ => (20 * SECOND, 4 * MINUTE),
        };
        Manner {
            pause,
            pairing: None,
            against_computer: false,
        }
    }

    /// The settings of a new match.
    fn settings(&mut self, listed: bool) -> Value {
        let game = GAMES[self.rng.below(GAMES.len())];
        let first = ["a", "b"][self.rng.below(2)];
        let mut body = json!({"game": game, "first": first, "listed": listed});
        body["seats"] = json!([{"person": self.name}, null]);
        let rated = self.chance(30);
        if rated {
            body["rated"] = true.into();
        }
        if rated || self.chance(50) {
            body["key"] = json!(self.key);
        }
        if !rated && !listed && self.chance(30) {
            body["moves"] = json!(self.some_moves(game));
            self.count("from a position");
        }
        if self.chance(50) {
            let initial = self.between(10, 120) * SECOND;
            body["clock"] = json!({"initial_ms": initial, "increment_ms": self.between(0, 3_000)});
        }
        body
    }

    /// A few random moves of a game that isn't over then.
    fn some_moves(&mut self, game: &str) -> Vec<String> {
        let mut position = self.world.catalog.game(game).expect("a game");
        let count = 1 + self.rng.below(3);
        let mut texts = Vec::new();
        for _ in 0..count {
            let m = self.rng.pick(position.moves()).expect("a move");
            texts.push(position.move_text(m));
            position.play(m).expect("a legal move");
        }
        texts
    }

    /// The client of a seat that this person has taken.
    fn client(&self, assignment: Value, has_key: bool) -> Client {
        let assignment: SeatAssignment = serde_json::from_value(assignment).expect("a seat");
        let key = has_key.then(|| self.key.clone());
        Client::new(
            &self.world,
            self.address,
            assignment.id,
            assignment.token,
            key,
        )
    }

    async fn create(&mut self, body: Value) -> Option<Client> {
        let has_key = body["key"].is_string();
        let assignment = self.post("/api/v1/matches", &body).await?;
        self.count("created");
        Some(self.client(assignment, has_key))
    }

    async fn invite(&mut self) {
        let body = self.settings(false);
        let Some(client) = self.create(body).await else {
            return;
        };
        self.world
            .invite(self.index, client.id().clone(), &mut self.rng);
        let manner = self.manner();
        self.play(client, manner).await;
    }

    async fn accept(&mut self, id: MatchId) {
        let body = json!({"player": {"person": self.name}, "key": self.key});
        let path = format!("/api/v1/matches/{id}/join");
        if let Some(assignment) = self.post(&path, &body).await {
            self.count("joined by a link");
            let (client, manner) = (self.client(assignment, true), self.manner());
            self.play(client, manner).await;
        }
    }

    async fn meet_in_lobby(&mut self) {
        let list = self.world.get(self.address, "/api/v1/matches").await;
        let Some(list) = list else { return };
        let list: MatchList = serde_json::from_value(list).expect("a list");
        let others = list
            .matches
            .into_iter()
            .filter(|listed| listed.name.as_ref() != Some(&self.name));
        if let Some(listed) = self.rng.pick(others) {
            return self.accept(listed.id).await;
        }
        let body = self.settings(true);
        if let Some(client) = self.create(body).await {
            self.count("listed");
            let manner = self.manner();
            self.play(client, manner).await;
        }
    }

    async fn pair(&mut self) {
        let mut body = json!({"game": GAMES[self.rng.below(2)], "rated": true});
        body["name"] = self.name.clone().into();
        body["key"] = json!(self.key);
        let Some(assignment) = self.post("/api/v1/pair", &body).await else {
            return;
        };
        let mut manner = self.manner();
        manner.pairing = Some(body);
        let client = self.client(assignment, true);
        self.play(client, manner).await;
    }

    async fn play_computer(&mut self) {
        let mut body = self.settings(false);
        body["seats"][1] = json!({"computer": "random"});
        for field in ["rated", "clock"] {
            body.as_object_mut().expect("an object").remove(field);
        }
        if let Some(client) = self.create(body).await {
            self.count("against a computer");
            let mut manner = self.manner();
            manner.against_computer = true;
            self.play(client, manner).await;
        }
    }

    async fn watch(&mut self) {
        let Some(id) = self.world.running(&mut self.rng).await else {
            return;
        };
        self.count("watched");
        let mut client = match self.rng.below(2) {
            0 => Client::spectator(&self.world, self.address, id),
            _ => Client::new(&self.world, self.address, id, None, None),
        };
        let end = self.world.time.now() + self.between(MINUTE, 20 * MINUTE);
        while self.world.time.now() < end && !self.world.is_over() {
            if client.is_connected() || client.connect().await {
                let watching = Duration::from_millis(self.between(SECOND, 5 * MINUTE));
                let watching = timeout(watching, async {
                    while client.is_connected() {
                        client.receive().await;
                    }
                });
                let _ = watching.await;
                if self.chance(20) {
                    client.disconnect();
                }
            }
            sleep(Duration::from_secs(3)).await;
        }
        client.disconnect();
    }

    async fn look_at_profile(&mut self) {
        let player = crate::protocol::PlayerId::of(&self.key);
        let path = format!("/api/v1/players/{player}");
        if let Some(profile) = self.world.get(self.address, &path).await {
            assert_eq!(profile["player"], player.to_string());
            self.count("profiles");
        }
    }

    /// Plays a match until it is over, or as long as it pleases.
    async fn play(&mut self, mut client: Client, mut manner: Manner) {
        let patience = self.between(5 * MINUTE, 60 * MINUTE);
        let mut leaves_at = self.world.time.now() + patience;
        // When the next look at the board is due; without a connection, the next try.
        let mut look_at = self.world.time.now();
        loop {
            let wake_at = look_at.min(client.due().unwrap_or(u64::MAX));
            tokio::select! {
                biased;
                () = client.receive() => {
                    if manner.against_computer {
                        self.world.settle().await;
                    }
                    if !client.is_connected() {
                        look_at = self.world.time.now() + self.between(200, 5 * SECOND);
                    }
                    continue;
                }
                () = self.world.time.sleep_until(wake_at) => {}
            }
            let now = self.world.time.now();
            client.send_pending().await;
            if now < look_at {
                continue;
            }
            if !client.is_connected() {
                if now >= leaves_at || self.world.is_over() {
                    break;
                }
                let pause = if client.connect().await {
                    self.between(manner.pause.0, manner.pause.1)
                } else {
                    self.between(500, 5 * SECOND)
                };
                look_at = self.world.time.now() + pause;
                if manner.against_computer {
                    self.world.settle().await;
                }
                continue;
            }
            match self.step(&mut client, &manner, now >= leaves_at).await {
                Step::Go => {}
                Step::Leave => break,
                Step::Switch(assignment) => {
                    self.count("switched to a longer waiting opponent");
                    client.disconnect();
                    let assignment = serde_json::to_value(assignment).expect("JSON");
                    client = self.client(assignment, true);
                    manner.pairing = None;
                    leaves_at = now + patience;
                }
            }
            let pause = self.between(manner.pause.0, manner.pause.1);
            // Sometimes a player falls asleep, and flags.
            let nap = if self.rng.below(200) == 0 {
                10 * MINUTE
            } else {
                0
            };
            look_at = look_at.max(self.world.time.now()) + pause + nap;
            if !client.is_connected() {
                let longer = if self.chance(15) {
                    3 * MINUTE
                } else {
                    5 * SECOND
                };
                look_at = self.world.time.now() + self.between(200, longer);
            }
        }
        client.disconnect();
    }

    /// Looks at the board, connected, and does something.
    async fn step(&mut self, client: &mut Client, manner: &Manner, is_late: bool) -> Step {
        if self.world.is_over() {
            return Step::Leave;
        }
        if self.trouble(client) || client.is_waiting_for_answer() {
            return Step::Go;
        }
        let (model, seat) = (client.model.clone(), client.seat);
        let (Some(model), Some(seat)) = (model, seat) else {
            return Step::Go;
        };
        if !model.has_started() {
            return self.wait_for_opponent(client, manner, is_late).await;
        }
        let is_opponent_here = client.presence.seats[(!seat).index()];
        let act = if model.face.verdict.is_some() {
            let asks = !model.face.rematch[seat.index()];
            if is_late || !is_opponent_here || self.chance(30) {
                return Step::Leave;
            }
            (asks && self.chance(60)).then_some(Act::Rematch)
        } else if is_late {
            if self.chance(50) {
                self.count("left for good");
                return Step::Leave;
            }
            Some(Act::Resign)
        } else {
            self.choose(&model, seat, is_opponent_here)
        };
        if let Some(act) = act {
            client.propose(act).await;
            if self.chance(2) {
                self.count("lost the answer");
                client.disconnect();
            }
        }
        Step::Go
    }

    /// What can happen to a client at any time. Returns whether it did.
    fn trouble(&mut self, client: &mut Client) -> bool {
        match self.rng.below(100) {
            0 => {
                self.count("fell silent");
                client.fall_silent();
            }
            1 => {
                self.count("lost the tab");
                client.forget();
            }
            2 | 3 => {
                self.count("disconnected");
                client.disconnect();
            }
            _ => return false,
        }
        true
    }

    async fn wait_for_opponent(
        &mut self,
        client: &mut Client,
        manner: &Manner,
        is_late: bool,
    ) -> Step {
        let Some(pairing) = &manner.pairing else {
            return if is_late { Step::Leave } else { Step::Go };
        };
        if is_late {
            let body = json!({"match": client.id(), "key": self.key});
            let answer = self.post("/api/v1/pair/cancel", &body).await;
            let Some(answer) = answer else {
                return Step::Go;
            };
            let answer: PairingCancelled = serde_json::from_value(answer).expect("an answer");
            if answer.cancelled {
                self.count("gave up waiting");
                return Step::Leave;
            }
            return Step::Go;
        }
        let mut body = pairing.clone();
        body["waiting"] = json!(client.id());
        let Some(answer) = self.post("/api/v1/pair", &body).await else {
            return Step::Go;
        };
        let answer: SeatAssignment = serde_json::from_value(answer).expect("a seat");
        if answer.id == *client.id() {
            return Step::Go;
        }
        Step::Switch(Box::new(answer))
    }

    /// What to do in a game; `None` to wait.
    fn choose(&mut self, model: &Model, seat: Seat, is_opponent_here: bool) -> Option<Act> {
        let roll = self.rng.below(100);
        if model.face.draw_offer == Some(!seat) && roll < 50 {
            return Some([Act::AcceptDraw, Act::RefuseDraw][roll % 2].clone());
        }
        if model.face.take_back == Some(!seat) && roll < 90 {
            return Some([Act::GrantTakeBack, Act::RefuseTakeBack][roll % 2].clone());
        }
        if model.to_move() == Some(seat) && roll < 86 {
            let position = model.position();
            let m = self.rng.pick(position.moves()).expect("a move");
            return Some(Act::play(&position.move_text(m)));
        }
        if !is_opponent_here && model.face.claim.is_none() && self.chance(30) {
            return Some(Act::Claim);
        }
        Some(match self.rng.below(40) {
            0 | 1 => Act::OfferDraw,
            2..=5 => Act::AskTakeBack,
            6 => Act::Resign,
            7 => Act::Claim,
            // What is possible only now and then.
            8 => Act::play("a1"),
            9 => Act::play("not a move"),
            10 => Act::GrantTakeBack,
            11 => Act::AcceptDraw,
            12 => Act::Rematch,
            _ => return None,
        })
    }
}
