//! Pictures by the graphics card, through WebGPU: the window's painter, onto a canvas of the worker.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nalgebra::Point3;
use wasm_bindgen::prelude::*;

use crate::picture::Slices;
use lavoxel_automaton::world::Quantity;
use lavoxel_base::grid::Grid;
use lavoxel_base::validate::Invalid;
use lavoxel_paint::changes::{Asked, ChangeFinder};
use lavoxel_paint::device::Gpu;
use lavoxel_paint::{GpuPainter, Quality, Screen, View};
use lavoxel_render::{Axis, Bounds, Camera, Glow, LookSpec};
use lavoxel_session::Session;
use lavoxel_sim::state::State;

/// Frame rate, per second, that pictures at rest leave to the page.
const AT_REST: f32 = 20.0;

thread_local! {
    /// Card that `open_card` opened; the module has one.
    static CARD: RefCell<Option<Card>> = const { RefCell::new(None) };
}

/// Graphics card with the canvas onto which it draws.
#[derive(Clone)]
struct Card {
    gpu: Gpu,
    surface: Rc<wgpu::Surface<'static>>,
    format: wgpu::TextureFormat,
    is_gone: Arc<AtomicBool>,
}

/// Opens the graphics card for pictures on `canvas`.
///
/// # Errors
/// Why there is no card.
#[wasm_bindgen]
pub async fn open_card(canvas: web_sys::OffscreenCanvas) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut needs = wgpu::InstanceDescriptor::new_without_display_handle();
    needs.backends = wgpu::Backends::BROWSER_WEBGPU;
    let instance = wgpu::Instance::new(needs);
    let surface = instance
        .create_surface(wgpu::SurfaceTarget::OffscreenCanvas(canvas))
        .map_err(|error| text(&error))?;
    let adapter = instance
        .request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..wgpu::RequestAdapterOptions::default()
        })
        .await
        .map_err(|error| text(&error))?;
    let (device, queue) = adapter
        .request_device(&wgpu::DeviceDescriptor::default())
        .await
        .map_err(|error| text(&error))?;
    let is_gone = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&is_gone);
    device.set_device_lost_callback(move |_, _| gone.store(true, Ordering::Relaxed));
    let formats = surface.get_capabilities(&adapter).formats;
    // The painter codes colours itself.
    let plain = formats.iter().find(|format| !format.is_srgb());
    let format = *plain.ok_or("the canvas takes no colours")?;
    let card = Card {
        gpu: Gpu {
            device,
            queue,
            is_cpu: false,
        },
        surface: Rc::new(surface),
        format,
        is_gone,
    };
    CARD.with(|place| place.replace(Some(card)));
    Ok(())
}

/// Painter of a session.
pub(crate) struct Tracer {
    card: Card,
    painter: GpuPainter,
    finder: ChangeFinder,
    look: LookSpec,
    grid: Grid,
    /// Size of the canvas in pixels (width, height).
    size: (usize, usize),
    /// Set for each slice that the picture shows.
    cuts_shown: [bool; 3],
}

impl Tracer {
    /// Prepares pictures of `session` with the look settings `look` over a coarse ground.
    ///
    /// # Errors
    /// If the look is wrong, the box is too large for the card, or no card is open.
    pub(crate) fn new(session: &Session, look: &LookSpec) -> Result<Self, String> {
        let card = CARD.with_borrow(Clone::clone);
        let card = card.ok_or("no graphics card is open")?;
        let painter = GpuPainter::new(card.gpu.clone(), look).map_err(|error| error.to_string())?;
        let grid = session.simulation().world().grid();
        let mut tracer = Self {
            card,
            painter,
            finder: ChangeFinder::new(grid),
            look: look.clone(),
            grid,
            size: (0, 0),
            cuts_shown: [false; 3],
        };
        tracer.follow(session, &[None, None, None])?;
        Ok(tracer)
    }

    /// Follows the session to another moment, to which no steps led.
    pub(crate) fn jump(&mut self, session: &Session) {
        self.finder = ChangeFinder::new(session.simulation().world().grid());
    }

    /// Takes over the present state of `session`.
    ///
    /// # Errors
    /// If the card is gone, or its memory is too small.
    pub(crate) fn follow(&mut self, session: &Session, slices: &Slices) -> Result<(), String> {
        if self.card.is_gone.load(Ordering::Relaxed) {
            return Err("the graphics card is gone".to_owned());
        }
        let cell = |axis: Axis| {
            let (share, _) = slices[axis.number()].as_ref()?;
            Some((share * axis.cells(self.grid) as f32) as usize)
        };
        let usual = Quantity::default();
        let quantity = slices.iter().flatten().map(|(_, quantity)| quantity).next();
        self.cuts_shown = [0, 1, 2].map(|axis| slices[axis].is_some());
        self.finder.touch();
        let asked = Asked {
            cuts: [Axis::X, Axis::Y, Axis::Z].map(cell),
            quantity: quantity.unwrap_or(&usual),
            glow: Some(Glow::from(&self.look)),
            tall: session.proportion(),
        };
        let mut changes = self.finder.changes(session.simulation(), &asked);
        self.painter
            .apply(&mut changes)
            .map_err(|error| error.to_string())
    }

    /// Draws a picture for `camera` that takes about 1 / `fps` seconds; 0: one of a scene at rest.
    /// Returns true if another picture of the same state would look better.
    ///
    /// # Errors
    /// If the card is gone.
    pub(crate) fn draw(&mut self, camera: &Camera, fps: f32) -> Result<bool, String> {
        let (width, height) = camera.size();
        if self.size != (width, height) {
            self.resize(width as u32, height as u32);
            self.size = (width, height);
        }
        let target_fps = if fps > 0.0 { fps } else { AT_REST };
        self.painter.show(&View {
            camera: camera.clone(),
            covered: 0,
            quality: Quality::Auto { target_fps },
            cuts_shown: self.cuts_shown,
            volume_shown: true,
            ground_shown: true,
        });
        let (wgpu::CurrentSurfaceTexture::Success(frame)
        | wgpu::CurrentSurfaceTexture::Suboptimal(frame)) = self.card.surface.get_current_texture()
        else {
            return Ok(true);
        };
        let view = frame
            .texture
            .create_view(&wgpu::TextureViewDescriptor::default());
        let gpu = &self.card.gpu;
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("page"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
                depth_slice: None,
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        let screen = Screen {
            format: self.card.format,
            depth: None,
            samples: 1,
            is_coded: true,
        };
        self.painter
            .draw(&mut pass, [width as u32, height as u32], &screen);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        gpu.queue.present(frame);
        Ok(!self.painter.idle())
    }

    fn resize(&self, width: u32, height: u32) {
        let card = &self.card;
        card.surface.configure(
            &card.gpu.device,
            &wgpu::SurfaceConfiguration {
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                format: card.format,
                color_space: wgpu::SurfaceColorSpace::default(),
                width,
                height,
                present_mode: wgpu::PresentMode::Fifo,
                desired_maximum_frame_latency: 2,
                alpha_mode: wgpu::CompositeAlphaMode::Opaque,
                view_formats: Vec::new(),
            },
        );
    }

    /// Returns the bounds that a camera frames, in cells.
    pub(crate) fn subject(&self) -> Bounds {
        let box_only = || Bounds::from_grid(self.grid);
        self.painter.subject().unwrap_or_else(box_only)
    }

    /// Returns `camera` raised above the ground and aimed at `target` (cells) if it is inside rock.
    pub(crate) fn out_of_rock(
        &self,
        world: &State,
        camera: &Camera,
        target: Point3<f32>,
    ) -> Option<Camera> {
        let land = self.painter.shown_land()?;
        land.out_of_rock(world.ground(), camera, target)
    }

    /// Makes the slices anew; nothing to do, since the finder compares them.
    pub(crate) fn recut(&mut self) {}

    /// Draws with the look settings `look`.
    pub(crate) fn set_look(&mut self, look: &LookSpec) -> Result<(), Invalid> {
        self.look = look.clone();
        self.painter.set_look(look)
    }

    /// Returns false: the painter bakes the ground between its pictures.
    pub(crate) fn bake(&mut self, _world: &State, _budget: Duration) -> bool {
        false
    }

    /// Returns no bytes: the picture is on the canvas.
    pub(crate) fn rgba(&self) -> &[u8] {
        &[]
    }

    /// Returns the share of the resolution at which the last picture was traced, along each axis.
    pub(crate) fn share(&self) -> f32 {
        self.painter.times().scale
    }
}
