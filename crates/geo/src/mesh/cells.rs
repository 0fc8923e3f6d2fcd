//! Voxelisation of meshes: finds the cells whose centre lies inside a closed mesh.
//!
//! Lines through cell centres along x, y and z enter and leave a closed mesh. If all triangles are
//! oriented consistently, a cell is inside if the line has entered more often than left before the
//! cell (winding number), so that parts of the mesh may overlap; otherwise, a cell is inside after
//! an odd number of crossings. The three lines through a cell vote. A line with different numbers
//! of entries and exits passed through a hole in the mesh and has no vote, so that cells behind a
//! hole are not taken as inside. Cells with only one vote, or with different votes, are undecided;
//! a mesh with many undecided cells counts as open.
//!
//! Lines are counted correctly where triangles meet. A plane of cell centres cuts an edge at a
//! point that is computed from that edge alone, with its ends in a fixed order, so that both
//! triangles of the edge get the same point. The cut of the mesh is thus a chain of segments
//! without gaps; a segment includes its lower end and excludes its upper end.

use super::Cells;
use super::triangles::TriangleMesh;
use lavoxel_base::grid::{Grid, Place};

/// Smallest absolute sum of the votes of the three lines (each +1, 0 or −1) that decides whether a
/// cell lies inside.
const SETTLED: i8 = 2;
/// Accepted number of cells with undecided votes, as a fraction of the cells that are inside or
/// undecided; above it, the mesh counts as open.
const MOST_DOUBT: f64 = 0.01;
/// Upper bound on the number of steps of a voxelisation: crossings of lines with triangles, and
/// cuts of triangles by planes.
const MOST_STEPS: f64 = 4e9;

/// Reason why a mesh cannot be voxelised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoCells {
    /// The mesh is not closed, so that it has no inside.
    Open {
        /// Number of edges of the mesh that belong to an odd number of triangles.
        edges: usize,
        /// Number of cells with undecided votes, as a fraction of the cells that are inside the
        /// mesh or undecided.
        doubt: f64,
    },
    /// The mesh contains no cell centre, because it is thin or small.
    Thin,
    /// The triangles overlap to such an extent that voxelisation would take hours.
    Tangled,
}

impl TriangleMesh {
    /// Returns the cells of a box of shape `grid` whose centres lie inside the mesh, whose vertices
    /// are in cells. Fails if the mesh is open, contains no cell centre, or has too many
    /// overlapping triangles.
    pub fn cells(&self, grid: Grid) -> Result<Cells, NoCells> {
        let sides = [grid.nx, grid.ny, grid.nz];
        let [low, high] = self.bounds();
        // One cell more on either side costs little, and no rounding cuts the mesh.
        let clip = |v: f64, k: usize| v.clamp(0.0, sides[k] as f64) as usize;
        let low = std::array::from_fn(|k| clip(low[k].floor() - 1.0, k));
        let high = std::array::from_fn(|k| clip(high[k].ceil() + 1.0, k));
        if (0..3).any(|k| low[k] >= high[k]) {
            return Err(NoCells::Thin);
        }
        if self.steps(low, high) > MOST_STEPS {
            return Err(NoCells::Tangled);
        }
        let mut found = Cells::new(low, high);
        let edges = self.edges();
        let votes = self.votes([low, high], edges.twisted > 0);
        let (mut inside, mut doubtful) = (0_u64, 0_u64);
        for (index, vote) in votes.iter().enumerate() {
            inside += u64::from(*vote > 0);
            doubtful += u64::from(vote.abs() < SETTLED);
            if *vote > 0 {
                found.insert(index);
            }
        }
        let doubt = doubtful as f64 / (inside + doubtful).max(1) as f64;
        if doubt > MOST_DOUBT {
            return Err(NoCells::Open {
                edges: edges.open,
                doubt,
            });
        }
        if inside == 0 {
            Err(NoCells::Thin)
        } else {
            Ok(found)
        }
    }

    /// Returns an upper bound on the work of [`Self::votes`] for the cells from `low` to `high`, in
    /// the unit of `MOST_STEPS`.
    fn steps(&self, low: Place, high: Place) -> f64 {
        let steps = |triangle: &[u32; 3]| {
            let corners = triangle.map(|i| self.corners[i as usize]);
            let [x, y, z] = [0, 1, 2].map(|k| {
                let range = rows(corners.map(|p| p[k]), [low[k], high[k]]);
                (range[1] - range[0]) as f64
            });
            z * (2.0 + x + y) + y * (2.0 + x)
        };
        self.triangles.iter().map(steps).sum()
    }

    /// Returns, for each cell from `low` (inclusive) to `high` (exclusive), the sum of the votes of
    /// the lines along x, y and z: +1 for inside, −1 for outside, 0 for no vote; x varies fastest,
    /// then y. `by_parity`: a line votes by the parity of its crossings instead of the winding
    /// number.
    fn votes(&self, [low, high]: [Place; 2], by_parity: bool) -> Vec<i8> {
        let [wide, tall, deep] = [0, 1, 2].map(|k| high[k] - low[k]);
        let mut votes = vec![0_i8; wide * tall * deep];
        let along = |k: usize| [low[k], high[k]];
        let mut lines = [
            Lines::new(along(1), along(0), by_parity),
            Lines::new(along(0), along(1), by_parity),
        ];
        self.cut([0, 1, 2], along(2), |z, segments| {
            let plane = &mut votes[(z - low[2]) * wide * tall..][..wide * tall];
            let [east, up] = &mut lines;
            segments.iter().for_each(|&[[x0, y0], [x1, y1]]| {
                east.cross([y0, x0], [y1, x1]);
                up.cross([x0, y0], [x1, y1]);
            });
            east.vote(|y, x, vote| plane[y * wide + x] += vote);
            up.vote(|x, y, vote| plane[y * wide + x] += vote);
        });
        let mut south = Lines::new(along(0), along(2), by_parity);
        self.cut([2, 0, 1], along(1), |y, segments| {
            segments
                .iter()
                .for_each(|&[[z0, x0], [z1, x1]]| south.cross([x0, z0], [x1, z1]));
            south.vote(|x, z, vote| votes[(z * tall + y - low[1]) * wide + x] += vote);
        });
        votes
    }

    /// Calls `see` for each plane of cell centres in `range` perpendicular to the axis `w`,
    /// ascending, with the index of the plane and the directed segments in which triangles cut the
    /// plane. Points of a segment have the coordinates along the axes `u` and `v`.
    fn cut(
        &self,
        [u, v, w]: [usize; 3],
        range: [usize; 2],
        mut see: impl FnMut(usize, &[[[f64; 2]; 2]]),
    ) {
        let planes =
            |triangle: &[u32; 3]| rows(triangle.map(|i| self.corners[i as usize][w]), range);
        let mut waiting: Vec<([usize; 2], u32)> = (0_u32..)
            .zip(&self.triangles)
            .map(|(i, t)| (planes(t), i))
            .collect();
        waiting.retain(|([from, to], _)| from < to);
        waiting.sort_unstable();
        let mut waiting = waiting.into_iter().peekable();
        let (mut active, mut segments): (Vec<(usize, u32)>, Vec<_>) = Default::default();
        for plane in range[0]..range[1] {
            active.retain(|(to, _)| *to > plane);
            while let Some(([_, to], i)) = waiting.next_if(|([from, _], _)| *from <= plane) {
                active.push((to, i));
            }
            segments.clear();
            let height = plane as f64 + 0.5;
            segments.extend(
                active
                    .iter()
                    .filter_map(|&(_, i)| self.segment(i, [u, v, w], height)),
            );
            see(plane, &segments);
        }
    }

    /// Returns the segment in which the triangle with the index `triangle` cuts the plane at
    /// `height` on the axis `w`, directed from the falling to the rising edge, with points on the
    /// axes `u` and `v`; `None` if it does not cut the plane.
    fn segment(&self, triangle: u32, [u, v, w]: [usize; 3], height: f64) -> Option<[[f64; 2]; 2]> {
        let corners = self.triangles[triangle as usize].map(|i| self.corners[i as usize]);
        let (mut falls, mut rises) = (None, None);
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let (a, b) = (corners[a], corners[b]);
            let is_above = [a[w] > height, b[w] > height];
            if is_above[0] == is_above[1] {
                continue;
            }
            let (low, high) = if is_above[1] { (a, b) } else { (b, a) };
            let share = (height - low[w]) / (high[w] - low[w]);
            let at = |k: usize| low[k] + share * (high[k] - low[k]);
            *(if is_above[1] { &mut rises } else { &mut falls }) = Some([at(u), at(v)]);
        }
        Some([falls?, rises?])
    }
}

/// Returns the range [first, end) of rows of cells whose centres lie between the lowest of
/// `heights` (inclusive) and the highest (exclusive), in cells; limited to `[from, to]`.
fn rows(heights: [f64; 3], [from, to]: [usize; 2]) -> [usize; 2] {
    let row = |height: f64| first(height).clamp(from as f64, to as f64) as usize;
    [
        row(heights.into_iter().fold(f64::INFINITY, f64::min)),
        row(heights.into_iter().fold(f64::NEG_INFINITY, f64::max)),
    ]
}

/// Returns the index of the first cell whose centre is at or above the coordinate `height` (in
/// cells).
fn first(height: f64) -> f64 {
    (height - 0.5).ceil()
}

/// Crossings of a mesh with the parallel lines of cell centres in one plane.
struct Lines {
    /// Range [first, end) of the indices of the parallel lines of cell centres.
    lines: [usize; 2],
    /// Range [first, end) of the indices of the cells along each of the parallel lines.
    cells: [usize; 2],
    by_parity: bool,
    /// Signed crossings (+1 for an entry, −1 for an exit) between each cell centre and the one
    /// before: a row per line, with an element per cell and one more for crossings beyond the last
    /// cell.
    crossings: Vec<i32>,
}

impl Lines {
    fn new(lines: [usize; 2], cells: [usize; 2], by_parity: bool) -> Self {
        let length = (lines[1] - lines[0]) * (cells[1] - cells[0] + 1);
        Self {
            lines,
            cells,
            by_parity,
            crossings: vec![0; length],
        }
    }

    /// Adds the crossings of all lines with the segment from `from` to `to`; points are `[across
    /// the lines, along the lines]`.
    fn cross(&mut self, from: [f64; 2], to: [f64; 2]) {
        let turn = if self.by_parity || to[0] > from[0] {
            1
        } else {
            -1
        };
        let (low, high) = if to[0] > from[0] {
            (from, to)
        } else {
            (to, from)
        };
        let [begin, end] = rows([low[0], high[0], high[0]], self.lines);
        let [first_cell, beyond] = self.cells;
        let slope = (high[1] - low[1]) / (high[0] - low[0]);
        let (least, most) = (low[1].min(high[1]), low[1].max(high[1]));
        for line in begin..end {
            let along = (low[1] + (line as f64 + 0.5 - low[0]) * slope).clamp(least, most);
            let cell = first(along).clamp(first_cell as f64, beyond as f64) as usize;
            self.crossings
                [(line - self.lines[0]) * (beyond - first_cell + 1) + cell - first_cell] += turn;
        }
    }

    /// Calls `count` with (line index, cell index, vote), both indices from 0, for all cells on
    /// lines that have a vote, and clears the crossings afterwards.
    fn vote(&mut self, mut count: impl FnMut(usize, usize, i8)) {
        let length = self.cells[1] - self.cells[0] + 1;
        for (line, crossings) in self.crossings.chunks_mut(length).enumerate() {
            let is_in = |sum: i32| {
                if self.by_parity {
                    sum % 2 != 0
                } else {
                    sum != 0
                }
            };
            if !is_in(crossings.iter().sum()) {
                let mut sum = 0;
                for (cell, crossing) in crossings[..length - 1].iter().enumerate() {
                    sum += crossing;
                    count(line, cell, if is_in(sum) { 1 } else { -1 });
                }
            }
            crossings.fill(0);
        }
    }
}
