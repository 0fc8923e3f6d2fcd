//! Reader of binary glTF 2.0: the triangles of a scene, in scene coordinates. The crate `gltf_json`
//! parses the JSON; the numbers are read here, where every offset is checked.

use gltf_json::accessor::{ComponentType, Type};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Accessor, Index, Node, Root};

use super::error::Fault;
use super::read::Collector;
use lavoxel_base::memory::MemoryEstimate;

const FORMAT: &str = "GLB";
/// Upper bound on the length of the JSON chunk of a glTF file, in bytes.
const MAX_JSON: usize = 16 << 20;

/// Estimated memory in bytes per JSON object while the JSON chunk is parsed, growing lists
/// included.
const AN_OBJECT: usize = 1200;
/// Estimated memory in bytes per element of a JSON list while the JSON chunk is parsed, growing
/// lists included.
const A_VALUE: usize = 64;

/// Affine transform as three axis vectors followed by a translation.
type Matrix = [[f64; 3]; 4];

const UNIT: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3]];

pub(super) fn read(bytes: &[u8], collector: &mut Collector<'_>) -> Result<(), Fault> {
    let (json, numbers) = chunks(bytes)
        .ok_or_else(|| wrong("its chunks do not fit its length: the file is cut short"))?;
    if json.len() > MAX_JSON {
        return Err(wrong(format!(
            "its description is longer than {MAX_JSON} bytes"
        )));
    }
    collector.hold(&need_of_json(json))?;
    let root: Root = gltf_json::deserialize::from_slice(json).map_err(wrong)?;
    if let Some(name) = root
        .extensions_required
        .iter()
        .find(|name| !HARMLESS.contains(&name.as_str()))
    {
        return Err(wrong(format!(
            "it needs the extension {name}, which is not known here (export without compression)"
        )));
    }
    Reader {
        root: &root,
        numbers,
    }
    .read(collector)
}

/// glTF extensions that do not move vertices, so that files which require them can be read.
const HARMLESS: [&str; 5] = [
    "KHR_materials_unlit",
    "KHR_texture_transform",
    "KHR_materials_emissive_strength",
    "KHR_materials_transmission",
    "KHR_lights_punctual",
];

/// Estimates the memory for parsing the JSON chunk `json` by counting braces, brackets and commas.
fn need_of_json(json: &[u8]) -> MemoryEstimate {
    let cost = |byte: &u8| match byte {
        b'{' => AN_OBJECT,
        b',' | b'[' => A_VALUE,
        _ => 2,
    };
    MemoryEstimate::new(
        "the description of the mesh",
        json.iter().map(cost).sum(),
        1.0,
    )
}

fn wrong(found: impl ToString) -> Fault {
    Fault::content(FORMAT, found)
}

/// Returns (JSON chunk, binary chunk) of the glTF file `bytes`; `None` if the file is malformed.
fn chunks(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let word =
        |at: usize| Some(u32::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?) as usize);
    if bytes.get(..4)? != b"glTF" || word(4)? != 2 || word(8)? > bytes.len() {
        return None;
    }
    let chunk = |at: usize, kind: &[u8; 4]| {
        (bytes.get(at + 4..at + 8)? == kind).then_some(())?;
        bytes.get(at + 8..(at + 8).checked_add(word(at)?)?)
    };
    let json = chunk(12, b"JSON")?;
    let next = 20 + json.len().next_multiple_of(4);
    // A file without numbers has no second chunk.
    Some((
        json,
        if next < bytes.len() {
            chunk(next, b"BIN\0")?
        } else {
            &[]
        },
    ))
}

/// Content of the file whose triangles are read: parsed JSON and binary chunk.
struct Reader<'a> {
    root: &'a Root,
    numbers: &'a [u8],
}

impl Reader<'_> {
    /// Adds the triangles of all nodes of the scene, in scene coordinates, to `collector`.
    fn read(&self, collector: &mut Collector<'_>) -> Result<(), Fault> {
        let scene = self.root.scene.map_or(0, |scene| scene.value());
        let all = || (0..self.root.nodes.len() as u32).map(Index::new).collect();
        let roots = self
            .root
            .scenes
            .get(scene)
            .map_or_else(all, |scene| scene.nodes.clone());
        let mut waiting: Vec<(Index<Node>, Matrix, bool)> =
            roots.into_iter().map(|node| (node, UNIT, false)).collect();
        let mut seen = vec![false; self.root.nodes.len()];
        while let Some((number, above, wanted)) = waiting.pop() {
            let node = self
                .root
                .nodes
                .get(number.value())
                .ok_or_else(|| wrong("a node is not there"))?;
            if std::mem::replace(&mut seen[number.value()], true) {
                return Err(wrong("a node has two places in its tree"));
            }
            let matrix = times(&above, &placing(node));
            let wanted = collector.wants(node.name.as_deref().unwrap_or_default()) || wanted;
            waiting.extend(
                node.children
                    .iter()
                    .flatten()
                    .map(|&child| (child, matrix, wanted)),
            );
            if let Some(mesh) = node.mesh {
                let mesh = self
                    .root
                    .meshes
                    .get(mesh.value())
                    .ok_or_else(|| wrong("a mesh is not there"))?;
                if collector.wants(mesh.name.as_deref().unwrap_or_default()) || wanted {
                    mesh.primitives
                        .iter()
                        .try_for_each(|part| self.read_primitive(part, &matrix, collector))?;
                }
            }
        }
        Ok(())
    }

    fn read_primitive(
        &self,
        part: &Primitive,
        matrix: &Matrix,
        collector: &mut Collector<'_>,
    ) -> Result<(), Fault> {
        // Points and lines enclose no cells.
        let Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) = part.mode
        else {
            return Ok(());
        };
        let places = part
            .attributes
            .get(&Valid(Semantic::Positions))
            .ok_or_else(|| wrong("a mesh has no corners"))?;
        let places = self.numbers(*places, Type::Vec3, &[ComponentType::F32])?;
        let corner = |i: usize| -> Result<[f64; 3], Fault> {
            let place = places
                .get(i)
                .ok_or_else(|| wrong("a triangle names a corner that is not there"))?;
            let place: [f64; 3] =
                std::array::from_fn(|k| f64::from(f32::from_le_bytes(place.word(k))));
            Ok(along(matrix, place))
        };
        const WHOLE: [ComponentType; 3] =
            [ComponentType::U8, ComponentType::U16, ComponentType::U32];
        let order = part
            .indices
            .map(|order| self.numbers(order, Type::Scalar, &WHOLE))
            .transpose()?;
        let count = order.as_ref().map_or(places.count, |order| order.count);
        let number = |i: usize| match &order {
            Some(order) => order.get(i).map_or(usize::MAX, |bytes| {
                u32::from_le_bytes(bytes.word(0)) as usize
            }),
            None => i,
        };
        let triangles = if matches!(mode, Mode::Triangles) {
            count / 3
        } else {
            count.saturating_sub(2)
        };
        for i in 0..triangles {
            let [a, b, c] = match mode {
                Mode::Triangles => [3 * i, 3 * i + 1, 3 * i + 2],
                Mode::TriangleFan => [0, i + 1, i + 2],
                _ if i % 2 == 0 => [i, i + 1, i + 2],
                _ => [i + 1, i, i + 2],
            };
            collector.add([corner(number(a))?, corner(number(b))?, corner(number(c))?])?;
        }
        Ok(())
    }

    /// Returns the elements of the accessor with the index `number`. Fails unless the accessor has
    /// the type `kind` and a component type in `types`, and ends inside the file.
    fn numbers(
        &self,
        number: Index<Accessor>,
        kind: Type,
        types: &[ComponentType],
    ) -> Result<Numbers<'_>, Fault> {
        let accessor = self
            .root
            .accessors
            .get(number.value())
            .ok_or_else(|| wrong("an accessor is not there"))?;
        let Valid(component) = accessor.component_type else {
            return Err(wrong("an accessor has an unknown type"));
        };
        let component = component.0;
        if accessor.type_ != Valid(kind) || !types.contains(&component) {
            return Err(wrong(
                "corners must be three numbers of 32 bits, and their order whole numbers",
            ));
        }
        if accessor.sparse.is_some() {
            return Err(wrong("sparse accessors are not known here"));
        }
        let view = accessor
            .buffer_view
            .and_then(|view| self.root.buffer_views.get(view.value()));
        let view = view.ok_or_else(|| wrong("an accessor has no numbers"))?;
        let is_own = view.buffer.value() == 0
            && self
                .root
                .buffers
                .first()
                .is_some_and(|buffer| buffer.uri.is_none());
        if !is_own {
            return Err(wrong(
                "its numbers are in another file (export it as one .glb)",
            ));
        }
        let each = component.size() * kind.multiplicity();
        let stride = view.byte_stride.map_or(each, |stride| stride.0);
        let offset =
            |offset: Option<gltf_json::validation::USize64>| offset.map_or(0, |offset| offset.0);
        let count = accessor.count.0;
        // Checked arithmetic throughout: offsets and lengths are claims of the file.
        let in_view = || {
            let start = usize::try_from(offset(view.byte_offset)).ok()?;
            let bytes = self
                .numbers
                .get(start..start.checked_add(usize::try_from(view.byte_length.0).ok()?)?)?;
            let bytes = bytes.get(usize::try_from(offset(accessor.byte_offset)).ok()?..)?;
            let last = count.checked_sub(1).map_or(Some(0), |last| {
                last.checked_mul(stride as u64)?.checked_add(each as u64)
            })?;
            (last <= bytes.len() as u64 && stride >= each).then_some(bytes)
        };
        let bytes =
            in_view().ok_or_else(|| wrong("an accessor reaches beyond the numbers of the file"))?;
        Ok(Numbers {
            bytes,
            stride,
            each,
            component: component.size(),
            count: count as usize,
        })
    }
}

/// Elements of a glTF accessor, as a view of the file's bytes.
struct Numbers<'a> {
    bytes: &'a [u8],
    stride: usize,
    each: usize,
    component: usize,
    count: usize,
}

/// One element of a glTF accessor: its components.
struct Element<'a> {
    bytes: &'a [u8],
    component: usize,
}

impl Numbers<'_> {
    fn get(&self, i: usize) -> Option<Element<'_>> {
        let start = (i < self.count).then(|| i * self.stride)?;
        Some(Element {
            bytes: self.bytes.get(start..start + self.each)?,
            component: self.component,
        })
    }
}

impl Element<'_> {
    /// Returns the bytes of the component with the index `k`, followed by zeros up to four bytes.
    fn word(&self, k: usize) -> [u8; 4] {
        let bytes = &self.bytes[k * self.component..][..self.component];
        std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
    }
}

/// Returns the transform from the coordinates of `node` to those of its parent.
fn placing(node: &Node) -> Matrix {
    if let Some(matrix) = node.matrix {
        return std::array::from_fn(|column| {
            std::array::from_fn(|row| f64::from(matrix[4 * column + row]))
        });
    }
    let [x, y, z, w] = node
        .rotation
        .map_or([0.0, 0.0, 0.0, 1.0], |turn| turn.0.map(f64::from));
    let turn = [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + z * w),
            2.0 * (x * z - y * w),
        ],
        [
            2.0 * (x * y - z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + x * w),
        ],
        [
            2.0 * (x * z + y * w),
            2.0 * (y * z - x * w),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ];
    let scale = node.scale.unwrap_or([1.0; 3]).map(f64::from);
    let axis = |k: usize| turn[k].map(|v| v * scale[k]);
    [
        axis(0),
        axis(1),
        axis(2),
        node.translation.unwrap_or_default().map(f64::from),
    ]
}

/// Returns the point `p` transformed by the affine transform `matrix`.
fn along(matrix: &Matrix, p: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| {
        matrix[0][k] * p[0] + matrix[1][k] * p[1] + matrix[2][k] * p[2] + matrix[3][k]
    })
}

/// Returns the product of both transforms; it maps a point p to `first`(`second`(p)).
fn times(first: &Matrix, second: &Matrix) -> Matrix {
    let turned = [first[0], first[1], first[2], [0.0; 3]];
    [
        along(&turned, second[0]),
        along(&turned, second[1]),
        along(&turned, second[2]),
        along(first, second[3]),
    ]
}
