use core::sync::atomic::Ordering;
use core::time::Duration;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;
use open_ttt_lib::random::Rng;
use open_ttt_net::protocol::{CreateMatch, SeatRequest, UpdateShape};
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use super::Scene;
use crate::connection::Connection;
use crate::match_player::MatchPlayer;
use crate::source::Source;

/// A way to take a server away from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Attack {
    /// Creates matches with computers that have to solve the game first
    Cpu,
    /// Asks for long games over connections on which it reads nothing
    Answers,
    /// Watches an honest match with a thousand connections
    Watchers,
    /// Lets the server judge positions
    Judge,
    /// Fills the lobby with matches
    Lobby,
    /// Plays as fast as it can over many connections
    Acts,
    /// Sends requests of all kinds as fast as it can
    Requests,
    /// Opens connections and sends requests byte by byte
    Slow,
    /// Plays matches on large boards whose spectators don't read
    Unread,
}

/// Concurrent connections of an attacker.
const CONNECTIONS: usize = 40;

impl Attack {
    /// All attacks.
    pub const ALL: [Self; 9] = [
        Self::Cpu,
        Self::Answers,
        Self::Watchers,
        Self::Judge,
        Self::Lobby,
        Self::Acts,
        Self::Requests,
        Self::Slow,
        Self::Unread,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Answers => "answers",
            Self::Watchers => "watchers",
            Self::Judge => "judge",
            Self::Lobby => "lobby",
            Self::Acts => "acts",
            Self::Requests => "requests",
            Self::Slow => "slow",
            Self::Unread => "unread",
        }
    }

    /// Attacks until the scene ends.
    pub(super) async fn run(self, source: Source, scene: Arc<Scene>) {
        match self {
            Self::Cpu => cpu(&source, &scene).await,
            Self::Answers => answers(&source, &scene).await,
            Self::Watchers => watchers(&source, &scene).await,
            Self::Judge => judge(&source, &scene).await,
            Self::Lobby => lobby(&source, &scene).await,
            Self::Acts => acts(&source, &scene).await,
            Self::Requests => requests(&source, &scene).await,
            Self::Slow => slow(&source, &scene).await,
            Self::Unread => unread(&source, &scene).await,
        }
    }
}

impl Scene {
    fn count(&self) {
        self.attempts.fetch_add(1, Ordering::Relaxed);
    }
}

/// Does something over and over, so many at once.
async fn repeat<F: Future>(scene: &Scene, concurrent: usize, act: impl Fn(u64) -> F) {
    stream::iter(0..)
        .for_each_concurrent(concurrent, async |number| {
            scene.count();
            act(number).await;
            // What is refused at once is tried again soon, not in a busy loop.
            sleep(Duration::from_millis(5)).await;
        })
        .await;
}

async fn cpu(source: &Source, scene: &Scene) {
    repeat(scene, CONNECTIONS, async |number| {
        // Different games, so that no answer can be remembered.
        let m = 4 + number % 3;
        let body = format!(
            r#"{{"game":"mnk(m={m},n=4,k=4)","seats":[{{"person":"X"}},{{"computer":"perfect"}}]}}"#
        );
        let _ = source.request("POST", "/api/v1/matches", &body).await;
    })
    .await;
}

/// Plays a long game on a large board, as fast as the server allows.
async fn long_game(source: &Source, moves: u32) -> Result<MatchPlayer, String> {
    let mut player = MatchPlayer::open(source, "mnk(m=15,n=15,k=15)", 1, false).await?;
    for _ in 0..moves {
        player.step().await?;
        sleep(Duration::from_millis(25)).await;
    }
    Ok(player)
}

async fn answers(source: &Source, scene: &Scene) {
    let Ok(player) = long_game(source, 150).await else {
        return;
    };
    let path = format!("/api/v1/matches/{}/games/1", player.link().id());
    let host = source.authority();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n").repeat(20);
    repeat(scene, 700, async |_| {
        let Ok(mut stream) = source.connect(Some(4 * 1024)).await else {
            return;
        };
        let _ = stream.write_all(request.as_bytes()).await;
        // Reads nothing until the server gives up.
        sleep(Duration::from_secs(20)).await;
    })
    .await;
}

async fn watchers(source: &Source, scene: &Scene) {
    repeat(scene, 998, async |number| {
        let Ok(client) = format!("watcher-{number}").parse() else {
            return;
        };
        // An honest player's link without the seat.
        let link = scene.watched.clone().with_token(None);
        let opened = Connection::open(source, link, client, UpdateShape::Views).await;
        if let Ok((mut connection, _)) = opened {
            while connection.receive().await.is_ok() {}
        }
    })
    .await;
}

async fn judge(source: &Source, scene: &Scene) {
    repeat(scene, CONNECTIONS, async |_| {
        let body = r#"{"game":"qubic","moves":[]}"#;
        let _ = source.request("POST", "/api/v1/judge", body).await;
    })
    .await;
}

async fn lobby(source: &Source, scene: &Scene) {
    repeat(scene, CONNECTIONS, async |number| {
        let wanted = CreateMatch {
            game: "ttt".to_owned(),
            clock: None,
            first: None,
            seats: [Some(SeatRequest::Person(format!("Spam {number}"))), None],
            listed: true,
            rated: false,
            moves: Vec::new(),
            key: None,
        };
        if let Ok(created) = source.create(&wanted).await {
            let link = source.server().clone().link(created.id);
            let link = link.with_token(created.token);
            if let Ok(client) = "spam".parse() {
                let opened = Connection::open(source, link, client, UpdateShape::Views).await;
                if let Ok((mut connection, _)) = opened {
                    while connection.receive().await.is_ok() {}
                }
            }
        }
    })
    .await;
}

async fn acts(source: &Source, scene: &Scene) {
    repeat(scene, 80, async |number| {
        if let Ok(mut player) = MatchPlayer::open(source, "ttt", number, false).await {
            while player.step().await.is_ok() {
                scene.count();
            }
        }
    })
    .await;
}

async fn requests(source: &Source, scene: &Scene) {
    let id = scene.watched.id().clone();
    let paths = [
        "/".to_owned(),
        "/api/v1/games".to_owned(),
        "/api/v1/matches".to_owned(),
        format!("/api/v1/matches/{id}"),
        format!("/api/v1/matches/{id}/games"),
        format!("/api/v1/matches/{id}/games/1"),
        "/api/v1/matches/nosuchmatch".to_owned(),
        "/ready".to_owned(),
        "/metrics".to_owned(),
    ];
    repeat(scene, CONNECTIONS, async |number| {
        let path = &paths[number as usize % paths.len()];
        let _ = source.request("GET", path, "").await;
    })
    .await;
}

async fn slow(source: &Source, scene: &Scene) {
    repeat(scene, 1_500, async |number| {
        let Ok(mut stream) = source.connect(None).await else {
            return;
        };
        let mut rng = Rng::new(number);
        let text = b"GET / HTTP/1.1\r\nhost: localhost\r\nx: ";
        for byte in text.iter().chain(core::iter::repeat(&b'a')) {
            if stream.write_all(&[*byte]).await.is_err() {
                break;
            }
            sleep(Duration::from_millis(500 + rng.below(1_000) as u64)).await;
        }
        let _ = stream.read_to_end(&mut Vec::new()).await;
    })
    .await;
}

async fn unread(source: &Source, scene: &Scene) {
    repeat(scene, 8, async |number| {
        let game = "mnk(m=15,n=15,k=15)";
        let Ok(mut player) = MatchPlayer::open(source, game, number, false).await else {
            return;
        };
        let link = player.link().with_token(None);
        let mut spectators = Vec::new();
        for spectator in 0..30 {
            let Ok(client) = format!("blind-{spectator}").parse() else {
                return;
            };
            let link = link.clone();
            let opened = Connection::open(source, link, client, UpdateShape::Views).await;
            // Nothing is received from it.
            spectators.extend(opened.ok());
        }
        while player.step().await.is_ok() {
            scene.count();
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}
