//! Loops of the advection sweeps over one row of cells or faces.

use super::super::forces::signed;
use super::super::velocity::half_slope;

/// Smallest volume of the air in a cell between sweeps (1 is a full cell), by which amounts are
/// divided.
const LEAST: f32 = 0.0625;

/// Inputs for the fluxes through a row of faces: values of the two cells at each face (before and
/// after), and Courant numbers of the face before, the face itself and the face after.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    pub content: [&'a [f32]; 2],
    pub slope: [&'a [f32]; 2],
    pub inverse: [&'a [f32]; 2],
    pub units: [&'a [u32]; 2],
    pub courant: [&'a [f32]; 3],
}

/// Returns true if all amounts of a row of cells are 0.
#[inline(always)]
pub(super) fn is_empty(units: &[u32]) -> bool {
    let mut any = 0;
    for units in units {
        any |= units;
    }
    any == 0
}

/// Computes concentrations: amount `units` times `inverse` volume.
#[inline(always)]
pub(super) fn contents(out: &mut [f32], units: &[u32], inverse: &[f32]) {
    let n = out.len();
    let (units, inverse) = (&units[..n], &inverse[..n]);
    for i in 0..n {
        out[i] = signed(units[i]) as f32 * inverse[i];
    }
}

/// Computes half the limited slope of the concentration in each cell, from the cells `before`,
/// `here` and `after`.
#[inline(always)]
pub(super) fn slopes(out: &mut [f32], [before, here, after]: [&[f32]; 3]) {
    let n = out.len();
    let (before, here, after) = (&before[..n], &here[..n], &after[..n]);
    for i in 0..n {
        out[i] = half_slope(here[i] - before[i], after[i] - here[i]);
    }
}

/// Computes the amounts, in units of 2⁻²⁰, that pass each face in the direction of the axis: the
/// share of the donor cell's amount that the sweep moves over the face, at most the donor cell's
/// amount (half the amount if the cell gives on both sides) and at most half the room in the
/// receiving cell.
#[inline(always)]
pub(super) fn fluxes(out: &mut [i32], of: &Beside<'_>) {
    let n = out.len();
    let ([a0, a1], [s0, s1]) = (of.content, of.slope);
    let ([v0, v1], [q0, q1], [before, here, after]) = (of.inverse, of.units, of.courant);
    let (a0, a1, s0, s1) = (&a0[..n], &a1[..n], &s0[..n], &s1[..n]);
    let (v0, v1, q0, q1) = (&v0[..n], &v1[..n], &q0[..n], &q1[..n]);
    let (before, here, after) = (&before[..n], &here[..n], &after[..n]);
    for i in 0..n {
        // All values are read before one is chosen: a choice between places in memory would not be
        // vectorised.
        let (c, c0, c2) = (here[i], before[i], after[i]);
        let (a0, a1, s0, s1, v0, v1) = (a0[i], a1[i], s0[i], s1[i], v0[i], v1[i]);
        let (below, above) = (signed(q0[i]), signed(q1[i]));
        let up = c > 0.0;
        let content = if up { a0 } else { a1 };
        let slope = if up { s0 } else { -s1 };
        let inverse = if up { v0 } else { v1 };
        let rest = 1.0 - c.abs() * inverse;
        let rest = if rest > 0.0 { rest } else { 0.0 };
        let share = nearest(c * (content + slope * rest));
        let giving = if up { below } else { above };
        let taking = if up { above } else { below };
        let other = if up { -c0 } else { c2 };
        let giving = if other > 0.0 { giving >> 1 } else { giving };
        let room = (i32::MAX - taking) >> 1;
        let most = if giving < room { giving } else { room };
        let share = if share < most { share } else { most };
        out[i] = if share > -most { share } else { -most };
    }
}

/// Returns the integer nearest to `v`, clamped to ± 2³⁰. A plain cast would check for NaN and not
/// be vectorised.
#[inline(always)]
fn nearest(v: f32) -> i32 {
    /// Constant 1.5 · 2²³: a sum with this constant has no binary digits after the point, so that
    /// the addition rounds to an integer.
    const WHOLE: f32 = 12_582_912.0;
    /// Bound of the magnitude to which values are clamped: 2³⁰.
    const MOST: f32 = 1_073_741_824.0;
    let v = if v < MOST { v } else { MOST };
    let v = if v > -MOST { v } else { -MOST };
    let high = v * (1.0 / 65536.0) + WHOLE;
    let low = (v - (high - WHOLE) * 65536.0) + WHOLE;
    // No closure: it would be compiled without the instruction set that was selected at run time.
    let high = (high.to_bits() as i32).wrapping_sub(WHOLE.to_bits() as i32);
    let low = (low.to_bits() as i32).wrapping_sub(WHOLE.to_bits() as i32);
    (high << 16).wrapping_add(low)
}

/// Adds the fluxes `low` through the lower faces to the amounts `units`, and subtracts the fluxes
/// `high` through the upper faces.
#[inline(always)]
pub(super) fn pass(units: &mut [u32], low: &[i32], high: &[i32]) {
    let n = units.len();
    let (low, high) = (&low[..n], &high[..n]);
    for i in 0..n {
        units[i] = units[i]
            .wrapping_add(low[i] as u32)
            .wrapping_sub(high[i] as u32);
    }
}

/// Computes the Courant number of each face: share of a cell's volume that passes the face in
/// `time` steps. `speed`: velocities on the faces in cells per step; `open`: open shares of the
/// faces, `None` if all faces are fully open.
#[inline(always)]
pub(super) fn courants(out: &mut [f32], speed: &[f32], open: Option<&[f32]>, time: f32) {
    let n = out.len();
    let speed = &speed[..n];
    match open {
        Some(open) => {
            let open = &open[..n];
            for i in 0..n {
                out[i] = time * speed[i] * open[i];
            }
        }
        None => {
            for i in 0..n {
                out[i] = time * speed[i];
            }
        }
    }
}

/// Updates the volumes of the air in a row of cells after a sweep, from the Courant numbers `low`
/// and `high` of the lower and upper faces; in the first sweep (`is_first`) all volumes were 1
/// before.
#[inline(always)]
pub(super) fn volumes(volume: &mut [f32], low: &[f32], high: &[f32], is_first: bool) {
    let n = volume.len();
    let (low, high) = (&low[..n], &high[..n]);
    for i in 0..n {
        let before = if is_first { 1.0 } else { volume[i] };
        let after = before + (low[i] - high[i]);
        volume[i] = if after > LEAST { after } else { LEAST };
    }
}

#[inline(always)]
pub(super) fn reciprocals(out: &mut [f32], from: &[f32]) {
    let n = out.len();
    let from = &from[..n];
    for i in 0..n {
        out[i] = 1.0 / from[i];
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_whole_number_is_found_without_a_cast() {
        for v in [
            0.0, 0.49, -0.49, 0.51, 1.0, -1.5, 2.5, 65535.5, 65536.0, 1e6, -7654321.0, 1.6e7,
            9.9e8, -1.07e9,
        ] {
            let v: f32 = v;
            assert!(
                (f64::from(nearest(v)) - f64::from(v)).abs() <= 0.5,
                "{v}: {}",
                nearest(v)
            );
        }
        assert_eq!(
            [1e30, f32::INFINITY, -1e30].map(nearest),
            [1 << 30, 1 << 30, -(1 << 30)]
        );
    }
}
