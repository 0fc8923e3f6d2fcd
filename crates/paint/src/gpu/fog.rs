//! Gases, and the shadow of solids, on the graphics card: uploads the coarse grid of
//! [`lavoxel_render::media::fog`], which the processor recomputes when gases, solids or the sun
//! change.

use crate::changes::{MediaPatch, MediaUpdate};
use crate::device::{Gpu, Texture};
use lavoxel_automaton::world::Span;
use lavoxel_base::grid::Grid;
use lavoxel_render::math::V3;
use lavoxel_render::media::fog::{Fog, GasOptics, KINDS, Wanted};
use lavoxel_render::media::steam::risen;
use lavoxel_sim::lowpass::{Medium, Volume};

/// Texture of the coarse gas grid, and the inputs from which the grid is computed.
pub(super) struct FogTexture {
    /// Texture of the coarse grid; each texel has the densities of two kinds of gas, the
    /// transmittance of sunlight, and the transmittance of light from below (all 0 to 1). A single
    /// texel if there is neither gas nor shadow.
    pub(super) cells: Texture,
    size: [usize; 3],
    /// Lower corner of the bounding box of all gas, in cells of the simulation box.
    pub(super) low: [f32; 3],
    /// Upper corner of the bounding box of all gas, in cells of the simulation box.
    pub(super) high: [f32; 3],
    /// Edge length of a cell of the coarse grid, in cells of the simulation box.
    pub(super) edge: f32,
    pub(super) kinds: [GasOptics; KINDS],
    /// Set if the grid contains gas or the shadow of solids.
    pub(super) is_there: bool,
    /// Set if the grid contains gas; clear if it contains only the shadow of solids.
    pub(super) has_gas: bool,
    /// Densities of gases and solids in the cells of the simulation box, from which the coarse grid
    /// is computed.
    read: Volume,
    /// For each material of `read`, the smallest range of cells that contains all of the material
    /// in each row along x (row index `z · ny + y`).
    rows: Vec<Vec<Span>>,
    /// For each material of `read`, its index among the materials of an update.
    places: Vec<usize>,
    /// Number of materials in an update, which is the number of bytes per cell.
    sent: usize,
    /// Unit direction towards the sun for which the present grid was computed.
    sun: V3,
    /// Height of a cell divided by its width, as used for the present grid.
    tall: f32,
    /// Height in cells by which the noise pattern of the gases has risen in the present grid.
    risen: f32,
}

impl FogTexture {
    /// Creates a placeholder texture of one texel for a scene without gases.
    pub(super) fn none(gpu: &Gpu, grid: Grid) -> Self {
        let size = [1, 1, 1];
        Self {
            cells: gpu.map("gases", size, wgpu::TextureFormat::Rgba8Unorm),
            size,
            low: [0.0; 3],
            high: [0.0; 3],
            edge: 1.0,
            kinds: [GasOptics::NONE; KINDS],
            is_there: false,
            has_gas: false,
            read: Volume {
                grid,
                density: Vec::new(),
                energy: Vec::new(),
                media: Vec::new(),
                air: None,
                crust: None,
            },
            rows: Vec::new(),
            places: Vec::new(),
            sent: 0,
            sun: V3::y(),
            tall: 1.0,
            risen: 0.0,
        }
    }

    /// Applies `update` (if any) to the copied densities, and recomputes the coarse grid if one of
    /// its inputs changed. `sun`: unit direction towards the sun; `tall`: height of a cell divided
    /// by its width; `steps`: number of simulation steps. Returns true if a new texture replaced
    /// the old one.
    pub(super) fn apply(
        &mut self,
        gpu: &Gpu,
        update: Option<&MediaUpdate>,
        (sun, tall, steps): (V3, f32, u64),
    ) -> bool {
        let before = (self.sun, self.tall, self.risen);
        (self.sun, self.tall, self.risen) = (sun, tall, risen(steps as f64));
        if let Some(update) = update {
            if update.reset {
                self.begin(update);
            }
            update.patches.iter().for_each(|patch| self.patch(patch));
        }
        let changed = update.is_some() || before != (self.sun, self.tall, self.risen);
        self.is_there &= !self.places.is_empty();
        changed && !self.places.is_empty() && self.send(gpu)
    }

    fn begin(&mut self, update: &MediaUpdate) {
        let grid = self.read.grid;
        self.sent = update.media.len();
        let is_read = |k: &usize| Wanted::reads(update.media[*k].1.preset.form());
        self.places = (0..self.sent).filter(is_read).collect();
        let medium = |k: &usize| {
            let (name, look) = update.media[*k].clone();
            Medium {
                name,
                look,
                density: vec![0; grid.cells()],
            }
        };
        self.read.media = self.places.iter().map(medium).collect();
        self.rows = vec![vec![Span::EMPTY; grid.ny * grid.nz]; self.places.len()];
    }

    fn patch(&mut self, patch: &MediaPatch) {
        let (grid, count) = (self.read.grid, self.sent.max(1));
        let ([x, y, z], [width, height, depth]) = (patch.origin, patch.size);
        let places = (z..z + depth).flat_map(|z| (y..y + height).map(move |y| (y, z)));
        for ((y, z), texels) in places.zip(patch.texels.chunks_exact((width * count).max(1))) {
            let (start, row) = (grid.index([0, y, z]), z * grid.ny + y);
            for ((medium, rows), place) in self
                .read
                .media
                .iter_mut()
                .zip(&mut self.rows)
                .zip(&self.places)
            {
                let cells = &mut medium.density[start..start + grid.nx];
                let to = cells[x..x + width].iter_mut();
                to.zip(texels.chunks_exact(count))
                    .for_each(|(to, texel)| *to = texel[*place]);
                let held = |cell: &u8| *cell > 0;
                rows[row] = match (cells.iter().position(held), cells.iter().rposition(held)) {
                    (Some(from), Some(last)) => Span {
                        from: from as u16,
                        to: last as u16 + 1,
                    },
                    _ => Span::EMPTY,
                };
            }
        }
    }

    /// Computes the coarse grid and uploads it. Returns true if a new texture replaced the old one.
    fn send(&mut self, gpu: &Gpu) -> bool {
        self.is_there = false;
        let Some(wanted) = Wanted::new(&self.read, (self.sun, self.tall), self.risen) else {
            return false;
        };
        let fog = Fog::new(&self.read, &wanted, |k| &self.rows[k]);
        if fog.is_empty() {
            return false;
        }
        let boxes = fog
            .boxes()
            .map(|drawn| (drawn.middle - drawn.half, drawn.middle + drawn.half));
        let around = boxes.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)));
        (self.has_gas, self.is_there, self.edge) = (around.is_some(), true, fog.edge as f32);
        let (low, high) = around.unwrap_or_default();
        (self.low, self.high) = (low.into(), high.into());
        self.kinds = std::array::from_fn(|k| fog.kinds.get(k).copied().unwrap_or(GasOptics::NONE));
        let size = [fog.grid.nx, fog.grid.ny, fog.grid.nz];
        let new = std::mem::replace(&mut self.size, size) != size;
        if new {
            self.cells = gpu.map("gases", size, wgpu::TextureFormat::Rgba8Unorm);
        }
        gpu.write(&self.cells, [0; 3], size, fog.cells.as_flattened());
        new
    }
}
