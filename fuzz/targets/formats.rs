#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| wegman_fuzz::formats::run(data));
