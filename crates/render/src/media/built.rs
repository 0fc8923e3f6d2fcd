//! Shading of built matter: walls of plaster or of stones in courses, and tiled roofs.
//!
//! Built matter is drawn from the amounts of whole cells, without the low-pass. Between two cell
//! centres the density of a wall changes over a fraction of the distance only, which keeps corners
//! sharp; the density of a roof changes over the whole distance, which makes an even slope of
//! steps.

use crate::math::{V3, in_widths, saturate, smoothstep, times, v3};
use crate::media::grains;
use crate::media::hit::{Hit, arriving, own};
use crate::noise;
use crate::style::shading::ShadeContext;
use crate::volume::field::MediumField;
use lavoxel_automaton::view::Preset;
use lavoxel_base::simd::hash;

// Look constants without a named source are chosen by eye.

/// Factor from the linearly interpolated density gradient between two cell centres to the steeper
/// gradient that a wall is drawn with.
pub const SHARP: f32 = 3.0;
/// Component of the density's unit gradient along an axis above which the surface normal is set to
/// that axis.
pub const SIDE: f32 = 0.95;
/// Half the distance in cells between the two density samples per axis of the near gradient, which
/// follows single cells.
pub const NEAR: f32 = 0.4;
/// Half the distance in cells between the two density samples per axis of the wide gradient, which
/// smooths the steps of roofs.
pub const WIDE: f32 = 1.3;
/// Weight of the near gradient of the density in the normal of roofs, added to the wide gradient
/// with the weight 1.
pub const BOTH: f32 = 0.3;
/// Length and height of a stone, in cells.
pub const STONE: [f32; 2] = [1.7, 0.85];
/// Length and height of a roof tile, in cells.
pub const TILE: [f32; 2] = [0.55, 0.5];
/// Fade-out of stones and tiles with distance: pixel widths, as fractions of the size of a stone or
/// tile, at which the fading begins and from which on they are invisible.
pub const SEEN: [f32; 2] = [0.25, 0.6];
/// Fraction of its light that a wall loses to dirt at its foot.
pub const SOILED: f32 = 0.4;
/// Dirt at the foot of a wall: heights above the ground, in cell widths, above which there is none
/// and below which it is strongest.
pub const FOOT: [f32; 2] = [3.0, 0.2];

/// Returns the point at which linear interpolation of the density gives the sharpened density (see
/// `SHARP`) of a wall at the point `p` (cells).
pub(crate) fn sharpened(p: V3) -> V3 {
    p.map(|x| {
        let cell = (x - 0.5).floor() + 0.5;
        cell + saturate((x - cell - 0.5) * SHARP + 0.5)
    })
}

/// Returns the outward unit normal of a wall or roof at the point `p` (cells): along an axis on the
/// sides of cells, otherwise from density samples over several cells.
pub(super) fn normal(field: &MediumField, preset: Preset, p: V3) -> V3 {
    let density = |p: V3| {
        field.density(if preset == Preset::Wall {
            sharpened(p)
        } else {
            p
        })
    };
    let along = |step: V3| density(p + step * NEAR) - density(p - step * NEAR);
    let near = v3(along(V3::x()), along(V3::y()), along(V3::z()));
    let length = near.norm();
    let axis = near.iamax();
    if length > 0.0 && near[axis].abs() > SIDE * length {
        let mut side = V3::zeros();
        side[axis] = -near[axis].signum();
        return side;
    }
    if preset == Preset::Wall {
        field.upright(near)
    } else {
        field.upright(field.gradient(p, WIDE) + near * BOTH)
    }
}

/// Stone or roof tile at a point of a surface: `tone` is the piece's random number (0 to 1), `edge`
/// the distance of the point to the piece's edge in cells, `up` the point's height within the
/// course (0 to 1).
struct Stone {
    tone: f32,
    edge: f32,
    up: f32,
}

/// Returns the stone or tile at a position of a surface that pieces of `wide` × `high` cells cover.
/// (`along`, `up`): position along the courses and across the courses, in cells.
fn piece([along, up]: [f32; 2], [wide, high]: [f32; 2]) -> Stone {
    let row = (up / high).floor();
    let place = along / wide + 0.5 * row + 0.3 * noise::share_of(hash([row as i32, 7, 3]));
    let column = place.floor();
    let (x, y) = (place - column, up / high - row);
    let edge = (x.min(1.0 - x) * wide).min(y.min(1.0 - y) * high);
    Stone {
        tone: noise::share_of(hash([column as i32, row as i32, 5])),
        edge,
        up: y,
    }
}

/// Returns the linear RGB light from the wall or roof at `hit` towards the camera.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    times(
        albedo(context, hit),
        arriving(context, hit, hit.normal, (grains::SOFT, own(context, hit))),
    )
}

/// Returns the albedo (linear RGB) of the wall or roof at `hit`.
pub(super) fn albedo(context: &ShadeContext, hit: &Hit) -> V3 {
    let (look, n) = (hit.clear.look, hit.normal);
    let q = in_widths(hit.point, context.look.cell_height);
    let pixel = hit.t * context.pixel;
    let surface = BuiltSurface {
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
    V3::from(look.linear_color()) * (0.46 * tone.max(0.15))
}

/// Returns the visibility (0 to 1) of details that are `size` cells large where a pixel is `pixel`
/// cells wide.
fn seen(pixel: f32, size: f32) -> f32 {
    1.0 - smoothstep(SEEN[0], SEEN[1], pixel / size)
}

/// Point of a wall or roof, with its position and steepness, from which the textures are computed.
struct BuiltSurface {
    q: V3,
    /// Position of the point along the courses and upwards, in cell widths.
    flat: [f32; 2],
    /// Steepness of the surface: 0 level, 1 vertical.
    upright: f32,
    broad: f32,
    fine: f32,
    /// Width of a pixel at the point, in cells.
    pixel: f32,
}

impl BuiltSurface {
    /// Returns the brightness factor of roof tiles at this point; `waves` is the setting of the
    /// look that scales the contrast.
    fn tiles(&self, waves: f32) -> f32 {
        let tile = piece(self.flat, TILE);
        // Each tile is shaded by the tile above.
        let shade = smoothstep(0.62, 1.0, tile.up) * 0.5 + smoothstep(0.10, 0.0, tile.edge) * 0.25;
        let own = seen(self.pixel, TILE[1]) * (0.45 * (tile.tone - 0.5) - shade);
        1.0 + waves * (0.18 * self.broad + own + 0.10 * self.fine)
    }

    /// Returns the brightness factor of a wall at this point, which is `above` cell widths over the
    /// ground. `waves`: setting of the look; up to 1 it scales the contrast of plaster, from 1 to 2
    /// stones appear.
    fn wall(&self, waves: f32, above: f32) -> f32 {
        let streaks =
            noise::fractal(v3(self.q.x * 1.1, self.q.y * 0.10, self.q.z * 1.1), 2) * self.upright;
        let foot = smoothstep(FOOT[0], FOOT[1], above + 1.2 * self.broad) * self.upright;
        let plaster = 1.0
            + waves.min(1.0) * (0.16 * self.broad + 0.12 * streaks + 0.07 * self.fine)
            - SOILED * foot;
        let stones = saturate(waves - 1.0);
        if stones <= 0.0 {
            return plaster;
        }
        let stone = piece(self.flat, STONE);
        let joint = smoothstep(0.14, 0.03, stone.edge) * 0.45;
        plaster
            + stones
                * (seen(self.pixel, STONE[1]) * (0.5 * (stone.tone - 0.5) - joint)
                    + 0.12 * self.fine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_keep_their_sides_and_the_middles_of_cells() {
        for x in [0.5, 1.0, 1.5, 7.0] {
            assert!(
                (sharpened(V3::repeat(x)) - V3::repeat(x)).norm() < 1e-5,
                "{x}"
            );
        }
        assert_eq!(
            sharpened(V3::repeat(1.2)),
            V3::repeat(1.5),
            "nearer to its middle all is of one cell"
        );
    }

    #[test]
    fn stones_of_two_courses_are_shifted() {
        let edges = |up: f32| {
            (0..400)
                .map(|i| piece([0.01 * i as f32, up], STONE).tone)
                .collect::<Vec<_>>()
        };
        assert_eq!(edges(0.2), edges(0.6), "one course");
        assert_ne!(edges(0.2), edges(1.2), "two courses");
    }
}
