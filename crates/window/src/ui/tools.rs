//! Tools section of the panel: choice of the mouse tool, and the tool's material and settings.

use kiss3d::egui::{RichText, Ui};

use super::rows::SliderRow;
use super::{ACCENT, swatch};
use crate::edit::tools::Tools;
use crate::input::keys::{self, Action};
use crate::messages::FlowReport;
use crate::state::State;
use lavoxel_automaton::matter::Material;
use lavoxel_automaton::view::MaterialLook;
use lavoxel_automaton::world::Breath;
use lavoxel_base::units::VENT_ENERGY_MAX;
use lavoxel_render::Named;
use lavoxel_session::{BREATH, BRUSH_RADIUS, Dam, Tool};

/// Draws the tools section of the panel; the user's changes go to `state.tools`.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let has_air = state
        .report
        .as_ref()
        .is_some_and(|report| !report.air.is_empty());
    let flow = state.report.as_ref().and_then(|report| report.flow.clone());
    let poured = poured(state);
    let usual_dam = state
        .report
        .as_ref()
        .map_or(state.tools.dam, |report| Dam::fitting(report.cell()));
    let tools = &mut state.tools;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.spacing_mut().button_padding.x = 4.5;
        for &tool in Tool::ALL {
            let hint = format!("{} ({})", tool.what(), keys::shown(Action::Tool(tool)));
            if ui
                .selectable_label(tools.tool == tool, tool.name())
                .on_hover_text(hint)
                .clicked()
            {
                // A click or stroke in progress belongs to the previous tool.
                tools.cancel();
                tools.tool = tool;
            }
        }
    });
    if poured.len() > 1 {
        materials(ui, tools, &poured);
    }
    ui.label(RichText::new(tools.tool.what()).small().color(ACCENT));
    match tools.tool {
        Tool::Orbit | Tool::Pick => {}
        Tool::Source => source(ui, tools, flow.as_ref()),
        Tool::Bucket => {}
        Tool::Dam => dam(ui, &mut tools.dam, usual_dam),
        Tool::Replace => {
            brush(ui, tools, flow.as_ref());
            replaced(ui, tools, &poured);
        }
        Tool::Fill | Tool::Rock | Tool::Dig | Tool::Drain => brush(ui, tools, flow.as_ref()),
        Tool::Air if has_air => {
            brush(ui, tools, flow.as_ref());
            breath(ui, &mut tools.brush.breath);
        }
        Tool::Air => drop(ui.label(RichText::new("This scene has no [air] table.").small())),
    }
}

/// Draws the sliders for height and width of the next dam. `usual`: default dam for this world,
/// from which the ranges of the sliders are derived.
fn dam(ui: &mut Ui, dam: &mut Dam, usual: Dam) {
    let (high, wide) = (
        (4.0 * usual.height_m).max(50.0),
        (8.0 * usual.width_m).max(200.0),
    );
    let hint = "Height above the ground; below 0 the depth of a ditch.";
    SliderRow::new("height", "m", hint).show(
        ui,
        &mut dam.height_m,
        -high..=high,
        Some(usual.height_m),
    );
    let hint = "Width across the line; at least the columns that it crosses.";
    SliderRow::new("width", "m", hint).show(ui, &mut dam.width_m, 0.0..=wide, Some(usual.width_m));
}

/// Draws the choice of the material that the replace tool replaces: one material of `poured`, or
/// all.
fn replaced(ui: &mut Ui, tools: &mut Tools, poured: &[(String, Option<MaterialLook>)]) {
    ui.horizontal_wrapped(|ui| {
        ui.label("in place of");
        if ui
            .selectable_label(tools.replaced.is_none(), "all others")
            .clicked()
        {
            tools.replaced = None;
        }
        for (name, _) in poured {
            if ui
                .selectable_label(tools.replaced.as_ref() == Some(name), name)
                .clicked()
            {
                tools.replaced = Some(name.clone());
            }
        }
    });
}

/// Draws the sliders for heat, ash, steam and wind that the air tool sets in the air.
fn breath(ui: &mut Ui, breath: &mut Breath) {
    let mut row = |name, unit, hint, value: &mut f64, most: f64, usual: f64| {
        SliderRow::new(name, unit, hint).show(ui, value, 0.0..=most, Some(usual));
    };
    row(
        "heat",
        "K",
        "How much warmer than at rest the air becomes.",
        &mut breath.heat_k,
        500.0,
        BREATH.heat_k,
    );
    row(
        "ash",
        "kg/m³",
        "Ash in the air.",
        &mut breath.ash_kg_m3,
        0.1,
        BREATH.ash_kg_m3,
    );
    row(
        "steam",
        "kg/m³",
        "Drops of water in the air.",
        &mut breath.steam_kg_m3,
        0.1,
        0.0,
    );
    for (axis, (name, hint)) in WINDS.into_iter().enumerate() {
        let hint = format!("{hint}; while all three are 0, the air keeps its own velocity.");
        SliderRow::new(name, "m/s", &hint).show(
            ui,
            &mut breath.wind_m_s[axis],
            -50.0..=50.0,
            Some(0.0),
        );
    }
}

/// Components of the wind along x, y and z, each as the name and the tooltip of its slider.
const WINDS: [(&str, &str); 3] = [
    ("east", "Wind to the east"),
    ("up", "Wind upwards"),
    ("south", "Wind to the south"),
];

/// Returns the materials that tools can add, as name and look; the look is `None` for lava.
fn poured(state: &State) -> Vec<(String, Option<MaterialLook>)> {
    let others = state
        .materials
        .value
        .iter()
        .map(|material| (material.name.clone(), Some(material.look.clone())));
    std::iter::once((Material::LAVA.to_owned(), None))
        .chain(others)
        .collect()
}

/// Draws the choice of the material that tools add, among `poured` (name and look). If the selected
/// tool adds no material, a click also selects the brush.
fn materials(ui: &mut Ui, tools: &mut Tools, poured: &[(String, Option<MaterialLook>)]) {
    ui.horizontal_wrapped(|ui| {
        let key = keys::shown(Action::Material);
        ui.spacing_mut().item_spacing.x = 4.0;
        for (name, look) in poured {
            let chosen = tools.tool.pours() && tools.material() == name;
            let hint =
                format!("{name}: the tools source, fill, bucket and replace pour it ({key} takes the next one).");
            if swatch::show(ui, name, look.as_ref(), chosen).on_hover_text(hint).clicked() {
                tools.choose(name);
                if !tools.tool.pours() {
                    tools.cancel();
                    tools.tool = Tool::Fill;
                }
            }
        }
    });
}

fn source(ui: &mut Ui, tools: &mut Tools, flow: Option<&FlowReport>) {
    let lava = tools.vent.material.is_none();
    let vent = &mut tools.vent;
    SliderRow::new("radius", "cells", "Radius of the next source.").show(
        ui,
        &mut vent.radius,
        0.0..=20.0,
        Some(2.5),
    );
    if let (Some(of), Some(report)) = (vent.flow.as_deref_mut(), flow) {
        super::vents::flow_rows(ui, of, report);
        return;
    }
    SliderRow::new(
        "rate",
        "cells/step",
        "Full cells that the next source pours in a step.",
    )
    .logarithmic()
    .show(ui, &mut vent.rate, 0.01..=100.0, Some(1.8));
    if lava {
        energy(ui, &mut vent.energy);
    }
}

fn brush(ui: &mut Ui, tools: &mut Tools, flow: Option<&FlowReport>) {
    let fills = tools.tool == Tool::Fill;
    let lava = tools.vent.material.is_none();
    let brush = &mut tools.brush;
    SliderRow::new("brush", "cells", "Radius of the ball (Page Up, Page Down).")
        .logarithmic()
        .show(
            ui,
            &mut brush.radius,
            BRUSH_RADIUS.0..=BRUSH_RADIUS.1,
            Some(4.0),
        );
    if fills {
        let hint = "How full cells are topped up, 1 for full.";
        SliderRow::new("amount", "", hint).show(ui, &mut brush.amount, 0.01..=1.0, Some(1.0));
    }
    match flow {
        _ if !fills || !lava => {}
        Some(flow) => {
            let hint = format!(
                "1 is {:.0} K, the temperature of the vents; 0 that of lava that sets.",
                flow.vent_k
            );
            SliderRow::new("warmth", "", &hint).show(ui, &mut brush.energy, 0.0..=1.2, Some(1.0));
        }
        None => energy(ui, &mut brush.energy),
    }
}

/// Draws the slider for the energy of added lava; `value` is relative to the default energy of lava
/// from a vent (1).
fn energy(ui: &mut Ui, value: &mut f64) {
    let hint = "Energy of a full cell of new lava: more runs further.";
    SliderRow::new("energy", "", hint).show(ui, value, 0.0..=VENT_ENERGY_MAX - 0.01, Some(1.0));
}
