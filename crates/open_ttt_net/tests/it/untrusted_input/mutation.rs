use open_ttt_lib::random::Rng;
use serde_json::{Map, Value, json};

/// A randomly mutated sample.
pub(super) fn mutated(samples: &[impl AsRef<[u8]>], rng: &mut Rng) -> Vec<u8> {
    let sample = samples[rng.below(samples.len())].as_ref();
    if rng.below(3) > 0
        && let Ok(mut value) = serde_json::from_slice(sample)
    {
        let other = samples[rng.below(samples.len())].as_ref();
        let other = serde_json::from_slice(other).unwrap_or(Value::Null);
        for _ in 0..=rng.below(2) {
            mutate_value(&mut value, &other, rng);
        }
        return value.to_string().into_bytes();
    }
    let mut bytes = sample.to_vec();
    for _ in 0..=rng.below(3) {
        mutate_bytes(&mut bytes, rng);
    }
    bytes
}

/// Random bytes.
pub(super) fn noise(rng: &mut Rng) -> Vec<u8> {
    let length = rng.below(64);
    let printable = rng.below(2) == 0;
    let byte = |_| {
        let byte = rng.next_u64() as u8;
        if printable { b' ' + byte % 95 } else { byte }
    };
    (0..length).map(byte).collect()
}

fn mutate_bytes(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(bytes.len() + 1);
    let to = (at + rng.below(8)).min(bytes.len());
    match rng.below(4) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..to)),
        2 => {
            let again = bytes[at..to].to_vec();
            bytes.splice(at..at, again);
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
    }
}

/// Mutates one place of a JSON value, sometimes with a part of another value.
fn mutate_value(value: &mut Value, other: &Value, rng: &mut Rng) {
    match value {
        Value::Array(items) if !items.is_empty() && rng.below(4) > 0 => {
            let index = rng.below(items.len());
            match rng.below(6) {
                0 => drop(items.remove(index)),
                1 => items.push(items[index].clone()),
                _ => mutate_value(&mut items[index], other, rng),
            }
        }
        Value::Object(fields) if !fields.is_empty() && rng.below(6) > 0 => {
            let Some(key) = rng.pick(fields.keys().cloned()) else {
                return;
            };
            match rng.below(10) {
                0 => drop(fields.remove(&key)),
                1 => drop(fields.insert("surprise".to_owned(), json!(1))),
                _ => mutate_value(&mut fields[&key], other, rng),
            }
        }
        value => *value = replacement(value, other, rng),
    }
}

fn replacement(value: &Value, other: &Value, rng: &mut Rng) -> Value {
    match (rng.below(4), value) {
        (0, _) => random_part(other, rng),
        (1 | 2, Value::Number(number)) => {
            let near = number.as_u64().unwrap_or(0);
            let numbers = [
                json!(near.wrapping_add(1)),
                json!(near.wrapping_sub(1)),
                json!(0),
                json!(-1),
                json!(1.5),
                json!(1e300),
                json!(u64::from(u32::MAX)),
                json!(u64::from(u32::MAX) - 1),
                json!(u64::MAX),
                json!(u64::MAX - 1),
            ];
            numbers[rng.below(numbers.len())].clone()
        }
        (1 | 2, Value::Bool(truth)) => json!(!truth),
        (1 | 2, Value::String(text)) => {
            let texts = [
                String::new(),
                format!("{text}{text}"),
                format!(" {text}"),
                text.to_uppercase(),
                text.chars().skip(1).collect(),
                "x".repeat(100),
                "\u{202e}\u{0}\"\\".to_owned(),
                "b".to_owned(),
                "ttt".to_owned(),
                "pegs(lines=38)".to_owned(),
                "mnk(m=9999999999,n=-1,k=4)".to_owned(),
                "((((".repeat(20),
            ];
            json!(texts[rng.below(texts.len())])
        }
        _ => {
            let nested = (0..200).fold(json!(null), |inner, _| Value::Array(vec![inner]));
            let values = [
                json!(null),
                json!(true),
                json!(7),
                json!("a"),
                json!([]),
                Value::Object(Map::new()),
                nested,
            ];
            values[rng.below(values.len())].clone()
        }
    }
}

/// A random part of a value.
fn random_part(value: &Value, rng: &mut Rng) -> Value {
    let inner = match value {
        Value::Array(items) => rng.pick(items),
        Value::Object(fields) => rng.pick(fields.values()),
        _ => None,
    };
    match inner {
        Some(inner) if rng.below(3) > 0 => random_part(inner, rng),
        _ => value.clone(),
    }
}
