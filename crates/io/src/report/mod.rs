//! Report of a simulation: accounts, extent and timings, as text and as serialisable data.

mod account;
mod air;
mod flow;
mod location;

use std::collections::BTreeMap;

use crate::export::{NO_FORECAST, NO_FORECAST_OF_FLOW, Provenance};
use lavoxel_automaton::matter::Kind;
use lavoxel_automaton::rules::Bed;
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::rules::spreading::{Spreading, spreads};
use lavoxel_automaton::world::{ElementAccount, Layer, World};
use lavoxel_base::parallel::current_num_threads;
use lavoxel_base::units::{AMOUNT_ONE, ENERGY_ONE, cells};
use lavoxel_base::validate::escape_for_terminal;
use lavoxel_base::words::{area, duration, grouped, short, volume};
use lavoxel_geo::map::Site;
use lavoxel_scene::scene::{BuiltScene, Edge, Scene};
use lavoxel_sim::goals::{self, GoalSpec, Progress, Verdict};
use lavoxel_sim::simulation::Simulation;
use serde::Serialize;

use self::account::Account;
use self::air::AirReport;
pub use self::flow::FlowReport;
use self::location::Location;

/// Report of `lavoxel run`: serialisable, and printable as text. Amounts are in units; `AMOUNT_ONE`
/// units fill a cell.
#[derive(Debug, Serialize)]
pub struct Report {
    scene: String,
    version: &'static str,
    steps: u64,
    /// Number of stages completed in the current step, if the run was interrupted within the step;
    /// otherwise `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stages_of_next_step: Option<usize>,
    interrupted: bool,
    seed: u64,
    threads: usize,
    dims: [usize; 3],
    cell_size_m: f64,
    #[serde(flatten)]
    whereabouts: Location,
    /// Notes about defaults that were chosen for a heightmap without a scene, one sentence each.
    chosen: Vec<String>,
    walls: Walls,
    unit: u16,
    /// Account of the amount of lava, in units.
    #[serde(flatten)]
    mass: Account,
    energy: f64,
    energy_unit: u16,
    energy_units: Account,
    liquid_cells: u64,
    active_cells: usize,
    #[serde(flatten)]
    extent: Extent,
    /// Number of columns at the sides of the simulation box that contain lava.
    edge_columns: usize,
    /// Volume of lava in m³ that left through open sides of the simulation box.
    outflow_m3: f64,
    /// Pairs (name, report), one for each material other than lava.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_table")]
    materials: Vec<(String, MaterialReport)>,
    /// Pairs (name, report), one for each element that materials declare.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_table")]
    elements: Vec<(String, ElementReport)>,
    /// Report of the air; `None` in a scene without air.
    #[serde(skip_serializing_if = "Option::is_none")]
    air: Option<AirReport>,
    /// Report of the flow; `None` in the cellular automaton (classic model).
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<FlowReport>,
    /// Reports of the goals of the scene, in the scene's order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    goals: Vec<GoalReport>,
    note: &'static str,
    /// Warnings about losses and limits of the model, one sentence each.
    warnings: Vec<String>,
    /// Lines about position, vents and automatic choices, which the text report shows and the JSON
    /// omits.
    #[serde(skip)]
    summary: Vec<String>,
    #[serde(skip)]
    edge: Option<String>,
    /// Name of the lava, and the rates of the vents as text; `None` in the cellular automaton
    /// (classic model).
    #[serde(skip)]
    lava: Option<(String, String)>,
    state_hash: String,
    /// Pairs (name of a stage, mean time in milliseconds over the steps in which the stage ran).
    #[serde(serialize_with = "as_table")]
    timings_ms: Vec<(&'static str, f64)>,
}

/// Report of a material other than lava.
#[derive(Debug, Serialize)]
struct MaterialReport {
    #[serde(flatten)]
    mass: Account,
    liquid_cells: u64,
    #[serde(flatten)]
    extent: Extent,
    /// Numbers of tiles that contain grains, at rest or moving; `None` for materials other than
    /// grains.
    #[serde(flatten)]
    tiles: Option<GrainTiles>,
    #[serde(skip)]
    shows_flow: bool,
    #[serde(skip)]
    is_liquid: bool,
}

/// Numbers of tiles (8 × 1 × 4 cells) that contain grains.
#[derive(Debug, Serialize)]
struct GrainTiles {
    /// Number of tiles that the rule of grains will process in the next step, because grains in
    /// them may move.
    looked_at_tiles: usize,
    resting_tiles: usize,
}

/// Report of one goal of the scene.
#[derive(Debug, Serialize)]
struct GoalReport {
    name: String,
    /// Verdict on the goal, won or lost; `None` while the goal is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// Step at which the verdict was reached; `None` while the goal is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_at_step: Option<u64>,
    material: String,
    /// Amount of the material inside the goal's shape, in full cells: at the step of the verdict
    /// or, while undecided, at the end of the run.
    cells: f64,
    /// Volume of the goal's shape that was not solid before the first step, in full cells.
    room_cells: f64,
    words: String,
}

impl GoalReport {
    fn new(goal: &GoalSpec, progress: &Progress) -> Self {
        Self {
            name: goal.name.clone(),
            verdict: progress.verdict.map(|(verdict, _)| verdict),
            decided_at_step: progress.verdict.map(|(_, step)| step),
            material: goal.material.clone(),
            cells: cells(progress.now),
            room_cells: cells(progress.room),
            words: goals::words(goal, progress),
        }
    }
}

/// Account of a chemical element over all materials: amount in full cells × content of the element
/// that the material declares.
#[derive(Debug, Serialize)]
struct ElementReport {
    now: f64,
    came: f64,
    left: f64,
    exact: bool,
}

impl ElementReport {
    fn from_account(account: &ElementAccount) -> Self {
        let parts = |units: i128| units as f64 / f64::from(AMOUNT_ONE);
        Self {
            now: parts(account.now),
            came: parts(account.came),
            left: parts(account.left),
            exact: account.is_exact(),
        }
    }

    /// Returns true if the element ever occurred in the simulation box, or if its account is not
    /// balanced.
    fn was_there(&self) -> bool {
        self.now > 0.0 || self.came > 0.0 || !self.exact
    }

    fn line(&self, name: &str) -> String {
        let verdict = if self.exact { "exact" } else { "NOT EXACT" };
        format!(
            "element     {name}: {:.3} now, {:.3} came, {:.3} left: {verdict}",
            self.now, self.came, self.left
        )
    }
}

/// Extent of one material over the columns of the simulation box.
#[derive(Debug, Serialize)]
struct Extent {
    covered_columns: usize,
    covered_area_m2: f64,
    max_depth_cells: f64,
    max_depth_m: f64,
    volume_m3: f64,
}

/// Returns the account of the amount of material in `layer`. `mass`: current content of the
/// simulation box, in units.
fn mass_of(layer: &Layer, mass: u64) -> Account {
    Account::of_matter("mass", mass, layer.ledger().mass())
}

/// Formats the account `mass` of a material as text, in full cells; sums after the third are
/// omitted while they are 0.
fn mass_words(mass: &Account) -> String {
    mass.words(3, |units| format!("{:.3}", cells(units as u64)))
}

/// Fraction of a liquid that left through open sides of the simulation box from which on the report
/// warns.
const MOST_LEFT: f64 = 0.5;

/// Returns warnings about material that did not get into the simulation box or was lost: blocked
/// under the roof, put where denser matter left no room, or displaced by new rock. `of`: words that
/// name the material in the sentences, such as ` of water`.
fn mass_warnings(mass: &Account, of: &str) -> impl Iterator<Item = String> + use<> {
    let units = ["blocked", "refused", "crushed"].map(|key| mass.units(key) as u64);
    let [blocked, refused, crushed] = units.map(cells);
    let roof =
        format!("{blocked:.3} full cells{of} found no room under the roof; make the box higher");
    let rock = format!(
        "{crushed:.3} full cells{of} were where rock was put and found no room in reach: removed; leave an opening \
         upwards, or put the rock first"
    );
    let denser = format!(
        "{refused:.3} full cells{of} were put where denser matter or a grain leaves no room, and are not there: put them beside it \
         or above it, put them before it, or exchange the two with {{ kind = \"replace\", … }}"
    );
    units
        .into_iter()
        .zip([roof, denser, rock])
        .filter(|(units, _)| *units > 0)
        .map(|(_, line)| line)
}

/// Returns a warning if at least half of the liquid called `name` left through open sides of the
/// simulation box; otherwise `None`.
fn left_warning((name, material): &(String, MaterialReport)) -> Option<String> {
    let [came, left] = [["initial", "sourced"].as_slice(), &["outflow"]].map(|keys| {
        keys.iter()
            .map(|key| material.mass.units(key) as f64)
            .sum::<f64>()
    });
    let share = left / came;
    (material.is_liquid && share >= MOST_LEFT).then(|| {
        format!(
            "{} % of the {name} left through the open sides of the box; walls = \"closed\" in [rules] keeps it, and so does higher \
             ground along the sides",
            short(100.0 * share, 0)
        )
    })
}

impl Extent {
    fn from_layer(world: &World, number: usize, mass: u64, site: &Site) -> Self {
        let depths = world.lying_amounts(number);
        let deepest = depths.iter().copied().max().unwrap_or(0);
        let covered = depths.iter().filter(|&&depth| depth > 0).count();
        Self {
            covered_columns: covered,
            covered_area_m2: covered as f64 * site.cell_size_m * site.cell_size_m,
            max_depth_cells: cells(deepest),
            max_depth_m: cells(deepest) * site.cell_height_m(),
            volume_m3: cells(mass) * site.cell_volume_m3(),
        }
    }

    /// Formats covered columns, covered area and greatest depth of the material named `name` as one
    /// line of text.
    fn words(&self, name: &str) -> String {
        format!(
            "{} columns covered ({}), deepest {name} {:.2} cells ({:.1} m)",
            grouped(self.covered_columns as u64),
            area(self.covered_area_m2),
            self.max_depth_cells,
            self.max_depth_m
        )
    }
}

impl MaterialReport {
    fn new(world: &World, number: usize, site: &Site) -> Self {
        let (layer, shows_flow) = (&world.layers()[number], world.is_mirror(number));
        let tally = layer.tally();
        let (mass, extent) = (
            mass_of(layer, tally.mass),
            Extent::from_layer(world, number, tally.mass, site),
        );
        let tiles = (layer.material().kind == Kind::Grain).then(|| {
            let [looked_at_tiles, all] = layer.grains_looked_at();
            GrainTiles {
                looked_at_tiles,
                resting_tiles: all - looked_at_tiles,
            }
        });
        let is_liquid = layer.material().kind == Kind::Liquid && !shows_flow;
        Self {
            mass,
            liquid_cells: tally.cells,
            extent,
            tiles,
            shows_flow,
            is_liquid,
        }
    }

    /// Formats the report of the material `name` as three lines of text.
    fn lines(&self, name: &str) -> [String; 3] {
        let (now, volume, held) = (
            cells(self.mass.now as u64),
            volume(self.extent.volume_m3),
            grouped(self.liquid_cells),
        );
        [
            format!("{name:<11} {now:.3} full cells now ({volume}) in {held} cells"),
            format!("            {}", mass_words(&self.mass)),
            format!("            {}", self.extent.words(name)),
        ]
    }
}

/// Serialises `pairs` as a table whose keys are the first elements of the pairs.
fn as_table<K: Serialize, V: Serialize, S: serde::Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

impl Report {
    /// Creates the report of `scene` and the final state `stage`. `interrupted`: the run was
    /// stopped before its last step.
    pub fn new(scene: &Scene, stage: &BuiltScene, interrupted: bool) -> Self {
        let BuiltScene {
            simulation,
            site,
            notes,
        } = stage;
        let world = simulation.world();
        let (grid, lava) = (world.grid(), world.lava());
        let ledger = lava.ledger();
        let (tally, energy) = (lava.tally(), lava.energy());
        let timings = simulation.timings().iter();
        let edge = Edge::from_simulation(simulation, site);
        // In a world of lava alone, the account of the lava says everything.
        let elements = if world.layers().len() > 1 {
            world.elements()
        } else {
            BTreeMap::new()
        };
        let elements = elements
            .iter()
            .map(|(name, account)| ((*name).to_owned(), ElementReport::from_account(account)))
            .collect();
        let others = world
            .layers()
            .iter()
            .enumerate()
            .filter(|(_, layer)| !layer.carries_energy());
        let of_material = |(number, layer): (usize, &Layer)| {
            (
                layer.material().name.clone(),
                MaterialReport::new(world, number, site),
            )
        };
        let flow = FlowReport::new(simulation, site);
        let report = Self {
            scene: scene.spec.name.clone(),
            version: env!("CARGO_PKG_VERSION"),
            steps: simulation.steps(),
            stages_of_next_step: Some(simulation.stages_made()).filter(|&made| made > 0),
            interrupted,
            seed: simulation.seed(),
            threads: current_num_threads(),
            dims: [grid.nx, grid.ny, grid.nz],
            cell_size_m: site.cell_size_m,
            whereabouts: Location::from_stage(stage),
            chosen: scene.choices().to_vec(),
            walls: edge.walls,
            unit: AMOUNT_ONE,
            mass: mass_of(lava, tally.mass),
            energy: energy as f64 / f64::from(ENERGY_ONE),
            energy_unit: ENERGY_ONE,
            energy_units: Account::table(energy, ledger.energy.sums()),
            liquid_cells: tally.cells,
            active_cells: active_cells(simulation),
            extent: flow.as_ref().map_or_else(
                || Extent::from_layer(world, world.number_of_lava(), tally.mass, site),
                FlowReport::extent,
            ),
            edge_columns: edge.columns,
            outflow_m3: edge.left_m3,
            materials: others.map(of_material).collect(),
            elements,
            air: world.air().map(AirReport::from_air),
            flow,
            goals: simulation
                .goals()
                .iter()
                .map(|(goal, progress)| GoalReport::new(goal, &progress))
                .collect(),
            note: if world.flow().is_some() {
                NO_FORECAST_OF_FLOW
            } else {
                NO_FORECAST
            },
            warnings: notes.clone(),
            summary: scene.summary(site, simulation),
            edge: edge.words(),
            lava: scene
                .spec
                .flow
                .as_ref()
                .map(|flow| (flow.lava.preset.clone(), scene.rates(simulation))),
            state_hash: format!("{:016x}", world.state_hash()),
            timings_ms: timings.map(|(name, time)| (name, time.mean_ms())).collect(),
        };
        Self {
            warnings: report.warned(),
            ..report
        }
    }

    /// Returns warnings about losses and limits of the model, one sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the stored warnings, and the warnings that follow from the numbers of the report.
    fn warned(&self) -> Vec<String> {
        let of_lava = match &self.flow {
            Some(flow) => flow.warnings(),
            None => mass_warnings(&self.mass, " of lava").collect(),
        };
        let (notes, others) = (self.warnings.iter().cloned(), self.materials.iter());
        let others = others
            .flat_map(|(name, material)| mass_warnings(&material.mass, &format!(" of {name}")));
        notes
            .chain(of_lava)
            .chain(others)
            .chain(self.materials.iter().filter_map(left_warning))
            .collect()
    }

    /// Returns the provenance for files of the final state: scene, step, facts of the run, and
    /// cautions.
    pub fn about(&self) -> Provenance {
        let mut cautions = self.warnings.clone();
        if self.walls == Walls::Closed {
            cautions.extend(self.edge.clone());
        }
        if self.interrupted {
            cautions.push(format!(
                "the run was stopped after step {}, before its end",
                self.steps
            ));
        }
        Provenance {
            scene: self.scene.clone(),
            seed: self.seed,
            step: self.steps,
            time_s: self.flow.as_ref().map(FlowReport::time_s),
            run: self.run_words(),
            cautions: cautions
                .iter()
                .map(|text| escape_for_terminal(text))
                .collect(),
        }
    }

    /// Returns facts of a run of the physical model as pairs (name, text): lava, rates, volume,
    /// duration and cell size. Empty in the cellular automaton (classic model).
    fn run_words(&self) -> Vec<(&'static str, String)> {
        let Some((flow, (lava, rates))) = self.flow.as_ref().zip(self.lava.as_ref()) else {
            return Vec::new();
        };
        vec![
            ("lava", escape_for_terminal(lava)),
            ("rate", rates.clone()),
            ("poured", flow.poured()),
            ("duration", duration(flow.time_s())),
            ("cell_size", format!("{} m", short(self.cell_size_m, 3))),
        ]
    }

    /// Formats the whole report of the simulation as text of several lines.
    pub fn text(&self) -> String {
        let [nx, ny, nz] = self.dims;
        // The physical model runs none of the other stages.
        let ran = |(_, ms): &&(&str, f64)| self.flow.is_none() || *ms > 0.0;
        let per_step = self
            .timings_ms
            .iter()
            .filter(ran)
            .map(|(name, ms)| format!("{name} {ms:.4} ms"));
        let per_step: Vec<String> = per_step.collect();
        let mut lines = vec![format!(
            "{}: {} steps on {nx} × {ny} × {nz} cells of {} m, seed {}, {} threads",
            escape_for_terminal(&self.scene),
            self.steps,
            short(self.cell_size_m, 3),
            self.seed,
            self.threads
        )];
        lines.extend(self.summary.iter().cloned());
        match &self.flow {
            Some(flow) => lines.extend(flow.lines()),
            None => lines.extend(self.classic_lines()),
        }
        lines.extend(self.edge.iter().map(|edge| format!("edge        {edge}")));
        let shown = self
            .materials
            .iter()
            .filter(|(_, material)| !material.shows_flow || material.liquid_cells > 0);
        // A material that mirrors the flow has its account in the report of the flow.
        let lines_of = |material: &MaterialReport| if material.shows_flow { 1 } else { 3 };
        lines.extend(shown.flat_map(|(name, material)| {
            material.lines(name).into_iter().take(lines_of(material))
        }));
        let moved = self
            .elements
            .iter()
            .filter(|(_, element)| element.was_there());
        lines.extend(moved.map(|(name, element)| element.line(name)));
        lines.extend(self.air.iter().flat_map(AirReport::lines));
        lines.extend(self.goals.iter().map(|goal| {
            format!(
                "goal        {}: {}",
                escape_for_terminal(&goal.name),
                escape_for_terminal(&goal.words)
            )
        }));
        lines.push(format!("per step    {}", per_step.join(", ")));
        lines.push(format!(
            "state       {} (a fingerprint of all cells: the same run gives the same)",
            self.state_hash
        ));
        lines.extend(
            self.warnings
                .iter()
                .map(|warning| format!("warning: {warning}")),
        );
        if self.interrupted {
            let stages = self
                .stages_of_next_step
                .map(|made| format!(" and {made} stages of the next"));
            lines.push(format!(
                "stopped after step {}{}",
                self.steps,
                stages.unwrap_or_default()
            ));
        }
        lines.join("\n")
    }
}

impl Report {
    /// Formats the totals of the lava (mass, energy, numbers of cells, extent) in the cellular
    /// automaton as five lines of the report's text.
    fn classic_lines(&self) -> [String; 5] {
        let (now, volume) = (cells(self.mass.now as u64), volume(self.extent.volume_m3));
        [
            format!("mass        {now:.3} full cells now ({volume})"),
            format!("            {}", mass_words(&self.mass)),
            format!("energy      {:.3} now", self.energy),
            format!(
                "cells       {} liquid, {} active",
                grouped(self.liquid_cells),
                grouped(self.active_cells as u64)
            ),
            format!("extent      {}; no forecast", self.extent.words("lava")),
        ]
    }
}

/// Returns the number of lava cells of the cellular automaton that can spread in the next step:
/// with enough energy, and on a support.
fn active_cells(simulation: &Simulation) -> usize {
    let (world, rule) = (
        simulation.world(),
        &Spreading::from(simulation.rules_spec()),
    );
    let lava = world.number_of_lava();
    world
        .lava()
        .held()
        .filter(|&(place, cell)| spreads(cell, Bed::under(world, lava, place), rule))
        .count()
}
