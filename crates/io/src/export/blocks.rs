//! Worlds of blocks: MagicaVoxel (`.vox`) and Minecraft (`.schem` of Sponge, `.litematic`).
//!
//! Each cell is a block. Blocks that the scene took from a file keep their names and states where
//! their matter is still what it was; all others get the usual block of their matter.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dot_vox::{Color, Dict, DotVoxData, Frame, Model, SceneNode, ShapeModel, Size, Voxel};
use flate2::{Compression, write::GzEncoder};

use super::ExportError;
use super::mesh::Skin;
use super::state::ExportState;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::Preset;
use lavoxel_automaton::world::{CellMeasure, Matter, Quantity, Shape};
use lavoxel_base::body::BlocksSpec;
use lavoxel_base::grid::{Grid, Place};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input::ending;
use lavoxel_files::output::{Existing, whole};
use lavoxel_geo::blocks::{self, AIR, Build, bare, is_air, litematic::Litematic, schem::Sponge};
use lavoxel_scene::scene::Scene;
use lavoxel_sim::state::State;

/// Least amount (1 is a full cell) of a material that makes a cell its block.
const LEAST: f32 = 0.5;
/// Memory in bytes per cell while a file is written: kinds, numbers and the text of the file.
const BYTES_A_CELL: f64 = 16.0;
/// Longest side of a model of MagicaVoxel, in blocks.
const MODEL: usize = 256;
/// Largest number of colours of MagicaVoxel.
const COLORS: usize = 255;
/// Least energy per amount of lava that is drawn as lava and as magma; 1 is fresh. Below, it is
/// basalt.
const ENERGIES: [f32; 2] = [0.5, 0.2];
/// The same in the physical model, in kelvin.
const KELVINS: [f32; 2] = [1250.0, 1050.0];

/// Usual blocks of materials: name of the material, name and colour of the block.
const USUAL: [(&str, &str, u32); 32] = [
    ("rock", "stone", 0x7f_7f_7f),
    ("lava", "lava", 0xff_6a_1f),
    ("", "magma_block", 0xa8_3a_18),
    ("", "basalt", 0x4b_4a_4f),
    ("water", "water", 0x3f_76_e4),
    ("ice", "ice", 0x91_b7_fd),
    ("sand", "sand", 0xdb_cf_a3),
    ("ash", "gray_concrete_powder", 0x4d_51_54),
    ("rubble", "cobblestone", 0x77_75_74),
    ("glass", "glass", 0xc0_e0_f0),
    ("oil", "black_stained_glass", 0x19_19_19),
    ("mercury", "iron_block", 0xdc_dc_dc),
    ("wood", "oak_planks", 0xa2_83_4f),
    ("leaves", "oak_leaves", 0x44_56_2f),
    ("walls", "smooth_sandstone", 0xd3_c6_ad),
    ("steam", AIR, 0),
    ("", "white_concrete", 0xcf_d5_d6),
    ("", "red_concrete", 0x8e_20_20),
    ("", "yellow_concrete", 0xf0_af_15),
    ("", "brown_concrete", 0x60_3b_1f),
    ("", "black_concrete", 0x08_0a_0f),
    ("", "orange_concrete", 0xe0_61_01),
    ("", "gray_concrete", 0x36_39_3d),
    ("", "light_gray_concrete", 0x7d_7d_73),
    ("", "green_concrete", 0x49_5b_24),
    ("", "lime_concrete", 0x5e_a8_18),
    ("", "blue_concrete", 0x2c_2e_8f),
    ("", "cyan_concrete", 0x15_77_88),
    ("", "light_blue_concrete", 0x23_89_c6),
    ("", "purple_concrete", 0x64_1f_9c),
    ("", "magenta_concrete", 0xa9_30_9f),
    ("", "pink_concrete", 0xd5_65_8e),
];

/// Blocks that a scene took from a file.
#[derive(Clone, Debug)]
pub struct BlocksPart {
    /// Path of the file.
    path: PathBuf,
    /// Names and place of the blocks.
    spec: BlocksSpec,
    /// Matter that they became.
    matter: Matter,
}

/// Returns the blocks that the bodies of `scene` took from files.
pub fn parts_of(scene: &Scene) -> Vec<BlocksPart> {
    let bodies = scene.spec.bodies.iter();
    let part = |shape: &Shape, matter: &Matter| match shape {
        Shape::Blocks(spec) => Some(BlocksPart {
            path: scene.path_of(&spec.file),
            spec: (**spec).clone(),
            matter: matter.clone(),
        }),
        _ => None,
    };
    bodies
        .filter_map(|body| part(&body.shape, &body.matter))
        .collect()
}

/// Estimates the memory for writing a box of shape `grid`.
pub(super) fn need(grid: Grid) -> MemoryEstimate {
    MemoryEstimate::new("the blocks of the file", grid.cells(), BYTES_A_CELL)
}

/// Writes the state `shot` to `path`; `skin` holds the blocks that the scene took from files.
pub(super) fn write(
    path: &Path,
    shot: &ExportState<'_>,
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    let encoder = |error: &dyn std::fmt::Display| ExportError::Encoder {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let grid = shot.world.grid();
    let need = need(grid);
    need.check("make the box smaller")
        .map_err(|cause| ExportError::Memory {
            path: path.to_owned(),
            cause,
        })?;
    let _held = need.held();
    let mut all = Blocks::of_air(grid);
    let originals = Originals::read(&skin.blocks).map_err(|error| encoder(&error))?;
    all.fill(shot.world, &originals);
    let size = [grid.nx, grid.ny, grid.nz];
    match &ending(path)[..] {
        "vox" => {
            let data = all.vox().ok_or_else(|| ExportError::TooLarge {
                path: path.to_owned(),
                reason: format!("the blocks have more than {COLORS} colours; write .schem"),
            })?;
            Ok(whole(path, existing, |out| data.write_vox(out))?)
        }
        "litematic" => {
            all.name_for_minecraft();
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let file = Litematic::new(&name, size, &all.palette, &all.kinds);
            let bytes = fastnbt::to_bytes(&file).map_err(|error| encoder(&error))?;
            Ok(whole(path, existing, |out| pack(out, &bytes))?)
        }
        _ => {
            all.name_for_minecraft();
            let file = Sponge::new(size, &all.palette, &all.kinds);
            let file = file.ok_or_else(|| ExportError::TooLarge {
                path: path.to_owned(),
                reason: "a side of the box is longer than 65535 blocks".to_owned(),
            })?;
            let named = fastnbt::SerOpts::new().root_name("Schematic");
            let bytes =
                fastnbt::to_bytes_with_opts(&file, named).map_err(|error| encoder(&error))?;
            Ok(whole(path, existing, |out| pack(out, &bytes))?)
        }
    }
}

fn pack(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut packed = GzEncoder::new(out, Compression::default());
    packed.write_all(bytes)?;
    packed.finish().map(drop)
}

/// Content of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held<'a> {
    Air,
    Rock,
    /// Lava; how hot: 0 hot, 1 warm, 2 cold.
    Lava(usize),
    Material(&'a str),
}

impl Held<'_> {
    /// Returns true if a cell that holds this still holds the matter `matter`.
    fn is_still(self, matter: &Matter) -> bool {
        match (self, matter) {
            (Held::Rock, Matter::Rock) => true,
            (Held::Lava(0), Matter::Lava { .. }) => true,
            (Held::Material(held), Matter::Material { name, .. }) => held == name,
            _ => false,
        }
    }

    /// Returns the name of the usual block; `materials`: those of the world, for their looks.
    fn block(self, materials: &[Material]) -> &'static str {
        let name = match self {
            Held::Air => return AIR,
            Held::Rock => return "stone",
            Held::Lava(cold) => return ["lava", "magma_block", "basalt"][cold],
            Held::Material(name) => name,
        };
        if let Some((_, block, _)) = USUAL.iter().find(|(of, ..)| *of == name) {
            return block;
        }
        let material = materials.iter().find(|material| material.name == name);
        match material.map(|material| &material.look) {
            Some(look) if look.preset == Preset::Leaves => "oak_leaves",
            Some(look) => {
                let color = look.srgb().map(i32::from);
                let concrete = nearest(color, |(_, block, _)| block.ends_with("concrete"));
                concrete.unwrap_or("white_concrete")
            }
            None => "white_concrete",
        }
    }
}

fn channels(color: u32) -> [i32; 3] {
    [color >> 16, color >> 8 & 255, color & 255].map(|channel| channel as i32)
}

/// Returns the block of `USUAL` with the colour nearest to `color` among those that `fits`.
fn nearest(
    color: [i32; 3],
    fits: impl Fn(&(&str, &'static str, u32)) -> bool,
) -> Option<&'static str> {
    let distance = |(.., other): &(&str, &'static str, u32)| {
        let other = channels(*other);
        (0..3).map(|k| (color[k] - other[k]).pow(2)).sum::<i32>()
    };
    let near = USUAL.iter().filter(|usual| fits(usual));
    near.min_by_key(|usual| distance(usual))
        .map(|(_, block, _)| *block)
}

/// Returns red, green and blue (0 to 255) of the block `name`, whose name is its colour in files of
/// MagicaVoxel.
fn color_of(name: &str) -> [i32; 3] {
    /// Colour of blocks that are not known.
    const OTHER: u32 = 0x9a_9a_9a;
    if let Some(Ok(number)) = name
        .strip_prefix('#')
        .map(|digits| u32::from_str_radix(digits, 16))
    {
        return channels(number);
    }
    // Leaves of a kind that is not listed are as green as others.
    let kind = |block: &str| block.rsplit('_').next().map(str::to_owned);
    let name = bare(name);
    let same = USUAL.iter().find(|(_, block, _)| *block == name);
    let alike = || {
        let mut usual = USUAL.iter();
        usual.find(|(_, block, _)| kind(block) == kind(name))
    };
    channels(same.or_else(alike).map_or(OTHER, |(.., color)| *color))
}

/// Files of blocks that the scene took, with what each kind of block became.
struct Originals<'a> {
    files: Vec<(Build, &'a BlocksSpec, HashMap<String, &'a Matter>)>,
}

impl<'a> Originals<'a> {
    fn read(parts: &'a [BlocksPart]) -> Result<Self, blocks::BlocksError> {
        let mut files: Vec<(Build, &BlocksSpec, HashMap<String, &Matter>)> = Vec::new();
        for BlocksPart { path, spec, matter } in parts {
            let is_place = |other: &BlocksSpec| {
                (&other.file, other.from, other.edge, other.quarter_turns)
                    == (&spec.file, spec.from, spec.edge, spec.quarter_turns)
            };
            let at = match files.iter().position(|(_, other, _)| is_place(other)) {
                Some(at) => at,
                None => {
                    files.push((blocks::read(path)?, spec, HashMap::new()));
                    files.len() - 1
                }
            };
            let (build, _, became) = &mut files[at];
            let names = build.names().into_iter().map(|(name, _)| name.to_owned());
            let fits = |name: &String| {
                spec.of.is_empty() || spec.of.iter().any(|of| blocks::is_like(of, name))
            };
            let names: Vec<String> = names.filter(fits).collect();
            became.extend(names.into_iter().map(|name| (name, matter)));
        }
        Ok(Self { files })
    }

    /// Returns the name of the block that was in the cell `cell`, if `held` is still its matter, or
    /// nothing where it became nothing.
    fn name(&self, cell: Place, held: Held<'_>) -> Option<&str> {
        self.files.iter().find_map(|(build, spec, became)| {
            let name = build.name(build.block_at(spec, cell)?);
            let is_same = match became.get(bare(name)) {
                Some(matter) => held.is_still(matter),
                None => held == Held::Air && !is_air(bare(name)),
            };
            is_same.then_some(name)
        })
    }
}

/// Blocks of a box: kinds as indices of the palette; x fastest, then z, then y.
struct Blocks {
    grid: Grid,
    palette: Vec<String>,
    numbers: HashMap<String, u16>,
    kinds: Vec<u16>,
}

impl Blocks {
    fn of_air(grid: Grid) -> Self {
        Self {
            grid,
            palette: vec![AIR.to_owned()],
            numbers: HashMap::from([(AIR.to_owned(), 0)]),
            kinds: vec![0; grid.cells()],
        }
    }

    /// Returns the number of the block `name` in the palette; that of air for more kinds than a
    /// palette takes.
    fn number(&mut self, name: &str) -> u16 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let Ok(number) = u16::try_from(self.palette.len()) else {
            return 0;
        };
        self.palette.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    fn fill(&mut self, world: &State, originals: &Originals<'_>) {
        let Grid { nx, ny, nz, .. } = self.grid;
        let all = world.quantities();
        let find = |wanted: CellMeasure| all.iter().find(|quantity| quantity.measure() == wanted);
        let is_amount = |quantity: &&Quantity| {
            quantity.measure() == CellMeasure::Amount && quantity.material().is_some()
        };
        let amounts: Vec<&Quantity> = all.iter().filter(is_amount).collect();
        let solid = find(CellMeasure::Solid);
        let (heat, least) = match find(CellMeasure::Temperature) {
            Some(heat) => (Some(heat), KELVINS),
            None => (find(CellMeasure::SpecificEnergy), ENERGIES),
        };
        let materials: Vec<Material> = world.materials().cloned().collect();
        let mut rows = vec![vec![0.0_f32; nx]; amounts.len()];
        let (mut solids, mut heats) = (vec![0.0_f32; nx], vec![0.0_f32; nx]);
        for y in 0..ny {
            for z in 0..nz {
                for (quantity, row) in amounts.iter().zip(&mut rows) {
                    world.read_row(quantity, y, z, row);
                }
                if let Some(solid) = solid {
                    world.read_row(solid, y, z, &mut solids);
                }
                if let Some(heat) = heat {
                    world.read_row(heat, y, z, &mut heats);
                }
                for x in 0..nx {
                    let most = (0..rows.len()).max_by(|a, b| rows[*a][x].total_cmp(&rows[*b][x]));
                    let held = match most.filter(|most| rows[*most][x] >= LEAST) {
                        Some(most) if amounts[most].material() == Some(Material::LAVA) => {
                            Held::Lava(least.iter().filter(|least| heats[x] < **least).count())
                        }
                        Some(most) => amounts[most].material().map_or(Held::Air, Held::Material),
                        None if solids[x] > 0.5 => Held::Rock,
                        None => Held::Air,
                    };
                    let name = originals.name([x, y, z], held);
                    if held == Held::Air && name.is_none() {
                        continue;
                    }
                    let number = self.number(name.unwrap_or_else(|| held.block(&materials)));
                    self.kinds[(y * nz + z) * nx + x] = number;
                }
            }
        }
    }

    /// Gives the palette names of Minecraft, each once; colours become the nearest block.
    fn name_for_minecraft(&mut self) {
        let name = |name: &str| {
            if name.contains(':') {
                return name.to_owned();
            }
            let block = if name.starts_with('#') {
                nearest(color_of(name), |(_, block, _)| !is_air(block)).unwrap_or("stone")
            } else {
                name
            };
            format!("minecraft:{block}")
        };
        let names: Vec<String> = self.palette.iter().map(|known| name(known)).collect();
        (self.palette, self.numbers) = Default::default();
        let numbers: Vec<u16> = names.iter().map(|name| self.number(name)).collect();
        let renumbered = |kind: &mut u16| *kind = numbers[usize::from(*kind)];
        self.kinds.iter_mut().for_each(renumbered);
    }

    /// Returns the data of a file of MagicaVoxel, in models of at most `MODEL` blocks a side; `None`
    /// for too many colours.
    fn vox(&self) -> Option<DotVoxData> {
        let Grid { nx, ny, nz, .. } = self.grid;
        let mut palette: Vec<Color> = Vec::new();
        let mut colors = vec![0_u8; self.palette.len()];
        for (color, name) in colors.iter_mut().zip(&self.palette).skip(1) {
            let [r, g, b] = color_of(name).map(|channel| channel as u8);
            let wanted = Color { r, g, b, a: 255 };
            let at = palette.iter().position(|known| *known == wanted);
            let at = at.unwrap_or_else(|| {
                palette.push(wanted);
                palette.len() - 1
            });
            *color = u8::try_from(at)
                .ok()
                .filter(|at| usize::from(*at) < COLORS)?;
        }
        palette.resize(
            MODEL,
            Color {
                r: 0,
                g: 0,
                b: 0,
                a: 0,
            },
        );
        // Axes of the file: x east, y north, z up.
        let sides = [nx, nz, ny];
        let counts = sides.map(|side| side.div_ceil(MODEL));
        let (mut models, mut scenes) = (Vec::new(), Vec::new());
        let of_node = |attributes: Dict, child, layer_id| SceneNode::Transform {
            attributes: Dict::new(),
            frames: vec![Frame::new(attributes)],
            child,
            layer_id,
        };
        let count = counts.iter().product::<usize>();
        scenes.push(of_node(Dict::new(), 1, u32::MAX));
        scenes.push(SceneNode::Group {
            attributes: Dict::new(),
            children: (0..count as u32).map(|k| 2 + 2 * k).collect(),
        });
        for k in 0..count {
            let part = [
                k % counts[0],
                k / counts[0] % counts[1],
                k / (counts[0] * counts[1]),
            ];
            let low = part.map(|part| part * MODEL);
            let size = [0, 1, 2].map(|axis| MODEL.min(sides[axis] - low[axis]));
            let mut voxels = Vec::new();
            for z in 0..size[2] {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        let place = [low[0] + x, low[2] + z, nz - 1 - (low[1] + y)];
                        let kind = self.kinds[(place[1] * nz + place[2]) * nx + place[0]];
                        if kind > 0 {
                            let [x, y, z] = [x, y, z].map(|v| v as u8);
                            let i = colors[usize::from(kind)];
                            voxels.push(Voxel { x, y, z, i });
                        }
                    }
                }
            }
            let middle = [0, 1, 2].map(|axis| (low[axis] + size[axis] / 2).to_string());
            let place = Dict::from([("_t".to_owned(), middle.join(" "))]);
            scenes.push(of_node(place, 3 + 2 * k as u32, 0));
            scenes.push(SceneNode::Shape {
                attributes: Dict::new(),
                models: vec![ShapeModel {
                    model_id: k as u32,
                    attributes: Dict::new(),
                }],
            });
            let [x, y, z] = size.map(|side| side as u32);
            models.push(Model {
                size: Size { x, y, z },
                voxels,
            });
        }
        Some(DotVoxData {
            version: 150,
            index_map: Vec::new(),
            models,
            palette,
            materials: Vec::new(),
            scenes,
            layers: Vec::new(),
        })
    }
}
