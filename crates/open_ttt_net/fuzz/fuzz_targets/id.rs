#![no_main]
#![allow(dead_code, reason = "each target checks one of the properties")]

#[path = "../../tests/it/untrusted_input/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    properties::id(bytes);
});
