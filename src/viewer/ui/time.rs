//! Run, pause, step and how fast; seeds and kept snapshots.

use std::cmp::Ordering;

use kiss3d::egui::{Button, DragValue, RichText, ScrollArea, Slider, Ui, vec2};

use super::rows::{SLIDER, name};
use super::{ACCENT, BRIGHT, FAINT};
use crate::scene::{SceneSpec, Seconds};
use crate::simulation;
use crate::viewer::input::keys::Action;
use crate::viewer::messages::{Command, KeptMoment, Moment, Pace, Report};
use crate::viewer::past::pace::{self, RATES};
use crate::viewer::state::{Request, State, USUAL_PACE};

/// Greatest height of the list of moments.
const LIST: f32 = 70.0;

/// The buttons and the slider above the part that scrolls.
pub(super) fn controls(ui: &mut Ui, state: &mut State, report: &Report) {
    let paused = state.pace.value == Pace::Paused;
    ui.horizontal(|ui| {
        let (symbol, hint) = if paused { ("▶", "Run (Space)") } else { ("⏸", "Pause (Space)") };
        let run = Button::new(RichText::new(symbol).size(15.0).color(BRIGHT)).min_size(vec2(38.0, 24.0));
        if ui.add(run.fill(super::Color32::from_rgb(150, 66, 18))).on_hover_text(hint).clicked() {
            state.ask(Request::Do(Action::Run));
        }
        let mut button = |symbol: &str, hint: &str, action: Action| {
            let button = Button::new(RichText::new(symbol).size(14.0)).min_size(vec2(30.0, 24.0));
            if ui.add(button).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button("⏭", "One step (.)", Action::Step);
        button("⏮", "Back to step 0; what was done stays (Backspace)", Action::Reset);
        if report.flow.is_none() {
            button("🎲", "Another seed of the random patterns from now on (N)", Action::Reseed);
        }
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let time = report.flow.as_ref().map(|flow| format!("{}, ", Seconds(flow.time_s))).unwrap_or_default();
            ui.label(RichText::new(format!("{time}step {}", report.step)).strong().color(BRIGHT));
            let rate = format!("{}, seed {}", pace::steps(report.steps_per_second), report.seed);
            ui.label(RichText::new(rate).small().color(FAINT));
            if let Some(end) = end(&state.scene.spec, report) {
                ui.label(RichText::new(end).small().color(FAINT)).on_hover_text("At this speed, on this machine.");
            }
        });
    });
    speed(ui, state);
}

/// When a scene that lasts a time comes to its end.
fn end(spec: &SceneSpec, report: &Report) -> Option<String> {
    let duration = spec.flow_spec()?.duration?;
    let left = spec.film.steps.checked_sub(report.step).filter(|left| *left > 0)?;
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
        name(ui, "speed", "How many steps a second, as far as the machine can (+ and -).");
        ui.spacing_mut().slider_width = SLIDER;
        let slider = Slider::new(&mut rate, RATES.0..=RATES.1).logarithmic(true).show_value(false);
        if ui.add_enabled(!free, slider).changed() {
            wanted = Some(Pace::Rate(rate.round()));
        }
        if ui.checkbox(&mut free, "unlimited").on_hover_text("As fast as the machine can (0)").changed() {
            wanted = Some(if free { Pace::Free } else { USUAL_PACE });
        }
        if !free {
            ui.label(RichText::new(format!("{}/s", pace::short(rate))).color(FAINT));
        }
    });
    if let Some(pace) = wanted {
        if paused {
            state.rate = pace;
        } else {
            state.set_pace(pace);
        }
    }
}

/// Kept moments, and seeds.
pub(super) fn moments(ui: &mut Ui, state: &mut State) {
    let Some(report) = state.report.clone() else { return };
    ui.horizontal(|ui| {
        let mut button = |text: &str, hint: &str, action: Action| {
            if ui.button(text).on_hover_text(hint).clicked() {
                state.ask(Request::Do(action));
            }
        };
        button("Keep", "Keep this moment, to come back to it (K)", Action::Keep);
        button("‹ Back", "To the kept moment; again: one earlier (J)", Action::Rewind);
        button("Ahead ›", "To the next moment ahead (Shift+J)", Action::Onward);
        if report.flow.is_none() {
            seed(ui, state, report.seed);
        }
    });
    let here = report.moment();
    ScrollArea::vertical().id_salt("moments").max_height(LIST).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for kept in report.moments.iter().copied() {
                moment(ui, state, kept, here);
            }
        });
    });
    let ahead = report.moments.iter().filter(|kept| kept.moment > here).count();
    if ahead + report.acts_ahead > 0 {
        ui.horizontal_wrapped(|ui| {
            let text = ahead_words(ahead, report.acts_ahead);
            ui.label(RichText::new(text).small().color(FAINT));
            if ui.small_button("drop now").on_hover_text("Go on from here without what was done later.").clicked() {
                state.ask(Request::Send(Command::Forget));
            }
        });
    }
}

/// How much lies ahead of the present moment.
fn ahead_words(moments: usize, changes: usize) -> String {
    let counted = |n: usize, one: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{n} {one}s")),
    };
    let all: Vec<_> = [counted(moments, "moment"), counted(changes, "change")].into_iter().flatten().collect();
    format!("Ahead: {}. A change now drops them.", all.join(", "))
}

/// The button of a kept moment.
fn moment(ui: &mut Ui, state: &mut State, KeptMoment { moment, by_hand }: KeptMoment, here: Moment) {
    let color = match moment.cmp(&here) {
        Ordering::Less => BRIGHT,
        Ordering::Equal => ACCENT,
        Ordering::Greater => FAINT,
    };
    let text = format!("{}{}", moment.step, if by_hand { " ★" } else { "" });
    let hint = "Go to this step and pause there. What was done later stays until something is changed.";
    if ui.small_button(RichText::new(text).color(color)).on_hover_text(hint).clicked() {
        state.ask(Request::StopAt(moment));
    }
}

/// The seed of the random patterns.
fn seed(ui: &mut Ui, state: &mut State, now: u64) {
    let hint = "Seed of the random spreading patterns, from now on.";
    ui.label("seed").on_hover_text(hint);
    let mut seed = now;
    let number = DragValue::new(&mut seed).range(0..=i64::MAX as u64).update_while_editing(false);
    if ui.add(number).on_hover_text(hint).changed() && seed != now {
        state.ask(Request::Send(Command::World(simulation::Command::Seed(seed))));
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scene::Scene;
    use crate::viewer::worker::Worker;

    #[test]
    fn one_of_a_thing_is_no_plural() {
        assert_eq!(ahead_words(1, 0), "Ahead: 1 moment. A change now drops them.");
        assert_eq!(ahead_words(2, 1), "Ahead: 2 moments, 1 change. A change now drops them.");
    }

    #[test]
    fn a_scene_with_a_duration_says_when_it_ends() {
        let scene = Scene::open(Path::new("shipped:/wax.toml")).expect("shipped");
        let mut worker = Worker::start(scene.clone()).expect("it starts");
        let mut report = worker.poll().expect("the first update waits").report;
        assert_eq!(end(&scene.spec, &report), None, "nothing runs");
        // 16 minutes in steps of a second.
        (report.step, report.steps_per_second) = (60, 2.0);
        assert_eq!(end(&scene.spec, &report).as_deref(), Some("16 min in about 7.5 min"));
        report.step = 960;
        assert_eq!(end(&scene.spec, &report), None, "it has ended");
        assert_eq!(end(&Scene::volcano().spec, &report), None, "steps of the classic model are no time");
    }
}
