//! Refinement of a scene: cells become smaller, while the simulation box in metres, the ground, the
//! positions, and the poured volumes and times are preserved.
//!
//! With a factor of *f*, lengths in cells and numbers of steps are × *f*. Matter moves about a cell
//! in a step, so *f* times as many steps take matter equally far in metres, and a step stands for a
//! share 1/*f* of the time. Volumes in full cells are × *f*³, and those poured in each step × *f*².
//! Losses on the way from cell to cell are spread over *f* moves in place of one. Docs: the part on
//! finer cells in `docs/scenes.md`.

use super::{BodySpec, Model, Scene, SceneError, VentPlace, VentRadius, VentTable};
use lavoxel_air::AirSpec;
use lavoxel_automaton::matter::{Kind as Moves, Material, Reaction, Where};
use lavoxel_automaton::rules::{RulesChange, RulesSpec};
use lavoxel_automaton::view::LookSpec;
use lavoxel_automaton::world::{Matter, Shape};
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_base::validate::{Invalid, within};
use lavoxel_geo::terrain::{DEFAULT_CELL_SIZE_M, TerrainKind, TerrainSpec};
use lavoxel_sim::goals::GoalSpec;
use lavoxel_sim::simulation::EventSpec;

/// Upper bound on the factor by which a scene can be refined.
pub const MOST_FINER: usize = 8;

/// Default thickness of the rock below the lowest height of a heightmap, in cells.
const USUAL_BASE: f64 = 4.0;

/// Upper bound on the smoothing radius of a look, in cells.
const MOST_SMOOTHING: f32 = 3.0;
/// Upper bound on the size of crust plates in a look, in cells.
const MOST_PLATE: f32 = 1000.0;

impl Scene {
    /// Divides each cell into `factor` cells along each side and converts all values in cells and
    /// steps accordingly, so that the same eruption is computed at a higher resolution. Memory is
    /// checked only when the scene is built.
    ///
    /// # Errors
    /// [`SceneError::Invalid`] if `factor` is out of range, or with the key that cannot be refined:
    /// a box one cell thick, or a value that would leave its range.
    pub fn make_finer(&mut self, factor: usize) -> Result<(), SceneError> {
        within("finer", factor as f64, 1.0, MOST_FINER as f64)
            .map_err(|invalid| self.invalid(invalid))?;
        if factor == 1 {
            return Ok(());
        }
        self.check_can_be_finer(factor)
            .map_err(|invalid| self.invalid(invalid))?;
        let f = Finer {
            factor,
            by: factor as f64,
        };
        // The kinds are needed because the rate of a source of grains is a probability, not a
        // volume.
        let materials = self.materials();
        self.own_reactions_mut()
            .iter_mut()
            .for_each(|reaction| f.reaction(reaction));
        let spec = &mut self.spec;
        let classic = spec.model == Model::Classic;
        spec.grid.size = spec.grid.size.map(|side| side * factor);
        f.cells(&mut spec.grid.cell_size_m, spec.terrain.kind);
        spec.grid.cell_height_m = spec.grid.cell_height_m.map(|height| height / f.by);
        f.terrain(&mut spec.terrain);
        if classic {
            f.rules(&mut spec.rules);
        }
        spec.vents.iter_mut().for_each(|vent| f.vent(vent, true));
        for source in &mut spec.sources {
            let grains = materials
                .iter()
                .any(|m| Some(&m.name) == source.material.as_ref() && m.kind == Moves::Grain);
            f.vent(source, !grains);
        }
        spec.fumes.iter_mut().for_each(|fume| f.vent(fume, false));
        spec.materials
            .iter_mut()
            .for_each(|material| f.material(material));
        spec.bodies.iter_mut().for_each(|body| f.body(body));
        spec.heaters
            .iter_mut()
            .for_each(|heater| f.shape(&mut heater.shape));
        spec.events.iter_mut().for_each(|event| f.event(event));
        spec.goals.iter_mut().for_each(|goal| f.goal(goal));
        if let Some(air) = &mut spec.air {
            f.air(air);
        }
        if let Some(flow) = spec.flow_mut() {
            flow.step_s /= f.by;
            flow.short_steps = f.short_steps(&flow.short_steps, flow.step_s);
        }
        f.look(&mut spec.look);
        spec.film.steps = spec.film.steps.saturating_mul(factor as u64);
        spec.film.every = spec.film.every.saturating_mul(factor as u64);
        spec.film
            .keys
            .iter_mut()
            .filter_map(|key| key.step.as_mut())
            .for_each(|step| f.steps(step));
        spec.take_duration();
        let [nx, ny, nz] = spec.grid.size;
        let choice = format!(
            "cells {factor} times as fine, in {factor} times as many steps: {nx} × {ny} × {nz}"
        );
        self.choices.push(choice);
        self.validate()?;
        self.take_defaults()
            .map_err(|invalid| self.invalid(invalid))
    }

    /// Returns an error if the simulation box is too thin or would become too large for a
    /// refinement by `factor`.
    fn check_can_be_finer(&self, factor: usize) -> Result<(), Invalid> {
        let size = self.spec.grid.size;
        let refused =
            |expected: &str| Err(Invalid::new("grid.size", format!("{size:?}"), expected));
        if size.contains(&1) {
            return refused(
                "more than one cell along each side: a slice has no finer cells across",
            );
        }
        match size.iter().any(|side| side * factor > MAX_SIDE) {
            true => refused(&format!(
                "at most {} along each side for cells {factor} times as fine",
                MAX_SIDE / factor
            )),
            false => Ok(()),
        }
    }
}

/// Refinement factor of a scene, as an integer and as a float; its methods convert the tables of
/// the scene.
#[derive(Clone, Copy)]
struct Finer {
    factor: usize,
    by: f64,
}

impl Finer {
    /// Divides the cell width `edge_m` by the factor. Without effect on a scene whose heightmap
    /// determines the cell width (`None`).
    fn cells(self, edge_m: &mut Option<f64>, kind: TerrainKind) {
        let usual = (kind != TerrainKind::Heightmap).then_some(DEFAULT_CELL_SIZE_M);
        *edge_m = edge_m.or(usual).map(|edge| edge / self.by);
    }

    /// Multiplies the thickness of the rock below a heightmap, in cells, by the factor. Generated
    /// ground does not change, because it is defined in fractions of the simulation box.
    fn terrain(self, terrain: &mut TerrainSpec) {
        let usual = (terrain.kind == TerrainKind::Heightmap).then_some(USUAL_BASE);
        terrain.base_cells = terrain.base_cells.or(usual).map(|cells| cells * self.by);
    }

    fn steps(self, steps: &mut u64) {
        *steps = steps.saturating_mul(self.factor as u64);
    }

    /// Returns the list `short` of shortened steps, pairs of (step, end in seconds), converted for
    /// refined steps of `step_s` seconds. Each shortened step becomes `factor` steps.
    fn short_steps(self, short: &[[f64; 2]], step_s: f64) -> Vec<[f64; 2]> {
        let mut finer = Vec::new();
        let (mut next, mut next_s) = (0.0, 0.0);
        for &[step, end_s] in short {
            let start_s = next_s + (step - next) * self.by * step_s;
            finer.extend((1..=self.factor).map(|part| {
                let end_s = if part == self.factor {
                    end_s
                } else {
                    start_s + (end_s - start_s) * part as f64 / self.by
                };
                [step * self.by + (part - 1) as f64, end_s]
            }));
            (next, next_s) = (step + 1.0, end_s);
        }
        finer
    }

    fn place(self, place: &mut [f64; 3]) {
        *place = place.map(|cells| cells * self.by);
    }

    /// Converts position, radius, rate and steps of a vent. If `is_volume` is false, the rate is a
    /// probability or in kg/s and does not change.
    fn vent(self, vent: &mut VentTable, is_volume: bool) {
        if let VentPlace::Cells { x, z } = &mut vent.place {
            (*x, *z) = (*x * self.by, *z * self.by);
            vent.to
                .iter_mut()
                .for_each(|point| *point = point.map(|cells| cells * self.by));
        }
        if let VentRadius::Cells(radius) = &mut vent.radius {
            *radius *= self.by;
        }
        vent.height = vent.height.map(|height| height * self.by);
        vent.for_box = vent
            .for_box
            .map(|sides| sides.map(|side| side * self.factor));
        if is_volume {
            vent.rate *= self.by * self.by;
        }
        self.steps(&mut vent.start);
        vent.end.iter_mut().for_each(|end| self.steps(end));
    }

    /// Returns the fraction that a refined step must keep so that `factor` refined steps together
    /// keep the fraction `share` (0 to 1): `share`^(1/`factor`).
    fn kept(self, share: f64) -> f64 {
        share.powf(1.0 / self.by)
    }

    fn lost(self, share: f64) -> f64 {
        1.0 - self.kept(1.0 - share)
    }

    /// Converts the rules: the loss of energy per move of matter is spread over `factor` moves.
    fn rules(self, rules: &mut RulesSpec) {
        rules.alpha = self.kept(rules.alpha);
        rules.beta = self.kept(rules.beta);
        rules.friction.on_solid = self.lost(rules.friction.on_solid);
        rules.friction.on_liquid = self.lost(rules.friction.on_liquid);
    }

    /// Divides the compressibility of a material by the factor, so that a column of equal depth in
    /// metres holds the same surplus over its uncompressed amount.
    fn material(self, material: &mut Material) {
        material.compress.max /= self.by;
    }

    /// Converts the probability of a reaction per step. At a face between two materials it does not
    /// change, because there are more faces and more steps but less matter per cell; within a cell,
    /// it is divided by the factor.
    fn reaction(self, reaction: &mut Reaction) {
        if reaction.near.is_none() && reaction.place.is_none_or(|place| place == Where::Cell) {
            reaction.chance /= self.by;
        }
    }

    fn body(self, body: &mut BodySpec) {
        self.shape(&mut body.shape);
        if let Matter::Raise { by } = &mut body.matter {
            *by *= self.by;
        }
    }

    fn shape(self, shape: &mut Shape) {
        match shape {
            Shape::Box { from, to } => [from, to].into_iter().for_each(|place| self.place(place)),
            Shape::Sphere { center, radius } => {
                self.place(center);
                *radius *= self.by;
            }
            Shape::Cylinder {
                base,
                radius,
                height,
            } => {
                self.place(base);
                (*radius, *height) = (*radius * self.by, *height * self.by);
            }
            Shape::Line { points, width } => {
                points
                    .iter_mut()
                    .flatten()
                    .for_each(|place| *place *= self.by);
                *width *= self.by;
            }
            Shape::Below { level } => *level *= self.by,
            Shape::Mesh(mesh) => {
                [&mut mesh.base, &mut mesh.origin]
                    .into_iter()
                    .flatten()
                    .for_each(|place| self.place(place));
                mesh.height = mesh.height.map(|height| height * self.by);
            }
            Shape::Blocks(blocks) => {
                self.place(&mut blocks.from);
                blocks.edge *= self.by;
            }
            Shape::Heightmap(relief) => {
                [&mut relief.from, &mut relief.size]
                    .into_iter()
                    .for_each(|place| self.place(place));
            }
        }
    }

    fn event(self, event: &mut EventSpec) {
        self.steps(&mut event.at);
        if let Some(put) = &mut event.put {
            self.body(put);
        }
        if let Some(rules) = &mut event.rules {
            self.change(rules);
        }
    }

    /// Converts a goal: its shape and its steps are multiplied by the factor, and its volumes in
    /// full cells so that they stay equal in m³.
    fn goal(self, goal: &mut GoalSpec) {
        self.shape(&mut goal.shape);
        self.steps(&mut goal.until);
        let volumes = [&mut goal.keep_below, &mut goal.reach]
            .into_iter()
            .flatten();
        volumes.for_each(|cells| *cells *= self.by.powi(3));
    }

    /// Converts `rules`, which an event changes, like the rules of the scene.
    fn change(self, rules: &mut RulesChange) {
        rules.each(|key, value| match key {
            "alpha" | "beta" => self.kept(value),
            "friction.on_solid" | "friction.on_liquid" => self.lost(value),
            _ => value,
        });
    }

    /// Converts the air: the time step and the losses per step are divided by the factor; times in
    /// seconds do not change.
    fn air(self, air: &mut AirSpec) {
        air.step_s /= self.by;
        air.friction = air.friction.map(|part| part / self.by);
        air.article.heat_decay = air.article.heat_decay.map(|part| part / self.by as f32);
    }

    /// Converts the look, so that patterns on the surface of the lava keep their size in metres.
    fn look(self, look: &mut LookSpec) {
        look.smoothing = (look.smoothing * self.by as f32).min(MOST_SMOOTHING);
        look.plate_size = look
            .plate_size
            .map(|cells| (cells * self.by as f32).min(MOST_PLATE));
    }
}
