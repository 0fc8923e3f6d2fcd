//! Gases of a frame on a coarse grid: smoothed densities, and the transmittances of sunlight and of
//! light from below.
//!
//! ```text
//!       sun          density, of two kinds of gas
//!      ╱ ╱ ╱         transmittance of sunlight through gas and solid matter above, along the rays
//!    ░░▒▒▒▒░         transmittance of light from below through the gas between
//!     ▒▒▓▓▒▒░
//!    ▲ ▲ ▲ ▲         one sweep for each, from the top down and from the floor up
//!     lava
//! ```
//!
//! The gas of the automaton moves randomly by whole cells. The coarse, blurred grid hides these
//! jumps and permits longer ray steps.

use lavoxel_automaton::view::{Form, MaterialLook, Preset};
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;
use lavoxel_base::parallel::*;
use lavoxel_sim::lowpass::Volume;

use crate::camera::Ray;
use crate::ground::land::pattern_unit;
use crate::math::{V3, lerp, saturate, smoothstep, v3};
use crate::noise;
use crate::volume::blocks::{Blocks, Stride};
use crate::volume::bricks::Drawn;
use crate::volume::field::span_in;
use crate::volume::places::Skipping;
use lavoxel_base::simd::{Portable, Simd};

// Look constants without a named source are chosen by eye.

/// Extinction, per cell length, of a cell full of gas whose look has the usual depth; the
/// transmittance is exp(−extinction · length).
pub(crate) const DENSE: f32 = 0.25;
/// Maximum number of kinds of gas with own optical properties; all further kinds are drawn like the
/// last one.
pub const KINDS: usize = 2;
/// Longest side of the simulation box, in cells, above which a cell of the fog's coarse grid is 4
/// instead of 2 cells wide.
const LARGE: usize = 256;
/// Sum of the encoded densities of both kinds of gas (255 encodes the density 1) up to which gas is
/// not drawn.
pub const LEAST: u16 = 2;
/// Maximum horizontal displacement of gas by eddies, in cells of the fog's coarse grid.
const BENT: f32 = 1.4;
/// Frequency of the eddies that displace gas, in waves per pattern unit (1/128 of the simulation
/// box's longer side). Eddies rise as fast as the billows.
const EDDIES: f32 = 0.11;
/// Distance over which gas fades out towards a side or the top of the simulation box, in cells of
/// the fog's coarse grid; without the fading, the cut gas would look like a wall.
const THINNED: f32 = 3.0;
/// Number of coarse cells along an axis below which gas does not fade out along that axis, because
/// such a simulation box is only a thin slab.
const SLICE: usize = 10;
/// Fraction of a gas's extinction that applies to light from below, which comes from a wide area
/// and is scattered around obstacles.
const DETOURS: f32 = 0.45;
/// Step of ray marching, in cells, at which gas is sampled once per coarse cell; a look with
/// another step scales the distance between samples of gas in proportion.
const USUAL_STEP: f32 = 0.5;
/// Minimum distance between samples of gas along a ray, in cells of the fog's coarse grid.
const FINEST: f32 = 0.4;
/// Extinction of sunlight per cell length in a cell full of an opaque material.
const SOLID: f32 = 1.2;
/// Extinction of sunlight per cell length in a cell full of ice whose look has the usual depth;
/// lower than `SOLID`, because ice lets much light through.
const ICE: f32 = 0.12;
/// Offset, along the surface normal and towards the sun, of the point at which the sunlight on a
/// surface is read, in cells of the fog's coarse grid; without the offset, the surface's own matter
/// would darken it.
pub const OFF: f32 = 1.25;
/// Height above the ground, in pattern units (1/128 of the simulation box's longer side), above
/// which mountains cast no shadow on gas.
pub const LIFTED: f32 = 14.0;
/// Distance from the simulation box, outwards in cells of the fog's coarse grid, over which the
/// shadows of gas and matter fade out.
pub const FADED: f32 = 8.0;
/// Minimum sine of the sun's elevation for shadows of gas and matter; below, shadows are cast as at
/// this elevation.
const LOWEST: f32 = 0.2;

/// Optical properties of a kind of gas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GasOptics {
    /// Extinction per cell length of a cell full of gas.
    pub extinction: f32,
    /// Single-scattering albedo, linear RGB.
    pub albedo: V3,
    /// Amplitude of the density variation by billows in the gas: 0 none, 1 usual.
    pub billows: f32,
}

impl GasOptics {
    /// Optical properties of a missing kind of gas: no extinction.
    pub const NONE: Self = Self {
        extinction: 0.0,
        albedo: V3::new(0.0, 0.0, 0.0),
        billows: 0.0,
    };

    fn new(look: &MaterialLook) -> Self {
        let albedo = V3::from(look.linear_color()).map(|c| c.min(1.0));
        Self {
            extinction: DENSE * look.depth,
            albedo,
            billows: look.waves,
        }
    }
}

/// Inputs on which a `Fog` depends in addition to the amounts in the cells; an existing fog is
/// reused while these inputs are unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Unit direction towards the sun.
    sun: V3,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
    /// Pattern unit in cells: 1/128 of the simulation box's longer side.
    unit: f32,
    /// Height in cells by which the eddies of the gas have risen.
    risen: f32,
    /// Index in `Volume::media` and optical properties of each gas.
    media: Vec<(usize, GasOptics)>,
    /// Index in `Volume::media` and extinction per cell length of each opaque medium.
    solids: Vec<(usize, f32)>,
}

impl Wanted {
    /// Returns the inputs of the fog for the gases and opaque media of `volume`; `None` if the
    /// volume has neither. `sun`: direction towards the sun; `tall`: drawn height of a cell in cell
    /// widths; `risen`: height in cells by which the eddies have risen.
    pub fn new(volume: &Volume, (sun, tall): (V3, f32), risen: f32) -> Option<Self> {
        let there = || {
            volume
                .media
                .iter()
                .enumerate()
                .filter(|(_, medium)| !medium.density.is_empty())
        };
        let of = |form: Form| there().filter(move |(_, medium)| medium.look.preset.form() == form);
        let media: Vec<_> = of(Form::Cloud)
            .map(|(k, medium)| (k, GasOptics::new(&medium.look)))
            .collect();
        let keeps = |look: &MaterialLook| {
            if look.preset == Preset::Ice {
                ICE * look.depth
            } else {
                SOLID
            }
        };
        let solids: Vec<_> = of(Form::Solid)
            .map(|(k, medium)| (k, keeps(&medium.look)))
            .collect();
        let unit = pattern_unit(volume.grid);
        // Eddies matter only with gas; the constant keeps the key equal from frame to frame.
        let risen = if media.is_empty() { 0.0 } else { risen };
        (!media.is_empty() || !solids.is_empty()).then_some(Self {
            sun,
            tall,
            unit,
            risen,
            media,
            solids,
        })
    }

    /// Returns true if fog depends on media of the form `form`.
    pub fn reads(form: Form) -> bool {
        form != Form::Clear
    }

    /// Returns the indices in `Volume::media` of the gases and opaque media on which the fog
    /// depends.
    pub(crate) fn media(&self) -> impl Iterator<Item = usize> {
        self.media
            .iter()
            .map(|(k, _)| *k)
            .chain(self.solids.iter().map(|(k, _)| *k))
    }
}

/// Gases of a frame on a coarse grid, with a grid of blocks that marks where there is gas.
#[derive(Clone, Debug)]
pub struct Fog {
    /// Size of the simulation box in cells along x, y and z.
    size: [f32; 3],
    /// Edge length of a coarse cell, in cells.
    pub edge: usize,
    /// Number of coarse cells along each axis.
    pub grid: Grid,
    /// Encoded coarse cells, x fastest. Bytes (255 for 1): densities of the two kinds of gas,
    /// transmittance of sunlight, transmittance of light from below.
    pub cells: Vec<[u8; 4]>,
    pub kinds: Vec<GasOptics>,
    blocks: Blocks,
    is_shaded: bool,
}

impl Fog {
    /// Computes the fog of `volume` from the inputs `wanted`. `rows` returns for the index of a
    /// medium the range along x of the non-empty cells of each row (row index `z · ny + y`).
    pub fn new<'a>(volume: &Volume, wanted: &Wanted, rows: impl Fn(usize) -> &'a [Span]) -> Self {
        let fine = volume.grid;
        let edge = if fine.nx.max(fine.ny).max(fine.nz) > LARGE {
            4
        } else {
            2
        };
        let [nx, ny, nz] = [fine.nx, fine.ny, fine.nz].map(|n| n.div_ceil(edge).max(2));
        let grid = Grid::new(nx, ny, nz);
        let kinds: Vec<GasOptics> = wanted
            .media
            .iter()
            .take(KINDS)
            .map(|(_, kind)| *kind)
            .collect();
        let mut densities = vec![vec![0.0; grid.cells()]; kinds.len()];
        for (i, (k, kind)) in wanted.media.iter().enumerate() {
            let drawn_as = i.min(KINDS - 1);
            let share = kind.extinction / kinds[drawn_as].extinction.max(1e-6);
            add(
                &mut densities[drawn_as],
                grid,
                &Fine {
                    grid: fine,
                    edge,
                    values: &volume.media[*k].density,
                    rows: rows(*k),
                },
                share,
            );
        }
        let bend = |values: &Vec<f32>| {
            let mut soft = blurred(values, grid);
            thin(&mut soft, grid);
            bent(&soft, grid, wanted, edge as f32)
        };
        let densities: Vec<Vec<f32>> = densities.iter().map(bend).collect();
        let extinction = total(&densities, &kinds, grid);
        let mut solid = vec![0.0; grid.cells()];
        for &(k, keeps) in &wanted.solids {
            add(
                &mut solid,
                grid,
                &Fine {
                    grid: fine,
                    edge,
                    values: &volume.media[k].density,
                    rows: rows(k),
                },
                keeps,
            );
        }
        // Opaque media attenuate sunlight only, whereas light from below is attenuated by gas
        // alone: hence two extinction fields.
        solid
            .iter_mut()
            .zip(&extinction)
            .for_each(|(solid, gas)| *solid += gas);
        let (sun, below) = join(
            || sunlight(&solid, grid, (wanted.sun, wanted.tall), edge as f32),
            || from_below(&extinction, grid, edge as f32 * wanted.tall),
        );
        let byte = |value: f32| (value.min(1.0) * 255.0 + 0.5) as u8;
        let density = |k: usize, i: usize| densities.get(k).map_or(0, |values| byte(values[i]));
        let cells: Vec<[u8; 4]> = (0..grid.cells())
            .map(|i| [density(0, i), density(1, i), byte(sun[i]), byte(below[i])])
            .collect();
        let size = [fine.nx, fine.ny, fine.nz].map(|n| n as f32);
        let holds = |i: usize| u16::from(cells[i][0]) + u16::from(cells[i][1]) > LEAST;
        let blocks = Blocks::new(
            grid,
            edge,
            [V3::zeros(), V3::from(size)],
            |_| 0..grid.nx,
            holds,
        );
        let is_shaded = cells.iter().any(|cell| cell[2] < 255);
        Self {
            size,
            edge,
            grid,
            cells,
            kinds,
            blocks,
            is_shaded,
        }
    }

    /// Returns true if the fog has no gas that is drawn.
    pub(crate) fn is_clear(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Returns true if the fog has neither gas nor a shadow of opaque media.
    pub fn is_empty(&self) -> bool {
        self.is_clear() && !self.is_shaded
    }

    /// Returns the bounding boxes of the fog's blocks that contain gas, in cells.
    pub fn boxes(&self) -> impl Iterator<Item = Drawn> {
        self.blocks.boxes()
    }
}

/// Densities of a medium per cell of the simulation, from which means over coarse cells are
/// computed.
struct Fine<'a> {
    grid: Grid,
    edge: usize,
    values: &'a [u8],
    rows: &'a [Span],
}

/// Adds to the values `to` of the coarse cells the mean density (1: full cell) of the medium `from`
/// in each coarse cell, times `share`.
fn add(to: &mut [f32], coarse: Grid, from: &Fine, share: f32) {
    let Grid { nx, ny, nz } = from.grid;
    let edge = from.edge;
    let part = |i: usize, n: usize| (i * edge).min(n)..((i + 1) * edge).min(n);
    to.par_chunks_mut(coarse.nx * coarse.ny)
        .enumerate()
        .for_each(|(k, slab)| {
            let mut sums = vec![0.0; coarse.nx];
            for (j, row) in slab.chunks_mut(coarse.nx).enumerate() {
                sums.fill(0.0);
                let (ys, zs) = (part(j, ny), part(k, nz));
                let rows = zs.clone().flat_map(|z| ys.clone().map(move |y| z * ny + y));
                for held in rows.filter(|row| !from.rows[*row].is_empty()) {
                    let cells = &from.values[held * nx..][..nx];
                    for x in from.rows[held].range() {
                        sums[x / edge] += f32::from(cells[x]);
                    }
                }
                let across = (ys.len() * zs.len()).max(1);
                for (i, (value, sum)) in row.iter_mut().zip(&sums).enumerate() {
                    *value += sum * (share / (255 * across * part(i, nx).len().max(1)) as f32);
                }
            }
        });
}

/// Returns `values` filtered with the binomial kernel (1 2 1)/4 along each axis; border values are
/// repeated outside.
pub(crate) fn blurred(values: &[f32], grid: Grid) -> Vec<f32> {
    let (row, slab) = (grid.nx, grid.nx * grid.ny);
    let mut to = vec![0.0; values.len()];
    to.par_chunks_mut(slab).enumerate().for_each(|(z, to)| {
        let near = |z: usize| &values[z * slab..][..slab];
        let around = [
            near(z.saturating_sub(1)),
            near(z),
            near((z + 1).min(grid.nz - 1)),
        ];
        if around
            .iter()
            .all(|slab| slab.iter().all(|value| *value == 0.0))
        {
            return;
        }
        let across: Vec<f32> = (0..slab)
            .map(|i| around[0][i] + 2.0 * around[1][i] + around[2][i])
            .collect();
        let mut up = vec![0.0; row];
        for (y, to) in to.chunks_mut(row).enumerate() {
            let near = |y: usize| &across[y * row..][..row];
            let around = [
                near(y.saturating_sub(1)),
                near(y),
                near((y + 1).min(grid.ny - 1)),
            ];
            up.iter_mut()
                .enumerate()
                .for_each(|(x, up)| *up = around[0][x] + 2.0 * around[1][x] + around[2][x]);
            for (x, to) in to.iter_mut().enumerate() {
                *to = (up[x.saturating_sub(1)] + 2.0 * up[x] + up[(x + 1).min(row - 1)])
                    * (1.0 / 64.0);
            }
        }
    });
    to
}

/// Fades `values` to zero towards the sides and the top of the simulation box.
fn thin(values: &mut [f32], grid: Grid) {
    let left = |cell: usize, count: usize, floor: bool| {
        let away = (count - 1 - cell).min(if floor { count } else { cell });
        if count < SLICE {
            1.0
        } else {
            smoothstep(0.0, THINNED, away as f32)
        }
    };
    let [along, up, across] =
        [(grid.nx, false), (grid.ny, true), (grid.nz, false)].map(|(count, floor)| {
            (0..count)
                .map(|cell| left(cell, count, floor))
                .collect::<Vec<f32>>()
        });
    values
        .par_chunks_mut(grid.nx)
        .enumerate()
        .for_each(|(row, values)| {
            let share = up[row % grid.ny] * across[row / grid.ny];
            values
                .iter_mut()
                .zip(&along)
                .for_each(|(value, along)| *value *= along * share);
        });
}

/// Returns `values` displaced horizontally by eddies, which makes rising gas meander. `edge`: edge
/// length of a coarse cell in cells.
fn bent(values: &[f32], grid: Grid, wanted: &Wanted, edge: f32) -> Vec<f32> {
    let (row, slab) = (grid.nx, grid.nx * grid.ny);
    let far = (BENT + 1.0).ceil() as usize;
    let near = |i: usize, n: usize| i.saturating_sub(far)..(i + far + 1).min(n);
    let mut to = vec![0.0; values.len()];
    to.par_chunks_mut(slab).enumerate().for_each(|(z, to)| {
        for y in 0..grid.ny {
            let line = |z: usize| &values[grid.index([0, y, z])..][..row];
            let held = |x: usize| near(z, grid.nz).any(|z| line(z)[x] > 0.0);
            let Some(first) = (0..row).find(|&x| held(x)) else {
                continue;
            };
            let last = (first..row).rfind(|&x| held(x)).unwrap_or(first);
            for x in first.saturating_sub(far)..(last + far + 1).min(row) {
                let p = v3(x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5) * edge;
                let q = v3(p.x, p.y - wanted.risen, p.z) * (EDDIES / wanted.unit);
                let aside = [noise::gradient(q), noise::gradient(q + v3(31.0, 7.0, 13.0))];
                let [east, south] = aside.map(|n| (1.4 * n).clamp(-1.0, 1.0) * BENT);
                to[y * row + x] = level(&line, [row, grid.nz], [x as f32 + east, z as f32 + south]);
            }
        }
    });
    to
}

/// Returns the bilinear interpolation at `place` (x, z in coarse cells) in a horizontal plane of
/// `count` coarse cells along x and z, clamped to the plane; `line` returns the values along x at a
/// given z.
fn level<'a>(line: &impl Fn(usize) -> &'a [f32], count: [usize; 2], place: [f32; 2]) -> f32 {
    let [(i, fx), (k, fz)] = std::array::from_fn(|axis| {
        let place = place[axis].clamp(0.0, count[axis] as f32 - 1.001);
        (place as usize, place - (place as usize) as f32)
    });
    let along = |k: usize| line(k)[i] + (line(k)[i + 1] - line(k)[i]) * fx;
    along(k) + (along(k + 1) - along(k)) * fz
}

/// Returns the extinction per cell length of all gases together, per coarse cell.
fn total(densities: &[Vec<f32>], kinds: &[GasOptics], grid: Grid) -> Vec<f32> {
    let mut total = vec![0.0; grid.cells()];
    for (values, kind) in densities.iter().zip(kinds) {
        total
            .iter_mut()
            .zip(values)
            .for_each(|(total, value)| *total += kind.extinction * value.min(1.0));
    }
    total
}

/// Returns the transmittance exp(−`exponent`), or 1 if `exponent` is not positive. Testing this
/// first avoids the exponential in empty cells.
fn left(exponent: f32) -> f32 {
    if exponent > 0.0 {
        (-exponent).exp()
    } else {
        1.0
    }
}

/// Returns the transmittance of sunlight at the centre of each coarse cell. `extinction`: per cell
/// length, for each coarse cell; `tall`: height of a cell in cell widths; `edge`: edge length of a
/// coarse cell in cells.
fn sunlight(extinction: &[f32], grid: Grid, (sun, tall): (V3, f32), edge: f32) -> Vec<f32> {
    let steep = sun.y.max(LOWEST);
    // Offset from a layer to the layer above, along the ray.
    let (east, south) = (sun.x * tall / steep, sun.z * tall / steep);
    let half = 0.5 * edge * (tall * tall + east * east + south * south).sqrt();
    let (whole_x, whole_z) = (east.floor() as isize, south.floor() as isize);
    let (fx, fz) = (east - east.floor(), south - south.floor());
    let mut lit = vec![1.0; grid.cells()];
    // Transmittance below the lower half of the layer above; 1 above the simulation box.
    let mut above = vec![1.0; grid.nx * grid.nz];
    let mut untouched = true;
    for y in (0..grid.ny).rev() {
        let row = |z: usize| grid.index([0, y, z]);
        let free = (0..grid.nz).all(|z| {
            extinction[row(z)..][..grid.nx]
                .iter()
                .all(|value| *value == 0.0)
        });
        if untouched && free {
            continue;
        }
        untouched = false;
        let at = |x: isize, z: isize| {
            let inside = x >= 0 && z >= 0 && x < grid.nx as isize && z < grid.nz as isize;
            if inside {
                above[z as usize * grid.nx + x as usize]
            } else {
                1.0
            }
        };
        let mut leaves = vec![1.0; grid.nx * grid.nz];
        for z in 0..grid.nz {
            let k = z as isize + whole_z;
            for x in 0..grid.nx {
                let i = x as isize + whole_x;
                let near = at(i, k) * (1.0 - fx) + at(i + 1, k) * fx;
                let far = at(i, k + 1) * (1.0 - fx) + at(i + 1, k + 1) * fx;
                let here = row(z) + x;
                let through = left(half * extinction[here]);
                lit[here] = (near * (1.0 - fz) + far * fz) * through;
                leaves[z * grid.nx + x] = lit[here] * through;
            }
        }
        above = leaves;
    }
    lit
}

/// Returns the transmittance of light from the floor, through the gas below, at the centre of each
/// coarse cell. `extinction`: per cell length, for each coarse cell; `edge`: height of a coarse
/// cell in cell widths.
fn from_below(extinction: &[f32], grid: Grid, edge: f32) -> Vec<f32> {
    let half = 0.5 * edge * DETOURS;
    let mut lit = vec![1.0; grid.cells()];
    for z in 0..grid.nz {
        let mut below = vec![1.0; grid.nx];
        for y in 0..grid.ny {
            let start = grid.index([0, y, z]);
            for (x, below) in below.iter_mut().enumerate() {
                let through = left(half * extinction[start + x]);
                lit[start + x] = *below * through;
                *below *= through * through;
            }
        }
    }
    lit
}

/// Fog of a frame prepared for ray marching, with the distance between samples and the visible
/// region of the simulation box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FogField<'a> {
    fog: &'a Fog,
    step: f32,
    /// Lower and upper bound of the visible region of the simulation box along x, y and z, in
    /// cells.
    shown: [[f32; 2]; 3],
    skipping: Skipping,
}

/// Properties of the fog at a point, interpolated: densities of the two kinds of gas, transmittance
/// of sunlight, and transmittance of light from below; each 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gas {
    pub(crate) densities: [f32; KINDS],
    pub(crate) sun: f32,
    pub(crate) below: f32,
}

impl Gas {
    /// Returns true if the gas at this point is too thin to be drawn.
    #[inline(always)]
    pub(crate) fn is_nothing(&self) -> bool {
        // A mean of coarse cells below the limit stays below it, except for rounding: hence the
        // margin.
        self.densities.iter().sum::<f32>() <= (f32::from(LEAST) + 0.01) / 255.0
    }
}

impl<'a> FogField<'a> {
    /// Returns the fog in the region `clip` of the simulation box (lower and upper bound per axis,
    /// as fractions). `step`: step of ray marching of the look, in cells; `skipping`: method by
    /// which rays skip empty space.
    pub(crate) fn new(
        fog: &'a Fog,
        step: f32,
        (clip, skipping): ([[f32; 2]; 3], Skipping),
    ) -> Self {
        let shown = std::array::from_fn(|axis| clip[axis].map(|share| share * fog.size[axis]));
        Self {
            fog,
            step: fog.edge as f32 * (step / USUAL_STEP).max(FINEST),
            shown,
            skipping,
        }
    }

    pub(crate) fn kinds(&self) -> &'a [GasOptics] {
        &self.fog.kinds
    }

    /// Returns the distance between samples of the fog along a ray, in cells of the simulation.
    pub(crate) fn step(&self) -> f32 {
        self.step
    }

    /// Returns the properties of the fog at the point `p` (cells), trilinearly interpolated and
    /// clamped to the simulation box.
    #[inline(always)]
    pub(crate) fn at(&self, p: V3) -> Gas {
        let grid = self.fog.grid;
        let per_cell = 1.0 / self.fog.edge as f32;
        let (mut cell, mut between) = ([0; 3], [0.0; 3]);
        for (axis, n) in [grid.nx, grid.ny, grid.nz].into_iter().enumerate() {
            let place = (p[axis] * per_cell - 0.5).clamp(0.0, (n as f32 - 1.0).next_down());
            cell[axis] = place as u32 as usize;
            between[axis] = place - cell[axis] as f32;
        }
        let first = grid.index(cell);
        let (row, slab) = (grid.nx, grid.nx * grid.ny);
        let bytes = self.fog.cells.as_flattened();
        let pair = |start: usize| -> &[u8; 8] {
            bytes[4 * start..]
                .first_chunk()
                .expect("a cell has one to its east")
        };
        let rows = [
            pair(first),
            pair(first + row),
            pair(first + slab),
            pair(first + slab + row),
        ];
        let [first, second, sun, below] = Portable
            .blend(rows, between)
            .map(|value| value * (1.0 / 255.0));
        Gas {
            densities: [first, second],
            sun,
            below,
        }
    }

    /// Returns the distances in cells at which `ray` enters and leaves the visible region of the
    /// simulation box, limited to `far`; `None` if the ray misses.
    pub(crate) fn span(&self, ray: &Ray, far: f32) -> Option<(f32, f32)> {
        span_in(&self.shown, ray, far).map(|(near, far, _)| (near, far))
    }

    /// Returns the transmittance (0 to 1) of sunlight at the point `p` (cells), through gas and
    /// past opaque media; fades to 1 outside of the simulation box.
    pub(crate) fn sunlight(&self, p: V3) -> f32 {
        // Outside of the simulation box: value at the nearest side, fading to 1 with distance.
        let size = self.fog.size;
        let beside = [p.x, p.z]
            .into_iter()
            .zip([size[0], size[2]])
            .map(|(at, size)| (-at).max(at - size));
        lerp(
            self.at(p).sun,
            1.0,
            saturate(beside.fold(0.0, f32::max) / (FADED * self.edge())),
        )
    }

    /// Returns the edge length of a coarse cell in cells of the simulation.
    pub(crate) fn edge(&self) -> f32 {
        self.fog.edge as f32
    }

    /// Returns true if the fog has no gas that is drawn.
    pub(crate) fn is_clear(&self) -> bool {
        self.fog.is_clear()
    }

    /// Returns the visible region of the gases: lower and upper bound along x, y and z, in cells.
    pub(crate) fn shown(&self) -> [[f32; 2]; 3] {
        self.shown
    }

    /// Returns the sum of the densities of all gases at the point `p` (cells); 0 outside of the
    /// visible region of the simulation box.
    pub(crate) fn density(&self, p: V3) -> f32 {
        let inside =
            (0..3).all(|axis| self.shown[axis][0] <= p[axis] && p[axis] <= self.shown[axis][1]);
        if inside {
            self.at(p).densities.iter().sum()
        } else {
            0.0
        }
    }

    /// Calls `put` with distance and position (cells) of each sample along `ray` that lies in a
    /// block with gas and within `span` (first and last distance), until `put` returns false.
    /// Samples lie at the distances (n + `jitter`) · step for integers n, whichever blocks are
    /// skipped.
    #[inline(always)]
    pub(crate) fn walk(
        &self,
        ray: &Ray,
        span: (f32, f32),
        jitter: f32,
        put: impl FnMut(f32, V3) -> bool,
    ) {
        let stride = Stride {
            step: self.step,
            jitter,
            skipping: self.skipping,
        };
        self.fog.blocks.walk(ray, &self.shown, span, stride, put);
    }
}
