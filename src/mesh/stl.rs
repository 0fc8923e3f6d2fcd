//! STL, binary and ASCII.

use std::io::Cursor;

use super::error::Fault;
use super::read::Collector;

const FORMAT: &str = "STL";
/// Bytes before the first triangle of a binary file, and of a triangle.
const HEAD: usize = 84;
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8], collector: &mut Collector<'_>) -> Result<(), Fault> {
    let announced = bytes.get(80..HEAD).and_then(|count| Some(u32::from_le_bytes(count.try_into().ok()?)));
    let length = announced.map(|count| HEAD as u64 + TRIANGLE as u64 * u64::from(count));
    // Some programs write "solid" into the free text of a binary file: its length tells.
    if length == Some(bytes.len() as u64) {
        return read_binary(bytes, collector);
    }
    if let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.trim_start().starts_with("solid")) {
        return read_text(text, collector);
    }
    match (announced, length) {
        (Some(_), Some(length)) if length < bytes.len() as u64 => read_binary(bytes, collector),
        (Some(count), _) => {
            let held = bytes.len();
            Err(Fault::content(FORMAT, format!("its {held} bytes cannot hold the {count} triangles announced")))
        }
        (None, _) => Err(Fault::content(FORMAT, "it is too short")),
    }
}

fn read_binary(bytes: &[u8], collector: &mut Collector<'_>) -> Result<(), Fault> {
    let mut bytes = bytes.to_vec();
    // The reader takes a free text "solid" for the ASCII format.
    bytes[..80].fill(0);
    read_solid(bytes, "", collector)
}

/// Reads one `solid` after the other.
fn read_text(text: &str, collector: &mut Collector<'_>) -> Result<(), Fault> {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
        let Some(name) = head.strip_prefix("solid") else {
            return Err(Fault::content(FORMAT, format!("expected \"solid\", found {head}")));
        };
        let Some(end) = body.find("endsolid") else {
            return Err(Fault::content(FORMAT, "it ends before endsolid: the file is cut short"));
        };
        // The reader knows small letters only.
        let solid = format!("solid x\n{}endsolid\n", body[..end].to_ascii_lowercase());
        read_solid(solid.into_bytes(), name.trim(), collector)?;
        rest = body[end..].split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    }
    Ok(())
}

/// Reads a file of one solid.
fn read_solid(bytes: Vec<u8>, name: &str, collector: &mut Collector<'_>) -> Result<(), Fault> {
    let is_wanted = collector.wants(name);
    let mut cursor = Cursor::new(bytes);
    let wrong = |cause| Fault::content(FORMAT, cause);
    for triangle in stl_io::create_stl_reader(&mut cursor).map_err(wrong)? {
        let corners = triangle.map_err(wrong)?.vertices.map(|corner| corner.0.map(f64::from));
        if is_wanted {
            collector.add(corners)?;
        }
    }
    Ok(())
}
