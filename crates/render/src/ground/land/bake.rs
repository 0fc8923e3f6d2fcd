//! Computation of all maps of the ground, in one call or row by row: a program with one thread for
//! everything draws pictures and makes steps between the rows.

use ndarray::Array2;

use super::light::{self, OpenSky, disc};
use super::surface::{RockPoint, albedo, craggy, height, rill, seed};
use super::{Altitudes, Beyond, Ends, Rill, Surface, TerrainLook};
use super::{colour, grained, is_stone, pattern, plain, rise, unit_of};
use crate::ground::heightfield::{Caves, Heightfield};
use crate::ground::raster::Raster;
use crate::ground::sky::{Sky, lamp};
use crate::ground::surroundings::{self, BeyondBake, Weathered};
use crate::math::{V3, saturate};
use lavoxel_automaton::view::LookSpec;

/// Fineness of the maps of a ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapNodes {
    /// Number of nodes per cell along an axis, on the ground in the simulation box.
    pub per_cell: usize,
    /// Maximum number of nodes along an edge of the land around the box.
    pub around: f32,
}

impl MapNodes {
    /// Fineness of a first picture, whose maps take a hundredth of the time of the final ones.
    pub const COARSE: Self = Self {
        per_cell: 1,
        around: 128.0,
    };

    /// Returns the fineness of a final picture with `per_cell` nodes per cell along an axis.
    pub fn of_final_picture(per_cell: usize) -> Self {
        Self {
            per_cell,
            around: surroundings::NODES,
        }
    }
}

/// Ground whose maps are being computed.
#[derive(Clone, Debug)]
pub struct LandBake {
    look: LookSpec,
    sky: Sky,
    around: f32,
    caves: Caves,
    unit: f32,
    /// Heights of the ground per column, in cells.
    coarse: Raster<f32>,
    seeds: Raster<f32>,
    rills: Raster<Rill>,
    heights: Raster<f32>,
    /// Maps that need the whole shape of the ground; `None` until all heights are known.
    shaped: Option<Shaped>,
}

/// Maps of a ground whose shape is known; see `TerrainLook`.
#[derive(Clone, Debug)]
struct Shaped {
    block: Heightfield,
    scale: Altitudes,
    albedo: Raster<V3>,
    normal: Raster<V3>,
    sun: Raster<f32>,
    /// `sun` blurred, once `sun` is complete.
    soft: Option<Raster<f32>>,
    light: Raster<nalgebra::Vector2<f32>>,
    plain: Raster<f32>,
    beyond: Option<BeyondBake>,
    /// Set once all of `beyond` is known.
    is_whole: bool,
}

impl LandBake {
    /// Begins the maps of `ground` (heights of the columns in cells, shape (nz, nx)) with the
    /// columns `caves` that a height field cannot represent.
    pub fn new(ground: &Array2<f32>, caves: Caves, look: &LookSpec, nodes: MapNodes) -> Self {
        let cells = (ground.ncols(), ground.nrows());
        Self {
            look: look.clone(),
            sky: Sky::new(look),
            around: nodes.around,
            caves,
            unit: unit_of(cells.0.max(cells.1)),
            coarse: Raster::columns(cells, ground.iter().copied().collect()),
            seeds: Raster::begun(cells, nodes.per_cell),
            rills: Raster::begun(cells, nodes.per_cell),
            heights: Raster::begun(cells, nodes.per_cell),
            shaped: None,
        }
    }

    /// Computes the next `rows` rows of nodes of the map in progress. Returns true once all maps are
    /// computed.
    pub fn go_on(&mut self, rows: usize) -> bool {
        // Every map is a function of the heights within some cells, so that `TerrainLook::patch`
        // can make the same numbers for a part.
        match &mut self.shaped {
            Some(shaped) => shaped.go_on(&self.rills, (self.unit, &self.sky), &self.look, rows),
            None => {
                self.shape(rows);
                false
            }
        }
    }

    /// Computes the next rows of the heights of the ground and of what they depend on.
    fn shape(&mut self, rows: usize) {
        let Self { unit, coarse, .. } = self;
        let unit = *unit;
        if !self.seeds.is_full() {
            let scale = 1.0 / self.seeds.per_cell;
            let place = |n: usize| n as f32 * scale;
            self.seeds
                .grow(rows, |_, [i, j]| seed(place(i), place(j), unit));
            return;
        }
        let seeds = &self.seeds;
        let place = |k: usize| <(f32, f32)>::from(seeds.place(k));
        if !self.rills.is_full() {
            self.rills
                .grow(rows, |k, _| rill(seeds, coarse, unit, place(k)));
            return;
        }
        let (rills, stone) = (&self.rills.data, is_stone(&self.look));
        let height = |k: usize, _| {
            let rill = (!stone).then_some(rills[k].value);
            height(coarse, rill, unit, place(k))
        };
        if self.heights.grow(rows, height) {
            let block = self.block();
            self.shaped = Some(Shaped::new(block, &self.look, (unit, self.around)));
        }
    }

    /// Returns the block of the ground; its heights leave this value.
    fn block(&mut self) -> Heightfield {
        let longest = self.coarse.width.max(self.coarse.depth);
        let foot = -(0.05 * longest as f32).max(1.0);
        let empty = Raster::begun((0, 0), 1);
        let heights = std::mem::replace(&mut self.heights, empty);
        let mut block = Heightfield::new(heights, foot);
        block.caves = std::mem::take(&mut self.caves);
        block.tall = self.look.cell_height;
        block
    }

    /// Computes what is left of the maps and returns the ground.
    pub fn finish(mut self) -> TerrainLook {
        while !self.go_on(usize::MAX) {}
        let Some(shaped) = self.shaped else {
            unreachable!("all maps are computed")
        };
        let gentle = self.coarse.blurred(1);
        let slope = gentle.map(|x, z, _| rise(&gentle, (x, z)));
        TerrainLook {
            block: shaped.block,
            albedo: shaped.albedo,
            normal: shaped.normal,
            light: shaped.light,
            plain: shaped.plain,
            unit: self.unit,
            slope,
            coarse: self.coarse,
            gentle,
            seeds: self.seeds,
            rills: self.rills,
            beyond: shaped.beyond.map(BeyondBake::land),
            soft: shaped.soft.unwrap_or_else(|| shaped.sun.clone()),
            sun: shaped.sun,
            scale: shaped.scale,
            drape: self.look.drape,
        }
    }
}

impl Shaped {
    fn new(block: Heightfield, look: &LookSpec, (unit, around): (f32, f32)) -> Self {
        let per_cell = block.heights.per_cell as usize;
        let cells = (block.width() as usize, block.depth() as usize);
        let scale = Altitudes::new(&block, cells.0.max(cells.1), is_stone(look));
        let beyond =
            Ends::from_look(look).map(|ends| BeyondBake::new((&block, ends), unit, around));
        Self {
            block,
            scale,
            albedo: Raster::begun(cells, per_cell),
            normal: Raster::begun(cells, per_cell),
            sun: Raster::begun(cells, per_cell),
            soft: None,
            light: Raster::begun(cells, per_cell),
            plain: Raster::begun(cells, per_cell),
            is_whole: beyond.is_none(),
            beyond,
        }
    }

    /// Computes the next `rows` rows of the map in progress. Returns true once all maps are
    /// computed.
    fn go_on(
        &mut self,
        rills: &Raster<Rill>,
        (unit, sky): (f32, &Sky),
        look: &LookSpec,
        rows: usize,
    ) -> bool {
        let Self { block, scale, .. } = self;
        let heights = &block.heights.data;
        let place = |k: usize| <(f32, f32)>::from(rills.place(k));
        let node = |k: usize| {
            let (x, z) = place(k);
            [x, heights[k], z]
        };
        if !self.albedo.is_full() {
            let color = |k: usize, _| {
                let rock = scale.place(block, rills.data[k].value, unit, place(k));
                colour(block, look.drape.as_ref(), &rock, place(k))
            };
            self.albedo.grow(rows, color);
        } else if !self.normal.is_full() {
            let grained = |k: usize, _| grained(block, unit, scale.stone, node(k));
            self.normal.grow(rows, grained);
        } else if self.soft.is_none() {
            if self
                .sun
                .grow(rows, |k, _| light::sun(block, sky.sun, node(k)))
            {
                self.soft = Some(self.sun.blurred(disc(self.sun.per_cell)));
            }
        } else if !self.light.is_full() {
            let (open, soft) = (OpenSky::new(), self.soft.as_ref().map(|soft| &soft.data));
            let soft = |k: usize| soft.map_or(1.0, |soft| soft[k]);
            self.light.grow(rows, |k, _| {
                nalgebra::Vector2::new(open.open(block, V3::from(node(k))), soft(k))
            });
        } else if !self.plain.is_full() {
            let (lamp, light) = (lamp(), &self.light.data);
            self.plain
                .grow(rows, |k, _| plain(block, &lamp, light[k], place(k)));
        } else if let Some(beyond) = self.beyond.as_mut().filter(|_| !self.is_whole) {
            let country = Country::new(block.tall, unit, *scale, sky);
            self.is_whole = beyond.go_on(block, &country, rows);
        } else {
            return true;
        }
        false
    }
}

/// Rock and light of the land around the simulation box.
struct Country<'a> {
    open: OpenSky,
    /// Height of a cell divided by its width.
    tall: f32,
    /// Pattern unit in cells (1/128 of the simulation box's longer side).
    unit: f32,
    scale: Altitudes,
    sky: &'a Sky,
}

impl<'a> Country<'a> {
    fn new(tall: f32, unit: f32, scale: Altitudes, sky: &'a Sky) -> Self {
        Self {
            open: OpenSky::new(),
            tall,
            unit,
            scale,
            sky,
        }
    }
}

impl Weathered for Country<'_> {
    fn surface(&self, at: V3, normal: V3) -> Surface {
        let place = RockPoint {
            p: pattern(at, self.unit, self.tall),
            rill: 0.0,
            up: normal.y,
            altitude: saturate((at.y - self.scale.lowest) / self.scale.rise),
            crags: craggy(normal.y),
            stone: self.scale.stone,
        };
        Surface {
            albedo: albedo(&place),
            normal,
        }
    }

    fn sun(&self, land: &Heightfield, node: [f32; 3]) -> f32 {
        light::sun(land, self.sky.sun, node)
    }

    fn sky(&self, land: &Heightfield, at: V3) -> f32 {
        self.open.open(land, at)
    }
}

/// Computes the land around `block` with at most `nodes` nodes along an edge; `ends` gives its outer
/// shape. `unit`: pattern unit in cells (1/128 of the simulation box's longer side); `scale`: height
/// range of the rock's colours; `sky`: gives the sun.
pub(super) fn beyond(
    (block, ends): (&Heightfield, Ends),
    (unit, nodes): (f32, f32),
    scale: Altitudes,
    sky: &Sky,
) -> Beyond {
    let country = Country::new(block.tall, unit, scale, sky);
    let mut bake = BeyondBake::new((block, ends), unit, nodes);
    while !bake.go_on(block, &country, usize::MAX) {}
    bake.land()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_automaton::view::Surroundings;

    #[test]
    fn maps_made_row_by_row_are_those_made_at_once() {
        let ground = Array2::from_shape_fn((20, 24), |(z, x)| {
            6.0 + 2.0 * (0.5 * x as f32).sin() + 0.15 * z as f32
        });
        for surroundings in [Surroundings::Land, Surroundings::Sea, Surroundings::Table] {
            let look = LookSpec {
                surroundings,
                ..LookSpec::default()
            };
            let nodes = MapNodes {
                per_cell: 3,
                around: 90.0,
            };
            let bake = || LandBake::new(&ground, Caves::default(), &look, nodes);
            let at_once = bake().finish();
            let (mut by_rows, mut calls) = (bake(), 0);
            while !by_rows.go_on(7) {
                calls += 1;
            }
            assert!(calls > 60, "{calls}");
            let by_rows = by_rows.finish();
            assert_eq!(by_rows.block.heights.data, at_once.block.heights.data);
            assert_eq!(by_rows.albedo.data, at_once.albedo.data);
            assert_eq!(by_rows.normal.data, at_once.normal.data);
            assert_eq!(by_rows.light.data, at_once.light.data);
            assert_eq!(by_rows.plain.data, at_once.plain.data);
            assert_eq!(
                by_rows.beyond.is_some(),
                surroundings != Surroundings::Table
            );
            if let (Some(one), Some(other)) = (by_rows.beyond, at_once.beyond) {
                assert_eq!(one.heights().data, other.heights().data);
                assert_eq!(one.albedo.data, other.albedo.data);
                assert_eq!(one.light.data, other.light.data);
            }
        }
    }
}
