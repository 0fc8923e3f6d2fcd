//! Scenes: TOML files that describe a simulation and its pictures.
//!
//! [`SceneSpec`] is the scene file as written, with a default for every key; [`Scene`] is a
//! validated scene with the folder of its files. `terrains/volcano.toml` is the built-in scene and
//! shows the most important keys. Positions that depend on the ground, such as a [vent](VentTable)
//! in map coordinates, are converted to cells in [`Scene::build`].

mod barrier;
mod bodies;
mod defaults;
mod drape;
mod error;
mod flow;
mod from_blocks;
mod from_heightmap;
mod heater;
mod lava;
mod lava_keys;
mod listing;
mod melting;
mod need;
mod open;
mod overrides;
pub mod pack;
mod random;
mod rates;
mod refine;
mod replay;
mod save;
mod schema;
mod spec;
mod start;
mod summary;
mod time;
mod vent;
mod warnings;
mod wording;

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::de::DeTable;

pub use self::barrier::{Barrier, BarrierSpec};
use self::defaults::Added;
pub use self::defaults::{DEFAULT_REACTIONS, DefaultReactions};
pub use self::error::SceneError;
pub use self::flow::{FlowSpec, Model};
pub use self::from_blocks::BLOCKS;
pub use self::heater::HeaterSpec;
pub use self::lava::LavaSpec;
use self::lava_keys::take_lava;
pub use self::listing::other_keys;
pub use self::need::reading;
pub use self::open::{Overrides, VentOverride};
pub use self::overrides::{NumberKey, Template};
pub use self::random::RandomVolcano;
pub use self::rates::unix_seconds;
pub use self::refine::MOST_FINER;
pub use self::schema::schema;
pub use self::spec::{GridSpec, SceneSpec};
pub use self::start::StartSpec;
pub use self::summary::Edge;
pub use self::time::Seconds;
pub use self::vent::{RatesFiles, VentPlace, VentRadius, VentTable};
pub use crate::film::FilmSpec;
use lavoxel_automaton::engine::Engine;
use lavoxel_automaton::matter::{Kind, Material, Reaction, check_known};
/// Edit of the world before the first step: puts matter into a shape in the simulation box, or
/// removes matter.
pub use lavoxel_automaton::world::Edit as BodySpec;
use lavoxel_automaton::world::{CellMeasure, ColumnQuantity, Ground, Matter, Quantity, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_base::param::Table;
use lavoxel_base::validate::{Invalid, within};
use lavoxel_files::archive;
use lavoxel_files::input;
use lavoxel_geo::map::Site;
use lavoxel_geo::terrain::{CellSize, Surface, TerrainError, summit};
use lavoxel_sim::goals::{Goals, MAX_GOALS};
use lavoxel_sim::lowpass::LowPass;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
use lavoxel_sim::simulation::system_clock;
use lavoxel_sim::simulation::{Event, MAX_EVENTS, Simulation};
use lavoxel_sim::source::{FUME, VentSpec, check_vents};
use lavoxel_sim::state::State;

/// TOML text of the built-in scene, with comments.
pub const VOLCANO: &str = include_str!("../../../../terrains/volcano.toml");

/// Upper bound on the length of a scene file in bytes. A long session with a brush takes a few
/// megabytes.
pub const MAX_FILE: u64 = input::SCENE.most_bytes;

/// Upper bound on the number of threads that a scene may ask for.
pub const MAX_THREADS: usize = 1024;

/// Upper bound on the number of bodies in a scene.
const MAX_BODIES: usize = 10_000;

/// Validated scene, with the paths that its messages and relative file names need.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Keys of the scene, including those that default reactions added.
    pub spec: SceneSpec,
    /// Folder to which file names in the scene are relative.
    folder: PathBuf,
    /// Path of the scene file, for error messages; a descriptive text if the scene comes from no
    /// file.
    origin: PathBuf,
    /// Automatic choices for a heightmap or blocks that were opened without a scene, one sentence
    /// each.
    choices: Vec<String>,
    /// Materials and reactions that the default reactions have added to `spec`.
    added: Added,
    /// Distance in cells by which the simulation box is moved on its heightmap, to the east and to
    /// the south; see [`Scene::shifted`].
    shift: [f64; 2],
}

impl Scene {
    /// Returns the scene of the built-in volcano without air, for files, benchmarks and programs.
    /// The window opens [`Self::eruption`] instead.
    pub fn volcano() -> Self {
        Self::built_in(VOLCANO, "(built-in volcano)")
    }

    /// Returns the scene with which the window opens: the built-in volcano with open sides and
    /// smoke from its crater.
    pub fn eruption() -> Self {
        Self::built_in(
            include_str!("../../../../terrains/eruption.toml"),
            "(built-in eruption)",
        )
    }

    fn built_in(text: &str, origin: &str) -> Self {
        // No memory check: the text has a fixed length, and building the scene is checked as usual.
        Self::read(text, Path::new(origin))
            .and_then(|scene| scene.with_defaults(text))
            .expect("a test reads the built-in scenes")
    }

    /// Returns the path of the file `file`, which the scene names relative to its folder.
    pub fn path_of(&self, file: &Path) -> PathBuf {
        self.folder.join(file)
    }

    /// Returns the materials of the world's layers, in the order of the layers.
    pub fn materials(&self) -> Vec<Material> {
        Material::with_lava(self.spec.materials.clone())
    }

    /// Returns the quantities per cell (such as the amount of lava) that a world of this scene
    /// provides.
    pub fn quantities(&self) -> Vec<Quantity> {
        Quantity::of_cells(
            &self.materials(),
            self.spec.model == Model::Flow,
            self.spec.air.is_some(),
        )
    }

    /// Returns the quantity that a slice shows by default: the amount of lava; without lava, the
    /// amount of the first material; in a scene with air only, the ash in the air.
    pub fn usual_quantity(&self) -> Quantity {
        let others = Material::besides_lava(&self.spec.materials)
            .next()
            .map(|material| Quantity::new(CellMeasure::Amount, &material.name));
        let ash = || {
            self.spec
                .air
                .as_ref()
                .map(|_| Quantity::new(CellMeasure::Ash, "air"))
        };
        let without_lava = (!self.spec.has_lava())
            .then(|| others.or_else(ash))
            .flatten();
        without_lava.unwrap_or_default()
    }

    /// Returns the quantities per column (such as the thickness of lava) that a world of this scene
    /// provides for maps.
    pub fn column_quantities(&self) -> Vec<ColumnQuantity> {
        let flow = self.spec.flow_spec();
        Quantity::of_columns(
            &self.materials(),
            flow.as_ref().map(|flow| flow.lava.lava.melts()),
            self.spec.air.is_some(),
        )
    }

    /// Reads and validates the scene file at `path`; for a session file, the scene in it.
    ///
    /// # Errors
    /// [`SceneError`] if the file cannot be read or the scene is invalid.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        match archive::is_session(path) {
            true => Self::load(&path.join(pack::SCENE)),
            false => Self::parse(&Self::text_of(path)?, path),
        }
    }

    /// Reads the text of the scene file at `path`; for a session file, the text of the scene in it.
    ///
    /// # Errors
    /// [`SceneError`] if the file cannot be read, is not UTF-8 text, or is too long.
    pub fn text_of(path: &Path) -> Result<String, SceneError> {
        if archive::is_session(path) {
            return Self::text_of(&path.join(pack::SCENE));
        }
        input::check_regular_or_pipe(path).map_err(|what| SceneError::NotRegular {
            path: path.to_owned(),
            what,
        })?;
        let read = || -> std::io::Result<Vec<u8>> {
            if let Some(inside) = archive::file(path) {
                return inside.map(|inside| inside.bytes.into_owned());
            }
            let mut bytes = Vec::new();
            input::SCENE
                .open_or_pipe(path)?
                .take(MAX_FILE + 1)
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = read().map_err(|cause| SceneError::Read {
            path: path.to_owned(),
            cause,
        })?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(SceneError::TooLong {
                path: path.to_owned(),
                limit: MAX_FILE,
            });
        }
        String::from_utf8(bytes).map_err(|e| SceneError::NotText {
            path: path.to_owned(),
            byte: e.utf8_error().valid_up_to(),
        })
    }

    /// Parses and validates the scene text `text` and adds the default reactions. File names in the
    /// text are relative to the folder of `origin`, the path of the scene file.
    ///
    /// # Errors
    /// [`SceneError`] if the scene is invalid.
    pub fn parse(text: &str, origin: &Path) -> Result<Self, SceneError> {
        Self::parse_written(text, origin)?.with_defaults(text)
    }

    fn with_defaults(mut self, text: &str) -> Result<Self, SceneError> {
        self.take_defaults()
            .map_err(|invalid| SceneError::in_text(&self.origin, text, invalid))?;
        Ok(self)
    }

    /// Parses and validates the scene text `text` of a checkpoint. Default reactions are not added,
    /// because the text contains all reactions. `origin`: path for messages and relative file
    /// names.
    ///
    /// # Errors
    /// [`SceneError`] if the scene is invalid.
    pub fn parse_written(text: &str, origin: &Path) -> Result<Self, SceneError> {
        need::reading(text)
            .check("make the scene's file shorter")
            .map_err(|cause| SceneError::Memory {
                path: origin.to_owned(),
                cause,
            })?;
        Self::read(text, origin)
    }

    /// Parses and validates the scene text `text`, without adding default reactions; `origin`: path
    /// for messages and relative file names. The caller has checked the memory limit.
    fn read(text: &str, origin: &Path) -> Result<Self, SceneError> {
        let wrong = |e| SceneError::from_toml(origin, text, &e);
        let mut tables = DeTable::parse(text).map_err(wrong)?;
        let moved = take_lava(tables.get_mut(), (origin, text))?;
        let mut spec = SceneSpec::deserialize(toml::Deserializer::from(tables)).map_err(wrong)?;
        spec.take_duration();
        spec.take_melting();
        let folder = origin.parent().unwrap_or(Path::new("")).to_owned();
        let scene = Self {
            spec,
            folder,
            origin: origin.to_owned(),
            choices: Vec::new(),
            added: Added::default(),
            shift: [0.0; 2],
        };
        let scene = scene.with_rates(text)?;
        scene
            .check()
            .map_err(|invalid| SceneError::in_text(origin, text, moved.as_written(invalid)))?;
        Ok(scene)
    }

    /// Returns the error for the invalid value `invalid` of this scene, with the path of the
    /// scene's file.
    fn invalid(&self, invalid: Invalid) -> SceneError {
        SceneError::Invalid {
            path: self.origin.clone(),
            invalid,
        }
    }

    /// Validates the scene again after a change of `spec`.
    pub fn validate(&self) -> Result<(), SceneError> {
        self.check().map_err(|invalid| self.invalid(invalid))
    }

    fn check(&self) -> Result<(), Invalid> {
        let spec = &self.spec;
        let grid = spec.grid.grid()?;
        Table::check(spec, "")?;
        spec.terrain.validate()?;
        spec.check_model()?;
        spec.check_heaters()?;
        self.check_barriers()?;
        spec.rules.validate("rules")?;
        let counted = [
            ("body", spec.bodies.len(), MAX_BODIES),
            ("event", spec.events.len(), MAX_EVENTS),
            ("goal", spec.goals.len(), MAX_GOALS),
        ];
        for (name, parts, most) in counted {
            within(
                &format!("number of [[{name}]] tables"),
                parts as f64,
                0.0,
                most as f64,
            )?;
        }
        Material::validate_all(&spec.materials)?;
        spec.check_shown()?;
        Reaction::validate_all(&spec.reactions, &self.materials())?;
        for (i, material) in spec.materials.iter().enumerate() {
            material.validate_depth(&format!("material[{i}]"), grid.ny)?;
        }
        for (key, vent) in self.vents() {
            vent.validate(&key, grid)?;
        }
        self.check_materials()?;
        self.check_air()?;
        // Vents in metres or map coordinates are checked later, when the terrain is known.
        let known: Vec<_> = self
            .vents()
            .filter_map(|(_, vent)| vent.in_cells())
            .collect();
        check_vents(known.iter(), grid)?;
        for (i, body) in spec.bodies.iter().enumerate() {
            body.validate(&format!("body[{i}]"))?;
        }
        for (i, goal) in spec.goals.iter().enumerate() {
            goal.validate(&format!("goal[{i}]"))?;
        }
        self.check_meshes()?;
        self.events()?;
        spec.camera.validate()?;
        spec.look.validate()?;
        spec.film.validate()
    }

    /// Iterates over the tables `[[vent]]`, `[[source]]` and `[[fume]]`, in this order, each with
    /// its name in messages, such as `vent[0]`.
    pub fn vents(&self) -> impl Iterator<Item = (String, Cow<'_, VentTable>)> {
        let named = |name: &'static str, list| {
            let list: &[VentTable] = list;
            list.iter()
                .enumerate()
                .map(move |(i, vent)| (format!("{name}[{i}]"), Cow::Borrowed(vent)))
        };
        let fumes = self.spec.fumes.iter().enumerate();
        let fume = |vent: &VentTable| {
            Cow::Owned(VentTable {
                material: Some(FUME.to_owned()),
                ..vent.clone()
            })
        };
        let fumes = fumes.map(move |(i, vent)| (format!("fume[{i}]"), fume(vent)));
        named("vent", &self.spec.vents)
            .chain(named("source", &self.spec.sources))
            .chain(fumes)
    }

    /// Checks the air table, and that a scene without air has no vent or edit that adds something
    /// to the air.
    fn check_air(&self) -> Result<(), Invalid> {
        let spec = &self.spec;
        if let Some(i) = spec.fumes.iter().position(|fume| fume.material.is_some()) {
            return Err(Invalid::new(
                &format!("fume[{i}].material"),
                "set",
                "left out: a fume only gives to the air",
            ));
        }
        if let Some(air) = &spec.air {
            air.validate()?;
            let materials = self.materials();
            let kinds = [
                ("air.steam", &air.steam, Kind::Gas, "a gas"),
                ("air.ash", &air.ash, Kind::Grain, "of grains"),
            ];
            for (key, name, kind, what) in kinds {
                check_kind((key, name.as_deref()), &materials, kind, what)?;
            }
            for (key, vent) in self.vents() {
                let inks = vent.air.as_ref().map_or(0, |about| about.inks.len());
                if inks > air.inks {
                    let expected =
                        format!("at most as many shares as air.inks, which is {}", air.inks);
                    return Err(Invalid::new(
                        &format!("{key}.air.inks"),
                        format!("{inks} shares"),
                        expected,
                    ));
                }
            }
            // If the cell size depends on the terrain file, the air is checked again when it is
            // created.
            return spec
                .grid
                .cell_size_m
                .map_or(Ok(()), |cell| air.grid(spec.grid.grid()?, cell).map(drop));
        }
        let gives = |(key, vent): (String, Cow<'_, VentTable>)| {
            (vent.air.is_some() || vent.is_fume()).then_some(key)
        };
        let stirs =
            |(key, edit): (String, &BodySpec)| matches!(edit.matter, Matter::Air(_)).then_some(key);
        match self
            .vents()
            .find_map(gives)
            .or_else(|| spec.edits().find_map(stirs))
        {
            Some(key) => Err(Invalid::new(
                &key,
                "for the air",
                "in a scene with an [air] table",
            )),
            None => Ok(()),
        }
    }

    /// Checks that no `[[vent]]` table names a material, and that all named materials exist.
    fn check_materials(&self) -> Result<(), Invalid> {
        let spec = &self.spec;
        let mut named = spec
            .vents
            .iter()
            .enumerate()
            .filter_map(|(i, vent)| Some((i, vent.material.as_ref()?)));
        if let Some((i, name)) = named.next() {
            let expected = "left out: a vent pours lava; other materials have [[source]] tables";
            return Err(Invalid::new(&format!("vent[{i}].material"), name, expected));
        }
        let sources = spec
            .sources
            .iter()
            .map(|source| source.material.as_deref().unwrap_or_default());
        let sources = sources
            .enumerate()
            .map(|(i, name)| (format!("source[{i}].material"), Some(name)));
        let edits = spec
            .edits()
            .map(|(key, edit)| (format!("{key}.matter.name"), edit.matter.material()));
        let changes = spec
            .events
            .iter()
            .enumerate()
            .filter_map(|(i, event)| Some((i, event.material.as_ref()?)));
        let changes = changes.map(|(i, change)| {
            (
                format!("event[{i}].material.name"),
                Some(change.name()).filter(|name| !name.is_empty()),
            )
        });
        let goals = spec
            .goals
            .iter()
            .map(|goal| Some(goal.material.as_str()).filter(|name| *name != Material::LAVA));
        let goals = goals
            .enumerate()
            .map(|(i, name)| (format!("goal[{i}].material"), name));
        let goes = spec
            .edits()
            .map(|(key, edit)| (format!("{key}.matter.of"), edit.matter.replaced()));
        for (key, name) in sources.chain(edits).chain(goes).chain(changes).chain(goals) {
            let Some(name) = name else { continue };
            check_known(
                &key,
                name,
                Material::besides_lava(&spec.materials).map(|material| material.name.as_str()),
            )?;
        }
        Ok(())
    }

    /// Returns the validated events of the scene. Shapes from files are not converted to cells yet.
    fn events(&self) -> Result<Vec<Event>, Invalid> {
        let events = self.spec.events.iter().enumerate();
        events
            .map(|(i, event)| event.event(&format!("event[{i}]")))
            .collect()
    }

    fn wrong_terrain(&self, cause: TerrainError) -> SceneError {
        SceneError::Terrain {
            path: self.origin.clone(),
            cause: Box::new(cause),
        }
    }

    /// Converts all vents of the scene to vents with positions in cells on the ground `ground` in a
    /// box of shape `grid`.
    fn vents_on(&self, ground: &Surface, grid: Grid) -> Result<Vec<VentSpec>, Invalid> {
        let vents: Vec<_> = self
            .vents()
            .map(|(key, vent)| vent.on(&key, ground, grid))
            .collect::<Result<_, _>>()?;
        check_vents(vents.iter(), grid)?;
        Ok(vents)
    }

    /// Checks that the simulation box is small enough for pictures, and that the low-passed fields
    /// for pictures are within the memory limit. A box that fails can still be simulated.
    ///
    /// # Errors
    /// [`SceneError`] if not; the simulation box can still be simulated.
    pub fn check_drawable(&self) -> Result<(), SceneError> {
        self.check_drawable_with(MemoryEstimate::default())
    }

    /// Checks, like `check_drawable`, that the scene can be drawn; the check of the memory limit
    /// includes `pictures`, the memory of the pictures themselves.
    ///
    /// # Errors
    /// The errors of `check_drawable`.
    pub fn check_drawable_with(&self, pictures: MemoryEstimate) -> Result<(), SceneError> {
        let check = self
            .spec
            .grid
            .grid()
            .and_then(|grid| LowPass::check(grid).map(|()| grid));
        let grid = check.map_err(|invalid| self.invalid(invalid))?;
        self.check_memory(self.need_of_fields(grid).and(pictures))
    }

    /// Estimates the memory of the world, of the low-passed fields for pictures, and of the
    /// pictures themselves (`pictures`).
    pub fn need_drawn_with(&self, pictures: MemoryEstimate) -> MemoryEstimate {
        let fields = self.spec.grid.grid().map(|grid| self.need_of_fields(grid));
        self.need().and(fields.unwrap_or_default()).and(pictures)
    }

    /// Estimates the memory for drawing a world, excluding the world itself: the low-passed fields
    /// and the pictures themselves (`pictures`).
    pub fn need_of_drawing(&self, pictures: MemoryEstimate) -> MemoryEstimate {
        let fields = self.spec.grid.grid().map(|grid| self.need_of_lowpass(grid));
        fields.unwrap_or_default().and(pictures)
    }

    /// Creates a simulation at step 0 from `state`, a state of this scene, with the vents `vents`,
    /// without events, and with the engine `engine`.
    pub fn simulation(
        &self,
        state: State,
        vents: &[VentSpec],
        engine: Box<dyn Engine>,
    ) -> Simulation {
        let spec = &self.spec;
        let simulation = Simulation::new(state, &spec.rules, vents, spec.seed, engine);
        // The system clock is not available in browsers.
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        let simulation = simulation.with_clock(system_clock);
        simulation.with_reactions(spec.reactions.clone())
    }

    /// Returns the scene with its simulation box `east` and `south` cells from its place on the
    /// heightmap, so that the same land lies on other cells. A box on any other ground stays. What
    /// has map coordinates stays where it is on the land; the rest moves with the box. No file of
    /// the scene says so: [`Scene::to_toml`] leaves the shift out.
    #[must_use]
    pub fn shifted(self, [east, south]: [f64; 2]) -> Self {
        Self {
            shift: [east, south],
            ..self
        }
    }

    /// Builds the simulation of the scene at step 0 with the engine `engine`, and applies the
    /// events of step 0.
    ///
    /// # Errors
    /// [`SceneError`] if a file cannot be read, a value does not fit the ground, or the memory
    /// limit would be exceeded.
    pub fn build(&self, engine: Box<dyn Engine>) -> Result<BuiltScene, SceneError> {
        let spec = &self.spec;
        let invalid = |invalid| self.invalid(invalid);
        let grid = spec.grid.grid().map_err(invalid)?;
        self.check_memory(MemoryEstimate::default())?;
        let cells = CellSize {
            wide_m: spec.grid.cell_size_m,
            high_m: &|wide| spec.cell_height_m(wide),
            shift: self.shift,
        };
        let mut surface = spec
            .terrain
            .build_with(grid, &cells, &self.folder)
            .map_err(|cause| self.wrong_terrain(cause))?;
        let site = Site {
            grid,
            cell_size_m: surface.cell_size_m,
            floor_m: surface.floor_m,
            vertical_exaggeration: surface.vertical_exaggeration,
            georeference: surface.georeference.clone(),
        };
        let notes = std::mem::take(&mut surface.notes);
        let start = self.lava_at_start(&mut surface.heights, &site)?;
        self.raise_barriers(&mut surface.heights, &site)?;
        let vents = self.vents_on(&surface, grid).map_err(invalid)?;
        // Memory of everything read from here on is added to the checks that follow.
        let mut held = vec![self.need().held()];
        let mut shelf = self.shelf(&site);
        let bodies = self.bodies_on(&mut shelf)?;
        let ground = Ground::from_surface(grid.ny, surface.heights);
        let world =
            World::with_materials(ground, spec.materials.clone()).with_capacity(spec.grid.capacity);
        let mut state = State::from(world);
        if let Some(air) = &spec.air {
            held.push(self.hold(&air.need(grid, surface.cell_size_m))?);
            state = state.with_air(air.air(grid, surface.cell_size_m).map_err(invalid)?);
        }
        match spec.flow_spec() {
            Some(flow) => {
                let height_m = surface.cell_size_m / surface.vertical_exaggeration;
                let space = Self::flow_box(grid, surface.cell_size_m, height_m);
                held.push(self.hold(&self.need_of_flow(space, &flow))?);
                let more = start
                    .as_ref()
                    .map(|start| start.need(space))
                    .unwrap_or_default();
                held.push(self.hold(&more)?);
                state = self
                    .state_of_flow(&flow, space, (start, &bodies), state)
                    .map_err(invalid)?;
            }
            None => {
                bodies.iter().for_each(|body| state.edit(body));
                state.open_account();
            }
        }
        let mut events = self.events_on(&mut shelf, 0)?;
        events.extend(self.failures(&site)?);
        events.sort_by_key(|event| event.at);
        let goals = Goals::new(&spec.goals, &state);
        let simulation = self.simulation(state, &vents, engine).with_goals(goals);
        Ok(BuiltScene {
            simulation: simulation.with_events(events).map_err(invalid)?,
            site,
            notes,
        })
    }
}

impl BuiltScene {
    /// Returns the current surface of the ground, with cell width and georeference.
    pub(crate) fn surface(&self) -> Surface {
        let (heights, site) = (
            self.simulation.world().ground().surface().to_owned(),
            &self.site,
        );
        Surface {
            summit: summit(&heights),
            heights,
            cell_size_m: site.cell_size_m,
            floor_m: site.floor_m,
            vertical_exaggeration: site.vertical_exaggeration,
            georeference: site.georeference.clone(),
            notes: self.notes.clone(),
        }
    }
}

/// Simulation built from a scene, with the position of its box on the map.
pub struct BuiltScene {
    /// Simulation at step 0, with the events of step 0 applied.
    pub simulation: Simulation,
    /// Position of the simulation box on the map, and the size of its cells.
    pub site: Site,
    /// Remarks on assumptions made while files were read, one sentence each.
    pub notes: Vec<String>,
}
/// Checks that the material `name`, which the air's key `key` names, exists and has the kind
/// `kind`; passes if `name` is `None`. `what`: description of the expected material, for messages.
fn check_kind(
    (key, name): (&str, Option<&str>),
    materials: &[Material],
    kind: Kind,
    what: &str,
) -> Result<(), Invalid> {
    let Some(name) = name else { return Ok(()) };
    check_known(
        key,
        name,
        materials.iter().map(|material| material.name.as_str()),
    )?;
    let fits = materials
        .iter()
        .any(|material| material.name == name && material.kind == kind);
    if fits {
        Ok(())
    } else {
        Err(Invalid::new(
            key,
            name,
            format!("the name of a material that is {what}"),
        ))
    }
}
