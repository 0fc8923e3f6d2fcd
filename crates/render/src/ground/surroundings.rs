//! Land drawn around the simulation box: it continues the slopes at the sides of the box and either
//! sinks into a sea or flattens into a plain.
//!
//! ```text
//!            _/\_                        _/\_
//!  ~~~~~.·´ |    | `·.~~~~~   ______..· |    | ·..______
//!   .·´     |____|     `·.              |____|
//!  margin     box     margin    margin    box    margin
//! ```

use nalgebra::Vector2;

use super::heightfield::{Face, Heightfield};
use super::land::surface::{Rock, old_flow};
use super::raster::Raster;
use crate::camera::Ray;
use crate::math::{V3, lerp, saturate, smoothstep, unit_or_up, v3};
use crate::noise;
use lavoxel_automaton::view::{LookSpec, Surroundings};

// Look constants, chosen by eye unless another reason is given.
/// Width of the land beyond each side of the simulation box, in lengths of the box's longer side:
/// first for land that ends in a sea, second for land that ends in a plain.
const MARGINS: [f32; 2] = [1.25, 2.4];
/// Maximum number of nodes in a final picture along an edge of the map that contains the land and
/// the simulation box.
pub(crate) const NODES: f32 = 640.0;
/// Depth of the sea floor at the outer edge of the land, below the lowest ground at the simulation
/// box's sides, in lengths of the box's longer side.
const DEEPEST: f32 = 0.26;
/// Distance from the simulation box over which the slope at the box's side decreases to 0, in
/// lengths of the box's longer side.
const GOES_ON: f32 = 0.14;
/// Limits of the slope that the land continues beyond a side of the simulation box, rise per
/// distance outwards: steepest descent (negative) and steepest ascent.
const STEEPEST: [f32; 2] = [-0.9, 0.35];
/// Length in cells over which the slope at a side of the simulation box is averaged, inwards and
/// along the side.
// The slope of single cells would continue as a furrow.
const SLOPED: f32 = 8.0;
/// Amplitude of a noise that bends ridges of the land: maximum shift, along the simulation box's
/// side, of the place whose height is continued outwards, as a fraction of the distance from the
/// box.
const BENDS: f32 = 0.45;
/// Half width of the stretch of the simulation box's side whose heights are averaged for a point
/// outside, as a fraction of the point's distance from the box.
const WIDENS: f32 = 0.8;
/// Positions across the averaged stretch of a side (−1 to 1) at which heights are sampled, and the
/// weights of the samples.
// Enough positions that a peak at the side has no row of echoes.
const SIDES: [(f32, f32); 13] = [
    (-0.9, 0.02),
    (-0.75, 0.045),
    (-0.6, 0.07),
    (-0.45, 0.09),
    (-0.3, 0.11),
    (-0.15, 0.12),
    (0.0, 0.09),
    (0.15, 0.12),
    (0.3, 0.11),
    (0.45, 0.09),
    (0.6, 0.07),
    (0.75, 0.045),
    (0.9, 0.02),
];
/// Height of the hills around the simulation box, as a fraction of the distance from the box.
const HILLS: f32 = 0.08;
/// Distance from the simulation box up to which the height of hills grows, in lengths of the box's
/// longer side.
const HILLY: f32 = 0.3;
/// Height of rocks on the land, and distance from the simulation box at which rocks reach this
/// height, both in pattern units (1/128 of the box's longer side).
const ROCKS: [f32; 2] = [0.8, 5.0];
/// Height in lengths of the simulation box's longer side, counted from the lowest ground at the
/// box's sides. Land by a sea that lies lower gets the sunlight computed at this height.
// Water covers lower ground, so its sunlight comes from the surface of the water.
const LIT: f32 = 0.03;
/// Depth in cells by which nodes of the land just inside the simulation box are lowered below the
/// box's own ground.
// The offset lets the ground of the simulation box hide these nodes.
const HIDDEN: f32 = 0.3;

/// Change of the ground's height at the sides of the simulation box, in cells, above which the land
/// around the box is computed again.
// A bake for each film of lava that sets at the sides would take longer than the picture.
const STEP: f32 = 0.4;
/// Quantile (0 to 1) of the ground heights at the simulation box's sides that is the height of the
/// plain.
const LOW: f32 = 0.2;
/// Fraction of the land's width, counted from the simulation box, beyond which hills flatten out
/// into the plain.
const FLAT: f32 = 0.75;

/// Surroundings into which the land around the simulation box passes at its outer edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ends {
    /// The land sinks below the surface of a sea.
    Sea,
    /// The land becomes a plain that extends to the horizon.
    Plain,
}

impl Ends {
    /// Returns the kind of surroundings that `look` asks for; `None` if no land is drawn around the
    /// simulation box.
    pub(crate) fn from_look(look: &LookSpec) -> Option<Self> {
        match look.surroundings {
            Surroundings::Sea => Some(Self::Sea),
            Surroundings::Land => Some(Self::Plain),
            Surroundings::Sky | Surroundings::Table => None,
        }
    }
}

/// Land around the simulation box, as maps; positions are in cells, with the origin at the box's
/// corner.
#[derive(Clone, Debug)]
pub struct Beyond {
    /// Surroundings in which the land ends: sea or plain.
    pub ends: Ends,
    /// Height in cells of the plain in which the land ends.
    pub(crate) plain: f32,
    /// Height field for the intersection with rays, with x and z in nodes of the land; lowered to a
    /// hole where the simulation box is.
    open: Heightfield,
    /// Albedo of the land's rock per node, linear RGB.
    pub albedo: Raster<V3>,
    /// Unit normal of the land per node.
    pub normal: Raster<V3>,
    /// Light per node: x is the visible fraction of the sky, y the unshadowed fraction of the sun
    /// (both 0 to 1).
    pub light: Raster<Vector2<f32>>,
    /// Distance in cells from the first node to the simulation box, equal along x and z.
    pub margin: f32,
    /// Distance between neighbouring nodes of the land, in cells.
    pub spacing: f32,
    /// Size of the simulation box along x and z, in cells.
    size: [f32; 2],
    /// Ground heights in cells at the sides of the simulation box, from which the land was
    /// computed.
    sides: Vec<f32>,
    /// Maximum number of nodes along an edge of the map.
    pub(super) nodes: f32,
}

/// Inputs from which the heights of the land around the simulation box are computed.
#[derive(Clone, Debug)]
struct Outline {
    /// Size of the simulation box along x and z, in cells.
    size: [f32; 2],
    /// Longer horizontal side of the simulation box in cells.
    longest: f32,
    /// Pattern unit in cells, the scale of the noise patterns: 1/128 of the simulation box's longer
    /// side.
    unit: f32,
    /// Lowest height of the ground at the simulation box's sides, in cells.
    lowest: f32,
    /// Height in cells of the plain in which the land may end.
    plain: f32,
    /// Width of the land beyond each side of the simulation box, in cells.
    margin: f32,
    ends: Ends,
}

impl Outline {
    /// Returns the height of the land at (`x`, `z`), all in cells; inside the simulation box, the
    /// height of the box's own ground `block`.
    fn height(&self, block: &Heightfield, x: f32, z: f32) -> f32 {
        let held = [x.clamp(0.0, self.size[0]), z.clamp(0.0, self.size[1])];
        let out = Vector2::new(x - held[0], z - held[1]);
        let away = out.norm();
        let heights = &block.heights;
        if away <= 0.0 {
            return heights.at(x, z);
        }
        let (toward, tall) = (out / away, block.tall);
        let q = v3(x, 0.0, z) / self.unit;
        let bent = |shift: V3| BENDS * away * noise::fractal(q * 0.028 + shift, 3);
        let (bend_x, bend_z) = (bent(v3(3.0, 1.0, 8.0)), bent(v3(9.0, 4.0, 2.0)));
        let side = |aside: f32| {
            let shift = aside * WIDENS * away;
            heights.at(
                held[0] - toward.y * shift + bend_x,
                held[1] + toward.x * shift + bend_z,
            )
        };
        let mean = |of: &dyn Fn(f32) -> f32| {
            SIDES
                .iter()
                .map(|&(aside, weight)| of(aside) * weight)
                .sum::<f32>()
        };
        let here = if away < 1e-3 {
            heights.at(held[0], held[1])
        } else {
            mean(&side)
        };
        // The slope of a stretch of the side: the slope of each single cell would continue as a
        // furrow.
        let slope = |aside: f32| {
            let shift = aside * (SLOPED + WIDENS * away);
            let at = |inward: f32| {
                let [x, z] = [held[0] - toward.y * shift, held[1] + toward.x * shift];
                heights.at(x - toward.x * inward, z - toward.y * inward)
            };
            at(0.0) - at(SLOPED)
        };
        let slope = (mean(&slope) * tall / SLOPED).clamp(STEEPEST[0], STEEPEST[1]);
        let goes_on = GOES_ON * self.longest;
        let slope = slope * goes_on * (1.0 - (-away / goes_on).exp());
        let t = saturate(away / self.margin);
        let ended = t * t * (3.0 - 2.0 * t);
        let relief = self.relief(q, away);
        match self.ends {
            Ends::Sea => {
                let sunk = ((here - self.lowest).max(0.0) * tall + DEEPEST * self.longest) * ended;
                here + (slope - sunk + relief) / tall
            }
            Ends::Plain => {
                let relief = slope * (1.0 - ended) + relief * (1.0 - smoothstep(FLAT, 1.0, t));
                lerp(here, self.plain, ended) + relief / tall
            }
        }
    }

    /// Returns the height in cell widths that hills and rocks add to the land at `q` (position in
    /// pattern units: 1/128 of the simulation box's longer side), at the distance `away` (cells)
    /// from the box.
    fn relief(&self, q: V3, away: f32) -> f32 {
        // Ridges between washed valleys, not round lumps.
        let warp = 4.0 * noise::fractal(q * 0.05 + v3(2.0, 9.0, 1.0), 2);
        let ridge = 0.3
            - noise::fractal(q * 0.016 + v3(6.0, 2.0, 4.0) + V3::repeat(0.016 * warp), 2).abs()
                * 1.5;
        let broad = noise::fractal(q * 0.012 + v3(4.0, 7.0, 2.0), 3);
        let hills = HILLS * away.min(HILLY * self.longest) * (ridge + broad);
        // Old flows stand over plains of ash, and are rougher.
        let flow = old_flow(q);
        let rough = noise::fractal(q * 0.17 + v3(1.0, 5.0, 7.0), 5);
        let near = saturate(away / (ROCKS[1] * self.unit));
        let rocks = ROCKS[0]
            * self.unit
            * near
            * (flow + lerp(0.12, 1.0, flow) * (rough + 0.5 * (0.2 - rough.abs())));
        hills + rocks
    }

    /// Returns the height of the height field for the intersection with rays at (`x`, `z`), all in
    /// cells, where the land has the height `height`: outside of the simulation box that height,
    /// slightly lowered within `spacing` inside of the box's sides, and `foot` further inside, where
    /// rays meet the box's own ground.
    fn open(&self, [x, height, z]: [f32; 3], spacing: f32, foot: f32) -> f32 {
        let inside = x.min(self.size[0] - x).min(z).min(self.size[1] - z);
        match inside {
            _ if inside <= 0.0 => height,
            _ if inside < spacing => height - HIDDEN,
            _ => foot,
        }
    }
}

/// Albedo and normal of the land's rock at a point.
pub struct Surface {
    /// Albedo of the rock, linear RGB.
    pub(super) albedo: V3,
    /// Unit normal of the rock.
    pub(super) normal: V3,
}

/// Functions that give the rock and the light of the land: `surface` returns the rock at a position
/// (cells) with a smooth normal, `sun` the unshadowed fraction of the sun at a node (x, height, z)
/// of a height field, `sky` the visible fraction of the sky.
pub(super) trait Weathered: Sync {
    fn surface(&self, at: V3, normal: V3) -> Surface;
    fn sun(&self, land: &Heightfield, node: [f32; 3]) -> f32;
    fn sky(&self, land: &Heightfield, at: V3) -> f32;
}

/// Computation of the land around a simulation box, row by row.
#[derive(Clone, Debug)]
pub(super) struct BeyondBake {
    outline: Outline,
    spacing: f32,
    sides: Vec<f32>,
    nodes: f32,
    heights: Raster<f32>,
    /// Ground of the land without a hole, once all heights are known; normals and light are its.
    whole: Option<Heightfield>,
    smooth: Raster<V3>,
    rock: Raster<[V3; 2]>,
    lit: Raster<f32>,
    /// Sunlight blurred once all of `lit` is known.
    soft: Option<Raster<f32>>,
    light: Raster<Vector2<f32>>,
}

impl BeyondBake {
    /// Begins the land around the simulation box, whose ground is `block`. `unit`: pattern unit in
    /// cells (1/128 of the simulation box's longer side); `nodes`: maximum number of nodes along an
    /// edge of the map.
    pub(super) fn new((block, ends): (&Heightfield, Ends), unit: f32, nodes: f32) -> Self {
        let size = [block.width(), block.depth()];
        let longest = size[0].max(size[1]);
        let (spacing, margin) = spread(longest, ends, nodes);
        let sides = block.sides();
        let counts = size.map(|side| ((side + 2.0 * margin) / spacing).ceil() as usize);
        let counts = (counts[0], counts[1]);
        Self {
            outline: Outline {
                size,
                longest,
                unit,
                lowest: sides.iter().copied().fold(f32::MAX, f32::min),
                plain: low(&sides),
                margin,
                ends,
            },
            spacing,
            sides,
            nodes,
            heights: Raster::begun(counts, 1),
            whole: None,
            smooth: Raster::begun(counts, 1),
            rock: Raster::begun(counts, 1),
            lit: Raster::begun(counts, 1),
            soft: None,
            light: Raster::begun(counts, 1),
        }
    }

    /// Returns the position in cells of the node number `node` along an axis.
    fn place(&self, node: f32) -> f32 {
        node * self.spacing - self.outline.margin
    }

    /// Computes the next `rows` rows of the map in progress. Returns true once all is computed.
    pub(super) fn go_on(
        &mut self,
        block: &Heightfield,
        weathered: &impl Weathered,
        rows: usize,
    ) -> bool {
        let (spacing, margin) = (self.spacing, self.outline.margin);
        let place = |node: usize| node as f32 * spacing - margin;
        let Some(whole) = &self.whole else {
            let outline = &self.outline;
            let height = |_, [i, j]: [usize; 2]| outline.height(block, place(i), place(j));
            if self.heights.grow(rows, height) {
                let mut whole = Heightfield::new(self.heights.clone(), self.foot());
                whole.tall = block.tall / spacing;
                self.whole = Some(whole);
            }
            return false;
        };
        let heights = &whole.heights.data;
        let node = |k: usize, [i, j]: [usize; 2]| [i as f32, heights[k], j as f32];
        if !self.smooth.is_full() {
            self.smooth
                .grow(rows, |_, [i, j]| whole.normal(i as f32, j as f32, 1.0));
            return false;
        }
        if !self.rock.is_full() {
            let smooth = &self.smooth.data;
            self.rock.grow(rows, |k, [i, j]| {
                let rock = weathered.surface(v3(place(i), heights[k], place(j)), smooth[k]);
                [rock.albedo, rock.normal]
            });
            return false;
        }
        let Some(soft) = &self.soft else {
            let least = match self.outline.ends {
                Ends::Sea => self.outline.lowest + LIT * self.outline.longest / block.tall,
                Ends::Plain => f32::MIN,
            };
            let sun = |k: usize, at: [usize; 2]| {
                let [i, h, j] = node(k, at);
                weathered.sun(whole, [i, h.max(least), j])
            };
            if self.lit.grow(rows, sun) {
                self.soft = Some(self.lit.blurred(1));
            }
            return false;
        };
        let soft = &soft.data;
        self.light.grow(rows, |k, at| {
            Vector2::new(weathered.sky(whole, V3::from(node(k, at))), soft[k])
        })
    }

    /// Returns the height of the land's bottom in cells.
    fn foot(&self) -> f32 {
        self.heights.data.iter().copied().fold(f32::MAX, f32::min) - 1.0
    }

    /// Returns the land; `go_on` must have returned true.
    pub(super) fn land(self) -> Beyond {
        let foot = self.foot();
        // Rays meet `open`, where the simulation box is cut out; normals and light are those of the
        // whole ground, without a hole.
        let heights = self.heights.map(|i, j, height| {
            let at = [self.place(i), height, self.place(j)];
            self.outline.open(at, self.spacing, foot)
        });
        let mut open = Heightfield::new(heights, foot - 1.0);
        open.tall = self.whole.as_ref().map_or(1.0, |whole| whole.tall);
        Beyond {
            ends: self.outline.ends,
            plain: self.outline.plain,
            open,
            albedo: self.rock.map(|_, _, [albedo, _]| albedo),
            normal: self.rock.map(|_, _, [_, normal]| normal),
            light: self.light,
            margin: self.outline.margin,
            spacing: self.spacing,
            size: self.outline.size,
            sides: self.sides,
            nodes: self.nodes,
        }
    }
}

impl Beyond {
    /// Returns true if this land still fits `block`: the ground heights at the sides of the
    /// simulation box differ by at most `STEP` cells from those for which this land was computed.
    pub(super) fn is_beside(&self, block: &Heightfield) -> bool {
        block
            .sides()
            .iter()
            .zip(&self.sides)
            .all(|(new, old)| (new - old).abs() <= STEP)
    }

    /// Returns the heights in cells of the height field with which rays are intersected, per node
    /// of the land; nodes inside of the simulation box are lowered.
    pub fn heights(&self) -> &Raster<f32> {
        &self.open.heights
    }

    /// Returns the position of the point (`x`, `z`), given in cells, in the grid of the land's
    /// nodes, in nodes.
    #[inline(always)]
    fn node(&self, x: f32, z: f32) -> [f32; 2] {
        [
            (x + self.margin) / self.spacing,
            (z + self.margin) / self.spacing,
        ]
    }

    /// Returns the distance in cells along `ray` at which the ray meets the land; `None` if the ray
    /// misses.
    pub(crate) fn hit(&self, ray: &Ray) -> Option<f32> {
        let ([x, z], d) = (self.node(ray.origin.x, ray.origin.z), ray.direction);
        let direction = v3(d.x / self.spacing, d.y, d.z / self.spacing);
        let hit = self.open.hit(
            &Ray {
                origin: v3(x, ray.origin.y, z),
                direction,
            },
            &self.open.whole(),
            0.0,
        )?;
        // A little of this ground stands in the simulation box, hidden by the ground of the box.
        (hit.face == Face::Top).then_some(hit.t)
    }

    /// Returns true if (`x`, `z`) in cells lies outside of the simulation box.
    pub(crate) fn has(&self, x: f32, z: f32) -> bool {
        x < 0.0 || z < 0.0 || x > self.size[0] || z > self.size[1]
    }

    /// Returns the height of the land at (`x`, `z`), all in cells; valid outside of the simulation
    /// box.
    pub fn height(&self, x: f32, z: f32) -> f32 {
        let [i, j] = self.node(x, z);
        self.open.heights.at(i, j)
    }

    /// Returns the surface properties of the land at (`x`, `z`) in cells.
    pub(crate) fn rock(&self, x: f32, z: f32) -> Rock {
        let [i, j] = self.node(x, z);
        Rock {
            albedo: self.albedo.at(i, j),
            normal: unit_or_up(self.normal.at(i, j)),
            light: self.light.at(i, j),
        }
    }

    /// Returns the unshadowed fraction of the sun (0 to 1) on the land at (`x`, `z`) in cells.
    pub(crate) fn sunlight(&self, x: f32, z: f32) -> f32 {
        let [i, j] = self.node(x, z);
        self.light.at(i, j).y
    }
}

/// Returns two lengths in cells: the distance between neighbouring nodes of the land, and the
/// distance from the first node to the simulation box. `longest`: longer side of the box in cells;
/// `ends`: surroundings in which the land ends; `nodes`: maximum number of nodes along an edge.
fn spread(longest: f32, ends: Ends, nodes: f32) -> (f32, f32) {
    let share = MARGINS[ends as usize];
    let spacing = ((1.0 + 2.0 * share) * longest / nodes).ceil().max(1.0);
    (spacing, (share * longest / spacing).ceil() * spacing)
}

/// Returns the total number of nodes of the land around a simulation box of `size` cells along x
/// and z; nodes inside of the box are counted.
pub(crate) fn nodes(size: [usize; 2], ends: Ends) -> usize {
    let (spacing, margin) = spread(size[0].max(size[1]) as f32, ends, NODES);
    size.map(|side| ((side as f32 + 2.0 * margin) / spacing).ceil() as usize + 1)
        .iter()
        .product()
}

/// Returns the height in cells of the plain around the simulation box: the `LOW` quantile of
/// `sides`, the ground heights at the box's sides.
fn low(sides: &[f32]) -> f32 {
    let mut sides = sides.to_vec();
    let at = ((sides.len() - 1) as f32 * LOW) as usize;
    *sides.select_nth_unstable_by(at, f32::total_cmp).1
}

/// Returns the horizontal distance in cells from a simulation box of `size` cells along x and z to
/// the point `p`; 0 inside.
pub(crate) fn beyond(size: [f32; 2], p: V3) -> f32 {
    let out = |at: f32, size: f32| (-at).max(at - size).max(0.0);
    out(p.x, size[0]).hypot(out(p.z, size[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::land::TerrainLook;
    use lavoxel_base::grid::Grid;
    use ndarray::Array2;

    fn land(surroundings: Surroundings, raised: f32) -> TerrainLook {
        let height = |(z, x): (usize, usize)| 6.0 + 2.0 * (0.5 * x as f32).sin() + 0.15 * z as f32;
        let grid = Grid::new(24, 16, 20);
        let mut ground = Array2::from_shape_fn((grid.nz, grid.nx), height);
        ground[[0, 3]] += raised;
        TerrainLook::bake(
            &ground,
            grid,
            &LookSpec {
                surroundings,
                ..LookSpec::default()
            },
            48,
        )
    }

    #[test]
    fn it_begins_as_the_box_ends_and_sinks_or_becomes_a_plain() {
        for surroundings in [Surroundings::Land, Surroundings::Sea] {
            let land = land(surroundings, 0.0);
            let beyond = land.beyond.as_ref().expect("ground around the box");
            let lowest = beyond.sides.iter().copied().fold(f32::MAX, f32::min);
            for k in 0..20 {
                let at = 0.5 + k as f32;
                for (x, z) in [(at, -0.01), (at, 20.01), (-0.01, at), (24.01, at)] {
                    let inside = land
                        .block
                        .heights
                        .at(x.clamp(0.0, 24.0), z.clamp(0.0, 20.0));
                    assert!(
                        (beyond.height(x, z) - inside).abs() < 0.6,
                        "{surroundings:?} at {x}, {z}"
                    );
                }
                let end = beyond.height(0.2 - beyond.margin, at);
                match beyond.ends {
                    Ends::Plain => assert!(
                        (end - beyond.plain).abs() < 0.05,
                        "{end} is not {}",
                        beyond.plain
                    ),
                    Ends::Sea => assert!(end < lowest - 1.0, "{end} is not below {lowest}"),
                }
            }
            assert!(beyond.plain >= lowest && beyond.plain < 9.0);
            let down = Ray {
                origin: v3(-9.0, 40.0, 7.0),
                direction: v3(0.0, -1.0, 0.0),
            };
            let t = beyond.hit(&down).expect("ground below");
            assert!((40.0 - t - beyond.height(-9.0, 7.0)).abs() < 0.05);
        }
        assert!(
            land(Surroundings::Table, 0.0).beyond.is_none()
                && land(Surroundings::Sky, 0.0).beyond.is_none()
        );
    }

    #[test]
    fn a_film_that_sets_at_a_side_bakes_nothing_again_and_a_cell_does() {
        let bare = land(Surroundings::Land, 0.0);
        let beyond = bare.beyond.expect("ground around the box");
        assert!(beyond.is_beside(&land(Surroundings::Land, 0.2).block));
        assert!(!beyond.is_beside(&land(Surroundings::Land, 2.0).block));
    }
}
