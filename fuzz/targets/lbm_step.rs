//! The libFuzzer target of [`fluid_fuzz::lbm_step`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::lbm_step(data));
