//! The physical model in the window: what it is in numbers, what lies in a column of it, and how its vents are changed.

use lavoxel_base::words::{rough, short};
use lavoxel_flow::{Flow, FlowColumn};
use lavoxel_scene::scene::Seconds;
use lavoxel_sim::source::{VentFlow, VentSpec};
use lavoxel_sim::state::State;

/// Lowest and highest rate of a vent in m³/s that a drag or a slider gives.
pub(crate) const FLOW_RATE: (f64, f64) = (0.01, 1000.0);

/// Highest temperature of a vent in kelvin that a drag or a slider gives.
pub(crate) const MOST_KELVIN: f64 = 1800.0;

/// Kelvin of 0 °C.
pub(crate) const ZERO_CELSIUS_K: f64 = 273.15;

/// A temperature for the user: `1350 K (1077 °C)`.
fn warmth(kelvin: f64) -> String {
    format!("{kelvin:.0} K ({:.0} °C)", kelvin - ZERO_CELSIUS_K)
}

/// A flow in numbers; volumes in cubic metres.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowReport {
    /// Seconds from the start.
    pub time_s: f64,
    /// Temperature of a vent that says none, in kelvin.
    pub vent_k: f64,
    /// Temperature of air and ground, in kelvin.
    pub ambient_k: f64,
    /// Poured in.
    pub poured: f64,
    /// Liquid now.
    pub liquid: f64,
    /// Turned to rock.
    pub set: f64,
    /// Left through open sides.
    pub out: f64,
    /// Not poured because the column was full.
    pub blocked: f64,
    /// Share of the fluxes that were held back.
    pub capped: f64,
}

impl FlowReport {
    /// The flow of a world, if it has one.
    pub(crate) fn of(world: &State) -> Option<Self> {
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

/// Contents of the column under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowProbe {
    /// The column.
    pub column: FlowColumn,
    /// Temperature of the lava of the cell, or else of the uppermost cell of the column, in kelvin: that of what lies under a crust.
    pub kelvin: Option<f64>,
    /// Temperature of the surface under the sky, as pictures draw it, in kelvin.
    pub surface_k: Option<f64>,
}

impl FlowProbe {
    /// The flow at a cell.
    pub(crate) fn of(flow: &Flow, cell: [usize; 3]) -> Self {
        let number = cell[2] * flow.space().nx + cell[0];
        let column = flow.column(number);
        Self { column, kelvin: flow.temperature_k(cell).or(column.surface_k), surface_k: flow.crust_k(number) }
    }

    /// Lines for the user.
    pub(crate) fn words(&self) -> String {
        let FlowProbe { column, kelvin, surface_k } = self;
        let mut lines = Vec::new();
        if column.liquid_m > 0.0 {
            let named = |name: &str, kelvin: &Option<f64>| {
                kelvin.map(|kelvin| format!("   {name} {}", warmth(kelvin))).unwrap_or_default()
            };
            let kelvin = format!("{}{}", named("surface", surface_k), named("inside", kelvin));
            let viscosity = column.viscosity_pa_s.map(|pa_s| format!("   {pa_s:.3e} Pa s")).unwrap_or_default();
            let roofed = if column.roofed { "   under a roof" } else { "" };
            lines.push(format!("lava {} m{kelvin}{viscosity}{roofed}", rough(column.liquid_m)));
            if let Some(core_k) = column.core_k {
                lines.push(format!("crust {} m   core {}", rough(column.lid_m), warmth(core_k)));
            }
        }
        if column.set_m > 0.0 {
            lines.push(format!("set {} m", rough(column.set_m)));
        }
        if let Some(arrival) = column.arrival_s {
            lines.push(format!("came after {}, up to {} m/s", Seconds(arrival), rough(column.max_speed_m_s)));
        }
        lines.join("\n")
    }
}

/// The rate of a vent that marks show: of the physical model in m³/s, where a table counts by its last row.
pub(crate) fn rate_of(vent: &VentSpec) -> f64 {
    vent.flow.as_ref().map_or(vent.rate, |flow| flow.rates_m3_s.last().map_or(0.0, |[_, rate]| *rate))
}

/// Gives a vent of the physical model one rate from now on.
pub(crate) fn set_rate(flow: &mut VentFlow, rate_m3_s: f64) {
    (flow.rates_m3_s, flow.linear) = (vec![[0.0, rate_m3_s]], false);
}

/// Rate, radius and temperature of a vent of the physical model for a mark; all of them, or the rate alone.
pub(crate) fn label(name: &str, vent: &VentSpec, flow: &VentFlow, whole: bool) -> String {
    let rate = short(rate_of(vent), 2);
    if !whole {
        return format!("{name}  {rate} m³/s");
    }
    let kelvin = flow.temperature_k.map(|kelvin| format!(", {kelvin:.0} K")).unwrap_or_default();
    format!("{name}: {rate} m³/s, radius {}{kelvin}", vent.radius)
}
