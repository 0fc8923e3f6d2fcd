//! Heat losses of liquid to the sky, to roofs and to the bed (the ground below), computed once per
//! step for a lava that never melts again.
//!
//! Invariant: every loss is an integer, subtracted from a run of liquid and added to an account.
//!
//! The heat of a run is a single total, spread evenly over its cells, so losses depend on the depth
//! of the run and not on the height of cells. The temperature profile over the depth is given by
//! the crust (`lid`). A lava that melts has its own heat model (`melt`).

use smallvec::SmallVec;

use crate::cooling::lid::{CrustLaw, Crusted, Profile, profiles};
use crate::store::blocks::BlocksMut;
use crate::store::column::{Column, Run, Slab, UNIT};
use crate::{Cooling, FlowBox, FlowCell, FlowSetup, HEAT_UNITS, Lava, Mark, UNITS};

/// Stefan–Boltzmann constant in W/(m² K⁴).
pub const RADIATION: f64 = 5.67e-8;

/// Number of columns per batch of the heat computation.
pub(crate) const BATCH: usize = 16;

/// Heat losses of liquid in one step, in units of heat.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Losses {
    pub(crate) sky: i64,
    pub(crate) roof: i64,
    pub(crate) bed: i64,
    /// Heat that liquid gave to the slabs of solidified lava above; negative where slabs lost more
    /// heat to the sky than the liquid gave.
    pub(crate) set: i64,
}

impl Losses {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            sky: self.sky + other.sky,
            roof: self.roof + other.roof,
            bed: self.bed + other.bed,
            set: self.set + other.set,
        }
    }
}

/// Constants from which the heat losses of one step are computed.
pub(crate) struct Cool<'a> {
    lava: &'a Lava,
    law: &'a CrustLaw,
    /// Square root of π κ in m/√s, where κ is the thermal diffusivity of the rock of bed and roof.
    bed: f64,
    dz_m: f64,
    /// Length of the step in seconds.
    step_s: f64,
    /// Time at the end of the step, in seconds since the start of the simulation.
    now_s: f64,
}

impl<'a> Cool<'a> {
    pub(crate) fn new(space: FlowBox, setup: &'a FlowSetup, law: &'a CrustLaw, now_s: f64) -> Self {
        let bed = (core::f64::consts::PI * setup.lava.diffusivity).sqrt();
        Self {
            lava: &setup.lava,
            law,
            bed,
            dz_m: space.dz_m,
            step_s: setup.step_s,
            now_s,
        }
    }

    /// Subtracts the heat losses of one step from a batch of columns with liquid (at most `BATCH`)
    /// and returns the losses. `wet` yields for each column its number, its history and the share
    /// of its area that the uppermost liquid covers (0 to 1). The caller must recompute sums and
    /// heights of the columns' runs afterwards.
    pub(crate) fn columns(
        &self,
        columns: &mut BlocksMut<'_, Column>,
        wet: impl Iterator<Item = (usize, Mark, f64)>,
    ) -> Losses {
        let (mut losses, mut surfaces) = (
            Losses::default(),
            SmallVec::<[CrustSurface<'_>; BATCH]>::new(),
        );
        for (c, mark, wetted) in wet {
            let column = &mut columns[c];
            losses = losses.plus(self.below(column, &mark));
            surfaces.extend(self.surface(c, column, mark, wetted));
        }
        let is_skin = matches!(self.lava.cooling, Cooling::Skin { .. });
        // First pass, over the length of the step: the growing crust counts half for the flux, so a
        // long step does not lose at the rate of its thin first moment.
        if matches!(self.lava.cooling, Cooling::Skin { exposed, .. } if exposed < 1.0) {
            let mut fluxes = [0.0; BATCH];
            let bodies = surfaces.iter().map(|surface| surface.body);
            profiles(bodies, self.step_s, |i, profile| fluxes[i] = profile.flux);
            surfaces
                .iter_mut()
                .zip(fluxes)
                .for_each(|(surface, flux)| surface.flux = flux);
        }
        for surface in &mut surfaces {
            losses = losses.plus(self.cool_surface(&mut columns[surface.c], surface));
        }
        // Second pass, after the loss and without growth: the crust and lid that setting and
        // pictures read.
        if is_skin {
            let bodies = surfaces.iter().map(|surface| surface.body);
            profiles(bodies, 0.0, |i, profile| {
                losses.set += self.note_crust(&mut columns[surfaces[i].c], &surfaces[i], profile);
            });
        }
        losses
    }

    /// Subtracts the heat losses to roof and bed of all runs of a column except the one that cools
    /// to the sky, and returns these losses.
    fn below(&self, column: &mut Column, mark: &Mark) -> Losses {
        let mut losses = Losses::default();
        column.lid = 0;
        let cooling = column.cooling_run().map(|(run, _)| run.first);
        for i in 0..column.runs.len() {
            let run = column.runs[i];
            if !run.is_wet() || Some(run.first) == cooling {
                continue;
            }
            let (amount, heat) = run_content(column, &run);
            let body = self.body(column, (amount, heat), 1.0);
            let mut left = heat;
            if run.full {
                let thick_m = roof_m(column, i, self.dz_m);
                losses.roof += take(
                    &mut left,
                    amount,
                    self.to_rock(&body, self.touched_s(mark), thick_m),
                );
            }
            losses.bed += take(
                &mut left,
                amount,
                self.to_rock(&body, self.touched_s(mark), f64::INFINITY),
            );
            spread_evenly(run_cells(column, &run), amount, left);
        }
        losses
    }

    /// Time in seconds, up to the end of the step, for which lava has warmed the bed of a column
    /// with the history `mark`.
    fn touched_s(&self, mark: &Mark) -> f64 {
        (self.now_s - mark.warmed_s).max(0.0)
    }

    fn body(&self, column: &Column, (amount, heat): (i64, i64), wetted: f64) -> Crusted<'a> {
        let mean = heat as f64 / amount as f64 / HEAT_UNITS as f64;
        let depth_m = amount as f64 / f64::from(UNITS) * self.dz_m / wetted;
        Crusted {
            law: self.law,
            mean,
            skin: 0.0,
            depth_m,
            covered: column.covered,
        }
    }

    /// Returns the run of column `c` that cools to the sky, with the state of its crust; `None`
    /// without such a run (crust and slab are then reset). `wetted`: share of the column's area
    /// that the run covers (0 to 1).
    fn surface(
        &self,
        c: usize,
        column: &mut Column,
        mark: Mark,
        wetted: f64,
    ) -> Option<CrustSurface<'a>> {
        let Some((run, slab)) = column.cooling_run() else {
            (column.crust, column.slab) = (0, Slab::default());
            return None;
        };
        column.slab = slab;
        // Rock covers the whole column.
        let wetted = if slab.amount > 0 { 1.0 } else { wetted };
        let liquid = run_content(column, &run);
        let all @ (amount, heat) = (liquid.0 + slab.amount, liquid.1 + slab.heat);
        let mut body = self.body(column, all, wetted);
        body.skin = column.skin_of_body(liquid, body.mean);
        body.skin = body.skin.min((self.law.vent - body.mean).max(0.0));
        Some(CrustSurface {
            c,
            run,
            slab,
            mark,
            wetted,
            amount,
            heat,
            body,
            flux: 0.0,
        })
    }

    /// Subtracts the heat losses to sky and bed of the run `surface`, and returns these losses.
    fn cool_surface(&self, column: &mut Column, surface: &mut CrustSurface<'a>) -> Losses {
        let &mut CrustSurface {
            amount,
            heat,
            mark,
            flux,
            slab,
            ref mut body,
            ..
        } = surface;
        let mut left = heat;
        // Rock is not torn.
        let is_roofed = slab.amount > 0;
        let speed = if is_roofed { 0.0 } else { mark.speed };
        let above = take(&mut left, amount, self.to_sky(body, flux, speed));
        let bed = take(
            &mut left,
            amount,
            self.to_rock(body, self.touched_s(&mark), f64::INFINITY),
        );
        body.mean = left as f64 / amount as f64 / HEAT_UNITS as f64;
        surface.heat = left;
        if is_roofed {
            return Losses {
                roof: above,
                bed,
                ..Losses::default()
            };
        }
        spread_evenly(run_cells(column, &surface.run), amount, left);
        Losses {
            sky: above,
            bed,
            ..Losses::default()
        }
    }

    /// Heat loss of `body` to the sky in a step, in kelvin averaged over its depth: from the
    /// exposed, stirred share of the surface, plus `flux` (W/m²) through the crust. Updates the
    /// heat deficit of the crust, which tearing at `speed` (m/s) reduces. 0 for a covered run,
    /// whose heat water takes by a reaction.
    fn to_sky(&self, body: &mut Crusted<'_>, flux: f64, speed: f32) -> f64 {
        let exposed = match self.lava.cooling {
            Cooling::None => return 0.0,
            Cooling::Bare { exposed } | Cooling::Skin { exposed, .. } => exposed,
        };
        let stirred = if body.covered {
            0.0
        } else {
            self.stirred(body, exposed)
        };
        let Cooling::Skin { tear_m, .. } = self.lava.cooling else {
            return stirred;
        };
        let mut conducted = 0.0;
        if !body.covered && exposed < 1.0 {
            let above = (body.mean - self.law.ambient).max(1e-9);
            let lost = flux.max(0.0) * self.step_s;
            let part = (1.0 - exposed) * lost / (self.law.capacity * body.depth_m * above);
            conducted = above * (1.0 - libm::exp(-part));
        }
        body.skin = (body.skin + conducted) / (1.0 + f64::from(speed) * self.step_s / tear_m);
        stirred + conducted
    }

    /// Heat loss of `body` in a step, in kelvin averaged over its depth, from the share `exposed`
    /// (0 to 1) of the surface at which the hot core is exposed.
    fn stirred(&self, body: &Crusted<'_>, exposed: f64) -> f64 {
        let (lava, law) = (self.lava, self.law);
        let kelvin = law.temperature_of(body.core());
        let above = (kelvin - lava.ambient_k).max(0.0);
        let each = law.heat_of_kelvin(kelvin);
        let capacity = law.capacity * each * body.depth_m;
        // Exact for any step length: dT/dt = −f ε σ T⁴/(ρ c h).
        let cube = kelvin * kelvin * kelvin;
        let rate = 3.0 * exposed * lava.emissivity * RADIATION * cube * self.step_s / capacity;
        let radiated = kelvin - kelvin * inverse_cube_root(rate);
        let around = lava.ambient_k * lava.ambient_k * lava.ambient_k * lava.ambient_k;
        let received = exposed * lava.emissivity * RADIATION * around * self.step_s / capacity;
        let blown = if lava.convection > 0.0 {
            above * (1.0 - libm::exp(-exposed * lava.convection * self.step_s / capacity))
        } else {
            0.0
        };
        each * (radiated - received + blown).clamp(0.0, above)
    }

    /// Heat loss of `body` in a step, in kelvin averaged over its depth, to rock that was at
    /// ambient temperature when lava first touched the rock, `touched_s` seconds ago. A half-space
    /// takes 2 k ΔT √(t/(π κ)) per area up to the time t; a slab of `thick_m` metres with its far
    /// side at ambient temperature takes at least k ΔT t/thickness.
    fn to_rock(&self, body: &Crusted<'_>, touched_s: f64, thick_m: f64) -> f64 {
        let lava = self.lava;
        if lava.bed_conduction <= 0.0 {
            return 0.0;
        }
        let above = (body.mean - self.law.ambient).max(0.0);
        let above_k = (self.law.temperature_of(body.core()) - lava.ambient_k).max(0.0);
        let roots = (touched_s + self.step_s).sqrt() - touched_s.sqrt();
        let half_space = 2.0 * roots / self.bed;
        let taken = lava.bed_conduction * above_k * half_space.max(self.step_s / thick_m);
        let part = taken / (self.law.capacity * body.depth_m * above.max(1e-9));
        above * (1.0 - libm::exp(-part))
    }

    /// Stores in `column` the thickness of the lid and the heat deficit of the crust, clamped to
    /// the largest possible deficit of the run; distributes heat between the slab above and the
    /// liquid of `surface` by `profile`. Returns the heat in units that went into the slab.
    fn note_crust(&self, column: &mut Column, surface: &CrustSurface<'_>, profile: Profile) -> i64 {
        let (body, slab) = (&surface.body, surface.slab);
        let mut skin = body.skin.min(0.5 * (body.mean - profile.surface).max(0.0));
        let mut given = 0;
        if slab.amount > 0 {
            let amount = surface.amount - slab.amount;
            let slab_m = slab.amount as f64 / f64::from(UNITS) * self.dz_m;
            let warm = profile.mean(0.0, slab_m) * slab.amount as f64 * HEAT_UNITS as f64;
            column.slab.heat = (warm as i64).clamp(0, surface.heat);
            given = column.slab.heat - slab.heat;
            let left = surface.heat - column.slab.heat;
            spread_evenly(run_cells(column, &surface.run), amount, left);
            let mean = left as f64 / amount as f64 / HEAT_UNITS as f64;
            skin = (profile.core - mean).max(0.0);
        }
        column.crust = (skin * column.amount() as f64 * HEAT_UNITS as f64) as i64;
        let lid_m = profile.lid_m(self.lava.solidus_k) * surface.wetted;
        let units = lid_m / self.dz_m * f64::from(UNITS);
        column.lid = if units < 1e15 {
            units as i64
        } else {
            i64::MAX / 4
        };
        given
    }
}

/// Run of a column that cools to the sky, with the slab above and the state of its crust, during
/// the heat computation.
struct CrustSurface<'a> {
    /// Number of the column that contains the run.
    c: usize,
    run: Run,
    /// Slab of rock above the run before the step. In this struct, `amount` and `heat` are those of
    /// run and slab together.
    slab: Slab,
    mark: Mark,
    /// Share of the column's area that the run covers (0 to 1).
    wetted: f64,
    amount: i64,
    heat: i64,
    body: Crusted<'a>,
    /// Heat flux out of the surface of the crust in W/m².
    flux: f64,
}

/// Subtracts from `left` (units of heat) the heat by which `amount` units of amount cool by
/// `kelvin` kelvin, or all heat if `left` is less; returns the units of heat removed.
fn take(left: &mut i64, amount: i64, kelvin: f64) -> i64 {
    let taken = ((kelvin * amount as f64 * HEAT_UNITS as f64 + 0.5) as i64).clamp(0, *left);
    *left -= taken;
    taken
}

impl Column {
    /// Heat deficit in kelvin of the crust, averaged over the depth of liquid and slab together.
    /// `amount`, `heat`: amount and heat of the liquid alone, in units; `mean`: mean heat of liquid
    /// and slab together, in kelvin.
    pub(crate) fn skin_of_body(&self, (amount, heat): (i64, i64), mean: f64) -> f64 {
        let skin = f64::from(self.skin());
        if self.slab.amount == 0 {
            return skin;
        }
        let core = heat as f64 / amount as f64 / HEAT_UNITS as f64 + skin;
        (core - mean).max(0.0)
    }
}

/// Thickness in metres of the rock above run `i` of `column`; infinite if liquid lies on that rock.
fn roof_m(column: &Column, i: usize, dz_m: f64) -> f64 {
    match column.runs.get(i + 1) {
        Some(above) if !above.is_wet() => {
            (above.floor - column.runs[i].roof) as f64 * dz_m / UNIT as f64
        }
        _ => f64::INFINITY,
    }
}

/// Mutable slice of the cells of `run` that contain liquid, from the bottom up.
pub(crate) fn run_cells<'a>(column: &'a mut Column, run: &Run) -> &'a mut [FlowCell] {
    let start = (run.first - column.base) as usize;
    &mut column.cells[start..start + (run.top - run.first + 1) as usize]
}

/// Total amount and total heat of the liquid cells of `run`, in units of amount and of heat, read
/// from the cells of `column`.
pub(crate) fn run_content(column: &Column, run: &Run) -> (i64, i64) {
    let start = (run.first - column.base) as usize;
    let cells = &column.cells[start..start + (run.top - run.first + 1) as usize];
    cells.iter().fold((0, 0), |(amount, heat), cell| {
        (amount + i64::from(cell.amount), heat + cell.heat)
    })
}

/// Distributes `heat` units of heat over `cells`, which together contain `amount` units of liquid,
/// in proportion to their amounts; the remainder of the division goes to the lowest cell.
pub(crate) fn spread_evenly(cells: &mut [FlowCell], amount: i64, heat: i64) {
    let [lowest, others @ ..] = cells else { return };
    let mut left = heat;
    for cell in others {
        cell.heat = (i128::from(heat) * i128::from(cell.amount) / i128::from(amount)) as i64;
        left -= cell.heat;
    }
    lowest.heat = left;
}

/// Returns (1 + x)^(−1/3) for x ≥ 0; for small x by two Newton iterations from the series
/// expansion.
fn inverse_cube_root(x: f64) -> f64 {
    if x > 0.05 {
        return 1.0 / libm::cbrt(1.0 + x);
    }
    let better = |y: f64| y * (4.0 - (1.0 + x) * (y * y * y)) * (1.0 / 3.0);
    better(better(1.0 + x * (x * (2.0 / 9.0) - 1.0 / 3.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_cube_root_is_one() {
        for i in 0..2000 {
            let x = libm::exp2(f64::from(i) * 0.02 - 35.0);
            let error = inverse_cube_root(x) * libm::cbrt(1.0 + x) - 1.0;
            assert!(error.abs() < 1e-15, "{x}: {error}");
        }
        assert_eq!(inverse_cube_root(0.0), 1.0);
    }
}
