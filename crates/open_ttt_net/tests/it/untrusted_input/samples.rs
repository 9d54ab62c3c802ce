//! Valid messages.

use crate::games::find;
use open_ttt_lib::state_machine::StateMachine;
use open_ttt_net::MatchId;
use open_ttt_net::matches::{
    Act, Actor, DynMatch, MatchConflict, Player, SavedMatch, Seat, Settings, TimeControl,
    Transition,
};
use open_ttt_net::protocol::{
    AnalyzePosition, CancelPairing, Change, ClientMessage, CreateMatch, ErrorCode, ErrorReport,
    FindPlayer, GameResult, Hello, JoinMatch, KnownState, MatchView, PairPlayer, PlayerKey,
    Presence, ReviewGame, SeatRequest, ServerMessage, Token, UpdateShape, Welcome, WelcomeState,
};
use open_ttt_net::replication::{Digest, LogEntry, Sequence};
use serde::Serialize;
use serde_json::json;

fn json<T: Serialize>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    let json = |value| serde_json::to_string(&value).unwrap();
    values.into_iter().map(json).collect()
}

pub(super) fn ids() -> Vec<String> {
    let ids = ["k3h9zq4m2x7d", "A-b_9", "0123456789abcdef"];
    let longest = "0123456789abcdef0123456789abcdef";
    ids.into_iter()
        .chain([longest])
        .map(str::to_owned)
        .collect()
}

fn acts() -> Vec<Act> {
    vec![
        Act::play("b2"),
        Act::play("4"),
        Act::play("A"),
        Act::OfferDraw,
        Act::AcceptDraw,
        Act::RefuseDraw,
        Act::AskTakeBack,
        Act::GrantTakeBack,
        Act::RefuseTakeBack,
        Act::Claim,
        Act::Stay,
        Act::Resign,
        Act::Rematch,
    ]
}

pub(crate) fn client_messages() -> Vec<String> {
    let digest = Digest::of(&"a");
    let hello = |token, have, shape| {
        ClientMessage::Hello(Hello {
            protocol: 1,
            client: "client-1".parse().unwrap(),
            token,
            have,
            shape,
            key: None,
        })
    };
    let have = KnownState {
        sequence: Sequence::new(7),
        digest,
    };
    let mut messages = vec![
        hello(None, None, UpdateShape::Views),
        hello(
            Some(Token::from_bytes([7; 16])),
            Some(have),
            UpdateShape::Transitions,
        ),
        ClientMessage::Ping { number: 3 },
    ];
    messages.extend(acts().into_iter().map(|act| ClientMessage::Propose {
        number: 1,
        base: Sequence::new(2),
        act,
    }));
    json(messages)
}

pub(super) fn request_bodies() -> Vec<String> {
    let clock = TimeControl {
        initial_ms: 180_000,
        increment_ms: 2_000,
    };
    let mut bodies = json([CreateMatch {
        game: "pegs(lines=38)".to_owned(),
        clock: Some(clock),
        first: Some(Seat::B),
        seats: [
            Some(SeatRequest::Person("Ann".to_owned())),
            Some(SeatRequest::Computer("perfect(mistakes=0.2)".to_owned())),
        ],
        listed: false,
        rated: false,
        moves: ["A", "C"].map(Into::into).to_vec(),
        key: None,
    }]);
    bodies.extend(json([JoinMatch {
        player: SeatRequest::Person("Bob".to_owned()),
        seat: Some(Seat::B),
        token: Some(Token::from_bytes([9; 16])),
        key: None,
    }]));
    bodies.extend(json([AnalyzePosition {
        game: "connect4".to_owned(),
        moves: ["4", "4", "5"].map(str::to_owned).to_vec(),
        values: true,
        ms: Some(100),
    }]));
    bodies.extend(json([ReviewGame {
        game: "ttt".to_owned(),
        moves: ["a1", "b2", "c3"].map(str::to_owned).to_vec(),
        result: Some(GameResult::Second),
    }]));
    let key = PlayerKey(Token::from_bytes([5; 16]));
    let pairing = PairPlayer {
        game: "ttt".to_owned(),
        clock: Some(clock),
        rated: true,
        name: "Ann".to_owned(),
        key: key.clone(),
        waiting: None,
    };
    let id: MatchId = "k3h9zq4m2x7d".parse().unwrap();
    bodies.extend(json([pairing]));
    bodies.extend(json([CancelPairing {
        id,
        key: key.clone(),
    }]));
    bodies.extend(json([FindPlayer { key }]));
    bodies
}

/// A match with most kinds of transitions, and the state after each of them.
fn sample_match(settings: Settings, moves: [&str; 5]) -> (Vec<Transition>, Vec<DynMatch>) {
    let mut state = DynMatch::new(settings, find).unwrap();
    let (mut transitions, mut states) = (Vec::new(), vec![state.clone()]);
    let join = |seat, name: &str| {
        let player = Player::person(name);
        (Some(Actor::Server), Act::Join { seat, player })
    };
    let seated = |act| (None, act);
    let mut acts = vec![join(Seat::A, "Ann"), join(Seat::B, "Bob")];
    acts.extend(moves[..3].iter().map(|text| seated(Act::play(text))));
    acts.extend([Act::OfferDraw, Act::AskTakeBack, Act::Claim].map(seated));
    acts.extend(moves[3..].iter().map(|text| seated(Act::play(text))));
    acts.extend([Act::Resign, Act::Rematch].map(seated));
    for (index, (by, act)) in acts.into_iter().enumerate() {
        let by = by
            .or_else(|| state.to_move().map(Actor::Seat))
            .unwrap_or(Actor::Seat(Seat::A));
        let at = 1_700_000_000_000 + 500 * index as u64;
        let transition = Transition { at, by, act };
        state = state.apply(&transition).unwrap();
        transitions.push(transition);
        states.push(state.clone());
    }
    (transitions, states)
}

fn sample_matches() -> Vec<(Vec<Transition>, Vec<DynMatch>)> {
    let clock = TimeControl {
        initial_ms: 60_000,
        increment_ms: 1_000,
    };
    let timed = Settings {
        clock: Some(clock),
        first: Seat::B,
        ..Settings::of_game("connect4")
    };
    let begun = Settings {
        moves: ["1", "7", "1"].map(Into::into).to_vec(),
        ..timed.clone()
    };
    vec![
        sample_match(Settings::of_game("ttt"), ["b2", "a1", "c3", "a3", "c1"]),
        sample_match(timed, ["4", "4", "4", "3", "5"]),
        sample_match(begun, ["4", "4", "4", "3", "5"]),
        sample_match(
            Settings::of_game("pegs(lines=38)"),
            ["A", "A", "B", "C", "H"],
        ),
    ]
}

pub(super) fn match_states() -> Vec<String> {
    json(sample_matches().into_iter().flat_map(|(_, states)| states))
}

pub(super) fn transitions() -> Vec<String> {
    let played = sample_matches()
        .into_iter()
        .flat_map(|(transitions, _)| transitions);
    let seats = [Actor::Seat(Seat::A), Actor::Seat(Seat::B), Actor::Server];
    let acts = acts().into_iter().chain([Act::TimeOut, Act::Forfeit]);
    let others = acts.flat_map(|act| {
        seats.map(|by| Transition {
            at: 1_700_000_100_000,
            by,
            act: act.clone(),
        })
    });
    json(played.chain(others))
}

/// Match logs of version 1 as stored, one entry per line.
pub(super) fn logs() -> Vec<String> {
    let matches = sample_matches().into_iter();
    let from_the_start = matches.filter(|(_, states)| states[0].settings().moves.is_empty());
    from_the_start.map(|played| log(1, played)).collect()
}

/// Match logs of versions 2 and 3, without the checksums.
pub(super) fn chained_logs() -> Vec<String> {
    let version = |states: &[DynMatch]| {
        if states[0].settings().moves.is_empty() {
            2
        } else {
            3
        }
    };
    let matches = sample_matches().into_iter();
    matches
        .map(|played| log(version(&played.1), played))
        .collect()
}

fn log(version: u32, (transitions, states): (Vec<Transition>, Vec<DynMatch>)) -> String {
    let header = json!({
        "version": version,
        "settings": states[0].settings(),
        "listed": true,
        "at": 1_700_000_000_000_u64,
    });
    let entries = transitions.iter().zip(1_u64..).map(|(transition, number)| {
        let mut entry = json!({"client": "client-1", "number": number, "transition": transition});
        if matches!(transition.act, Act::Join { .. }) {
            entry["key"] = "0123456789abcdef".repeat(4).into();
        }
        entry
    });
    let lines = [header].into_iter().chain(entries);
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    lines.join("\n")
}

/// Requests for administration: method and path, and the body.
pub(super) fn admin_requests() -> Vec<String> {
    [
        "GET status\n",
        "GET matches?stored=true&after=a\n",
        "GET matches/m\n",
        "DELETE matches/m\n",
        "POST matches/m/close\n",
        "POST matches/m/reopen\n",
        "GET bans\n",
        "POST bans\n{\"who\":{\"network\":\"192.0.2.0/24\"},\"until\":7,\"reason\":\"spam\"}",
        "POST bans\n{\"who\":{\"name\":\"Eve\"}}",
        "POST unban\n{\"name\":\"Eve\"}",
        "POST drain\n{\"on\":true,\"text\":\"Back soon.\"}",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The operator's decisions as stored, one a line.
pub(super) fn decisions() -> Vec<String> {
    let ban = |who: &str, more: &str| format!(r#"{{"ban":{{"who":{who}{more}}}}}"#);
    let network = r#"{"network":"2001:db8::/32"}"#;
    let name = r#"{"name":"Eve"}"#;
    let until = r#","until":18446744073709551615,"reason":"spam""#;
    vec![
        ban(network, ""),
        [ban(network, until), ban(name, "")].join("\n"),
        [
            ban(name, ""),
            r#"{"close":"m"}"#.to_owned(),
            format!(r#"{{"unban":{name}}}"#),
            r#"{"reopen":"m"}"#.to_owned(),
            ban(network, until),
        ]
        .join("\n"),
    ]
}

/// Names of players.
pub(super) fn names() -> Vec<String> {
    [
        "Ann",
        "Zoë Ünal",
        "李小龍",
        "Nguyễn Văn A",
        "🦊 Kim",
        "O'Neil-3",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Lines of `X-Forwarded-For`.
pub(super) fn forwarded_for() -> Vec<String> {
    [
        "192.0.2.7",
        "192.0.2.7, 10.1.2.3",
        "192.0.2.1, 198.51.100.7:4711, 10.0.0.1\n127.0.0.1",
        "2001:db8::1\n[2001:db8::2]:80, ::ffff:10.0.0.9",
        "203.0.113.77,203.0.113.78",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Requests: method and path, headers, an empty line, the body.
pub(super) fn requests() -> Vec<String> {
    let post = "content-type:application/json\nx-forwarded-for:10.0.0.1, ::1";
    let bodies = <[String; 7]>::try_from(request_bodies()).unwrap();
    let [create, join, judge, review, pair, cancel, find] = bodies;
    let mut requests = vec![
        format!("POST /api/v1/matches\n{post}\n\n{create}"),
        format!("POST /api/v1/matches/m/join\n{post}\norigin:https://example.org\n\n{join}"),
        format!("POST /api/v1/judge\n{post}\n\n{judge}"),
        format!("POST /api/v1/review\n{post}\n\n{review}"),
        format!("POST /api/v1/pair\n{post}\n\n{pair}"),
        format!("POST /api/v1/pair/cancel\n{post}\n\n{cancel}"),
        format!("POST /api/v1/players\n{post}\n\n{find}"),
    ];
    for path in [
        "api/v1/games",
        "api/v1/matches",
        "api/v1/matches/m",
        "api/v1/matches/m/games",
        "api/v1/matches/m/games/1",
        "api/v1/matches/m/games/%ff",
        "health",
        "api/v1/matches?game=ttt&from=1",
        "api/v1/players/0123456789abcdef0123456789abcd",
        "api/v1/players/0123456789abcdef0123456789abcd/games?from=1",
        "api/v1/puzzles/ttt?number=1",
        "api/v1/puzzles/ttt?rating=900",
        "api/v1/matches/m/games/1?from=1",
        "m/m",
        "assets/style.css",
    ] {
        requests.push(format!("GET /{path}\nhost:localhost\n\n"));
    }
    let socket = "host:localhost\norigin:http://localhost\nconnection:upgrade\n\
                  upgrade:websocket\nsec-websocket-version:13\n\
                  sec-websocket-key:dGhlIHNhbXBsZSBub25jZQ==\n\
                  sec-websocket-protocol:open_ttt.v1";
    requests.push(format!("GET /api/v1/matches/m/socket\n{socket}\n\n"));
    requests
}

pub(super) fn links() -> Vec<String> {
    [
        "http://localhost:8080",
        "https://play.example.org/",
        "ws://localhost/m/k3h9zq4m2x7d",
        "wss://[::1]:9/m/A-b_9",
        "http://127.0.0.1:7878/m/abc#00112233445566778899aabbccddeeff",
        "https://play.example.org/#player=00112233445566778899aabbccddeeff",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Prefixes of stream names and broker addresses.
pub(super) fn store_addresses() -> Vec<String> {
    [
        "open_ttt\nnats://one:4222,nats://two:4222, tls://three",
        "A-b_9\nnats://ann%40home:secret%3A1@[::1]:4222",
        "x\ntls://token@127.0.0.1",
        "x\nlocalhost",
    ]
    .map(str::to_owned)
    .to_vec()
}

pub(crate) fn server_messages() -> Vec<String> {
    let (transitions, states) =
        sample_match(Settings::of_game("ttt"), ["b2", "a1", "c3", "a3", "c1"]);
    let last = states.last().unwrap();
    let view = || Box::new(MatchView::of(last));
    let entry = LogEntry {
        client: "client-1".parse().unwrap(),
        number: 4,
        transition: transitions[3].clone(),
    };
    let change = |view| Change {
        sequence: Sequence::new(4),
        digest: Digest::of(last),
        entry: entry.clone(),
        view,
    };
    let welcome = |state| {
        ServerMessage::Welcome(Welcome {
            protocol: 1,
            id: "k3h9zq4m2x7d".parse().unwrap(),
            seat: Some(Seat::A),
            now: 1_700_000_000_000,
            sequence: Sequence::new(12),
            digest: Digest::of(last),
            state,
            presence: Presence::default(),
        })
    };
    let snapshot = Box::new(SavedMatch::of(last));
    json([
        welcome(WelcomeState::Entries(vec![entry.clone(), entry.clone()])),
        welcome(WelcomeState::Snapshot(snapshot)),
        welcome(WelcomeState::View(view())),
        ServerMessage::Change(change(None)),
        ServerMessage::Change(change(Some(view()))),
        ServerMessage::Accepted {
            number: 4,
            change: change(None),
        },
        ServerMessage::Duplicate {
            number: 4,
            sequence: Sequence::new(4),
        },
        ServerMessage::Overtaken {
            number: 4,
            sequence: Sequence::new(9),
        },
        ServerMessage::Refused {
            number: 4,
            conflict: MatchConflict::NotYourTurn,
            text: MatchConflict::NotYourTurn.to_string(),
        },
        ServerMessage::Delayed {
            number: 4,
            retry_ms: 500,
        },
        ServerMessage::Presence(Presence {
            seats: [true, false],
            watchers: 3,
        }),
        ServerMessage::Pong { number: 1, now: 2 },
        ServerMessage::Error(ErrorReport {
            code: ErrorCode::TooSlow,
            text: "too slow".to_owned(),
        }),
    ])
}
