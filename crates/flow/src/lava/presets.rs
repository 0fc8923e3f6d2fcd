//! Presets of lavas and other liquids, with the sources of their constants in the literature.

use super::{Cooling, Lava, Viscosity};
use lavoxel_base::units::LAVA_DENSITY;

impl Lava {
    /// Names of all presets that [`Lava::preset`] accepts.
    pub const PRESETS: [&str; 8] = [
        "etna-basalt",
        "kilauea",
        "fogo-2014",
        "silicone-oil",
        "paraffin-wax",
        "chocolate",
        "semisolid-aluminium",
        "ice",
    ];

    /// Returns the preset called `name`; `None` if no preset has this name.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "etna-basalt" => Some(Self::etna_basalt()),
            "kilauea" => Some(Self::kilauea()),
            "fogo-2014" => Some(Self::fogo_2014()),
            "silicone-oil" => Some(Self::silicone_oil()),
            "paraffin-wax" => Some(Self::paraffin_wax()),
            "chocolate" => Some(Self::chocolate()),
            "semisolid-aluminium" => Some(Self::semisolid_aluminium()),
            "ice" => Some(Self::ice()),
            _ => None,
        }
    }

    /// Basalt of Etna: density, heat capacity and temperatures from the parameter files of
    /// SCIARA-fv2 and MAGFLOW; viscosity of Giordano & Dingwell (2003) with 0.02 % water; crystal
    /// factor, exposed share and yield strength within the published ranges, fitted to Etna 2006 on
    /// several grids at 10 and 20 m (`docs/history/etna-constants.md`).
    pub(super) fn etna_basalt() -> Self {
        Self {
            density_kg_m3: LAVA_DENSITY,
            viscosity: Viscosity::Etna {
                water: 0.02,
                crystals: 50.0,
            },
            yield_pa: 500.0,
            yield_factor: 20.0,
            vent_k: 1360.0,
            solidus_k: 1143.0,
            liquidus_k: 0.0,
            ambient_k: 300.0,
            heat_capacity: 1150.0,
            latent_heat: 0.0,
            cooling: Cooling::Skin {
                tear_m: 2000.0,
                exposed: 0.06,
            },
            emissivity: 0.9,
            convection: 0.0,
            conduction: 0.51,
            bed_conduction: 0.8,
            diffusivity: 5e-7,
        }
    }

    /// Kīlauea, the channel of fissure 8 in 2018: constants of PyFLOWGO's file
    /// `kilauea_rigid_mass.json`. The viscosity is that of the melt, log₁₀ η = −4.55 + 5343.7/(T −
    /// 622), times a factor for crystals (Krieger & Dougherty, packing 0.56, coefficient 2.72),
    /// whose fraction grows linearly from 5 % at the vent to 30 % at the solidus; the product is
    /// fitted here by one law with three constants. Heat capacity and the conductivity of the bed
    /// are not in that file.
    fn kilauea() -> Self {
        Self {
            // 2,870 kg/m³ without bubbles; 59 % bubbles in the middle of the channel's 13.45 km.
            density_kg_m3: 1180.0,
            viscosity: Viscosity::Vft {
                a: -5.962,
                b: 6524.6,
                c: 622.0,
                least_pa_s: 1.0,
                most_pa_s: 1e9,
            },
            yield_pa: 0.0,
            // Fits 6500 φ^2.85 Pa of the crystals φ within a factor of 1.7, from a tenth of
            // crystals on.
            yield_factor: 2.0,
            vent_k: 1423.15,
            solidus_k: 1237.15,
            ambient_k: 310.3,
            // A quarter of the lava crystallises on its way.
            latent_heat: 0.25 * 350e3,
            // The crust covers 75 % of a channel at rest.
            cooling: Cooling::Skin {
                tear_m: 2200.0,
                exposed: 0.25,
            },
            emissivity: 0.95,
            // Wind 2.63 m/s · 0.0036 · 0.4412 kg/m³ · 1099 J/(kg K).
            convection: 4.6,
            bed_conduction: 1.0,
            ..Self::etna_basalt()
        }
    }

    /// Fogo, eruption of 2014: test case of the OpenFOAM solver interThermalRadConvFoam, which
    /// clamps the kinematic viscosity to 3.7 to 100 m²/s.
    fn fogo_2014() -> Self {
        let density = 2700.0;
        Self {
            density_kg_m3: density,
            viscosity: Viscosity::Vft {
                a: -5.94,
                b: 5500.0,
                c: 610.0,
                least_pa_s: 3.7 * density,
                most_pa_s: 100.0 * density,
            },
            yield_pa: 0.0,
            yield_factor: 0.0,
            cooling: Cooling::Skin {
                tear_m: 2200.0,
                exposed: 0.04,
            },
            emissivity: 0.8,
            convection: 70.0,
            bed_conduction: 1.0,
            ..Self::etna_basalt()
        }
    }

    /// Silicone oil, never solidifying, of a laboratory experiment (Garel et al. 2012, experiment
    /// C14).
    fn silicone_oil() -> Self {
        Self {
            density_kg_m3: 964.0,
            viscosity: Viscosity::Constant {
                pa_s: 964.0 * 3.56e-3,
            },
            yield_pa: 0.0,
            yield_factor: 0.0,
            vent_k: 315.0,
            solidus_k: 0.0,
            liquidus_k: 0.0,
            ambient_k: 293.0,
            heat_capacity: 1500.0,
            latent_heat: 0.0,
            cooling: Cooling::Bare { exposed: 1.0 },
            emissivity: 0.96,
            convection: 2.0,
            // From the Prandtl number 34,000.
            conduction: 0.151,
            // Polystyrene foam below the oil.
            bed_conduction: 0.03,
            diffusivity: 7.7e-7,
        }
    }

    /// Common constants of the presets that can melt, without yield strength, in a room at 20 °C;
    /// solid and liquid have the same density, heat capacity and conductivity. Temperatures in K;
    /// `pa_s`: viscosity in Pa s at the liquidus; `mush`: factor of the viscosity at the solidus.
    fn of_melting([solidus_k, liquidus_k, vent_k]: [f64; 3], pa_s: f64, mush: f64) -> Self {
        Self {
            viscosity: Viscosity::Melt { pa_s, mush },
            yield_pa: 0.0,
            yield_factor: 0.0,
            vent_k,
            solidus_k,
            liquidus_k,
            ambient_k: 293.0,
            cooling: Cooling::Bare { exposed: 1.0 },
            emissivity: 0.9,
            convection: 8.0,
            bed_conduction: 0.2,
            diffusivity: 1.5e-7,
            ..Self::etna_basalt()
        }
    }

    /// Paraffin wax of a candle, with a melting range of 52 to 58 °C. Just above that range the
    /// liquid has a viscosity of 5 to 10 mPa s.
    fn paraffin_wax() -> Self {
        Self {
            density_kg_m3: 850.0,
            heat_capacity: 2400.0,
            latent_heat: 200e3,
            conduction: 0.23,
            ..Self::of_melting([325.0, 331.0, 345.0], 0.008, 1e6)
        }
    }

    /// Dark chocolate: cocoa butter melts up to 34 °C; plastic viscosity and yield strength in the
    /// range of Casson fits at 40 °C (1 to 5 Pa s, 2 to 20 Pa).
    fn chocolate() -> Self {
        Self {
            density_kg_m3: 1270.0,
            yield_pa: 6.0,
            heat_capacity: 1700.0,
            latent_heat: 44e3,
            conduction: 0.24,
            ..Self::of_melting([300.0, 307.0, 318.0], 2.5, 1e5)
        }
    }

    /// Aluminium A356 between solidus and liquidus, as in semi-solid casting: 0.1 to 20 Pa s at a
    /// solid fraction of 30 to 50 %.
    fn semisolid_aluminium() -> Self {
        Self {
            density_kg_m3: 2500.0,
            heat_capacity: 1080.0,
            latent_heat: 390e3,
            conduction: 100.0,
            emissivity: 0.15,
            bed_conduction: 1.5,
            diffusivity: 6e-7,
            ..Self::of_melting([828.0, 888.0, 868.0], 0.002, 1e8)
        }
    }

    /// Ice and its melt water in air at 20 °C.
    fn ice() -> Self {
        Self {
            density_kg_m3: 1000.0,
            heat_capacity: 4186.0,
            latent_heat: 334e3,
            conduction: 2.0,
            emissivity: 0.97,
            bed_conduction: 0.0,
            ..Self::of_melting([272.65, 273.15, 293.0], 0.0018, 1e6)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_in_range() {
        for name in Lava::PRESETS {
            let lava = Lava::preset(name).expect("a preset");
            assert!(lava.validate("lava").is_ok(), "{name}");
            let [cold, hot] =
                [lava.solidus_k.max(lava.ambient_k), lava.vent_k].map(|t| lava.viscosity_pa_s(t));
            assert!(cold >= hot && hot > 0.0, "{name}: {cold} to {hot} Pa s");
        }
    }

    /// Compares viscosity and yield strength of the preset with PyFLOWGO's laws for melt and
    /// crystals, over the temperatures of the flow.
    #[test]
    fn kilauea_has_the_viscosity_of_its_melt_and_crystals() {
        let lava = Lava::preset("kilauea").expect("a preset");
        for i in 0..=20 {
            let cooled = f64::from(i) / 20.0;
            let kelvin = lava.vent_k - cooled * (lava.vent_k - lava.solidus_k);
            let crystals = 0.05 + 0.25 * cooled;
            let melt = libm::pow(10.0, -4.55 + 5343.7 / (kelvin - 622.0));
            let expected = melt * libm::pow(1.0 - crystals / 0.56, -2.72 * 0.56);
            let found = lava.viscosity_pa_s(kelvin);
            assert!(
                (found / expected - 1.0).abs() < 0.025,
                "{kelvin} K: {found}, {expected} Pa s"
            );
            let strength = 6500.0 * libm::pow(crystals, 2.85);
            let ratio = lava.yield_pa(kelvin) / strength;
            assert!(
                crystals < 0.1 || (1.0 / 1.7..1.7).contains(&ratio),
                "{kelvin} K: {ratio}"
            );
        }
    }
}
