#![no_main]
#![allow(dead_code, reason = "each target holds one of the laws")]

#[path = "../../tests/it/outside/laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    laws::name(bytes);
});
