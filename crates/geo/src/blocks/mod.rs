//! Worlds of blocks: buildings and landscapes of MagicaVoxel (`.vox`) and Minecraft (`.schem` of
//! Sponge, `.litematic`), and the cells that their blocks fill.
//!
//! Blocks have names: `oak_planks` in Minecraft (states such as `oak_stairs[facing=east]` keep what
//! is in brackets, but patterns do not see it), the colour in MagicaVoxel, such as `#7f7f7f`.

#![cfg_attr(
    target_family = "wasm",
    allow(dead_code, reason = "no format is read in a browser")
)]

mod error;
#[cfg(not(target_family = "wasm"))]
pub mod litematic;
#[cfg(not(target_family = "wasm"))]
mod nbt;
#[cfg(not(target_family = "wasm"))]
pub mod schem;
#[cfg(not(target_family = "wasm"))]
mod vox;

use std::path::Path;

pub use self::error::BlocksError;
use self::error::Fault;
pub use lavoxel_base::body::BlocksSpec;
use lavoxel_base::body::Cells;
use lavoxel_base::grid::{Grid, MAX_SIDE, Place};
use lavoxel_base::memory::{Held, MemoryEstimate};
use lavoxel_files::archive::{self, ArchivedFile};
use lavoxel_files::input::{self, Loaded, Reader};

/// Name of the block of which the rest of a world consists.
pub const AIR: &str = "air";
/// Prefix of Minecraft's own blocks.
const OWN: &str = "minecraft:";
/// Advice at the end of messages that reading blocks would exceed the memory limit.
const MEND: &str = "cut the file into parts, or make grid.size smaller";
/// Upper bound on the number of kinds of blocks in a file.
const MOST_KINDS: usize = 1 << 16;

/// File format: reader and decoder.
type Format = (&'static Reader, fn(Loaded<Vec<u8>>) -> Result<Build, Fault>);

/// Supported formats; none in a browser, where their libraries would weigh on every visit.
const FORMATS: &[Format] = &[
    #[cfg(not(target_family = "wasm"))]
    (&input::VOX, vox::read),
    #[cfg(not(target_family = "wasm"))]
    (&input::SCHEM, schem::read),
    #[cfg(not(target_family = "wasm"))]
    (&input::LITEMATIC, litematic::read),
];

fn format_of(path: &Path) -> Option<&'static Format> {
    let ending = input::ending(path);
    FORMATS
        .iter()
        .find(|(reader, _)| reader.endings.contains(&ending.as_str()))
}

/// Returns true if `path` has the extension of a file of blocks.
pub fn has_known_ending(path: &Path) -> bool {
    format_of(path).is_some()
}

/// Iterates over the file extensions of blocks, in lower case without the dot.
pub fn known() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().map(|(reader, _)| reader.name)
}

/// Returns the file extensions of all formats of blocks as a list for messages.
pub fn endings() -> String {
    let endings: Vec<String> = known().map(|name| format!(".{name}")).collect();
    if endings.is_empty() {
        "none in a browser".to_owned()
    } else {
        endings.join(", ")
    }
}

/// Box of blocks.
#[derive(Debug)]
pub struct Build {
    /// Number of blocks along x (east), y (up) and z (south).
    pub size: Place,
    /// Names of the kinds of blocks with their states.
    pub palette: Vec<String>,
    /// Kind of each block as an index of `palette`; x fastest, then z, then y.
    kinds: Vec<u16>,
    /// Memory of `kinds` as counted against the memory limit of the process.
    _held: Held,
}

impl Build {
    /// Creates a box of `size` blocks of air. Fails if the box is empty or too large.
    fn of_air(size: Place) -> Result<Self, Fault> {
        if let Some(side) = size.into_iter().find(|side| *side > MAX_SIDE) {
            return Err(Fault::TooWide(side));
        }
        let count = size.iter().product::<usize>();
        if count == 0 {
            return Err(Fault::Empty);
        }
        let need = MemoryEstimate::new("the blocks of the file", count, 2.0);
        need.check(MEND)?;
        Ok(Self {
            size,
            palette: vec![AIR.to_owned()],
            kinds: vec![0; count],
            _held: need.held(),
        })
    }

    /// Returns the index in the palette of the block with the name `name`, which is added if it is
    /// new.
    fn kind(&mut self, name: &str) -> Result<u16, Fault> {
        let known = self.palette.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.palette.push(name.to_owned());
            self.palette.len() - 1
        });
        u16::try_from(index).map_err(|_| Fault::Kinds)
    }

    fn index(&self, [x, y, z]: Place) -> usize {
        (y * self.size[2] + z) * self.size[0] + x
    }

    fn put(&mut self, place: Place, kind: u16) {
        let index = self.index(place);
        self.kinds[index] = kind;
    }

    /// Returns the name of the block at `place` (x, y, z) with its state.
    pub fn name(&self, place: Place) -> &str {
        &self.palette[usize::from(self.kinds[self.index(place)])]
    }

    /// Returns the names of the kinds of blocks that the box holds, without states and without air,
    /// each with the number of its blocks, in alphabetical order.
    pub fn names(&self) -> Vec<(&str, usize)> {
        let mut counts = vec![0_usize; self.palette.len()];
        self.kinds
            .iter()
            .for_each(|kind| counts[usize::from(*kind)] += 1);
        let mut names = std::collections::BTreeMap::new();
        for (name, count) in self.palette.iter().zip(counts) {
            let name = bare(name);
            if count > 0 && !is_air(name) {
                *names.entry(name).or_default() += count;
            }
        }
        names.into_iter().collect()
    }

    /// Returns the block (x, y, z) of the file that covers the middle of the cell `cell`, placed as
    /// `spec` says; `None` outside of the file.
    pub fn block_at(&self, spec: &BlocksSpec, cell: Place) -> Option<Place> {
        let at = |k: usize| ((cell[k] as f64 + 0.5 - spec.from[k]) / spec.edge).floor();
        let turned = turned_size(self.size, spec.quarter_turns);
        let is_in = (0..3).all(|k| at(k) >= 0.0 && at(k) < turned[k] as f64);
        is_in.then(|| {
            let [x, y, z] = [0, 1, 2].map(|k| at(k) as usize);
            let [wide, _, deep] = self.size;
            match spec.quarter_turns {
                0 => [x, y, z],
                1 => [z, y, deep - 1 - x],
                2 => [wide - 1 - x, y, deep - 1 - z],
                _ => [wide - 1 - z, y, x],
            }
        })
    }

    /// Returns the cells of a box of shape `grid` that the blocks fill that `spec` names, placed as
    /// `spec` says. Fails if there are none in the file.
    fn cells(&self, spec: &BlocksSpec, grid: Grid) -> Result<Cells, Fault> {
        let is_wanted: Vec<bool> = self
            .palette
            .iter()
            .map(|name| match &spec.of[..] {
                [] => !is_air(bare(name)),
                of => of.iter().any(|pattern| is_like(pattern, bare(name))),
            })
            .collect();
        if !self.kinds.iter().any(|kind| is_wanted[usize::from(*kind)]) {
            let names = self.names();
            return Err(Fault::NoBlocks {
                wanted: spec.of.clone(),
                names: names.into_iter().map(|(name, _)| name.to_owned()).collect(),
            });
        }
        let sides = [grid.nx, grid.ny, grid.nz];
        let turned = turned_size(self.size, spec.quarter_turns);
        let clip = |v: f64, k: usize| v.clamp(0.0, sides[k] as f64) as usize;
        let low = std::array::from_fn(|k| clip(spec.from[k].floor(), k));
        let high = std::array::from_fn(|k| {
            clip((spec.from[k] + turned[k] as f64 * spec.edge).ceil(), k).max(low[k])
        });
        let room: usize = (0..3).map(|k| high[k] - low[k]).product();
        MemoryEstimate::new("the cells of the blocks", room, 1.0 / 8.0).check(MEND)?;
        Ok(Cells::between(low, high, |cell| {
            let block = self.block_at(spec, cell);
            block.is_some_and(|place| is_wanted[usize::from(self.kinds[self.index(place)])])
        }))
    }
}

/// Returns the size of a box of `size` after quarter turns.
pub fn turned_size([wide, tall, deep]: Place, quarter_turns: usize) -> Place {
    if quarter_turns.is_multiple_of(2) {
        [wide, tall, deep]
    } else {
        [deep, tall, wide]
    }
}

/// Returns the name of a block without `minecraft:` and without its state.
pub fn bare(name: &str) -> &str {
    let name = name.strip_prefix(OWN).unwrap_or(name);
    name.split('[').next().unwrap_or(name)
}

/// Returns true if `name` (see [`bare`]) is air, in a cave or elsewhere.
pub fn is_air(name: &str) -> bool {
    matches!(name, AIR | "cave_air" | "void_air" | "structure_void")
}

/// Returns true if `name` is like `pattern`, in which `*` stands for any characters.
pub fn is_like(pattern: &str, name: &str) -> bool {
    let Some((before, mut rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(before) else {
        return false;
    };
    while let Some((part, further)) = rest.split_once('*') {
        let Some(at) = left.find(part) else {
            return false;
        };
        (left, rest) = (&left[at + part.len()..], further);
    }
    left.ends_with(rest)
}

/// Reads the file of blocks at `path`.
///
/// # Errors
/// [`BlocksError`] with the file and its fault.
pub fn read(path: &Path) -> Result<Build, BlocksError> {
    let read = || {
        let (reader, decode) = format_of(path).ok_or(Fault::UnknownFormat)?;
        if let Some(inside) = archive::file(path) {
            let ArchivedFile { bytes, held } = inside.map_err(Fault::Read)?;
            return input::guard(|| decode(Loaded::new(bytes.into_owned(), held)))?;
        }
        reader.bytes(path, decode)?
    };
    read().map_err(|fault| BlocksError::new(path, fault))
}

/// Returns a copy of `spec`, whose file `build` is and lies at `path`, to which the cells of its
/// blocks in a box of shape `grid` have been added.
pub(crate) fn placed(
    spec: &BlocksSpec,
    build: &Build,
    (path, grid): (&Path, Grid),
) -> Result<Cells, BlocksError> {
    build
        .cells(spec, grid)
        .map_err(|fault| BlocksError::new(path, fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, fits) in [
            ("oak_planks", "oak_planks", true),
            ("oak_planks", "dark_oak_planks", false),
            ("*_planks", "dark_oak_planks", true),
            ("*oak*", "dark_oak_planks", true),
            ("stone*s", "stone_bricks", true),
            ("stone*s", "stone_brick", false),
            ("*a*a", "a", false),
            ("*", "", true),
        ] {
            assert_eq!(is_like(pattern, name), fits, "{pattern} {name}");
        }
        assert_eq!(bare("minecraft:oak_stairs[facing=east]"), "oak_stairs");
    }

    #[test]
    fn quarter_turns_go_clockwise() {
        let mut build = Build::of_air([3, 1, 2]).expect("small");
        let kind = build.kind("stone").expect("few");
        build.put([2, 0, 0], kind);
        let place = |quarter_turns: usize| {
            let spec = BlocksSpec {
                from: [1.0, 0.0, 1.0],
                edge: 2.0,
                quarter_turns,
                ..BlocksSpec::default()
            };
            let cells = build.cells(&spec, Grid::new(8, 3, 8)).expect("stone");
            assert_eq!(cells.count(), 8);
            let columns = (0..64).map(|i| [i % 8, i / 8]);
            let holds =
                |[x, z]: &[usize; 2]| cells.contains([*x as f64 + 0.5, 0.5, *z as f64 + 0.5]);
            columns.filter(holds).min().expect("cells")
        };
        // The block in the north-east goes to the south-east, south-west and north-west.
        assert_eq!([0, 1, 2, 3].map(place), [[5, 1], [3, 5], [1, 3], [1, 1]]);
    }
}
