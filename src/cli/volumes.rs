//! Volumes and meshes that `lavoxel run` writes: the last step, or a series of steps.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use lavoxel::export::mesh::{Skin, need_of_glb, write_glb, write_ply};
use lavoxel::export::{About, ExportError, ExportState, check_vti, write_pvd, write_vdb, write_vti};
use lavoxel::grid::Grid;
use lavoxel::map::Site;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, check_free};
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;

use super::{count, say};

/// Most files of a series.
const MAX_FILES: u64 = 100_000;

/// Flags that write volumes and meshes.
#[derive(Args, Debug, Default)]
pub(super) struct VolumeArgs {
    /// Write materials and ground as a volume, its format chosen by the ending: .vti (ParaView), .vdb (OpenVDB for Blender and
    /// Houdini); repeatable
    #[arg(long, value_name = "FILE")]
    volume: Vec<PathBuf>,

    /// Write the surfaces of the materials as a mesh, its format chosen by the ending: .glb (glTF, with the ground), .ply;
    /// repeatable
    #[arg(long, value_name = "FILE")]
    mesh: Vec<PathBuf>,

    /// Write volumes and meshes after every N steps, as NAME_STEP.ext (and NAME.pvd for a series of .vti), not only
    /// after the last
    #[arg(long, value_name = "N", value_parser = count::interval, allow_negative_numbers = true)]
    export_every: Option<u64>,
}

/// The formats, chosen by the ending of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Vti,
    Vdb,
    Glb,
    Ply,
}

impl Format {
    /// The format of a file that is given to `flag`, one of `known`.
    fn of(path: &Path, flag: &str, known: &[(&str, Self)]) -> anyhow::Result<Self> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let found = known.iter().find(|(name, _)| *name == ending).map(|(_, format)| *format);
        let names: Vec<String> = known.iter().map(|(name, _)| format!(".{name}")).collect();
        let (path, names) = (path.display(), names.join(" and "));
        found.with_context(|| format!("{flag} {path}: no format ends in {ending:?}; known are {names}"))
    }
}

impl VolumeArgs {
    /// Checks, before the work begins, that every file can be written.
    pub(super) fn check(&self, scene: &Scene, steps: u64, existing: Existing) -> anyhow::Result<Exports> {
        let mut outputs: Vec<Output> = Vec::new();
        let volumes = self.volume.iter().map(|path| (path, "--volume", [("vti", Format::Vti), ("vdb", Format::Vdb)]));
        let meshes = self.mesh.iter().map(|path| (path, "--mesh", [("glb", Format::Glb), ("ply", Format::Ply)]));
        for (path, flag, known) in volumes.chain(meshes) {
            let format = Format::of(path, flag, &known)?;
            let twice = outputs.iter().any(|other| other.path == *path);
            anyhow::ensure!(!twice, "{flag} {}: two outputs cannot have the same name", path.display());
            if format == Format::Vti {
                check_vti(path, scene.spec.grid.grid()?.cells())?;
            }
            outputs.push(Output { path: path.clone(), format, steps: Vec::new() });
        }
        if let Some(every) = self.export_every {
            anyhow::ensure!(!outputs.is_empty(), "--export-every {every}: name what to write with --volume or --mesh");
            let files = steps.div_ceil(every);
            let least = steps.div_ceil(MAX_FILES);
            let mend = format!("at most {MAX_FILES} are written; pass --export-every {least} or more");
            anyhow::ensure!(files <= MAX_FILES, "--export-every {every}: this would be {files} files, and {mend}");
        }
        let palette = scene.spec.look.palette.build("look.palette")?;
        let skin = Skin { level: scene.spec.look.iso, palette };
        let name = scene.spec.name.clone();
        let exports = Exports { outputs, every: self.export_every, steps, existing, skin, scene: name };
        exports.check_files()?;
        Ok(exports)
    }
}

/// A file, or a series of files, that is written during a run.
struct Output {
    path: PathBuf,
    format: Format,
    /// Steps that were written.
    steps: Vec<u64>,
}

impl Output {
    /// Where a step of a series goes.
    fn numbered(&self, step: u64) -> PathBuf {
        self.path.with_file_name(self.name_of(&format!("{step:06}")))
    }

    /// The name of a file of a series.
    fn name_of(&self, number: &str) -> OsString {
        let mut name = self.path.file_stem().unwrap_or_default().to_owned();
        name.push(format!("_{number}."));
        name.push(self.path.extension().unwrap_or_default());
        name
    }

    /// The list of a series, for the format that has one.
    fn list(&self) -> Option<PathBuf> {
        (self.format == Format::Vti).then(|| self.path.with_extension("pvd"))
    }

    /// Writes a step into a file of its own, and puts it on the list.
    fn add(&mut self, shot: &ExportState<'_>, skin: &Skin, existing: Existing) -> Result<(), ExportError> {
        self.write(&self.numbered(shot.about.step), shot, skin, existing)?;
        // The list is ours after the first time.
        let list_existing = if self.steps.is_empty() { existing } else { Existing::Replace };
        self.steps.push(shot.about.step);
        let Some(list) = self.list() else { return Ok(()) };
        let name = |step: &u64| (*step, self.name_of(&format!("{step:06}")).to_string_lossy().into_owned());
        write_pvd(&list, &self.steps.iter().map(name).collect::<Vec<_>>(), list_existing)
    }

    fn write(&self, path: &Path, shot: &ExportState<'_>, skin: &Skin, existing: Existing) -> Result<(), ExportError> {
        match self.format {
            Format::Vti => write_vti(path, shot, existing),
            Format::Vdb => write_vdb(path, shot, existing),
            Format::Glb => write_glb(path, shot, skin, existing),
            Format::Ply => write_ply(path, shot, skin, existing),
        }
    }
}

/// Everything that is written during a run.
pub(super) struct Exports {
    outputs: Vec<Output>,
    every: Option<u64>,
    /// Steps of the whole run.
    steps: u64,
    existing: Existing,
    skin: Skin,
    scene: String,
}

impl Exports {
    /// The files to write, without the numbers of a series.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.outputs.iter().map(|output| output.path.as_path())
    }

    /// Memory that the largest of the files takes at least while it is written, besides the world.
    pub(super) fn need(&self, grid: Grid) -> MemoryEstimate {
        let has_ground = self.outputs.iter().any(|output| output.format == Format::Glb);
        if has_ground { need_of_glb(grid) } else { MemoryEstimate::default() }
    }

    /// Refuses files that are there or cannot be written.
    fn check_files(&self) -> anyhow::Result<()> {
        for output in &self.outputs {
            let Some(every) = self.every else {
                check_free(&output.path, self.existing)?;
                continue;
            };
            output.list().map_or(Ok(()), |list| check_free(&list, self.existing))?;
            check_free(&output.numbered(self.steps), self.existing)?;
            // One file has shown that the folder can be written; of the rest only the names matter.
            let taken = (1..=self.steps / every).map(|n| output.numbered(n * every)).find(|path| path.exists());
            taken.map_or(Ok(()), |path| check_free(&path, self.existing))?;
        }
        Ok(())
    }

    /// Whether files of a step are to be written.
    pub(super) fn is_due(&self, step: u64) -> bool {
        self.every.is_some_and(|every| step.is_multiple_of(every))
    }

    /// Writes the step if it is one of a series.
    pub(super) fn after_step(&mut self, simulation: &Simulation, site: &Site) -> anyhow::Result<()> {
        if self.is_due(simulation.steps()) { self.write(simulation, site) } else { Ok(()) }
    }

    /// Writes the last step, wherever the run ended, and says what was written.
    pub(super) fn finish(&mut self, simulation: &Simulation, site: &Site, quiet: bool) -> anyhow::Result<()> {
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
        let about = About { scene: self.scene.clone(), seed: simulation.seed(), step };
        let shot = ExportState { world, site, about: &about, state: world.state_hash() };
        for output in &mut self.outputs {
            let written = match self.every {
                None => output.write(&output.path, &shot, &self.skin, self.existing),
                Some(_) if output.steps.last() == Some(&step) => Ok(()),
                Some(_) => output.add(&shot, &self.skin, self.existing),
            };
            let before = output.steps.len();
            match written {
                Err(e) if before > 0 => return Err(e).context(format!("the {before} files before are complete")),
                written => written?,
            }
        }
        Ok(())
    }

    /// Says what happened, and then what was written.
    fn tell(&self, simulation: &Simulation) {
        let step = simulation.steps();
        for layer in simulation.world().layers().iter().filter(|layer| layer.mass() == 0) {
            let name = &layer.material().name;
            say::note(&format!("there is no {name} after the last step: its volumes and meshes are empty"));
        }
        if step < self.steps {
            say::note(&format!("stopped after step {step}; these files are complete up to there:"));
        }
        for output in &self.outputs {
            let files = output.steps.len();
            if self.every.is_none() {
                say::note(&format!("{} (step {step})", output.path.display()));
                continue;
            }
            let all = output.path.with_file_name(output.name_of("*"));
            let list = output.list().map_or(String::new(), |list| format!(", listed in {}", list.display()));
            say::note(&format!("{} ({files} files, the last of step {step}{list})", all.display()));
        }
    }
}
