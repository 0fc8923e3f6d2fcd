//! The `lavoxel` program: see [`cli`] for its commands.

#![warn(missing_docs, clippy::print_stdout)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
