//! Default scene around a world of blocks that is opened without a scene file: box, bodies,
//! materials and a vent above the middle. A table says what blocks become.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::defaults::Added;
use super::{BodySpec, Overrides, Scene, SceneError, SceneSpec, VentPlace, VentRadius, VentTable};
use lavoxel_automaton::matter::{Material, Reaction};
use lavoxel_automaton::rules::Walls;
use lavoxel_automaton::view::{SkyPreset, Surroundings};
use lavoxel_automaton::world::{Matter, Shape};
use lavoxel_base::body::BlocksSpec;
use lavoxel_base::grid::MAX_SIDE;
use lavoxel_base::validate::Invalid;
use lavoxel_base::words::short;
use lavoxel_files::input;
use lavoxel_geo::blocks::{self, Build, is_like};
use lavoxel_geo::terrain::{TerrainKind, TerrainSpec};

/// TOML text of the built-in table of what blocks become, with comments.
pub const BLOCKS: &str = include_str!("blocks.toml");

/// Thickness of the ground below the blocks, in cells.
const BASE: usize = 3;
/// Room around the blocks: share of their longer side, and least number of cells.
const AROUND: (f64, usize) = (0.2, 6);
/// Room above the blocks: share of their height, and least number of cells.
const ABOVE: (f64, usize) = (0.3, 12);
/// Height of the vent above the blocks, in cells.
const POURS: f64 = 5.0;
/// Edge length of a block in metres, as in Minecraft.
const BLOCK_M: f64 = 1.0;

/// Table of what blocks become.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockTable {
    #[serde(rename = "block")]
    rules: Vec<BlockRule>,
    #[serde(rename = "material", default)]
    materials: Vec<Material>,
    #[serde(rename = "reaction", default)]
    reactions: Vec<Reaction>,
}

/// Blocks with certain names or colours, and what they become.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockRule {
    /// Names of the blocks; `*` stands for any characters.
    names: Vec<String>,
    /// Colours of the blocks in files that have no names, such as `#7f7f7f`.
    #[serde(default)]
    colors: Vec<String>,
    matter: Matter,
}

impl BlockTable {
    /// Returns the index of the rule for the block `name`: the first that names it or, for a block
    /// that is a colour, the one with the nearest colour. `None` if there is none.
    fn rule_of(&self, name: &str) -> Option<usize> {
        let names = |rule: &BlockRule| rule.names.iter().any(|pattern| is_like(pattern, name));
        let Some(color) = rgb(name) else {
            return self.rules.iter().position(names);
        };
        let distance = |other: &String| {
            let other = rgb(other)?;
            Some((0..3).map(|k| (color[k] - other[k]).pow(2)).sum::<i32>())
        };
        let nearest = |rule: &BlockRule| rule.colors.iter().filter_map(distance).min();
        let near = self.rules.iter().enumerate();
        near.filter_map(|(index, rule)| Some((nearest(rule)?, index)))
            .min()
            .map(|(_, index)| index)
            .or_else(|| self.rules.iter().position(names))
    }

    /// Keeps the reactions of `used` materials and the materials that they need.
    fn needed(&mut self, used: &[String]) {
        let mut used = used.to_vec();
        self.reactions.retain(|reaction| {
            reaction
                .takes
                .0
                .iter()
                .all(|(name, _)| is_there(&used, name))
        });
        let made = self.reactions.iter().flat_map(|reaction| &reaction.makes.0);
        used.extend(made.map(|(name, _)| name.clone()));
        self.materials
            .retain(|material| used.contains(&material.name));
    }
}

fn is_there(used: &[String], name: &str) -> bool {
    name == "lava" || used.iter().any(|used| used == name)
}

/// Returns red, green and blue (0 to 255) of a colour such as `#7f7f7f`; `None` for another name.
fn rgb(name: &str) -> Option<[i32; 3]> {
    let digits = name.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let number = i32::from_str_radix(digits, 16).ok()?;
    Some([number >> 16, number >> 8 & 255, number & 255])
}

impl Scene {
    /// Creates a scene around the blocks of the file at `path`: a box with room around them and open
    /// sides, on level ground, with a vent above their middle. Blocks become what the table of the
    /// overrides says, or the built-in one (`BLOCKS`). A block is a cell of one metre.
    ///
    /// # Errors
    /// [`SceneError::Build`] when the file cannot be read or has no blocks, [`SceneError::Text`] for
    /// a wrong table, [`SceneError::Invalid`] for an override that is out of range.
    pub fn around_blocks(path: &Path, overrides: &Overrides) -> Result<Self, SceneError> {
        let wrong = |cause| SceneError::Build(Box::new(cause));
        let build = blocks::read(path).map_err(wrong)?;
        let table = match &overrides.blocks {
            Some(file) => read_table(file)?,
            None => parse_table(BLOCKS, Path::new("(built-in table of blocks)"))?,
        };
        let mut scene = Self::of_build(path, &build, overrides);
        scene.put_blocks(path, &build, table)?;
        scene.check().map_err(|invalid| scene.invalid(invalid))?;
        scene.apply(&Overrides {
            blocks: None,
            ..overrides.clone()
        })?;
        Ok(scene)
    }

    /// Creates the scene of a box around the blocks `build` of the file `path`, without them.
    fn of_build(path: &Path, build: &Build, overrides: &Overrides) -> Self {
        let [wide, tall, deep] = build.size;
        let room =
            |side: usize, (share, least): (f64, usize)| ((share * side as f64) as usize).max(least);
        let around = 2 * room(wide.max(deep), AROUND);
        let usual = [
            wide + around,
            BASE + tall + room(tall, ABOVE),
            deep + around,
        ];
        let size = usual.map(|side| side.min(MAX_SIDE));
        let stem = path.file_stem().unwrap_or_default();
        let mut spec = SceneSpec {
            name: stem.to_string_lossy().into_owned(),
            seed: 1,
            terrain: TerrainSpec {
                kind: TerrainKind::Plane,
                base_cells: Some(BASE as f64),
                ..TerrainSpec::default()
            },
            ..SceneSpec::default()
        };
        spec.grid.size = overrides.size.unwrap_or(size);
        spec.grid.cell_size_m = Some(BLOCK_M);
        spec.rules.threshold = 0.3;
        (spec.look.sky, spec.look.surroundings) = (SkyPreset::Dusk, Surroundings::Land);
        let [nx, ny, nz] = spec.grid.size;
        let side = wide.max(deep) as f64;
        let vent = VentTable {
            radius: VentRadius::Cells((0.04 * side).clamp(1.0, 6.0)),
            rate: (side / 8.0).clamp(1.0, 40.0),
            height: Some(((BASE + tall) as f64 + POURS).min(ny as f64 - 1.0)),
            ..VentTable::at(VentPlace::Cells {
                x: nx as f64 / 2.0,
                z: nz as f64 / 2.0,
            })
        };
        let mut scene = Self {
            spec,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            origin: path.to_owned(),
            choices: Vec::new(),
            added: Added::default(),
            shift: [0.0; 2],
        };
        scene.choose(format!(
            "{wide} × {tall} × {deep} blocks, each a cell of {BLOCK_M} m (--finer 2 for cells of half a block)"
        ));
        if overrides.vents.is_empty() {
            scene.choose(format!(
                "a vent above the middle, {} full cells a step (--vent X,Z@RATE)",
                short(vent.rate, 2)
            ));
        }
        scene.spec.vents.push(vent);
        if overrides.walls.is_none() {
            scene.choose("open sides: lava that reaches the edge leaves (--walls closed)");
        }
        scene.set_walls(overrides.walls.unwrap_or(Walls::Open));
        scene
    }

    /// Puts the blocks `build` of the file `path` into the middle of the box, as bodies of what
    /// `table` says, with the materials and reactions that they need.
    fn put_blocks(
        &mut self,
        path: &Path,
        build: &Build,
        mut table: BlockTable,
    ) -> Result<(), SceneError> {
        let names = build.names();
        let mut groups = vec![Vec::new(); table.rules.len()];
        for (name, _) in &names {
            let rule = table.rule_of(name).ok_or_else(|| {
                let expected = "in a table [[block]], such as one of names = [\"*\"] at the end";
                self.invalid(Invalid::new("block", *name, expected))
            })?;
            groups[rule].push((*name).to_owned());
        }
        let (size, [nx, _, nz]) = (build.size, self.spec.grid.size);
        let middle = |side: usize, blocks: usize| ((side as f64 - blocks as f64) / 2.0).floor();
        let from = [middle(nx, size[0]), BASE as f64, middle(nz, size[2])];
        let file = path.file_name().map(PathBuf::from).unwrap_or_default();
        let mut used = Vec::new();
        for (rule, names) in table.rules.iter().zip(groups) {
            if names.is_empty() || rule.matter == Matter::Nothing {
                continue;
            }
            if let Matter::Material { name, .. } = &rule.matter {
                used.push(name.clone());
            }
            let blocks = BlocksSpec {
                file: file.clone(),
                of: names,
                from,
                edge: 1.0,
                ..BlocksSpec::default()
            };
            self.spec.bodies.push(BodySpec {
                shape: Shape::Blocks(Box::new(blocks)),
                matter: rule.matter.clone(),
            });
        }
        table.needed(&used);
        self.spec.materials = table.materials;
        self.spec.reactions = table.reactions;
        Ok(())
    }
}

/// Reads the table of what blocks become at `path`.
fn read_table(path: &Path) -> Result<BlockTable, SceneError> {
    let read = input::BLOCKS.text(path, |text| parse_table(&text, path));
    read.map_err(|cause| SceneError::Read {
        path: path.to_owned(),
        cause: cause.into(),
    })?
}

fn parse_table(text: &str, path: &Path) -> Result<BlockTable, SceneError> {
    toml::from_str(text).map_err(|error| SceneError::from_toml(path, text, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn becomes(name: &str) -> Matter {
        let table = parse_table(BLOCKS, Path::new("blocks.toml")).expect("it is right");
        let rule = table.rule_of(name).expect("all names have one");
        table.rules[rule].matter.clone()
    }

    #[test]
    fn the_built_in_table_knows_usual_blocks_and_colours() {
        let of = |name: &str| Matter::Material {
            name: name.to_owned(),
            amount: 1.0,
        };
        for (block, matter) in [
            ("stone", Matter::Rock),
            ("deepslate", Matter::Rock),
            ("water", of("water")),
            ("dark_oak_planks", of("wood")),
            ("oak_leaves", of("leaves")),
            ("stone_bricks", of("walls")),
            ("packed_ice", of("ice")),
            ("red_sand", of("sand")),
            ("torch", Matter::Nothing),
            ("wall_torch", Matter::Nothing),
            ("#3a70dd", of("water")),
            ("#808080", Matter::Rock),
        ] {
            assert_eq!(becomes(block), matter, "{block}");
        }
        assert!(matches!(becomes("lava"), Matter::Lava { .. }));
        assert!(matches!(becomes("#ff6010"), Matter::Lava { .. }));
    }
}
