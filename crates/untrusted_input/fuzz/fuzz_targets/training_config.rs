#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    untrusted_input::training_config(bytes);
});
