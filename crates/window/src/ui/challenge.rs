//! Cards of a challenge (a scene with goals): before the first step the task with its tools, at the
//! end the result.

use kiss3d::egui::{
    Align2, Area, Button, Context, Frame, Id, Margin, Order, RichText, Stroke, Ui, vec2,
};

use super::goals::{WON, row};
use super::{ACCENT, BRIGHT, DEEP, FAINT, WRONG};
use crate::input::keys::{self, Action};
use crate::messages::{Pace, Report, Way};
use crate::state::{Card, Request, State};
use lavoxel_automaton::matter::{Kind, Material};
use lavoxel_render::Named;
use lavoxel_session::Tool;
use lavoxel_sim::goals::Verdict;

/// Width of a card in points (logical pixels).
const WIDTH: f32 = 380.0;

/// Tools that the task card offers; buttons for the scene's liquids are added to these.
const TOOLS: [Tool; 3] = [Tool::Dam, Tool::Rock, Tool::Dig];

/// Text of the task card for a challenge whose scene has no text of its own.
const USUAL: &str = "Bring about what the goals ask for. Build or dig with the tools before the first step or at any other, with Space to run \
                     and to pause.";

/// Draws the card of the challenge, if one is to be shown; hidden while the start screen, the tour
/// or the help is open.
pub(super) fn draw(context: &Context, state: &mut State) {
    // The choice of a tool or a pace in the panel begins the challenge, as the card's buttons do.
    if state.shown.card == Some(Card::Task)
        && (state.tools.tool != Tool::Orbit || state.pace.value != Pace::Paused)
    {
        state.ask(Request::Begin);
    }
    let shown = &state.shown;
    let Some(card) = shown
        .card
        .filter(|_| !shown.opening && !shown.help && shown.tour.is_none())
    else {
        return;
    };
    let Some(report) = state.report.clone() else {
        return;
    };
    let screen = context.content_rect();
    let panel = super::panel_width(shown, screen.width());
    let color = match card {
        Card::Task => ACCENT,
        Card::End(Verdict::Won) => WON,
        Card::End(Verdict::Lost) => WRONG,
    };
    let strip = super::timeline::height(state, screen.height());
    let area = Area::new(Id::new("challenge")).order(Order::Foreground);
    area.anchor(Align2::CENTER_BOTTOM, vec2(0.5 * panel, -24.0 - strip))
        .show(context, |ui| {
            ui.set_max_width(WIDTH.min(screen.width() - panel - 40.0).max(160.0));
            let frame = Frame::new()
                .fill(context.global_style().visuals.window_fill)
                .inner_margin(Margin::same(12));
            frame
                .corner_radius(6)
                .stroke(Stroke::new(1.5, color))
                .show(ui, |ui| match card {
                    Card::Task => task(ui, state, &report),
                    Card::End(verdict) => end(ui, state, &report, verdict),
                });
        });
}

/// Draws the contents of the task card: the text of the task, and buttons for tools and liquids.
fn task(ui: &mut Ui, state: &mut State, report: &Report) {
    ui.label(
        RichText::new(format!("Challenge: {}", report.name))
            .strong()
            .size(15.0)
            .color(BRIGHT),
    );
    let words = state
        .scene
        .spec
        .task
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    ui.label(if words.is_empty() {
        USUAL.to_owned()
    } else {
        words
    });
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        for tool in TOOLS {
            let text = format!("{} ({})", tool.name(), keys::shown(Action::Tool(tool)));
            if ui.button(text).on_hover_text(tool.what()).clicked() {
                state.ask(Request::Do(Action::Tool(tool)));
            }
        }
        for material in report
            .materials
            .iter()
            .filter(|of| !of.shows_flow)
            .map(|of| &of.material)
        {
            let hint = "Drag to pour it: the tool fill.";
            if flows(material) && ui.button(&material.name).on_hover_text(hint).clicked() {
                state.tools.choose(&material.name);
                state.ask(Request::Do(Action::Tool(Tool::Fill)));
            }
        }
    });
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        let run = Button::new(RichText::new("Run (Space)").color(BRIGHT)).fill(DEEP);
        if ui.add(run.min_size(vec2(90.0, 24.0))).clicked() {
            state.ask(Request::Do(Action::Run));
        }
        ui.label(
            RichText::new("Time stands still until then; Home brings the first view back.")
                .small()
                .color(FAINT),
        );
    });
}

/// Returns true if the task card offers `material` to the player: a liquid other than lava.
fn flows(material: &Material) -> bool {
    !material.carries_energy() && matches!(material.kind, Kind::Liquid | Kind::Viscous)
}

/// Draws the contents of the result card: the deciding step, the goals, and buttons. `verdict`:
/// result of the challenge.
fn end(ui: &mut Ui, state: &mut State, report: &Report, verdict: Verdict) {
    let (title, color) = match verdict {
        Verdict::Won => ("Won", WON),
        Verdict::Lost => ("Lost", WRONG),
    };
    let title = format!("{title} at step {}", deciding_step(report, verdict));
    ui.label(RichText::new(title).strong().size(18.0).color(color));
    report
        .goals
        .iter()
        .for_each(|(goal, progress)| row(ui, goal, progress));
    ui.add_space(4.0);
    ui.horizontal_wrapped(|ui| {
        let again = Button::new(RichText::new("Again").color(BRIGHT)).fill(DEEP);
        if ui
            .add(again.min_size(vec2(90.0, 24.0)))
            .on_hover_text("From the start, with nothing built.")
            .clicked()
        {
            state.shown.card = None;
            state.ask(Request::Make(Box::new(state.scene.clone())));
        }
        let hint = "To step 0, where what was built before the first step stands, to build more.";
        if ui.button("Back to step 0").on_hover_text(hint).clicked() {
            state.shown.card = None;
            state.ask(Request::Go(Way::Step(0)));
        }
        if ui
            .button("Watch on")
            .on_hover_text("Goes on from here.")
            .clicked()
        {
            state.shown.card = None;
            state.ask(Request::Do(Action::Run));
        }
    });
}

/// Returns the simulation step that decided the challenge: the step of the first lost goal, or of
/// the last achieved goal if the challenge is won.
fn deciding_step(report: &Report, verdict: Verdict) -> u64 {
    let verdicts = report
        .goals
        .iter()
        .filter_map(|(_, progress)| progress.verdict);
    let steps = verdicts
        .filter(|(of, _)| *of == verdict)
        .map(|(_, step)| step);
    let step = if verdict == Verdict::Lost {
        steps.min()
    } else {
        steps.max()
    };
    step.unwrap_or(report.step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::Update;
    use crate::ui::shapes;
    use lavoxel_files::shipped;
    use lavoxel_scene::scene::Scene;
    use lavoxel_sim::goals::Progress;

    /// Returns an update of `scene` at the given step and epoch. The goals have the verdicts
    /// `verdicts`, reached three steps earlier, because the simulation stops some steps after the
    /// decision.
    fn update(scene: &Scene, verdicts: &[Option<Verdict>], (step, epoch): (u64, u64)) -> Update {
        let of = |verdict: &Option<Verdict>| Progress {
            room: 0,
            now: 0,
            verdict: verdict.map(|verdict| (verdict, step.saturating_sub(3))),
        };
        let goals = scene
            .spec
            .goals
            .iter()
            .cloned()
            .zip(verdicts.iter().map(of))
            .collect();
        let grid = scene.spec.grid.grid().expect("a box");
        Update::of_report(Report {
            step,
            epoch,
            goals,
            name: scene.spec.name.clone(),
            ..Report::quiet(grid)
        })
    }

    /// Returns the texts of the card that is shown at present, in a window of the default size.
    fn card(state: &mut State) -> String {
        let context = Context::default();
        crate::ui::theme(&context);
        let texts = shapes::texts(&context, vec2(1280.0, 800.0), |context| {
            draw(context, state)
        });
        texts
            .into_iter()
            .map(|text| text.words)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn a_challenge_says_what_is_asked_and_ends_with_a_card_that_offers_another_try() {
        let challenges: Vec<_> = shipped::scenes()
            .map(|shipped| Scene::open(&shipped.path()).expect("shipped"))
            .filter(|scene| !scene.spec.goals.is_empty())
            .collect();
        assert_eq!(challenges.len(), 4);
        for scene in challenges {
            let name = &scene.spec.name;
            let mut state = State::new(scene.clone(), Pace::Paused, true);
            let open = vec![None; scene.spec.goals.len()];
            state.follow(&update(&scene, &open, (0, 0)));
            assert_eq!(state.shown.card, Some(Card::Task), "{name}");
            let words = card(&mut state);
            for word in ["Run (Space)", "dam (Shift+F5)", "rock (F5)"] {
                assert!(
                    words.contains(word),
                    "{name}: {word} is not on the card: {words}"
                );
            }
            let sentences = scene.spec.task.matches(['.', ';']).count();
            assert!(
                (1..=3).contains(&sentences) && words.contains("Space"),
                "{name}: {words}"
            );
            state.shown.card = None;
            state.set_pace(Pace::Rate(60.0));
            state.follow(&update(&scene, &open, (5, 0)));
            assert_eq!(state.shown.card, None, "{name}");
            // The first lost goal ends the challenge; the last won goal wins it.
            for (epoch, verdict, other) in [
                (0, Verdict::Lost, None),
                (1, Verdict::Won, Some(Verdict::Won)),
            ] {
                let mut verdicts = vec![other; scene.spec.goals.len()];
                verdicts[0] = Some(verdict);
                state.follow(&update(&scene, &verdicts, (93, epoch)));
                assert_eq!(
                    (state.shown.card, state.pace.value),
                    (Some(Card::End(verdict)), Pace::Paused),
                    "{name}"
                );
                let words = card(&mut state);
                let title = if verdict == Verdict::Won {
                    "Won at step 90"
                } else {
                    "Lost at step 90"
                };
                assert!(
                    words.contains(title) && words.contains("Again"),
                    "{name}: {words}"
                );
                // A return in time reopens the challenge.
                state.follow(&update(&scene, &open, (0, epoch + 1)));
                assert_eq!(state.shown.card, None, "{name}");
                state.follow(&update(&scene, &open, (5, epoch + 1)));
            }
        }
    }
}
