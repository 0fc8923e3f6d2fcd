//! Vents, where new lava enters the simulation box, and sources of other materials, which work in
//! the same way.
//!
//! New liquid enters at the top of a column's standing liquid: the lowest cell above the ground
//! that is not yet full, then the next. A vent inside a crater therefore fills the crater and
//! overflows its lowest lip, although the rules have no upward flow. Liquid that finds no room,
//! because the column is full up to the roof, is counted as blocked.
//!
//! A source of grains is a faucet: in every step it puts one grain into each free cell of its disc
//! with the probability `rate`.

mod air;
mod fissure;
mod flow;
mod vents;

pub use self::air::VentAir;
pub use self::fissure::Focus;
use self::fissure::MAX_POINTS;
pub use self::flow::{FLOW_KELVIN_MAX, FLOW_RATE_MAX};
pub use self::flow::{USUAL_RATE_M3_S, VentFlow};
pub use self::vents::{VentChange, Vents};
pub use serde::{Deserialize, Serialize};

use lavoxel_automaton::world::World;
use lavoxel_base::grid::line::Line;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::random::{Draw, Salt, StepKey, mix64};
use lavoxel_base::units::{AMOUNT_ONE, VENT_ENERGY_MAX, energy_units};
use lavoxel_base::validate::{Invalid, within};

/// Upper bound on the rate of a vent, in full cells per step.
pub const RATE_MAX: f64 = 1e6;

/// Upper bound on the number of vents of a scene, including vents that no longer pour.
const MAX_VENTS: usize = 10_000;

/// Upper bound on the number of columns of all vents together, because each column costs memory and
/// time.
const MAX_VENT_COLUMNS: f64 = (1u32 << 24) as f64;

/// Checks that neither the number of vents nor the number of their columns in a box of shape `grid`
/// is too large.
pub fn check_vents<'a>(
    vents: impl Iterator<Item = &'a VentSpec> + Clone,
    grid: Grid,
) -> Result<(), Invalid> {
    within(
        "number of [[vent]] tables",
        vents.clone().count() as f64,
        0.0,
        MAX_VENTS as f64,
    )?;
    let columns = vents.map(|vent| vent.most_columns(grid)).sum();
    within(
        "columns of all [[vent]] tables",
        columns,
        0.0,
        MAX_VENT_COLUMNS,
    )
}

/// Vent in cell coordinates: a disc of columns or a fissure, with a rate and a time during which it
/// pours. Scenes may also use metres or map coordinates; see `lavoxel::scene::VentTable`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VentSpec {
    /// Position of the centre in cells, east of the simulation box's western side.
    pub x: f64,
    /// Position of the centre in cells, south of the simulation box's northern side.
    pub z: f64,
    /// Points of a fissure after the first, as offsets [east, south] in cells from the centre,
    /// which is the first point; empty for a disc.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<[f64; 2]>,
    /// Radius in cells. The column of the centre, or all columns that a fissure crosses, belong to
    /// the vent even if the radius is 0.
    #[serde(default = "default_radius")]
    pub radius: f64,
    /// Height above the floor of the simulation box, in cells, of the cells into which the vent
    /// pours; `None`: liquids enter on the ground, grains below the roof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Volume that the whole vent pours per step, in full cells; for grains, the probability of a
    /// grain per cell and step (with 1 or more every cell gets a grain).
    #[serde(default = "default_rate")]
    pub rate: f64,
    /// First step in which the vent pours.
    #[serde(default)]
    pub start: u64,
    /// First step after the pouring has ended; `None` if the vent never stops.
    #[serde(default)]
    pub end: Option<u64>,
    /// Energy per full cell of poured lava, as a multiple of the energy of lava fresh from a vent
    /// with the default value 1.
    #[serde(default = "default_energy")]
    pub energy: f64,
    /// Name of the poured material; `None` for lava; [`FUME`] for a vent that adds to the air only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Gas, ash and jet that the vent adds to the air; `None` for the default of a lava vent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<Box<VentAir>>,
    /// Rates and temperature in the physical model, in which `rate` and `energy` are ignored;
    /// `None` in the cellular automaton (classic model).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Box<VentFlow>>,
}

/// Kind of table in a scene file that describes a vent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// `[[vent]]`: vents that pour lava.
    Vents,
    /// `[[source]]`: sources that pour a material other than lava.
    Sources,
    /// `[[fume]]`: fumes, which add to the air only.
    Fumes,
}

/// Material name that marks a fume, which adds to the air only; its rate is in kg/s.
pub const FUME: &str = "air";

/// Returns the default radius of a vent, in cells.
pub fn default_radius() -> f64 {
    2.5
}

/// Returns the default rate of a vent, in full cells per step.
pub fn default_rate() -> f64 {
    1.8
}

/// Returns the default energy per full cell of poured lava.
pub fn default_energy() -> f64 {
    1.0
}

impl Default for VentSpec {
    /// Creates a lava vent at the north-west corner of the simulation box with default rate, radius
    /// and energy, which pours from step 0 on without end.
    fn default() -> Self {
        let (radius, rate, energy) = (default_radius(), default_rate(), default_energy());
        let (line, height, end, material, air, flow) = (Vec::new(), None, None, None, None, None);
        Self {
            x: 0.0,
            z: 0.0,
            line,
            radius,
            height,
            rate,
            start: 0,
            end,
            energy,
            material,
            air,
            flow,
        }
    }
}

impl VentSpec {
    /// Checks that all numbers are in range for a box of shape `grid`. `key`: name of the table in
    /// messages, such as `vent[0]`.
    pub fn validate(&self, key: &str, grid: Grid) -> Result<(), Invalid> {
        within(&format!("{key}.x"), self.x, 0.0, grid.nx as f64)?;
        within(&format!("{key}.z"), self.z, 0.0, grid.nz as f64)?;
        self.check_line(key)?;
        for [x, z] in self.line().points() {
            // Adding the centre and the offset loses the last digits: rounded for the message.
            let rounded = |cells: f64| (cells * 1e6).round() / 1e6;
            within(&format!("{key}.to"), rounded(*x), 0.0, grid.nx as f64)?;
            within(&format!("{key}.to"), rounded(*z), 0.0, grid.nz as f64)?;
        }
        within(
            &format!("{key}.radius"),
            self.radius,
            0.0,
            grid.nx.max(grid.nz) as f64,
        )?;
        self.height
            .map_or(Ok(()), |height| check_height(key, height, grid))?;
        self.air
            .as_ref()
            .map_or(Ok(()), |air| air.validate(&format!("{key}.air")))?;
        self.flow
            .as_ref()
            .map_or(Ok(()), |flow| flow.validate(key))?;
        check_pouring(key, self.rate, self.energy, (self.start, self.end))
    }

    /// Returns the line along which the vent lies, in cells: the points of a fissure, or the centre
    /// of a disc alone.
    fn line(&self) -> Line {
        Line::new([self.x, self.z], &self.line)
    }

    /// Returns the points (x, z) of the vent in cells: the centre, followed by the other points of
    /// a fissure.
    pub fn points(&self) -> Vec<[f64; 2]> {
        self.line().points().to_vec()
    }

    /// Returns the point (x, z) in cells at the fraction `share` (0 to 1) of the fissure's length.
    pub fn point_at(&self, share: f64) -> [f64; 2] {
        self.line().point(share)
    }

    /// Moves the centre to `center` (x, z in cells), or to the nearest position with which all
    /// points of a fissure lie inside the simulation box.
    pub fn move_to(&mut self, center: [f64; 2], grid: Grid) {
        let clamped = |axis: usize, n: usize| {
            let offsets = || self.line.iter().map(|point| point[axis]);
            let (low, high) = (
                -offsets().fold(0.0, f64::min),
                n as f64 - offsets().fold(0.0, f64::max),
            );
            center[axis].min(high).max(low)
        };
        (self.x, self.z) = (clamped(0, grid.nx), clamped(1, grid.nz));
    }

    /// Returns an upper bound on the number of columns of the vent in a box of shape `grid`.
    fn most_columns(&self, grid: Grid) -> f64 {
        self.line().most_columns(self.radius, grid)
    }

    /// Returns the effective number of columns of the vent, which may be fractional: the whole rate
    /// divided by the largest rate of a column. For a fissure that focuses, the number of columns
    /// on which it focuses divided by the fraction of the rate that comes out there, at most the
    /// number of all columns.
    pub fn busy_columns(&self) -> f64 {
        let disc = (std::f64::consts::PI * self.radius * self.radius).max(1.0);
        let all = disc + self.line().length() * (2.0 * self.radius).max(1.0);
        let focus = self
            .flow
            .as_ref()
            .and_then(|flow| flow.focus.as_ref())
            .filter(|focus| focus.share > 0.0);
        focus.map_or(all, |focus| {
            (disc * focus.at.len() as f64 / focus.share).min(all)
        })
    }

    /// Checks the number of points, and that only a fissure has a focus. `key`: name of the table
    /// in messages.
    pub fn check_line(&self, key: &str) -> Result<(), Invalid> {
        within(
            &format!("number of points of {key}.to"),
            self.line.len() as f64,
            0.0,
            MAX_POINTS as f64,
        )?;
        if self.line.is_empty() && self.flow.as_ref().is_some_and(|flow| flow.focus.is_some()) {
            return Err(Invalid::new(
                &format!("{key}.focus"),
                "given",
                "left out, or `to` has the further points of a fissure",
            ));
        }
        Ok(())
    }

    /// Returns true if the vent is a fume, which adds to the air only.
    pub fn is_fume(&self) -> bool {
        self.list() == List::Fumes
    }

    /// Returns the kind of table in a scene file that describes the vent.
    pub fn list(&self) -> List {
        match self.material.as_deref() {
            None => List::Vents,
            Some(FUME) => List::Fumes,
            Some(_) => List::Sources,
        }
    }
}

/// Checks that the height `height` of a vent (cells above the floor) lies inside the simulation
/// box. `key`: name of the vent's table in messages.
pub fn check_height(key: &str, height: f64, grid: Grid) -> Result<(), Invalid> {
    within(&format!("{key}.height"), height, 0.0, grid.ny as f64)
}

/// Checks rate, energy and time of a vent. `start`: first step in which the vent pours; `end`:
/// first step after the pouring has ended, `None` if it never does. `key`: name of the table in
/// messages.
pub fn check_pouring(
    key: &str,
    rate: f64,
    energy: f64,
    (start, end): (u64, Option<u64>),
) -> Result<(), Invalid> {
    within(&format!("{key}.rate"), rate, 0.0, RATE_MAX)?;
    within(&format!("{key}.energy"), energy, 0.0, VENT_ENERGY_MAX)?;
    match end {
        Some(end) if end < start => Err(Invalid::new(
            &format!("{key}.end"),
            end,
            format!("at least start = {start}"),
        )),
        _ => Ok(()),
    }
}

/// Vent prepared for pouring: its columns in the simulation box, and its rate in units as a
/// fixed-point number.
#[derive(Clone, Debug)]
pub struct Vent {
    columns: Vec<(usize, usize)>,
    /// For each column of a fissure with a focus, the share (0 to 1) that the column receives of
    /// the volume that comes out at the places of the focus; empty without a focus.
    focus: Vec<f64>,
    /// Height index of the cells into which the vent pours; `None` for a vent on the ground.
    height: Option<usize>,
    /// Rate in units of amount per step, as a fixed-point number with 16 fractional bits.
    rate: u64,
    /// Index of the random number stream of a source of grains: a hash of the source's position,
    /// radius and rate.
    stream: u64,
    /// Probability of a grain per cell and step, in units of 2⁻³²; used by sources of grains only.
    chance: u64,
    start: u64,
    end: u64,
    energy: u16,
    /// Name of the poured material; `None` for lava.
    material: Option<String>,
    /// Rates in the physical model; `None` in the cellular automaton (classic model).
    flow: Option<Box<VentFlow>>,
}

impl Vent {
    /// Prepares the validated vent `spec` for a box of shape `grid`.
    pub fn new(spec: &VentSpec, grid: Grid) -> Self {
        let (line, focus) = (
            spec.line(),
            spec.flow.as_ref().and_then(|flow| flow.focus.as_ref()),
        );
        let at = focus
            .iter()
            .flat_map(|focus| &focus.at)
            .map(|&at| Line::new(line.point(at), &[]));
        let places: Vec<_> = at.map(|place| place.columns(spec.radius, grid)).collect();
        let mut columns: Vec<_> = places
            .iter()
            .flatten()
            .copied()
            .chain(line.columns(spec.radius, grid))
            .collect();
        columns.sort_unstable_by_key(|&(x, z)| (z, x));
        columns.dedup();
        Self {
            focus: if focus.is_some() {
                shares(&places, &columns)
            } else {
                Vec::new()
            },
            columns,
            height: spec.height.map(|height| (height as usize).min(grid.ny - 1)),
            stream: [
                spec.x,
                spec.z,
                spec.radius,
                spec.height.unwrap_or(-1.0),
                spec.rate,
            ]
            .into_iter()
            .fold(0, |stream, value| mix64(stream ^ value.to_bits()))
            .wrapping_shr(40),
            chance: (spec.rate.min(1.0) * f64::from(u32::MAX)).round() as u64
                + u64::from(spec.rate > 0.0),
            rate: (spec.rate * f64::from(AMOUNT_ONE) * 65536.0).round() as u64,
            start: spec.start,
            end: spec.end.unwrap_or(u64::MAX),
            energy: energy_units(spec.energy).min(energy_units(VENT_ENERGY_MAX)),
            material: spec.material.clone(),
            flow: spec.flow.clone(),
        }
    }

    /// Returns the columns (x, z) into which the vent pours.
    pub fn columns(&self) -> &[(usize, usize)] {
        &self.columns
    }

    /// Returns the lowest height index into which the vent pours; 0 for a vent on the ground.
    pub(crate) fn lowest(&self) -> usize {
        self.height.unwrap_or(0)
    }

    fn pours_in(&self, step: u64) -> bool {
        (self.start..self.end).contains(&step)
    }

    /// Returns the amount poured in step `step`, in units. Fractions of a unit carry over: the sum
    /// over all steps is the product of rate and number of steps, rounded down.
    pub fn units_in(&self, step: u64) -> u64 {
        if !self.pours_in(step) {
            return 0;
        }
        let poured_before = |steps: u64| (u128::from(self.rate) * u128::from(steps)) >> 16;
        let since = step - self.start;
        (poured_before(since + 1) - poured_before(since)) as u64
    }

    /// Pours the amount of one step into `world`, in equal parts into all columns of the vent;
    /// remainders of the division go to the columns in turn. Does nothing if the world lacks the
    /// material. `draw`: seed and number of the step.
    pub fn pour(&self, world: &mut World, draw: Draw) {
        if self.flow.is_some() {
            // Vents of the physical model pour in the flow stage.
            return;
        }
        let step = draw.step;
        let layer = self
            .material
            .as_deref()
            .map_or(Some(world.number_of_lava()), |name| world.number_of(name));
        let (total, Some(layer)) = (self.units_in(step), layer) else {
            return;
        };
        if world.layers()[layer].is_grains() && self.pours_in(step) {
            return self.sprinkle(world, layer, draw.key_of(Salt::Faucet, self.stream));
        }
        let n = self.columns.len() as u64;
        let (share, rest) = (total / n, total % n);
        for (i, &(x, z)) in self.columns.iter().enumerate() {
            let turn = (i as u64 + step) % n;
            let due = share + u64::from(turn < rest);
            let lowest = world.ground().top(x, z).max(self.height.unwrap_or(0));
            let blocked = pour_column(world, layer, [x, lowest, z], due, self.energy);
            world.layers[layer].ledger.blocked += blocked;
        }
    }

    /// Puts grains of the layer with index `layer` into a random subset of the vent's free cells.
    /// `key`: hash key of the random numbers.
    fn sprinkle(&self, world: &mut World, layer: usize, key: StepKey) {
        let y = self.height.unwrap_or(world.grid().ny - 1);
        for place in self.columns.iter().map(|&(x, z)| [x, y, z]) {
            if key.number_at(place) >> 32 < self.chance {
                world.sprinkle(layer, place);
            }
        }
    }
}

/// Returns for each column in `columns` the share (0 to 1) that the column receives of the volume
/// that comes out at the places of a fissure's focus. `places`: columns of each such place;
/// `columns` are sorted as by [`Line::columns`].
fn shares(places: &[Vec<(usize, usize)>], columns: &[(usize, usize)]) -> Vec<f64> {
    let mut shares = vec![0.0; columns.len()];
    for place in places {
        let share = 1.0 / (places.len() * place.len()) as f64;
        for &(x, z) in place {
            let i = columns.partition_point(|&(other_x, other_z)| (other_z, other_x) < (z, x));
            shares[i] += share;
        }
    }
    shares
}

/// Pours `units` of the layer with index `layer`, with the energy `energy` (units) per full cell,
/// into the column (`x`, `z`) from height index `lowest` upwards. Returns the units that found no
/// room.
fn pour_column(
    world: &mut World,
    layer: usize,
    [x, lowest, z]: Place,
    mut units: u64,
    energy: u16,
) -> u64 {
    for y in lowest..world.grid().ny {
        if units == 0 {
            break;
        }
        let amount = u64::from(world.room(layer, [x, y, z])).min(units) as u16;
        world.pour(layer, [x, y, z], amount, energy);
        units -= u64::from(amount);
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::world::Ground;
    use lavoxel_base::units::amount_units;

    fn vent(rate: f64) -> VentSpec {
        VentSpec {
            x: 2.5,
            z: 2.5,
            radius: 1.0,
            rate,
            start: 3,
            end: Some(10),
            energy: 1.0,
            ..VentSpec::default()
        }
    }

    #[test]
    fn pours_its_rate_exactly_over_time() {
        let vent = Vent::new(&vent(0.1), Grid::new(5, 5, 5));
        let total: u64 = (0..20).map(|step| vent.units_in(step)).sum();
        assert_eq!(total, (7.0 * 0.1 * f64::from(AMOUNT_ONE)) as u64);
        assert_eq!((vent.units_in(2), vent.units_in(10)), (0, 0));
    }

    #[test]
    fn fills_from_the_ground_up_and_reports_what_found_no_room() {
        let grid = Grid::new(1, 2, 1);
        let mut world = World::new(Ground::none(grid));
        let spec = VentSpec {
            x: 0.5,
            z: 0.5,
            radius: 0.0,
            rate: 1.5,
            ..VentSpec::default()
        };
        let vent = Vent::new(&spec, grid);
        vent.pour(&mut world, Draw { seed: 1, step: 0 });
        assert_eq!(
            [0, 1].map(|y| world.lava().at([0, y, 0]).amount),
            [AMOUNT_ONE, amount_units(0.5)]
        );
        vent.pour(&mut world, Draw { seed: 1, step: 1 });
        assert_eq!(
            [0, 1].map(|y| world.lava().at([0, y, 0]).amount),
            [AMOUNT_ONE, AMOUNT_ONE]
        );
        assert_eq!(world.lava().ledger.blocked, u64::from(AMOUNT_ONE));
        world.check().expect("the account is exact");
    }
}
