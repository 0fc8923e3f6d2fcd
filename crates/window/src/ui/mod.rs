//! User interface over the picture: panel, marks on the scene, colour bars, help and notices. Reads
//! and edits [`State`], and queues requests.
//!
//! Invariant: no function of this module blocks.

mod bar;
mod camera;
mod challenge;
mod files;
mod film;
pub(crate) mod gallery;
mod goals;
mod help;
mod legend;
mod look;
mod marks;
mod materials;
mod models;
mod numbers;
mod panel;
mod plots;
mod print;
mod probe;
mod rows;
mod rules;
mod runs;
#[cfg(test)]
mod shapes;
pub(crate) mod sides;
mod slices;
mod swatch;
mod time;
mod timeline;
mod toasts;
mod tools;
mod tour;
mod vents;
mod wind;

use std::time::Duration;

use kiss3d::egui::{
    self, Area, Color32, Context, CornerRadius, FontId, Id, LayerId, Margin, Order, Stroke,
    TextStyle, Theme, Ui, vec2,
};

use super::edit::vent_handles::{Handle, ground_at};
use super::messages::Report;
use super::shell::compare::Sides;
use super::state::{Shown, State};
use lavoxel_render::{Camera, Plain};

/// Width of the panel in points.
const PANEL: f32 = 346.0;
/// Width in points of the bar that remains of a folded panel.
const BAR: f32 = 42.0;
/// Width of the window in points below which the panel is folded by default.
const NARROW: f32 = 900.0;
/// Accent colour, an orange like that of lava.
const ACCENT: Color32 = Color32::from_rgb(255, 122, 40);
/// Background colour of selected items and of the primary button.
const DEEP: Color32 = Color32::from_rgb(150, 66, 18);
/// Colour of prominent text.
const BRIGHT: Color32 = Color32::from_rgb(240, 236, 230);
/// Colour of explanatory text.
const FAINT: Color32 = Color32::from_rgb(150, 148, 146);
/// Colour of errors.
const WRONG: Color32 = Color32::from_rgb(255, 92, 80);
/// Background colour of texts over the picture.
const SHADE: Color32 = Color32::from_rgba_premultiplied(14, 14, 17, 214);

/// Inputs for drawing the marks on the scene: camera, pointer and handles of vents.
pub(crate) struct Stage<'a> {
    /// Camera of the picture on the screen; the size of its picture is in pixels.
    pub(crate) camera: &'a Camera,
    /// Scale factor of the user interface: number of physical pixels per point.
    pub(crate) scale: f32,
    /// Position of the pointer in pixels from the top left of the window; `None` over the panel,
    /// outside the window, and during a drag of the camera or a slice.
    pub(crate) pointer: Option<(f32, f32)>,
    /// Time since the last movement of the mouse pointer.
    pub(crate) rests: Duration,
    /// Draggable handles of the vents in the picture.
    pub(crate) handles: &'a [Handle],
}

impl Stage<'_> {
    /// Projects the point `point` of the scene (in cells) to the screen; returns its position in
    /// points, `None` if the point lies behind the camera.
    fn place(&self, point: nalgebra::Point3<f32>) -> Option<egui::Pos2> {
        self.camera
            .project(point)
            .map(|(x, y, _)| self.points((x, y)))
    }

    /// Converts a position from pixels to points.
    fn points(&self, (x, y): (f32, f32)) -> egui::Pos2 {
        egui::pos2(x / self.scale, y / self.scale)
    }
}

/// Returns the colour of marks for `material` (`None`: lava), similar to the material's colour on
/// slices.
fn color_of(report: Option<&Report>, material: Option<&str>) -> Color32 {
    let Some(name) = material else { return ACCENT };
    let materials = report
        .iter()
        .flat_map(|report| report.materials.iter().map(|of| &of.material));
    let all = Plain::all(materials);
    let [r, g, b] = all
        .iter()
        .find(|plain| plain.name == name)
        .map_or([150; 3], |plain| plain.color);
    // Lightened, since marks lie on dark rock.
    let lighter = |c: u8| c / 4 * 3 + 64;
    Color32::from_rgb(lighter(r), lighter(g), lighter(b))
}

/// Returns the egui layer of the area called `name` at the left edge of the window.
fn docked_layer(name: &str) -> LayerId {
    LayerId::new(Order::Middle, Id::new(name))
}

/// Returns the egui layer of the unfolded panel.
pub(crate) fn panel_layer() -> LayerId {
    docked_layer(panel::NAME)
}

/// Draws `contents` in a frame at the left edge of the window. `name`: name of the egui area;
/// `margin`: margin around the contents.
fn docked(context: &Context, name: &str, margin: Margin, contents: impl FnOnce(&mut Ui)) {
    let visuals = &context.global_style().visuals.clone();
    let frame = egui::Frame::new()
        .fill(visuals.window_fill)
        .stroke(Stroke::new(1.0, visuals.window_stroke.color))
        .inner_margin(margin);
    let place = context.content_rect().left_top();
    let LayerId { id, order } = docked_layer(name);
    let area = Area::new(id).order(order).fixed_pos(place).movable(false);
    area.show(context, |ui| frame.show(ui, contents));
}

/// Returns true if the panel is folded to the narrow bar in a window of `width` points.
fn is_folded(shown: &Shown, width: f32) -> bool {
    shown.folded.unwrap_or(width < NARROW)
}

/// Returns the width of the panel in points, in a window of `width` points; 0 while the panel is
/// hidden.
pub(crate) fn panel_width(shown: &Shown, width: f32) -> f32 {
    match (shown.panel, is_folded(shown, width)) {
        (false, _) => 0.0,
        (true, true) => BAR,
        (true, false) => PANEL,
    }
}

/// Returns an egui painter for marks on the scene, clipped to the picture of the first run.
fn world_painter(context: &Context, state: &State) -> egui::Painter {
    let mut part = context.content_rect();
    part.max.x = sides::between_runs(state, part.width()).unwrap_or(part.max.x);
    context
        .layer_painter(LayerId::background())
        .with_clip_rect(part)
}

/// Draws the whole user interface over the picture; elements drawn later cover earlier ones.
pub(crate) fn draw(context: &Context, state: &mut State, stage: &Stage<'_>) {
    if state.print.is_some() {
        print::draw(context, state);
    } else {
        over_picture(context, state, stage);
    }
    runs::draw(context, state);
    timeline::draw(context, state);
    let width = context.content_rect().width();
    if state.shown.panel && is_folded(&state.shown, width) {
        bar::draw(context, state);
    } else if state.shown.panel {
        panel::draw(context, state);
    }
    models::draw(context, state);
    plots::point(context, state, stage);
    gallery::draw(context, state);
    challenge::draw(context, state);
    tour::draw(context, state);
    help::draw(context, state);
    toasts::draw(context, state);
}

/// Draws the marks, numbers and cards over the live picture.
fn over_picture(context: &Context, state: &mut State, stage: &Stage<'_>) {
    let mut tags = marks::Tags::new(context, state);
    if state.sides.as_ref().is_none_or(Sides::are_runs) {
        marks::draw(context, state, stage, &mut tags);
        buried(context, state, stage);
    }
    probe::draw(context, state, stage);
    legend::draw(context, state);
    goals::draw(context, state, stage, &mut tags);
    sides::draw(context, state);
}

/// Draws a hint if the camera is inside rock in the visible region of the simulation box, since the
/// picture may then be black.
fn buried(context: &Context, state: &State, stage: &Stage<'_>) {
    let (eye, part) = (stage.camera.eye(), state.visible_part(stage.camera));
    let inside = (0..3).all(|k| (part[k][0]..part[k][1]).contains(&eye[k]));
    let below =
        |ground: &ndarray::Array2<f32>| eye.y < ground_at(ground, eye.x.into(), eye.z.into());
    if !inside || !state.ground.as_deref().is_some_and(below) {
        return;
    }
    let panel = panel_width(&state.shown, context.content_rect().width());
    let area = Area::new(Id::new("buried"))
        .interactable(false)
        .anchor(egui::Align2::CENTER_CENTER, vec2(0.5 * panel, 0.0));
    area.show(context, |ui| {
        card().show(ui, |ui| {
            let text = "The camera is below the ground. Home brings the scene's camera back; the wheel moves out.";
            ui.label(egui::RichText::new(text).color(BRIGHT));
        });
    });
}

/// Draws the loading screen with the name of the scene, shown until the first picture is ready.
pub(crate) fn loading(context: &Context, name: &str) {
    egui::Area::new(egui::Id::new("loading"))
        .anchor(egui::Align2::CENTER_CENTER, vec2(0.0, 0.0))
        .show(context, |ui| {
            ui.label(
                egui::RichText::new(format!("loading {name} …"))
                    .color(BRIGHT)
                    .size(18.0),
            );
        });
}

/// Sets colours, fonts and spacing of the user interface.
pub(crate) fn theme(context: &Context) {
    context.set_theme(Theme::Dark);
    context.all_styles_mut(|style| {
        let sizes = [
            (TextStyle::Heading, 16.0),
            (TextStyle::Body, 13.0),
            (TextStyle::Button, 13.0),
            (TextStyle::Small, 11.0),
        ];
        for (text, size) in sizes {
            style.text_styles.insert(text, FontId::proportional(size));
        }
        style.spacing.item_spacing = vec2(6.0, 5.0);
        style.spacing.button_padding = vec2(7.0, 3.0);
        style.spacing.interact_size.y = 20.0;
        style.spacing.indent = 18.0;
        style.spacing.tooltip_width = 320.0;
        let visuals = &mut style.visuals;
        visuals.panel_fill = Color32::from_rgb(24, 24, 28);
        visuals.window_fill = Color32::from_rgba_premultiplied(22, 22, 26, 244);
        visuals.window_stroke = Stroke::new(1.0, Color32::from_rgb(52, 52, 58));
        visuals.window_corner_radius = CornerRadius::same(6);
        visuals.extreme_bg_color = Color32::from_rgb(13, 13, 16);
        visuals.selection.bg_fill = DEEP;
        visuals.selection.stroke = Stroke::new(1.0, BRIGHT);
        visuals.hyperlink_color = ACCENT;
        visuals.slider_trailing_fill = true;
        visuals.widgets.noninteractive.fg_stroke.color = Color32::from_rgb(206, 203, 198);
        visuals.widgets.noninteractive.bg_stroke.color = Color32::from_rgb(48, 48, 54);
        visuals.widgets.inactive.bg_fill = Color32::from_rgb(54, 54, 61);
        visuals.widgets.inactive.weak_bg_fill = Color32::from_rgb(44, 44, 50);
        visuals.widgets.inactive.fg_stroke.color = Color32::from_rgb(214, 211, 206);
        visuals.widgets.hovered.weak_bg_fill = Color32::from_rgb(62, 60, 64);
        visuals.widgets.active.weak_bg_fill = DEEP;
        for widget in [
            &mut visuals.widgets.inactive,
            &mut visuals.widgets.hovered,
            &mut visuals.widgets.active,
            &mut visuals.widgets.open,
        ] {
            widget.corner_radius = CornerRadius::same(4);
        }
    });
}

/// Returns the frame style of cards with text over the picture.
fn card() -> egui::Frame {
    egui::Frame::new()
        .fill(SHADE)
        .corner_radius(CornerRadius::same(5))
        .inner_margin(Margin::symmetric(9, 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::{AccountReport, MaterialReport, Pace};
    use lavoxel_automaton::matter::Material;
    use lavoxel_base::grid::Grid;
    use lavoxel_scene::scene::Scene;

    #[test]
    fn marks_of_two_materials_differ() {
        let mut report = Report::quiet(Grid::new(4, 4, 4));
        let material = |name: &str, color: Option<&str>| {
            let mut material = Material {
                name: name.into(),
                ..Material::water()
            };
            material.look.color = color.map(str::to_owned);
            MaterialReport {
                material,
                mass: AccountReport::default(),
                cells: 0,
                shows_flow: false,
            }
        };
        report.materials.extend([
            material("water", None),
            material("oil", None),
            material("mud", Some("#804020")),
        ]);
        let colors = [None, Some("water"), Some("oil"), Some("mud")]
            .map(|name| color_of(Some(&report), name));
        for (i, color) in colors.iter().enumerate() {
            assert!(!colors[..i].contains(color), "{colors:?}");
        }
        assert_eq!(
            colors[3],
            Color32::from_rgb(160, 112, 88),
            "a lighter shade of its own colour"
        );
    }

    #[test]
    fn narrow_windows_fold_the_panel_until_the_user_says_otherwise() {
        let mut shown = State::new(Scene::volcano(), Pace::Paused, true).shown;
        assert_eq!(
            [1280.0, 899.0].map(|width| panel_width(&shown, width)),
            [PANEL, BAR]
        );
        shown.folded = Some(false);
        assert_eq!(panel_width(&shown, 640.0), PANEL);
        shown.folded = Some(true);
        assert_eq!(panel_width(&shown, 1900.0), BAR);
        shown.panel = false;
        assert_eq!(panel_width(&shown, 1900.0), 0.0);
    }
}
