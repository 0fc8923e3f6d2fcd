//! A `[[vent]]` or `[[source]]` table: its place on the summit, in cells, in metres or in the coordinates of the
//! terrain's file.

use serde::{Deserialize, Serialize};

use super::time::{Entry, Seconds};
use crate::grid::{Grid, MAX_SIDE};
use crate::param::{Form, Table, Value, table, words};
use crate::source::{
    FLOW_KELVIN_MAX, FLOW_RATE_MAX, FUME, Focus, RATE_MAX, VentAir, VentFlow, VentSpec, check_height, check_pouring,
    default_energy, default_radius, default_rate,
};
use crate::terrain::Surface;
use crate::units::VENT_ENERGY_MAX;
use crate::validate::{Invalid, within};

/// The place of a vent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VentPlace {
    /// In the crater of the built-in volcano; on any other ground its [summit](Surface::summit).
    Summit,
    /// In cells east and south of the box's north-west corner.
    Cells {
        /// East of the box's western side.
        x: f64,
        /// South of the box's northern side.
        z: f64,
    },
    /// In metres east and south of the box's north-west corner.
    Metres {
        /// East of the box's western side.
        x_m: f64,
        /// South of the box's northern side.
        z_m: f64,
    },
    /// On the map of the terrain's file.
    Map {
        /// Easting or longitude, in map units.
        map_x: f64,
        /// Northing or latitude, in map units.
        map_y: f64,
    },
}

/// The radius of a vent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VentRadius {
    /// In cells.
    Cells(f64),
    /// In metres.
    Metres(f64),
}

/// Files of rates of a vent, and how they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct RatesFiles {
    /// Their names, from the folder of the scene.
    pub files: Vec<String>,
    /// Date at which the simulation starts.
    pub start: Option<String>,
    /// Multiple of the error of each rate that is added to it.
    pub shift: f64,
    /// Joules that lava radiates for each m³ that is poured.
    pub radiant_j_m3: Option<f64>,
}

/// A vent as a scene writes it. Once the terrain is known, [`VentTable::on`] makes it a [`VentSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub struct VentTable {
    /// Its centre.
    pub place: VentPlace,
    /// Further points of a fissure, of which `place` is the first, in the same units; empty: a disc.
    pub to: Vec<[f64; 2]>,
    /// Its size; the column under the centre, or those that a fissure crosses, always belong to the vent.
    pub radius: VentRadius,
    /// Height of the cells into which it pours, in cells above the floor; absent: on the ground, grains below the roof.
    pub height: Option<f64>,
    /// Volume poured by the whole vent in one step, in full cells; of grains the probability of one in each cell.
    pub rate: f64,
    /// Size `[x, y, z]` of the box that radius (where it is in cells) and rate are meant for: in
    /// another box the radius follows the shorter side, the rate that and the height. Left out, they hold in any box.
    pub for_box: Option<[usize; 3]>,
    /// First step in which it pours.
    pub start: u64,
    /// First step in which it no longer pours; absent: it never stops.
    pub end: Option<u64>,
    /// Energy given to a full cell of new lava.
    pub energy: f64,
    /// Name of the material that it pours, in a `[[source]]` table; absent: lava.
    pub material: Option<String>,
    /// Gas, ash and jet that it gives to the air; absent: those of the lava of a vent.
    pub air: Option<Box<VentAir>>,
    /// Rates and temperature in a scene of the physical model, which has no rate and energy.
    pub flow: Option<Box<VentFlow>>,
    /// Files of rates, until a scene has read them into `flow`.
    pub rates: Option<Box<RatesFiles>>,
}

impl Default for VentTable {
    /// A vent on the summit that pours from the first step on.
    fn default() -> Self {
        Self {
            place: VentPlace::Summit,
            to: Vec::new(),
            radius: VentRadius::Cells(default_radius()),
            height: None,
            rate: default_rate(),
            for_box: None,
            start: 0,
            end: None,
            energy: default_energy(),
            material: None,
            air: None,
            flow: None,
            rates: None,
        }
    }
}

/// Places with a name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spot {
    Summit,
}

words!(Spot);

/// Farthest place from a corner of the box, in metres or units of a map.
const FAR: f64 = 1e12;

table! {
    /// The keys of the table.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Keys {
        /// Centre by name: the crater of the built-in volcano, else the highest ground away from the sides.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Spot> = None;
        /// Centre east of the box's western side.
        #[serde(skip_serializing_if = "Option::is_none")]
        x: Option<f64> = None, [0.0, FAR] "cells";
        /// Centre south of the box's northern side.
        #[serde(skip_serializing_if = "Option::is_none")]
        z: Option<f64> = None, [0.0, FAR] "cells";
        /// Centre east of the box's western side.
        #[serde(skip_serializing_if = "Option::is_none")]
        x_m: Option<f64> = None, [0.0, FAR] "m";
        /// Centre south of the box's northern side.
        #[serde(skip_serializing_if = "Option::is_none")]
        z_m: Option<f64> = None, [0.0, FAR] "m";
        /// Easting or longitude of the centre on the map of the terrain's file.
        #[serde(skip_serializing_if = "Option::is_none")]
        map_x: Option<f64> = None, [-FAR, FAR] "map units";
        /// Northing or latitude of the centre on the map of the terrain's file.
        #[serde(skip_serializing_if = "Option::is_none")]
        map_y: Option<f64> = None, [-FAR, FAR] "map units";
        /// Further points of a fissure, in the units of its first one: `[[x, z], …]` in cells or metres, `[[map_x, map_y], …]` on the map.
        #[serde(deserialize_with = "crate::exact::some", skip_serializing_if = "Option::is_none")]
        to: Option<Vec<[f64; 2]>> = None, [-FAR, FAR] "";
        /// Radius, 2.5 when left out; the column under the centre always belongs to the vent.
        #[serde(skip_serializing_if = "Option::is_none")]
        radius: Option<f64> = None, [0.0, FAR] "cells";
        /// Radius in metres, in place of `radius`.
        #[serde(skip_serializing_if = "Option::is_none")]
        radius_m: Option<f64> = None, [0.0, FAR] "m";
        /// Height above the floor of the cells into which it pours; absent: on the ground, grains below the roof.
        #[serde(skip_serializing_if = "Option::is_none")]
        height: Option<f64> = None, [0.0, MAX_SIDE as f64] "cells";
        /// Volume poured by the whole vent in one step, 1.8 when left out; of grains the probability of one in each cell, of a fume
        /// kg/s.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<f64> = None, [0.0, RATE_MAX] "full cells";
        /// Size of the box that radius and rate are meant for: in another box they grow with it; absent: they hold in any box.
        #[serde(deserialize_with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
        for_box: Option<[usize; 3]> = None, [1.0, MAX_SIDE as f64] "cells";
        /// First step in which it pours.
        start: u64 = 0;
        /// First step in which it no longer pours; absent: it never stops.
        end: Option<u64> = None;
        /// Energy given to a full cell of new lava, 1 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        energy: Option<f64> = None, [0.0, VENT_ENERGY_MAX] "";
        /// Name of the material that it pours, in a `[[source]]` table.
        #[serde(skip_serializing_if = "Option::is_none")]
        material: Option<String> = None;
        /// Gas, ash and jet that it gives to the air; absent: those of the lava of a vent.
        #[serde(skip_serializing_if = "Option::is_none")]
        air: Option<Box<VentAir>> = None;
        /// Volume poured in a second in the physical model, from the start on.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate_m3_s: Option<f64> = None, [0.0, FLOW_RATE_MAX] "m³/s";
        /// Rows of a time and a rate in m³/s in the physical model: a rate holds from its time up to the next row; nothing pours
        /// before the first row, and the last rate holds for ever.
        #[serde(deserialize_with = "crate::exact::some", skip_serializing_if = "Option::is_none")]
        rates_m3_s: Option<Vec<[Entry; 2]>> = None, [0.0, FAR] "";
        /// Tables of rates (`.csv`) in place of `rates_m3_s`, joined by their times.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_files: Option<Vec<String>> = None;
        /// Whether a rate of a table holds up to the next row, `"stepped"`, or changes evenly to that of the next row, `"linear"`.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_form: Option<RatesForm> = None;
        /// Date at which the simulation starts, for `rates_files` with dates; the first date when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_start: Option<String> = None;
        /// Multiple of the error of each rate of `rates_files` that is added to it: −1, 0 and 1 bracket an eruption.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_shift: Option<f64> = None, [-10.0, 10.0] "";
        /// Joules that lava radiates for each m³ that is poured, by which radiant power in `rates_files` becomes a rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        radiant_j_m3: Option<f64> = None, [1e6, 1e10] "J/m³";
        /// Places of a fissure on which its rate focuses, and when, in the physical model.
        #[serde(skip_serializing_if = "Option::is_none")]
        focus: Option<FocusKeys> = None;
        /// Temperature of what is poured in the physical model; absent: `flow.lava.vent_k`.
        #[serde(skip_serializing_if = "Option::is_none")]
        temperature_k: Option<f64> = None, [1.0, FLOW_KELVIN_MAX] "K";
    }
}

table! {
    /// How the rate of a fissure focuses.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct FocusKeys {
        /// Places as shares of the fissure's length, from its first point.
        at: Vec<f64> = vec![0.5], [0.0, 1.0] "";
        /// Share of the rate that comes out at these places in the end.
        share: f64 = 0.9, [0.0, 1.0] "share";
        /// Time at which it begins to focus.
        from: Seconds = Seconds(0.0), [0.0, FAR] "s";
        /// Time from which on the share holds.
        until: Seconds = Seconds(21_600.0), [0.0, FAR] "s";
    }
}

impl From<FocusKeys> for Focus {
    fn from(keys: FocusKeys) -> Self {
        let FocusKeys { at, share, from: Seconds(from_s), until: Seconds(until_s) } = keys;
        Self { at, share, from_s, until_s }
    }
}

impl From<Focus> for FocusKeys {
    fn from(focus: Focus) -> Self {
        let Focus { at, share, from_s, until_s } = focus;
        Self { at, share, from: Seconds(from_s), until: Seconds(until_s) }
    }
}

/// How a table of rates is read between its rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RatesForm {
    Stepped,
    Linear,
}

words!(RatesForm);

impl Value for VentTable {
    fn form() -> Form {
        Keys::form()
    }
}

impl Keys {
    /// Rates and temperature of the physical model, where there are any.
    fn flow(&self) -> Result<Option<Box<VentFlow>>, &'static str> {
        let of_files = [self.rates_start.is_some(), self.rates_shift.is_some(), self.radiant_j_m3.is_some()];
        if self.rates_files.is_none() && of_files.contains(&true) {
            return Err("rates_start, rates_shift and radiant_j_m3 are of rates_files: name the files of rates");
        }
        if self.rates_files.is_some() && (self.rate_m3_s.is_some() || self.rates_m3_s.is_some()) {
            return Err("a vent has either rates_files, or rate_m3_s or rates_m3_s");
        }
        if self.rates_form.is_some() && self.rates_m3_s.is_none() && self.rates_files.is_none() {
            return Err("rates_form is of rates_m3_s or rates_files, a table");
        }
        let linear = self.rates_form == Some(RatesForm::Linear);
        let rates_m3_s = match (self.rate_m3_s, &self.rates_m3_s) {
            // Until the files are read.
            (None, None) if self.rates_files.is_some() => vec![[0.0, 0.0]],
            (Some(_), Some(_)) => return Err("a vent has either rate_m3_s or rates_m3_s"),
            (None, None) if self.temperature_k.is_some() => {
                return Err("a vent with temperature_k, of the physical model, has rate_m3_s or rates_m3_s, too");
            }
            (None, None) if self.focus.is_some() => {
                return Err("a vent with focus, of the physical model, has rate_m3_s, rates_m3_s or rates_files, too");
            }
            (None, None) => return Ok(None),
            (Some(rate), None) => vec![[0.0, rate]],
            (None, Some(rows)) if rows.iter().any(|[_, rate]| rate.has_unit) => {
                return Err("rates_m3_s has rows of a time and a rate: the rate is a number of m³/s, without a unit");
            }
            (None, Some(rows)) => rows.iter().map(|row| row.map(|entry| entry.value)).collect(),
        };
        if self.rate.is_some() || self.energy.is_some() || self.for_box.is_some() {
            return Err("a vent with rate_m3_s or rates_m3_s, of the physical model, has no rate, energy or for_box");
        }
        if self.material.is_some() {
            return Err("a vent with rate_m3_s or rates_m3_s, of the physical model, has no material");
        }
        let focus = self.focus.clone().map(Focus::from);
        Ok(Some(Box::new(VentFlow { rates_m3_s, linear, focus, temperature_k: self.temperature_k })))
    }

    /// The files of rates.
    fn rates(&mut self) -> Option<Box<RatesFiles>> {
        let files = self.rates_files.take()?;
        let (start, radiant_j_m3) = (self.rates_start.take(), self.radiant_j_m3);
        Some(Box::new(RatesFiles { files, start, shift: self.rates_shift.unwrap_or(0.0), radiant_j_m3 }))
    }
}

impl TryFrom<Keys> for VentTable {
    type Error = &'static str;

    fn try_from(mut keys: Keys) -> Result<Self, Self::Error> {
        let pairs = (keys.x.zip(keys.z), keys.x_m.zip(keys.z_m), keys.map_x.zip(keys.map_y));
        let numbers = [keys.x, keys.z, keys.x_m, keys.z_m, keys.map_x, keys.map_y].iter().flatten().count();
        let place = match (keys.at, numbers, pairs) {
            (Some(Spot::Summit), 0, _) => VentPlace::Summit,
            (None, 2, (Some((x, z)), ..)) => VentPlace::Cells { x, z },
            (None, 2, (_, Some((x_m, z_m)), _)) => VentPlace::Metres { x_m, z_m },
            (None, 2, (.., Some((map_x, map_y)))) => VentPlace::Map { map_x, map_y },
            _ => {
                return Err(
                    "a vent needs exactly one place: at = \"summit\", or one of these pairs: x and z, x_m and \
                            z_m, or map_x and map_y",
                );
            }
        };
        let radius = match (keys.radius, keys.radius_m) {
            (Some(_), Some(_)) => return Err("a vent has either radius or radius_m"),
            (None, Some(metres)) => VentRadius::Metres(metres),
            (cells, None) => VentRadius::Cells(cells.unwrap_or_else(default_radius)),
        };
        let flow = keys.flow()?;
        let rates = keys.rates();
        let Keys { height, rate, for_box, start, end, energy, material, air, .. } = keys;
        let (rate, energy) = (rate.unwrap_or_else(default_rate), energy.unwrap_or_else(default_energy));
        let to = keys.to.unwrap_or_default();
        if place == VentPlace::Summit && !to.is_empty() {
            return Err(
                "a fissure, with `to`, has its first point in cells (x, z), in metres (x_m, z_m) or on the map (map_x, map_y)",
            );
        }
        Ok(Self { place, to, radius, height, rate, for_box, start, end, energy, material, air, flow, rates })
    }
}

impl From<VentTable> for Keys {
    fn from(vent: VentTable) -> Self {
        let VentTable { place, to, radius, height, rate, for_box, start, end, energy, material, air, flow, rates } =
            vent;
        let (mut at, mut cells, mut metres, mut map) = (None, None, None, None);
        match place {
            VentPlace::Summit => at = Some(Spot::Summit),
            VentPlace::Cells { x, z } => cells = Some((x, z)),
            VentPlace::Metres { x_m, z_m } => metres = Some((x_m, z_m)),
            VentPlace::Map { map_x, map_y } => map = Some((map_x, map_y)),
        }
        let ((x, z), (x_m, z_m), (map_x, map_y)) = (cells.unzip(), metres.unzip(), map.unzip());
        let (radius, radius_m) = match radius {
            VentRadius::Cells(radius) => (Some(radius), None),
            VentRadius::Metres(radius) => (None, Some(radius)),
        };
        let rate_m3_s = flow.as_ref().filter(|_| rates.is_none()).and_then(|flow| flow.steady_rate());
        let table = flow.as_ref().filter(|_| rate_m3_s.is_none() && rates.is_none());
        let linear = flow.as_ref().is_some_and(|flow| flow.linear).then_some(RatesForm::Linear);
        let (rates_shift, radiant_j_m3) =
            rates.as_ref().map_or((None, None), |rates| (Some(rates.shift), rates.radiant_j_m3));
        let (rates_files, rates_start) = rates.map(|rates| (rates.files, rates.start)).unzip();
        let rates_m3_s = table
            .map(|flow| flow.rates_m3_s.iter().map(|row| row.map(|value| Entry { value, has_unit: false })).collect());
        Self {
            at,
            x,
            z,
            x_m,
            z_m,
            map_x,
            map_y,
            radius,
            radius_m,
            height,
            rate: flow.is_none().then_some(rate),
            for_box,
            start,
            end,
            energy: flow.is_none().then_some(energy),
            material,
            air,
            rate_m3_s,
            rates_m3_s,
            rates_files,
            rates_form: linear,
            rates_start: rates_start.flatten(),
            rates_shift: rates_shift.filter(|shift| *shift != 0.0),
            radiant_j_m3,
            to: (!to.is_empty()).then_some(to),
            focus: flow.as_ref().and_then(|flow| flow.focus.clone()).map(FocusKeys::from),
            temperature_k: flow.and_then(|flow| flow.temperature_k),
        }
    }
}

impl From<VentSpec> for VentTable {
    fn from(vent: VentSpec) -> Self {
        let VentSpec { x, z, line, radius, height, rate, start, end, energy, material, air, flow } = vent;
        let to = line.iter().map(|[east, south]| [x + east, z + south]).collect();
        let (place, radius) = (VentPlace::Cells { x, z }, VentRadius::Cells(radius));
        Self { place, to, radius, height, rate, for_box: None, start, end, energy, material, air, flow, rates: None }
    }
}

impl VentTable {
    /// A vent with this centre and the defaults of all other keys.
    pub fn at(place: VentPlace) -> Self {
        Self { place, ..Self::default() }
    }

    /// Whether it gives to the air alone.
    pub fn is_fume(&self) -> bool {
        self.material.as_deref() == Some(FUME)
    }

    /// The vent in cells, where it is given in cells of any box.
    pub fn in_cells(&self) -> Option<VentSpec> {
        let (VentPlace::Cells { x, z }, VentRadius::Cells(radius), None) = (self.place, self.radius, self.for_box)
        else {
            return None;
        };
        Some(self.pouring_at((x, z), &self.to, radius, self.rate))
    }

    /// Factors on radius and rate in a box of this shape.
    ///
    /// The radius grows with the shorter side. The rate grows with that and with the height: what is there to be filled
    /// grows with their product and once more with the side, as do the steps that lava takes across the box.
    fn growth(&self, grid: Grid) -> (f64, f64) {
        let Some([nx, ny, nz]) = self.for_box else { return (1.0, 1.0) };
        let wide = grid.nx.min(grid.nz) as f64 / nx.min(nz) as f64;
        (wide, wide * (grid.ny as f64 / ny as f64))
    }

    /// Radius in cells of `cell_m` metres, in a box of this shape.
    pub(super) fn radius_in(&self, grid: Grid, cell_m: f64) -> f64 {
        match self.radius {
            VentRadius::Cells(cells) => cells * self.growth(grid).0,
            VentRadius::Metres(metres) => metres / cell_m,
        }
    }

    /// Width and depth in cells of `cell_m` metres of the box around its columns, at most.
    pub(super) fn extent(&self, grid: Grid, cell_m: f64) -> [f64; 2] {
        let unit = match self.place {
            VentPlace::Summit => 0.0,
            VentPlace::Cells { .. } => 1.0,
            VentPlace::Metres { .. } => 1.0 / cell_m,
            // Only the terrain knows.
            VentPlace::Map { .. } => f64::INFINITY,
        };
        let first = match self.place {
            VentPlace::Summit => [0.0; 2],
            VentPlace::Cells { x, z } => [x, z],
            VentPlace::Metres { x_m, z_m } => [x_m, z_m],
            VentPlace::Map { map_x, map_y } => [map_x, map_y],
        };
        let disc = 2.0 * self.radius_in(grid, cell_m) + 2.0;
        [(0, grid.nx), (1, grid.nz)].map(|(axis, n)| {
            let all = || self.to.iter().map(|point| point[axis]).chain([first[axis]]);
            let long = all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min);
            (disc + if long > 0.0 { long * unit } else { 0.0 }).min(n as f64)
        })
    }

    /// Checks all that can be known before the terrain is; `key` is the table's name, such as `vent[0]`.
    ///
    /// # Errors
    /// Names the first number that is wrong.
    pub fn validate(&self, key: &str, grid: Grid) -> Result<(), Invalid> {
        if let Some(spec) = self.in_cells() {
            return spec.validate(key, grid);
        }
        Keys::from(self.clone()).check(key)?;
        self.height.map_or(Ok(()), |height| check_height(key, height, grid))?;
        self.air.as_ref().map_or(Ok(()), |air| air.validate(&format!("{key}.air")))?;
        check_pouring(key, self.rate, self.energy, (self.start, self.end))
    }

    /// The vent on the columns of a ground in a box of this shape; `key` as for [`VentTable::validate`].
    ///
    /// # Errors
    /// Says how far the box reaches, in the way in which the vent was given, when it lies outside; and when it is given
    /// on a map but the terrain is on none.
    pub fn on(&self, key: &str, ground: &Surface, grid: Grid) -> Result<VentSpec, Invalid> {
        let (x, z) = self.place.on(key, ground)?;
        let point = |&point: &[f64; 2]| self.place.with(point).on(&format!("{key}.to"), ground).map(<[f64; 2]>::from);
        let to = self.to.iter().map(point).collect::<Result<Vec<_>, _>>()?;
        let longest = grid.nx.max(grid.nz) as f64;
        match self.radius {
            VentRadius::Cells(cells) => within(&format!("{key}.radius"), cells, 0.0, longest / self.growth(grid).0)?,
            VentRadius::Metres(metres) => {
                within(&format!("{key}.radius_m"), metres, 0.0, longest * ground.cell_size_m)?;
            }
        }
        let (radius, rate) = (self.radius_in(grid, ground.cell_size_m), self.rate * self.growth(grid).1);
        check_pouring(key, rate, self.energy, (self.start, self.end))?;
        let spec = self.pouring_at((x, z), &to, radius, rate);
        spec.check_line(key)?;
        Ok(spec)
    }

    fn pouring_at(&self, (x, z): (f64, f64), to: &[[f64; 2]], radius: f64, rate: f64) -> VentSpec {
        let line = to.iter().map(|point| [point[0] - x, point[1] - z]).collect();
        let (start, end, energy) = (self.start, self.end, self.energy);
        let (material, air, flow) = (self.material.clone(), self.air.clone(), self.flow.clone());
        VentSpec { x, z, line, radius, height: self.height, rate, start, end, energy, material, air, flow }
    }
}

impl VentPlace {
    /// Another place, given in the same way.
    fn with(self, [a, b]: [f64; 2]) -> Self {
        match self {
            Self::Summit => self,
            Self::Cells { .. } => Self::Cells { x: a, z: b },
            Self::Metres { .. } => Self::Metres { x_m: a, z_m: b },
            Self::Map { .. } => Self::Map { map_x: a, map_y: b },
        }
    }

    /// The place in cells east and south of the box's north-west corner.
    fn on(self, key: &str, ground: &Surface) -> Result<(f64, f64), Invalid> {
        let (nz, nx) = ground.heights.dim();
        let (nx, nz, cell) = (nx as f64, nz as f64, ground.cell_size_m);
        match self {
            Self::Summit => Ok(ground.summit),
            Self::Cells { x, z } => {
                within(&format!("{key}.x"), x, 0.0, nx)?;
                within(&format!("{key}.z"), z, 0.0, nz)?;
                Ok((x, z))
            }
            Self::Metres { x_m, z_m } => {
                within(&format!("{key}.x_m"), x_m, 0.0, nx * cell)?;
                within(&format!("{key}.z_m"), z_m, 0.0, nz * cell)?;
                Ok(((x_m / cell).min(nx), (z_m / cell).min(nz)))
            }
            Self::Map { map_x, map_y } => {
                let wrong = |expected: String| {
                    Invalid::new(&format!("{key}.map_x, map_y"), format!("{map_x}, {map_y}"), expected)
                };
                let Some(map) = &ground.georeference else {
                    return Err(wrong(
                        "left out: the terrain has no place on a map; use x and z, or x_m and z_m".into(),
                    ));
                };
                let (east_m, south_m) = map.from_map(map_x, map_y);
                let (x, z) = (east_m / cell, south_m / cell);
                // A place computed from the edge of the box may miss it by the last digit.
                let slack = 1e-6;
                if !(-slack..=nx + slack).contains(&x) || !(-slack..=nz + slack).contains(&z) {
                    return Err(wrong(format!("within the box: {}", map.bounds(nx * cell, nz * cell))));
                }
                Ok((x.clamp(0.0, nx), z.clamp(0.0, nz)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::{Crs, Georeference};
    use ndarray::Array2;

    /// 20 × 10 columns of 5 m, on a map in degrees where one along x is shorter than one along y.
    fn ground() -> Surface {
        let georeference =
            Georeference { x_west: 15.0, y_north: 37.75, metres_per_unit: (88_000.0, 111_000.0), crs: Crs::default() };
        Surface {
            heights: Array2::zeros((10, 20)),
            summit: (7.5, 2.5),
            cell_size_m: 5.0,
            floor_m: 0.0,
            vertical_exaggeration: 1.0,
            georeference: Some(georeference),
        }
    }

    const GRID: Grid = Grid { nx: 20, ny: 30, nz: 10 };

    fn read(text: &str) -> Result<VentTable, String> {
        toml::from_str(text).map_err(|e| e.message().to_owned())
    }

    #[test]
    fn all_ways_to_say_a_place_lead_to_the_same_cell() {
        let cells = read("x = 12.0\nz = 4.0\nradius = 2.0").expect("cells");
        let metres = read("x_m = 60.0\nz_m = 20.0\nradius_m = 10.0").expect("metres");
        let (map_x, map_y) = ground().georeference.expect("it has one").to_map(60.0, 20.0);
        let map = read(&format!("map_x = {map_x}\nmap_y = {map_y}\nradius = 2.0")).expect("map");
        let place = |vent: &VentTable| vent.on("vent[0]", &ground(), GRID).expect("inside");
        assert_eq!(place(&cells), place(&metres));
        let found = place(&map);
        assert!((found.x - 12.0).abs() < 1e-6 && (found.z - 4.0).abs() < 1e-6, "{found:?}");
        assert_eq!(cells.in_cells(), Some(place(&cells)));
        assert_eq!((metres.in_cells(), map.in_cells()), (None, None));
        for vent in [cells, metres, map] {
            assert_eq!(read(&toml::to_string(&vent).expect("words")), Ok(vent));
        }
    }

    #[test]
    fn a_vent_for_another_box_grows_with_the_box() {
        let text = "at = \"summit\"\nradius = 2.0\nrate = 1.5\nfor_box = [5, 10, 40]";
        let vent = read(text).expect("words");
        assert_eq!(read(&toml::to_string(&vent).expect("words")), Ok(vent.clone()));
        let spec = vent.on("vent[0]", &ground(), GRID).expect("inside");
        // Twice as wide and three times as high.
        assert_eq!((spec.x, spec.z, spec.radius, spec.rate), (7.5, 2.5, 4.0, 9.0));
        assert_eq!(vent.in_cells(), None);
        let huge = read(&text.replace("1.5", "5e5")).expect("words");
        assert!(huge.validate("vent[0]", GRID).is_ok() && huge.on("vent[0]", &ground(), GRID).is_err());
        let none = read(&text.replace("[5,", "[0,")).expect("words").validate("vent[0]", GRID).expect_err("no box");
        assert_eq!(none.to_string(), "vent[0].for_box = 0: must be a number from 1 to 8192");
    }

    #[test]
    fn exactly_one_place_is_needed() {
        for text in [
            "",
            "x = 1.0",
            "x = 1.0\nz_m = 1.0",
            "x = 1.0\nz = 1.0\nmap_x = 2.0",
            "map_y = 3.0",
            "at = \"summit\"\nx = 1.0",
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains("exactly one place"), "{text}: {message}");
        }
        let message = read("x = 1.0\nz = 1.0\nradius = 1.0\nradius_m = 1.0").expect_err("two");
        assert!(message.contains("either radius or radius_m"), "{message}");
    }

    #[test]
    fn outside_is_said_in_the_words_of_the_vent() {
        let refused =
            |text: &str| read(text).expect("words").on("vent[3]", &ground(), GRID).expect_err(text).to_string();
        assert_eq!(refused("x = 21.0\nz = 0.0"), "vent[3].x = 21: must be a number from 0 to 20");
        assert_eq!(refused("x_m = 0.0\nz_m = 51.0"), "vent[3].z_m = 51: must be a number from 0 to 50");
        assert_eq!(
            refused("x = 1.0\nz = 1.0\nradius_m = 101.0"),
            "vent[3].radius_m = 101: must be a number from 0 to 100"
        );
        let map = refused("map_x = 14.0\nmap_y = 37.7");
        assert!(map.starts_with("vent[3].map_x, map_y = 14, 37.7: must be within the box: x 15 to 15.00"), "{map}");
        let nowhere = Surface { georeference: None, ..ground() };
        let vent = read("map_x = 15.0\nmap_y = 37.7").expect("words");
        let message = vent.on("vent[0]", &nowhere, GRID).expect_err("no map").to_string();
        assert!(message.contains("no place on a map"), "{message}");
    }
}
