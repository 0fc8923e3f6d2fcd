//! Shares of the cells of a block in an advection pass, computed for all cells at once.

use super::ground::SolidBits;
use super::numbers::WHOLE;

/// Number of consecutive cells that are processed at once; every row of a field consists of whole
/// blocks.
pub(super) const BLOCK: usize = 16;

/// Number of other cells to which a cell gives shares in an advection pass, or from which a cell
/// takes shares. Order: x, z, xz, y, xy, yz, xyz, named by the axes along which the other cell is
/// offset by one cell.
pub(super) const CORNERS: usize = 7;

/// Returns the block of cells of a field that starts at index `at`.
#[inline(always)]
pub(super) fn block<T>(plane: &[T], at: usize) -> &[T; BLOCK] {
    plane[at..].first_chunk().expect("rows have whole blocks")
}

/// Shares that each cell of a block gives to the cells downstream in the forward pass, or takes
/// from the cells upstream in the reverse pass.
pub(super) struct Shares {
    corners: [[u32; BLOCK]; CORNERS],
    /// Share that stays in each cell of the block, 2¹⁵ = 1.
    pub(super) home: [u32; BLOCK],
    /// Offset along x, y and z, for each cell, of the cells that exchange shares with the cell: −1
    /// if they lie in the negative direction, else 0.
    back: [[i32; BLOCK]; 3],
}

impl Shares {
    /// Computes the shares of the block that starts at index `at`, for the reverse pass if `ASK` is
    /// true, else for the forward pass; `None` if all cells of the block are at rest. `is_rough`: a
    /// neighbour of some cell may be solid.
    #[inline(always)]
    pub(super) fn new<const ASK: bool>(
        motion: &[Vec<i32>; 3],
        ground: &SolidBits,
        (at, strides, is_rough): (usize, [usize; 3], bool),
    ) -> Option<Self> {
        let velocity = [
            block(&motion[0], at),
            block(&motion[1], at),
            block(&motion[2], at),
        ];
        if is_still(velocity) {
            return None;
        }
        let low = [
            block(&ground.low[0], at),
            block(&ground.low[1], at),
            block(&ground.low[2], at),
        ];
        let [x, y, z] = [at + strides[0], at + strides[1], at + strides[2]];
        let high = [
            block(&ground.low[0], x),
            block(&ground.low[1], y),
            block(&ground.low[2], z),
        ];
        let mut shares = Self::weigh::<ASK>(velocity, low, high);
        if is_rough {
            shares.keep_open(block(&ground.around, at));
        }
        shares.keep();
        Some(shares)
    }

    /// Computes the shares from the velocities and the open shares of the lower and upper faces.
    /// Products of x and z come first, so that exchanging x and z gives the same bits.
    #[inline(always)]
    fn weigh<const ASK: bool>(
        velocity: [&[i32; BLOCK]; 3],
        low: [&[u16; BLOCK]; 3],
        high: [&[u16; BLOCK]; 3],
    ) -> Self {
        let mut shares = Self {
            corners: [[0; BLOCK]; CORNERS],
            home: [WHOLE; BLOCK],
            back: [[0; BLOCK]; 3],
        };
        for i in 0..BLOCK {
            let (x, back_x) = fraction::<ASK>(velocity[0][i], low[0][i], high[0][i]);
            let (y, back_y) = fraction::<ASK>(velocity[1][i], low[1][i], high[1][i]);
            let (z, back_z) = fraction::<ASK>(velocity[2][i], low[2][i], high[2][i]);
            let xz = x.wrapping_mul(z) >> 15;
            let (to_x, to_z) = (x.wrapping_sub(xz), z.wrapping_sub(xz));
            let stays = WHOLE.wrapping_sub(x).wrapping_sub(to_z);
            let level = WHOLE.wrapping_sub(y);
            shares.corners[0][i] = to_x.wrapping_mul(level) >> 15;
            shares.corners[1][i] = to_z.wrapping_mul(level) >> 15;
            shares.corners[2][i] = xz.wrapping_mul(level) >> 15;
            shares.corners[3][i] = stays.wrapping_mul(y) >> 15;
            shares.corners[4][i] = to_x.wrapping_mul(y) >> 15;
            shares.corners[5][i] = to_z.wrapping_mul(y) >> 15;
            shares.corners[6][i] = xz.wrapping_mul(y) >> 15;
            shares.back[0][i] = back_x;
            shares.back[1][i] = back_y;
            shares.back[2][i] = back_z;
        }
        shares
    }

    /// Sets the shares that would go to solid cells to 0, by the bits `around` of each cell, see
    /// [`SolidBits::around`].
    #[inline(always)]
    fn keep_open(&mut self, around: &[u32; BLOCK]) {
        for (i, around) in around.iter().enumerate() {
            // The middle bit (13) is that of the cell itself.
            let (x, y, z) = (
                1 + 2 * self.back[0][i],
                3 + 6 * self.back[1][i],
                9 + 18 * self.back[2][i],
            );
            self.corners[2][i] &= 0u32.wrapping_sub(around >> (13 + x + z) & 1);
            self.corners[4][i] &= 0u32.wrapping_sub(around >> (13 + x + y) & 1);
            self.corners[5][i] &= 0u32.wrapping_sub(around >> (13 + y + z) & 1);
            self.corners[6][i] &= 0u32.wrapping_sub(around >> (13 + x + y + z) & 1);
        }
    }

    /// Computes the share of each cell that stays in the cell.
    #[inline(always)]
    fn keep(&mut self) {
        let [a, b, c, d, e, f, g] = &self.corners;
        for i in 0..BLOCK {
            let moves = (a[i] + b[i]) + (c[i] + d[i]) + (e[i] + f[i]) + g[i];
            self.home[i] = WHOLE.wrapping_sub(moves);
        }
    }

    /// Shares of the cell with index `cell` (0–15) in the block for the seven other cells, in their
    /// order.
    #[inline(always)]
    pub(super) fn share(&self, cell: usize) -> [u32; CORNERS] {
        let [a, b, c, d, e, f, g] = &self.corners;
        [
            a[cell], b[cell], c[cell], d[cell], e[cell], f[cell], g[cell],
        ]
    }

    /// Indices of the seven other cells for the cell with index `cell` (0–15) in the block; `home`
    /// is the index of the cell itself in the field.
    #[inline(always)]
    pub(super) fn there(&self, cell: usize, home: usize, strides: [usize; 3]) -> [usize; CORNERS] {
        let [x, y, z] = [
            self.back[0][cell] as usize,
            self.back[1][cell] as usize,
            self.back[2][cell] as usize,
        ];
        let (x, y) = (
            (strides[0] ^ x).wrapping_sub(x),
            (strides[1] ^ y).wrapping_sub(y),
        );
        let z = (strides[2] ^ z).wrapping_sub(z);
        let (by_x, by_z, by_y) = (
            home.wrapping_add(x),
            home.wrapping_add(z),
            home.wrapping_add(y),
        );
        let by_xz = by_x.wrapping_add(z);
        [
            by_x,
            by_z,
            by_xz,
            by_y,
            by_x.wrapping_add(y),
            by_z.wrapping_add(y),
            by_xz.wrapping_add(y),
        ]
    }
}

/// Returns true if the velocity of every cell of a block is 0.
#[inline(always)]
fn is_still([x, y, z]: [&[i32; BLOCK]; 3]) -> bool {
    let mut all = 0;
    for i in 0..BLOCK {
        all |= x[i] | y[i] | z[i];
    }
    all == 0
}

/// Displacement of a cell's contents along an axis in half a step, as a share of a cell (2¹⁵ = 1)
/// scaled by the open share of the face that is crossed; and −1 if the other cell lies in the
/// negative direction, else 0. `low`, `high`: open shares of the cell's faces.
#[inline(always)]
fn fraction<const ASK: bool>(velocity: i32, low: u16, high: u16) -> (u32, i32) {
    let back = if ASK {
        -i32::from(velocity > 0)
    } else {
        velocity >> 31
    };
    // Both faces are read and one is masked out: a choice between two places in memory would not be
    // vectorised.
    let open = u32::from(low) & back as u32 | u32::from(high) & !back as u32;
    (
        (velocity.unsigned_abs() >> 6).min(WHOLE).wrapping_mul(open) >> 15,
        back,
    )
}
