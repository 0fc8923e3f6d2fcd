//! Frames straight onto the surface of the window: a picture by the processor, and the panel over it. The frames of kiss3d go
//! through a film that works on each pixel in floating point; where the processor runs that too, it costs as much as the picture.

use kiss3d::context::Context;
use kiss3d::egui::{self, Pos2, RawInput, Rect, vec2};
use kiss3d::renderer::EguiRenderer;
use kiss3d::window::Window;

use crate::viewer::paint::Painter;
use crate::viewer::ui;

/// A second painter of the panel, because kiss3d keeps its own to itself. It hears no events.
pub(in crate::viewer) struct Straight {
    panel: EguiRenderer,
    /// Frames so far.
    pub(in crate::viewer) frames: u64,
}

impl Straight {
    /// For a window of which the processor draws the pictures; `None` where its surface codes light by itself.
    pub(in crate::viewer) fn new(painter: &Painter) -> Option<Self> {
        if !painter.is_on_cpu() || Context::get().surface_format.is_srgb() {
            return None;
        }
        let panel = EguiRenderer::new();
        ui::theme(panel.context());
        Some(Self { panel, frames: 0 })
    }

    /// Shows the latest picture, and over it the panel as `draw` has it, in the state that the one of kiss3d is in; false where
    /// the window takes no frame now.
    pub(in crate::viewer) fn show(
        &mut self,
        window: &mut Window,
        painter: &mut Painter,
        seconds: f64,
        draw: impl FnOnce(&egui::Context),
    ) -> bool {
        window.canvas_mut().poll_events();
        let Some(frame) = window.canvas().get_current_texture() else { return false };
        let view = frame.texture.create_view(&wgpu::TextureViewDescriptor::default());
        if !painter.lay(&view, frame.texture.format()) {
            return false;
        }
        let (width, height, scale) = (window.width(), window.height(), window.scale_factor() as f32);
        let context = self.panel.context().clone();
        let memory = window.egui_context().memory(Clone::clone);
        context.memory_mut(|mine| *mine = memory);
        context.set_pixels_per_point(scale);
        let room = Rect::from_min_size(Pos2::ZERO, vec2(width as f32, height as f32) / scale);
        self.panel.begin_frame(RawInput { screen_rect: Some(room), time: Some(seconds), ..RawInput::default() });
        draw(&context);
        self.panel.end_frame();
        self.panel.render(&view, window.canvas().depth_view(), width, height, scale);
        window.canvas().present(frame);
        self.frames += 1;
        true
    }
}
