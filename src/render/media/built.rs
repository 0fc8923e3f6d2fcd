//! What is built: plaster or stones in courses on what is upright, tiles on what slopes.

use crate::render::math::{V3, in_widths, saturate, smoothstep, times, v3};
use crate::render::media::leaves::tune;
use crate::render::media::solid::{GRAINS, Hit, arriving, own};
use crate::render::noise;
use crate::render::style::shading::ShadeContext;
use crate::simd::hash;

/// Cells along and across a stone and a tile.
pub(crate) const STONE: [f32; 2] = [1.7, 0.85];
pub(crate) const TILE: [f32; 2] = [0.55, 0.5];
/// Share of a face along an axis from which on it lies in the plane of cells.
pub(crate) const PLANE: f32 = 0.95;

/// Outward normal: that of a side of cells, or of a slope over a few of them.
pub(super) fn normal(hit_field: &crate::render::volume::field::MediumField, p: V3) -> V3 {
    let near = hit_field.gradient(p, 0.5);
    let length = near.norm();
    let axis = near.iamax();
    if near[axis].abs() > PLANE * length && length > 0.0 {
        let mut side = V3::zeros();
        side[axis] = -near[axis].signum();
        return side;
    }
    hit_field.upright(hit_field.gradient(p, tune!("B_WIDE", 1.3)) + near * tune!("B_NEAR", 0.3))
}

/// A piece of a course: a number in 0..1 of its own, the distance to its edge in cells, and how far up in its course the place is.
struct Piece {
    tone: f32,
    edge: f32,
    up: f32,
}

fn piece(along: f32, up: f32, [wide, high]: [f32; 2]) -> Piece {
    let row = (up / high).floor();
    let shifted = along / wide + 0.5 * row + 0.3 * noise::share_of(hash([row as i32, 7, 3]));
    let column = shifted.floor();
    let (x, y) = (shifted - column, up / high - row);
    let edge = (x.min(1.0 - x) * wide).min(y.min(1.0 - y) * high);
    Piece { tone: noise::share_of(hash([column as i32, row as i32, 5])), edge, up: y }
}

/// Light that leaves it towards the eye.
pub(super) fn light(context: &ShadeContext, hit: &Hit) -> V3 {
    let (look, tall) = (hit.clear.look, context.look.cell_height);
    let q = in_widths(hit.point, tall);
    let n = hit.normal;
    let slopes = if hit.clear.field.density(hit.point - n * tune!("B_DEEP", 1.1)) < 0.9 { 0.0 } else { smoothstep(0.2, 0.35, n.y) * (1.0 - smoothstep(0.93, 0.98, n.y)) };
    let along = if n.x.abs() > n.z.abs() { q.z } else { q.x };
    let pixel = hit.t * context.pixel;
    let seen = |size: f32| 1.0 - smoothstep(0.25, 0.6, pixel / size);
    let broad = noise::fractal(q * 0.22 + v3(1.0, 6.0, 2.0), 3);
    let fine = noise::gradient(q * 3.1) * seen(0.3);
    let tone = if slopes > 0.5 {
        let tile = piece(along, q.y, TILE);
        let lip = smoothstep(0.62, 1.0, tile.up) * 0.5;
        let gap = smoothstep(0.10, 0.0, tile.edge) * 0.25;
        1.0 + look.waves * (0.18 * broad + seen(0.5) * (0.45 * (tile.tone - 0.5) - lip - gap) + 0.10 * fine)
    } else {
        let streaks = noise::fractal(v3(q.x * 1.1, q.y * 0.10, q.z * 1.1), 2) * (1.0 - n.y.abs());
        let above = hit.point.y - context.land.block.heights.at(hit.point.x, hit.point.z);
        let foot = smoothstep(2.6, 0.2, above * tall + 1.2 * broad) * (1.0 - n.y.abs());
        let plaster = 1.0 + look.waves.min(1.0) * (0.14 * broad + 0.10 * streaks + 0.06 * fine) - 0.35 * foot;
        let stones = saturate(look.waves - 1.0);
        if stones <= 0.0 {
            plaster
        } else {
            let stone = piece(along, q.y, STONE);
            let joint = smoothstep(0.14, 0.03, stone.edge) * 0.45;
            plaster + stones * seen(0.85) * (0.5 * (stone.tone - 0.5) - joint + 0.12 * fine)
        }
    };
    let color = V3::from(look.linear_color());
    let albedo = color * (0.46 * tone.max(0.15));
    times(albedo, arriving(context, hit, n, (GRAINS, own(context, hit))))
}
