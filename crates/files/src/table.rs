//! Parser of tables of numbers and words with a header row (`.csv`), as spreadsheets and
//! instruments export them. All readers of such tables use this module.
//!
//! - A line such as `sep=;` states the separator of fields. Without such a line, the separator is
//!   the first of `;`, tab and `,` that the heading contains outside of quotation marks.
//! - If the separator is not a comma, a comma within a number is a decimal comma.
//! - Lines that begin with `#`, blank lines and rows without any text are skipped; line ends of all
//!   systems are accepted.
//! - A row with text in more fields than the heading has is an error, because its numbers would be
//!   in wrong columns. Missing fields at the end of a row are empty.

use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::validate::escape_for_terminal;

/// Characters that may separate fields, in the order in which they are tried.
const SEPARATORS: [char; 3] = [';', '\t', ','];

/// Separators that a first line `sep=…` of a table may declare.
const NAMED: [char; 4] = [';', '\t', ',', '|'];

/// Memory that is counted per field of a table, in bytes: its text, doubled for the growth of
/// lists.
const BYTES_A_FIELD: f64 = 2.0 * (size_of::<String>() + 16) as f64;

/// Number of fields of a table that are parsed between two checks of the memory limit.
const WEIGHED: usize = 4096;

/// Table of texts: heading with column names, and rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    heading: Vec<String>,
    rows: Vec<TableRow>,
}

/// Row of a table: the texts of its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow {
    /// Line number of the row in the table's text, counted from 1.
    pub line: usize,
    fields: Vec<String>,
    /// Set if a comma within a number of this row is a decimal point.
    decimal_comma: bool,
}

impl Table {
    /// Parses the text of a table with a heading and at most `most_rows` rows.
    ///
    /// # Errors
    /// Message with the line number and the fault.
    pub fn parse(text: &str, most_rows: usize) -> Result<Self, String> {
        Self::read(text, most_rows, None)
    }

    /// Parses the text of a table whose heading may be missing: if the first row contains only
    /// numbers, `names` are the column names. If the first row contains no separator, fields are
    /// separated by blanks.
    ///
    /// # Errors
    /// The errors of [`Table::parse`].
    pub fn parse_or_name(text: &str, most_rows: usize, names: &[&str]) -> Result<Self, String> {
        Self::read(text, most_rows, Some(names))
    }

    fn read(text: &str, most_rows: usize, names: Option<&[&str]>) -> Result<Self, String> {
        if let Some(at) = text.find('\0') {
            let line = 1 + lines_in(&text[..at]);
            return Err(format!(
                "line {line}: holds a byte 0, as UTF-16 does: save the table as text in UTF-8"
            ));
        }
        let mut records = TextRecords {
            rest: text.trim_start_matches('\u{feff}'),
            line: 0,
        };
        let mut first = records.next_said().ok_or_else(|| "is empty".to_owned())?;
        let named = named_separator(first.1);
        if named.is_some() {
            first = records
                .next_said()
                .ok_or_else(|| "has no heading below its line sep=".to_owned())?;
        }
        let is_blank = names.is_some() && named.is_none() && !first.1.contains(SEPARATORS);
        let separator = if is_blank {
            ' '
        } else {
            named.unwrap_or_else(|| separator_of(first.1))
        };
        let mut heading = fields(first, separator)?;
        let mut next = None;
        let is_word = |field: &String| {
            !field.is_empty() && with_point(field, separator != ',').parse::<f64>().is_err()
        };
        if let Some(names) = names.filter(|_| !heading.iter().any(is_word)) {
            heading = names.iter().map(|name| (*name).to_owned()).collect();
            next = Some(first);
        }
        let (mut rows, mut fields_held, mut weighed) = (Vec::new(), heading.len(), 0);
        while let Some(record) = next.take().or_else(|| records.next_said()) {
            let mut fields = fields(record, separator)?;
            if fields.iter().all(String::is_empty) {
                continue;
            }
            let (line, found, most) = (record.0, fields.len(), heading.len());
            if fields.iter().skip(most).any(|field| !field.is_empty()) {
                let mend = if separator == ',' {
                    "; where a comma is a decimal point, separate fields by ;"
                } else {
                    ""
                };
                return Err(format!(
                    "line {line}: has {found} fields under a heading of {most}{mend}"
                ));
            }
            if rows.len() == most_rows {
                return Err(format!("has more than {most_rows} rows"));
            }
            // Short rows are padded to the header's length, so that each row costs as much as the
            // header.
            fields_held += most + 1;
            if fields_held - weighed >= WEIGHED {
                weighed = fields_held;
                let need = MemoryEstimate::new("the table", fields_held, BYTES_A_FIELD);
                need.check("leave out columns and rows")
                    .map_err(|error| error.to_string())?;
            }
            fields.resize(most, String::new());
            rows.push(TableRow {
                line,
                fields,
                decimal_comma: separator != ',',
            });
        }
        Ok(Self { heading, rows })
    }

    /// Returns the index of the first column whose name is in `names`, ignoring case; `None` if no
    /// column has such a name.
    pub fn column(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| {
            self.heading
                .iter()
                .position(|field| field.eq_ignore_ascii_case(name))
        })
    }

    /// Returns the rows of the table, without the heading.
    pub fn rows(&self) -> &[TableRow] {
        &self.rows
    }
}

impl TableRow {
    /// Returns the text of the field in the column with index `column`; empty if the row is too
    /// short.
    pub fn text(&self, column: usize) -> &str {
        self.fields.get(column).map_or("", String::as_str)
    }

    /// Returns the text of the field in the column with index `column`, with a point in place of a
    /// decimal comma.
    pub fn with_point(&self, column: usize) -> String {
        with_point(self.text(column), self.decimal_comma)
    }

    /// Returns the field in the column with index `column` as a finite number. `what`: name of the
    /// number for the message.
    ///
    /// # Errors
    /// Message with the line number, `what` and the text of the field.
    pub fn number(&self, column: usize, what: &str) -> Result<f64, String> {
        let number = self
            .with_point(column)
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite());
        number.ok_or_else(|| match self.text(column) {
            "" => format!("line {}: {what} is missing", self.line),
            field => format!(
                "line {}: {what} {:?} is no number",
                self.line,
                escape_for_terminal(field)
            ),
        })
    }

    /// Returns the field in the column with index `column` as a finite number; `None` for an empty
    /// field, or if `column` is `None`.
    ///
    /// # Errors
    /// The errors of [`TableRow::number`].
    pub fn number_or_none(&self, column: Option<usize>, what: &str) -> Result<Option<f64>, String> {
        let column = column.filter(|&column| !self.text(column).is_empty());
        column.map(|column| self.number(column, what)).transpose()
    }

    /// Returns an error message with the line number of this row and the text `fault`.
    pub fn fault(&self, fault: &str) -> String {
        format!("line {}: {fault}", self.line)
    }
}

/// Returns `field` with a point in place of its decimal comma, if `decimal_comma` is true and the
/// field has exactly one comma and no point. Several commas would be separators of thousands.
pub fn with_point(field: &str, decimal_comma: bool) -> String {
    let is_decimal = decimal_comma && field.matches(',').count() == 1 && !field.contains('.');
    if is_decimal {
        field.replace(',', ".")
    } else {
        field.to_owned()
    }
}

/// Returns the separator that a line such as `sep=;` declares, which spreadsheets write above the
/// heading; `None` for any other line.
pub fn named_separator(line: &str) -> Option<char> {
    let line = line.trim_matches(['\r', '\n', '"', ' ']);
    let name = line
        .get(..4)
        .filter(|name| name.eq_ignore_ascii_case("sep="))
        .map(|_| &line[4..])?;
    let mut letters = name.chars();
    letters
        .next()
        .filter(|letter| NAMED.contains(letter) && letters.next().is_none())
}

/// Returns the separator that the heading `line` uses: the first of `SEPARATORS` that occurs
/// outside of quotation marks. A comma is tried last, because numbers may contain commas.
pub fn separator_of(line: &str) -> char {
    SEPARATORS
        .into_iter()
        .find(|&separator| outside_quotes(line, separator).next().is_some())
        .unwrap_or(',')
}

/// Iterates over the byte offsets of the character `wanted` in `line`, outside of quotation marks.
pub fn outside_quotes(line: &str, wanted: char) -> impl Iterator<Item = usize> {
    let mut quoted = false;
    line.char_indices().filter_map(move |(at, c)| {
        quoted ^= c == '"';
        (c == wanted && !quoted).then_some(at)
    })
}

/// Returns `text` as a field of a CSV record: between quotation marks if it contains a comma, a
/// quotation mark or a line break.
pub fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Splits the record `record` into its fields. A field in quotation marks may contain separators;
/// two quotation marks inside it stand for one. `line`: line number for messages.
fn fields((line, record): (usize, &str), separator: char) -> Result<Vec<String>, String> {
    if record.matches('"').count() % 2 == 1 {
        return Err(format!("line {line}: a quotation mark is never closed"));
    }
    if separator == ' ' {
        return Ok(record.split_whitespace().map(str::to_owned).collect());
    }
    let (mut all, mut start) = (Vec::new(), 0);
    for end in outside_quotes(record, separator).chain([record.len()]) {
        let field = record[start..end].trim();
        let bare = field
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        all.push(bare.map_or_else(
            || field.to_owned(),
            |bare| bare.replace("\"\"", "\"").trim().to_owned(),
        ));
        start = (end + separator.len_utf8()).min(record.len());
    }
    Ok(all)
}

/// Iterator over the records of a text: lines, joined where a line break is inside quotation marks.
struct TextRecords<'a> {
    rest: &'a str,
    /// Number of the text line that was read last, counted from 1.
    line: usize,
}

impl<'a> TextRecords<'a> {
    /// Returns the next record that is neither blank nor a comment, as (number of its first line,
    /// text); `None` at the end of the text.
    fn next_said(&mut self) -> Option<(usize, &'a str)> {
        while !self.rest.is_empty() {
            let line = self.line + 1;
            let is_remark = self.rest.starts_with('#');
            let ends = |c: char| c == '\n' || c == '\r';
            let mut quoted = false;
            let whole = self.rest.find(|c| {
                quoted ^= c == '"' && !is_remark;
                ends(c) && !quoted
            });
            let end = whole.unwrap_or(self.rest.len());
            let record = &self.rest[..end];
            self.line += 1 + lines_in(record);
            let after = &self.rest[end..];
            self.rest = after
                .strip_prefix("\r\n")
                .or_else(|| after.strip_prefix(ends))
                .unwrap_or(after);
            if !is_remark && !record.trim().is_empty() {
                return Some((line, record));
            }
        }
        None
    }
}

/// Returns the number of line breaks in `text`.
fn lines_in(text: &str) -> usize {
    text.matches('\n').count() + text.matches('\r').count() - text.matches("\r\n").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Result<Vec<[f64; 2]>, String> {
        let table = Table::parse(text, 10)?;
        let columns = ["a", "b"].map(|name| table.column(&[name]).expect("a column"));
        table
            .rows()
            .iter()
            .map(|row| Ok([row.number(columns[0], "a")?, row.number(columns[1], "b")?]))
            .collect()
    }

    #[test]
    fn tables_are_read_as_programs_write_them() {
        for text in [
            "a,b\n0,250.5\n1,2\n",
            "\u{feff}A;B\r\n0;250,5\r\n1;2\r\n",
            "sep=;\r\na;b\r\n0;250,5\r\n;\r\n1;2\r\n;;\r\n",
            "\"sep=\t\"\n# a remark, \"open\na\tb\tnote\n0\t250,5\t\"one\ntwo\"\n1\t2\n",
            "a,b\r0,250.5\r1,2",
            "\n\na,b,\n0,250.5,\n1,2,\n,,\n",
            "\"a\";\"b\"\n\"0\";\"250,5\"\n\"1\";\"2\"",
        ] {
            assert_eq!(
                numbers(text),
                Ok(vec![[0.0, 250.5], [1.0, 2.0]]),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_row_that_says_more_than_its_heading_is_refused() {
        for (text, fault) in [
            (
                "a,b\n0,1\n0,1,250.5\n",
                "line 3: has 3 fields under a heading of 2; where a comma is a decimal point, \
                                        separate fields by ;",
            ),
            (
                "a,b\n0,2,5\n",
                "line 2: has 3 fields under a heading of 2; where a comma is a decimal point, separate fields \
                              by ;",
            ),
            ("a;b\n0;1;5\n", "line 2: has 3 fields under a heading of 2"),
            ("a;b\n0;1.250,5\n", "line 2: b \"1.250,5\" is no number"),
            ("a,b\n0,\"2,5\"\n", "line 2: b \"2,5\" is no number"),
            ("a,b\n# \"\n\n0\n", "line 4: b is missing"),
            ("a,b\n0,\"1\n", "line 2: a quotation mark is never closed"),
            ("a,b\n0,inf\n", "line 2: b \"inf\" is no number"),
            ("", "is empty"),
            (
                "a\0;\0b\0\n\0",
                "line 1: holds a byte 0, as UTF-16 does: save the table as text in UTF-8",
            ),
            ("sep=;", "has no heading below its line sep="),
        ] {
            assert_eq!(numbers(text), Err(fault.to_owned()), "{text:?}");
        }
        let long = (0..11).fold("a,b\n".to_owned(), |text, _| text + "1,2\n");
        assert_eq!(numbers(&long), Err("has more than 10 rows".to_owned()));
    }

    #[test]
    fn quotes_hold_separators_and_quotes() {
        let table = Table::parse("name,b\n\"A, \"\"B\"\"\",1\n", 10).expect("right");
        assert_eq!(
            (table.rows()[0].text(0), table.heading.len()),
            ("A, \"B\"", 2)
        );
    }
}
