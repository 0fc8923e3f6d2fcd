//! Draws a simulation the way the command line asks for: the volume from a camera, or a slice.

use std::str::FromStr;

use lavoxel::grid::Grid;
use lavoxel::lowpass::LowPass;
use lavoxel::render::{Camera, CameraSpec, Image, Renderer};
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    X,
    Y,
    Z,
}
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    Amount,
    Energy,
    Solid,
}
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::validate::Invalid;

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub(super) enum View {
    Volume,
    Slice(Cut, Field),
}

/// A plane of cells: `z=64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    axis: Axis,
    cell: usize,
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not an axis and a cell such as z=64");
        let (axis, cell) = text.split_once('=').ok_or_else(wrong)?;
        let axis = match axis.trim() {
            "x" => Axis::X,
            "y" => Axis::Y,
            "z" => Axis::Z,
            _ => return Err(wrong()),
        };
        Ok(Self { axis, cell: cell.trim().parse().map_err(|_| wrong())? })
    }
}

impl Cut {
    fn check(self, grid: Grid) -> Result<(), Invalid> {
        let (name, n) = match self.axis {
            Axis::X => ("x", grid.nx),
            Axis::Y => ("y", grid.ny),
            Axis::Z => ("z", grid.nz),
        };
        if self.cell < n {
            return Ok(());
        }
        Err(Invalid::new("--slice", format!("{name}={}", self.cell), format!("a cell from 0 to {}", n - 1)))
    }
}

/// Keeps what drawing needs from frame to frame.
pub(super) struct Painter {
    camera: CameraSpec,
    renderer: Renderer,
    lowpass: LowPass,
}

impl Painter {
    pub(super) fn new(scene: &Scene, simulation: &Simulation, view: View) -> Result<Self, Invalid> {
        let _ = view;
        let world = simulation.world();
        let renderer = Renderer::new(world.ground.surface(), world.grid, scene.spec.look.clone())?;
        Ok(Self { camera: scene.spec.camera.clone(), renderer, lowpass: LowPass::new(world.grid) })
    }

    pub(super) fn size(&self, wanted: [u32; 2]) -> [u32; 2] {
        wanted
    }

    pub(super) fn paint(&mut self, simulation: &Simulation, size: [u32; 2], turned_deg: f32) -> Image {
        let volume = self.lowpass.refresh(simulation.world());
        let azimuth_deg = self.camera.azimuth_deg + turned_deg;
        let spec = CameraSpec { azimuth_deg, ..self.camera.clone() };
        let size = (size[0] as usize, size[1] as usize);
        let camera = Camera::new(&spec, &self.renderer.subject(), size);
        self.renderer.frame(volume, &camera)
    }
}
