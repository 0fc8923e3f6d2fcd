//! `lavoxel man`: writes the pages of the manual, one per command.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::builder::Resettable;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use lavoxel::output::{Existing, FOLDER, OutputError, WholeFile};

use crate::cli::Cli;
use crate::cli::show::messages;

const EXAMPLES: &str = "\
Examples:
  lavoxel man                                  write the pages into lavoxel-out/man
  man lavoxel-out/man/lavoxel-run.1            read a page
  lavoxel man ~/.local/share/man/man1          install the pages; then: man lavoxel";

/// Write the pages of the manual, one for each command
///
/// Each page has the text of --help. Either all pages appear in FOLDER, or none.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Folder of the pages lavoxel.1, lavoxel-run.1, … [default: lavoxel-out/man]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Replace existing pages
    #[arg(long)]
    force: bool,
}

/// Runs `lavoxel man`.
pub(super) fn run(args: &ManArgs) -> anyhow::Result<()> {
    let existing = if args.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    let usual = || Path::new(FOLDER).join("man");
    let folder = args.folder.clone().unwrap_or_else(usual);
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let pages = std::iter::once(&program).chain(program.get_subcommands());
    // All pages are on the disk before the first one gets its name.
    let files = pages
        .map(|command| begin(&folder, command, existing))
        .collect::<Result<Vec<_>, _>>()?;
    files.into_iter().try_for_each(WholeFile::commit)?;
    messages::note(&folder.display().to_string());
    Ok(())
}

/// Writes the manual page of `command` to a temporary file in `folder`; `WholeFile::commit` gives
/// the file its final name. `existing`: rule for an existing page.
fn begin(folder: &Path, command: &Command, existing: Existing) -> Result<WholeFile, OutputError> {
    // The crate would fill the lines of the examples to a paragraph.
    let man = Man::new(command.clone().after_help(Resettable::Reset))
        .source(concat!("lavoxel ", env!("CARGO_PKG_VERSION")));
    let path = folder.join(man.get_filename());
    let examples = command.get_after_help().map(ToString::to_string);
    let examples = unfilled(&examples.unwrap_or_default()).to_roff();
    let mut file = WholeFile::create(&path, existing)?;
    man.render(&mut file)
        .and_then(|()| file.write_all(examples.as_bytes()))
        .map_err(|cause| OutputError::io(&path, cause))?;
    file.sync()?;
    Ok(file)
}

/// Returns the section EXAMPLES of a manual page. The section has the lines of `text`, without a
/// first line `Examples:`.
fn unfilled(text: &str) -> Roff {
    let mut roff = Roff::new();
    let text = text.strip_prefix("Examples:\n").unwrap_or(text);
    if !text.is_empty() {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        text.lines().for_each(|line| {
            roff.text([roman(line)]);
        });
        roff.control("fi", []);
    }
    roff
}
