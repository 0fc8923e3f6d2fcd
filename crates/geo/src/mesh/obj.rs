//! Reader of Wavefront OBJ files: faces only, without materials.

use std::str::SplitAsciiWhitespace;

use super::error::Fault;
use super::read::Collector;
use lavoxel_base::memory::MemoryEstimate;

const FORMAT: &str = "OBJ";

/// Position (x, y, z) of a vertex, in the axes and the unit of the file.
type Corner = [f32; 3];

pub(super) fn read(bytes: &[u8], collector: &mut Collector<'_>) -> Result<(), Fault> {
    let text = std::str::from_utf8(bytes).map_err(wrong)?;
    let corners = corners(text, collector)?;
    let mut faces = Faces {
        corners: &corners,
        known: 0,
    };
    // The wish for a part is asked at its first face: names without faces are no parts.
    let (mut name, mut wanted) = ("", None);
    for line in text.lines() {
        let (key, rest) = line
            .trim_start()
            .split_once([' ', '\t'])
            .unwrap_or((line.trim(), ""));
        match key {
            "v" => faces.known += 1,
            "o" | "g" => (name, wanted) = (rest.trim(), None),
            "f" if *wanted.get_or_insert_with(|| collector.wants(name)) => {
                faces.read(rest.split_ascii_whitespace(), collector)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn wrong(found: impl ToString) -> Fault {
    Fault::content(FORMAT, found)
}

/// Reads the positions of all vertices, in the order in which the file lists them; faces refer to
/// them by index. `collector` checks the memory.
fn corners(text: &str, collector: &mut Collector<'_>) -> Result<Vec<Corner>, Fault> {
    let lines = || {
        text.lines().filter_map(|line| {
            line.trim_start()
                .strip_prefix(['v'])?
                .strip_prefix([' ', '\t'])
        })
    };
    let count = lines().count();
    collector.hold(&MemoryEstimate::new(
        "the corners of the mesh",
        count,
        size_of::<Corner>() as f64,
    ))?;
    let mut corners = Vec::with_capacity(count);
    for line in lines() {
        let mut words = line.split_ascii_whitespace();
        let mut number = || words.next()?.parse().ok();
        let mut corner = || Some([number()?, number()?, number()?]);
        corners.push(
            corner()
                .ok_or_else(|| wrong(format!("a corner is no three numbers: {}", line.trim())))?,
        );
    }
    Ok(corners)
}

/// Reader of the faces of an OBJ file; `known` is the number of vertices above the current line, to
/// which negative indices are relative.
struct Faces<'a> {
    corners: &'a [Corner],
    known: usize,
}

impl Faces<'_> {
    /// Adds the face with the vertex references `words` to `collector`, as a fan of triangles
    /// around its first vertex. Faces with fewer than three vertices are skipped.
    fn read(
        &self,
        mut words: SplitAsciiWhitespace<'_>,
        collector: &mut Collector<'_>,
    ) -> Result<(), Fault> {
        let mut next = || words.next().map(|word| self.corner(word)).transpose();
        let (Some(first), Some(mut before)) = (next()?, next()?) else {
            return Ok(());
        };
        while let Some(corner) = next()? {
            collector.add([first, before, corner])?;
            before = corner;
        }
        Ok(())
    }

    /// Returns the position of the vertex in a face's reference `word`, such as `7`, `-2` or
    /// `7/1/3`; only the number before the first slash is used.
    fn corner(&self, word: &str) -> Result<[f64; 3], Fault> {
        let number = word
            .split('/')
            .next()
            .and_then(|number| number.parse::<i64>().ok());
        let number = number.ok_or_else(|| wrong(format!("a face names the corner {word}")))?;
        let place = if number < 0 {
            self.known as i64 + number
        } else {
            number - 1
        };
        let corner = usize::try_from(place)
            .ok()
            .and_then(|place| self.corners.get(place));
        corner
            .map(|corner| corner.map(f64::from))
            .ok_or_else(|| wrong("a face names a corner that is not there"))
    }
}
