//! Tests of the program as people and scripts use it: printed text, written files and error
//! messages. One file for each command, and for topics that concern all commands.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

pub(crate) mod place;

mod barriers;
mod bench;
mod blocks;
mod calibrate;
mod compare;
mod drape;
mod exposure;
mod film;
mod flow;
mod globe;
mod hazard;
mod heightmaps;
mod help;
mod layers;
mod man;
mod maps;
mod melting;
mod memory;
mod nothing;
mod print;
mod render;
mod run;
mod scene;
mod sheet;
mod signals;
mod start;
mod terrain;
mod vents;
mod verify;
mod world;
mod wrong_use;
