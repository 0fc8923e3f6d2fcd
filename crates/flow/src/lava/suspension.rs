//! Relative viscosity and yield strength of melts with crystals and bubbles, by published laws.
//!
//! Crystals φ are shares of melt and crystals together, without bubbles; bubbles β are shares of
//! all. The flow is a Bingham fluid: its plastic viscosity is the consistency of each law, the
//! viscosity at a strain rate of 1/s, and shear thinning is left out.

/// Maximum packing of crystals with the aspect ratio `aspect`: packing · exp(−log₁₀(aspect)² / (2
/// spread²)), with 0.656 and 1.08 for smooth particles, 0.55 and 1.00 for rough ones (Mueller and
/// others 2010, *The rheology of suspensions of solid particles*, Proc. R. Soc. A 466, 1201–1228;
/// Mader and others 2013, equation 49).
pub(crate) fn most_crystals(packing: f64, spread: f64, aspect: f64) -> f64 {
    let tall = libm::log10(aspect) / spread;
    packing * libm::exp(-0.5 * tall * tall)
}

/// Factor by which crystals raise the viscosity: (1 − φ/φₘ)⁻² (Maron and Pierce; Mueller and others
/// 2010, equation 5). `most`: maximum packing φₘ.
pub(crate) fn of_crystals(crystals: f64, most: f64) -> f64 {
    libm::pow(free(crystals, most), -2.0)
}

/// Factor by which bubbles change the viscosity of the liquid around them: 1/(1 − β) for bubbles
/// that stay round, (1 − β)^(5/3) for bubbles that flow draws out (Mader and others 2013, *The
/// rheology of two-phase magmas*, J. Volcanol. Geotherm. Res. 257, 135–158, section 4).
pub(crate) fn of_bubbles(bubbles: f64, are_drawn_out: bool) -> f64 {
    libm::pow(1.0 - bubbles, if are_drawn_out { 5.0 / 3.0 } else { -1.0 })
}

/// Factor of crystals in a liquid with bubbles, by the effective medium of Mader and others (2013)
/// and Truby and others (2015, *The rheology of three-phase suspensions at low bubble capillary
/// number*, Proc. R. Soc. A 471): bubbles act in the liquid, crystals in the bubbly liquid.
pub(crate) fn of_both(crystals: f64, most: f64, bubbles: f64, are_drawn_out: bool) -> f64 {
    let of_all = crystals * (1.0 - bubbles);
    let of_liquid = bubbles / (1.0 - of_all);
    of_bubbles(of_liquid, are_drawn_out) * of_crystals(of_all, most)
}

/// Maximum packing in the law of [`birnbaum`].
pub(crate) const BIRNBAUM_MOST: f64 = 0.56;

/// Factor of crystals and bubbles (1 − φ/0.56)^(−2.74) (1 − β)^(−1.98) (Birnbaum, Lev and Llewellin
/// 2021, *Rheology of three-phase suspensions determined via dam-break experiments*, Proc. R. Soc.
/// A 477, equation 4.1a).
pub(crate) fn birnbaum(crystals: f64, bubbles: f64) -> f64 {
    libm::pow(free(crystals, BIRNBAUM_MOST), -2.74) * libm::pow(1.0 - bubbles, -1.98)
}

/// Yield strength 10^(80 (φ − 0.35)) + 10^(1.98 (φ + β − 0.35)) in Pa of crystals and bubbles
/// (Birnbaum, Lev and Llewellin 2021, equation 4.1b).
pub(crate) fn birnbaum_yield_pa(crystals: f64, bubbles: f64) -> f64 {
    let power = |exponent: f64| libm::pow(10.0, exponent.min(300.0));
    power(80.0 * (crystals - 0.35)) + power(1.98 * (crystals + bubbles - 0.35))
}

/// Share of the room for crystals that is free, at least a thousandth.
fn free(crystals: f64, most: f64) -> f64 {
    (1.0 - crystals / most).max(1e-3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lava::{Lava, Viscosity};

    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 5e-3, "{found}, {expected}");
    }

    #[test]
    fn crystals_grow_from_vent_to_solidus_and_leave_room_for_melt() {
        let law = |crystals_solidus: f64| Viscosity::Birnbaum {
            a: -4.55,
            b: 5343.7,
            c: 622.0,
            crystals_vent: 0.1,
            crystals_solidus,
            bubbles: 0.3,
        };
        let mut lava = Lava {
            viscosity: law(0.4),
            yield_pa: 0.0,
            yield_factor: 0.0,
            ..Lava::default()
        };
        let [vent_k, solidus_k] = [lava.vent_k, lava.solidus_k];
        for (kelvin, crystals) in [
            (vent_k, 0.1),
            (0.5 * (vent_k + solidus_k), 0.25),
            (solidus_k - 50.0, 0.4),
        ] {
            let melt = libm::pow(10.0, -4.55 + 5343.7 / (kelvin.max(solidus_k) - 622.0));
            assert_near(lava.viscosity_pa_s(kelvin), melt * birnbaum(crystals, 0.3));
            assert_near(lava.yield_pa(kelvin), birnbaum_yield_pa(crystals, 0.3));
        }
        assert_eq!(lava.validate("flow.lava"), Ok(()));
        lava.viscosity = law(0.56);
        let refused = lava.validate("flow.lava").expect_err("no melt between");
        assert_eq!(refused.key, "flow.lava.viscosity.crystals_solidus");
    }

    /// Compares with the curve of spheres of Mueller and others (2010, figure 5) and of long
    /// particles (Mader and others 2013, figure 7 and table 2).
    #[test]
    fn crystals_follow_the_curve_of_their_shape() {
        let spheres = most_crystals(0.656, 1.08, 1.0);
        assert_eq!(spheres, 0.656);
        assert_eq!(of_crystals(0.0, spheres), 1.0);
        assert_near(of_crystals(0.25, spheres), 2.61);
        assert_near(of_crystals(0.5, spheres), 17.68);
        // An aspect ratio of 9 leaves 0.44 for smooth and 0.35 for rough particles.
        assert_near(most_crystals(0.656, 1.08, 9.0), 0.444);
        assert_near(most_crystals(0.55, 1.0, 9.0), 0.349);
        // Flat and long particles of one ratio pack alike.
        assert_near(
            most_crystals(0.656, 1.08, 0.2),
            most_crystals(0.656, 1.08, 5.0),
        );
    }

    #[test]
    fn round_bubbles_stiffen_and_long_ones_soften() {
        assert_near(of_bubbles(0.3, false), 1.4286);
        assert_near(of_bubbles(0.3, true), 0.5518);
        assert_eq!([of_bubbles(0.0, false), of_bubbles(0.0, true)], [1.0; 2]);
    }

    /// Checks what Truby and others (2015) found: round bubbles stiffen a thin suspension, and
    /// soften a dense one.
    #[test]
    fn round_bubbles_soften_what_is_dense() {
        let change = |crystals: f64| {
            of_both(crystals, 0.656, 0.2, false) / of_both(crystals, 0.656, 0.0, false)
        };
        assert!(change(0.05) > 1.1 && change(0.5) < 0.7);
        assert_near(of_both(0.3, 0.656, 0.0, false), of_crystals(0.3, 0.656));
    }

    /// Compares with the fit of Birnbaum, Lev and Llewellin (2021) at crystals and bubbles of a lava
    /// of Etna.
    #[test]
    fn three_phases_follow_the_dam_breaks() {
        assert_eq!(birnbaum(0.0, 0.0), 1.0);
        assert_near(birnbaum(0.15, 0.64), 17.76);
        assert_near(birnbaum(0.4, 0.2), 48.0);
        assert_near(birnbaum_yield_pa(0.104, 0.64), 6.02);
        assert_near(birnbaum_yield_pa(0.4, 0.0), 10_001.26);
    }
}
