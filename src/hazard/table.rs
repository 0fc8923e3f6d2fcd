//! Vents as a table (`.csv`): a line each with x, y and, where they differ, a weight.
//!
//! Fields are separated by commas, semicolons, tabs or blanks. A heading names the columns, in any order; without one
//! they are x, y and weight. Lines that begin with `#` are skipped.

use crate::map::features::{Feature, Geometry};
use crate::memory::MemoryEstimate;

/// Characters that separate fields.
const SEPARATORS: [char; 4] = [',', ';', '\t', ' '];

/// Names of the columns, in lower case.
const NAMES: [&[&str]; 3] = [
    &["x", "map_x", "easting", "east", "lon", "longitude"],
    &["y", "map_y", "northing", "north", "lat", "latitude"],
    &["weight"],
];

/// Bytes of memory for a line while a table is read and made ready to be drawn from, in lists that double as they grow.
const BYTES_A_LINE: f64 = 240.0;

/// Memory that reading a table takes besides its text.
pub fn need(text: &str) -> MemoryEstimate {
    MemoryEstimate::of("the vents of the table", text.lines().count(), BYTES_A_LINE)
}

/// Reads a table of vents, of which [`need`] tells before what that takes.
///
/// # Errors
/// The fault, in words that follow the name of the file.
pub fn parse(text: &str) -> Result<Vec<Feature>, String> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let (mut order, mut most) = ([Some(0), Some(1), Some(2)], NAMES.len());
    if let Some((_, heading)) = lines.next_if(|(_, line)| fields(line).iter().any(|field| is_word(field))) {
        let heading: Vec<String> = fields(heading).iter().map(|field| field.to_lowercase()).collect();
        most = heading.len();
        order = NAMES.map(|names| heading.iter().position(|field| names.contains(&field.as_str())));
        if order[0].is_none() || order[1].is_none() {
            return Err("has a heading without x and y; name the columns x, y and weight".to_owned());
        }
    }
    let vent = |(number, line): (usize, &str)| {
        let fields = fields(line);
        if fields.len() > most && fields[most..].iter().any(|field| !field.is_empty()) {
            let found = fields.len();
            return Err(format!("line {number}: has {found} fields and not at most {most}; name them in a heading"));
        }
        vent(&fields, order).ok_or_else(|| wrong(number))
    };
    let vents = lines.map(vent).collect::<Result<Vec<_>, _>>()?;
    if vents.is_empty() { Err("has no vent; write one in each line: x,y,weight".to_owned()) } else { Ok(vents) }
}

fn fields(line: &str) -> Vec<&str> {
    // Blanks beside another separator are none themselves.
    let separator = SEPARATORS.into_iter().find(|separator| line.contains(*separator));
    let parts = |separator: char| line.split(separator).map(|field| field.trim().trim_matches('"'));
    match separator {
        Some(' ') => line.split_whitespace().collect(),
        Some(separator) => parts(separator).collect(),
        None => vec![line],
    }
}

fn is_word(field: &str) -> bool {
    !field.is_empty() && field.parse::<f64>().is_err()
}

/// The vent of the fields of a line, of which x, y and weight have these numbers.
fn vent(fields: &[&str], order: [Option<usize>; 3]) -> Option<Feature> {
    let number = |i: usize| fields.get(i)?.parse::<f64>().ok().filter(|number| number.is_finite());
    let (x, y) = (number(order[0]?)?, number(order[1]?)?);
    let weight = match order[2].filter(|i| fields.get(*i).is_some_and(|field| !field.is_empty())) {
        Some(i) => number(i).filter(|weight| *weight >= 0.0)?,
        None => 1.0,
    };
    Some(Feature::new(Geometry::Points(vec![[x, y]]), weight))
}

fn wrong(number: usize) -> String {
    format!("line {number}: must be x, y and, where vents differ, a weight from 0 up")
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
            "\"lon\"\t\"lat\"\t\"weight\"\n1\t2.5\t3\n4\t5\t1",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn wrong_tables_name_the_line() {
        for (text, part) in [
            ("", "has no vent"),
            ("x,y\n", "has no vent"),
            ("a,b\n1,2", "a heading without x and y"),
            ("1,2\n3\n", "line 2: must be x, y"),
            ("x,y,weight\n1,2,-3\n", "line 2: must be x, y"),
            ("1,2\n3,four\n", "line 2: must be x, y"),
            ("1,inf\n", "line 1: must be"),
            ("1,2,3\n1,2,3,4,5\n", "line 2: has 5 fields and not at most 3"),
            ("x,y\n1,2,3\n", "line 2: has 3 fields and not at most 2"),
        ] {
            assert!(read(text).is_err_and(|error| error.contains(part)), "{text}: {:?}", read(text));
        }
    }
}
