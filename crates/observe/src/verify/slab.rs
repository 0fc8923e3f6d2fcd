//! Reference solution for crusts: 1D heat conduction in a slab with a radiating surface, on a fine
//! grid.

use lavoxel_flow::Lava;
use lavoxel_flow::cooling::heat::RADIATION;

/// Simulates heat conduction in a slab of `lava` with a radiating surface until the time `end_s`
/// (s); `depth_m`: depth of the slab in metres. Returns the heat loss in J/m², and the final
/// temperature of the surface in K. Method: implicit finite volumes, thinnest at the surface.
pub(super) fn conducted(lava: &Lava, depth_m: f64, end_s: f64) -> (f64, f64) {
    let count = 300;
    let widths: Vec<f64> = {
        let raw: Vec<f64> = (0..count)
            .map(|i| 1.0 + 40.0 * f64::from(i) / f64::from(count))
            .collect();
        let sum: f64 = raw.iter().sum();
        raw.into_iter().map(|width| width * depth_m / sum).collect()
    };
    let capacity = lava.heat_per_m3();
    let start = lava.heat_at(lava.vent_k);
    let mut heat = vec![start; widths.len()];
    let (mut time, mut top, mut step) = (0.0, lava.vent_k, 0.5);
    let mut sum = 0.0;
    while time < end_s {
        step = (step * 1.02_f64).min(60.0).min(end_s - time).max(1e-3);
        let before = heat.clone();
        // Picard iteration: heat capacities and surface flux from the last guess.
        for _ in 0..4 {
            let kelvin: Vec<f64> = heat.iter().map(|&each| lava.temperature_of(each)).collect();
            top = surface(lava, kelvin[0], widths[0]);
            let flux_slope = 4.0 * lava.emissivity * RADIATION * top * top * top + lava.convection;
            // Half-cell conduction and the linearised surface flux in series.
            let both = 1.0 / (1.0 / flux_slope + 0.5 * widths[0] / lava.conduction);
            let flux = lava.conduction * (kelvin[0] - top) / (0.5 * widths[0]);
            let solved = implicit(lava, (&before, &heat, &kelvin), &widths, (step, flux, both));
            heat = solved;
        }
        time += step;
        sum = heat
            .iter()
            .zip(&widths)
            .map(|(each, width)| (start - each) * width * capacity)
            .sum();
    }
    (sum, top)
}

/// Returns the surface temperature in K at which the conduction through the upper half of the
/// slab's top cell equals the heat flux from the surface to the air. `kelvin`: temperature of the
/// top cell in K; `width_m`: its height in metres. Method: bisection.
fn surface(lava: &Lava, kelvin: f64, width_m: f64) -> f64 {
    let (mut low, mut high) = (lava.ambient_k, kelvin);
    for _ in 0..50 {
        let middle: f64 = 0.5 * (low + high);
        let radiated = lava.emissivity * RADIATION * (middle.powi(4) - lava.ambient_k.powi(4));
        let leaves = radiated + lava.convection * (middle - lava.ambient_k);
        if lava.conduction * (kelvin - middle) / (0.5 * width_m) > leaves {
            low = middle
        } else {
            high = middle
        }
    }
    0.5 * (low + high)
}

/// Returns the heats of all cells, the uppermost first, after one Newton iteration of an implicit
/// time step. `before`: heats at the start of the step; `guess`, `kelvin`: heats and temperatures
/// (K) of the last iteration; `widths`: heights of the cells in metres; `step`: time step in
/// seconds; `flux`: heat flux from the surface in W/m²; `both`: derivative of this flux by the
/// temperature of the top cell, in W/(m² K).
fn implicit(
    lava: &Lava,
    (before, guess, kelvin): (&[f64], &[f64], &[f64]),
    widths: &[f64],
    (step, flux, both): (f64, f64, f64),
) -> Vec<f64> {
    let n = guess.len();
    let capacity = lava.heat_per_m3();
    // Derivative of the temperature by the heat, which links the unknown heats to conduction.
    let each: Vec<f64> = kelvin
        .iter()
        .map(|&t| 1.0 / lava.heat_of_kelvin(t))
        .collect();
    let between = |i: usize| lava.conduction / (0.5 * (widths[i] + widths[i + 1]));
    let (mut low, mut middle, mut high, mut right) =
        (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        middle[i] = capacity * widths[i] / step;
        right[i] = capacity * widths[i] / step * (before[i] - guess[i]);
        if i == 0 {
            middle[i] += both * each[i];
            right[i] -= flux;
        } else {
            middle[i] += between(i - 1) * each[i];
            low[i] = -between(i - 1) * each[i - 1];
            right[i] += between(i - 1) * (kelvin[i - 1] - kelvin[i]);
        }
        if i + 1 < n {
            middle[i] += between(i) * each[i];
            high[i] = -between(i) * each[i + 1];
            right[i] += between(i) * (kelvin[i + 1] - kelvin[i]);
        }
    }
    for i in 1..n {
        let part = low[i] / middle[i - 1];
        middle[i] -= part * high[i - 1];
        right[i] -= part * right[i - 1];
    }
    let mut change = vec![0.0; n];
    for i in (0..n).rev() {
        let above = if i + 1 < n {
            high[i] * change[i + 1]
        } else {
            0.0
        };
        change[i] = (right[i] - above) / middle[i];
    }
    guess.iter().zip(change).map(|(a, b)| a + b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_flow::Cooling;

    #[test]
    fn it_is_a_half_space_while_the_heat_below_has_not_left() {
        // Nearly fixed surface temperature: 2 k ΔT √(t/(π κ)).
        let lava = Lava {
            emissivity: 1.0,
            conduction: 1e-3,
            latent_heat: 0.0,
            vent_k: 1400.0,
            cooling: Cooling::None,
            ..Lava::default()
        };
        let end_s = 48.0 * 3600.0;
        let (found, top) = conducted(&lava, 0.02, end_s);
        let kappa = lava.conduction / lava.heat_per_m3();
        let law = 2.0
            * lava.conduction
            * (1400.0 - top)
            * (end_s / (core::f64::consts::PI * kappa)).sqrt();
        assert!((found / law - 1.0).abs() < 0.02, "{found} for {law} J/m²");
    }
}
