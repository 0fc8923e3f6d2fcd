//! Simulations: steps, commands, snapshots, and everything that can be read from a state.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use lavoxel::checkpoint::{Checkpoint, CheckpointWriter};
use lavoxel::export::maps::{Maps, Values};
use lavoxel::measure::CellMeasure;
use lavoxel::memory::MemoryEstimate;
use lavoxel::output::{Existing, WholeFile};
use lavoxel::records::Records;
use lavoxel::render::{Image, Plane, Section, Slices};
use lavoxel::report::Report;
use lavoxel::rules::Rule;
use lavoxel::scene::{self, BuiltScene, Edge};
use lavoxel::simulation::{self, Command, EventSpec};
use lavoxel::source::{VentChange, VentSpec};
use lavoxel::validate::Invalid;
use lavoxel::view::{CameraSpec, LookSpec};
use lavoxel::world::ColumnQuantity;
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;

use crate::painter::Painter;
use crate::rule::{Extended, OwnRule, OwnRules, Shared};
use crate::slot::Slot;
use crate::work::{detached, or_leave, with_switch};
use crate::{fail, of_json, to_json, words};

/// Duration of a batch of steps, after which Python is asked about Ctrl-C.
const BATCH: Duration = Duration::from_millis(50);

/// Number of the next simulation; snapshots carry the number, so that none is restored into another
/// simulation.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Simulation with its scene, the records of its past, and its custom rules.
pub(crate) struct Held {
    pub(crate) scene: scene::Scene,
    pub(crate) stage: BuiltScene,
    records: Vec<Records>,
    own: Shared,
    painter: Option<Painter>,
}

impl Held {
    /// Wraps a simulation that has made no step since it was built or read.
    fn new(scene: scene::Scene, stage: BuiltScene, own: Shared) -> Self {
        let world = stage.simulation.world();
        let of = |material: &lavoxel::matter::Material| {
            Records::new(world.grid()).for_material(&material.name)
        };
        let records = world.materials().map(of).collect();
        let mut held = Self {
            scene,
            stage,
            records,
            own,
            painter: None,
        };
        held.observe();
        held
    }

    /// Copies state, records and custom rules; the copy shares nothing with the original.
    fn copy(&self, number: u64) -> PyResult<Self> {
        let BuiltScene {
            simulation,
            site,
            notes,
        } = &self.stage;
        let need = simulation
            .world()
            .taken()
            .and(Records::need(site.grid, self.records.len()));
        need.check("let go of other simulations").map_err(fail)?;
        let own = OwnRules::new(number);
        let rules = Python::attach(|py| {
            self.own
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .copies(py)
        });
        own.lock().unwrap_or_else(PoisonError::into_inner).rules = rules;
        let stage = BuiltScene {
            simulation: simulation.copy(Extended::new(&own)),
            site: site.clone(),
            notes: notes.clone(),
        };
        Ok(Self {
            scene: self.scene.clone(),
            stage,
            records: self.records.clone(),
            own,
            painter: None,
        })
    }

    /// Makes steps for at most [`BATCH`], and returns how many are left. A long step of the
    /// physical model is given up once `stop` is set.
    fn some_steps(&mut self, count: u64, stop: Option<Arc<AtomicBool>>) -> PyResult<u64> {
        let (start, mut left) = (Instant::now(), count);
        if let Some(stop) = stop {
            self.stage.simulation.stop_by(stop);
        }
        while left > 0 {
            self.stage.simulation.step();
            if self.stage.simulation.was_stopped() {
                break;
            }
            if let Some(error) = self
                .own
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .error
                .take()
            {
                return Err(error);
            }
            self.stage.simulation.world().check_memory().map_err(fail)?;
            self.observe();
            left -= 1;
            if start.elapsed() > BATCH {
                break;
            }
        }
        Ok(left)
    }

    fn observe(&mut self) {
        let (state, step) = (self.stage.simulation.world(), self.stage.simulation.steps());
        self.records
            .iter_mut()
            .for_each(|records| records.observe(state, state.flow(), step));
    }

    pub(crate) fn maps(&self) -> Maps<'_> {
        Maps {
            world: self.stage.simulation.world(),
            records: &self.records,
            site: &self.stage.site,
        }
    }

    fn command(&mut self, command: impl Into<Command>) -> PyResult<()> {
        self.stage.simulation.command(command).map_err(fail)?;
        self.observe();
        Ok(())
    }
}

/// A state kept to come back to.
#[pyclass(module = "lavoxel._lavoxel", frozen)]
pub(crate) struct Snapshot {
    snapshot: simulation::Snapshot,
    records: Vec<Records>,
    of: u64,
    /// Reservation of the snapshot's share of the memory limit, held as long as Python keeps the
    /// snapshot.
    _held: lavoxel::memory::Held,
}

#[pymethods]
impl Snapshot {
    #[getter]
    fn steps(&self) -> u64 {
        self.snapshot.steps()
    }

    /// Bytes that it takes, records not counted.
    #[getter]
    fn bytes(&self) -> usize {
        self.snapshot.bytes()
    }

    fn __repr__(&self) -> String {
        format!("<lavoxel.Snapshot of step {}>", self.steps())
    }
}

/// A world that makes steps.
#[pyclass(module = "lavoxel._lavoxel", frozen)]
pub(crate) struct Simulation {
    shelf: Slot,
}

impl Simulation {
    /// Builds the simulation of a scene.
    pub(crate) fn build(scene: scene::Scene) -> PyResult<Self> {
        // Records of all materials need memory in addition to the scene.
        let grid = scene.spec.grid.grid().map_err(fail)?;
        scene
            .check_memory(Records::need(grid, scene.materials().len()))
            .map_err(fail)?;
        Self::new(|number| {
            let own = OwnRules::new(number);
            let stage = scene.build(Extended::new(&own)).map_err(fail)?;
            Ok(Held::new(scene, stage, own))
        })
    }

    /// Gives the simulation made by `make` its number.
    fn new(make: impl FnOnce(u64) -> PyResult<Held>) -> PyResult<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            shelf: Slot::new(number, make(number)?),
        })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Held) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let mut held = self.shelf.take(py)?;
        detached(py, || work(&mut held))
    }
}

/// A picture as an array, shape (height, width, 3).
fn pixels(py: Python<'_>, image: Image) -> PyResult<Bound<'_, PyArray3<u8>>> {
    PyArray1::from_vec(py, image.rgb).reshape([image.height, image.width, 3])
}

#[pymethods]
impl Simulation {
    /// Goes on from a checkpoint.
    #[staticmethod]
    fn resume(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        or_leave(py, move || {
            Self::new(|number| {
                let own = OwnRules::new(number);
                let Checkpoint { scene, stage, .. } =
                    Checkpoint::load(&path, Extended::new(&own)).map_err(fail)?;
                Ok(Held::new(scene, stage, own))
            })
        })
    }

    /// A simulation in the same state, which goes its own way from there.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.with(py, |held| Self::new(|number| held.copy(number)))
    }

    /// Makes steps; asks between them, and in long ones of the physical model, whether Ctrl-C was pressed.
    fn step(&self, py: Python<'_>, count: u64) -> PyResult<()> {
        let mut left = count;
        while left > 0 {
            let mut held = self.shelf.take(py)?;
            left = if held.stage.simulation.world().flow().is_some() {
                with_switch(py, |stop| held.some_steps(left, Some(stop)))?
            } else {
                detached(py, || held.some_steps(left, None))?
            };
            drop(held);
            py.check_signals()?;
        }
        Ok(())
    }

    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |held| Ok(held.stage.simulation.steps()))
    }

    #[getter]
    fn time_s(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        self.with(py, |held| Ok(held.stage.simulation.time_s()))
    }

    /// Plans the end of a run of the physical model: the step within which it lies ends there.
    fn end_at(&self, py: Python<'_>, time_s: f64) -> PyResult<()> {
        self.with(py, |held| {
            held.stage.simulation.end_at(Some(time_s));
            Ok(())
        })
    }

    /// Steps that the scene asks for.
    #[getter]
    fn steps_of_scene(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |held| Ok(held.scene.spec.film.steps))
    }

    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |held| Ok(held.scene.spec.name.clone()))
    }

    #[getter]
    fn state_hash(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |held| Ok(held.stage.simulation.world().state_hash()))
    }

    /// Cells along x, y and z.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<(usize, usize, usize)> {
        self.with(py, |held| {
            let grid = held.stage.site.grid;
            Ok((grid.nx, grid.ny, grid.nz))
        })
    }

    /// Edge and height of a cell in metres.
    #[getter]
    fn cell_m(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.with(py, |held| {
            Ok((held.stage.site.cell_size_m, held.stage.site.cell_height_m()))
        })
    }

    /// Middles of the cells along x (west to east) and y (north to south) of the map, in its units, and elevations of the layers in
    /// metres; the name of the unit; and the system of the map as well-known text, where it is known.
    #[expect(clippy::type_complexity, reason = "a tuple for Python")]
    fn axes(
        &self,
        py: Python<'_>,
    ) -> PyResult<(Vec<f64>, Vec<f64>, Vec<f64>, String, Option<String>)> {
        self.with(py, |held| {
            let (site, placement) = (&held.stage.site, held.stage.site.placement());
            let up = (0..site.grid.ny)
                .map(|y| site.elevation_m(y as f64 + 0.5))
                .collect();
            let wkt = site.crs().and_then(lavoxel::map::Crs::to_wkt);
            Ok((
                placement.xs().collect(),
                placement.ys().collect(),
                up,
                site.map_unit().to_owned(),
                wkt,
            ))
        })
    }

    /// Name, unit and words of every field of cells.
    fn fields(&self, py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
        self.with(py, |held| {
            let quantities = held.stage.simulation.world().quantities();
            Ok(quantities
                .iter()
                .map(|q| (q.name(), q.unit().to_owned(), q.words()))
                .collect())
        })
    }

    /// Name, unit and words of every map.
    fn maps(&self, py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
        self.with(py, |held| {
            let quantities = held.stage.simulation.world().column_quantities();
            Ok(quantities
                .iter()
                .map(|q| (q.name(), q.unit().to_owned(), q.words()))
                .collect())
        })
    }

    /// A field in every cell, shape (z, y, x). What only matter has, such as a temperature, is NaN in cells without it where they are
    /// to be `marked`, else 0.
    fn array<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        marked: bool,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let array = self.with(py, |held| {
            let need = MemoryEstimate::new("the array", held.stage.site.grid.cells(), 4.0);
            need.check("read maps, or make the box smaller")
                .map_err(fail)?;
            let world = held.stage.simulation.world();
            let mut array = world.array(name).map_err(fail)?;
            let quantity = world.quantity(name).map_err(fail)?;
            if marked && is_of_matter(quantity.measure()) {
                let values = world.values(&quantity);
                let empty = |((z, y, x), value): ((usize, usize, usize), &mut f32)| {
                    if !values.has_value([x, y, z]) {
                        *value = f32::NAN;
                    }
                };
                array.indexed_iter_mut().for_each(empty);
            }
            Ok::<_, PyErr>(array)
        })?;
        Ok(array.into_pyarray(py))
    }

    /// Amounts of a material in units, shape (z, y, x): exact.
    fn amounts<'py>(&self, py: Python<'py>, material: &str) -> PyResult<Bound<'py, PyArray3<u16>>> {
        let array = self.with(py, |held| {
            let world = held.stage.simulation.world();
            let grid = world.grid();
            let need = MemoryEstimate::new("the array", grid.cells(), 2.0);
            need.check("read maps, or make the box smaller")
                .map_err(fail)?;
            let known = || {
                world
                    .materials()
                    .map(|material| material.name.clone())
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let layer = world.layer(material);
            let layer = layer.ok_or_else(|| {
                fail(format!(
                    "{material}: no such material; there are {}",
                    known()
                ))
            })?;
            let mut array = lavoxel::ndarray::Array3::zeros((grid.nz, grid.ny, grid.nx));
            layer
                .held()
                .for_each(|([x, y, z], cell)| array[[z, y, x]] = cell.amount);
            Ok::<_, PyErr>(array)
        })?;
        Ok(array.into_pyarray(py))
    }

    /// Ground in every cell, shape (z, y, x).
    fn solid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<bool>>> {
        let array = self.with(py, |held| {
            let (grid, ground) = (held.stage.site.grid, held.stage.simulation.world().ground());
            let need = MemoryEstimate::new("the array", grid.cells(), 1.0);
            need.check("read maps, or make the box smaller")
                .map_err(fail)?;
            let shape = (grid.nz, grid.ny, grid.nx);
            Ok::<_, PyErr>(lavoxel::ndarray::Array3::from_shape_fn(
                shape,
                |(z, y, x)| ground.is_solid([x, y, z]),
            ))
        })?;
        Ok(array.into_pyarray(py))
    }

    /// A map, shape (z, x), row 0 north, NaN where there is no data: float64 of whole numbers, float32 of others.
    fn map<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let values = self.with(py, |held| {
            let need = MemoryEstimate::new("the map", held.stage.site.grid.columns(), 8.0);
            need.check("make the box smaller").map_err(fail)?;
            let quantities = held.stage.simulation.world().column_quantities();
            let quantity = ColumnQuantity::find(name, &quantities).map_err(fail)?;
            Ok::<_, PyErr>(held.maps().values(quantity))
        })?;
        Ok(match values {
            Values::Real(values) => values.into_pyarray(py).into_any(),
            whole @ Values::Whole(_) => whole.to_reals().into_pyarray(py).into_any(),
        })
    }

    /// A picture, shape (height, width, 3). Keys of `[camera]` and `[look]` that replace those of the scene come as JSON.
    fn picture<'py>(
        &self,
        py: Python<'py>,
        size: (usize, usize),
        camera: &str,
        look: &str,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let mut held = self.shelf.take(py)?;
        let image = with_switch(py, |stop| {
            let camera: CameraSpec = overridden(&held.scene.spec.camera, camera)?;
            let look: LookSpec = overridden(&held.scene.look(), look)?;
            let Held {
                scene,
                stage,
                painter,
                ..
            } = &mut *held;
            Painter::check(scene, size)?;
            Painter::draw(painter, (scene, stage), (&camera, look), (size, stop)).map_err(fail)
        })?;
        pixels(py, image)
    }

    /// A slice, as an array like a picture: `z=64`, `y=735m` or `x=map:499800`.
    fn slice<'py>(
        &self,
        py: Python<'py>,
        place: &str,
        field: Option<&str>,
        size: (usize, usize),
        whole: bool,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let plane: Plane = place.parse().map_err(fail)?;
        let image = self.with(py, |held| {
            let BuiltScene {
                simulation, site, ..
            } = &held.stage;
            let quantity = match field {
                Some(name) => simulation.world().quantity(name).map_err(fail)?,
                None => held.scene.usual_quantity(),
            };
            let palette = held
                .scene
                .spec
                .look
                .palette
                .build("look.palette")
                .map_err(fail)?;
            let colors = (palette, held.scene.look().kelvin);
            let section = Section {
                plane,
                quantity,
                whole,
            };
            let draw = || -> Result<Image, Invalid> {
                let title = format!("{}, step {}", held.scene.spec.name, simulation.steps());
                Slices::new(section, site, colors)?.draw(simulation, size, title)
            };
            draw().map_err(fail)
        })?;
        pixels(py, image)
    }

    /// Does what an `[[event]]` table says, now; the table comes as JSON.
    fn command(&self, py: Python<'_>, table: &str) -> PyResult<()> {
        let mut table: serde_json::Value = of_json(table)?;
        if let Some(table) = table.as_object_mut() {
            table.insert("at".to_owned(), 0.into());
        }
        let spec: EventSpec = serde_json::from_value(table).map_err(fail)?;
        let event = spec.event("command").map_err(fail)?;
        self.with(py, |held| held.command(event.command))
    }

    /// Places a vent, which a table in cells says as JSON, and gives its number.
    fn place_vent(&self, py: Python<'_>, table: &str) -> PyResult<usize> {
        let vent: VentSpec = of_json(table)?;
        self.with(py, |held| {
            vent.validate("vent", held.stage.site.grid).map_err(fail)?;
            held.command(VentChange::Place(vent))?;
            Ok(held.stage.simulation.vents().count() - 1)
        })
    }

    /// Closes a vent.
    fn close_vent(&self, py: Python<'_>, number: usize) -> PyResult<()> {
        self.with(py, |held| held.command(VentChange::Close(number)))
    }

    /// The vents, past ones too, as JSON tables in cells, by their numbers.
    fn vents(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |held| {
            to_json(&held.stage.simulation.vents().collect::<Vec<_>>())
        })
    }

    /// Calls a function behind a rule of a material, in every step from now on.
    fn add_rule(
        &self,
        py: Python<'_>,
        function: Py<PyAny>,
        material: String,
        after: String,
    ) -> PyResult<()> {
        self.with(py, |held| {
            let world = held.stage.simulation.world();
            let known = |names: Vec<&str>| names.join(", ");
            let Some(number) = world.number_of(&material) else {
                let names = known(
                    world
                        .materials()
                        .map(|material| material.name.as_str())
                        .collect(),
                );
                return Err(fail(format!(
                    "{material}: no such material; there are {names}"
                )));
            };
            if world.is_mirror(number) {
                let mend = "a rule is of another material";
                return Err(fail(format!(
                    "{material}: shows the lava of the physical model, which has no rules: {mend}"
                )));
            }
            if !Rule::NAMES.contains(&after.as_str()) {
                return Err(fail(format!(
                    "{after}: no such rule; there are {}",
                    known(Rule::NAMES.to_vec())
                )));
            }
            let mut own = held.own.lock().unwrap_or_else(PoisonError::into_inner);
            own.rules.push(OwnRule {
                material,
                after,
                function,
            });
            Ok(())
        })
    }

    fn snapshot(&self, py: Python<'_>) -> PyResult<Snapshot> {
        self.with(py, |held| {
            let records = Records::need(held.stage.site.grid, held.records.len());
            // The packed state is no larger than the state itself.
            let most = held.stage.simulation.world().taken().and(records.clone());
            most.check("let go of snapshots").map_err(fail)?;
            let snapshot = held.stage.simulation.snapshot(None);
            let _held = records
                .and(MemoryEstimate::new("a snapshot", snapshot.bytes(), 1.0))
                .held();
            Ok(Snapshot {
                snapshot,
                records: held.records.clone(),
                of: self.shelf.number(),
                _held,
            })
        })
    }

    /// Goes back to a snapshot of this simulation and forgets what came after it.
    fn go_back(&self, py: Python<'_>, snapshot: &Snapshot) -> PyResult<()> {
        if snapshot.of != self.shelf.number() {
            return Err(fail("the snapshot is of another simulation"));
        }
        self.with(py, |held| {
            held.stage.simulation.go_back(&snapshot.snapshot);
            held.records.clone_from(&snapshot.records);
            Ok(())
        })
    }

    /// Writes a checkpoint, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        self.with(py, |held| {
            let mut file = WholeFile::create(&path, Existing::by_force(force)).map_err(fail)?;
            let writer = CheckpointWriter {
                scene: &held.scene,
                stage: &held.stage,
                extras: &[],
            };
            writer.write(Path::new(&path), &mut file).map_err(fail)?;
            file.commit().map_err(fail)
        })
    }

    /// Writes the scene with all that was done, whole or not at all: it gives this state after the same steps.
    fn save_scene(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<()> {
        self.with(py, |held| {
            held.scene
                .recorded(&held.stage.simulation)
                .save(&path, Existing::by_force(force))
                .map_err(fail)
        })
    }

    /// The report of `lavoxel run`, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |held| {
            to_json(&Report::new(&held.scene, &held.stage, false))
        })
    }

    /// The report for people.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |held| {
            Ok(Report::new(&held.scene, &held.stage, false).text())
        })
    }

    /// Sentences on what was lost or left the box, and on where the model does not hold.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |held| {
            let BuiltScene {
                simulation, site, ..
            } = &held.stage;
            let edge = Edge::from_simulation(simulation, site);
            // The physical model's report already contains its own note about the sides.
            let left = edge
                .words()
                .filter(|_| edge.left_m3 > 0.0 && simulation.world().flow().is_none());
            let report = Report::new(&held.scene, &held.stage, false);
            let all = report.warnings().iter().cloned().chain(left);
            Ok(all.map(|line| words::in_python(&line)).collect())
        })
    }

    /// Checks the accounts and every other invariant.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |held| {
            held.stage.simulation.world().check().map_err(fail)
        })
    }

    /// Writes a volume, a mesh or a map, by the ending of the file; `subject` is the field of a map.
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        subject: Option<&str>,
        force: bool,
    ) -> PyResult<()> {
        self.with(py, |held| {
            crate::files::export(held, &path, subject, Existing::by_force(force))
        })
    }
}

/// True if a measure belongs to the matter in a cell, and has no value in cells without matter.
fn is_of_matter(measure: CellMeasure) -> bool {
    matches!(
        measure,
        CellMeasure::SpecificEnergy
            | CellMeasure::Temperature
            | CellMeasure::Viscosity
            | CellMeasure::VelocityEast
            | CellMeasure::VelocityNorth
    )
}

/// Returns a scene table in which the keys of a JSON object replace the table's own.
fn overridden<T: serde::Serialize + serde::de::DeserializeOwned>(
    table: &T,
    keys: &str,
) -> PyResult<T> {
    let mut tables = serde_json::to_value(table).map_err(fail)?;
    let keys: serde_json::Map<String, serde_json::Value> = of_json(keys)?;
    match tables.as_object_mut() {
        Some(table) => table.extend(keys),
        None => return Err(fail("a table is asked for")),
    }
    serde_json::from_value(tables).map_err(fail)
}
