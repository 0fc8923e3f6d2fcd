//! Ash and steam in the air on the graphics card: uploads the grid of
//! [`lavoxel_render::media::smoke`], which the processor recomputes when the air, the light of the
//! lava or the sun changes.

use std::sync::Arc;

use crate::device::{Gpu, Texture};
use lavoxel_render::ground::lava_glow::Patch;
use lavoxel_render::math::V3;
use lavoxel_render::media::billows;
use lavoxel_render::media::haze::Haze;
use lavoxel_render::media::smoke::{Smoke, Wanted};
use lavoxel_render::volume::bricks::Drawn;
use lavoxel_render::{LookSpec, Style};
use lavoxel_sim::lowpass::AirVolume;

use super::bricks::TooLarge;

/// Format of the smoke textures: four channels of one byte.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Textures of ash and steam, and the inputs from which the textures are computed.
pub(super) struct SmokeTextures {
    /// For each air cell: square root of the absorption (1 for the largest that can be stored),
    /// mass fraction of steam, transmittance of sunlight, and light of the lava, each 0 to 1. A
    /// single texel without smoke.
    pub(super) cells: Texture,
    /// For each air cell: velocity, and light of the sky. If the air contains inks, a second block
    /// along z contains the colour of each air cell.
    pub(super) flow: Texture,
    /// Tileable 3D texture of noise, used for the smoke and for the procedural stones of the
    /// ground's texture.
    pub(super) billows: Texture,
    /// Position and cell size of the smoke's grid, and the bounding box of all smoke; `None`
    /// without smoke.
    pub(super) there: Option<SmokeBox>,
    /// Number of texels along x, y and z: first of `cells`, then of `flow`.
    size: [[usize; 3]; 2],
    air: Option<Arc<AirVolume>>,
    /// Patches of glowing lava whose light the smoke scatters.
    patches: Vec<Patch>,
    /// Inputs for which the present textures were computed; `None` if the textures are outdated.
    known: Option<Shown>,
    /// Smoke grid of the last upload, kept because the next grid reuses its memory.
    spare: Option<Smoke>,
}

/// Inputs that determine the smoke textures in addition to the contents of the air.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shown {
    /// Smoke with its illumination, for the cinematic style.
    Smoke(Wanted),
    /// Colour-coded concentrations on the scale of [`lavoxel_render::media::haze`], for the plain
    /// styles.
    Haze,
}

impl Shown {
    /// Returns the inputs for the look `look` and the unit direction `sun` towards the sun.
    pub(super) fn new(look: &LookSpec, sun: V3) -> Self {
        match look.style.at_once() {
            Style::Cinematic => Self::Smoke(Wanted {
                sun,
                tall: look.cell_height,
                look: look.air.clone(),
            }),
            _ => Self::Haze,
        }
    }
}

/// Grid of the air as drawn: its position and cell size, and the bounding box of all smoke, in
/// voxels (cells of the simulation box).
#[derive(Clone, Copy, Debug)]
pub(super) struct SmokeBox {
    /// Lower corner of the air's grid, in voxels.
    pub(super) low: [f32; 3],
    /// Number of air cells along x, y and z.
    pub(super) cells: [f32; 3],
    /// Edge length of an air cell in voxels.
    pub(super) edge: f32,
    /// Absorption per voxel of path at the largest density that a texel can store.
    pub(super) most: f32,
    /// Set if the air contains inks, so that its cells have colours of their own.
    pub(super) has_inks: bool,
    /// Bounding box of all smoke: lower and upper bound along x, y and z, in voxels.
    pub(super) around: [[f32; 2]; 3],
}

impl SmokeTextures {
    /// Creates placeholder textures of one texel for a scene without smoke.
    pub(super) fn none(gpu: &Gpu) -> Self {
        let one = |name: &str| gpu.map(name, [1; 3], FORMAT);
        let (side, texels) = billows::texels();
        let billows = gpu.map("billows", [side; 3], FORMAT);
        gpu.write(&billows, [0; 3], [side; 3], texels.as_flattened());
        Self {
            cells: one("smoke"),
            flow: one("motion of smoke"),
            billows,
            there: None,
            size: [[1; 3]; 2],
            air: None,
            patches: Vec::new(),
            known: None,
            spare: None,
        }
    }

    /// Replaces the contents of the air; `None` for clear air. The textures stay unchanged until
    /// the next `refresh`.
    pub(super) fn set_air(&mut self, air: Option<Arc<AirVolume>>) {
        (self.air, self.known) = (air, None);
    }

    /// Replaces the patches of glowing lava that light the smoke; each is `[x, y, z, glow]`: centre
    /// in voxels, and strength of the emitted light.
    pub(super) fn set_patches(&mut self, patches: &[[f32; 4]]) {
        self.patches = patches
            .iter()
            .map(|&[x, y, z, glow]| Patch {
                place: [x, y, z].into(),
                glow,
            })
            .collect();
        self.known = None;
    }

    /// Recomputes and uploads the textures for the inputs `shown` if they are outdated. Returns
    /// true if new textures replaced the old ones.
    ///
    /// # Errors
    /// When the graphics card cannot hold the textures.
    pub(super) fn refresh(&mut self, gpu: &Gpu, shown: Shown) -> Result<bool, TooLarge> {
        if self.known.as_ref() == Some(&shown) {
            return Ok(false);
        }
        self.there = None;
        let air = self.air.clone();
        let known = self.known.insert(shown);
        let Some(air) = air else { return Ok(false) };
        match known {
            Shown::Smoke(wanted) => {
                let smoke = Smoke::new(&air, wanted, &self.patches, self.spare.take());
                let sent = self.send_smoke(gpu, &smoke);
                self.spare = Some(smoke);
                sent
            }
            Shown::Haze => self.send_haze(gpu, &Haze::new(&air)),
        }
    }

    fn send_smoke(&mut self, gpu: &Gpu, smoke: &Smoke) -> Result<bool, TooLarge> {
        let Some(around) = bounding_box(smoke.boxes()) else {
            return Ok(false);
        };
        let texels = smoke.texels();
        let size = [texels.grid.nx, texels.grid.ny, texels.grid.nz];
        let has_inks = !texels.tints.is_empty();
        let [nx, ny, nz] = size;
        let new = self.make_room(gpu, [size, [nx, ny, if has_inks { 2 * nz } else { nz }]])?;
        gpu.write(&self.cells, [0; 3], size, texels.cells.as_flattened());
        gpu.write(&self.flow, [0; 3], size, texels.flow.as_flattened());
        if has_inks {
            gpu.write(&self.flow, [0, 0, nz], size, texels.tints.as_flattened());
        }
        let (low, cells, edge) = (texels.low.into(), size.map(|n| n as f32), smoke.edge());
        self.there = Some(SmokeBox {
            low,
            cells,
            edge,
            most: texels.most,
            has_inks,
            around,
        });
        Ok(new)
    }

    fn send_haze(&mut self, gpu: &Gpu, haze: &Haze) -> Result<bool, TooLarge> {
        let Some(around) = bounding_box(haze.boxes()) else {
            return Ok(false);
        };
        let size = [haze.grid.nx, haze.grid.ny, haze.grid.nz];
        let new = self.make_room(gpu, [size; 2])?;
        let texels: Vec<[u8; 4]> = haze.cells.iter().map(|&place| [place, 0, 0, 0]).collect();
        gpu.write(&self.cells, [0; 3], size, texels.as_flattened());
        let (low, cells, edge) = (haze.low.into(), size.map(|n| n as f32), haze.edge);
        self.there = Some(SmokeBox {
            low,
            cells,
            edge,
            most: 0.0,
            has_inks: false,
            around,
        });
        Ok(new)
    }

    /// Creates new textures `cells` and `flow` if the present ones have other sizes. `sizes`:
    /// number of texels along x, y and z of `cells` and of `flow`. Returns true if new textures
    /// replaced the old ones.
    fn make_room(&mut self, gpu: &Gpu, sizes: [[usize; 3]; 2]) -> Result<bool, TooLarge> {
        if self.size == sizes {
            return Ok(false);
        }
        let most = gpu.device.limits().max_texture_dimension_3d as usize;
        let [_, size] = sizes;
        if size.iter().any(|&side| side > most) {
            return Err(TooLarge {
                size,
                reason: format!("it draws at most {most} along each side"),
            });
        }
        let make = || {
            let [cells, flow] = sizes;
            [
                gpu.map("smoke", cells, FORMAT),
                gpu.map("motion of smoke", flow, FORMAT),
            ]
        };
        let textures = gpu.within_memory(make);
        [self.cells, self.flow] = textures.ok_or_else(|| TooLarge {
            size,
            reason: "its memory is too small".to_owned(),
        })?;
        self.size = sizes;
        Ok(true)
    }
}

/// Returns the smallest box that contains all of `boxes`, as lower and upper bound along x, y and
/// z; `None` without boxes.
fn bounding_box(boxes: impl Iterator<Item = Drawn>) -> Option<[[f32; 2]; 3]> {
    let corners = boxes.map(|drawn| (drawn.middle - drawn.half, drawn.middle + drawn.half));
    let (from, to) = corners.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)))?;
    Some([0, 1, 2].map(|axis| [from[axis], to[axis]]))
}
