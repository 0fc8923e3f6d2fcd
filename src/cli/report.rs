//! What a headless run reports: the account, the extent of the lava and the timings.

use lavoxel::rules::spreading::spreads;
use lavoxel::scene::Site;
use lavoxel::simulation::{Simulation, Stage};
use lavoxel::units::{AMOUNT_ONE, ENERGY_ONE, cells};
use lavoxel::validate::tame;
use serde::Serialize;

use super::whereabouts::Whereabouts;

/// Everything that `lavoxel run` reports. Amounts in units: [`AMOUNT_ONE`] to a full cell.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    scene: String,
    version: &'static str,
    steps: u64,
    interrupted: bool,
    seed: u64,
    threads: usize,
    dims: [usize; 3],
    cell_size_m: f64,
    #[serde(flatten)]
    whereabouts: Whereabouts,
    unit: u16,
    mass_units: u64,
    initial_units: u64,
    sourced_units: u64,
    outflow_units: u64,
    solidified_units: u64,
    removed_units: u64,
    blocked_units: u64,
    energy: f64,
    energy_unit: u16,
    energy_units: EnergyUnits,
    liquid_cells: u64,
    active_cells: usize,
    covered_columns: usize,
    covered_area_m2: f64,
    max_depth_cells: f64,
    max_depth_m: f64,
    volume_m3: f64,
    state_hash: String,
    timings_ms: TimingsMs,
}

/// The energy account in units.
#[derive(Debug, Serialize)]
struct EnergyUnits {
    now: u64,
    initial: u64,
    sourced: u64,
    outflow: u64,
    removed: u64,
    friction: u64,
}

/// Mean milliseconds of a stage, over the steps in which it ran.
#[derive(Debug, Serialize)]
struct TimingsMs {
    gravity: f64,
    spreading: f64,
    sources: f64,
    filter: f64,
}

/// What the report needs besides the simulation.
pub(super) struct Context<'a> {
    pub(super) scene: String,
    pub(super) site: &'a Site,
    pub(super) whereabouts: Whereabouts,
    pub(super) filter: Stage,
    pub(super) interrupted: bool,
}

impl Report {
    pub(super) fn new(simulation: &Simulation, context: Context<'_>) -> Self {
        let world = simulation.world();
        let (grid, lava, ledger) = (world.grid, &world.lava, &world.lava.ledger);
        let depths = lava.column_amounts();
        let deepest = depths.iter().copied().max().unwrap_or(0);
        let covered = depths.iter().filter(|&&depth| depth > 0).count();
        let tally = lava.tally();
        let (mass, energy) = (tally.mass, lava.energy());
        let site = context.site;
        let cell = site.cell_size_m;
        let timings = simulation.timings();
        Self {
            scene: context.scene,
            version: env!("CARGO_PKG_VERSION"),
            steps: simulation.steps(),
            interrupted: context.interrupted,
            seed: simulation.seed(),
            threads: rayon::current_num_threads(),
            dims: [grid.nx, grid.ny, grid.nz],
            cell_size_m: cell,
            whereabouts: context.whereabouts,
            unit: AMOUNT_ONE,
            mass_units: mass,
            initial_units: ledger.initial,
            sourced_units: ledger.sourced,
            outflow_units: ledger.outflow,
            solidified_units: ledger.solidified,
            removed_units: ledger.removed,
            blocked_units: ledger.blocked,
            energy: energy as f64 / f64::from(ENERGY_ONE),
            energy_unit: ENERGY_ONE,
            energy_units: EnergyUnits {
                now: energy,
                initial: ledger.energy.initial,
                sourced: ledger.energy.sourced,
                outflow: ledger.energy.outflow,
                removed: ledger.energy.removed,
                friction: ledger.energy.friction,
            },
            liquid_cells: tally.cells,
            active_cells: active_cells(simulation),
            covered_columns: covered,
            covered_area_m2: covered as f64 * cell * cell,
            max_depth_cells: cells(deepest),
            max_depth_m: cells(deepest) * site.cell_height_m(),
            volume_m3: cells(mass) * site.cell_volume_m3(),
            state_hash: format!("{:016x}", world.state_hash()),
            timings_ms: TimingsMs {
                gravity: timings.gravity.mean_ms(),
                spreading: timings.spreading.mean_ms(),
                sources: timings.sources.mean_ms(),
                filter: context.filter.mean_ms(),
            },
        }
    }

    /// The report for people.
    pub(super) fn text(&self) -> String {
        let [nx, ny, nz] = self.dims;
        let share = |units: u64| cells(units);
        let t = &self.timings_ms;
        let mut lines = vec![
            format!(
                "{}: {} steps on {nx} × {ny} × {nz} cells of {} m, seed {}, {} threads",
                tame(&self.scene),
                self.steps,
                self.cell_size_m,
                self.seed,
                self.threads
            ),
            format!("mass        {:.3} full cells now ({:.0} m³)", share(self.mass_units), self.volume_m3),
            format!(
                "            {:.3} at start, {:.3} sourced, {:.3} outflow, {:.3} solidified, {:.3} removed",
                share(self.initial_units),
                share(self.sourced_units),
                share(self.outflow_units),
                share(self.solidified_units),
                share(self.removed_units)
            ),
            format!("energy      {:.3} now", self.energy),
            format!("cells       {} liquid, {} active", self.liquid_cells, self.active_cells),
            format!(
                "extent      {} columns covered ({:.0} m²), deepest lava {:.2} cells ({:.1} m)",
                self.covered_columns, self.covered_area_m2, self.max_depth_cells, self.max_depth_m
            ),
            format!(
                "per step    gravity {:.3} ms, spreading {:.3} ms, sources {:.4} ms, filter {:.3} ms",
                t.gravity, t.spreading, t.sources, t.filter
            ),
            format!("state       {}", self.state_hash),
        ];
        lines.splice(1..1, self.whereabouts.lines());
        if self.blocked_units > 0 {
            let blocked = share(self.blocked_units);
            lines.push(format!("warning: {blocked:.3} full cells found no room under the roof; make the box higher"));
        }
        if self.interrupted {
            lines.push(format!("stopped after step {}", self.steps));
        }
        lines.join("\n")
    }
}

/// Cells that could spread now: enough energy, and something beneath.
fn active_cells(simulation: &Simulation) -> usize {
    let (world, rules) = (simulation.world(), simulation.rules());
    world.lava.held().filter(|&([x, y, z], cell)| spreads(cell, world.bed(x, y, z), rules)).count()
}
