//! Vents: where new lava comes from; and sources of other materials, which work alike.
//!
//! New liquid enters at the top of a column's standing liquid: the lowest cell above the ground that is not yet full,
//! then the next. A vent inside a crater therefore fills it and overflows the lowest lip, although the rules have no
//! upward flow. What cannot be placed, because the column is full to the roof, is counted as blocked.
//!
//! A source of grains is a faucet: in every step it puts one into each free cell of its disc with the probability `rate`.

mod air;
mod flow;
mod vents;

pub use self::air::VentAir;
#[cfg(feature = "scene")]
pub(crate) use self::flow::{FLOW_KELVIN_MAX, FLOW_RATE_MAX};
pub use self::flow::{USUAL_RATE_M3_S, VentFlow};
pub use self::vents::{VentChange, Vents};
use serde::{Deserialize, Serialize};

use crate::grid::{Grid, Place};
use crate::random::{Draw, Salt, StepKey, mix64};
use crate::units::{AMOUNT_ONE, VENT_ENERGY_MAX, energy_units};
use crate::validate::{Invalid, within};
use crate::world::World;

/// Most cells that one vent may pour in a step.
pub(crate) const RATE_MAX: f64 = 1e6;

/// Most vents of a scene, those that are over included.
const MAX_VENTS: usize = 10_000;

/// Most columns of all vents together, each of which takes memory and time.
const MAX_VENT_COLUMNS: f64 = (1u32 << 24) as f64;

/// Checks that these vents together are not too much.
pub(crate) fn check_vents<'a>(vents: impl Iterator<Item = &'a VentSpec> + Clone, grid: Grid) -> Result<(), Invalid> {
    within("number of [[vent]] tables", vents.clone().count() as f64, 0.0, MAX_VENTS as f64)?;
    let width = |vent: &VentSpec, n: usize| (2.0 * vent.radius + 2.0).min(n as f64);
    let columns = vents.map(|vent| width(vent, grid.nx) * width(vent, grid.nz)).sum();
    within("columns of all [[vent]] tables", columns, 0.0, MAX_VENT_COLUMNS)
}

/// A vent in cells: a disc of columns, a rate and a time. A scene may also give it in metres or in coordinates; see
/// [`crate::scene::VentTable`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VentSpec {
    /// Centre, in cells east of the box's western side.
    pub x: f64,
    /// Centre, in cells south of the box's northern side.
    pub z: f64,
    /// Radius in cells; the column under the centre always belongs to the vent.
    #[serde(default = "default_radius")]
    pub radius: f64,
    /// Height of the cells into which it pours, in cells above the floor; absent: on the ground, grains below the roof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Volume poured by the whole vent in one step, in full cells; of grains the probability of one in each cell, and from 1
    /// on one in every cell.
    #[serde(default = "default_rate")]
    pub rate: f64,
    /// First step in which it pours.
    #[serde(default)]
    pub start: u64,
    /// First step in which it no longer pours; absent: it never stops.
    #[serde(default)]
    pub end: Option<u64>,
    /// Energy given to a full cell of new lava.
    #[serde(default = "default_energy")]
    pub energy: f64,
    /// Name of the material that it pours; absent: lava; [`FUME`]: nothing but what it gives to the air.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Gas, ash and jet that it gives to the air; absent: those of the lava of a vent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub air: Option<VentAir>,
    /// Rates and temperature in a world of the physical model, where rate and energy mean nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Box<VentFlow>>,
}

/// The lists of vents in a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// `[[vent]]`: they pour lava.
    Vents,
    /// `[[source]]`: they pour another material.
    Sources,
    /// `[[fume]]`: they only give to the air.
    Fumes,
}

/// The material of a source that only gives to the air; its rate is in kg/s.
pub const FUME: &str = "air";

pub(crate) fn default_radius() -> f64 {
    2.5
}

pub(crate) fn default_rate() -> f64 {
    1.8
}

pub(crate) fn default_energy() -> f64 {
    1.0
}

impl Default for VentSpec {
    /// A vent at the north-west corner that pours from the first step on.
    fn default() -> Self {
        let (radius, rate, energy) = (default_radius(), default_rate(), default_energy());
        let (height, end, material, air, flow) = (None, None, None, None, None);
        Self { x: 0.0, z: 0.0, radius, height, rate, start: 0, end, energy, material, air, flow }
    }
}

impl VentSpec {
    /// Checks every number; `key` is the table's name, such as `vent[0]`.
    pub fn validate(&self, key: &str, grid: Grid) -> Result<(), Invalid> {
        within(&format!("{key}.x"), self.x, 0.0, grid.nx as f64)?;
        within(&format!("{key}.z"), self.z, 0.0, grid.nz as f64)?;
        within(&format!("{key}.radius"), self.radius, 0.0, grid.nx.max(grid.nz) as f64)?;
        self.height.map_or(Ok(()), |height| check_height(key, height, grid))?;
        self.air.as_ref().map_or(Ok(()), |air| air.validate(&format!("{key}.air")))?;
        self.flow.as_ref().map_or(Ok(()), |flow| flow.validate(key))?;
        check_pouring(key, self.rate, self.energy, (self.start, self.end))
    }

    /// Whether it gives to the air alone.
    pub fn is_fume(&self) -> bool {
        self.list() == List::Fumes
    }

    /// The list of a scene that it belongs to.
    pub(crate) fn list(&self) -> List {
        match self.material.as_deref() {
            None => List::Vents,
            Some(FUME) => List::Fumes,
            Some(_) => List::Sources,
        }
    }
}

/// Checks the height at which a vent pours.
pub(crate) fn check_height(key: &str, height: f64, grid: Grid) -> Result<(), Invalid> {
    within(&format!("{key}.height"), height, 0.0, grid.ny as f64)
}

/// Checks how much a vent pours, and when: from the first step of `time` up to the second.
pub(crate) fn check_pouring(
    key: &str,
    rate: f64,
    energy: f64,
    (start, end): (u64, Option<u64>),
) -> Result<(), Invalid> {
    within(&format!("{key}.rate"), rate, 0.0, RATE_MAX)?;
    within(&format!("{key}.energy"), energy, 0.0, VENT_ENERGY_MAX)?;
    match end {
        Some(end) if end < start => Err(Invalid::new(&format!("{key}.end"), end, format!("at least start = {start}"))),
        _ => Ok(()),
    }
}

/// A vent ready to pour: its columns on the grid and its rate in fixed point.
#[derive(Clone, Debug)]
pub struct Vent {
    columns: Vec<(usize, usize)>,
    /// The row of its cells, where it has one.
    height: Option<usize>,
    /// Units of amount per step with 16 binary digits after the point.
    rate: u64,
    /// Which random numbers a faucet draws: those of its disc and rate, however it came there.
    stream: usize,
    /// Probability of a grain in a cell, of 2³².
    chance: u64,
    start: u64,
    end: u64,
    energy: u16,
    /// `None` for lava.
    material: Option<String>,
    /// In a world of the physical model.
    flow: Option<Box<VentFlow>>,
}

impl Vent {
    /// Places a vent that passed [`VentSpec::validate`] on the grid.
    pub fn new(spec: &VentSpec, grid: Grid) -> Self {
        let reach = |center: f64, n: usize| {
            let low = (center - spec.radius).floor().clamp(0.0, n as f64 - 1.0) as usize;
            let high = (center + spec.radius).ceil().clamp(0.0, n as f64 - 1.0) as usize;
            low..=high
        };
        let inside = |x: usize, z: usize| {
            let (dx, dz) = (x as f64 + 0.5 - spec.x, z as f64 + 0.5 - spec.z);
            dx * dx + dz * dz <= spec.radius * spec.radius
        };
        let under = |center: f64, n: usize| (center as usize).min(n - 1);
        let center = (under(spec.x, grid.nx), under(spec.z, grid.nz));
        let columns = reach(spec.z, grid.nz)
            .flat_map(|z| reach(spec.x, grid.nx).map(move |x| (x, z)))
            .filter(|&(x, z)| (x, z) == center || inside(x, z))
            .collect();
        Self {
            columns,
            height: spec.height.map(|height| (height as usize).min(grid.ny - 1)),
            stream: [spec.x, spec.z, spec.radius, spec.height.unwrap_or(-1.0), spec.rate]
                .into_iter()
                .fold(0, |stream, value| mix64(stream ^ value.to_bits()))
                // As many bits as a number has on every machine.
                .wrapping_shr(40) as usize,
            chance: (spec.rate.min(1.0) * f64::from(u32::MAX)).round() as u64 + u64::from(spec.rate > 0.0),
            rate: (spec.rate * f64::from(AMOUNT_ONE) * 65536.0).round() as u64,
            start: spec.start,
            end: spec.end.unwrap_or(u64::MAX),
            energy: energy_units(spec.energy).min(energy_units(VENT_ENERGY_MAX)),
            material: spec.material.clone(),
            flow: spec.flow.clone(),
        }
    }

    /// The columns (x, z) into which it pours.
    pub fn columns(&self) -> &[(usize, usize)] {
        &self.columns
    }

    /// The height from which up it pours, where it is not on the ground.
    pub(crate) fn lowest(&self) -> usize {
        self.height.unwrap_or(0)
    }

    fn pours_in(&self, step: u64) -> bool {
        (self.start..self.end).contains(&step)
    }

    /// Units poured in `step`. Fractions of a unit are carried from step to step without any state: the sum over the
    /// steps up to now is the exact product, rounded down.
    pub fn units_in(&self, step: u64) -> u64 {
        if !self.pours_in(step) {
            return 0;
        }
        let poured_before = |steps: u64| (u128::from(self.rate) * u128::from(steps)) >> 16;
        let since = step - self.start;
        (poured_before(since + 1) - poured_before(since)) as u64
    }

    /// Pours what is due in the step that `draw` names, the same share into every column; the units that do not divide go round.
    /// Nothing when the world does not have the material.
    pub fn pour(&self, world: &mut World, draw: Draw) {
        if self.flow.is_some() {
            // The flow pours it.
            return;
        }
        let step = draw.step;
        let layer = self.material.as_deref().map_or(Some(world.number_of_lava()), |name| world.number_of(name));
        let (total, Some(layer)) = (self.units_in(step), layer) else { return };
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

    /// Puts grains into some of its cells that are free.
    fn sprinkle(&self, world: &mut World, layer: usize, key: StepKey) {
        let y = self.height.unwrap_or(world.grid().ny - 1);
        for place in self.columns.iter().map(|&(x, z)| [x, y, z]) {
            if key.number_at(place) >> 32 < self.chance && world.takes_grain(layer, place) {
                world.pour(layer, place, AMOUNT_ONE, 0);
            }
        }
    }
}

/// Pours `units` of a layer into a column, from a cell up, and returns what found no room.
fn pour_column(world: &mut World, layer: usize, [x, lowest, z]: Place, mut units: u64, energy: u16) -> u64 {
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
    use crate::units::amount_units;
    use crate::world::Ground;

    fn vent(rate: f64) -> VentSpec {
        VentSpec { x: 2.5, z: 2.5, radius: 1.0, rate, start: 3, end: Some(10), energy: 1.0, ..VentSpec::default() }
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
        let spec = VentSpec { x: 0.5, z: 0.5, radius: 0.0, rate: 1.5, ..VentSpec::default() };
        let vent = Vent::new(&spec, grid);
        vent.pour(&mut world, Draw { seed: 1, step: 0 });
        assert_eq!([0, 1].map(|y| world.lava().at([0, y, 0]).amount), [AMOUNT_ONE, amount_units(0.5)]);
        vent.pour(&mut world, Draw { seed: 1, step: 1 });
        assert_eq!([0, 1].map(|y| world.lava().at([0, y, 0]).amount), [AMOUNT_ONE, AMOUNT_ONE]);
        assert_eq!(world.lava().ledger.blocked, u64::from(AMOUNT_ONE));
        world.check().expect("the account is exact");
    }
}
