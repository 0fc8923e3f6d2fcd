//! Film section of the panel: the list of key frames, and buttons to add, preview and restore them.

use kiss3d::egui::{Button, ComboBox, DragValue, RichText, ScrollArea, Ui, vec2};

use super::{ACCENT, BRIGHT, FAINT};
use crate::input::filming::Filming;
use crate::state::{Request, State};
use lavoxel_scene::film::Ease;

/// Upper bound of the height in points of the list of key frames; a longer list scrolls.
const LIST: f32 = 150.0;

/// Draws the film section of the panel; clicks become requests in `state`.
pub(super) fn show(ui: &mut Ui, state: &mut State) {
    ui.horizontal(|ui| {
        let hint = "A key frame of this moment and this camera.";
        if ui.button("Add key").on_hover_text(hint).clicked() {
            state.ask(Request::Film(Filming::Add));
        }
        let (text, hint) = match state.film.preview {
            Some(_) => ("■ End preview", "Let the camera stay here."),
            None => (
                "▶ Preview",
                "Move the camera along the film, over the state as it is now.",
            ),
        };
        if ui
            .add_enabled(state.film.keys.len() > 1, Button::new(text))
            .on_hover_text(hint)
            .clicked()
        {
            state.ask(Request::Film(Filming::Preview));
        }
        if let Some(at) = state.film.preview {
            ui.label(RichText::new(format!("{at:.1} s")).color(ACCENT));
        }
        if state.film.before.is_some()
            && ui
                .button("before")
                .on_hover_text("Back to the keys before the last recording.")
                .clicked()
        {
            state.film.keys = state.film.before.take().unwrap_or_default();
        }
    });
    let step = state.report.as_ref().map(|report| report.step);
    ScrollArea::vertical()
        .id_salt("key frames")
        .max_height(LIST)
        .show(ui, |ui| {
            let mut dropped = None;
            for at in 0..state.film.keys.len() {
                ui.push_id(at, |ui| {
                    if row(ui, state, at, step) {
                        dropped = Some(at);
                    }
                });
            }
            if let Some(at) = dropped {
                state.film.keys.remove(at);
            }
        });
    let words = match state.film.keys.len() {
        0 => {
            "A recording (F9) leaves its way here, and Save writes it into the session.".to_owned()
        }
        1 => "1 key frame. Save, then film it with lavoxel render SESSION --animation film.mp4."
            .to_owned(),
        n => format!(
            "{n} key frames, {:.1} s. Save, then film it with lavoxel render SESSION --animation film.mp4.",
            state.film.seconds()
        ),
    };
    ui.label(RichText::new(words).small().color(FAINT));
}

/// Draws the row of the key frame with index `at`: time, step and buttons. `now`: present step of
/// the simulation. Returns true if the user removes the key frame.
fn row(ui: &mut Ui, state: &mut State, at: usize, now: Option<u64>) -> bool {
    let times = state.film.times(at);
    let mut dropped = false;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let key = &mut state.film.keys[at];
        let time = DragValue::new(&mut key.time_s)
            .range(times)
            .speed(0.05)
            .fixed_decimals(2)
            .suffix(" s");
        ui.add_sized(vec2(62.0, 18.0), time)
            .on_hover_text("Its place on the film.");
        let color = if key.step == now { ACCENT } else { BRIGHT };
        let step = key
            .step
            .map_or("step –".to_owned(), |step| format!("step {step}"));
        let view = Button::new(RichText::new(step).color(color)).min_size(vec2(82.0, 18.0));
        if ui.add(view).on_hover_text("Show its camera.").clicked() {
            state.requests.push(Request::Film(Filming::Show(at)));
        }
        let ease = ComboBox::from_id_salt("ease")
            .width(68.0)
            .selected_text(key.ease.word());
        ease.show_ui(ui, |ui| {
            for one in Ease::ALL {
                ui.selectable_value(&mut key.ease, one, one.word());
            }
        })
        .response
        .on_hover_text("The way to the next key.");
        if ui
            .small_button("⟳")
            .on_hover_text("This moment and this camera in its place.")
            .clicked()
        {
            state.requests.push(Request::Film(Filming::Replace(at)));
        }
        dropped = ui
            .small_button("×")
            .on_hover_text("Drop this key.")
            .clicked();
    });
    dropped
}

#[cfg(test)]
mod tests {
    use kiss3d::egui::{Context, Margin};

    use super::*;
    use crate::messages::Pace;
    use crate::ui::shapes;
    use lavoxel_render::CameraSpec;
    use lavoxel_scene::scene::Scene;

    #[test]
    fn every_key_has_a_row_with_its_time_and_its_step() {
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        for step in [0, 120, 3000] {
            state.film.add(step, &CameraSpec::default());
        }
        let context = Context::default();
        let texts = shapes::texts(&context, vec2(346.0, 400.0), |context| {
            crate::ui::docked(context, "film", Margin::same(4), |ui| show(ui, &mut state));
        });
        let words: Vec<_> = texts.into_iter().map(|text| text.words).collect();
        for wanted in [
            "0.00",
            "3.00",
            "6.00",
            "step 0",
            "step 120",
            "step 3000",
            "smooth",
            "Add key",
        ] {
            assert!(
                words.iter().any(|text| text == wanted),
                "{wanted} is not seen: {words:?}"
            );
        }
    }
}
