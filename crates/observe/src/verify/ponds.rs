//! Verification of ponds at rest against the cooling law of a well-mixed liquid and against 1D heat
//! conduction, with several cell heights.

use super::slab::conducted;
use super::{Measured, MeasuredRow, at_once, curve, flow, flow_box};
use lavoxel_flow::cooling::heat::RADIATION;
use lavoxel_flow::{Cooling, Flow, Lava, Viscosity};

/// Cell heights in metres with which each pond is simulated; the results must not depend on the
/// cell height.
const HEIGHTS_M: [f64; 4] = [2.0, 1.0, 0.5, 0.25];
/// Length of an hour in seconds.
const HOUR_S: f64 = 3600.0;
/// Time step of the simulated ponds, in seconds.
const STEP_S: f64 = 60.0;

/// Creates a pond of 3 × 3 columns between walls; `depth_m`: depth of the lava, `dz_m`: height of a
/// cell, both in metres.
fn pond(lava: &Lava, depth_m: f64, dz_m: f64) -> Flow {
    let space = flow_box([3, (2.0 * depth_m / dz_m) as usize + 2, 3], [10.0, dz_m]);
    let mut flow = flow(space, lava.clone(), STEP_S, false, |_, _| 0.0);
    flow.fill((0..9).map(|c| at_once(c, depth_m * 100.0, lava.vent_k)));
    flow
}

/// Returns the lava of the ponds: 1400 K, conductivity 2 W/(m K), density 2600 kg/m³, heat capacity
/// 1100 J/(kg K). `latent_heat`: latent heat in J/kg; if above 0, the solidus is 1200 K.
fn still(latent_heat: f64) -> Lava {
    Lava {
        density_kg_m3: 2600.0,
        viscosity: Viscosity::Constant { pa_s: 1e6 },
        vent_k: 1400.0,
        solidus_k: if latent_heat > 0.0 { 1200.0 } else { 0.0 },
        ambient_k: 293.0,
        heat_capacity: 1100.0,
        latent_heat,
        cooling: Cooling::Skin {
            tear_m: 1000.0,
            exposed: 0.0,
        },
        emissivity: 0.9,
        convection: 0.0,
        conduction: 2.0,
        bed_conduction: 0.0,
        ..Lava::default()
    }
}

/// Returns the heat that a pond has lost since the start, in GJ per m² of its surface.
fn lost_gj(flow: &Flow) -> f64 {
    let account = flow.account();
    let units = account.heat_sky + account.heat_roof + account.heat_bed;
    units as f64 / flow.heat_units_of_joule() / (9.0 * 100.0) / 1e9
}

/// Compares ponds of uniform temperature (well-mixed) with the cooling law of a liquid that
/// radiates into surroundings of 0 K, for all cell heights.
pub(super) fn stirred() -> Measured {
    let depth_m = 2.0;
    let mut found = curve("theory", ["time in h", "temperature in K"], false);
    let mut rows = Vec::new();
    let mut last = None;
    for latent_heat in [0.0, 3.5e5] {
        let lava = Lava {
            cooling: Cooling::Bare { exposed: 1.0 },
            ambient_k: 0.0,
            solidus_k: 900.0,
            ..still(latent_heat)
        };
        // Radiation into 0 K alone: dT/dt ∝ −T⁴ has the closed solution below.
        let cube = lava.vent_k * lava.vent_k * lava.vent_k;
        let rate = 3.0 * lava.emissivity * RADIATION * cube / (lava.heat_per_m3() * depth_m);
        let law = |t: f64| lava.vent_k / libm::cbrt(1.0 + rate * t);
        for dz_m in HEIGHTS_M {
            let mut flow = pond(&lava, depth_m, dz_m);
            let kelvin = |flow: &Flow| flow.column(4).surface_k.unwrap_or(0.0);
            for _ in 0..8 {
                (0..15).for_each(|_| flow.step(&[]));
                if latent_heat == 0.0 && dz_m == HEIGHTS_M[3] {
                    found.push(flow.time_s() / HOUR_S, kelvin(&flow), law(flow.time_s()));
                }
            }
            let what = format!("kelvin lost in 2 h, L {latent_heat} J/kg, cells of {dz_m} m");
            rows.push(MeasuredRow::relative(
                &what,
                lava.vent_k - law(flow.time_s()),
                lava.vent_k - kelvin(&flow),
                0.01,
            ));
            last = Some(flow);
        }
    }
    Measured::new(rows, found, last.expect("ponds"))
}

/// Compares ponds of `lava` that cool through a crust with 1D heat conduction, for all cell
/// heights. `ponds`: pairs (depth in metres, duration in hours).
fn crusted(lava: &Lava, ponds: &[(f64, f64)]) -> Measured {
    let mut found = curve(
        "conduction on a fine mesh",
        ["time in h", "heat lost in GJ/m²"],
        false,
    );
    let (mut rows, mut last) = (Vec::new(), None);
    for (i, &(depth_m, hours)) in ponds.iter().enumerate() {
        let (reference, top_k) = conducted(lava, depth_m, hours * HOUR_S);
        for dz_m in HEIGHTS_M {
            let mut flow = pond(lava, depth_m, dz_m);
            for part in 1..=8 {
                let until = hours * f64::from(part) / 8.0;
                while flow.time_s() < until * HOUR_S {
                    flow.step(&[]);
                }
                // Only the first pond with the finest cells is plotted; all ponds are judged.
                if i == 0 && dz_m == HEIGHTS_M[3] {
                    found.push(
                        until,
                        lost_gj(&flow),
                        conducted(lava, depth_m, until * HOUR_S).0 / 1e9,
                    );
                }
            }
            let what = format!("GJ/m² lost by {depth_m} m in {hours} h, cells of {dz_m} m");
            rows.push(MeasuredRow::relative(
                &what,
                reference / 1e9,
                lost_gj(&flow),
                0.06,
            ));
            last = Some(flow);
        }
        if let Some(kelvin) = last.as_ref().and_then(|flow| flow.crust_k(4)) {
            let what = format!("top of {depth_m} m after {hours} h, K");
            rows.push(MeasuredRow::absolute(&what, top_k, kelvin, 15.0));
        }
    }
    Measured::new(rows, found, last.expect("ponds"))
}

pub(super) fn still_without_latent_heat() -> Measured {
    crusted(
        &still(0.0),
        &[
            (2.0, 24.0),
            (2.0, 480.0),
            (0.5, 24.0),
            (0.5, 96.0),
            (5.0, 240.0),
        ],
    )
}

pub(super) fn still_with_latent_heat() -> Measured {
    crusted(&still(3.5e5), &[(2.0, 24.0), (2.0, 240.0), (1.0, 48.0)])
}

/// Compares a pond 2 m deep with 1D heat conduction, with the emissivity, convection, conductivity
/// and latent heat of the lava preset `name`.
fn of_preset(name: &str) -> Measured {
    let preset = Lava::preset(name).expect("a preset");
    let cooling = Cooling::Skin {
        tear_m: 1000.0,
        exposed: 0.0,
    };
    crusted(
        &Lava {
            cooling,
            bed_conduction: 0.0,
            ..preset
        },
        &[(2.0, 24.0)],
    )
}

pub(super) fn kilauea() -> Measured {
    of_preset("kilauea")
}

pub(super) fn fogo() -> Measured {
    of_preset("fogo-2014")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lavoxel_flow::{FlowEdit, FlowPour};

    fn hold(measured: &Measured) {
        assert_eq!(measured.flow.check(), Ok(()));
        for row in &measured.rows {
            assert!(row.is_within_tolerance(), "{row:?}");
        }
    }

    #[test]
    fn a_stirred_pond_follows_the_well_mixed_law_at_any_height_of_cells() {
        hold(&stirred());
    }

    #[test]
    fn a_still_pond_cools_as_conduction_has_it_at_any_height_of_cells() {
        hold(&still_without_latent_heat());
        hold(&still_with_latent_heat());
    }

    #[test]
    fn ponds_of_presets_cool_as_conduction_has_it() {
        hold(&kilauea());
        hold(&fogo());
    }

    #[test]
    fn skin_cools_in_every_preset_that_sets_to_rock() {
        for name in Lava::PRESETS {
            let lava = Lava::preset(name).expect("a preset");
            let lava = Lava {
                cooling: Cooling::Skin {
                    tear_m: 100.0,
                    exposed: 0.0,
                },
                bed_conduction: 0.0,
                ..lava
            };
            if lava.melts() {
                assert!(lava.validate("lava").is_err(), "{name}");
                continue;
            }
            let mut flow = pond(&lava, 2.0, 0.5);
            (0..1440).for_each(|_| flow.step(&[]));
            let all = lava.heat_per_m3() * 2.0 * (lava.vent_k - lava.ambient_k);
            let share = lost_gj(&flow) * 1e9 / all;
            // A crust of one day is a considerable part of a metre.
            assert!(share > 0.02, "{name}: {share} of the heat left in a day");
        }
    }

    /// Checks that no liquid is left after a year where lava of a preset fills half of a tunnel and
    /// a pond above the tunnel.
    #[test]
    fn all_heat_leaves_in_the_end() {
        for name in ["etna-basalt", "kilauea", "fogo-2014"] {
            let lava = Lava {
                conduction: 2.0,
                ..Lava::preset(name).expect("a preset")
            };
            let space = flow_box([3, 12, 3], [10.0, 1.0]);
            let mut flow = flow(space, lava.clone(), 1800.0, false, |_, _| 1.0);
            flow.edit((0..9).map(|c| [c % 3, 4, c / 3]), FlowEdit::Rock);
            let into = |c: usize, level: Option<usize>, volume: f64| FlowPour {
                level,
                ..at_once(c, volume, lava.vent_k)
            };
            flow.fill((0..9).flat_map(|c| [into(c, Some(1), 300.0), into(c, None, 400.0)]));
            for _ in 0..365 * 48 {
                if flow.is_dry() {
                    break;
                }
                flow.step(&[]);
            }
            flow.check().expect("exact");
            assert!(flow.is_dry(), "{name}: {:?} after a year", flow.account());
        }
    }
}
