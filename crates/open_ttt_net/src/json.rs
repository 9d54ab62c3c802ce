use serde::Serialize;

/// Room for most values, in bytes.
const USUAL_LENGTH: usize = 512;

/// A value as JSON. The types of this crate always serialize.
pub(crate) fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::with_capacity(USUAL_LENGTH);
    let written = serde_json::to_writer(&mut json, value);
    written.map_or_else(|_| Vec::new(), |()| json)
}

/// The fields of an object, without its braces.
pub(crate) fn fields(object: &[u8]) -> &[u8] {
    let rest = object.strip_prefix(b"{").unwrap_or(object);
    rest.strip_suffix(b"}").unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_between_the_braces() {
        let json = to_json(&serde_json::json!({"a": {}}));
        assert_eq!(json, br#"{"a":{}}"#);
        assert_eq!(fields(&json), br#""a":{}"#);
        assert_eq!(fields(b"{}"), b"");
    }
}
