//! Built matter: walls of plaster or of stones in courses, and roofs with tiles.
//!
//! Their densities are the amounts as they lie in their cells. Between the middles of cells a wall changes in a part of the way only,
//! so that its corners are sharp; a roof changes all the way, which makes an even slope of steps.

use crate::math::{V3, in_widths, saturate, smoothstep, times, v3};
use crate::media::grains;
use crate::media::solid::{Hit, arriving, own};
use crate::noise;
use crate::style::shading::ShadeContext;
use crate::volume::field::MediumField;
use lavoxel_automaton::view::Preset;
use lavoxel_base::simd::hash;

/// How many times as fast as evenly a wall changes between two cells.
pub const SHARP: f32 = 3.0;
/// Share of a slope along an axis from which on it is a side of cells, and cells over which it is taken, near and wide.
pub const SIDE: f32 = 0.95;
pub const NEAR: f32 = 0.4;
pub const WIDE: f32 = 1.3;
/// Share of the near slope beside the wide one.
pub const BOTH: f32 = 0.3;
/// Cells along and across a stone and a tile.
pub const STONE: [f32; 2] = [1.7, 0.85];
pub const TILE: [f32; 2] = [0.55, 0.5];
/// Parts of a course to a pixel up to which they are seen, and from which on not.
pub const SEEN: [f32; 2] = [0.25, 0.6];
/// Share of light that a wall lacks at its foot, and heights over the ground between which it does, in cells.
pub const SOILED: f32 = 0.4;
pub const FOOT: [f32; 2] = [3.0, 0.2];

/// A place at which the density is that of a wall at `p`, so that it changes faster between two cells.
pub(crate) fn sharpened(p: V3) -> V3 {
    p.map(|x| {
        let cell = (x - 0.5).floor() + 0.5;
        cell + saturate((x - cell - 0.5) * SHARP + 0.5)
    })
}

/// Outward normal: that of a side of cells, or of a slope over some of them.
pub(super) fn normal(field: &MediumField, preset: Preset, p: V3) -> V3 {
    let density = |p: V3| field.density(if preset == Preset::Wall { sharpened(p) } else { p });
    let along = |step: V3| density(p + step * NEAR) - density(p - step * NEAR);
    let near = v3(along(V3::x()), along(V3::y()), along(V3::z()));
    let length = near.norm();
    let axis = near.iamax();
    if length > 0.0 && near[axis].abs() > SIDE * length {
        let mut side = V3::zeros();
        side[axis] = -near[axis].signum();
        return side;
    }
    if preset == Preset::Wall { field.upright(near) } else { field.upright(field.gradient(p, WIDE) + near * BOTH) }
}

/// A piece of a course: a number in 0..1 of its own, the distance to its edge in cells, and how far up in its course the place is.
struct Piece {
    tone: f32,
    edge: f32,
    up: f32,
}

/// The piece at a place, of pieces of this width and height.
fn piece([along, up]: [f32; 2], [wide, high]: [f32; 2]) -> Piece {
    let row = (up / high).floor();
    let place = along / wide + 0.5 * row + 0.3 * noise::share_of(hash([row as i32, 7, 3]));
    let column = place.floor();
    let (x, y) = (place - column, up / high - row);
    let edge = (x.min(1.0 - x) * wide).min(y.min(1.0 - y) * high);
    Piece { tone: noise::share_of(hash([column as i32, row as i32, 5])), edge, up: y }
}

/// Light that leaves it towards the eye.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    let (look, n) = (hit.clear.look, hit.normal);
    let q = in_widths(hit.point, context.look.cell_height);
    let pixel = hit.t * context.pixel;
    let surface = Surface {
        q,
        flat: [if n.x.abs() > n.z.abs() { q.z } else { q.x }, q.y],
        upright: 1.0 - n.y.abs(),
        broad: noise::fractal(q * 0.22 + v3(1.0, 6.0, 2.0), 3),
        fine: noise::gradient(q * 3.1) * seen(pixel, 0.3),
        pixel,
    };
    let tone = if look.preset == Preset::Roof && n.y > 0.2 && n.y < 0.96 {
        surface.tiles(look.waves)
    } else {
        let above = hit.point.y - context.land.block.heights.at(hit.point.x, hit.point.z);
        surface.wall(look.waves, above * context.look.cell_height)
    };
    let albedo = V3::from(look.linear_color()) * (0.46 * tone.max(0.15));
    times(albedo, arriving(context, hit, n, (grains::SOFT, own(context, hit))))
}

/// How much of parts of this size is seen in pixels of this one.
fn seen(pixel: f32, size: f32) -> f32 {
    1.0 - smoothstep(SEEN[0], SEEN[1], pixel / size)
}

/// A place of a surface, with noise for all of its textures.
struct Surface {
    q: V3,
    /// Along a course, and up.
    flat: [f32; 2],
    /// How upright it is, 0 to 1.
    upright: f32,
    broad: f32,
    fine: f32,
    /// Width of a pixel there.
    pixel: f32,
}

impl Surface {
    /// Tone of tiles.
    fn tiles(&self, waves: f32) -> f32 {
        let tile = piece(self.flat, TILE);
        // Each lies in the shade of the one above it.
        let shade = smoothstep(0.62, 1.0, tile.up) * 0.5 + smoothstep(0.10, 0.0, tile.edge) * 0.25;
        let own = seen(self.pixel, TILE[1]) * (0.45 * (tile.tone - 0.5) - shade);
        1.0 + waves * (0.18 * self.broad + own + 0.10 * self.fine)
    }

    /// Tone of plaster, or of stones, at a height above the ground.
    fn wall(&self, waves: f32, above: f32) -> f32 {
        let streaks = noise::fractal(v3(self.q.x * 1.1, self.q.y * 0.10, self.q.z * 1.1), 2) * self.upright;
        let foot = smoothstep(FOOT[0], FOOT[1], above + 1.2 * self.broad) * self.upright;
        let plaster = 1.0 + waves.min(1.0) * (0.16 * self.broad + 0.12 * streaks + 0.07 * self.fine) - SOILED * foot;
        let stones = saturate(waves - 1.0);
        if stones <= 0.0 {
            return plaster;
        }
        let stone = piece(self.flat, STONE);
        let joint = smoothstep(0.14, 0.03, stone.edge) * 0.45;
        plaster + stones * (seen(self.pixel, STONE[1]) * (0.5 * (stone.tone - 0.5) - joint) + 0.12 * self.fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_keep_their_sides_and_the_middles_of_cells() {
        for x in [0.5, 1.0, 1.5, 7.0] {
            assert!((sharpened(V3::repeat(x)) - V3::repeat(x)).norm() < 1e-5, "{x}");
        }
        assert_eq!(sharpened(V3::repeat(1.2)), V3::repeat(1.5), "nearer to its middle all is of one cell");
    }

    #[test]
    fn stones_of_two_courses_are_shifted() {
        let edges = |up: f32| (0..400).map(|i| piece([0.01 * i as f32, up], STONE).tone).collect::<Vec<_>>();
        assert_eq!(edges(0.2), edges(0.6), "one course");
        assert_ne!(edges(0.2), edges(1.2), "two courses");
    }
}
