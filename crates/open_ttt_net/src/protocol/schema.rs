use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{
    AnalyzePosition, CancelPairing, ClientMessage, CreateMatch, ErrorBody, FindPlayer, GameFrames,
    GameInfo, GameLesson, GamePuzzle, GameReview, JoinMatch, MatchList, MatchRecord, MatchStatus,
    PairPlayer, PairingCancelled, PlayerHistory, PlayerId, PlayerKey, PlayerProfile,
    PositionAnalysis, PositionBoard, ReviewGame, SeatAssignment, ServerMessage, ShowPosition,
    Token,
};
use crate::replication::Digest;
use crate::{ClientId, MatchId};

/// The JSON Schema (draft 2020-12) of all messages and of the bodies of requests and
/// responses, each under its name in `$defs`. docs/protocol.schema.json has it.
///
/// Later releases may add fields to the server's messages, so what a server sends
/// may have fields that the schema doesn't have. What only clients send may not.
///
/// ```
/// let schema = open_ttt_net::protocol::schema();
/// let pong = &schema["$defs"]["ServerMessage"];
/// assert!(pong.to_string().contains(r#""const":"pong""#));
/// ```
pub fn schema() -> Value {
    let draft = SchemaSettings::draft2020_12;
    let mut sent = draft().for_serialize().into_generator();
    let mut roots = Map::new();
    add::<ServerMessage>(&mut sent, &mut roots);
    add::<ErrorBody>(&mut sent, &mut roots);
    add::<SeatAssignment>(&mut sent, &mut roots);
    add::<MatchList>(&mut sent, &mut roots);
    add::<MatchStatus>(&mut sent, &mut roots);
    add::<MatchRecord>(&mut sent, &mut roots);
    add::<GameFrames>(&mut sent, &mut roots);
    add::<PositionAnalysis>(&mut sent, &mut roots);
    add::<GameReview>(&mut sent, &mut roots);
    add::<PositionBoard>(&mut sent, &mut roots);
    add::<GameLesson>(&mut sent, &mut roots);
    add::<GamePuzzle>(&mut sent, &mut roots);
    add::<GameInfo>(&mut sent, &mut roots);
    add::<PlayerProfile>(&mut sent, &mut roots);
    add::<PlayerHistory>(&mut sent, &mut roots);
    add::<PairingCancelled>(&mut sent, &mut roots);
    let mut received = draft().for_deserialize().into_generator();
    add::<ClientMessage>(&mut received, &mut roots);
    add::<CreateMatch>(&mut received, &mut roots);
    add::<JoinMatch>(&mut received, &mut roots);
    add::<AnalyzePosition>(&mut received, &mut roots);
    add::<ShowPosition>(&mut received, &mut roots);
    add::<ReviewGame>(&mut received, &mut roots);
    add::<FindPlayer>(&mut received, &mut roots);
    add::<PairPlayer>(&mut received, &mut roots);
    add::<CancelPairing>(&mut received, &mut roots);

    let mut definitions = sent.take_definitions(true);
    definitions.values_mut().for_each(open);
    for (name, mut definition) in received.take_definitions(true) {
        // Where both sides send a type, the looser schema holds for both.
        if definitions.contains_key(&name) {
            open(&mut definition);
        }
        definitions.insert(name, definition);
    }
    definitions.values_mut().for_each(unlink);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The messages of open_ttt, version 1 of the protocol",
        "anyOf": roots.into_iter().map(|(_, root)| root).collect::<Vec<_>>(),
        "$defs": definitions,
    })
}

fn add<T: JsonSchema>(generator: &mut SchemaGenerator, roots: &mut Map<String, Value>) {
    let reference = generator.subschema_for::<T>();
    roots.insert(T::schema_name().into_owned(), reference.to_value());
}

/// Allows fields that the schema doesn't have.
fn open(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let closes = name == "additionalProperties" || name == "unevaluatedProperties";
                !(closes && *value == Value::Bool(false))
            });
            fields.values_mut().for_each(open);
        }
        Value::Array(items) => items.iter_mut().for_each(open),
        _ => {}
    }
}

/// Replaces the links of Rust's documentation by their texts.
fn unlink(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = without_links(text);
            }
            fields.values_mut().for_each(unlink);
        }
        Value::Array(items) => items.iter_mut().for_each(unlink),
        _ => {}
    }
}

fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain += before;
        let Some((name, after)) = link.split_once(']') else {
            rest = link;
            continue;
        };
        plain += name;
        // `[text](path)` or `[text]`
        let path = after
            .strip_prefix('(')
            .and_then(|path| path.split_once(')'));
        rest = path.map_or(after, |(_, after)| after);
    }
    plain + rest
}

/// The schema of a text form.
macro_rules! text_schema {
    ($type:ident, $pattern:literal, $description:literal) => {
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": $description,
                    "type": "string",
                    "pattern": $pattern
                })
            }
        }
    };
}

text_schema!(
    MatchId,
    "^[A-Za-z0-9_-]{1,32}$",
    "The identifier of a match."
);
text_schema!(
    ClientId,
    "^[A-Za-z0-9_-]{1,32}$",
    "The identifier that a client chooses."
);
text_schema!(Digest, "^[0-9a-f]{16}$", "A digest of a state.");
text_schema!(Token, "^[0-9a-f]{32}$", "The secret of a seat's holder.");
text_schema!(PlayerKey, "^[0-9a-f]{32}$", "The secret of a player.");
text_schema!(PlayerId, "^[0-9a-f]{30}$", "The public id of a player.");

/// The schema of a [`GameMove`](open_ttt_lib::state_machine::GameMove).
#[derive(JsonSchema)]
#[schemars(transparent)]
pub(crate) struct MoveText(
    #[expect(dead_code, reason = "the schema's")]
    #[schemars(length(max = 64))]
    String,
);

/// The schema of a [`SavedGame`](open_ttt_lib::state_machine::SavedGame): the game
/// and the moves played.
#[derive(JsonSchema)]
#[schemars(rename = "SavedGame")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct GameMoves {
    /// The name of the game.
    game: String,
    /// The moves from the start of the game.
    moves: Vec<MoveText>,
}

/// The schema of a [`GameConflict`](open_ttt_lib::state_machine::GameConflict): why
/// the rules forbid a move.
#[derive(JsonSchema)]
#[schemars(rename = "GameConflict")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum GameRefusal {
    NotAMove,
    GameOver,
    OffBoard,
    Occupied,
    Full,
    Forbidden,
    TooManyMoves,
}
