#![no_main]
#![allow(dead_code, reason = "each target holds one of the laws")]

#[path = "../../tests/it/outside/server_law.rs"]
mod server_law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    server_law::request(bytes);
});
