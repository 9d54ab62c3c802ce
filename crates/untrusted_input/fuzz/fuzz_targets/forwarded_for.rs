#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    untrusted_input::forwarded_for(bytes);
});
