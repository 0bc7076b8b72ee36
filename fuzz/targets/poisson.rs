//! The libFuzzer target of [`fluid_fuzz::poisson`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::poisson(data));
