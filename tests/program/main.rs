//! Tests of the program, started as a user starts it.

#[path = "../common/child.rs"]
mod child;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/needs.rs"]
mod needs;

mod cli;
mod cuts;
mod docs;
mod gallery;
mod memory_limit;
mod resume;
mod safety;
mod thumbnails;
