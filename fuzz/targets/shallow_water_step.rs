//! The libFuzzer target of [`fluid_fuzz::shallow_water_step`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::shallow_water_step(data));
