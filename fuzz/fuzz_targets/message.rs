//! Messages as bytes. See [`fuzzing::message`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| fuzzing::message::check(input));
