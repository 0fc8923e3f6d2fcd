//! Appearance of the ground: maps of colour, fine relief, visible sky and sunlight, computed
//! ("baked") from the heights.
//!
//! The maps are kept between frames, and where the ground changes only the affected part is
//! computed again. Invariant: such a patch gives the same maps as a new computation of all maps.

pub mod bake;
mod light;
mod patch;
pub mod surface;

use nalgebra::Point3;
use ndarray::Array2;

use lavoxel_base::grid::Grid;

pub use self::bake::{LandBake, MapNodes};
use self::light::{OpenSky, disc};
use self::patch::Patched;
pub(crate) use self::surface::Rock;
pub use self::surface::{BROADER, RUGGED};
pub use self::surface::{
    Rill, RockPoint, albedo, basalt, bumped, craggy, fresh, height, ledged, rill, rugged, seed,
};
pub use super::surroundings::{Beyond, Ends, Surface};
use crate::camera::Camera;
pub use crate::camera::{Bounds, Ray};
use crate::ground::heightfield::Caves;
use crate::ground::heightfield::Heightfield;
use crate::ground::raster::Raster;
use crate::ground::sky::Sky;
use crate::math::{V3, mix, saturate, v3};
use lavoxel_automaton::view::linear_to_srgb;
use lavoxel_automaton::view::{Drape, LookSpec, Surroundings};
use lavoxel_automaton::world::Ground;
pub use lavoxel_base::parallel::*;

/// Number of nodes (sample points of the maps) along the longer side of the ground in a final
/// picture; gives about one node per pixel.
pub const NODES: usize = 768;
/// Longer side of the simulation box, in cells, for which a pattern unit (1/128 of the box's longer
/// side) is one cell.
const REFERENCE_SIDE: f32 = 128.0;
/// Half the distance in cells between the two height samples per axis from which the plain styles
/// compute the slope of the ground.
pub const PLAIN: f32 = 0.7;
/// Directions (x, z) of the rays that sample the visible sky at a point on the face of a cell.
pub const OPEN_RAYS: [[f32; 2]; 5] = [
    [0.0, 0.0],
    [0.8, 0.3],
    [-0.3, 0.8],
    [-0.8, -0.3],
    [0.3, -0.8],
];
/// Length in cells after which a ray that samples the visible sky counts as unobstructed.
pub const OPEN_FAR: f32 = 12.0;
/// Distance in cells by which a ray that samples the visible sky starts off the cell's face.
pub const OPEN_HAIR: f32 = 0.02;
/// Factor from a colour of the draped picture (white is 1, linear) to the albedo of the ground.
// A photograph includes the light of the sun, and would be brighter than rock.
const PHOTO: f32 = 0.5;
/// Height above the ground to which a camera inside rock is raised, as a fraction of the simulation
/// box's longer horizontal side; one more cell is added.
const OVER_GROUND: f32 = 0.01;
/// Maximum number of nodes per cell along an axis; more nodes would show nothing new.
const MOST_PER_CELL: usize = 8;

/// Returns a map of the ground as sRGB bytes: its albedo seen from above, without shading, blended
/// with the picture `drape`. `ground`: heights in cells, shape (nz, nx); the map has `wide` ×
/// `high` pixels in rows from the north.
pub fn picture(ground: &Array2<f32>, drape: Option<&Drape>, [wide, high]: [usize; 2]) -> Vec<u8> {
    // Without baked maps: colours need heights and slopes of the columns alone.
    let (depth, width) = ground.dim();
    let side = width.max(depth);
    let unit = unit_of(side);
    let (lowest, top) = ground.iter().fold((f32::MAX, f32::MIN), |(low, top), &h| {
        (low.min(h), top.max(h))
    });
    let scale = Altitudes {
        lowest,
        rise: (top - lowest).max(0.3 * side as f32),
        side,
        stone: false,
    };
    let columns = Raster::columns((width, depth), ground.iter().copied().collect());
    let pixel = |i: usize| {
        let (x, z) = ((i % wide) as f32 + 0.5, (i / wide) as f32 + 0.5);
        let (x, z) = (
            x / wide as f32 * width as f32,
            z / high as f32 * depth as f32,
        );
        let (h, slope) = (columns.at(x, z), |dx, dz| {
            columns.at(x + dx, z + dz) - columns.at(x - dx, z - dz)
        });
        let up = 1.0 / (1.0 + slope(0.5, 0.0).powi(2) + slope(0.0, 0.5).powi(2)).sqrt();
        let altitude = saturate((h - scale.lowest) / scale.rise);
        let rock = || {
            surface::albedo(&RockPoint {
                p: v3(x, h, z) / unit,
                rill: 0.0,
                up,
                altitude,
                crags: surface::craggy(up),
                stone: false,
            })
        };
        let shares = [x / width as f32, z / depth as f32];
        let rock = draped(drape, shares, [1.0 / wide as f32, 1.0 / high as f32], rock);
        [rock.x, rock.y, rock.z].map(|light| (linear_to_srgb(saturate(light)) * 255.0 + 0.5) as u8)
    };
    (0..wide * high)
        .into_par_iter()
        .map(pixel)
        .collect::<Vec<_>>()
        .concat()
}

/// Ground prepared for drawing: maps computed from the heights, shared by all frames until the
/// ground changes.
#[derive(Clone, Debug)]
pub struct TerrainLook {
    /// Shape of the drawn ground: heights of the smooth top with its fine relief at the nodes (one
    /// or several per cell), and the cut sides.
    pub block: Heightfield,
    /// Albedo of the ground's top per node, linear RGB.
    pub albedo: Raster<V3>,
    /// Normal of the ground per node, including the finest relief of the rock. Unit vectors at the
    /// nodes, to be normalised again after interpolation.
    pub normal: Raster<V3>,
    /// Light per node: x is the visible fraction of the sky, y the unshadowed fraction of the sun
    /// (both 0 to 1).
    pub light: Raster<nalgebra::Vector2<f32>>,
    /// Brightness factor of the plain styles per node: the light of a fixed lamp and of the visible
    /// sky.
    pub(crate) plain: Raster<f32>,
    /// Pattern unit in cells, the scale of the noise patterns: 1/128 of the simulation box's longer
    /// side. Proportional to the number of cells along the box, which makes fine and coarse grids
    /// of one land look alike.
    pub unit: f32,
    /// Slope of the ground per column, computed from heights smoothed over a few cells: rise per
    /// cell towards +x and +z.
    pub slope: Raster<nalgebra::Vector2<f32>>,
    /// Heights of the ground per column, in cells, from which all maps are computed.
    coarse: Raster<f32>,
    /// Heights of the ground per column, in cells, smoothed over a few cells; `slope` is computed
    /// from them.
    gentle: Raster<f32>,
    /// Noise value per node from which the rills (streaks washed by rain) are computed.
    seeds: Raster<f32>,
    /// Rills (streaks washed by rain) per node.
    rills: Raster<Rill>,
    /// Land drawn around the simulation box; `None` if the ground ends at the box.
    pub beyond: Option<Beyond>,
    /// Sunlight per node with hard shadows: 1 in sunlight, 0 in shadow.
    sun: Raster<f32>,
    /// Sunlight per node with soft edges of shadows: the unshadowed fraction of the sun.
    soft: Raster<f32>,
    /// Height range over which the colours of the rock vary, and kind of the ground (rock or smooth
    /// stone).
    scale: Altitudes,
    /// Picture draped over the ground; `None` for none.
    drape: Option<Drape>,
}

/// Height range over which the colours of the rock vary, and kind of the ground (rock or smooth
/// stone).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Altitudes {
    /// Lowest height of the ground in cells.
    lowest: f32,
    /// Height in cells from the lower to the upper end of the range.
    rise: f32,
    /// Longer horizontal side of the simulation box in cells.
    side: usize,
    /// Set if the ground is drawn as smooth stone instead of rock.
    stone: bool,
}

impl Altitudes {
    /// Returns the height range of `block`, rounded outwards to 1/64 of `side`, the longer side of
    /// the simulation box in cells. `stone`: set for smooth stone instead of rock.
    // Exact altitudes would change with each film of lava on a summit, and the whole land would be
    // coloured again.
    fn new(block: &Heightfield, side: usize, stone: bool) -> Self {
        let part = side as f32 / 64.0;
        let lowest = block.heights.data.iter().copied().fold(f32::MAX, f32::min);
        let (lowest, top) = (
            (lowest / part).floor() * part,
            (block.top / part).ceil() * part,
        );
        // Low hills have no summit to colour: the rise is at least 0.3 of the longer side.
        Self {
            lowest,
            rise: (top - lowest).max(0.3 * side as f32),
            side,
            stone,
        }
    }

    /// Returns the inputs of the rock's colour on the top of `block` at (`x`, `z`) in cells.
    /// `rill`: signed strength (−1 to 1) of the rain-washed streak there; `unit`: pattern unit in
    /// cells (1/128 of the simulation box's longer side).
    fn place(&self, block: &Heightfield, rill: f32, unit: f32, (x, z): (f32, f32)) -> RockPoint {
        let (h, up) = (block.heights.at(x, z), block.normal(x, z, 0.8).y);
        let p = pattern(v3(x, h, z), unit, block.tall);
        let altitude = saturate((h - self.lowest) / self.rise);
        RockPoint {
            p,
            rill,
            up,
            altitude,
            crags: craggy(up),
            stone: self.stone,
        }
    }
}

/// Converts a position in cells to pattern units (1/128 of the simulation box's longer side) in
/// true proportions; `unit` is the pattern unit in cells, `tall` the height of a cell in cell
/// widths.
pub(crate) fn pattern(p: V3, unit: f32, tall: f32) -> V3 {
    v3(p.x, p.y * tall, p.z) / unit
}

/// Returns the pattern unit (1/128 of the simulation box's longer side) for a box of shape `grid`,
/// in cells.
pub(crate) fn pattern_unit(grid: Grid) -> f32 {
    unit_of(grid.nx.max(grid.nz))
}

/// Returns the pattern unit (1/128 of the simulation box's longer side), in cells, for a box whose
/// longer side is `side` cells.
fn unit_of(side: usize) -> f32 {
    side as f32 / REFERENCE_SIDE
}

/// Returns the number of nodes per cell along an axis (1 to `MOST_PER_CELL`) if about `nodes` nodes
/// are wanted along the ground's longer side of `side` cells.
pub fn per_cell(side: usize, nodes: usize) -> usize {
    (nodes / side).clamp(1, MOST_PER_CELL)
}

/// Returns the total number of nodes of a ground of the shape `grid` in a final picture.
pub(crate) fn nodes(grid: Grid) -> usize {
    let per_cell = per_cell(grid.nx.max(grid.nz), NODES);
    (grid.nx * per_cell + 1) * (grid.nz * per_cell + 1)
}

impl TerrainLook {
    /// Computes the maps of `ground`: heights of the columns in cells above the floor of the
    /// simulation box, shape (nz, nx). `nodes`: number of nodes wanted along the longer side.
    ///
    /// Panics when the shape of `ground` is not (nz, nx) of `grid`.
    pub(crate) fn bake(ground: &Array2<f32>, grid: Grid, look: &LookSpec, nodes: usize) -> Self {
        assert_eq!(
            ground.dim(),
            (grid.nz, grid.nx),
            "the ground has one height per column"
        );
        Self::bake_with(
            ground,
            Caves::default(),
            look,
            per_cell(grid.nx.max(grid.nz), nodes),
        )
    }

    /// Computes the maps of `ground` (heights of the columns in cells, shape (nz, nx)) with the
    /// columns `caves` that a height field cannot represent. `per_cell`: number of nodes per cell
    /// along an axis.
    pub fn bake_with(ground: &Array2<f32>, caves: Caves, look: &LookSpec, per_cell: usize) -> Self {
        LandBake::new(ground, caves, look, MapNodes::of_final_picture(per_cell)).finish()
    }

    /// Updates the maps to the heights `ground` (cells, shape as before) and to `caves`: computes
    /// only the affected regions if little changed, otherwise all maps. Returns true if any height,
    /// cave or solidified lava changed.
    pub fn follow(&mut self, ground: &Array2<f32>, caves: &Caves, look: &LookSpec) -> bool {
        let patched = self.patch(ground, caves.clone(), look);
        if patched == Patched::TooMuch {
            *self = LandBake::new(ground, caves.clone(), look, self.nodes()).finish();
        } else if self
            .beyond
            .as_ref()
            .is_some_and(|beyond| !beyond.is_beside(&self.block))
        {
            self.go_on(look);
        }
        patched != Patched::Nothing
    }

    /// Updates the maps as `follow` does if little changed; returns true if any height, cave or
    /// solidified lava changed. Returns `None` if all maps are to be computed again.
    pub(crate) fn follow_part(
        &mut self,
        ground: &Array2<f32>,
        caves: Caves,
        look: &LookSpec,
    ) -> Option<bool> {
        let patched = self.patch(ground, caves, look);
        let is_beside = |beyond: &Beyond| beyond.is_beside(&self.block);
        let fits = self.beyond.as_ref().is_none_or(is_beside);
        (patched != Patched::TooMuch && fits).then_some(patched != Patched::Nothing)
    }

    /// Returns the fineness of the maps.
    fn nodes(&self) -> MapNodes {
        let whole = MapNodes::of_final_picture(self.block.heights.per_cell as usize);
        let around = self.beyond.as_ref().map(|beyond| beyond.nodes);
        MapNodes {
            around: around.unwrap_or(whole.around),
            ..whole
        }
    }

    /// Computes the sunlight again for the sun of `look`, or all maps if the cell height, the
    /// draped picture or the kind of surroundings changed.
    pub fn relight(&mut self, look: &LookSpec) {
        if !self.is_of(look) {
            let (columns, caves) = (&self.coarse, self.block.caves.clone());
            let place = |(z, x)| columns.data[z * columns.width + x];
            let ground = Array2::from_shape_fn((columns.depth, columns.width), place);
            *self = LandBake::new(&ground, caves, look, self.nodes()).finish();
            return;
        }
        [self.sun, self.soft] = shadows(&self.block, &Sky::new(look));
        self.light = light(&self.block, &self.soft);
        self.go_on(look);
    }

    /// Computes the land around the simulation box in the surroundings of `look` and stores it in
    /// `beyond`; stores `None` if these surroundings have no land.
    fn go_on(&mut self, look: &LookSpec) {
        let of = (self.unit, self.nodes().around);
        let bake = |ends| bake::beyond((&self.block, ends), of, self.scale, &Sky::new(look));
        self.beyond = Ends::from_look(look).map(bake);
    }

    /// Returns true if the ground is drawn as smooth stone instead of rock.
    pub(crate) fn is_stone(&self) -> bool {
        self.scale.stone
    }

    /// Returns true if all maps except the light are valid for `look`, because the cell height, the
    /// draped picture and the kind of surroundings are those of `look`.
    pub(crate) fn is_of(&self, look: &LookSpec) -> bool {
        let of_surroundings = self.scale.stone == is_stone(look)
            && self.beyond.as_ref().map(|beyond| beyond.ends) == Ends::from_look(look);
        self.block.tall == look.cell_height && self.drape == look.drape && of_surroundings
    }

    /// Returns `camera` raised above the ground and aimed at `target` (cells) if it is inside rock
    /// of `ground`, whose look this is, or below the land around the simulation box; otherwise
    /// `None`.
    pub fn out_of_rock(
        &self,
        ground: &Ground,
        camera: &Camera,
        target: Point3<f32>,
    ) -> Option<Camera> {
        let (eye, grid) = (camera.eye(), ground.grid());
        let is_in = |at: f32, side: usize| at >= 0.0 && at < side as f32;
        let above = OVER_GROUND * grid.nx.max(grid.nz) as f32 + 1.0;
        if is_in(eye.x, grid.nx) && is_in(eye.z, grid.nz) {
            let place = [eye.x as usize, eye.y.max(0.0) as usize, eye.z as usize];
            let is_rock = eye.y < 0.0 || is_in(eye.y, grid.ny) && ground.is_solid(place);
            return is_rock
                .then(|| camera.raised_to(ground.top(place[0], place[2]) as f32 + above, target));
        }
        let land = self.beyond.as_ref()?.height(eye.x, eye.z);
        (eye.y < land).then(|| camera.raised_to(land + above, target))
    }

    /// Returns the bounds for automatic framing of a camera: the ground block of a simulation box
    /// of shape `grid`, with space for lava above the ground.
    // Taken from the columns, not from the nodes, so that a coarse bake and the fine bake after it
    // are framed alike.
    pub fn subject(&self, grid: Grid) -> Bounds {
        // Lava lies on the ground and piles up over vents: leave some air, but no more than the
        // simulation box has.
        let air = 0.06 * (grid.nx.max(grid.nz) as f32);
        let roof = |y: f32| (y + air).min(grid.ny as f32).max(1.0);
        let columns = &self.coarse;
        let top = columns.data.iter().copied().fold(f32::MIN, f32::max);
        // Each column gives its corner farthest from the middle.
        let corner =
            |column: usize, of: usize| (if 2 * column < of { column } else { column + 1 }) as f32;
        let points = columns.data.iter().enumerate().map(|(k, &y)| {
            let (x, z) = (k % columns.width, k / columns.width);
            Point3::new(corner(x, grid.nx), roof(y), corner(z, grid.nz))
        });
        Bounds::of_ground(grid, (self.block.foot, roof(top)), points)
    }

    /// Returns the surface properties of the ground's top at (`x`, `z`) in cells.
    #[inline(always)]
    pub(crate) fn rock(&self, x: f32, z: f32) -> Rock {
        let normal = crate::math::unit_or_up(self.normal.at(x, z));
        Rock {
            albedo: self.albedo.at(x, z),
            normal,
            light: self.light.at(x, z),
        }
    }

    /// Returns the surface properties of the point `p` (cells) on a cell's side or on the wall of a
    /// cave; `side`: outward normal at `p`, `sun`: direction of the sun.
    pub(crate) fn block_rock(&self, p: V3, side: V3, sun: V3) -> Rock {
        let altitude = saturate((p.y - self.scale.lowest) / self.scale.rise);
        let place = RockPoint {
            p: pattern(p, self.unit, self.block.tall),
            rill: 0.0,
            up: side.y,
            altitude,
            crags: 0.0,
            stone: self.scale.stone,
        };
        let lit = side.dot(&sun) > 0.0 && self.block.lit(p + side * OPEN_HAIR, sun);
        let light = nalgebra::Vector2::new(self.open_above(p, side), if lit { 1.0 } else { 0.0 });
        let is_set = self.block.caves.is_rounded(p);
        // Pictures from above show nothing of a cave.
        let albedo = if is_set {
            basalt(place.p)
        } else {
            colour(&self.block, None, &place, (p.x, p.z))
        };
        let normal = if place.stone {
            side
        } else {
            bumped(side, place.p)
        };
        Rock {
            albedo,
            normal,
            light,
        }
    }

    /// Returns the visible fraction of the sky (0 to 1) at the point `p` (cells) on a face with the
    /// outward normal `side`, from the number of `OPEN_RAYS` that meet no ground within `OPEN_FAR`
    /// cells.
    pub(crate) fn open_above(&self, p: V3, side: V3) -> f32 {
        let (from, whole) = (p + side * OPEN_HAIR, self.block.whole());
        let open = OPEN_RAYS.iter().filter(|[x, z]| {
            let direction = (v3(*x, 0.75, *z) + side * 0.6).normalize();
            self.block
                .hit(
                    &Ray {
                        origin: from,
                        direction,
                    },
                    &whole,
                    0.0,
                )
                .is_none_or(|hit| hit.t > OPEN_FAR)
        });
        openness(open.count())
    }

    /// Returns two heights in cells: the lowest height of the ground, and the rise from there to
    /// the upper end of the height range over which the rock's colours vary.
    pub fn altitudes(&self) -> [f32; 2] {
        [self.scale.lowest, self.scale.rise]
    }

    /// Returns the unshadowed fraction of the sun (0 to 1) on the ground at (`x`, `z`) in cells,
    /// also outside of the simulation box.
    pub(crate) fn sunlight(&self, x: f32, z: f32) -> f32 {
        match &self.beyond {
            Some(beyond) if beyond.has(x, z) => beyond.sunlight(x, z),
            _ => self.light.at(x, z).y,
        }
    }

    /// Returns the surface properties of the land `beyond` around the simulation box at the point
    /// `p` (cells).
    pub(crate) fn rock_beyond(&self, beyond: &Beyond, p: V3) -> Rock {
        let rock = beyond.rock(p.x, p.z);
        Rock {
            normal: rugged(rock.normal, pattern(p, self.unit, self.block.tall)),
            ..rock
        }
    }

    /// Returns the height in cells of the ground below the point `p` (cells), also outside of the
    /// simulation box.
    pub(crate) fn floor_below(&self, p: V3) -> f32 {
        match &self.beyond {
            Some(beyond) if beyond.has(p.x, p.z) => beyond.height(p.x, p.z),
            _ => self.block.floor_below(p),
        }
    }
}

/// Returns the visible fraction of the sky (0 to 1) at a point from which `far` of the `OPEN_RAYS`
/// are unobstructed.
fn openness(far: usize) -> f32 {
    0.26 + 0.74 * far as f32 / OPEN_RAYS.len() as f32
}

/// Returns the albedo (linear RGB) of the ground's top at (`x`, `z`) in cells: rock, the picture
/// `drape`, or solidified lava. `place`: inputs of the rock's colour there.
fn colour(block: &Heightfield, drape: Option<&Drape>, place: &RockPoint, (x, z): (f32, f32)) -> V3 {
    let cells = [block.heights.width, block.heights.depth]
        .map(|nodes| (nodes - 1) as f32 / block.heights.per_cell);
    let node = cells.map(|cells| 1.0 / (cells * block.heights.per_cell));
    let land = draped(drape, [x / cells[0], z / cells[1]], node, || albedo(place));
    let share = set_around(block, (x, z));
    if share > 0.0 {
        fresh(land, place, share)
    } else {
        land
    }
}

/// Returns the albedo (linear RGB) of the picture `drape` at `place`, averaged over `span`, mixed
/// with the albedo `rock` where the picture is transparent. `place` and `span` are fractions of the
/// simulation box along x and z.
fn draped(drape: Option<&Drape>, place: [f32; 2], span: [f32; 2], rock: impl Fn() -> V3) -> V3 {
    let Some(drape) = drape else { return rock() };
    match drape.mean_color(place, span) {
        (_, 0.0) => rock(),
        (seen, 1.0) => V3::from(seen) * PHOTO,
        (seen, share) => mix(rock(), V3::from(seen) * PHOTO, share),
    }
}

/// Distance in cells by which the blur of the border of solidified lava reaches to each side of the
/// border.
// The unspread margin would end along the sides of cells.
const MARGIN: f32 = 1.5;

/// Returns the fraction (0 to 1) of solidified lava around (`x`, `z`) in cells, blurred over
/// `MARGIN` cells.
fn set_around(block: &Heightfield, (x, z): (f32, f32)) -> f32 {
    if !block.caves.is_set_anywhere() {
        return 0.0;
    }
    let at = |dx: f32, dz: f32| block.caves.freshness(x + dx * MARGIN, z + dz * MARGIN);
    (2.0 * at(0.0, 0.0) + at(-1.0, -0.6) + at(0.6, -1.0) + at(1.0, 0.6) + at(-0.6, 1.0)) / 6.0
}

/// Returns the unit normal of the ground, including the finest relief of the rock, at the node
/// (`x`, `z`) of height `h`, all in cells. `unit`: pattern unit in cells; `stone`: set for smooth
/// stone, which has no fine relief.
fn grained(block: &Heightfield, unit: f32, stone: bool, [x, h, z]: [f32; 3]) -> V3 {
    let normal = block.normal(x, z, 1.0 / block.heights.per_cell);
    if stone {
        return normal;
    }
    let p = pattern(v3(x, h, z), unit, block.tall);
    bumped(ledged(normal, p), p)
}

/// Returns true if `look` draws the ground as smooth stone.
fn is_stone(look: &LookSpec) -> bool {
    look.surroundings == Surroundings::Table
}

/// Returns two maps of sunlight per node (1 in sunlight, 0 in shadow): with hard shadow edges, and
/// with soft ones, blurred slightly to approximate the sun's disc.
fn shadows(block: &Heightfield, sky: &Sky) -> [Raster<f32>; 2] {
    let hard = block
        .heights
        .map(|x, z, h| light::sun(block, sky.sun, [x, h, z]));
    let soft = hard.blurred(disc(hard.per_cell));
    [hard, soft]
}

/// Returns the light of each node: x is the visible fraction of the sky, y the unshadowed fraction
/// of the sun, copied from `soft`.
fn light(block: &Heightfield, soft: &Raster<f32>) -> Raster<nalgebra::Vector2<f32>> {
    let sky = OpenSky::new();
    block
        .heights
        .map(|x, z, h| nalgebra::Vector2::new(sky.open(block, v3(x, h, z)), soft.at(x, z)))
}

/// Returns the brightness factor of the plain styles for rock with the unit normal `normal` from
/// which the fraction `open` of the sky is visible; `lamp`: direction of the lamp.
#[inline(always)]
pub(crate) fn lit(open: f32, normal: V3, lamp: &V3) -> f32 {
    0.30 * open + 0.75 * saturate(normal.dot(lamp))
}

/// Returns the brightness factor of the plain styles at the node (`x`, `z`) in cells. `lamp`:
/// direction of the lamp; `light`: the node's light, as in `TerrainLook::light`.
fn plain(block: &Heightfield, lamp: &V3, light: nalgebra::Vector2<f32>, (x, z): (f32, f32)) -> f32 {
    lit(light.x, block.normal(x, z, PLAIN), lamp)
}

/// Returns the slope of the smoothed heights `gentle` at (`x`, `z`) in cells: rise per cell towards
/// +x and +z.
fn rise(gentle: &Raster<f32>, (x, z): (f32, f32)) -> nalgebra::Vector2<f32> {
    let (east, south) = gentle.slope(x, z, 1.0);
    nalgebra::Vector2::new(east, south)
}
