//! Compares every operation of every instruction set with plain arithmetic.

use super::*;
use crate::random::mix64;

/// Creates pseudo-random lanes from `seed`, each at most `most`; the values 0, 1 and `most` are
/// frequent.
fn lanes(seed: u64, most: u16) -> Lanes {
    let mut to = Lanes::ZERO;
    for (i, lane) in to.0.iter_mut().enumerate() {
        let random = mix64(seed << 8 | i as u64);
        *lane = match random >> 60 {
            0 => 0,
            1 => most,
            2 => 1,
            _ => (random as u32 % (u32::from(most) + 1)) as u16,
        };
    }
    to
}

/// Checks that an operation on vectors equals the given scalar operation on each lane; in the mask
/// that `above` returns, bit i belongs to lane i.
macro_rules! agrees {
    ($name:ident, $most:expr, |$s:ident, $a:ident, $b:ident| $lanes:expr, |$x:ident, $y:ident, $i:ident| $plain:expr) => {
        #[test]
        fn $name() {
            struct Once<'a>(Lanes, Lanes, &'a mut Lanes);
            impl Work for Once<'_> {
                #[inline(always)]
                fn with<S: Simd>(self, $s: S) {
                    let ($a, $b) = ($s.load(&self.0), $s.load(&self.1));
                    let result = $lanes;
                    $s.store(self.2, result);
                }
            }
            for seed in 0..3000 {
                let ($x, $y) = (lanes(2 * seed, $most), lanes(2 * seed + 1, u16::MAX));
                for &level in Level::available() {
                    let mut output = Lanes([7; 32]);
                    level.run(Once($x, $y, &mut output));
                    for $i in 0..32_usize {
                        let expected: u16 = $plain;
                        assert_eq!(
                            output.0[$i], expected,
                            "{level:?}, lane {}, of {:?} and {:?}",
                            $i, $x, $y
                        );
                    }
                }
            }
        }
    };
}

const MASK: u32 = 0xa5c3_0f69;

agrees!(adds, u16::MAX, |s, a, b| s.add(a, b), |x, y, i| x.0[i]
    .wrapping_add(y.0[i]));
agrees!(
    adds_saturating,
    u16::MAX,
    |s, a, b| s.add_saturating(a, b),
    |x, y, i| x.0[i].saturating_add(y.0[i])
);
agrees!(subtracts, u16::MAX, |s, a, b| s.sub(a, b), |x, y, i| x.0[i]
    .wrapping_sub(y.0[i]));
agrees!(
    subtracts_saturating,
    u16::MAX,
    |s, a, b| s.sub_saturating(a, b),
    |x, y, i| x.0[i].saturating_sub(y.0[i])
);
agrees!(
    takes_the_smaller,
    u16::MAX,
    |s, a, b| s.min(a, b),
    |x, y, i| x.0[i].min(y.0[i])
);
agrees!(joins_bits, u16::MAX, |s, a, b| s.or(a, b), |x, y, i| x.0[i]
    | y.0[i]);
agrees!(
    multiplies_high,
    u16::MAX,
    |s, a, b| s.mul_high(a, b),
    |x, y, i| ((u32::from(x.0[i]) * u32::from(y.0[i])) >> 16) as u16
);
agrees!(
    multiplies_low,
    u16::MAX,
    |s, a, b| s.mul_low(a, b),
    |x, y, i| x.0[i].wrapping_mul(y.0[i])
);
agrees!(
    shifts_left,
    u16::MAX,
    |s, a, b| s.or(s.left::<2>(a), s.keep(b, 0)),
    |x, _y, i| x.0[i] << 2
);
agrees!(
    shifts_right,
    u16::MAX,
    |s, a, b| s.or(s.right::<14>(a), s.keep(b, 0)),
    |x, _y, i| x.0[i] >> 14
);
agrees!(
    keeps,
    u16::MAX,
    |s, a, b| s.or(s.keep(a, MASK), s.keep(b, 0)),
    |x, _y, i| { if MASK >> i & 1 == 1 { x.0[i] } else { 0 } }
);
agrees!(
    compares,
    u16::MAX,
    |s, a, b| s.keep(s.splat(9), s.above(a, b)),
    |x, y, i| if x.0[i] > y.0[i] { 9 } else { 0 }
);
agrees!(
    finds_any,
    1,
    |s, a, b| s.splat(u16::from(s.any(s.keep(s.keep(a, 0x8000_0001), 1 << 31))) + s.any(b) as u16),
    |x, y, _i| { u16::from(x.0[31] > 0) + u16::from(y.0.iter().any(|&v| v > 0)) }
);
agrees!(
    looks_west,
    u16::MAX,
    |s, a, b| s.see_west(a, b),
    |x, y, i| if i % 8 == 0 { y.0[i + 7] } else { x.0[i - 1] }
);
agrees!(
    looks_east,
    u16::MAX,
    |s, a, b| s.see_east(a, b),
    |x, y, i| if i % 8 == 7 { y.0[i - 7] } else { x.0[i + 1] }
);
agrees!(
    looks_north,
    u16::MAX,
    |s, a, b| s.see_north(a, b),
    |x, y, i| if i < 8 { y.0[i + 24] } else { x.0[i - 8] }
);
agrees!(
    looks_south,
    u16::MAX,
    |s, a, b| s.see_south(a, b),
    |x, y, i| if i >= 24 { y.0[i - 24] } else { x.0[i + 8] }
);
agrees!(
    divides,
    u16::MAX,
    |s, a, b| s.keep(s.ratio(a, b), s.above(a, s.splat(0))),
    |x, y, i| match x.0[i] {
        0 => 0,
        amount => ((u32::from(y.0[i]) << 14) / u32::from(amount)).min(65535) as u16,
    }
);

/// Tests `ratio` with quotients next to whole numbers, where a rounding error would show.
#[test]
fn divides_next_to_whole_numbers() {
    struct Once<'a>(Lanes, Lanes, &'a mut Lanes);
    impl Work for Once<'_> {
        #[inline(always)]
        fn with<S: Simd>(self, s: S) {
            let ratio = s.ratio(s.load(&self.0), s.load(&self.1));
            s.store(self.2, ratio);
        }
    }
    for amount in 1..=1_u32 << 15 {
        let mut energies = Lanes::ZERO;
        for (i, energy) in energies.0.iter_mut().enumerate() {
            let whole = mix64(u64::from(amount) << 5 | i as u64) as u32 & 0xffff;
            *energy = ((u64::from(whole) * u64::from(amount)) >> 14).min(65535) as u16;
            *energy = energy.saturating_add((i & 1) as u16);
        }
        for &level in Level::available() {
            let mut output = Lanes::ZERO;
            level.run(Once(Lanes([amount as u16; 32]), energies, &mut output));
            for (ratio, energy) in output.0.iter().zip(energies.0) {
                let expected = ((u32::from(energy) << 14) / amount).min(65535);
                assert_eq!(
                    u32::from(*ratio),
                    expected,
                    "{level:?}: {energy} / {amount}"
                );
            }
        }
    }
}

/// Tests that `blend` equals the portable code bit for bit, because pictures must not depend on the
/// processor.
#[test]
fn blends_between_eight_corners() {
    struct Once<'a>([[u8; 8]; 4], [f32; 3], &'a mut [f32; 4]);
    impl Work for Once<'_> {
        #[inline(always)]
        fn with<S: Simd>(self, s: S) {
            let [a, b, c, d] = &self.0;
            *self.2 = s.blend([a, b, c, d], self.1);
        }
    }
    for seed in 0..3000 {
        let rows: [[u8; 8]; 4] =
            std::array::from_fn(|row| mix64(seed << 4 | row as u64).to_le_bytes());
        let place: [f32; 3] = std::array::from_fn(|axis| {
            (mix64(seed << 4 | 8 | axis as u64) >> 40) as f32 / (1 << 24) as f32
        });
        let corner = |i: usize, [x, y, z]: [usize; 3]| f64::from(rows[y + 2 * z][4 * x + i]);
        let weight = |side: usize, place: f32| {
            if side == 1 {
                f64::from(place)
            } else {
                1.0 - f64::from(place)
            }
        };
        let exact: [f64; 4] = std::array::from_fn(|i| {
            let corners = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2]);
            corners
                .map(|at| {
                    (0..3)
                        .map(|axis| weight(at[axis], place[axis]))
                        .product::<f64>()
                        * corner(i, at)
                })
                .sum()
        });
        let mut first = None;
        for &level in Level::available() {
            let mut output = [0.0; 4];
            level.run(Once(rows, place, &mut output));
            assert!(
                output
                    .iter()
                    .zip(exact)
                    .all(|(a, b)| (f64::from(*a) - b).abs() < 1e-3),
                "{level:?}: {output:?}"
            );
            assert_eq!(
                *first.get_or_insert(output.map(f32::to_bits)),
                output.map(f32::to_bits),
                "{level:?}"
            );
        }
    }
}

/// Tests that `between_slopes` equals the portable code bit for bit, also far from the origin and
/// at coordinates where integers wrap around.
#[test]
fn blends_between_the_slopes_of_eight_corners() {
    struct Once<'a>([i32; 3], [f32; 3], [f32; 3], &'a mut f32);
    impl Work for Once<'_> {
        #[inline(always)]
        fn with<S: Simd>(self, s: S) {
            *self.3 = s.between_slopes(self.0, self.1, self.2);
        }
    }
    for seed in 0..3000 {
        let share = |k: u64| (mix64(seed << 4 | k) >> 40) as f32 / (1 << 24) as f32;
        let whole: [i32; 3] = std::array::from_fn(|axis| match seed {
            0 => i32::MAX,
            1 => i32::MIN,
            _ => (mix64(seed << 4 | (12 + axis as u64)) as i32) >> (seed % 32),
        });
        let (place, weights) = ([0, 1, 2].map(share), [3, 4, 5].map(share));
        let values = Level::available().iter().map(|level| {
            let mut value = 0.0;
            level.run(Once(whole, place, weights, &mut value));
            assert!(value.abs() <= 3.0, "{level:?}: {value}");
            value.to_bits()
        });
        let values: Vec<u32> = values.collect();
        assert!(
            values.iter().all(|value| *value == values[0]),
            "{whole:?}, {place:?}: {values:?}"
        );
    }
}
