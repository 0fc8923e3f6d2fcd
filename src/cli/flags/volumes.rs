//! Volumes and meshes that `lavoxel run` writes after the last step, or as a series of files every
//! N steps.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::export::mesh::Skin;
use lavoxel::export::{
    ExportError, ExportState, Provenance, SpaceFile, mesh_formats, parts_of, volume_formats,
};
use lavoxel::grid::Grid;
use lavoxel::input::ending;
use lavoxel::map::Site;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, check_free, is_same_file};
use lavoxel::scene::{BuiltScene, Scene};
use lavoxel::simulation::Simulation;
use serde::{Deserialize, Serialize};

use crate::cli::flags::count;
use crate::cli::show::messages;

/// Upper bound on the number of files in a series.
const MAX_FILES: u64 = 100_000;

/// Name of the checkpoint section in which the steps are stored for which files of a series were
/// written.
const MEMORY: &str = "series";

/// Checkpoint form of the steps for which files of one series were written: requested path of the
/// series, and ranges of equidistant steps.
#[derive(Debug, Serialize, Deserialize)]
struct Series {
    path: String,
    runs: Vec<StepRun>,
}

/// Range of `count` equidistant steps: `first`, `first` + `apart`, `first` + 2 `apart`, and so on.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct StepRun {
    first: u64,
    apart: u64,
    count: u64,
}

impl StepRun {
    /// Compresses `steps`, a list in ascending order, to ranges of equidistant steps.
    fn split(steps: &[u64]) -> Vec<Self> {
        let mut runs: Vec<Self> = Vec::new();
        for &step in steps {
            match runs.last_mut() {
                Some(run) if run.count == 1 => (run.apart, run.count) = (step - run.first, 2),
                Some(run) if step == run.first + run.apart * run.count => run.count += 1,
                _ => runs.push(Self {
                    first: step,
                    apart: 0,
                    count: 1,
                }),
            }
        }
        runs
    }

    /// Expands `runs` to a list of steps; `None` if the ranges are invalid or contain steps after
    /// `last`. Since ranges come from a file, their counts are checked before any range is
    /// expanded.
    fn steps(runs: &[Self], last: u64) -> Option<Vec<u64>> {
        let mut steps = Vec::new();
        for Self {
            first,
            apart,
            count,
        } in runs
        {
            let end = count
                .checked_sub(1)?
                .checked_mul(*apart)?
                .checked_add(*first)?;
            (*count <= MAX_FILES && steps.len() as u64 + count <= MAX_FILES + 1 && end <= last)
                .then_some(())?;
            steps.extend((0..*count).map(|n| first + n * apart));
        }
        steps.is_sorted_by(|a, b| a < b).then_some(steps)
    }
}

/// Flags that write volumes and meshes.
#[derive(Args, Debug, Default)]
pub(in crate::cli) struct VolumeArgs {
    #[arg(long, value_name = "FILE", help = format!("Write materials and ground to FILE as a volume; the ending chooses the format: {}; repeatable", volume_formats()))]
    volume: Vec<PathBuf>,

    #[arg(long, value_name = "FILE", help = format!("Write the surfaces of the materials to FILE as a mesh; the ending chooses the format: {}; repeatable", mesh_formats()))]
    mesh: Vec<PathBuf>,

    /// Write volumes and meshes every N steps, as NAME_STEP.ext (and NAME.pvd for a series of
    /// .vti), not only after the last step
    #[arg(long, value_name = "N", value_parser = count::interval, allow_negative_numbers = true)]
    export_every: Option<u64>,
}

impl VolumeArgs {
    /// Checks, before the simulation starts, that every requested volume and mesh file can be
    /// written; returns the files. `steps`: number of the last step of the run; `existing`: rule
    /// for existing files.
    pub(in crate::cli) fn check(
        &self,
        scene: &Scene,
        steps: u64,
        existing: Existing,
    ) -> anyhow::Result<Exports> {
        let mut outputs: Vec<Output> = Vec::new();
        let volumes = self
            .volume
            .iter()
            .map(|path| ("--volume", SpaceFile::volume(path)));
        let meshes = self
            .mesh
            .iter()
            .map(|path| ("--mesh", SpaceFile::mesh(path)));
        for (flag, file) in volumes.chain(meshes) {
            let file = file?;
            let twice = outputs
                .iter()
                .any(|other| is_same_file(other.file.path(), file.path()));
            anyhow::ensure!(
                !twice,
                "{flag} {}: two outputs cannot have the same name",
                file.path().display()
            );
            file.check(scene.spec.grid.grid()?)?;
            outputs.push(Output {
                file,
                steps: Vec::new(),
                is_begun: false,
            });
        }
        if let Some(every) = self.export_every {
            anyhow::ensure!(
                !outputs.is_empty(),
                "--export-every {every}: name what to write with --volume or --mesh"
            );
            let files = steps.div_ceil(every);
            let least = steps.div_ceil(MAX_FILES);
            let mend =
                format!("at most {MAX_FILES} are written; pass --export-every {least} or more");
            anyhow::ensure!(
                files <= MAX_FILES,
                "--export-every {every}: this would be {files} files, and {mend}"
            );
        }
        let palette = scene.spec.look.palette.build("look.palette")?;
        let skin = Skin {
            level: scene.spec.look.iso,
            palette,
            drape: None,
            blocks: parts_of(scene),
        };
        let name = scene.spec.name.clone();
        Ok(Exports {
            outputs,
            every: self.export_every,
            steps,
            existing,
            skin,
            scene: name,
        })
    }
}

/// Output file of a volume or mesh, or series of files with numbered names.
struct Output {
    file: SpaceFile,
    /// Steps for which files of the series were written, in ascending order.
    steps: Vec<u64>,
    /// Set if the list file of the series (.pvd) was written by this run, possibly before an
    /// interruption; the run may then replace the list file.
    is_begun: bool,
}

impl Output {
    /// Returns the path of the file that the user requested, as text.
    fn path(&self) -> String {
        self.file.path().to_string_lossy().into_owned()
    }

    /// Returns the path of the series' file for the step `step`.
    fn numbered(&self, step: u64) -> PathBuf {
        self.file
            .path()
            .with_file_name(self.name_of(&format!("{step:06}")))
    }

    /// Returns the requested file name with the text `number` inserted before the file extension.
    fn name_of(&self, number: &str) -> OsString {
        let mut name = self.file.path().file_stem().unwrap_or_default().to_owned();
        name.push(format!("_{number}."));
        name.push(self.file.path().extension().unwrap_or_default());
        name
    }

    /// Writes the present step to a new file of the series, and updates the list file of the
    /// series.
    fn add(
        &mut self,
        shot: &ExportState<'_>,
        skin: &Skin,
        existing: Existing,
    ) -> Result<(), ExportError> {
        self.file
            .at(self.numbered(shot.about.step))
            .write(shot, skin, existing)?;
        // After the first step, the series file is known to be this run's own.
        let list_existing = if self.is_begun {
            Existing::Replace
        } else {
            existing
        };
        self.is_begun = true;
        self.steps.push(shot.about.step);
        let name = |step: &u64| {
            (
                *step,
                self.name_of(&format!("{step:06}"))
                    .to_string_lossy()
                    .into_owned(),
            )
        };
        self.file.write_list(
            &self.steps.iter().map(name).collect::<Vec<_>>(),
            list_existing,
        )
    }
}

/// Volume and mesh files that the user requested.
pub(in crate::cli) struct Exports {
    outputs: Vec<Output>,
    every: Option<u64>,
    /// Number of the last step of the run.
    steps: u64,
    existing: Existing,
    skin: Skin,
    scene: String,
}

impl Exports {
    /// Iterates over the paths as the user requested them; the step numbers of a series are not
    /// inserted.
    pub(in crate::cli) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.outputs.iter().map(|output| output.file.path())
    }

    /// Estimates a lower bound of the memory for writing the largest file, in addition to the
    /// simulation.
    pub(in crate::cli) fn need(&self, grid: Grid) -> MemoryEstimate {
        let needs = self.outputs.iter().map(|output| output.file.need(grid));
        needs.fold(MemoryEstimate::default(), MemoryEstimate::or)
    }

    /// Returns name and content of the checkpoint section with the steps written for each series;
    /// `None` without a series.
    pub(in crate::cli) fn memory(&self) -> Option<(&'static str, Vec<u8>)> {
        self.every?;
        let series = |output: &Output| Series {
            path: output.path(),
            runs: StepRun::split(&output.steps),
        };
        let all: Vec<Series> = self.outputs.iter().map(series).collect();
        Some((
            MEMORY,
            postcard::to_allocvec(&all).expect("steps are plain numbers"),
        ))
    }

    /// Restores the steps written for each series from `memory`, the sections of a checkpoint
    /// written after `step` steps, so that the list of a series contains earlier files.
    pub(in crate::cli) fn go_on(
        &mut self,
        memory: &BTreeMap<String, Vec<u8>>,
        step: u64,
    ) -> anyhow::Result<()> {
        let Some(bytes) = memory.get(MEMORY).filter(|_| self.every.is_some()) else {
            return Ok(());
        };
        let wrong = || anyhow::anyhow!("the checkpoint's section \"series\" is not right");
        let all: Vec<Series> = postcard::from_bytes(bytes).map_err(|_| wrong())?;
        for output in &mut self.outputs {
            let Some(series) = all.iter().find(|series| series.path == output.path()) else {
                continue;
            };
            let steps = StepRun::steps(&series.runs, step).ok_or_else(wrong)?;
            // A list names existing files only. The list counts as begun even without a step: an
            // interrupted run wrote its last step.
            output.is_begun = true;
            output.steps = steps
                .into_iter()
                .filter(|&step| output.numbered(step).exists())
                .collect();
        }
        Ok(())
    }

    /// Fails if an output file cannot be written or exists already; files that this run has written
    /// for a series may exist.
    pub(in crate::cli) fn check_files(&self) -> anyhow::Result<()> {
        for output in &self.outputs {
            let Some(every) = self.every else {
                check_free(output.file.path(), self.existing)?;
                continue;
            };
            if !output.is_begun {
                output
                    .file
                    .list()
                    .map_or(Ok(()), |list| check_free(&list, self.existing))?;
            }
            if output.steps.last() != Some(&self.steps) {
                check_free(&output.numbered(self.steps), self.existing)?;
            }
            // One file has shown that the folder is writable; for the others only existence is
            // checked.
            let next = output.steps.last().map_or(0, |step| step / every) + 1;
            let taken = (next..=self.steps / every)
                .map(|n| output.numbered(n * every))
                .find(|path| path.exists());
            taken.map_or(Ok(()), |path| check_free(&path, self.existing))?;
        }
        Ok(())
    }

    /// Reads the image that is draped over the ground, if at least one output file (.glb) contains
    /// that image.
    pub(in crate::cli) fn take_drape(
        &mut self,
        scene: &Scene,
        stage: &BuiltScene,
    ) -> anyhow::Result<()> {
        let is_shown = |output: &Output| ending(output.file.path()) == "glb";
        if self.outputs.iter().any(is_shown) {
            self.skin.drape = scene.drape(stage)?;
        }
        Ok(())
    }

    /// Returns true if the series has a file for the step `step`.
    pub(in crate::cli) fn is_due(&self, step: u64) -> bool {
        self.every.is_some_and(|every| step.is_multiple_of(every))
    }

    /// Writes the file of the present step for each series for which a file is due.
    pub(in crate::cli) fn after_step(
        &mut self,
        simulation: &Simulation,
        site: &Site,
    ) -> anyhow::Result<()> {
        if self.is_due(simulation.steps()) {
            self.write(simulation, site)
        } else {
            Ok(())
        }
    }

    /// Writes the files of the last completed step, which may be earlier than planned, and prints
    /// their paths unless `quiet`.
    pub(in crate::cli) fn finish(
        &mut self,
        simulation: &Simulation,
        site: &Site,
        quiet: bool,
    ) -> anyhow::Result<()> {
        self.write(simulation, site)?;
        if !quiet && !self.outputs.is_empty() {
            self.tell(simulation);
        }
        Ok(())
    }

    fn write(&mut self, simulation: &Simulation, site: &Site) -> anyhow::Result<()> {
        if self.outputs.is_empty() {
            return Ok(());
        }
        let (world, step) = (simulation.world(), simulation.steps());
        let _held = world.taken().held();
        let (seed, time_s) = (simulation.seed(), simulation.time_s());
        let about = Provenance {
            scene: self.scene.clone(),
            seed,
            step,
            time_s,
            ..Provenance::default()
        };
        let shot = ExportState {
            world,
            site,
            about: &about,
            state: world.state_hash(),
        };
        for output in &mut self.outputs {
            let written = match self.every {
                None => output.file.write(&shot, &self.skin, self.existing),
                Some(_) if output.steps.last() == Some(&step) => Ok(()),
                Some(_) => output.add(&shot, &self.skin, self.existing),
            };
            let before = output.steps.len();
            match written {
                Err(e) if before > 0 => {
                    return Err(e).context(format!("the {before} files before are complete"));
                }
                written => written?,
            }
        }
        Ok(())
    }

    /// Prints messages about materials without cells and about an early end of the run, and the
    /// paths of the written files.
    fn tell(&self, simulation: &Simulation) {
        let step = simulation.steps();
        for layer in simulation
            .world()
            .layers()
            .iter()
            .filter(|layer| layer.mass() == 0)
        {
            let name = &layer.material().name;
            messages::note(&format!(
                "there is no {name} after the last step: its volumes and meshes are empty"
            ));
        }
        if step < self.steps {
            messages::note(&format!(
                "stopped after step {step}; these files are complete up to there:"
            ));
        }
        for output in &self.outputs {
            let files = output.steps.len();
            if self.every.is_none() {
                messages::note(&format!("{} (step {step})", output.file.path().display()));
                continue;
            }
            let all = output.file.path().with_file_name(output.name_of("*"));
            let list = output.file.list().map_or(String::new(), |list| {
                format!(", listed in {}", list.display())
            });
            messages::note(&format!(
                "{} ({files} files, the last of step {step}{list})",
                all.display()
            ));
        }
    }
}
