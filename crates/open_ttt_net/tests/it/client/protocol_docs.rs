//! Checks docs/protocol.md against the protocol's types.

use core::time::Duration;

use open_ttt_catalog::Catalog;
use open_ttt_net::client::{Session, SessionError};
use open_ttt_net::matches::SavedMatch;
use open_ttt_net::protocol::{
    AnalyzePosition, BoardView, CancelPairing, ClientMessage, CreateMatch, ErrorBody, FindPlayer,
    GameFrames, GameLesson, GameParameter, GamePuzzle, GameReview, Hello, JoinMatch, MatchList,
    MatchRecord, MatchView, PairPlayer, PairingCancelled, PlayerHistory, PlayerId, PlayerProfile,
    PositionAnalysis, ReviewGame, SeatAssignment, ServerMessage, ShowPosition, Welcome,
    WelcomeState,
};
use open_ttt_net::replication::{Digest, Sequence};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::games::find;

const PAGE: &str = include_str!("../../../../../docs/protocol.md");

/// The examples in the document: the name of a type, and its JSON.
pub(super) fn examples() -> Vec<(&'static str, &'static str)> {
    let blocks = PAGE.split("\n```json ").skip(1);
    let examples = blocks.map(|block| {
        let (name, rest) = block.split_once('\n').unwrap();
        let (json, _) = rest.split_once("\n```\n").unwrap();
        (name, json)
    });
    examples.collect()
}

/// Checks that an example has exactly the fields of this type.
#[track_caller]
fn check<T: Serialize + DeserializeOwned>(json: &str) -> T {
    let read: T = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {json}"));
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(written, serde_json::from_str::<Value>(json).unwrap());
    read
}

#[test]
fn every_example_matches_its_type() {
    let examples = examples();
    for &(name, json) in &examples {
        match name {
            "ErrorBody" => drop(check::<ErrorBody>(json)),
            "CreateMatch" => drop(check::<CreateMatch>(json)),
            "JoinMatch" => drop(check::<JoinMatch>(json)),
            "SeatAssignment" => drop(check::<SeatAssignment>(json)),
            "MatchList" => drop(check::<MatchList>(json)),
            "FindPlayer" => drop(check::<FindPlayer>(json)),
            "PlayerProfile" => drop(check::<PlayerProfile>(json)),
            "PlayerHistory" => drop(check::<PlayerHistory>(json)),
            "PairPlayer" => drop(check::<PairPlayer>(json)),
            "CancelPairing" => drop(check::<CancelPairing>(json)),
            "PairingCancelled" => drop(check::<PairingCancelled>(json)),
            "GameParameter" => drop(check::<GameParameter>(json)),
            "GameFrames" => drop(check::<GameFrames>(json)),
            "MatchRecord" => drop(check::<MatchRecord>(json)),
            "AnalyzePosition" => drop(check::<AnalyzePosition>(json)),
            "PositionAnalysis" => drop(check::<PositionAnalysis>(json)),
            "ShowPosition" => drop(check::<ShowPosition>(json)),
            "GameLesson" => drop(check::<GameLesson>(json)),
            "GamePuzzle" => drop(check::<GamePuzzle>(json)),
            "ReviewGame" => drop(check::<ReviewGame>(json)),
            "GameReview" => drop(check::<GameReview>(json)),
            "BoardView" => drop(check::<BoardView>(json)),
            "MatchView" => drop(check::<MatchView>(json)),
            "ClientMessage" => drop(check::<ClientMessage>(json)),
            "ServerMessage" => drop(check::<ServerMessage>(json)),
            _ => panic!("there is no type {name}"),
        }
    }
    assert!(examples.len() > 20, "{}", examples.len());
    assert!(!PAGE.contains("```json\n"), "an example without a type");
}

#[test]
fn example_conversation_can_be_replayed() {
    let mut session = None;
    let mut changes = 0;
    let mut welcomes = 0;
    let now = Duration::ZERO;
    for (name, json) in examples() {
        match name {
            "ClientMessage" => {
                let message: ClientMessage = serde_json::from_str(json).unwrap();
                if let ClientMessage::Hello(Hello { client, token, .. }) = &message {
                    let session = session.get_or_insert_with(|| {
                        let id = "k3h9zq4m2x7d".parse().unwrap();
                        Session::new(Catalog::bundled(), id, client.clone(), token.clone())
                    });
                    session.disconnected();
                    session.connected(now);
                    assert_eq!(session.outgoing(now), Some(message), "{json}");
                } else if let ClientMessage::Propose { number, base, act } = message {
                    let session: &mut Session = session.as_mut().unwrap();
                    if number == 1 {
                        session.propose(act.clone(), now).unwrap();
                        let proposed = ClientMessage::Propose { number, base, act };
                        assert_eq!(session.outgoing(now), Some(proposed));
                    }
                }
            }
            "ServerMessage" => {
                let session = session.as_mut().unwrap();
                let events = session.received(json, now);
                match serde_json::from_str(json).unwrap() {
                    ServerMessage::Welcome(_) => welcomes += 1,
                    ServerMessage::Error(_) => {
                        assert!(matches!(events, Err(SessionError::Server(_))));
                        continue;
                    }
                    _ => {}
                }
                changes += events.unwrap().len();
            }
            _ => {}
        }
    }
    let session = session.unwrap();
    assert_eq!(welcomes, 2);
    assert!(changes > 5);
    assert_eq!(session.sequence(), Some(Sequence::new(5)));
    assert_eq!(session.optimistic().unwrap().game().moves().len(), 2);
    assert!(session.optimistic().unwrap().draw_offer().is_some());
}

#[cfg(feature = "server")]
#[test]
fn the_documented_player_id_is_that_of_the_documented_key() {
    let find = |wanted: &str| examples().into_iter().find(|(name, _)| *name == wanted);
    let (_, request) = find("FindPlayer").unwrap();
    let (_, profile) = find("PlayerProfile").unwrap();
    let (request, profile) = (
        check::<FindPlayer>(request),
        check::<PlayerProfile>(profile),
    );
    assert_eq!(PlayerId::of(&request.key), profile.player);
}

#[test]
fn snapshot_has_the_documented_digest() {
    let welcome = examples().into_iter().find_map(|(name, json)| {
        let is_server = name == "ServerMessage";
        is_server.then(|| serde_json::from_str(json).unwrap())
    });
    let Some(ServerMessage::Welcome(Welcome {
        digest,
        state: WelcomeState::Snapshot(state),
        ..
    })) = welcome
    else {
        panic!("the first message is a welcome");
    };
    let snapshot = state.restore(find).unwrap();
    assert_eq!(Digest::of(&snapshot), digest);
    // Computed from the text of the document, without white space.
    let (_, text) = PAGE.split_once("\"snapshot\": ").unwrap();
    let (text, _) = text.split_once("\n  },\n  \"presence\"").unwrap();
    let mut text = text.to_owned();
    text.retain(|c| !c.is_ascii_whitespace());
    assert_eq!(fnv_1a(&text), digest.to_string());
}

/// The digest as the document describes it.
fn fnv_1a(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[test]
fn test_vectors_have_their_digests() {
    let vectors = PAGE.split("\n```digest ").skip(1).map(|block| {
        let (digest, rest) = block.split_once('\n').unwrap();
        let (text, _) = rest.split_once("\n```\n").unwrap();
        (digest, text)
    });
    let mut count = 0;
    for (digest, text) in vectors {
        assert_eq!(fnv_1a(text), digest);
        let saved: SavedMatch = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&saved).unwrap(), text);
        let state = saved.restore(find).unwrap();
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        assert_eq!(Digest::of(&state).to_string(), digest);
        count += 1;
    }
    assert_eq!(count, 3);
}
