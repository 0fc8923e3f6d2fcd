//! Goals of a challenge: a list with the progress of each goal, and outlines of the goals' areas on
//! the ground.

use kiss3d::egui::{
    Align2, Area, Color32, Context, Id, LayerId, Order, ProgressBar, Rect, RichText, Shape, Stroke,
    Ui, vec2,
};
use nalgebra::Point3;
use ndarray::Array2;

use super::marks::Tags;
use super::{BRIGHT, FAINT, Stage, WRONG, card};
use crate::edit::vent_handles::ground_at;
use crate::state::State;
use lavoxel_base::grid::Grid;
use lavoxel_sim::goals::{Aim, GoalSpec, Progress, Verdict, words};

/// Name of the egui area that contains the list of goals.
const NAME: &str = "goals";
/// Colour of the text about achieved goals.
pub(super) const WON: Color32 = Color32::from_rgb(120, 215, 120);
/// Width of the list of goals in points.
const WIDTH: f32 = 250.0;
/// Number of line segments along each side of the outline of a goal's area, so that the outline
/// follows the ground.
const PIECES: usize = 24;

/// Draws the list of the challenge's goals and the outlines of their areas, if the goals are shown.
pub(super) fn draw(context: &Context, state: &State, stage: &Stage<'_>, tags: &mut Tags) {
    let Some(report) = state.report.as_ref().filter(|_| are_shown(state)) else {
        return;
    };
    if let Some(ground) = &state.ground {
        for (goal, progress) in &report.goals {
            place(
                context,
                (goal, progress),
                (report.grid, ground),
                stage,
                tags,
            );
        }
    }
    let area = Area::new(Id::new(NAME))
        .order(Order::Middle)
        .anchor(Align2::RIGHT_TOP, vec2(-12.0, 12.0));
    area.interactable(false).show(context, |ui| {
        card().show(ui, |ui| {
            ui.set_width(WIDTH);
            ui.label(RichText::new("Goals").strong().color(BRIGHT));
            report
                .goals
                .iter()
                .for_each(|(goal, progress)| row(ui, goal, progress));
        });
    });
}

fn color(progress: &Progress) -> Color32 {
    match progress.verdict {
        None => BRIGHT,
        Some((Verdict::Won, _)) => WON,
        Some((Verdict::Lost, _)) => WRONG,
    }
}

pub(super) fn row(ui: &mut Ui, goal: &GoalSpec, progress: &Progress) {
    let sign = match progress.verdict {
        None => "○",
        Some((Verdict::Won, _)) => "✔",
        Some((Verdict::Lost, _)) => "✖",
    };
    ui.label(RichText::new(format!("{sign} {}", goal.name)).color(color(progress)));
    let share = goal.aim().share_of(progress).clamp(0.0, 1.0) as f32;
    if progress.verdict.is_none() {
        let keeps = matches!(goal.aim(), Aim::KeepBelow(_));
        let fill = if keeps { WRONG } else { WON };
        ui.add(
            ProgressBar::new(share)
                .desired_height(5.0)
                .fill(fill.gamma_multiply(0.8)),
        );
    }
    ui.label(RichText::new(words(goal, progress)).small().color(FAINT));
}

/// Returns true if the goals are shown: the scene has goals and the panel is not hidden.
pub(super) fn are_shown(state: &State) -> bool {
    state.shown.panel
        && state
            .report
            .as_ref()
            .is_some_and(|report| !report.goals.is_empty())
}

/// Returns the screen area of the list of goals in points; `None` while the goals are hidden.
pub(super) fn area(context: &Context, state: &State) -> Option<Rect> {
    are_shown(state)
        .then(|| context.memory(|memory| memory.area_rect(Id::new(NAME))))
        .flatten()
}

/// Draws the outline of a goal's area on the ground, and the goal's name above the highest point of
/// the outline that the panel does not cover.
fn place(
    context: &Context,
    (goal, progress): (&GoalSpec, &Progress),
    (grid, heights): (Grid, &Array2<f32>),
    stage: &Stage<'_>,
    tags: &mut Tags,
) {
    let Some([low, high]) = goal.shape.corners(grid) else {
        return;
    };
    let layer = context.layer_painter(LayerId::background());
    let painter = layer.with_clip_rect(tags.free());
    let corners = [
        [low[0], low[2]],
        [high[0], low[2]],
        [high[0], high[2]],
        [low[0], high[2]],
    ];
    let point = |x: f64, z: f64| Point3::new(x as f32, ground_at(heights, x, z) + 0.3, z as f32);
    let between = |a: f64, b: f64, i: usize| a + (b - a) * i as f64 / PIECES as f64;
    let sides = (0..4).map(|side| (corners[side], corners[(side + 1) % 4]));
    let outline = sides.flat_map(|(a, b)| {
        (0..PIECES).map(move |i| point(between(a[0], b[0], i), between(a[1], b[1], i)))
    });
    let outline: Vec<_> = outline.filter_map(|point| stage.place(point)).collect();
    let above = outline
        .iter()
        .map(|point| *point + vec2(0.0, -6.0))
        .filter(|above| tags.is_free(*above));
    let top = above.min_by(|a, b| a.y.total_cmp(&b.y));
    let color = color(progress);
    painter.add(Shape::closed_line(
        outline,
        Stroke::new(1.5, color.gamma_multiply(0.7)),
    ));
    if let Some(top) = top {
        tags.draw(&painter, top, &goal.name, color);
    }
}
