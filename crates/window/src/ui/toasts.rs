//! Notices for the user at the top of the window, placed so that the notices do not cover the
//! colour bars.

use std::time::Instant;

use kiss3d::egui::{Align2, Area, Context, Id, Order, RichText, Stroke, Ui, vec2};

use super::{ACCENT, BRIGHT, WRONG, card, goals};
use crate::messages::{Mend, Notice};
use crate::state::State;

/// Smallest width in points for notices next to the list of goals; with less room, notices are
/// drawn below the list.
const LEAST: f32 = 260.0;

/// Draws the visible notices; a notice with a remedy has a button that applies the remedy.
pub(super) fn draw(context: &Context, state: &mut State) {
    if state.toasts.is_empty() {
        return;
    }
    let notices: Vec<Notice> = state.toasts.at(Instant::now()).cloned().collect();
    let offers = notices.iter().any(|notice| notice.mend.is_some());
    let area = Area::new(Id::new("toasts"))
        .order(Order::Tooltip)
        .interactable(offers);
    let screen = context.content_rect();
    let panel = super::panel_width(&state.shown, screen.width());
    // Placed between panel and goals, or below the goals if that gap is too narrow.
    let goals = goals::area(context, state);
    let left_of_goals = goals.map_or(screen.right(), |goals| goals.left()) - screen.left();
    let (right, top) = match goals {
        Some(goals) if left_of_goals - panel < LEAST => {
            (screen.width(), goals.bottom() - screen.top() + 8.0)
        }
        _ => (left_of_goals, 12.0),
    };
    let width = (right - panel - 40.0).clamp(160.0, 620.0);
    let middle = 0.5 * (panel + right) - 0.5 * screen.width();
    area.anchor(Align2::CENTER_TOP, vec2(middle, top))
        .show(context, |ui| {
            ui.set_max_width(width);
            for notice in &notices {
                let (edge, text) = if notice.wrong {
                    (WRONG, WRONG)
                } else {
                    (ACCENT, BRIGHT)
                };
                card().stroke(Stroke::new(1.0, edge)).show(ui, |ui| {
                    ui.label(RichText::new(&notice.text).color(text));
                    if let Some(mend) = notice.mend {
                        mend_button(ui, state, (notice, mend));
                    }
                });
            }
        });
}

/// Draws a button that applies the remedy `mend`, and a button that dismisses `notice`.
fn mend_button(ui: &mut Ui, state: &mut State, (notice, mend): (&Notice, Mend)) {
    ui.horizontal(|ui| {
        let Mend::OpenSides = mend;
        let hint = "Opens the four sides of the box from now on; the session records it.";
        if ui.button("Let it leave").on_hover_text(hint).clicked() {
            state.open_sides();
            state.toasts.dismiss(notice);
        }
        if ui
            .button("Hold it back")
            .on_hover_text("Takes this message away.")
            .clicked()
        {
            state.toasts.dismiss(notice);
        }
    });
}

#[cfg(test)]
mod tests {
    use kiss3d::egui::{Rect, pos2};

    use super::*;
    use crate::camera::rig::Rig;
    use crate::messages::{Pace, Report};
    use crate::ui::{Stage, marks, shapes};
    use lavoxel_render::{Bounds, CameraSpec};
    use lavoxel_scene::scene::Scene;
    use lavoxel_sim::source::VentSpec;

    #[test]
    fn messages_do_not_cover_the_goals_and_names_in_the_world_lie_apart_and_free() {
        let scene = Scene::open(std::path::Path::new("shipped:/village.toml")).expect("shipped");
        let grid = scene.spec.grid.grid().expect("a box");
        let progress = lavoxel_sim::goals::Progress {
            room: 0,
            now: 0,
            verdict: None,
        };
        let goals = scene
            .spec
            .goals
            .iter()
            .map(|goal| (goal.clone(), progress))
            .collect();
        let vent = VentSpec {
            x: 48.0,
            z: 14.0,
            radius: 8.0,
            rate: 4.0,
            ..VentSpec::default()
        };
        let text = "first lava at the open sides, after some more words than a line of a narrow window has room for";
        let widths = [
            (1280.0, 346.0),
            (1000.0, 346.0),
            (960.0, 346.0),
            (820.0, 42.0),
            (640.0, 42.0),
        ];
        for ((width, panel), is_above) in widths
            .into_iter()
            .flat_map(|width| [(width, false), (width, true)])
        {
            let spec = if is_above {
                CameraSpec::default()
            } else {
                scene.spec.camera.clone()
            };
            let size = (width as usize, 600);
            let camera = Rig::new(&spec, &Bounds::from_grid(grid), size, panel).window_camera(size);
            let mut state = State::new(scene.clone(), Pace::Paused, true);
            state.report = Some(Report {
                goals: Vec::clone(&goals),
                ..Report::quiet(grid)
            });
            state.ground = Some(std::sync::Arc::new(ndarray::Array2::from_elem(
                (grid.nz, grid.nx),
                12.0,
            )));
            state.vents.value = vec![(0, vent.clone())];
            state.tell(Notice::new(text.to_owned()));
            let context = Context::default();
            crate::ui::theme(&context);
            let rests = std::time::Duration::ZERO;
            let stage = Stage {
                camera: &camera,
                scale: 1.0,
                pointer: None,
                rests,
                handles: &[],
            };
            let texts = shapes::texts(&context, vec2(width, 600.0), |context| {
                let mut tags = marks::Tags::new(context, &state);
                marks::draw(context, &state, &stage, &mut tags);
                goals::draw(context, &state, &stage, &mut tags);
                draw(context, &mut state);
            });
            let message = texts
                .iter()
                .find(|shown| shown.words == text)
                .expect("the message");
            let list = goals::area(&context, &state).expect("the goals");
            assert!(
                !list.intersects(message.area),
                "{width}: {list:?} {:?}",
                message.area
            );
            let free = Rect::from_min_max(pos2(panel, 0.0), pos2(width, 600.0));
            // The list puts a sign before the names, so exact matches are labels only.
            let names = scene
                .spec
                .goals
                .iter()
                .map(|goal| &goal.name[..])
                .chain(["vent 1  4/step"]);
            let named = |name: &str| -> Vec<Rect> {
                texts
                    .iter()
                    .filter(|shown| shown.words == name)
                    .map(|shown| shown.area)
                    .collect()
            };
            let tags: Vec<Vec<Rect>> = names.map(named).collect();
            assert!(
                !is_above || tags.iter().all(|areas| areas.len() == 1),
                "{width}: goals and vent: {tags:?}"
            );
            let tags = tags.concat();
            for (k, tag) in tags.iter().enumerate() {
                assert!(
                    free.contains_rect(*tag) && !list.intersects(*tag),
                    "{width}: {tag:?}, free {free:?} but {list:?}"
                );
                assert!(
                    !tags[..k].iter().any(|other| other.intersects(*tag)),
                    "{width}: {tags:?}"
                );
            }
        }
    }
}
