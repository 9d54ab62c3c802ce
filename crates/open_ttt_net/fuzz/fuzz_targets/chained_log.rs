#![no_main]
#![allow(dead_code, reason = "each target checks one of the properties")]

#[path = "../../tests/it/untrusted_input/server_properties.rs"]
mod server_properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    server_properties::chained_log(bytes);
});
