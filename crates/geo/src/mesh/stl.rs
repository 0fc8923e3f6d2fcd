//! Reader of STL meshes, binary and ASCII.

use std::str::SplitAsciiWhitespace;

use super::error::Fault;
use super::read::Collector;

const FORMAT: &str = "STL";
/// Length of the header of a binary STL file in bytes.
const HEAD: usize = 84;
/// Length of a triangle record of a binary STL file in bytes.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8], collector: &mut Collector<'_>) -> Result<(), Fault> {
    let announced = bytes
        .get(80..HEAD)
        .and_then(|count| Some(u32::from_le_bytes(count.try_into().ok()?)));
    let length = announced.map(|count| HEAD as u64 + TRIANGLE as u64 * u64::from(count));
    // Some programs write "solid" into the free text of a binary file: only its length tells.
    if let (Some(count), true) = (announced, length == Some(bytes.len() as u64)) {
        return read_binary(bytes, count as usize, collector);
    }
    if let Some(text) = std::str::from_utf8(bytes)
        .ok()
        .filter(|text| text.trim_start().starts_with("solid"))
    {
        return read_text(text, collector);
    }
    match (announced, length) {
        (Some(count), Some(length)) if length < bytes.len() as u64 => {
            read_binary(bytes, count as usize, collector)
        }
        (Some(count), _) => {
            let held = bytes.len();
            Err(Fault::content(
                FORMAT,
                format!("its {held} bytes cannot hold the {count} triangles announced"),
            ))
        }
        (None, _) => Err(Fault::content(FORMAT, "it is too short")),
    }
}

/// Reads `count` triangles of a binary file into `collector`; the caller has checked that the file
/// is long enough.
fn read_binary(bytes: &[u8], count: usize, collector: &mut Collector<'_>) -> Result<(), Fault> {
    if !collector.wants("") {
        return Ok(());
    }
    for triangle in bytes[HEAD..].as_chunks::<TRIANGLE>().0.iter().take(count) {
        // The corners follow the normal.
        let number =
            |i: usize| f32::from_le_bytes(std::array::from_fn(|byte| triangle[12 + 4 * i + byte]));
        collector.add([0, 3, 6].map(|corner| [0, 1, 2].map(|k| f64::from(number(corner + k)))))?;
    }
    Ok(())
}

/// Reads all `solid` blocks of the ASCII STL file `text` into `collector`.
fn read_text(text: &str, collector: &mut Collector<'_>) -> Result<(), Fault> {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
        let Some(name) = head.strip_prefix("solid") else {
            return Err(Fault::content(
                FORMAT,
                format!("expected \"solid\", found {head}"),
            ));
        };
        let Some(end) = body.find("endsolid") else {
            return Err(Fault::content(
                FORMAT,
                "it ends before endsolid: the file is cut short",
            ));
        };
        if collector.wants(name.trim()) {
            read_facets(&mut Words(body[..end].split_ascii_whitespace()), collector)?;
        }
        rest = body[end..]
            .split_once('\n')
            .map_or("", |(_, rest)| rest.trim_start());
    }
    Ok(())
}

/// Reads the facets of a solid, up to the keyword `endsolid`, from `words` into `collector`.
fn read_facets(words: &mut Words<'_>, collector: &mut Collector<'_>) -> Result<(), Fault> {
    while let Some(word) = words.0.next() {
        words.expect_this("facet", word)?;
        words.expect("normal")?;
        // The normal follows from the corners.
        (0..3).try_for_each(|_| words.number().map(drop))?;
        words.expect("outer")?;
        words.expect("loop")?;
        let mut corners = [[0.0; 3]; 3];
        for corner in &mut corners {
            words.expect("vertex")?;
            for number in corner {
                *number = words.number()?;
            }
        }
        words.expect("endloop")?;
        words.expect("endfacet")?;
        collector.add(corners)?;
    }
    Ok(())
}

/// Words of an ASCII STL file, in order; keywords are compared without case.
struct Words<'a>(SplitAsciiWhitespace<'a>);

impl Words<'_> {
    fn expect(&mut self, word: &str) -> Result<(), Fault> {
        let found = self.0.next().unwrap_or("the end");
        self.expect_this(word, found)
    }

    fn expect_this(&self, word: &str, found: &str) -> Result<(), Fault> {
        let is_it = found.eq_ignore_ascii_case(word);
        is_it
            .then_some(())
            .ok_or_else(|| Fault::content(FORMAT, format!("expected \"{word}\", found {found}")))
    }

    fn number(&mut self) -> Result<f64, Fault> {
        let found = self.0.next().unwrap_or("the end");
        let number = found.parse::<f32>();
        number
            .map(f64::from)
            .map_err(|_| Fault::content(FORMAT, format!("expected a number, found {found}")))
    }
}
