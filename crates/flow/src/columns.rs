//! Cells, thicknesses and state of single columns of a flow, for maps, pictures and the probe.

use crate::store::column::UNIT;
use crate::{Flow, FlowCell};
#[cfg(doc)]
use crate::{UNITS, covered_above_m};

/// State of one column of a flow, for maps and the probe.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowColumn {
    /// Height in metres of the ground before the flow, above the floor of the box.
    pub ground_m: f64,
    /// Total thickness in metres of the liquid in the column, in all gaps together.
    pub liquid_m: f64,
    /// Thickness in metres of the rock that solidified in this column.
    pub set_m: f64,
    /// Height in metres of the present upper surface (lava, rock or ground), above the floor of the
    /// box.
    pub surface_m: f64,
    /// Arrival time in seconds since the start: end of the first step after which the column held
    /// liquid, or solidified lava thicker than [`covered_above_m`]. 0 if lava was there before the
    /// start; `None` if no lava has arrived.
    pub arrival_s: Option<f64>,
    /// Temperature in K of the uppermost liquid cell; `None` without liquid.
    pub surface_k: Option<f64>,
    /// Effective viscosity in Pa s of the uppermost run of liquid: the viscosity of isothermal
    /// liquid of the same depth with the same flux. `None` without liquid.
    pub viscosity_pa_s: Option<f64>,
    /// Yield strength in Pa of the uppermost run of liquid; `None` without liquid.
    pub yield_pa: Option<f64>,
    /// Largest speed in m/s of the lava's surface in this column since the start.
    pub max_speed_m_s: f64,
    /// Thickness in metres of the part of the crust that is colder than the solidus, measured down
    /// from the surface of the uppermost run of liquid.
    pub lid_m: f64,
    /// Temperature in K of the core (the liquid below the crust) of the uppermost run of liquid;
    /// `None` without liquid or for a lava without a crust.
    pub core_k: Option<f64>,
    /// Roof flag: true if some liquid lies under a roof of rock.
    pub roofed: bool,
}

impl Flow {
    /// Amounts of liquid and rock and heat of the cell at `[x, y, z]`; an empty cell above the box.
    /// Under a crust the heat is taken from the temperature profile at the depth of the cell.
    pub fn cell(&self, [x, y, z]: [usize; 3]) -> FlowCell {
        self.shown_cell(z * self.space.nx + x, y as i32)
    }

    /// Range of the cells stored for column number `column`, as cell indices from the floor of the
    /// box: all cells below are full rock, all cells above are empty.
    pub fn levels(&self, column: usize) -> std::ops::Range<usize> {
        let column = self.column_at(column);
        column.base as usize..column.end() as usize
    }

    /// Returns true if some lava has solidified in column number `column` since the start.
    pub fn has_set(&self, column: usize) -> bool {
        self.marks[column].set > 0
    }

    /// Total thickness in metres of liquid and solidified lava in column `number`: the sum of
    /// `liquid_m` and `set_m` of [`Flow::column`], computed without the temperatures.
    pub fn thickness_m(&self, number: usize) -> f64 {
        self.space.meters(self.thickness_units(number))
    }

    /// Total thickness of liquid and solidified lava in column `number`, in units of height
    /// ([`UNITS`] per cell height).
    pub fn thickness_units(&self, number: usize) -> i64 {
        self.liquid_units(number) + self.marks[number].set
    }

    /// Total thickness of the liquid in column `number`, in units of height ([`UNITS`] per cell
    /// height). Liquid under pressure counts only up to the height of its gap.
    fn liquid_units(&self, number: usize) -> i64 {
        self.column_at(number)
            .runs
            .iter()
            .map(|run| run.depth)
            .sum()
    }

    /// State of column `number` (`z · nx + x`) in metres, seconds and kelvin, for maps and the
    /// probe.
    pub fn column(&self, number: usize) -> FlowColumn {
        let (column, mark) = (self.column_at(number), &self.marks[number]);
        let meters = |units: i64| self.space.meters(units);
        let highest = column
            .cells
            .iter()
            .rposition(|cell| cell.amount > 0 || cell.rock > 0);
        let surface = highest.map_or(i64::from(column.base) * UNIT, |i| {
            let cell = column.cells[i];
            (i64::from(column.base) + i as i64) * UNIT
                + i64::from(cell.rock)
                + i64::from(cell.amount)
        });
        // The uppermost wet run even under a roof, so that maps show lava in tubes.
        let run = column.runs.iter().rev().find(|run| run.is_wet());
        let lava = &self.setup.lava;
        let profile = self.profile(number);
        FlowColumn {
            ground_m: meters(self.ground.at(number)),
            liquid_m: meters(self.liquid_units(number)),
            set_m: meters(mark.set),
            surface_m: meters(surface),
            arrival_s: mark
                .arrival_s
                .is_finite()
                .then_some(mark.arrival_s.max(0.0)),
            surface_k: run.and_then(|run| self.shown_cell(number, run.top).temperature_k(lava)),
            viscosity_pa_s: run.map(|run| self.tables.viscosity_pa_s(run.fluidity)),
            yield_pa: run.map(|run| self.tables.yield_pa(run.strength)),
            max_speed_m_s: f64::from(mark.max_speed),
            lid_m: profile.map_or(0.0, |profile| {
                profile.lid_m(lava.solidus_k).min(profile.crust_m)
            }),
            core_k: profile.map(|profile| lava.temperature_of(profile.core)),
            roofed: column
                .runs
                .iter()
                .any(|run| run.is_wet() && !run.is_under_sky()),
        }
    }
}
