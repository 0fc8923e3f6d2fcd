//! Reader of vent positions in a table (`.csv`): x, y and an optional weight per line.
//!
//! Fields are separated by semicolons, tabs, commas or blanks. A header may state the columns in
//! any order; without a header, the columns are x, y and weight. Lines that begin with `#` are
//! skipped.

use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::table::{Table, TableRow};
use lavoxel_geo::map::features::{Feature, Geometry};

/// Upper bound on the number of lines of a table of vent positions.
const MOST_LINES: usize = 10_000_000;

/// Accepted column names, in lower case, for x, y and weight of a vent position.
const NAMES: [&[&str]; 3] = [
    &["x", "map_x", "easting", "east", "lon", "longitude"],
    &["y", "map_y", "northing", "north", "lat", "latitude"],
    &["weight"],
];

/// Estimated memory in bytes per line while a table is read and prepared for sampling, `Vec`
/// doubling included.
const BYTES_A_LINE: f64 = 480.0;

/// Estimates the memory needed to read the table `text`, in addition to the text itself.
pub fn need(text: &str) -> MemoryEstimate {
    MemoryEstimate::new("the vents of the table", text.lines().count(), BYTES_A_LINE)
}

/// Parses a table of vent positions into point features. The caller checks the memory by [`need`]
/// first.
///
/// # Errors
/// Fault of the table, as text to be appended to the name of the file.
pub fn parse(text: &str) -> Result<Vec<Feature>, String> {
    let table = Table::parse_or_name(text, MOST_LINES, &NAMES.map(|names| names[0]))?;
    let [Some(x), Some(y), weight] = NAMES.map(|names| table.column(names)) else {
        return Err("has a heading without x and y; name the columns x, y and weight".to_owned());
    };
    let vent = |(i, row): (usize, &TableRow)| {
        let wrong = |_| row.fault("must be x, y and, where vents differ, a weight from 0 up");
        let point = [
            row.number(x, "x").map_err(wrong)?,
            row.number(y, "y").map_err(wrong)?,
        ];
        let weight = row
            .number_or_none(weight, "weight")
            .map_err(wrong)?
            .unwrap_or(1.0);
        let feature = Feature {
            number: i + 1,
            ..Feature::new(Geometry::Points(vec![point]), weight)
        };
        if weight >= 0.0 {
            Ok(feature)
        } else {
            Err(wrong(String::new()))
        }
    };
    let vents = table
        .rows()
        .iter()
        .enumerate()
        .map(vent)
        .collect::<Result<Vec<_>, _>>()?;
    if vents.is_empty() {
        Err("has no vent; write one in each line: x,y,weight".to_owned())
    } else {
        Ok(vents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<([f64; 2], f64)>, String> {
        let place = |feature: Feature| match feature.geometry {
            Geometry::Points(points) => (points[0], feature.weight),
            other => panic!("{other:?}"),
        };
        parse(text).map(|features| features.into_iter().map(place).collect())
    }

    #[test]
    fn tables_are_read_as_programs_write_them() {
        let expected = Ok(vec![([1.0, 2.5], 3.0), ([4.0, 5.0], 1.0)]);
        for text in [
            "1,2.5,3\n4,5\n",
            "\u{feff}x;y;weight\r\n1;2.5;3\r\n4;5;\r\n",
            "# vents\nweight,name,Northing,Easting\n3,a,2.5,1\n\n,b,5,4\n",
            "1 2.5 3\n4  5",
            "sep=;\n1;2,5;3\n;;\n4;5;",
            "\"lon\"\t\"lat\"\t\"weight\"\n1\t2.5\t3\n4\t5\t1",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn wrong_tables_name_the_line() {
        for (text, part) in [
            ("", "is empty"),
            ("x,y\n", "has no vent"),
            ("a,b\n1,2", "a heading without x and y"),
            ("1,2\n3\n", "line 2: must be x, y"),
            ("x,y,weight\n1,2,-3\n", "line 2: must be x, y"),
            ("1,2\n3,four\n", "line 2: must be x, y"),
            ("1,inf\n", "line 1: must be"),
            (
                "1,2,3\n1,2,3,4,5\n",
                "line 2: has 5 fields under a heading of 3",
            ),
            ("x,y\n1,2,3\n", "line 2: has 3 fields under a heading of 2"),
            ("1,2,3,4\n", "line 1: has 4 fields under a heading of 3"),
        ] {
            assert!(
                read(text).is_err_and(|error| error.contains(part)),
                "{text}: {:?}",
                read(text)
            );
        }
    }
}
