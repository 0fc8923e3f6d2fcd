//! Density correction for thin falling liquid (streams, drops and curtains thinner than the
//! kernel), which the low-pass would erase.
//!
//! The low-pass leaves a quarter of the density of a stream one cell wide and an eighth of a drop:
//! no surface at 1/2 is left. Falling liquid has empty cells below, whereas the layer over a pool
//! or over rock lies on a support and is shown by its level:
//!
//! ```text
//!      ▒         held below: 0 to 1/2   a surface of its own, as wide as its amount says
//!      ▒
//!   ▒▒▒▒▒▒▒▒     held below: 1          the low-pass alone
//!   ████████
//! ```
//!
//! **Decided:** a cell of amount a gets the density p = 1 / (2 − 2 s), s = √(a / 2), 1/2 at most.
//! Between this cell and empty cells on all sides, density is p (1 − |x|) (1 − |z|), and the level
//! 1/2 encloses 2 s² + 2/3 s³ + … of a cell's area: about a. This area goes to zero with the
//! amount, and the weight of p goes to zero as the cells below fill.
//!
//! A drop, with nothing around, stands for a shower of smaller drops. It is drawn as a streak:
//! thinner than its amount, and down through the cell below.

use super::clear::ONE;

/// Filled fraction of the nine cells below, in units of 1/[`ONE`], up to which a liquid counts as
/// falling (first element), and from which on it counts as supported (second element).
const CARRIED: [u32; 2] = [ONE / 2, ONE / 5 * 4];

/// Width factor of the streak that stands for a drop: the streak is as wide as a stream with the
/// amount `STREAK` × √amount (amounts in full cells), so that small drops stay visible.
const STREAK: f32 = 0.1;
/// Tolerance of the test for a drop, as numerator and denominator (7/5): a cell counts as a drop if
/// its low-passed value is at most this factor times that of an isolated drop. The value at the end
/// of a stream is larger.
const ALONE: [u32; 2] = [7, 5];

/// Lookup tables of density (0 to 255) by amount (0 to 255; 255: full cell), for streams and for
/// the streaks of drops.
pub(super) struct Thin {
    streams: [u8; 256],
    streaks: [u8; 256],
}

impl Default for Thin {
    fn default() -> Self {
        let by_amount = |wide: fn(f32) -> f32| {
            std::array::from_fn(|amount| {
                let across = (0.5 * wide(amount as f32 / 255.0)).sqrt().min(0.5);
                (255.0 / (2.0 - 2.0 * across)).round() as u8
            })
        };
        Self {
            streams: by_amount(|amount| amount),
            streaks: by_amount(|amount| STREAK * amount.sqrt()),
        }
    }
}

impl Thin {
    /// Returns the corrected density (0 to 255) of a cell with liquid. `value`: low-passed density
    /// of the cell; `amount`: amount in the cell; `below`: filled fraction of the nine cells below;
    /// `amount` and `below` in units of 1/[`ONE`].
    #[inline]
    pub(super) fn value(&self, value: u8, amount: u32, below: u32) -> u8 {
        // The kernel leaves an eighth of an isolated drop in its own cell.
        let lists = if is_drop(value, amount, 8) {
            &self.streaks
        } else {
            &self.streams
        };
        falling(value, lists[byte(amount)], below)
    }

    /// Returns the corrected density (0 to 255) of an empty cell below a cell with liquid. `value`:
    /// low-passed density of the cell; `above`: amount in the cell above; `here`: filled fraction
    /// of the nine cells at this height; `above` and `here` in units of 1/[`ONE`].
    #[inline]
    pub(super) fn value_under(&self, value: u8, above: u32, here: u32) -> u8 {
        // The kernel leaves a sixteenth of an isolated drop in the cell below.
        if is_drop(value, above, 16) {
            falling(value, self.streaks[byte(above)], here)
        } else {
            value
        }
    }
}

fn byte(amount: u32) -> usize {
    (amount * 255 / ONE).min(255) as usize
}

/// Returns true if `value`, the low-passed density of a cell (0 to 255), is at most `ALONE` times
/// that of an isolated drop of `amount` (in units of 1/`ONE`). `left`: the kernel leaves 1/`left`
/// of the drop's amount in this cell.
fn is_drop(value: u8, amount: u32, left: u32) -> bool {
    let [most, of] = ALONE;
    u32::from(value) * left * ONE / 255 * of <= most * amount
}

/// Returns the density (0 to 255) of a liquid between supported and falling: `value` if supported,
/// the larger of `value` and `alone` if falling. `below`: filled fraction of the nine cells below,
/// in units of 1/`ONE`.
fn falling(value: u8, alone: u8, below: u32) -> u8 {
    if alone <= value {
        return value;
    }
    let [falling, carried] = CARRIED;
    let share = carried - below.clamp(falling, carried);
    value + (u32::from(alone - value) * share / (carried - falling)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_in_the_air_encloses_its_amount() {
        let thin = Thin::default();
        for amount in [0.05, 0.1, 0.2, 0.3, 0.5] {
            let quarter = (amount * 255.0 / 4.0) as u8;
            let peak = f64::from(thin.value(quarter, (amount * f64::from(ONE)) as u32, 0)) / 255.0;
            // Midpoints of a fine grid over the quarter of a cell's surroundings.
            let places = (0..400).flat_map(|i| (0..400).map(move |j| (f64::from(i), f64::from(j))));
            let enclosed = places.filter(|(x, z)| {
                peak * (1.0 - (x + 0.5) / 400.0) * (1.0 - (z + 0.5) / 400.0) > 0.5
            });
            let area = 4.0 * enclosed.count() as f64 / 160_000.0;
            assert!(
                (area - amount).abs() < 0.02 + 0.25 * amount,
                "{amount}: {area}"
            );
        }
    }

    #[test]
    fn a_drop_alone_is_a_streak_of_two_cells() {
        let thin = Thin::default();
        let (streak, stream) = (thin.value(255 / 8, ONE, 0), thin.value(255 / 4, ONE, 0));
        assert!(
            streak > 127 && streak < stream,
            "a surface, thinner than a stream's: {streak} and {stream}"
        );
        assert_eq!(thin.value_under(255 / 16, ONE, 0), streak);
        assert_eq!(
            thin.value_under(255 / 16, ONE, ONE),
            255 / 16,
            "on what carries it"
        );
        assert_eq!(
            thin.value_under(255 / 8, ONE, 0),
            255 / 8,
            "with more around it"
        );
    }

    #[test]
    fn the_share_of_falling_matter_rises_and_falls_without_a_step() {
        let thin = Thin::default();
        let amounts = || (1..=100).map(|percent| percent * ONE / 100);
        assert!(
            amounts().all(|amount| thin.value(0, amount, ONE / 2) > 127),
            "there is a surface"
        );
        assert!(
            amounts().all(|amount| thin.value(70, amount, ONE * 4 / 5) == 70),
            "what is carried stays"
        );
        let values: Vec<u8> = (50..=80)
            .map(|below| thin.value(20, ONE / 2, below * ONE / 100))
            .collect();
        assert!(
            values
                .windows(2)
                .all(|pair| pair[0] >= pair[1] && pair[0] - pair[1] < 12),
            "{values:?}"
        );
    }
}
