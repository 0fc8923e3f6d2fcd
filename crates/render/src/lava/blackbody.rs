//! Black-body colours: Planck's law integrated over the CIE standard observer.
//!
//! Spectral radiance is weighted with the CIE 1931 2° colour-matching functions (the multi-lobe fit
//! of Wyman, Sloan and Shirley, 2013) and converted to linear Rec. 709 RGB. Pictures deviate from
//! physics in two ways, both in this file and nowhere else:
//!
//! * **White balance.** Basalt at 1000–1480 K is a very deep red on a daylight-balanced screen,
//!   while an eye that has adapted to its light, and every photograph, shows orange and yellow. For
//!   a temperature T the table is read at `1.35 T + 250 K`.
//! * **Luminance.** Radiance spans five decades over that range. [`BlackBody::shown`] keeps the hue
//!   and compresses the luminance with a power, as a local exposure would.

use crate::math::{V3, luminance, smoothstep, v3};

/// Temperature of the first entry of the black-body table, in kelvin.
const COLDEST_K: f32 = 500.0;
/// Temperature of the last entry of the black-body table, in kelvin.
const HOTTEST_K: f32 = 3500.0;
/// Number of entries of the black-body table.
// Steps of 5 K: 1 + (3500 − 500) / 5.
const ENTRIES: usize = 601;
/// Temperature in kelvin whose displayed luminance is 1.
const REFERENCE_K: f32 = 1400.0;
/// Exponent of the power function that compresses the displayed luminance.
// Below 1 to compress the decades of radiance; chosen so that the glow goes from white-yellow to
// dark red.
const LUMINANCE_POWER: f32 = 0.70;
/// Fade-in of incandescence: temperatures in kelvin at which a body begins to glow visibly, and
/// from which on its full light is displayed.
// Below 600 K nothing glows: compressed luminance would show light that no eye sees.
pub const GLOWS: [f32; 2] = [600.0, 850.0];

/// Returns the temperature in kelvin of lava with the energy per amount `energy`; `cold` and `hot`
/// are the temperatures at energy per amount 0 and 1.
pub(crate) fn kelvin([cold, hot]: [f32; 2], energy: f32) -> f32 {
    cold + (hot - cold) * energy
}

/// Returns the fraction (0 to 1) of a body's light that is displayed at the temperature `kelvin`
/// (K); 0 where the body does not glow visibly.
pub(crate) fn red_hot(kelvin: f32) -> f32 {
    smoothstep(GLOWS[0], GLOWS[1], kelvin)
}

/// Look-up table of black-body colours by temperature.
#[derive(Clone, Debug)]
pub struct BlackBody {
    /// Linear RGB at temperatures 5 K apart, from 500 K. The luminance is 1 at the white-balanced
    /// temperature of `REFERENCE_K`.
    table: Vec<V3>,
}

impl Default for BlackBody {
    fn default() -> Self {
        Self::new()
    }
}

impl BlackBody {
    /// Computes the table of black-body colours.
    pub fn new() -> Self {
        let reference = luminance(rgb(balanced(REFERENCE_K)));
        let step = (HOTTEST_K - COLDEST_K) / (ENTRIES - 1) as f32;
        let table = (0..ENTRIES)
            .map(|i| rgb(COLDEST_K + step * i as f32) / reference)
            .collect();
        Self { table }
    }

    /// Returns the linear RGB radiance of a black body at `kelvin` (K) without white balance. The
    /// luminance is 1 at the white-balanced temperature of `REFERENCE_K`.
    pub fn radiance(&self, kelvin: f32) -> V3 {
        let position =
            ((kelvin - COLDEST_K) / (HOTTEST_K - COLDEST_K)).clamp(0.0, 1.0) * (ENTRIES - 1) as f32;
        let i = (position as usize).min(ENTRIES - 2);
        self.table[i].lerp(&self.table[i + 1], position - i as f32)
    }

    /// Returns the linear RGB colour in which glowing rock at `kelvin` (K) is displayed:
    /// white-balanced hue, and compressed luminance, which is 1 at 1400 K.
    pub fn shown(&self, kelvin: f32) -> V3 {
        let raw = self.radiance(balanced(kelvin));
        let light = luminance(raw).max(1e-12);
        raw * (light.powf(LUMINANCE_POWER) / light)
    }
}

/// Returns the temperature (K) at which the black-body table is read for rock at `kelvin` (K); the
/// difference is the white balance.
fn balanced(kelvin: f32) -> f32 {
    1.35 * kelvin + 250.0
}

/// Returns the linear Rec. 709 RGB radiance of a black body at `kelvin` (K); colours outside of the
/// gamut are clipped to its edge.
fn rgb(kelvin: f32) -> V3 {
    let mut xyz = V3::zeros();
    for nanometres in (380..=780).step_by(5) {
        let wavelength = nanometres as f32;
        xyz += observer(wavelength) * planck(wavelength, kelvin);
    }
    v3(
        3.240_97 * xyz.x - 1.537_383 * xyz.y - 0.498_611 * xyz.z,
        -0.969_244 * xyz.x + 1.875_968 * xyz.y + 0.041_555 * xyz.z,
        0.055_63 * xyz.x - 0.203_977 * xyz.y + 1.056_972 * xyz.z,
    )
    .map(|c| c.max(0.0))
}

/// Returns the spectral radiance of a black body at `kelvin` (K) by Planck's law, for the
/// wavelength `nanometres`, up to a constant factor.
fn planck(nanometres: f32, kelvin: f32) -> f32 {
    let micrometres = f64::from(nanometres) * 1e-3;
    let exponent = 14_387.77 / (micrometres * f64::from(kelvin));
    (micrometres.powi(-5) / exponent.exp_m1() * 1e6) as f32
}

/// Returns the CIE 1931 colour-matching functions x̄, ȳ, z̄ for the wavelength `nanometres`.
fn observer(nanometres: f32) -> V3 {
    let lobe = |peak: f32, left: f32, right: f32| {
        let width = if nanometres < peak { left } else { right };
        (-0.5 * ((nanometres - peak) / width).powi(2)).exp()
    };
    v3(
        1.056 * lobe(599.8, 37.9, 31.0) + 0.362 * lobe(442.0, 16.0, 26.7)
            - 0.065 * lobe(501.1, 20.4, 26.2),
        0.821 * lobe(568.8, 46.9, 40.5) + 0.286 * lobe(530.9, 16.3, 31.1),
        1.217 * lobe(437.0, 11.8, 36.0) + 0.681 * lobe(459.0, 26.0, 13.8),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::film::filmic;
    use crate::lava::crust::BRIGHT;

    #[test]
    fn hotter_is_brighter_and_yellower() {
        let table = BlackBody::new();
        let mut last = table.shown(650.0);
        for kelvin in (700..1800).step_by(25) {
            let now = table.shown(kelvin as f32);
            assert!(
                luminance(now) > luminance(last),
                "luminance falls at {kelvin} K"
            );
            assert!(
                now.y / now.x >= last.y / last.x,
                "hue turns back to red at {kelvin} K"
            );
            assert!(
                now.z <= now.y && now.y <= now.x,
                "hot rock is never green or pink ({kelvin} K)"
            );
            last = now;
        }
    }

    #[test]
    fn glow_goes_from_red_through_orange_and_yellow_to_nearly_white() {
        let table = BlackBody::new();
        let seen = |kelvin: f32| filmic(table.shown(kelvin) * BRIGHT);
        let [red, orange, white] = [850.0, 1100.0, 1400.0].map(seen);
        assert!(red.x > 3.0 * red.y, "{red:?}");
        assert!(
            orange.y > 0.15 * orange.x && orange.z < 0.25 * orange.x,
            "{orange:?}"
        );
        assert!(
            white.y > 0.85 * white.x && white.z > 0.4 * white.x,
            "{white:?}"
        );
    }

    #[test]
    fn daylight_temperature_ratios_match_the_known_chromaticity() {
        // CIE 1931 chromaticity of a 2856 K radiator (illuminant A) is x = 0.4476, y = 0.4074.
        let c = rgb(2856.0);
        let xyz = v3(
            0.412_391 * c.x + 0.357_584 * c.y + 0.180_481 * c.z,
            0.212_639 * c.x + 0.715_169 * c.y + 0.072_192 * c.z,
            0.019_331 * c.x + 0.119_195 * c.y + 0.950_532 * c.z,
        );
        assert!((xyz.x / xyz.sum() - 0.4476).abs() < 0.004);
        assert!((xyz.y / xyz.sum() - 0.4074).abs() < 0.004);
    }
}
