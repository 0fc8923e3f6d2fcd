//! Checkpoints: the complete state of a simulation in one file.
//!
//! A checkpoint is self-contained: the ground is included, so that no heightmap is read again.
//! [`CheckpointWriter`] writes a checkpoint, [`Checkpoint`] reads a checkpoint, and [`Keeper`]
//! keeps the last two of a long run on disk.
//!
//! - Invariant: the steps after resuming give the same bits as those of a run that was never
//!   stopped.
//! - Invariant: one checkpoint of a [`Keeper`] is complete at any moment.
//!
//! # Format
//!
//! Numbers are little-endian, and checksums are xxh3-64.
//!
//! ```text
//! 8 bytes   "L" 0xe4 "VOXC" 13 10
//! u16       version of the format, 6
//! name      version of the program that wrote it; a name is its length (u8) and ASCII
//! sections  name, then blocks (u32 length, u32 packed length, u64 checksum of the packed bytes, LZ4 block) of at most
//!           256 KiB unpacked, then u32 0
//! end       the empty name, and u64 checksum of all bytes before it
//! ```
//!
//! | section | holds |
//! |---|---|
//! | `header` | TOML: the scene's name, steps made, stages of a step that was cut, seed, size, numbers of the vents, site of the box, progress of each goal, and account of each material |
//! | `scene` | TOML: the scene, with all vents and events, past and to come, as [`Scene::recorded`] writes it |
//! | `ground` | the height of each column as f32, x fastest; u32 number of columns with caves, and for each its number (u32) and its solid cells as bits (u64 each 64 cells, from the floor) |
//! | `lava` | for each tile of 8 × 1 × 4 cells that holds lava, by z, y, x: u16 x, y, z in tiles, u32 bits of the cells that hold lava (bit 8 · (z mod 4) + x mod 8), and amount and energy of each of those as u16 |
//! | `material:NAME` | tiles of each further material in the same layout, in the order of the layers, without energies |
//! | `air` | where the scene has one: its accounts, the ash on the ground, solid cells, its fields, and the state of its solver |
//! | `flow` | in a scene of the physical model: the state of the flow, as postcard writes [`lavoxel_flow::FlowState`] |
//! | further sections | the bytes of [`CheckpointWriter::extras`] |
//!
//! Rules and seed in force are not written: they follow from the scene and its events.
//!
//! Reading checks everything: sizes are bounded by the simulation box, memory is checked
//! ([`lavoxel_base::memory`]) before it is allocated, and every invariant of the world is verified,
//! so that no file can make a later step fail.

mod air;
mod error;
mod flow;
mod ground;
mod header;
mod keeper;
mod layer;
mod sections;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

pub use self::error::{CheckpointError, Fault};
use self::header::Header;
pub use self::keeper::{Keeper, previous, steps_of};
use self::sections::{SectionReader, SectionWriter, is_name};
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::world::World;
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input::{self, CHECKPOINT, InputError};
use lavoxel_files::output::OutputError;
use lavoxel_scene::scene::{BuiltScene, MAX_FILE, Scene, SceneError};
use lavoxel_sim::state::{State, StatePart};

/// Format version of checkpoints that this program reads and writes; other versions are rejected.
pub const FORMAT: u16 = 7;

/// Advice to the user in the message about a checkpoint that exceeds the memory limit.
const MEND: &str = "go on with it on a larger machine";

/// Upper bound on the length of the header section of a checkpoint, in bytes.
const MAX_HEADER: u64 = 1 << 24;

/// Upper bound on the number of extra sections in a checkpoint.
const MAX_EXTRAS: usize = 16;

/// Names of the text sections, in the order in which a file contains them before the sections of
/// the state.
const TEXTS: [&str; 2] = ["header", "scene"];

/// Returns the upper bound on the size of an extra section in bytes; leaves room for several maps
/// per material with one value per column.
fn max_extra(grid: Grid, scene: &Scene) -> u64 {
    (1 << 20) + (64 + 16 * scene.spec.other_materials() as u64) * grid.columns() as u64
}

/// Contents of a checkpoint that is to be written.
#[derive(Clone, Copy)]
pub struct CheckpointWriter<'a> {
    /// Scene from which the simulation `stage` was built.
    pub scene: &'a Scene,
    /// Simulation to be saved, together with the position of its box on the map.
    pub stage: &'a BuiltScene,
    /// Sections that the caller adds, as pairs of name (ASCII letters) and bytes; after reading,
    /// they are in `Checkpoint::extras`.
    pub extras: &'a [(&'a str, Vec<u8>)],
}

impl CheckpointWriter<'_> {
    /// Writes the checkpoint to `out`. `path` is the final path of the file; paths of heightmaps in
    /// the scene are stored relative to the folder of `path`.
    ///
    /// # Errors
    /// [`CheckpointError::Scene`] and [`CheckpointError::TooLarge`] before anything is written, and
    /// [`CheckpointError::Output`].
    ///
    /// # Panics
    /// If there are more than 16 extra sections, or their names are not different words of at most
    /// 32 ASCII letters.
    pub fn write(&self, path: &Path, out: impl Write) -> Result<(), CheckpointError> {
        self.check_names();
        let texts = self.texts(path)?;
        let most = max_extra(self.stage.simulation.world().grid(), self.scene);
        let extras = self
            .extras
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice(), most));
        let parts = [
            (TEXTS[0], texts[0].as_bytes(), MAX_HEADER),
            (TEXTS[1], texts[1].as_bytes(), MAX_FILE),
        ];
        for (section, bytes, limit) in parts.into_iter().chain(extras) {
            if bytes.len() as u64 > limit {
                return Err(CheckpointError::TooLarge {
                    path: path.to_owned(),
                    section: section.to_owned(),
                    limit,
                });
            }
        }
        Ok(self
            .write_sections(&texts, out)
            .map_err(|cause| OutputError::io(path, cause))?)
    }

    fn check_names(&self) {
        assert!(
            self.extras.len() <= MAX_EXTRAS,
            "{} extras are too many",
            self.extras.len()
        );
        for (i, (name, _)) in self.extras.iter().enumerate() {
            let own = is_own(name);
            let twice = own || self.extras[..i].iter().any(|(other, _)| other == name);
            assert!(
                is_name(name) && !twice,
                "\"{name}\" cannot be the name of another section"
            );
        }
    }

    /// Iterates over ground, layers, air and flow of the state, in the order of their sections in
    /// the file.
    fn parts(&self) -> impl Iterator<Item = StatePart<'_>> {
        self.stage.simulation.world().view().parts()
    }

    /// Returns the header and the scene as TOML texts. `path`: path of the checkpoint file, for
    /// relative paths in the scene and for messages.
    fn texts(&self, path: &Path) -> Result<[String; 2], CheckpointError> {
        let mut scene = self.scene.with_course_of(&self.stage.simulation);
        // The header holds the seed, which may exceed the integers of a scene file.
        scene.spec.seed = 0;
        let words = scene
            .to_toml(path)
            .and_then(|scene| Ok([Header::new(self).to_toml(path)?, scene]));
        words.map_err(|cause| CheckpointError::Scene(Box::new(cause)))
    }

    fn write_sections(&self, texts: &[String; 2], out: impl Write) -> io::Result<()> {
        let mut writer = SectionWriter::new(out)?;
        for (name, text) in TEXTS.iter().zip(texts) {
            writer.section(name)?;
            writer.add(text.as_bytes())?;
            writer.end_section()?;
        }
        for part in self.parts() {
            writer.section(&part.name())?;
            match part {
                StatePart::Ground(ground) => ground::write(ground, &mut writer)?,
                StatePart::Layer(layer) => layer::write(layer, &mut writer)?,
                StatePart::Air(air) => air::write(air, &mut writer)?,
                StatePart::Flow(flow) => flow::write(flow, &mut writer)?,
            }
            writer.end_section()?;
        }
        for (name, bytes) in self.extras {
            writer.section(name)?;
            writer.add(bytes)?;
            writer.end_section()?;
        }
        writer.finish()
    }
}

/// Contents of a checkpoint that was read and verified.
pub struct Checkpoint {
    /// Scene of the checkpoint, with all vents and events, past and future.
    pub scene: Scene,
    /// Simulation at the saved step, together with the position of its box on the map.
    pub stage: BuiltScene,
    /// Sections that the writer's caller added: bytes by section name.
    pub extras: BTreeMap<String, Vec<u8>>,
}

impl Checkpoint {
    /// Reads the checkpoint file at `path`. The returned simulation computes its next steps with
    /// `engine`.
    ///
    /// # Errors
    /// [`CheckpointError::Unusable`] with the reason.
    pub fn load(path: &Path, engine: Box<dyn Engine>) -> Result<Self, CheckpointError> {
        let unusable = |error: InputError| CheckpointError::Unusable {
            path: path.to_owned(),
            fault: Fault::Read(error.into()),
        };
        let read = || {
            let (file, _) = CHECKPOINT.open(path).map_err(unusable)?;
            Self::read(BufReader::with_capacity(1 << 16, file), path, engine)
        };
        input::guard(read).map_err(unusable)?
    }

    /// Reads a checkpoint from `input`. `path` is the file of the input, used in messages and for
    /// relative paths of the scene. The returned simulation computes its next steps with `engine`.
    ///
    /// # Errors
    /// [`CheckpointError::Unusable`] with the reason.
    pub fn read(
        input: impl Read,
        path: &Path,
        engine: Box<dyn Engine>,
    ) -> Result<Self, CheckpointError> {
        read(input, path, engine).map_err(|fault| CheckpointError::Unusable {
            path: path.to_owned(),
            fault,
        })
    }
}

fn read(input: impl Read, path: &Path, engine: Box<dyn Engine>) -> Result<Checkpoint, Fault> {
    let reader = &mut SectionReader::new(input)?;
    expect(reader, TEXTS[0])?;
    let mut header = Header::parse(reader.read_to_end(MAX_HEADER)?)?;
    expect(reader, TEXTS[1])?;
    let scene = header.scene(reader.read_to_end(MAX_FILE)?, path)?;
    let grid = header.grid();
    let (state, before) = read_state(&scene, &header, reader)?;
    let mut extras = BTreeMap::new();
    let mut held = 0;
    while let Some(name) = reader.next_section()? {
        before
            .clone()
            .and(MemoryEstimate::new("its further sections", held, 1.0))
            .check(MEND)?;
        let bytes = reader.read_to_end(max_extra(grid, &scene))?;
        held += bytes.len();
        if is_own(&name) || extras.len() == MAX_EXTRAS || extras.insert(name, bytes).is_some() {
            return Err(reader.damaged("one section too many"));
        }
    }
    // Files of past events are not needed again.
    let held = before
        .and(MemoryEstimate::new("its further sections", held, 1.0))
        .held();
    let events = scene
        .events_on(&mut scene.shelf(&header.place.site(grid)), header.step + 1)
        .map_err(|cause| match cause {
            SceneError::Invalid { invalid, .. } => Fault::damaged("scene", invalid),
            cause => Fault::Event(cause.to_string()),
        })?;
    drop(held);
    let vents: Option<Vec<_>> = scene.vents().map(|(_, vent)| vent.in_cells()).collect();
    let vents =
        vents.ok_or_else(|| Fault::damaged("scene", "a vent that is not given in cells"))?;
    let simulation = scene
        .simulation(state, &vents, engine)
        .resumed(
            events,
            (header.step, header.stages),
            &header.vent_numbers,
            header.next_vent,
        )
        .map_err(|invalid| Fault::damaged("scene", invalid))?
        .with_goals(header.goals(&scene)?);
    Ok(Checkpoint {
        scene,
        stage: header.place.stage(simulation),
        extras,
    })
}

/// Reads ground, layers, air and flow of the state of `scene` from `reader`, in the order of
/// `StatePart`. Returns the state and the memory that it occupies.
fn read_state<R: Read>(
    scene: &Scene,
    header: &Header,
    reader: &mut SectionReader<R>,
) -> Result<(State, MemoryEstimate), Fault> {
    let (grid, spec) = (header.grid(), &scene.spec);
    World::need(grid)
        .and(World::need_of_layers(grid, spec.other_materials()))
        .check(MEND)?;
    expect(reader, StatePart::GROUND)?;
    let ground = ground::read(grid, reader)?;
    let mut world =
        World::with_materials(ground, spec.materials.clone()).with_capacity(spec.grid.capacity);
    let mut before = MemoryEstimate::new("the ground", world.ground().bytes(), 1.0);
    for layer in &mut world.layers {
        expect(reader, &StatePart::Layer(layer).name())?;
        layer::read(layer, &before, reader)?;
        layer.ledger = header.ledger(&layer.material().name)?;
        before = before.and(MemoryEstimate::new("the matter", layer.bytes(), 1.0));
    }
    let mut state = State::from(world);
    if let Some(spec) = &spec.air {
        expect(reader, StatePart::AIR)?;
        before = before.and(spec.need(grid, header.place.cell_size_m()));
        before.clone().check(MEND)?;
        let mut air = spec
            .air(grid, header.place.cell_size_m())
            .map_err(|e| Fault::damaged("scene", e))?;
        air::read(&mut air, reader)?;
        state = state.with_air(air);
    }
    if let Some(spec) = &spec.flow_spec() {
        expect(reader, StatePart::FLOW)?;
        let flow = flow::read(
            (scene, spec),
            (state.ground(), &header.place.site(grid)),
            &before,
            reader,
        )?;
        before = before.and(MemoryEstimate::new("the flow", 1, flow.bytes() as f64));
        state = state.with_shown_flow(flow);
    }
    state
        .check()
        .map_err(|fault| Fault::damaged("matter", fault))?;
    Ok((state, before))
}

/// Returns true if `name` is the name of a text section or of a section of the state, which no
/// extra section may have.
fn is_own(name: &str) -> bool {
    TEXTS.contains(&name) || StatePart::has_name(name)
}

/// Starts the next section of `reader`. Fails if the section is not named `name`.
fn expect<R: Read>(reader: &mut SectionReader<R>, name: &str) -> Result<(), Fault> {
    match reader.next_section()? {
        Some(found) if found == name => Ok(()),
        Some(found) => Err(Fault::damaged(
            &found,
            format!("found where its {name} should be, which its scene needs before it"),
        )),
        None => Err(Fault::damaged(
            name,
            "it is missing, and its scene needs it",
        )),
    }
}
