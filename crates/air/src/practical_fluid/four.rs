//! Four values of a cell packed together, so that values that are moved by the same shares are
//! processed at once.

use super::numbers::Quantity;

/// Four values of a cell: amounts of four fields, or the three velocity components and 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub(super) struct Four<Q>(pub(super) [Q; 4]);

impl<Q: Quantity> Quantity for Four<Q> {
    #[inline(always)]
    fn share(self, w: u32) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.share(w), b.share(w), c.share(w), d.share(w)])
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a.plus(e), b.plus(f), c.plus(g), d.plus(h)])
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a.minus(e), b.minus(f), c.minus(g), d.minus(h)])
    }
}

/// Packs the values `a`, `b`, `c` and `d` of four fields by cell, into `to`.
#[inline(always)]
pub(super) fn pack<Q: Quantity>(to: &mut [Four<Q>], [a, b, c, d]: [&[Q]; 4]) {
    let n = to.len();
    let (a, b, c, d) = (&a[..n], &b[..n], &c[..n], &d[..n]);
    for i in 0..n {
        to[i] = Four([a[i], b[i], c[i], d[i]]);
    }
}

/// Packs the velocity components `x`, `y` and `z` by cell, into `to`; the fourth value of a cell is
/// 0.
#[inline(always)]
pub(super) fn pack_velocity(to: &mut [Four<i32>], [x, y, z]: [&[i32]; 3]) {
    let n = to.len();
    let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
    for i in 0..n {
        to[i] = Four([x[i], y[i], z[i], 0]);
    }
}

/// Unpacks the four amounts of each cell into four fields.
#[inline(always)]
pub(super) fn unpack(
    a: &mut [u32],
    b: &mut [u32],
    c: &mut [u32],
    d: &mut [u32],
    from: &[Four<u32>],
) {
    let n = from.len();
    let (a, b, c, d) = (&mut a[..n], &mut b[..n], &mut c[..n], &mut d[..n]);
    for i in 0..n {
        [a[i], b[i], c[i], d[i]] = from[i].0;
    }
}

/// Unpacks the three velocity components of each cell into three arrays.
#[inline(always)]
pub(super) fn unpack_velocity(x: &mut [i32], y: &mut [i32], z: &mut [i32], from: &[Four<i32>]) {
    let n = from.len();
    let (x, y, z) = (&mut x[..n], &mut y[..n], &mut z[..n]);
    for i in 0..n {
        [x[i], y[i], z[i], _] = from[i].0;
    }
}
