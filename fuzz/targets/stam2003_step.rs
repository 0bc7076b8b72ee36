//! The libFuzzer target of [`fluid_fuzz::stam2003_step`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::stam2003_step(data));
