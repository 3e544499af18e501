//! Conversations over HTTP. See [`fuzzing::http_front`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::http_front::check(input));
