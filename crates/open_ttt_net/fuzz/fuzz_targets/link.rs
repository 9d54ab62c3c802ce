#![no_main]

#[path = "../../tests/it/untrusted_input/link_properties.rs"]
mod link_properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    link_properties::link(bytes);
});
