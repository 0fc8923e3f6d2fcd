//! Light of the lava on its surroundings, approximated without additional rays.
//!
//! Every column of cells has a glow, the strength of the light that its lava sends up. A map of the
//! glow, blurred with three radii and summed, approximates the light from near and from distant
//! lava.

use std::ops::Range;

use lavoxel_base::parallel::*;
use nalgebra::Vector2;

use lavoxel_automaton::world::Span;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_sim::lowpass::{ENERGY_SHOWN, Volume};

use crate::ground::raster::Raster;
use crate::ground::surroundings::beyond;
use crate::lava::age::{cracked, youth};
use crate::lava::blackbody::{kelvin, red_hot};
use crate::math::{V3, lerp, saturate, smoothstep, v3};
use lavoxel_automaton::view::LookSpec;

// Look constants, chosen by eye unless another reason is given; shaders read the same values by
// name.
/// Temperature in kelvin whose displayed colour tints the light of lava on its surroundings, for
/// all lava.
pub const KELVIN: f32 = 1040.0;
/// Factor from the displayed colour of lava at the temperature `KELVIN` to the light of lava on its
/// surroundings.
pub const STRENGTH: f32 = 33.0;

/// Factor from the square of the arriving strength of the lava's light to the light on a surface
/// that faces the lava.
// The square darkens places near a wide sheet, most of which is seen at a grazing angle.
pub const STEEPER: f32 = 1.6;

/// Fraction of the lava's light that also reaches surfaces facing away from the lava.
// A larger share would show no relief next to the lava.
pub const ASIDE: f32 = 0.06;

/// Factor on the glow of the open cracks in an old crust, relative to open lava.
const GLIMMERS: f32 = 0.4;
/// Glow of a closed crust, relative to the glow of open lava.
const DARK: f32 = 0.04;

/// Exponent of the cosine that narrows the reflection of lava's light on glossy surfaces.
pub const GLOSS: i32 = 3;

/// Coefficient c in the factor 1 / (1 + c h²) by which the lava's light on gas fades with the
/// height h above the lava, in pattern units (1/128 of the simulation box's longer side).
pub const HIGH: f32 = 0.008;

/// Distance from the border of the simulation box, outwards in cells, at which the lava's light has
/// faded to zero.
// The maps end at the sides of the simulation box.
pub const BEYOND: f32 = 16.0;
/// Near, middle and far blur of the glow: radius in cells of each of the blur's three box filters,
/// and weight of the blur in the sum.
const REACHES: [(usize, f32); 3] = [(1, 0.50), (3, 0.80), (9, 1.25)];

/// Settings of the look that determine the light of the lava on its surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glow {
    /// `LookSpec::film`: amount (fraction of a full cell) below which lava is not drawn, not even
    /// as a thin sheet.
    pub film: f32,
    /// `LookSpec::iso`: amount (fraction of a full cell) at which the drawn surface of the lava
    /// lies.
    pub iso: f32,
    /// `LookSpec::heat`: energies per amount at and below which lava looks cold, and at and above
    /// which lava looks hot.
    pub heat: [f32; 2],
    /// `LookSpec::kelvin`: temperatures in kelvin of lava with the energy per amount 0 and 1;
    /// `None` if unknown.
    pub kelvin: Option<[f32; 2]>,
    /// `LookSpec::cell_height`: height of a cell in cell widths.
    pub cell_height: f32,
}

impl From<&LookSpec> for Glow {
    fn from(look: &LookSpec) -> Self {
        Self {
            film: look.film,
            iso: look.iso,
            heat: look.heat,
            kelvin: look.kelvin,
            cell_height: look.cell_height,
        }
    }
}

/// Light of the lava on its surroundings: blurred glow of all columns, and the height of the
/// glowing surfaces.
#[derive(Clone, Debug)]
pub struct EmberLight {
    /// Blurred map with one value per column: x is the glow, y the glow times the height (cells) of
    /// the glowing surface.
    pub maps: Raster<Vector2<f32>>,
    /// Glowing lava as point sources, which light matter far above the lava; computed from the glow
    /// before blurring.
    pub patches: Vec<Patch>,
    /// Surface temperature of the lava per column in kelvin; `None` if unknown.
    pub crust: Option<Raster<f32>>,
    /// Drawn height of a cell, in cell widths; 1 for cubes.
    tall: f32,
}

/// Glowing lava of 4 × 4 columns, treated as a point source of light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Mean position of the patch's columns in cells, weighted with their glow.
    pub place: V3,
    /// Sum of the glow of the patch's columns.
    pub glow: f32,
}

/// Number of columns along each edge of a patch.
const PATCH: usize = 4;

/// Returns the patches (point sources) of `columns`, in rows of `width` columns; per column x is
/// the glow, y the glow times the height in cells of the glowing surface.
fn patches(columns: &[Vector2<f32>], width: usize) -> Vec<Patch> {
    let across = width.div_ceil(PATCH);
    let mut sums = vec![(0.0, V3::zeros()); across * (columns.len() / width).div_ceil(PATCH)];
    for (k, column) in columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.x > 0.0)
    {
        let (x, z) = (k % width, k / width);
        let (glow, place) = &mut sums[z / PATCH * across + x / PATCH];
        *glow += column.x;
        *place += v3(
            (x as f32 + 0.5) * column.x,
            column.y,
            (z as f32 + 0.5) * column.x,
        );
    }
    sums.into_iter()
        .filter(|(glow, _)| *glow > 0.0)
        .map(|(glow, place)| Patch {
            place: place / glow,
            glow,
        })
        .collect()
}

impl EmberLight {
    /// Computes the light of the lava in `volume` from the highest drawn lava cell of every column.
    ///
    /// `rows` holds the range along x of the non-empty cells of each row (row index `z · ny + y`),
    /// by which empty rows are skipped; `None` if unknown.
    pub fn new(volume: &Volume, rows: Option<&[Span]>, glow: Glow) -> Self {
        let grid = volume.grid;
        let mut columns = vec![Vector2::zeros(); grid.nx * grid.nz];
        columns
            .par_chunks_mut(grid.nx)
            .enumerate()
            .for_each(|(z, columns)| {
                let rows = rows.map(|rows| &rows[z * grid.ny..(z + 1) * grid.ny]);
                look_down(volume, rows, z, glow, columns);
            });
        let patches = patches(&columns, grid.nx);
        let crust = volume
            .crust
            .as_ref()
            .map(|crust| Raster::columns((grid.nx, grid.nz), crust.kelvin.clone()));
        Self {
            maps: spread(&Raster::columns((grid.nx, grid.nz), columns)),
            patches,
            crust,
            tall: glow.cell_height,
        }
    }

    /// Returns the light of a simulation box without lava: zero everywhere.
    pub(crate) fn none(grid: Grid) -> Self {
        Self {
            maps: Raster::columns(
                (grid.nx, grid.nz),
                vec![Vector2::zeros(); grid.nx * grid.nz],
            ),
            patches: Vec::new(),
            crust: None,
            tall: 1.0,
        }
    }

    /// Returns the surface temperature in kelvin of the lava in the column at the point `p`
    /// (cells), interpolated between columns; `None` if unknown.
    pub(crate) fn crust(&self, p: V3) -> Option<f32> {
        self.crust.as_ref().map(|crust| crust.at(p.x, p.z))
    }

    /// Returns the blurred glow of the column that contains the point `p` (cells), about 0 to 2.
    pub(crate) fn strength(&self, p: V3) -> f32 {
        self.maps.at(p.x, p.z).x
    }

    /// Returns the strength (about 0 to 1) of the lava's light on a surface at the point `p`
    /// (cells) with the unit normal `n`.
    pub(crate) fn at(&self, p: V3, n: V3) -> f32 {
        self.arriving(p).map_or(0.0, |(light, from)| {
            let facing = saturate(n.dot(&from));
            STEEPER * light * light * (ASIDE + (1.0 - ASIDE) * facing * facing.sqrt())
        })
    }

    /// Returns the strength (about 0 to 1) of the lava's light that arrives at the point `p`
    /// (cells) from around the unit direction `direction`, for a glossy reflection of the lava as a
    /// wide area light.
    pub(crate) fn mirrored(&self, p: V3, direction: V3) -> f32 {
        self.arriving(p).map_or(0.0, |(light, from)| {
            light * saturate(direction.dot(&from)).powi(GLOSS)
        })
    }

    /// Returns the strength (about 0 to 1) of the lava's light that arrives at the point `p`
    /// (cells) from all directions, for gas and other matter without a surface. It decreases with
    /// the height above the lava; `unit`: pattern unit in cells (1/128 of the simulation box's
    /// longer side).
    pub(crate) fn ambient_glow(&self, p: V3, unit: f32) -> f32 {
        let here = self.maps.at(p.x, p.z);
        if here.x < 1e-4 {
            return 0.0;
        }
        let rise = (here.y / here.x - p.y) * self.tall / unit;
        here.x / ((1.0 + 0.9 * here.x) * (1.0 + HIGH * rise * rise))
    }

    /// Returns the strength (about 0 to 1) of the lava's light at the point `p` (cells), and the
    /// unit direction from which most of the light comes; `None` if no light arrives.
    fn arriving(&self, p: V3) -> Option<(f32, V3)> {
        let here = self.maps.at(p.x, p.z);
        let (glow, lifted) = (here.x, here.y);
        let beyond = beyond([self.maps.width as f32, self.maps.depth as f32], p);
        if glow < 1e-4 || beyond >= BEYOND {
            return None;
        }
        let (east, south) = self.maps.slope(p.x, p.z, 1.2);
        // The source lies up the gradient, and above or below by the difference in height.
        let rise = ((lifted / glow - p.y) * self.tall).clamp(-12.0, 12.0);
        let aim = v3(east.x, 0.06 * glow * (1.0 + 0.5 * rise), south.x);
        let apart = 1.0 / (1.0 + 0.006 * rise * rise);
        // A wide sheet must not outshine the sun: the sum of many columns is compressed.
        let light = glow / (1.0 + 0.9 * glow) * (1.0 - smoothstep(0.0, BEYOND, beyond));
        Some((light * apart, crate::math::unit_or_up(aim)))
    }
}

/// Returns the weighted sum of the near, middle and far blur of `map`, which is laid out like
/// `EmberLight::maps`. Columns too far from any glow stay 0.
fn spread(map: &Raster<Vector2<f32>>) -> Raster<Vector2<f32>> {
    let mut sum = Raster {
        data: vec![Vector2::zeros(); map.data.len()],
        ..*map
    };
    let Some((xs, zs)) = glowing_columns(
        map,
        3 * REACHES.iter().map(|reach| reach.0).max().unwrap_or(0),
    ) else {
        return sum;
    };
    let rows = |data: &'_ [Vector2<f32>]| -> Vec<Vector2<f32>> {
        zs.clone()
            .flat_map(|z| data[z * map.width..][xs.clone()].to_vec())
            .collect()
    };
    let part = Raster {
        width: xs.len(),
        depth: zs.len(),
        data: rows(&map.data),
        ..*map
    };
    for (radius, share) in REACHES {
        let blurred = part.blurred(radius);
        let to = sum
            .data
            .par_chunks_mut(map.width)
            .skip(zs.start)
            .zip(blurred.data.par_chunks(xs.len()));
        to.for_each(|(sum, blurred)| {
            sum[xs.clone()]
                .iter_mut()
                .zip(blurred)
                .for_each(|(s, b)| *s += b * share)
        });
    }
    sum
}

/// Returns the ranges along x and z that contain all columns with glow, widened by `margin` columns
/// on each side; `None` if no column glows.
fn glowing_columns(
    map: &Raster<Vector2<f32>>,
    margin: usize,
) -> Option<(Range<usize>, Range<usize>)> {
    let glows = |row: &[Vector2<f32>]| row.iter().any(|column| column.x != 0.0);
    let rows = || {
        map.data
            .chunks(map.width)
            .enumerate()
            .filter(|(_, row)| glows(row))
    };
    let (first, last) = (rows().next()?.0, rows().next_back()?.0);
    let (mut from, mut to) = (map.width, 0);
    for (_, row) in rows() {
        let along = |x: &usize| row[*x].x != 0.0;
        from = (0..from).find(along).unwrap_or(from);
        to = (to..map.width).rfind(along).map_or(to, |x| x + 1);
    }
    let grown =
        |from: usize, to: usize, n: usize| from.saturating_sub(margin)..(to + margin).min(n);
    Some((
        grown(from, to, map.width),
        grown(first, last + 1, map.depth),
    ))
}

/// Writes the glow of each column of the row `z` into `columns`, from the column's highest drawn
/// lava cell: x is the glow, y the glow times the height in cells of that cell's centre. `rows`:
/// range of non-empty cells per row, as in `EmberLight::new`; `seen`: settings of the look.
fn look_down(
    volume: &Volume,
    rows: Option<&[Span]>,
    z: usize,
    seen: Glow,
    columns: &mut [Vector2<f32>],
) {
    let grid = volume.grid;
    // Densities are whole numbers: above the threshold means above its whole part.
    let drawn = (seen.film * 255.0) as u8;
    let mut open = vec![true; grid.nx];
    let mut left = grid.nx;
    for y in (0..grid.ny).rev() {
        let cells = rows.map_or(0..grid.nx, |rows| rows[y].range());
        let start = grid.index([0, y, z]);
        // Most rows are empty, and the maximum of a row takes many cells in one instruction.
        if volume.density[start..][cells.clone()]
            .iter()
            .max()
            .is_none_or(|&d| d <= drawn)
        {
            continue;
        }
        for x in cells {
            if open[x] && volume.density[start + x] > drawn {
                let glow = emission(volume, [x, y, z], seen);
                columns[x] = Vector2::new(glow, glow * (y as f32 + 0.5));
                open[x] = false;
                left -= 1;
            }
        }
        if left == 0 {
            return;
        }
    }
}

/// Returns the glow (0 to 1) of a column whose topmost drawn lava cell is at (`x`, `y`, `z`);
/// `seen`: settings of the look.
// Density and energy are taken 0.8 cells under the centre, because the outermost density is thin.
fn emission(volume: &Volume, [x, y, z]: Place, seen: Glow) -> f32 {
    let (here, below) = (
        volume.grid.index([x, y, z]),
        volume.grid.index([x, y.saturating_sub(1), z]),
    );
    let inside = |values: &[u8]| lerp(f32::from(values[here]), f32::from(values[below]), 0.8);
    let density = inside(&volume.density);
    let energy = inside(&volume.energy) * ENERGY_SHOWN / density.max(1.0);
    let heat = saturate((energy - seen.heat[0]) / (seen.heat[1] - seen.heat[0]));
    let cover = smoothstep(
        seen.film,
        seen.iso,
        density.max(f32::from(volume.density[here])) / 255.0,
    );
    let red_hot = seen
        .kelvin
        .map_or(1.0, |range| red_hot(kelvin(range, energy)));
    let open = match &volume.crust {
        Some(crust) => {
            let kelvin = crust.kelvin[z * volume.grid.nx + x];
            youth(kelvin).max(GLIMMERS * cracked(kelvin))
        }
        None => heat * heat.sqrt(),
    };
    cover * red_hot * lerp(DARK, 1.0, open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;

    const SEEN: Glow = Glow {
        film: 0.07,
        iso: 0.42,
        heat: [0.5, 1.25],
        kelvin: None,
        cell_height: 1.0,
    };

    /// Returns one hot column of lava, three cells high, and one cold column.
    fn volume() -> Volume {
        let mut volume = Volume::empty(Grid::new(91, 12, 81));
        for y in 2..5 {
            for (x, z, energy) in [(50, 40, 255), (35, 40, 40)] {
                let i = volume.grid.index([x, y, z]);
                (volume.density[i], volume.energy[i]) = (255, energy);
            }
        }
        volume
    }

    #[test]
    fn light_comes_from_the_height_of_the_highest_lava() {
        let volume = volume();
        let ember = EmberLight::new(&volume, None, SEEN);
        let at = |x: usize, z: usize| ember.maps.data[z * 91 + x];
        assert!(
            (at(50, 40).y / at(50, 40).x - 4.5).abs() < 0.01,
            "the centre of the highest cell"
        );
        assert!(
            at(50, 40).x > 3.0 * at(35, 40).x,
            "hot lava glows more than cold"
        );
        let total: f32 = ember.maps.data.iter().map(|m| m.x).sum();
        // Full heat gives 1, no heat the light of a closed crust, and blurring away from the edges
        // keeps the sum.
        let shares: f32 = REACHES.iter().map(|r| r.1).sum();
        assert!(
            (total / shares - 1.0 - DARK).abs() < 1e-3,
            "{}",
            total / shares
        );
        let from_the_east = v3(54.5, 4.5, 40.5);
        let [near, far] = [53.0, 58.0].map(|x| ember.at(v3(x, 4.5, 40.5), -V3::x()));
        assert!(near > 8.0 * far, "{near} beside it, {far} five cells on");
        assert!(
            ember.at(from_the_east, -V3::x()) > 1.5 * ember.at(from_the_east, V3::x()),
            "towards the lava"
        );
    }

    #[test]
    fn working_out_only_what_glows_changes_nothing() {
        let mut columns = vec![Vector2::zeros(); 91 * 81];
        (columns[3 * 91 + 40], columns[20 * 91 + 2]) =
            (Vector2::new(1.0, 4.0), Vector2::new(0.5, 1.0));
        let map = Raster::columns((91, 81), columns);
        let (xs, zs) = glowing_columns(&map, 27).expect("something glows");
        assert_eq!((xs, zs), (0..68, 0..48));
        let part = spread(&map);
        let blurs = REACHES.map(|(radius, share)| (map.blurred(radius), share));
        for (k, part) in part.data.iter().enumerate() {
            let whole: Vector2<f32> = blurs
                .iter()
                .map(|(blur, share)| blur.data[k] * *share)
                .sum();
            assert!((part - whole).norm() < 1e-6, "column {k}");
        }
        assert_eq!(
            glowing_columns(&Raster::columns((3, 2), vec![Vector2::zeros(); 6]), 27),
            None
        );
    }

    #[test]
    fn spans_of_rows_change_nothing() {
        let volume = volume();
        let rows: Vec<Span> = (0..12 * 81)
            .map(|row| {
                let cells = &volume.density[row * 91..(row + 1) * 91];
                let lava = |x: &usize| cells[*x] > 0;
                let from = (0..91).find(lava).unwrap_or(91);
                Span {
                    from: from as u16,
                    to: (0..91).rfind(lava).map_or(0, |x| x as u16 + 1),
                }
            })
            .collect();
        let with = EmberLight::new(&volume, Some(&rows), SEEN);
        assert_eq!(
            with.maps.data,
            EmberLight::new(&volume, None, SEEN).maps.data
        );
    }
}
