//! Table of the effects of barriers: its flag, the simulation without barriers for comparison, and
//! the output file.

use std::path::{Path, PathBuf};

use clap::Args;
use lavoxel::export::NO_FORECAST_OF_FLOW;
use lavoxel::exposure::{Assets, AttributeRow, BarrierGain, BarrierOutcome, after, write};
use lavoxel::input::ending;
use lavoxel::map::Site;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, check_free};
use lavoxel::scene::{Barrier, BuiltScene, Scene, Seconds};
use lavoxel::simulation::Simulation;
use serde_json::{Value, json};

use crate::cli::run::EngineName;
use crate::cli::show::messages;
use crate::cli::stop;

/// Seconds per hour.
const HOUR: f64 = 3600.0;

/// Flag that asks for the outcome of barriers.
#[derive(Args, Debug)]
pub(in crate::cli) struct BarrierOptions {
    /// Write a table of all barriers, of the scene and of --barrier: when lava reached and
    /// overflowed each barrier, and the volume that each barrier holds back
    ///
    /// FILE ends in .csv, or in .geojson for the lines with these numbers. After the run, the same
    /// run without barriers is made, so that the table shows the gain; Ctrl-C skips the second run.
    /// Needs a scene with model = "flow".
    #[arg(long, value_name = "FILE")]
    barrier_table: Option<PathBuf>,
}

/// Barrier table that the user has requested, made from validated flags.
pub(in crate::cli) struct BarrierTable {
    path: PathBuf,
    scene: Scene,
    /// Barriers of the scene, each with the columns of the simulation box on its line; empty until
    /// the ground is known.
    barriers: Vec<Barrier>,
}

impl BarrierOptions {
    /// Checks the flag before lengthy work, and returns the requested barrier table; `None` if the
    /// flag is not set. `existing`: rule for an existing output file.
    pub(super) fn check(
        &self,
        scene: &Scene,
        existing: Existing,
    ) -> anyhow::Result<Option<BarrierTable>> {
        let Some(path) = &self.barrier_table else {
            return Ok(None);
        };
        let ending = ending(path);
        let name = path.display();
        anyhow::ensure!(
            ["csv", "geojson"].contains(&&*ending),
            "--barrier-table {name}: let the name end in .csv or .geojson"
        );
        anyhow::ensure!(
            scene.spec.flow.is_some(),
            "--barrier-table: hours and metres need the physical model; add model = \"flow\" to the scene, or pass --lava to a heightmap"
        );
        anyhow::ensure!(
            !scene.spec.barriers.is_empty(),
            "--barrier-table {name}: there are no barriers; pass --barrier LINES.geojson or add [[barrier]] tables to the scene"
        );
        check_free(path, existing)?;
        MemoryEstimate::new(
            "the table of barriers",
            scene.spec.grid.grid()?.columns(),
            24.0,
        )
        .check("make the box coarser")?;
        Ok(Some(BarrierTable {
            path: path.clone(),
            scene: scene.clone(),
            barriers: Vec::new(),
        }))
    }
}

impl BarrierTable {
    /// Returns the path of the file to which the barrier table is written.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Determines the columns of the simulation box on the line of each barrier; called once the
    /// ground is known.
    pub(super) fn check_site(&mut self, site: &Site) -> anyhow::Result<()> {
        self.barriers = self.scene.barriers(site)?;
        Ok(())
    }

    /// Simulates the scene without barriers for comparison with the completed run `simulation`, and
    /// writes the barrier table. `quiet`: true to print no messages.
    pub(super) fn write(
        &self,
        simulation: &Simulation,
        site: &Site,
        existing: Existing,
        quiet: bool,
    ) -> anyhow::Result<()> {
        let Some(flow) = simulation.world().flow() else {
            return Ok(());
        };
        let without = self.without(simulation.steps(), quiet)?;
        let flow_without = without
            .as_ref()
            .and_then(|stage| stage.simulation.world().flow());
        let (outcomes, gain) = after(&self.barriers, site, flow, flow_without);
        let rows: Vec<AttributeRow> = self
            .barriers
            .iter()
            .zip(&outcomes)
            .map(|own| row(Some(own), None))
            .chain(gain.iter().map(|gain| row(None, Some(gain))))
            .collect();
        write(
            &self.path,
            &self.assets(site, gain.is_some()),
            &rows,
            NO_FORECAST_OF_FLOW,
            existing,
        )?;
        if !quiet {
            messages::note(&format!(
                "{}: {}",
                self.path.display(),
                words(&self.barriers, &outcomes, gain.as_ref())
            ));
        }
        Ok(())
    }

    /// Simulates the scene without its barriers for `steps` steps; `None` if a stop signal ended
    /// the simulation earlier.
    fn without(&self, steps: u64, quiet: bool) -> anyhow::Result<Option<BuiltScene>> {
        if stop::asked() {
            return Ok(None);
        }
        if !quiet {
            messages::note(&format!(
                "{}: the same {steps} steps without barriers …",
                self.path.display()
            ));
        }
        let mut scene = self.scene.clone();
        scene.spec.barriers.clear();
        let mut stage = scene.build(EngineName::Fast.make())?;
        stage.simulation.stop_by(stop::flag());
        while stage.simulation.steps() < steps && !stop::asked() {
            stage.simulation.step();
            stage.simulation.world().check_memory()?;
        }
        let is_whole = stage.simulation.steps() == steps && !stage.simulation.was_stopped();
        Ok(is_whole.then_some(stage))
    }

    /// Returns the barriers as map features; with `all`, a further feature stands for all barriers
    /// together.
    fn assets(&self, site: &Site, all: bool) -> Assets {
        let own = self.barriers.iter().map(|barrier| {
            (
                barrier.name.clone(),
                barrier.lines.clone(),
                barrier.columns.clone(),
            )
        });
        let mut columns: Vec<u32> = self
            .barriers
            .iter()
            .flat_map(|barrier| barrier.columns.iter().copied())
            .collect();
        columns.sort_unstable();
        columns.dedup();
        let together = all.then(|| ("all together".to_owned(), Vec::new(), columns));
        Assets::of_lines(own.chain(together), site)
    }
}

fn number(value: Option<f64>, fine: f64) -> Value {
    value
        .filter(|value| value.is_finite())
        .map_or(Value::Null, |value| json!((value * fine).round() / fine))
}

/// Returns the output row of one barrier (`own`) or of all barriers together (`gain`); times are in
/// hours, lengths in m, areas in m² and volumes in m³.
fn row(own: Option<(&Barrier, &BarrierOutcome)>, gain: Option<&BarrierGain>) -> AttributeRow {
    let hours = |seconds: Option<f64>| number(seconds.map(|seconds| seconds / HOUR), 1e4);
    let of_all = |value: fn(&BarrierGain) -> f64| number(gain.map(value), 1.0);
    let (barrier, outcome) = own.unzip();
    let values = [
        ("height_m", json!(barrier.map(|barrier| barrier.height_m))),
        ("width_m", json!(barrier.map(|barrier| barrier.width_m))),
        ("reached_h", hours(outcome.and_then(|of| of.reached_s))),
        ("overflow_h", hours(outcome.and_then(|of| of.overflow_s))),
        (
            "freeboard_m",
            number(outcome.and_then(|of| of.freeboard_m), 1e3),
        ),
        ("held_m3", number(outcome.and_then(|of| of.held_m3), 1.0)),
        ("turned_m3", of_all(|gain| gain.turned_m3)),
        ("saved_m2", of_all(|gain| gain.saved_m2)),
        ("added_m2", of_all(|gain| gain.added_m2)),
        ("later_m2", of_all(|gain| gain.later.0)),
        ("later_h", hours(gain.and_then(|gain| gain.later.1))),
    ];
    values.map(|(name, value)| (name.into(), value)).into()
}

/// Returns a summary line: number of barriers reached and overtopped, name of the first overtopped
/// barrier, and the areas that the barriers save from lava and expose to lava.
fn words(barriers: &[Barrier], outcomes: &[BarrierOutcome], gain: Option<&BarrierGain>) -> String {
    let count = |time: fn(&BarrierOutcome) -> Option<f64>| outcomes.iter().filter_map(time).count();
    let (reached, overflowed) = (
        count(|outcome| outcome.reached_s),
        count(|outcome| outcome.overflow_s),
    );
    let timed = barriers
        .iter()
        .zip(outcomes)
        .filter_map(|(barrier, outcome)| Some((outcome.overflow_s?, barrier)));
    let first = timed.min_by(|a, b| a.0.total_cmp(&b.0));
    let first =
        first.map(|(time, barrier)| format!(", {} first, after {}", barrier.name, Seconds(time)));
    let gained = gain.map_or_else(
        || "; stopped before the run without".to_owned(),
        |gain| {
            format!(
                "; {:.0} m² saved, {:.0} m² reached instead",
                gain.saved_m2, gain.added_m2
            )
        },
    );
    format!(
        "{reached} of {} reached, {overflowed} overflowed{}{gained}",
        barriers.len(),
        first.unwrap_or_default()
    )
}
