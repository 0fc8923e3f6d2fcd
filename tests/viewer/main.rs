//! Tests of the window.

#[path = "../common/child.rs"]
mod child;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/needs.rs"]
mod needs;
#[path = "../common/vulkan.rs"]
mod vulkan;

mod beside;
mod film;
mod print;
mod session;
mod shader_memory;
mod window;
