#![no_main]

#[path = "../../tests/it/untrusted_input/store_properties.rs"]
mod store_properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    store_properties::store_address(bytes);
});
