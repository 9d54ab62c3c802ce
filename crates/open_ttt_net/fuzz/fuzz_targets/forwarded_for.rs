#![no_main]
#![allow(dead_code, reason = "each target checks one of the properties")]

#[path = "../../tests/it/untrusted_input/operator_properties.rs"]
mod operator_properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    operator_properties::forwarded_for(bytes);
});
