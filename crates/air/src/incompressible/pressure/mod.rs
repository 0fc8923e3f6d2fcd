//! Pressure solver of the projection: solves ∇·(o ∇p) = ∇·(o u), with the open share o of the
//! faces, by multigrid cycles.
//!
//! Invariant: a fixed number of V(2,2) cycles starting from the last pressure, without any sum over
//! the air's box, so the bits are the same for any number of threads. On open sides p is 0 at the
//! face, half a cell from the centre of the cell, so the coefficient is 2.

mod mesh;
mod smooth;
mod transfer;

use crate::{AXES, Side};
use lavoxel_base::simd::Level;

use self::mesh::Mesh;
pub(super) use self::transfer::{Pressure, split};

/// Number of half sweeps of the smoother (of one colour each) before and after the coarse-grid
/// correction: two for each colour.
const HALVES: usize = 4;
/// Number of half sweeps of the smoother on the coarsest grid, in place of a direct solver.
const COARSEST: usize = 40;
/// Largest number of cells along each axis of the coarsest grid.
const SMALL: usize = 2;

/// Grid levels of the multigrid solver, finest first.
#[derive(Clone, Debug)]
pub(super) struct Multigrid {
    meshes: Vec<Mesh>,
    sides: [Side; 3],
    simd: Level,
}

impl Multigrid {
    /// Returns the grid levels for `n` cells along each axis; the coefficients must be set with
    /// [`Multigrid::change`].
    pub(super) fn new(n: [usize; 3], sides: [Side; 3], simd: Level) -> Self {
        let mut meshes = vec![Mesh::finest(n)];
        while let Some(last) = meshes.last()
            && last.shape.n.iter().any(|&n| n > SMALL)
        {
            meshes.push(last.coarser());
        }
        Self {
            meshes,
            sides,
            simd,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.meshes.iter().map(Mesh::bytes).sum()
    }

    /// Mutable pressure (cells² per step) in the cells of the finest grid, one array for each
    /// colour.
    pub(super) fn pressure_mut(&mut self) -> &mut [Vec<f32>; 2] {
        &mut self.meshes[0].p
    }

    /// Pressure (cells² per step) in the cell `place` of the finest grid.
    pub(super) fn pressure(&self, place: [usize; 3]) -> f32 {
        let (colour, at) = self.meshes[0].shape.entry(place);
        self.meshes[0].p[colour][at]
    }

    /// Sets the pressure in the cell `place` of the finest grid to `value` (cells² per step).
    pub(super) fn set_pressure(&mut self, place: [usize; 3], value: f32) {
        let (colour, at) = self.meshes[0].shape.entry(place);
        self.meshes[0].p[colour][at] = value;
    }

    /// Mutable right-hand side in the cells of the finest grid, one array for each colour, and the
    /// layout of these arrays.
    pub(super) fn right_side(&mut self) -> (&mut [Vec<f32>; 2], Layout) {
        let mesh = &mut self.meshes[0];
        (&mut mesh.r, Layout(mesh.shape))
    }

    /// Pressure on the finest grid after [`Multigrid::solve`], for the computation of its gradient.
    pub(super) fn solved(&self) -> Pressure<'_> {
        let mesh = &self.meshes[0];
        Pressure {
            shape: mesh.shape,
            sides: self.sides,
            p: [&mesh.p[0], &mesh.p[1]],
        }
    }

    /// Right-hand side of the pressure equation in the cell `place` of the finest grid.
    #[cfg(test)]
    pub(super) fn right_side_at(&self, place: [usize; 3]) -> f32 {
        let (colour, at) = self.meshes[0].shape.entry(place);
        self.meshes[0].r[colour][at]
    }

    /// Returns true if all coefficients on all grid levels equal those of `other`.
    #[cfg(test)]
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.meshes
            .iter()
            .zip(&other.meshes)
            .all(|(a, b)| a.faces == b.faces && a.rows.is_like(&b.rows))
    }

    /// Updates the coefficients of all grid levels after changes of lower faces in the rows
    /// `changed` (`[y, z]`). `face(axis, place)` returns the coefficient of a lower face on the
    /// finest grid, including the factor 2 at open sides.
    pub(super) fn change(
        &mut self,
        mut changed: Vec<[usize; 2]>,
        face: impl Fn(usize, [usize; 3]) -> f32,
    ) {
        for level in 0..self.meshes.len() {
            changed.sort_unstable();
            changed.dedup();
            let (finer, rest) = self.meshes.split_at_mut(level);
            let Some(mesh) = rest.first_mut() else { return };
            if level == 0 {
                set_rows(mesh, &changed, &face);
            } else if level == 1 {
                let fine = &finer[0];
                changed = set_faces(fine, mesh, &changed, (self.sides, &face));
            } else {
                let fine = &finer[level - 1];
                let own = |axis: usize, [x, y, z]: [usize; 3]| {
                    fine.faces[axis][fine.shape.faces(y, z) + x]
                };
                changed = set_faces(fine, mesh, &changed, (self.sides, own));
            }
        }
    }

    /// Solves the pressure equation approximately: `cycles` multigrid V-cycles, starting from the
    /// present pressure.
    pub(super) fn solve(&mut self, cycles: usize) {
        for _ in 0..cycles {
            self.cycle(0);
        }
    }

    fn cycle(&mut self, level: usize) {
        let (sides, simd) = (self.sides, self.simd);
        if level + 1 == self.meshes.len() {
            let mesh = &mut self.meshes[level];
            mesh.smooth(0, COARSEST, (sides, simd));
            if !sides.contains(&Side::Open) {
                mesh.centre();
            }
            return;
        }
        self.meshes[level].smooth(0, HALVES, (sides, simd));
        let [fine, coarse] = &mut self.meshes[level..level + 2] else {
            return;
        };
        fine.restrict(coarse, (sides, simd));
        self.cycle(level + 1);
        let [fine, coarse] = &mut self.meshes[level..level + 2] else {
            return;
        };
        coarse.flatten(sides, simd);
        fine.prolong(coarse, simd);
        fine.wrap(sides);
        fine.smooth(0, HALVES, (sides, simd));
    }
}

/// Updates the coefficients of every row of cells that has a face in one of the `changed` rows
/// (`[y, z]`) of lower faces.
fn set_rows(mesh: &mut Mesh, changed: &[[usize; 2]], face: impl Fn(usize, [usize; 3]) -> f32) {
    let [_, ny, nz] = mesh.shape.n;
    let rows = changed
        .iter()
        .flat_map(|&[y, z]| [[y, z], [y.wrapping_sub(1), z], [y, z.wrapping_sub(1)]]);
    let mut rows: Vec<_> = rows.filter(|&[y, z]| y < ny && z < nz).collect();
    rows.sort_unstable();
    rows.dedup();
    for row in rows {
        mesh.rows.set(row, &face);
    }
}

/// Computes the face coefficients of the coarse grid `mesh` from those of the next finer grid;
/// returns the rows `[y, z]` of faces that changed.
fn set_faces(
    fine: &Mesh,
    mesh: &mut Mesh,
    changed: &[[usize; 2]],
    (sides, face): ([Side; 3], impl Fn(usize, [usize; 3]) -> f32),
) -> Vec<[usize; 2]> {
    let (n, nf) = (mesh.shape.n, fine.shape.n);
    // Faces of a fine row lie in the coarse row that contains it; those of the last side may be
    // half of a pair.
    let coarse = |axis: usize, v: usize| {
        if nf[axis] == 1 {
            v
        } else {
            v.div_ceil(2).min(n[axis])
        }
    };
    let lower = |axis: usize, v: usize| if nf[axis] == 1 { v } else { v / 2 };
    let both = |y: usize, z: usize| {
        let (ys, zs) = ([lower(1, y), coarse(1, y)], [lower(2, z), coarse(2, z)]);
        [
            [ys[0], zs[0]],
            [ys[1], zs[0]],
            [ys[0], zs[1]],
            [ys[1], zs[1]],
        ]
    };
    let mut rows: Vec<_> = changed.iter().flat_map(|&[y, z]| both(y, z)).collect();
    rows.sort_unstable();
    rows.dedup();
    for &[y, z] in &rows {
        for axis in AXES {
            let outside = |k: usize, v: usize| k != axis && v >= n[k];
            let wraps = sides[axis] == Side::Wrap;
            for x in (0..=n[0]).filter(|&x| !outside(0, x) && !outside(1, y) && !outside(2, z)) {
                let value = fine.coarse_face(mesh, (axis, [x, y, z]), wraps, &face);
                let at = mesh.shape.faces(y, z) + x;
                mesh.faces[axis][at] = value;
            }
        }
    }
    let (shape, faces) = (mesh.shape, std::mem::take(&mut mesh.faces));
    set_rows(mesh, &rows, |axis, [x, y, z]| {
        faces[axis][shape.faces(y, z) + x]
    });
    mesh.faces = faces;
    rows
}

impl Mesh {
    /// Smooths the pressure by `halves` half sweeps, the first one for `colour`. The halo of a
    /// periodic axis is updated after each half sweep, because cells at opposite ends are
    /// neighbours.
    fn smooth(&mut self, colour: usize, halves: usize, (sides, simd): ([Side; 3], Level)) {
        if !sides.contains(&Side::Wrap) {
            return self.relax(colour, halves, simd);
        }
        self.wrap(sides);
        for k in 0..halves {
            self.relax((colour + k) & 1, 1, simd);
            self.wrap(sides);
        }
    }

    /// Copies the pressure in the end cells of periodic axes to the halo at the opposite end, for
    /// both colours.
    fn wrap(&mut self, sides: [Side; 3]) {
        let n = self.shape.n;
        for axis in AXES.into_iter().filter(|&axis| sides[axis] == Side::Wrap) {
            let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
            for (j, k) in (0..n[b]).flat_map(|j| (0..n[c]).map(move |k| (j, k))) {
                for (to, from) in [(0, n[axis] - 1), (n[axis] + 1, 0)] {
                    let mut place = [0; 3];
                    (place[axis], place[b], place[c]) = (from, j, k);
                    let (colour, at) = self.shape.entry(place);
                    let value = self.p[colour][at];
                    // The cell before the first is −1, which counts as 0 in coordinates that
                    // include one cell beyond.
                    let mut beyond = place.map(|v| v + 1);
                    beyond[axis] = to;
                    let [x, y, z] = beyond;
                    let slot = self.shape.row(y, z) - 1 + x.div_ceil(2);
                    self.p[(x + y + z + 1) & 1][slot] = value;
                }
            }
        }
    }

    /// Subtracts the mean of the pressure from all cells. Without an open side the equation does
    /// not determine the mean, which rounding errors would let drift.
    fn centre(&mut self) {
        let [nx, ny, nz] = self.shape.n;
        let places = || {
            (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
        };
        let entry = |place| self.shape.entry(place);
        let sum: f32 = places()
            .map(entry)
            .map(|(colour, at)| self.p[colour][at])
            .sum();
        let mean = sum / (nx * ny * nz) as f32;
        for (colour, at) in places().map(entry) {
            self.p[colour][at] -= mean;
        }
    }
}

/// Layout of the arrays of one colour on the finest grid, for code that writes the right-hand side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout(mesh::Shape);

impl Layout {
    /// Number of entries of a plane of equal z in the array of a colour.
    pub(super) fn plane(&self) -> usize {
        self.0.plane()
    }

    /// Index in the array of a colour of the first cell of a row; `y` and `z` count from the halo
    /// (0 is the row or plane beyond the side).
    #[inline(always)]
    pub(super) fn row(&self, y: usize, z: usize) -> usize {
        self.0.row(y, z)
    }

    #[inline(always)]
    pub(super) fn count(&self, parity: usize) -> usize {
        self.0.count(parity)
    }
}
