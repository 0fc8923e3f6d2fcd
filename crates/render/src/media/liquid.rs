//! Optical properties of clear liquids: water absorbs red first, then green; coloured liquids absorb
//! every colour except their own.

use crate::math::{V3, times};
use lavoxel_automaton::view::MaterialLook;

// Look constants are chosen by eye.

/// Absorption of water per cell length for red, green and blue, at the usual depth setting of its
/// look; the transmittance is exp(−absorption · length).
const ABSORBED: V3 = V3::new(0.35, 0.07, 0.045);
/// Path length in cells through a coloured liquid after which white light has the liquid's colour.
const COLORED: f32 = 4.0;
/// Bounds to which a channel of a liquid's colour (0 to 1) is clamped before its logarithm gives
/// the absorption, which keeps the absorption finite and above 0.
const KEPT: [f32; 2] = [0.01, 0.98];
/// Reflectance of a deep body of coloured liquid for skylight, relative to its colour.
const SENT_BACK: f32 = 0.28;
/// Reflectance of a deep body of coloured liquid for lava light, relative to its colour.
const SENT_BACK_OF_LAVA: f32 = 0.05;
/// Reflectance of a deep body of milky liquid for skylight and lava light, relative to its colour.
const MILKY: f32 = 0.5;
/// Lower bound of the transmittance of one cell length of a milky liquid.
const LEAST_PASSED: f32 = 0.01;
/// Reflectance of deep water for skylight, linear RGB.
const DEEP: V3 = V3::new(0.01, 0.09, 0.11);
/// Reflectance of deep water for lava light, linear RGB. Redder than [`DEEP`], because the light
/// comes from near the surface, where depth has not yet absorbed the red.
const WARMED: V3 = V3::new(0.015, 0.028, 0.018);

/// Optical properties of a clear liquid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Liquid {
    /// Absorption per cell length for red, green and blue; the transmittance is exp(−absorption ·
    /// length).
    pub absorbed: V3,
    /// Reflectance of a very deep body of the liquid for skylight, linear RGB.
    pub deep: V3,
    /// Reflectance of a very deep body of the liquid for lava light, linear RGB.
    pub warmed: V3,
}

impl Liquid {
    /// Properties of a medium that is not translucent, used as placeholder.
    pub(crate) const NONE: Self = Self {
        absorbed: V3::new(0.0, 0.0, 0.0),
        deep: V3::new(0.0, 0.0, 0.0),
        warmed: V3::new(0.0, 0.0, 0.0),
    };

    /// Returns the optical properties of a liquid with the look `look`.
    pub fn from_look(look: &MaterialLook) -> Self {
        let color = V3::from(look.linear_color());
        let clear = match look.color {
            None => Self {
                absorbed: ABSORBED * look.depth,
                deep: DEEP,
                warmed: WARMED,
            },
            Some(_) => Self {
                absorbed: color.map(|kept| -kept.clamp(KEPT[0], KEPT[1]).ln())
                    * (look.depth / COLORED),
                deep: color * SENT_BACK,
                warmed: color * SENT_BACK_OF_LAVA,
            },
        };
        if look.clear >= 1.0 {
            return clear;
        }
        // Light scattered by a milky liquid comes back in its colour, in proportion to the
        // scattering's share of the extinction.
        let scattered = -look.clear.max(LEAST_PASSED).ln();
        let share = clear
            .absorbed
            .map(|absorbed| scattered / (absorbed + scattered));
        let toward = |from: V3| from + times(color * MILKY - from, share);
        Self {
            absorbed: clear.absorbed.add_scalar(scattered),
            deep: toward(clear.deep),
            warmed: toward(clear.warmed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn liquid(color: Option<&str>, clear: f32) -> Liquid {
        Liquid::from_look(&MaterialLook {
            color: color.map(str::to_owned),
            clear,
            ..MaterialLook::default()
        })
    }

    #[test]
    fn white_light_has_the_colour_of_a_liquid_after_four_cells() {
        let oil = liquid(Some("#c88a1c"), 1.0);
        let kept = (oil.absorbed * -COLORED).map(f32::exp);
        let color = V3::from(
            MaterialLook {
                color: Some("#c88a1c".into()),
                ..MaterialLook::default()
            }
            .linear_color(),
        );
        assert!(
            (kept - color).abs().max() < 1e-2,
            "{kept:?} instead of {color:?}"
        );
        assert!(oil.deep.x > oil.deep.y && oil.deep.y > oil.deep.z);
        assert_eq!(
            liquid(None, 1.0),
            Liquid {
                absorbed: ABSORBED,
                deep: DEEP,
                warmed: WARMED
            },
            "water is as it was"
        );
    }

    #[test]
    fn a_milky_liquid_hides_more_and_sends_back_its_colour() {
        let liquids = [1.0, 0.9, 0.5, 0.0].map(|clear| liquid(Some("#e8e0d0"), clear));
        for pair in liquids.windows(2) {
            assert!(
                pair[0].absorbed.min() < pair[1].absorbed.min()
                    && pair[0].deep.min() < pair[1].deep.min()
            );
        }
    }

    #[test]
    fn depth_takes_the_red_first() {
        assert!(ABSORBED.x > ABSORBED.y && ABSORBED.y > ABSORBED.z);
    }
}
