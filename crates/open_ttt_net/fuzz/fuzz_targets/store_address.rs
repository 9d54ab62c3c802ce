#![no_main]

#[path = "../../tests/it/outside/store_law.rs"]
mod store_law;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    store_law::store_address(bytes);
});
