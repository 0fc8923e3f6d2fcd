//! What a lava is made of: constants and their ranges.

mod presets;

use serde::{Deserialize, Serialize};

use crate::validate::{Invalid, within};

/// Viscosity of the liquid in Pa s as a function of its temperature `T` in kelvin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Viscosity {
    /// The same at every temperature.
    Constant {
        /// Pa s.
        pa_s: f64,
    },
    /// log₁₀ η = −4.643 + (5812.44 − 427.04 w)/(T − 499.31 + 28.74 ln w), times a factor for crystals: Etna's melt
    /// (Giordano & Dingwell, Bulletin of Volcanology 65, 2003).
    Etna {
        /// Water in the melt in weight percent.
        water: f64,
        /// Factor for crystals; about 19 for Etna's lava of 2003 at 1100 °C.
        crystals: f64,
    },
    /// log₁₀ η = a + b/(T − c), the law of Vogel, Fulcher and Tammann.
    Vft {
        /// Logarithm at the highest temperature.
        a: f64,
        /// Kelvin.
        b: f64,
        /// Kelvin.
        c: f64,
        /// Least viscosity in Pa s.
        least_pa_s: f64,
        /// Largest viscosity in Pa s.
        most_pa_s: f64,
    },
    /// Of a liquid with a liquidus: constant above it, below it the logarithm grows evenly as the liquid sets.
    Melt {
        /// Pa s at and above the liquidus.
        pa_s: f64,
        /// Factor at the solidus.
        mush: f64,
    },
}

/// How the surface under the sky loses heat.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Cooling {
    /// Not at all.
    None,
    /// A share of the surface shows the stirred liquid and loses its heat to sky and air; the rest loses nothing.
    Bare {
        /// That share, 0 to 1: of radiation and of convection alike.
        exposed: f64,
    },
    /// A share of the surface shows the stirred liquid; the rest grows a crust, through which heat is conducted. The crust is
    /// carried with the liquid and is torn after some way.
    Skin {
        /// Way after which a crust is torn, in metres.
        tear_m: f64,
        /// Share without crust, 0 to 1: of radiation and of convection alike.
        #[serde(default)]
        exposed: f64,
    },
}

/// The constants of a lava or of another liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lava {
    /// Density in kg/m³.
    pub density_kg_m3: f64,
    /// Viscosity.
    pub viscosity: Viscosity,
    /// Yield strength in Pa at every temperature.
    pub yield_pa: f64,
    /// Factor of a yield strength that grows as the lava cools: factor · 10^(13.00997 − 0.0089 T) Pa (MAGFLOW).
    pub yield_factor: f64,
    /// Temperature at the vent unless a vent says otherwise, in K.
    pub vent_k: f64,
    /// Temperature at which liquid that touches rock sets, in K; 0: it never does.
    pub solidus_k: f64,
    /// Temperature at which what set is liquid again, in K; 0: it never melts.
    pub liquidus_k: f64,
    /// Temperature of air and ground, in K.
    pub ambient_k: f64,
    /// Heat capacity in J/(kg K).
    pub heat_capacity: f64,
    /// Latent heat in J/kg, spread evenly between liquidus and solidus; of a lava that never melts again, between vent and
    /// solidus.
    pub latent_heat: f64,
    /// How the surface cools.
    pub cooling: Cooling,
    /// Emissivity of the surface.
    pub emissivity: f64,
    /// Convection from the surface in W/(m² K).
    pub convection: f64,
    /// Conductivity in W/(m K): of the crust; between cells of a lava that melts; 0: none.
    pub conduction: f64,
    /// Conductivity of bed and roof in W/(m K); 0: nothing is lost to bed and roof.
    pub bed_conduction: f64,
    /// Diffusivity of bed and roof in m²/s.
    pub diffusivity: f64,
}

impl Default for Lava {
    fn default() -> Self {
        Self::etna_basalt()
    }
}

impl Lava {
    /// Whether what set can melt.
    pub fn melts(&self) -> bool {
        self.liquidus_k > 0.0
    }

    /// Heat below the solidus of a kelvin, as part of that above it: what has set has no latent heat to give. 1 of a lava that
    /// melts, and of one without latent heat.
    fn solid_share(&self) -> f64 {
        if self.melts() { 1.0 } else { self.density_kg_m3 * self.heat_capacity / self.heat_per_m3() }
    }

    /// Kelvin of heat that a kelvin at a temperature is.
    pub(crate) fn heat_of_kelvin(&self, temperature_k: f64) -> f64 {
        if temperature_k < self.solidus_k { self.solid_share() } else { 1.0 }
    }

    /// Latent heat in kelvin of the heat capacity, of a lava that melts.
    fn latent_k(&self) -> f64 {
        if self.melts() { self.latent_heat / self.heat_capacity } else { 0.0 }
    }

    /// Heat in kelvin of [`Lava::heat_per_m3`] at a temperature, with the latent heat that is held at it: the enthalpy.
    pub fn heat_at(&self, temperature_k: f64) -> f64 {
        if !self.melts() {
            let below = (self.solidus_k - temperature_k).max(0.0);
            return temperature_k + below * (1.0 - self.solid_share());
        }
        temperature_k + self.latent_k() * self.molten(temperature_k)
    }

    /// Temperature at which this heat is held.
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

    /// Share that is molten at a temperature, of a lava that melts.
    fn molten(&self, temperature_k: f64) -> f64 {
        ((temperature_k - self.solidus_k) / (self.liquidus_k - self.solidus_k)).clamp(0.0, 1.0)
    }

    /// Viscosity in Pa s at a temperature; that at the solidus holds below it.
    pub fn viscosity_pa_s(&self, temperature_k: f64) -> f64 {
        let t = temperature_k.max(self.solidus_k);
        match self.viscosity {
            Viscosity::Constant { pa_s } => pa_s,
            Viscosity::Etna { water, crystals } => {
                let above = (t - 499.31 + 28.74 * libm::log(water)).max(100.0);
                crystals * libm::pow(10.0, -4.643 + (5812.44 - 427.04 * water) / above)
            }
            Viscosity::Vft { a, b, c, least_pa_s, most_pa_s } => {
                libm::pow(10.0, (a + b / (t - c).max(1.0)).min(300.0)).clamp(least_pa_s, most_pa_s)
            }
            Viscosity::Melt { pa_s, mush } => pa_s * libm::pow(mush, 1.0 - self.molten(t)),
        }
        .clamp(LEAST_VISCOSITY, MOST_VISCOSITY)
    }

    /// Yield strength in Pa at a temperature; that at the solidus holds below it.
    pub fn yield_pa(&self, temperature_k: f64) -> f64 {
        let t = temperature_k.max(self.solidus_k);
        let grown =
            if self.yield_factor > 0.0 { self.yield_factor * libm::pow(10.0, 13.00997 - 0.0089 * t) } else { 0.0 };
        (self.yield_pa + grown).min(MOST_YIELD)
    }

    /// Volumetric heat capacity in J/(m³ K), with the latent heat spread between vent and solidus.
    pub fn heat_per_m3(&self) -> f64 {
        let range = (self.vent_k - self.solidus_k).max(1.0);
        // That of a lava that melts is in its heat.
        let latent = if self.melts() { 0.0 } else { self.latent_heat / range };
        self.density_kg_m3 * (self.heat_capacity + latent)
    }

    /// Temperatures of lava without warmth and of lava from the vent: the solidus, or the air where lava never sets, and
    /// the vent's.
    pub fn warmth_k(&self) -> [f64; 2] {
        let cold = if self.solidus_k > 0.0 { self.solidus_k } else { self.ambient_k };
        [cold, self.vent_k.max(cold + 1.0)]
    }

    /// Checks every number; `key` names the table.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of its range.
    pub fn validate(&self, key: &str) -> Result<(), Invalid> {
        let check = |name: &str, value, low, high| within(&format!("{key}.{name}"), value, low, high);
        check("density_kg_m3", self.density_kg_m3, 1.0, 30_000.0)?;
        check("yield_pa", self.yield_pa, 0.0, MOST_YIELD)?;
        check("yield_factor", self.yield_factor, 0.0, 1000.0)?;
        check("vent_k", self.vent_k, LEAST_KELVIN, MOST_KELVIN)?;
        check("solidus_k", self.solidus_k, 0.0, self.vent_k)?;
        self.validate_melting(key)?;
        check("ambient_k", self.ambient_k, 0.0, self.vent_k)?;
        check("heat_capacity", self.heat_capacity, 1.0, 1e5)?;
        check("latent_heat", self.latent_heat, 0.0, 1e7)?;
        check("emissivity", self.emissivity, 0.0, 1.0)?;
        check("convection", self.convection, 0.0, 1e5)?;
        check("conduction", self.conduction, 0.0, 1e4)?;
        check("bed_conduction", self.bed_conduction, 0.0, 1e4)?;
        check("diffusivity", self.diffusivity, 1e-9, 1.0)?;
        match self.cooling {
            Cooling::None => {}
            Cooling::Bare { exposed } => check("cooling.exposed", exposed, 0.0, 1.0)?,
            Cooling::Skin { tear_m, exposed } => {
                check("cooling.tear_m", tear_m, 0.001, 1e6)?;
                check("cooling.exposed", exposed, 0.0, 1.0)?;
            }
        }
        match self.viscosity {
            Viscosity::Constant { pa_s } => check("viscosity.pa_s", pa_s, LEAST_VISCOSITY, MOST_VISCOSITY),
            Viscosity::Melt { pa_s, mush } => {
                check("viscosity.pa_s", pa_s, LEAST_VISCOSITY, MOST_VISCOSITY)?;
                check("viscosity.mush", mush, 1.0, 1e12)
            }
            Viscosity::Etna { water, crystals } => {
                check("viscosity.water", water, 0.001, 8.0)?;
                check("viscosity.crystals", crystals, 0.001, 1e6)
            }
            Viscosity::Vft { a, b, c, least_pa_s, most_pa_s } => {
                check("viscosity.a", a, -20.0, 20.0)?;
                check("viscosity.b", b, 0.0, 50_000.0)?;
                check("viscosity.c", c, 0.0, MOST_KELVIN)?;
                check("viscosity.least_pa_s", least_pa_s, LEAST_VISCOSITY, MOST_VISCOSITY)?;
                check("viscosity.most_pa_s", most_pa_s, least_pa_s, MOST_VISCOSITY)
            }
        }
    }

    /// Checks the keys of a lava that melts.
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
        within(&format!("{key}.solidus_k"), self.solidus_k, LEAST_KELVIN, MOST_KELVIN)?;
        within(&format!("{key}.liquidus_k"), self.liquidus_k, self.solidus_k + LEAST_MUSH_K, MOST_KELVIN)?;
        within(&format!("{key}.latent_heat"), self.latent_heat, 0.0, MOST_KELVIN * self.heat_capacity)?;
        match self.cooling {
            Cooling::Skin { .. } => {
                let expected = "\"bare\" or \"none\" for a lava with a liquidus";
                Err(Invalid::new(&format!("{key}.cooling.kind"), "\"skin\"", expected))
            }
            _ => Ok(()),
        }
    }
}

/// Least kelvin from solidus to liquidus.
const LEAST_MUSH_K: f64 = 0.1;

/// Range of viscosities in Pa s: water to rock.
const LEAST_VISCOSITY: f64 = 1e-4;
const MOST_VISCOSITY: f64 = 1e15;

/// Largest yield strength in Pa.
const MOST_YIELD: f64 = 1e8;

/// Range of temperatures at a vent in K.
pub(crate) const LEAST_KELVIN: f64 = 1.0;
pub(crate) const MOST_KELVIN: f64 = 2000.0;
