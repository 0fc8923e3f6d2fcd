//! The list of keys.

use kiss3d::egui::{Align2, Color32, Context, Frame, Grid, Order, RichText, ScrollArea, Ui, Window, vec2};

use super::{ACCENT, BRIGHT};
use crate::viewer::keys::{BINDINGS, Group, HELD};
use crate::viewer::state::State;

/// What stands in which column.
const COLUMNS: [&[Group]; 3] = [&[Group::Simulation, Group::Tools], &[Group::View], &[Group::Camera, Group::Files]];

/// Draws the list when it is asked for.
pub(super) fn draw(context: &Context, state: &mut State) {
    let mut open = state.shown.help;
    let screen = context.content_rect();
    Window::new("Keys and mouse")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .order(Order::Foreground)
        .frame(Frame::window(&context.global_style()).fill(Color32::from_rgb(20, 20, 24)))
        .anchor(Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .show(context, |ui| {
            let area = ScrollArea::both().max_width(screen.width() - 60.0).max_height(screen.height() - 90.0);
            area.show(ui, |ui| ui.horizontal_top(columns));
        });
    state.shown.help = open;
}

fn columns(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.x = 26.0;
    for (number, groups) in COLUMNS.iter().enumerate() {
        ui.vertical(|ui| {
            groups.iter().for_each(|&group| keys(ui, group));
            if number == 0 {
                heading(ui, "Mouse, and keys to hold");
                table(ui, "held", HELD.iter().copied());
            }
        });
    }
}

fn keys(ui: &mut Ui, group: Group) {
    heading(ui, group.name());
    let rows = BINDINGS.iter().filter(|binding| binding.group == group);
    table(ui, group.name(), rows.map(|binding| (binding.shown, binding.what)));
}

fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(4.0);
    ui.label(RichText::new(text).strong().color(ACCENT));
}

fn table<'a>(ui: &mut Ui, id: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    Grid::new(id).num_columns(2).spacing(vec2(12.0, 2.0)).show(ui, |ui| {
        for (key, what) in rows {
            ui.label(RichText::new(key).strong().color(BRIGHT));
            ui.label(what);
            ui.end_row();
        }
    });
}
