//! The game on the program's server: two people, a computer, and what the page shows.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use load::ServerProcess;
use open_ttt::Catalog;
use open_ttt::rules::Described;
use open_ttt_net::client::{Client, Link, Lobby, ServerAddress};
use open_ttt_net::matches::{Act, Seat};
use open_ttt_net::protocol::{CreateMatch, JoinMatch, SeatRequest};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::game::Reversi;

fn served() -> (Runtime, ServerProcess) {
    let program = Path::new(env!("CARGO_BIN_EXE_tutorial_reversi"));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    (runtime, ServerProcess::start(program, "memory").unwrap())
}

fn client(link: Link) -> Client {
    Client::new(Catalog::empty().with::<Reversi>(), link).unwrap()
}

/// Creates a match in which Ann goes first. Returns her link.
async fn create(server: &ServerAddress, other: Option<SeatRequest>) -> Link {
    let request = CreateMatch {
        game: "reversi".to_owned(),
        clock: None,
        first: Some(Seat::A),
        seats: [Some(SeatRequest::Person("Ann".to_owned())), other],
        listed: false,
        rated: false,
        moves: Vec::new(),
        key: None,
    };
    let seated = Lobby::new(server.clone()).create(&request).await.unwrap();
    server.clone().link(seated.id).with_token(seated.token)
}

/// Waits until this many moves are confirmed.
async fn wait_for_moves(client: &mut Client, count: usize) {
    let moves = |client: &Client| {
        let state = client.session().confirmed();
        state.map_or(0, |state| state.game().moves().len())
    };
    while moves(client) < count || client.session().confirmed().is_none() {
        client.next().await.unwrap();
    }
}

#[test]
fn two_people_play() {
    let (runtime, served) = served();
    runtime.block_on(async {
        let link = create(served.server(), None).await;
        let join = JoinMatch {
            player: SeatRequest::Person("Bob".to_owned()),
            seat: None,
            token: None,
            key: None,
        };
        let lobby = Lobby::new(served.server().clone());
        let seated = lobby.join(link.id(), &join).await.unwrap();
        let mut ann = client(link.clone());
        let mut bob = client(link.with_token(seated.token));
        wait_for_moves(&mut ann, 0).await;
        wait_for_moves(&mut bob, 0).await;
        ann.propose(Act::play("d3"))
            .unwrap_or_else(|error| panic!("{error}"));
        wait_for_moves(&mut ann, 1).await;
        wait_for_moves(&mut bob, 1).await;
        assert!(bob.propose(Act::play("a1")).is_err(), "turns no disc");
        bob.propose(Act::play("c3"))
            .unwrap_or_else(|error| panic!("{error}"));
        wait_for_moves(&mut bob, 2).await;
        wait_for_moves(&mut ann, 2).await;
        let state = ann.session().confirmed().unwrap();
        assert_eq!(state.to_move(), Some(Seat::A));
    });
}

#[test]
fn a_computer_answers() {
    let (runtime, served) = served();
    runtime.block_on(async {
        let computer = SeatRequest::Computer("negamax(depth=2)".to_owned());
        let mut ann = client(create(served.server(), Some(computer)).await);
        wait_for_moves(&mut ann, 0).await;
        ann.propose(Act::play("d3"))
            .unwrap_or_else(|error| panic!("{error}"));
        wait_for_moves(&mut ann, 2).await;
    });
}

#[test]
fn the_page_lists_the_game() {
    let (_, served) = served();
    let server = served.server();
    let mut stream = TcpStream::connect((server.host(), server.port())).unwrap();
    let request = "GET /api/v1/games HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (_, body) = response.split_once("\r\n\r\n").unwrap();
    let games: Value = serde_json::from_str(body).unwrap();
    let games = games.as_array().unwrap();
    let is_ours = |game: &&Value| game["game"] == "reversi";
    let game = games.iter().find(is_ours).unwrap();
    assert_eq!(game["rules"], Reversi::RULES);
    assert_eq!(game["board"]["cells"].as_array().unwrap().len(), 64);
}
