//! The libFuzzer target of [`fluid_fuzz::level_set`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::level_set(data));
