//! Triangles with shared corners.

use std::collections::HashMap;

/// Triangles of a file or of a part of it. Corners at the same place are one, so that an edge of two triangles is the same
/// edge for both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soup {
    /// Corners (x east, y up, z south).
    pub corners: Vec<[f64; 3]>,
    /// Numbers of three corners each.
    pub triangles: Vec<[u32; 3]>,
}

/// How the edges of a mesh fit together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Edges with an odd number of triangles: those of holes.
    pub(super) open: usize,
    /// Edges of an even number of triangles that do not turn the same way round.
    pub(super) twisted: usize,
}

/// Collects triangles.
#[derive(Default)]
pub(super) struct Weld {
    soup: Soup,
    known: HashMap<[u64; 3], u32>,
}

impl Weld {
    /// Adds a triangle; one with two corners at the same place is skipped.
    pub(super) fn add(&mut self, corners: [[f64; 3]; 3]) {
        let [a, b, c] = corners.map(|corner| self.number(corner));
        if a != b && b != c && c != a {
            self.soup.triangles.push([a, b, c]);
        }
    }

    fn number(&mut self, corner: [f64; 3]) -> u32 {
        // Adding 0 makes one zero of both.
        let corner = corner.map(|v| v + 0.0);
        let corners = &mut self.soup.corners;
        *self.known.entry(corner.map(f64::to_bits)).or_insert_with(|| {
            corners.push(corner);
            corners.len() as u32 - 1
        })
    }

    /// Triangles so far.
    pub(super) fn len(&self) -> usize {
        self.soup.triangles.len()
    }

    /// All of them.
    pub(super) fn done(self) -> Soup {
        self.soup
    }
}

impl Soup {
    /// Moves every corner.
    pub(super) fn change(&mut self, to: impl Fn([f64; 3]) -> [f64; 3]) {
        self.corners.iter_mut().for_each(|corner| *corner = to(*corner));
    }

    /// Lowest and highest corner of a box around it.
    pub(super) fn bounds(&self) -> [[f64; 3]; 2] {
        let fold = |pick: fn(f64, f64) -> f64, start: f64| {
            self.corners.iter().fold([start; 3], |all, p| std::array::from_fn(|k| pick(all[k], p[k])))
        };
        [fold(f64::min, f64::INFINITY), fold(f64::max, f64::NEG_INFINITY)]
    }

    /// How its edges fit together.
    pub(super) fn edges(&self) -> Edges {
        let side = |[a, b]: [u32; 2]| if a < b { [a, b, 0] } else { [b, a, 1] };
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(side);
        let mut all: Vec<[u32; 3]> = self.triangles.iter().flat_map(sides).collect();
        all.sort_unstable();
        let mut edges = Edges::default();
        for edge in all.chunk_by(|one, other| one[..2] == other[..2]) {
            let back = edge.iter().filter(|side| side[2] == 1).count();
            if edge.len() % 2 == 1 {
                edges.open += 1;
            } else if 2 * back != edge.len() {
                edges.twisted += 1;
            }
        }
        edges
    }
}
