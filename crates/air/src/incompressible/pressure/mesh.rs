//! Grid level of the multigrid solver: layout of its cells in memory, and coefficients of each row
//! of cells.
//!
//! Cells are coloured like a checkerboard, by the parity of x + y + z, and each colour has its own
//! array. All six neighbours of a cell have the other colour, so a half sweep reads one array and
//! writes the other, with stride 1. Cell x of a row is entry x / 2 of its colour's array.

/// Shape of a grid level: number `n` of cells along each axis, and layout of the array of one
/// colour (rows of `half` entries, with a halo of one entry, row and plane beyond each side).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub n: [usize; 3],
    pub half: usize,
}

impl Shape {
    pub(super) fn new(n: [usize; 3]) -> Self {
        Self {
            n,
            half: (n[0].div_ceil(2) + 2).next_multiple_of(8),
        }
    }

    /// Number of entries of a plane of equal z in the array of a colour.
    pub(super) fn plane(&self) -> usize {
        self.half * (self.n[1] + 2)
    }

    pub(super) fn len(&self) -> usize {
        self.plane() * (self.n[2] + 2)
    }

    /// Index in the array of a colour of the first cell of a row; `y` and `z` count from the halo
    /// (0 is the row or plane beyond the side).
    #[inline(always)]
    pub(super) fn row(&self, y: usize, z: usize) -> usize {
        z * self.plane() + y * self.half + 1
    }

    /// Colour (0 or 1) of the cell (x, y, z), and its index in the array of that colour.
    pub(super) fn entry(&self, [x, y, z]: [usize; 3]) -> (usize, usize) {
        ((x + y + z) & 1, self.row(y + 1, z + 1) + x / 2)
    }

    /// Number of cells of a row whose x has the parity `parity` (0 even, 1 odd).
    #[inline(always)]
    pub(super) fn count(&self, parity: usize) -> usize {
        (self.n[0] + 1 - parity) / 2
    }

    /// Number of values of a row in an array that contains both colours in the order of x, halo
    /// included.
    pub(super) fn flat_row(&self) -> usize {
        self.n[0] + 2
    }

    pub(super) fn flat_plane(&self) -> usize {
        self.flat_row() * (self.n[1] + 2)
    }

    /// Index of the first cell of a row in an array that contains both colours in the order of x;
    /// `y` and `z` as in [`Shape::row`].
    #[inline(always)]
    pub(super) fn flat(&self, y: usize, z: usize) -> usize {
        z * self.flat_plane() + y * self.flat_row() + 1
    }

    /// Index of the first lower face of a row of cells, in an array of faces that has one more
    /// element along each axis than there are cells.
    #[inline(always)]
    pub(super) fn faces(&self, y: usize, z: usize) -> usize {
        (z * (self.n[1] + 1) + y) * (self.n[0] + 1)
    }
}

/// Coefficients of the pressure equation for a row of cells: those of the faces, and the inverse of
/// their sum for each cell.
///
/// In most rows all cells have the same coefficients, except for the first and the last (uniform
/// rows). Other rows have a block of [`Rows`] with the coefficients of each cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RowCoefficients {
    /// Number of the row's block in [`Rows`], counted from 1; 0 for a uniform row.
    pub block: u32,
    /// Coefficient of the faces between neighbouring cells of the row.
    pub along: f32,
    /// Coefficients of the faces below, above, to the north and to the south.
    pub across: [f32; 4],
    /// Coefficients of the face west of the first cell and of the face east of the last cell.
    pub ends: [f32; 2],
    /// Inverse of the sum of the six coefficients: for inner cells, for the first cell, and for the
    /// last cell.
    pub inverse: [f32; 3],
}

/// Number of coefficients per cell in a block: those of the faces west, east, below, above, north
/// and south, and the inverse of their sum.
pub(super) const PARTS: usize = 7;

/// Coefficients of the pressure equation for all rows of cells of a grid level.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    shape: Shape,
    rows: Vec<RowCoefficients>,
    /// Coefficients of the rows that are not uniform, one block per row: for each parity of x,
    /// [`PARTS`] arrays with one value per cell.
    blocks: Vec<f32>,
    unused: Vec<u32>,
}

impl Rows {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            rows: vec![RowCoefficients::default(); shape.n[1] * shape.n[2]],
            blocks: Vec::new(),
            unused: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, y: usize, z: usize) -> &RowCoefficients {
        &self.rows[z * self.shape.n[1] + y]
    }

    /// Coefficients of the cells of `row` whose x has the parity `parity` (0 even, 1 odd), as
    /// [`PARTS`] consecutive arrays; the row must not be uniform.
    #[inline(always)]
    pub(super) fn block(&self, row: &RowCoefficients, parity: usize) -> &[f32] {
        let part = PARTS * self.shape.half;
        &self.blocks[(2 * (row.block as usize - 1) + parity) * part..][..part]
    }

    /// Returns true if all coefficients equal those of `other`, even if their blocks have different
    /// numbers.
    #[cfg(test)]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let pairs = self.rows.iter().zip(&other.rows);
        let blocks = |rows: &Self, row: &RowCoefficients| {
            [0, 1].map(|parity| rows.block(row, parity).to_vec())
        };
        pairs.into_iter().all(|(a, b)| match (a.block, b.block) {
            (0, 0) => a == b,
            (0, _) | (_, 0) => false,
            _ => blocks(self, a) == blocks(other, b),
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.len() * size_of::<RowCoefficients>() + self.blocks.len() * size_of::<f32>()
    }

    /// Sets the coefficients of the row `[y, z]`. `face` returns the coefficient of the lower face
    /// of a cell along an axis, given axis and cell.
    pub(super) fn set(&mut self, [y, z]: [usize; 2], face: impl Fn(usize, [usize; 3]) -> f32) {
        let nx = self.shape.n[0];
        let six = |x: usize| {
            let along = [face(0, [x, y, z]), face(0, [x + 1, y, z])];
            let [down, up] = [face(1, [x, y, z]), face(1, [x, y + 1, z])];
            [
                along[0],
                along[1],
                down,
                up,
                face(2, [x, y, z]),
                face(2, [x, y, z + 1]),
            ]
        };
        let cells: Vec<[f32; 6]> = (0..nx).map(six).collect();
        let along = if nx > 1 { cells[0][1] } else { 0.0 };
        let across = [cells[0][2], cells[0][3], cells[0][4], cells[0][5]];
        let uniform = cells
            .iter()
            .enumerate()
            .all(|(x, c)| c[2..] == across && (x + 1 == nx || c[1] == along));
        let at = z * self.shape.n[1] + y;
        let old = self.rows[at].block;
        // A uniform row needs ten numbers in place of seven for each cell.
        if !uniform {
            let block = if old > 0 {
                old
            } else {
                self.unused.pop().unwrap_or_else(|| self.more())
            };
            self.rows[at] = RowCoefficients {
                block,
                ..RowCoefficients::default()
            };
            self.fill(block, &cells);
            return;
        }
        if old > 0 {
            self.unused.push(old);
        }
        let ends = [cells[0][0], cells[nx - 1][1]];
        let middle = [along, along, across[0], across[1], across[2], across[3]];
        let inverse = [
            inverse(&middle),
            inverse(&cells[0]),
            inverse(&cells[nx - 1]),
        ];
        self.rows[at] = RowCoefficients {
            block: 0,
            along,
            across,
            ends,
            inverse,
        };
    }

    /// Appends an empty block of coefficients, for a row that is not uniform, to `blocks`; returns
    /// its number, counted from 1.
    fn more(&mut self) -> u32 {
        let size = 2 * PARTS * self.shape.half;
        self.blocks.resize(self.blocks.len() + size, 0.0);
        (self.blocks.len() / size) as u32
    }

    fn fill(&mut self, block: u32, cells: &[[f32; 6]]) {
        let half = self.shape.half;
        for (x, cell) in cells.iter().enumerate() {
            let start = (2 * (block as usize - 1) + (x & 1)) * PARTS * half + x / 2;
            for (part, value) in cell.iter().chain([&inverse(cell)]).enumerate() {
                self.blocks[start + part * half] = *value;
            }
        }
    }
}

/// Inverse of the sum of the six coefficients `cell` of a cell; 0 if all its faces are closed.
fn inverse(cell: &[f32; 6]) -> f32 {
    let sum = ((cell[0] + cell[1]) + (cell[2] + cell[3])) + (cell[4] + cell[5]);
    if sum > 0.0 { 1.0 / sum } else { 0.0 }
}

/// Grid level of the multigrid solver: shape, pressure, right-hand side and coefficients.
#[derive(Clone, Debug)]
pub(super) struct Mesh {
    pub shape: Shape,
    /// Widths of the cells along each axis, in cells of the finest grid. The last cell along an
    /// axis is narrower if a finer level has an odd number of cells.
    pub widths: [Vec<f32>; 3],
    /// Pressure in the cells of both colours, with a halo of one entry beyond each side.
    pub p: [Vec<f32>; 2],
    /// Right-hand side of the pressure equation in the cells of both colours.
    pub r: [Vec<f32>; 2],
    /// Pressure in an array that contains both colours in the order of x; empty on the finest grid,
    /// where the gradient is computed from one reordered plane at a time.
    pub flat: Vec<f32>,
    /// Coefficients of the lower faces along each axis; empty on the finest grid, for which the
    /// caller provides them.
    pub faces: [Vec<f32>; 3],
    pub rows: Rows,
}

impl Mesh {
    /// Returns the finest grid level, with `n` cells along each axis.
    pub(super) fn finest(n: [usize; 3]) -> Self {
        Self::new(Shape::new(n), n.map(|n| vec![1.0; n]), false)
    }

    /// Returns the next coarser grid level, with half as many cells along each axis (rounded up).
    pub(super) fn coarser(&self) -> Self {
        let halves = |widths: &Vec<f32>| {
            widths
                .chunks(2)
                .map(|pair| pair.iter().sum())
                .collect::<Vec<f32>>()
        };
        let widths = [
            halves(&self.widths[0]),
            halves(&self.widths[1]),
            halves(&self.widths[2]),
        ];
        let n = [widths[0].len(), widths[1].len(), widths[2].len()];
        Self::new(Shape::new(n), widths, true)
    }

    fn new(shape: Shape, widths: [Vec<f32>; 3], own_faces: bool) -> Self {
        let faces = if own_faces {
            shape.n.map(|n| n + 1).iter().product()
        } else {
            0
        };
        Self {
            shape,
            widths,
            p: [vec![0.0; shape.len()], vec![0.0; shape.len()]],
            r: [vec![0.0; shape.len()], vec![0.0; shape.len()]],
            flat: if own_faces {
                vec![0.0; shape.flat_plane() * (shape.n[2] + 2)]
            } else {
                Vec::new()
            },
            faces: [vec![0.0; faces], vec![0.0; faces], vec![0.0; faces]],
            rows: Rows::new(shape),
        }
    }

    /// Distance between the centres of the two cells at the face with index `face` along `axis`, in
    /// cells of the finest grid. For a face at a side of the air's box, the distance from the face
    /// to the centre of its cell, unless the axis is periodic (`wraps`).
    fn distance(&self, axis: usize, face: usize, wraps: bool) -> f32 {
        let (widths, n) = (&self.widths[axis], self.shape.n[axis]);
        match face {
            _ if face > 0 && face < n => 0.5 * (widths[face - 1] + widths[face]),
            _ if wraps => 0.5 * (widths[0] + widths[n - 1]),
            0 => 0.5 * widths[0],
            _ => 0.5 * widths[n - 1],
        }
    }

    /// Coefficient of a face of the next coarser grid: sum of the coefficients of the fine faces
    /// that make up the face, scaled for the larger distance between cell centres.
    pub(super) fn coarse_face(
        &self,
        coarse: &Self,
        (axis, place): (usize, [usize; 3]),
        wraps: bool,
        face: impl Fn(usize, [usize; 3]) -> f32,
    ) -> f32 {
        if wraps && coarse.shape.n[axis] == 1 {
            return 0.0;
        }
        let first = [0, 1, 2].map(|k| {
            if self.shape.n[k] > 1 {
                2 * place[k]
            } else {
                place[k]
            }
        });
        let along = first[axis].min(self.shape.n[axis]);
        let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
        let last = |k: usize| {
            if self.shape.n[k] > 1 {
                (first[k] + 2).min(self.shape.n[k])
            } else {
                first[k] + 1
            }
        };
        let mut sum = 0.0;
        for (j, k) in (first[b]..last(b)).flat_map(|j| (first[c]..last(c)).map(move |k| (j, k))) {
            let mut fine = [0; 3];
            (fine[axis], fine[b], fine[c]) = (along, j, k);
            sum += face(axis, fine);
        }
        sum * (self.distance(axis, along, wraps) / coarse.distance(axis, place[axis], wraps))
    }

    pub(super) fn bytes(&self) -> usize {
        let floats = 4 * self.shape.len() + self.flat.len() + 3 * self.faces[0].len();
        floats * size_of::<f32>() + self.rows.bytes()
    }
}
