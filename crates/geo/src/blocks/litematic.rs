//! Files of Litematica (`.litematic`): regions of blocks, each with a palette and numbers of as few
//! bits as its palette needs, without gaps.

use std::collections::BTreeMap;

use fastnbt::LongArray;
use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::{Build, MEND, nbt};
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::input::Loaded;

const FORMAT: &str = "litematic";
/// Version of the format that is written.
const VERSION: i32 = 6;
/// Fewest bits of a block.
const LEAST_BITS: u32 = 2;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Xyz {
    x: i32,
    y: i32,
    z: i32,
}

impl Xyz {
    fn array(self) -> [i64; 3] {
        [self.x, self.y, self.z].map(i64::from)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Kind {
    name: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    properties: BTreeMap<String, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Region {
    position: Xyz,
    size: Xyz,
    block_state_palette: Vec<Kind>,
    block_states: LongArray,
    #[serde(default, skip_deserializing)]
    entities: Vec<i32>,
    #[serde(default, skip_deserializing)]
    tile_entities: Vec<i32>,
    #[serde(default, skip_deserializing)]
    pending_block_ticks: Vec<i32>,
    #[serde(default, skip_deserializing)]
    pending_fluid_ticks: Vec<i32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata {
    name: String,
    author: String,
    description: String,
    region_count: i32,
    time_created: i64,
    time_modified: i64,
    total_blocks: i32,
    total_volume: i32,
    enclosing_size: Xyz,
}

/// File as it is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Regions {
    regions: BTreeMap<String, Region>,
}

/// File as it is written: one region.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Litematic {
    version: i32,
    sub_version: i32,
    minecraft_data_version: i32,
    metadata: Metadata,
    regions: BTreeMap<String, Region>,
}

impl Litematic {
    /// Creates a file called `name` with `size` blocks along x, y and z, whose kinds `kinds` are
    /// indices of `palette`, of which the first is air; x fastest, then z, then y.
    pub fn new(name: &str, size: [usize; 3], palette: &[String], kinds: &[u16]) -> Self {
        let [x, y, z] = size.map(|side| side as i32);
        let bits = bits(palette.len());
        let mut longs = vec![0_u64; (kinds.len() * bits as usize).div_ceil(64)];
        for (k, kind) in kinds.iter().enumerate() {
            let (at, shift) = (k * bits as usize / 64, k * bits as usize % 64);
            longs[at] |= u64::from(*kind) << shift;
            if shift + bits as usize > 64 {
                longs[at + 1] |= u64::from(*kind) >> (64 - shift);
            }
        }
        let solid = kinds.iter().filter(|kind| **kind > 0).count();
        let region = Region {
            position: Xyz { x: 0, y: 0, z: 0 },
            size: Xyz { x, y, z },
            block_state_palette: palette.iter().map(|name| kind(name)).collect(),
            block_states: LongArray::new(longs.into_iter().map(u64::cast_signed).collect()),
            entities: Vec::new(),
            tile_entities: Vec::new(),
            pending_block_ticks: Vec::new(),
            pending_fluid_ticks: Vec::new(),
        };
        let whole = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        Self {
            version: VERSION,
            sub_version: 1,
            minecraft_data_version: super::schem::MINECRAFT,
            metadata: Metadata {
                name: name.to_owned(),
                author: "Lavoxel".to_owned(),
                description: String::new(),
                region_count: 1,
                time_created: 0,
                time_modified: 0,
                total_blocks: whole(solid),
                total_volume: whole(kinds.len()),
                enclosing_size: Xyz { x, y, z },
            },
            regions: BTreeMap::from([(name.to_owned(), region)]),
        }
    }
}

/// Returns the name and the properties of the block `name`, such as
/// `minecraft:oak_stairs[facing=east]`.
fn kind(name: &str) -> Kind {
    let (name, state) = name.split_once('[').unwrap_or((name, ""));
    let pairs = state.trim_end_matches(']').split(',');
    Kind {
        name: name.to_owned(),
        properties: pairs
            .filter_map(|pair| pair.split_once('='))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    }
}

/// Returns the name of `kind` with its properties.
fn name(kind: &Kind) -> String {
    let pairs = kind.properties.iter();
    let state: Vec<String> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
    if state.is_empty() {
        kind.name.clone()
    } else {
        format!("{}[{}]", kind.name, state.join(","))
    }
}

/// Returns the number of bits of a block from a palette of `kinds` entries.
fn bits(kinds: usize) -> u32 {
    (usize::BITS - kinds.saturating_sub(1).leading_zeros()).max(LEAST_BITS)
}

/// Returns the lowest corner of `region` and its size.
fn bounds(region: &Region) -> ([i64; 3], [i64; 3]) {
    let (position, size) = (region.position.array(), region.size.array());
    let low = |k: usize| position[k] + (size[k] + 1).min(0);
    ([0, 1, 2].map(low), size.map(i64::abs))
}

pub(super) fn read(bytes: Loaded<Vec<u8>>) -> Result<Build, Fault> {
    let wrong = |found: &str| Fault::content(FORMAT, found);
    let Regions { regions } = nbt::read(bytes, FORMAT)?;
    let all: Vec<_> = regions.values().map(bounds).collect();
    let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
    for (first, size) in &all {
        for k in 0..3 {
            low[k] = low[k].min(first[k]);
            high[k] = high[k].max(first[k] + size[k]);
        }
    }
    let side = |k: usize| high[k].saturating_sub(low[k]).max(0) as usize;
    let mut build = Build::of_air([0, 1, 2].map(side))?;
    for (region, (first, size)) in regions.values().zip(all) {
        let [wide, tall, deep] = size.map(|side| side as usize);
        let bits = bits(region.block_state_palette.len()) as usize;
        let longs: Vec<i64> = region.block_states.iter().copied().collect();
        let need = wide.checked_mul(tall).and_then(|n| n.checked_mul(deep));
        let count =
            need.filter(|count| count.div_ceil(64).saturating_mul(bits) <= longs.len() + bits);
        let count = count.ok_or_else(|| wrong("a region has fewer blocks than its size says"))?;
        MemoryEstimate::new("a region of blocks", longs.len(), 8.0).check(MEND)?;
        let kinds = region
            .block_state_palette
            .iter()
            .map(|kind| build.kind(&name(kind)))
            .collect::<Result<Vec<u16>, _>>()?;
        let long = |k: usize| longs.get(k).map(|long| long.cast_unsigned());
        for k in 0..count {
            let (at, shift) = (k * bits / 64, k * bits % 64);
            let here = long(at).ok_or_else(|| wrong("a region ends too early"))?;
            let next = if shift + bits > 64 {
                long(at + 1).ok_or_else(|| wrong("a region ends too early"))? << (64 - shift)
            } else {
                0
            };
            let number = ((here >> shift | next) & ((1 << bits) - 1)) as usize;
            let kind = kinds
                .get(number)
                .ok_or_else(|| wrong("a block is not in its palette"))?;
            let place = [k % wide, k / (wide * deep), k / wide % deep];
            let place = [0, 1, 2].map(|axis| place[axis] + (first[axis] - low[axis]) as usize);
            if *kind > 0 {
                build.put(place, *kind);
            }
        }
    }
    Ok(build)
}
