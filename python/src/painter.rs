//! Pictures of a simulation, with caches from one picture to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lavoxel::lowpass::LowPass;
use lavoxel::render::{Camera, Image, Mouth, Renderer, need_of_picture, need_of_smoke};
use lavoxel::scene::{BuiltScene, Model, Scene};
use lavoxel::validate::{Invalid, within};
use lavoxel::view::{CameraSpec, LookSpec};
use pyo3::prelude::*;

use crate::fail;

/// Upper bound of pixels along a side, as in a scene.
const MOST_PIXELS: f64 = 8192.0;

/// Renderer of the last look, with the low-pass of the last state.
pub(crate) struct Painter {
    look: LookSpec,
    renderer: Renderer,
    lowpass: LowPass,
}

/// Height of a cell in units of its width.
fn tall(scene: &Scene, stage: &BuiltScene) -> f32 {
    let is_flow = scene.spec.model == Model::Flow;
    if is_flow {
        (stage.site.cell_height_m() / stage.site.cell_size_m) as f32
    } else {
        1.0
    }
}

impl Painter {
    /// Checks that the box can be drawn, and that the memory of such a picture is within the limit.
    pub(crate) fn check(scene: &Scene, (width, height): (usize, usize)) -> PyResult<()> {
        let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
        let picture =
            need_of_picture([side(width), side(height)]).and(need_of_smoke(scene.air_cells()));
        scene.check_drawable_with(picture).map_err(fail)
    }

    /// Draws a state in `width` × `height` pixels; `kept` is the cache of an earlier picture. Once
    /// `stop` is set the picture is given up, and the returned image is incomplete.
    pub(crate) fn draw(
        kept: &mut Option<Self>,
        (scene, stage): (&Scene, &BuiltScene),
        (camera, look): (&CameraSpec, LookSpec),
        ((width, height), stop): ((usize, usize), Arc<AtomicBool>),
    ) -> Result<Image, Invalid> {
        camera.validate()?;
        for side in [width, height] {
            within("size", side as f64, 1.0, MOST_PIXELS)?;
        }
        let world = stage.simulation.world();
        let look = LookSpec {
            cell_height: tall(scene, stage),
            ..look
        };
        if kept.as_ref().is_none_or(|kept| kept.look != look) {
            LowPass::check(world.grid())?;
            let renderer = Renderer::new(world.ground().surface(), world.grid(), look.clone())?;
            *kept = Some(Self {
                look,
                renderer,
                lowpass: LowPass::new(world.grid()),
            });
        }
        let Some(Self {
            renderer, lowpass, ..
        }) = kept
        else {
            unreachable!("it was made above")
        };
        renderer.stop_by(stop.clone());
        renderer.set_ground(world.ground());
        renderer.set_steps(stage.simulation.steps());
        let matter = scene.spec.matter_at_start(stage.site.grid);
        let subject = renderer
            .subject()
            .of_tall_cells(tall(scene, stage))
            .holding(&matter);
        let camera = Camera::new(camera, &subject, (width, height));
        let (simulation, volume) = (&stage.simulation, lowpass.refresh(world));
        let moment = (simulation.seed(), simulation.steps());
        let vents = simulation.vents().filter(|_| world.flow().is_none());
        renderer.set_mouths(Mouth::all_from_vents(
            vents,
            (volume, world.ground().surface()),
            moment,
        ));
        let image = renderer.frame(volume, &camera);
        if stop.load(Ordering::Relaxed) {
            // The cache holds parts of the picture that was given up.
            *kept = None;
        }
        Ok(image)
    }
}
