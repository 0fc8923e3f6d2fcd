//! Picking: finds the first cell along the pointer's ray that is solid or contains a material, and
//! reads the values of that cell.

use lavoxel_automaton::matter::Material;
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::words::rough;
use lavoxel_flow::{Flow, FlowColumn};
use lavoxel_geo::map::Site;
use lavoxel_render::Ray;
use lavoxel_scene::scene::Seconds;
use lavoxel_sim::state::{CellValues, State};

/// Temperature of 0 °C in kelvin.
pub const ZERO_CELSIUS_K: f64 = 273.15;

/// Smallest amount of a material, as a fraction of a full cell, with which a cell counts as visible
/// for picking.
const SEEN: f32 = 0.05;

/// Values of the cell under the pointer, and of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// First cell along the pointer's ray that is solid or contains a material, as x, y, z.
    pub cell: Place,
    /// Point where the ray enters `cell`, as x, y, z in cells.
    pub point: [f32; 3],
    /// Set if the cell is solid (rock of the ground).
    pub solid: bool,
    /// Set if the ray meets the cell on a cut face: in this cell, the ray enters the visible region
    /// of the simulation box through a slice or a side of the box, not from above.
    pub cut: bool,
    /// Nonzero quantities of the cell with their values, in the order of [`State::quantities`].
    pub values: Vec<(Quantity, f32)>,
    /// Elevation of the ground in the cell's column, in metres.
    pub ground_m: f64,
    /// Name of each material in the cell's column, and its thickness in metres: volume divided by
    /// the column's area.
    pub thickness_m: Vec<(String, f64)>,
    /// Values of the physical lava model in the cell's column; `None` in the cellular automaton
    /// (classic model).
    pub flow: Option<FlowProbe>,
}

/// Returns the text of a temperature in kelvin and degrees Celsius, such as `1350 K (1077 °C)`.
fn warmth(kelvin: f64) -> String {
    format!("{kelvin:.0} K ({:.0} °C)", kelvin - ZERO_CELSIUS_K)
}

/// Values of the physical lava model in the column under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowProbe {
    /// Thickness of liquid and solidified lava in the column, viscosity, and arrival time of the
    /// lava.
    pub column: FlowColumn,
    /// Temperature in kelvin of the lava below the crust, in the probed cell or else in the
    /// uppermost cell with lava of the column. `None` without lava.
    pub kelvin: Option<f64>,
    /// Temperature in kelvin of the lava's free surface, from which pictures derive its glow;
    /// `None` without lava.
    pub surface_k: Option<f64>,
}

impl FlowProbe {
    /// Creates the probe of the column that contains `cell` (indices x, y, z).
    fn new(flow: &Flow, cell: [usize; 3]) -> Self {
        let number = cell[2] * flow.space().nx + cell[0];
        let column = flow.column(number);
        Self {
            column,
            kelvin: flow.temperature_k(cell).or(column.surface_k),
            surface_k: flow.crust_k(number),
        }
    }

    /// Returns the lines of text that describe the column for the user; an empty text for a column
    /// without lava.
    pub fn words(&self) -> String {
        let FlowProbe {
            column,
            kelvin,
            surface_k,
        } = self;
        let mut lines = Vec::new();
        if column.liquid_m > 0.0 {
            let named = |name: &str, kelvin: &Option<f64>| {
                kelvin
                    .map(|kelvin| format!("   {name} {}", warmth(kelvin)))
                    .unwrap_or_default()
            };
            let kelvin = format!("{}{}", named("surface", surface_k), named("inside", kelvin));
            let viscosity = column
                .viscosity_pa_s
                .map(|pa_s| format!("   {pa_s:.3e} Pa s"))
                .unwrap_or_default();
            let roofed = if column.roofed { "   under a roof" } else { "" };
            lines.push(format!(
                "lava {} m{kelvin}{viscosity}{roofed}",
                rough(column.liquid_m)
            ));
            if let Some(core_k) = column.core_k {
                lines.push(format!(
                    "crust {} m   core {}",
                    rough(column.lid_m),
                    warmth(core_k)
                ));
            }
        }
        if column.set_m > 0.0 {
            lines.push(format!("set {} m", rough(column.set_m)));
        }
        if let Some(arrival) = column.arrival_s {
            lines.push(format!(
                "came after {}, up to {} m/s",
                Seconds(arrival),
                rough(column.max_speed_m_s)
            ));
        }
        lines.join("\n")
    }
}

/// Returns the number of decimals with which coordinates in metres of neighbouring cells differ.
/// `cell_m`: size of a cell in metres.
fn digits(cell_m: f64) -> usize {
    (-cell_m.log10()).ceil().clamp(0.0, 5.0) as usize
}

impl Probe {
    /// Returns the content of the probed cell as text: "rock", or the cell's nonzero quantities with
    /// their values.
    fn what(&self) -> String {
        let value =
            |(quantity, value): &(Quantity, f32)| format!("{} {value:.3}", quantity.words());
        let values = self
            .values
            .iter()
            .filter(|(quantity, _)| quantity.material().is_some())
            .map(value);
        if self.solid {
            "rock".to_owned()
        } else {
            values.collect::<Vec<_>>().join("   ")
        }
    }

    /// Returns the full readout as text: content of the probed cell, its position in metres, and
    /// values of its column. `cell_m`: width of a cell in metres; `metres`: coordinate in metres of
    /// the centre of a cell along an axis (0 x, 1 y, 2 z).
    pub fn words(&self, cell_m: f64, metres: impl Fn(usize, usize) -> f64) -> String {
        let [x, y, z] = self.cell;
        let digits = digits(cell_m);
        let finer = digits + 1;
        let thickness =
            |(material, metres): &(String, f64)| format!("   {material} {metres:.finer$} m thick");
        let thickness: String = self.thickness_m.iter().map(thickness).collect();
        let [east, up, south] = [(0, x), (1, y), (2, z)].map(|(axis, cell)| metres(axis, cell));
        let place =
            format!("{east:.digits$} m east, {south:.digits$} m south, elevation {up:.finer$} m");
        let rest = match &self.flow {
            Some(flow) => [
                if self.solid {
                    "rock".to_owned()
                } else {
                    String::new()
                },
                flow.words(),
            ],
            None => [
                self.what(),
                format!("ground {:.finer$} m{thickness}", self.ground_m),
            ],
        };
        let lines = [format!("cell {x}, {y}, {z}"), place]
            .into_iter()
            .chain(rest);
        lines
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the short readout as text, one line: content of the probed cell, elevation and
    /// temperature. `cell_m`, `metres`: as in [`Probe::words`].
    pub fn short(&self, cell_m: f64, metres: impl Fn(usize, usize) -> f64) -> String {
        let finer = digits(cell_m) + 1;
        let up = format!("{:.finer$} m", metres(1, self.cell[1]));
        // From above, the surface is visible; on a cut, the interior of the cell.
        let seen = |flow: &FlowProbe| flow.surface_k.filter(|_| !self.cut).or(flow.kelvin);
        let kelvin = self.flow.as_ref().and_then(seen);
        let warmth = kelvin
            .map(|kelvin| format!("   {:.0} °C", kelvin - ZERO_CELSIUS_K))
            .unwrap_or_default();
        let what = self.what();
        if what.is_empty() {
            format!("{up}{warmth}")
        } else {
            format!("{what}   {up}{warmth}")
        }
    }
}

/// Ray caster on the cells of a world; looks up the amounts of all materials once for several rays.
pub(crate) struct Sight<'w> {
    world: &'w State,
    amounts: Vec<CellValues<'w>>,
}

/// Cell that a ray hits first, and the point of the hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Indices x, y, z of the cell that the ray hits.
    pub(crate) cell: Place,
    /// Point where the ray enters `cell`, as x, y, z in cells.
    pub(crate) point: [f32; 3],
    /// Set if the ray enters the simulation box in this cell through a side of the box; clear if
    /// the ray enters through the top, or in an earlier cell.
    pub(crate) cut: bool,
}

impl<'w> Sight<'w> {
    /// Prepares ray casts on the cells of `world`.
    pub(crate) fn new(world: &'w State) -> Self {
        let quantities = world.quantities();
        let amounts = quantities
            .iter()
            .filter(|q| q.measure() == CellMeasure::Amount)
            .map(|q| world.values(q));
        Self {
            world,
            amounts: amounts.collect(),
        }
    }

    /// Returns true if the cell `place` is solid or contains at least `SEEN` (fraction of a full
    /// cell) of any material.
    pub(crate) fn sees(&self, place: Place) -> bool {
        self.world.ground().is_solid(place)
            || self.amounts.iter().any(|amount| amount.at(place) >= SEEN)
    }

    /// Returns true if the cell `place` contains any amount of any material.
    pub(crate) fn has_matter(&self, place: Place) -> bool {
        self.amounts.iter().any(|amount| amount.at(place) > 0.0)
    }

    /// Returns the first cell along `ray` for which `wanted` returns true; `None` if there is none
    /// in the simulation box.
    pub(crate) fn meet(&self, ray: &Ray, wanted: impl Fn(Place) -> bool) -> Option<Hit> {
        let grid = self.world.grid();
        let (cell, t) = first_cell(grid, ray, wanted)?;
        let point: [f32; 3] = ray.at(t as f32).into();
        let size = [grid.nx, grid.ny, grid.nz];
        let [origin, direction] = [&ray.origin, &ray.direction]
            .map(|v| std::array::from_fn::<f64, 3, _>(|k| f64::from(v[k])));
        let at_once = enter(size, origin, direction).is_some_and(|entry| t <= entry);
        Some(Hit {
            cell,
            point,
            cut: at_once && point[1] < grid.ny as f32 - 1e-3,
        })
    }
}

/// Returns `ray` with its origin moved to the point where the ray enters `part`, the region of the
/// box that slices and the clip box leave visible, so that hidden cells are not picked. `sides`:
/// size of the box in cells.
pub fn entered(ray: &Ray, part: [[f32; 2]; 3], sides: [f32; 3]) -> Ray {
    let mut near = 0.0_f32;
    for k in 0..3 {
        let (o, d, [low, high]) = (ray.origin[k], ray.direction[k], part[k]);
        if low > 0.0 && o < low && d > 0.0 {
            near = near.max((low - o) / d);
        }
        if high < sides[k] && o > high && d < 0.0 {
            near = near.max((high - o) / d);
        }
    }
    Ray {
        origin: ray.at(near),
        ..*ray
    }
}

/// Returns true if `point` (in cells) lies in `part` (lower and upper bound in cells along x, y and
/// z) or at most one cell outside, since a slice shows the cells at its boundary.
pub fn lies_in(point: [f32; 3], part: [[f32; 2]; 3]) -> bool {
    (0..3).all(|k| (part[k][0] - 1.0..=part[k][1] + 1.0).contains(&point[k]))
}

/// Returns the values at the first visible cell along `ray`: all quantities of the cell, and for
/// its column the ground elevation (m), the values of the physical lava model and the thickness of
/// each material (m). `None` if the ray hits no visible cell.
pub fn probe(world: &State, site: &Site, ray: &Ray) -> Option<Probe> {
    let (grid, quantities) = (world.grid(), world.quantities());
    let sight = Sight::new(world);
    let Hit { cell, point, cut } = sight.meet(ray, |place| sight.sees(place))?;
    let [x, _, z] = cell;
    let values = quantities
        .iter()
        .map(|quantity| (quantity.clone(), world.values(quantity).at(cell)));
    let thickness = |material: &Material| {
        let amount = world.values(&Quantity::new(CellMeasure::Amount, &material.name));
        let cells: f64 = (0..grid.ny).map(|y| f64::from(amount.at([x, y, z]))).sum();
        (material.name.clone(), cells * site.cell_height_m())
    };
    Some(Probe {
        cell,
        point,
        solid: world.ground().is_solid(cell),
        cut,
        values: values.filter(|(_, value)| *value != 0.0).collect(),
        ground_m: site.elevation_m(f64::from(world.ground().surface()[[z, x]])),
        flow: world.flow().map(|flow| FlowProbe::new(flow, cell)),
        thickness_m: world
            .materials()
            .map(thickness)
            .filter(|(_, metres)| *metres > 0.0)
            .collect(),
    })
}

/// Traverses the cells of `grid` along `ray` (3D DDA). Returns the first cell for which `wanted`
/// returns true, and the ray parameter at which the ray enters that cell, in lengths of the ray's
/// direction. `None` if there is none in the simulation box.
fn first_cell(grid: Grid, ray: &Ray, wanted: impl Fn(Place) -> bool) -> Option<(Place, f64)> {
    let size = [grid.nx, grid.ny, grid.nz];
    let origin: [f64; 3] = std::array::from_fn(|k| f64::from(ray.origin[k]));
    let direction: [f64; 3] = std::array::from_fn(|k| f64::from(ray.direction[k]));
    let mut t = enter(size, origin, direction)?;
    let mut cell: Place = std::array::from_fn(|k| {
        let at = (origin[k] + t * direction[k]).floor().max(0.0) as usize;
        at.min(size[k] - 1)
    });
    loop {
        if wanted(cell) {
            return Some((cell, t));
        }
        // Distance to the cell's exit face along each axis, computed from the origin each time so
        // that no rounding error accumulates.
        let wall = |k: usize| match direction[k] {
            d if d > 0.0 => ((cell[k] + 1) as f64 - origin[k]) / d,
            d if d < 0.0 => (cell[k] as f64 - origin[k]) / d,
            _ => f64::INFINITY,
        };
        let (axis, leave) = (0..3)
            .map(|k| (k, wall(k)))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        if !leave.is_finite() {
            return None;
        }
        t = t.max(leave);
        let towards = if direction[axis] > 0.0 { 1 } else { -1 };
        cell[axis] = cell[axis]
            .checked_add_signed(towards)
            .filter(|&v| v < size[axis])?;
    }
}

/// Returns the distance along a ray, in lengths of `direction`, at which the ray enters a box of
/// `size` cells (slab test); 0 if `origin` lies inside the box. `None` if the ray misses the box,
/// is not finite, or has a zero direction.
fn enter(size: [usize; 3], origin: [f64; 3], direction: [f64; 3]) -> Option<f64> {
    if !origin.iter().chain(&direction).all(|v| v.is_finite()) {
        return None;
    }
    let (mut from, mut to) = (0.0_f64, f64::INFINITY);
    for k in 0..3 {
        let walls = [0.0, size[k] as f64];
        if direction[k] == 0.0 {
            if !(walls[0]..=walls[1]).contains(&origin[k]) {
                return None;
            }
        } else {
            let [a, b] = walls.map(|wall| (wall - origin[k]) / direction[k]);
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
    }
    (from <= to && to.is_finite()).then_some(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;
    use nalgebra::Vector3;

    /// Returns the smallest entry distance along `ray` among all cells that the ray hits and for
    /// which `wanted` returns true; reference for the test of `first_cell`.
    fn by_brute_force(grid: Grid, ray: &Ray, wanted: impl Fn(usize) -> bool) -> Option<f64> {
        let all = (0..grid.cells()).filter(|&index| wanted(index));
        let entries = all.filter_map(|index| {
            let low = [
                index % grid.nx,
                index / grid.nx % grid.ny,
                index / grid.slab(),
            ];
            let origin = std::array::from_fn(|k| f64::from(ray.origin[k]) - low[k] as f64);
            enter(
                [1; 3],
                origin,
                std::array::from_fn(|k| f64::from(ray.direction[k])),
            )
        });
        entries.min_by(f64::total_cmp)
    }

    #[test]
    fn finds_what_a_search_of_all_cells_finds() {
        let grid = Grid::new(9, 7, 8);
        let mut dice = 0;
        let mut real = |low: f32, high: f32| {
            dice += 1;
            low + (mix64(dice) >> 40) as f32 / (1 << 24) as f32 * (high - low)
        };
        let (mut hits, mut misses) = (0, 0);
        for i in 0..4000_u64 {
            let origin = Vector3::new(real(-6.0, 15.0), real(-6.0, 13.0), real(-6.0, 14.0));
            let mut aim = Vector3::new(real(0.0, 9.0), real(0.0, 7.0), real(0.0, 8.0)) - origin;
            if i % 5 == 0 {
                aim[(i / 5 % 3) as usize] = 0.0;
            }
            let ray = Ray {
                origin,
                direction: aim.normalize(),
            };
            let wanted = |index: usize| mix64(index as u64 ^ i << 32).is_multiple_of(20);
            let ours = first_cell(grid, &ray, |place| wanted(grid.index(place)));
            let theirs = by_brute_force(grid, &ray, wanted);
            match (ours, theirs) {
                (Some((place, t)), Some(first)) => {
                    assert!(wanted(grid.index(place)));
                    assert!((t - first).abs() < 1e-5, "{ray:?}: {t} and {first}");
                    hits += 1;
                }
                (None, None) => misses += 1,
                // A ray may touch a cell's corner without entering the cell.
                (None, Some(first)) => {
                    let near = |k: usize| {
                        let at = f64::from(ray.origin[k]) + first * f64::from(ray.direction[k]);
                        (at - at.round()).abs() < 1e-5
                    };
                    assert!(
                        (0..3).filter(|&k| near(k)).count() >= 2,
                        "{ray:?} misses the cell at {first}"
                    );
                }
                (Some(_), None) => panic!("{ray:?} finds what is not there"),
            }
        }
        assert!(hits > 1000 && misses > 500, "{hits} hits, {misses} misses");
    }

    #[test]
    fn a_readout_has_no_empty_line_and_the_short_one_is_one_line() {
        let mut probe = Probe {
            cell: [1, 2, 3],
            point: [1.5, 3.0, 3.5],
            solid: false,
            cut: true,
            values: Vec::new(),
            ground_m: 20.0,
            thickness_m: Vec::new(),
            flow: None,
        };
        let metres = |_, cell: usize| 10.0 * (cell as f64 + 0.5);
        for solid in [false, true] {
            probe.solid = solid;
            assert_eq!(probe.short(10.0, metres).lines().count(), 1);
            let words = probe.words(10.0, metres);
            assert!(words.lines().all(|line| !line.trim().is_empty()), "{words}");
        }
        assert_eq!(probe.short(10.0, metres), "rock   25.0 m");
        assert_eq!([30.0, 1.0, 0.5, 0.1, 0.004].map(digits), [0, 0, 1, 1, 3]);
    }

    #[test]
    fn what_is_no_ray_meets_nothing() {
        let grid = Grid::new(4, 4, 4);
        for direction in [Vector3::zeros(), Vector3::new(f32::NAN, 0.0, 1.0)] {
            let ray = Ray {
                origin: Vector3::new(2.0, 2.0, 2.0),
                direction,
            };
            assert_eq!(first_cell(grid, &ray, |_| false), None);
        }
    }
}
