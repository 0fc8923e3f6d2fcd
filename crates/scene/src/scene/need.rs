//! Estimates of the memory of a scene, computed from its keys before anything is built.

use toml_parser::lexer::TokenKind;

use super::error::SceneError;
use super::{Model, Scene, SceneSpec, VentTable};
use lavoxel_air::AirSpec;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::matter::{FLOATED, can_float};
use lavoxel_automaton::view::Form;
use lavoxel_automaton::world::{BYTES_A_DISPLACED_CELL, Edit, MOST_FLOODED, Matter, TRACED, World};
use lavoxel_base::grid::Grid;
use lavoxel_base::memory::{Held, MemoryEstimate};
use lavoxel_flow::{Flow, FlowCell};
use lavoxel_geo::terrain::TerrainKind;
use lavoxel_sim::lowpass::LowPass;

/// Memory in bytes of a vent per column into which the vent pours.
const BYTES_A_VENT_COLUMN: f64 = 16.0;

/// Memory in bytes per row of a rate table: in the list of its vent, which grows by doubling, and
/// in the lists of the simulation.
pub(super) const BYTES_A_RATE: f64 = 4.0 * size_of::<[f64; 2]>() as f64;

/// Number of steps whose poured lava the memory estimate of the vents includes; during a run, the
/// memory is checked after every step.
const STEPS_POURED: f64 = 2.0;

/// Memory in bytes per token of a TOML text while the text is parsed: the token and its value, in
/// lists that grow by doubling.
const BYTES_A_TOKEN: f64 = 128.0;

/// Memory in bytes per TOML table, however few values it has.
const BYTES_A_TABLE: f64 = 1400.0;
/// Memory in bytes per opening bracket of a TOML text: an array, or one of the two brackets of an
/// `[[array of tables]]` heading.
const BYTES_AN_ARRAY: f64 = 700.0;

/// Estimates the memory for parsing the TOML text `text` from the number of its tokens, tables and
/// arrays.
pub fn reading(text: &str) -> MemoryEstimate {
    let (mut tokens, mut tables, mut arrays) = (0, 0, 0);
    // Dots since the last name or value: a dot in a key creates a table, a dot in a value is a
    // decimal point.
    let mut dots = 0;
    let (mut starts, mut is_header) = (true, false);
    for token in toml_parser::Source::new(text).lex() {
        tokens += 1;
        match token.kind() {
            TokenKind::Dot => dots += 1,
            TokenKind::Equals => tables += std::mem::take(&mut dots),
            TokenKind::RightSquareBracket => {
                tables += if is_header {
                    std::mem::take(&mut dots)
                } else {
                    0
                }
            }
            TokenKind::LeftSquareBracket => {
                arrays += 1;
                is_header |= starts;
            }
            TokenKind::LeftCurlyBracket => (tables, dots) = (tables + 1, 0),
            TokenKind::Comma => dots = 0,
            TokenKind::Newline => (dots, is_header) = (0, false),
            _ => {}
        }
        starts = matches!(token.kind(), TokenKind::Newline)
            || starts && matches!(token.kind(), TokenKind::Whitespace);
    }
    MemoryEstimate::new("reading the scene", tokens, BYTES_A_TOKEN)
        .and(MemoryEstimate::new(
            "the tables of the scene",
            tables,
            BYTES_A_TABLE,
        ))
        .and(MemoryEstimate::new(
            "the arrays of the scene",
            arrays,
            BYTES_AN_ARRAY,
        ))
        .and(MemoryEstimate::new(
            "the text of the scene",
            text.len(),
            1.0,
        ))
}

/// Memory in bytes per column while the heights of a heightmap are fitted to the simulation box, in
/// addition to the resulting ground.
const BYTES_A_FITTED_COLUMN: f64 = 4.0;

impl Scene {
    /// Estimates the memory of the world at step 0 or, if larger, after the event with the largest
    /// edit. Lava that vents pour later is not included, because the memory is checked during the
    /// run.
    pub fn need(&self) -> MemoryEstimate {
        let spec = &self.spec;
        let Ok(grid) = spec.grid.grid() else {
            return MemoryEstimate::default();
        };
        let fitted = if spec.terrain.kind == TerrainKind::Heightmap {
            BYTES_A_FITTED_COLUMN
        } else {
            0.0
        };
        World::need(grid)
            .and(MemoryEstimate::new(
                "fitting the heights",
                grid.columns(),
                fitted,
            ))
            .and(World::need_of_layers(grid, spec.other_materials()))
            .and(World::need_of_tracing(
                grid,
                spec.materials
                    .iter()
                    .filter(|material| material.traces())
                    .count(),
                0,
            ))
            .and(vents(spec, grid))
            .and(edits(spec, grid))
            .and(spec.need_of_goals(grid))
    }

    /// Returns the number of cells of the air; 0 in a scene without air. If the scene leaves the
    /// cell width to the terrain file, the air is assumed to have no margin and its default height.
    pub fn air_cells(&self) -> usize {
        let (Some(air), Ok(grid)) = (&self.spec.air, self.spec.grid.grid()) else {
            return 0;
        };
        let (air, cell_m) = sized(air, self.spec.grid.cell_size_m);
        air.grid(grid, cell_m).map_or(0, |air| air.cells.cells())
    }

    /// Returns true if a material of the scene is drawn as a cloud.
    pub fn has_gas(&self) -> bool {
        Material::besides_lava(&self.spec.materials)
            .any(|material| material.look.preset.form() == Form::Cloud)
    }

    /// Estimates the memory of the air and of the low-passed fields from which pictures and files
    /// are made, for a box of shape `grid`.
    pub(super) fn need_of_fields(&self, grid: Grid) -> MemoryEstimate {
        let fields = self.need_of_lowpass(grid);
        let Some(air) = &self.spec.air else {
            return fields;
        };
        let (air, cell_m) = sized(air, self.spec.grid.cell_size_m);
        fields.and(air.need(grid, cell_m))
    }

    /// Estimates the memory of all low-passed fields for a box of shape `grid`: those of lava, of
    /// all other materials and of the air.
    pub(super) fn need_of_lowpass(&self, grid: Grid) -> MemoryEstimate {
        LowPass::need(grid)
            .and(LowPass::need_of_media(grid, self.spec.other_materials()))
            .and(LowPass::need_of_air(self.air_cells()))
    }

    /// Checks that the world, together with `extra` memory for outputs, is within the memory limit.
    ///
    /// # Errors
    /// [`SceneError::Memory`] if the limit would be exceeded.
    pub fn check_memory(&self, extra: MemoryEstimate) -> Result<(), SceneError> {
        self.check_more(&self.need().and(extra))
    }

    /// Reserves the memory `more` until the result is dropped. Fails if the memory in use and
    /// `more` exceed the limit together.
    pub(super) fn hold(&self, more: &MemoryEstimate) -> Result<Held, SceneError> {
        self.check_more(more)?;
        Ok(more.held())
    }

    fn check_more(&self, more: &MemoryEstimate) -> Result<(), SceneError> {
        let check = more.check("make grid.size or the pictures smaller");
        check.map_err(|cause| SceneError::Memory {
            path: self.origin.clone(),
            cause,
        })
    }
}

/// Returns an air table and a cell width in metres for a memory estimate: `air` and `cell_m`
/// themselves or, if `cell_m` is `None`, only the part of the air that does not depend on the
/// width, and a placeholder of 1 m.
fn sized(air: &AirSpec, cell_m: Option<f64>) -> (AirSpec, f64) {
    match cell_m {
        Some(cell_m) => (air.clone(), cell_m),
        None => (
            AirSpec {
                margin_m: 0.0,
                height_m: None,
                ..air.clone()
            },
            1.0,
        ),
    }
}

/// Memory in bytes per column that an edit raises: its position, index and heights, and the lists
/// that contain them.
const BYTES_A_RAISED_COLUMN: f64 = 56.0;

/// Estimates the memory of all vents of the scene: their columns, their tables of rates, and the
/// lava that they pour in `STEPS_POURED` steps.
fn vents(spec: &SceneSpec, grid: Grid) -> MemoryEstimate {
    // An unknown cell size is replaced by a small one, which gives an upper bound.
    let cell_m = spec.grid.cell_size_m.unwrap_or(1.0);
    let vents = || spec.vents.iter().chain(&spec.sources).chain(&spec.fumes);
    let area = |vent: &VentTable| {
        let [wide, deep] = vent.extent(grid, cell_m);
        let across = 2.0 * vent.radius_in(grid, cell_m) + 2.0;
        // A fissure covers one strip per segment.
        let strips = across * (across + 1.5 * vent.to.len() as f64 * (wide + deep));
        (wide * deep).min(strips)
    };
    let columns: f64 = vents().map(area).sum();
    let deep: f64 = vents().map(|vent| vent.extent(grid, cell_m)[1] + 8.0).sum();
    let room = |vent: &VentTable| area(vent) * grid.ny as f64;
    let poured = vents()
        .map(|vent| (STEPS_POURED * vent.rate).min(room(vent)))
        .sum();
    let rates = vents()
        .filter_map(|vent| vent.flow.as_ref())
        .map(|flow| flow.rates_m3_s.len())
        .sum();
    MemoryEstimate::new("the vents", columns as usize, BYTES_A_VENT_COLUMN)
        .and(MemoryEstimate::new(
            "the rates of the vents",
            rates,
            BYTES_A_RATE,
        ))
        .and(World::need_of_lava(grid, poured, deep))
}

/// Estimates the memory of the matter that all bodies and the event with the largest edit add.
fn edits(spec: &SceneSpec, grid: Grid) -> MemoryEstimate {
    let mut all = Put::default();
    let factor = |edit: &Edit| {
        let is_named = |material: &&Material| edit.matter.material() == Some(&material.name);
        match spec.materials.iter().find(is_named) {
            Some(material) if material.traces() => 1.0 + TRACED,
            Some(material) if can_float(material, spec.materials.iter()) => 1.0 + FLOATED,
            _ => 1.0,
        }
    };
    spec.bodies
        .iter()
        .for_each(|body| all.add(body, factor(body), grid));
    let later = spec
        .events
        .iter()
        .filter_map(|event| event.put.as_ref())
        .map(|edit| {
            let mut one = Put::default();
            one.add(edit, factor(edit), grid);
            one.need(grid)
        });
    let bodies = all
        .need(grid)
        .and(later.max_by_key(MemoryEstimate::bytes).unwrap_or_default());
    let is_rock = |edit: &Edit| matches!(edit.matter, Matter::Rock | Matter::Solid { .. });
    let rock = spec.edits().any(|(_, edit)| is_rock(edit));
    let displaced = if rock {
        all.cells.min(grid.cells() as f64) * BYTES_A_DISPLACED_CELL
    } else {
        0.0
    };
    bodies
        .and(MemoryEstimate::new("what rock displaces", 1, displaced))
        .and(flow_cells(spec, &all, grid))
        .and(surveys(spec, grid))
}

/// Estimates the memory of the heights that all surveys of the scene have on all columns, and of
/// the conversion of one survey.
fn surveys(spec: &SceneSpec, grid: Grid) -> MemoryEstimate {
    let surveys = spec
        .edits()
        .filter(|(_, edit)| matches!(edit.matter, Matter::Ground(_)))
        .count() as f64;
    let bytes = surveys * size_of::<f32>() as f64 + surveys.min(1.0) * BYTES_A_RAISED_COLUMN;
    MemoryEstimate::new("the heights of surveys", grid.columns(), bytes)
}

/// Estimates the memory of those cells and columns of the flow that bodies, events and vents touch
/// in the physical model; the memory of all events is added up.
fn flow_cells(spec: &SceneSpec, bodies: &Put, grid: Grid) -> MemoryEstimate {
    if spec.model != Model::Flow {
        return MemoryEstimate::default();
    }
    let mut all = Put {
        flow_cells: bodies.flow_cells,
        flow_columns: bodies.flow_columns,
        ..Put::default()
    };
    spec.events
        .iter()
        .filter_map(|event| event.put.as_ref())
        .for_each(|edit| all.add(edit, 1.0, grid));
    // An unknown cell size is replaced by a small one, which gives an upper bound.
    let cell_m = spec.grid.cell_size_m.unwrap_or(1.0);
    for vent in spec.vents.iter().chain(&spec.sources) {
        all.flow_columns += Flow::columns_around(vent.extent(grid, cell_m));
    }
    // `Vec` doubling while the list of cells grows.
    let bytes = all.flow_cells.min(grid.cells() as f64) * 2.0 * size_of::<FlowCell>() as f64;
    let columns = Flow::need_of_columns(all.flow_columns.min(grid.columns() as f64));
    MemoryEstimate::new("the cells that bodies and events change", 1, bytes).and(
        MemoryEstimate::new(
            "the columns that bodies, events and vents reach",
            1,
            columns,
        ),
    )
}

/// Upper bounds on the cells and columns that the matter of edits occupies in the simulation box.
#[derive(Default)]
struct Put {
    cells: f64,
    deep: f64,
    hollow_columns: f64,
    /// Number of cells that the flow stores for the added matter, in each column from the floor to
    /// the top of the matter.
    flow_cells: f64,
    /// Number of columns in the blocks of columns that the flow allocates for the added matter.
    flow_columns: f64,
}

impl Put {
    /// Adds the cells and columns that the matter of `edit` occupies to these bounds. `factor`:
    /// memory per cell of the edit's material, relative to lava.
    fn add(&mut self, edit: &Edit, factor: f64, grid: Grid) {
        let [wide, high, deep] = edit.shape.extent(grid);
        if !matches!(
            edit.matter,
            Matter::Drain
                | Matter::Air(_)
                | Matter::Material { .. }
                | Matter::Flood { .. }
                | Matter::Replace { .. }
                | Matter::Ground(_)
        ) {
            self.flow_cells += wide * deep * edit.shape.top(grid);
            self.flow_columns += Flow::columns_around([wide, deep]);
        }
        match edit.matter {
            Matter::Lava { .. } | Matter::Material { .. } => {
                self.cells += factor * wide * high * deep;
                self.deep += deep;
            }
            Matter::Replace { .. } => {
                self.cells += factor * wide * high * deep;
                self.deep += deep;
            }
            // The volume of the hollow is unknown before the ground exists.
            Matter::Flood { .. } => {
                self.cells += factor * (grid.cells().min(MOST_FLOODED) as f64);
                self.deep += grid.nz as f64;
            }
            // An edited column may become hollow.
            Matter::Rock | Matter::Nothing | Matter::Raise { .. } | Matter::Solid { .. } => {
                self.hollow_columns += wide * deep
            }
            // These edits create no hollow.
            Matter::Drain | Matter::Air(_) | Matter::Ground(_) => {}
        }
    }

    fn need(&self, grid: Grid) -> MemoryEstimate {
        World::need_of_lava(grid, self.cells, self.deep)
            .and(World::need_of_hollows(grid, self.hollow_columns))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use lavoxel_automaton::engine::tiled::Tiled;
    use lavoxel_sim::lowpass::AirVolume;

    #[test]
    fn what_is_drawn_of_the_air_counts() {
        let scene = |text: &str| {
            let whole = format!(
                "[grid]\nsize = [40, 30, 40]\ncell_size_m = 10.0\n[terrain]\nkind = \"plane\"\n{text}"
            );
            Scene::parse(&whole, Path::new("scene.toml")).expect("a right scene")
        };
        let still = scene("");
        assert_eq!(still.air_cells(), 0);
        for text in [
            "[air]\n",
            "[air]\nratio = 1\nmargin_m = 130.0\nheight_m = 900.0\n",
        ] {
            let airy = scene(text);
            let simulation = airy
                .build(Box::new(Tiled::default()))
                .expect("it fits")
                .simulation;
            let air = simulation.world().air().expect("the scene has air");
            assert_eq!(airy.air_cells(), air.grid().cells.cells(), "{text}");
            let grid = simulation.world().grid();
            let more = airy.need_of_fields(grid).bytes() - still.need_of_fields(grid).bytes();
            let carried = airy.air_cells() as f64 * AirVolume::BYTES_A_CELL;
            assert!(
                more as f64 >= air.bytes() as f64 + carried,
                "{text}: {more} for {} and {carried}",
                air.bytes()
            );
        }
    }
}
