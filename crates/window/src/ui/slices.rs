//! Section of the panel for slices (planes through the simulation box that show one quantity) and
//! for the clip box, outside of which nothing is drawn.

use kiss3d::egui::{RichText, Slider, Ui};

use super::FAINT;

use super::look::palette;
use super::rows::{NAME, name};
use crate::edit::slices::AXIS_NAMES;
use crate::state::State;
use lavoxel_automaton::world::Quantity;

/// Lower bound of the clip box's thickness along each axis, as a fraction of the simulation box.
const THINNEST: f32 = 0.01;

/// Draws the controls of the three slices: visibility and position of each, and the common
/// quantity.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    let Some(report) = &state.report else { return };
    let sides = [report.grid.nx, report.grid.ny, report.grid.nz];
    let cuts = &mut state.cuts;
    for k in 0..3 {
        ui.horizontal(|ui| {
            let title = format!("across {}", AXIS_NAMES[k]);
            let hint = format!(
                "Show it ({}); move it with [ and ].",
                AXIS_NAMES[k].to_uppercase()
            );
            ui.allocate_ui(kiss3d::egui::vec2(NAME, 20.0), |ui| {
                ui.set_min_width(NAME);
                if ui
                    .checkbox(&mut cuts.shown[k], title)
                    .on_hover_text(hint)
                    .changed()
                {
                    cuts.chosen = k;
                }
            });
            ui.spacing_mut().slider_width = 92.0;
            let slider = Slider::new(&mut cuts.at[k], 0..=sides[k] - 1);
            if ui.add_enabled(cuts.shown[k], slider).changed() {
                cuts.chosen = k;
            }
            let metres = RichText::new(format!("{:.0} m", report.metres(k, cuts.at[k])))
                .small()
                .color(FAINT);
            ui.label(metres).on_hover_text(
                [
                    "east of the west side",
                    "elevation",
                    "south of the north side",
                ][k],
            );
        });
    }
    quantities(ui, &report.quantities, &mut cuts.quantity);
    palette(ui, &mut state.look);
}

/// Draws the choice among the quantities `all`; `chosen` is the one that all slices show.
fn quantities(ui: &mut Ui, all: &[Quantity], chosen: &mut Quantity) {
    ui.horizontal_wrapped(|ui| {
        name(
            ui,
            "quantity",
            "What slices show (F). The cinematic view draws matter itself, cut open, in place of amounts.",
        );
        ui.spacing_mut().item_spacing.x = 3.0;
        for quantity in all {
            let hint = quantity.description();
            if ui.selectable_label(quantity == chosen, quantity.words()).on_hover_text(hint).clicked() {
                *chosen = quantity.clone();
            }
        }
    });
}

/// Draws the sliders for the lower and upper bounds of the clip box along each axis.
pub(super) fn clip(ui: &mut Ui, state: &mut State) {
    for (k, axis) in AXIS_NAMES.iter().enumerate() {
        let [low, high] = &mut state.look.clip[k];
        ui.horizontal(|ui| {
            name(
                ui,
                &format!("{axis} from, to"),
                "Lava and ground are drawn between these shares of the box.",
            );
            ui.spacing_mut().slider_width = 78.0;
            ui.add(Slider::new(low, 0.0..=1.0 - THINNEST).show_value(false));
            ui.add(Slider::new(high, THINNEST..=1.0).show_value(false));
            ui.label(format!("{:.0}–{:.0} %", *low * 100.0, *high * 100.0));
        });
        *low = low.min(1.0 - THINNEST);
        *high = high.clamp(*low + THINNEST, 1.0);
    }
    if ui
        .button("whole box")
        .on_hover_text("Draw everything again.")
        .clicked()
    {
        state.look.clip = [[0.0, 1.0]; 3];
    }
}
