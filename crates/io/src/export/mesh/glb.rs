//! Export of meshes as binary glTF 2.0 (`.glb`).

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use gltf_json::accessor::{ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Target, View};
use gltf_json::image::MimeType;
use gltf_json::material::{
    AlphaMode, EmissiveFactor, PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor,
};
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::texture::{Info, MagFilter, MinFilter, Sampler, WrappingMode};
use gltf_json::validation::Checked::{self, Valid};
use gltf_json::validation::USize64;
use gltf_json::{Accessor, Asset, Buffer, Image, Index, Material, Node, Root, Scene, Texture};

use super::{CRUST, GLOW, MaterialMesh, Mesh, OPACITY, ROCK, Skin, texture, y_up};
use crate::export::state::ExportState;
use crate::export::{ExportError, MEND};
use lavoxel_automaton::view::srgb_to_linear;
use lavoxel_base::memory::MemoryEstimate;
use lavoxel_files::output::{Existing, whole};
use lavoxel_geo::map::Site;

/// glTF extension that allows emission brighter than white.
const STRENGTH: &str = "KHR_materials_emissive_strength";

pub(super) fn write(
    path: &Path,
    shot: &ExportState<'_>,
    surfaces: &[MaterialMesh<'_>],
    skin: &Skin,
    existing: Existing,
) -> Result<(), ExportError> {
    let weigh = |need: MemoryEstimate| need.check(MEND).map_err(ExportError::memory(path));
    weigh(Mesh::need_of_ground(shot.site.grid))?;
    let ground = Mesh::ground(shot);
    let _ground = ground.need().held();
    let meshes = || surfaces.iter().map(|part| &part.mesh).chain([&ground]);
    let room: usize = meshes().map(GltfDocument::bytes_of).sum();
    let most = meshes().map(|mesh| mesh.positions.len()).max().unwrap_or(0);
    // Peak memory: the numbers of the file, and the y-up positions of one mesh.
    let numbers = MemoryEstimate::new("the numbers of the mesh", room + texture::MOST_BYTES, 1.0);
    weigh(numbers.and(MemoryEstimate::new(
        "the corners of the mesh",
        most,
        size_of::<[f32; 5]>() as f64,
    )))?;
    let mut parts = GltfDocument::new(room);
    for MaterialMesh { material, mesh, .. } in surfaces {
        let paint = if material.carries_energy() {
            Paint::Energy(skin)
        } else {
            Paint::Plain(clear(material.look.srgb()))
        };
        parts.add(&material.name, mesh, &paint);
    }
    let picture = texture::ground(shot, skin.drape.as_ref());
    parts.add(
        "ground",
        &ground,
        &picture.map_or(Paint::Plain(ROCK), |png| Paint::Picture(png, shot.site)),
    );
    let json = parts
        .json(shot)
        .map_err(|reason| ExportError::encoder(path, reason))?;
    Ok(whole(path, existing, |out| {
        write_chunks(out, &json, &parts.bytes)
    })?)
}

/// Writes a binary glTF file: header, JSON chunk `json`, and binary chunk `bytes`, which is omitted
/// if `bytes` is empty. The length of each chunk is a multiple of four bytes.
fn write_chunks(file: &mut impl Write, json: &[u8], bytes: &[u8]) -> io::Result<()> {
    let chunks: &[(&[u8; 4], &[u8])] = if bytes.is_empty() {
        &[(b"JSON", json)]
    } else {
        &[(b"JSON", json), (b"BIN\0", bytes)]
    };
    let length = 12 + chunks.iter().map(|(_, data)| 8 + data.len()).sum::<usize>();
    file.write_all(b"glTF")?;
    file.write_all(&2_u32.to_le_bytes())?;
    file.write_all(&(length as u32).to_le_bytes())?;
    for (kind, data) in chunks {
        file.write_all(&(data.len() as u32).to_le_bytes())?;
        file.write_all(*kind)?;
        file.write_all(data)?;
    }
    Ok(())
}

/// Colouring of a mesh in a glTF file: by energy, one colour, or a picture.
enum Paint<'a> {
    /// Vertex colours and emission of lava, which depend on its energy.
    Energy(&'a Skin),
    /// One linear colour with opacity (RGBA, 0 to 1) for the whole mesh.
    Plain([f32; 4]),
    /// Texture (bytes of a PNG file) that covers the whole simulation box and is projected
    /// vertically onto the mesh.
    Picture(Vec<u8>, &'a Site),
}

impl Paint<'_> {
    /// Returns one texture coordinate per vertex of `mesh`, [from the left, from the top], 0 to 1:
    /// the position on the palette of lava, or on the texture of the simulation box. Empty if the
    /// mesh has one colour.
    fn places(&self, mesh: &Mesh) -> Vec<[f32; 2]> {
        match self {
            Self::Energy(_) => mesh
                .energies
                .iter()
                .map(|&e| [Skin::position(e).clamp(0.0, 1.0), 0.5])
                .collect(),
            Self::Plain(_) => Vec::new(),
            Self::Picture(_, site) => {
                let [wide, deep] = [site.grid.nx, site.grid.nz]
                    .map(|cells| (cells as f64 * site.cell_size_m) as f32);
                mesh.positions
                    .iter()
                    .map(|[east, north, _]| [east / wide, 1.0 - north / deep])
                    .collect()
            }
        }
    }
}

/// Vertex attributes of a mesh: index of the glTF accessor by meaning (position, normal, …).
type Attributes = BTreeMap<Checked<Semantic>, Index<Accessor>>;

/// Parts of a glTF file under construction: JSON structure and binary buffer.
struct GltfDocument {
    root: Root,
    buffer: Index<Buffer>,
    bytes: Vec<u8>,
    nodes: Vec<Index<Node>>,
    /// Pairs (mesh index, index of the accessor of the vertex energies), one for each mesh that has
    /// vertex energies.
    energies: Vec<(usize, usize)>,
    /// Indices of the glTF materials that emit light.
    glowing: Vec<usize>,
}

impl GltfDocument {
    /// Creates an empty glTF document. `room`: number of bytes to be reserved for the binary
    /// buffer.
    fn new(room: usize) -> Self {
        let generator = Some(format!("lavoxel {}", env!("CARGO_PKG_VERSION")));
        let mut root = Root {
            asset: Asset {
                generator,
                ..Asset::default()
            },
            ..Root::default()
        };
        let buffer = root.push(Buffer {
            byte_length: USize64(0),
            name: None,
            uri: None,
            extensions: None,
            extras: Default::default(),
        });
        let (bytes, nodes) = (Vec::with_capacity(room), Vec::new());
        Self {
            root,
            buffer,
            bytes,
            nodes,
            energies: Vec::new(),
            glowing: Vec::new(),
        }
    }

    /// Returns the number of bytes that `mesh` occupies in the binary buffer: positions, normals,
    /// texture coordinates, colours, energies and indices.
    fn bytes_of(mesh: &Mesh) -> usize {
        32 * mesh.positions.len() + 12 * mesh.energies.len() + 12 * mesh.triangles.len()
    }

    /// Adds `mesh` to the document as the node `name` with the colouring `paint`. Skips a mesh
    /// without triangles.
    fn add(&mut self, name: &str, mesh: &Mesh, paint: &Paint<'_>) {
        if mesh.triangles.is_empty() {
            return;
        }
        let material = self.material(name, paint);
        let attributes = self.attributes(mesh, paint);
        // 32-bit indices: a mesh may have more than 65,536 vertices.
        let corners = mesh
            .triangles
            .iter()
            .flatten()
            .flat_map(|i| i.to_le_bytes());
        let indices = self.array(
            corners,
            (ComponentType::U32, Type::Scalar),
            Target::ElementArrayBuffer,
        );
        let primitive = Primitive {
            attributes,
            indices: Some(self.root.push(indices)),
            material: Some(material),
            mode: Valid(Mode::Triangles),
            targets: None,
            extensions: None,
            extras: Default::default(),
        };
        let mesh = self.root.push(gltf_json::Mesh {
            name: Some(name.to_owned()),
            primitives: vec![primitive],
            weights: None,
            extensions: None,
            extras: Default::default(),
        });
        let node = Node {
            name: Some(name.to_owned()),
            mesh: Some(mesh),
            ..Node::default()
        };
        let node = self.root.push(node);
        self.nodes.push(node);
    }

    /// Appends the vertex attributes of `mesh` to the binary buffer and returns the index of the
    /// accessor of each attribute.
    fn attributes(&mut self, mesh: &Mesh, paint: &Paint<'_>) -> Attributes {
        let vectors = (ComponentType::F32, Type::Vec3);
        let points: Vec<[f32; 3]> = mesh.positions.iter().map(|&p| y_up(p)).collect();
        let mut positions = self.array(
            points.iter().flatten().flat_map(|v| v.to_le_bytes()),
            vectors,
            Target::ArrayBuffer,
        );
        let bounds = |pick: fn(f32, f32) -> f32, start: f32| {
            let bounds = points.iter().fold([start; 3], |all, p| {
                std::array::from_fn(|axis| pick(all[axis], p[axis]))
            });
            gltf_json::serialize::to_value(bounds).ok()
        };
        // glTF requires the bounds of the position accessor.
        (positions.min, positions.max) = (
            bounds(f32::min, f32::INFINITY),
            bounds(f32::max, f32::NEG_INFINITY),
        );
        let normals = mesh
            .normals
            .iter()
            .flat_map(|&n| y_up(n))
            .flat_map(f32::to_le_bytes);
        let normals = self.array(normals, vectors, Target::ArrayBuffer);
        let mut attributes = Attributes::from([
            (Valid(Semantic::Positions), self.root.push(positions)),
            (Valid(Semantic::Normals), self.root.push(normals)),
        ]);
        let places = paint.places(mesh);
        if !places.is_empty() {
            let places = places.into_iter().flatten().flat_map(f32::to_le_bytes);
            let places = self.array(
                places,
                (ComponentType::F32, Type::Vec2),
                Target::ArrayBuffer,
            );
            attributes.insert(Valid(Semantic::TexCoords(0)), self.root.push(places));
        }
        if let Paint::Energy(skin) = paint {
            attributes.insert(Valid(Semantic::Colors(0)), self.colors(mesh, skin));
            let energies = mesh.energies.iter().flat_map(|e| e.to_le_bytes());
            let energies = self.array(
                energies,
                (ComponentType::F32, Type::Scalar),
                Target::ArrayBuffer,
            );
            self.energies
                .push((self.root.meshes.len(), self.root.push(energies).value()));
        }
        attributes
    }

    /// Adds the material `name` for the colouring `paint`, and the texture of `paint` if it has
    /// one, to the glTF file. Returns the material's index.
    fn material(&mut self, name: &str, paint: &Paint<'_>) -> Index<Material> {
        let made = match paint {
            Paint::Plain(color) => material(name, *color),
            Paint::Picture(png, _) => {
                let mut made = material(name, [1.0; 4]);
                made.pbr_metallic_roughness.base_color_texture = Some(self.texture(png));
                made
            }
            Paint::Energy(skin) => {
                let (texture, made) = (self.texture(&texture::glow(skin)), material(name, CRUST));
                self.glowing.push(self.root.materials.len());
                Material {
                    emissive_texture: Some(texture),
                    emissive_factor: EmissiveFactor([1.0; 3]),
                    ..made
                }
            }
        };
        self.root.push(made)
    }

    /// Adds the PNG file `png` to the glTF file as a texture whose edges are clamped.
    fn texture(&mut self, png: &[u8]) -> Info {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(png);
        // Accessors that follow must be aligned to four bytes.
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = self.root.push(View {
            buffer: self.buffer,
            byte_length: USize64::from(png.len()),
            byte_offset: Some(USize64::from(start)),
            byte_stride: None,
            name: None,
            target: None,
            extensions: None,
            extras: Default::default(),
        });
        let source = self.root.push(Image {
            buffer_view: Some(view),
            mime_type: Some(MimeType("image/png".to_owned())),
            name: None,
            uri: None,
            extensions: None,
            extras: Default::default(),
        });
        let sampler = self.root.push(Sampler {
            mag_filter: Some(Valid(MagFilter::Linear)),
            min_filter: Some(Valid(MinFilter::LinearMipmapLinear)),
            wrap_s: Valid(WrappingMode::ClampToEdge),
            wrap_t: Valid(WrappingMode::ClampToEdge),
            ..Sampler::default()
        });
        let (extensions, extras) = (None, Default::default());
        let texture = Texture {
            name: None,
            sampler: Some(sampler),
            source,
            extensions,
            extras,
        };
        Info {
            index: self.root.push(texture),
            tex_coord: 0,
            extensions: None,
            extras: Default::default(),
        }
    }

    /// Adds an array with the linear colour of each vertex of `mesh` to the glTF file, with 16 bits
    /// per channel, because 8 bits would show steps in dark colours. Returns the index of its
    /// accessor.
    fn colors(&mut self, mesh: &Mesh, skin: &Skin) -> Index<Accessor> {
        let color = |energy: &f32| {
            let c = skin
                .palette
                .linear(Skin::position(*energy))
                .map(|c| (c.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16);
            [c[0], c[1], c[2], u16::MAX]
        };
        let colors = mesh
            .energies
            .iter()
            .flat_map(color)
            .flat_map(u16::to_le_bytes);
        let colors = self.array(
            colors,
            (ComponentType::U16, Type::Vec4),
            Target::ArrayBuffer,
        );
        self.root.push(Accessor {
            normalized: true,
            ..colors
        })
    }

    /// Appends the vertex or index data `bytes` to the binary buffer and returns an accessor for
    /// the data. `component` and `kind`: number format and number of components of an element.
    fn array(
        &mut self,
        bytes: impl Iterator<Item = u8>,
        (component, kind): (ComponentType, Type),
        target: Target,
    ) -> Accessor {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - start;
        let view = self.root.push(View {
            buffer: self.buffer,
            byte_length: USize64::from(length),
            byte_offset: Some(USize64::from(start)),
            byte_stride: None,
            name: None,
            // The target tells viewers vertex data and indices apart.
            target: Some(Valid(target)),
            extensions: None,
            extras: Default::default(),
        });
        Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64(0)),
            count: USize64::from(length / (component.size() * kind.multiplicity())),
            component_type: Valid(GenericComponentType(component)),
            type_: Valid(kind),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: Default::default(),
        }
    }

    /// Serialises the glTF document as JSON, padded with spaces to a multiple of four bytes. The
    /// provenance of `shot` becomes metadata.
    fn json(&mut self, shot: &ExportState<'_>) -> Result<Vec<u8>, String> {
        let scene = Scene {
            name: None,
            nodes: self.nodes.clone(),
            extensions: None,
            extras: Default::default(),
        };
        self.root.scene = Some(self.root.push(scene));
        self.root.buffers[self.buffer.value()].byte_length = USize64::from(self.bytes.len());
        let mut root = gltf_json::serialize::to_value(&self.root).map_err(|e| e.to_string())?;
        // Fields for which the crate has no types.
        for &(mesh, accessor) in &self.energies {
            root["meshes"][mesh]["primitives"][0]["attributes"]["_ENERGY"] = accessor.into();
        }
        for &material in &self.glowing {
            root["materials"][material]["extensions"][STRENGTH]["emissiveStrength"] = GLOW.into();
            root["extensionsUsed"] = vec![STRENGTH].into();
        }
        for (name, text) in shot.facts() {
            root["scenes"][0]["extras"][name] = text.into();
        }
        root["scenes"][0]["extras"]["axes"] = "x east, y up, z south".into();
        if let Some(root) = root.as_object_mut().filter(|_| self.bytes.is_empty()) {
            root.remove("buffers");
        }
        if let Some(scene) = root["scenes"][0]
            .as_object_mut()
            .filter(|_| self.nodes.is_empty())
        {
            scene.remove("nodes");
        }
        let mut json = gltf_json::serialize::to_vec(&root).map_err(|e| e.to_string())?;
        json.resize(json.len().next_multiple_of(4), b' ');
        Ok(json)
    }
}

/// Converts an sRGB colour (0 to 255) to linear RGBA with the opacity [`OPACITY`].
fn clear(color: [u8; 3]) -> [f32; 4] {
    let [red, green, blue] = color.map(|c| srgb_to_linear(f32::from(c) / 255.0));
    [red, green, blue, OPACITY]
}

/// Creates a glTF material `name` with one linear RGBA colour, by which viewers multiply the vertex
/// colours.
fn material(name: &str, color: [f32; 4]) -> Material {
    let alpha_mode = if color[3] < 1.0 {
        AlphaMode::Blend
    } else {
        AlphaMode::Opaque
    };
    Material {
        name: Some(name.to_owned()),
        alpha_mode: Valid(alpha_mode),
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor(color),
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.9),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    }
}
