//! Crust of the liquid under the sky: conductive heat flux and temperature over depth, by Goodman's
//! heat-balance integral (1958) with a quadratic profile. The result does not depend on the height
//! of cells.
//!
//! Liquid of depth H has a mean heat ē and a crust whose heat deficit relative to the core is Q
//! (J/m²). With `e` the heat per volume:
//!
//! ```text
//! e_core = ē + Q/H,  δ = 3 Q/(e_core − e_surface), at most H;  then e_core = e_surface + 1.5 (ē − e_surface)
//! 2 k (T_core − T_surface)/δ = ε σ (T_surface⁴ − T_a⁴) + h_c (T_surface − T_a)
//! e(z) = e_core − (e_core − e_surface) (1 − z/δ)²
//! ```
//!
//! Heat is in kelvin: heat per volume divided by [`Lava::heat_per_m3`]. Q is stored in the same
//! unit, as Q/H (`Column::skin`).

use crate::Lava;
use crate::cooling::heat::RADIATION;
use crate::motion::lanes::{LANES, Lanes, Mask};
use lavoxel_base::simd::{Level, Simd, Work};

/// Heat transfer coefficient in W/(m² K) between the surface of lava and water that lies on the
/// lava.
pub(crate) const WATER: f64 = 1000.0;

/// Largest number of iterations of the root search for the surface temperature.
const STEPS: usize = 30;
/// Change of the surface temperature in kelvin below which the root search ends.
const NEAR_K: f64 = 0.01;

/// Constants of a lava, one that never melts again, for the heat balance of its crust; computed
/// once, since the balance is solved for every column with liquid in every step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrustLaw {
    /// Radiation coefficient ε σ in W/(m² K⁴).
    radiated: f64,
    /// Heat transfer coefficient by convection into the air in W/(m² K).
    convection: f64,
    ambient_k: f64,
    solidus_k: f64,
    /// Ratio of the heat that warms lava by 1 K below the solidus to the heat that warms lava by 1
    /// K above the solidus.
    solid_share: f64,
    /// 1 − `solid_share`: share of latent heat in the heat that warms lava by 1 K above the
    /// solidus.
    latent_share: f64,
    /// 1/`solid_share` − 1, used to convert enthalpies below the solidus to temperatures.
    back: f64,
    /// Enthalpy over heat capacity (K) of lava at the temperature of the vent.
    pub(crate) vent: f64,
    /// Enthalpy over heat capacity (K) of lava at ambient temperature.
    pub(crate) ambient: f64,
    /// Volumetric heat capacity, latent heat included, in J/(m³ K).
    pub(crate) capacity: f64,
    /// Twice the thermal conductivity of the crust, in W/(m K).
    conducted: f64,
}

impl CrustLaw {
    pub(crate) fn from_lava(lava: &Lava) -> Self {
        let solid_share = lava.heat_of_kelvin(f64::NEG_INFINITY);
        Self {
            radiated: lava.emissivity * RADIATION,
            convection: lava.convection,
            ambient_k: lava.ambient_k,
            solidus_k: lava.solidus_k,
            solid_share,
            latent_share: 1.0 - solid_share,
            back: 1.0 / solid_share - 1.0,
            vent: lava.heat_at(lava.vent_k),
            ambient: lava.heat_at(lava.ambient_k),
            capacity: lava.heat_per_m3(),
            conducted: 2.0 * lava.conduction,
        }
    }

    /// Temperature in K of lava whose enthalpy over heat capacity is `heat` (K), like
    /// [`Lava::temperature_of`].
    #[inline(always)]
    pub(crate) fn temperature_of(&self, heat: f64) -> f64 {
        heat - (self.solidus_k - heat).max(0.0) * self.back
    }

    /// Enthalpies over heat capacity (K) for a vector of temperatures in K, like [`Lava::heat_at`].
    #[inline(always)]
    fn heats_at(&self, kelvin: Lanes) -> Lanes {
        let below = (Lanes::all(self.solidus_k) - kelvin).max(Lanes::all(0.0));
        kelvin + below * Lanes::all(self.latent_share)
    }

    /// Temperatures in K for a vector of enthalpies over heat capacity (K), like
    /// [`Lava::temperature_of`].
    #[inline(always)]
    fn temperatures_of(&self, heat: Lanes) -> Lanes {
        let below = (Lanes::all(self.solidus_k) - heat).max(Lanes::all(0.0));
        heat - below * Lanes::all(self.back)
    }

    /// Changes of enthalpy over heat capacity (K) for a warming by 1 K, for a vector of
    /// temperatures in K, like [`Lava::heat_of_kelvin`].
    #[inline(always)]
    fn heats_of_kelvin(&self, kelvin: Lanes) -> Lanes {
        kelvin
            .less(Lanes::all(self.solidus_k))
            .pick(Lanes::all(self.solid_share), Lanes::all(1.0))
    }

    /// Change of enthalpy over heat capacity (K) for a warming by 1 K at the temperature `kelvin`
    /// (K), like [`Lava::heat_of_kelvin`].
    #[inline(always)]
    pub(crate) fn heat_of_kelvin(&self, kelvin: f64) -> f64 {
        if kelvin < self.solidus_k {
            self.solid_share
        } else {
            1.0
        }
    }
}

/// Liquid of a column that cools to the sky, as input of the crust computation: heat, crust, depth
/// and cover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crusted<'a> {
    pub(crate) law: &'a CrustLaw,
    /// Mean enthalpy of the liquid over its heat capacity, in K.
    pub(crate) mean: f64,
    /// Heat deficit of the crust relative to the core (Q/H), in kelvin, averaged over the depth of
    /// the liquid.
    pub(crate) skin: f64,
    pub(crate) depth_m: f64,
    /// Cover flag: true if another material, for example water, lies on the liquid.
    pub(crate) covered: bool,
}

/// Heat as a function of depth below the surface of liquid with a crust.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Profile {
    /// Enthalpy over heat capacity (K) of the core, the liquid below the crust.
    pub(crate) core: f64,
    /// Enthalpy over heat capacity (K) of the lava at the surface of the crust.
    pub(crate) surface: f64,
    /// Thickness of the crust in metres; the core lies below.
    pub(crate) crust_m: f64,
    pub(crate) surface_k: f64,
    /// Heat flux out of the surface of the crust into air or water, in W/m².
    pub(crate) flux: f64,
}

/// Inputs of the root search for the surface temperatures of a batch of columns, one column per
/// lane.
struct Search<'a> {
    law: &'a CrustLaw,
    mean: Lanes,
    depth_m: Lanes,
    convection: Lanes,
    core: Lanes,
    core_k: Lanes,
    /// Three times the heat deficit of the crust before it grows, in K m.
    lacks: Lanes,
    /// Increase of `lacks`, in K m per W/m² of outgoing flux, by the growth of the crust.
    grown: f64,
}

/// Surface heat balance of a batch of columns at trial temperatures, one column per lane:
/// conductive influx minus outflux (`excess`, W/m²), its derivative by temperature (`slope`, W/(m²
/// K)), the outflux (`flux`, W/m²), and three times the heat deficit of the crust (`lacks`, K m).
#[derive(Clone, Copy)]
struct Balance {
    excess: Lanes,
    slope: Lanes,
    flux: Lanes,
    lacks: Lanes,
}

impl Crusted<'_> {
    /// Enthalpy of the core over heat capacity, in K: mean plus heat deficit of the crust, limited
    /// to the value of lava at the vent unless the mean is larger.
    #[inline]
    pub(crate) fn core(&self) -> f64 {
        (self.mean + self.skin).min(self.law.vent.max(self.mean))
    }

    /// Profile of heat over depth for the present thickness of the crust.
    pub(crate) fn profile(&self) -> Profile {
        let mut found = None;
        profiles([*self], 0.0, |_, profile| found = Some(profile));
        found.expect("one for each run")
    }
}

/// Computes the profiles of heat over depth of `runs` while their crusts grow for `seconds`, and
/// calls `each` with the index and the profile of each run. Half of the heat lost in this time
/// enters the thickness of the crust (mean over the step).
pub(crate) fn profiles<'a, I>(runs: I, seconds: f64, mut each: impl FnMut(usize, Profile))
where
    I: IntoIterator<Item = Crusted<'a>>,
{
    let mut runs = runs.into_iter();
    let mut first = 0;
    while let Some(run) = runs.next() {
        let (mut some, mut count) = ([run; LANES], 1);
        for (lane, run) in some[1..].iter_mut().zip(&mut runs) {
            (*lane, count) = (run, count + 1);
        }
        let mut found = [Profile::NONE; LANES];
        Level::fastest().run(Solve {
            runs: &some,
            seconds,
            found: &mut found,
        });
        (0..count).for_each(|i| each(first + i, found[i]));
        first += count;
    }
}

/// Computation of the profiles of a batch.
struct Solve<'a> {
    runs: &'a [Crusted<'a>; LANES],
    seconds: f64,
    found: &'a mut [Profile; LANES],
}

impl Work for Solve<'_> {
    #[inline(always)]
    fn with<S: Simd>(self, _: S) {
        *self.found = Search::new(self.runs, self.seconds).profiles();
    }
}

impl<'a> Search<'a> {
    #[inline(always)]
    fn new(runs: &[Crusted<'a>; LANES], seconds: f64) -> Self {
        let law = runs[0].law;
        let of = |number: fn(&Crusted<'a>) -> f64| Lanes(std::array::from_fn(|i| number(&runs[i])));
        let core = of(|run| run.core());
        Self {
            law,
            mean: of(|run| run.mean),
            depth_m: of(|run| run.depth_m),
            convection: of(|run| {
                if run.covered {
                    WATER
                } else {
                    run.law.convection
                }
            }),
            core,
            core_k: law.temperatures_of(core),
            lacks: of(|run| 3.0 * run.skin * run.depth_m),
            grown: 1.5 * seconds / law.capacity,
        }
    }

    #[inline(always)]
    fn profiles(&self) -> [Profile; LANES] {
        let air = Lanes::all(self.law.ambient_k);
        let is_warm = air.less(self.core_k);
        let (mut low, mut high) = (
            is_warm.pick(air, self.core_k),
            is_warm.pick(self.core_k, air),
        );
        let (mut kelvin, mut open) = (self.first_guess(low, high), Mask::ALL);
        let mut found = self.balance(kelvin);
        for _ in 0..STEPS {
            let is_above = found.excess.less(Lanes::all(0.0));
            (low, high) = (is_above.pick(low, kelvin), is_above.pick(kelvin, high));
            let newton = kelvin - found.excess / found.slope;
            let is_inside = low.less(newton) & newton.less(high);
            let next = is_inside.pick(newton, Lanes::all(0.5) * (low + high));
            let is_near = (next - kelvin).abs().less(Lanes::all(NEAR_K));
            // A lane that has converged keeps its temperature, and so its balance.
            kelvin = open.pick(next, kelvin);
            found = self.balance(kelvin);
            open = open & !is_near;
            if !open.is_any() {
                break;
            }
        }
        self.profiles_at(kelvin, &found)
    }

    /// Start temperatures in K for the root search, between `low` and `high`: above the surface
    /// temperature of a thin crust, and close to the root where convection or radiation takes
    /// nearly all the heat. Starting from the temperature of the core takes twice the iterations.
    #[inline(always)]
    fn first_guess(&self, low: Lanes, high: Lanes) -> Lanes {
        let (law, all) = (self.law, Lanes::all);
        let air = all(law.ambient_k);
        // Flux through the crust under a surface at ambient temperature: an upper bound of the
        // loss.
        let lacks = self.lacks.max(all(1e-9));
        let most = (all(law.conducted) * (self.core_k - air) * (self.core - all(law.ambient))
            / lacks)
            .max(all(0.0));
        let glows = (most / all(law.radiated.max(1e-30)) + air * air * air * air)
            .root()
            .root();
        let blown = air + most / self.convection.max(all(1e-9));
        low.max(high.min(glows.min(blown)))
    }

    /// Mask of the columns whose crust is thinner than their liquid, for crusts with the heat
    /// deficit `lacks`/3 (K m) and surfaces with the enthalpy over heat capacity `surface` (K).
    #[inline(always)]
    fn is_thin(&self, lacks: Lanes, surface: Lanes) -> Mask {
        lacks.less(self.depth_m * (self.core - surface))
    }

    /// Enthalpy over heat capacity (K) of the core below a crust as thick as the liquid, for
    /// surfaces with the enthalpy over heat capacity `surface` (K).
    #[inline(always)]
    fn core_below(&self, surface: Lanes) -> Lanes {
        surface + Lanes::all(1.5) * (self.mean - surface).max(Lanes::all(0.0))
    }

    #[inline(always)]
    fn balance(&self, kelvin: Lanes) -> Balance {
        let (law, all) = (self.law, Lanes::all);
        let air = law.ambient_k;
        let cube = kelvin * kelvin * kelvin;
        let flux = all(law.radiated) * (cube * kelvin - all(air * air * air * air))
            + self.convection * (kelvin - all(air));
        let flux_slope = all(4.0 * law.radiated) * cube + self.convection;
        let (surface, each) = (law.heats_at(kelvin), law.heats_of_kelvin(kelvin));
        let grown = all(self.grown);
        let lacks = (self.lacks + grown * flux.max(all(0.0))).max(all(1e-9));
        let (over, over_k) = (self.core - surface, self.core_k - kelvin);
        let mut through = all(law.conducted) * over_k * over / lacks;
        let mut slope = all(-law.conducted) * (over + over_k * each) / lacks;
        if self.grown > 0.0 {
            slope = slope - through * grown * flux_slope / lacks;
        }
        let is_thin = self.is_thin(lacks, surface);
        if (!is_thin).is_any() {
            let (thick_through, thick_slope) = self.thick(kelvin, surface, each);
            (through, slope) = (
                is_thin.pick(through, thick_through),
                is_thin.pick(slope, thick_slope),
            );
        }
        Balance {
            excess: through - flux,
            slope: slope - flux_slope,
            flux,
            lacks,
        }
    }

    /// Heat flux in W/m² through a crust as thick as the liquid, and its derivative by the surface
    /// temperature in W/(m² K). `kelvin`: temperature of the surface in K; `surface`: its enthalpy
    /// over heat capacity (K); `each`: change of that value per kelvin.
    #[inline(always)]
    fn thick(&self, kelvin: Lanes, surface: Lanes, each: Lanes) -> (Lanes, Lanes) {
        let (law, all) = (self.law, Lanes::all);
        let core_k = law.temperatures_of(self.core_below(surface));
        let bent = all(1.0) + all(0.5) * each / law.heats_of_kelvin(core_k);
        let through = all(law.conducted) * (core_k - kelvin) / self.depth_m;
        (through, all(-law.conducted) * bent / self.depth_m)
    }

    #[inline(always)]
    fn profiles_at(
        &self,
        kelvin: Lanes,
        &Balance { flux, lacks, .. }: &Balance,
    ) -> [Profile; LANES] {
        let surface = self.law.heats_at(kelvin);
        let is_thin = self.is_thin(lacks, surface);
        let core = is_thin.pick(self.core, self.core_below(surface));
        let crust_m = is_thin.pick(lacks / (self.core - surface), self.depth_m);
        std::array::from_fn(|i| Profile {
            core: core.0[i],
            surface: surface.0[i],
            crust_m: crust_m.0[i],
            surface_k: kelvin.0[i],
            flux: flux.0[i],
        })
    }
}

impl Profile {
    /// Placeholder before a profile is computed.
    const NONE: Self = Self {
        core: 0.0,
        surface: 0.0,
        crust_m: 0.0,
        surface_k: 0.0,
        flux: 0.0,
    };

    /// Mean enthalpy over heat capacity (K) between the depths `from_m` and `to_m` (metres below
    /// the surface).
    pub(crate) fn mean(&self, from_m: f64, to_m: f64) -> f64 {
        let cube = |depth_m: f64| {
            let rest = (1.0 - depth_m / self.crust_m).max(0.0);
            rest * rest * rest
        };
        let lacks = (self.core - self.surface) * self.crust_m / 3.0 * (cube(from_m) - cube(to_m));
        self.core - lacks / (to_m - from_m).max(1e-12)
    }

    /// Thickness of the lid in metres: depth down to which the enthalpy over heat capacity does not
    /// exceed `heat` (K); infinite if the core does not exceed `heat` either.
    pub(crate) fn lid_m(&self, heat: f64) -> f64 {
        if self.core <= heat {
            return f64::INFINITY;
        }
        if self.surface >= heat {
            return 0.0;
        }
        self.crust_m * (1.0 - ((self.core - heat) / (self.core - self.surface)).sqrt())
    }

    /// Thermal resistance in m² K/W of the crust between core and surface.
    pub(crate) fn resistance(&self, lava: &Lava) -> f64 {
        self.crust_m / (2.0 * lava.conduction.max(1e-9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_base::random::mix64;

    /// Profile of heat over depth of one column: scalar reference of the vector code, operation for
    /// operation.
    fn plain(lava: &Lava, run: &Crusted<'_>, seconds: f64) -> Profile {
        let (air, core) = (lava.ambient_k, run.core());
        let core_k = lava.temperature_of(core);
        let (mut low, mut high) = (air.min(core_k), core_k.max(air));
        let lacks = (3.0 * run.skin * run.depth_m).max(1e-9);
        let most =
            (2.0 * lava.conduction * (core_k - air) * (core - lava.heat_at(air)) / lacks).max(0.0);
        let glows = (most / (lava.emissivity * RADIATION).max(1e-30) + air * air * air * air)
            .sqrt()
            .sqrt();
        let convection = if run.covered { WATER } else { lava.convection };
        let blown = air + most / convection.max(1e-9);
        let mut kelvin = glows.min(blown).min(high).max(low);
        let mut found = plain_balance(lava, run, kelvin, seconds);
        // Newton steps guarded by bisection, in the order of operations of the vectors, so that
        // bits can be compared.
        for _ in 0..STEPS {
            if found.0 < 0.0 {
                high = kelvin;
            } else {
                low = kelvin;
            }
            let newton = kelvin - found.0 / found.1;
            let next = if newton > low && newton < high {
                newton
            } else {
                0.5 * (low + high)
            };
            let is_near = (next - kelvin).abs() < NEAR_K;
            kelvin = next;
            found = plain_balance(lava, run, kelvin, seconds);
            if is_near {
                break;
            }
        }
        found.2
    }

    fn plain_balance(
        lava: &Lava,
        run: &Crusted<'_>,
        kelvin: f64,
        seconds: f64,
    ) -> (f64, f64, Profile) {
        let convection = if run.covered { WATER } else { lava.convection };
        let (radiated, air) = (lava.emissivity * RADIATION, lava.ambient_k);
        let (cube, air_cube) = (kelvin * kelvin * kelvin, air * air * air);
        let flux = radiated * (cube * kelvin - air_cube * air) + convection * (kelvin - air);
        let flux_slope = 4.0 * radiated * cube + convection;
        let (surface, each) = (lava.heat_at(kelvin), lava.heat_of_kelvin(kelvin));
        let grown = 1.5 * seconds / lava.heat_per_m3();
        let lacks = (3.0 * run.skin * run.depth_m + grown * flux.max(0.0)).max(1e-9);
        let (core, conducted) = (run.core(), 2.0 * lava.conduction);
        if lacks < run.depth_m * (core - surface) {
            let (over, over_k) = (core - surface, lava.temperature_of(core) - kelvin);
            let through = conducted * over_k * over / lacks;
            let slope =
                -conducted * (over + over_k * each) / lacks - through * grown * flux_slope / lacks;
            let profile = Profile {
                core,
                surface,
                crust_m: lacks / over,
                surface_k: kelvin,
                flux,
            };
            return (through - flux, slope - flux_slope, profile);
        }
        let core = surface + 1.5 * (run.mean - surface).max(0.0);
        let core_k = lava.temperature_of(core);
        let through = conducted * (core_k - kelvin) / run.depth_m;
        let slope = -conducted * (1.0 + 0.5 * each / lava.heat_of_kelvin(core_k)) / run.depth_m;
        (
            through - flux,
            slope - flux_slope,
            Profile {
                core,
                surface,
                crust_m: run.depth_m,
                surface_k: kelvin,
                flux,
            },
        )
    }

    #[test]
    fn profiles_of_several_runs_are_those_of_each_to_the_bit() {
        // Equal to the bit: otherwise a profile would depend on the runs that share its batch.
        let (mut thin, mut thick, mut cold) = (0, 0, 0);
        for seed in 0..3000_u64 {
            let draw = |i: u64| (mix64(seed << 8 | i) >> 11) as f64 / (1u64 << 53) as f64;
            let name = if seed % 3 == 0 {
                "fogo-2014"
            } else {
                "etna-basalt"
            };
            let mut lava = Lava::preset(name).expect("a preset");
            lava.conduction = if draw(1) < 0.05 { 0.0 } else { 4.0 * draw(2) };
            (lava.latent_heat, lava.convection) = (4e5 * draw(3), 80.0 * draw(4));
            if draw(5) < 0.1 {
                lava.solidus_k = 0.0;
            }
            let law = CrustLaw::from_lava(&lava);
            let run = |i: u64| Crusted {
                law: &law,
                mean: 250.0 + 1300.0 * draw(10 * i + 6),
                skin: if draw(10 * i + 7) < 0.2 {
                    0.0
                } else {
                    900.0 * draw(10 * i + 8).powi(3)
                },
                depth_m: 20.0 * draw(10 * i + 9).powi(4) + 1e-6,
                covered: draw(10 * i + 5) < 0.3,
            };
            let runs: Vec<Crusted<'_>> = (1..2 + seed % 11).map(run).collect();
            for seconds in [0.0, 1.0, 40.0, 3600.0] {
                let mut found = Vec::new();
                profiles(runs.iter().copied(), seconds, |i, profile| {
                    assert_eq!(i, found.len());
                    found.push(profile);
                });
                assert_eq!(found.len(), runs.len());
                for (run, found) in runs.iter().zip(found) {
                    let bits = |p: Profile| {
                        [p.core, p.surface, p.crust_m, p.surface_k, p.flux].map(f64::to_bits)
                    };
                    let expected = plain(&lava, run, seconds);
                    assert_eq!(
                        bits(found),
                        bits(expected),
                        "{found:?} for {expected:?} of {run:?}"
                    );
                    thin += usize::from(expected.crust_m < run.depth_m);
                    thick += usize::from(expected.crust_m == run.depth_m);
                    cold += usize::from(expected.surface_k < lava.solidus_k);
                }
            }
        }
        assert!(
            thin > 1000 && thick > 1000 && cold > 1000,
            "{thin} {thick} {cold}"
        );
    }
}
