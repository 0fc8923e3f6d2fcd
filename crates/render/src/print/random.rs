//! Low-discrepancy random numbers of a path: a function of the pixel, the number of the sample and
//! the dimension alone, so that pictures do not depend on the order in which paths are traced.
//!
//! Each pair of dimensions is a (0, 2)-sequence of Sobol with Owen's scrambling by hashes, shuffled
//! by the pixel and the pair's number (Burley, *Practical hash-based Owen scrambling*, 2020).

/// Random numbers of one path.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    /// Number of the sample in its pixel.
    index: u32,
    /// Hash of the pixel.
    pixel: u32,
    /// Number of the next pair of dimensions.
    pair: u32,
    /// State of the independent numbers of `Draws::free`.
    state: u32,
}

impl Draws {
    /// Returns the random numbers of the sample `index` in the pixel number `pixel`.
    pub(crate) fn new(pixel: u32, index: u32) -> Self {
        let pixel = mixed(pixel.wrapping_add(0x9e37_79b9));
        Self {
            index,
            pixel,
            pair: 0,
            state: mixed(pixel ^ mixed(index.wrapping_add(0x51ed_270b))),
        }
    }

    /// Returns the random numbers of a path that leaves this one. This one goes on as if there were
    /// none, so that its numbers stay stratified over the samples, however long the other is.
    pub(crate) fn apart(&self) -> Self {
        Self {
            pair: self.pair.wrapping_add(1 << 16),
            state: mixed(self.state ^ 0x2c1b_3c6d),
            ..*self
        }
    }

    /// Returns the next two numbers (0 to below 1), stratified together over the samples of the
    /// pixel.
    pub(crate) fn two(&mut self) -> [f32; 2] {
        let seed = mixed(self.pixel ^ self.pair.wrapping_mul(0x85eb_ca6b));
        self.pair += 1;
        let index = scrambled(self.index, seed);
        let [x, y] = sobol(index);
        [
            unit(scrambled(x, mixed(seed ^ 0x6c50_b47c))),
            unit(scrambled(y, mixed(seed ^ 0xb82f_1e52))),
        ]
    }

    /// Returns the next number (0 to below 1), stratified over the samples of the pixel.
    pub(crate) fn one(&mut self) -> f32 {
        self.two()[0]
    }

    /// Returns an independent number (0 to below 1), for loops of unknown length.
    pub(crate) fn free(&mut self) -> f32 {
        self.state = self
            .state
            .wrapping_mul(747_796_405)
            .wrapping_add(2_891_336_453);
        let word =
            ((self.state >> ((self.state >> 28) + 4)) ^ self.state).wrapping_mul(277_803_737);
        unit((word >> 22) ^ word)
    }
}

/// Returns the number (0 to below 1) of which `bits` are the binary digits.
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / (1 << 24) as f32)
}

/// Returns a hash of `x` in which each bit depends on all bits of `x`.
fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Returns the binary digits of the point `index` of the first two dimensions of Sobol's sequence.
fn sobol(index: u32) -> [u32; 2] {
    let (mut second, mut column, mut left) = (0, 1_u32 << 31, index);
    while left != 0 {
        if left & 1 != 0 {
            second ^= column;
        }
        column ^= column >> 1;
        left >>= 1;
    }
    [index.reverse_bits(), second]
}

/// Returns `x` with its binary digits flipped at random, each flip depending on the higher digits
/// only (Owen's scrambling). `seed` selects the scrambling.
fn scrambled(x: u32, seed: u32) -> u32 {
    let mut x = x.reverse_bits();
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(seed);
    x = x.wrapping_mul((seed >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_square_of_a_grid_gets_one_of_the_samples() {
        for pair in 0..5 {
            let mut seen = [false; 64];
            for index in 0..64 {
                let mut draws = Draws::new(17, index);
                let [x, y] = (0..=pair).map(|_| draws.two()).last().expect("a pair");
                let square = (x * 8.0) as usize + 8 * (y * 8.0) as usize;
                assert!(!seen[square], "pair {pair}: two samples in a square");
                seen[square] = true;
            }
        }
    }

    #[test]
    fn free_numbers_are_even() {
        let mut draws = Draws::new(3, 5);
        let mean = (0..20_000).map(|_| draws.free()).sum::<f32>() / 20_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
