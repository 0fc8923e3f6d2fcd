//! Rendering of a single picture of a simulation state by one call.

use super::camera::Camera;
use super::image::Image;
use super::renderer::Renderer;
use lavoxel_automaton::view::{CameraSpec, LookSpec};
use lavoxel_base::validate::{Invalid, within};
use lavoxel_sim::lowpass::LowPass;
use lavoxel_sim::state::StateRef;

/// Maximum width and height of a picture in pixels, equal to the limit in scene files.
const MOST_PIXELS: f64 = 8192.0;

/// Draws a picture of (`width`, `height`) pixels of the simulation state `state`. To draw a state
/// repeatedly, keep a [`LowPass`] and a [`Renderer`], which reuse data that did not change.
///
/// # Errors
///
/// If a value of `camera`, `look` or size is out of range (the error names the value), or the
/// simulation box is too large to be drawn.
pub fn picture<'a>(
    state: impl Into<StateRef<'a>>,
    camera: &CameraSpec,
    look: &LookSpec,
    (width, height): (usize, usize),
) -> Result<Image, Invalid> {
    let state: StateRef<'_> = state.into();
    let world = state.world;
    camera.validate()?;
    for side in [width, height] {
        within("size", side as f64, 1.0, MOST_PIXELS)?;
    }
    LowPass::check(world.grid())?;
    let mut renderer = Renderer::new(world.ground().surface(), world.grid(), look.clone())?;
    renderer.set_ground(world.ground());
    let camera = Camera::new(camera, &renderer.subject(), (width, height));
    Ok(renderer.frame(LowPass::new(world.grid()).refresh(state), &camera))
}
