//! The `lavoxel` program.
fn main() {}
