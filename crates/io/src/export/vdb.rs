//! OpenVDB (`.vdb`) for Blender, Houdini and renderers: sparse grids of 32-bit floats. Lava has
//! `amount`, `energy` (per amount, vent units) and `density` (the low-passed amount that pictures
//! show); other materials have `water_density`, `water_amount`.
//!
//! File version 224, tree `Tree_float_5_4_3`, values of active voxels only, each node compressed
//! with zlib. Voxels are `[east, north, up]`, centred on the cells, in local metres (see
//! [`lavoxel_geo::map::Site`]). A voxel is active in `amount` and `energy` where the material is,
//! and in `density` where its low-pass is not zero. The air's grids have their own voxels
//! ([`air`]).

mod air;

use std::collections::BTreeMap;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::{Compression, write::ZlibEncoder};

use super::ExportError;
use super::sparse::{Block, EDGE, Sparse, cell_of};
use super::state::ExportState;
use lavoxel_automaton::world::quantity::symbol;
use lavoxel_automaton::world::{CellMeasure, Quantity};
use lavoxel_base::measure::{Measure, Of};
use lavoxel_files::output::{Existing, WholeFile};
use lavoxel_sim::lowpass::RowFilter;
use lavoxel_sim::state::State;

/// Magic number at the beginning of an OpenVDB file.
const MAGIC: u64 = 0x5644_4220;
/// Version numbers in the file header: file format, major and minor version of the library whose
/// conventions the file follows.
const VERSIONS: [u32; 3] = [224, 10, 0];
/// Compression flags of a grid: only active values are stored (2), compressed with zlib (1).
const COMPRESSION: u32 = 1 | 2;
/// Flag before the values of a node, which says that inactive voxels have the background value.
const INACTIVE_IS_BACKGROUND: u8 = 0;
/// Number of leaf nodes along an edge of a lower internal node.
const LOWER: usize = 16;
/// Number of lower internal nodes along an edge of an upper internal node.
const UPPER: usize = 32;

/// Leaf nodes of a grid, by position of the upper internal node, index of the lower internal node
/// in the upper one, and index of the leaf in the lower one.
type Nodes<'a, V> = BTreeMap<[usize; 3], BTreeMap<usize, BTreeMap<usize, &'a Block<V>>>>;

/// Type of number that an OpenVDB grid stores per voxel: scalar or vector.
trait Value: Copy + Default {
    /// Name of the OpenVDB tree type for grids of this value type.
    const TREE: &'static str;

    fn append_to(self, bytes: &mut Vec<u8>);
}

impl Value for f32 {
    const TREE: &'static str = "Tree_float_5_4_3";

    fn append_to(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }
}

impl Value for [f32; 3] {
    const TREE: &'static str = "Tree_vec3s_5_4_3";

    fn append_to(self, bytes: &mut Vec<u8>) {
        self.into_iter()
            .for_each(|component| component.append_to(bytes));
    }
}

/// Writes the simulation step `shot` as OpenVDB to `path`.
///
/// # Errors
/// When the file cannot be written.
pub fn write_vdb(
    path: &Path,
    shot: &ExportState<'_>,
    existing: Existing,
) -> Result<(), ExportError> {
    let mut file = WholeFile::create(path, existing)?;
    write(&mut file, shot).map_err(|e| ExportError::writing(path, e))?;
    Ok(file.commit()?)
}

fn write<W: Write + Seek>(file: &mut W, shot: &ExportState<'_>) -> io::Result<()> {
    file.write_all(&MAGIC.to_le_bytes())?;
    write_ints(file, &VERSIONS)?;
    file.write_all(&[1])?; // Grids can be found through their offsets.
    file.write_all(identifier(shot).as_bytes())?;
    let mut facts: Vec<Meta> = shot
        .facts()
        .into_iter()
        .map(|(name, text)| Meta::text(name, &text))
        .collect();
    facts.push(Meta::text(
        "creator",
        &format!("lavoxel {}", env!("CARGO_PKG_VERSION")),
    ));
    write_metadata(file, &facts)?;

    let grids = grids(shot.world);
    let of_air = shot.world.air().map_or(0, air::grids);
    write_ints(file, &[(grids.len() + of_air) as u32])?;
    // Grids are made one after another, so that one grid is in memory at a time.
    let to = Transform {
        scale: shot.site.spacing_m(),
        centre: shot.site.local_m([0.5; 3]),
    };
    grids
        .iter()
        .try_for_each(|grid| write_grid(file, &grid.name, &to, grid.field(shot)))?;
    shot.world
        .air()
        .map_or(Ok(()), |air| air::write(file, shot, air))
}

/// OpenVDB grid that is to be written: its name, and the quantity that gives its values.
struct GridOf {
    name: String,
    quantity: Quantity,
    /// Set if the low-passed amount is written instead of the values of the quantity.
    smooth: bool,
}

/// Returns the OpenVDB grids for the cells of `world`, in file order, without the grids of the air.
fn grids(world: &State) -> Vec<GridOf> {
    let quantities = world.quantities();
    let grids = quantities.iter().flat_map(|quantity| {
        let grid = |name: &str, smooth: bool| {
            Some(GridOf {
                name: symbol(&quantity.with_name(name)),
                quantity: quantity.clone(),
                smooth,
            })
        };
        match quantity.measure() {
            CellMeasure::Amount => [grid("density", true), grid("amount", false)],
            CellMeasure::SpecificEnergy => [grid("energy", false), None],
            measure if measure.facts().of == Of::Flow => [grid(measure.name(), false), None],
            // Rock is no volume; the air has its own voxels.
            _ => [None, None],
        }
    });
    grids.flatten().collect()
}

impl GridOf {
    fn field(&self, shot: &ExportState<'_>) -> Sparse<f32> {
        let mut field = Sparse::new();
        let layer = self
            .quantity
            .material()
            .and_then(|material| shot.world.number_of(material));
        if let Some(layer) = layer.filter(|_| self.smooth) {
            RowFilter::of_layer(layer).each_cell(shot.world, |at, density, _| {
                if density > 0 {
                    field.set(shot.site.cell(at), f32::from(density) / 255.0);
                }
            });
        } else {
            shot.world
                .values(&self.quantity)
                .held()
                .for_each(|(at, value)| field.set(shot.site.cell(at), value));
        }
        field
    }
}

/// Returns the UUID of the file, computed from state hash and step, so that equal states give equal
/// files.
fn identifier(shot: &ExportState<'_>) -> String {
    let (state, step) = (shot.state, shot.about.step);
    let [a, b, c] = [state >> 32, state >> 16 & 0xffff, state & 0xfff];
    format!(
        "{a:08x}-{b:04x}-4{c:03x}-8000-{:012x}",
        step & 0xffff_ffff_ffff
    )
}

/// Metadata entry of an OpenVDB file: name, OpenVDB type name and bytes of the value.
struct Meta {
    name: String,
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Meta {
    fn new(name: &str, kind: &'static str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            bytes,
        }
    }

    fn text(name: &str, text: &str) -> Self {
        Self::new(name, "string", text.as_bytes().to_vec())
    }

    fn voxel(name: &str, voxel: [usize; 3]) -> Self {
        Self::new(
            name,
            "vec3i",
            voxel
                .iter()
                .flat_map(|&v| (v as i32).to_le_bytes())
                .collect(),
        )
    }
}

fn write_ints(file: &mut impl Write, ints: &[u32]) -> io::Result<()> {
    ints.iter()
        .try_for_each(|int| file.write_all(&int.to_le_bytes()))
}

fn write_text(file: &mut impl Write, text: &str) -> io::Result<()> {
    write_ints(file, &[text.len() as u32])?;
    file.write_all(text.as_bytes())
}

fn write_metadata(file: &mut impl Write, metadata: &[Meta]) -> io::Result<()> {
    write_ints(file, &[metadata.len() as u32])?;
    metadata.iter().try_for_each(|meta| {
        write_text(file, &meta.name)?;
        write_text(file, meta.kind)?;
        write_ints(file, &[meta.bytes.len() as u32])?;
        file.write_all(&meta.bytes)
    })
}

fn write_grid<V: Value>(
    file: &mut (impl Write + Seek),
    name: &str,
    to: &Transform,
    field: Sparse<V>,
) -> io::Result<()> {
    let field = &field.whole().map_err(io::Error::other)?;
    write_text(file, name)?;
    write_text(file, V::TREE)?;
    write_text(file, "")?; // No other grid has this tree.
    let offsets = file.stream_position()?;
    file.write_all(&[0; 24])?;
    let grid = file.stream_position()?;
    write_ints(file, &[COMPRESSION])?;
    write_metadata(file, &grid_metadata(name, field))?;
    to.write(file)?;
    let nodes = nodes(field);
    write_topology(file, &nodes)?;
    let values = file.stream_position()?;
    for leaf in nodes
        .values()
        .flat_map(BTreeMap::values)
        .flat_map(BTreeMap::values)
    {
        write_mask(file, &leaf.active)?;
        write_values(file, leaf.active_values())?;
    }
    let end = file.stream_position()?;
    file.seek(SeekFrom::Start(offsets))?;
    [grid, values, end]
        .iter()
        .try_for_each(|at| file.write_all(&at.to_le_bytes()))?;
    file.seek(SeekFrom::Start(end)).map(drop)
}

fn grid_metadata<V: Value>(name: &str, field: &Sparse<V>) -> Vec<Meta> {
    let mut bounds: Option<[[usize; 3]; 2]> = None;
    let mut count = 0_i64;
    for (&place, block) in &field.blocks {
        for cell in block.active_cells().map(|at| cell_of(place, at)) {
            let [low, high] = bounds.get_or_insert([cell; 2]);
            *low = std::array::from_fn(|axis| low[axis].min(cell[axis]));
            *high = std::array::from_fn(|axis| high[axis].max(cell[axis]));
            count += 1;
        }
    }
    let mut metadata = vec![
        Meta::text("name", name),
        Meta::text("class", "fog volume"),
        Meta::new("is_saved_as_half_float", "bool", vec![0]),
        Meta::new("file_voxel_count", "int64", count.to_le_bytes().to_vec()),
    ];
    if let Some([low, high]) = bounds {
        metadata.extend([
            Meta::voxel("file_bbox_min", low),
            Meta::voxel("file_bbox_max", high),
        ]);
    }
    metadata
}

/// Affine transform from the voxel index of an OpenVDB grid to local metres: scale and translation.
struct Transform {
    /// Size of a voxel in metres, [east, north, up].
    scale: [f64; 3],
    /// Centre of the voxel with index 0, in local metres [east, north, up].
    centre: [f64; 3],
}

impl Transform {
    /// Writes the transform together with values derived from it, which OpenVDB reads from the file
    /// and does not compute.
    fn write(&self, file: &mut impl Write) -> io::Result<()> {
        let Self { scale, centre } = *self;
        let uniform = scale[2].to_bits() == scale[0].to_bits();
        write_text(
            file,
            if uniform {
                "UniformScaleTranslateMap"
            } else {
                "ScaleTranslateMap"
            },
        )?;
        let inverse = scale.map(|s| 1.0 / s);
        let numbers = [
            centre,
            scale,
            scale,
            inverse,
            inverse.map(|i| i * i),
            inverse.map(|i| 0.5 * i),
        ];
        numbers
            .iter()
            .flatten()
            .try_for_each(|number| file.write_all(&number.to_le_bytes()))
    }
}

/// Groups the blocks of `field`, which become leaf nodes, by the internal nodes of the OpenVDB
/// tree.
fn nodes<V: Value>(field: &Sparse<V>) -> Nodes<'_, V> {
    let mut nodes = Nodes::new();
    for (place, leaf) in &field.blocks {
        let place = place.map(usize::from);
        let number = |edge: usize, unit: usize| {
            place
                .iter()
                .fold(0, |number, &along| number * edge + along / unit % edge)
        };
        let root = place.map(|along| along / (LOWER * UPPER) * (LOWER * UPPER * EDGE));
        let upper = nodes
            .entry(root)
            .or_default()
            .entry(number(UPPER, LOWER))
            .or_default();
        upper.insert(number(LOWER, 1), leaf);
    }
    nodes
}

fn write_topology<V: Value>(file: &mut impl Write, nodes: &Nodes<'_, V>) -> io::Result<()> {
    write_ints(file, &[1])?; // One buffer of values.
    let mut background = Vec::new();
    V::default().append_to(&mut background);
    file.write_all(&background)?;
    write_ints(file, &[0, nodes.len() as u32])?; // No tiles, then the number of upper nodes.
    for (root, upper) in nodes {
        write_ints(file, &root.map(|along| along as u32))?;
        write_inner::<V>(file, upper.keys(), UPPER)?;
        for lower in upper.values() {
            write_inner::<V>(file, lower.keys(), LOWER)?;
            lower
                .values()
                .try_for_each(|leaf| write_mask(file, &leaf.active))?;
        }
    }
    Ok(())
}

/// Writes an internal node of the OpenVDB tree without tile values. `children`: indices of its
/// children in the node; `edge`: number of children along an edge.
fn write_inner<'a, V: Value>(
    file: &mut impl Write,
    children: impl Iterator<Item = &'a usize>,
    edge: usize,
) -> io::Result<()> {
    let mut mask = vec![0; edge.pow(3) / 64];
    children.for_each(|child| mask[child / 64] |= 1 << (child % 64));
    write_mask(file, &mask)?;
    write_mask(file, &vec![0; mask.len()])?;
    write_values(file, std::iter::empty::<V>())
}

fn write_mask(file: &mut impl Write, mask: &[u64]) -> io::Result<()> {
    mask.iter()
        .try_for_each(|word| file.write_all(&word.to_le_bytes()))
}

/// Writes the compressed size of `values` and then `values` compressed with zlib. Values that do
/// not become smaller are written uncompressed after their negated size.
fn write_values<V: Value>(
    file: &mut impl Write,
    values: impl Iterator<Item = V>,
) -> io::Result<()> {
    file.write_all(&[INACTIVE_IS_BACKGROUND])?;
    let mut plain = Vec::new();
    values.for_each(|value| value.append_to(&mut plain));
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&plain)?;
    let packed = encoder.finish()?;
    let (size, bytes) = if packed.len() < plain.len() {
        (packed.len() as i64, packed)
    } else {
        (-(plain.len() as i64), plain)
    };
    file.write_all(&size.to_le_bytes())?;
    file.write_all(&bytes)
}
