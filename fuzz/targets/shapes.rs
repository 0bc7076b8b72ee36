//! The libFuzzer target of [`fluid_fuzz::shapes`].
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fluid_fuzz::shapes(data));
