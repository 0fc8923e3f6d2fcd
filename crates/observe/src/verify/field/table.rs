//! Reads numeric columns from tables of field data.

use std::path::Path;

use lavoxel_files::table::{Table, TableRow};
use lavoxel_geo::map::features::read_text;

/// Upper bound on the number of rows of a table of field data.
const MOST_ROWS: usize = 100_000;

/// Reads the columns with the headings `names` from the table at `path` and returns them as one
/// array per row, in the order of `names`.
///
/// # Errors
/// Names the file, and the faulty column or row.
pub(super) fn columns<const N: usize>(
    path: &Path,
    names: [&str; N],
) -> Result<Vec<[f64; N]>, String> {
    parse(&read_text(path)?, names).map_err(|fault| format!("{}: {fault}", path.display()))
}

fn parse<const N: usize>(text: &str, names: [&str; N]) -> Result<Vec<[f64; N]>, String> {
    let table = Table::parse(text, MOST_ROWS)?;
    let mut at = [0; N];
    for (at, name) in at.iter_mut().zip(names) {
        *at = table
            .column(&[name])
            .ok_or_else(|| format!("its heading has no column {name:?}"))?;
    }
    let numbers = |row: &TableRow| {
        let mut numbers = [0.0; N];
        for ((number, at), name) in numbers.iter_mut().zip(at).zip(names) {
            *number = row.number(at, name)?;
        }
        Ok(numbers)
    };
    let rows = table
        .rows()
        .iter()
        .map(numbers)
        .collect::<Result<Vec<_>, String>>()?;
    if rows.is_empty() {
        Err("has no row below its heading".to_owned())
    } else {
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_whatever_parts_fields_and_lines() {
        let semicolons = parse("a (m);b;c\r\n1;2;3\r\n4;5;6\r\n", ["c", "a (m)"]);
        assert_eq!(semicolons, Ok(vec![[3.0, 1.0], [6.0, 4.0]]));
        assert_eq!(
            parse("a,b\r1,2\r3,4", ["a", "b"]),
            Ok(vec![[1.0, 2.0], [3.0, 4.0]])
        );
        assert_eq!(parse("a\tb\n1\t-2e1\n", ["b"]), Ok(vec![[-20.0]]));
        for (text, message) in [
            ("a;c\n1;2\n", "its heading has no column \"b\""),
            ("a;b\n", "has no row below its heading"),
            ("", "is empty"),
            ("a;b\n1;2\n1;far\n", "line 3: b \"far\" is no number"),
            ("a;b\n1\n", "line 2: b is missing"),
            ("a;b\n1;inf\n", "line 2: b \"inf\" is no number"),
            ("a;b\n1;2;3\n", "line 2: has 3 fields under a heading of 2"),
        ] {
            assert_eq!(parse(text, ["b"]), Err(message.to_owned()), "{text}");
        }
    }
}
