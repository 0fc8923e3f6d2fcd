//! Columns of numbers from tables of the field: fields parted by semicolons, commas or tabs, lines that may end as on old Macintoshes.

use std::path::Path;

use crate::map::features::read_text;
use crate::validate::tame;

/// Characters that separate fields.
const SEPARATORS: [u8; 3] = [b';', b',', b'\t'];

/// Most rows of a table.
const MOST_ROWS: usize = 100_000;

/// Rows of the numbers in some columns, which the heading names.
///
/// # Errors
/// Names the file, and the column or the row that is wrong.
pub(super) fn columns<const N: usize>(path: &Path, names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
    parse(&read_text(path)?, names).map_err(|fault| format!("{}: {fault}", path.display()))
}

fn parse<const N: usize>(text: &str, names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let heading = text.split(['\n', '\r']).next().unwrap_or_default().as_bytes();
    let separator = SEPARATORS.into_iter().find(|separator| heading.contains(separator)).unwrap_or(b',');
    // Its reader takes each of \n, \r\n and \r as the end of a line.
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(separator).trim(csv::Trim::All).flexible(true).from_reader(text.as_bytes());
    let heading = reader.headers().map_err(|error| error.to_string())?.clone();
    let mut at = [0; N];
    for (at, name) in at.iter_mut().zip(names) {
        let missing = || format!("its heading has no column {name:?}");
        *at = heading.iter().position(|field| field == name).ok_or_else(missing)?;
    }
    let mut rows = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(|error| error.to_string())?;
        let mut row = [0.0; N];
        for ((value, at), name) in row.iter_mut().zip(at).zip(names) {
            let field = record.get(at).unwrap_or_default();
            let number = field.parse::<f64>().ok().filter(|number| number.is_finite());
            *value = number.ok_or_else(|| format!("row {}: {name} = {}: must be a number", i + 2, tame(field)))?;
        }
        rows.push(row);
        if rows.len() > MOST_ROWS {
            return Err(format!("has more than {MOST_ROWS} rows"));
        }
    }
    if rows.is_empty() { Err("has no row below its heading".to_owned()) } else { Ok(rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_whatever_parts_fields_and_lines() {
        let semicolons = parse("a (m);b;c\r\n1;2;3\r\n4;5;6\r\n", ["c", "a (m)"]);
        assert_eq!(semicolons, Ok(vec![[3.0, 1.0], [6.0, 4.0]]));
        assert_eq!(parse("a,b\r1,2\r3,4", ["a", "b"]), Ok(vec![[1.0, 2.0], [3.0, 4.0]]));
        assert_eq!(parse("a\tb\n1\t-2e1\n", ["b"]), Ok(vec![[-20.0]]));
        for (text, message) in [
            ("a;c\n1;2\n", "its heading has no column \"b\""),
            ("a;b\n", "has no row below its heading"),
            ("", "its heading has no column \"b\""),
            ("a;b\n1;2\n1;far\n", "row 3: b = far: must be a number"),
            ("a;b\n1\n", "row 2: b = : must be a number"),
            ("a;b\n1;inf\n", "row 2: b = inf: must be a number"),
        ] {
            assert_eq!(parse(text, ["b"]), Err(message.to_owned()), "{text}");
        }
    }
}
