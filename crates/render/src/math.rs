//! Vector and colour helpers for shading. Colours are linear RGB in the same three-component
//! vectors as points.

/// Vector of three components, used for points, directions and linear RGB colours.
pub type V3 = nalgebra::Vector3<f32>;

#[inline(always)]
pub(crate) fn v3(x: f32, y: f32, z: f32) -> V3 {
    V3::new(x, y, z)
}

#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    x.clamp(0.0, 1.0)
}

#[inline(always)]
pub(crate) fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[inline(always)]
pub(crate) fn mix(a: V3, b: V3, t: f32) -> V3 {
    a + (b - a) * t
}

/// Returns the smoothstep of `x`: 0 at and below `low`, 1 at and above `high`, and a cubic between;
/// with `low` above `high` the step falls from 1 to 0.
#[inline]
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = saturate((x - low) / (high - low));
    t * t * (3.0 - 2.0 * t)
}

/// Returns the component-wise product of `a` and `b`, such as albedo times light.
#[inline]
pub(crate) fn times(a: V3, b: V3) -> V3 {
    a.component_mul(&b)
}

/// Returns the relative luminance of the linear Rec. 709 RGB colour `c`.
#[inline]
pub(crate) fn luminance(c: V3) -> f32 {
    0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z
}

/// Returns the unit vector along `v`; straight up if `v` is zero, which a density gradient is in
/// uniform matter.
#[inline(always)]
pub(crate) fn unit_or_up(v: V3) -> V3 {
    v.try_normalize(1e-9).unwrap_or_else(V3::y)
}

/// Converts a direction from cell widths (true proportions) to cells, for cells drawn `tall` times
/// as high as wide. The result is not normalised.
#[inline(always)]
pub(crate) fn in_cells(direction: V3, tall: f32) -> V3 {
    v3(direction.x, direction.y / tall, direction.z)
}

/// Converts an offset from cells to cell widths (true proportions), for cells drawn `tall` times as
/// high as wide.
#[inline(always)]
pub(crate) fn in_widths(way: V3, tall: f32) -> V3 {
    v3(way.x, way.y * tall, way.z)
}

/// Returns the unit vector with the compass direction `azimuth_deg` (0 north, 90 east) and the
/// elevation `elevation_deg` above the horizon, both in degrees.
pub(crate) fn direction(azimuth_deg: f32, elevation_deg: f32) -> V3 {
    let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
    v3(
        elevation.cos() * azimuth.sin(),
        elevation.sin(),
        -elevation.cos() * azimuth.cos(),
    )
}

/// Returns the value at `place` by linear interpolation between `stops` (pairs of position and
/// value, positions ascending); constant before the first and after the last stop. 0 if there are
/// no stops.
pub(crate) fn at_stops(stops: &[[f32; 2]], place: f32) -> f32 {
    let upper = stops.partition_point(|s| s[0] <= place);
    match (upper.checked_sub(1).map(|i| stops[i]), stops.get(upper)) {
        (Some(a), Some(b)) => lerp(a[1], b[1], (place - a[0]) / (b[0] - a[0])),
        (Some(last), None) => last[1],
        (None, Some(first)) => first[1],
        (None, None) => 0.0,
    }
}

/// Returns exp(−`x`) for `x` ≥ 0 with an error below 2e-6; inlined, because the exact function
/// would cost a function call.
#[inline(always)]
pub(crate) fn faded(x: f32) -> f32 {
    let halvings = (x * std::f32::consts::LOG2_E).min(126.0);
    let whole = halvings as u32;
    let part = halvings - whole as f32;
    // Series of 2^−part, with the last coefficients fitted to the ends of the interval.
    let series = 0.009_618 - part * (0.001_333_4 - part * 0.000_141);
    let series = 0.240_226_5 - part * (0.055_504_1 - part * series);
    let series = 1.0 - part * (std::f32::consts::LN_2 - part * series);
    series * f32::from_bits((127 - whole) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_fades_as_the_exponential_does() {
        for i in 0..4000 {
            let x = i as f32 * 0.005;
            assert!(
                (faded(x) - (-x).exp()).abs() < 3e-6,
                "{x}: {} against {}",
                faded(x),
                (-x).exp()
            );
        }
        assert!((0.0..1e-30).contains(&faded(1e9)) && faded(f32::INFINITY) < 1e-30);
    }
}
