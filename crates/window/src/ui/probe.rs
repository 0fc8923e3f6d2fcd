//! Readout of the cell under the pointer, as a text next to the pointer.

use std::time::Duration;

use kiss3d::egui::{Context, LayerId, Pos2, Rect, RichText, TextStyle, WidgetText, vec2};

use super::{BRIGHT, SHADE, Stage};
use crate::edit::tools::lies_on;
use crate::state::State;

/// Time after the pointer's last movement for which the full readout is shown; afterwards, a short
/// readout is shown.
const MOVES: Duration = Duration::from_secs(1);

/// Draws the readout of the cell under the pointer, while the pointer is over the scene and no tool
/// is in use.
pub(super) fn draw(context: &Context, state: &State, stage: &Stage<'_>) {
    let Some(pointer) = stage.pointer.filter(|_| !state.tools.is_busy()) else {
        return;
    };
    let ray = stage.camera.ray(pointer.0, pointer.1);
    let Some(report) = &state.report else { return };
    let Some(probe) = report.probe.as_ref().filter(|probe| lies_on(&ray, probe)) else {
        return;
    };
    let painter = context.layer_painter(LayerId::background());
    let words = if stage.rests < MOVES {
        probe.words(report.cell_size_m, |axis, cell| report.metres(axis, cell))
    } else {
        probe.short(report.cell_size_m, |axis, cell| report.metres(axis, cell))
    };
    let text = WidgetText::from(RichText::new(words));
    let galley = painter.layout_job(
        (*text.into_layout_job(
            &context.global_style(),
            TextStyle::Small.into(),
            kiss3d::egui::Align::LEFT,
        ))
        .clone(),
    );
    let margin = vec2(7.0, 5.0);
    let size = galley.size() + 2.0 * margin;
    let mut free = context.content_rect();
    free.min.x += super::panel_width(&state.shown, free.width());
    let at = next_to(stage.points(pointer), size, free);
    painter.rect_filled(Rect::from_min_size(at, size), 4.0, SHADE);
    painter.galley_with_override_text_color(at + margin, galley, BRIGHT);
}

/// Returns the position in points of the upper left corner of a text of `size` points (width,
/// height): below and right of the pointer, or on the opposite side where there is no room.
/// `screen`: area of the window without the panel, in which the text lies.
fn next_to(pointer: Pos2, size: kiss3d::egui::Vec2, screen: Rect) -> Pos2 {
    let gap = 16.0;
    let x = if pointer.x + gap + size.x > screen.right() {
        pointer.x - gap - size.x
    } else {
        pointer.x + gap
    };
    let y = if pointer.y + gap + size.y > screen.bottom() {
        pointer.y - gap - size.y
    } else {
        pointer.y + gap
    };
    let inside = |at: f32, low: f32, high: f32| at.min(high).max(low);
    Pos2::new(
        inside(x, screen.left(), screen.right() - size.x),
        inside(y, screen.top(), screen.bottom() - size.y),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{Pace, Probe, Report};
    use crate::ui::{PANEL, shapes};
    use lavoxel_base::grid::Grid;
    use lavoxel_render::{Bounds, Camera, CameraSpec};
    use lavoxel_scene::scene::Scene;

    #[test]
    fn the_text_stays_on_the_screen_beside_the_panel() {
        let report = Report::quiet(Grid::new(8, 8, 8));
        let cell = [1, 2, 3];
        let (values, thickness_m) = (Vec::new(), Vec::new());
        let point = [1.5, 3.0, 3.5];
        let probe = Probe {
            cell,
            point,
            solid: true,
            cut: true,
            values,
            ground_m: 20.0,
            thickness_m,
            flow: None,
        };
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        let camera = Camera::new(
            &CameraSpec::default(),
            &Bounds::from_grid(Grid::new(8, 8, 8)),
            (640, 360),
        );
        state.shown.folded = Some(false);
        state.report = Some(Report {
            probe: Some(probe),
            ..report
        });
        for pointer in [[350.0, 180.0], [480.0, 180.0], [630.0, 350.0], [635.0, 3.0]] {
            let context = Context::default();
            let at = (pointer[0], pointer[1]);
            let screen = vec2(640.0, 360.0);
            let texts = shapes::texts(&context, screen, |context| {
                let probe = state
                    .report
                    .as_mut()
                    .and_then(|report| report.probe.as_mut())
                    .expect("one was put there");
                let ray = camera.ray(at.0, at.1);
                probe.point = [0, 1, 2].map(|axis| ray.at(9.0)[axis]);
                let rests = Duration::ZERO;
                draw(
                    context,
                    &state,
                    &Stage {
                        camera: &camera,
                        scale: 1.0,
                        pointer: Some(at),
                        rests,
                        handles: &[],
                    },
                );
            });
            let free = Rect::from_min_max(Pos2::new(PANEL, 0.0), Pos2::ZERO + screen);
            assert_eq!(texts.len(), 1, "{pointer:?}");
            assert!(
                free.contains_rect(texts[0].area),
                "{pointer:?}: {:?}",
                texts[0].area
            );
        }
    }
}
