//! Physical quantities of a flow's cells for files and slices: shares of a full cell, temperature
//! in K, viscosity in Pa s and velocity in m/s.

use super::{Flow, UNITS};
use crate::motion::cross::{faces_of, pair_of};
use lavoxel_base::measure::CellMeasure;

/// Coordinates `[x, y, z]` of a cell in the box.
type Place = [usize; 3];

impl Flow {
    /// Value of the quantity `measure` in the cell `place`, in the unit of the measure; 0 where the
    /// cell lacks the measured matter, and for measures that do not belong to a flow.
    ///
    /// The temperature is that of the liquid; for a lava that melts, that of the solid if the cell
    /// contains more solid than liquid.
    pub fn measure(&self, measure: CellMeasure, place: Place) -> f32 {
        let [x, y, z] = place;
        if !self.levels_measured(z * self.space.nx + x).contains(&y) {
            return 0.0;
        }
        let lava = &self.setup.lava;
        let value = match measure {
            CellMeasure::Amount => share(self.liquid(place)),
            CellMeasure::Temperature => self.temperature_k(place).unwrap_or_default(),
            CellMeasure::Viscosity => self
                .cell(place)
                .temperature_k(lava)
                .map_or(0.0, |k| lava.viscosity_pa_s(k)),
            CellMeasure::VelocityEast => self.velocity_m_s(place)[0],
            // Avoids −0, which would tell columns that lava came near from others.
            CellMeasure::VelocityNorth => 0.0 - self.velocity_m_s(place)[1],
            CellMeasure::Set => share(self.set_in(place)),
            _ => 0.0,
        };
        value as f32
    }

    /// Returns true if the cell `place` contains the matter that `measure` refers to.
    pub fn has(&self, measure: CellMeasure, place: Place) -> bool {
        match measure {
            CellMeasure::Set => self.set_in(place) > 0,
            CellMeasure::Temperature => self.liquid(place) > 0 || self.solid(place) > 0,
            _ => self.liquid(place) > 0,
        }
    }

    /// Iterator over the cells that may have a non-zero quantity: all cells except those in the
    /// ground before the flow and those above all rock and liquid.
    pub fn stored(&self) -> impl Iterator<Item = Place> + '_ {
        let nx = self.space.nx;
        (0..self.space.columns())
            .flat_map(move |c| self.levels_measured(c).map(move |y| [c % nx, y, c / nx]))
    }

    fn levels_measured(&self, c: usize) -> std::ops::Range<usize> {
        let stored = self.levels(c);
        // Cells that solidified completely are no longer stored, but still contain solidified lava.
        let ground = (self.ground.at(c) / i64::from(UNITS)) as usize;
        stored.start.min(ground)..stored.end
    }

    fn liquid(&self, [x, y, z]: Place) -> i32 {
        self.columns
            .get(z * self.space.nx + x)
            .map_or(0, |column| column.cell(y as i32).amount)
    }

    /// Amount in units of solidified lava in the cell `place`: rock above the ground before the
    /// flow, or meltable solid if the lava melts.
    fn set_in(&self, place: Place) -> i32 {
        let [x, y, z] = place;
        let c = z * self.space.nx + x;
        if self.solids.is_some() {
            return self.solid(place);
        }
        if !self.has_set(c) {
            return 0;
        }
        let ground =
            (self.ground.at(c) - y as i64 * i64::from(UNITS)).clamp(0, UNITS.into()) as i32;
        (self.columns[c].cell(y as i32).rock - ground).max(0)
    }

    /// Velocity in m/s `[east, south]` of the liquid in the cell `[x, y, z]`: outflow across its
    /// faces divided by its amount, for the present surface and heat. Ignores the flux limiter and
    /// the sides of the box.
    pub fn velocity_m_s(&self, [x, y, z]: Place) -> [f64; 2] {
        let (c, level) = (z * self.space.nx + x, y as i32);
        let amount = self.liquid([x, y, z]);
        if amount <= 0 {
            return [0.0; 2];
        }
        let mut left = [0.0; 2];
        for (number, sign) in faces_of(self.space, c).into_iter().flatten() {
            let (here, _, pair) = pair_of(self.space, &self.columns, number);
            left[number % 2] += f64::from(sign) * pair.leaves(here == c, level, &self.tables);
        }
        left.map(|units| units / f64::from(amount) * self.space.dx_m / self.setup.step_s)
    }
}

fn share(units: i32) -> f64 {
    f64::from(units) / f64::from(UNITS)
}
