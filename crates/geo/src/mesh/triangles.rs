//! List of triangles with common vertices.

use std::collections::HashMap;

/// Triangle mesh of a file or of one part of the file. Equal vertices are merged, so that adjacent
/// triangles have common edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Positions of the vertices (x east, y up, z south), in the unit of the file until `change`
    /// converts them.
    pub corners: Vec<[f64; 3]>,
    /// Triangles of the mesh, each as the indices of its three vertices in `corners`.
    pub triangles: Vec<[u32; 3]>,
}

/// Numbers of edges at which a mesh is not a closed, consistently oriented surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// Number of edges that belong to an odd number of triangles, as at holes.
    pub(super) open: usize,
    /// Number of edges that belong to an even number of triangles which are not oriented
    /// consistently.
    pub(super) twisted: usize,
}

/// Builder of a mesh: collects triangles and merges equal vertices.
#[derive(Default)]
pub(super) struct Weld {
    soup: TriangleMesh,
    known: HashMap<[u64; 3], u32>,
    room: Room,
}

/// Capacity of the lists of vertices and triangles, for which memory has been reserved.
#[derive(Clone, Copy, Default)]
struct Room {
    corners: usize,
    triangles: usize,
}

impl Room {
    /// Smallest number of vertices, and of triangles, for which memory is reserved.
    const LEAST: usize = 1 << 10;

    /// Memory in bytes of an entry in the hash table of vertices: key, value and control byte.
    const BUCKET: usize = size_of::<([u64; 3], u32)>() + 1;

    fn bytes(self) -> usize {
        // The number of a table's buckets is a power of two, of which seven in eight are filled.
        let buckets = (self.corners * 8 / 7).next_power_of_two();
        buckets * Self::BUCKET + TriangleMesh::bytes_of(self.corners, self.triangles)
    }
}

impl Weld {
    /// Returns the peak memory in bytes while the lists are enlarged for one more triangle (old and
    /// new lists together); `None` if their capacity suffices.
    pub(super) fn growth(&self) -> Option<usize> {
        self.grown().map(|room| room.bytes() + self.room.bytes())
    }

    fn grown(&self) -> Option<Room> {
        let (corners, triangles) = (self.soup.corners.len(), self.soup.triangles.len());
        let grown = |room: usize, used: usize| {
            if used > room {
                (2 * room).max(Room::LEAST)
            } else {
                room
            }
        };
        let room = Room {
            corners: grown(self.room.corners, corners + 3),
            triangles: grown(self.room.triangles, triangles + 1),
        };
        (room.corners > self.room.corners || room.triangles > self.room.triangles).then_some(room)
    }

    /// Adds the triangle with the vertices `corners` to the mesh, merging equal vertices; a
    /// triangle with two equal vertices is skipped.
    pub(super) fn add(&mut self, corners: [[f64; 3]; 3]) {
        if let Some(room) = self.grown() {
            let TriangleMesh { corners, triangles } = &mut self.soup;
            corners.reserve_exact(room.corners - corners.len());
            self.known.reserve(room.corners - self.known.len());
            triangles.reserve_exact(room.triangles - triangles.len());
            self.room = room;
        }
        let [a, b, c] = corners.map(|corner| self.number(corner));
        if a != b && b != c && c != a {
            self.soup.triangles.push([a, b, c]);
        }
    }

    fn number(&mut self, corner: [f64; 3]) -> u32 {
        // Adding 0 turns −0 into 0, so that both have the same bits.
        let corner = corner.map(|v| v + 0.0);
        let corners = &mut self.soup.corners;
        *self
            .known
            .entry(corner.map(f64::to_bits))
            .or_insert_with(|| {
                corners.push(corner);
                corners.len() as u32 - 1
            })
    }

    /// Returns the mesh of the collected triangles.
    pub(super) fn done(self) -> TriangleMesh {
        let Self {
            mut soup, known, ..
        } = self;
        drop(known);
        soup.corners.shrink_to_fit();
        soup.triangles.shrink_to_fit();
        soup
    }
}

impl TriangleMesh {
    /// Returns the memory in bytes of `corners` vertices and `triangles` triangles.
    fn bytes_of(corners: usize, triangles: usize) -> usize {
        corners * size_of::<[f64; 3]>() + triangles * size_of::<[u32; 3]>()
    }

    /// Returns the memory of the mesh in bytes.
    pub(super) fn bytes(&self) -> usize {
        Self::bytes_of(self.corners.len(), self.triangles.len())
    }

    /// Replaces each vertex position `p` by `to(p)`.
    pub(super) fn change(&mut self, to: impl Fn([f64; 3]) -> [f64; 3]) {
        self.corners
            .iter_mut()
            .for_each(|corner| *corner = to(*corner));
    }

    /// Returns the lower and the upper corner of the mesh's bounding box, in the unit of the
    /// vertices.
    pub(super) fn bounds(&self) -> [[f64; 3]; 2] {
        let fold = |pick: fn(f64, f64) -> f64, start: f64| {
            self.corners.iter().fold([start; 3], |all, p| {
                std::array::from_fn(|k| pick(all[k], p[k]))
            })
        };
        [
            fold(f64::min, f64::INFINITY),
            fold(f64::max, f64::NEG_INFINITY),
        ]
    }

    /// Counts the edges at which the mesh is open or not oriented consistently.
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
