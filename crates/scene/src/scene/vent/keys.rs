//! Keys of a `[[vent]]` or `[[source]]` table.

use serde::{Deserialize, Serialize};

use super::{RatesFiles, VentPlace, VentRadius, VentTable};
use crate::scene::Seconds;
use crate::scene::time::Entry;
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_base::param::{Form, Value, table, words};
use lavoxel_base::units::VENT_ENERGY_MAX;
use lavoxel_sim::source::{
    FLOW_KELVIN_MAX, FLOW_RATE_MAX, Focus, RATE_MAX, VentAir, VentFlow, default_energy,
    default_radius, default_rate,
};

/// Positions of a vent that scene files state by name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spot {
    Summit,
}

words!(Spot);

/// Upper bound on the distance of a vent from a corner of the simulation box, in metres or map
/// units.
const FAR: f64 = 1e12;

table! {
    /// Keys of a `[[vent]]`, `[[source]]` or `[[fume]]` table.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub(super) struct Keys {
        /// Centre by name: `"summit"` is the crater of the built-in volcano, else the highest
        /// ground away from the sides.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<Spot> = None;
        /// Distance of the centre from the western side of the box, eastward.
        #[serde(skip_serializing_if = "Option::is_none")]
        x: Option<f64> = None, [0.0, FAR] "cells";
        /// Distance of the centre from the northern side of the box, southward.
        #[serde(skip_serializing_if = "Option::is_none")]
        z: Option<f64> = None, [0.0, FAR] "cells";
        /// Distance of the centre from the western side of the box, eastward.
        #[serde(skip_serializing_if = "Option::is_none")]
        x_m: Option<f64> = None, [0.0, FAR] "m";
        /// Distance of the centre from the northern side of the box, southward.
        #[serde(skip_serializing_if = "Option::is_none")]
        z_m: Option<f64> = None, [0.0, FAR] "m";
        /// Easting or longitude of the centre on the map of the terrain's file.
        #[serde(skip_serializing_if = "Option::is_none")]
        map_x: Option<f64> = None, [-FAR, FAR] "map units";
        /// Northing or latitude of the centre on the map of the terrain's file.
        #[serde(skip_serializing_if = "Option::is_none")]
        map_y: Option<f64> = None, [-FAR, FAR] "map units";
        /// Further points of a fissure, in the units of its first point: `[[x, z], …]` in cells or
        /// metres, `[[map_x, map_y], …]` on the map.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::some", skip_serializing_if = "Option::is_none")]
        to: Option<Vec<[f64; 2]>> = None, [-FAR, FAR] "";
        /// Radius of the vent, 2.5 when left out; the column under the centre always belongs to the
        /// vent.
        #[serde(skip_serializing_if = "Option::is_none")]
        radius: Option<f64> = None, [0.0, FAR] "cells";
        /// Radius of the vent in metres, in place of `radius`.
        #[serde(skip_serializing_if = "Option::is_none")]
        radius_m: Option<f64> = None, [0.0, FAR] "m";
        /// Height above the floor of the box at which the matter appears; absent: on the ground,
        /// for grains below the roof.
        #[serde(skip_serializing_if = "Option::is_none")]
        height: Option<f64> = None, [0.0, MAX_SIDE as f64] "cells";
        /// Volume that the whole vent pours in one step, 1.8 when left out. For grains: probability
        /// of a new grain in each cell of the source; for a fume: kg/s.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<f64> = None, [0.0, RATE_MAX] "full cells";
        /// Size of the box for which radius and rate are meant: in a box of another size both are
        /// scaled with it; absent: both are the same in any box.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::option", skip_serializing_if = "Option::is_none")]
        for_box: Option<[usize; 3]> = None, [1.0, MAX_SIDE as f64] "cells";
        /// First step in which the vent pours.
        start: u64 = 0;
        /// First step in which the vent no longer pours; absent: it never stops.
        end: Option<u64> = None;
        /// Energy per full cell of new lava, 1 when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        energy: Option<f64> = None, [0.0, VENT_ENERGY_MAX] "";
        /// Name of the material that a `[[source]]` pours.
        #[serde(skip_serializing_if = "Option::is_none")]
        material: Option<String> = None;
        /// Gas, ash and jet that a vent or fume gives to the air; absent: those of the lava of a
        /// vent.
        #[serde(skip_serializing_if = "Option::is_none")]
        air: Option<Box<VentAir>> = None;
        /// Volume poured in a second in the physical model, constant from the start on.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate_m3_s: Option<f64> = None, [0.0, FLOW_RATE_MAX] "m³/s";
        /// Table of rates in the physical model: rows of a time and a rate in m³/s. A rate holds
        /// from its time up to the next row; nothing is poured before the first row, and the last
        /// rate holds for ever.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::some", skip_serializing_if = "Option::is_none")]
        rates_m3_s: Option<Vec<[Entry; 2]>> = None, [0.0, FAR] "";
        /// Files with tables of rates (`.csv`) in place of `rates_m3_s`; their rows are joined in
        /// the order of time.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_files: Option<Vec<String>> = None;
        /// Course of the rate between two rows of a table: `"stepped"`, it holds up to the next
        /// row; `"linear"`, it changes evenly to that of the next row.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_form: Option<RatesForm> = None;
        /// Date at which the simulation starts, for `rates_files` with dates; when left out, the
        /// first date of the files.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_start: Option<String> = None;
        /// Number of standard errors that are added to each rate of `rates_files`: runs with −1, 0
        /// and 1 bracket an eruption.
        #[serde(skip_serializing_if = "Option::is_none")]
        rates_shift: Option<f64> = None, [-10.0, 10.0] "";
        /// Energy that lava radiates for each m³ that is poured; radiant power in `rates_files`
        /// divided by it is the rate.
        #[serde(skip_serializing_if = "Option::is_none")]
        radiant_j_m3: Option<f64> = None, [1e6, 1e10] "J/m³";
        /// Places of a fissure on which its rate concentrates in the course of time, in the
        /// physical model.
        #[serde(skip_serializing_if = "Option::is_none")]
        focus: Option<FocusKeys> = None;
        /// Temperature of the poured lava in the physical model; absent: `flow.lava.vent_k`.
        #[serde(skip_serializing_if = "Option::is_none")]
        temperature_k: Option<f64> = None, [1.0, FLOW_KELVIN_MAX] "K";
    }
}

table! {
    /// Concentration of a fissure's rate on a few places in the course of time.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct FocusKeys {
        /// Places on which the rate concentrates, as shares of the fissure's length from its first
        /// point (0) to its last (1).
        at: Vec<f64> = vec![0.5], [0.0, 1.0] "";
        /// Share of the rate that comes out at these places from the time `until` on.
        share: f64 = 0.9, [0.0, 1.0] "share";
        /// Time at which the rate begins to concentrate.
        from: Seconds = Seconds(0.0), [0.0, FAR] "s";
        /// Time from which on these places have the full `share`.
        until: Seconds = Seconds(21_600.0), [0.0, FAR] "s";
    }
}

impl From<FocusKeys> for Focus {
    fn from(keys: FocusKeys) -> Self {
        let FocusKeys {
            at,
            share,
            from: Seconds(from_s),
            until: Seconds(until_s),
        } = keys;
        Self {
            at,
            share,
            from_s,
            until_s,
        }
    }
}

impl From<Focus> for FocusKeys {
    fn from(focus: Focus) -> Self {
        let Focus {
            at,
            share,
            from_s,
            until_s,
        } = focus;
        Self {
            at,
            share,
            from: Seconds(from_s),
            until: Seconds(until_s),
        }
    }
}

/// Kind of interpolation between the rows of a rate table: stepped or linear.
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
    /// Returns rates and temperature of the vent in the physical model; `None` if the table has no
    /// key of the physical model. The error is a message.
    fn flow(&self) -> Result<Option<Box<VentFlow>>, &'static str> {
        let of_files = [
            self.rates_start.is_some(),
            self.rates_shift.is_some(),
            self.radiant_j_m3.is_some(),
        ];
        if self.rates_files.is_none() && of_files.contains(&true) {
            return Err(
                "rates_start, rates_shift and radiant_j_m3 are of rates_files: name the files of rates",
            );
        }
        if self.rates_files.is_some() && (self.rate_m3_s.is_some() || self.rates_m3_s.is_some()) {
            return Err("a vent has either rates_files, or rate_m3_s or rates_m3_s");
        }
        if self.rates_form.is_some() && self.rates_m3_s.is_none() && self.rates_files.is_none() {
            return Err("rates_form is of rates_m3_s or rates_files, a table");
        }
        let linear = self.rates_form == Some(RatesForm::Linear);
        let rates_m3_s = match (self.rate_m3_s, &self.rates_m3_s) {
            // Placeholder until the files are read.
            (None, None) if self.rates_files.is_some() => vec![[0.0, 0.0]],
            (Some(_), Some(_)) => return Err("a vent has either rate_m3_s or rates_m3_s"),
            (None, None) if self.temperature_k.is_some() => {
                return Err(
                    "a vent with temperature_k, of the physical model, has rate_m3_s or rates_m3_s, too",
                );
            }
            (None, None) if self.focus.is_some() => {
                return Err(
                    "a vent with focus, of the physical model, has rate_m3_s, rates_m3_s or rates_files, too",
                );
            }
            (None, None) => return Ok(None),
            (Some(rate), None) => vec![[0.0, rate]],
            (None, Some(rows)) if rows.iter().any(|[_, rate]| rate.has_unit) => {
                return Err(
                    "rates_m3_s has rows of a time and a rate: the rate is a number of m³/s, without a unit",
                );
            }
            (None, Some(rows)) => rows
                .iter()
                .map(|row| row.map(|entry| entry.value))
                .collect(),
        };
        if self.rate.is_some() || self.energy.is_some() || self.for_box.is_some() {
            return Err(
                "a vent with rate_m3_s or rates_m3_s, of the physical model, has no rate, energy or for_box",
            );
        }
        if self.material.is_some() {
            return Err(
                "a vent with rate_m3_s or rates_m3_s, of the physical model, has no material",
            );
        }
        let focus = self.focus.clone().map(Focus::from);
        Ok(Some(Box::new(VentFlow {
            rates_m3_s,
            linear,
            focus,
            temperature_k: self.temperature_k,
        })))
    }

    /// Moves the names of the rate files, and the keys that say how to read them, out of the table;
    /// `None` if the table names no rate file.
    fn rates(&mut self) -> Option<Box<RatesFiles>> {
        let files = self.rates_files.take()?;
        let (start, radiant_j_m3) = (self.rates_start.take(), self.radiant_j_m3);
        Some(Box::new(RatesFiles {
            files,
            start,
            shift: self.rates_shift.unwrap_or(0.0),
            radiant_j_m3,
        }))
    }
}

impl TryFrom<Keys> for VentTable {
    type Error = &'static str;

    fn try_from(mut keys: Keys) -> Result<Self, Self::Error> {
        let pairs = (
            keys.x.zip(keys.z),
            keys.x_m.zip(keys.z_m),
            keys.map_x.zip(keys.map_y),
        );
        let numbers = [keys.x, keys.z, keys.x_m, keys.z_m, keys.map_x, keys.map_y]
            .iter()
            .flatten()
            .count();
        // The count also rejects half a pair in addition to a complete one.
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
        let Keys {
            height,
            rate,
            for_box,
            start,
            end,
            energy,
            material,
            air,
            ..
        } = keys;
        let (rate, energy) = (
            rate.unwrap_or_else(default_rate),
            energy.unwrap_or_else(default_energy),
        );
        let to = keys.to.unwrap_or_default();
        if place == VentPlace::Summit && !to.is_empty() {
            return Err(
                "a fissure, with `to`, has its first point in cells (x, z), in metres (x_m, z_m) or on the map (map_x, map_y)",
            );
        }
        Ok(Self {
            place,
            to,
            radius,
            height,
            rate,
            for_box,
            start,
            end,
            energy,
            material,
            air,
            flow,
            rates,
        })
    }
}

impl From<VentTable> for Keys {
    fn from(vent: VentTable) -> Self {
        let VentTable {
            place,
            to,
            radius,
            height,
            rate,
            for_box,
            start,
            end,
            energy,
            material,
            air,
            flow,
            rates,
        } = vent;
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
        let rate_m3_s = flow
            .as_ref()
            .filter(|_| rates.is_none())
            .and_then(|flow| flow.steady_rate());
        let table = flow
            .as_ref()
            .filter(|_| rate_m3_s.is_none() && rates.is_none());
        let linear = flow
            .as_ref()
            .is_some_and(|flow| flow.linear)
            .then_some(RatesForm::Linear);
        let (rates_shift, radiant_j_m3) = rates.as_ref().map_or((None, None), |rates| {
            (Some(rates.shift), rates.radiant_j_m3)
        });
        let (rates_files, rates_start) = rates.map(|rates| (rates.files, rates.start)).unzip();
        let rates_m3_s = table.map(|flow| {
            flow.rates_m3_s
                .iter()
                .map(|row| {
                    row.map(|value| Entry {
                        value,
                        has_unit: false,
                    })
                })
                .collect()
        });
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
            // The physical model refuses rate and energy, so that both are left out.
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
            focus: flow
                .as_ref()
                .and_then(|flow| flow.focus.clone())
                .map(FocusKeys::from),
            temperature_k: flow.and_then(|flow| flow.temperature_k),
        }
    }
}
