//! Time section of the panel: run, pause, single step, pace, undo, kept moments and random seed.

use kiss3d::egui::{Button, DragValue, RichText, Slider, Ui, vec2};

use super::rows::{SLIDER, name};
use super::{BRIGHT, FAINT};
use crate::history::pace::{self, RATES};
use crate::input::keys::{Action, shown};
use crate::messages::{Command, Pace, Report};
use crate::state::{Request, State, USUAL_PACE};
use lavoxel_scene::scene::{SceneSpec, Seconds};
use lavoxel_sim::simulation;

/// Draws the controls for run, pause, single step and pace in the fixed header of the panel.
pub(super) fn controls(ui: &mut Ui, state: &mut State, report: &Report) {
    let paused = state.pace.value == Pace::Paused;
    ui.horizontal(|ui| {
        let (symbol, hint) = if paused {
            ("▶", "Run (Space)")
        } else {
            ("⏸", "Pause (Space)")
        };
        let run =
            Button::new(RichText::new(symbol).size(15.0).color(BRIGHT)).min_size(vec2(38.0, 24.0));
        if ui
            .add(run.fill(super::Color32::from_rgb(150, 66, 18)))
            .on_hover_text(hint)
            .clicked()
        {
            state.ask(Request::Do(Action::Run));
        }
        let mut button = |symbol: &str, hint: &str, action: Action| {
            let button = Button::new(RichText::new(symbol).size(14.0)).min_size(vec2(30.0, 24.0));
            if ui.add(button).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button("⏭", "One step (.)", Action::Step);
        button(
            "⏮",
            "Back to step 0; what was done stays (Backspace)",
            Action::Reset,
        );
        if report.flow.is_none() {
            button(
                "🎲",
                "Another seed of the random patterns from now on (N)",
                Action::Reseed,
            );
        }
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let time = report
                .flow
                .as_ref()
                .map(|flow| format!("{}, ", Seconds(flow.time_s)))
                .unwrap_or_default();
            ui.label(
                RichText::new(format!("{time}step {}", report.step))
                    .strong()
                    .color(BRIGHT),
            );
            let rate = format!(
                "{}, seed {}",
                pace::steps(report.steps_per_second),
                report.seed
            );
            ui.label(RichText::new(rate).small().color(FAINT));
            if let Some(end) = end(&state.scene.spec, report) {
                ui.label(RichText::new(end).small().color(FAINT))
                    .on_hover_text("At this speed, on this machine.");
            }
        });
    });
    speed(ui, state);
}

/// Returns the text about the remaining time of a scene whose duration is set; `None` for a scene
/// without a duration, and while the simulation is paused.
fn end(spec: &SceneSpec, report: &Report) -> Option<String> {
    let duration = spec.flow_spec()?.duration?;
    let left = spec
        .film
        .steps
        .checked_sub(report.step)
        .filter(|left| *left > 0)?;
    let seconds = (report.steps_per_second > 0.0).then(|| left as f64 / report.steps_per_second)?;
    Some(format!("{duration} in about {}", Seconds(seconds.ceil())))
}

fn speed(ui: &mut Ui, state: &mut State) {
    let mut free = state.rate == Pace::Free;
    let mut rate = match state.rate {
        Pace::Rate(rate) => rate,
        Pace::Free | Pace::Paused => RATES.1,
    };
    let paused = state.pace.value == Pace::Paused;
    let mut wanted = None;
    ui.horizontal(|ui| {
        name(
            ui,
            "speed",
            "How many steps a second, as far as the machine can (+ and -).",
        );
        ui.spacing_mut().slider_width = SLIDER;
        let slider = Slider::new(&mut rate, RATES.0..=RATES.1)
            .logarithmic(true)
            .show_value(false);
        if ui.add_enabled(!free, slider).changed() {
            wanted = Some(Pace::Rate(rate.round()));
        }
        if ui
            .checkbox(&mut free, "unlimited")
            .on_hover_text("As fast as the machine can (0)")
            .changed()
        {
            wanted = Some(if free { Pace::Free } else { USUAL_PACE });
        }
        if !free {
            ui.label(RichText::new(format!("{}/s", pace::short(rate))).color(FAINT));
        }
    });
    if let Some(pace) = wanted {
        // A pause stays a pause: the new pace applies from the next run on.
        if paused {
            state.rate = pace;
        } else {
            state.set_pace(pace);
        }
    }
}

/// Draws the buttons for undo, redo and kept moments, and the controls for the random seed.
pub(super) fn moments(ui: &mut Ui, state: &mut State) {
    let Some(report) = state.report.clone() else {
        return;
    };
    ui.horizontal(|ui| {
        let [undo, redo] = &report.timeline.offers;
        let mut button = |text: &str, hint: &str, of: &Option<String>, action: Action| {
            let words = of.as_ref().map(|of| format!(": {of}")).unwrap_or_default();
            let hint = format!("{hint}{words} ({})", shown(action));
            if ui
                .add_enabled(of.is_some(), Button::new(text))
                .on_hover_text(&hint)
                .on_disabled_hover_text(&hint)
                .clicked()
            {
                state.ask(Request::Do(action));
            }
        };
        button("↩ Undo", "Take back what was done last", undo, Action::Undo);
        button(
            "↪ Redo",
            "Bring back what was taken back",
            redo,
            Action::Redo,
        );
        if report.flow.is_none() {
            seed(ui, state, report.seed);
        }
    });
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, action: Action| {
            if ui.button(text).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button(
            "Keep",
            "Keep this moment, to come back to it (K)",
            Action::Keep,
        );
        button(
            "‹ Back",
            "To the kept moment, or to the start; again: one earlier (J)",
            Action::Rewind,
        );
        button(
            "Ahead ›",
            "Ahead to the next kept moment, or to the end of the branch (Shift+J)",
            Action::Onward,
        );
    });
}

/// Draws the controls for the random seed. `now`: present seed.
fn seed(ui: &mut Ui, state: &mut State, now: u64) {
    let hint = "Seed of the random spreading patterns, from now on.";
    ui.label("seed").on_hover_text(hint);
    let mut seed = now;
    let number = DragValue::new(&mut seed)
        .range(0..=i64::MAX as u64)
        .update_while_editing(false);
    if ui.add(number).on_hover_text(hint).changed() && seed != now {
        state.ask(Request::Send(Command::World(simulation::Command::Seed(
            seed,
        ))));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::worker::Worker;
    use lavoxel_scene::scene::Scene;

    #[test]
    fn a_scene_with_a_duration_says_when_it_ends() {
        let scene = Scene::open(Path::new("shipped:/wax.toml")).expect("shipped");
        let mut worker = Worker::start(scene.clone(), None).expect("it starts");
        let mut report = worker.poll().expect("the first update waits").report;
        assert_eq!(end(&scene.spec, &report), None, "nothing runs");
        // Duration: 16 minutes in steps of a second.
        (report.step, report.steps_per_second) = (60, 2.0);
        assert_eq!(
            end(&scene.spec, &report).as_deref(),
            Some("16 min in about 7.5 min")
        );
        report.step = 960;
        assert_eq!(end(&scene.spec, &report), None, "it has ended");
        assert_eq!(
            end(&Scene::volcano().spec, &report),
            None,
            "steps of the classic model are no time"
        );
    }
}
