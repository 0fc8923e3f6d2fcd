//! `lavoxel completions`: prints a script by which a shell completes commands, flags and values.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::cli::Cli;
use crate::cli::show::messages;

const EXAMPLES: &str = "\
Examples:
  lavoxel completions bash > ~/.local/share/bash-completion/completions/lavoxel
  lavoxel completions zsh > ~/.zfunc/_lavoxel      with ~/.zfunc in fpath, before compinit
  lavoxel completions fish > ~/.config/fish/completions/lavoxel.fish
  lavoxel completions powershell >> $PROFILE";

/// Print a script with which a shell completes commands, flags and values
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// Shell that reads the script
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Runs `lavoxel completions`.
pub(super) fn run(args: &CompletionsArgs) -> anyhow::Result<()> {
    let (mut program, mut script) = (Cli::command(), Vec::new());
    let name = program.get_name().to_owned();
    generate(args.shell, &mut program, name, &mut script);
    Ok(messages::data(String::from_utf8(script)?.trim_end())?)
}
