//! The libFuzzer target of [`fluid_fuzz::params`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::params(data));
