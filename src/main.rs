//! The `lavoxel` program: see [`cli`] for its commands.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
