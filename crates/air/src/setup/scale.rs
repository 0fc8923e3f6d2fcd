//! Conversion from metres, seconds and kelvin to air cells, steps and units of the fields.

use crate::{AirGrid, AirSpec, Field, Forces, UNIT};

/// Standard gravity in m/s².
const GRAVITY: f64 = 9.80665;

/// Density of air at [`REFERENCE_K`] in kg/m³.
const AIR_DENSITY: f64 = 1.2;
/// Specific heat of air at constant pressure, in J/(kg K).
const AIR_HEAT: f64 = 1005.0;
/// Temperature in K to which `AIR_DENSITY` refers.
const REFERENCE_K: f64 = 288.0;

/// Specific heat of volcanic gas at constant pressure, in J/(kg K).
const GAS_HEAT: f64 = 1859.0;
/// Specific heat of ash in J/(kg K).
const ASH_HEAT: f64 = 1150.0;

/// Deceleration of air that neither lift nor wind drives, in m/s²: eddies without a source vanish
/// after some minutes, and a temperature excess of less than 0.03 K causes no lift.
const CALMING: f64 = 1e-3;

/// Temperature in K of lava of the cellular automaton (classic model) with energy 0 and with energy
/// 1: the ends of the colour scale.
pub const LAVA_K: [f64; 2] = [500.0, 1400.0];

/// Temperature in K of fresh steam, as it rises from boiling water.
const STEAM_K: f64 = 373.0;

/// Conversion between physical units and cells, steps and field values: size of an air cell, length
/// of a step, and properties of the air.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Edge of an air cell in metres.
    pub edge_m: f64,
    /// Edge in metres of a voxel, a cell of the lava's grid.
    pub cell_m: f64,
    /// Length of a step in seconds.
    pub step_s: f64,
    /// Temperature of the ambient air in K.
    pub ambient_k: f64,
    /// Mass of ash, steam or ink per cubic metre of air, in kg/m³, that corresponds to a field
    /// value of 1.0.
    pub ash_unit_kg_m3: f64,
}

impl Scale {
    /// Returns the scale of the air of a scene; `cell_m` is the edge of a voxel in metres.
    pub fn new(spec: &AirSpec, grid: AirGrid, cell_m: f64) -> Self {
        Self {
            edge_m: grid.ratio as f64 * cell_m,
            cell_m,
            step_s: spec.step_s,
            ambient_k: spec.ambient_k,
            ash_unit_kg_m3: spec.ash_unit_kg_m3,
        }
    }

    /// Converts the speed `m_s` (m/s) to air cells per step.
    pub fn speed(&self, m_s: f64) -> f64 {
        m_s * self.step_s / self.edge_m
    }

    fn volume_m3(&self) -> f64 {
        self.edge_m.powi(3)
    }

    /// Converts `joules` (J) of heat to units of heat in an air cell. At constant pressure the heat
    /// content of a cubic metre of air does not depend on its temperature.
    pub fn heat_of(&self, joules: f64) -> f64 {
        joules / (AIR_DENSITY * AIR_HEAT * REFERENCE_K * self.volume_m3()) * f64::from(UNIT)
    }

    /// Heat of a cell of air at the temperature `kelvin` (K), relative to ambient air, in units of
    /// 2⁻²⁰; 0 below the ambient temperature.
    pub fn heat_at(&self, kelvin: f64) -> f64 {
        (kelvin - self.ambient_k).max(0.0) / self.ambient_k * f64::from(UNIT)
    }

    /// Converts a mass of `kilograms` (kg) to units of ash or steam in an air cell.
    pub fn ash_of(&self, kilograms: f64) -> f64 {
        kilograms / (self.ash_unit_kg_m3 * self.volume_m3()) * f64::from(UNIT)
    }

    /// Physical size of one unit of `field` in one cell: joules for heat, kilograms for every other
    /// field.
    pub fn of_unit(&self, field: Field) -> f64 {
        let of_one = match field {
            Field::Heat => AIR_DENSITY * AIR_HEAT * REFERENCE_K,
            Field::Ash | Field::Steam | Field::Ink1 | Field::Ink2 | Field::Ink3 | Field::Ink4 => {
                self.ash_unit_kg_m3
            }
            Field::Density => AIR_DENSITY * REFERENCE_K / self.ambient_k,
        };
        of_one * self.volume_m3() / f64::from(UNIT)
    }

    /// Converts `units` (2²⁰ for a value of 1.0) of ash, deposited on the base of one air cell, to
    /// kg/m².
    pub fn deposit(&self, units: u64) -> f64 {
        units as f64 / f64::from(UNIT) * self.ash_unit_kg_m3 * self.edge_m
    }

    /// Heat in J, relative to ambient air, of a mass of `kilograms` (kg) at `temperature_k` (K);
    /// `[gas, ash]` are its mass fractions of gas and ash, 0 to 1.
    pub fn joules(&self, kilograms: f64, [gas, ash]: [f64; 2], temperature_k: f64) -> f64 {
        let shares = gas * GAS_HEAT + ash * ASH_HEAT;
        kilograms * shares * (temperature_k - self.ambient_k).max(0.0)
    }

    /// Heat that the top face of a voxel of lava at the temperature `kelvin` (K) gives to the air
    /// in a step, in units of 2⁻²⁰.
    pub fn convection(&self, spec: &AirSpec, kelvin: f64) -> f64 {
        let watts =
            spec.convection * (kelvin - self.ambient_k).max(0.0) * self.cell_m * self.cell_m;
        self.heat_of(watts * self.step_s)
    }

    /// Heat that one voxel full of fresh steam adds to an air cell, in units of 2⁻²⁰.
    pub fn heat_of_steam(&self) -> f64 {
        self.heat_at(STEAM_K) * (self.cell_m / self.edge_m).powi(3)
    }

    /// Forces on the air that the keys of `spec` describe, in cells and steps.
    pub fn forces(&self, spec: &AirSpec, grid: AirGrid) -> Forces {
        let lift = GRAVITY * self.step_s * self.step_s / self.edge_m;
        let air = AIR_DENSITY * REFERENCE_K / self.ambient_k;
        let heights = (0..grid.cells.ny).map(|y| (y as f64 + 0.5) * self.edge_m);
        let n2 = spec.stratification * spec.stratification;
        let background = |height: f64| (n2 * height / GRAVITY * f64::from(UNIT)).round() as u32;
        Forces {
            lift: lift as f32,
            weight: (lift * spec.ash_unit_kg_m3 / air) as f32,
            background: if n2 > 0.0 {
                heights.clone().map(background).collect()
            } else {
                Vec::new()
            },
            friction: spec.friction.map(|value| value as f32),
            calming: (lift * CALMING / GRAVITY) as f32,
            wind: if spec.wind.is_empty() {
                Vec::new()
            } else {
                heights
                    .map(|height| wind_at(&spec.wind, height).map(|m_s| self.speed(m_s) as f32))
                    .collect()
            },
        }
    }
}

/// Wind velocity `[east, south]` in m/s at `height` (metres); linear between the heights of
/// `table`, constant below and above.
fn wind_at(table: &[[f64; 3]], height: f64) -> [f64; 2] {
    let blowing = |&[_, speed, from]: &[f64; 3]| {
        // The table gives the direction of origin: a wind from the north (0°) blows south, one from
        // the east (90°) west.
        let (sine, cosine) = (libm::sin(from.to_radians()), libm::cos(from.to_radians()));
        [-speed * sine, speed * cosine]
    };
    let above = table
        .iter()
        .position(|row| row[0] > height)
        .unwrap_or(table.len());
    match (above.checked_sub(1).map(|i| &table[i]), table.get(above)) {
        (Some(low), Some(high)) => {
            let share = (height - low[0]) / (high[0] - low[0]);
            let (low, high) = (blowing(low), blowing(high));
            [0, 1].map(|axis| low[axis] + share * (high[axis] - low[axis]))
        }
        (Some(only), None) | (None, Some(only)) => blowing(only),
        (None, None) => [0.0; 2],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::grid::Grid;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-3 * b.abs().max(1e-9)
    }

    #[test]
    fn a_kilogram_and_a_joule_come_to_the_right_place() {
        let spec = AirSpec::default();
        let grid = spec.grid_of(Grid::new(16, 16, 16), 10.0, 1).expect("fits");
        let scale = Scale::new(&spec, grid, 10.0);
        // 347 kJ heat a cubic metre by the ambient temperature; the cell has 8000 m³.
        assert!(near(scale.heat_of(3.473e5 * 8000.0), f64::from(UNIT)));
        assert!(near(scale.heat_at(576.0), f64::from(UNIT)));
        assert!(near(scale.ash_of(80.0), f64::from(UNIT)));
        assert!(
            near(scale.deposit(u64::from(UNIT)), 0.2),
            "0.01 kg/m³ through 20 m"
        );
        // 50 W/(m² K) over 100 m² and half a second, 1112 K: 2.78 MJ.
        assert!(near(
            scale.convection(&spec, LAVA_K[1]),
            scale.heat_of(2.78e6)
        ));
        assert!(near(scale.speed(4.0), 0.1));
        assert!(near(
            scale.forces(&spec, grid).lift.into(),
            9.80665 * 0.25 / 20.0
        ));
    }

    #[test]
    fn wind_comes_from_where_the_table_says() {
        let table = [[0.0, 3.0, 270.0], [100.0, 9.0, 270.0], [200.0, 9.0, 0.0]];
        for (height, [east, south]) in [
            (-5.0, [3.0, 0.0]),
            (50.0, [6.0, 0.0]),
            (150.0, [4.5, 4.5]),
            (900.0, [0.0, 9.0]),
        ] {
            let wind = wind_at(&table, height);
            assert!(
                (wind[0] - east).abs() < 1e-9 && (wind[1] - south).abs() < 1e-9,
                "{height}: {wind:?}"
            );
        }
        let spec = AirSpec {
            wind: table.to_vec(),
            stratification: 0.01,
            ..AirSpec::default()
        };
        let grid = spec.grid_of(Grid::new(8, 8, 8), 10.0, 1).expect("fits");
        let forces = Scale::new(&spec, grid, 10.0).forces(&spec, grid);
        assert_eq!((forces.wind.len(), forces.background.len()), (8, 8));
        assert!(forces.background.is_sorted() && forces.background[0] > 0);
    }
}
