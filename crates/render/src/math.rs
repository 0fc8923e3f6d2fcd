//! Vector and colour helpers for shading. Colours are linear RGB in the same three-component
//! vectors as points.

/// Point, direction or linear RGB colour.
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

/// Cubic smoothstep of `x`: 0 below `low`, 1 above `high`.
#[inline]
pub(crate) fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = saturate((x - low) / (high - low));
    t * t * (3.0 - 2.0 * t)
}

/// Component-wise product, such as albedo times light.
#[inline]
pub(crate) fn times(a: V3, b: V3) -> V3 {
    a.component_mul(&b)
}

/// Relative luminance of linear Rec. 709 RGB.
#[inline]
pub(crate) fn luminance(c: V3) -> f32 {
    0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z
}

/// Unit vector along `v`; straight up if `v` is zero (uniform density has no gradient).
#[inline(always)]
pub(crate) fn unit_or_up(v: V3) -> V3 {
    v.try_normalize(1e-9).unwrap_or_else(V3::y)
}

/// Converts a direction from world proportions to cell coordinates, with cells `tall` times as high
/// as wide; the result is not normalised.
#[inline(always)]
pub(crate) fn in_cells(direction: V3, tall: f32) -> V3 {
    v3(direction.x, direction.y / tall, direction.z)
}

/// Converts an offset from cell coordinates, with cells `tall` times as high as wide, to cell
/// widths.
#[inline(always)]
pub(crate) fn in_widths(way: V3, tall: f32) -> V3 {
    v3(way.x, way.y * tall, way.z)
}

/// Unit vector with compass direction `azimuth_deg` (0 north, 90 east) and elevation
/// `elevation_deg`, both in degrees.
pub(crate) fn direction(azimuth_deg: f32, elevation_deg: f32) -> V3 {
    let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
    v3(
        elevation.cos() * azimuth.sin(),
        elevation.sin(),
        -elevation.cos() * azimuth.cos(),
    )
}

/// Piecewise linear interpolation at `place` of `stops` (position and value each, ascending
/// positions); constant outside.
pub(crate) fn at_stops(stops: &[[f32; 2]], place: f32) -> f32 {
    let upper = stops.partition_point(|s| s[0] <= place);
    match (upper.checked_sub(1).map(|i| stops[i]), stops.get(upper)) {
        (Some(a), Some(b)) => lerp(a[1], b[1], (place - a[0]) / (b[0] - a[0])),
        (Some(last), None) => last[1],
        (None, Some(first)) => first[1],
        (None, None) => 0.0,
    }
}
