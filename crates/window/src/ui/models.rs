//! Question that is shown once per bare heightmap after its opening: whether to simulate with the
//! cellular automaton (classic model) or the physical lava model.

use kiss3d::egui::{Align2, Area, Button, Context, Id, Key, Order, RichText, Stroke, Ui, vec2};

use super::{ACCENT, BRIGHT, FAINT, card};
use crate::state::{Request, State};

/// Draws the question until the user has answered; Escape keeps the present model.
pub(super) fn draw(context: &Context, state: &mut State) {
    if state.shown.models.is_none() || state.shown.model_chosen {
        return;
    }
    let screen = context.content_rect().width();
    let panel = super::panel_width(&state.shown, screen);
    let strip = super::timeline::height(state, context.content_rect().height());
    let area = Area::new(Id::new("models")).order(Order::Foreground);
    area.anchor(Align2::CENTER_BOTTOM, vec2(0.5 * panel, -24.0 - strip))
        .show(context, |ui| {
            ui.set_max_width((screen - panel - 60.0).clamp(200.0, 460.0));
            card()
                .stroke(Stroke::new(1.0, ACCENT))
                .show(ui, |ui| question(ui, state));
        });
    // Escape first closes anything above the question.
    let lies_below = state.shown.opening || state.shown.help || state.shown.tour.is_some();
    if !lies_below && context.input(|input| input.key_pressed(Key::Escape)) {
        state.shown.model_chosen = true;
    }
}

fn question(ui: &mut Ui, state: &mut State) {
    ui.label(
        RichText::new("Two models run on a heightmap")
            .strong()
            .color(BRIGHT),
    );
    let answer = |ui: &mut Ui, text: &str, about: &str| {
        let clicked = ui
            .add(Button::new(text).min_size(vec2(150.0, 22.0)))
            .clicked();
        ui.label(RichText::new(about).small().color(FAINT));
        clicked
    };
    if answer(
        ui,
        "Classic",
        "fast; shows where lava goes, without metres a second: a step is no time",
    ) {
        state.shown.model_chosen = true;
    }
    if answer(
        ui,
        "Physical",
        "lava of Etna in m³/s, hours and kelvin; slower",
    ) {
        state.ask(Request::Physical);
    }
}
