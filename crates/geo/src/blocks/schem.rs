//! Files of Sponge and WorldEdit (`.schem`), versions 1 to 3:
//! <https://github.com/SpongePowered/Schematic-Specification>.

use std::collections::BTreeMap;

use fastnbt::ByteArray;
use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::{Build, nbt};
use lavoxel_files::input::Loaded;

const FORMAT: &str = "schem";
/// Data version of the blocks that are written: Minecraft 1.20.1.
pub const MINECRAFT: i32 = 3465;

/// Compound of a file, of which version 3 has one more around it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Sponge {
    #[serde(skip_serializing)]
    schematic: Option<Box<Sponge>>,
    version: i32,
    data_version: i32,
    width: i16,
    height: i16,
    length: i16,
    #[serde(skip_serializing_if = "Option::is_none")]
    palette_max: Option<i32>,
    palette: BTreeMap<String, i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_data: Option<ByteArray>,
    #[serde(skip_serializing)]
    blocks: Option<Blocks>,
}

/// Blocks of version 3.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Blocks {
    palette: BTreeMap<String, i32>,
    data: ByteArray,
}

impl Sponge {
    /// Creates a file of version 2 with `size` blocks along x, y and z, whose kinds `kinds` are
    /// indices of `palette`; x fastest, then z, then y. `None` if a side is longer than 65,535.
    pub fn new(size: [usize; 3], palette: &[String], kinds: &[u16]) -> Option<Self> {
        let side = |k: usize| u16::try_from(size[k]).ok().map(u16::cast_signed);
        let mut bytes = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let mut rest = u32::from(*kind);
            while rest >= 128 {
                bytes.push((rest as u8 | 128).cast_signed());
                rest >>= 7;
            }
            bytes.push((rest as u8).cast_signed());
        }
        Some(Self {
            version: 2,
            data_version: MINECRAFT,
            width: side(0)?,
            height: side(1)?,
            length: side(2)?,
            palette_max: Some(palette.len() as i32),
            palette: palette
                .iter()
                .zip(0..)
                .map(|(name, index)| (name.clone(), index))
                .collect(),
            block_data: Some(ByteArray::new(bytes)),
            ..Self::default()
        })
    }
}

pub(super) fn read(bytes: Loaded<Vec<u8>>) -> Result<Build, Fault> {
    let wrong = |found: &str| Fault::content(FORMAT, found);
    let mut sponge: Sponge = nbt::read(bytes, FORMAT)?;
    if let Some(inner) = sponge.schematic.take() {
        sponge = *inner;
    }
    let (palette, data) = match (sponge.blocks, sponge.block_data) {
        (Some(blocks), _) => (blocks.palette, blocks.data),
        (None, Some(data)) => (sponge.palette, data),
        (None, None) => return Err(wrong("it has no blocks")),
    };
    let sides = [sponge.width, sponge.height, sponge.length];
    let size = sides.map(|side| usize::from(side.cast_unsigned()));
    let data = data.into_inner();
    // Each block takes a byte at least.
    if size.iter().product::<usize>() > data.len() {
        return Err(wrong("it has fewer blocks than its size says"));
    }
    let mut build = Build::of_air(size)?;
    let mut kinds = BTreeMap::new();
    for (name, index) in &palette {
        kinds.insert(*index, build.kind(name)?);
    }
    let mut numbers = data.into_iter().map(i8::cast_unsigned);
    for kind in &mut build.kinds {
        let (mut number, mut shift) = (0_i32, 0);
        loop {
            let byte = numbers
                .next()
                .ok_or_else(|| wrong("it has fewer blocks than its size says"))?;
            number |= i32::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
            if shift > 21 {
                return Err(wrong("a block has no number"));
            }
        }
        *kind = *kinds
            .get(&number)
            .ok_or_else(|| wrong("a block is not in its palette"))?;
    }
    Ok(build)
}
