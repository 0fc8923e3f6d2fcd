//! Mobility of a run of liquid whose cells have different viscosities, and the share of the flux
//! that passes in each cell.

use smallvec::SmallVec;

use crate::motion::soft_float::{SHARE_ONE, SoftFloat};

/// Number of fractional bits of fixed-point shares of the liquid's depth.
const PART: i32 = 28;

/// Mask of the 24 leading bits of a 32-bit share of the flux in the lower of two cells; a column's
/// summary stores no more.
const SHARE_BITS: u32 = !0xff;
const WHOLE: u64 = 1 << PART;

/// Returns the share `height / depth` in fixed point with [`PART`] fractional bits; 0 for a
/// negative height. `depth` must be positive, `height` less than 2^36.
#[inline]
pub(crate) fn part_of(height: i64, depth: i64) -> u64 {
    ((height.max(0) as u64) << PART) / depth as u64
}

#[inline]
fn product(a: u64, b: u64) -> u64 {
    (a * b) >> PART
}

/// Returns `fluidity` times the share `part`, which has [`PART`] fractional bits.
#[inline]
fn scaled(fluidity: SoftFloat, part: u64) -> SoftFloat {
    fluidity.times(SoftFloat::from_units(part)).shifted(-PART)
}

/// Returns the fluidity (mobility divided by the cube of the depth) of liquid in two cells with the
/// fluidities `lower` and `upper`, and the share of the flux in the lower cell (32 fractional
/// bits): the velocity profile `u' = (h − z)/η` integrated twice. `x`: share of the depth that lies
/// in the upper cell, with [`PART`] fractional bits.
#[inline]
pub(crate) fn two_layers([lower, upper]: [SoftFloat; 2], x: u64) -> (SoftFloat, u32) {
    let y = WHOLE - x.min(WHOLE);
    let cube = product(product(x, x), x);
    let square = product(y, y);
    let below = scaled(lower, (3 * square - product(square, y)) >> 1);
    let all = scaled(lower, WHOLE - cube).plus(scaled(upper, cube));
    (
        all,
        below.over(all).fixed(32, SHARE_ONE - 1) as u32 & SHARE_BITS,
    )
}

/// Returns the fluidity (mobility divided by the cube of the depth) of liquid in several cells with
/// the `fluidities`, from the bottom up. `above(i)`: share of the depth above cell `i`, with
/// [`PART`] fractional bits; `shares` receives for each cell the share of the flux below its top,
/// with 32 fractional bits.
pub(crate) fn layers(
    fluidities: impl ExactSizeIterator<Item = SoftFloat>,
    above: impl Fn(usize) -> u64,
    shares: &mut [u32],
) -> SoftFloat {
    let mut fluxes: SmallVec<[SoftFloat; 8]> = SmallVec::new();
    let (mut speed, mut sum, mut x) = (SoftFloat::ZERO, SoftFloat::ZERO, WHOLE);
    let last = fluidities.len() - 1;
    for (j, fluidity) in fluidities.enumerate() {
        let next = if j == last { 0 } else { above(j).min(x) };
        let (square, next_square) = (product(x, x), product(next, next));
        let cubes = product(square, x) - product(next_square, next);
        // Three times the flux of the layer: by the speed at its bottom, and by the speed gained
        // within.
        let bent = (3 * product(square, x - next)).saturating_sub(cubes) >> 1;
        sum = sum
            .plus(scaled(speed, 3 * (x - next)))
            .plus(scaled(fluidity, bent));
        speed = speed.plus(scaled(fluidity, (square - next_square) >> 1));
        fluxes.push(sum);
        x = next;
    }
    for (share, flux) in shares.iter_mut().zip(&fluxes) {
        *share = flux.over(sum).fixed(32, SHARE_ONE - 1) as u32;
    }
    sum
}
