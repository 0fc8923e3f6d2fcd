//! Drags of a vent's handle: computes the changed vent from the motion of the pointer.

use crate::edit::vent_handles::{Grip, Handle};
use crate::flow::{FLOW_RATE, MOST_KELVIN, rate_of, set_rate};
use crate::input::pointer::Aim;
use crate::messages::Report;
use lavoxel_base::units::VENT_ENERGY_MAX;
use lavoxel_sim::source::VentSpec;

/// Range (smallest, largest) of a vent's radius that a drag can set, in cells.
pub(crate) const VENT_RADIUS: (f64, f64) = (0.0, 40.0);
/// Range (smallest, largest) of a vent's rate that a drag can set in the cellular automaton
/// (classic model), in full cells per step.
pub(crate) const VENT_RATE: (f64, f64) = (0.01, 200.0);
/// Distance in pixels that the pointer must move before a drag changes the vent: since a handle is
/// rarely grabbed at its centre, the vent would jump otherwise.
const STILL_PIXELS: f32 = 2.0;
/// Length in pixels of an upward drag that multiplies the vent's rate by e.
const RATE_PIXELS: f32 = 90.0;
/// Length in pixels of an upward drag that adds 1 to the vent's energy (1: the default of lava from
/// a vent).
const ENERGY_PIXELS: f32 = 150.0;

/// Drag of a vent's handle in progress.
#[derive(Clone, Debug)]
pub(crate) struct Grab {
    pub(crate) handle: Handle,
    pub(crate) pixel: (f32, f32),
    /// Description of the vent at the beginning of the drag.
    pub(crate) spec: VentSpec,
    pub(crate) sent: VentSpec,
}

impl Grab {
    /// Returns the vent that results from a drag to `aim`. A drag of the position or radius handle
    /// follows the ground under the pointer; while the pointer is over the sky, the vent is
    /// unchanged.
    pub(crate) fn dragged_to(&self, aim: &Aim, report: &Report) -> VentSpec {
        let mut spec = self.spec.clone();
        let up = self.pixel.1 - aim.pixel.1;
        // Dead zone: a handle is rarely grabbed at its centre, and the vent must not jump.
        if up.hypot(self.pixel.0 - aim.pixel.0) < STILL_PIXELS {
            return self.sent.clone();
        }
        match self.handle.grip {
            Grip::Place => {
                let Some(point) = aim.ground else {
                    return self.sent.clone();
                };
                let [x, _, z] = inside(point, report);
                spec.move_to([x, z], report.grid);
            }
            Grip::Radius => {
                if let Some([x, _, z]) = aim.ground {
                    let away = (f64::from(x) - spec.x).hypot(f64::from(z) - spec.z);
                    spec.radius = round(away.clamp(VENT_RADIUS.0, VENT_RADIUS.1));
                }
            }
            Grip::Rate if spec.flow.is_some() => drag_flow(&mut spec, up, aim.shift, report),
            Grip::Rate if aim.shift => {
                let energy = spec.energy + f64::from(up / ENERGY_PIXELS);
                spec.energy = round(energy).clamp(0.0, (VENT_ENERGY_MAX * 100.0).floor() / 100.0);
            }
            Grip::Rate => {
                let rate = spec.rate.max(VENT_RATE.0) * f64::from(up / RATE_PIXELS).exp();
                spec.rate = round(rate.clamp(VENT_RATE.0, VENT_RATE.1));
            }
        }
        spec
    }
}

/// Changes a vent of the physical model after a drag by `up` pixels (positive upwards): multiplies
/// the effusion rate by e per `RATE_PIXELS`, or with `shift` raises the temperature by 1 K per
/// pixel.
fn drag_flow(spec: &mut VentSpec, up: f32, shift: bool, report: &Report) {
    let (rate, Some(flow)) = (rate_of(spec), spec.flow.as_deref_mut()) else {
        return;
    };
    if !shift {
        let rate = rate.max(FLOW_RATE.0) * f64::from(up / RATE_PIXELS).exp();
        return set_rate(flow, round(rate.clamp(FLOW_RATE.0, FLOW_RATE.1)));
    }
    let (usual, coldest) = report
        .flow
        .as_ref()
        .map_or((MOST_KELVIN, 0.0), |flow| (flow.vent_k, flow.ambient_k));
    let kelvin = flow.temperature_k.unwrap_or(usual) + f64::from(up);
    flow.temperature_k = Some(kelvin.clamp(coldest, MOST_KELVIN).round());
}

/// Returns `point` (x, y, z in cells) clamped to the simulation box of `report`, rounded to two
/// decimals.
pub(crate) fn inside(point: [f32; 3], report: &Report) -> [f64; 3] {
    let size = [report.grid.nx, report.grid.ny, report.grid.nz];
    std::array::from_fn(|k| round(f64::from(point[k]).clamp(0.0, size[k] as f64)))
}

/// Rounds `value` to two decimals.
pub(crate) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
