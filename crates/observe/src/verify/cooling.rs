//! Verification cases of heat transport in liquid at rest and in moving liquid.

use super::{Measured, at_once, curve, flow, flow_box, isothermal};
use lavoxel_flow::{Cooling, Flow, FlowEdit, Lava, Viscosity};

pub(super) fn radiation() -> Measured {
    let lava = Lava {
        cooling: Cooling::Bare { exposed: 1.0 },
        ambient_k: 0.0,
        ..isothermal(2600.0, 1e5, 0.0)
    };
    let space = flow_box([5, 8, 5], [10.0, 5.0]);
    let law = |t: f64, lava: &Lava| {
        let rate = 3.0 * lava.emissivity * 5.67e-8 * 1360.0 * 1360.0 * 1360.0;
        1360.0 / libm::cbrt(1.0 + rate * t / (lava.density_kg_m3 * lava.heat_capacity))
    };
    let mut flow = flow(space, lava.clone(), 5.0, false, |_, _| 0.0);
    flow.fill((0..25).map(|c| at_once(c, 100.0, 1360.0)));
    let mut found = curve("theory", ["time in s", "temperature in K"], false);
    for _ in 0..8 {
        (0..200).for_each(|_| flow.step(&[]));
        found.push(
            flow.time_s(),
            flow.column(12).surface_k.unwrap_or(0.0),
            law(flow.time_s(), &lava),
        );
    }
    let rows = vec![found.last_row("temperature after 8,000 s, K", 0.001)];
    Measured::new(rows, found, flow)
}

pub(super) fn bed() -> Measured {
    let lava = Lava {
        bed_conduction: 2.0,
        ..isothermal(2600.0, 1e5, 0.0)
    };
    let space = flow_box([3, 12, 3], [10.0, 5.0]);
    let mut flow = flow(space, lava.clone(), 10.0, false, |_, _| 0.0);
    // Deep liquid hardly cools, so that the temperature difference stays constant as the law
    // assumes.
    flow.fill((0..9).map(|c| at_once(c, 4000.0, 1360.0)));
    let start = 40.0 * lava.heat_per_m3() * 1360.0;
    let law = |t: f64| 2.0 * 2.0 * 1060.0 * (t / (core::f64::consts::PI * lava.diffusivity)).sqrt();
    let mut found = curve("theory", ["time in s", "heat lost in J/m²"], false);
    for _ in 0..8 {
        (0..100).for_each(|_| flow.step(&[]));
        let account = flow.account();
        let lost = account.heat_bed as f64 / account.heat_poured as f64;
        found.push(flow.time_s(), lost * start, law(flow.time_s()));
    }
    let rows = vec![found.last_row("heat lost to the bed, J/m²", 0.02)];
    Measured::new(rows, found, flow)
}

/// Compares solidification with the Stefan problem: liquid at its melting point cools above a cold
/// bed.
pub(super) fn stefan_setting() -> Measured {
    stefan(false)
}

/// Compares melting with the Stefan problem: solid at its melting point melts above a hot bed.
pub(super) fn stefan_melting() -> Measured {
    stefan(true)
}

/// Compares the position of the phase front with Neumann's one-phase solution 2 λ √(α t), where λ
/// exp(λ²) erf(λ) = St/√π and St = c ΔT/L. `melts`: true for melting, false for solidification.
fn stefan(melts: bool) -> Measured {
    let (kelvin, difference, end_s) = (300.0, 40.0, 3600.0);
    let lava = Lava {
        density_kg_m3: 1000.0,
        viscosity: Viscosity::Melt {
            pa_s: 1e6,
            mush: 1.0,
        },
        vent_k: 600.0,
        solidus_k: kelvin - 0.1,
        liquidus_k: kelvin + 0.1,
        ambient_k: if melts {
            kelvin + difference
        } else {
            kelvin - difference
        },
        heat_capacity: 2000.0,
        latent_heat: 2e5,
        conduction: 1.0,
        // Keeps the bed at its temperature: a half-space that takes heat much faster than the layer
        // supplies it.
        bed_conduction: 1e4,
        diffusivity: 1e-9,
        ..isothermal(1000.0, 1e6, 0.0)
    };
    let space = flow_box([1, 80, 1], [1.0, 0.002]);
    let mut flow = flow(space, lava.clone(), 20.0, false, |_, _| 0.0);
    let full = 64;
    if melts {
        flow.edit(
            (0..full).map(|y| [0, y, 0]),
            FlowEdit::Solid {
                temperature_k: lava.solidus_k,
            },
        );
    } else {
        flow.fill([at_once(0, full as f64 * space.cell_m3(), lava.liquidus_k)]);
    }
    let stefan = lava.heat_capacity * difference / lava.latent_heat;
    let lambda = root_of_neumann(stefan);
    let alpha = lava.conduction / (lava.density_kg_m3 * lava.heat_capacity);
    let law = |t: f64| 2.0 * lambda * (alpha * t).sqrt();
    let molten = |flow: &Flow| {
        let share = |y: usize| {
            let kelvin = flow.temperature_k([0, y, 0]).unwrap_or(lava.solidus_k);
            ((kelvin - lava.solidus_k) / (lava.liquidus_k - lava.solidus_k)).clamp(0.0, 1.0)
        };
        (0..full).map(share).sum::<f64>() * space.dz_m
    };
    let mut found = curve("theory", ["time in s", "front in m"], false);
    while flow.time_s() < end_s {
        (0..20).for_each(|_| flow.step(&[]));
        let front = if melts {
            molten(&flow)
        } else {
            full as f64 * space.dz_m - molten(&flow)
        };
        found.push(flow.time_s(), front, law(flow.time_s()));
    }
    let rows = vec![found.last_row("front after an hour, m", 0.05)];
    Measured::new(rows, found, flow)
}

/// Returns the root λ of λ exp(λ²) erf(λ) = St/√π, by bisection; `stefan` is the Stefan number St.
fn root_of_neumann(stefan: f64) -> f64 {
    let left = |lambda: f64| lambda * libm::exp(lambda * lambda) * libm::erf(lambda);
    let (mut low, mut high) = (0.0, 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if left(middle) < stefan / core::f64::consts::PI.sqrt() {
            low = middle
        } else {
            high = middle
        }
    }
    low
}
