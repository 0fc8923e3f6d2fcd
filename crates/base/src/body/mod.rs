//! Bodies from files as plain descriptions: what a scene says of a mesh, a relief or a survey, and the cells that its reader
//! (`lavoxel::mesh`) has found.

mod cells;
mod mesh_spec;
mod relief_spec;
mod survey_spec;

pub use self::cells::Cells;
pub use self::mesh_spec::{MeshSpec, Up};
pub use self::relief_spec::ReliefSpec;
pub use self::survey_spec::SurveySpec;
