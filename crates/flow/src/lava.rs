//! Constants of a lava with their ranges, and the laws that follow from them: viscosity, yield
//! strength and enthalpy as functions of temperature.

mod presets;
mod suspension;

use serde::{Deserialize, Serialize};

use lavoxel_base::param::{Table, kinds, table};
use lavoxel_base::validate::{Invalid, within};

kinds! {
    /// Viscosity of the liquid in Pa s as a function of its temperature `T` in kelvin.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Viscosity by "law" {
        /// Constant viscosity, independent of temperature.
        Constant = "constant" {
            /// Viscosity at every temperature.
            must pa_s: f64, [LEAST_VISCOSITY, MOST_VISCOSITY] "Pa s";
        },
        /// log₁₀ η = −4.643 + (5812.44 − 427.04 w)/(T − 499.31 + 28.74 ln w), times a factor for
        /// crystals; `w`: `water`. Law of Etna's melt (Giordano & Dingwell, Bulletin of Volcanology
        /// 65, 2003).
        Etna = "etna" {
            /// Content of water in the melt in weight percent.
            must water: f64, [0.001, 8.0] "%";
            /// Factor by which crystals raise the viscosity; about 19 for Etna's lava of 2003 at
            /// 1100 °C.
            must crystals: f64, [0.001, 1e6] "";
        },
        /// log₁₀ η = a + b/(T − c), the law of Vogel, Fulcher and Tammann.
        Vft = "vft" {
            /// Constant a: log₁₀ of the viscosity in Pa s in the limit of high temperature.
            must a: f64, [-20.0, 20.0] "";
            /// Constant b: the range of temperature over which the viscosity grows; larger is
            /// steeper.
            must b: f64, [0.0, 50_000.0] "K";
            /// Constant c: the temperature at which the law gives an infinite viscosity.
            must c: f64, [0.0, MOST_KELVIN] "K";
            /// Lower limit of the viscosity.
            must least_pa_s: f64, [LEAST_VISCOSITY, MOST_VISCOSITY] "Pa s";
            /// Upper limit of the viscosity.
            must most_pa_s: f64, [LEAST_VISCOSITY, MOST_VISCOSITY] "Pa s";
        },
        /// Law for a liquid with a liquidus: above the liquidus the viscosity is constant; below,
        /// its logarithm grows evenly as the liquid solidifies.
        Melt = "melt" {
            /// Viscosity at the liquidus and above.
            must pa_s: f64, [LEAST_VISCOSITY, MOST_VISCOSITY] "Pa s";
            /// Factor by which the viscosity at the solidus exceeds that at the liquidus.
            must mush: f64, [1.0, 1e12] "";
        },
        /// Melt with crystals, η = η₀ (1 − φ/φₘ)⁻² (Mueller and others 2010).
        Mueller = "mueller" {
            /// Constant a of the melt's law log₁₀ η = a + b/(T − c).
            must a: f64, [-20.0, 20.0] "";
            /// Constant b of the melt's law.
            must b: f64, [0.0, 50_000.0] "K";
            /// Constant c of the melt's law.
            must c: f64, [0.0, MOST_KELVIN] "K";
            /// Share of crystals in melt and crystals at `vent_k`.
            must crystals_vent: f64, [0.0, MOST_CRYSTALS] "share";
            /// Share of crystals at `solidus_k`; between, crystals grow evenly as the lava cools.
            must crystals_solidus: f64, [0.0, MOST_CRYSTALS] "share";
            /// Aspect ratio of the crystals, length over width.
            #[serde(default = "one")]
            may aspect: f64, [0.01, 100.0] "";
            /// Largest share of equant crystals: 0.656 for smooth ones, 0.55 for rough ones.
            #[serde(default = "smooth_packing")]
            may packing: f64, [0.1, 0.9] "share";
            /// Spread of the largest share over the logarithm of the aspect ratio: 1.08 for smooth
            /// crystals, 1 for rough ones.
            #[serde(default = "smooth_spread")]
            may spread: f64, [0.1, 10.0] "";
        },
        /// Melt with crystals and bubbles: the bubbles in the melt, the crystals in the bubbly melt
        /// (Mader and others 2013; Truby and others 2015).
        Mader = "mader" {
            /// Constant a of the melt's law log₁₀ η = a + b/(T − c).
            must a: f64, [-20.0, 20.0] "";
            /// Constant b of the melt's law.
            must b: f64, [0.0, 50_000.0] "K";
            /// Constant c of the melt's law.
            must c: f64, [0.0, MOST_KELVIN] "K";
            /// Share of crystals in melt and crystals at `vent_k`.
            must crystals_vent: f64, [0.0, MOST_CRYSTALS] "share";
            /// Share of crystals at `solidus_k`; between, crystals grow evenly as the lava cools.
            must crystals_solidus: f64, [0.0, MOST_CRYSTALS] "share";
            /// Aspect ratio of the crystals, length over width.
            #[serde(default = "one")]
            may aspect: f64, [0.01, 100.0] "";
            /// Largest share of equant crystals: 0.656 for smooth ones, 0.55 for rough ones.
            #[serde(default = "smooth_packing")]
            may packing: f64, [0.1, 0.9] "share";
            /// Spread of the largest share over the logarithm of the aspect ratio: 1.08 for smooth
            /// crystals, 1 for rough ones.
            #[serde(default = "smooth_spread")]
            may spread: f64, [0.1, 10.0] "";
            /// Share of bubbles in the lava.
            must bubbles: f64, [0.0, 0.95] "share";
            /// Set for bubbles that flow draws out (capillary numbers above 1), not for those that
            /// surface tension keeps round.
            #[serde(default)]
            may drawn_out: bool;
        },
        /// Melt with crystals and bubbles, η = η₀ (1 − φ/0.56)^(−2.74) (1 − β)^(−1.98), and a yield
        /// strength of 10^(80 (φ − 0.35)) + 10^(1.98 (φ + β − 0.35)) Pa beside that of `yield_pa`
        /// (Birnbaum and others 2021).
        Birnbaum = "birnbaum" {
            /// Constant a of the melt's law log₁₀ η = a + b/(T − c).
            must a: f64, [-20.0, 20.0] "";
            /// Constant b of the melt's law.
            must b: f64, [0.0, 50_000.0] "K";
            /// Constant c of the melt's law.
            must c: f64, [0.0, MOST_KELVIN] "K";
            /// Share of crystals in melt and crystals at `vent_k`.
            must crystals_vent: f64, [0.0, MOST_CRYSTALS] "share";
            /// Share of crystals at `solidus_k`; between, crystals grow evenly as the lava cools.
            must crystals_solidus: f64, [0.0, MOST_CRYSTALS] "share";
            /// Share of bubbles in the lava.
            must bubbles: f64, [0.0, 0.95] "share";
        },
    }
}

kinds! {
    /// Heat loss of a surface under the sky.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub enum Cooling by "kind" {
        /// No heat loss.
        None = "none" with "lavoxel_base::param::no_keys",
        /// A share of the surface shows the stirred liquid and loses its heat to sky and air; the
        /// rest of the surface loses nothing.
        Bare = "bare" {
            /// Exposed share of the surface, both for radiation and for convection.
            must exposed: f64, [0.0, 1.0] "share";
        },
        /// A share of the surface shows the stirred liquid; the rest grows a crust, through which
        /// heat is conducted. The crust moves with the liquid, and flow tears it.
        Skin = "skin" {
            /// Distance of flow after which a crust is torn.
            must tear_m: f64, [0.001, 1e6] "m";
            /// Share of the surface without crust, both for radiation and for convection.
            #[serde(default)]
            may exposed: f64, [0.0, 1.0] "share";
        },
    }
}

table! {
    /// Constants of a lava or of another liquid; keys left out have the values of Etna's basalt.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    pub struct Lava {
        /// Density of the liquid.
        may pub density_kg_m3: f64, [1.0, 30_000.0] "kg/m³";
        /// Law of the viscosity: `"constant"`, `"etna"`, `"vft"` or `"melt"`.
        may pub viscosity: Viscosity;
        /// Yield strength, the same at every temperature.
        may pub yield_pa: f64, [0.0, MOST_YIELD] "Pa";
        /// Factor of an additional yield strength that grows as the lava cools: factor ·
        /// 10^(13.00997 − 0.0089 T) Pa with T in kelvin (MAGFLOW).
        may pub yield_factor: f64, [0.0, 1000.0] "";
        /// Temperature of poured lava, unless its vent has another.
        may pub vent_k: f64, [LEAST_KELVIN, MOST_KELVIN] "K";
        /// Temperature at which liquid that touches rock solidifies, at most `vent_k`; 0: it never
        /// solidifies.
        may pub solidus_k: f64, [0.0, MOST_KELVIN] "K";
        /// Temperature at which solidified lava is liquid again, above `solidus_k`; 0: it never
        /// melts.
        may pub liquidus_k: f64, [0.0, MOST_KELVIN] "K";
        /// Temperature of air and ground, at most `vent_k`.
        may pub ambient_k: f64, [0.0, MOST_KELVIN] "K";
        /// Heat capacity of a kilogram.
        may pub heat_capacity: f64, [1.0, 1e5] "J/(kg K)";
        /// Latent heat of a kilogram, spread evenly between liquidus and solidus; for a lava that
        /// never melts again, between `vent_k` and solidus.
        may pub latent_heat: f64, [0.0, 1e7] "J/kg";
        /// Kind of cooling at the surface: `"none"`, `"bare"` or `"skin"`.
        may pub cooling: Cooling;
        /// Emissivity of the surface.
        may pub emissivity: f64, [0.0, 1.0] "";
        /// Heat transfer by convection from the surface to the air.
        may pub convection: f64, [0.0, 1e5] "W/(m² K)";
        /// Thermal conductivity of the crust, and between cells of a lava that melts; 0: no
        /// conduction.
        may pub conduction: f64, [0.0, 1e4] "W/(m K)";
        /// Thermal conductivity of the rock below the lava (bed) and above it (roof); 0: the lava
        /// loses no heat to bed and roof.
        may pub bed_conduction: f64, [0.0, 1e4] "W/(m K)";
        /// Thermal diffusivity of the rock of bed and roof.
        may pub diffusivity: f64, [1e-9, 1.0] "m²/s";
    }
}

impl Default for Lava {
    fn default() -> Self {
        Self::etna_basalt()
    }
}

impl Lava {
    /// Returns true if solidified lava can melt again: the lava has a liquidus.
    pub fn melts(&self) -> bool {
        self.liquidus_k > 0.0
    }

    /// Returns true if the lava loses heat to the sky or to the bed.
    pub(crate) fn loses_heat(&self) -> bool {
        self.cooling != Cooling::None || self.bed_conduction > 0.0
    }

    /// Ratio of the heat that warms lava by 1 K below the solidus to the heat that warms lava by 1
    /// K above the solidus, latent heat included. 1 for a lava that melts and for a lava without
    /// latent heat.
    fn solid_share(&self) -> f64 {
        if self.melts() {
            1.0
        } else {
            self.density_kg_m3 * self.heat_capacity / self.heat_per_m3()
        }
    }

    /// Change of enthalpy in kelvin (heat per volume over [`Lava::heat_per_m3`]) for a temperature
    /// change of 1 K at `temperature_k` (K): 1 above the solidus; less below if latent heat is
    /// spread over the range above.
    pub fn heat_of_kelvin(&self, temperature_k: f64) -> f64 {
        if temperature_k < self.solidus_k {
            self.solid_share()
        } else {
            1.0
        }
    }

    /// Latent heat divided by heat capacity, in K, for a lava that melts; else 0.
    fn latent_k(&self) -> f64 {
        if self.melts() {
            self.latent_heat / self.heat_capacity
        } else {
            0.0
        }
    }

    /// Enthalpy in kelvin (heat per volume over [`Lava::heat_per_m3`]) at `temperature_k` (K),
    /// latent heat included.
    pub fn heat_at(&self, temperature_k: f64) -> f64 {
        if !self.melts() {
            let below = (self.solidus_k - temperature_k).max(0.0);
            return temperature_k + below * (1.0 - self.solid_share());
        }
        temperature_k + self.latent_k() * self.molten(temperature_k)
    }

    /// Temperature in K at which the enthalpy is `heat_k` kelvin; the inverse of [`Lava::heat_at`].
    pub fn temperature_of(&self, heat_k: f64) -> f64 {
        if !self.melts() {
            let below = (self.solidus_k - heat_k).max(0.0);
            return heat_k - below * (1.0 / self.solid_share() - 1.0);
        }
        let latent_k = self.latent_k();
        if heat_k <= self.solidus_k || latent_k == 0.0 {
            return heat_k;
        }
        if heat_k >= self.liquidus_k + latent_k {
            return heat_k - latent_k;
        }
        let range_k = self.liquidus_k - self.solidus_k;
        self.solidus_k + (heat_k - self.solidus_k) * range_k / (range_k + latent_k)
    }

    /// Molten share (0 to 1) of the lava at `temperature_k` (K), rising linearly from solidus to
    /// liquidus; only for a lava that melts.
    fn molten(&self, temperature_k: f64) -> f64 {
        ((temperature_k - self.solidus_k) / (self.liquidus_k - self.solidus_k)).clamp(0.0, 1.0)
    }

    /// Viscosity in Pa s of the liquid at `temperature_k` (K); below the solidus the value at the
    /// solidus.
    pub fn viscosity_pa_s(&self, temperature_k: f64) -> f64 {
        let t = temperature_k.max(self.solidus_k);
        match self.viscosity {
            Viscosity::Constant { pa_s } => pa_s,
            Viscosity::Etna { water, crystals } => {
                let above = (t - 499.31 + 28.74 * libm::log(water)).max(100.0);
                crystals * libm::pow(10.0, -4.643 + (5812.44 - 427.04 * water) / above)
            }
            Viscosity::Vft {
                a,
                b,
                c,
                least_pa_s,
                most_pa_s,
            } => {
                libm::pow(10.0, (a + b / (t - c).max(1.0)).min(300.0)).clamp(least_pa_s, most_pa_s)
            }
            Viscosity::Melt { pa_s, mush } => pa_s * libm::pow(mush, 1.0 - self.molten(t)),
            Viscosity::Mueller { a, b, c, .. }
            | Viscosity::Mader { a, b, c, .. }
            | Viscosity::Birnbaum { a, b, c, .. } => {
                libm::pow(10.0, (a + b / (t - c).max(1.0)).min(300.0)) * self.stiffened(t)
            }
        }
        .clamp(LEAST_VISCOSITY, MOST_VISCOSITY)
    }

    /// Factor by which crystals and bubbles change the viscosity of the melt at `temperature_k` (K);
    /// 1 for laws without them.
    fn stiffened(&self, temperature_k: f64) -> f64 {
        let crystals = self.crystals(temperature_k);
        match (self.viscosity, self.most_crystals()) {
            (Viscosity::Mueller { .. }, Some(most)) => suspension::of_crystals(crystals, most),
            (
                Viscosity::Mader {
                    bubbles, drawn_out, ..
                },
                Some(most),
            ) => suspension::of_both(crystals, most, bubbles, drawn_out),
            (Viscosity::Birnbaum { bubbles, .. }, _) => suspension::birnbaum(crystals, bubbles),
            _ => 1.0,
        }
    }

    /// Share of crystals in melt and crystals at `temperature_k` (K), which grows evenly from vent
    /// to solidus; 0 for laws without crystals.
    fn crystals(&self, temperature_k: f64) -> f64 {
        let (Viscosity::Mueller {
            crystals_vent,
            crystals_solidus,
            ..
        }
        | Viscosity::Mader {
            crystals_vent,
            crystals_solidus,
            ..
        }
        | Viscosity::Birnbaum {
            crystals_vent,
            crystals_solidus,
            ..
        }) = self.viscosity
        else {
            return 0.0;
        };
        let range_k = (self.vent_k - self.solidus_k).max(1.0);
        let cooled = ((self.vent_k - temperature_k) / range_k).clamp(0.0, 1.0);
        crystals_vent + (crystals_solidus - crystals_vent) * cooled
    }

    /// Largest share of crystals that the law of the viscosity takes; `None` for laws without
    /// crystals.
    fn most_crystals(&self) -> Option<f64> {
        match self.viscosity {
            Viscosity::Mueller {
                packing,
                spread,
                aspect,
                ..
            }
            | Viscosity::Mader {
                packing,
                spread,
                aspect,
                ..
            } => Some(suspension::most_crystals(packing, spread, aspect)),
            Viscosity::Birnbaum { .. } => Some(suspension::BIRNBAUM_MOST),
            _ => None,
        }
    }

    /// Yield strength in Pa of the liquid at `temperature_k` (K); below the solidus the value at
    /// the solidus.
    pub fn yield_pa(&self, temperature_k: f64) -> f64 {
        let t = temperature_k.max(self.solidus_k);
        let grown = if self.yield_factor > 0.0 {
            self.yield_factor * libm::pow(10.0, 13.00997 - 0.0089 * t)
        } else {
            0.0
        };
        let of_law = match self.viscosity {
            Viscosity::Birnbaum { bubbles, .. } => {
                suspension::birnbaum_yield_pa(self.crystals(t), bubbles)
            }
            _ => 0.0,
        };
        (self.yield_pa + grown + of_law).min(MOST_YIELD)
    }

    /// Volumetric heat capacity in J/(m³ K); for a lava that never melts again, including its
    /// latent heat, spread evenly between solidus and vent temperature.
    pub fn heat_per_m3(&self) -> f64 {
        let range = (self.vent_k - self.solidus_k).max(1.0);
        // A lava that melts has its latent heat in the enthalpy (`heat_at`) instead.
        let latent = if self.melts() {
            0.0
        } else {
            self.latent_heat / range
        };
        self.density_kg_m3 * (self.heat_capacity + latent)
    }

    /// Two temperatures in K that map to 0 and 1 of the relative temperature shown in pictures: the
    /// solidus (or the ambient temperature for a lava that never solidifies), and the temperature
    /// at the vent.
    pub fn warmth_k(&self) -> [f64; 2] {
        let cold = if self.solidus_k > 0.0 {
            self.solidus_k
        } else {
            self.ambient_k
        };
        [cold, self.vent_k.max(cold + 1.0)]
    }

    /// Checks that every constant of the lava is in its range; `key`: name of the table in error
    /// messages, for example `flow.lava`.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of its range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        self.check(key)?;
        if self.vent_k < self.solidus_k {
            let expected = format!(
                "at least {key}.solidus_k, {} K: what is poured is liquid; set both",
                self.solidus_k
            );
            return Err(Invalid::new(
                &format!("{key}.vent_k"),
                self.vent_k,
                expected,
            ));
        }
        self.validate_melting(key)?;
        within(
            &format!("{key}.ambient_k"),
            self.ambient_k,
            0.0,
            self.vent_k,
        )?;
        self.cooling.check(&format!("{key}.cooling"))?;
        self.viscosity.check(&format!("{key}.viscosity"))?;
        self.validate_crystals(key)?;
        match self.viscosity {
            Viscosity::Vft {
                least_pa_s,
                most_pa_s,
                ..
            } => within(
                &format!("{key}.viscosity.most_pa_s"),
                most_pa_s,
                least_pa_s,
                MOST_VISCOSITY,
            ),
            _ => Ok(()),
        }
    }

    /// Checks that the crystals leave room for melt. `key`: name of the table in error messages.
    fn validate_crystals(&self, key: &str) -> Result<(), Invalid> {
        let Some(most) = self.most_crystals() else {
            return Ok(());
        };
        for (name, temperature_k) in [
            ("crystals_vent", self.vent_k),
            ("crystals_solidus", self.solidus_k),
        ] {
            let crystals = self.crystals(temperature_k);
            if crystals >= most {
                let expected =
                    format!("below the largest share that this law and shape allow, {most:.3}");
                let key = format!("{key}.viscosity.{name}");
                return Err(Invalid::new(&key, crystals, expected));
            }
        }
        Ok(())
    }

    /// Checks the constants that depend on whether the lava melts: solidus, liquidus, latent heat,
    /// cooling kind and viscosity law. `key`: name of the table in error messages.
    fn validate_melting(&self, key: &str) -> Result<(), Invalid> {
        if !self.melts() {
            return match self.viscosity {
                Viscosity::Melt { .. } => Err(Invalid::new(
                    &format!("{key}.liquidus_k"),
                    self.liquidus_k,
                    "given for the viscosity law \"melt\"",
                )),
                _ => Ok(()),
            };
        }
        within(
            &format!("{key}.solidus_k"),
            self.solidus_k,
            LEAST_KELVIN,
            MOST_KELVIN,
        )?;
        within(
            &format!("{key}.liquidus_k"),
            self.liquidus_k,
            self.solidus_k + LEAST_MUSH_K,
            MOST_KELVIN,
        )?;
        within(
            &format!("{key}.latent_heat"),
            self.latent_heat,
            0.0,
            MOST_KELVIN * self.heat_capacity,
        )?;
        match self.cooling {
            Cooling::Skin { .. } => {
                let expected = "\"bare\" or \"none\" for a lava with a liquidus";
                Err(Invalid::new(
                    &format!("{key}.cooling.kind"),
                    "\"skin\"",
                    expected,
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Smallest allowed difference in K between liquidus and solidus.
const LEAST_MUSH_K: f64 = 0.1;

/// Smallest allowed viscosity in Pa s, a tenth of the viscosity of water.
const LEAST_VISCOSITY: f64 = 1e-4;
/// Largest allowed share of crystals.
const MOST_CRYSTALS: f64 = 0.9;

fn one() -> f64 {
    1.0
}

/// Largest share of smooth equant crystals (Mueller and others 2010).
fn smooth_packing() -> f64 {
    0.656
}

/// Spread of the largest share of smooth crystals (Mueller and others 2010).
fn smooth_spread() -> f64 {
    1.08
}

/// Largest allowed viscosity in Pa s.
const MOST_VISCOSITY: f64 = 1e15;

/// Largest allowed yield strength of a lava in Pa.
const MOST_YIELD: f64 = 1e8;

/// Smallest allowed temperature in K of poured lava, and of the solidus of a lava that melts.
pub(crate) const LEAST_KELVIN: f64 = 1.0;
/// Largest allowed temperature in K of any constant of a lava.
pub(crate) const MOST_KELVIN: f64 = 2000.0;
