//! Edits of the world by a user or a scene: fill a shape with liquid or rock, or clear the shape.
//!
//! Invariant: scenes, and the user who steers a running simulation, change matter only through this
//! module, so that the accounts always balance.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::shape::FAR;
use super::{Content, Shape, World};
use crate::matter::{Material, Pressure};
use lavoxel_base::body::SurveySpec;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::param::{Table, kinds, table};
use lavoxel_base::random::{Salt, StepKey};
use lavoxel_base::units::{AMOUNT_HALF, AMOUNT_ONE, VENT_ENERGY_MAX, amount_units, energy_units};
use lavoxel_base::validate::Invalid;

kinds! {
    /// Matter that an edit puts into its shape.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Matter by "kind" {
        /// Fills the cells of the shape that are not solid with fresh lava up to `amount`.
        Lava = "lava" {
            /// Least amount of lava in each cell afterwards; 1 is a full cell.
            must amount: f64, [0.0, 1.0] "";
            /// Energy per full cell of new lava; 1 when left out. In the physical model 1 is the
            /// temperature of a vent, 0 that of the solidus.
            #[serde(default = "of_a_vent")]
            may energy: f64, [0.0, VENT_ENERGY_MAX] "";
            /// Temperature of new lava in the physical model, in place of `energy`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            may temperature_k: Option<f64>, [1.0, 2000.0] "K";
        },
        /// Fills the cells of the shape that are not solid with a material of the scene up to
        /// `amount`, as far as heavier matter leaves room. Grains: puts one whole grain each into a
        /// share `amount` of the cells, where there is room for a grain.
        Material = "material" {
            /// Name of the material that is put into the shape.
            must name: String;
            /// Least amount of the material in each cell afterwards; 1 is a full cell.
            must amount: f64, [0.0, 1.0] "";
        },
        /// Fills the hollow in which the shape lies, up to the top of the shape, like a basin: all
        /// cells that are not solid and are connected with the shape below its top. A hollow of
        /// more than two million cells stays as it is.
        Flood = "flood" {
            /// Name of the material that fills the hollow: `lava`, or another one of the scene.
            must name: String;
            /// Least amount of the material in each cell afterwards; 1, a full cell, when left out.
            #[serde(default = "full")]
            may amount: f64, [0.0, 1.0] "";
        },
        /// Replaces one material, or all others, by the same amount of another material.
        Replace = "replace" {
            /// Name of the material that is removed; absent: all others.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            may of: Option<String>;
            /// Name of the material that is put in its place: `lava`, or another one of the scene.
            must name: String;
        },
        /// Makes the cells of the shape solid; matter in these cells is removed.
        Rock = "rock" with "lavoxel_base::param::no_keys",
        /// Raises or lowers the ground of the shape's columns under the sky by a number of cells: a
        /// dam, a ditch, a dam that breaks. Liquid in cells that become ground is removed. The
        /// classic model rounds to whole cells.
        Raise = "raise" {
            /// Height by which the ground rises; a negative number lowers it.
            must by: f64, [-FAR, FAR] "cells";
        },
        /// Sets the ground of the shape's columns under the sky to the heights of a file, such as a
        /// later survey, except where lava of the run lies. Other liquid in cells that become
        /// ground is removed. The classic model rounds to whole cells.
        Ground = "ground"(Box<SurveySpec>),
        /// Makes the cells of the shape solid lava, in a scene of the physical model whose lava can
        /// melt again.
        Solid = "solid" {
            /// Temperature of the solid lava; absent: that of the air.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            may temperature_k: Option<f64>, [1.0, 2000.0] "K";
        },
        /// Removes liquids from the shape and leaves rock.
        Drain = "drain" with "lavoxel_base::param::no_keys",
        /// Removes liquids and rock from the shape.
        Nothing = "nothing" with "lavoxel_base::param::no_keys",
        /// Changes heat, ash, steam and wind of the air in the shape, in a scene with air.
        Air = "air"(Breath),
    }
}

/// Amount that fills a cell of an edit: 1, the default of `amount` in a scene.
fn full() -> f64 {
    1.0
}

/// Energy per full cell of lava fresh from a vent: 1, the default of `energy` in a scene.
fn of_a_vent() -> f64 {
    1.0
}

table! {
    /// Contents that an edit puts into the air: least values in each cell afterwards.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Breath {
        /// Temperature above that of the air at rest.
        pub heat_k: f64 = 0.0, [0.0, 1e4] "K";
        /// Mass of ash in a cubic metre of air.
        pub ash_kg_m3: f64 = 0.0, [0.0, 100.0] "kg/m³";
        /// Mass of water drops in a cubic metre of air.
        pub steam_kg_m3: f64 = 0.0, [0.0, 100.0] "kg/m³";
        /// Velocity that the air gets, towards east, up and south; all 0: the air keeps its
        /// velocity.
        #[serde(deserialize_with = "lavoxel_base::fixed_len::list")]
        pub wind_m_s: [f64; 3] = [0.0; 3], [-300.0, 300.0] "m/s";
    }
}

table! {
    /// One change of the box, as written in a scene.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Edit {
        /// Region of the box that is changed.
        must pub shape: Shape;
        /// Matter that is put into the region.
        must pub matter: Matter;
    }
}

impl Matter {
    /// Checks that every number of the matter is in range; `key` is the name of the table in
    /// messages.
    ///
    /// # Errors
    /// Returns an error that names the first key out of range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        match self {
            Self::Air(breath) => breath.check(key),
            Self::Ground(survey) => survey.validate(key),
            _ => Ok(()),
        }
    }

    /// Checks that the heights of a survey (ground heights from a file) have been read; succeeds
    /// for every other edit. `key` is the name of the table in messages.
    ///
    /// # Errors
    /// If the edit is a survey and its heights have not been read from the file.
    pub fn check_heights(&self, key: &str) -> Result<(), Invalid> {
        match self {
            Self::Ground(survey) if survey.heights.is_none() => {
                let expected = "another matter, or one whose file was read (Scene::surveyed)";
                Err(Invalid::new(&format!("{key}.kind"), "ground", expected))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if the edit adds lava or another material to the cells of the shape, that is,
    /// for `Matter::Lava` and `Matter::Material`.
    pub fn is_liquid(&self) -> bool {
        matches!(self, Self::Lava { .. } | Self::Material { .. })
    }

    /// Returns true if the edit makes cells solid: rock or solid lava.
    pub fn is_rock(&self) -> bool {
        matches!(self, Self::Rock | Self::Solid { .. })
    }

    /// Temperature of the liquid or solid lava that the edit puts into the shape, in kelvin; `None`
    /// if the edit gives no temperature.
    pub fn temperature_k(&self) -> Option<f64> {
        match *self {
            Self::Lava { temperature_k, .. } | Self::Solid { temperature_k } => temperature_k,
            _ => None,
        }
    }

    /// Name of the material, other than the lava, that the edit puts into the shape; `None` if the
    /// edit puts in lava, rock or nothing.
    pub fn material(&self) -> Option<&str> {
        match self {
            Self::Material { name, .. } => Some(name),
            Self::Flood { name, .. } | Self::Replace { name, .. } => Some(name)
                .filter(|name| *name != Material::LAVA)
                .map(|name| &**name),
            _ => None,
        }
    }

    /// Name of the material that a `Replace` edit removes; `None` if the edit replaces the lava or
    /// all materials, or is of another kind.
    pub fn replaced(&self) -> Option<&str> {
        match self {
            Self::Replace { of, .. } => of.as_deref().filter(|name| *name != Material::LAVA),
            _ => None,
        }
    }

    /// Iterates over the names of all materials that the edit mentions; a name may belong to a
    /// layer that mirrors the flow model.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            Self::Material { name, .. } | Self::Flood { name, .. } => [Some(&**name), None],
            Self::Replace { name, of } => [Some(&**name), of.as_deref()],
            _ => [None, None],
        };
        names.into_iter().flatten()
    }
}

impl Edit {
    /// Creates an edit that sets the ground height of all columns without lava to the heights in
    /// `file`.
    pub fn survey(file: PathBuf) -> Self {
        let shape = Shape::Below { level: FAR };
        Self {
            shape,
            matter: Matter::Ground(SurveySpec::of_file(file).into()),
        }
    }

    /// Returns true if the edit affects no cell of `grid`, because the shape lies outside. Always
    /// false for an edit of the air, because the air extends beyond the simulation box.
    pub fn is_outside(&self, grid: Grid) -> bool {
        match self.matter {
            Matter::Air(_) => false,
            Matter::Raise { .. } | Matter::Ground(_) => self.shape.columns(grid).is_empty(),
            _ => self.shape.cells(grid).next().is_none(),
        }
    }

    /// Checks all numbers of the edit's shape and matter; `key` is the table name in messages, such
    /// as `body[0]`.
    ///
    /// # Errors
    /// Returns an error that names the first key with a wrong value.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.shape.validate(&format!("{key}.shape"))?;
        self.matter.validate(&format!("{key}.matter"))
    }
}

/// Result of putting matter into cells, in units: amount that was to be put in, and amount that
/// found room.
#[derive(Clone, Copy, Debug, Default)]
struct Put {
    asked: u64,
    placed: u64,
}

impl Put {
    fn add(&mut self, other: Self) {
        self.asked += other.asked;
        self.placed += other.placed;
    }
}

impl World {
    /// Applies `edit` to the cells of the world, and books added, removed and refused amounts in
    /// the accounts of the layers. An edit that needs a material which the world does not have
    /// changes nothing.
    pub fn edit(&mut self, edit: &Edit) {
        if edit.matter.is_rock() {
            self.displace(&edit.shape);
            edit.shape
                .cells(self.grid)
                .for_each(|place| self.set_solid(place, true));
            return;
        }
        match &edit.matter {
            Matter::Flood { name, amount } => return self.flood(&edit.shape, name, *amount),
            Matter::Replace { of, name } => {
                return self.replace_matter(&edit.shape, of.as_deref(), name);
            }
            Matter::Raise { by } => {
                return self.raise(&edit.shape.columns(self.grid), |_, top| {
                    Some(top + by.round() as i64)
                });
            }
            Matter::Ground(survey) => return self.survey(&edit.shape, survey),
            _ => {}
        }
        // Shapes are filled cell by cell; edits that need the whole shape at once have returned
        // above.
        let layer = edit.matter.material().and_then(|name| self.number_of(name));
        let mut put = Put::default();
        for place in edit.shape.cells(self.grid) {
            match edit.matter {
                Matter::Material { amount, .. } => {
                    let Some(layer) = layer else { continue };
                    if self.layers[layer].is_grains() {
                        put.add(self.put_grain(layer, place, amount));
                        continue;
                    }
                    let amount = amount_units(amount);
                    let pressed = self.pressed(layer, &edit.shape, place, amount);
                    put.add(self.fill(layer, place, amount.saturating_add(pressed), 0.0));
                }
                Matter::Lava { amount, energy, .. } => {
                    put.add(self.fill(self.lava, place, amount_units(amount), energy));
                }
                Matter::Drain => self.drain(place),
                Matter::Rock
                | Matter::Solid { .. }
                | Matter::Air(_)
                | Matter::Flood { .. }
                | Matter::Raise { .. }
                | Matter::Ground(_)
                | Matter::Replace { .. } => {}
                Matter::Nothing => {
                    self.drain(place);
                    self.set_solid(place, false);
                }
            }
        }
        let is_level = matches!(edit.shape, Shape::Below { .. });
        self.note_refused(layer.unwrap_or(self.lava), put, is_level);
    }

    /// Books the amount in `put` that found no room as refused in the layer with index `layer`. If
    /// `is_level` is true (the edit fills the simulation box up to a height, as for a sea), the
    /// amount is booked only if nothing at all found room, because denser matter is expected to
    /// occupy part of the volume.
    fn note_refused(&mut self, layer: usize, put: Put, is_level: bool) {
        if !is_level || put.placed == 0 {
            self.layers[layer].ledger.refused += put.asked - put.placed;
        }
    }

    /// Sets the height of the ground in `columns` (x, z) by adding or removing solid cells at the
    /// top; matter in these cells is removed. `to`: function from the index of a column in the grid
    /// and its present height in cells to the new height in cells, or `None` to keep the present
    /// height.
    fn raise(&mut self, columns: &[(usize, usize)], to: impl Fn(usize, i64) -> Option<i64>) {
        for &(x, z) in columns {
            let old = (0..self.grid.ny)
                .rev()
                .find(|&y| self.ground.is_solid([x, y, z]))
                .map_or(0, |y| y as i64 + 1);
            let Some(new) = to(self.grid.column(x, z), old) else {
                continue;
            };
            let (low, high) = (
                old.min(new).max(0) as usize,
                old.max(new).min(self.grid.ny as i64) as usize,
            );
            for y in low..high {
                self.drain([x, y, z]);
                self.set_solid([x, y, z], new > old);
            }
        }
    }

    /// Sets the ground height of each column of `shape` to the height in `survey`; columns that
    /// contain lava, or without a height in the file, are unchanged.
    fn survey(&mut self, shape: &Shape, survey: &SurveySpec) {
        let (mut columns, lava) = (shape.columns(self.grid), &self.layers[self.lava]);
        columns.retain(|&(x, z)| (0..self.grid.ny).all(|y| lava.at([x, y, z]).amount == 0));
        self.raise(&columns, |column, _| {
            survey.height(column).map(|height| height.round() as i64)
        });
    }

    /// Fills the hollow around `shape`, up to the top of the shape, with the material called
    /// `name`, until every cell contains `amount` (1 for a full cell).
    fn flood(&mut self, shape: &Shape, name: &str, amount: f64) {
        let Some(layer) = self.number_of(name) else {
            return;
        };
        let (units, energy) = (amount_units(amount), of_a_vent());
        let mut put = Put::default();
        for place in self.hollow(shape) {
            put.add(match self.layers[layer].is_grains() {
                true => self.put_grain(layer, place, amount),
                false => self.fill(layer, place, units, energy),
            });
        }
        self.note_refused(layer, put, true);
    }

    /// Replaces the material called `of` (`None`: every other material) in the cells of `shape` by
    /// an equal amount of the material called `name`.
    fn replace_matter(&mut self, shape: &Shape, of: Option<&str>, name: &str) {
        let Some(layer) = self.number_of(name) else {
            return;
        };
        let going = of.map(|of| self.number_of(of));
        if going == Some(None) {
            return;
        }
        for place in shape.cells(self.grid) {
            self.put_in_place(place, going.flatten(), layer, energy_units(of_a_vent()));
        }
    }

    /// Applies `rule` to every cell of the layer with index `layer` that contains matter: `rule`
    /// receives the place and content of the cell and returns the new content. An increase is
    /// booked as sourced, a decrease as removed. Amounts are clamped to a full cell; an empty cell
    /// has no energy, and a cell of grains contains a whole grain or none.
    ///
    /// # Panics
    /// If there is no layer with the index `layer`.
    pub fn rewrite(&mut self, layer: usize, mut rule: impl FnMut(Place, Content) -> Content) {
        let layer = &mut self.layers[layer];
        let held: Vec<_> = layer.held().collect();
        for (place, old) in held {
            let Content { amount, energy } = rule(place, old);
            let amount = match layer.is_grains() {
                true => AMOUNT_ONE * u16::from(amount >= AMOUNT_HALF),
                false => amount.min(AMOUNT_ONE.max(old.amount)),
            };
            let energy = if amount > 0 && layer.carries_energy() {
                energy
            } else {
                0
            };
            layer.set(place, Content { amount, energy });
            let ledger = &mut layer.ledger;
            ledger.sourced += u64::from(amount.saturating_sub(old.amount));
            ledger.removed += u64::from(old.amount.saturating_sub(amount));
            ledger.energy.sourced += u64::from(energy.saturating_sub(old.energy));
            ledger.energy.removed += u64::from(old.energy.saturating_sub(energy));
        }
    }

    /// Sets every cell of the layer with index `layer` to the content that `new` returns for the
    /// cell's place, for user-defined rules that move matter. The change of the total amount and
    /// energy is booked as sourced or removed; it is 0 for a rule that only moves matter.
    ///
    /// # Errors
    /// If a content is not allowed in its cell: the error names the first such cell, and the layer
    /// is unchanged.
    ///
    /// # Panics
    /// If there is no layer with the index `layer`.
    pub fn replace(&mut self, layer: usize, new: impl Fn(Place) -> Content) -> Result<(), Invalid> {
        if self.is_mirror(layer) {
            let key = format!("rule.{}", self.layers[layer].material().name);
            return Err(Invalid::new(
                &key,
                "a rule",
                "of another material: this one shows the lava of the physical model",
            ));
        }
        // All cells are checked before the first is written, so that an error changes nothing.
        let (name, is_grains) = (
            &self.layers[layer].material().name,
            self.layers[layer].is_grains(),
        );
        let (mut came, mut went) = ([0_u64; 2], [0_u64; 2]);
        for place @ [x, y, z] in self.grid.places() {
            let (old, new) = (self.layers[layer].at(place), new(place));
            let refuse = |expected: String| {
                Err(Invalid::new(
                    &format!("rule.{name}.amount"),
                    new.amount,
                    format!("{expected} in cell ({x}, {y}, {z})"),
                ))
            };
            if new.amount > 0 && self.ground.is_solid(place) {
                return refuse("0: it is ground".to_owned());
            }
            if is_grains && new.amount != 0 && new.amount != AMOUNT_ONE {
                return refuse(format!("0 or {AMOUNT_ONE}, a whole grain,"));
            }
            let room = AMOUNT_ONE
                .saturating_sub(self.amount_beside(layer, place))
                .max(old.amount);
            if new.amount > room {
                return refuse(format!("at most {room}, the room that is left,"));
            }
            went[0] += u64::from(old.amount);
            went[1] += u64::from(old.energy);
            came[0] += u64::from(new.amount);
            came[1] += u64::from(self.layers[layer].kept(new).energy);
        }
        let layer = &mut self.layers[layer];
        for place in self.grid.places() {
            layer.set(place, layer.kept(new(place)));
        }
        let ledger = &mut layer.ledger;
        ledger.sourced += came[0].saturating_sub(went[0]);
        ledger.removed += went[0].saturating_sub(came[0]);
        ledger.energy.sourced += came[1].saturating_sub(went[1]);
        ledger.energy.removed += went[1].saturating_sub(came[1]);
        Ok(())
    }

    /// Amount of all materials in the cell `place` except that of the layer with index `layer`, in
    /// units; 0 if each layer has the whole cell volume to itself.
    fn amount_beside(&self, layer: usize, place: Place) -> u16 {
        if !self.capacity.is_shared() {
            return 0;
        }
        let others = self
            .layers
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != layer);
        others
            .map(|(_, other)| other.at(place).amount)
            .fold(0, u16::saturating_add)
    }

    /// Makes the cell `place` solid or open, and marks for processing all tiles whose rules read
    /// this cell. A cell that becomes solid must contain no matter.
    pub fn set_solid(&mut self, place: Place, solid: bool) {
        let before = self.ground.stamp();
        if self.ground.set(place, solid) {
            let stamps = [before, self.ground.stamp()];
            for (number, layer) in self.layers.iter_mut().enumerate() {
                layer.wake_near(place, stamps, number > 0);
                layer.set_barrier(place, solid);
            }
        }
    }

    /// Fills the cell `place` with matter of the layer with index `layer` up to `amount`, in units;
    /// returns the amount to put in and the amount that found room. `energy`: energy per full cell
    /// of the added matter (1: lava fresh from the vent).
    fn fill(&mut self, layer: usize, place: Place, amount: u16, energy: f64) -> Put {
        if self.ground.is_solid(place) {
            return Put::default();
        }
        let room = amount.max(AMOUNT_ONE) - self.heavier_than(layer, place);
        let old = self.layers[layer].at(place).amount;
        let missing = amount.min(room).saturating_sub(old);
        self.pour(layer, place, missing, energy_units(energy));
        Put {
            asked: amount.saturating_sub(old).into(),
            placed: missing.into(),
        }
    }

    /// Puts a grain of the layer with index `layer` into the cell `place` with probability `share`
    /// (0–1) if there is room. A hash of the place decides, so that the grains are the same in
    /// every simulation.
    fn put_grain(&mut self, layer: usize, place: Place, share: f64) -> Put {
        let loose = StepKey::fixed(Salt::Loose);
        let is_there = self.ground.is_solid(place) || self.layers[layer].at(place).amount > 0;
        if is_there || !loose.chooses(place, (share * 256.0).round() as u16) {
            return Put::default();
        }
        self.add_grain(layer, place)
    }

    /// Puts a grain of the layer with index `layer` into the cell `place` if the cell can take one;
    /// returns a full cell as the amount to put in, and the amount that found room, in units.
    fn add_grain(&mut self, layer: usize, place: Place) -> Put {
        let placed = if self.takes_grain(layer, place) {
            AMOUNT_ONE
        } else {
            0
        };
        self.pour(layer, place, placed, 0);
        Put {
            asked: AMOUNT_ONE.into(),
            placed: placed.into(),
        }
    }

    /// Puts a grain of the layer with index `layer` from a faucet (a source of grains) into the
    /// cell `place`. If the cell is solid or already contains matter of this layer, nothing is
    /// booked and the faucet waits; if denser matter leaves no room, the grain is booked as
    /// refused.
    pub fn sprinkle(&mut self, layer: usize, place: Place) {
        if !self.ground.is_solid(place) && self.layers[layer].at(place).amount == 0 {
            let put = self.add_grain(layer, place);
            self.note_refused(layer, put, false);
        }
    }

    /// Returns the surplus of a full cell of a sea, in units of amount, by which the weight of the
    /// liquid above compresses it, so that the sea starts in hydrostatic equilibrium. 0 for other
    /// shapes, for materials that are not compressible, and unless `amount` is a full cell.
    fn pressed(&self, layer: usize, shape: &Shape, [_, y, _]: Place, amount: u16) -> u16 {
        let material = self.layers[layer].material();
        match *shape {
            Shape::Below { level }
                if material.pressure == Pressure::Compress && amount == AMOUNT_ONE =>
            {
                // A cell belongs to the sea if its centre is below the level.
                let rows = ((level - 0.5).ceil().clamp(0.0, self.grid.ny as f64)) as usize;
                let above = rows.saturating_sub(y + 1);
                material
                    .compress
                    .step_of_depth()
                    .saturating_mul(above as u16)
                    .min(AMOUNT_ONE - 1)
            }
            _ => 0,
        }
    }

    /// Free volume of the cell `place` for the layer with index `layer`, in units of amount: a full
    /// cell minus denser matter and minus the amount in the layer.
    pub fn room(&self, layer: usize, place: Place) -> u16 {
        let full = AMOUNT_ONE - self.heavier_than(layer, place);
        full.saturating_sub(self.layers[layer].at(place).amount)
    }

    /// Adds `amount` (units) to the cell `place` of the layer with index `layer` and books it as
    /// sourced; the cell must have room. `energy`: energy per full cell in units, ignored for a
    /// material without energy.
    pub fn pour(&mut self, layer: usize, place: Place, amount: u16, energy: u16) {
        if amount == 0 {
            return;
        }
        let layer = &mut self.layers[layer];
        let added = layer.add(place, amount, energy);
        layer.ledger.sourced += u64::from(amount);
        layer.ledger.energy.sourced += added;
    }

    /// Removes the matter of all materials from the cell `place` and books it as removed; layers
    /// that mirror another model are unchanged.
    pub fn drain(&mut self, place: Place) {
        for layer in self.accounted_mut() {
            let old = layer.at(place);
            layer.set(place, Content::default());
            layer.ledger.removed += u64::from(old.amount);
            layer.ledger.energy.removed += u64::from(old.energy);
        }
    }
}
