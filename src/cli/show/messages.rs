//! Text output to the terminal: data on standard output, messages on standard error. A closed pipe
//! ends the output without a panic.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

/// Returns `text` with all control characters replaced by `?`, except line breaks and tabs: names
/// of files, scenes and labels are untrusted and must not control the terminal.
fn visible(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(obeyed) {
        text.replace(obeyed, "?").into()
    } else {
        text.into()
    }
}

/// Upper bound of the length of a word in a message, in characters; longer than any file name.
/// Longer words are cut to their first `LEFT` characters.
const LONGEST_WORD: usize = 300;
const LEFT: usize = 60;

/// Returns `text` with all words cut that are longer than `LONGEST_WORD` characters; such words can
/// only come from the content of a file.
fn short(text: &str) -> Cow<'_, str> {
    let is_long = |word: &str| word.chars().nth(LONGEST_WORD).is_some();
    if !text.split(' ').any(is_long) {
        return text.into();
    }
    let cut = |word: &str| word.chars().take(LEFT).chain(['…']).collect::<String>();
    let words = text.split(' ').map(|word| {
        if is_long(word) {
            cut(word)
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<String>>().join(" ").into()
}

/// Prints the data `text` and a line break to standard output; a closed pipe does not count as an
/// error.
pub(in crate::cli) fn data(text: &str) -> io::Result<()> {
    match writeln!(io::stdout().lock(), "{}", visible(text)) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(io::Error::new(
            e.kind(),
            format!("cannot write to standard output: {e}"),
        )),
        Ok(()) => Ok(()),
    }
}

/// Prints the message `text` to standard error on one line; line breaks in names within the message
/// are replaced.
pub(in crate::cli) fn note(text: &str) {
    lines(&short(&text.replace(['\n', '\r'], "?")));
}

/// Prints `text`, which may have several lines, to standard error.
fn lines(text: &str) {
    // Standard error may be closed, and then the failure cannot be reported.
    writeln!(io::stderr().lock(), "{}", visible(text)).ok();
}

/// Prints each of `texts` as a warning to standard error.
pub(in crate::cli) fn warn(texts: impl IntoIterator<Item = String>) {
    texts
        .into_iter()
        .for_each(|text| note(&format!("warning: {text}")));
}

/// Prints the paths of written files to standard error, one per line.
pub(in crate::cli) fn files<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) {
    for path in paths {
        note(&path.display().to_string());
    }
}

/// Prints the text of an error to standard error, after the name of the program.
pub(in crate::cli) fn error(text: &str) {
    note(&format!("lavoxel: {text}"));
}

/// Prints an error of the command line to standard error, or the help text that the user requested;
/// returns the exit code.
pub(in crate::cli) fn usage(error: &clap::Error) -> u8 {
    let plain = error.render().to_string();
    if visible(&plain) == plain {
        // Colour is kept if the terminal supports it.
        error.print().ok();
    } else {
        lines(plain.trim_end());
    }
    u8::try_from(error.exit_code()).unwrap_or(crate::cli::WRONG_USE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        assert_eq!(visible("a\u{1b}[31mb\n\tc\u{7}\u{9b}"), "a?[31mb\n\tc??");
        assert!(matches!(visible("plain ä ²"), Cow::Borrowed(_)));
        assert!(matches!(
            short(&format!("a/{} b", "x".repeat(298))),
            Cow::Borrowed(_)
        ));
        assert_eq!(
            short(&format!("a {}", "ä".repeat(3000))),
            format!("a {}…", "ä".repeat(60))
        );
    }
}
