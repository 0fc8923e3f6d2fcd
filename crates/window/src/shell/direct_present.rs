//! Fast path of the CPU painter: copies the finished picture and the panel directly onto the
//! surface of the window.
//!
//! kiss3d's ordinary frames end with a tone-mapping pass in floating point; if the processor runs
//! that pass, it costs as much as the picture. Drawing the panel costs half of that again, so the
//! panel is cached in a texture over several frames.

use std::ops::Range;
use std::time::Instant;

use kiss3d::context::Context;
use kiss3d::egui::{self, LayerId, Order, Pos2, RawInput, Rect, vec2};
use kiss3d::renderer::EguiRenderer;
use kiss3d::window::Window;

use crate::paint::Painter;
use crate::shell::clock::NUMBERS_ON_CPU;
use crate::ui;

/// Fast path for presenting frames. Draws the panel with its own egui renderer, which receives no
/// events, because kiss3d's renderer is private.
pub(crate) struct DirectPresent {
    panel: EguiRenderer,
    /// Time at which the cached panel was drawn, and the window's size in pixels at that time;
    /// `None` if the cache is outdated.
    sheet: Option<(Instant, [u32; 2])>,
    /// Number of frames presented by the fast path since the window opened.
    pub(crate) frames: u64,
}

/// Choice of the shapes that one egui pass draws: the panel, or everything else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UiPass {
    Whole,
    Panel,
    AllButPanel,
}

impl DirectPresent {
    /// Creates the fast path; `None` if the graphics card draws the pictures or if the surface
    /// encodes sRGB by itself.
    pub(crate) fn new(painter: &Painter) -> Option<Self> {
        if !painter.is_on_cpu() || Context::get().surface_format.is_srgb() {
            return None;
        }
        let panel = EguiRenderer::new();
        ui::theme(panel.context());
        Some(Self {
            panel,
            sheet: None,
            frames: 0,
        })
    }

    /// Invalidates the cached panel, which is redrawn in the next frame.
    pub(crate) fn forget_panel(&mut self) {
        self.sheet = None;
    }

    /// Presents one frame: the latest picture, the latest picture of the second run, and over both
    /// the user interface that `draw` builds. `seconds`: time since the window opened; `covered`:
    /// width of the panel in pixels. Returns false if the surface of the window cannot be drawn to
    /// now.
    pub(crate) fn show(
        &mut self,
        window: &mut Window,
        (painter, second): (&mut Painter, Option<&mut Painter>),
        (seconds, covered): (f64, u32),
        mut draw: impl FnMut(&egui::Context),
    ) -> bool {
        window.canvas_mut().poll_events();
        let Some(frame) = window.canvas().get_current_texture() else {
            return false;
        };
        let view = frame
            .texture
            .create_view(&wgpu::TextureViewDescriptor::default());
        let (format, [width, height]) = (
            frame.texture.format(),
            [frame.texture.width(), frame.texture.height()],
        );
        let (under, free): (Range<u32>, Range<u32>) =
            (0..covered.min(width), covered.min(width)..width);
        // The panel can be cached only if nothing overlaps it: a popup there would freeze with the
        // cached panel.
        let apart =
            !under.is_empty() && !free.is_empty() && stands_alone(window.egui_context(), covered);
        let columns = if apart { free } else { 0..width };
        let lays = |painter: &mut Painter| painter.lay(&view, format, columns.clone());
        if !lays(painter) || !second.is_none_or(lays) {
            return false;
        }
        if !apart {
            self.pass(window, &view, seconds, UiPass::Whole, &mut draw);
        } else {
            let fresh = |(drawn, size): (Instant, [u32; 2])| {
                drawn.elapsed() < NUMBERS_ON_CPU && size == [width, height]
            };
            if !self.sheet.is_some_and(fresh)
                && let Some(sheet) = painter.sheet([width as usize, height as usize], format)
            {
                self.pass(window, &sheet, seconds, UiPass::Panel, &mut draw);
                self.sheet = Some((Instant::now(), [width, height]));
            }
            self.pass(window, &view, seconds, UiPass::AllButPanel, &mut draw);
            painter.lay_sheet(&view, format, under);
        }
        window.canvas().present(frame);
        self.frames += 1;
        true
    }

    /// Draws `part` of the user interface that `draw` builds (the panel, or everything else) onto
    /// the surface `on`.
    fn pass(
        &mut self,
        window: &Window,
        on: &wgpu::TextureView,
        seconds: f64,
        part: UiPass,
        draw: &mut impl FnMut(&egui::Context),
    ) {
        let (width, height, scale) = (
            window.width(),
            window.height(),
            window.scale_factor() as f32,
        );
        let context = self.panel.context().clone();
        let memory = window.egui_context().memory(Clone::clone);
        context.memory_mut(|mine| *mine = memory);
        context.set_pixels_per_point(scale);
        let room = Rect::from_min_size(Pos2::ZERO, vec2(width as f32, height as f32) / scale);
        self.panel.begin_frame(RawInput {
            screen_rect: Some(room),
            time: Some(seconds),
            ..RawInput::default()
        });
        draw(&context);
        leave_only(&context, part);
        self.panel.end_frame();
        self.panel
            .render(on, window.canvas().depth_view(), width, height, scale);
    }
}

/// Returns true if no egui layer overlaps that of the panel. `covered`: width of the panel in
/// pixels.
fn stands_alone(context: &egui::Context, covered: u32) -> bool {
    let panel = ui::panel_layer();
    let edge = covered as f32 / context.pixels_per_point();
    let popup = egui::Popup::is_any_open(context);
    context.memory(|memory| {
        let mut layers = memory.areas().visible_layer_ids().into_iter();
        let overlaps = |layer: LayerId| {
            memory
                .area_rect(layer.id)
                .is_none_or(|rect| rect.left() < edge)
        };
        let stands = memory.areas().is_visible(&panel) && !popup;
        stands
            && !layers
                .any(|layer| layer != panel && layer.order >= Order::Middle && overlaps(layer))
    })
}

/// Removes from the current egui pass all shapes that do not belong to `part`.
fn leave_only(context: &egui::Context, part: UiPass) {
    let panel = ui::panel_layer();
    let layers: Vec<_> = context.memory(|memory| memory.layer_ids().collect());
    context.graphics_mut(|graphics| match part {
        UiPass::Whole => {}
        UiPass::AllButPanel => drop(std::mem::take(graphics.entry(panel))),
        UiPass::Panel => {
            for layer in layers.into_iter().filter(|layer| *layer != panel) {
                drop(std::mem::take(graphics.entry(layer)));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::messages::{Notice, Pace};
    use crate::state::State;
    use crate::ui::Stage;
    use lavoxel_base::grid::Grid;
    use lavoxel_render::{Bounds, Camera, CameraSpec};
    use lavoxel_scene::scene::Scene;

    const WIDTH: f32 = 1200.0;

    /// Returns the number of shapes left in an egui pass for `part`, and true if no layer overlaps
    /// the panel in the pass.
    fn pass(state: &mut State, part: UiPass) -> (usize, bool) {
        let context = egui::Context::default();
        let room = Rect::from_min_size(Pos2::ZERO, vec2(WIDTH, 800.0));
        let camera = Camera::new(
            &CameraSpec::default(),
            &Bounds::from_grid(Grid::new(8, 8, 8)),
            (WIDTH as usize, 800),
        );
        let stage = Stage {
            camera: &camera,
            scale: 1.0,
            pointer: None,
            rests: Duration::ZERO,
            handles: &[],
        };
        let mut shapes = 0;
        // Two passes: areas know their size only after the first.
        for _ in 0..2 {
            context.begin_pass(RawInput {
                screen_rect: Some(room),
                ..RawInput::default()
            });
            ui::draw(&context, state, &stage);
            leave_only(&context, part);
            let mut output = context.end_pass();
            output.textures_delta.clear();
            shapes = output.shapes.len();
        }
        let covered = ui::panel_width(&state.shown, WIDTH);
        (shapes, stands_alone(&context, covered as u32))
    }

    #[test]
    fn the_panel_and_the_rest_together_are_the_whole() {
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        state.tell(Notice::wrong("a message beside the panel".to_owned()));
        let [whole, panel, rest] =
            [UiPass::Whole, UiPass::Panel, UiPass::AllButPanel].map(|part| pass(&mut state, part));
        assert!(
            whole.1 && panel.0 > 10 && rest.0 > 0,
            "{whole:?}, {panel:?}, {rest:?}"
        );
        assert_eq!(panel.0 + rest.0, whole.0);
    }

    #[test]
    fn a_panel_under_something_else_or_folded_is_no_sheet() {
        let mut state = State::new(Scene::volcano(), Pace::Paused, true);
        state.shown.help = true;
        assert!(!pass(&mut state, UiPass::Whole).1, "the keys lie over it");
        state.shown.help = false;
        state.shown.folded = Some(true);
        assert!(!pass(&mut state, UiPass::Whole).1, "a bar costs nothing");
    }
}
