//! Sources section of the panel: vents of lava, and springs of other materials, that pour or will
//! pour.

use kiss3d::egui::{Align, Layout, RichText, Ui};

use super::rows::SliderRow;
use super::{BRIGHT, FAINT};
use crate::edit::vent_drag::{VENT_RADIUS, VENT_RATE};
use crate::edit::vent_handles;
use crate::flow::{FLOW_RATE, MOST_KELVIN, set_rate};
use crate::messages::{Command, FlowReport};
use crate::state::{Request, State};
use lavoxel_automaton::matter::Kind;
use lavoxel_base::units::VENT_ENERGY_MAX;
use lavoxel_sim::source::{VentChange, VentFlow, VentSpec};

/// Upper bound of the number of vents for which controls are drawn; of further vents, only the
/// number is shown.
const MOST: usize = 24;

/// Draws the controls of all vents, and sends the user's changes to the simulation.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let Some(report) = &state.report else { return };
    let (step, mut changes) = (report.step, Vec::new());
    let materials = report.materials.iter().map(|report| &report.material);
    let grains: Vec<_> = materials
        .filter(|m| m.kind == Kind::Grain)
        .map(|m| m.name.clone())
        .collect();
    let flow = report.flow.clone();
    for (number, vent) in state.vents.value.iter_mut().take(MOST) {
        let grains = vent
            .material
            .as_ref()
            .is_some_and(|name| grains.contains(name));
        if let Some(change) = ui
            .push_id(*number, |ui| {
                one(ui, (*number, vent), grains, (step, flow.as_ref()))
            })
            .inner
        {
            changes.push(change);
        }
    }
    let more = state.vents.value.len().saturating_sub(MOST);
    if more > 0 {
        ui.label(
            RichText::new(format!("and {more} more"))
                .small()
                .color(FAINT),
        );
    }
    if state.vents.value.is_empty() {
        ui.label(
            RichText::new("Nothing pours. Take the tool source (F3) and click the ground.")
                .small()
                .color(FAINT),
        );
    }
    for change in changes {
        // Removed here at once, since the next report without the vent arrives later.
        if let VentChange::Close(number) = change {
            state.vents.value.retain(|(other, _)| *other != number);
        }
        state.vents.touch();
        state.ask(Request::Send(Command::World(change.into())));
    }
}

/// Draws the controls of one vent. `number`: permanent number of the vent; `grains`: true for a
/// source of a granular material; `step`: present step; `flow`: report of the physical model,
/// `None` in the classic model. Returns the user's change; `None` if nothing was changed.
fn one(
    ui: &mut Ui,
    (number, vent): (usize, &mut VentSpec),
    grains: bool,
    (step, flow): (u64, Option<&FlowReport>),
) -> Option<VentChange> {
    let before = vent.clone();
    let mut closed = false;
    ui.horizontal(|ui| {
        ui.label(
            RichText::new(vent_handles::name(number, vent))
                .strong()
                .color(BRIGHT),
        );
        let mut about = format!("x {}  z {}", vent.x, vent.z);
        if vent.start > step {
            about += &format!(", from step {}", vent.start);
        }
        if let Some(end) = vent.end {
            about += &format!(", until {end}");
        }
        ui.label(RichText::new(about).small().color(FAINT));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            closed = ui
                .small_button("close")
                .on_hover_text("It pours no more from now on.")
                .clicked();
        });
    });
    // Sources of grains have a probability per cell instead of a rate.
    let (unit, hint, most) = if grains {
        (
            "a cell",
            "Probability of a grain in each cell of its disc, in a step.",
            1.0,
        )
    } else {
        (
            "cells/step",
            "Full cells that it pours in a step. In the picture: drag the top of its stalk.",
            VENT_RATE.1,
        )
    };
    if let (Some(of), Some(report)) = (vent.flow.as_deref_mut(), flow) {
        flow_rows(ui, of, report);
        radius(ui, &mut vent.radius);
        if closed {
            return Some(VentChange::Close(number));
        }
        return (*vent != before).then(|| VentChange::Change(number, vent.clone()));
    }
    let rate = SliderRow::new("rate", unit, hint)
        .logarithmic()
        .decimals(if grains { 4 } else { 2 });
    rate.show(ui, &mut vent.rate, 0.0..=most, None);
    radius(ui, &mut vent.radius);
    if vent.material.is_none() {
        SliderRow::new(
            "energy",
            "",
            "Energy of a full cell of its lava: more runs further. In the picture: Shift+drag the stalk.",
        )
        .show(ui, &mut vent.energy, 0.0..=VENT_ENERGY_MAX - 0.01, None);
    }
    if closed {
        return Some(VentChange::Close(number));
    }
    (*vent != before).then(|| VentChange::Change(number, vent.clone()))
}

fn radius(ui: &mut Ui, radius: &mut f64) {
    let row = SliderRow::new(
        "radius",
        "cells",
        "Its radius. In the picture: drag the point on its ring.",
    )
    .logarithmic();
    row.show(ui, radius, VENT_RADIUS.0..=VENT_RADIUS.1, None);
}

/// Draws the sliders for effusion rate and temperature of a vent of the physical model.
pub(super) fn flow_rows(ui: &mut Ui, vent: &mut VentFlow, flow: &FlowReport) {
    let mut rate = vent.rate_at(flow.time_s);
    let hint = "Cubic metres that it pours in a second from now on. In the picture: drag the top of its stalk.";
    if SliderRow::new("rate", "m³/s", hint).logarithmic().show(
        ui,
        &mut rate,
        0.0..=FLOW_RATE.1,
        None,
    ) {
        set_rate(vent, rate);
    }
    let mut kelvin = vent.temperature_k.unwrap_or(flow.vent_k);
    let hint = "Temperature of its lava. In the picture: Shift+drag the stalk.";
    let row = SliderRow::new("temperature", "K", hint).decimals(0);
    if row.show(
        ui,
        &mut kelvin,
        flow.ambient_k..=MOST_KELVIN,
        Some(flow.vent_k),
    ) {
        vent.temperature_k = (kelvin != flow.vent_k).then_some(kelvin);
    }
}
