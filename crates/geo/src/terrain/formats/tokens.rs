//! Tokenizer of heightmaps in text form: returns one token at a time with its line number, and
//! needs constant memory.

use std::io::{BufRead, ErrorKind};
use std::path::Path;

use crate::terrain::TerrainError;

/// Upper bound on the length of a token in bytes; a longer token shows that the file is not in the
/// expected format.
const LONGEST: usize = 64;

/// Byte Ctrl-Z, which ends a text file of DOS.
const CTRL_Z: u8 = 0x1a;

/// Words that mean no data. The C library on Windows writes not-a-number with `#`.
const NO_DATA: [&str; 9] = [
    "nan", "-nan", "na", "n/a", "nodata", "no_data", "none", "null", "*",
];

/// Reader of tokens separated by white space in a text file. A `#` at the start of a token begins a
/// comment up to the end of the line.
pub(super) struct Tokens<'a, R> {
    reader: R,
    path: &'a Path,
    /// Line number of the token that was read last, from 1.
    pub(super) line: usize,
    next_line: usize,
    word: Vec<u8>,
    peeked: bool,
    /// Set while the reader is inside a comment, whose text up to the end of the line is skipped.
    comment: bool,
}

impl<'a, R: BufRead> Tokens<'a, R> {
    pub(super) fn new(reader: R, path: &'a Path) -> Self {
        Self {
            reader,
            path,
            line: 1,
            next_line: 1,
            word: Vec::new(),
            peeked: false,
            comment: false,
        }
    }

    /// Consumes and returns the next token; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<&str>, TerrainError> {
        if !std::mem::take(&mut self.peeked) {
            self.word.clear();
            self.read_word()?;
        }
        self.current()
    }

    /// Returns the next token without consuming it; `None` at the end of the file.
    pub(super) fn peek(&mut self) -> Result<Option<&str>, TerrainError> {
        if !self.peeked {
            self.next()?;
            self.peeked = true;
        }
        self.current()
    }

    fn current(&self) -> Result<Option<&str>, TerrainError> {
        if self.word.is_empty() {
            return Ok(None);
        }
        match std::str::from_utf8(&self.word) {
            Ok(word) if !word.contains(|c: char| c.is_control()) => Ok(Some(word)),
            _ => Err(TerrainError::text(
                self.path,
                self.line,
                "keywords and numbers",
                "binary data: is this a heightmap in text?",
            )),
        }
    }

    /// Reads the next token into the reader's buffer `word`, which is empty at the end of the file.
    fn read_word(&mut self) -> Result<(), TerrainError> {
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(TerrainError::read(self.path)(e)),
            };
            if buffer.is_empty() {
                return Ok(());
            }
            let mut used = 0;
            let mut done = false;
            for &byte in buffer {
                let is_mark = byte == b'#' && self.word.is_empty();
                self.comment = (self.comment || is_mark) && byte != b'\n';
                // DOS marked the end of a text with Ctrl-Z.
                let space = byte.is_ascii_whitespace() || byte == CTRL_Z || self.comment;
                if space && !self.word.is_empty() {
                    done = true;
                    break;
                }
                used += 1;
                if byte == b'\n' {
                    self.next_line += 1;
                }
                if !space {
                    self.line = self.next_line;
                    self.word.push(byte);
                    if self.word.len() > LONGEST {
                        let expected = format!("keywords and numbers of at most {LONGEST} letters");
                        return Err(TerrainError::text(
                            self.path,
                            self.line,
                            expected,
                            "a longer word: is this a heightmap in text?",
                        ));
                    }
                }
            }
            self.reader.consume(used);
            // A byte-order mark is three bytes that some editors put before the first word.
            if self.line == 1 && self.word.starts_with(b"\xef\xbb\xbf") {
                self.word.drain(..3);
                done &= !self.word.is_empty();
            }
            if done {
                return Ok(());
            }
        }
    }
}

/// Parses a decimal number, whose exponent may be written as in Fortran (`1.5D+03`). `None` if
/// `word` is not a number.
pub(super) fn decimal(word: &str) -> Option<f64> {
    let of_fortran = || {
        word.contains(['d', 'D'])
            .then(|| word.replace(['d', 'D'], "e").parse().ok())
            .flatten()
    };
    word.parse().ok().or_else(of_fortran)
}

/// Parses a height in the unit of the file; `None` for a word that means no data.
///
/// # Errors
/// Description of the expected form, if the word is neither a number nor a word for no data.
pub(super) fn height(word: &str) -> Result<Option<f64>, String> {
    let bare = word.trim_start_matches(['-', '+']);
    let of_windows =
        bare.get(..3) == Some("1.#") && bare.as_bytes().get(3).is_some_and(u8::is_ascii_alphabetic);
    if word.is_empty() || of_windows || NO_DATA.iter().any(|none| word.eq_ignore_ascii_case(none)) {
        return Ok(None);
    }
    match decimal(word) {
        // Range and no-data values are checked later, together with the facts of the file.
        Some(h) => Ok(Some(h)),
        _ if word.contains(',') => Err("a height with a decimal point, not a comma".to_owned()),
        _ => Err("a height in metres".to_owned()),
    }
}

/// Largest accepted magnitude of a height in metres; larger numbers are taken as undeclared no-data
/// values.
pub(super) const FARTHEST_M: f64 = 100_000.0;
