#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    untrusted_input::request_body(bytes);
});
