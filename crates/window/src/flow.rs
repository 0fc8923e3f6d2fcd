//! Physical lava model in the window: report of its volumes, probe of one column, and edits of its
//! vents.

use lavoxel_base::words::short;
use lavoxel_sim::source::{VentFlow, VentSpec};
use lavoxel_sim::state::State;

/// Range (smallest, largest) of a vent's effusion rate in m³/s that drags and sliders can set.
pub(crate) const FLOW_RATE: (f64, f64) = (0.01, 1000.0);

/// Highest temperature in kelvin of a vent that drags and sliders can set.
pub(crate) const MOST_KELVIN: f64 = 1800.0;

/// State of the physical lava model for the panel: time, temperatures, and volumes since the start.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowReport {
    /// Simulated time since the start, in seconds.
    pub time_s: f64,
    /// Eruption temperature in kelvin, for vents whose settings contain no temperature.
    pub vent_k: f64,
    /// Temperature in kelvin of the air and of the ground before the eruption.
    pub ambient_k: f64,
    /// Volume of lava erupted by all vents since the start (m³).
    pub poured: f64,
    /// Volume of lava in the simulation box that is liquid at present, in m³.
    pub liquid: f64,
    /// Volume of lava that has solidified (m³).
    pub set: f64,
    /// Volume of lava that has left through open sides of the simulation box (m³).
    pub out: f64,
    /// Volume that vents could not erupt because their columns were filled up to the top of the
    /// simulation box (m³).
    pub blocked: f64,
    /// Fraction (0 to 1) of the lava volume flowing between columns that the flux limiter has held
    /// back since the start; 0 if the limiter never acted.
    pub capped: f64,
}

impl FlowReport {
    /// Creates the report of the physical model in `world`; `None` if `world` has the cellular
    /// automaton (classic model).
    pub(crate) fn from_state(world: &State) -> Option<Self> {
        let flow = world.flow()?;
        let (account, lava) = (flow.account(), &flow.setup().lava);
        let m3 = |units: i64| units as f64 * flow.space().unit_m3();
        Some(Self {
            time_s: flow.time_s(),
            vent_k: lava.vent_k,
            ambient_k: lava.ambient_k,
            poured: m3(account.poured),
            liquid: m3(account.liquid()),
            set: m3(account.set),
            out: m3(account.out),
            blocked: m3(account.blocked),
            capped: account.capped_share(),
        })
    }
}

/// Returns the rate of `vent` as displayed: in m³/s for a vent of the physical model (last row of
/// its rate table, 0 for an empty table), else in full cells per step.
pub(crate) fn rate_of(vent: &VentSpec) -> f64 {
    vent.flow.as_ref().map_or(vent.rate, |flow| {
        flow.rates_m3_s.last().map_or(0.0, |[_, rate]| *rate)
    })
}

/// Replaces the rate table in `flow` (settings of a vent of the physical model) by the constant
/// effusion rate `rate_m3_s` (m³/s).
pub(crate) fn set_rate(flow: &mut VentFlow, rate_m3_s: f64) {
    (flow.rates_m3_s, flow.linear) = (vec![[0.0, rate_m3_s]], false);
}

/// Returns the label of a vent of the physical model: its name and effusion rate, and if `whole`
/// also its radius in cells and its temperature in kelvin.
pub(crate) fn label(name: &str, vent: &VentSpec, flow: &VentFlow, whole: bool) -> String {
    let rate = short(rate_of(vent), 2);
    if !whole {
        return format!("{name}  {rate} m³/s");
    }
    let kelvin = flow
        .temperature_k
        .map(|kelvin| format!(", {kelvin:.0} K"))
        .unwrap_or_default();
    format!("{name}: {rate} m³/s, radius {}{kelvin}", vent.radius)
}
