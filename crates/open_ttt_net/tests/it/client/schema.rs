//! Checks docs/protocol.schema.json against the types and the document.

use open_ttt_lib::state_machine::GameConflict;
use open_ttt_net::protocol::schema;
use serde_json::{Value, json};

use super::protocol_docs::examples;
use crate::untrusted_input::samples;

const FILE: &str = include_str!("../../../../../docs/protocol.schema.json");

/// Whether a value matches a schema: those keywords of JSON Schema that the file
/// uses, except for patterns.
fn matches(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else {
        return schema.as_bool().unwrap();
    };
    keywords
        .iter()
        .all(|(keyword, expected)| keyword_matches(root, keywords, keyword, expected, value))
}

fn keyword_matches(
    root: &Value,
    keywords: &serde_json::Map<String, Value>,
    keyword: &str,
    expected: &Value,
    value: &Value,
) -> bool {
    let is_match = |schema: &Value| matches(root, schema, value);
    let schemas = || expected.as_array().unwrap().iter();
    let (fields, items) = (value.as_object(), value.as_array());
    let limit = || expected.as_u64().unwrap() as usize;
    match keyword {
        "$ref" => {
            let path = expected.as_str().unwrap().strip_prefix('#').unwrap();
            is_match(root.pointer(path).unwrap())
        }
        "anyOf" => schemas().any(is_match),
        "oneOf" => schemas().filter(|schema| is_match(schema)).count() == 1,
        "allOf" => schemas().all(is_match),
        "const" => value == expected,
        "enum" => schemas().any(|one| one == value),
        "type" => match expected {
            Value::Array(types) => types.iter().any(|one| has_type(one, value)),
            one => has_type(one, value),
        },
        "properties" => fields.is_none_or(|fields| {
            let mut known = expected.as_object().unwrap().iter();
            known.all(|(name, schema)| {
                let field = fields.get(name);
                field.is_none_or(|field| matches(root, schema, field))
            })
        }),
        "required" => fields
            .is_none_or(|fields| schemas().all(|name| fields.contains_key(name.as_str().unwrap()))),
        "additionalProperties" => fields.is_none_or(|fields| {
            let known = keywords.get("properties");
            let is_known = |name: &String| known.is_some_and(|known| known.get(name).is_some());
            let mut others = fields.iter().filter(|(name, _)| !is_known(name));
            others.all(|(_, field)| matches(root, expected, field))
        }),
        "items" => items.is_none_or(|items| {
            let prefix = keywords.get("prefixItems").and_then(Value::as_array);
            let mut rest = items.iter().skip(prefix.map_or(0, Vec::len));
            rest.all(|item| matches(root, expected, item))
        }),
        "prefixItems" => items.is_none_or(|items| {
            let mut pairs = schemas().zip(items);
            pairs.all(|(schema, item)| matches(root, schema, item))
        }),
        "minItems" => items.is_none_or(|items| items.len() >= limit()),
        "maxItems" => items.is_none_or(|items| items.len() <= limit()),
        "maxLength" => value
            .as_str()
            .is_none_or(|text| text.chars().count() <= limit()),
        "minimum" => value
            .as_f64()
            .is_none_or(|n| n >= expected.as_f64().unwrap()),
        "maximum" => value
            .as_f64()
            .is_none_or(|n| n <= expected.as_f64().unwrap()),
        "description" | "default" | "format" | "pattern" | "title" => true,
        _ => panic!("an unknown keyword, {keyword}"),
    }
}

fn has_type(name: &Value, value: &Value) -> bool {
    match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("an unknown type, {other}"),
    }
}

fn is_valid(root: &Value, name: &str, value: &Value) -> bool {
    let definition = root["$defs"].get(name);
    matches(
        root,
        definition.unwrap_or_else(|| panic!("no {name}")),
        value,
    )
}

#[test]
fn the_file_is_current() {
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    assert!(
        FILE == current,
        "update it: cargo run -p open_ttt_net --features schema --example schema > docs/protocol.schema.json"
    );
}

#[test]
fn the_examples_of_the_document_match_the_schema() {
    let root = serde_json::from_str(FILE).unwrap();
    for (name, text) in examples() {
        let value: Value = serde_json::from_str(text).unwrap();
        assert!(is_valid(&root, name, &value), "{name}: {text}");
        // A field of another type is refused, and so is a missing type.
        for field in value
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.keys())
        {
            let mut wrong = value.clone();
            wrong[field] = json!(-1.5);
            assert!(!is_valid(&root, name, &wrong), "{name}: {wrong}");
        }
        if value.get("type").is_some() {
            let mut wrong = value.clone();
            wrong.as_object_mut().unwrap().remove("type");
            assert!(!is_valid(&root, name, &wrong), "{name}: {wrong}");
        }
    }
}

#[test]
fn all_messages_match_the_schema() {
    let root = serde_json::from_str(FILE).unwrap();
    let client = samples::client_messages()
        .into_iter()
        .map(|text| ("ClientMessage", text));
    let server = samples::server_messages()
        .into_iter()
        .map(|text| ("ServerMessage", text));
    let mut count = 0;
    for (name, text) in client.chain(server) {
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(is_valid(&root, name, &value), "{name}: {text}");
        let mut more = value;
        more["later"] = json!(1);
        // The server rejects unknown fields, and a client ignores them.
        assert_eq!(
            is_valid(&root, name, &more),
            name == "ServerMessage",
            "{more}"
        );
        count += 1;
    }
    assert!(count > 25, "{count}");
}

#[test]
fn refusals_by_the_rules_are_those_of_the_games() {
    let root = schema();
    let names = root["$defs"]["GameConflict"]["enum"].as_array().unwrap();
    for name in names {
        let conflict: GameConflict = serde_json::from_value(name.clone()).unwrap();
        assert_eq!(serde_json::to_value(conflict).unwrap(), *name);
    }
    assert_eq!(names.len(), 7);
}
