//! The libFuzzer target of [`fluid_fuzz::liquid_step`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::liquid_step(data));
