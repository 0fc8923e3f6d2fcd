//! The panel at the left: what matters most on top, the rest in sections that fold and scroll.

use kiss3d::egui::{self, Align, Area, Context, Id, Layout, Margin, Order, RichText, ScrollArea, Stroke, Ui};

use super::rows::{Fold, Row, section};
use super::{ACCENT, BRIGHT, FAINT, camera, files, look, numbers, rules, slices, time, vents};
use crate::render::Named;
use crate::units::VENT_ENERGY_MAX;
use crate::viewer::keys::{self, Action};
use crate::viewer::pace;
use crate::viewer::state::State;
use crate::viewer::tools::{BRUSH_RADIUS, Tool};

/// Width of the panel's content in points.
const WIDTH: f32 = super::PANEL - 20.0;

/// Draws the panel.
pub(super) fn draw(context: &Context, state: &mut State) {
    let screen = context.content_rect();
    let visuals = &context.global_style().visuals.clone();
    let frame = egui::Frame::new()
        .fill(visuals.window_fill)
        .stroke(Stroke::new(1.0, visuals.window_stroke.color))
        .inner_margin(Margin { left: 12, right: 6, top: 10, bottom: 8 });
    Area::new(Id::new("panel")).order(Order::Middle).fixed_pos(screen.left_top()).movable(false).show(context, |ui| {
        frame.show(ui, |ui| {
            ui.set_width(WIDTH.min(screen.width() - 18.0));
            ui.set_height((screen.height() - 20.0).max(60.0));
            header(ui, state);
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
                ui.set_width((WIDTH - 14.0).min(screen.width() - 32.0));
                sections(ui, state);
            });
        });
    });
}

/// Scene, step and pace, above the part that scrolls.
fn header(ui: &mut Ui, state: &mut State) {
    let Some(report) = state.report.clone() else {
        ui.label("preparing the scene …");
        return;
    };
    ui.horizontal(|ui| {
        ui.label(RichText::new(&report.name).heading().strong().color(BRIGHT));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            if ui.small_button("«").on_hover_text("Fold the panel to a narrow bar; Tab hides it").clicked() {
                state.shown.folded = Some(true);
            }
            let frame = state.frame;
            if let Some(fps) = frame.fps {
                ui.label(RichText::new(format!("{} fps", pace::short(fps))).color(FAINT))
                    .on_hover_text("different pictures a second");
            }
            if let Some(seconds) = frame.recording {
                ui.label(RichText::new(format!("● {seconds:.1} s")).color(super::WRONG)).on_hover_text("recording");
            }
        });
    });
    let grid = report.grid;
    let size = format!("{} × {} × {} cells of {:.3} m", grid.nx, grid.ny, grid.nz, report.cell_size_m);
    let size = size.replace(".000 m", " m");
    ui.label(RichText::new(size).small().color(FAINT));
    ui.add_space(2.0);
    time::controls(ui, state, &report);
    ui.add_space(2.0);
    ui.separator();
}

fn sections(ui: &mut Ui, state: &mut State) {
    section(ui, "Tools", Fold::Open, |ui| tools(ui, state));
    section(ui, "Camera", Fold::Open, |ui| camera::show(ui, state));
    section(ui, "Vents", Fold::Open, |ui| vents::show(ui, state));
    section(ui, "Flow", Fold::Closed, |ui| rules::show(ui, state));
    section(ui, "Look", Fold::Open, |ui| look::show(ui, state));
    section(ui, "Slices", Fold::Closed, |ui| slices::show(ui, state));
    section(ui, "Clip box", Fold::Closed, |ui| slices::clip(ui, state));
    section(ui, "Time machine", Fold::Closed, |ui| time::snapshots(ui, state));
    section(ui, "Numbers", Fold::Open, |ui| numbers::show(ui, state));
    let files = if state.shown.type_path { Fold::OpenNow } else { Fold::Closed };
    section(ui, "Files", files, |ui| files::show(ui, state));
    ui.label(RichText::new("F1 lists the keys, Tab hides this panel.").small().color(FAINT));
}

fn tools(ui: &mut Ui, state: &mut State) {
    let tools = &mut state.tools;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for &tool in Tool::ALL {
            let hint = format!("{} ({})", tool.what(), keys::shown(Action::Tool(tool)));
            if ui.selectable_label(tools.tool == tool, tool.name()).on_hover_text(hint).clicked() {
                tools.cancel();
                tools.tool = tool;
            }
        }
    });
    ui.label(RichText::new(tools.tool.what()).small().color(ACCENT));
    let energy = 0.0..=VENT_ENERGY_MAX - 0.01;
    match tools.tool {
        Tool::Orbit => {}
        Tool::Vent => {
            let vent = &mut tools.vent;
            Row::new("radius", "cells", "Radius of the next vent.").show(ui, &mut vent.radius, 0.0..=20.0, Some(2.5));
            Row::new("rate", "cells/step", "Full cells that the next vent pours in a step.").logarithmic().show(
                ui,
                &mut vent.rate,
                0.01..=100.0,
                Some(1.8),
            );
            Row::new("energy", "", "Energy of a full cell of its lava: more runs further.").show(
                ui,
                &mut vent.energy,
                energy,
                Some(1.0),
            );
        }
        Tool::Lava | Tool::Rock | Tool::Dig | Tool::Drain => {
            let brush = &mut tools.brush;
            Row::new("brush", "cells", "Radius of the ball (Page Up, Page Down).").logarithmic().show(
                ui,
                &mut brush.radius,
                BRUSH_RADIUS.0..=BRUSH_RADIUS.1,
                Some(4.0),
            );
            if tools.tool == Tool::Lava {
                Row::new("amount", "", "How full cells are topped up, 1 for full.").show(
                    ui,
                    &mut brush.amount,
                    0.01..=1.0,
                    Some(1.0),
                );
                Row::new("energy", "", "Energy of a full cell of new lava: more runs further.").show(
                    ui,
                    &mut brush.energy,
                    energy,
                    Some(1.0),
                );
            }
        }
    }
}
