//! Draws a simulation the way the command line asks for: the volume from a camera, or a slice.

use std::fmt;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lavoxel::lowpass::{ENERGY_SHOWN, LowPass};
use lavoxel::render::{
    Axis, Camera, CameraSpec, Content, Field, Image, LookSpec, Named, Renderer, Scale, SliceSpec, SliceStyle, slice,
};
use lavoxel::scene::Scene;
use lavoxel::simulation::Simulation;
use lavoxel::units;
use lavoxel::validate::Invalid;

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub(super) enum View {
    Volume,
    Slice(Cut, Field),
}

/// Reads one of the choices that the library names.
pub(super) fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    let values = T::ALL.iter().map(|choice| PossibleValue::new(choice.name()).help(choice.what()));
    PossibleValuesParser::new(values).try_map(|name| {
        T::ALL.iter().copied().find(|choice| choice.name() == name).ok_or_else(|| format!("unknown name {name}"))
    })
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
        let axis = [Axis::X, Axis::Y, Axis::Z][axis_number(axis).ok_or_else(wrong)?];
        Ok(Self { axis, cell: cell.trim().parse().map_err(|_| wrong())? })
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = match self.axis {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        };
        write!(f, "{axis}={}", self.cell)
    }
}

/// A part of the box along one axis: `x=0.5..1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clip {
    /// 0 for x, 1 for y, 2 for z.
    pub(super) axis: usize,
    /// Where it begins and ends, as shares of the box; checked with the look.
    pub(super) shares: [f32; 2],
}

impl FromStr for Clip {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not an axis and two shares such as x=0.5..1");
        let (axis, shares) = text.split_once('=').ok_or_else(wrong)?;
        let (low, high) = shares.split_once("..").ok_or_else(wrong)?;
        let number = |part: &str| part.trim().parse().map_err(|_| wrong());
        Ok(Self { axis: axis_number(axis).ok_or_else(wrong)?, shares: [number(low)?, number(high)?] })
    }
}

impl fmt::Display for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}..{}", ["x", "y", "z"][self.axis], self.shares[0], self.shares[1])
    }
}

/// 0 for `x`, 1 for `y`, 2 for `z`.
fn axis_number(name: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|axis| *axis == name.trim())
}

/// Keeps what drawing needs from frame to frame.
pub(super) struct Painter {
    name: String,
    camera: CameraSpec,
    look: LookSpec,
    view: View,
    /// Made with the first volume picture.
    lowpass: Option<LowPass>,
    /// Digits of the last step: titles as long as each other keep all slices of a film one size.
    digits: usize,
    /// Made at the first volume picture, and again when an event changed the ground: preparing it takes a second. With
    /// the stamp of its ground.
    renderer: Option<(u64, Renderer)>,
}

impl Painter {
    /// A painter for a scene; a slice outside the box is refused.
    pub(super) fn new(scene: &Scene, simulation: &Simulation, view: View) -> Result<Self, Invalid> {
        let grid = simulation.world().grid;
        match view {
            View::Slice(cut, _) => SliceSpec { axis: cut.axis, cell: cut.cell, zoom: 1 }.validate(grid)?,
            View::Volume => LowPass::check(grid)?,
        }
        Ok(Self {
            name: scene.spec.name.clone(),
            camera: scene.spec.camera.clone(),
            look: scene.spec.look.clone(),
            view,
            lowpass: None,
            digits: scene.spec.film.steps.to_string().len(),
            renderer: None,
        })
    }

    /// Draws the simulation as it is now, in about `size` pixels (a slice has whole pixels to a cell), with the camera
    /// turned around the target by some degrees.
    pub(super) fn paint(&mut self, simulation: &Simulation, size: [u32; 2], turned_deg: f32) -> Result<Image, Invalid> {
        match self.view {
            View::Volume => self.volume(simulation, size, turned_deg),
            View::Slice(cut, field) => self.slice(simulation, size, cut, field),
        }
    }

    fn volume(&mut self, simulation: &Simulation, size: [u32; 2], turned_deg: f32) -> Result<Image, Invalid> {
        let world = simulation.world();
        let stamp = world.ground.stamp();
        let renderer = match &mut self.renderer {
            Some((old, renderer)) if *old == stamp => renderer,
            other => {
                let renderer = Renderer::new(world.ground.surface(), world.grid, self.look.clone())?;
                &mut other.insert((stamp, renderer)).1
            }
        };
        let azimuth_deg = self.camera.azimuth_deg + turned_deg;
        let spec = CameraSpec { azimuth_deg, ..self.camera.clone() };
        let camera = Camera::new(&spec, &renderer.subject(), (size[0] as usize, size[1] as usize));
        renderer.set_steps(simulation.steps());
        let lowpass = self.lowpass.get_or_insert_with(|| LowPass::new(world.grid));
        lowpass.refresh(world);
        Ok(renderer.frame_of(lowpass, &camera))
    }

    fn slice(&self, simulation: &Simulation, size: [u32; 2], cut: Cut, field: Field) -> Result<Image, Invalid> {
        let world = simulation.world();
        let grid = world.grid;
        let (across, down) = match cut.axis {
            Axis::X => (grid.nz, grid.ny),
            Axis::Y => (grid.nx, grid.nz),
            Axis::Z => (grid.nx, grid.ny),
        };
        let zoom = (size[0] as usize / across).min(size[1] as usize / down).clamp(1, 64);
        let scale = match field {
            Field::Amount | Field::Solid => Scale::new("amount", "of a cell", (0.0, 1.0)),
            Field::Energy => Scale::new("energy", "of a vent's cell", (0.0, ENERGY_SHOWN)),
        };
        let title = format!("{}, step {:>2$}", self.name, simulation.steps(), self.digits);
        let style = SliceStyle { palette: self.look.palette.build("look.palette")?, scale, title };
        let spec = SliceSpec { axis: cut.axis, cell: cut.cell, zoom };
        slice(grid, &spec, &style, |x, y, z| {
            let cell = world.lava.cell(grid.index(x, y, z));
            match field {
                _ if world.ground.is_solid(x, y, z) => Content::Solid,
                Field::Amount if cell.amount > 0 => Content::Value(units::amount(cell.amount)),
                Field::Energy if cell.amount > 0 => Content::Value(units::energy(cell.energy)),
                _ => Content::Empty,
            }
        })
    }
}
