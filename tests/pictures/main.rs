//! Tests of pictures that need no window.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/needs.rs"]
mod needs;

mod drape;
mod examples;
mod flow_pictures;
mod golden;
mod golden_print;
mod ground_pictures;
mod marcher;
mod real_mountains;
