//! Painter: draws a simulation in the view that the command line requests, the volume from a camera
//! or a slice.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::Ordering;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lavoxel::film::{NotesSpec, Vantage};
use lavoxel::lowpass::LowPass;
use lavoxel::render::{
    Axis, Bounds, Camera, CameraSpec, Image, LookSpec, Mouth, Named, Notes, Print, PrintEnd,
    PrintLayers, Renderer, Section, Slices, Style, clock,
};
use lavoxel::scene::{BuiltScene, Model, Scene, SceneSpec};
use lavoxel::simulation::Simulation;
use lavoxel::validate::Invalid;

use crate::cli::process::stop;
use crate::cli::show::messages;

/// Typical ratio length² / area of a basalt flow; used only to estimate the length of a flow when
/// the camera is chosen.
const FLOW_SHAPE: f64 = 8.0;
/// Typical thickness of a basalt flow in metres; used only to estimate the length of a flow when
/// the camera is chosen.
const FLOW_THICKNESS_M: f64 = 4.0;
/// Upper bound of the radius of a flow at which the camera moves close to the flow, as a fraction
/// of the simulation box's longer side.
const SMALL_PART: f64 = 0.35;

/// Kind of view that pictures show: the volume seen from a camera, or a slice.
#[derive(Clone, Debug)]
pub(in crate::cli) enum View {
    Volume,
    Slice(Section),
}

/// Returns a command-line parser that accepts the names of the values of `T`.
pub(in crate::cli) fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    let values = T::ALL
        .iter()
        .map(|choice| PossibleValue::new(choice.name()).help(choice.what()));
    PossibleValuesParser::new(values).try_map(|name| {
        T::ALL
            .iter()
            .copied()
            .find(|choice| choice.name() == name)
            .ok_or_else(|| format!("unknown name {name}"))
    })
}

/// Range of the simulation box along one axis outside of which nothing is drawn, such as
/// `x=0.5..1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cli) struct Clip {
    /// Axis: 0 for x, 1 for y, 2 for z.
    pub(in crate::cli) axis: usize,
    /// Lower and upper end of the range as fractions (0 to 1) of the simulation box; validated
    /// together with the look settings.
    pub(in crate::cli) shares: [f32; 2],
}

impl FromStr for Clip {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is not an axis and two shares such as x=0.5..1");
        let (axis, shares) = text.split_once('=').ok_or_else(wrong)?;
        let (low, high) = shares.split_once("..").ok_or_else(wrong)?;
        let number = |part: &str| part.trim().parse().map_err(|_| wrong());
        Ok(Self {
            axis: Axis::named(axis).ok_or_else(wrong)?.number(),
            shares: [number(low)?, number(high)?],
        })
    }
}

impl fmt::Display for Clip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}={}..{}",
            ["x", "y", "z"][self.axis],
            self.shares[0],
            self.shares[1]
        )
    }
}

/// Painter: draws pictures of a scene, and caches data between pictures.
pub(in crate::cli) struct Painter {
    name: String,
    look: LookSpec,
    /// Height of a cell divided by its width.
    tall: f32,
    /// Bounding boxes of the matter at the scene's start, each as (lowest, highest) corner in
    /// cells.
    matter: Vec<[[f32; 3]; 2]>,
    view: Drawn,
    notes: NotesSpec,
    /// Edge length of a cell in metres, along the horizontal axes.
    cell_m: f64,
    /// Low-pass filter that computes the drawn volume; `None` before the first picture of a volume.
    lowpass: Option<LowPass>,
    /// Renderer of volumes, whose creation takes a second; `None` before the first picture of a
    /// volume.
    renderer: Option<Renderer>,
    /// Fixed bounds that every camera frames; `None` if each camera frames the bounds of ground and
    /// matter at its time.
    framed: Option<Bounds>,
    /// Set once the user has been warned that the camera is inside rock, so that the warning is not
    /// repeated.
    told: bool,
    tracing: Tracing,
}

/// Tracing of pictures in the style print.
#[derive(Default)]
struct Tracing {
    end: PrintEnd,
    /// Set if the layers of pictures are kept.
    has_layers: bool,
    /// Layers of the last picture, if they are kept.
    layers: Option<PrintLayers>,
}

/// State of a picture that is being traced, for progress displays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cli) struct Traced {
    /// Number of samples a pixel so far.
    pub(in crate::cli) samples: u32,
    /// Largest number of samples a pixel.
    pub(in crate::cli) most: u32,
    /// Estimate of the noise, relative to the mean light of the picture.
    pub(in crate::cli) noise: f64,
}

impl Tracing {
    /// Traces `print` to its end, and calls `watch` after each pass. Returns the smoothed picture;
    /// `None` if the program was stopped and the grace period is over.
    fn picture(&mut self, print: &mut Print, watch: &mut dyn FnMut(Traced)) -> Option<Image> {
        let most = self.end.samples;
        let is_whole = print.trace(self.end, |print| {
            let (samples, noise) = (print.samples(), print.noise());
            watch(Traced {
                samples,
                most,
                noise,
            });
        });
        if !is_whole {
            return None;
        }
        if !self.has_layers {
            return Some(print.smoothed());
        }
        let layers = print.layers();
        let image = print.picture_of(&layers);
        self.layers = Some(layers);
        Some(image)
    }
}

/// Kind of picture to draw, with its inputs: the volume, or slices.
enum Drawn {
    Volume,
    Slice(Slices),
}

impl Painter {
    /// Creates a painter for the built scene `stage` and the view `view`. Fails if a slice lies
    /// outside of the simulation box, or if the box is too large for pictures.
    pub(in crate::cli) fn new(
        scene: &Scene,
        stage: &BuiltScene,
        view: View,
    ) -> anyhow::Result<Self> {
        let site = &stage.site;
        let drape = if matches!(view, View::Volume) {
            scene.drape(stage)?
        } else {
            None
        };
        let view = match view {
            View::Slice(section) => {
                let palette = scene.spec.look.palette.build("look.palette")?;
                Drawn::Slice(Slices::new(section, site, (palette, scene.look().kelvin))?)
            }
            View::Volume => {
                LowPass::check(site.grid)?;
                Drawn::Volume
            }
        };
        // Only the physical model has oblong cells.
        let tall = if scene.spec.model == Model::Flow {
            (site.cell_height_m() / site.cell_size_m) as f32
        } else {
            1.0
        };
        Ok(Self {
            name: scene.spec.name.clone(),
            look: LookSpec {
                cell_height: tall,
                drape,
                ..scene.look()
            },
            tall,
            matter: scene.spec.matter_at_start(site.grid),
            view,
            notes: scene.spec.film.notes.clone(),
            cell_m: site.cell_size_m,
            lowpass: None,
            renderer: None,
            framed: None,
            told: false,
            tracing: Tracing::default(),
        })
    }

    /// Fixes the bounds that all cameras frame to those of the present ground and matter, so that
    /// growing rock does not move the picture. Returns the bounds as (lowest corner, extent) in
    /// cells; `None` for slices.
    pub(in crate::cli) fn keep_framing(
        &mut self,
        simulation: &Simulation,
    ) -> Result<Option<[[f32; 3]; 2]>, Invalid> {
        if !matches!(self.view, Drawn::Volume) {
            return Ok(None);
        }
        let bounds = self.bounds(simulation)?;
        self.framed = Some(bounds);
        let extent = bounds.high - bounds.low;
        Ok(Some([
            [bounds.low.x, bounds.low.y, bounds.low.z],
            [extent.x, extent.y, extent.z],
        ]))
    }

    /// Points the camera of the scene `spec`, made from a bare heightmap, at the ground that the
    /// lava is expected to reach, if that ground is a small fraction of the simulation box.
    pub(in crate::cli) fn look_at_the_flow(
        &mut self,
        spec: &mut SceneSpec,
        simulation: &Simulation,
    ) -> Result<(), Invalid> {
        let Some(flow) = simulation
            .world()
            .flow()
            .filter(|_| matches!(self.view, Drawn::Volume))
        else {
            return Ok(());
        };
        // The length of the flow is estimated from its final volume: length² = shape × volume /
        // thickness.
        let end_s = flow.clock().time_s(spec.film.steps);
        let vents: Vec<_> = simulation
            .lava_vents()
            .filter_map(|vent| Some((vent, vent.flow.as_deref()?)))
            .collect();
        let volume_m3: f64 = vents
            .iter()
            .map(|(_, pours)| pours.volume_m3(0.0, end_s))
            .sum();
        let length_m = (FLOW_SHAPE * volume_m3 / FLOW_THICKNESS_M).sqrt();
        let places: Vec<[f64; 2]> = vents.iter().map(|(vent, _)| [vent.x, vent.z]).collect();
        let Some(view) = Vantage::from_world(simulation.world(), &places, length_m / self.cell_m)
        else {
            return Ok(());
        };
        let bounds = self.bounds(simulation)?;
        let extent = bounds.high - bounds.low;
        if view.radius > SMALL_PART * f64::from(extent.x.max(extent.z)) {
            return Ok(());
        }
        let camera = &mut spec.camera;
        let [x, y, z] = view.target.map(|cells| cells as f32);
        camera.target = Some([
            (x - bounds.low.x) / extent.x,
            (y - bounds.low.y) / extent.y,
            (z - bounds.low.z) / extent.z,
        ]);
        let distance = view.radius as f32 / (0.5 * camera.fov_deg).to_radians().tan();
        camera.distance = Some((distance / bounds.diagonal()).clamp(0.01, 100.0));
        camera.azimuth_deg = view.azimuth_deg as f32;
        Ok(())
    }

    /// Sets the end of the tracing of pictures in the style print. `has_layers`: keeps their layers
    /// for `Painter::take_layers`.
    pub(in crate::cli) fn print_until(&mut self, end: PrintEnd, has_layers: bool) {
        (self.tracing.end, self.tracing.has_layers) = (end, has_layers);
    }

    /// Returns the layers of the last picture; `None` if there are none.
    pub(in crate::cli) fn take_layers(&mut self) -> Option<PrintLayers> {
        self.tracing.layers.take()
    }

    /// Removes the fixed bounds of `keep_framing`, so that each camera frames the bounds of ground
    /// and matter at its time.
    pub(in crate::cli) fn free_framing(&mut self) {
        self.framed = None;
    }

    /// Returns the bounds in cells of the present ground and matter, which a camera frames.
    fn bounds(&mut self, simulation: &Simulation) -> Result<Bounds, Invalid> {
        let (tall, world) = (self.tall, simulation.world());
        let renderer = match &mut self.renderer {
            Some(renderer) => renderer,
            none => none.insert(Renderer::new(
                world.ground().surface(),
                world.grid(),
                self.look.clone(),
            )?),
        };
        renderer.set_ground(world.ground());
        Ok(renderer.subject().of_tall_cells(tall).holding(&self.matter))
    }

    /// Draws the present state, seen from `camera`, as a picture of `size` (width, height) pixels.
    /// `watch` is called after each pass of tracing. `None` if the program was stopped and the
    /// grace period is over.
    pub(in crate::cli) fn paint(
        &mut self,
        simulation: &Simulation,
        size: [u32; 2],
        camera: &CameraSpec,
        watch: &mut dyn FnMut(Traced),
    ) -> Result<Option<Image>, Invalid> {
        let size = (size[0] as usize, size[1] as usize);
        let overdue = stop::overdue();
        if overdue.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let image = match &mut self.view {
            Drawn::Volume => self.volume(simulation, size, camera, watch)?,
            Drawn::Slice(slices) => {
                let title = format!("{}, step {}", self.name, simulation.steps());
                Some(slices.draw(simulation, size, title)?)
            }
        };
        Ok(image.filter(|_| !overdue.load(Ordering::Relaxed)))
    }

    fn volume(
        &mut self,
        simulation: &Simulation,
        size: (usize, usize),
        spec: &CameraSpec,
        watch: &mut dyn FnMut(Traced),
    ) -> Result<Option<Image>, Invalid> {
        let now = self.bounds(simulation)?;
        let framed = self.framed.unwrap_or(now);
        let (mut camera, framing) = (
            Camera::new(spec, &framed, size),
            Camera::frame(spec, &framed, size),
        );
        let world = simulation.world();
        let Some(renderer) = &mut self.renderer else {
            unreachable!("the bounds are those of a renderer")
        };
        // A camera inside rock would give a black picture, so it is raised; the warning is printed
        // once per film.
        if let Some(above) = renderer.out_of_rock(world.ground(), &camera, framing.target) {
            if !std::mem::replace(&mut self.told, true) {
                messages::warn([format!(
                    "the camera stood in rock, {} cells below the ground: it is raised over it; another --elevation, --distance or \
                     --target (camera keys of a scene) puts it elsewhere",
                    (above.eye().y - camera.eye().y).ceil()
                )]);
            }
            camera = above;
        }
        renderer.stop_by(stop::overdue());
        renderer.set_steps(simulation.steps());
        let lowpass = self
            .lowpass
            .get_or_insert_with(|| LowPass::new(world.grid()));
        let seen = (lowpass.refresh(world), world.ground().surface());
        let moment = (simulation.seed(), simulation.steps());
        let vents = simulation.vents().filter(|_| world.flow().is_none());
        renderer.set_mouths(Mouth::all_from_vents(vents, seen, moment));
        let image = if self.look.style == Style::Print {
            let tracing = &mut self.tracing;
            let traced = |print: &mut Print| tracing.picture(print, watch);
            renderer.print_of(lowpass, &camera, traced).flatten()
        } else {
            Some(renderer.frame_of(lowpass, &camera))
        };
        Ok(image.map(|mut image| {
            self.notes_on(simulation, &camera, framing.distance_cells)
                .draw(&mut image);
            image
        }))
    }

    /// Returns the annotations (clock, north arrow, scale bar and so on) of a picture from
    /// `camera`. `distance_cells`: distance from the camera to its target, in cells.
    fn notes_on(&self, simulation: &Simulation, camera: &Camera, distance_cells: f32) -> Notes {
        let time = || {
            simulation
                .time_s()
                .map_or_else(|| format!("step {}", simulation.steps()), clock)
        };
        let [right, up, _] = camera.axes();
        // North is −z, and picture rows go down: two sign changes.
        let north = [-right.z, up.z];
        let pixel = 2.0 * f64::from(camera.half_height() * distance_cells) / camera.size().1 as f64;
        Notes {
            caption: self.notes.caption.clone(),
            clock: self.notes.clock.then(time),
            north: self.notes.north.then_some(north),
            metres_a_pixel: self.notes.scale.then_some(pixel * self.cell_m),
            kelvin: self.look.kelvin.filter(|_| {
                self.notes.temperature && self.look.style.at_once() == Style::Cinematic
            }),
        }
    }
}
