#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lavoxel_fuzz::run("las", bytes);
});
