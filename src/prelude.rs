//! Names that a first program needs, for `use lavoxel::prelude::*`.

pub use ndarray::{Array2, Array3, Axis};

pub use crate::export::write_png;
pub use crate::grid::{Grid, Place};
pub use crate::lowpass::{LowPass, Volume};
pub use crate::output::Existing;
pub use crate::render::{Bounds, Camera, Image, Renderer, picture};
pub use crate::rules::RulesSpec;
pub use crate::scene::Scene;
pub use crate::simulation::Simulation;
pub use crate::source::VentSpec;
pub use crate::view::{CameraSpec, LookSpec, PaletteSpec, Style};
pub use crate::world::{CellMeasure, Edit, Ground, Matter, Shape, World};
