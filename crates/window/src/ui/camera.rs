//! Camera section of the panel: buttons for preset viewpoints, zoom, first person and turntable.

use kiss3d::egui::Ui;

use crate::camera::viewpoint::Side;
use crate::input::keys::{self, Action};
use crate::state::{Request, State};

/// Buttons of the preset viewpoints, each with label, tooltip and action.
const PLACES: [(&str, &str, Action); 7] = [
    ("home", "The scene's camera", Action::ResetCamera),
    ("front", "From the south", Action::Face(Side::Front)),
    ("back", "From the north", Action::Face(Side::Back)),
    ("left", "From the west", Action::Face(Side::Left)),
    ("right", "From the east", Action::Face(Side::Right)),
    ("above", "From above, north up", Action::Face(Side::Top)),
    (
        "¾",
        "From above one corner",
        Action::Face(Side::ThreeQuarter),
    ),
];

/// Draws the buttons of the camera section; clicks become requests in `state`.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        ui.spacing_mut().button_padding.x = 4.5;
        for (text, what, action) in PLACES {
            if ui.button(text).on_hover_text(hint(what, action)).clicked() {
                state.ask(Request::Do(action));
            }
        }
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (text, what, notches) in [("−", "Zoom out", -1.0), ("+", "Zoom in", 1.0)] {
            let action = Action::Zoom(notches);
            let button = kiss3d::egui::Button::new(text).min_size(kiss3d::egui::vec2(24.0, 20.0));
            if ui.add(button).on_hover_text(hint(what, action)).clicked() {
                state.ask(Request::Do(action));
            }
        }
        let modes = [
            (
                "turntable",
                "Goes round by itself",
                state.turntable,
                Action::Turntable,
            ),
            (
                "first person",
                "Drag looks around, W A S D walk",
                state.first_person,
                Action::FirstPerson,
            ),
        ];
        for (text, what, on, action) in modes {
            if ui
                .selectable_label(on, text)
                .on_hover_text(hint(what, action))
                .clicked()
            {
                state.ask(Request::Do(action));
            }
        }
    });
}

/// Returns the tooltip of a button: the description `what`, and the key that triggers `action`.
fn hint(what: &str, action: Action) -> String {
    format!("{what} ({})", keys::shown(action))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_button_has_a_key() {
        let places = PLACES.map(|(.., action)| action);
        let movements = [
            Action::Zoom(1.0),
            Action::Zoom(-1.0),
            Action::Turntable,
            Action::FirstPerson,
        ];
        for action in places.into_iter().chain(movements) {
            assert!(!keys::shown(action).is_empty(), "{action:?}");
        }
    }
}
