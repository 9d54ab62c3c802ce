#![no_main]

#[path = "../../tests/it/outside/link_law.rs"]
mod link_law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    link_law::link(bytes);
});
